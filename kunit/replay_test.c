// SPDX-License-Identifier: GPL-2.0-only
/* invariant: 2 3 */
#include <kunit/test.h>

#include "core/replay.c"
#include "prng.h"

#define HDD_SECTORS	(BIT_ULL(30) + 8)
#define SEGMENTS	3U	/* that are looked at */
#define PAGES		8U	/* of a segment of 4 MiB */
#define SSD_SECTORS	(2 * SSDUP_HOME_SECTORS + SSDUP_MIN_SEGMENTS * 8192)
#define SECTOR_BYTES	512U

static const u8 pool[16] = { 1, 2, 2 };
static const u8 uuid[16] = { 1, 2, 3 };

/* The metadata areas of an SSD, and what a replay found there. */
struct image {
	struct log_super	s;
	struct log_header	h[SEGMENTS];
	struct ssdup_page	slot[SEGMENTS][PAGES][SSDUP_PAGE_SLOTS];
	struct ssdup_page	scratch;
	struct ssdup_replay	rp;
	u32			pages;		/* of the last segment */
	u32			reads;
	u32			nr;
	u64			seqs[PAGES * SSDUP_PAGE_ENTRIES];
	u32			fail_read;	/* page + 1 that cannot be read */
	u32			fail_entry;	/* entry + 1 that cannot be taken in */
};

static struct image *image_new(struct kunit *test)
{
	struct image *im = kunit_kzalloc(test, sizeof(*im), GFP_KERNEL);
	struct log_geometry g;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, im);
	KUNIT_ASSERT_TRUE(test, ssdup_log_layout(&g, SSD_SECTORS, 0, 1));
	KUNIT_ASSERT_EQ(test, g.meta_pages, PAGES);
	ssdup_log_super_fresh(&im->s, pool, uuid, &g, HDD_SECTORS, SSD_SECTORS);
	im->s.epoch = BIT_ULL(33);
	for (i = 0; i < SEGMENTS; i++)
		im->h[i] = (struct log_header){ i + 1, im->s.epoch, i };
	return im;
}

struct version {
	u64 rev;
	u64 seq;	/* of the first entry; the others count on */
	u32 nr;
};

static u64 seq_of(const struct image *im, u32 segment, u64 seq)
{
	return im->h[segment].generation << SSDUP_SEQ_BITS | seq;
}

static void make_page(const struct image *im, struct ssdup_page *p, u32 segment, u32 page,
		      struct version v)
{
	struct log_page_id id = {
		.generation = im->h[segment].generation, .epoch = im->h[segment].epoch,
		.rev = v.rev, .page = page, .segment = segment, .number = page,
	};
	u32 i;

	memcpy(id.uuid, im->s.uuid, sizeof(id.uuid));
	ssdup_log_page_begin(p, &id);
	for (i = 0; i < v.nr; i++) {
		struct log_entry e = {
			.sector = (v.seq + i) * 8, .sectors = 8,
			.seq = seq_of(im, segment, v.seq + i),
			.pos = to_log_pos((page * SSDUP_PAGE_ENTRIES + i) * 8),
			.kind = SSDUP_KIND_DATA,
		};

		ssdup_log_page_add(p, &e);
	}
	ssdup_log_page_finish(p);
}

static void put(struct image *im, u32 segment, u32 page, u32 slot, struct version v)
{
	make_page(im, &im->slot[segment][page][slot], segment, page, v);
}

#define V(r, s, n)	((struct version){ r, s, n })

static int image_read(void *ctx, u32 segment, u32 page, const struct ssdup_page **slots)
{
	struct image *im = ctx;

	im->reads++;
	if (im->fail_read == page + 1)
		return -EIO;
	*slots = im->slot[segment][page];
	return 0;
}

