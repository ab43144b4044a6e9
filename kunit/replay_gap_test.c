// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where a half ends, of replay.c, which replay_test.c includes: a gap that a power cut
 * leaves is told from a page that was durable and is damaged.
 *
 * A half of pages without entries. They are made when they are read, of what was
 * written to each slot.
 */
#include <kunit/test.h>
#include <linux/string.h>

#include "../dm-ssdup/core/replay.h"
#include "prng.h"

#define PAGES	160U

struct version {
	u64	epoch;		/* 0: nothing that is valid */
	u64	rev;
};

/* A page as long as it is in the ring, see commit.c. */
struct ring_page {
	u32	resolved;
	u32	durable;
	u64	rev;
};

struct life {
	struct log_super	s;
	struct version		slot[PAGES][SSDUP_PAGE_SLOTS];
	struct ssdup_page	buf[SSDUP_PAGE_SLOTS];
	struct ssdup_replay_half	found;
	struct replay_fault	fault;
	u32			unreadable;	/* page + 1 */
	struct prng		r;
	/* The writer */
	struct ring_page	ring[PAGES];
	u32			begin;		/* first page of this table */
	u32			end;		/* behind the last page handed out */
	u32			durable;	/* pages that no power cut takes */
};

static struct life *life_new(struct kunit *test, u64 seed)
{
	struct life *l = kunit_kzalloc(test, sizeof(*l), GFP_KERNEL);
	struct log_geometry g = {
		.half_start = SSDUP_HEAD_SECTORS, .half_stride = 4 * LOG_MIN_STRIDE,
		.meta_pages = PAGES, .data_sectors = LOG_MIN_STRIDE, .block_sectors = 1,
		.nr_halves = 2,
	};
	static const u8 uuid[16] = { 7 };

	KUNIT_ASSERT_NOT_NULL(test, l);
	ssdup_log_super_fresh(&l->s, uuid, &g, BIT_ULL(20), BIT_ULL(20));
	l->s.epoch = 9;
	l->r.state = seed;
	return l;
}

static int life_read(void *ctx, u32 half, u32 page, const struct ssdup_page **slots)
{
	struct life *l = ctx;
	u32 i;

	if (page + 1 == l->unreadable)
		return -EIO;
	for (i = 0; i < SSDUP_PAGE_SLOTS; i++) {
		const struct version *v = &l->slot[page][i];
		struct log_page_id id = {
			.generation = l->s.generation[half], .epoch = v->epoch, .rev = v->rev,
			.page = page, .half = half,
		};

		memset(&l->buf[i].h, 0, sizeof(l->buf[i].h));
		if (!v->epoch)
			continue;
		memcpy(id.uuid, l->s.uuid, sizeof(id.uuid));
		ssdup_log_page_begin(&l->buf[i], &id);
		ssdup_log_page_finish(&l->buf[i]);
	}
	*slots = l->buf;
	return 0;
}

static int life_entries(void *ctx, u32 half, const struct ssdup_entry *e, u32 nr)
{
	return -EINVAL;
}

static const struct replay_ops life_ops = {
	.read_page = life_read,
	.entries = life_entries,
};

static int life_replay(struct life *l)
{
	return ssdup_replay_half(&l->s, 0, &life_ops, l, &l->found, &l->fault);
}

static void put(struct life *l, u32 page, u64 epoch, u64 rev)
{
	l->slot[page][rev & 1] = (struct version){ epoch, rev };
}

static void expect_end(struct kunit *test, struct life *l, u32 pages)
{
	KUNIT_EXPECT_EQ(test, life_replay(l), 0);
	KUNIT_EXPECT_EQ(test, l->found.pages, pages);
}

static void expect_damage(struct kunit *test, struct life *l, u32 gap)
{
	KUNIT_EXPECT_EQ(test, life_replay(l), -EINVAL);
	KUNIT_EXPECT_EQ(test, l->fault.fault, LOG_PAGES_GAP);
	KUNIT_EXPECT_EQ(test, l->fault.half, 0);
	KUNIT_EXPECT_EQ(test, l->fault.page, gap);
	KUNIT_EXPECT_EQ(test, l->fault.entry, 0);
}

