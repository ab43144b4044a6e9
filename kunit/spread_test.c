// SPDX-License-Identifier: GPL-2.0-only
/* Which SSD of a log gets new data. */
#include <kunit/test.h>

#include "core/spread.c"

#define UNIT	WINDOW_UNIT

/* No SSD is due to be tried again. */
static u32 choose(const struct spread_ssd *ssd, u32 nr, u32 turn, u32 sectors)
{
	static struct spread_ssd all[SSDUP_MAX_SSDS];
	u32 i;

	for (i = 0; i < nr; i++) {
		all[i] = ssd[i];
		all[i].speed.retry = 1;
	}
	return ssdup_spread(all, nr, turn, sectors, 0);
}

static void they_take_turns(struct kunit *test)
{
	struct spread_ssd ssd[3] = { };
	u32 i;

	for (i = 0; i < 9; i++)
		KUNIT_EXPECT_EQ(test, choose(ssd, 3, i, 8), i % 3);
	/* A small difference is none. */
	for (i = 0; i < 3; i++)
		ssd[i].speed.ns = 1000 + 50 * i;
	for (i = 0; i < 9; i++)
		KUNIT_EXPECT_EQ(test, choose(ssd, 3, i, 8), i % 3);
	KUNIT_EXPECT_EQ(test, choose(ssd, 1, 7, 8), 0);
}

static void the_earlier_end(struct kunit *test)
{
	struct spread_ssd ssd[2] = { { .speed.ns = 1000 }, { .speed.ns = 3000 } };

	/* Two writes there end before one here. */
	KUNIT_EXPECT_EQ(test, choose(ssd, 2, 1, UNIT), 0);
	ssd[0].in_flight = UNIT;
	KUNIT_EXPECT_EQ(test, choose(ssd, 2, 1, UNIT), 0);
	ssd[0].in_flight = 2 * UNIT;
	KUNIT_EXPECT_EQ(test, choose(ssd, 2, 1, UNIT), 1);
	KUNIT_EXPECT_EQ(test, choose(ssd, 2, 0, UNIT), 0);
	ssd[0].in_flight = 4 * UNIT;
	KUNIT_EXPECT_EQ(test, choose(ssd, 2, 0, UNIT), 1);
	/* By a quarter, and no less. */
	ssd[1].speed.ns = 1000;
	ssd[0].in_flight = 3 * UNIT;
	ssd[1].in_flight = 2 * UNIT;
	KUNIT_EXPECT_EQ(test, choose(ssd, 2, 0, UNIT), 0);
	ssd[1].in_flight = 2 * UNIT - 1;
	KUNIT_EXPECT_EQ(test, choose(ssd, 2, 0, UNIT), 1);
}

/* Until each has ended a write, only what is in flight counts. */
static void unknown_speeds(struct kunit *test)
{
	struct spread_ssd ssd[3] = {
		{ .speed.ns = 1000 }, { .in_flight = 2 * UNIT }, { .speed.ns = 5000 }
	};

	KUNIT_EXPECT_EQ(test, choose(ssd, 3, 2, UNIT), 2);
	KUNIT_EXPECT_EQ(test, choose(ssd, 3, 1, UNIT), 2);
	/* One that is out needs none. */
	ssd[1].out = true;
	KUNIT_EXPECT_EQ(test, choose(ssd, 3, 2, UNIT), 0);
}

static void some_are_out(struct kunit *test)
{
	struct spread_ssd ssd[3] = { { .out = true }, { }, { .out = true } };
	u32 i;

	for (i = 0; i < 6; i++)
		KUNIT_EXPECT_EQ(test, choose(ssd, 3, i, 8), 1);
	ssd[1].out = true;
	for (i = 0; i < 6; i++)
		KUNIT_EXPECT_EQ(test, choose(ssd, 3, i, 8), i % 3);
}

/* One is left to its readers while another one can have the write. */
static void some_are_apart(struct kunit *test)
{
	struct spread_ssd ssd[3] = { { .apart = true }, { .speed.ns = 9000 }, { .apart = true } };
	u32 i;

	for (i = 0; i < 6; i++)
		KUNIT_EXPECT_EQ(test, choose(ssd, 3, i, 8), 1);
	/* Not if that one has no room, nor if all are. */
	ssd[1].out = true;
	for (i = 0; i < 6; i++)
		KUNIT_EXPECT_NE(test, choose(ssd, 3, i, 8), 1);
	ssd[1] = ssd[0];
	for (i = 0; i < 6; i++)
		KUNIT_EXPECT_EQ(test, choose(ssd, 3, i, 8), i % 3);
}

