// SPDX-License-Identifier: GPL-2.0-only
/* invariant: 4 */
/*
 * Drain groups of so many segments that the lock is let go in between; groups.c is that of
 * segments_test.c.
 */
#include <kunit/test.h>

#include "log/log_internal.h"

#include "device.h"

#define NR		512U
#define SEALED		300U

/* A log of which SEALED segments are sealed: generations 1 and up. */
static int groups_test_init(struct kunit *test)
{
	u32 i;

	if (make_device(NR, 1, 1))
		return -ENOMEM;
	for (i = 0; i <= SEALED; i++) {
		if (!ssdup_switch(device.log, classes, classes->open, 0))
			return -ENOSPC;
		atomic64_add(log_word(1, 8), &classes->open->word);
		/* Else the list of segments in the ring becomes longer than it can be. */
		list_del_init(&classes->open->ring);
	}
	return 0;
}

static void groups_test_exit(struct kunit *test)
{
	drop_device();
}

static u64 oldest(void)
{
	bool empty;

	return ssdup_oldest_sealed(device.log, classes, &empty);
}

/* The states of the generations from 1 on: so many written back, drained, and sealed. */
static void expect_states(struct kunit *test, u32 written, u32 draining, u32 sealed)
{
	u32 nr[SEGMENT_WRITTEN_BACK + 1] = { };
	enum segment_state last = SEGMENT_WRITTEN_BACK;
	struct ssdup_segment *seg;

	list_for_each_entry(seg, &classes->sealed, list) {
		/* They come in this order, of which each is a number less. */
		KUNIT_EXPECT_LE(test, seg->state, last);
		last = seg->state;
		nr[seg->state]++;
	}
	KUNIT_EXPECT_EQ(test, nr[SEGMENT_WRITTEN_BACK], written);
	KUNIT_EXPECT_EQ(test, nr[SEGMENT_DRAINING], draining);
	KUNIT_EXPECT_EQ(test, nr[SEGMENT_SEALED], sealed);
	KUNIT_EXPECT_EQ(test, ssdup_sealed_segments(device.log), written + draining + sealed);
	KUNIT_EXPECT_EQ(test, classes->nr_sealed, written + draining + sealed);
}

static void expect_group(struct kunit *test, const struct drain_group *g, u64 first, u32 nr)
{
	struct ssdup_segment *seg;
	u64 generation = first;

	KUNIT_ASSERT_EQ(test, g->nr, nr);
	KUNIT_EXPECT_EQ(test, g->sectors, 8 * nr);
	for (seg = group_first(g); seg; seg = group_next(g, seg))
		KUNIT_EXPECT_EQ(test, seg->generation, generation++);
	KUNIT_EXPECT_EQ(test, generation, first + nr);
}

/* Sizes around the number of segments that are looked at without a pause. */
static const u32 group_sizes[] = { 1, 63, 64, 65, 127, 128, 129, SEALED - 1, SEALED };

static void group_size_desc(const u32 *size, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u segments", *size);
}

KUNIT_ARRAY_PARAM(group_size, group_sizes, group_size_desc);

static void taken_and_freed(struct kunit *test)
{
	const u32 size = *(const u32 *)test->param_value, rest = SEALED - size;
	struct drain_group g, next;

	KUNIT_ASSERT_TRUE(test, ssdup_group_take(device.log, classes, size, false, false, &g));
	expect_group(test, &g, 1, size);
	expect_states(test, 0, size, rest);
	KUNIT_EXPECT_EQ(test, oldest(), 1);

	ssdup_group_set(device.log, &g, SEGMENT_WRITTEN_BACK);
	expect_states(test, size, 0, rest);
	KUNIT_EXPECT_EQ(test, oldest(), rest ? size + 1 : U64_MAX);
	/* The next one is copied while this one is freed. */
	KUNIT_EXPECT_EQ(test, ssdup_group_take(device.log, classes, NR, false, false, &next),
			!!rest);
	if (rest)
		expect_group(test, &next, size + 1, rest);
	ssdup_group_freed(device.log, &g);
	expect_states(test, 0, rest, 0);
	KUNIT_EXPECT_EQ(test, ssdup_free_segments(device.log), NR - 1 - rest);
	KUNIT_EXPECT_EQ(test, stats_sum(&device.stats->count[STAT_FREES]), size);
}

/* The flush of a group fails while the next one is copied: both are drained again, in order. */
static void set_back_and_taken_again(struct kunit *test)
{
	const u32 size = *(const u32 *)test->param_value, rest = SEALED - size;
	struct drain_group g, next;

	KUNIT_ASSERT_TRUE(test, ssdup_group_take(device.log, classes, size, false, false, &g));
	ssdup_group_set(device.log, &g, SEGMENT_WRITTEN_BACK);
	if (ssdup_group_take(device.log, classes, NR, false, false, &next)) {
		ssdup_group_set(device.log, &g, SEGMENT_SEALED);
		KUNIT_EXPECT_EQ(test, oldest(), 1);
		ssdup_group_set(device.log, &next, SEGMENT_SEALED);
	} else {
		ssdup_group_set(device.log, &g, SEGMENT_SEALED);
	}
	expect_states(test, 0, 0, SEALED);
	KUNIT_EXPECT_EQ(test, oldest(), 1);
	KUNIT_ASSERT_TRUE(test, ssdup_group_take(device.log, classes, size + rest / 2, false, false,
						 &g));
	expect_group(test, &g, 1, size + rest / 2);
}

/* What a group lets go is taken next. */
static void shrunk_and_taken(struct kunit *test)
{
	const u32 size = *(const u32 *)test->param_value;
	struct drain_group g, next;

	KUNIT_ASSERT_TRUE(test, ssdup_group_take(device.log, classes, NR, false, false, &g));
	ssdup_group_shrink(device.log, &g, size);
	expect_group(test, &g, 1, size);
	expect_states(test, 0, size, SEALED - size);
	ssdup_group_set(device.log, &g, SEGMENT_WRITTEN_BACK);
	KUNIT_EXPECT_EQ(test, ssdup_group_take(device.log, classes, NR, false, false, &next),
			size < SEALED);
	if (size < SEALED)
		expect_group(test, &next, size + 1, SEALED - size);
}

/* A segment that is sealed while nothing is to be drained is the next to be. */
static void sealed_later(struct kunit *test)
{
	struct drain_group g;

	KUNIT_ASSERT_TRUE(test, ssdup_group_take(device.log, classes, NR, false, false, &g));
	ssdup_group_set(device.log, &g, SEGMENT_WRITTEN_BACK);
	KUNIT_EXPECT_EQ(test, oldest(), U64_MAX);
	ssdup_seal(device.log, classes, false);
	KUNIT_EXPECT_EQ(test, oldest(), SEALED + 1);
	KUNIT_ASSERT_TRUE(test, ssdup_group_take(device.log, classes, NR, false, false, &g));
	expect_group(test, &g, SEALED + 1, 1);
}

static struct kunit_case groups_test_cases[] = {
	KUNIT_CASE_PARAM(taken_and_freed, group_size_gen_params),
	KUNIT_CASE_PARAM(set_back_and_taken_again, group_size_gen_params),
	KUNIT_CASE_PARAM(shrunk_and_taken, group_size_gen_params),
	KUNIT_CASE(sealed_later),
	{}
};

static struct kunit_suite groups_test_suite = {
	.name = "ssdup-groups",
	.init = groups_test_init,
	.exit = groups_test_exit,
	.test_cases = groups_test_cases,
};

kunit_test_suite(groups_test_suite);
