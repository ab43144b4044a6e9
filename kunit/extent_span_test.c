// SPDX-License-Identifier: GPL-2.0-only
/* invariant: 3 */
/*
 * The parts in which reads, writes and discards meet extents, of extent_map.c, which
 * extent_map_test.c includes.
 */
#include <kunit/test.h>

#include "core/extent_map.h"

#define NODES	2304U

struct rig {
	struct extent_tree	tree;
	struct extent		nodes[NODES];
	u32			nr;
};

static struct rig *rig_new(struct kunit *test)
{
	struct rig *rig = kunit_kzalloc(test, sizeof(*rig), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, rig);
	ssdup_extent_tree_init(&rig->tree);
	return rig;
}

static void rig_insert(struct kunit *test, struct rig *rig, const struct extent *what)
{
	struct extent *e = &rig->nodes[rig->nr++];

	KUNIT_ASSERT_LE(test, rig->nr, NODES);
	*e = *what;
	KUNIT_ASSERT_TRUE(test, extent_insert_alone(&rig->tree, e));
}

#define DATA(s, n, q, p) { .start = s, .sectors = n, .seq = q, .pos = p, .kind = SSDUP_KIND_DATA }
#define GONE(s, n, q)	 { .start = s, .sectors = n, .seq = q, .kind = SSDUP_KIND_DISCARD }

static void read_spans(struct kunit *test)
{
	static const struct extent a = DATA(10, 10, 1, 100), b = DATA(20, 5, 2, 200);
	static const struct {
		u64 start, end;
		u32 sectors;
		u64 seq;		/* 0: the HDD */
	} reads[] = {
		{ 0, 10, 10, 0 }, { 0, 11, 10, 0 }, { 9, 30, 1, 0 }, { 10, 30, 10, 1 },
		{ 15, 18, 3, 1 }, { 19, 21, 1, 1 }, { 20, 21, 1, 2 }, { 24, 40, 1, 2 },
		{ 25, 40, 15, 0 },
	};
	struct rig *rig = rig_new(test);
	const struct extent *x;
	u32 i, sectors;

	x = ssdup_extent_read_span(&rig->tree, 5, 25, &sectors);
	KUNIT_EXPECT_TRUE(test, !x);
	KUNIT_EXPECT_EQ(test, sectors, 20);

	rig_insert(test, rig, &a);
	rig_insert(test, rig, &b);
	for (i = 0; i < ARRAY_SIZE(reads); i++) {
		x = ssdup_extent_read_span(&rig->tree, reads[i].start, reads[i].end, &sectors);
		KUNIT_EXPECT_EQ_MSG(test, sectors, reads[i].sectors, "read %u", i);
		KUNIT_EXPECT_EQ_MSG(test, x ? (u64)x->seq : 0, reads[i].seq, "read %u", i);
	}
}

/* What of a discard is logged: what is held, side by side, and not what lies between. */
static void held_spans(struct kunit *test)
{
	static const struct {
		u64 start, end;
		u32 sectors;
	} cases[] = {
		{ 0, 100, 10 },		/* up to the first one */
		{ 0, 10, 10 },
		{ 0, 5, 5 },
		{ 10, 100, 10 },		/* two of them, and a gap of one */
		{ 12, 100, 8 },
		{ 14, 18, 4 },
		{ 19, 20, 1 },
		{ 20, 100, 1 },
		{ 21, 100, 3 },
		{ 21, 24, 3 },
		{ 24, 100, 76 },		/* behind the last */
	};
	static const struct extent held[] = {
		DATA(10, 4, 1, 0), GONE(14, 6, 2), DATA(21, 3, 3, 8),
	};
	struct rig *rig = rig_new(test);
	u32 i;

	KUNIT_EXPECT_EQ(test, ssdup_extent_held_span(&rig->tree, 7, 17), 10);
	for (i = 0; i < ARRAY_SIZE(held); i++)
		rig_insert(test, rig, &held[i]);
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ(test, ssdup_extent_held_span(&rig->tree, cases[i].start,
							     cases[i].end), cases[i].sectors);
}

/* EXTENT_WALK of them at a time. */
static void held_spans_end(struct kunit *test)
{
	struct rig *rig = rig_new(test);
	u32 i, nr = EXTENT_WALK + 10;

	for (i = 0; i < nr; i++) {
		struct extent e = DATA(2 * i, 2, i + 1, 0);

		rig_insert(test, rig, &e);
	}
	KUNIT_EXPECT_EQ(test, ssdup_extent_held_span(&rig->tree, 1, 2 * nr), 2 * EXTENT_WALK - 1);
	KUNIT_EXPECT_EQ(test, ssdup_extent_held_span(&rig->tree, 2 * EXTENT_WALK, 2 * nr + 5), 20);
}

