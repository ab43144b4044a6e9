// SPDX-License-Identifier: GPL-2.0-only
/* invariant: 11 */
#include <kunit/test.h>

#include "core/guard_block.c"
#include "prng.h"

#define EPOCH	0x123456789abcdef0ULL

static void fill(u8 *p, u32 bytes, struct prng *r)
{
	while (bytes--)
		*p++ = prng_u64(r);
}

static void begin(struct guard_member *m, bool changing)
{
	*m = (struct guard_member){ .epoch = EPOCH, .hdd_sectors = 1ULL << 33,
				    .changing = changing };
	memset(m->uuid, 0x11, sizeof(m->uuid));
	memset(m->pool, 0x22, sizeof(m->pool));
}

/* --- The member block --- */

static void member_comes_back(struct kunit *test)
{
	u8 *sector = kunit_kzalloc(test, SSDUP_SECTOR_BYTES, GFP_KERNEL);
	struct guard_member *m = kunit_kzalloc(test, 2 * sizeof(*m), GFP_KERNEL), *got = m + 1;
	u32 changing, i;

	for (changing = 0; changing < 2; changing++) {
		begin(m, changing);
		for (i = 0; changing && i < SSDUP_GUARD_BLOCKS; i++)
			m->crc[i] = 0x01020304 * i;
		memcpy(m->head + 3, "what is there", 13);
		m->head[SSDUP_SECTOR_BYTES - 1] = 0xaa;
		ssdup_member_encode(m, sector);
		KUNIT_EXPECT_EQ(test, m->covered, SSDUP_SECTOR_BYTES);
		memset(got, 0, sizeof(*got));
		KUNIT_ASSERT_EQ(test, ssdup_member_decode(sector, got), LOG_OK);
		if (!changing)
			memcpy(got->crc, m->crc, sizeof(got->crc));
		KUNIT_EXPECT_EQ(test, got->changing, changing);
		got->changing = m->changing;
		KUNIT_EXPECT_FALSE(test, memcmp(got, m, sizeof(*m)));
		/* No partition table. */
		KUNIT_EXPECT_NULL(test, memchr_inv(sector + 446, 0, 66));
		/* A bit of it is other. */
		for (i = 8; i < SSDUP_SECTOR_BYTES; i++) {
			sector[i] ^= 1;
			KUNIT_EXPECT_EQ(test, ssdup_member_decode(sector, got), LOG_BAD_CRC);
			sector[i] ^= 1;
		}
		sector[0] ^= 1;
		KUNIT_EXPECT_EQ(test, ssdup_member_decode(sector, got), LOG_NOT_OURS);
	}
}

struct head_case {
	const char *name;
	u32 zeroes, bytes;	/* in turn */
	u32 covered;
	u32 covered_changing;
};

static const struct head_case head_cases[] = {
	{ "nothing", 512, 0, 512, 512 },
	{ "as much as fits", 512 - 370, 370, 512, 512 - 370 + 244 },
	{ "a byte more", 512 - 371, 371, 511, 512 - 371 + 244 },
	{ "no zero", 0, 512, 370, 244 },
	{ "a zero between", 1, 3, 299, 196 },
};