static int image_entries(void *ctx, u32 segment, const struct ssdup_entry *e, u32 nr)
{
	struct image *im = ctx;
	u32 i;

	for (i = 0; i < nr; i++) {
		if (im->fail_entry == im->nr + 1)
			return -ENOMEM;
		im->seqs[im->nr++] = le64_to_cpu(e[i].seq);
	}
	return 0;
}

static const struct replay_ops image_ops = {
	.read_page = image_read,
	.entries = image_entries,
};

/* A log of this segment only. */
static int image_replay(struct image *im, u32 segment)
{
	int r;

	im->nr = 0;
	im->reads = 0;
	im->s.first = im->h[segment].generation;
	ssdup_replay_begin(&im->rp, &im->s, &image_ops, im);
	r = ssdup_replay_segment(&im->rp, &im->h[segment], &im->pages);
	return r ?: ssdup_replay_end(&im->rp);
}

/* Expect @nr entries of @segment, with seqs from @seq on. */
static void expect_seqs(struct kunit *test, const struct image *im, u32 segment, u64 seq, u32 nr)
{
	u32 i;

	KUNIT_ASSERT_EQ(test, im->nr, nr);
	for (i = 0; i < nr; i++)
		KUNIT_ASSERT_EQ(test, im->seqs[i], seq_of(im, segment, seq + i));
	KUNIT_EXPECT_EQ(test, im->rp.pages, im->pages);
	KUNIT_EXPECT_EQ(test, im->rp.segments, !!im->pages);
}

/* --- Where a segment ends --- */

static void empty_segment(struct kunit *test)
{
	struct image *im = image_new(test);

	KUNIT_EXPECT_EQ(test, image_replay(im, 0), 0);
	expect_seqs(test, im, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, im->pages, 0);
	/* Is there something behind it? After a clean suspend that is known. */
	KUNIT_EXPECT_EQ(test, im->reads, PAGES);
	im->s.flags = SSDUP_RECORD_CLOSED;
	KUNIT_EXPECT_EQ(test, image_replay(im, 0), 0);
	KUNIT_EXPECT_EQ(test, im->reads, 1);
}

static void full_segment(struct kunit *test)
{
	struct image *im = image_new(test);
	u32 page;

	for (page = 0; page < PAGES; page++)
		put(im, 1, page, page % 2,
		    V(1, 1 + page * SSDUP_PAGE_ENTRIES,
		      page == PAGES - 1 ? 100 : SSDUP_PAGE_ENTRIES));
	KUNIT_EXPECT_EQ(test, image_replay(im, 1), 0);
	expect_seqs(test, im, 1, 1, (PAGES - 1) * SSDUP_PAGE_ENTRIES + 100);
	KUNIT_EXPECT_EQ(test, im->pages, PAGES);
	KUNIT_EXPECT_EQ(test, im->reads, PAGES);
}

static void stops_at_gap(struct kunit *test)
{
	struct image *im = image_new(test);

	put(im, 0, 0, 0, V(1, 1, 10));
	put(im, 0, 1, 0, V(1, 11, 5));
	put(im, 0, 3, 1, V(1, 16, 5));
	KUNIT_EXPECT_EQ(test, image_replay(im, 0), 0);
	expect_seqs(test, im, 0, 1, 15);
	KUNIT_EXPECT_EQ(test, im->pages, 2);
}

/* A page with nothing in it, as all its writes failed, is no gap. */
static void page_without_entries_is_no_gap(struct kunit *test)
{
	struct image *im = image_new(test);

	put(im, 0, 0, 0, V(1, 1, 0));
	put(im, 0, 1, 0, V(1, 1, 5));
	KUNIT_EXPECT_EQ(test, image_replay(im, 0), 0);
	expect_seqs(test, im, 0, 1, 5);
	KUNIT_EXPECT_EQ(test, im->pages, 2);
}

