// SPDX-License-Identifier: GPL-2.0-only
/* Which SSD of a log gets new data. */
#include <kunit/test.h>

#include "core/spread.c"

#define UNIT	SPREAD_UNIT

static void they_take_turns(struct kunit *test)
{
	struct spread_ssd ssd[3] = { };
	u32 i;

	for (i = 0; i < 9; i++)
		KUNIT_EXPECT_EQ(test, ssdup_spread(ssd, 3, i, 8), i % 3);
	/* A small difference is none. */
	for (i = 0; i < 3; i++)
		ssd[i].ns = 1000 + 50 * i;
	for (i = 0; i < 9; i++)
		KUNIT_EXPECT_EQ(test, ssdup_spread(ssd, 3, i, 8), i % 3);
	KUNIT_EXPECT_EQ(test, ssdup_spread(ssd, 1, 7, 8), 0);
}

static void the_earlier_end(struct kunit *test)
{
	struct spread_ssd ssd[2] = { { .ns = 1000 }, { .ns = 3000 } };

	/* Two writes there end before one here. */
	KUNIT_EXPECT_EQ(test, ssdup_spread(ssd, 2, 1, UNIT), 0);
	ssd[0].in_flight = UNIT;
	KUNIT_EXPECT_EQ(test, ssdup_spread(ssd, 2, 1, UNIT), 0);
	ssd[0].in_flight = 2 * UNIT;
	KUNIT_EXPECT_EQ(test, ssdup_spread(ssd, 2, 1, UNIT), 1);
	KUNIT_EXPECT_EQ(test, ssdup_spread(ssd, 2, 0, UNIT), 0);
	ssd[0].in_flight = 4 * UNIT;
	KUNIT_EXPECT_EQ(test, ssdup_spread(ssd, 2, 0, UNIT), 1);
	/* By a quarter, and no less. */
	ssd[1].ns = 1000;
	ssd[0].in_flight = 3 * UNIT;
	ssd[1].in_flight = 2 * UNIT;
	KUNIT_EXPECT_EQ(test, ssdup_spread(ssd, 2, 0, UNIT), 0);
	ssd[1].in_flight = 2 * UNIT - 1;
	KUNIT_EXPECT_EQ(test, ssdup_spread(ssd, 2, 0, UNIT), 1);
}

/* Until each has ended a write, only what is in flight counts. */
static void unknown_speeds(struct kunit *test)
{
	struct spread_ssd ssd[3] = { { .ns = 1000 }, { .in_flight = 2 * UNIT }, { .ns = 5000 } };

	KUNIT_EXPECT_EQ(test, ssdup_spread(ssd, 3, 2, UNIT), 2);
	KUNIT_EXPECT_EQ(test, ssdup_spread(ssd, 3, 1, UNIT), 2);
	/* One that is out needs none. */
	ssd[1].out = true;
	KUNIT_EXPECT_EQ(test, ssdup_spread(ssd, 3, 2, UNIT), 0);
}

static void some_are_out(struct kunit *test)
{
	struct spread_ssd ssd[3] = { { .out = true }, { }, { .out = true } };
	u32 i;

	for (i = 0; i < 6; i++)
		KUNIT_EXPECT_EQ(test, ssdup_spread(ssd, 3, i, 8), 1);
	ssd[1].out = true;
	for (i = 0; i < 6; i++)
		KUNIT_EXPECT_EQ(test, ssdup_spread(ssd, 3, i, 8), i % 3);
}

/* It follows what is measured, and is never zero, which is "not known". */
static void speeds_are_learnt(struct kunit *test)
{
	u64 ns = 0;
	u32 i;

	ns = ssdup_spread_learn(ns, 4000, 2 * UNIT);
	KUNIT_EXPECT_EQ(test, ns, 2000);
	for (i = 0; i < 50; i++)
		ns = ssdup_spread_learn(ns, 1000, UNIT);
	KUNIT_EXPECT_LT(test, ns, 1020);
	KUNIT_EXPECT_GE(test, ns, 1000);
	KUNIT_EXPECT_EQ(test, ssdup_spread_learn(0, 1, U32_MAX), 1);
	KUNIT_EXPECT_GT(test, ssdup_spread_learn(0, 1, 0), 0);
}

/* In a busy minute each gets what it can do: here 1, 2 and 5 parts of 8. */
static void by_their_speeds(struct kunit *test)
{
	static const u64 took[3] = { 10000, 5000, 2000 };
	struct spread_ssd ssd[3] = { };
	u64 busy[3] = { };
	u32 got[3] = { }, nr, i, k;

	/* 24 in flight; who ends first sends the next one. */
	for (nr = 0; nr < 8000; nr++) {
		while (ssd[0].in_flight + ssd[1].in_flight + ssd[2].in_flight < 24 * UNIT) {
			i = ssdup_spread(ssd, 3, nr, UNIT);
			if (!ssd[i].in_flight)
				busy[i] = max3(busy[0], busy[1], busy[2]);
			ssd[i].in_flight += UNIT;
			got[i]++;
		}
		for (i = 3, k = 0; k < 3; k++)
			if (ssd[k].in_flight && (i == 3 || busy[k] + took[k] < busy[i] + took[i]))
				i = k;
		busy[i] += took[i];
		ssd[i].ns = ssdup_spread_learn(ssd[i].ns, took[i], UNIT);
		ssd[i].in_flight -= UNIT;
	}
	KUNIT_EXPECT_LE(test, abs((int)got[0] - 1000), 100);
	KUNIT_EXPECT_LE(test, abs((int)got[1] - 2000), 100);
	KUNIT_EXPECT_LE(test, abs((int)got[2] - 5000), 100);
}

static struct kunit_case spread_cases[] = {
	KUNIT_CASE(they_take_turns),
	KUNIT_CASE(the_earlier_end),
	KUNIT_CASE(unknown_speeds),
	KUNIT_CASE(some_are_out),
	KUNIT_CASE(speeds_are_learnt),
	KUNIT_CASE(by_their_speeds),
	{}
};

static struct kunit_suite spread_suite = {
	.name = "ssdup-spread",
	.test_cases = spread_cases,
};

kunit_test_suite(spread_suite);
