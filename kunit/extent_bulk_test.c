// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>
#include <linux/sched.h>

#include "../dm-ssdup/extent_bulk.c"
#include "prng.h"

#define MOST	704U			/* at once */
#define NODES	(4 * MOST)		/* in both trees, and as many to cut with */
#define HALVES	3U
#define BASE	(BIT_ULL(40) + BIT_ULL(20))	/* of the range: no 32 bit place */

/* Two trees of the same extents: one of them linked, the other the slow way. */
struct rig {
	struct prng		r;
	struct extent_tree	tree, slow;
	struct extent_bulk	bulk;
	struct extent_list	rest[SSDUP_MAX_HALVES];
	struct extent_list	pool;
	struct extent_cards	cards;
	struct extent		nodes[NODES];
	struct extent		made[MOST];
	u32			nr;
	u32			order[MOST];
};

static struct rig *rig_new(struct kunit *test)
{
	struct rig *rig = kunit_kzalloc(test, sizeof(*rig), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, rig);
	return rig;
}

static void rig_begin(struct rig *rig)
{
	u32 i;

	extent_tree_init(&rig->tree);
	extent_tree_init(&rig->slow);
	rig->pool.head = NULL;
	for (i = 0; i < NODES; i++)
		extent_push(&rig->pool, &rig->nodes[i]);
	memset(rig->rest, 0, sizeof(rig->rest));
	rig->nr = 0;
}

static void insert(struct kunit *test, struct rig *rig, struct extent_tree *tree, struct extent *e)
{
	struct extent_list spares = {};
	u32 nr = extent_spares(tree, e);

	while (nr--) {
		KUNIT_ASSERT_TRUE(test, rig->pool.head);
		extent_push(&spares, extent_pop(&rig->pool));
	}
	extent_insert(tree, e, &spares, &rig->pool);
}

static void make(struct rig *rig, u64 start, u32 sectors, u64 seq, u8 half)
{
	struct extent *e = extent_pop(&rig->pool);

	*e = (struct extent){ .start = start, .sectors = sectors, .seq = seq, .half = half,
			      .pos = to_log_pos(16 * rig->nr), .kind = SSDUP_KIND_DATA };
	rig->made[rig->nr++] = *e;
	extent_bulk_add(&rig->bulk, e);
}

/* The numbers below @nr in a random order. */
static void shuffle(struct rig *rig, u32 nr)
{
	u32 i, j;

	for (i = 0; i < nr; i++) {
		j = prng_below(&rig->r, i + 1);
		rig->order[i] = rig->order[j];
		rig->order[j] = i;
	}
}

/* Return: how many black nodes are on each way down. */
static u32 check_balance(struct kunit *test, const struct rb_node *node,
			 const struct rb_node *parent)
{
	bool black;
	u32 lower;

	if (!node)
		return 0;
	black = rb_is_black(node);
	KUNIT_ASSERT_TRUE(test, rb_parent(node) == parent);
	KUNIT_ASSERT_TRUE(test, black || (parent && rb_is_black(parent)));
	lower = check_balance(test, node->rb_left, node);
	KUNIT_ASSERT_EQ(test, check_balance(test, node->rb_right, node), lower);
	return lower + black;
}

static u32 count(const struct extent_list *list)
{
	const struct extent *e;
	u32 nr = 0;

	for (e = list->head; e; e = e->next)
		nr++;
	return nr;
}

static void rig_link(struct rig *rig, u32 low, u32 high)
{
	extent_bulk_link(&rig->tree, &rig->bulk, low, high, &rig->cards, rig->rest);
}

/* Insert what was left over, the oldest half first. Return: how many. */
static u32 insert_rest(struct kunit *test, struct rig *rig)
{
	u32 half, nr = 0;

	for (half = 0; half < HALVES; half++) {
		struct extent *e;

		while ((e = extent_pop(&rig->rest[half]))) {
			KUNIT_ASSERT_EQ(test, e->half, half);
			insert(test, rig, &rig->tree, e);
			nr++;
		}
	}
	return nr;
}

/* The same extents the slow way make the same tree. */
static void compare(struct kunit *test, struct rig *rig)
{
	struct extent *x, *y;
	u32 half, i, nr = 0;
	u64 sectors = 0;

	for (half = 0; half < HALVES; half++) {
		for (i = 0; i < rig->nr; i++) {
			struct extent *e;

			if (rig->made[i].half != half)
				continue;
			e = extent_pop(&rig->pool);
			KUNIT_ASSERT_TRUE(test, e);
			*e = rig->made[i];
			insert(test, rig, &rig->slow, e);
		}
	}
	check_balance(test, rig->tree.root.rb_node, NULL);
	y = extent_first(&rig->slow, 0, U64_MAX);
	for (x = extent_first(&rig->tree, 0, U64_MAX); x; x = extent_next(x)) {
		KUNIT_ASSERT_TRUE(test, y);
		KUNIT_ASSERT_EQ(test, x->start, y->start);
		KUNIT_ASSERT_EQ(test, x->sectors, y->sectors);
		KUNIT_ASSERT_EQ(test, x->seq, y->seq);
		KUNIT_ASSERT_EQ(test, x->half, y->half);
		KUNIT_ASSERT_EQ(test, from_log_pos(x->pos), from_log_pos(y->pos));
		y = extent_next(y);
		sectors += x->sectors;
		nr++;
	}
	KUNIT_ASSERT_TRUE(test, !y);
	KUNIT_ASSERT_EQ(test, rig->tree.nr, nr);
	KUNIT_ASSERT_EQ(test, rig->tree.sectors, sectors);
}

