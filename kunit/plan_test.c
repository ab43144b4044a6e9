// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>

#include "core/plan.c"
#include "prng.h"

#define SPACE		4096U		/* sectors of a range */
#define MAX_EXTENTS	600U
#define MAX_PIECES	64U
#define DRAINED		8U		/* extents with lower seqs are in the drain group */
#define SEGMENT		(BIT_ULL(35) + 2048)	/* its first sector on the SSD */

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

static void rig_add(struct rig *rig, u64 start, u32 sectors, u64 pos, u64 seq, u8 kind)
{
	struct extent *e = &rig->extents[rig->nr++];

	*e = (struct extent){
		.start = start, .sectors = sectors, .seq = seq,
		.pos = SEGMENT + pos, .kind = kind,
	};
	ssdup_extent_insert(&rig->tree, e, NULL);
}

/*
 * As a drain takes the group's extents: in the order of the HDD, from @from on, until the plan
 * is full. Return: were these all?
 */
static bool collect(struct rig *rig, u64 *from)
{
	const struct extent *x = ssdup_extent_first(&rig->tree, *from, U64_MAX);
	u32 taken;

	for (; x; x = ssdup_extent_next(x)) {
		if (x->seq >= DRAINED)
			continue;
		*from = max(*from, x->start);
		taken = ssdup_plan_take(&rig->plan, x, *from);
		*from += taken;
		if (*from < extent_end(x))
			return false;
	}
	return true;
}

static void plan_limits(struct drain_plan *plan, u32 pieces, u32 sectors, u32 run)
{
	plan->max_pieces = pieces;
	plan->max_sectors = sectors;
	plan->max_run = run;
	plan->nr_pieces = 0;
	plan->nr_runs = 0;
	plan->sectors = 0;
	plan->zeroes = 0;
}

/* Extents side by side and apart, of the group and others, of all kinds, all over the range. */
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
			prng_below(&rig->r, 12), kind);
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
		KUNIT_ASSERT_TRUE(test, x->seq < DRAINED);
		KUNIT_ASSERT_TRUE(test, p->kind == x->kind);
		KUNIT_ASSERT_TRUE(test, p->seq == x->seq);
		if (p->kind == SSDUP_KIND_DATA) {
			KUNIT_ASSERT_EQ(test, p->pos, x->pos + (p->start - x->start));
			KUNIT_ASSERT_EQ(test, p->offset, buffer);
			buffer += p->sectors;
		} else {
			KUNIT_ASSERT_TRUE(test, p->pos == x->pos);
		}
		zeroes += p->kind == SSDUP_KIND_ZERO ? p->sectors : 0;
		for (j = 0; j < p->sectors; j++)
			rig->taken[p->start - base + j]++;
	}
	KUNIT_ASSERT_EQ(test, plan->sectors, buffer);
	KUNIT_ASSERT_LE(test, buffer, plan->max_sectors);
	KUNIT_ASSERT_EQ(test, plan->zeroes, zeroes);
	KUNIT_ASSERT_LE(test, zeroes, plan->max_sectors);
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
			done = collect(rig, &from);
			KUNIT_ASSERT_TRUE(test, done || rig->plan.nr_pieces);
			check_pieces(test, rig, base, &last);
			ssdup_plan_join(&rig->plan);
			check_runs(test, &rig->plan);
			KUNIT_ASSERT_LT(test, calls++, SPACE);
		} while (!done);

		/* All of the group, once, and nothing else. */
		for (i = 0; i < SPACE; i++) {
			x = ssdup_extent_first(&rig->tree, base + i, base + i + 1);
			KUNIT_ASSERT_EQ(test, rig->taken[i], x && x->seq < DRAINED);
		}
	}
}

/* The segments of a group are elsewhere on the SSD, and side by side on the HDD. */
static void segments_are_joined(struct kunit *test)
{
	struct rig *rig = rig_new(test);
	u64 from = 0;

	rig_add(rig, 100, 8, 40, 1, SSDUP_KIND_DATA);
	rig_add(rig, 120, 8, 48, 1, SSDUP_KIND_DATA);
	rig_add(rig, 128, 8, 800000, 2, SSDUP_KIND_DATA);
	plan_limits(&rig->plan, MAX_PIECES, 1000, 1000);
	KUNIT_EXPECT_TRUE(test, collect(rig, &from));
	KUNIT_ASSERT_EQ(test, rig->plan.nr_pieces, 3);

	ssdup_plan_join(&rig->plan);
	KUNIT_ASSERT_EQ(test, rig->plan.nr_runs, 2);
	KUNIT_EXPECT_EQ(test, rig->plan.runs[1].start, 120);
	KUNIT_EXPECT_EQ(test, rig->plan.runs[1].sectors, 16);
	KUNIT_EXPECT_EQ(test, rig->plan.runs[1].offset, 8);
}

