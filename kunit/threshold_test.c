// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>
#include <linux/sort.h>

#include "core/threshold.c"
#include "prng.h"

static struct threshold *threshold_new(struct kunit *test)
{
	struct threshold *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	ssdup_threshold_init(t);
	return t;
}

/*
 * The worked example of the paper, section 2.3.2. With its index rounded to
 * nearest, all thresholds are as printed there but the seventh, which is .5905
 * and not .5826.
 */
static void worked_example(struct kunit *test)
{
	static const struct {
		u32 percentage, paper, ours;
	} steps[] = {
		{ 3937, 5000, 5000 },
		{ 5433, 5433, 5433 },
		{ 5905, 5433, 5433 },
		{ 6299, 5433, 5433 },
		{ 6062, 5905, 5905 },
		{ 5826, 5826, 5826 },
		{ 6220, 5826, 5905 },
		{ 6220, 5905, 5905 },
		{ 6220, 5905, 5905 },
		{ 6771, 6062, 6062 },
	};
	struct threshold *t = threshold_new(test);
	u32 i, as_printed = 0;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		u32 value = ssdup_threshold_update(t, steps[i].percentage);

		KUNIT_EXPECT_EQ_MSG(test, value, steps[i].ours, "(stream %u)", i + 1);
		as_printed += value == steps[i].paper;
	}
	KUNIT_EXPECT_EQ(test, as_printed, 9);
}

static void starts_at_half(struct kunit *test)
{
	static const u32 first[] = { 0, 1, 5000, 7999, 9999, 10000 };
	struct threshold *t = threshold_new(test);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(first); i++) {
		ssdup_threshold_init(t);
		KUNIT_EXPECT_EQ(test, t->value, THRESHOLD_START);
		KUNIT_EXPECT_EQ(test, ssdup_threshold_update(t, first[i]), THRESHOLD_START);
		KUNIT_EXPECT_EQ(test, t->value, THRESHOLD_START);
	}
}

struct index_case {
	const char *name;
	u32 nr;
	u32 p[8];
	u32 threshold;
};

/* PercentList and the threshold it gives, whatever the order of arrival. */
static const struct index_case index_cases[] = {
	{ "all sequential: the highest", 4, { 0, 0, 0, 0 }, 0 },
	{ "all random: the lowest", 4, { 10000, 10000, 10000, 10000 }, 10000 },
	{ "mean .5 of two, half way rounds up", 2, { 4000, 6000 }, 6000 },
	{ "mean just above .5 of two", 2, { 4001, 6000 }, 4001 },
	{ "mean just below .5 of two", 2, { 4000, 5999 }, 5999 },
	{ "mean .5 of three", 3, { 1000, 5000, 9000 }, 5000 },
	{ "mean .25 of five: index 3", 5, { 0, 1000, 2000, 3000, 6500 }, 3000 },
	{ "mean .75 of five: index 1", 5, { 3500, 7000, 8000, 9000, 10000 }, 7000 },
};

