// SPDX-License-Identifier: GPL-2.0-only
/* invariant: none */
/* What is read from clean data, and how much of it is kept. */
#include <kunit/test.h>
#include <linux/sched.h>

#include "core/clean.c"
#include "prng.h"

#define SPACE		2048U	/* sectors */
#define BASE		(BIT_ULL(40) + 64)
#define NODES		256U

struct rig {
	struct extent_tree	tree;
	struct extent		nodes[NODES];
	u32			nr;
};

static void rig_add(struct kunit *test, struct rig *rig, u64 start, u32 sectors)
{
	struct extent *e = &rig->nodes[rig->nr++];

	KUNIT_ASSERT_LE(test, rig->nr, NODES);
	*e = (struct extent){
		.start = start, .sectors = sectors, .kind = SSDUP_KIND_DATA,
		.pos = 4 * (start - BASE),
	};
	KUNIT_ASSERT_TRUE(test, extent_insert_alone(&rig->tree, e));
}

static struct rig *rig_new(struct kunit *test)
{
	struct rig *rig = kunit_kzalloc(test, sizeof(*rig), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, rig);
	ssdup_extent_tree_init(&rig->tree);
	return rig;
}

/* --- Reads --- */

/* Clean: 8 sectors each at 0, 8 and 16; 200 at 400; 64 each at 800 and 864; 8 at 1000. */
static void spans_by_example(struct kunit *test)
{
	static const struct {
		u32 start, end;
		u32 sectors;
		bool clean;
	} reads[] = {
		/* All of the read is clean, or only its end is. */
		{ 0, 8, 8, true }, { 0, 24, 8, true }, { 4, 20, 4, true }, { 23, 24, 1, true },
		{ 30, 500, 470, false }, { 590, 600, 10, true }, { 996, 1004, 8, false },
		/* Too little in front of what the HDD has to read anyway. */
		{ 0, 25, 25, false }, { 8, 400, 392, false }, { 16, 1000, 384, false },
		{ 390, 527, 137, false }, { 390, 528, 10, false }, { 390, 700, 10, false },
		/* A run that is long enough, in one extent or in two. */
		{ 400, 700, 200, true }, { 450, 700, 150, true }, { 800, 1100, 64, true },
		/* What is left of it is too short. */
		{ 473, 700, 227, false }, { 801, 1000, 199, false }, { 864, 999, 135, false },
		/* But the end of the read is near. */
		{ 864, 928, 64, true },
		/* Nothing. */
		{ 24, 400, 376, false }, { 1100, 1200, 100, false },
	};
	struct rig *rig = rig_new(test);
	const struct extent *x;
	u32 i, sectors;

	x = ssdup_clean_span(&rig->tree, BASE, BASE + 50, &sectors);
	KUNIT_EXPECT_TRUE(test, !x);
	KUNIT_EXPECT_EQ(test, sectors, 50);

	for (i = 0; i < 3; i++)
		rig_add(test, rig, BASE + 8 * i, 8);
	rig_add(test, rig, BASE + 400, 200);
	rig_add(test, rig, BASE + 800, 64);
	rig_add(test, rig, BASE + 864, 64);
	rig_add(test, rig, BASE + 1000, 8);
	for (i = 0; i < ARRAY_SIZE(reads); i++) {
		x = ssdup_clean_span(&rig->tree, BASE + reads[i].start, BASE + reads[i].end,
				     &sectors);
		KUNIT_EXPECT_EQ_MSG(test, sectors, reads[i].sectors, "%u", reads[i].start);
		KUNIT_EXPECT_EQ_MSG(test, !!x, reads[i].clean, "%u", reads[i].start);
	}
}

/* Neighbours here and on the SSD are read at once, others are not. */
static void neighbours_on_the_ssd(struct kunit *test)
{
	static const u64 pos[] = { 1000, 1008, 1016, 5000, 5008, 1048 };
	struct rig *rig = rig_new(test);
	u32 i, sectors;

	for (i = 0; i < ARRAY_SIZE(pos); i++) {
		rig_add(test, rig, BASE + 8 * i, 8);
		rig->nodes[i].pos = pos[i];
	}
	KUNIT_EXPECT_PTR_EQ(test, ssdup_clean_span(&rig->tree, BASE, BASE + 48, &sectors),
			    &rig->nodes[0]);
	KUNIT_EXPECT_EQ(test, sectors, 24);
	ssdup_clean_span(&rig->tree, BASE + 3, BASE + 18, &sectors);
	KUNIT_EXPECT_EQ(test, sectors, 15);
	ssdup_clean_span(&rig->tree, BASE + 24, BASE + 48, &sectors);
	KUNIT_EXPECT_EQ(test, sectors, 16);
	ssdup_clean_span(&rig->tree, BASE + 40, BASE + 48, &sectors);
	KUNIT_EXPECT_EQ(test, sectors, 8);
}

