// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>

#include "../dm-ssdup/core/plan.c"
#include "prng.h"

#define SPACE		4096U		/* sectors of a range */
#define MAX_EXTENTS	600U
#define MAX_PIECES	64U
#define HALVES		3U
#define DRAINED		1U		/* the half that is */

struct rig {
	struct prng		r;
	struct extent_tree	tree;
	u32			nr;
	struct extent		extents[MAX_EXTENTS];
	struct drain_piece	pieces[MAX_PIECES];
	struct drain_run	runs[MAX_PIECES];
	struct drain_plan	plan;
	u8			taken[SPACE];
};

static struct rig *rig_new(struct kunit *test)
{
	struct rig *rig = kunit_kzalloc(test, sizeof(*rig), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, rig);
	ssdup_extent_tree_init(&rig->tree);
	rig->plan.pieces = rig->pieces;
	rig->plan.runs = rig->runs;
	return rig;
}

static void rig_add(struct rig *rig, u64 start, u32 sectors, u32 pos, u8 half, u8 kind)
{
	struct extent_list none = {}, unused = {};
	struct extent *e = &rig->extents[rig->nr++];

	*e = (struct extent){
		.start = start, .sectors = sectors, .seq = rig->nr,
		.pos = to_log_pos(pos), .half = half, .kind = kind,
	};
	ssdup_extent_insert(&rig->tree, e, &none, &unused);
}

static void plan_limits(struct drain_plan *plan, u32 pieces, u32 sectors, u32 run)
{
	plan->max_pieces = pieces;
	plan->max_sectors = sectors;
	plan->max_zeroes = sectors;
	plan->max_run = run;
	plan->nr_pieces = 0;
	plan->nr_runs = 0;
	plan->sectors = 0;
	plan->zeroes = 0;
}

/* Extents side by side and apart, of all halves and kinds, all over the range. */
static void rig_fill(struct rig *rig, u64 base)
{
	u32 at = 0;

	ssdup_extent_tree_init(&rig->tree);
	rig->nr = 0;
	while (rig->nr < MAX_EXTENTS) {
		u32 sectors = prng_between(&rig->r, 1, 16);
		u8 kind = SSDUP_KIND_DATA;
		u32 pos;

		at += prng_below(&rig->r, 3) ? 0 : prng_between(&rig->r, 1, 20);
		if (at + sectors > SPACE)
			break;
		if (!prng_below(&rig->r, 6))
			kind = prng_between(&rig->r, SSDUP_KIND_DISCARD, SSDUP_KIND_MAX);
		pos = kind == SSDUP_KIND_DATA ? prng_below(&rig->r, 1U << 20) : 0;
		rig_add(rig, base + at, sectors, pos,
			prng_below(&rig->r, 3) ? DRAINED : prng_below(&rig->r, HALVES), kind);
		at += sectors;
	}
}

/* Each piece is what the tree says of its place, in order, one after the other in the buffer. */
static void check_pieces(struct kunit *test, struct rig *rig, u64 base, u64 *last)
{
	const struct drain_plan *plan = &rig->plan;
	u32 i, j, buffer = 0, zeroes = 0;

	KUNIT_ASSERT_LE(test, plan->nr_pieces, plan->max_pieces);
	for (i = 0; i < plan->nr_pieces; i++) {
		const struct drain_piece *p = &plan->pieces[i];
		const struct extent *x = ssdup_extent_first(&rig->tree, p->start, p->start + 1);

		KUNIT_ASSERT_TRUE(test, x);
		KUNIT_ASSERT_GT(test, p->sectors, 0);
		KUNIT_ASSERT_GE(test, p->start, *last);
		*last = p->start + p->sectors;
		KUNIT_ASSERT_LE(test, *last, extent_end(x));
		KUNIT_ASSERT_EQ(test, x->half, DRAINED);
		KUNIT_ASSERT_EQ(test, p->kind, x->kind);
		KUNIT_ASSERT_EQ(test, p->seq, x->seq);
		if (p->kind == SSDUP_KIND_DATA) {
			KUNIT_ASSERT_EQ(test, from_log_pos(p->pos),
					from_log_pos(x->pos) + (u32)(p->start - x->start));
			KUNIT_ASSERT_EQ(test, p->offset, buffer);
			buffer += p->sectors;
		}
		zeroes += p->kind == SSDUP_KIND_ZERO ? p->sectors : 0;
		for (j = 0; j < p->sectors; j++)
			rig->taken[p->start - base + j]++;
	}
	KUNIT_ASSERT_EQ(test, plan->sectors, buffer);
	KUNIT_ASSERT_LE(test, buffer, plan->max_sectors);
	KUNIT_ASSERT_EQ(test, plan->zeroes, zeroes);
	KUNIT_ASSERT_LE(test, zeroes, plan->max_zeroes);
}

