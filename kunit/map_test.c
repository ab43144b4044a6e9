// SPDX-License-Identifier: GPL-2.0-only
/* invariant: 2 9 */
/*
 * An insert into the map, beside a drain that looks at the extents of its group without the lock.
 * What map.c calls of other files is that of reserve_test.c and segments_test.c.
 */
#define NOTRACE
#include <kunit/test.h>

#include "map/map.c"
#include "commit_soon.h"
#include "device.h"

#define NR		8U

/* Nothing is staged. */
void ssdup_stage_forget(struct ssdup_log *log, struct ssdup_segment *seg)
{
}

bool ssdup_stage_has(struct ssdup_log *log, u64 pos)
{
	return false;
}

static struct ssdup_range range;

/* What stands in the tree while an entry is published. */
static struct {
	const struct extent *e;		/* an older extent */
	u32 times;
	bool mapped;
	u32 sectors;
} watched;

/* Of segments_test.c, called with each entry as long as no commit is due. */
static void look_at_watched(struct ssdup *c)
{
	if (c != &device || !watched.e)
		return;
	watched.times++;
	watched.mapped = extent_mapped(watched.e);
	watched.sectors = watched.e->sectors;
}

static void watch(const struct ssdup_io *io)
{
	watched.e = io->e;
}

static int map_test_init(struct kunit *test)
{
	if (make_device(NR, 1, 1) || ssdup_nodes_create(device.log))
		return -ENOMEM;
	memset(&range, 0, sizeof(range));
	memset(&watched, 0, sizeof(watched));
	device.map->ranges = &range;
	device.map->range_shift = 32;
	spin_lock_init(&range.lock);
	ssdup_extent_tree_init(&range.tree);
	classes->ring = kunit_kcalloc(test, SSDUP_RING, sizeof(*classes->ring), GFP_KERNEL);
	if (!classes->ring)
		return -ENOMEM;
	on_commit_soon = look_at_watched;
	return 0;
}

static void map_test_exit(struct kunit *test)
{
	u32 i;

	on_commit_soon = NULL;
	for (i = 0; i < NR; i++)
		ssdup_free_arrays(device.log, &device.log->segment[i]);
	ssdup_nodes_destroy(device.log);
	drop_device();
}

static int map_test_suite_init(struct kunit_suite *suite)
{
	return ssdup_nodes_init();
}

static void map_test_suite_exit(struct kunit_suite *suite)
{
	ssdup_nodes_exit();
}

/* The data of a write has arrived in the log. */
static void place_at(struct kunit *test, struct ssdup_io *io, u64 start, u32 sectors)
{
	io->start = start;
	io->sectors = sectors;
	KUNIT_ASSERT_EQ(test, ssdup_reserve(device.log, io, sectors, 0), 0);
	ssdup_fill_extent(device.log, io, start, sectors, SSDUP_KIND_DATA);
}

static void write_at(struct kunit *test, struct ssdup_io *io, u64 start, u32 sectors)
{
	place_at(test, io, start, sectors);
	KUNIT_ASSERT_TRUE(test, ssdup_insert(device.map, io));
}

/* --- What a drain finds when the entry is published --- */

/* An older extent of eight sectors at 1000, and a write over a part of it. */
struct over_case {
	const char *name;
	u64 start;
	u32 sectors;
	u32 nr;			/* extents in the tree, after that */
};

static const struct over_case over_cases[] = {
	{ "the same sectors", 1000, 8, 1 },
	{ "more on both sides", 992, 24, 1 },
	{ "its head", 992, 12, 2 },
	{ "its tail", 1004, 8, 2 },
	{ "its middle", 1002, 4, 3 },
};