/* Any number of neighbours, in a random order: all are linked, and the tree is one. */
static void all_sizes(struct kunit *test)
{
	struct rig *rig = rig_new(test);
	u32 nr, i;

	for (nr = 0; nr < MOST; nr++) {
		u32 few = nr < WORTH_IT ? nr : 0;

		rig_begin(rig);
		shuffle(rig, nr);
		for (i = 0; i < nr; i++)
			make(rig, BASE + 8 * rig->order[i], 8, 1 + i, i % HALVES);
		rig_link(rig, 3, 14);
		KUNIT_ASSERT_EQ(test, rig->bulk.nr, 0);
		KUNIT_ASSERT_TRUE(test, !rig->bulk.all.head);
		KUNIT_ASSERT_EQ(test, rig->tree.nr, nr - few);
		KUNIT_ASSERT_EQ(test, insert_rest(test, rig), few);
		compare(test, rig);
		cond_resched();
	}
}

/* Whatever there is: far apart, all in one place, twice, of any seq. */
static void random_extents(struct kunit *test)
{
	struct rig *rig = rig_new(test);
	u32 round, linked = 0, late = 0;

	for (round = 0; round < 2000; round++) {
		u32 low = prng_below(&rig->r, 4), high = prng_between(&rig->r, 7, 30), i;
		u32 nr = prng_below(&rig->r, 1U << prng_between(&rig->r, 1, 9));
		u32 longest = prng_between(&rig->r, 1, 4), units = BIT(high - low);

		if (prng_below(&rig->r, 2))
			units = min(units, 1 + prng_below(&rig->r, 4 * nr + 1));
		rig_begin(rig);
		shuffle(rig, nr);
		for (i = 0; i < nr; i++) {
			/* Each seq is there twice, but not in a half. */
			u32 seq = rig->order[i] / 2, half = (seq + rig->order[i] % 2) % HALVES;
			u32 at = prng_below(&rig->r, units);
			u32 len = prng_between(&rig->r, 1, min(longest, units - at));

			make(rig, round_down(BASE, BIT_ULL(high)) + ((u64)at << low), len << low,
			     1 + seq, half);
		}
		rig_link(rig, low, high);
		linked += rig->tree.nr;
		check_balance(test, rig->tree.root.rb_node, NULL);
		late += insert_rest(test, rig);
		compare(test, rig);
		cond_resched();
	}
	KUNIT_EXPECT_GT(test, linked, 10000);
	KUNIT_EXPECT_GT(test, late, 10000);
}

/* What overlaps is left over, and what only touches is not. */
static void leaves_overlapping(struct kunit *test)
{
	static const struct {
		u32 start, sectors;
		bool alone;
	} rows[] = {
		{ 0, 8, true }, { 8, 8, true }, { 16, 16, false }, { 24, 16, false },
		{ 40, 8, true }, { 48, 32, false }, { 56, 8, false }, { 72, 8, false },
		{ 80, 8, true }, { 96, 8, false }, { 96, 8, false }, { 104, 8, true },
		{ 120, 8, false }, { 120, 16, false }, { 128, 8, false },
	};
	struct rig *rig = rig_new(test);
	const struct extent *x;
	u32 i, nr = 0;

	rig_begin(rig);
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		make(rig, BASE + rows[i].start, rows[i].sectors, 1 + i, 1);
	for (i = 0; i < WORTH_IT; i++)
		make(rig, BASE + 144 + 8 * i, 8, 100 + i, 1);
	rig_link(rig, 3, 10);
	x = extent_first(&rig->tree, 0, U64_MAX);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!rows[i].alone)
			continue;
		KUNIT_ASSERT_TRUE(test, x);
		KUNIT_EXPECT_EQ(test, x->start, BASE + rows[i].start);
		x = extent_next(x);
		nr++;
	}
	KUNIT_ASSERT_TRUE(test, x);
	KUNIT_EXPECT_EQ(test, x->start, BASE + 144);
	KUNIT_EXPECT_EQ(test, rig->tree.nr, nr + WORTH_IT);
	KUNIT_EXPECT_EQ(test, count(&rig->rest[1]), ARRAY_SIZE(rows) - nr);
}

/* A tree that holds something already is left alone. */
static void only_into_an_empty_tree(struct kunit *test)
{
	struct rig *rig = rig_new(test);
	u32 i;

	rig_begin(rig);
	for (i = 0; i < 100; i++)
		make(rig, BASE + 8 * i, 8, 1 + i, 0);
	rig_link(rig, 3, 14);
	KUNIT_EXPECT_EQ(test, rig->tree.nr, 100);
	for (i = 0; i < 100; i++)
		make(rig, BASE + 8 * i, 16, 101 + i, 2);
	rig_link(rig, 3, 14);
	KUNIT_EXPECT_EQ(test, rig->tree.nr, 100);
	KUNIT_EXPECT_EQ(test, count(&rig->rest[2]), 100);
	insert_rest(test, rig);
	compare(test, rig);
}

static struct kunit_case extent_bulk_cases[] = {
	KUNIT_CASE(all_sizes),
	KUNIT_CASE(random_extents),
	KUNIT_CASE(leaves_overlapping),
	KUNIT_CASE(only_into_an_empty_tree),
	{}
};

static struct kunit_suite extent_bulk_suite = {
	.name = "ssdup-extent-bulk",
	.test_cases = extent_bulk_cases,
};

kunit_test_suite(extent_bulk_suite);