static void stops_at_other_generation(struct kunit *test)
{
	struct image *im = image_new(test);

	put(im, 0, 0, 0, V(1, 1, 10));
	put(im, 0, 1, 0, V(1, 11, 10));
	im->h[0].generation = 9;
	put(im, 0, 0, 1, V(1, 21, 10));
	KUNIT_EXPECT_EQ(test, image_replay(im, 0), 0);
	expect_seqs(test, im, 0, 21, 10);
	KUNIT_EXPECT_EQ(test, im->pages, 1);
}

/* The epoch is that of the header, whatever else is there. */
static void stops_at_other_epoch(struct kunit *test)
{
	struct image *im = image_new(test);
	u64 epoch = im->h[0].epoch;

	put(im, 0, 0, 0, V(1, 1, 10));
	im->h[0].epoch--;
	put(im, 0, 0, 1, V(9, 500, 10));
	put(im, 0, 1, 0, V(2, 11, 10));
	im->h[0].epoch = epoch;
	KUNIT_EXPECT_EQ(test, image_replay(im, 0), 0);
	expect_seqs(test, im, 0, 1, 10);
	put(im, 0, 1, 1, V(1, 11, 10));
	KUNIT_EXPECT_EQ(test, image_replay(im, 0), 0);
	expect_seqs(test, im, 0, 1, 20);
	KUNIT_EXPECT_EQ(test, im->pages, 2);
}

static void newest_version_counts(struct kunit *test)
{
	static const struct {
		u64 rev[2];
		u32 newer;
	} rows[] = {
		{ { 3, 4 }, 1 }, { { 4, 3 }, 0 }, { { 1, 2 }, 1 },
		{ { BIT_ULL(32), 1 }, 0 }, { { 5, BIT_ULL(40) }, 1 },
	};
	struct image *im = image_new(test);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		put(im, 0, 0, 0, V(rows[i].rev[0], 100, 3));
		put(im, 0, 0, 1, V(rows[i].rev[1], 200, 3));
		KUNIT_EXPECT_EQ(test, image_replay(im, 0), 0);
		expect_seqs(test, im, 0, rows[i].newer ? 200 : 100, 3);

		/* Torn, it is as if it were not there. */
		im->slot[0][0][rows[i].newer].e[0].data_crc ^= cpu_to_le32(1);
		KUNIT_EXPECT_EQ(test, image_replay(im, 0), 0);
		expect_seqs(test, im, 0, rows[i].newer ? 100 : 200, 3);
	}
}

/* --- What cannot have been written, and what cannot be read --- */

