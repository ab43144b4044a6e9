// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>
#include <linux/sched.h>

#include "../dm-ssdup/core/extent_map.c"
#include "prng.h"

#define NODES	2304U

/* A tree and all nodes there are; none may get lost. */
struct rig {
	struct extent_tree	tree;
	struct extent_list	pool;
	struct extent		nodes[NODES];
};

static u32 list_length(const struct extent_list *list)
{
	const struct extent *e;
	u32 nr = 0;

	for (e = list->head; e; e = e->next)
		nr++;
	return nr;
}

static struct rig *rig_new(struct kunit *test)
{
	struct rig *rig = kunit_kzalloc(test, sizeof(*rig), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, rig);
	ssdup_extent_tree_init(&rig->tree);
	for (i = 0; i < NODES; i++)
		extent_push(&rig->pool, &rig->nodes[i]);
	return rig;
}

/* Insert with exactly as many spares as were asked for. Returns how many. */
static u32 rig_insert(struct kunit *test, struct rig *rig, const struct extent *what)
{
	struct extent_list spares = {}, unused = {};
	struct extent *e = extent_pop(&rig->pool);
	u32 i, nr;

	*e = *what;
	nr = ssdup_extent_spares(&rig->tree, e);
	for (i = 0; i < nr; i++)
		extent_push(&spares, extent_pop(&rig->pool));

	ssdup_extent_insert(&rig->tree, e, &spares, &unused);

	/* The number was exact. */
	KUNIT_ASSERT_TRUE(test, !spares.head);
	while (unused.head)
		extent_push(&rig->pool, extent_pop(&unused));
	return nr;
}

/* Insert the short way where that goes. Returns whether it went. */
static bool rig_insert_short(struct kunit *test, struct rig *rig, const struct extent *what)
{
	struct extent *e = extent_pop(&rig->pool), *old;

	*e = *what;
	if (extent_insert_alone(&rig->tree, e, &old)) {
		if (old) {
			KUNIT_ASSERT_LE(test, old->seq, what->seq);
			extent_push(&rig->pool, old);
		}
		return true;
	}
	extent_push(&rig->pool, e);
	rig_insert(test, rig, what);
	return false;
}

static const struct extent *lowest(const struct extent_tree *tree)
{
	return ssdup_extent_first(tree, 0, U64_MAX);
}

/* --- One insert over others, by example --- */

#define DATA(s, n, q, p) { .start = s, .sectors = n, .seq = q, .pos = (__force log_pos_t)(p), \
			   .kind = SSDUP_KIND_DATA }
#define GONE(s, n, q)	 { .start = s, .sectors = n, .seq = q, .kind = SSDUP_KIND_DISCARD }

struct insert_case {
	const char *name;
	u32 nr_before;
	struct extent before[3];
	struct extent e;
	u32 spares;
	u32 nr_after;
	struct extent after[5];
};