static void index_case_desc(const struct index_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(index, index_cases, index_case_desc);

static void index_of_list(struct kunit *test)
{
	const struct index_case *c = test->param_value;
	struct threshold *t = threshold_new(test);
	u32 first, i;

	for (first = 0; first < c->nr; first++) {
		ssdup_threshold_init(t);
		for (i = 0; i < c->nr; i++)
			ssdup_threshold_update(t, c->p[(first + i) % c->nr]);
		KUNIT_EXPECT_EQ(test, t->value, c->threshold);
	}
}

/* --- When the pattern changes --- */

static void feed(struct threshold *t, u32 percentage, u32 times)
{
	while (times--)
		ssdup_threshold_update(t, percentage);
}

static void change_empties_the_list(struct kunit *test)
{
	struct threshold *t = threshold_new(test);

	feed(t, 1000, 100);
	KUNIT_EXPECT_EQ(test, t->value, 1000);

	/* Seven far streams of ten are not yet a change. */
	feed(t, 9000, 7);
	KUNIT_EXPECT_EQ(test, t->nr, 107);
	KUNIT_EXPECT_EQ(test, t->value, 1000);

	/* The eighth is, and it is the only one in the list. */
	KUNIT_EXPECT_EQ(test, ssdup_threshold_update(t, 9000), THRESHOLD_START);
	KUNIT_EXPECT_EQ(test, t->nr, 1);

	/* It goes on from there; the old far streams do not count again. */
	KUNIT_EXPECT_EQ(test, ssdup_threshold_update(t, 9000), 9000);
	feed(t, 9000, 20);
	KUNIT_EXPECT_EQ(test, t->nr, 22);
	KUNIT_EXPECT_EQ(test, t->value, 9000);
}

static void far_is_more_than_three_tenths(struct kunit *test)
{
	struct threshold *t = threshold_new(test);

	feed(t, 1000, 100);
	feed(t, 1000 + THRESHOLD_FAR, 8);
	KUNIT_EXPECT_EQ(test, t->nr, 108);
	KUNIT_EXPECT_EQ(test, t->value, 1000);

	ssdup_threshold_init(t);
	feed(t, 1000, 100);
	feed(t, 1000 + THRESHOLD_FAR + 1, 8);
	KUNIT_EXPECT_EQ(test, t->nr, 1);
}

static void change_looks_at_ten(struct kunit *test)
{
	struct threshold *t = threshold_new(test);
	u32 i;

	/* Seven of any ten are far: never a change, however long. */
	feed(t, 1000, 150);
	for (i = 0; i < 50; i++)
		ssdup_threshold_update(t, i % 10 < 7 ? 4500 : 500);
	KUNIT_EXPECT_EQ(test, t->nr, 200);

	/* Eight far ones among the last ten, not in a row: a change. */
	ssdup_threshold_init(t);
	feed(t, 1000, 100);
	for (i = 0; i < 9; i++)
		ssdup_threshold_update(t, i == 2 || i == 5 ? 500 : 9000);
	KUNIT_EXPECT_EQ(test, t->nr, 109);
	ssdup_threshold_update(t, 9000);
	KUNIT_EXPECT_EQ(test, t->nr, 1);
}

/* --- Against a model that keeps the list as plainly as can be --- */

struct model {
	u32	list[4 * THRESHOLD_LIST];	/* in order of arrival */
	u32	sorted[THRESHOLD_LIST];
	u32	nr;
	bool	far[4 * THRESHOLD_LIST];
	u32	nr_far;
	u32	value;
};

static int u32_cmp(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

static void model_update(struct model *m, u32 percentage)
{
	u32 i, n, far = 0, *from;
	u64 sum = 0, index, best;

	m->far[m->nr_far++] = percentage > m->value + 3000;
	for (i = m->nr_far > 10 ? m->nr_far - 10 : 0; i < m->nr_far; i++)
		far += m->far[i];
	if (far * 10 > 7 * 10) {
		m->nr = 0;
		m->nr_far = 0;
	}

	m->list[m->nr++] = percentage;
	n = min(m->nr, THRESHOLD_LIST);
	from = m->list + m->nr - n;
	memcpy(m->sorted, from, n * sizeof(*from));
	sort(m->sorted, n, sizeof(*from), u32_cmp, NULL);
	for (i = 0; i < n; i++)
		sum += from[i];

	m->value = 5000;
	if (n == 1)
		return;

	/* The integer next to (1 - avg) * (n - 1), of two the higher one. */
	best = U64_MAX;
	for (index = 0; index < n; index++) {
		u64 a = index * n * 10000, b = (n * 10000ULL - sum) * (n - 1);
		u64 distance = a > b ? a - b : b - a;

		if (distance <= best) {
			best = distance;
			m->value = m->sorted[index];
		}
	}
}

static void long_run_follows_the_model(struct kunit *test)
{
	struct threshold *t = threshold_new(test);
	struct prng r = { 3 };
	struct model *m;
	u32 i, j, percentage;

	m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m);

	for (j = 0; j < 8; j++) {
		memset(m, 0, sizeof(*m));
		m->value = 5000;
		ssdup_threshold_init(t);
		for (i = 0; i < ARRAY_SIZE(m->list); i++) {
			/* Calm, then anything, then calm again elsewhere. */
			percentage = i / 256 % 2 ? prng_below(&r, 10001) :
				prng_below(&r, 500) + 1000 * (j + i / 512);
			model_update(m, percentage);
			KUNIT_ASSERT_EQ(test, ssdup_threshold_update(t, percentage), m->value);
			KUNIT_ASSERT_EQ(test, t->value, m->value);
			KUNIT_ASSERT_EQ(test, t->nr, min(m->nr, THRESHOLD_LIST));
		}
	}
}

/* What left the list long ago has no say. */
static void list_is_bounded(struct kunit *test)
{
	struct threshold *t = threshold_new(test);
	u32 i;

	feed(t, 9000, 3 * THRESHOLD_LIST);
	KUNIT_EXPECT_EQ(test, t->nr, THRESHOLD_LIST);
	KUNIT_EXPECT_EQ(test, t->value, 9000);

	feed(t, 1000, THRESHOLD_LIST);
	KUNIT_EXPECT_EQ(test, t->nr, THRESHOLD_LIST);
	KUNIT_EXPECT_EQ(test, t->sum, THRESHOLD_LIST * 1000);
	for (i = 0; i < THRESHOLD_LIST; i++)
		KUNIT_EXPECT_EQ(test, t->sorted[i], 1000);
	KUNIT_EXPECT_EQ(test, t->value, 1000);
}

static struct kunit_case threshold_cases[] = {
	KUNIT_CASE(worked_example),
	KUNIT_CASE(starts_at_half),
	KUNIT_CASE_PARAM(index_of_list, index_gen_params),
	KUNIT_CASE(change_empties_the_list),
	KUNIT_CASE(far_is_more_than_three_tenths),
	KUNIT_CASE(change_looks_at_ten),
	KUNIT_CASE(long_run_follows_the_model),
	KUNIT_CASE(list_is_bounded),
	{}
};

static struct kunit_suite threshold_suite = {
	.name = "ssdup-threshold",
	.test_cases = threshold_cases,
};

kunit_test_suite(threshold_suite);
