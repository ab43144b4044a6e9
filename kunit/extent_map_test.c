// SPDX-License-Identifier: GPL-2.0-only
/* invariant: 1 3 */
#include <kunit/test.h>
#include <linux/sched.h>

#include "core/extent_map.c"
#include "prng.h"

#define NODES	2304U

/* A tree and all nodes there are. A node that is in no tree can be used again here. */
struct rig {
	struct extent_tree	tree;
	struct extent		nodes[NODES];
	u32			last;
};

static struct rig *rig_new(struct kunit *test)
{
	struct rig *rig = kunit_kzalloc(test, sizeof(*rig), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, rig);
	ssdup_extent_tree_init(&rig->tree);
	for (i = 0; i < NODES; i++)
		RB_CLEAR_NODE(&rig->nodes[i].node);
	return rig;
}

/* A node that is in no tree. */
static struct extent *rig_node(struct kunit *test, struct rig *rig)
{
	u32 i;

	for (i = 0; i < NODES; i++) {
		struct extent *e = &rig->nodes[rig->last++ % NODES];

		if (!extent_mapped(e))
			return e;
	}
	KUNIT_ASSERT_TRUE(test, false);
	return NULL;
}

static u32 rig_mapped(const struct rig *rig)
{
	u32 i, nr = 0;

	for (i = 0; i < NODES; i++)
		nr += extent_mapped(&rig->nodes[i]);
	return nr;
}

/* A copy of @what that keeps what the tree knows. */
static struct extent *rig_copy(struct kunit *test, struct rig *rig, const struct extent *what)
{
	struct extent *e = rig_node(test, rig);

	*e = *what;
	RB_CLEAR_NODE(&e->node);
	return e;
}

/* Insert, with a spare only if one was asked for. Returns whether it was. */
static bool rig_insert(struct kunit *test, struct rig *rig, const struct extent *what)
{
	struct extent *e = rig_copy(test, rig, what), *spare = NULL;
	const struct extent *split;

	KUNIT_ASSERT_FALSE(test, ssdup_extent_overtaken(&rig->tree, e));
	split = ssdup_extent_splits(&rig->tree, e);
	if (split) {
		KUNIT_ASSERT_TRUE(test, split->start < e->start);
		KUNIT_ASSERT_TRUE(test, extent_end(split) > extent_end(e));
		/* It will be found in the tree, not e. */
		do {
			spare = rig_node(test, rig);
		} while (spare == e);
	}
	ssdup_extent_insert(&rig->tree, e, spare);
	KUNIT_ASSERT_TRUE(test, extent_mapped(e));
	if (spare)
		KUNIT_ASSERT_TRUE(test, extent_mapped(spare));
	return spare;
}

/* Insert the short way where that goes. Returns whether it went. */
static bool rig_insert_short(struct kunit *test, struct rig *rig, const struct extent *what)
{
	struct extent *e = rig_copy(test, rig, what);
	struct extent_tree was = rig->tree;

	if (extent_insert_alone(&rig->tree, e)) {
		KUNIT_ASSERT_TRUE(test, extent_mapped(e));
		return true;
	}
	KUNIT_ASSERT_FALSE(test, extent_mapped(e));
	KUNIT_ASSERT_TRUE(test, !memcmp(&was, &rig->tree, sizeof(was)));
	return false;
}

/* As a replay does it: only where nothing newer is. Returns whether anything was inserted. */
static bool rig_insert_older(struct kunit *test, struct rig *rig, const struct extent *what)
{
	u64 at = what->start, end = extent_end(what), from;
	struct extent part;
	bool any = false;
	u32 sectors;

	while (at < end) {
		sectors = ssdup_extent_older_span(&rig->tree, at, end, what->seq, &from);
		KUNIT_ASSERT_GE(test, from, at);
		KUNIT_ASSERT_LE(test, from + sectors, end);
		if (!sectors)
			break;
		part = *what;
		part.start = from;
		part.sectors = sectors;
		if (what->kind == SSDUP_KIND_DATA)
			part.pos += from - what->start;
		rig_insert(test, rig, &part);
		any = true;
		at = from + sectors;
	}
	return any;
}

static const struct extent *lowest(const struct extent_tree *tree)
{
	return ssdup_extent_first(tree, 0, U64_MAX);
}

/* --- One insert over others, by example --- */

