// SPDX-License-Identifier: GPL-2.0-only
/* invariant: 4 */
/* The free segments of a log on two SSDs, with two lifetimes of data, of log/space.c. */
#include <kunit/test.h>

#include "log/clean_list.h"
#include "log/log_internal.h"

#include "device.h"

#define LARGE		48U	/* segments of the first SSD */
#define SMALL		20U
#define NR		(LARGE + SMALL)
#define SPARE		(LOG_DRAIN_SEGMENTS + 1U)

/* Classes of the lifetimes 0 and 1 on each SSD. */
#define large		classes
#define small		(classes + 1)
#define large_late	(classes + 2)
#define small_late	(classes + 3)

static int space_test_init(struct kunit *test)
{
	device_ssds = (struct log_ssds){ .nr = 2, .segments = { LARGE, SMALL } };
	return make_device(NR, 4, 1);
}

static void space_test_exit(struct kunit *test)
{
	drop_device();
}

static bool fill_one(struct ssdup_class *to)
{
	if (!ssdup_switch(device.log, to, to->open, 0))
		return false;
	atomic64_add(log_word(1, 8), &to->open->word);
	/* Else the list of segments in the ring becomes longer than it can be. */
	list_del_init(&to->open->ring);
	return true;
}

static u32 fill_all(struct ssdup_class *to)
{
	u32 nr = 0;

	while (fill_one(to))
		nr++;
	return nr;
}

static void free_oldest(struct kunit *test, struct ssdup_class *from, u32 nr)
{
	struct drain_group g;

	KUNIT_ASSERT_TRUE(test, ssdup_group_take(device.log, from, nr, false, true, &g));
	ssdup_group_freed(device.log, &g);
}

/* Each class has segments of its SSD only, however many the other one has. */
static void a_class_is_on_one_ssd(struct kunit *test)
{
	u32 i;

	KUNIT_EXPECT_EQ(test, log_lifetimes(device.log), 2);
	KUNIT_EXPECT_EQ(test, small_late->ssd, 1);
	KUNIT_EXPECT_EQ(test, small_late->lifetime, 1);
	KUNIT_EXPECT_EQ(test, large_late->ssd, 0);
	KUNIT_EXPECT_EQ(test, fill_all(small), SMALL - SPARE - 1);
	KUNIT_EXPECT_EQ(test, ssdup_full_ssds(device.log), 2);
	KUNIT_EXPECT_FALSE(test, ssdup_segments_full(device.log));
	KUNIT_EXPECT_EQ(test, ssdup_classes_with_room(device.log), 5);
	KUNIT_EXPECT_FALSE(test, fill_one(small_late));
	KUNIT_EXPECT_TRUE(test, fill_one(large_late));
	KUNIT_EXPECT_EQ(test, fill_all(large), LARGE - SPARE - 2);
	KUNIT_EXPECT_TRUE(test, ssdup_segments_full(device.log));
	KUNIT_EXPECT_EQ(test, ssdup_free_segments(device.log), 2 * SPARE + 2);
	for (i = 0; i < NR; i++)
		if (device.log->segment[i].class)
			KUNIT_EXPECT_EQ(test, device.log->segment[i].class->ssd, i >= LARGE);
}

/* Each SSD leaves segments to its own classes: a drain of one needs none of the other. */
static void each_has_spare_segments(struct kunit *test)
{
	u32 nr;

	fill_all(small);
	for (nr = 0; ssdup_switch(device.log, small_late, small_late->open, LOG_WORD_DRAIN); nr++)
		atomic64_add(log_word(1, 8), &small_late->open->word);
	KUNIT_EXPECT_EQ(test, nr, SPARE + 1);
	KUNIT_EXPECT_TRUE(test, ssdup_drain_short(device.log));
	KUNIT_EXPECT_EQ(test, ssdup_ready_segments(device.log), 0);
	KUNIT_EXPECT_EQ(test, ssdup_free_segments(device.log), LARGE);
	KUNIT_EXPECT_TRUE(test, fill_one(large));
}

/* What is freed goes to where it is, and writers to both try again. */
static void freed_where_it_is(struct kunit *test)
{
	fill_all(small);
	fill_all(large);
	KUNIT_EXPECT_FALSE(test, ssdup_log_spent(device.log));
	free_oldest(test, large, 3);
	KUNIT_EXPECT_EQ(test, ssdup_full_ssds(device.log), 0);
	KUNIT_EXPECT_FALSE(test, fill_one(small));
	KUNIT_EXPECT_EQ(test, ssdup_full_ssds(device.log), 2);
	KUNIT_EXPECT_EQ(test, fill_all(large), 3);
	KUNIT_EXPECT_TRUE(test, ssdup_segments_full(device.log));
	free_oldest(test, small, 2);
	KUNIT_EXPECT_EQ(test, fill_all(small), 2);
}

