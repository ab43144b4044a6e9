// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>

#include "core/stream_route.c"

#define HDD	SSDUP_HDD
#define SSD	SSDUP_SSD

struct next_case {
	const char *name;
	enum ssdup_policy policy;
	u32 percentage;
	u32 threshold;
	enum ssdup_disk from_hdd;
	enum ssdup_disk from_ssd;
};

static const struct next_case next_cases[] = {
	{ "adaptive, above", SSDUP_POLICY_ADAPTIVE, 5434, 5433, SSD, SSD },
	{ "adaptive, equal", SSDUP_POLICY_ADAPTIVE, 5433, 5433, HDD, SSD },
	{ "adaptive, below", SSDUP_POLICY_ADAPTIVE, 5432, 5433, HDD, HDD },
	{ "adaptive, all random, threshold 1", SSDUP_POLICY_ADAPTIVE, 10000, 10000, HDD, SSD },
	{ "adaptive, all sequential, threshold 0", SSDUP_POLICY_ADAPTIVE, 0, 0, HDD, SSD },
	{ "adaptive, no water marks", SSDUP_POLICY_ADAPTIVE, 5000, 9000, HDD, HDD },
	{ "watermark, above", SSDUP_POLICY_WATERMARK, 4501, 0, SSD, SSD },
	{ "watermark, at the upper mark", SSDUP_POLICY_WATERMARK, 4500, 0, HDD, SSD },
	{ "watermark, between", SSDUP_POLICY_WATERMARK, 4000, 0, HDD, SSD },
	{ "watermark, at the lower mark", SSDUP_POLICY_WATERMARK, 3000, 10000, HDD, SSD },
	{ "watermark, below", SSDUP_POLICY_WATERMARK, 2999, 0, HDD, HDD },
	{ "all, sequential", SSDUP_POLICY_ALL, 0, 10000, SSD, SSD },
	{ "all, random", SSDUP_POLICY_ALL, 10000, 0, SSD, SSD },
	{ "none, sequential", SSDUP_POLICY_NONE, 0, 10000, HDD, HDD },
	{ "balance: by windows instead", SSDUP_POLICY_BALANCE, 5434, 5433, HDD, HDD },
	{ "none, random", SSDUP_POLICY_NONE, 10000, 0, HDD, HDD },
};

static void next_case_desc(const struct next_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(next, next_cases, next_case_desc);

static void next_route(struct kunit *test)
{
	const struct next_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test,
			ssdup_stream_route(c->policy, HDD, c->percentage, c->threshold),
			c->from_hdd);
	KUNIT_EXPECT_EQ(test,
			ssdup_stream_route(c->policy, SSD, c->percentage, c->threshold),
			c->from_ssd);
}

static struct kunit_case policy_cases[] = {
	KUNIT_CASE_PARAM(next_route, next_gen_params),
	{}
};

static struct kunit_suite policy_suite = {
	.name = "ssdup-stream-route",
	.test_cases = policy_cases,
};

kunit_test_suite(policy_suite);
