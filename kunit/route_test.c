// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>
#include <linux/bits.h>

#include "../dm-ssdup/core/route.h"

/* All facts, as bits. */
#define TO_SSD		BIT(0)
#define WRITABLE	BIT(1)
#define SHUT		BIT(2)
#define QUEUE		BIT(3)
#define RATIONED	BIT(4)
#define BYPASS		BIT(5)
#define LEAVING		BIT(6)
#define STUCK		BIT(7)
#define OVERLAPS	BIT(8)
#define NO_PLACE	BIT(9)
#define NO_MEMORY	BIT(10)
#define FACTS		BIT(11)

static struct route_facts facts(u32 bits)
{
	return (struct route_facts){
		.disk = bits & TO_SSD ? SSDUP_SSD : SSDUP_HDD,
		.log_writable = bits & WRITABLE,
		.shut = bits & SHUT,
		.queue = bits & QUEUE,
		.rationed = bits & RATIONED,
		.bypass = bits & BYPASS,
		.leaving = bits & LEAVING,
		.stuck = bits & STUCK,
		.overlaps = bits & OVERLAPS,
		.no_place = bits & NO_PLACE,
		.no_memory = bits & NO_MEMORY,
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
	{ "random, others wait for the ration", RANDOM | QUEUE | RATIONED, ROUTE_WAIT },
	{ "random, no memory", RANDOM | NO_PLACE | NO_MEMORY, ROUTE_HDD },
	{ "random, log not writable", TO_SSD, ROUTE_HDD },
	{ "random, log shut", RANDOM | SHUT, ROUTE_HDD },

	{ "bypass", RANDOM | BYPASS, ROUTE_LOG_REST },
	{ "bypass, log full", RANDOM | BYPASS | NO_PLACE, ROUTE_HDD },
	{ "bypass, log full, overlaps", RANDOM | BYPASS | NO_PLACE | OVERLAPS, ROUTE_WAIT },
	{ "bypass, others wait", RANDOM | BYPASS | QUEUE, ROUTE_HDD },
	{ "bypass, others wait, overlaps", RANDOM | BYPASS | QUEUE | OVERLAPS, ROUTE_WAIT },
	{ "bypass, others wait for the ration", RANDOM | BYPASS | QUEUE | RATIONED,
	  ROUTE_LOG_REST },

	{ "leaving", RANDOM | LEAVING, ROUTE_LOG_REST },
	{ "leaving, log full", RANDOM | LEAVING | NO_PLACE, ROUTE_HDD },
	{ "leaving, others wait", RANDOM | LEAVING | QUEUE, ROUTE_HDD },
	{ "leaving, log full, overlaps", OVER | LEAVING | NO_PLACE, ROUTE_WAIT },
	{ "leaving, stuck", RANDOM | LEAVING | STUCK, ROUTE_LOG_REST },
	{ "leaving, stuck, log full", RANDOM | LEAVING | STUCK | NO_PLACE, ROUTE_HDD },
	{ "leaving, stuck, log full, overlaps", OVER | LEAVING | STUCK | NO_PLACE, ROUTE_FAIL },
	{ "leaving, stuck, shut, overlaps", OVER | LEAVING | STUCK | SHUT, ROUTE_WAIT },

	{ "stuck", RANDOM | STUCK, ROUTE_LOG_REST },
	{ "stuck, log full", RANDOM | STUCK | NO_PLACE, ROUTE_WAIT },
	{ "stuck, bypass, others wait for the ration",
	  RANDOM | STUCK | BYPASS | QUEUE | RATIONED, ROUTE_HDD },
	{ "stuck, overlaps, others wait for the ration",
	  OVER | STUCK | BYPASS | QUEUE | RATIONED, ROUTE_WAIT },

	{ "overlaps", OVER, ROUTE_LOG },
	{ "overlaps, log full", OVER | NO_PLACE, ROUTE_WAIT },
	{ "overlaps, no memory", OVER | NO_PLACE | NO_MEMORY, ROUTE_WAIT },
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
		bool log = action == ROUTE_LOG || action == ROUTE_LOG_REST;

		/* Invariant 3, never older over newer; and nothing is tried again. */
		if (f.overlaps)
			KUNIT_EXPECT_NE_MSG(test, action, ROUTE_HDD, "facts %x", bits);
		if (f.no_place || !open)
			KUNIT_EXPECT_FALSE_MSG(test, log, "facts %x", bits);

		/* A write passes others only when those wait for a ration that it needs not. */
		if (log && f.queue)
			KUNIT_EXPECT_TRUE_MSG(test, f.rationed && hurries && !f.stuck,
					      "facts %x", bits);
		if (log)
			KUNIT_EXPECT_EQ_MSG(test, action == ROUTE_LOG, !hurries && !f.stuck,
					    "facts %x", bits);

		/* Nothing fails or waits that can go to the HDD. */
		if (action == ROUTE_FAIL)
			KUNIT_EXPECT_TRUE_MSG(test, f.overlaps &&
					      (!f.log_writable || (f.leaving && f.stuck)),
					      "facts %x", bits);
		if (action == ROUTE_WAIT)
			KUNIT_EXPECT_TRUE_MSG(test, f.overlaps || (!hurries && !f.no_memory),
					      "facts %x", bits);

		/* A sequential write that overlaps nothing never needs the log. */
		if (f.disk == SSDUP_HDD && !f.overlaps)
			KUNIT_EXPECT_EQ_MSG(test, action, ROUTE_HDD, "facts %x", bits);
	}
}