/* Runs cover every piece once, in order; a run is one stretch of HDD and of buffer. */
static void check_runs(struct kunit *test, const struct drain_plan *plan)
{
	u32 i, j, piece = 0;

	for (i = 0; i < plan->nr_runs; i++) {
		const struct drain_run *run = &plan->runs[i];
		u32 done = 0;

		KUNIT_ASSERT_EQ(test, run->first, piece);
		KUNIT_ASSERT_GT(test, run->nr, 0);
		if (run->nr > 1) {
			KUNIT_ASSERT_EQ(test, run->kind, SSDUP_KIND_DATA);
			KUNIT_ASSERT_LE(test, run->sectors, plan->max_run);
		}
		for (j = 0; j < run->nr; j++, piece++) {
			const struct drain_piece *p = &plan->pieces[piece];

			KUNIT_ASSERT_LT(test, piece, plan->nr_pieces);
			KUNIT_ASSERT_EQ(test, p->kind, run->kind);
			KUNIT_ASSERT_EQ(test, p->start, run->start + done);
			if (p->kind == SSDUP_KIND_DATA)
				KUNIT_ASSERT_EQ(test, p->offset, run->offset + done);
			done += p->sectors;
		}
		KUNIT_ASSERT_EQ(test, run->sectors, done);

		/* What could have been joined was: runs break for a reason. */
		if (i && run->kind == SSDUP_KIND_DATA && run[-1].kind == SSDUP_KIND_DATA &&
		    run[-1].start + run[-1].sectors == run->start)
			KUNIT_ASSERT_GT(test, run[-1].sectors + plan->pieces[run->first].sectors,
					plan->max_run);
	}
	KUNIT_ASSERT_EQ(test, piece, plan->nr_pieces);
}

static void plans_are_sorted_disjoint_complete(struct kunit *test)
{
	struct rig *rig = rig_new(test);
	u64 base = BIT_ULL(33), from, last;
	const struct extent *x;
	u32 round, i, calls;
	bool done;

	rig->r.state = 12;
	for (round = 0; round < 300; round++) {
		rig_fill(rig, base);
		memset(rig->taken, 0, sizeof(rig->taken));
		from = round % 2 ? base : 0;
		last = 0;
		calls = 0;
		do {
			plan_limits(&rig->plan, prng_between(&rig->r, 1, MAX_PIECES),
				    prng_between(&rig->r, 1, 400), prng_between(&rig->r, 1, 64));
			done = ssdup_plan_collect(&rig->tree, DRAINED, 0, &from, &rig->plan);
			KUNIT_ASSERT_TRUE(test, done || rig->plan.nr_pieces);
			check_pieces(test, rig, base, &last);
			ssdup_plan_join(&rig->plan);
			check_runs(test, &rig->plan);
			KUNIT_ASSERT_LT(test, calls++, SPACE);
		} while (!done);

		/* All of the half, once, and nothing else. */
		for (i = 0; i < SPACE; i++) {
			x = ssdup_extent_first(&rig->tree, base + i, base + i + 1);
			KUNIT_ASSERT_EQ(test, rig->taken[i], x && x->half == DRAINED);
		}
	}
}

