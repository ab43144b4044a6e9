// SPDX-License-Identifier: GPL-2.0-only
/* invariant: 4 9 */
/*
 * Segments that stay clean when they are freed, and those that wait for reads; the files are those
 * of segments_test.c.
 */
#include <kunit/test.h>

#include "commit_soon.h"
#include "log/clean_list.h"
#include "segments_device.h"

static int segments_clean_test_init(struct kunit *test)
{
	clean_kicks = 0;
	return make_device(NR, 1, 1);
}

static void segments_clean_test_exit(struct kunit *test)
{
	drop_device();
}

/* The oldest group becomes free, and its youngest segments clean. */
static void keep_oldest(struct kunit *test, u32 nr, u32 keep)
{
	struct ssdup_segment *seg;
	struct drain_group g;
	u32 i = 0;

	KUNIT_ASSERT_TRUE(test, ssdup_group_take(device.log, classes, nr, false, false, &g));
	for (seg = group_first(&g); seg; seg = group_next(&g, seg))
		seg->kept = i++ < g.nr - keep ? 0 : 1000;
	ssdup_group_freed(device.log, &g);
}

/* They count as free, but are opened only after they were forgotten, the oldest first. */
static void clean_is_not_opened(struct kunit *test)
{
	struct ssdup_segment *seg;

	write_segments(test, 5);
	keep_oldest(test, 4, 3);
	KUNIT_EXPECT_EQ(test, ssdup_clean_segments(device.log), 3);
	KUNIT_EXPECT_EQ(test, ssdup_clean_bytes(device.log), 3000);
	KUNIT_EXPECT_EQ(test, ssdup_free_segments(device.log), NR - 1);
	KUNIT_EXPECT_EQ(test, ssdup_ready_segments(device.log), NR - 4);
	/* Few are ready: each switch says so. */
	write_segments(test, 2);
	KUNIT_EXPECT_EQ(test, clean_kicks, 2);
	/* None is, but that is no reason to drain. */
	KUNIT_EXPECT_FALSE(test, writer_switches());
	KUNIT_EXPECT_EQ(test, clean_kicks, 3);
	KUNIT_EXPECT_FALSE(test, ssdup_segments_full(device.log));

	seg = ssdup_clean_take(device.log, 0);
	KUNIT_ASSERT_PTR_EQ(test, seg, &device.log->segment[1]);
	KUNIT_EXPECT_EQ(test, ssdup_clean_bytes(device.log), 2000);
	KUNIT_EXPECT_FALSE(test, writer_switches());
	ssdup_clean_forgotten(device.log, seg);
	KUNIT_EXPECT_TRUE(test, writer_switches());
	ssdup_clean_forgotten(device.log, ssdup_clean_take(device.log, 0));
	ssdup_clean_forgotten(device.log, ssdup_clean_take(device.log, 0));
	KUNIT_EXPECT_PTR_EQ(test, ssdup_clean_take(device.log, 0), NULL);
	KUNIT_EXPECT_EQ(test, ssdup_clean_bytes(device.log), 0);
	/* With none left that is clean, a log without a ready segment is full. */
	log_entries(1);
	write_segments(test, 1);
	while (writer_switches())
		log_entries(1);
	KUNIT_EXPECT_TRUE(test, ssdup_segments_full(device.log));
}

/* A read that is in flight keeps a segment from being opened, clean before or not. */
static void reads_pin(struct kunit *test)
{
	struct ssdup_segment *seg = device.log->segment;

	write_segments(test, 3);
	atomic_set(&seg[0].reads, 1);
	atomic_set(&seg[1].reads, 2);
	keep_oldest(test, 2, 1);
	KUNIT_EXPECT_EQ(test, seg[0].state, SEGMENT_FORGOTTEN);
	KUNIT_EXPECT_EQ(test, seg[1].state, SEGMENT_CLEAN);
	KUNIT_EXPECT_EQ(test, ssdup_free_segments(device.log), NR - 2);
	ssdup_clean_forgotten(device.log, ssdup_clean_take(device.log, 0));
	KUNIT_EXPECT_EQ(test, seg[1].state, SEGMENT_FORGOTTEN);
	KUNIT_EXPECT_FALSE(test, ssdup_clean_unpin(device.log));
	KUNIT_EXPECT_EQ(test, ssdup_free_segments(device.log), NR - 3);

	ssdup_put_read(device.log, &seg[1]);
	KUNIT_EXPECT_EQ(test, clean_kicks, 0);
	ssdup_put_read(device.log, &seg[0]);
	KUNIT_EXPECT_EQ(test, clean_kicks, 1);
	KUNIT_EXPECT_TRUE(test, ssdup_clean_unpin(device.log));
	KUNIT_EXPECT_EQ(test, seg[0].state, SEGMENT_FREE);
	KUNIT_EXPECT_EQ(test, seg[1].state, SEGMENT_FORGOTTEN);
	ssdup_put_read(device.log, &seg[1]);
	KUNIT_EXPECT_EQ(test, clean_kicks, 2);
	KUNIT_EXPECT_TRUE(test, ssdup_clean_unpin(device.log));
	KUNIT_EXPECT_EQ(test, ssdup_free_segments(device.log), NR - 1);
}

