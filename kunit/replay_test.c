// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>

#include "../dm-ssdup/core/replay.c"
#include "prng.h"

#define HDD_SECTORS	(BIT_ULL(30) + 8)
#define HALVES		3U
#define PAGES		8U	/* of a half of LOG_MIN_STRIDE */
#define SSD_SECTORS	(SSDUP_HEAD_SECTORS + HALVES * LOG_MIN_STRIDE)
#define SECTOR_BYTES	512U

static const u8 uuid[16] = { 1, 2, 3 };

/* The metadata areas of an SSD, and what a replay found there. */
struct image {
	struct log_super	s;
	struct ssdup_page	slot[HALVES][PAGES][SSDUP_PAGE_SLOTS];
	struct ssdup_page	scratch;
	struct ssdup_replay_half	found;
	struct replay_fault	fault;
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

	KUNIT_ASSERT_NOT_NULL(test, im);
	KUNIT_ASSERT_TRUE(test, ssdup_log_layout(&g, SSD_SECTORS, HALVES, 1));
	KUNIT_ASSERT_EQ(test, g.meta_pages, PAGES);
	ssdup_log_super_fresh(&im->s, uuid, &g, HDD_SECTORS, SSD_SECTORS);
	im->s.epoch = BIT_ULL(33);
	return im;
}

struct version {
	u64 epoch;
	u64 rev;
	u64 seq;	/* of the first entry; the others count on */
	u32 nr;
};

static void make_page(const struct image *im, struct ssdup_page *p, u32 half, u32 page,
		      struct version v)
{
	struct log_page_id id = {
		.generation = im->s.generation[half],
		.epoch = v.epoch, .rev = v.rev, .page = page, .half = half,
	};
	u32 i;

	memcpy(id.uuid, im->s.uuid, sizeof(id.uuid));
	ssdup_log_page_begin(p, &id);
	for (i = 0; i < v.nr; i++) {
		struct log_entry e = {
			.sector = (v.seq + i) * 8, .sectors = 8, .seq = v.seq + i,
			.pos = to_log_pos((page * SSDUP_PAGE_ENTRIES + i) * 8),
			.kind = SSDUP_KIND_DATA,
		};

		ssdup_log_page_add(p, &e);
	}
	ssdup_log_page_finish(p);
}

static void put(struct image *im, u32 half, u32 page, u32 slot, struct version v)
{
	make_page(im, &im->slot[half][page][slot], half, page, v);
}

#define V(e, r, s, n)	((struct version){ e, r, s, n })

static int image_read(void *ctx, u32 half, u32 page, const struct ssdup_page **slots)
{
	struct image *im = ctx;

	im->reads++;
	if (im->fail_read == page + 1)
		return -EIO;
	*slots = im->slot[half][page];
	return 0;
}

static int image_entries(void *ctx, u32 half, const struct ssdup_entry *e, u32 nr)
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

static int image_replay(struct image *im, u32 half)
{
	im->nr = 0;
	im->reads = 0;
	return ssdup_replay_half(&im->s, half, &image_ops, im, &im->found, &im->fault);
}

/* Expect @nr entries, with seqs from @seq on. */
static void expect_seqs(struct kunit *test, const struct image *im, u64 seq, u32 nr)
{
	u32 i;

	KUNIT_ASSERT_EQ(test, im->nr, nr);
	KUNIT_EXPECT_EQ(test, im->found.entries, nr);
	for (i = 0; i < nr; i++)
		KUNIT_ASSERT_EQ(test, im->seqs[i], seq + i);
	if (nr)
		KUNIT_EXPECT_EQ(test, im->found.max_seq, seq + nr - 1);
}

/* --- Where a half ends --- */

static void empty_half(struct kunit *test)
{
	struct image *im = image_new(test);

	KUNIT_EXPECT_EQ(test, image_replay(im, 0), 0);
	expect_seqs(test, im, 0, 0);
	KUNIT_EXPECT_EQ(test, im->found.pages, 0);
	KUNIT_EXPECT_EQ(test, im->found.data_end, 0);
	KUNIT_EXPECT_EQ(test, im->found.max_seq, 0);
	/* Is there something behind it? After a clean suspend that is known. */
	KUNIT_EXPECT_EQ(test, im->reads, PAGES);
	im->s.flags = SSDUP_SUPER_CLEAN;
	KUNIT_EXPECT_EQ(test, image_replay(im, 0), 0);
	KUNIT_EXPECT_EQ(test, im->reads, 1);
}

