// SPDX-License-Identifier: GPL-2.0-only
/* invariant: 2 */
/*
 * The metadata pages of log.c, which codec_test.c includes.
 */
#include <kunit/test.h>
#include <linux/string.h>

#include "core/codec.h"
#include "prng.h"

#define GIB		(BIT_ULL(30) / 512)
#define HDD_END		(5 * GIB + 2)
#define GENERATION	0x300000007ULL	/* of the segment */
#define DATA_END	8056U		/* of a segment of 4 MiB */

/* A seq of that segment. */
#define SEQ(n)		(GENERATION << SSDUP_SEQ_BITS | (n))

/* Blocks of two sectors. */
static void super_example(struct log_super *s)
{
	static const u8 pool[16] = { 0x5c }, uuid[16] = { 0x5d };
	struct log_geometry g;

	ssdup_log_layout(&g, GIB, 0, 2);
	ssdup_log_super_fresh(s, pool, uuid, &g, HDD_END, GIB);
}

static const struct log_page_id page_id = {
	.uuid = { 0x5d, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 },
	.generation = GENERATION, .epoch = 7, .rev = 11, .page = 5, .segment = 70000,
	.number = 3000000000,
};

static struct log_entry random_entry(struct prng *r, const struct log_super *s)
{
	u32 block = s->g.block_sectors;
	struct log_entry e = {
		.sector = prng_u64(r) % (s->hdd_sectors / block - 100) * block,
		.sectors = prng_between(r, 1, 100) * block,
		.seq = SEQ(prng_below(r, 1U << SSDUP_SEQ_BITS)),
		.kind = prng_between(r, SSDUP_KIND_DATA, SSDUP_KIND_MAX),
	};

	if (e.kind == SSDUP_KIND_DATA)
		e.pos = to_log_pos(prng_below(r, s->g.data_sectors / block - 100) * block);
	return e;
}

static void page_round_trip(struct kunit *test)
{
	struct log_entry *e, out;
	struct prng r = { 8 };
	struct ssdup_page *p;
	static struct log_super s;
	u32 i, nr;

	p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);
	e = kunit_kcalloc(test, SSDUP_PAGE_ENTRIES, sizeof(*e), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, p);
	KUNIT_ASSERT_NOT_NULL(test, e);
	super_example(&s);

	for (nr = 0; nr <= SSDUP_PAGE_ENTRIES; nr += 21) {
		memset(p, 0xff, sizeof(*p));
		ssdup_log_page_begin(p, &page_id);
		for (i = 0; i < nr; i++) {
			e[i] = random_entry(&r, &s);
			ssdup_log_page_add(p, &e[i]);
		}
		ssdup_log_page_finish(p);

		/* Nothing of what was in memory gets onto the SSD. */
		KUNIT_EXPECT_TRUE(test, !memchr_inv(p->h.reserved, 0, sizeof(p->h.reserved)));
		KUNIT_EXPECT_TRUE(test, nr == SSDUP_PAGE_ENTRIES ||
				  !memchr_inv(&p->e[nr], 0,
					      (SSDUP_PAGE_ENTRIES - nr) * sizeof(p->e[0])));

		KUNIT_ASSERT_EQ(test, ssdup_log_page_check(p, &page_id), LOG_OK);
		KUNIT_EXPECT_EQ(test, log_page_rev(p), 11);
		KUNIT_EXPECT_EQ(test, log_page_number(p), 3000000000);
		KUNIT_ASSERT_EQ(test, le16_to_cpu(p->h.nr_entries), nr);
		for (i = 0; i < nr; i++) {
			KUNIT_ASSERT_EQ(test, log_entry_decode(&s, GENERATION, &p->e[i], &out),
					LOG_OK);
			KUNIT_EXPECT_EQ(test, out.sector, e[i].sector);
			KUNIT_EXPECT_EQ(test, out.seq, e[i].seq);
			KUNIT_EXPECT_EQ(test, out.sectors, e[i].sectors);
			KUNIT_EXPECT_EQ(test, from_log_pos(out.pos), from_log_pos(e[i].pos));
			KUNIT_EXPECT_EQ(test, out.kind, e[i].kind);
		}
	}
}

