// SPDX-License-Identifier: GPL-2.0-only
/* What cannot be read of a piece: the search for it, and the cut that keeps it off the HDD. */
#include <kunit/test.h>

#include "../dm-ssdup/core/plan.h"
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

/* As a drain does it, with a disk that refuses the blocks that are bad. Return: reads. */
static u32 search_and_cut(struct kunit *test, struct rig *rig)
{
	u32 sectors = rig->pieces[1].sectors, piece = 1, done = 0, reads = 0, i;
	struct drain_part part, last = { };
	struct drain_search s;
	bool failed;

	for (ssdup_plan_search_begin(&s, sectors); s.next.sectors; reads++) {
		KUNIT_ASSERT_LE(test, s.next.at + s.next.sectors, sectors);
		KUNIT_ASSERT_LT(test, reads, 3 * BLOCKS);
		for (i = s.next.at, failed = false; i < s.next.at + s.next.sectors; i++)
			failed |= rig->bad[i / DRAIN_BLOCK];
		if (!ssdup_plan_search_next(&s, failed, &part))
			continue;
		/* In order, and in one piece what is one stretch. */
		KUNIT_ASSERT_GT(test, part.sectors, 0);
		if (last.sectors)
			KUNIT_ASSERT_GT(test, part.at, last.at + last.sectors);
		last = part;
		part.at -= done;
		done += part.at + part.sectors;
		piece = ssdup_plan_cut(&rig->plan, piece, &part);
	}
	return reads;
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
		search_and_cut(test, rig);
		check_left(test, rig, sectors);
		check_runs(test, rig);
	}
}

/* All of a piece, and nothing: no piece is lost, for the disk may have thought better of it. */
static void all_or_nothing(struct kunit *test)
{
	struct rig *rig = rig_new(test, 80);

	KUNIT_EXPECT_LE(test, search_and_cut(test, rig), 3);
	KUNIT_EXPECT_EQ(test, rig->plan.nr_pieces, 3);
	check_left(test, rig, 80);
	memset(rig->bad, true, sizeof(rig->bad));
	KUNIT_EXPECT_LE(test, search_and_cut(test, rig), 80 / DRAIN_BLOCK + 4);
	KUNIT_EXPECT_EQ(test, rig->plan.nr_pieces, 3);
	KUNIT_EXPECT_EQ(test, rig->pieces[1].kind, SSDUP_KIND_NONE);
	check_left(test, rig, 80);
}

/* One bad block costs reads by the logarithm of the piece. */
static void one_block_is_found_soon(struct kunit *test)
{
	struct rig *rig;
	u32 i;

	for (i = 0; i < BLOCKS; i++) {
		rig = rig_new(test, PIECE);
		rig->bad[i] = true;
		KUNIT_EXPECT_LE(test, search_and_cut(test, rig), 24);
		check_left(test, rig, PIECE);
	}
}

static struct kunit_case plan_cut_cases[] = {
	KUNIT_CASE(what_is_unreadable_is_cut_out),
	KUNIT_CASE(all_or_nothing),
	KUNIT_CASE(one_block_is_found_soon),
	{}
};

static struct kunit_suite plan_cut_suite = {
	.name = "ssdup-plan-cut",
	.test_cases = plan_cut_cases,
};

kunit_test_suite(plan_cut_suite);