static void full_half(struct kunit *test)
{
	struct image *im = image_new(test);
	u32 page;

	for (page = 0; page < PAGES; page++)
		put(im, 1, page, page % 2,
		    V(1, page, 1 + page * SSDUP_PAGE_ENTRIES, SSDUP_PAGE_ENTRIES));
	KUNIT_EXPECT_EQ(test, image_replay(im, 1), 0);
	expect_seqs(test, im, 1, PAGES * SSDUP_PAGE_ENTRIES);
	KUNIT_EXPECT_EQ(test, im->found.pages, PAGES);
	KUNIT_EXPECT_EQ(test, im->found.data_end, im->s.g.data_sectors);
	KUNIT_EXPECT_EQ(test, im->reads, PAGES);
}

static void stops_at_gap(struct kunit *test)
{
	struct image *im = image_new(test);

	put(im, 0, 0, 0, V(1, 0, 1, 10));
	put(im, 0, 1, 0, V(1, 1, 11, 5));
	put(im, 0, 3, 1, V(1, 1, 16, 5));
	KUNIT_EXPECT_EQ(test, image_replay(im, 0), 0);
	expect_seqs(test, im, 1, 15);
	KUNIT_EXPECT_EQ(test, im->found.pages, 2);
	KUNIT_EXPECT_EQ(test, im->found.data_end, (SSDUP_PAGE_ENTRIES + 5) * 8);
}

/* A page with nothing in it, as all its writes failed, is no gap. */
static void page_without_entries_is_no_gap(struct kunit *test)
{
	struct image *im = image_new(test);

	put(im, 0, 0, 0, V(1, 0, 1, 0));
	put(im, 0, 1, 0, V(1, 1, 1, 5));
	KUNIT_EXPECT_EQ(test, image_replay(im, 0), 0);
	expect_seqs(test, im, 1, 5);
	KUNIT_EXPECT_EQ(test, im->found.pages, 2);
}

static void stops_at_other_generation(struct kunit *test)
{
	struct image *im = image_new(test);

	put(im, 0, 0, 0, V(1, 0, 1, 10));
	put(im, 0, 1, 0, V(1, 1, 11, 10));
	im->s.generation[0] = ssdup_log_next_generation(&im->s);
	put(im, 0, 0, 1, V(1, 2, 21, 10));
	KUNIT_EXPECT_EQ(test, image_replay(im, 0), 0);
	expect_seqs(test, im, 21, 10);
	KUNIT_EXPECT_EQ(test, im->found.pages, 1);
}

static void stops_at_lower_epoch(struct kunit *test)
{
	struct image *im = image_new(test);

	/* After a crash page 1 was written anew; page 2 is from before it. */
	put(im, 0, 0, 0, V(1, 0, 1, 10));
	put(im, 0, 1, 0, V(2, 0, 11, 10));
	put(im, 0, 2, 0, V(1, 2, 11, 10));
	put(im, 0, 2, 1, V(1, 9, 11, 10));
	KUNIT_EXPECT_EQ(test, image_replay(im, 0), 0);
	expect_seqs(test, im, 1, 20);
	KUNIT_EXPECT_EQ(test, im->found.pages, 2);

	/* One slot of it is rewritten: that one counts. */
	put(im, 0, 2, 0, V(2, 1, 21, 10));
	KUNIT_EXPECT_EQ(test, image_replay(im, 0), 0);
	expect_seqs(test, im, 1, 30);
}