/* A hold is no data. */
static void holds_serve_nothing(struct kunit *test)
{
	struct rig *rig = rig_new(test);
	const struct extent *x;
	u32 sectors;

	rig_add(test, rig, BASE, 8);
	rig_add(test, rig, BASE + 8, 8);
	rig_add(test, rig, BASE + 16, 200);
	rig->nodes[0].kind = SSDUP_KIND_NONE;
	KUNIT_EXPECT_NULL(test, ssdup_clean_span(&rig->tree, BASE, BASE + 8, &sectors));
	KUNIT_EXPECT_EQ(test, sectors, 8);
	KUNIT_EXPECT_NULL(test, ssdup_clean_span(&rig->tree, BASE, BASE + 216, &sectors));
	KUNIT_EXPECT_EQ(test, sectors, 8);
	KUNIT_EXPECT_PTR_EQ(test, ssdup_clean_span(&rig->tree, BASE + 8, BASE + 16, &sectors),
			    &rig->nodes[1]);
	rig->nodes[1].kind = SSDUP_KIND_NONE;
	KUNIT_EXPECT_NULL(test, ssdup_clean_span(&rig->tree, BASE + 8, BASE + 216, &sectors));
	KUNIT_EXPECT_EQ(test, sectors, 8);
	/* In the middle: what is behind it is a part of its own. */
	rig->nodes[0].kind = SSDUP_KIND_DATA;
	x = ssdup_clean_span(&rig->tree, BASE, BASE + 216, &sectors);
	KUNIT_EXPECT_NULL(test, x);
	KUNIT_EXPECT_EQ(test, sectors, 16);
	x = ssdup_clean_span(&rig->tree, BASE, BASE + 8, &sectors);
	KUNIT_EXPECT_PTR_EQ(test, x, &rig->nodes[0]);
}

/* From @at on, up to which sector is each sector clean? */
static u32 run_end(const bool *clean, u32 at, u32 end)
{
	while (at < end && clean[at])
		at++;
	return at;
}

static bool is_long(const bool *clean, u32 at, u32 end)
{
	return run_end(clean, at, end) - at >= CLEAN_RUN;
}

static bool worth(const bool *clean, u32 at, u32 end)
{
	return run_end(clean, at, end) == end || is_long(clean, at, end);
}

/* Each part of a read is clean as a whole, and worth it, or nothing in it is the start of such. */
static void check_read(struct kunit *test, struct rig *rig, const bool *clean, u32 at, u32 end)
{
	const struct extent *x;
	u32 i, sectors;

	for (; at < end; at += sectors) {
		x = ssdup_clean_span(&rig->tree, BASE + at, BASE + end, &sectors);
		KUNIT_ASSERT_GT(test, sectors, 0);
		KUNIT_ASSERT_LE(test, sectors, end - at);
		if (x) {
			KUNIT_ASSERT_TRUE(test, worth(clean, at, end));
			KUNIT_ASSERT_LE(test, x->start, BASE + at);
			KUNIT_ASSERT_GE(test, extent_end(x), BASE + at + sectors);
			continue;
		}
		KUNIT_ASSERT_FALSE(test, worth(clean, at, end));
		/* The HDD goes on up to where a long run begins. */
		for (i = at + 1; i < at + sectors; i++)
			KUNIT_ASSERT_FALSE(test, clean[i] && !clean[i - 1] &&
					   is_long(clean, i, end));
	}
}

static void random_spans(struct kunit *test)
{
	bool *clean = kunit_kzalloc(test, SPACE * sizeof(*clean), GFP_KERNEL);
	struct prng r = { .state = 11 };
	struct rig *rig;
	u32 round, i, at, len;

	KUNIT_ASSERT_NOT_NULL(test, clean);
	for (round = 0; round < 12; round++) {
		rig = rig_new(test);
		memset(clean, 0, SPACE * sizeof(*clean));
		for (at = 0; at < SPACE - 200 && rig->nr < NODES; at += len) {
			/* Half of them follow the one before. */
			at += prng_below(&r, 2) * prng_between(&r, 1, 40);
			len = prng_between(&r, 1, prng_below(&r, 8) ? 24 : 160);
			rig_add(test, rig, BASE + at, len);
			memset(clean + at, 1, len * sizeof(*clean));
		}
		for (i = 0; i < 50; i++) {
			at = prng_below(&r, SPACE - 1);
			check_read(test, rig, clean, at, prng_between(&r, at + 1, SPACE));
			cond_resched();
		}
	}
}

