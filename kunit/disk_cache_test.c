// SPDX-License-Identifier: GPL-2.0-only
/* A disk's volatile cache, and what a power cut leaves of it. */
#include <kunit/test.h>
#include "prng.h"
#include "../tools/disks/cache_model.c"

#define FLAT_SECTORS	512

struct cache_ctx {
	struct cache_model cache;
	struct cache_run runs[FLAT_SECTORS];
	bool flat[FLAT_SECTORS];
};

static struct cache_ctx *cache_ctx(struct kunit *test, u32 runs)
{
	struct cache_ctx *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, c);
	cache_model_init(&c->cache, c->runs, runs);
	return c;
}

/* The tree says what the array says, in sorted runs that do not touch. */
static void cache_compare(struct kunit *test, struct cache_ctx *c)
{
	struct cache_run *run = cache_model_find(&c->cache, 0), *last = NULL;
	u64 held = 0, sectors = 0;
	u32 nr = 0;
	u64 s;

	for (s = 0; s < FLAT_SECTORS; s++)
		held += c->flat[s];
	for (; run; last = run, run = cache_model_next(run)) {
		KUNIT_ASSERT_LT(test, run->lba, run->end);
		if (last)
			KUNIT_ASSERT_LT(test, last->end, run->lba);
		KUNIT_ASSERT_PTR_EQ(test, cache_model_prev(run), last);
		for (s = run->lba; s < run->end; s++)
			KUNIT_ASSERT_TRUE(test, c->flat[s]);
		sectors += run->end - run->lba;
		nr++;
	}
	KUNIT_ASSERT_EQ(test, sectors, held);
	KUNIT_ASSERT_EQ(test, c->cache.sectors, held);
	KUNIT_ASSERT_EQ(test, c->cache.nr_runs, nr);
}

static void cache_matches_array(struct kunit *test)
{
	struct cache_ctx *c = cache_ctx(test, FLAT_SECTORS);
	struct prng r = { .state = 1 };
	unsigned int i;

	for (i = 0; i < 20000; i++) {
		u64 lba = prng_below(&r, FLAT_SECTORS - 16);
		u64 n = prng_between(&r, 1, 16), s;
		bool all = true;

		switch (prng_below(&r, 3)) {
		case 0:
			KUNIT_ASSERT_TRUE(test, cache_model_insert(&c->cache, lba, n));
			for (s = lba; s < lba + n; s++)
				c->flat[s] = true;
			break;
		case 1:
			cache_model_remove(&c->cache, lba, n);
			for (s = lba; s < lba + n; s++)
				c->flat[s] = false;
			break;
		default:
			for (s = lba; s < lba + n; s++)
				all &= c->flat[s];
			KUNIT_ASSERT_EQ(test, cache_model_covers(&c->cache, lba, n), all);
			continue;
		}
		if (i % 16 == 0)
			cache_compare(test, c);
	}
	cache_model_remove(&c->cache, 0, U64_MAX);
	KUNIT_EXPECT_EQ(test, c->cache.sectors, 0ULL);
	KUNIT_EXPECT_EQ(test, c->cache.nr_runs, 0U);
}

static void cache_runs_out_of_runs(struct kunit *test)
{
	struct cache_ctx *c = cache_ctx(test, 3);

	KUNIT_EXPECT_TRUE(test, cache_model_insert(&c->cache, 0, 8));
	KUNIT_EXPECT_TRUE(test, cache_model_insert(&c->cache, 100, 8));
	KUNIT_EXPECT_TRUE(test, cache_model_insert(&c->cache, 200, 8));
	KUNIT_EXPECT_FALSE(test, cache_model_insert(&c->cache, 300, 8));
	KUNIT_EXPECT_EQ(test, c->cache.sectors, 24ULL);
	/* Growing a run needs none, nor does joining two, which frees one. */
	KUNIT_EXPECT_TRUE(test, cache_model_insert(&c->cache, 8, 8));
	KUNIT_EXPECT_TRUE(test, cache_model_insert(&c->cache, 16, 84));
	KUNIT_EXPECT_EQ(test, c->cache.nr_runs, 2U);
	KUNIT_EXPECT_TRUE(test, cache_model_insert(&c->cache, 300, 8));
	/* A hole needs one; without, the run stays whole rather than lose its end. */
	cache_model_remove(&c->cache, 50, 8);
	KUNIT_EXPECT_TRUE(test, cache_model_covers(&c->cache, 0, 108));
	cache_model_remove(&c->cache, 0, 8);
	KUNIT_EXPECT_FALSE(test, cache_model_covers(&c->cache, 0, 8));
	KUNIT_EXPECT_TRUE(test, cache_model_covers(&c->cache, 8, 100));
}