static const struct insert_case insert_cases[] = {
	{ "empty tree", 0, {}, DATA(10, 4, 1, 100), 0, 1, { DATA(10, 4, 1, 100) } },
	{ "neighbours stay apart", 1, { DATA(8, 2, 1, 50) }, DATA(10, 4, 2, 52), 0,
	  2, { DATA(8, 2, 1, 50), DATA(10, 4, 2, 52) } },
	{ "newer, the same range", 1, { DATA(10, 4, 1, 100) }, DATA(10, 4, 2, 200), 0,
	  1, { DATA(10, 4, 2, 200) } },
	{ "equal seq, the later insert wins", 1, { DATA(10, 4, 2, 100) }, DATA(10, 4, 2, 200), 0,
	  1, { DATA(10, 4, 2, 200) } },
	{ "older, the same range", 1, { DATA(10, 4, 2, 100) }, DATA(10, 4, 1, 200), 0,
	  1, { DATA(10, 4, 2, 100) } },
	{ "newer over the front", 1, { DATA(10, 8, 1, 100) }, DATA(8, 4, 2, 200), 0,
	  2, { DATA(8, 4, 2, 200), DATA(12, 6, 1, 102) } },
	{ "newer over the back", 1, { DATA(10, 8, 1, 100) }, DATA(16, 4, 2, 200), 0,
	  2, { DATA(10, 6, 1, 100), DATA(16, 4, 2, 200) } },
	{ "newer within splits", 1, { DATA(10, 8, 1, 100) }, DATA(12, 2, 2, 200), 1,
	  3, { DATA(10, 2, 1, 100), DATA(12, 2, 2, 200), DATA(14, 4, 1, 104) } },
	{ "newer within, at the front", 1, { DATA(10, 8, 1, 100) }, DATA(10, 2, 2, 200), 0,
	  2, { DATA(10, 2, 2, 200), DATA(12, 6, 1, 102) } },
	{ "newer within, at the back", 1, { DATA(10, 8, 1, 100) }, DATA(16, 2, 2, 200), 0,
	  2, { DATA(10, 6, 1, 100), DATA(16, 2, 2, 200) } },
	{ "newer over three", 3, { DATA(0, 4, 1, 10), DATA(6, 2, 2, 20), DATA(10, 4, 3, 30) },
	  DATA(2, 10, 4, 40), 0,
	  3, { DATA(0, 2, 1, 10), DATA(2, 10, 4, 40), DATA(12, 2, 3, 32) } },
	{ "newer over all of three", 3,
	  { DATA(0, 4, 1, 10), DATA(6, 2, 2, 20), DATA(10, 4, 3, 30) },
	  DATA(0, 20, 4, 40), 0, 1, { DATA(0, 20, 4, 40) } },
	{ "older around one", 1, { DATA(10, 4, 9, 100) }, DATA(8, 8, 1, 200), 1,
	  3, { DATA(8, 2, 1, 200), DATA(10, 4, 9, 100), DATA(14, 2, 1, 206) } },
	{ "older around three", 3, { DATA(2, 2, 7, 10), DATA(6, 2, 8, 20), DATA(10, 2, 9, 30) },
	  DATA(0, 14, 1, 40), 3,
	  5, { DATA(0, 2, 1, 40), DATA(2, 2, 7, 10), DATA(4, 2, 1, 44), DATA(6, 2, 8, 20),
	       DATA(8, 2, 1, 48) } },
	{ "older within", 1, { DATA(0, 10, 9, 10) }, DATA(4, 2, 1, 40), 0,
	  1, { DATA(0, 10, 9, 10) } },
	{ "older, covered by two", 2, { DATA(0, 4, 8, 10), DATA(4, 4, 9, 20) },
	  DATA(2, 4, 1, 40), 0, 2, { DATA(0, 4, 8, 10), DATA(4, 4, 9, 20) } },
	{ "between an older and a newer", 2, { DATA(0, 4, 1, 10), DATA(6, 4, 9, 20) },
	  DATA(2, 6, 5, 40), 0,
	  3, { DATA(0, 2, 1, 10), DATA(2, 4, 5, 40), DATA(6, 4, 9, 20) } },
	{ "over an older, around a newer", 2, { DATA(0, 4, 1, 10), DATA(6, 2, 9, 20) },
	  DATA(0, 10, 5, 40), 1,
	  3, { DATA(0, 6, 5, 40), DATA(6, 2, 9, 20), DATA(8, 2, 5, 48) } },
	{ "a tombstone's place stays 0", 1, { GONE(0, 10, 1) }, DATA(2, 2, 2, 40), 1,
	  3, { GONE(0, 2, 1), DATA(2, 2, 2, 40), GONE(4, 6, 1) } },
	{ "a tombstone cut at the front", 1, { GONE(4, 8, 1) }, DATA(2, 4, 2, 40), 0,
	  2, { DATA(2, 4, 2, 40), GONE(6, 6, 1) } },
	{ "an older tombstone in pieces", 1, { DATA(2, 2, 2, 40) }, GONE(0, 6, 1), 1,
	  3, { GONE(0, 2, 1), DATA(2, 2, 2, 40), GONE(4, 2, 1) } },
	{ "a newer tombstone over data", 1, { DATA(2, 6, 1, 40) }, GONE(0, 4, 2), 0,
	  2, { GONE(0, 4, 2), DATA(4, 4, 1, 42) } },
};

