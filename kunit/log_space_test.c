// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ration of the last half, and the wait for it, of log.c, which log_test.c includes.
 */
#include <kunit/test.h>

#include "../dm-ssdup/core/log.h"
#include "prng.h"

#define MSEC		1000000ULL	/* ns */

/* --- How long a write waits for the ration of the last half --- */

static bool passes(const struct log_limits *now, const struct log_limits *all, u64 word,
		   u32 sectors, u64 passed, u64 left)
{
	struct log_limits limits = *now;
	u64 next;

	ssdup_log_ration(&limits, all, passed, left);
	return log_word_reserve(word, &limits, sectors, &next);
}

/* It passes then, and not 1 ns before; who waits longer passes as well. */
static void wait_rules(struct kunit *test, const struct log_limits *now,
		       const struct log_limits *all, u64 word, u32 sectors, u64 left)
{
	u64 wait = ssdup_log_ration_wait(now, all, word, sectors, left), next, more;

	if (wait == U64_MAX) {
		KUNIT_ASSERT_FALSE(test, log_word_reserve(word, all, sectors, &next));
		return;
	}
	KUNIT_ASSERT_LE(test, wait, left);
	KUNIT_ASSERT_TRUE(test, passes(now, all, word, sectors, wait, left));
	if (wait)
		KUNIT_ASSERT_FALSE(test, passes(now, all, word, sectors, wait - 1, left));
	for (more = 1; more; more <<= 3)
		KUNIT_ASSERT_TRUE(test, passes(now, all, word, sectors,
					       min(wait, U64_MAX - more) + more, left));
}

static void waits_end_in_time(struct kunit *test)
{
	struct prng r = { 66 };
	struct log_limits all, now;
	u32 round, sectors;
	u64 word, left;

	for (round = 0; round < 4000; round++) {
		all.entries = prng_between(&r, 1, 1U << prng_below(&r, 30));
		all.sectors = prng_between(&r, 1, 1U << prng_below(&r, 32));
		now = ssdup_log_limits_free(&all);
		if (round % 2) {
			now.entries = all.entries - prng_below(&r, all.entries - now.entries + 1);
			now.sectors = all.sectors - prng_below(&r, all.sectors - now.sectors + 1);
		}
		/* Both spaces are used up to a little less than is handed out. */
		word = log_word(now.entries - min(now.entries, prng_below(&r, 2)),
				now.sectors - min(now.sectors, prng_below(&r, 16)));
		if (!prng_below(&r, 20))
			word |= LOG_WORD_SEALED;
		sectors = prng_below(&r, min(all.sectors / 4, 1U << prng_below(&r, 16)) + 2);
		left = prng_u64(&r) >> prng_below(&r, 64);
		wait_rules(test, &now, &all, word, sectors, left);
	}
}

