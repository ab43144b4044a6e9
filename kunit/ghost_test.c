// SPDX-License-Identifier: GPL-2.0-only
/* invariant: none */
/* What a read cache would have done, told without one. */
#include <kunit/test.h>

#include "core/ghost.c"
#include "prng.h"

#define NR		4096U	/* ghosts */

static struct ghosts *ghosts_new(struct kunit *test, u32 nr)
{
	struct ghosts *g = kunit_kzalloc(test, sizeof(*g) + nr * sizeof(u32), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, g);
	g->nr = nr;
	return g;
}

static enum ghost_verdict block_read(struct ghosts *g, u64 block)
{
	return ssdup_ghosts_read(g, block * GHOST_BLOCK, GHOST_BLOCK, false, false);
}

/* --- One read --- */

static void data_at_the_second_miss(struct kunit *test)
{
	struct ghosts *g = ghosts_new(test, NR);

	KUNIT_EXPECT_EQ(test, ssdup_ghosts_read(g, 8, 8, false, false), GHOST_NOTE);
	KUNIT_EXPECT_EQ(test, ssdup_ghosts_read(g, 8, 8, false, false), GHOST_COPY);
	KUNIT_EXPECT_EQ(test, ssdup_ghosts_read(g, 8, 8, false, false), GHOST_HIT);
	/* Its block is 16 KiB. */
	KUNIT_EXPECT_EQ(test, ssdup_ghosts_read(g, 24, 8, false, false), GHOST_HIT);
	KUNIT_EXPECT_EQ(test, ssdup_ghosts_read(g, 24, 16, false, false), GHOST_NOTE);
	/* What the cache has of it, it keeps. */
	KUNIT_EXPECT_EQ(test, ssdup_ghosts_read(g, 8, 8, false, false), GHOST_HIT);
	KUNIT_EXPECT_EQ(test, ssdup_ghosts_read(g, 24, 16, false, false), GHOST_COPY);
	KUNIT_EXPECT_EQ(test, ssdup_ghosts_read(g, 24, 16, false, false), GHOST_HIT);
}

static void metadata_at_the_first(struct kunit *test)
{
	struct ghosts *g = ghosts_new(test, NR);

	KUNIT_EXPECT_EQ(test, ssdup_ghosts_read(g, 800, 8, true, false), GHOST_COPY);
	KUNIT_EXPECT_EQ(test, ssdup_ghosts_read(g, 800, 8, true, false), GHOST_HIT);
	KUNIT_EXPECT_EQ(test, ssdup_ghosts_read(g, 800, 8, false, false), GHOST_HIT);
}

/* What is long, or goes on where another read ended, is left to the HDD, and not remembered. */
static void sequential_is_nothing(struct kunit *test)
{
	struct ghosts *g = ghosts_new(test, NR);
	u32 i;

	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, ssdup_ghosts_read(g, 0, 129, true, false), GHOST_NONE);
		KUNIT_EXPECT_EQ(test, ssdup_ghosts_read(g, 4096, 8, true, true), GHOST_NONE);
	}
	KUNIT_EXPECT_EQ(test, g->noted, 0);
	KUNIT_EXPECT_EQ(test, ssdup_ghosts_read(g, 0, 128, false, false), GHOST_NOTE);
}

/* A look is what a read would be told, and leaves no trace. */
static void looks_note_nothing(struct kunit *test)
{
	struct ghosts *g = ghosts_new(test, NR);
	u32 i;

	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, ssdup_ghosts_look(g, 8, 8, false, false), GHOST_NOTE);
		KUNIT_EXPECT_EQ(test, ssdup_ghosts_look(g, 8, 8, true, false), GHOST_COPY);
		KUNIT_EXPECT_EQ(test, ssdup_ghosts_look(g, 8, 8, true, true), GHOST_NONE);
	}
	KUNIT_EXPECT_EQ(test, g->noted, 0);
	ssdup_ghosts_read(g, 8, 8, false, false);
	KUNIT_EXPECT_EQ(test, ssdup_ghosts_look(g, 8, 8, false, false), GHOST_COPY);
	KUNIT_EXPECT_EQ(test, ssdup_ghosts_look(g, 24, 16, false, false), GHOST_NOTE);
}

static bool wanted(struct copy_facts f)
{
	return ssdup_copy_wanted(&f);
}

static const struct copy_facts copy_facts = { .verdict = GHOST_COPY, .room = true, .left = 1 };

#define COPY_WITH(...)	({ struct copy_facts f = copy_facts; __VA_ARGS__; f; })

