// SPDX-License-Identifier: GPL-2.0-only
/* invariant: 4 */
/*
 * The segments of several classes, of segments.c, which segments_test.c includes.
 */
#include <kunit/test.h>

#include "log/log_internal.h"

#include "device.h"

#define NR		12U
#define CLASSES		3U

static int class_test_init(struct kunit *test)
{
	return make_device(NR, CLASSES, 5);
}

static void class_test_exit(struct kunit *test)
{
	drop_device();
}

static u64 oldest_sealed(struct ssdup_class *class)
{
	bool empty;

	return ssdup_oldest_sealed(device.log, class, &empty);
}

static bool oldest_empty(struct ssdup_class *class)
{
	bool empty;

	ssdup_oldest_sealed(device.log, class, &empty);
	return empty;
}

static void log_to(struct kunit *test, struct ssdup_class *to)
{
	KUNIT_ASSERT_TRUE(test, ssdup_switch(device.log, to, to->open, 0));
	atomic64_add(log_word(1, 8), &to->open->word);
}

static void free_oldest(struct kunit *test, struct ssdup_class *from)
{
	struct drain_group g;

	KUNIT_ASSERT_TRUE(test, ssdup_group_take(device.log, from, 1, false, false, &g));
	KUNIT_EXPECT_PTR_EQ(test, group_first(&g)->class, from);
	ssdup_group_freed(device.log, &g);
}

/* Each has its own generations and segments, and pages in its own ring. */
static void classes_are_apart(struct kunit *test)
{
	struct ssdup_segment *seg = device.log->segment, *ring[NR];
	struct drain_group g;

	KUNIT_EXPECT_EQ(test, ssdup_open_generation(device.log, &classes[0]), 6);
	log_to(test, &classes[1]);
	log_to(test, &classes[2]);
	log_to(test, &classes[1]);
	KUNIT_EXPECT_EQ(test, seg[0].generation, 7);
	KUNIT_EXPECT_EQ(test, seg[1].generation, 5);
	KUNIT_EXPECT_EQ(test, seg[2].generation, 10);
	KUNIT_EXPECT_EQ(test, seg[1].base, 0);
	KUNIT_EXPECT_EQ(test, seg[2].base, 1);
	KUNIT_EXPECT_EQ(test, ssdup_segments_in_ring(device.log, &classes[1], ring), 2);
	KUNIT_EXPECT_EQ(test, ssdup_segments_in_ring(device.log, &classes[0], ring), 0);
	KUNIT_EXPECT_EQ(test, oldest_sealed(&classes[1]), 7);
	KUNIT_EXPECT_EQ(test, oldest_sealed(&classes[2]), U64_MAX);
	KUNIT_EXPECT_FALSE(test, ssdup_group_take(device.log, &classes[2], NR, false, false, &g));
	KUNIT_EXPECT_FALSE(test, ssdup_drained(device.log, &classes[1], 7));
	KUNIT_EXPECT_TRUE(test, ssdup_drained(device.log, &classes[1], 6));
	KUNIT_EXPECT_TRUE(test, ssdup_drained(device.log, &classes[0], 100));
	free_oldest(test, &classes[1]);
	KUNIT_EXPECT_TRUE(test, ssdup_drained(device.log, &classes[1], 9));
	KUNIT_EXPECT_EQ(test, seg[1].state, SEGMENT_OPEN);
}

/* What was its open segment may be open for another one. */
static void a_freed_segment_is_nobodys(struct kunit *test)
{
	struct ssdup_segment *seg;
	u32 i;

	log_to(test, &classes[2]);
	seg = classes[2].open;
	ssdup_seal(device.log, &classes[2], false);
	free_oldest(test, &classes[2]);
	KUNIT_EXPECT_PTR_NE(test, classes[2].open, seg);
	for (i = 0; i < NR && classes[1].open != seg; i++) {
		log_to(test, &classes[1]);
		if (i)
			free_oldest(test, &classes[1]);
	}
	KUNIT_ASSERT_PTR_EQ(test, classes[1].open, seg);
	KUNIT_EXPECT_PTR_EQ(test, seg->class, &classes[1]);
	KUNIT_EXPECT_TRUE(test, ssdup_open_dirty(&classes[1], true));
	KUNIT_EXPECT_FALSE(test, ssdup_open_dirty(&classes[2], true));
}

/* Each class needs a segment of its own for what a drain relocates. */
static void each_has_a_spare_segment(struct kunit *test)
{
	u32 i;

	while (ssdup_free_segments(device.log) > LOG_DRAIN_SEGMENTS + CLASSES - 1)
		log_to(test, &classes[1]);
	for (i = 0; i < CLASSES; i++) {
		KUNIT_EXPECT_FALSE(test, ssdup_switch(device.log, &classes[i], classes[i].open, 0));
		KUNIT_EXPECT_TRUE(test, ssdup_switch(device.log, &classes[i], classes[i].open,
						     LOG_WORD_DRAIN));
		KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&classes[i].open->word), LOG_WORD_DRAIN);
	}
	/* Writers get them as soon as more are free. */
	for (i = 0; i < CLASSES + 1; i++)
		free_oldest(test, &classes[1]);
	for (i = 0; i < CLASSES; i++)
		KUNIT_EXPECT_EQ(test, atomic64_read(&classes[i].open->word), 0);
}

/* Those in front of the first of which something would have to be written. */
static void empty_ones_are_a_group(struct kunit *test)
{
	struct ssdup_segment *seg = device.log->segment;
	struct drain_group g;
	u32 i;

	KUNIT_EXPECT_FALSE(test, oldest_empty(classes));
	for (i = 0; i < 5; i++)
		log_to(test, classes);
	atomic64_set(&seg[2].live, 8);
	KUNIT_EXPECT_TRUE(test, oldest_empty(classes));
	KUNIT_ASSERT_TRUE(test, ssdup_group_take(device.log, classes, NR, true, false, &g));
	KUNIT_EXPECT_EQ(test, g.nr, 2);
	ssdup_group_freed(device.log, &g);
	KUNIT_EXPECT_FALSE(test, oldest_empty(classes));
	KUNIT_EXPECT_FALSE(test, ssdup_group_take(device.log, classes, NR, true, false, &g));
	KUNIT_ASSERT_TRUE(test, ssdup_group_take(device.log, classes, NR, false, false, &g));
	KUNIT_EXPECT_EQ(test, g.nr, 2);
}

static struct kunit_case segments_class_cases[] = {
	KUNIT_CASE(classes_are_apart),
	KUNIT_CASE(a_freed_segment_is_nobodys),
	KUNIT_CASE(each_has_a_spare_segment),
	KUNIT_CASE(empty_ones_are_a_group),
	{ }
};

static struct kunit_suite segments_class_suite = {
	.name = "ssdup-segments-class",
	.init = class_test_init,
	.exit = class_test_exit,
	.test_cases = segments_class_cases,
};

kunit_test_suite(segments_class_suite);