static void ranges_in_turn_keep_the_order(struct kunit *test)
{
	struct rig *low = rig_new(test), *high = rig_new(test);
	u64 from = 0;

	rig_add(low, 100, 8, 40, DRAINED, SSDUP_KIND_DATA);
	rig_add(low, 120, 8, 48, DRAINED, SSDUP_KIND_DATA);
	rig_add(high, 128, 8, 0, DRAINED, SSDUP_KIND_DATA);
	plan_limits(&low->plan, MAX_PIECES, 1000, 1000);
	KUNIT_EXPECT_TRUE(test, ssdup_plan_collect(&low->tree, DRAINED, 0, &from, &low->plan));
	KUNIT_EXPECT_TRUE(test, ssdup_plan_collect(&high->tree, DRAINED, 0, &from, &low->plan));
	KUNIT_ASSERT_EQ(test, low->plan.nr_pieces, 3);

	/* Neighbours across the border of two ranges are one run. */
	ssdup_plan_join(&low->plan);
	KUNIT_ASSERT_EQ(test, low->plan.nr_runs, 2);
	KUNIT_EXPECT_EQ(test, low->plan.runs[1].start, 120);
	KUNIT_EXPECT_EQ(test, low->plan.runs[1].sectors, 16);
	KUNIT_EXPECT_EQ(test, low->plan.runs[1].offset, 8);
}

static void extent_larger_than_the_buffer(struct kunit *test)
{
	struct rig *rig = rig_new(test);
	u32 i, piece = 0;
	u64 from = 0;

	rig_add(rig, 10, 100, 500, DRAINED, SSDUP_KIND_DATA);
	for (i = 0; i < 4; i++) {
		plan_limits(&rig->plan, MAX_PIECES, 32, 1000);
		KUNIT_EXPECT_EQ(test, ssdup_plan_collect(&rig->tree, DRAINED, 0, &from,
							 &rig->plan),
				i == 3);
		KUNIT_ASSERT_EQ(test, rig->plan.nr_pieces, 1);
		KUNIT_EXPECT_EQ(test, rig->pieces[0].start, 10 + 32 * i);
		KUNIT_EXPECT_EQ(test, from_log_pos(rig->pieces[0].pos), 500 + 32 * i);
		KUNIT_EXPECT_EQ(test, rig->pieces[0].offset, 0);
		piece += rig->pieces[0].sectors;
		KUNIT_EXPECT_EQ(test, from, 10 + piece);
	}
	KUNIT_EXPECT_EQ(test, piece, 100);
}

/* The HDD gets no more zeroes in a batch than data. */
static void zeroes_in_batches(struct kunit *test)
{
	struct rig *rig = rig_new(test);
	u32 i;
	u64 from = 0;

	rig_add(rig, 10, 100, 0, DRAINED, SSDUP_KIND_ZERO);
	rig_add(rig, 110, 1000, 0, DRAINED, SSDUP_KIND_DISCARD);
	for (i = 0; i < 4; i++) {
		plan_limits(&rig->plan, MAX_PIECES, 32, 1000);
		KUNIT_EXPECT_EQ(test, ssdup_plan_collect(&rig->tree, DRAINED, 0, &from,
							 &rig->plan),
				i == 3);
		KUNIT_EXPECT_EQ(test, plan_full(&rig->plan), i != 3);
		/* A discard is none. */
		KUNIT_ASSERT_EQ(test, rig->plan.nr_pieces, i == 3 ? 2 : 1);
		KUNIT_EXPECT_EQ(test, rig->pieces[0].start, 10 + 32 * i);
		KUNIT_EXPECT_EQ(test, rig->pieces[0].sectors, i == 3 ? 4 : 32);
	}
	KUNIT_EXPECT_EQ(test, rig->pieces[1].sectors, 1000);
	KUNIT_EXPECT_EQ(test, from, 1110);

	/* Those that are too long do not go along, and do not hold up what may. */
	rig_add(rig, 2000, 33, 0, DRAINED + 1, SSDUP_KIND_ZERO);
	rig_add(rig, 2040, 32, 0, DRAINED + 1, SSDUP_KIND_ZERO);
	plan_limits(&rig->plan, MAX_PIECES, 32, 1000);
	KUNIT_EXPECT_TRUE(test, ssdup_plan_collect(&rig->tree, DRAINED, rig->nr, &from,
						   &rig->plan));
	KUNIT_ASSERT_EQ(test, rig->plan.nr_pieces, 1);
	KUNIT_EXPECT_EQ(test, rig->pieces[0].start, 2040);
}