static void newest_version_counts(struct kunit *test)
{
	static const struct {
		u64 epoch[2], rev[2];
		u32 newer;
	} rows[] = {
		{ { 1, 1 }, { 3, 4 }, 1 }, { { 1, 1 }, { 4, 3 }, 0 },
		{ { 2, 1 }, { 3, 4 }, 0 }, { { 1, 2 }, { 4, 3 }, 1 },
		{ { 1, 1 }, { BIT_ULL(32), 1 }, 0 },
	};
	struct image *im = image_new(test);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		put(im, 0, 0, 0, V(rows[i].epoch[0], rows[i].rev[0], 100, 3));
		put(im, 0, 0, 1, V(rows[i].epoch[1], rows[i].rev[1], 200, 3));
		KUNIT_EXPECT_EQ(test, image_replay(im, 0), 0);
		expect_seqs(test, im, rows[i].newer ? 200 : 100, 3);

		/* Torn, it is as if it were not there. */
		im->slot[0][0][rows[i].newer].e[0].data_crc ^= cpu_to_le32(1);
		KUNIT_EXPECT_EQ(test, image_replay(im, 0), 0);
		expect_seqs(test, im, rows[i].newer ? 100 : 200, 3);
	}
}

/* --- What cannot have been written, and what cannot be read --- */

/* After a clean suspend the number of pages is known. */
static void counts_pages_of_a_clean_log(struct kunit *test)
{
	struct image *im = image_new(test);

	put(im, 0, 0, 0, V(1, 0, 1, 126));
	put(im, 0, 1, 0, V(1, 0, 127, 10));
	im->s.flags = SSDUP_SUPER_CLEAN;
	im->s.pages[0] = 2;
	KUNIT_EXPECT_EQ(test, image_replay(im, 0), 0);
	KUNIT_EXPECT_EQ(test, image_replay(im, 1), 0);

	im->slot[0][1][0].h.crc ^= cpu_to_le32(1);
	KUNIT_EXPECT_EQ(test, image_replay(im, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, im->fault.fault, LOG_PAGES_MISSING);
	KUNIT_EXPECT_EQ(test, im->fault.page, 1);

	/* Without a clean suspend that is how a log ends. */
	im->s.flags = 0;
	KUNIT_EXPECT_EQ(test, image_replay(im, 0), 0);
	expect_seqs(test, im, 1, 126);
}

static void refuses_epoch_to_come(struct kunit *test)
{
	struct image *im = image_new(test);

	put(im, 0, 0, 0, V(im->s.epoch, 0, 1, 10));
	KUNIT_EXPECT_EQ(test, image_replay(im, 0), 0);
	put(im, 0, 0, 1, V(im->s.epoch + 1, 0, 1, 10));
	KUNIT_EXPECT_EQ(test, image_replay(im, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, im->fault.fault, LOG_PAGE_EPOCH);
}

static void refuses_impossible_entry(struct kunit *test)
{
	static const u32 where[] = { 0, 4, SSDUP_PAGE_ENTRIES - 1 };
	struct image *im = image_new(test);
	struct ssdup_page *p = &im->slot[2][1][0];
	u32 i;

	put(im, 2, 0, 0, V(1, 0, 1, 10));
	for (i = 0; i < ARRAY_SIZE(where); i++) {
		put(im, 2, 1, 0, V(1, 1, 11, SSDUP_PAGE_ENTRIES));
		p->e[where[i]].sector = cpu_to_le64(HDD_SECTORS);
		ssdup_log_page_finish(p);
		KUNIT_EXPECT_EQ(test, image_replay(im, 2), -EINVAL);
		KUNIT_EXPECT_EQ(test, im->fault.fault, LOG_ENTRY_OUTSIDE_HDD);
		KUNIT_EXPECT_EQ(test, im->fault.half, 2);
		KUNIT_EXPECT_EQ(test, im->fault.page, 1);
		KUNIT_EXPECT_EQ(test, im->fault.entry, where[i]);
		/* Nothing of its page was handed over. */
		KUNIT_EXPECT_EQ(test, im->nr, 10);
	}

	p->h.nr_entries = cpu_to_le16(SSDUP_PAGE_ENTRIES + 1);
	ssdup_log_page_finish(p);
	KUNIT_EXPECT_EQ(test, image_replay(im, 2), -EINVAL);
	KUNIT_EXPECT_EQ(test, im->fault.fault, LOG_PAGE_BAD_COUNT);
	KUNIT_EXPECT_EQ(test, im->fault.page, 1);
}

static void hands_errors_on(struct kunit *test)
{
	struct image *im = image_new(test);

	put(im, 0, 0, 0, V(1, 0, 1, 10));
	put(im, 0, 1, 0, V(1, 1, 11, 10));
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
		{ "over an older version", { 1, 1, 1, 20 }, { 1, 2, 1, 60 }, { 1, 3, 1, 100 } },
		{ "over nothing much", { 1, 1, 1, 1 }, { 1, 2, 1, 2 }, { 1, 3, 1, 3 } },
		{ "full pages", { 1, 1, 1, 124 }, { 1, 2, 1, 125 }, { 1, 3, 1, 126 } },
		{ "of a former epoch", { 1, 900, 1, 126 }, { 2, 2, 1, 60 }, { 2, 3, 1, 100 } },
		{ "of a former life", { 1, 900, 77, 126 }, { 2, 2, 1, 60 }, { 2, 3, 1, 100 },
		  true },
	};
	struct image *im = image_new(test);
	struct ssdup_page *slot = &im->slot[0][0][1];
	u32 i, which, news = 0;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		for (which = 0; which < 1U << SSDUP_PAGE_SECTORS; which++) {
			put(im, 0, 0, 1, rows[i].below);
			if (rows[i].other_generation) {
				slot->h.generation = cpu_to_le64(im->s.generation[0] + 7);
				ssdup_log_page_finish(slot);
			}
			put(im, 0, 0, 0, rows[i].durable);
			make_page(im, &im->scratch, 0, 0, rows[i].written);
			copy_sectors(slot, &im->scratch, which);

			KUNIT_ASSERT_EQ(test, image_replay(im, 0), 0);
			if (memcmp(slot, &im->scratch, sizeof(*slot))) {
				expect_seqs(test, im, rows[i].durable.seq, rows[i].durable.nr);
			} else {
				expect_seqs(test, im, rows[i].written.seq, rows[i].written.nr);
				news++;
			}
		}
	}

	/* Whole when all of it got there, or when the rest was the same before. */
	KUNIT_EXPECT_GE(test, news, ARRAY_SIZE(rows));
	KUNIT_EXPECT_LT(test, news, (u32)ARRAY_SIZE(rows) << (SSDUP_PAGE_SECTORS - 1));
}