/* Places of a segment of a large SSD. */
#define SEGMENT		(BIT_ULL(35) + 2048)

#define DATA(s, n, q, p) { .start = s, .sectors = n, .seq = q, .pos = SEGMENT + (p), \
			   .kind = SSDUP_KIND_DATA }
#define GONE(s, n, q)	 { .start = s, .sectors = n, .seq = q, .pos = SEGMENT, \
			   .kind = SSDUP_KIND_DISCARD }

struct insert_case {
	const char *name;
	u32 nr_before;
	struct extent before[3];
	struct extent e;
	bool spare;
	u32 nr_after;
	struct extent after[7];
};

static const struct insert_case insert_cases[] = {
	{ "empty tree", 0, {}, DATA(10, 4, 1, 100), false, 1, { DATA(10, 4, 1, 100) } },
	{ "neighbours stay apart", 1, { DATA(8, 2, 1, 50) }, DATA(10, 4, 2, 52), false,
	  2, { DATA(8, 2, 1, 50), DATA(10, 4, 2, 52) } },
	{ "the same range", 1, { DATA(10, 4, 1, 100) }, DATA(10, 4, 2, 200), false,
	  1, { DATA(10, 4, 2, 200) } },
	{ "over the front", 1, { DATA(10, 8, 1, 100) }, DATA(8, 4, 2, 200), false,
	  2, { DATA(8, 4, 2, 200), DATA(12, 6, 1, 102) } },
	{ "over the back", 1, { DATA(10, 8, 1, 100) }, DATA(16, 4, 2, 200), false,
	  2, { DATA(10, 6, 1, 100), DATA(16, 4, 2, 200) } },
	{ "within splits", 1, { DATA(10, 8, 1, 100) }, DATA(12, 2, 2, 200), true,
	  3, { DATA(10, 2, 1, 100), DATA(12, 2, 2, 200), DATA(14, 4, 1, 104) } },
	{ "within, at the front", 1, { DATA(10, 8, 1, 100) }, DATA(10, 2, 2, 200), false,
	  2, { DATA(10, 2, 2, 200), DATA(12, 6, 1, 102) } },
	{ "within, at the back", 1, { DATA(10, 8, 1, 100) }, DATA(16, 2, 2, 200), false,
	  2, { DATA(10, 6, 1, 100), DATA(16, 2, 2, 200) } },
	{ "over three", 3, { DATA(0, 4, 1, 10), DATA(6, 2, 2, 20), DATA(10, 4, 3, 30) },
	  DATA(2, 10, 4, 40), false,
	  3, { DATA(0, 2, 1, 10), DATA(2, 10, 4, 40), DATA(12, 2, 3, 32) } },
	{ "over all of three", 3,
	  { DATA(0, 4, 1, 10), DATA(6, 2, 2, 20), DATA(10, 4, 3, 30) },
	  DATA(0, 20, 4, 40), false, 1, { DATA(0, 20, 4, 40) } },
	{ "a tombstone's place stays", 1, { GONE(0, 10, 1) }, DATA(2, 2, 2, 40), true,
	  3, { GONE(0, 2, 1), DATA(2, 2, 2, 40), GONE(4, 6, 1) } },
	{ "a tombstone cut at the front", 1, { GONE(4, 8, 1) }, DATA(2, 4, 2, 40), false,
	  2, { DATA(2, 4, 2, 40), GONE(6, 6, 1) } },
	{ "a tombstone over data", 1, { DATA(2, 6, 1, 40) }, GONE(0, 4, 2), false,
	  2, { GONE(0, 4, 2), DATA(4, 4, 1, 42) } },
};