static void page_faults(struct kunit *test)
{
	struct log_page_id want = page_id;
	struct ssdup_page *p;

	p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, p);
	KUNIT_EXPECT_EQ(test, ssdup_log_page_check(p, &want), LOG_PAGE_STALE);

	ssdup_log_page_begin(p, &page_id);
	ssdup_log_page_finish(p);
	KUNIT_EXPECT_EQ(test, ssdup_log_page_check(p, &want), LOG_OK);

	/* Revs and numbers of the epoch tell which is newer, not whether it is valid. */
	want.rev++;
	want.number++;
	KUNIT_EXPECT_EQ(test, ssdup_log_page_check(p, &want), LOG_OK);
	want.epoch++;
	KUNIT_EXPECT_EQ(test, ssdup_log_page_check(p, &want), LOG_PAGE_STALE);
	want.epoch = page_id.epoch - 1;
	KUNIT_EXPECT_EQ(test, ssdup_log_page_check(p, &want), LOG_PAGE_STALE);

	want = page_id;
	want.generation++;
	KUNIT_EXPECT_EQ(test, ssdup_log_page_check(p, &want), LOG_PAGE_STALE);
	want = page_id;
	want.page++;
	KUNIT_EXPECT_EQ(test, ssdup_log_page_check(p, &want), LOG_PAGE_STALE);
	want = page_id;
	want.segment++;
	KUNIT_EXPECT_EQ(test, ssdup_log_page_check(p, &want), LOG_PAGE_STALE);
	want = page_id;
	want.uuid[15]++;
	KUNIT_EXPECT_EQ(test, ssdup_log_page_check(p, &want), LOG_PAGE_STALE);

	want = page_id;
	((u8 *)p)[SSDUP_PAGE_BYTES - 1] = 1;
	KUNIT_EXPECT_EQ(test, ssdup_log_page_check(p, &want), LOG_BAD_CRC);
	p->h.nr_entries = cpu_to_le16(SSDUP_PAGE_ENTRIES + 1);
	KUNIT_EXPECT_EQ(test, ssdup_log_page_check(p, &want), LOG_BAD_CRC);
	ssdup_log_page_finish(p);
	KUNIT_EXPECT_EQ(test, ssdup_log_page_check(p, &want), LOG_PAGE_BAD_COUNT);
}

struct entry_case {
	const char *name;
	struct log_entry e;
	enum log_fault fault;
	u8 flags;
};

#define AT(p)		((__force log_pos_t)(p))
#define ENTRY(s, n, p, k) .e = { .sector = s, .sectors = n, .pos = AT(p), .kind = k, \
			  .seq = SEQ(1) }
#define SEQ_ENTRY(s)	.e = { .sectors = 2, .kind = SSDUP_KIND_DATA, .seq = s }

