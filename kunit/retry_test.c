// SPDX-License-Identifier: GPL-2.0-only
/* invariant: 7 */
#include <kunit/test.h>

#include "core/retry.c"

#define SECOND	1000000000ULL

/* --- How many errors are too many --- */

static void at_once(struct kunit *test)
{
	struct retry_errors e = { };
	u32 i;

	for (i = 0; i < RETRY_ERRORS; i++)
		KUNIT_EXPECT_FALSE(test, ssdup_retry_count(&e, 5));
	KUNIT_EXPECT_TRUE(test, ssdup_retry_count(&e, 5));
	/* And so on, until it has been quiet for a while. */
	KUNIT_EXPECT_TRUE(test, ssdup_retry_count(&e, 6));
	KUNIT_EXPECT_FALSE(test, ssdup_retry_count(&e, 11 * SECOND));
}

struct pace_case {
	const char *name;
	u64 step;
	bool many;
};

static const struct pace_case pace_cases[] = {
	{ "16 in 10 s, for ever", RETRY_ERRORS_NS / RETRY_ERRORS, false },
	{ "a little faster", RETRY_ERRORS_NS / RETRY_ERRORS - 1, true },
	{ "one a second", SECOND, false },
	{ "ten a second", SECOND / 10, true },
};

static void pace_case_desc(const struct pace_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(pace, pace_cases, pace_case_desc);

static void steady_pace(struct kunit *test)
{
	const struct pace_case *c = test->param_value;
	struct retry_errors e = { };
	bool many = false;
	u64 now = 0;
	u32 i;

	for (i = 0; i < 5 * RETRY_ERRORS; i++, now += c->step)
		many |= ssdup_retry_count(&e, now);
	KUNIT_EXPECT_EQ(test, many, c->many);
}

/* 16 at the end of one span of time and one at the beginning of the next are 17. */
static void no_border(struct kunit *test)
{
	struct retry_errors e = { };
	u32 i;

	KUNIT_EXPECT_FALSE(test, ssdup_retry_count(&e, 0));
	for (i = 1; i < RETRY_ERRORS; i++)
		KUNIT_EXPECT_FALSE(test, ssdup_retry_count(&e, 9 * SECOND));
	KUNIT_EXPECT_FALSE(test, ssdup_retry_count(&e, 10 * SECOND));
	KUNIT_EXPECT_TRUE(test, ssdup_retry_count(&e, 11 * SECOND));
}

/* --- One write --- */

struct decide_case {
	const char *name;
	struct retry_facts f;
	enum retry_way way;
};

static const struct decide_case decide_cases[] = {
	{ "the first place was bad", { false, 1, 0 }, RETRY_LOG },
	{ "the second one too", { false, RETRY_PLACES, 5 }, RETRY_HDD },
	{ "and more, over the log", { false, RETRY_PLACES_MAX - 1, 5 }, RETRY_HDD },
	{ "and too many", { false, RETRY_PLACES_MAX, 5 }, RETRY_NEVER },
	{ "slow errors are no absence", { false, 1, RETRY_AWAY_MS }, RETRY_LOG },
	{ "away", { true, 0, 0 }, RETRY_LOG },
	{ "away after bad places", { true, RETRY_PLACES_MAX - 1, 0 }, RETRY_LOG },
	{ "away for nearly a minute", { true, 0, RETRY_AWAY_MS - 1 }, RETRY_LOG },
	{ "away for a minute", { true, 0, RETRY_AWAY_MS }, RETRY_NEVER },
};

static void decide_case_desc(const struct decide_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(decide, decide_cases, decide_case_desc);

static void way_of_refused(struct kunit *test)
{
	const struct decide_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, ssdup_retry_decide(&c->f), c->way);
}

static struct kunit_case retry_cases[] = {
	KUNIT_CASE(at_once),
	KUNIT_CASE_PARAM(steady_pace, pace_gen_params),
	KUNIT_CASE(no_border),
	KUNIT_CASE_PARAM(way_of_refused, decide_gen_params),
	{}
};

static struct kunit_suite retry_suite = {
	.name = "ssdup-retry",
	.test_cases = retry_cases,
};

kunit_test_suite(retry_suite);
