// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>
#include <linux/bits.h>

#include "../dm-ssdup/core/redirector.c"

#define HDD	SSDUP_HDD
#define SSD	SSDUP_SSD

static const struct redirector_marks marks = { .to_ssd_above = 4500, .to_hdd_below = 3000 };

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
	{ "balance: as adaptive, above", SSDUP_POLICY_BALANCE, 5434, 5433, SSD, SSD },
	{ "balance: as adaptive, below", SSDUP_POLICY_BALANCE, 5432, 5433, HDD, HDD },
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

	KUNIT_EXPECT_EQ(test, ssdup_redirector_next(c->policy, HDD, c->percentage, c->threshold,
						    &marks),
			c->from_hdd);
	KUNIT_EXPECT_EQ(test, ssdup_redirector_next(c->policy, SSD, c->percentage, c->threshold,
						    &marks),
			c->from_ssd);
}

static void first_route(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ssdup_redirector_first(SSDUP_POLICY_ADAPTIVE), HDD);
	KUNIT_EXPECT_EQ(test, ssdup_redirector_first(SSDUP_POLICY_WATERMARK), HDD);
	KUNIT_EXPECT_EQ(test, ssdup_redirector_first(SSDUP_POLICY_ALL), SSD);
	KUNIT_EXPECT_EQ(test, ssdup_redirector_first(SSDUP_POLICY_NONE), HDD);
}

/* Facts in the order of the columns below. */
#define ROUTE_SSD	BIT(0)
#define OVERLAPS	BIT(1)
#define WRITABLE	BIT(2)
#define SPACE		BIT(3)
#define QUEUE		BIT(4)
#define LEAVING		BIT(5)
#define BYPASS		BIT(6)
#define NO_MEMORY	BIT(7)
#define SHUT		BIT(8)
#define FACTS		BIT(9)

static struct write_facts facts(u32 bits)
{
	return (struct write_facts){
		.route = bits & ROUTE_SSD ? SSD : HDD,
		.overlaps = bits & OVERLAPS,
		.log_writable = bits & WRITABLE,
		.space = bits & SPACE,
		.queue = bits & QUEUE,
		.leaving = bits & LEAVING,
		.no_memory = bits & NO_MEMORY,
		.shut = bits & SHUT,
		.full = bits & BYPASS ? SSDUP_FULL_BYPASS : SSDUP_FULL_BLOCK,
	};
}

struct way_case {
	const char *name;
	u32 bits;
	enum write_way way;
};

static const struct way_case way_cases[] = {
	{ "sequential", WRITABLE | SPACE, WRITE_TO_HDD },
	{ "sequential, others wait for the log", WRITABLE | SPACE | QUEUE, WRITE_TO_HDD },
	{ "sequential, log full", WRITABLE, WRITE_TO_HDD },
	{ "sequential, log not writable", SPACE, WRITE_TO_HDD },
	{ "random", ROUTE_SSD | WRITABLE | SPACE, WRITE_TO_LOG },
	{ "random, log full", ROUTE_SSD | WRITABLE, WRITE_WAITS },
	{ "random, others wait", ROUTE_SSD | WRITABLE | SPACE | QUEUE, WRITE_WAITS },
	{ "random, log full, bypass", ROUTE_SSD | WRITABLE | BYPASS, WRITE_TO_HDD },
	{ "random, others wait, bypass", ROUTE_SSD | WRITABLE | SPACE | QUEUE | BYPASS,
	  WRITE_TO_HDD },
	{ "random, space, bypass", ROUTE_SSD | WRITABLE | SPACE | BYPASS, WRITE_TO_LOG },
	{ "random, space, leaving", ROUTE_SSD | WRITABLE | SPACE | LEAVING, WRITE_TO_LOG },
	{ "random, log full, leaving", ROUTE_SSD | WRITABLE | LEAVING, WRITE_TO_HDD },
	{ "random, no memory", ROUTE_SSD | WRITABLE | NO_MEMORY, WRITE_TO_HDD },
	{ "over the log, no memory", OVERLAPS | WRITABLE | NO_MEMORY, WRITE_WAITS },
	{ "random, log shut", ROUTE_SSD | WRITABLE | SPACE | SHUT, WRITE_TO_HDD },
	{ "over the log, shut", OVERLAPS | WRITABLE | SPACE | SHUT, WRITE_WAITS },
	{ "over the log, shut, leaving", OVERLAPS | WRITABLE | SPACE | SHUT | LEAVING,
	  WRITE_WAITS },
	{ "over the log, shut, not writable", OVERLAPS | SPACE | SHUT, WRITE_FAILS },
	{ "random, log not writable", ROUTE_SSD | SPACE, WRITE_TO_HDD },
	{ "sequential over the log", OVERLAPS | WRITABLE | SPACE, WRITE_TO_LOG },
	{ "sequential over the log, full", OVERLAPS | WRITABLE, WRITE_WAITS },
	{ "sequential over the log, others wait", OVERLAPS | WRITABLE | SPACE | QUEUE,
	  WRITE_WAITS },
	{ "over the log, full, bypass", OVERLAPS | WRITABLE | BYPASS, WRITE_WAITS },
	{ "over the log, full, leaving", OVERLAPS | WRITABLE | LEAVING, WRITE_WAITS },
	{ "over the log, not writable", OVERLAPS | SPACE, WRITE_FAILS },
	{ "random over the log, not writable", ROUTE_SSD | OVERLAPS | SPACE, WRITE_FAILS },
};

static void way_case_desc(const struct way_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(way, way_cases, way_case_desc);

static void way_of_write(struct kunit *test)
{
	const struct way_case *c = test->param_value;
	struct write_facts f = facts(c->bits);

	KUNIT_EXPECT_EQ(test, ssdup_redirector_way(&f), c->way);
}

/* What holds whatever the facts are. */
static void way_rules(struct kunit *test)
{
	u32 bits;

	for (bits = 0; bits < FACTS; bits++) {
		struct write_facts f = facts(bits);
		bool bypass = f.full == SSDUP_FULL_BYPASS;
		enum write_way way = ssdup_redirector_way(&f);

		/* Invariant 3: never older over newer. */
		if (f.overlaps)
			KUNIT_EXPECT_NE_MSG(test, way, WRITE_TO_HDD, "facts %x", bits);

		if (way == WRITE_TO_LOG)
			KUNIT_EXPECT_TRUE_MSG(test, f.log_writable && f.space && !f.queue &&
					      !f.shut, "facts %x", bits);

		/* Nothing fails or waits that has another way. */
		KUNIT_EXPECT_EQ_MSG(test, way == WRITE_FAILS, f.overlaps && !f.log_writable,
				    "facts %x", bits);
		if (way == WRITE_WAITS)
			KUNIT_EXPECT_TRUE_MSG(test, f.overlaps ||
					      (!bypass && !f.leaving && !f.no_memory &&
					       !f.shut),
					      "facts %x", bits);

		/* A sequential write that overlaps nothing never needs the log. */
		if (f.route == HDD && !f.overlaps)
			KUNIT_EXPECT_EQ_MSG(test, way, WRITE_TO_HDD, "facts %x", bits);
	}
}

static struct kunit_case redirector_cases[] = {
	KUNIT_CASE_PARAM(next_route, next_gen_params),
	KUNIT_CASE(first_route),
	KUNIT_CASE_PARAM(way_of_write, way_gen_params),
	KUNIT_CASE(way_rules),
	{}
};

static struct kunit_suite redirector_suite = {
	.name = "ssdup-redirector",
	.test_cases = redirector_cases,
};

kunit_test_suite(redirector_suite);
