// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>

#include "../dm-ssdup/core/pipeline.c"
#include "prng.h"

/* --- Drain plans --- */

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
			done = ssdup_drain_collect(&rig->tree, DRAINED, 0, &from, &rig->plan);
			KUNIT_ASSERT_TRUE(test, done || rig->plan.nr_pieces);
			check_pieces(test, rig, base, &last);
			ssdup_drain_join(&rig->plan);
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
	KUNIT_EXPECT_TRUE(test, ssdup_drain_collect(&low->tree, DRAINED, 0, &from, &low->plan));
	KUNIT_EXPECT_TRUE(test, ssdup_drain_collect(&high->tree, DRAINED, 0, &from, &low->plan));
	KUNIT_ASSERT_EQ(test, low->plan.nr_pieces, 3);

	/* Neighbours across the border of two ranges are one run. */
	ssdup_drain_join(&low->plan);
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
		KUNIT_EXPECT_EQ(test, ssdup_drain_collect(&rig->tree, DRAINED, 0, &from,
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
		KUNIT_EXPECT_EQ(test, ssdup_drain_collect(&rig->tree, DRAINED, 0, &from,
							  &rig->plan),
				i == 3);
		KUNIT_EXPECT_EQ(test, drain_full(&rig->plan), i != 3);
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
	KUNIT_EXPECT_TRUE(test, ssdup_drain_collect(&rig->tree, DRAINED, rig->nr, &from,
						    &rig->plan));
	KUNIT_ASSERT_EQ(test, rig->plan.nr_pieces, 1);
	KUNIT_EXPECT_EQ(test, rig->pieces[0].start, 2040);
}

static void nothing_to_drain(struct kunit *test)
{
	struct rig *rig = rig_new(test);
	u64 from = 0;

	plan_limits(&rig->plan, MAX_PIECES, 32, 32);
	KUNIT_EXPECT_TRUE(test, ssdup_drain_collect(&rig->tree, DRAINED, 0, &from, &rig->plan));
	rig_add(rig, 0, 8, 0, DRAINED + 1, SSDUP_KIND_DATA);
	KUNIT_EXPECT_TRUE(test, ssdup_drain_collect(&rig->tree, DRAINED, 0, &from, &rig->plan));
	ssdup_drain_join(&rig->plan);
	KUNIT_EXPECT_EQ(test, rig->plan.nr_pieces, 0);
	KUNIT_EXPECT_EQ(test, rig->plan.nr_runs, 0);
}

static void go_home(struct kunit *test, struct rig *rig, u32 piece)
{
	u64 from = rig->pieces[piece].start;

	KUNIT_EXPECT_TRUE(test, ssdup_drain_home(&rig->tree, &rig->pieces[piece], &from));
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
	KUNIT_EXPECT_TRUE(test, ssdup_drain_collect(&rig->tree, DRAINED, 5, &from, &rig->plan));
	KUNIT_ASSERT_EQ(test, rig->plan.nr_pieces, 4);
	KUNIT_EXPECT_EQ(test, rig->pieces[1].start, 8);
	KUNIT_EXPECT_EQ(test, rig->pieces[1].half, DRAINED + 1);
	KUNIT_EXPECT_EQ(test, rig->pieces[2].start, 24);
	KUNIT_EXPECT_EQ(test, rig->pieces[3].kind, SSDUP_KIND_DISCARD);

	go_home(test, rig, 1);
	go_home(test, rig, 3);
	from = 0;
	plan_limits(&rig->plan, MAX_PIECES, 1000, 100);
	KUNIT_EXPECT_TRUE(test, ssdup_drain_collect(&rig->tree, DRAINED + 1, 0, &from, &rig->plan));
	KUNIT_ASSERT_EQ(test, rig->plan.nr_pieces, 2);
	KUNIT_EXPECT_EQ(test, rig->pieces[0].start, 16);
	KUNIT_EXPECT_EQ(test, rig->pieces[1].start, 40);

	from = 0;
	KUNIT_EXPECT_TRUE(test, ssdup_drain_forget(&rig->tree, DRAINED + 1, &from));
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
	KUNIT_EXPECT_TRUE(test, ssdup_drain_collect(&rig->tree, DRAINED, 4, &from, &rig->plan));
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
	KUNIT_EXPECT_FALSE(test, ssdup_drain_collect(&rig->tree, DRAINED, 8, &from, &rig->plan));
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
	KUNIT_EXPECT_FALSE(test, ssdup_drain_collect(&rig->tree, DRAINED, 0, &from, &rig->plan));
	KUNIT_EXPECT_EQ(test, from, 1008);
	KUNIT_EXPECT_EQ(test, rig->plan.nr_pieces, 2);
	KUNIT_EXPECT_EQ(test, rig->plan.sectors, 8);
	ssdup_drain_join(&rig->plan);
	KUNIT_EXPECT_EQ(test, rig->plan.nr_runs, 2);
}

/* --- Pacing --- */

#define HDD	.route = SSDUP_HDD
#define SSD	.route = SSDUP_SSD
#define EAGER	.mode = SSDUP_DRAIN_EAGER
#define MANUAL	.mode = SSDUP_DRAIN_MANUAL

struct pacing_case {
	const char *name;
	struct pacing_in in;
	enum pacing_step step;
	u32 wait_ms;
};

static const struct pacing_case pacing_cases[] = {
	{ "nothing at all", { HDD }, PACING_SLEEP },
	{ "writers wait", { HDD, .waiters = 1, .sealed = 1, .hdd_inflight = 9 }, PACING_DRAIN },
	{ "writers wait, manual", { MANUAL, .waiters = 1, .sealed = 1 }, PACING_DRAIN },
	{ "writers wait, paused", { .paused = 1, .waiters = 1, .sealed = 1 }, PACING_DRAIN },
	{ "asked", { HDD, .asked = 1, .sealed = 1, .hdd_inflight = 9 }, PACING_DRAIN },
	{ "asked, manual", { MANUAL, .asked = 1, .sealed = 1 }, PACING_DRAIN },
	{ "asked, readers", { .asked = 1, .sealed = 1, .reads = 1, .took_ms = 20, .held_ms = 7 },
	  PACING_HOLD, PACING_POLL_MS },
	{ "asked, readers, held off", { .asked = 1, .sealed = 1, .reads = 1, .took_ms = 20,
					.held_ms = 20 * PACING_GENTLE }, PACING_DRAIN },
	{ "asked, readers, eager", { EAGER, .asked = 1, .sealed = 1, .reads = 1, .took_ms = 20 },
	  PACING_DRAIN },
	{ "asked, readers, writers wait", { .asked = 1, .waiters = 1, .sealed = 1, .reads = 1,
					    .took_ms = 20 }, PACING_DRAIN },
	{ "asked, paused", { .paused = 1, .asked = 1, .sealed = 1 }, PACING_DRAIN },
	{ "asked, only the open half", { .asked = 1, .dirty = 1, .spare = 1, .hdd_inflight = 9 },
	  PACING_SEAL },
	{ "asked, only the open half, manual", { MANUAL, .asked = 1, .dirty = 1, .spare = 1 },
	  PACING_SEAL },
	{ "asked, nothing held", { .asked = 1, .spare = 1, .quiet_ms = 1000 }, PACING_SLEEP },
	{ "asked, no other half can receive", { .asked = 1, .dirty = 1, .quiet_ms = 1000 },
	  PACING_SLEEP },
	{ "paused", { SSD, .paused = 1, .sealed = 1, .fill = 9000 }, PACING_SLEEP },
	{ "paused, eager", { EAGER, .paused = 1, .sealed = 1 }, PACING_SLEEP },
	{ "paused, idle", { .paused = 1, .dirty = 1, .spare = 1, .quiet_ms = 1000 }, PACING_SLEEP },
	{ "manual", { MANUAL, SSD, .sealed = 1, .quiet_ms = 1000 }, PACING_SLEEP },
	{ "manual, idle", { MANUAL, .dirty = 1, .spare = 1, .quiet_ms = 1000 }, PACING_SLEEP },
	{ "eager, busy HDD", { EAGER, HDD, .sealed = 1, .hdd_inflight = 9 }, PACING_DRAIN },
	{ "random stream, HDD free", { SSD, .sealed = 1 }, PACING_DRAIN },
	{ "random stream, HDD reads", { SSD, .sealed = 1, .hdd_inflight = 1 },
	  PACING_HOLD, PACING_POLL_MS },
	{ "sequential stream, HDD busy", { HDD, .sealed = 1, .hdd_inflight = 4 },
	  PACING_HOLD, PACING_POLL_MS },
	{ "sequential stream, between two requests", { HDD, .sealed = 1,
	  .quiet_ms = PACING_QUIET_MS - 1 }, PACING_HOLD, PACING_POLL_MS },
	{ "sequential stream, over", { HDD, .sealed = 1, .quiet_ms = PACING_QUIET_MS },
	  PACING_DRAIN },
	{ "a long request is not quiet", { HDD, .sealed = 1, .hdd_inflight = 1,
	  .quiet_ms = 100 }, PACING_HOLD, PACING_POLL_MS },
	{ "held long enough", { HDD, .sealed = 1, .hdd_inflight = 4, .held_ms = PACING_HOLD_MS },
	  PACING_DRAIN },
	{ "nearly held long enough", { HDD, .sealed = 1, .hdd_inflight = 4,
	  .held_ms = PACING_HOLD_MS - 3 }, PACING_HOLD, 3 },
	{ "half as urgent, half the hold", { HDD, .sealed = 1, .hdd_inflight = 4,
	  .fill = PACING_URGENT / 2, .held_ms = PACING_HOLD_MS / 2 }, PACING_DRAIN },
	{ "half as urgent, not yet", { HDD, .sealed = 1, .hdd_inflight = 4,
	  .fill = PACING_URGENT / 2, .held_ms = PACING_HOLD_MS / 2 - 1 }, PACING_HOLD, 1 },
	{ "urgent", { HDD, .sealed = 1, .hdd_inflight = 4, .fill = PACING_URGENT }, PACING_DRAIN },
	{ "urgent, but writes go past the log", { HDD, .patient = 1, .sealed = 1,
						  .hdd_inflight = 4, .fill = PACING_URGENT },
	  PACING_HOLD, PACING_POLL_MS },
	{ "patience ends", { HDD, .patient = 1, .sealed = 1, .hdd_inflight = 4,
			     .fill = PACING_URGENT, .held_ms = PACING_PATIENCE_MS },
	  PACING_DRAIN },
	{ "patient, writers wait", { HDD, .patient = 1, .waiters = 1, .sealed = 1,
				     .hdd_inflight = 4 }, PACING_DRAIN },
	{ "open half, in use", { HDD, .dirty = 1, .spare = 1, .quiet_ms = 100 },
	  PACING_HOLD, PACING_IDLE_MS - 100 },
	{ "open half, a request under way", { HDD, .dirty = 1, .spare = 1, .quiet_ms = 1000,
	  .hdd_inflight = 1 }, PACING_HOLD, PACING_IDLE_MS },
	{ "open half, idle", { SSD, .dirty = 1, .spare = 1, .quiet_ms = PACING_IDLE_MS },
	  PACING_SEAL },
	{ "open half, idle, no other can receive", { .dirty = 1, .quiet_ms = 1000 },
	  PACING_SLEEP },
	{ "open half, idle, empty", { .spare = 1, .quiet_ms = 1000 }, PACING_SLEEP },
	{ "writers wait, nothing sealed yet", { HDD, .waiters = 1, .spare = 1, .dirty = 1,
	  .quiet_ms = 0 }, PACING_HOLD, PACING_IDLE_MS },
};

static void pacing_case_desc(const struct pacing_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(pacing, pacing_cases, pacing_case_desc);

static void pacing_by_example(struct kunit *test)
{
	const struct pacing_case *c = test->param_value;
	struct pacing_out out = ssdup_pacing_decide(&c->in);

	KUNIT_EXPECT_EQ(test, out.step, c->step);
	KUNIT_EXPECT_EQ(test, out.wait_ms, c->wait_ms);
}

/* How long a batch is held off while the HDD is never free. */
static u32 held_off(struct kunit *test, u32 fill)
{
	struct pacing_in in = {
		HDD, .sealed = true, .dirty = true, .hdd_inflight = 4, .fill = fill,
	};
	struct pacing_out out;

	for (;;) {
		out = ssdup_pacing_decide(&in);
		if (out.step == PACING_DRAIN)
			return in.held_ms;
		KUNIT_ASSERT_EQ(test, out.step, PACING_HOLD);
		KUNIT_ASSERT_GT(test, out.wait_ms, 0);
		in.held_ms += out.wait_ms;
		KUNIT_ASSERT_LE(test, in.held_ms, PACING_HOLD_MS);
	}
}

/* Against a load that never ends, a batch still gets its turn, sooner the fuller the half. */
static void pacing_never_starves(struct kunit *test)
{
	u32 fill, held, last = U32_MAX;

	for (fill = 0; fill <= SSDUP_PCT_ONE; fill += 50) {
		held = held_off(test, fill);
		KUNIT_EXPECT_LE(test, held, last);
		last = held;
	}
	KUNIT_EXPECT_EQ(test, held_off(test, 0), PACING_HOLD_MS);
	KUNIT_EXPECT_EQ(test, held_off(test, PACING_URGENT), 0);
}

/* Whatever is going on: no wait of 0, nothing sealed in vain, who waits is served. */
static void pacing_rules(struct kunit *test)
{
	static const u32 ms[] = { 0, 1, PACING_QUIET_MS, PACING_HOLD_MS, PACING_IDLE_MS, U32_MAX };
	static const u32 fills[] = { 0, 1, PACING_URGENT - 1, PACING_URGENT, SSDUP_PCT_ONE };
	struct pacing_out out;
	u32 bits, i, j, k;
	bool beside;

	for (bits = 0; bits < 8192; bits++)
		for (i = 0; i < ARRAY_SIZE(ms); i++)
			for (j = 0; j < ARRAY_SIZE(ms); j++)
				for (k = 0; k < ARRAY_SIZE(fills); k++) {
					struct pacing_in in = {
						.mode = (bits & 3) % 3, .paused = bits & 4,
						.asked = bits & 8, .waiters = bits & 16,
						.sealed = bits & 32, .spare = bits & 64,
						.dirty = bits & 128, .route = !!(bits & 256),
						.hdd_inflight = !!(bits & 512), .fill = fills[k],
						.reads = bits & 1024, .writes = bits & 4096,
						.took_ms = bits & 2048 ? ms[i] : 0,
						.quiet_ms = ms[i], .held_ms = ms[j],
					};

					out = ssdup_pacing_decide(&in);
					KUNIT_ASSERT_EQ(test, out.step == PACING_HOLD,
							out.wait_ms != 0);
					KUNIT_ASSERT_LE(test, out.wait_ms, PACING_IDLE_MS);
					if (out.step == PACING_DRAIN)
						KUNIT_ASSERT_TRUE(test, in.sealed);
					if (out.step == PACING_SEAL)
						KUNIT_ASSERT_TRUE(test, in.dirty && in.spare &&
								  !in.sealed);
					beside = in.reads && in.mode != SSDUP_DRAIN_EAGER &&
						 in.held_ms < PACING_PATIENCE_MS;
					if (in.sealed && (in.waiters || (in.asked && !beside)))
						KUNIT_ASSERT_EQ(test, out.step, PACING_DRAIN);
					if (out.gentle)
						KUNIT_ASSERT_TRUE(test, in.reads && !in.waiters);
					KUNIT_ASSERT_EQ(test, out.spread,
							out.step == PACING_DRAIN && in.writes &&
							!in.waiters &&
							in.mode != SSDUP_DRAIN_EAGER);
				}
}

static struct kunit_case pipeline_cases[] = {
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
	KUNIT_CASE_PARAM(pacing_by_example, pacing_gen_params),
	KUNIT_CASE(pacing_never_starves),
	KUNIT_CASE(pacing_rules),
	{}
};

static struct kunit_suite pipeline_suite = {
	.name = "ssdup-pipeline",
	.test_cases = pipeline_cases,
};

kunit_test_suite(pipeline_suite);