static void head_case_desc(const struct head_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(head, head_cases, head_case_desc);

static void head_is_packed(struct kunit *test)
{
	const struct head_case *c = test->param_value;
	u8 *sector = kunit_kzalloc(test, SSDUP_SECTOR_BYTES, GFP_KERNEL);
	struct guard_member *m = kunit_kzalloc(test, 2 * sizeof(*m), GFP_KERNEL), *got = m + 1;
	u32 changing, i;

	for (changing = 0; changing < 2; changing++) {
		begin(m, changing);
		for (i = 0; i < SSDUP_SECTOR_BYTES; i++)
			m->head[i] = i % (c->zeroes + c->bytes) < c->zeroes ? 0 : 0x80 | i;
		ssdup_member_encode(m, sector);
		KUNIT_EXPECT_EQ(test, ssdup_member_decode(sector, got), LOG_OK);
		KUNIT_EXPECT_EQ(test, got->covered, m->covered);
		KUNIT_EXPECT_EQ(test, got->covered, changing ? c->covered_changing : c->covered);
		KUNIT_EXPECT_FALSE(test, memcmp(got->head, m->head, got->covered));
		KUNIT_EXPECT_NULL(test, memchr_inv(got->head + got->covered, 0,
						   SSDUP_SECTOR_BYTES - got->covered));
	}
}

/* What cannot have been written is read without harm. */
static void any_member_is_read(struct kunit *test)
{
	struct guard_member *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	struct ssdup_member *d = kunit_kzalloc(test, sizeof(*d), GFP_KERNEL);
	struct prng r = { 1 };
	u32 i;

	for (i = 0; i < 1000; i++) {
		fill((u8 *)d, sizeof(*d), &r);
		d->magic = cpu_to_le64(SSDUP_MEMBER_MAGIC);
		d->version = cpu_to_le16(SSDUP_MEMBER_VERSION);
		d->crc = member_crc(d);
		KUNIT_EXPECT_EQ(test, ssdup_member_decode(d, m), LOG_OK);
		KUNIT_EXPECT_LE(test, m->covered, SSDUP_SECTOR_BYTES);
	}
	d->version = cpu_to_le16(SSDUP_MEMBER_VERSION + 1);
	d->crc = member_crc(d);
	KUNIT_EXPECT_EQ(test, ssdup_member_decode(d, m), LOG_UNKNOWN_VERSION);
}

/* --- Blocks --- */

static void nothing_is_left_to_recognise(struct kunit *test)
{
	u8 *block = kunit_kzalloc(test, GUARD_BLOCK_BYTES, GFP_KERNEL);
	struct guard_member *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	u32 nr, at;

	begin(m, false);
	for (nr = 0; nr < SSDUP_GUARD_BLOCKS; nr++) {
		memset(block, 0, GUARD_BLOCK_BYTES);
		ssdup_guard_cover(m, nr, block, true);
		/* Of zeroes the stream is left, and it has no long run of any byte. */
		for (at = nr ? 0 : SSDUP_SECTOR_BYTES; at + 16 <= GUARD_BLOCK_BYTES; at += 16)
			KUNIT_EXPECT_NOT_NULL(test, memchr_inv(block + at, block[at], 16));
		KUNIT_EXPECT_TRUE(test, ssdup_guard_uncover(m, nr, block));
		KUNIT_EXPECT_NULL(test, memchr_inv(block, 0, GUARD_BLOCK_BYTES));
	}
}

/* Each mixture of plain and masked sectors that a cut may leave is told apart. */
static void cuts_are_healed(struct kunit *test)
{
	u8 *plain = kunit_kzalloc(test, GUARD_BLOCK_BYTES, GFP_KERNEL);
	u8 *block = kunit_kzalloc(test, GUARD_BLOCK_BYTES, GFP_KERNEL);
	struct guard_member *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	u32 nr, mix, at;
	struct prng r = { 7 };

	begin(m, true);
	for (nr = 0; nr < 3; nr++) {
		/* One block is nothing but zeroes. */
		if (nr < 2)
			fill(plain, GUARD_BLOCK_BYTES, &r);
		else
			memset(plain, 0, GUARD_BLOCK_BYTES);
		memcpy(m->head, plain, nr ? 0 : SSDUP_SECTOR_BYTES);
		m->crc[nr] = ssdup_guard_crc(nr, plain);
		for (mix = 0; mix < 1U << SSDUP_GUARD_BLOCK; mix++) {
			memcpy(block, plain, GUARD_BLOCK_BYTES);
			for (at = nr ? 0 : 1; at < SSDUP_GUARD_BLOCK; at++)
				if (mix & (1U << at))
					mask_sector(m->epoch, nr, at, block);
			if (!nr)
				ssdup_member_encode(m, block);
			KUNIT_EXPECT_TRUE(test, ssdup_guard_uncover(m, nr, block));
			KUNIT_EXPECT_FALSE(test, memcmp(block, plain, GUARD_BLOCK_BYTES));
		}
		/* What was written since is left as it is. */
		block[GUARD_BLOCK_BYTES - 1] ^= 1;
		memcpy(plain, block, GUARD_BLOCK_BYTES);
		KUNIT_EXPECT_FALSE(test, ssdup_guard_uncover(m, nr, block));
		KUNIT_EXPECT_FALSE(test, memcmp(block, plain, GUARD_BLOCK_BYTES));
	}
}

/* --- The verdict --- */

struct judge_case {
	const char *name;
	enum guard_state record;
	enum log_fault found;
	bool changing;		/* the member block, of this log and epoch unless said */
	bool other;
	bool epoch;
	bool unknown;		/* the record has no epoch */
	bool empty;
	enum log_fault fault;
	enum guard_state state;
};

static const struct judge_case judge_cases[] = {
	{ "never closed", GUARD_OPEN, LOG_NOT_OURS, .fault = LOG_OK, .state = GUARD_OPEN },
	{ "closed", GUARD_CLOSED, LOG_OK, .fault = LOG_OK, .state = GUARD_CLOSED },
	{ "closed, record late", GUARD_CHANGING, LOG_OK, .empty = true, .fault = LOG_OK,
	  .state = GUARD_CLOSED },
	{ "cut before the member block", GUARD_CHANGING, LOG_NOT_OURS, .empty = true,
	  .fault = LOG_OK, .state = GUARD_OPEN },
	{ "cut in the range", GUARD_CHANGING, LOG_OK, .changing = true, .empty = true,
	  .fault = LOG_OK, .state = GUARD_CHANGING },
	{ "opening, cut in the range", GUARD_CLOSED, LOG_OK, .changing = true, .empty = true,
	  .fault = LOG_OK, .state = GUARD_CHANGING },
	{ "opened, record late", GUARD_CLOSED, LOG_NOT_OURS, .empty = true, .fault = LOG_OK,
	  .state = GUARD_OPEN },
	{ "the HDD refused it", GUARD_CHANGING, LOG_NOT_OURS, .fault = LOG_OK,
	  .state = GUARD_OPEN },
	{ "written by somebody", GUARD_CLOSED, LOG_NOT_OURS, .fault = LOG_HDD_WRITTEN },
	{ "damaged", GUARD_CLOSED, LOG_BAD_CRC, .fault = LOG_HDD_WRITTEN },
	{ "of a later version", GUARD_CLOSED, LOG_UNKNOWN_VERSION, .empty = true,
	  .fault = LOG_HDD_WRITTEN },
	{ "a record made anew", GUARD_CHANGING, LOG_OK, .unknown = true, .fault = LOG_OK,
	  .state = GUARD_CLOSED },
	{ "an old copy", GUARD_CLOSED, LOG_OK, .epoch = true, .fault = LOG_HDD_WRITTEN },
	{ "an old copy, nothing logged", GUARD_OPEN, LOG_OK, .empty = true,
	  .fault = LOG_HDD_WRITTEN },
	{ "another log's", GUARD_CLOSED, LOG_OK, .other = true, .fault = LOG_HDD_OTHER },
	{ "another log's, and ours is empty", GUARD_OPEN, LOG_OK, .other = true, .empty = true,
	  .fault = LOG_HDD_OTHER },
};

static void judge_case_desc(const struct judge_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(judge, judge_cases, judge_case_desc);

static void judged(struct kunit *test)
{
	const struct judge_case *c = test->param_value;
	struct guard_member *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	struct log_super *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	enum guard_state state = GUARD_CLOSED;

	begin(m, c->changing);
	memcpy(s->uuid, m->uuid, sizeof(s->uuid));
	s->guard = c->record;
	s->guard_epoch = c->unknown ? 0 : EPOCH;
	m->uuid[3] ^= c->other;
	m->epoch ^= c->epoch;
	KUNIT_EXPECT_EQ(test, ssdup_guard_judge(s, c->found, m, c->empty, &state), c->fault);
	if (c->fault == LOG_OK)
		KUNIT_EXPECT_EQ(test, state, c->state);
}

static struct kunit_case guard_cases[] = {
	KUNIT_CASE(member_comes_back),
	KUNIT_CASE_PARAM(head_is_packed, head_gen_params),
	KUNIT_CASE(any_member_is_read),
	KUNIT_CASE(nothing_is_left_to_recognise),
	KUNIT_CASE(cuts_are_healed),
	KUNIT_CASE_PARAM(judged, judge_gen_params),
	{}
};

static struct kunit_suite guard_suite = {
	.name = "ssdup-guard-block",
	.test_cases = guard_cases,
};

kunit_test_suite(guard_suite);