/* --- Roles --- */

struct roles_rig {
	struct log_super	s;
	struct ssdup_replay_half	found[SSDUP_MAX_HALVES];
	struct ssdup_replay_roles	roles;
};

struct roles_case {
	const char *name;
	u32 nr;
	u64 generation[6];
	u32 pages[6];
	u32 open;
	u32 nr_sealed;
	u32 sealed[5];
	u32 nr_free;
	u32 free[5];
	u64 raised[6];		/* 0: as it was */
};

static const struct roles_case roles_cases[] = {
	{ "fresh", 2, { 1, 2 }, {}, 0, 0, {}, 1, { 1 } },
	{ "empty, other order", 2, { 5, 4 }, {}, 1, 0, {}, 1, { 0 } },
	{ "empty, many", 4, { 9, 7, 8, 6 }, {}, 3, 0, {}, 3, { 1, 2, 0 } },
	{ "one receives", 2, { 1, 2 }, { 3 }, 0, 0, {}, 1, { 1 } },
	{ "one receives, the younger number is free", 2, { 5, 4 }, { 0, 3 }, 1, 0, {}, 1, { 0 } },
	{ "both have entries", 2, { 1, 2 }, { 8, 1 }, 1, 1, { 0 }, 0 },
	{ "both have entries, other order", 2, { 4, 3 }, { 1, 8 }, 0, 1, { 1 }, 0 },
	{ "the free one is too old", 2, { 1, 2 }, { 0, 3 }, 1, 0, {}, 1, { 0 }, { 3 } },
	{ "sealed oldest first", 4, { 4, 2, 3, 1 }, { 1, 1, 1, 1 }, 0, 3, { 3, 1, 2 }, 0 },
	{ "sealed and free", 5, { 11, 8, 10, 9, 12 }, { 0, 8, 2, 8, 0 },
	  2, 2, { 1, 3 }, 2, { 0, 4 } },
	{ "free ones too old, and one in between", 6, { 1, 20, 7, 3, 21, 5 },
	  { 0, 8, 0, 8, 0, 0 }, 1, 1, { 3 }, 4, { 4, 0, 5, 2 }, { 22, 0, 24, 0, 0, 23 } },
};