/* --- By example --- */

struct gap_case {
	const char	*name;
	u32		distance;	/* of a page behind the gap */
	u64		epoch;		/* of it; of the page in front of the gap: 5 */
	u64		rev;
	bool		damage;
};

static const struct gap_case gap_cases[] = {
	{ "in flight together", 1, 5, 1, false },
	{ "as far as a round goes", LOG_COMMIT_PAGES - 1, 5, 1, false },
	{ "farther", LOG_COMMIT_PAGES, 5, 1, true },
	{ "much farther", 2 * LOG_COMMIT_PAGES, 5, 1, true },
	{ "written twice", 1, 5, 2, true },
	{ "written time and again", LOG_COMMIT_PAGES - 1, 5, 1000, true },
	{ "of a later epoch", 1, 6, 1, false },
	{ "of a later epoch, farther", LOG_COMMIT_PAGES, 6, 1, true },
	{ "of a later epoch, twice", 2, 6, 2, true },
	{ "given up before", 2 * LOG_COMMIT_PAGES, 4, 2, false },
};

static void gap_case_desc(const struct gap_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(gap, gap_cases, gap_case_desc);

static void gaps_by_example(struct kunit *test)
{
	const struct gap_case *c = test->param_value;
	struct life *l = life_new(test, 1);

	put(l, 0, 5, 1);
	put(l, 1, 5, 1);
	put(l, 2 + c->distance, c->epoch, c->rev);
	if (c->damage)
		expect_damage(test, l, 2);
	else
		expect_end(test, l, 2);
	/* What cannot be read may have been torn. */
	l->unreadable = 2 + c->distance + 1;
	expect_end(test, l, 2);
	/* After a clean suspend the count decides. */
	l->unreadable = 0;
	l->s.flags = SSDUP_SUPER_CLEAN;
	l->s.pages[0] = 2;
	expect_end(test, l, 2);
}

/* With no page in front of it, any epoch will do. */
static void gap_at_the_first_page(struct kunit *test)
{
	struct life *l = life_new(test, 1);

	put(l, LOG_COMMIT_PAGES - 1, 1, 1);
	expect_end(test, l, 0);
	put(l, LOG_COMMIT_PAGES, 1, 1);
	expect_damage(test, l, 0);
}

/* The newest version of a page is what counts: an older one may have been given up. */
static void gap_before_a_leftover(struct kunit *test)
{
	struct life *l = life_new(test, 1);

	put(l, 0, 5, 1);
	put(l, 2, 5, 2);
	put(l, 2, 6, 1);
	expect_end(test, l, 1);
}

/* A page at the gap that is whole, and of an epoch before, is no page either. */
static void gap_of_a_leftover(struct kunit *test)
{
	struct life *l = life_new(test, 1);

	put(l, 0, 5, 1);
	put(l, 1, 4, 1);
	put(l, 2, 5, 1);
	expect_end(test, l, 1);
	put(l, 2, 5, 2);
	expect_damage(test, l, 1);
}

/* However long the damage is: what is behind it need not be much longer. */
static void gap_of_any_length(struct kunit *test)
{
	struct life *l = life_new(test, 1);
	u32 gap = 3, from, page;

	for (page = 0; page < PAGES; page++)
		put(l, page, 5, 1);
	for (from = gap + 1; from + from / LOG_COMMIT_PAGES + 1 < PAGES; from++) {
		memset(l->slot[gap], 0, (from - gap) * sizeof(l->slot[0]));
		expect_damage(test, l, gap);
	}
}

/* --- As commit.c writes --- */

/* A round: what of it gets to the medium when the power goes in it is drawn. */
static void write_round(struct life *l, const u32 *pages, u32 nr, bool cut)
{
	struct ring_page *p;
	struct version *v;
	u32 i;

	for (i = 0; i < nr; i++) {
		p = &l->ring[pages[i]];
		v = &l->slot[pages[i]][(p->rev + 1) & 1];
		switch (cut ? prng_below(&l->r, 3) : 0) {
		case 0:
			*v = (struct version){ l->s.epoch, p->rev + 1 };
			break;
		case 1:
			v->epoch = 0;
			break;
		default:
			break;
		}
		if (!cut) {
			p->rev++;
			p->durable = p->resolved;
		}
	}
	while (l->durable < l->end && l->ring[l->durable].rev)
		l->durable++;
}

/* As ssdup_commit(); the power goes in round @cut, if it comes so far. */
static bool commit(struct life *l, u32 cut)
{
	u32 pages[LOG_COMMIT_PAGES], nr, page, end;
	bool all;

	do {
		end = l->end;
		while (end > l->begin && l->ring[end - 1].resolved == l->ring[end - 1].durable)
			end--;
		for (nr = 0, all = true, page = l->begin; page < end; page++) {
			if (l->ring[page].resolved == l->ring[page].durable && l->ring[page].rev)
				continue;
			all = nr < LOG_COMMIT_PAGES;
			if (!all)
				break;
			pages[nr++] = page;
		}
		write_round(l, pages, nr, !cut);
	} while (cut-- && !all);
	return cut != U32_MAX;
}

/* The log is loaded, written to, and the power goes. */
static void live(struct life *l)
{
	u32 i, commits = prng_below(&l->r, 6), page;

	l->s.epoch++;
	memset(l->ring, 0, sizeof(l->ring));
	l->begin = l->found.pages;
	l->end = l->begin;
	l->durable = max(l->durable, l->begin);
	for (i = 0; i <= commits; i++) {
		/* Places are handed out in order, and their writes end in any. */
		l->end = min(PAGES, l->end + prng_below(&l->r, i & 1 ? 40 : 4));
		for (page = l->begin; page < l->end; page++)
			if (prng_below(&l->r, 3) && l->ring[page].resolved < SSDUP_PAGE_ENTRIES)
				l->ring[page].resolved++;
		if (!commit(l, i == commits ? prng_below(&l->r, 3) : U32_MAX - 1))
			break;
	}
}

/* No power cut is taken for damage, and a page in front of a round's worth of others is. */
static void any_power_cuts(struct kunit *test)
{
	struct version kept[SSDUP_PAGE_SLOTS];
	u32 round, gap, cuts = 0, gaps = 0;
	struct life *l;

	for (round = 0; round < 30; round++) {
		l = life_new(test, round);
		while (l->durable < PAGES && cuts < 40 * (round + 1)) {
			live(l);
			cuts++;
			KUNIT_ASSERT_EQ_MSG(test, life_replay(l), 0, "seed %u, epoch %llu", round,
					    l->s.epoch);
			KUNIT_ASSERT_GE(test, l->found.pages, l->durable);
			gaps += l->found.pages < l->end;
		}
		if (l->durable <= LOG_COMMIT_PAGES)
			continue;
		gap = prng_below(&l->r, l->durable - LOG_COMMIT_PAGES);
		memcpy(kept, l->slot[gap], sizeof(kept));
		memset(l->slot[gap], 0, sizeof(kept));
		expect_damage(test, l, gap);
		memcpy(l->slot[gap], kept, sizeof(kept));
		KUNIT_EXPECT_EQ(test, life_replay(l), 0);
		kunit_kfree(test, l);
	}
	KUNIT_EXPECT_GT(test, cuts, 100);
	KUNIT_EXPECT_GT(test, gaps, 30);
}

static struct kunit_case replay_gap_cases[] = {
	KUNIT_CASE_PARAM(gaps_by_example, gap_gen_params),
	KUNIT_CASE(gap_at_the_first_page),
	KUNIT_CASE(gap_before_a_leftover),
	KUNIT_CASE(gap_of_a_leftover),
	KUNIT_CASE(gap_of_any_length),
	KUNIT_CASE(any_power_cuts),
	{}
};

static struct kunit_suite replay_gap_suite = {
	.name = "ssdup-replay-gap",
	.test_cases = replay_gap_cases,
};

kunit_test_suite(replay_gap_suite);
