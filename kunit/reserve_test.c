// SPDX-License-Identifier: GPL-2.0-only
/* invariant: 7 8 */
/*
 * Places in the log, and the nodes that come with them. What reserve.c and nodes.c call of other
 * files is that of segments.c, and the stubs, of segments_test.c.
 */
#include <kunit/test.h>

#include "log/reserve.h"

#include "log/nodes.c"
#include "log/reserve.c"
#include "device.h"

#define NR		256U

static int make_rings(struct kunit *test, u32 nr_classes)
{
	u32 i;

	if (make_device(NR, nr_classes, 1) || ssdup_nodes_create(device.log))
		return -ENOMEM;
	for (i = 0; i < device.log->classes.nr; i++) {
		classes[i].ring = kunit_kcalloc(test, SSDUP_RING, sizeof(*classes[i].ring),
						GFP_KERNEL);
		if (!classes[i].ring)
			return -ENOMEM;
	}
	return 0;
}

static int reserve_test_init(struct kunit *test)
{
	return make_rings(test, 1);
}

static void reserve_test_exit(struct kunit *test)
{
	u32 i;

	for (i = 0; i < NR; i++)
		ssdup_free_arrays(device.log, &device.log->segment[i]);
	ssdup_nodes_destroy(device.log);
	drop_device();
}

static int reserve_test_suite_init(struct kunit_suite *suite)
{
	return ssdup_nodes_init();
}

static void reserve_test_suite_exit(struct kunit_suite *suite)
{
	ssdup_nodes_exit();
}

/* --- Alignment --- */

struct aligned_case {
	const char *name;
	u32 block;
	u32 start;
	u32 sectors;
	int result;
};

static const struct aligned_case aligned_cases[] = {
	{ "sectors", 1, 1003, 1, 0 },
	{ "blocks", 8, 1000, 16, 0 },
	{ "two sectors", 2, 1002, 2, 0 },
	{ "begins within a block", 8, 1004, 8, -SSDUP_ERR_UNALIGNED },
	{ "ends within a block", 8, 1000, 4, -SSDUP_ERR_UNALIGNED },
	{ "within a block", 8, 1001, 1, -SSDUP_ERR_UNALIGNED },
	{ "odd sectors", 2, 1000, 3, -SSDUP_ERR_UNALIGNED },
};