static void roles_case_desc(const struct roles_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(roles, roles_cases, roles_case_desc);

static void roles_by_example(struct kunit *test)
{
	const struct roles_case *c = test->param_value;
	struct roles_rig *rig = kunit_kzalloc(test, sizeof(*rig), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, rig);
	rig->s.g.nr_halves = c->nr;
	for (i = 0; i < c->nr; i++) {
		rig->s.generation[i] = c->generation[i];
		rig->found[i].pages = c->pages[i];
		rig->found[i].entries = c->pages[i];
	}

	ssdup_replay_roles(&rig->s, rig->found, &rig->roles);
	KUNIT_EXPECT_EQ(test, rig->roles.open, c->open);
	KUNIT_ASSERT_EQ(test, rig->roles.nr_sealed, c->nr_sealed);
	for (i = 0; i < c->nr_sealed; i++)
		KUNIT_EXPECT_EQ(test, rig->roles.sealed[i], c->sealed[i]);
	KUNIT_ASSERT_EQ(test, rig->roles.nr_free, c->nr_free);
	for (i = 0; i < c->nr_free; i++)
		KUNIT_EXPECT_EQ(test, rig->roles.free[i], c->free[i]);
	for (i = 0; i < c->nr; i++)
		KUNIT_EXPECT_EQ(test, rig->s.generation[i], c->raised[i] ?: c->generation[i]);
}

static void roles_rules(struct kunit *test)
{
	struct roles_rig *rig = kunit_kzalloc(test, sizeof(*rig), GFP_KERNEL);
	struct prng r = { 9 };
	u32 round, i, j, nr;
	u64 last;

	KUNIT_ASSERT_NOT_NULL(test, rig);
	for (round = 0; round < 2000; round++) {
		memset(rig, 0, sizeof(*rig));
		nr = prng_between(&r, SSDUP_MIN_HALVES, SSDUP_MAX_HALVES);
		rig->s.g.nr_halves = nr;
		for (i = 0; i < nr; i++) {
			rig->s.generation[i] = i + 1;
			j = prng_below(&r, i + 1);
			swap(rig->s.generation[i], rig->s.generation[j]);
			rig->found[i].pages = prng_below(&r, 3);
		}
		ssdup_replay_roles(&rig->s, rig->found, &rig->roles);

		/* Every half has one role; generations go up along the roles. */
		KUNIT_ASSERT_EQ(test, rig->roles.nr_sealed + 1 + rig->roles.nr_free, nr);
		last = 0;
		for (i = 0; i < nr; i++) {
			u32 half = i < rig->roles.nr_sealed ? rig->roles.sealed[i] :
				i == rig->roles.nr_sealed ? rig->roles.open :
				rig->roles.free[i - rig->roles.nr_sealed - 1];

			KUNIT_ASSERT_LT(test, half, nr);
			KUNIT_ASSERT_GT(test, rig->s.generation[half], last);
			last = rig->s.generation[half];
			if (i != rig->roles.nr_sealed)
				KUNIT_ASSERT_EQ(test, !!rig->found[half].pages,
						i < rig->roles.nr_sealed);
		}
	}
}

static struct kunit_case replay_cases[] = {
	KUNIT_CASE(empty_half),
	KUNIT_CASE(full_half),
	KUNIT_CASE(stops_at_gap),
	KUNIT_CASE(page_without_entries_is_no_gap),
	KUNIT_CASE(stops_at_other_generation),
	KUNIT_CASE(stops_at_lower_epoch),
	KUNIT_CASE(newest_version_counts),
	KUNIT_CASE(counts_pages_of_a_clean_log),
	KUNIT_CASE(refuses_epoch_to_come),
	KUNIT_CASE(refuses_impossible_entry),
	KUNIT_CASE(hands_errors_on),
	KUNIT_CASE(any_torn_rewrite),
	KUNIT_CASE_PARAM(roles_by_example, roles_gen_params),
	KUNIT_CASE(roles_rules),
	{}
};

static struct kunit_suite replay_suite = {
	.name = "ssdup-replay",
	.test_cases = replay_cases,
};

kunit_test_suite(replay_suite);