/* After a clean suspend the numbers of segments and pages are known. */
static void counts_pages_of_a_clean_log(struct kunit *test)
{
	struct image *im = image_new(test);

	put(im, 0, 0, 0, V(1, 1, 126));
	put(im, 0, 1, 0, V(1, 127, 10));
	im->s.flags = SSDUP_RECORD_CLOSED;
	im->s.live_pages = 2;
	im->s.live_segments = 1;
	KUNIT_EXPECT_EQ(test, image_replay(im, 0), 0);

	im->s.live_segments = 2;
	KUNIT_EXPECT_EQ(test, image_replay(im, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, im->rp.fault.fault, LOG_PAGES_MISSING);
	im->s.live_segments = 0;
	KUNIT_EXPECT_EQ(test, image_replay(im, 0), -EINVAL);
	im->s.live_segments = 1;
	im->s.live_pages = 1;
	KUNIT_EXPECT_EQ(test, image_replay(im, 0), -EINVAL);
	im->s.live_pages = BIT_ULL(32) + 2;
	KUNIT_EXPECT_EQ(test, image_replay(im, 0), -EINVAL);
	im->s.live_pages = 2;
	KUNIT_EXPECT_EQ(test, image_replay(im, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, im->rp.fault.fault, LOG_PAGES_MISSING);

	im->slot[0][1][0].h.crc ^= cpu_to_le32(1);
	KUNIT_EXPECT_EQ(test, image_replay(im, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, im->rp.fault.fault, LOG_PAGES_MISSING);

	/* Without a clean suspend that is how a log ends. */
	im->s.flags = 0;
	KUNIT_EXPECT_EQ(test, image_replay(im, 0), 0);
	expect_seqs(test, im, 0, 1, 126);
}

/* Epochs come one after the other, so generations and epochs rise together. */
static void refuses_epoch_of_the_past(struct kunit *test)
{
	struct image *im = image_new(test);

	im->h[1].epoch--;
	ssdup_replay_begin(&im->rp, &im->s, &image_ops, im);
	KUNIT_EXPECT_EQ(test, ssdup_replay_segment(&im->rp, &im->h[0], &im->pages), 0);
	KUNIT_EXPECT_EQ(test, ssdup_replay_segment(&im->rp, &im->h[1], &im->pages), -EINVAL);
	KUNIT_EXPECT_EQ(test, im->rp.fault.fault, LOG_EPOCH);
	KUNIT_EXPECT_EQ(test, im->rp.fault.segment, 1);
}

static void refuses_impossible_entry(struct kunit *test)
{
	static const u32 where[] = { 0, 4, SSDUP_PAGE_ENTRIES - 1 };
	struct image *im = image_new(test);
	struct ssdup_page *p = &im->slot[2][1][0];
	u32 i;

	put(im, 2, 0, 0, V(1, 1, 10));
	for (i = 0; i < ARRAY_SIZE(where); i++) {
		put(im, 2, 1, 0, V(1, 11, SSDUP_PAGE_ENTRIES));
		p->e[where[i]].sector = cpu_to_le64(HDD_SECTORS);
		ssdup_log_page_finish(p);
		KUNIT_EXPECT_EQ(test, image_replay(im, 2), -EINVAL);
		KUNIT_EXPECT_EQ(test, im->rp.fault.fault, LOG_ENTRY_OUTSIDE_HDD);
		KUNIT_EXPECT_EQ(test, im->rp.fault.segment, 2);
		KUNIT_EXPECT_EQ(test, im->rp.fault.page, 1);
		KUNIT_EXPECT_EQ(test, im->rp.fault.entry, where[i]);
		/* Nothing of its page was handed over. */
		KUNIT_EXPECT_EQ(test, im->nr, 10);

		/* A younger segment's entries are newer, so an older one has none of its seqs. */
		put(im, 2, 1, 0, V(1, 11, SSDUP_PAGE_ENTRIES));
		p->e[where[i]].seq = cpu_to_le64((im->h[2].generation + 1) << SSDUP_SEQ_BITS);
		ssdup_log_page_finish(p);
		KUNIT_EXPECT_EQ(test, image_replay(im, 2), -EINVAL);
		KUNIT_EXPECT_EQ(test, im->rp.fault.fault, LOG_ENTRY_EMPTY);
		KUNIT_EXPECT_EQ(test, im->rp.fault.entry, where[i]);
	}

	p->h.nr_entries = cpu_to_le16(SSDUP_PAGE_ENTRIES + 1);
	ssdup_log_page_finish(p);
	KUNIT_EXPECT_EQ(test, image_replay(im, 2), -EINVAL);
	KUNIT_EXPECT_EQ(test, im->rp.fault.fault, LOG_PAGE_BAD_COUNT);
	KUNIT_EXPECT_EQ(test, im->rp.fault.page, 1);
}

static void hands_errors_on(struct kunit *test)
{
	struct image *im = image_new(test);

	put(im, 0, 0, 0, V(1, 1, 10));
	put(im, 0, 1, 0, V(1, 11, 10));
	im->fail_read = 2;
	KUNIT_EXPECT_EQ(test, image_replay(im, 0), -EIO);
	KUNIT_EXPECT_EQ(test, im->nr, 10);
	im->fail_read = 0;
	im->fail_entry = 15;
	KUNIT_EXPECT_EQ(test, image_replay(im, 0), -ENOMEM);
	KUNIT_EXPECT_EQ(test, im->nr, 14);
}

/* --- A page survives any torn rewrite --- */

static void copy_sectors(struct ssdup_page *to, const struct ssdup_page *from, u32 which)
{
	u32 i;

	for (i = 0; i < SSDUP_PAGE_SECTORS; i++)
		if (which & 1U << i)
			memcpy((u8 *)to + i * SECTOR_BYTES, (const u8 *)from + i * SECTOR_BYTES,
			       SECTOR_BYTES);
}

/*
 * What is durable in slot 0 is written again to slot 1, with more entries, over
 * a version of @v[1]. Whichever sectors get there: the durable version or the
 * new one is found, whole.
 */
static void any_torn_rewrite(struct kunit *test)
{
	static const struct {
		const char *name;
		struct version below, durable, written;
		bool other_generation;
	} rows[] = {
		{ "over an older version", { 1, 1, 20 }, { 2, 1, 60 }, { 3, 1, 100 } },
		{ "over nothing much", { 1, 1, 1 }, { 2, 1, 2 }, { 3, 1, 3 } },
		{ "full pages", { 1, 1, 124 }, { 2, 1, 125 }, { 3, 1, 126 } },
		{ "of a former life", { 900, 77, 126 }, { 2, 1, 60 }, { 3, 1, 100 }, true },
	};
	struct image *im = image_new(test);
	struct ssdup_page *slot = &im->slot[0][0][1];
	u32 i, which, news = 0;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		for (which = 0; which < 1U << SSDUP_PAGE_SECTORS; which++) {
			im->h[0].generation += rows[i].other_generation;
			put(im, 0, 0, 1, rows[i].below);
			im->h[0].generation -= rows[i].other_generation;
			put(im, 0, 0, 0, rows[i].durable);
			make_page(im, &im->scratch, 0, 0, rows[i].written);
			copy_sectors(slot, &im->scratch, which);

			KUNIT_ASSERT_EQ(test, image_replay(im, 0), 0);
			if (memcmp(slot, &im->scratch, sizeof(*slot))) {
				expect_seqs(test, im, 0, rows[i].durable.seq, rows[i].durable.nr);
			} else {
				expect_seqs(test, im, 0, rows[i].written.seq, rows[i].written.nr);
				news++;
			}
		}
	}

	/* Whole when all of it got there, or when the rest was the same before. */
	KUNIT_EXPECT_GE(test, news, ARRAY_SIZE(rows));
	KUNIT_EXPECT_LT(test, news, (u32)ARRAY_SIZE(rows) << (SSDUP_PAGE_SECTORS - 1));
}

/* --- Which segments are live --- */

struct live_case {
	const char *name;
	u64 tail, first;
	u32 nr;
	u64 generation[5];
	enum log_fault fault;
	u32 nr_live;
	u64 live[5];
	u64 next;
};

static const struct live_case live_cases[] = {
	{ "fresh", 1, 1, 0, {}, LOG_OK, 0, {}, 1 },
	{ "sorted", 1, 1, 3, { 3, 1, 2 }, LOG_OK, 3, { 1, 2, 3 }, 4 },
	{ "below the tail", 3, 1, 4, { 4, 2, 3, 1 }, LOG_OK, 2, { 3, 4 }, 5 },
	{ "all freed", 9, 1, 2, { 4, 8 }, LOG_OK, 0, {}, 9 },
	{ "freed, and the tail is behind", 5, 1, 2, { 4, 8 }, LOG_OK, 1, { 8 }, 9 },
	{ "none of the epoch yet", 2, 12, 1, { 4 }, LOG_OK, 1, { 4 }, 12 },
	{ "twice", 1, 1, 3, { 3, 1, 3 }, LOG_BAD_GENERATION },
	{ "twice, freed", 4, 1, 3, { 3, 5, 3 }, LOG_OK, 1, { 5 }, 6 },
	{ "at the tail, twice", 3, 1, 3, { 3, 5, 3 }, LOG_BAD_GENERATION },
	{ "no 32 bit number", BIT_ULL(33), 1, 2, { BIT_ULL(35) + 1, BIT_ULL(33) + 2 },
	  LOG_OK, 2, { BIT_ULL(33) + 2, BIT_ULL(35) + 1 }, BIT_ULL(35) + 2 },
};

static void live_case_desc(const struct live_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(live, live_cases, live_case_desc);

static void live_by_example(struct kunit *test)
{
	const struct live_case *c = test->param_value;
	static struct log_super s;
	struct log_header h[5] = {};
	u32 i, nr = c->nr;
	u64 next;

	s.classes.nr = 1;
	s.tail[0] = c->tail;
	s.first = c->first;
	for (i = 0; i < nr; i++)
		h[i] = (struct log_header){ c->generation[i], 7, 100 + c->generation[i] % 50 };
	KUNIT_ASSERT_EQ(test, ssdup_replay_live(&s, h, &nr, &next), c->fault);
	if (c->fault != LOG_OK)
		return;
	KUNIT_EXPECT_EQ(test, next, c->next);
	KUNIT_ASSERT_EQ(test, nr, c->nr_live);
	for (i = 0; i < nr; i++) {
		KUNIT_EXPECT_EQ(test, h[i].generation, c->live[i]);
		KUNIT_EXPECT_EQ(test, h[i].segment, 100 + c->live[i] % 50);
	}
}

#define MANY	4096U

/* As many as a large log has. */
static void live_rules(struct kunit *test)
{
	struct log_header *h = kunit_kcalloc(test, MANY, sizeof(*h), GFP_KERNEL);
	static struct log_super s = { .classes.nr = 1, .tail = { 1 + MANY / 4 }, .first = 1 };
	u32 i, j, nr = MANY;
	struct prng r = { 9 };
	u64 next;

	KUNIT_ASSERT_NOT_NULL(test, h);
	for (i = 0; i < MANY; i++) {
		h[i] = (struct log_header){ i + 1, 1, i };
		j = prng_below(&r, i + 1);
		swap(h[i], h[j]);
	}
	KUNIT_ASSERT_EQ(test, ssdup_replay_live(&s, h, &nr, &next), LOG_OK);
	KUNIT_ASSERT_EQ(test, nr, MANY / 4 * 3);
	KUNIT_EXPECT_EQ(test, next, MANY + 1);
	for (i = 0; i < nr; i++) {
		KUNIT_ASSERT_EQ(test, h[i].generation, s.tail[0] + i);
		KUNIT_ASSERT_EQ(test, h[i].segment, s.tail[0] + i - 1);
	}
	/* Any two. */
	h[prng_below(&r, 100)].generation = h[100 + prng_below(&r, nr - 100)].generation;
	KUNIT_EXPECT_EQ(test, ssdup_replay_live(&s, h, &nr, &next), LOG_BAD_GENERATION);
}

static struct kunit_case replay_cases[] = {
	KUNIT_CASE(empty_segment),
	KUNIT_CASE(full_segment),
	KUNIT_CASE(stops_at_gap),
	KUNIT_CASE(page_without_entries_is_no_gap),
	KUNIT_CASE(stops_at_other_generation),
	KUNIT_CASE(stops_at_other_epoch),
	KUNIT_CASE(newest_version_counts),
	KUNIT_CASE(counts_pages_of_a_clean_log),
	KUNIT_CASE(refuses_epoch_of_the_past),
	KUNIT_CASE(refuses_impossible_entry),
	KUNIT_CASE(hands_errors_on),
	KUNIT_CASE(any_torn_rewrite),
	KUNIT_CASE_PARAM(live_by_example, live_gen_params),
	KUNIT_CASE(live_rules),
	{}
};

static struct kunit_suite replay_suite = {
	.name = "ssdup-replay",
	.test_cases = replay_cases,
};

kunit_test_suite(replay_suite);