static void extent_larger_than_the_buffer(struct kunit *test)
{
	struct rig *rig = rig_new(test);
	u32 i, piece = 0;
	u64 from = 0;

	rig_add(rig, 10, 100, 500, 1, SSDUP_KIND_DATA);
	for (i = 0; i < 4; i++) {
		plan_limits(&rig->plan, MAX_PIECES, 32, 1000);
		KUNIT_EXPECT_EQ(test, collect(rig, &from), i == 3);
		KUNIT_ASSERT_EQ(test, rig->plan.nr_pieces, 1);
		KUNIT_EXPECT_EQ(test, plan_full(&rig->plan), i != 3);
		KUNIT_EXPECT_EQ(test, rig->pieces[0].start, 10 + 32 * i);
		KUNIT_EXPECT_EQ(test, rig->pieces[0].pos, SEGMENT + 500 + 32 * i);
		KUNIT_EXPECT_EQ(test, rig->pieces[0].offset, 0);
		piece += rig->pieces[0].sectors;
		KUNIT_EXPECT_EQ(test, from, 10 + piece);
	}
	KUNIT_EXPECT_EQ(test, piece, 100);
}

/* What does not fit changes nothing. */
static void full_plans_take_nothing(struct kunit *test)
{
	static const struct extent data = {
		.start = 16, .sectors = 8, .seq = 1, .pos = SEGMENT, .kind = SSDUP_KIND_DATA,
	};
	static const struct extent zeroes = {
		.start = 16, .sectors = 8, .seq = 1, .pos = SEGMENT, .kind = SSDUP_KIND_ZERO,
	};
	struct rig *rig = rig_new(test);

	/* Without another piece, */
	plan_limits(&rig->plan, 0, 100, 100);
	KUNIT_EXPECT_EQ(test, ssdup_plan_take(&rig->plan, &data, 16), 0);
	/* without buffer, */
	plan_limits(&rig->plan, 1, 0, 100);
	KUNIT_EXPECT_EQ(test, ssdup_plan_take(&rig->plan, &data, 16), 0);
	KUNIT_EXPECT_EQ(test, ssdup_plan_take(&rig->plan, &zeroes, 16), 0);
	KUNIT_EXPECT_EQ(test, rig->plan.nr_pieces, 0);
	KUNIT_EXPECT_EQ(test, rig->plan.sectors, 0);
	KUNIT_EXPECT_EQ(test, rig->plan.zeroes, 0);
	/* and with as much as is needed. */
	plan_limits(&rig->plan, 1, 5, 100);
	KUNIT_EXPECT_EQ(test, ssdup_plan_take(&rig->plan, &data, 19), 5);
	KUNIT_EXPECT_TRUE(test, plan_full(&rig->plan));
}

/* The HDD gets no more zeroes in a batch than data. */
static void zeroes_in_batches(struct kunit *test)
{
	struct rig *rig = rig_new(test);
	u32 i;
	u64 from = 0;

	rig_add(rig, 10, 100, 0, 1, SSDUP_KIND_ZERO);
	rig_add(rig, 110, 1000, 0, 2, SSDUP_KIND_DISCARD);
	for (i = 0; i < 4; i++) {
		plan_limits(&rig->plan, MAX_PIECES, 32, 1000);
		KUNIT_EXPECT_EQ(test, collect(rig, &from), i == 3);
		KUNIT_EXPECT_EQ(test, plan_full(&rig->plan), i != 3);
		/* A discard is none. */
		KUNIT_ASSERT_EQ(test, rig->plan.nr_pieces, i == 3 ? 2 : 1);
		KUNIT_EXPECT_EQ(test, rig->pieces[0].start, 10 + 32 * i);
		KUNIT_EXPECT_EQ(test, rig->pieces[0].sectors, i == 3 ? 4 : 32);
		KUNIT_EXPECT_EQ(test, rig->pieces[0].pos, SEGMENT);
	}
	KUNIT_EXPECT_EQ(test, rig->pieces[1].sectors, 1000);
	KUNIT_EXPECT_EQ(test, from, 1110);
}

static void nothing_to_drain(struct kunit *test)
{
	struct rig *rig = rig_new(test);
	u64 from = 0;

	plan_limits(&rig->plan, MAX_PIECES, 32, 32);
	KUNIT_EXPECT_TRUE(test, collect(rig, &from));
	rig_add(rig, 0, 8, 0, DRAINED, SSDUP_KIND_DATA);
	KUNIT_EXPECT_TRUE(test, collect(rig, &from));
	ssdup_plan_join(&rig->plan);
	KUNIT_EXPECT_EQ(test, rig->plan.nr_pieces, 0);
	KUNIT_EXPECT_EQ(test, rig->plan.nr_runs, 0);
}

