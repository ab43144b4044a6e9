// SPDX-License-Identifier: GPL-2.0-only
/* invariant: none */
/* Which reads of the HDD are worth a copy. */
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

/* Was it worth a copy? It is noted. */
static bool read_it(struct ghosts *g, u64 start, u32 sectors, bool meta, bool run)
{
	bool worth = ssdup_ghosts_worth(g, start, sectors, meta, run);

	ssdup_ghosts_note(g, start, sectors, run);
	return worth;
}

static bool block_read(struct ghosts *g, u64 block)
{
	return read_it(g, block * GHOST_BLOCK, GHOST_BLOCK, false, false);
}

/* --- One read --- */

static void data_at_the_second_read(struct kunit *test)
{
	struct ghosts *g = ghosts_new(test, NR);

	KUNIT_EXPECT_FALSE(test, read_it(g, 8, 8, false, false));
	KUNIT_EXPECT_TRUE(test, read_it(g, 8, 8, false, false));
	KUNIT_EXPECT_TRUE(test, read_it(g, 8, 8, false, false));
	/* Its block is 16 KiB. */
	KUNIT_EXPECT_TRUE(test, read_it(g, 24, 8, false, false));
	KUNIT_EXPECT_FALSE(test, read_it(g, 24, 16, false, false));
	KUNIT_EXPECT_TRUE(test, read_it(g, 24, 16, false, false));
}

static void metadata_at_the_first(struct kunit *test)
{
	struct ghosts *g = ghosts_new(test, NR);

	KUNIT_EXPECT_TRUE(test, read_it(g, 800, 8, true, false));
	KUNIT_EXPECT_TRUE(test, read_it(g, 800, 8, false, false));
}

/* What is long, or goes on where another read ended, is left to the HDD, and not remembered. */
static void sequential_is_nothing(struct kunit *test)
{
	struct ghosts *g = ghosts_new(test, NR);
	u32 i;

	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_FALSE(test, read_it(g, 0, 129, true, false));
		KUNIT_EXPECT_FALSE(test, read_it(g, 4096, 8, true, true));
	}
	KUNIT_EXPECT_EQ(test, g->noted, 0);
	KUNIT_EXPECT_FALSE(test, read_it(g, 0, 128, false, false));
	KUNIT_EXPECT_EQ(test, g->noted, 4);
}

/* A run is long when 256 KiB were read in order; of four readers each has its own. */
static void runs_of_readers(struct kunit *test)
{
	struct ghost_runs r = { };
	u32 reader, i;
	bool run;

	for (i = 0; i < 10; i++)
		for (reader = 1; reader <= GHOST_READERS; reader++) {
			run = ssdup_ghosts_run(&r, reader * 100000 + i * 64, 64);
			KUNIT_EXPECT_EQ(test, run, i * 64 >= GHOST_RUN);
		}
	/* Of five, whoever comes next has been forgotten. */
	for (i = 0; i < 10; i++)
		for (reader = 1; reader <= GHOST_READERS + 1; reader++) {
			run = ssdup_ghosts_run(&r, reader * 1000000 + i * 64, 64);
			KUNIT_EXPECT_FALSE(test, run);
		}
}

/* To ask leaves no trace. */
static void asking_notes_nothing(struct kunit *test)
{
	struct ghosts *g = ghosts_new(test, NR);
	u32 i;

	for (i = 0; i < 2; i++)
		KUNIT_EXPECT_FALSE(test, ssdup_ghosts_worth(g, 8, 8, false, false));
	KUNIT_EXPECT_EQ(test, g->noted, 0);
}

static bool wanted(struct copy_facts f)
{
	return ssdup_copy_wanted(&f);
}

static const struct copy_facts copy_facts = { .worth = true, .room = true, .left = 1 };

#define COPY_WITH(...)	({ struct copy_facts f = copy_facts; __VA_ARGS__; f; })

static void copies_wanted(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, wanted(COPY_WITH()));
	KUNIT_EXPECT_FALSE(test, wanted(COPY_WITH(f.worth = false)));
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

/* The second pass over what fits is all but known. */
static void passes_over_what_fits(struct kunit *test)
{
	struct ghosts *g = ghosts_new(test, NR);
	u32 i, pass, known[2] = { };

	for (pass = 0; pass < 2; pass++)
		for (i = 0; i < NR / 2; i++)
			known[pass] += block_read(g, 1000003ULL * i);
	/* Of 22 bits of a tag, and 16 of them to compare: one in 10^5 is taken for another. */
	KUNIT_EXPECT_LE(test, known[0], 2);
	KUNIT_EXPECT_GE(test, known[1], NR / 2 * 95 / 100);
}

/* A pass over much more than fits is forgotten before it comes again. */
static void a_long_loop_is_forgotten(struct kunit *test)
{
	struct ghosts *g = ghosts_new(test, NR);
	u32 i, pass, known = 0;

	for (pass = 0; pass < 2; pass++)
		for (i = 0; i < 4 * NR; i++)
			known += block_read(g, i);
	KUNIT_EXPECT_LE(test, known, 4 * NR * 2 / 100);
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
		hits += block_read(g, prng_below(&r, hot)) && i > 8 * NR;
	}
	KUNIT_EXPECT_GE(test, hits, reads * 95 / 100);
}

static void sizes(struct kunit *test)
{
	/* Of 1 GiB a tenth, in blocks of 16 KiB. */
	KUNIT_EXPECT_EQ(test, ssdup_ghosts_nr(1 << 21), 6544);
	KUNIT_EXPECT_EQ(test, ssdup_ghosts_nr(0), GHOST_BUCKET);
	KUNIT_EXPECT_EQ(test, ssdup_ghosts_nr(BIT_ULL(40)), 1U << 26);
}

static struct kunit_case ghost_cases[] = {
	KUNIT_CASE(data_at_the_second_read),
	KUNIT_CASE(metadata_at_the_first),
	KUNIT_CASE(sequential_is_nothing),
	KUNIT_CASE(runs_of_readers),
	KUNIT_CASE(asking_notes_nothing),
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