static void insert_case_desc(const struct insert_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(insert, insert_cases, insert_case_desc);

static void insert_by_example(struct kunit *test)
{
	const struct insert_case *c = test->param_value;
	struct rig *rig = rig_new(test);
	const struct extent *x;
	u32 i;

	for (i = 0; i < c->nr_before; i++)
		rig_insert(test, rig, &c->before[i]);
	KUNIT_EXPECT_EQ(test, rig_insert(test, rig, &c->e), c->spares);

	x = lowest(&rig->tree);
	for (i = 0; i < c->nr_after; i++, x = ssdup_extent_next(x)) {
		KUNIT_ASSERT_TRUE(test, x);
		KUNIT_EXPECT_EQ(test, x->start, c->after[i].start);
		KUNIT_EXPECT_EQ(test, x->sectors, c->after[i].sectors);
		KUNIT_EXPECT_EQ(test, x->seq, c->after[i].seq);
		KUNIT_EXPECT_EQ(test, from_log_pos(x->pos), from_log_pos(c->after[i].pos));
		KUNIT_EXPECT_EQ(test, x->kind, c->after[i].kind);
	}
	KUNIT_EXPECT_EQ(test, rig->tree.nr + list_length(&rig->pool), NODES);
}

/* The short way is for what takes no others apart, and is not taken apart itself. */
static void short_way(struct kunit *test)
{
	static const struct extent lower = DATA(10, 4, 5, 100), higher = DATA(20, 4, 5, 200);
	static const struct {
		struct extent e;
		bool goes;
	} rows[] = {
		{ DATA(6, 4, 9, 0), true }, { DATA(14, 6, 1, 0), true },
		{ DATA(24, 1, 1, 0), true },
		{ DATA(10, 4, 6, 0), true }, { DATA(10, 4, 5, 0), true },
		{ DATA(10, 4, 4, 0), false }, { DATA(10, 3, 9, 0), false },
		{ DATA(10, 5, 9, 0), false }, { DATA(11, 3, 9, 0), false },
		{ DATA(6, 5, 9, 0), false }, { DATA(14, 7, 1, 0), false },
		{ DATA(8, 20, 9, 0), false },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rig *rig = rig_new(test);

		rig_insert(test, rig, &lower);
		rig_insert(test, rig, &higher);
		KUNIT_EXPECT_EQ_MSG(test, rig_insert_short(test, rig, &rows[i].e), rows[i].goes,
				    "row %u", i);
		kunit_kfree(test, rig);
	}
}

static void extent_is_56_bytes(struct kunit *test)
{
	if (sizeof(long) == 8)
		KUNIT_EXPECT_EQ(test, sizeof(struct extent), 56);
}

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
		KUNIT_EXPECT_EQ_MSG(test, x ? x->seq : 0, reads[i].seq, "read %u", i);
	}
}

/* --- Against a flat array, a million times --- */

#define SPACE		192U
#define HALVES		3U
#define OPERATIONS	1000000U
#define FULL_CHECK	64U		/* operations between two */
#define BASE		(BIT_ULL(40) + 5)	/* of the range: no 32 bit place */

struct cell {
	u32 seq;	/* 0: the HDD's */
	u32 pos;
	u8 half;
	u8 kind;
};

struct model {
	struct cell	cell[SPACE];
	struct prng	r;
	u32		seq;
	u32		next_pos;
};

static void model_insert(struct model *m, const struct extent *e)
{
	u32 i;

	for (i = 0; i < e->sectors; i++) {
		struct cell *c = &m->cell[e->start - BASE + i];

		if (c->seq > e->seq)
			continue;
		c->seq = e->seq;
		c->half = e->half;
		c->kind = e->kind;
		c->pos = e->kind == SSDUP_KIND_DATA ? from_log_pos(e->pos) + i : 0;
	}
}

static void model_drop_half(struct model *m, u8 half)
{
	u32 i;

	for (i = 0; i < SPACE; i++)
		if (m->cell[i].seq && m->cell[i].half == half)
			m->cell[i].seq = 0;
}

