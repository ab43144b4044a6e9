// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>

#include "core/allowance.c"

#define SEC	1000000000ULL
#define HOUR	(3600 * SEC)
#define DAY	ALLOWANCE_DAY
#define MSEC	1000000U
#define BUDGET	1000000ULL	/* sectors */
#define T	PRICE_TRANSFER

/* --- The price --- */

static void price_of_a_budget(struct kunit *test)
{
	static const struct { u64 left, price; } rows[] = {
		{ 900, 0 }, { 450, T / 8 }, { 100, T }, { 50, T * 17 / 8 }, { 1, T / 8 * 899 },
	};
	u64 before = 0, price;
	u32 i;
	s64 left;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		KUNIT_EXPECT_EQ(test, ssdup_allowance_price(900, rows[i].left), rows[i].price);
	KUNIT_EXPECT_EQ(test, ssdup_allowance_price(100, 0), PRICE_NEVER);
	KUNIT_EXPECT_EQ(test, ssdup_allowance_price(100, -1), PRICE_NEVER);
	/* A smaller budget than what is left, until the next update. */
	KUNIT_EXPECT_EQ(test, ssdup_allowance_price(100, 101), 0);
	/* The less is left, the dearer, without a jump. */
	for (left = BUDGET; left > (s64)BUDGET / 100; left -= BUDGET / 1000, before = price) {
		price = ssdup_allowance_price(BUDGET, left);
		KUNIT_EXPECT_LE(test, price, before + before / 4 + MSEC / 2);
		KUNIT_EXPECT_GE(test, price, before);
	}
	/* The largest budget, and next to nothing left of it. */
	KUNIT_EXPECT_EQ(test, ssdup_allowance_price(1ULL << 60, 1), PRICE_NEVER);
	KUNIT_EXPECT_EQ(test, ssdup_allowance_price(1ULL << 60, 1ULL << 59), T / 8);
	for (left = 1; left > 0 && left < (s64)1 << 60; left *= 2)
		KUNIT_EXPECT_LE(test, ssdup_allowance_price(1ULL << 60, left),
				PRICE_NEVER + T);
}

/* --- The account --- */

struct step {
	u64	day;
	u64	passed;		/* ns since the step before */
	u64	wrote;		/* sectors */
	s64	left;		/* afterwards */
};

static void follow(struct kunit *test, struct allowance *a, const struct step *s, u32 nr)
{
	u64 now = a->then ?: SEC, used = a->used;
	u32 i;

	for (i = 0; i < nr; i++) {
		now += s[i].passed;
		used += s[i].wrote;
		ssdup_allowance_update(a, s[i].day, now, used);
		/* What is rounded is rounded against the writer. */
		KUNIT_EXPECT_LE_MSG(test, a->left, s[i].left, "step %u", i);
		KUNIT_EXPECT_GE_MSG(test, a->left, s[i].left - 1, "step %u", i);
	}
}

static void account_by_example(struct kunit *test)
{
	static const struct step steps[] = {
		/* What was written before counts for nothing, and nothing was earned yet. */
		{ BUDGET, DAY, 5000, 0 },
		{ BUDGET, DAY / 4, 0, BUDGET / 4 },
		{ BUDGET, 0, BUDGET / 8, BUDGET / 8 },
		/* More than there is: it is owed. */
		{ BUDGET, 0, BUDGET / 4, -(s64)BUDGET / 8 },
		{ BUDGET, DAY / 4, 0, BUDGET / 8 },
		/* Never more than a day's, however long nobody writes. */
		{ BUDGET, 2 * DAY, 0, BUDGET },
		{ BUDGET, 700 * DAY, 0, BUDGET },
		{ BUDGET, 0, BUDGET, 0 },
		/* Another budget earns otherwise, and holds less. */
		{ 2 * BUDGET, DAY / 2, 0, BUDGET },
		{ BUDGET / 2, DAY / 1000, 0, BUDGET / 2 },
		/* None, and then one: new. */
		{ 0, DAY, 7, 0 },
		{ BUDGET, DAY, 7, 0 },
		{ BUDGET, DAY / 2, 0, BUDGET / 2 },
	};
	struct allowance a = { };

	follow(test, &a, steps, ARRAY_SIZE(steps));
}

/* Looked at often or rarely, a budget of a sector an hour or of a fast SSD earns the same. */
static void earns_evenly(struct kunit *test)
{
	static const u64 days[] = { 24, 1000, BUDGET, 1ULL << 42 };
	static const u64 looks[] = { 1000 * 1000, 333333333, 7 * SEC, HOUR };
	u32 i, j, n;
	s64 end;
	u64 now;

	for (i = 0; i < ARRAY_SIZE(days); i++)
		for (j = 0; j < ARRAY_SIZE(looks); j++) {
			struct allowance a = { };

			ssdup_allowance_update(&a, days[i], SEC, 0);
			for (n = 0, now = SEC; n < 20000 && now < DAY / 2; n++) {
				now += looks[j];
				ssdup_allowance_update(&a, days[i], now, 0);
			}
			end = mul_u64_u64_div_u64(days[i], now - SEC, DAY);
			KUNIT_EXPECT_LE(test, a.left, end);
			KUNIT_EXPECT_GE(test, a.left, end - end / 1000 - 1);
		}
}

