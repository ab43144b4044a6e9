// SPDX-License-Identifier: GPL-2.0-only
/* invariant: 3 */
#include <kunit/test.h>
#include <linux/bits.h>

#include "core/route.h"

/* All facts, as bits. */
#define TO_SSD		BIT(0)
#define WRITABLE	BIT(1)
#define SHUT		BIT(2)
#define QUEUE		BIT(3)
#define BYPASS		BIT(4)
#define LEAVING		BIT(5)
#define STUCK		BIT(6)
#define OVERLAPS	BIT(7)
#define NO_PLACE	BIT(8)
#define NO_MEMORY	BIT(9)
#define UNALIGNED	BIT(10)
#define FACTS		BIT(11)

static struct route_facts facts(u32 bits)
{
	return (struct route_facts){
		.disk = bits & TO_SSD ? SSDUP_SSD : SSDUP_HDD,
		.log_writable = bits & WRITABLE,
		.shut = bits & SHUT,
		.queue = bits & QUEUE,
		.bypass = bits & BYPASS,
		.leaving = bits & LEAVING,
		.stuck = bits & STUCK,
		.overlaps = bits & OVERLAPS,
		.no_place = bits & NO_PLACE,
		.no_memory = bits & NO_MEMORY,
		.unaligned = bits & UNALIGNED,
	};
}

struct route_case {
	const char *name;
	u32 bits;
	enum route_action action;
};

#define RANDOM		(TO_SSD | WRITABLE)
#define OVER		(OVERLAPS | WRITABLE)	/* sequential, and refused by the HDD */

static const struct route_case route_cases[] = {
	{ "sequential", WRITABLE, ROUTE_HDD },
	{ "sequential, others wait for the log", WRITABLE | QUEUE, ROUTE_HDD },
	{ "sequential, log not writable", 0, ROUTE_HDD },
	{ "sequential, log shut", WRITABLE | SHUT, ROUTE_HDD },

	{ "random", RANDOM, ROUTE_LOG },
	{ "random, log full", RANDOM | NO_PLACE, ROUTE_WAIT },
	{ "random, others wait", RANDOM | QUEUE, ROUTE_WAIT },
	{ "random, no memory", RANDOM | NO_PLACE | NO_MEMORY, ROUTE_HDD },
	{ "random, unaligned", RANDOM | NO_PLACE | UNALIGNED, ROUTE_FAIL },
	{ "random, log not writable", TO_SSD, ROUTE_HDD },
	{ "random, log shut", RANDOM | SHUT, ROUTE_HDD },

	{ "bypass", RANDOM | BYPASS, ROUTE_LOG },
	{ "bypass, log full", RANDOM | BYPASS | NO_PLACE, ROUTE_HDD },
	{ "bypass, log full, overlaps", RANDOM | BYPASS | NO_PLACE | OVERLAPS, ROUTE_WAIT },
	{ "bypass, others wait", RANDOM | BYPASS | QUEUE, ROUTE_HDD },
	{ "bypass, others wait, overlaps", RANDOM | BYPASS | QUEUE | OVERLAPS, ROUTE_WAIT },

	{ "leaving", RANDOM | LEAVING, ROUTE_LOG },
	{ "leaving, log full", RANDOM | LEAVING | NO_PLACE, ROUTE_HDD },
	{ "leaving, others wait", RANDOM | LEAVING | QUEUE, ROUTE_HDD },
	{ "leaving, log full, overlaps", OVER | LEAVING | NO_PLACE, ROUTE_WAIT },
	{ "leaving, stuck", RANDOM | LEAVING | STUCK, ROUTE_LOG },
	{ "leaving, stuck, log full", RANDOM | LEAVING | STUCK | NO_PLACE, ROUTE_HDD },
	{ "leaving, stuck, log full, overlaps", OVER | LEAVING | STUCK | NO_PLACE, ROUTE_FAIL },
	{ "leaving, stuck, shut, overlaps", OVER | LEAVING | STUCK | SHUT, ROUTE_WAIT },

	{ "stuck", RANDOM | STUCK, ROUTE_LOG },
	{ "stuck, log full", RANDOM | STUCK | NO_PLACE, ROUTE_WAIT },
	{ "stuck, bypass, others wait", RANDOM | STUCK | BYPASS | QUEUE, ROUTE_HDD },
	{ "stuck, overlaps, others wait", OVER | STUCK | BYPASS | QUEUE, ROUTE_WAIT },

	{ "overlaps", OVER, ROUTE_LOG },
	{ "overlaps, log full", OVER | NO_PLACE, ROUTE_WAIT },
	{ "overlaps, no memory", OVER | NO_PLACE | NO_MEMORY, ROUTE_WAIT },
	{ "overlaps, unaligned", OVER | NO_PLACE | UNALIGNED, ROUTE_FAIL },
	{ "overlaps, others wait", OVER | QUEUE, ROUTE_WAIT },
	{ "overlaps, log shut", OVER | SHUT, ROUTE_WAIT },
	{ "overlaps, log shut and not writable", OVERLAPS | SHUT, ROUTE_FAIL },
	{ "overlaps, log not writable", OVERLAPS, ROUTE_FAIL },
	{ "random, overlaps, log not writable", OVERLAPS | TO_SSD, ROUTE_FAIL },
};