static const struct insert_case older_cases[] = {
	{ "newest", 1, { DATA(10, 4, 1, 100) }, DATA(10, 4, 2, 200), true,
	  1, { DATA(10, 4, 2, 200) } },
	{ "the same range", 1, { DATA(10, 4, 2, 100) }, DATA(10, 4, 1, 200), false,
	  1, { DATA(10, 4, 2, 100) } },
	{ "around one", 1, { DATA(10, 4, 9, 100) }, DATA(8, 8, 1, 200), true,
	  3, { DATA(8, 2, 1, 200), DATA(10, 4, 9, 100), DATA(14, 2, 1, 206) } },
	{ "around three", 3, { DATA(2, 2, 7, 10), DATA(6, 2, 8, 20), DATA(10, 2, 9, 30) },
	  DATA(0, 14, 1, 40), true,
	  7, { DATA(0, 2, 1, 40), DATA(2, 2, 7, 10), DATA(4, 2, 1, 44), DATA(6, 2, 8, 20),
	       DATA(8, 2, 1, 48), DATA(10, 2, 9, 30), DATA(12, 2, 1, 52) } },
	{ "within", 1, { DATA(0, 10, 9, 10) }, DATA(4, 2, 1, 40), false,
	  1, { DATA(0, 10, 9, 10) } },
	{ "covered by two", 2, { DATA(0, 4, 8, 10), DATA(4, 4, 9, 20) },
	  DATA(2, 4, 1, 40), false, 2, { DATA(0, 4, 8, 10), DATA(4, 4, 9, 20) } },
	{ "between an older and a newer", 2, { DATA(0, 4, 1, 10), DATA(6, 4, 9, 20) },
	  DATA(2, 6, 5, 40), true,
	  3, { DATA(0, 2, 1, 10), DATA(2, 4, 5, 40), DATA(6, 4, 9, 20) } },
	{ "over an older, around a newer", 2, { DATA(0, 4, 1, 10), DATA(6, 2, 9, 20) },
	  DATA(0, 10, 5, 40), true,
	  3, { DATA(0, 6, 5, 40), DATA(6, 2, 9, 20), DATA(8, 2, 5, 48) } },
	{ "over two that are newer, and what lies between", 2,
	  { DATA(0, 4, 8, 10), DATA(6, 4, 9, 20) }, DATA(0, 10, 5, 40), true,
	  3, { DATA(0, 4, 8, 10), DATA(4, 2, 5, 44), DATA(6, 4, 9, 20) } },
	{ "a tombstone in pieces", 1, { DATA(2, 2, 2, 40) }, GONE(0, 6, 1), true,
	  3, { GONE(0, 2, 1), DATA(2, 2, 2, 40), GONE(4, 2, 1) } },
};

static void insert_case_desc(const struct insert_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(insert, insert_cases, insert_case_desc);
KUNIT_ARRAY_PARAM(older, older_cases, insert_case_desc);

static void check_case(struct kunit *test, const struct rig *rig, const struct insert_case *c)
{
	const struct extent *x = lowest(&rig->tree);
	u32 i;

	for (i = 0; i < c->nr_after; i++, x = ssdup_extent_next(x)) {
		KUNIT_ASSERT_TRUE(test, x);
		KUNIT_EXPECT_EQ(test, x->start, c->after[i].start);
		KUNIT_EXPECT_EQ(test, (u64)x->sectors, (u64)c->after[i].sectors);
		KUNIT_EXPECT_EQ(test, (u64)x->seq, (u64)c->after[i].seq);
		KUNIT_EXPECT_EQ(test, (u64)x->pos, (u64)c->after[i].pos);
		KUNIT_EXPECT_EQ(test, (u32)x->kind, (u32)c->after[i].kind);
	}
	KUNIT_EXPECT_TRUE(test, !x);
	/* What left the tree says so. */
	KUNIT_EXPECT_EQ(test, rig->tree.nr, c->nr_after);
	KUNIT_EXPECT_EQ(test, rig_mapped(rig), c->nr_after);
}

static void insert_by_example(struct kunit *test)
{
	const struct insert_case *c = test->param_value;
	struct rig *rig = rig_new(test);
	u32 i;

	for (i = 0; i < c->nr_before; i++)
		rig_insert(test, rig, &c->before[i]);
	KUNIT_EXPECT_EQ(test, rig_insert(test, rig, &c->e), c->spare);
	check_case(test, rig, c);
}

/* What a replay finds late. */
static void older_by_example(struct kunit *test)
{
	const struct insert_case *c = test->param_value;
	struct rig *rig = rig_new(test);
	u32 i;

	for (i = 0; i < c->nr_before; i++)
		rig_insert(test, rig, &c->before[i]);
	KUNIT_EXPECT_EQ(test, rig_insert_older(test, rig, &c->e), c->spare);
	check_case(test, rig, c);
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
		{ DATA(10, 4, 6, 0), true }, { DATA(20, 4, 6, 0), true },
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
		KUNIT_EXPECT_EQ_MSG(test, rig_mapped(rig), rig->tree.nr, "row %u", i);
		kunit_kfree(test, rig);
	}
}