static void aligned_case_desc(const struct aligned_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(aligned, aligned_cases, aligned_case_desc);

static void only_blocks_get_a_place(struct kunit *test)
{
	const struct aligned_case *x = test->param_value;
	struct ssdup_io io = { .start = x->start, .sectors = x->sectors };
	struct ssdup_segment *seg;

	KUNIT_ASSERT_TRUE(test, ssdup_switch(device.log, classes, classes->open, 0));
	seg = classes->open;
	device.log->g.block_sectors = x->block;
	KUNIT_EXPECT_EQ(test, ssdup_try_reserve(device.log, seg, &io, io.sectors, 0), x->result);
	KUNIT_EXPECT_EQ(test, atomic64_read(&seg->word), x->result ? 0 : log_word(1, x->sectors));
	ssdup_put_write(device.log, seg);
	/* A discard takes no data, but has an entry. */
	KUNIT_EXPECT_EQ(test, ssdup_try_reserve(device.log, seg, &io, 0, 0), x->result);
	ssdup_put_write(device.log, seg);
}

/* --- Nodes for inserts that split an extent --- */

/* So many writes to the open segment of @to. Return: those that rely on the reserve. */
static u32 begin_writes(struct kunit *test, struct ssdup_class *to, u32 nr)
{
	u32 relying = 0;

	while (nr--) {
		struct ssdup_io io = { .sectors = 8, .class = to->index };

		KUNIT_ASSERT_EQ(test, ssdup_reserve(device.log, &io, io.sectors, 0), 0);
		KUNIT_ASSERT_PTR_EQ(test, io.segment, to->open);
		relying += !io.spare;
		ssdup_free_spare(device.log, &io);
	}
	return relying;
}

static void end_writes(struct ssdup_segment *seg)
{
	while (atomic_read(&seg->writes))
		ssdup_put_write(device.log, seg);
}

static void open_next(struct kunit *test, struct ssdup_class *to)
{
	KUNIT_ASSERT_TRUE(test, ssdup_switch(device.log, to, to->open, 0));
}

/* However many classes and sealed segments there are. */
static void no_more_rely_on_the_reserve(struct kunit *test)
{
	u32 nr, i, times, relying;

	for (nr = 1; nr <= SSDUP_MAX_CLASSES; nr++) {
		reserve_test_exit(test);
		KUNIT_ASSERT_EQ(test, make_rings(test, nr), 0);
		relying = 0;
		for (times = 0; times < 3; times++)
			for (i = 0; i < nr; i++) {
				open_next(test, classes + i);
				relying += begin_writes(test, classes + i, 300);
			}
		KUNIT_EXPECT_LE_MSG(test, relying, SSDUP_NODES_RESERVED, "%u classes", nr);
		KUNIT_EXPECT_GE_MSG(test, relying, SSDUP_NODES_RESERVED / 2, "%u classes", nr);
	}
}

/* One write to the open segment, which is still in flight. Return: does it rely on the reserve? */
static bool one_relies(struct kunit *test)
{
	struct ssdup_io io = { .sectors = 8 };
	bool relies;

	KUNIT_ASSERT_EQ(test, ssdup_reserve(device.log, &io, io.sectors, 0), 0);
	relies = !io.spare;
	ssdup_free_spare(device.log, &io);
	return relies;
}

/* A write asks for memory neither while no segment is open, nor when the open one was sealed. */
static void a_sealed_segment_asks_for_no_node(struct kunit *test)
{
	struct ssdup_segment *first;

	KUNIT_EXPECT_TRUE(test, one_relies(test));
	first = classes->open;
	end_writes(first);
	ssdup_seal(device.log, classes, false);
	ssdup_left_ring(device.log, first);
	KUNIT_EXPECT_EQ(test, first->spares, 0);
	KUNIT_EXPECT_TRUE(test, one_relies(test));
	KUNIT_EXPECT_PTR_NE(test, classes->open, first);
}

/* A write that hangs withholds its own node, and not the share of its segment. */
static void one_write_withholds_one(struct kunit *test)
{
	u32 i;

	for (i = 0; i < 8; i++) {
		open_next(test, classes);
		KUNIT_EXPECT_TRUE(test, one_relies(test));
	}
	KUNIT_EXPECT_EQ(test, classes->open->spares, SSDUP_NODES_RESERVED / 2);
	KUNIT_EXPECT_EQ(test, device.log->spares, SSDUP_NODES_RESERVED / 2 - 7);
}

/* 256 in the open segment, when nothing else is in flight. */
static void the_promise_comes_back(struct kunit *test)
{
	const u32 share = SSDUP_NODES_RESERVED / 2;
	struct ssdup_segment *old[3];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(old); i++) {
		open_next(test, classes);
		KUNIT_EXPECT_EQ(test, begin_writes(test, classes, 300), i < 2 ? share : 0);
		old[i] = classes->open;
	}
	/* The segment that is open keeps its promise. */
	end_writes(old[2]);
	KUNIT_EXPECT_EQ(test, begin_writes(test, classes, 300), 0);
	end_writes(old[1]);
	open_next(test, classes);
	KUNIT_EXPECT_EQ(test, begin_writes(test, classes, 300), share);
	/* All entries of one are durable: its writes have ended. */
	end_writes(old[0]);
	ssdup_left_ring(device.log, old[0]);
	KUNIT_EXPECT_EQ(test, old[0]->spares, 0);
	end_writes(classes->open);
	for (i = 0; i < 4; i++) {
		open_next(test, classes);
		KUNIT_EXPECT_EQ(test, begin_writes(test, classes, share), share);
		end_writes(classes->open);
	}
}

/* --- Segments in the ring --- */

/* One place in the open segment. Return: as ssdup_reserve(). */
static int take_place(struct ssdup_io *io)
{
	int r;

	*io = (struct ssdup_io){ .sectors = 8 };
	r = ssdup_try_reserve(device.log, classes->open, io, io->sectors, 0);
	ssdup_put_write(device.log, classes->open);
	return r;
}

/* While a commit hangs: the first segment was open, and complete, when it began. */
static void as_many_as_a_ring_can_have(struct kunit *test)
{
	struct ssdup_segment **list;
	struct ssdup_io io;
	u32 nr = 0;

	list = kunit_kcalloc(test, NR, sizeof(*list), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, list);
	open_next(test, classes);
	KUNIT_ASSERT_EQ(test, take_place(&io), 0);
	classes->open->pages_done = 1;
	memset(io.page, 0, sizeof(*io.page));
	classes->ring_tail = 1;
	do {
		open_next(test, classes);
		nr++;
	} while (!take_place(&io));
	KUNIT_EXPECT_EQ(test, nr, SSDUP_RING + 1);
	KUNIT_EXPECT_EQ(test, ssdup_segments_in_ring(device.log, classes, list),
			SSDUP_RING_SEGMENTS);
}

static struct kunit_case reserve_test_cases[] = {
	KUNIT_CASE_PARAM(only_blocks_get_a_place, aligned_gen_params),
	KUNIT_CASE(no_more_rely_on_the_reserve),
	KUNIT_CASE(a_sealed_segment_asks_for_no_node),
	KUNIT_CASE(one_write_withholds_one),
	KUNIT_CASE(the_promise_comes_back),
	KUNIT_CASE(as_many_as_a_ring_can_have),
	{}
};

static struct kunit_suite reserve_test_suite = {
	.name = "ssdup-reserve",
	.suite_init = reserve_test_suite_init,
	.suite_exit = reserve_test_suite_exit,
	.init = reserve_test_init,
	.exit = reserve_test_exit,
	.test_cases = reserve_test_cases,
};

kunit_test_suite(reserve_test_suite);