/* --- The 64ths of a range --- */

static void bits(struct kunit *test)
{
	struct prng r = { .state = 3 };
	u32 i, shift, size, from, to, at;
	u64 mask;

	KUNIT_EXPECT_EQ(test, clean_bits(0, 1, 13), 1);
	KUNIT_EXPECT_EQ(test, clean_bits(0, 8192, 13), U64_MAX);
	KUNIT_EXPECT_EQ(test, clean_bits(8191, 8192, 13), BIT_ULL(63));
	/* Of any range, not only the first. */
	KUNIT_EXPECT_EQ(test, clean_bits(8192 * 5 + 127, 8192 * 5 + 129, 13), 3);
	for (i = 0; i < 200; i++) {
		shift = prng_between(&r, 11, 27);
		size = 1U << (shift - 6);
		from = prng_below(&r, 64 * size);
		to = prng_between(&r, from + 1, 64 * size);
		mask = clean_bits(((u64)7 << shift) + from, ((u64)7 << shift) + to, shift);
		for (at = 0; at < 64; at++)
			KUNIT_ASSERT_EQ(test, mask >> at & 1,
					from < (at + 1) * size && to > at * size);
	}
}

/* --- How many are clean --- */

static const struct clean_facts half = {
	.segments = 1000, .percent = 50, .for_drain = 1, .ready = 500, .clean = 0, .limit = 1000,
};

static u32 keep(struct clean_facts f, u32 nr)
{
	return ssdup_clean_keep(&f, nr);
}

static u32 excess(struct clean_facts f)
{
	return ssdup_clean_excess(&f);
}

#define WITH(...)	({ struct clean_facts f = half; __VA_ARGS__; f; })

static void kept(struct kunit *test)
{
	/* 1 + 2 + a 32nd of the log */
	KUNIT_EXPECT_EQ(test, ssdup_clean_low(1000, 1), 34);
	KUNIT_EXPECT_EQ(test, ssdup_clean_low(16, 1), 5);
	KUNIT_EXPECT_EQ(test, keep(half, 10), 10);
	KUNIT_EXPECT_EQ(test, keep(half, 900), 500);
	KUNIT_EXPECT_EQ(test, keep(WITH(f.percent = 0), 10), 0);
	KUNIT_EXPECT_EQ(test, keep(WITH(f.barred = true), 10), 0);
	KUNIT_EXPECT_EQ(test, keep(WITH(f.waiters = true), 10), 0);
	KUNIT_EXPECT_EQ(test, keep(WITH(f.short_of_memory = true), 10), 0);
	/* The oldest bring the log to the low mark. */
	KUNIT_EXPECT_EQ(test, keep(WITH(f.ready = 30), 10), 6);
	KUNIT_EXPECT_EQ(test, keep(WITH(f.ready = 0), 10), 0);
	KUNIT_EXPECT_EQ(test, keep(WITH(f.ready = 0), 40), 6);
}

static void forgotten(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, excess(half), 0);
	KUNIT_EXPECT_EQ(test, excess(WITH(f.clean = 500)), 0);
	KUNIT_EXPECT_EQ(test, excess(WITH(f.clean = 503)), 3);
	KUNIT_EXPECT_EQ(test, excess(WITH(f.clean = 500; f.percent = 0)), 500);
	KUNIT_EXPECT_EQ(test, excess(WITH(f.clean = 20; f.barred = true)), 20);
	KUNIT_EXPECT_EQ(test, excess(WITH(f.clean = 20; f.ready = 34)), 0);
	KUNIT_EXPECT_EQ(test, excess(WITH(f.clean = 20; f.ready = 33)), 1);
	KUNIT_EXPECT_EQ(test, excess(WITH(f.clean = 20; f.ready = 33; f.refill = true)), 20);
	KUNIT_EXPECT_EQ(test, excess(WITH(f.clean = 90; f.ready = 34; f.refill = true)), 34);
	KUNIT_EXPECT_EQ(test, excess(WITH(f.clean = 90; f.ready = 68; f.refill = true)), 0);
	KUNIT_EXPECT_EQ(test, excess(WITH(f.clean = 90; f.bytes = 1000)), 0);
	KUNIT_EXPECT_EQ(test, excess(WITH(f.clean = 90; f.bytes = 1001)), 1);
	KUNIT_EXPECT_EQ(test, excess(WITH(f.clean = 90; f.short_of_memory = true)), 1);
	KUNIT_EXPECT_EQ(test, excess(WITH(f.bytes = 1001; f.short_of_memory = true)), 0);
}