/* A newer one in any place overtakes, an older one in none. */
static void overtaken(struct kunit *test)
{
	static const struct extent held[] = {
		DATA(10, 4, 5, 0), DATA(14, 4, 9, 4), DATA(20, 4, 5, 8),
	};
	static const struct {
		struct extent e;
		bool overtaken;
	} rows[] = {
		{ DATA(0, 10, 1, 0), false }, { DATA(18, 2, 1, 0), false },
		{ DATA(24, 9, 1, 0), false }, { DATA(0, 14, 6, 0), false },
		{ DATA(0, 15, 6, 0), true }, { DATA(17, 1, 8, 0), true },
		{ DATA(17, 1, 10, 0), false }, { DATA(0, 40, 10, 0), false },
		{ DATA(18, 40, 4, 0), true }, { DATA(0, 40, 8, 0), true },
	};
	struct rig *rig = rig_new(test);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(held); i++)
		rig_insert(test, rig, &held[i]);
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		KUNIT_EXPECT_EQ_MSG(test, ssdup_extent_overtaken(&rig->tree, &rows[i].e),
				    rows[i].overtaken, "row %u", i);
}

static void extent_is_48_bytes(struct kunit *test)
{
	if (sizeof(long) == 8)
		KUNIT_EXPECT_EQ(test, sizeof(struct extent), 48);
}

/* Each field at its limit, and none runs into its neighbour. */
static void extent_limits(struct kunit *test)
{
	const struct extent most = {
		.start = U64_MAX - EXTENT_MAX_SECTORS, .sectors = EXTENT_MAX_SECTORS,
		.seq = BIT_ULL(60) - 1, .pos = BIT_ULL(36) - 1, .kind = SSDUP_KIND_MAX,
	};
	struct extent_array *a;
	u32 i;

	a = kunit_kzalloc(test, sizeof(*a) + SSDUP_PAGE_ENTRIES * sizeof(a->e[0]), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, a);
	KUNIT_EXPECT_EQ(test, (u64)most.seq, BIT_ULL(60) - 1);
	KUNIT_EXPECT_EQ(test, (u64)most.pos, BIT_ULL(36) - 1);
	KUNIT_EXPECT_EQ(test, (u32)most.sectors, EXTENT_MAX_SECTORS);
	KUNIT_EXPECT_EQ(test, (u32)most.kind, SSDUP_KIND_MAX);

	extent_array_init(a, SSDUP_PAGE_ENTRIES);
	KUNIT_EXPECT_EQ(test, (u32)a->nr, SSDUP_PAGE_ENTRIES);
	for (i = 0; i < SSDUP_PAGE_ENTRIES; i++)
		KUNIT_EXPECT_FALSE(test, extent_mapped(&a->e[i]));
}

/* --- Against a flat array, a million times --- */

#define SPACE		192U
#define OPERATIONS	1000000U
#define FULL_CHECK	64U		/* operations between two */
#define BASE		(BIT_ULL(40) + 5)	/* of the range: no 32 bit place */

struct cell {
	u64 pos;
	u32 seq;	/* 0: the HDD's */
	u8 kind;
};

struct model {
	struct cell	cell[SPACE];
	struct prng	r;
	u32		seq;
	u64		next_pos;
};

static void model_insert(struct model *m, const struct extent *e)
{
	u32 i;

	for (i = 0; i < e->sectors; i++) {
		struct cell *c = &m->cell[e->start - BASE + i];

		if (c->seq > e->seq)
			continue;
		c->seq = e->seq;
		c->kind = e->kind;
		c->pos = e->pos + (e->kind == SSDUP_KIND_DATA ? i : 0);
	}
}

static bool same(const struct cell *c, const struct extent *x, u32 offset)
{
	return c->seq == x->seq && c->kind == x->kind &&
	       c->pos == x->pos + (x->kind == SSDUP_KIND_DATA ? offset : 0);
}