static void waits_by_example(struct kunit *test)
{
	static const struct log_limits all = { .entries = 1000, .sectors = 400000 };
	const struct log_limits free = ssdup_log_limits_free(&all);
	const u64 left = 1000 * MSEC, full = log_word(500, 300000);
	struct log_limits now = free;
	u64 wait;

	/* There is room. */
	KUNIT_EXPECT_EQ(test, ssdup_log_ration_wait(&free, &all, log_word(500, 299000), 1000, left),
			0);
	/* A tenth of what is rationed: a tenth of the time, in steps of one of 250 entries. */
	wait = ssdup_log_ration_wait(&free, &all, full, 10000, left);
	KUNIT_EXPECT_GE(test, wait, 100 * MSEC);
	KUNIT_EXPECT_LE(test, wait, 105 * MSEC);
	/* The next entry. */
	wait = ssdup_log_ration_wait(&free, &all, log_word(750, 1000), 8, left);
	KUNIT_EXPECT_GE(test, wait, 4 * MSEC);
	KUNIT_EXPECT_LE(test, wait, 4 * MSEC + 1);
	/* The last ones: all of the time. */
	KUNIT_EXPECT_EQ(test, ssdup_log_ration_wait(&free, &all, full, 100000, left), left);
	/* More than there is, or of a half that hands out nothing. */
	KUNIT_EXPECT_EQ(test, ssdup_log_ration_wait(&free, &all, full, 100001, left), U64_MAX);
	KUNIT_EXPECT_EQ(test, ssdup_log_ration_wait(&free, &all, log_word(1000, 0), 0, left),
			U64_MAX);
	KUNIT_EXPECT_EQ(test, ssdup_log_ration_wait(&free, &all, LOG_WORD_SEALED, 8, left),
			U64_MAX);
	/* Overdue. */
	KUNIT_EXPECT_EQ(test, ssdup_log_ration_wait(&free, &all, full, 100000, 0), 0);
	/* One that never comes: as long as there are numbers. */
	wait = ssdup_log_ration_wait(&free, &all, full, 100000, U64_MAX - 1);
	KUNIT_EXPECT_GE(test, wait, U64_MAX / 1000 * 995);
	KUNIT_EXPECT_NE(test, wait, U64_MAX);
	wait = ssdup_log_ration_wait(&free, &all, full, 50000, U64_MAX - 1);
	KUNIT_EXPECT_GE(test, wait, U64_MAX / 2 - 1);
	KUNIT_EXPECT_LE(test, wait, U64_MAX / 1000 * 505);
	/* Entries are not scarce any more. */
	now.entries = all.entries;
	wait = ssdup_log_ration_wait(&now, &all, log_word(999, 300000), 1000, left);
	KUNIT_EXPECT_GE(test, wait, 10 * MSEC);
	KUNIT_EXPECT_LE(test, wait, 10 * MSEC + 1);
}

/* The larger the write, or the later the half, the longer the wait. */
static void waits_grow(struct kunit *test)
{
	static const struct log_limits all = { .entries = 5000, .sectors = 2000000 };
	const struct log_limits free = ssdup_log_limits_free(&all);
	u64 word = log_word(3750, 1500000), last = 0, wait;
	u32 i;

	for (i = 0; i <= 500000; i += 1000) {
		wait = ssdup_log_ration_wait(&free, &all, word, i, 7000 * MSEC);
		KUNIT_ASSERT_GE(test, wait, last);
		last = wait;
	}
	KUNIT_EXPECT_EQ(test, last, 7000 * MSEC);
	for (i = 20, last = 0; i < 64; i++) {
		wait = ssdup_log_ration_wait(&free, &all, word, 1000, BIT_ULL(i));
		KUNIT_ASSERT_GE(test, wait, last);
		last = wait;
	}
}

static void ration_by_example(struct kunit *test)
{
	static const struct log_limits all = { .entries = 1000, .sectors = 1U << 31 };
	struct log_limits now = ssdup_log_limits_free(&all);

	/* Too little time for one entry: it is not lost. */
	KUNIT_EXPECT_EQ(test, ssdup_log_ration(&now, &all, MSEC, 3600000 * MSEC), 0);
	KUNIT_EXPECT_EQ(test, now.sectors, (1U << 31) / 4 * 3);
	/* Half of the time, however long: half of the rest. */
	KUNIT_EXPECT_EQ(test, ssdup_log_ration(&now, &all, 60000 * MSEC, 120000 * MSEC),
			60000 * MSEC);
	KUNIT_EXPECT_EQ(test, now.entries, 875);
	KUNIT_EXPECT_EQ(test, (now.sectors + 100) >> 28, 7);
	/* One of the two may be at its end. */
	now.entries = all.entries;
	KUNIT_EXPECT_EQ(test, ssdup_log_ration(&now, &all, 1000 * MSEC, 2000 * MSEC), 1000 * MSEC);
	KUNIT_EXPECT_EQ(test, (now.sectors + 100) >> 27, 15);
}

static struct kunit_case log_space_cases[] = {
	KUNIT_CASE(ration_by_example),
	KUNIT_CASE(waits_end_in_time),
	KUNIT_CASE(waits_by_example),
	KUNIT_CASE(waits_grow),
	{}
};

static struct kunit_suite log_space_suite = {
	.name = "ssdup-log-space",
	.test_cases = log_space_cases,
};

kunit_test_suite(log_space_suite);