static void nothing_to_drain(struct kunit *test)
{
	struct rig *rig = rig_new(test);
	u64 from = 0;

	plan_limits(&rig->plan, MAX_PIECES, 32, 32);
	KUNIT_EXPECT_TRUE(test, ssdup_plan_collect(&rig->tree, DRAINED, 0, &from, &rig->plan));
	rig_add(rig, 0, 8, 0, DRAINED + 1, SSDUP_KIND_DATA);
	KUNIT_EXPECT_TRUE(test, ssdup_plan_collect(&rig->tree, DRAINED, 0, &from, &rig->plan));
	ssdup_plan_join(&rig->plan);
	KUNIT_EXPECT_EQ(test, rig->plan.nr_pieces, 0);
	KUNIT_EXPECT_EQ(test, rig->plan.nr_runs, 0);
}

static void go_home(struct kunit *test, struct rig *rig, u32 piece)
{
	u64 from = rig->pieces[piece].start;

	KUNIT_EXPECT_TRUE(test, ssdup_plan_home(&rig->tree, &rig->pieces[piece], &from));
}

/* Taken along: what others hold up to a seq, but for lost data; and only once. */
static void others_go_along_once(struct kunit *test)
{
	struct rig *rig = rig_new(test);
	struct extent *x;
	u64 from = 0;

	rig_add(rig, 0, 8, 64, DRAINED, SSDUP_KIND_DATA);
	rig_add(rig, 8, 8, 64, DRAINED + 1, SSDUP_KIND_DATA);
	rig_add(rig, 16, 8, 0, DRAINED + 1, SSDUP_KIND_LOST);
	rig_add(rig, 24, 8, 0, DRAINED, SSDUP_KIND_LOST);
	rig_add(rig, 32, 8, 0, DRAINED + 1, SSDUP_KIND_DISCARD);
	rig_add(rig, 40, 8, 72, DRAINED + 1, SSDUP_KIND_DATA);
	plan_limits(&rig->plan, MAX_PIECES, 1000, 100);
	KUNIT_EXPECT_TRUE(test, ssdup_plan_collect(&rig->tree, DRAINED, 5, &from, &rig->plan));
	KUNIT_ASSERT_EQ(test, rig->plan.nr_pieces, 4);
	KUNIT_EXPECT_EQ(test, rig->pieces[1].start, 8);
	KUNIT_EXPECT_EQ(test, rig->pieces[1].half, DRAINED + 1);
	KUNIT_EXPECT_EQ(test, rig->pieces[2].start, 24);
	KUNIT_EXPECT_EQ(test, rig->pieces[3].kind, SSDUP_KIND_DISCARD);

	go_home(test, rig, 1);
	go_home(test, rig, 3);
	from = 0;
	plan_limits(&rig->plan, MAX_PIECES, 1000, 100);
	KUNIT_EXPECT_TRUE(test, ssdup_plan_collect(&rig->tree, DRAINED + 1, 0, &from, &rig->plan));
	KUNIT_ASSERT_EQ(test, rig->plan.nr_pieces, 2);
	KUNIT_EXPECT_EQ(test, rig->pieces[0].start, 16);
	KUNIT_EXPECT_EQ(test, rig->pieces[1].start, 40);

	from = 0;
	KUNIT_EXPECT_TRUE(test, ssdup_plan_forget(&rig->tree, DRAINED + 1, &from));
	for (x = ssdup_extent_first(&rig->tree, 0, U64_MAX); x; x = ssdup_extent_next(x))
		KUNIT_EXPECT_FALSE(test, x->home);
}

/* When the half was taken, what others hold goes along alone. */
static void others_go_alone(struct kunit *test)
{
	struct rig *rig = rig_new(test);
	u64 from = 0;

	rig_add(rig, 0, 8, 64, DRAINED, SSDUP_KIND_DATA);
	rig_add(rig, 8, 8, 64, DRAINED + 1, SSDUP_KIND_DATA);
	rig_add(rig, 16, 8, 0, DRAINED, SSDUP_KIND_LOST);
	rig_add(rig, 24, 8, 0, DRAINED + 1, SSDUP_KIND_ZERO);
	rig_add(rig, 32, 8, 72, DRAINED + 1, SSDUP_KIND_DATA);
	plan_limits(&rig->plan, MAX_PIECES, 1000, 100);
	rig->plan.others_only = true;
	KUNIT_EXPECT_TRUE(test, ssdup_plan_collect(&rig->tree, DRAINED, 4, &from, &rig->plan));
	KUNIT_ASSERT_EQ(test, rig->plan.nr_pieces, 1);
	KUNIT_EXPECT_EQ(test, rig->pieces[0].start, 8);
}

