// SPDX-License-Identifier: GPL-2.0-only
/*
 * The order of a drain, over a map that writers change meanwhile. extent_map_test.c includes
 * the map.
 */
#include <kunit/test.h>

#include "core/order.c"
#include "prng.h"

#define SPACE		4096U		/* sectors */
#define ARRAYS		96U
#define PER_ARRAY	16U
#define SPLITS		1024U
#define BASE		(BIT_ULL(40) + 5)
#define NEW		BIT_ULL(40)	/* seq of the first write that comes during the drain */

struct rig {
	struct prng		r;
	struct extent_tree	tree;
	struct extent_order	order;
	struct extent_array	*arrays[ARRAYS];	/* of the segments that are drained */
	struct extent_array	*split[SPLITS];		/* rear parts of their extents */
	u32			nr_split;
	u32			added;			/* of these, those in the order */
	struct extent		others[SPLITS];		/* of younger segments */
	u32			nr_others;
	u64			seq;
	u64			owner[SPACE];		/* seq by sector; 0: none */
	u64			before[SPACE];		/* as it was when the drain began */
	u8			taken[SPACE];
};

static struct rig *rig_new(struct kunit *test)
{
	struct rig *rig = kunit_kzalloc(test, sizeof(*rig), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, rig);
	ssdup_extent_tree_init(&rig->tree);
	ssdup_order_begin(&rig->order);
	return rig;
}

static struct extent_array *array_new(struct kunit *test, u32 nr)
{
	struct extent_array *a;

	a = kunit_kzalloc(test, sizeof(*a) + nr * sizeof(a->e[0]), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, a);
	extent_array_init(a, nr);
	return a;
}

static struct extent *other_extent(struct kunit *test, struct rig *rig)
{
	KUNIT_ASSERT_LT(test, rig->nr_others, SPLITS);
	return &rig->others[rig->nr_others++];
}

/* The rear part of an extent that is split belongs to the segment of that extent. */
static struct extent *spare_for(struct kunit *test, struct rig *rig, const struct extent *split)
{
	if (!split)
		return NULL;
	if (split->seq >= NEW)
		return other_extent(test, rig);
	KUNIT_ASSERT_LT(test, rig->nr_split, SPLITS);
	rig->split[rig->nr_split] = array_new(test, 1);
	return rig->split[rig->nr_split++]->e;
}

/* A write anywhere, over what is older. */
static void insert(struct kunit *test, struct rig *rig, struct extent *e, u64 seq)
{
	u32 start = prng_below(&rig->r, SPACE - 1), i;

	e->start = BASE + start;
	e->sectors = prng_between(&rig->r, 1, min(SPACE - start, 24U));
	e->seq = seq;
	e->kind = SSDUP_KIND_DATA;
	for (i = 0; i < e->sectors; i++)
		rig->owner[start + i] = seq;
	ssdup_extent_insert(&rig->tree, e,
			    spare_for(test, rig, ssdup_extent_splits(&rig->tree, e)));
}

static void rig_fill(struct kunit *test, struct rig *rig)
{
	u32 i, k, nr;

	for (i = 0; i < ARRAYS; i++) {
		nr = prng_between(&rig->r, 1, PER_ARRAY);
		rig->arrays[i] = array_new(test, nr);
		/* Entries that failed have no extent. */
		for (k = 0; k < nr; k++)
			if (prng_below(&rig->r, 8))
				insert(test, rig, &rig->arrays[i]->e[k], ++rig->seq);
	}
	memcpy(rig->before, rig->owner, sizeof(rig->before));
}

/* What writers do meanwhile: extents are trimmed, split and removed. */
static void disturb(struct kunit *test, struct rig *rig, u32 writes)
{
	while (writes--)
		insert(test, rig, other_extent(test, rig), NEW + ++rig->seq);
}

/* Whatever was split off up to now; the range's lock makes it seen before the next look. */
static void add_split(struct rig *rig)
{
	while (rig->added < rig->nr_split)
		ssdup_order_add(&rig->order, rig->split[rig->added++]);
}

/* A drain: @writes come between two looks, at most, and as many between look and lock. */
static u32 drain(struct kunit *test, struct rig *rig, u32 writes)
{
	u64 start, last = 0;
	struct extent *e;
	u32 i, nr = 0;

	for (i = 0; i < ARRAYS; i++)
		ssdup_order_add(&rig->order, rig->arrays[i]);
	for (;;) {
		add_split(rig);
		e = ssdup_order_next(&rig->order, &start);
		if (!e)
			break;
		if (writes)
			disturb(test, rig, prng_below(&rig->r, writes + 1));
		/* The caller looks again under the lock. */
		if (!extent_mapped(e) || e->start != start)
			continue;
		KUNIT_ASSERT_GE(test, start, last);
		KUNIT_ASSERT_GE(test, start, rig->order.base);
		for (i = 0; i < e->sectors; i++) {
			KUNIT_ASSERT_TRUE(test, rig->owner[start - BASE + i] == e->seq);
			rig->taken[start - BASE + i]++;
		}
		last = extent_end(e);
		rig->order.base = last;
		nr++;
		if (writes)
			disturb(test, rig, prng_below(&rig->r, writes + 1));
	}
	return nr;
}