/* A tombstone needs no buffer: a full one does not stop it. */
static void tombstones_take_no_buffer(struct kunit *test)
{
	struct rig *rig = rig_new(test);
	u64 from = 0;

	rig_add(rig, 0, 8, 64, 1, SSDUP_KIND_DATA);
	rig_add(rig, 8, 1000, 0, 2, SSDUP_KIND_DISCARD);
	rig_add(rig, 1008, 8, 72, 3, SSDUP_KIND_DATA);
	plan_limits(&rig->plan, MAX_PIECES, 8, 100);
	KUNIT_EXPECT_FALSE(test, collect(rig, &from));
	KUNIT_EXPECT_EQ(test, from, 1008);
	KUNIT_EXPECT_EQ(test, rig->plan.nr_pieces, 2);
	KUNIT_EXPECT_EQ(test, rig->plan.sectors, 8);
	ssdup_plan_join(&rig->plan);
	KUNIT_EXPECT_EQ(test, rig->plan.nr_runs, 2);
}

/* A write cuts off the rear of an extent, of which more than the rest was taken already. */
static void cut_behind_the_taken(struct kunit *test)
{
	struct rig *rig = rig_new(test);
	struct extent *e = &rig->extents[0];
	struct extent_order order;

	ssdup_order_begin(&order);
	rig_add(rig, 100, 64, 0, 1, SSDUP_KIND_DATA);
	rig->plan.max_pieces = MAX_PIECES;
	rig->plan.max_sectors = 40;
	ssdup_plan_collect(&rig->plan, &order, e, 100);
	KUNIT_EXPECT_EQ(test, rig->plan.sectors, 40U);
	KUNIT_EXPECT_EQ(test, order.base, 100ULL);
	KUNIT_EXPECT_EQ(test, order.from, 140ULL);

	rig_add(rig, 120, 44, 200, DRAINED, SSDUP_KIND_DATA);
	KUNIT_EXPECT_EQ(test, (u32)e->sectors, 20U);
	rig->plan.nr_pieces = 0;
	rig->plan.sectors = 0;
	ssdup_plan_collect(&rig->plan, &order, e, 100);
	KUNIT_EXPECT_EQ(test, rig->plan.nr_pieces, 0U);
	KUNIT_EXPECT_EQ(test, rig->plan.sectors, 0U);
	KUNIT_EXPECT_EQ(test, order.base, 140ULL);
}

/* What a write has removed, or trimmed at the front, since it was found is not taken. */
static void changed_since_found(struct kunit *test)
{
	struct rig *rig = rig_new(test);
	struct extent_order order;

	ssdup_order_begin(&order);
	rig_add(rig, 100, 8, 0, 1, SSDUP_KIND_DATA);
	rig_add(rig, 200, 8, 8, 2, SSDUP_KIND_DATA);
	rig_add(rig, 100, 8, 16, DRAINED, SSDUP_KIND_DATA);
	rig_add(rig, 200, 4, 24, DRAINED + 1, SSDUP_KIND_DATA);
	rig->plan.max_pieces = MAX_PIECES;
	rig->plan.max_sectors = 64;
	ssdup_plan_collect(&rig->plan, &order, &rig->extents[0], 100);
	ssdup_plan_collect(&rig->plan, &order, &rig->extents[1], 200);
	KUNIT_EXPECT_EQ(test, rig->plan.nr_pieces, 0U);
	KUNIT_EXPECT_EQ(test, order.base, 0ULL);
	ssdup_plan_collect(&rig->plan, &order, &rig->extents[1], 204);
	KUNIT_EXPECT_EQ(test, rig->plan.sectors, 4U);
	KUNIT_EXPECT_EQ(test, order.base, 208ULL);
}

static struct kunit_case plan_cases[] = {
	KUNIT_CASE(cut_behind_the_taken),
	KUNIT_CASE(changed_since_found),
	KUNIT_CASE(plans_are_sorted_disjoint_complete),
	KUNIT_CASE(segments_are_joined),
	KUNIT_CASE(extent_larger_than_the_buffer),
	KUNIT_CASE(full_plans_take_nothing),
	KUNIT_CASE(zeroes_in_batches),
	KUNIT_CASE(nothing_to_drain),
	KUNIT_CASE(tombstones_take_no_buffer),
	{}
};

static struct kunit_suite plan_suite = {
	.name = "ssdup-plan",
	.test_cases = plan_cases,
};

kunit_test_suite(plan_suite);
