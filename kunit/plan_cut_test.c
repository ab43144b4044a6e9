// SPDX-License-Identifier: GPL-2.0-only
/* invariant: 7 */
/* What cannot be read of a piece is cut out, which keeps it off the HDD. */
#include <kunit/test.h>

#include "core/plan.h"
#include "prng.h"

#define PIECE		400U	/* sectors, at most */
#define BLOCKS		(PIECE / DRAIN_BLOCK)
#define PIECES		(BLOCKS + 2)
#define PLACE		(BIT_ULL(35) + 5000)	/* on the SSD */

struct rig {
	struct drain_piece	pieces[PIECES];
	struct drain_run	runs[PIECES];
	struct drain_plan	plan;
	bool			bad[BLOCKS];
	u8			seen[PIECE + 32];
};

/* Three neighbours on the HDD; the middle one is @sectors long. */
static struct rig *rig_new(struct kunit *test, u32 sectors)
{
	struct rig *rig = kunit_kzalloc(test, sizeof(*rig), GFP_KERNEL);
	u32 i, at = 0;

	KUNIT_ASSERT_NOT_NULL(test, rig);
	for (i = 0; i < 3; i++) {
		rig->pieces[i] = (struct drain_piece){
			.start = 1000 + at, .sectors = i == 1 ? sectors : 16, .offset = at,
			.pos = PLACE + at, .seq = i + 1,
			.kind = SSDUP_KIND_DATA,
		};
		at += rig->pieces[i].sectors;
	}
	rig->plan = (struct drain_plan){
		.pieces = rig->pieces, .runs = rig->runs, .max_run = 10000, .nr_pieces = 3,
		.sectors = at,
	};
	return rig;
}

/* As a drain does it: each stretch of bad blocks is cut out, from the front on. */
static void cut_stretches(struct rig *rig)
{
	const struct drain_piece all = rig->pieces[1];
	u32 piece = 1, at = 0, bad;

	while (at < all.sectors) {
		for (bad = 0; at + bad < all.sectors && rig->bad[(at + bad) / DRAIN_BLOCK]; bad++)
			;
		if (bad)
			piece = ssdup_plan_cut(&rig->plan, piece, all.start + at, bad);
		at = min(round_down(at + bad, DRAIN_BLOCK) + DRAIN_BLOCK, all.sectors);
	}
}

/* What is left is what can be read, in its place on both disks and in the buffer. */
static void check_left(struct kunit *test, struct rig *rig, u32 sectors)
{
	const struct drain_plan *plan = &rig->plan;
	u32 i, j, at;

	memset(rig->seen, 0, sizeof(rig->seen));
	for (i = 0; i < plan->nr_pieces; i++) {
		const struct drain_piece *p = &plan->pieces[i];

		KUNIT_ASSERT_GT(test, p->sectors, 0);
		if (p->kind == SSDUP_KIND_NONE)
			continue;
		at = p->start - 1000;
		KUNIT_ASSERT_EQ(test, p->offset, at);
		KUNIT_ASSERT_EQ(test, p->pos, PLACE + at);
		KUNIT_ASSERT_EQ(test, p->seq, at < 16 ? 1 : at < 16 + sectors ? 2 : 3);
		for (j = 0; j < p->sectors; j++)
			rig->seen[at + j]++;
	}
	for (i = 0; i < sectors + 32; i++) {
		bool bad = i >= 16 && i < 16 + sectors && rig->bad[(i - 16) / DRAIN_BLOCK];

		KUNIT_ASSERT_EQ(test, rig->seen[i], !bad);
	}
}

/* A run that is written covers nothing that could not be read. */
static void check_runs(struct kunit *test, struct rig *rig)
{
	const struct drain_run *run;
	u32 i, j, sectors;

	ssdup_plan_join(&rig->plan);
	for (i = 0; i < rig->plan.nr_runs; i++) {
		run = &rig->plan.runs[i];
		for (j = 0, sectors = 0; j < run->nr; j++) {
			KUNIT_ASSERT_EQ(test, rig->pieces[run->first + j].kind, run->kind);
			sectors += rig->pieces[run->first + j].sectors;
		}
		KUNIT_ASSERT_EQ(test, run->sectors, sectors);
	}
}

static void what_is_unreadable_is_cut_out(struct kunit *test)
{
	struct prng r = { .state = 8 };
	u32 round, i, sectors, odds;
	struct rig *rig;

	for (round = 0; round < 500; round++) {
		sectors = prng_between(&r, 1, PIECE);
		odds = prng_between(&r, 1, 12);
		rig = rig_new(test, sectors);
		for (i = 0; i < BLOCKS; i++)
			rig->bad[i] = !prng_below(&r, odds);
		cut_stretches(rig);
		check_left(test, rig, sectors);
		check_runs(test, rig);
	}
}

static void all_or_nothing(struct kunit *test)
{
	struct rig *rig = rig_new(test, 80);

	cut_stretches(rig);
	KUNIT_EXPECT_EQ(test, rig->plan.nr_pieces, 3);
	check_left(test, rig, 80);
	memset(rig->bad, true, sizeof(rig->bad));
	cut_stretches(rig);
	KUNIT_EXPECT_EQ(test, rig->plan.nr_pieces, 3);
	KUNIT_EXPECT_EQ(test, rig->pieces[1].kind, SSDUP_KIND_NONE);
	check_left(test, rig, 80);
}

static struct kunit_case plan_cut_cases[] = {
	KUNIT_CASE(what_is_unreadable_is_cut_out),
	KUNIT_CASE(all_or_nothing),
	{}
};

static struct kunit_suite plan_cut_suite = {
	.name = "ssdup-plan-cut",
	.test_cases = plan_cut_cases,
};

kunit_test_suite(plan_cut_suite);