/* The sum of two counters may be too small for a moment. */
static void forgives_a_count_that_lags(struct kunit *test)
{
	struct allowance a = { };

	ssdup_allowance_update(&a, BUDGET, SEC, 1000);
	ssdup_allowance_update(&a, BUDGET, SEC + DAY / 2, 1000);
	ssdup_allowance_update(&a, BUDGET, SEC + DAY / 2, 900);
	ssdup_allowance_update(&a, BUDGET, SEC + DAY / 2, 1100);
	KUNIT_EXPECT_GE(test, a.left, BUDGET / 2 - 101);
	KUNIT_EXPECT_LE(test, a.left, BUDGET / 2 - 100);
}

/* --- A week --- */

#define STEP	(10 * SEC)
#define CLASSES	8		/* of writes, each worth half as much again as the one before */

struct week {
	struct allowance a;
	u64	now, used, offered, price;
	u64	most, least;		/* price, since it was last asked */
};

/* For @ns somebody offers @rate sectors in each step, in equal parts of each class. */
static void offer(struct week *w, u64 ns, u64 rate)
{
	u64 end = w->now + ns, worth;
	u32 i;

	for (; w->now < end; w->now += STEP) {
		ssdup_allowance_update(&w->a, BUDGET, w->now, w->used);
		w->price = ssdup_allowance_price(BUDGET, w->a.left);
		w->most = max(w->most, w->price);
		w->least = min(w->least, w->price);
		w->offered += rate;
		for (i = 0, worth = T; i < CLASSES; i++, worth += worth / 2)
			w->used += worth < w->price ? 0 : rate / CLASSES;
	}
}

static void watch(struct week *w)
{
	w->most = 0;
	w->least = U64_MAX;
}

/* A steady load gets what is earned, and the price comes to rest. */
static void a_steady_week(struct kunit *test)
{
	struct week w = { .now = SEC };
	u64 used;
	u32 day;

	for (day = 0; day < 7; day++) {
		watch(&w);
		used = w.used;
		offer(&w, DAY, 4 * BUDGET * STEP / DAY);
		KUNIT_EXPECT_LE(test, w.used, (day + 1) * BUDGET + BUDGET / 100);
		if (day < 2)
			continue;
		KUNIT_EXPECT_GE(test, w.used - used, BUDGET * 98 / 100);
		KUNIT_EXPECT_LE(test, w.used - used, BUDGET * 102 / 100);
		KUNIT_EXPECT_LE(test, w.most, w.least + w.least / 10);
		/* A quarter of what is offered: the two dearest classes of eight. */
		KUNIT_EXPECT_GT(test, w.price, 7 * T);
		KUNIT_EXPECT_LT(test, w.price, 18 * T);
	}
	KUNIT_EXPECT_GE(test, w.used, 7 * BUDGET * 93 / 100);
}

/* Ten minutes of every hour by day, and nothing by night nor on the last two days. */
static void a_week_of_bursts(struct kunit *test)
{
	u64 rate = 4 * BUDGET / 12 / (HOUR / STEP / 6), before, used;
	struct week w = { .now = SEC };
	u32 day, hour, i;

	for (day = 0; day < 7; day++) {
		used = w.used;
		for (hour = 0; hour < 24; hour++) {
			watch(&w);
			if (hour < 12 && day < 5) {
				for (i = 0; i < HOUR / 6 / STEP; i++) {
					before = w.price;
					offer(&w, STEP, rate);
					/* Nobody notices a step. */
					if (day)
						KUNIT_EXPECT_LE(test, w.price,
								before + before / 5 + MSEC / 5);
				}
				offer(&w, HOUR - HOUR / 6, 0);
			} else {
				offer(&w, HOUR, 0);
			}
		}
		KUNIT_EXPECT_LE(test, w.used, (day + 1) * BUDGET + BUDGET / 100);
		if (day < 5)	/* Nothing that was earned is lost. */
			KUNIT_EXPECT_GE(test, w.used + w.a.left, (day + 1) * BUDGET * 99 / 100);
		if (day > 0 && day < 5) {
			KUNIT_EXPECT_GE(test, w.used - used, BUDGET * 90 / 100);
			KUNIT_EXPECT_LE(test, w.used - used, BUDGET * 110 / 100);
		}
	}
	KUNIT_EXPECT_EQ(test, w.price, 0);
}

/* Whoever restarts all the time gets no more than he who does not. */
static void restarts_gain_nothing(struct kunit *test)
{
	struct week w = { .now = SEC };
	u32 hour;

	for (hour = 0; hour < 7 * 24; hour++) {
		w.a = (struct allowance){ };
		offer(&w, HOUR, 100 * BUDGET * STEP / DAY);
		KUNIT_EXPECT_LE(test, w.used, (hour + 1) * BUDGET / 24 + BUDGET / 50);
	}
}

static struct kunit_case allowance_cases[] = {
	KUNIT_CASE(price_of_a_budget),
	KUNIT_CASE(account_by_example),
	KUNIT_CASE(earns_evenly),
	KUNIT_CASE(forgives_a_count_that_lags),
	KUNIT_CASE(a_steady_week),
	KUNIT_CASE(a_week_of_bursts),
	KUNIT_CASE(restarts_gain_nothing),
	{ }
};

static struct kunit_suite allowance_suite = {
	.name = "ssdup-allowance",
	.test_cases = allowance_cases,
};

kunit_test_suite(allowance_suite);