static bool same(const struct cell *c, const struct extent *x, u32 offset)
{
	u32 pos = from_log_pos(x->pos);

	if (x->kind == SSDUP_KIND_DATA)
		pos += offset;
	return c->seq == x->seq && c->half == x->half && c->kind == x->kind && c->pos == pos;
}

/* All of the tree, its invariants included. */
static void compare_all(struct kunit *test, struct rig *rig, const struct model *m)
{
	const struct extent *x;
	u64 at = BASE, sectors = 0;
	u32 nr = 0;

	for (x = lowest(&rig->tree); x; x = ssdup_extent_next(x)) {
		KUNIT_ASSERT_GE(test, x->start, at);
		KUNIT_ASSERT_GT(test, x->sectors, 0);
		KUNIT_ASSERT_LE(test, extent_end(x), BASE + SPACE);

		for (; at < x->start; at++)
			KUNIT_ASSERT_EQ(test, m->cell[at - BASE].seq, 0);
		for (; at < extent_end(x); at++)
			KUNIT_ASSERT_TRUE(test, same(&m->cell[at - BASE], x, at - x->start));

		sectors += x->sectors;
		nr++;
	}
	for (; at < BASE + SPACE; at++)
		KUNIT_ASSERT_EQ(test, m->cell[at - BASE].seq, 0);

	KUNIT_ASSERT_EQ(test, rig->tree.nr, nr);
	KUNIT_ASSERT_EQ(test, rig->tree.sectors, sectors);
	KUNIT_ASSERT_EQ(test, nr + list_length(&rig->pool), NODES);
}

/* What a read of a part gets, piece by piece. */
static void compare_read(struct kunit *test, const struct rig *rig, const struct model *m,
			 u64 start, u64 end)
{
	const struct extent *x;
	u32 i, sectors;

	for (; start < end; start += sectors) {
		x = ssdup_extent_read_span(&rig->tree, start, end, &sectors);
		KUNIT_ASSERT_GT(test, sectors, 0);
		KUNIT_ASSERT_LE(test, sectors, end - start);
		for (i = 0; i < sectors; i++) {
			const struct cell *c = &m->cell[start - BASE + i];

			if (x)
				KUNIT_ASSERT_TRUE(test, same(c, x, start + i - x->start));
			else
				KUNIT_ASSERT_EQ(test, c->seq, 0);
		}
	}
}

static struct extent random_extent(struct model *m)
{
	static const u8 kinds[] = { SSDUP_KIND_DATA, SSDUP_KIND_DATA, SSDUP_KIND_DATA,
				    SSDUP_KIND_DATA, SSDUP_KIND_DATA, SSDUP_KIND_DISCARD,
				    SSDUP_KIND_ZERO, SSDUP_KIND_LOST };
	u32 start = prng_below(&m->r, SPACE);
	u32 most = prng_below(&m->r, 16) ? 12 : SPACE;
	struct extent e = {
		.start = BASE + start,
		.sectors = prng_between(&m->r, 1, min(most, SPACE - start)),
		.half = prng_below(&m->r, HALVES),
		.kind = kinds[prng_below(&m->r, ARRAY_SIZE(kinds))],
	};

	/* Mostly the newest; else of any age, or just as old as the newest. */
	switch (prng_below(&m->r, 4)) {
	case 0:
		e.seq = 1 + m->seq - prng_below(&m->r, min(m->seq, 100U) + 1);
		break;
	case 1:
		e.seq = max(m->seq, 1U);
		break;
	default:
		e.seq = m->seq + 1;
	}
	m->seq = max_t(u32, m->seq, e.seq);

	if (e.kind == SSDUP_KIND_DATA) {
		e.pos = to_log_pos(m->next_pos);
		m->next_pos += e.sectors;
	}
	return e;
}