/* A group has a part of each SSD, by what is sealed there, and none of another lifetime. */
static void a_group_has_parts(struct kunit *test)
{
	struct ssdup_segment *seg;
	struct drain_group g;
	u32 nr[2] = { }, i;

	for (i = 0; i < 31; i++)
		fill_one(large);
	for (i = 0; i < 11; i++)
		fill_one(small);
	fill_one(large_late);
	fill_one(large_late);
	KUNIT_ASSERT_TRUE(test, ssdup_group_take(device.log, small, 8, false, false, &g));
	for (seg = group_first(&g); seg; seg = group_next(&g, seg)) {
		KUNIT_EXPECT_EQ(test, seg->class->lifetime, 0);
		KUNIT_EXPECT_EQ(test, seg->state, SEGMENT_DRAINING);
		nr[seg->ssd]++;
	}
	KUNIT_EXPECT_EQ(test, nr[0], 6);
	KUNIT_EXPECT_EQ(test, nr[1], 2);
	KUNIT_EXPECT_EQ(test, g.nr, 8);
	ssdup_group_shrink(device.log, &g, 4);
	KUNIT_EXPECT_EQ(test, g.part[0].nr, 3);
	KUNIT_EXPECT_EQ(test, g.part[1].nr, 1);
	ssdup_group_set(device.log, &g, SEGMENT_WRITTEN_BACK);
	ssdup_group_freed(device.log, &g);
	KUNIT_EXPECT_EQ(test, ssdup_free_segments(device.log), NR - 44 + 4);
	KUNIT_EXPECT_EQ(test, ssdup_sealed_segments(device.log), 41 - 4);
	/* One of each at least. */
	KUNIT_ASSERT_TRUE(test, ssdup_group_take(device.log, large, 1, false, false, &g));
	KUNIT_EXPECT_EQ(test, g.part[0].nr, 1);
	KUNIT_EXPECT_EQ(test, g.part[1].nr, 1);
	ssdup_group_set(device.log, &g, SEGMENT_SEALED);
	KUNIT_EXPECT_PTR_EQ(test, large->to_drain, g.part[0].first);
	KUNIT_EXPECT_PTR_EQ(test, small->to_drain, g.part[1].first);
}

/* What is clean on one SSD is no room on another. */
static void clean_on_another_ssd(struct kunit *test)
{
	struct drain_group g;

	fill_all(small);
	fill_one(large);
	fill_one(large);
	KUNIT_ASSERT_TRUE(test, ssdup_group_take(device.log, large, 1, false, true, &g));
	group_first(&g)->kept = 100;
	ssdup_group_freed(device.log, &g);
	KUNIT_EXPECT_EQ(test, ssdup_coming_segments(device.log, 0), 1);
	KUNIT_EXPECT_EQ(test, ssdup_coming_segments(device.log, 1), 0);
	KUNIT_EXPECT_FALSE(test, fill_one(small));
	KUNIT_EXPECT_EQ(test, ssdup_full_ssds(device.log), 2);
	ssdup_clean_forgotten(device.log, ssdup_clean_take(device.log, 0));
	KUNIT_EXPECT_EQ(test, ssdup_coming_segments(device.log, 0), 0);
}

/* SSDs take turns, a batch is of one of them, and it comes back there. */
static void discards_by_ssd(struct kunit *test)
{
	u32 i, nr, seen = 0;
	LIST_HEAD(batch);

	for (i = 0; i < 6; i++) {
		fill_one(large);
		fill_one(small);
	}
	free_oldest(test, large, 4);
	free_oldest(test, small, 4);
	for (i = 0; i < 2; i++) {
		nr = ssdup_discard_begin(device.log, 4, &batch);
		KUNIT_ASSERT_EQ(test, nr, 4);
		KUNIT_EXPECT_EQ(test, ssdup_discarding_segments(device.log), nr);
		seen |= BIT(list_first_entry(&batch, struct ssdup_segment, list)->ssd);
		KUNIT_EXPECT_EQ(test, list_first_entry(&batch, struct ssdup_segment, list)->ssd,
				list_last_entry(&batch, struct ssdup_segment, list)->ssd);
		ssdup_discard_end(device.log, &batch);
		INIT_LIST_HEAD(&batch);
	}
	KUNIT_EXPECT_EQ(test, seen, 3);
	KUNIT_EXPECT_EQ(test, ssdup_discard_begin(device.log, 4, &batch), 0);
	KUNIT_EXPECT_EQ(test, ssdup_free_segments(device.log), NR - 4);
	KUNIT_EXPECT_EQ(test, fill_all(small), SMALL - SPARE - 1 - 2);
}

/* Copies of what was read go to the SSD with more room, and leave what writers need. */
static void copies_where_there_is_room(struct kunit *test)
{
	struct ssdup_segment *seg = ssdup_copies_take(device.log);

	KUNIT_ASSERT_PTR_NE(test, seg, NULL);
	KUNIT_EXPECT_EQ(test, seg->ssd, 0);
	fill_all(large);
	seg = ssdup_copies_take(device.log);
	KUNIT_ASSERT_PTR_NE(test, seg, NULL);
	KUNIT_EXPECT_EQ(test, seg->ssd, 1);
	fill_all(small);
	while (ssdup_copies_take(device.log))
		;
	KUNIT_EXPECT_EQ(test, ssdup_free_segments(device.log), 2 * SPARE);
}

static struct kunit_case space_cases[] = {
	KUNIT_CASE(a_class_is_on_one_ssd),
	KUNIT_CASE(each_has_spare_segments),
	KUNIT_CASE(freed_where_it_is),
	KUNIT_CASE(a_group_has_parts),
	KUNIT_CASE(clean_on_another_ssd),
	KUNIT_CASE(discards_by_ssd),
	KUNIT_CASE(copies_where_there_is_room),
	{}
};

static struct kunit_suite space_suite = {
	.name = "ssdup-space",
	.test_cases = space_cases,
	.init = space_test_init,
	.exit = space_test_exit,
};

kunit_test_suite(space_suite);