/* For ten seconds from when it was last too much. */
static void apart_for_a_while(struct kunit *test)
{
	u64 until = 0, second = SPREAD_APART_NS / 10;

	KUNIT_EXPECT_FALSE(test, ssdup_spread_apart(&until, SPREAD_APART - 1, second));
	KUNIT_EXPECT_TRUE(test, ssdup_spread_apart(&until, SPREAD_APART, second));
	KUNIT_EXPECT_TRUE(test, ssdup_spread_apart(&until, 20000, 2 * second));
	KUNIT_EXPECT_TRUE(test, ssdup_spread_apart(&until, 0, 12 * second - 1));
	KUNIT_EXPECT_FALSE(test, ssdup_spread_apart(&until, 0, 12 * second));
}

/* It follows what is measured, and is never zero, which is "not known". */
static void speeds_are_learnt(struct kunit *test)
{
	struct spread_speed s = { };
	u32 i;

	ssdup_spread_learn(&s, 4000, 2 * UNIT, 5);
	KUNIT_EXPECT_EQ(test, s.ns, 2000);
	KUNIT_EXPECT_EQ(test, s.retry, 5 + 4000 * WINDOW_RETRY);
	for (i = 0; i < 50; i++)
		ssdup_spread_learn(&s, 1000, UNIT, 6);
	KUNIT_EXPECT_LT(test, s.ns, 1020);
	KUNIT_EXPECT_GE(test, s.ns, 1000);
	/* What is old is forgotten. */
	ssdup_spread_learn(&s, 5000, UNIT, 6 + 1000 * WINDOW_RETRY);
	KUNIT_EXPECT_EQ(test, s.ns, 5000);
	s.ns = 0;
	ssdup_spread_learn(&s, 1, U32_MAX, 0);
	KUNIT_EXPECT_EQ(test, s.ns, 1);
	ssdup_spread_learn(&s, 1, 0, 0);
	KUNIT_EXPECT_GT(test, s.ns, 1);
}

/* A bad moment is forgotten: an SSD with nothing to do is tried, but not all the time. */
static void tried_again(struct kunit *test)
{
	struct spread_ssd ssd[2] = { };
	u32 i, at, got[2] = { };
	u64 now = 0;

	for (i = 0; i < 2; i++)
		ssdup_spread_learn(&ssd[i].speed, i ? 1000000 : 1000, UNIT, 0);
	KUNIT_EXPECT_EQ(test, ssdup_spread(ssd, 2, 1, UNIT, 1), 0);
	for (i = 0; i < 100000; i++) {
		at = ssdup_spread(ssd, 2, i, UNIT, now);
		now += 1000;
		ssdup_spread_learn(&ssd[at].speed, 1000, UNIT, now);
		/* It is tried after 64 ms, and then it is as good as the other one. */
		KUNIT_ASSERT_TRUE(test, now > 64000000 || !at);
		got[at] += i >= 90000;
	}
	KUNIT_EXPECT_EQ(test, got[0], 5000);
	KUNIT_EXPECT_EQ(test, got[1], 5000);
	/* Not while it has something to do. */
	ssd[1].speed = (struct spread_speed){ .ns = 9000, .retry = 5 };
	ssd[0].speed = (struct spread_speed){ .ns = 1000, .retry = 9 };
	KUNIT_EXPECT_EQ(test, ssdup_spread(ssd, 2, 1, UNIT, 7), 1);
	ssd[1].in_flight = 1;
	KUNIT_EXPECT_EQ(test, ssdup_spread(ssd, 2, 1, UNIT, 7), 0);
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
			i = choose(ssd, 3, nr, UNIT);
			if (!ssd[i].in_flight)
				busy[i] = max3(busy[0], busy[1], busy[2]);
			ssd[i].in_flight += UNIT;
			got[i]++;
		}
		for (i = 3, k = 0; k < 3; k++)
			if (ssd[k].in_flight && (i == 3 || busy[k] + took[k] < busy[i] + took[i]))
				i = k;
		busy[i] += took[i];
		ssdup_spread_learn(&ssd[i].speed, took[i], UNIT, 0);
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
	KUNIT_CASE(some_are_apart),
	KUNIT_CASE(apart_for_a_while),
	KUNIT_CASE(speeds_are_learnt),
	KUNIT_CASE(tried_again),
	KUNIT_CASE(by_their_speeds),
	{}
};

static struct kunit_suite spread_suite = {
	.name = "ssdup-spread",
	.test_cases = spread_cases,
};

kunit_test_suite(spread_suite);