static void cache_fifo_in_order(struct kunit *test)
{
	struct cache_fifo_entry ring[4], e;
	struct cache_fifo f = { .ring = ring, .size = 4 };
	u64 i, out = 0;

	KUNIT_EXPECT_FALSE(test, cache_fifo_pop(&f, &e));
	for (i = 0; i < 100; i++) {
		while (cache_fifo_full(&f, 25)) {
			KUNIT_ASSERT_TRUE(test, cache_fifo_pop(&f, &e));
			KUNIT_ASSERT_EQ(test, e.lba, out++);
		}
		cache_fifo_push(&f, i, i % 20 + 1);
		KUNIT_ASSERT_LE(test, f.head - f.tail, 4ULL);
	}
	while (cache_fifo_pop(&f, &e))
		KUNIT_ASSERT_EQ(test, e.lba, out++);
	KUNIT_EXPECT_EQ(test, out, 100ULL);
	KUNIT_EXPECT_EQ(test, f.sectors, 0ULL);
}

static u64 cut_subset(u64 seed, u64 from)
{
	u64 subset = 0;
	unsigned int s;

	for (s = 0; s < 64; s++)
		subset |= (u64)powercut_survives(seed, from + s) << s;
	return subset;
}

static void cut_is_reproducible(struct kunit *test)
{
	u64 seed;

	for (seed = 0; seed < 100; seed++)
		KUNIT_EXPECT_EQ(test, cut_subset(seed, 1000), cut_subset(seed, 1000));
}

/*
 * Among few seeds there are cuts that lose all and keep all, tear within a
 * block, and tear only between blocks.
 */
static void cut_is_varied(struct kunit *test)
{
	unsigned int none = 0, all = 0, torn = 0, whole_blocks = 0, same = 0;
	u64 seed, last = 0;

	for (seed = 1; seed <= 400; seed++) {
		u64 subset = cut_subset(seed, 1 << 20);
		bool blocks = true;
		unsigned int b;

		for (b = 0; b < 64; b += 8) {
			u8 block = subset >> b;

			blocks &= !block || block == 0xff;
		}
		none += !subset;
		all += subset == U64_MAX;
		torn += !blocks;
		whole_blocks += blocks && subset && subset != U64_MAX;
		same += subset == last && subset && subset != U64_MAX;
		last = subset;
	}
	KUNIT_EXPECT_GT(test, none, 20U);
	KUNIT_EXPECT_GT(test, all, 20U);
	KUNIT_EXPECT_GT(test, torn, 40U);
	KUNIT_EXPECT_GT(test, whole_blocks, 40U);
	KUNIT_EXPECT_EQ(test, same, 0U);
}

/* Every subset of a write of four sectors is what some cut leaves. */
static void cut_leaves_any_subset(struct kunit *test)
{
	u32 seen = 0;
	u64 seed;

	for (seed = 0; seed < 2000; seed++)
		seen |= BIT(cut_subset(seed, 40) & 15);
	KUNIT_EXPECT_EQ(test, seen, 0xffffU);
}

static void cut_differs_between_disks(struct kunit *test)
{
	unsigned int same = 0;
	u64 seed;

	for (seed = 0; seed < 100; seed++) {
		same += powercut_seed(seed, 0) == powercut_seed(seed, 1);
		same += powercut_seed(seed, 0) == powercut_seed(seed + 1, 0);
	}
	KUNIT_EXPECT_EQ(test, same, 0U);
}

static struct kunit_case disk_cache_cases[] = {
	KUNIT_CASE(cache_matches_array),
	KUNIT_CASE(cache_runs_out_of_runs),
	KUNIT_CASE(cache_fifo_in_order),
	KUNIT_CASE(cut_is_reproducible),
	KUNIT_CASE(cut_is_varied),
	KUNIT_CASE(cut_leaves_any_subset),
	KUNIT_CASE(cut_differs_between_disks),
	{}
};

static struct kunit_suite disk_cache_suite = {
	.name = "disk_cache",
	.test_cases = disk_cache_cases,
};

kunit_test_suite(disk_cache_suite);