/* What replaced a part of a piece since, or reaches beyond it, is not home. */
static void home_is_what_was_written(struct kunit *test)
{
	struct extent_list spares = {}, unused = {};
	struct rig *rig = rig_new(test);
	struct extent newer = {
		.start = 10, .sectors = 4, .seq = 9, .half = DRAINED + 1,
		.kind = SSDUP_KIND_DATA,
	};
	struct extent spare, *x;
	u64 from = 0;

	rig_add(rig, 0, 32, 64, DRAINED + 1, SSDUP_KIND_DATA);
	rig_add(rig, 32, 32, 96, DRAINED + 1, SSDUP_KIND_DATA);
	plan_limits(&rig->plan, MAX_PIECES, 48, 100);
	KUNIT_EXPECT_FALSE(test, ssdup_plan_collect(&rig->tree, DRAINED, 8, &from, &rig->plan));
	KUNIT_ASSERT_EQ(test, rig->plan.nr_pieces, 2);
	extent_push(&spares, &spare);
	ssdup_extent_insert(&rig->tree, &newer, &spares, &unused);
	go_home(test, rig, 0);
	go_home(test, rig, 1);
	for (x = ssdup_extent_first(&rig->tree, 0, U64_MAX); x; x = ssdup_extent_next(x))
		KUNIT_EXPECT_EQ(test, x->home, x->seq == 1);
}

/* A part that is split off what is home is home. */
static void parts_stay_home(struct kunit *test)
{
	struct extent_list spares = {}, unused = {};
	struct rig *rig = rig_new(test);
	struct extent newer = {
		.start = 10, .sectors = 4, .seq = 9, .half = DRAINED, .kind = SSDUP_KIND_DATA,
	};
	struct extent spare, *x;

	rig_add(rig, 0, 32, 64, DRAINED, SSDUP_KIND_DATA);
	rig->extents[0].home = true;
	extent_push(&spares, &spare);
	ssdup_extent_insert(&rig->tree, &newer, &spares, &unused);
	KUNIT_EXPECT_EQ(test, rig->tree.nr, 3);
	for (x = ssdup_extent_first(&rig->tree, 0, U64_MAX); x; x = ssdup_extent_next(x))
		KUNIT_EXPECT_EQ(test, x->home, x->seq == 1);
}

/* A tombstone needs no buffer: a full one does not stop it. */
static void tombstones_take_no_buffer(struct kunit *test)
{
	struct rig *rig = rig_new(test);
	u64 from = 0;

	rig_add(rig, 0, 8, 64, DRAINED, SSDUP_KIND_DATA);
	rig_add(rig, 8, 1000, 0, DRAINED, SSDUP_KIND_DISCARD);
	rig_add(rig, 1008, 8, 72, DRAINED, SSDUP_KIND_DATA);
	plan_limits(&rig->plan, MAX_PIECES, 8, 100);
	KUNIT_EXPECT_FALSE(test, ssdup_plan_collect(&rig->tree, DRAINED, 0, &from, &rig->plan));
	KUNIT_EXPECT_EQ(test, from, 1008);
	KUNIT_EXPECT_EQ(test, rig->plan.nr_pieces, 2);
	KUNIT_EXPECT_EQ(test, rig->plan.sectors, 8);
	ssdup_plan_join(&rig->plan);
	KUNIT_EXPECT_EQ(test, rig->plan.nr_runs, 2);
}

static struct kunit_case plan_cases[] = {
	KUNIT_CASE(plans_are_sorted_disjoint_complete),
	KUNIT_CASE(ranges_in_turn_keep_the_order),
	KUNIT_CASE(extent_larger_than_the_buffer),
	KUNIT_CASE(zeroes_in_batches),
	KUNIT_CASE(nothing_to_drain),
	KUNIT_CASE(tombstones_take_no_buffer),
	KUNIT_CASE(others_go_along_once),
	KUNIT_CASE(others_go_alone),
	KUNIT_CASE(home_is_what_was_written),
	KUNIT_CASE(parts_stay_home),
	{}
};

static struct kunit_suite plan_suite = {
	.name = "ssdup-plan",
	.test_cases = plan_cases,
};

kunit_test_suite(plan_suite);