/* All of the tree, its invariants included. */
static void compare_all(struct kunit *test, struct rig *rig, const struct model *m)
{
	const struct extent *x;
	u64 at = BASE, sectors = 0;
	u32 nr = 0;

	for (x = lowest(&rig->tree); x; x = ssdup_extent_next(x)) {
		KUNIT_ASSERT_GE(test, x->start, at);
		KUNIT_ASSERT_TRUE(test, x->sectors && extent_mapped(x));
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
	KUNIT_ASSERT_EQ(test, rig_mapped(rig), nr);
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

/* Is any of it newer, and where does the first part begin and end that is not? */
static void compare_age(struct kunit *test, const struct rig *rig, const struct model *m,
			const struct extent *e)
{
	const struct cell *c = &m->cell[e->start - BASE];
	u32 i, first, end, newer = 0, sectors;
	u64 from;

	for (i = 0; i < e->sectors; i++)
		newer += c[i].seq > e->seq;
	KUNIT_ASSERT_EQ(test, ssdup_extent_overtaken(&rig->tree, e), newer != 0);
	for (first = 0; first < e->sectors && c[first].seq > e->seq; first++)
		;
	for (end = first; end < e->sectors && c[end].seq <= e->seq; end++)
		;
	sectors = ssdup_extent_older_span(&rig->tree, e->start, extent_end(e), e->seq, &from);
	KUNIT_ASSERT_EQ(test, sectors, end - first);
	if (sectors)
		KUNIT_ASSERT_EQ(test, from, e->start + first);
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
		.pos = SEGMENT + 4096 * prng_below(&m->r, 4),
		.kind = kinds[prng_below(&m->r, ARRAY_SIZE(kinds))],
		.seq = ++m->seq,
	};

	if (e.kind == SSDUP_KIND_DATA) {
		e.pos = SEGMENT + m->next_pos % BIT_ULL(34);
		m->next_pos += e.sectors;
	}
	return e;
}

/* One write in eight ended after newer ones. No two have the same seq. */
static void make_late(struct model *m, struct extent *e)
{
	u32 late = prng_below(&m->r, 8) ? 0 : prng_below(&m->r, min(m->seq, 60U));

	e->seq = 128 * (m->seq - late) + (late ? 1 + m->seq % 127 : 0);
}

static void remove_one(struct kunit *test, struct rig *rig, struct model *m)
{
	u64 at = BASE + prng_below(&m->r, SPACE);
	struct extent *e = ssdup_extent_first(&rig->tree, at, BASE + SPACE);
	u32 i;

	if (!e)
		return;
	for (i = 0; i < e->sectors; i++)
		m->cell[e->start - BASE + i].seq = 0;
	ssdup_extent_remove(&rig->tree, e);
	KUNIT_ASSERT_FALSE(test, extent_mapped(e));
}

/* A write has made some of it stale, and there is no spare node. */
static void forget_some(struct kunit *test, struct rig *rig, struct model *m)
{
	u64 start = BASE + prng_below(&m->r, SPACE), end, x_start, x_end;
	const struct extent *x;
	u32 i, left;

	end = start + prng_between(&m->r, 1, min((u64)prng_between(&m->r, 1, 40),
						 BASE + SPACE - start));
	x = ssdup_extent_first(&rig->tree, start, end);
	x_start = x ? x->start : start;
	x_end = x ? extent_end(x) : end;
	left = ssdup_extent_forget(&rig->tree, start, end);
	/* The shorter side of an extent that was cut in its middle is gone as well. */
	if (x_start < start && x_end > end) {
		if (start - x_start < x_end - end)
			start = x_start;
		else
			end = x_end;
	}
	for (i = start - BASE; i < end - BASE; i++) {
		left -= m->cell[i].seq != 0;
		m->cell[i].seq = 0;
	}
	KUNIT_ASSERT_EQ(test, left, 0);
}

static void random_operations(struct kunit *test)
{
	struct rig *rig = rig_new(test);
	u32 i, went[2] = { 0 }, spares = 0, late = 0;
	struct extent e;
	struct model *m;

	m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m);
	m->r.state = 7;

	for (i = 0; i < OPERATIONS; i++) {
		e = random_extent(m);
		make_late(m, &e);
		compare_age(test, rig, m, &e);
		if (!prng_below(&m->r, 8)) {
			remove_one(test, rig, m);
		} else if (!prng_below(&m->r, 8)) {
			forget_some(test, rig, m);
		} else if (ssdup_extent_overtaken(&rig->tree, &e)) {
			late += rig_insert_older(test, rig, &e);
			model_insert(m, &e);
		} else {
			bool alone = i & 1 && rig_insert_short(test, rig, &e);

			went[alone] += i & 1;
			if (!alone)
				spares += rig_insert(test, rig, &e);
			model_insert(m, &e);
		}
		compare_read(test, rig, m, e.start, extent_end(&e));
		if (i % FULL_CHECK == 0) {
			compare_all(test, rig, m);
			cond_resched();
		}
	}
	compare_all(test, rig, m);
	KUNIT_EXPECT_GT(test, went[true], OPERATIONS / 50);
	KUNIT_EXPECT_GT(test, went[false], OPERATIONS / 50);
	KUNIT_EXPECT_GT(test, spares, OPERATIONS / 50);
	KUNIT_EXPECT_GT(test, late, OPERATIONS / 100);
}