static void route_case_desc(const struct route_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(route, route_cases, route_case_desc);

static void route_of_write(struct kunit *test)
{
	const struct route_case *c = test->param_value;
	struct route_facts f = facts(c->bits);

	KUNIT_EXPECT_EQ(test, ssdup_route_next(&f), c->action);
}

/* What holds whatever the facts are. */
static void route_rules(struct kunit *test)
{
	u32 bits;

	for (bits = 0; bits < FACTS; bits++) {
		struct route_facts f = facts(bits);
		enum route_action action = ssdup_route_next(&f);
		bool hurries = f.bypass || f.leaving, open = f.log_writable && !f.shut;
		bool log = action == ROUTE_LOG;

		/* Invariant 3, never older over newer; and nothing is tried again. */
		if (f.overlaps)
			KUNIT_EXPECT_NE_MSG(test, action, ROUTE_HDD, "facts %x", bits);
		if (f.no_place || f.unaligned || !open)
			KUNIT_EXPECT_FALSE_MSG(test, log, "facts %x", bits);

		/* No write overtakes those that wait for the log. */
		if (f.queue)
			KUNIT_EXPECT_FALSE_MSG(test, log, "facts %x", bits);

		/* What can have a place in the log gets it, unless the HDD takes it. */
		if (open && !f.queue && !f.no_place && !f.unaligned &&
		    (f.overlaps || f.disk == SSDUP_SSD))
			KUNIT_EXPECT_TRUE_MSG(test, log, "facts %x", bits);

		/* Nothing fails or waits that can go to the HDD. */
		if (action == ROUTE_FAIL)
			KUNIT_EXPECT_TRUE_MSG(test, f.unaligned ||
					      (f.overlaps && !f.log_writable) ||
					      (f.overlaps && f.leaving && f.stuck),
					      "facts %x", bits);
		if (action == ROUTE_WAIT)
			KUNIT_EXPECT_TRUE_MSG(test, f.overlaps || (!hurries && !f.no_memory),
					      "facts %x", bits);

		/* A sequential write that overlaps nothing never needs the log. */
		if (f.disk == SSDUP_HDD && !f.overlaps)
			KUNIT_EXPECT_EQ_MSG(test, action, ROUTE_HDD, "facts %x", bits);
	}
}

static struct kunit_case route_test_cases[] = {
	KUNIT_CASE_PARAM(route_of_write, route_gen_params),
	KUNIT_CASE(route_rules),
	{}
};

static struct kunit_suite route_suite = {
	.name = "ssdup-route",
	.test_cases = route_test_cases,
};

kunit_test_suite(route_suite);