/* --- The rule and its callers as they were, for comparison --- */

struct old_facts {
	enum ssdup_disk route;
	bool overlaps, log_writable, space, no_memory, shut, queue, leaving, stuck, full_bypass;
};

enum old_way { OLD_HDD, OLD_LOG, OLD_WAITS, OLD_FAILS };

static enum old_way old_way(const struct old_facts *f)
{
	if (f->route == SSDUP_HDD && !f->overlaps)
		return OLD_HDD;
	if (!f->log_writable)
		return f->overlaps ? OLD_FAILS : OLD_HDD;
	if (f->space && !f->queue && !f->shut)
		return OLD_LOG;
	if (!f->overlaps && (f->leaving || f->no_memory || f->shut || f->full_bypass))
		return OLD_HDD;
	return f->leaving && f->stuck && !f->shut ? OLD_FAILS : OLD_WAITS;
}

/* What the write meets, and what its routing did. */
struct world {
	u32	bits;		/* facts, but for what is refused */
	bool	cheap;		/* balance would rather send it to the HDD than let it wait */
	bool	overlaps;
	u8	gate, all;	/* answers of the log: 0 a place, 1 none, 2 no memory */
};

struct deed {
	char	tries[8];
	u32	nr;
	enum old_way way;
	bool	shut_told;
};

static bool try_hdd(const struct world *w, struct deed *d)
{
	d->tries[d->nr++] = 'H';
	return !w->overlaps;
}

static u8 try_log(const struct world *w, struct deed *d, bool all)
{
	d->tries[d->nr++] = all ? 'A' : 'G';
	return all ? w->all : w->gate;
}

static void old_route(const struct world *w, struct deed *d)
{
	struct old_facts f = {
		.route = w->bits & TO_SSD ? SSDUP_SSD : SSDUP_HDD,
		.log_writable = w->bits & WRITABLE, .shut = w->bits & SHUT,
		.queue = w->bits & QUEUE, .full_bypass = w->bits & BYPASS,
		.leaving = w->bits & LEAVING, .stuck = w->bits & STUCK, .space = true,
	};
	bool waits = !f.full_bypass && !f.leaving && !f.stuck && !w->cheap;
	u8 r;

	if (!waits && !f.stuck && (w->bits & RATIONED))
		f.queue = false;
	if (f.route == SSDUP_HDD || !f.log_writable || f.shut) {
		if (try_hdd(w, d)) {
			d->way = OLD_HDD;
			return;
		}
		f.overlaps = true;
	}
	d->way = old_way(&f);
	d->shut_told = d->way == OLD_WAITS && f.shut;
	if (d->way == OLD_LOG) {
		r = try_log(w, d, !waits);
		f.space = !r;
		f.no_memory = r == 2;
		d->way = old_way(&f);
	}
	if (d->way == OLD_WAITS && w->cheap) {
		f.full_bypass = true;
		d->way = old_way(&f);
	}
	if (d->way == OLD_HDD && !try_hdd(w, d)) {
		f.overlaps = true;
		d->way = old_way(&f);
	}
}

static void new_route(const struct world *w, struct deed *d)
{
	struct route_facts f = facts(w->bits);
	u8 r;

	f.bypass |= w->cheap;
	for (;;) {
		switch (ssdup_route_next(&f)) {
		case ROUTE_HDD:
			f.overlaps = !try_hdd(w, d);
			d->way = OLD_HDD;
			if (!f.overlaps)
				return;
			break;
		case ROUTE_LOG:
		case ROUTE_LOG_REST:
			r = try_log(w, d, ssdup_route_next(&f) == ROUTE_LOG_REST);
			f.no_place = r;
			f.no_memory = r == 2;
			d->way = OLD_LOG;
			if (!r)
				return;
			break;
		case ROUTE_WAIT:
			d->shut_told = f.shut;
			d->way = OLD_WAITS;
			return;
		default:
			d->way = OLD_FAILS;
			return;
		}
		if (d->nr > 6)
			return;
	}
}

/* Every write is tried at the same places in the same order, and ends alike. */
static void routes_are_what_they_were(struct kunit *test)
{
	struct world w;
	u32 n, more;

	for (n = 0; n < OVERLAPS * 2 * 2 * 9; n++) {
		struct deed was = { }, is = { };

		more = n / OVERLAPS;
		w = (struct world){
			.bits = n % OVERLAPS, .cheap = more & 1, .overlaps = more & 2,
			.gate = more / 4 % 3, .all = more / 12,
		};
		old_route(&w, &was);
		new_route(&w, &is);
		KUNIT_EXPECT_TRUE_MSG(test, was.way == is.way && was.shut_told == is.shut_told &&
				      !memcmp(was.tries, is.tries, sizeof(was.tries)),
				      "world %x: %s %u, was %s %u", n, is.tries, is.way, was.tries,
				      was.way);
	}
}

static struct kunit_case route_test_cases[] = {
	KUNIT_CASE_PARAM(route_of_write, route_gen_params),
	KUNIT_CASE(route_rules),
	KUNIT_CASE(routes_are_what_they_were),
	{}
};

static struct kunit_suite route_suite = {
	.name = "ssdup-route",
	.test_cases = route_test_cases,
};

kunit_test_suite(route_suite);