static void over_case_desc(const struct over_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(over, over_cases, over_case_desc);

/* The commit that a drain begins now has the entry, or the drain finds the older extent. */
static void found_until_published(struct kunit *test)
{
	const struct over_case *x = test->param_value;
	struct ssdup_io old = { }, new = { };

	write_at(test, &old, 1000, 8);
	watch(&old);
	write_at(test, &new, x->start, x->sectors);
	KUNIT_EXPECT_EQ(test, watched.times, 1);
	KUNIT_EXPECT_TRUE(test, watched.mapped);
	KUNIT_EXPECT_EQ(test, watched.sectors, 8);
	KUNIT_EXPECT_EQ(test, new.page->e[new.slot].kind, SSDUP_KIND_DATA);
	KUNIT_EXPECT_EQ(test, range.tree.nr, x->nr);
	KUNIT_EXPECT_EQ(test, range.held, x->nr);
	KUNIT_EXPECT_TRUE(test, extent_mapped(new.e));
	KUNIT_EXPECT_EQ(test, extent_mapped(old.e), x->nr > 1);
	KUNIT_EXPECT_EQ(test, ssdup_sum_held(device.map).extents, x->nr);
	KUNIT_EXPECT_EQ(test, ssdup_sum_held(device.map).sectors, range.tree.sectors);
}

/* A drain moves an extent that the HDD has refused. */
static void found_until_moved(struct kunit *test)
{
	struct ssdup_io old = { }, copy = { };

	write_at(test, &old, 1000, 8);
	watch(&old);
	place_at(test, &copy, 1000, 8);
	KUNIT_EXPECT_TRUE(test, ssdup_move(device.map, &copy, old.e->seq));
	ssdup_put_write(device.log, copy.segment);
	KUNIT_EXPECT_EQ(test, watched.times, 1);
	KUNIT_EXPECT_TRUE(test, watched.mapped);
	KUNIT_EXPECT_FALSE(test, extent_mapped(old.e));
	KUNIT_EXPECT_TRUE(test, extent_mapped(copy.e));
}

/* What was overwritten since does not move, and nothing is published. */
static void overwritten_does_not_move(struct kunit *test)
{
	struct ssdup_io old = { }, new = { }, copy = { };
	u64 seq;

	write_at(test, &old, 1000, 8);
	seq = old.e->seq;
	write_at(test, &new, 1000, 8);
	watch(&new);
	place_at(test, &copy, 1000, 8);
	KUNIT_EXPECT_FALSE(test, ssdup_move(device.map, &copy, seq));
	KUNIT_EXPECT_EQ(test, watched.times, 0);
	KUNIT_EXPECT_EQ(test, copy.page->e[copy.slot].kind, SSDUP_KIND_NONE);
	KUNIT_EXPECT_TRUE(test, extent_mapped(new.e));
	ssdup_put_write(device.log, copy.segment);
}

/* A write to a younger segment has ended first: the older write is given up, not published. */
static void overtaken_is_not_published(struct kunit *test)
{
	struct ssdup_io slow = { }, fast = { };

	place_at(test, &slow, 1000, 16);
	KUNIT_ASSERT_TRUE(test, ssdup_switch(device.log, classes, classes->open, 0));
	write_at(test, &fast, 1008, 16);
	watch(&fast);
	KUNIT_EXPECT_FALSE(test, ssdup_insert(device.map, &slow));
	KUNIT_EXPECT_EQ(test, watched.times, 0);
	KUNIT_EXPECT_EQ(test, slow.page->e[slow.slot].kind, SSDUP_KIND_NONE);
	KUNIT_EXPECT_EQ(test, range.tree.nr, 1);
	ssdup_put_write(device.log, slow.segment);
}

/* --- Holds, for copies of what is read --- */

static void hold_at(struct extent *e, u64 start, u32 sectors)
{
	RB_CLEAR_NODE(&e->node);
	e->start = start;
	e->sectors = sectors;
}

/* Only where the HDD has all, and nobody is writing it. */
static void holds_need_the_hdd(struct kunit *test)
{
	struct extent a, b;
	struct ssdup_io io = { };

	write_at(test, &io, 1000, 8);
	hold_at(&a, 992, 16);
	KUNIT_EXPECT_FALSE(test, ssdup_claim_add(device.map, &a));
	hold_at(&a, 984, 16);
	atomic_inc(&range.direct[1]);
	KUNIT_EXPECT_FALSE(test, ssdup_claim_add(device.map, &a));
	atomic_dec(&range.direct[1]);
	atomic_inc(&range.direct[0]);
	KUNIT_EXPECT_FALSE(test, ssdup_claim_add(device.map, &a));
	atomic_dec(&range.direct[0]);
	KUNIT_EXPECT_TRUE(test, ssdup_claim_add(device.map, &a));
	hold_at(&b, 980, 8);
	KUNIT_EXPECT_FALSE(test, ssdup_claim_add(device.map, &b));
	ssdup_claim_drop(device.map, &a, 984);
	KUNIT_EXPECT_FALSE(test, extent_mapped(&a));
	KUNIT_EXPECT_TRUE(test, ssdup_claim_add(device.map, &b));
	KUNIT_EXPECT_TRUE(test, ssdup_claim_fill(device.map, &b, 980, 8, 5000));
	KUNIT_EXPECT_TRUE(test, b.kind == SSDUP_KIND_DATA);
	KUNIT_EXPECT_TRUE(test, b.pos == 5000);
	KUNIT_EXPECT_FALSE(test, ssdup_claim_add(device.map, &a));
	KUNIT_EXPECT_EQ(test, ssdup_sum_clean(device.map), 8);
	ssdup_forget_part(device.map, 980, 8);
	KUNIT_EXPECT_EQ(test, ssdup_sum_clean(device.map), 0);
	KUNIT_EXPECT_FALSE(test, extent_mapped(&b));
}

/* What is written meanwhile cuts a hold, and what is cut does not become clean. */
static void cut_holds_do_not_become_clean(struct kunit *test)
{
	const struct over_case *x = test->param_value;
	struct ssdup_io io = { };
	struct extent e;

	hold_at(&e, 1000, 8);
	KUNIT_ASSERT_TRUE(test, ssdup_claim_add(device.map, &e));
	write_at(test, &io, x->start, x->sectors);
	KUNIT_EXPECT_FALSE(test, ssdup_claim_fill(device.map, &e, 1000, 8, 5000));
	ssdup_claim_drop(device.map, &e, 1000);
	KUNIT_EXPECT_EQ(test, range.clean.nr, 0);
	KUNIT_EXPECT_EQ(test, range.clean.sectors, 0);
	KUNIT_EXPECT_EQ(test, ssdup_sum_clean(device.map), 0);
}

static struct kunit_case map_test_cases[] = {
	KUNIT_CASE_PARAM(found_until_published, over_gen_params),
	KUNIT_CASE(found_until_moved),
	KUNIT_CASE(overwritten_does_not_move),
	KUNIT_CASE(overtaken_is_not_published),
	KUNIT_CASE(holds_need_the_hdd),
	KUNIT_CASE_PARAM(cut_holds_do_not_become_clean, over_gen_params),
	{}
};

static struct kunit_suite map_test_suite = {
	.name = "ssdup-map",
	.suite_init = map_test_suite_init,
	.suite_exit = map_test_suite_exit,
	.init = map_test_init,
	.exit = map_test_exit,
	.test_cases = map_test_cases,
};

kunit_test_suite(map_test_suite);