static void begin_copies(struct kunit *test, u32 index)
{
	struct ssdup_segment *seg = ssdup_copies_take(device.log);

	KUNIT_ASSERT_PTR_EQ(test, seg, &device.log->segment[index]);
	ssdup_copies_begin(device.log, seg);
}

/* Copies fill a segment of their own from its start, and it is not opened before they are there. */
static void copies_fill_a_segment(struct kunit *test)
{
	u32 most = device.log->g.data_sectors;
	struct ssdup_segment *seg;
	u64 pos;

	KUNIT_EXPECT_PTR_EQ(test, ssdup_copies_place(device.log, 8, &pos), NULL);
	KUNIT_EXPECT_FALSE(test, ssdup_copies_filling(device.log));
	begin_copies(test, 0);
	KUNIT_EXPECT_TRUE(test, ssdup_copies_filling(device.log));
	KUNIT_EXPECT_EQ(test, ssdup_clean_segments(device.log), 1);
	KUNIT_EXPECT_EQ(test, ssdup_free_segments(device.log), NR);
	KUNIT_EXPECT_EQ(test, ssdup_ready_segments(device.log), NR - 1);
	seg = ssdup_copies_place(device.log, 8, &pos);
	KUNIT_ASSERT_PTR_EQ(test, seg, &device.log->segment[0]);
	KUNIT_EXPECT_EQ(test, pos, log_data_sector(&device.log->g, 0, 0));
	KUNIT_EXPECT_PTR_EQ(test, ssdup_copies_place(device.log, most - 8, &pos), seg);
	KUNIT_EXPECT_EQ(test, pos, log_data_sector(&device.log->g, 0, 0) + 8);
	KUNIT_EXPECT_EQ(test, ssdup_copied(device.log), most);
	KUNIT_EXPECT_PTR_EQ(test, ssdup_copies_place(device.log, 1, &pos), NULL);
	KUNIT_EXPECT_FALSE(test, ssdup_copies_filling(device.log));

	KUNIT_EXPECT_PTR_EQ(test, ssdup_clean_take(device.log, 1), seg);
	ssdup_clean_forgotten(device.log, seg);
	ssdup_put_read(device.log, seg);
	KUNIT_EXPECT_FALSE(test, ssdup_clean_unpin(device.log));
	ssdup_put_read(device.log, seg);
	KUNIT_EXPECT_TRUE(test, ssdup_clean_unpin(device.log));
	KUNIT_EXPECT_EQ(test, ssdup_ready_segments(device.log), NR);
}

/* What was written goes first, unless the segments with copies are too many. */
static void copies_have_a_part(struct kunit *test)
{
	struct ssdup_segment *seg = device.log->segment;

	write_segments(test, 3);
	keep_oldest(test, 2, 2);
	begin_copies(test, 3);
	begin_copies(test, 4);
	KUNIT_EXPECT_EQ(test, ssdup_clean_segments(device.log), 4);
	KUNIT_EXPECT_EQ(test, ssdup_copies_segments(device.log), 2);
	KUNIT_EXPECT_PTR_EQ(test, ssdup_clean_take(device.log, 2), &seg[0]);
	ssdup_clean_forgotten(device.log, &seg[0]);
	KUNIT_EXPECT_PTR_EQ(test, ssdup_clean_take(device.log, 1), &seg[3]);
	ssdup_clean_forgotten(device.log, &seg[3]);
	KUNIT_EXPECT_TRUE(test, ssdup_copies_filling(device.log));
	KUNIT_EXPECT_PTR_EQ(test, ssdup_clean_take(device.log, 1), &seg[1]);
	ssdup_clean_forgotten(device.log, &seg[1]);
	/* The one that is being filled, if nothing else is left. */
	KUNIT_EXPECT_PTR_EQ(test, ssdup_clean_take(device.log, 1), &seg[4]);
	ssdup_clean_forgotten(device.log, &seg[4]);
	KUNIT_EXPECT_FALSE(test, ssdup_copies_filling(device.log));
	KUNIT_EXPECT_PTR_EQ(test, ssdup_clean_take(device.log, 1), NULL);
	KUNIT_EXPECT_EQ(test, ssdup_copies_segments(device.log), 0);
}

static struct kunit_case segments_clean_cases[] = {
	KUNIT_CASE(clean_is_not_opened),
	KUNIT_CASE(reads_pin),
	KUNIT_CASE(copies_fill_a_segment),
	KUNIT_CASE(copies_have_a_part),
	{}
};

static struct kunit_suite segments_clean_suite = {
	.name = "ssdup-segments-clean",
	.init = segments_clean_test_init,
	.exit = segments_clean_test_exit,
	.test_cases = segments_clean_cases,
};

kunit_test_suite(segments_clean_suite);