/* --- What a tree gives to another, and what it forgets --- */

static void handed_over(struct kunit *test)
{
	static const struct extent a = DATA(10, 10, 1, 0), b = DATA(30, 5, 2, 10);
	struct rig *rig = rig_new(test), *other = rig_new(test);
	struct extent *e;

	rig_insert(test, rig, &a);
	rig_insert(test, rig, &b);
	e = ssdup_extent_first(&rig->tree, 30, 31);
	ssdup_extent_hand(&rig->tree, &other->tree, e);
	KUNIT_EXPECT_TRUE(test, extent_mapped(e));
	KUNIT_EXPECT_PTR_EQ(test, ssdup_extent_first(&other->tree, 0, U64_MAX), e);
	KUNIT_EXPECT_EQ(test, other->tree.nr, 1);
	KUNIT_EXPECT_EQ(test, other->tree.sectors, 5);
	KUNIT_EXPECT_TRUE(test, !ssdup_extent_first(&rig->tree, 20, U64_MAX));
	KUNIT_EXPECT_EQ(test, rig->tree.nr, 1);
	KUNIT_EXPECT_EQ(test, rig->tree.sectors, 10);
}

/* An extent of 100 sectors from 1000 on, and what a forgotten part leaves of it. */
static void forgotten_by_example(struct kunit *test)
{
	static const struct {
		u64 start, end;
		u64 from;
		u32 sectors;		/* 0: nothing */
	} parts[] = {
		{ 0, 1000, 1000, 100 }, { 1100, 2000, 1000, 100 }, { 1000, 1100, 0, 0 },
		{ 900, 1200, 0, 0 }, { 900, 1001, 1001, 99 }, { 1099, 1101, 1000, 99 },
		{ 1010, 1020, 1020, 80 }, { 1080, 1090, 1000, 80 }, { 1040, 1060, 1000, 40 },
		{ 1001, 1002, 1002, 98 }, { 1098, 1099, 1000, 98 },
	};
	struct extent what = DATA(1000, 100, 7, 50);
	u32 i, left;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		struct rig *rig = rig_new(test);
		const struct extent *x;

		rig_insert(test, rig, &what);
		left = ssdup_extent_forget(&rig->tree, parts[i].start, parts[i].end);
		KUNIT_EXPECT_EQ(test, left, 100 - parts[i].sectors);
		KUNIT_EXPECT_EQ(test, rig->tree.sectors, parts[i].sectors);
		x = lowest(&rig->tree);
		KUNIT_ASSERT_EQ(test, !x, !parts[i].sectors);
		if (!x)
			continue;
		KUNIT_EXPECT_EQ(test, x->start, parts[i].from);
		KUNIT_EXPECT_TRUE(test, x->sectors == parts[i].sectors);
		KUNIT_EXPECT_TRUE(test, x->pos == SEGMENT + 50 + parts[i].from - 1000);
	}
}

static struct kunit_case extent_map_cases[] = {
	KUNIT_CASE_PARAM(insert_by_example, insert_gen_params),
	KUNIT_CASE_PARAM(older_by_example, older_gen_params),
	KUNIT_CASE(short_way),
	KUNIT_CASE(overtaken),
	KUNIT_CASE(extent_is_48_bytes),
	KUNIT_CASE(extent_limits),
	KUNIT_CASE(handed_over),
	KUNIT_CASE(forgotten_by_example),
	KUNIT_CASE(random_operations),
	{}
};

static struct kunit_suite extent_map_suite = {
	.name = "ssdup-extent-map",
	.test_cases = extent_map_cases,
};

kunit_test_suite(extent_map_suite);