static void copies_wanted(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, wanted(COPY_WITH()));
	/* It was seen, but is not there: it was forgotten, or cut. */
	KUNIT_EXPECT_TRUE(test, wanted(COPY_WITH(f.verdict = GHOST_HIT)));
	KUNIT_EXPECT_FALSE(test, wanted(COPY_WITH(f.verdict = GHOST_NOTE)));
	KUNIT_EXPECT_FALSE(test, wanted(COPY_WITH(f.verdict = GHOST_NONE)));
	KUNIT_EXPECT_FALSE(test, wanted(COPY_WITH(f.writes = true)));
	KUNIT_EXPECT_FALSE(test, wanted(COPY_WITH(f.room = false)));
	KUNIT_EXPECT_FALSE(test, wanted(COPY_WITH(f.left = 0)));
	KUNIT_EXPECT_FALSE(test, wanted(COPY_WITH(f.left = -5)));
	KUNIT_EXPECT_TRUE(test, wanted(COPY_WITH(f.budget = 100; f.budget_left = 50)));
	KUNIT_EXPECT_FALSE(test, wanted(COPY_WITH(f.budget = 100; f.budget_left = 49)));
	KUNIT_EXPECT_TRUE(test, wanted(COPY_WITH(f.queue = COPY_QUEUE_NS)));
	KUNIT_EXPECT_FALSE(test, wanted(COPY_WITH(f.queue = COPY_QUEUE_NS + 1)));
}

/* --- Many --- */

/* The second pass over what fits is all but known, the third one served. */
static void passes_over_what_fits(struct kunit *test)
{
	struct ghosts *g = ghosts_new(test, NR);
	u32 i, pass, count[3][GHOST_HIT + 1] = { };

	for (pass = 0; pass < 3; pass++)
		for (i = 0; i < NR / 2; i++)
			count[pass][block_read(g, 1000003ULL * i)]++;
	/* Of 21 bits of a tag, and 16 of them to compare: one in 10^5 is taken for another. */
	KUNIT_EXPECT_GE(test, count[0][GHOST_NOTE], NR / 2 - 2);
	KUNIT_EXPECT_GE(test, count[1][GHOST_COPY], NR / 2 * 95 / 100);
	KUNIT_EXPECT_GE(test, count[2][GHOST_HIT], NR / 2 * 95 / 100);
}

/* A pass over much more than fits is forgotten before it comes again. */
static void a_long_loop_is_forgotten(struct kunit *test)
{
	struct ghosts *g = ghosts_new(test, NR);
	u32 i, pass, count[2][GHOST_HIT + 1] = { };

	for (pass = 0; pass < 2; pass++)
		for (i = 0; i < 4 * NR; i++)
			count[pass][block_read(g, i)]++;
	KUNIT_EXPECT_GE(test, count[1][GHOST_NOTE], 4 * NR * 98 / 100);
}

/* What is read again and again stays, whatever comes by once. */
static void the_hot_stays(struct kunit *test)
{
	struct ghosts *g = ghosts_new(test, NR);
	u32 i, hits = 0, hot = NR / 8, reads = 0;
	struct prng r = { .state = 9 };

	for (i = 0; i < 40 * NR; i++) {
		if (prng_below(&r, 2)) {
			block_read(g, BIT_ULL(33) + i);
			continue;
		}
		reads += i > 8 * NR;
		hits += block_read(g, prng_below(&r, hot)) == GHOST_HIT && i > 8 * NR;
	}
	KUNIT_EXPECT_GE(test, hits, reads * 95 / 100);
}

static void sizes(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ghosts_copied(8, 8), 32);
	KUNIT_EXPECT_EQ(test, ghosts_copied(31, 1), 32);
	KUNIT_EXPECT_EQ(test, ghosts_copied(31, 2), 64);
	KUNIT_EXPECT_EQ(test, ghosts_copied(64, 128), 128);
	/* Of 1 GiB a tenth, in blocks of 16 KiB. */
	KUNIT_EXPECT_EQ(test, ssdup_ghosts_nr(1 << 21), 6544);
	KUNIT_EXPECT_EQ(test, ssdup_ghosts_nr(0), GHOST_BUCKET);
	KUNIT_EXPECT_EQ(test, ssdup_ghosts_nr(BIT_ULL(40)), 1U << 26);
}

static struct kunit_case ghost_cases[] = {
	KUNIT_CASE(data_at_the_second_miss),
	KUNIT_CASE(metadata_at_the_first),
	KUNIT_CASE(sequential_is_nothing),
	KUNIT_CASE(looks_note_nothing),
	KUNIT_CASE(copies_wanted),
	KUNIT_CASE(passes_over_what_fits),
	KUNIT_CASE(a_long_loop_is_forgotten),
	KUNIT_CASE(the_hot_stays),
	KUNIT_CASE(sizes),
	{}
};

static struct kunit_suite ghost_suite = {
	.name = "ssdup-ghost",
	.test_cases = ghost_cases,
};

kunit_test_suite(ghost_suite);