static void random_operations(struct kunit *test)
{
	struct rig *rig = rig_new(test);
	struct model *m;
	u32 i, half, spares, went[2] = { 0 };
	u64 from;

	m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m);
	m->r.state = 7;

	for (i = 0; i < OPERATIONS; i++) {
		if (prng_below(&m->r, 64)) {
			struct extent e = random_extent(m);
			bool newest = e.seq == m->seq;

			if (i & 1) {
				went[rig_insert_short(test, rig, &e)]++;
			} else {
				spares = rig_insert(test, rig, &e);
				if (newest)
					KUNIT_ASSERT_LE(test, spares, 1);
			}
			model_insert(m, &e);
			compare_read(test, rig, m, e.start, extent_end(&e));
		} else {
			half = prng_below(&m->r, HALVES);
			from = 0;
			while (!ssdup_extent_drop_half(&rig->tree, half, &from, &rig->pool))
				;
			model_drop_half(m, half);
		}
		if (i % FULL_CHECK == 0) {
			compare_all(test, rig, m);
			cond_resched();
		}
	}
	compare_all(test, rig, m);
	KUNIT_EXPECT_GT(test, went[true], OPERATIONS / 50);
	KUNIT_EXPECT_GT(test, went[false], OPERATIONS / 50);
}

/* What is lent is given back by nobody, whichever way it leaves the tree. */
static void lent_nodes_stay_away(struct kunit *test)
{
	struct extent_list spares = {}, unused = {};
	struct rig *rig = rig_new(test);
	struct extent *e = rig->nodes, *old;
	u64 from = 0;
	u32 i;

	/* 0 and 1 side by side; 2 replaces 0; 3 covers 1; 4, older, gives way to 3. */
	static const struct extent what[] = {
		DATA(0, 8, 1, 0), DATA(8, 8, 2, 8), DATA(0, 8, 3, 16), DATA(8, 8, 4, 24),
		DATA(8, 8, 1, 0),
	};

	for (i = 0; i < ARRAY_SIZE(what); i++) {
		e[i] = what[i];
		e[i].lent = true;
	}
	KUNIT_EXPECT_TRUE(test, extent_insert_alone(&rig->tree, &e[0], &old));
	KUNIT_EXPECT_TRUE(test, extent_insert_alone(&rig->tree, &e[1], &old));
	KUNIT_EXPECT_NULL(test, old);
	KUNIT_EXPECT_TRUE(test, extent_insert_alone(&rig->tree, &e[2], &old));
	KUNIT_EXPECT_PTR_EQ(test, old, &e[0]);
	ssdup_extent_insert(&rig->tree, &e[3], &spares, &unused);
	ssdup_extent_insert(&rig->tree, &e[4], &spares, &unused);
	KUNIT_EXPECT_EQ(test, rig->tree.nr, 2);
	while (!ssdup_extent_drop_half(&rig->tree, what[0].half, &from, &unused))
		;
	KUNIT_EXPECT_EQ(test, rig->tree.nr, 0);
	KUNIT_EXPECT_NULL(test, unused.head);
}

/* A walk lets go after EXTENT_WALK extents, whosever they are, and goes on from there. */
static void drop_in_steps(struct kunit *test)
{
	struct rig *rig = rig_new(test);
	u32 i, calls = 0;
	u64 from = 0;

	for (i = 0; i < 2 * EXTENT_WALK + 10; i++) {
		struct extent e = {
			.start = 2 * i, .sectors = 1, .seq = i + 1,
			.half = i & 1, .kind = SSDUP_KIND_ZERO,
		};

		rig_insert(test, rig, &e);
	}
	do {
		calls++;
	} while (!ssdup_extent_drop_half(&rig->tree, 1, &from, &rig->pool));
	KUNIT_EXPECT_EQ(test, calls, 3);
	KUNIT_EXPECT_EQ(test, rig->tree.nr, EXTENT_WALK + 5);
	for (i = 0; i < 2 * EXTENT_WALK + 10; i++)
		KUNIT_ASSERT_EQ(test, !!ssdup_extent_first(&rig->tree, 2 * i, 2 * i + 1), !(i & 1));
}