/* A write replaces EXTENT_WALK of them at a time, however far apart. */
static void walk_spans(struct kunit *test)
{
	struct rig *rig = rig_new(test);
	u32 i, nr = EXTENT_WALK + 10;

	KUNIT_EXPECT_EQ(test, ssdup_extent_walk_span(&rig->tree, 5, 4000), 3995);
	for (i = 0; i < nr; i++) {
		struct extent e = DATA(3 * i, 2, i + 1, 0);

		rig_insert(test, rig, &e);
	}
	/* Up to the next one: what lies in between costs nothing. */
	KUNIT_EXPECT_EQ(test, ssdup_extent_walk_span(&rig->tree, 0, 3 * nr), 3 * EXTENT_WALK);
	KUNIT_EXPECT_EQ(test, ssdup_extent_walk_span(&rig->tree, 1, 3 * nr), 3 * EXTENT_WALK - 1);
	KUNIT_EXPECT_EQ(test, ssdup_extent_walk_span(&rig->tree, 2, 3 * nr), 3 * EXTENT_WALK + 1);
	KUNIT_EXPECT_EQ(test, ssdup_extent_walk_span(&rig->tree, 0, 3 * EXTENT_WALK),
			3 * EXTENT_WALK);
	KUNIT_EXPECT_EQ(test, ssdup_extent_walk_span(&rig->tree, 0, 3 * EXTENT_WALK + 1),
			3 * EXTENT_WALK);
	KUNIT_EXPECT_EQ(test, ssdup_extent_walk_span(&rig->tree, 30, 4 * nr), 4 * nr - 30);
}

struct class_case {
	const char	*name;
	u64		start, end;
	u32		own;		/* class of new data */
	u32		sectors;
	u32		class;
};

/* Of three classes, 1 holds [10, 20), 2 holds [20, 30), and 0 holds [40, 50). */
static const struct class_case class_cases[] = {
	{ "new data", 0, 10, 0, 10, 0 },
	{ "new data up to another class", 5, 15, 0, 5, 0 },
	{ "new data and its own class", 5, 15, 1, 10, 1 },
	{ "its own class and new data", 45, 60, 0, 15, 0 },
	{ "another class", 10, 20, 0, 10, 1 },
	{ "a part of another class", 12, 15, 0, 3, 1 },
	{ "two other classes", 12, 25, 0, 8, 1 },
	{ "its own class, then another", 12, 25, 1, 8, 1 },
	{ "another class, then its own", 12, 25, 2, 8, 1 },
	{ "another class, then new data", 25, 40, 0, 5, 2 },
	{ "another class, new data, its own", 25, 45, 0, 5, 2 },
	{ "its own class, new data, another", 25, 45, 2, 15, 2 },
	{ "new data between two", 30, 50, 1, 10, 1 },
	{ "behind all", 50, 60, 2, 10, 2 },
};

static void class_case_desc(const struct class_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(class, class_cases, class_case_desc);

static void class_spans(struct kunit *test)
{
	/* The generation is the upper part of a seq, and modulo 3 it is the class. */
	static const struct extent held[] = {
		DATA(10, 4, 4ULL << SSDUP_SEQ_BITS, 100), GONE(14, 6, 7ULL << SSDUP_SEQ_BITS),
		DATA(20, 10, 5ULL << SSDUP_SEQ_BITS | 3, 200),
		DATA(40, 10, 9ULL << SSDUP_SEQ_BITS, 0),
	};
	const struct class_case *c = test->param_value;
	const struct log_classes three = { .nr = 3 };
	struct rig *rig = rig_new(test);
	u32 i, class = c->own;

	for (i = 0; i < ARRAY_SIZE(held); i++)
		rig_insert(test, rig, &held[i]);
	KUNIT_EXPECT_EQ(test, ssdup_extent_class_span(&rig->tree, c->start, c->end, &three, &class),
			c->sectors);
	KUNIT_EXPECT_EQ(test, class, c->class);
}

static struct kunit_case extent_span_cases[] = {
	KUNIT_CASE(read_spans),
	KUNIT_CASE(held_spans),
	KUNIT_CASE(held_spans_end),
	KUNIT_CASE(walk_spans),
	KUNIT_CASE_PARAM(class_spans, class_gen_params),
	{}
};

static struct kunit_suite extent_span_suite = {
	.name = "ssdup-extent-span",
	.test_cases = extent_span_cases,
};

kunit_test_suite(extent_span_suite);
