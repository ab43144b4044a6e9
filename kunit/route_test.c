// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>
#include <linux/bits.h>

#include "../dm-ssdup/core/route.c"

#define HDD	SSDUP_HDD
#define SSD	SSDUP_SSD

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

static struct route_facts facts(u32 bits)
{
	return (struct route_facts){
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
	struct route_facts f = facts(c->bits);

	KUNIT_EXPECT_EQ(test, ssdup_route_way(&f), c->way);
}

/* What holds whatever the facts are. */
static void way_rules(struct kunit *test)
{
	u32 bits;

	for (bits = 0; bits < FACTS; bits++) {
		struct route_facts f = facts(bits);
		bool bypass = f.full == SSDUP_FULL_BYPASS;
		enum write_way way = ssdup_route_way(&f);

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

static struct kunit_case route_cases[] = {
	KUNIT_CASE_PARAM(way_of_write, way_gen_params),
	KUNIT_CASE(way_rules),
	{}
};

static struct kunit_suite route_suite = {
	.name = "ssdup-route",
	.test_cases = route_cases,
};

kunit_test_suite(route_suite);
