/* SPDX-License-Identifier: GPL-2.0-only */
/* What tests of the structures on the SSD share: fields that are wrong, copies that differ. */
#ifndef SSDUP_LOG_CASES_H
#define SSDUP_LOG_CASES_H

#include <kunit/test.h>
#include <linux/crc32c.h>
#include <linux/string.h>

#include "core/codec.h"

#define GIB	(BIT_ULL(30) / 512)

static inline u8 *block_new(struct kunit *test)
{
	u8 *buf = kunit_kzalloc(test, SSDUP_BLOCK_BYTES, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, buf);
	return buf;
}

/* One field set to something; then a right crc, or not. */
struct field_case {
	const char *name;
	u16 at;
	u16 bytes;
	u64 value;
	enum log_fault fault;
	bool stale_crc;
};

static inline void field_case_desc(const struct field_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

/* @bytes: of the structure, @crc: where it has its crc */
static inline void spoil(u8 *buf, const struct field_case *c, size_t bytes, size_t crc)
{
	__le32 sum = 0;
	u32 i;

	for (i = 0; i < c->bytes; i++)
		buf[c->at + i] = i < 8 ? c->value >> 8 * i : 0;
	if (c->stale_crc)
		return;
	memcpy(buf + crc, &sum, sizeof(sum));
	sum = cpu_to_le32(crc32c(~0, buf, bytes));
	memcpy(buf + crc, &sum, sizeof(sum));
}

/* Two copies, and which of them counts. */
struct pick_case {
	const char *name;
	enum log_fault fault[2];
	u64 seq[2];
	bool other;		/* the copies have two UUIDs */
	enum log_fault verdict;
	u32 best;
	bool mend;
};

static inline void pick_case_desc(const struct pick_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

static inline struct log_super *copies_new(struct kunit *test)
{
	struct log_super *copy = kunit_kcalloc(test, SSDUP_COPIES, sizeof(*copy), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, copy);
	return copy;
}

static inline void expect_pick(struct kunit *test, bool record, const struct log_super *copy)
{
	const struct pick_case *c = test->param_value;
	bool mend;
	u32 best;

	KUNIT_EXPECT_EQ(test, ssdup_log_pick(record, c->fault, copy, &best, &mend), c->verdict);
	if (c->verdict != LOG_OK)
		return;
	KUNIT_EXPECT_EQ(test, best, c->best);
	KUNIT_EXPECT_EQ(test, mend, c->mend);
}

#endif