/* In the log of super_example(). */
static const struct entry_case entry_cases[] = {
	{ "data", ENTRY(0, 2, 0, SSDUP_KIND_DATA), LOG_OK },
	{ "data at the end of the HDD", ENTRY(HDD_END - 2, 2, 0, SSDUP_KIND_DATA), LOG_OK },
	{ "discard of all", ENTRY(0, 5 * GIB, 0, SSDUP_KIND_DISCARD), LOG_OK },
	{ "zeros", ENTRY(0, 2, 0, SSDUP_KIND_ZERO), LOG_OK },
	{ "lost", ENTRY(0, 2, 0, SSDUP_KIND_LOST), LOG_OK },
	{ "kind none", ENTRY(0, 2, 0, SSDUP_KIND_NONE), LOG_ENTRY_KIND },
	{ "kind unknown", ENTRY(0, 2, 0, SSDUP_KIND_MAX + 1), LOG_ENTRY_KIND },
	{ "flag unknown", ENTRY(0, 2, 0, SSDUP_KIND_DATA), LOG_ENTRY_KIND, 2 },
	{ "a checksum nobody checks", ENTRY(0, 2, 0, SSDUP_KIND_DATA), LOG_ENTRY_KIND,
	  SSDUP_ENTRY_CRC },
	{ "no sectors", ENTRY(0, 0, 0, SSDUP_KIND_DATA), LOG_ENTRY_EMPTY },
	{ "no seq", SEQ_ENTRY(0), LOG_ENTRY_EMPTY },
	{ "last seq", SEQ_ENTRY(U64_MAX), LOG_ENTRY_EMPTY },
	{ "first seq of the segment", SEQ_ENTRY(SEQ(0)), LOG_OK },
	{ "seq of the segment before", SEQ_ENTRY(SEQ(0) - 1), LOG_ENTRY_EMPTY },
	{ "last seq of the segment", SEQ_ENTRY(SEQ(0xfffff)), LOG_OK },
	{ "seq of the next segment", SEQ_ENTRY(SEQ(0xfffff) + 1), LOG_ENTRY_EMPTY },
	{ "seq that is too long", SEQ_ENTRY(SEQ(1) | BIT_ULL(63)), LOG_ENTRY_EMPTY },
	{ "over the HDD's end", ENTRY(HDD_END - 2, 4, 0, SSDUP_KIND_DATA),
	  LOG_ENTRY_OUTSIDE_HDD },
	{ "behind the HDD's end", ENTRY(HDD_END, 2, 0, SSDUP_KIND_DATA), LOG_ENTRY_OUTSIDE_HDD },
	{ "wraps", ENTRY(U64_MAX - 1, 4, 0, SSDUP_KIND_DATA), LOG_ENTRY_OUTSIDE_HDD },
	{ "at the log's end", ENTRY(0, 2, DATA_END - 2, SSDUP_KIND_DATA), LOG_OK },
	{ "over the log's end", ENTRY(0, 4, DATA_END - 2, SSDUP_KIND_DATA),
	  LOG_ENTRY_OUTSIDE_LOG },
	{ "longer than the log", ENTRY(0, GIB / 3, 0, SSDUP_KIND_DATA), LOG_ENTRY_OUTSIDE_LOG },
	{ "behind the log's end", ENTRY(0, 2, DATA_END, SSDUP_KIND_DATA), LOG_ENTRY_OUTSIDE_LOG },
	{ "the place wraps", ENTRY(0, 4, U32_MAX - 1, SSDUP_KIND_DATA), LOG_ENTRY_OUTSIDE_LOG },
	{ "a tombstone with a place", ENTRY(0, 2, 2, SSDUP_KIND_DISCARD), LOG_ENTRY_OUTSIDE_LOG },
	{ "start unaligned", ENTRY(1, 2, 0, SSDUP_KIND_DATA), LOG_ENTRY_UNALIGNED },
	{ "length unaligned", ENTRY(0, 1, 0, SSDUP_KIND_DATA), LOG_ENTRY_UNALIGNED },
	{ "place unaligned", ENTRY(0, 2, 1, SSDUP_KIND_DATA), LOG_ENTRY_UNALIGNED },
	{ "tombstone unaligned", ENTRY(0, 3, 0, SSDUP_KIND_DISCARD), LOG_ENTRY_UNALIGNED },
};

static void entry_case_desc(const struct entry_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(entry, entry_cases, entry_case_desc);

static void entry_faults(struct kunit *test)
{
	const struct entry_case *c = test->param_value;
	struct log_entry out;
	struct ssdup_page *p;
	static struct log_super s;

	p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, p);
	super_example(&s);
	KUNIT_ASSERT_EQ(test, s.g.data_sectors, DATA_END);
	ssdup_log_page_begin(p, &page_id);
	ssdup_log_page_add(p, &c->e);
	p->e[0].flags = c->flags;
	KUNIT_EXPECT_EQ(test, log_entry_decode(&s, GENERATION, &p->e[0], &out), c->fault);
}

/* Which later pages a power cut may leave behind a gap at number 100. */
static void page_outlives(struct kunit *test)
{
	static const struct {
		u64 rev;
		u32 number;
		bool outlives;
	} rows[] = {
		{ 1, 101, false }, { 1, 100 + LOG_COMMIT_PAGES - 1, false },
		{ 1, 100 + LOG_COMMIT_PAGES, true }, { 2, 101, true }, { BIT_ULL(40), 101, true },
		{ 1, 99, true }, { 1, 0, true },
	};
	struct log_page_id id = page_id;
	struct ssdup_page *p;
	u32 i;

	p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, p);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		id.rev = rows[i].rev;
		id.number = rows[i].number;
		ssdup_log_page_begin(p, &id);
		KUNIT_EXPECT_EQ_MSG(test, log_page_outlives(p, 100), rows[i].outlives, "row %u", i);
	}
}

static struct kunit_case log_page_cases[] = {
	KUNIT_CASE(page_round_trip),
	KUNIT_CASE(page_faults),
	KUNIT_CASE_PARAM(entry_faults, entry_gen_params),
	KUNIT_CASE(page_outlives),
	{}
};

static struct kunit_suite log_page_suite = {
	.name = "ssdup-codec-page",
	.test_cases = log_page_cases,
};

kunit_test_suite(log_page_suite);