/* Copies of what was read have a quarter of that, and no segment that writers are about to need. */
static void for_copies(struct kunit *test)
{
	struct clean_facts f = half;

	KUNIT_EXPECT_EQ(test, ssdup_clean_most_copies(&half), 125);
	f.percent = 0;
	KUNIT_EXPECT_EQ(test, ssdup_clean_most_copies(&f), 0);
	f.percent = 10;
	f.segments = 20;
	KUNIT_EXPECT_EQ(test, ssdup_clean_most_copies(&f), 1);
	KUNIT_EXPECT_EQ(test, excess(WITH(f.clean = 200; f.copies = 125)), 0);
	KUNIT_EXPECT_EQ(test, excess(WITH(f.clean = 200; f.copies = 126)), 1);
	KUNIT_EXPECT_EQ(test, excess(WITH(f.clean = 503; f.copies = 126)), 3);
	KUNIT_EXPECT_TRUE(test, ssdup_clean_may_open(&half));
	f = WITH(f.ready = 35);
	KUNIT_EXPECT_TRUE(test, ssdup_clean_may_open(&f));
	f = WITH(f.ready = 34);
	KUNIT_EXPECT_FALSE(test, ssdup_clean_may_open(&f));
	f = WITH(f.percent = 0);
	KUNIT_EXPECT_FALSE(test, ssdup_clean_may_open(&f));
	f = WITH(f.barred = true);
	KUNIT_EXPECT_FALSE(test, ssdup_clean_may_open(&f));
	f = WITH(f.refill = true);
	KUNIT_EXPECT_FALSE(test, ssdup_clean_may_open(&f));
	f = WITH(f.waiters = true);
	KUNIT_EXPECT_FALSE(test, ssdup_clean_may_open(&f));
	f = WITH(f.short_of_memory = true);
	KUNIT_EXPECT_FALSE(test, ssdup_clean_may_open(&f));
	f = WITH(f.bytes = 1000);
	KUNIT_EXPECT_FALSE(test, ssdup_clean_may_open(&f));
}

/* Writers and drains of any speed: writers find a ready segment, and clean ones remain. */
static void balance_of_segments(struct kunit *test)
{
	struct prng r = { .state = 5 };
	struct clean_facts f = half;
	u32 sealed = 0, step, n, most = 0;

	f.percent = 90;
	f.ready = f.segments;
	for (step = 0; step < 20000; step++) {
		/* A phase in which more are written than drained, then the other way round. */
		n = prng_below(&r, step / 500 % 2 ? 3 : 2);
		KUNIT_ASSERT_TRUE(test, f.ready > f.for_drain + n || !f.clean);
		n = min(n, f.ready - min(f.ready, f.for_drain));
		f.ready -= n;
		sealed += n;
		f.refill = ssdup_clean_refill(&f);
		/* One is forgotten for each that is written, and another one. */
		n = min(ssdup_clean_excess(&f), n + 1);
		f.clean -= n;
		f.ready += n;
		n = min(sealed, prng_below(&r, step / 500 % 2 ? 2 : 4));
		sealed -= n;
		f.ready += n - ssdup_clean_keep(&f, n);
		f.clean += ssdup_clean_keep(&f, n);
		KUNIT_ASSERT_EQ(test, f.ready + f.clean + sealed, f.segments);
		most = max(most, f.clean);
	}
	KUNIT_EXPECT_GE(test, most, 890);
}

static struct kunit_case clean_cases[] = {
	KUNIT_CASE(spans_by_example),
	KUNIT_CASE(neighbours_on_the_ssd),
	KUNIT_CASE(holds_serve_nothing),
	KUNIT_CASE(random_spans),
	KUNIT_CASE(bits),
	KUNIT_CASE(kept),
	KUNIT_CASE(forgotten),
	KUNIT_CASE(for_copies),
	KUNIT_CASE(balance_of_segments),
	{}
};

static struct kunit_suite clean_suite = {
	.name = "ssdup-clean",
	.test_cases = clean_cases,
};

kunit_test_suite(clean_suite);