static void find_in_steps(struct kunit *test)
{
	struct rig *rig = rig_new(test);
	u32 i, calls = 0, nr = 0, last = 2 * EXTENT_WALK + 9;
	const struct extent *x;
	u64 from = 0;
	bool all;

	for (i = 0; i <= last; i++) {
		struct extent e = {
			.start = 2 * i, .sectors = 1, .seq = i + 1,
			.kind = i == 5 || i == last ? SSDUP_KIND_LOST : SSDUP_KIND_ZERO,
		};

		rig_insert(test, rig, &e);
	}
	do {
		all = ssdup_extent_find_kind(&rig->tree, SSDUP_KIND_LOST, &from, &x);
		calls++;
		if (!x)
			continue;
		KUNIT_EXPECT_EQ(test, x->start, nr ? 2 * last : 10);
		nr++;
	} while (!all);
	KUNIT_EXPECT_EQ(test, nr, 2);
	/* Two found, two stops between them, and the end. */
	KUNIT_EXPECT_EQ(test, calls, 5);
}

/* What of a discard is logged: what is held, side by side, and not what lies between. */
static void held_spans(struct kunit *test)
{
	static const struct {
		u64 start, end;
		bool held;
		u32 sectors;
	} cases[] = {
		{ 0, 100, false, 10 },		/* up to the first one */
		{ 0, 10, false, 10 },
		{ 0, 5, false, 5 },
		{ 10, 100, true, 10 },		/* two of them, and a gap of one */
		{ 12, 100, true, 8 },
		{ 14, 18, true, 4 },
		{ 19, 20, true, 1 },
		{ 20, 100, false, 1 },
		{ 21, 100, true, 3 },
		{ 21, 24, true, 3 },
		{ 24, 100, false, 76 },		/* behind the last */
	};
	static const struct extent held[] = {
		DATA(10, 4, 1, 0), GONE(14, 6, 2), DATA(21, 3, 3, 8),
	};
	struct rig *rig = rig_new(test);
	u32 i, sectors;

	KUNIT_EXPECT_FALSE(test, ssdup_extent_held_span(&rig->tree, 7, 17, &sectors));
	KUNIT_EXPECT_EQ(test, sectors, 10);
	for (i = 0; i < ARRAY_SIZE(held); i++)
		rig_insert(test, rig, &held[i]);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		KUNIT_EXPECT_EQ(test, ssdup_extent_held_span(&rig->tree, cases[i].start,
							     cases[i].end,
							     &sectors), cases[i].held);
		KUNIT_EXPECT_EQ(test, sectors, cases[i].sectors);
	}
}

/* EXTENT_WALK of them at a time. */
static void held_spans_end(struct kunit *test)
{
	struct rig *rig = rig_new(test);
	u32 i, nr = EXTENT_WALK + 10, sectors;

	for (i = 0; i < nr; i++) {
		struct extent e = DATA(2 * i, 2, i + 1, 0);

		rig_insert(test, rig, &e);
	}
	KUNIT_EXPECT_TRUE(test, ssdup_extent_held_span(&rig->tree, 1, 2 * nr, &sectors));
	KUNIT_EXPECT_EQ(test, sectors, 2 * EXTENT_WALK - 1);
	KUNIT_EXPECT_TRUE(test, ssdup_extent_held_span(&rig->tree, 2 * EXTENT_WALK, 2 * nr + 5,
						       &sectors));
	KUNIT_EXPECT_EQ(test, sectors, 20);
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

static struct kunit_case extent_map_cases[] = {
	KUNIT_CASE(held_spans),
	KUNIT_CASE(held_spans_end),
	KUNIT_CASE(walk_spans),
	KUNIT_CASE(drop_in_steps),
	KUNIT_CASE(find_in_steps),
	KUNIT_CASE_PARAM(insert_by_example, insert_gen_params),
	KUNIT_CASE(short_way),
	KUNIT_CASE(extent_is_56_bytes),
	KUNIT_CASE(read_spans),
	KUNIT_CASE(random_operations),
	KUNIT_CASE(lent_nodes_stay_away),
	{}
};

static struct kunit_suite extent_map_suite = {
	.name = "ssdup-extent-map",
	.test_cases = extent_map_cases,
};

kunit_test_suite(extent_map_suite);