static void check_taken(struct kunit *test, const struct rig *rig)
{
	u32 i;

	for (i = 0; i < SPACE; i++) {
		/* What was not overwritten since was taken, and nothing twice. */
		if (rig->before[i] && rig->owner[i] == rig->before[i])
			KUNIT_ASSERT_EQ_MSG(test, rig->taken[i], 1, "sector %u", i);
		KUNIT_ASSERT_LE_MSG(test, rig->taken[i], 1, "sector %u", i);
		if (rig->taken[i])
			KUNIT_ASSERT_TRUE_MSG(test, rig->before[i], "sector %u", i);
	}
}

static void all_in_order(struct kunit *test)
{
	struct rig *rig = rig_new(test);
	const struct extent *x;
	u32 nr = 0;

	rig->r.state = 3;
	rig_fill(test, rig);
	KUNIT_ASSERT_EQ(test, drain(test, rig, 0), rig->tree.nr);
	check_taken(test, rig);
	for (x = ssdup_extent_first(&rig->tree, 0, U64_MAX); x; x = ssdup_extent_next(x))
		nr++;
	KUNIT_EXPECT_EQ(test, nr, rig->tree.nr);
}

static void all_while_writers_write(struct kunit *test)
{
	u32 round, nr = 0, split = 0;
	struct rig *rig;

	for (round = 0; round < 100; round++) {
		rig = rig_new(test);
		rig->r.state = round;
		rig_fill(test, rig);
		split -= rig->nr_split;
		nr += drain(test, rig, round % 2 + 1);
		split += rig->nr_split;
		check_taken(test, rig);
		kunit_kfree(test, rig);
	}
	/* There was something to do, and something that came in between. */
	KUNIT_EXPECT_GT(test, nr, 10000);
	KUNIT_EXPECT_GT(test, split, 1000);
}

/* --- By example --- */

static void put(struct extent_array *a, u32 i, u64 start, u32 sectors)
{
	struct rb_node *link;

	a->e[i].start = start;
	a->e[i].sectors = sectors;
	/* As if it were in a tree. */
	rb_link_node(&a->e[i].node, NULL, &link);
}

static void empty_orders(struct kunit *test)
{
	struct rig *rig = rig_new(test);
	struct extent_array *a = array_new(test, 4);
	u64 start;

	KUNIT_EXPECT_NULL(test, ssdup_order_next(&rig->order, &start));
	/* An array of which nothing is in the map. */
	ssdup_order_add(&rig->order, a);
	KUNIT_EXPECT_NULL(test, ssdup_order_next(&rig->order, &start));
	/* One of which nothing is left. */
	put(a, 2, 50, 8);
	ssdup_order_add(&rig->order, a);
	RB_CLEAR_NODE(&a->e[2].node);
	KUNIT_EXPECT_NULL(test, ssdup_order_next(&rig->order, &start));
	KUNIT_EXPECT_NULL(test, ssdup_order_next(&rig->order, &start));
	/* It may be added again. */
	put(a, 3, 70, 8);
	ssdup_order_add(&rig->order, a);
	KUNIT_EXPECT_PTR_EQ(test, ssdup_order_next(&rig->order, &start), &a->e[3]);
	KUNIT_EXPECT_EQ(test, start, 70);
}

/* Extents below the base are left out; so is an array that has none other. */
static void base_leaves_out(struct kunit *test)
{
	struct rig *rig = rig_new(test);
	struct extent_array *a = array_new(test, 2), *b = array_new(test, 2);
	u64 start;

	put(a, 0, 99, 1);
	put(a, 1, 300, 1);
	put(b, 0, 10, 1);
	put(b, 1, 50, 1);
	rig->order.base = 100;
	ssdup_order_add(&rig->order, b);
	KUNIT_EXPECT_NULL(test, ssdup_order_next(&rig->order, &start));
	ssdup_order_add(&rig->order, a);
	KUNIT_EXPECT_PTR_EQ(test, ssdup_order_next(&rig->order, &start), &a->e[1]);
	KUNIT_EXPECT_EQ(test, start, 300);
	/* It is found until the base has passed it. */
	rig->order.base = 300;
	KUNIT_EXPECT_PTR_EQ(test, ssdup_order_next(&rig->order, &start), &a->e[1]);
	rig->order.base = 301;
	KUNIT_EXPECT_NULL(test, ssdup_order_next(&rig->order, &start));
}

/* A start that has moved up puts its array behind the others. */
static void starts_move(struct kunit *test)
{
	struct rig *rig = rig_new(test);
	struct extent_array *a = array_new(test, 1), *b = array_new(test, 1);
	u64 start;

	put(a, 0, 10, 20);
	put(b, 0, 15, 1);
	ssdup_order_add(&rig->order, a);
	ssdup_order_add(&rig->order, b);
	a->e[0].start = 17;
	KUNIT_EXPECT_PTR_EQ(test, ssdup_order_next(&rig->order, &start), &b->e[0]);
	KUNIT_EXPECT_EQ(test, start, 15);
	rig->order.base = 16;
	KUNIT_EXPECT_PTR_EQ(test, ssdup_order_next(&rig->order, &start), &a->e[0]);
	KUNIT_EXPECT_EQ(test, start, 17);
}

static struct kunit_case order_cases[] = {
	KUNIT_CASE(empty_orders),
	KUNIT_CASE(base_leaves_out),
	KUNIT_CASE(starts_move),
	KUNIT_CASE(all_in_order),
	KUNIT_CASE(all_while_writers_write),
	{}
};

static struct kunit_suite order_suite = {
	.name = "ssdup-order",
	.test_cases = order_cases,
};

kunit_test_suite(order_suite);
