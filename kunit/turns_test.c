// SPDX-License-Identifier: GPL-2.0-only
/* invariant: none */
/* Who waits for space is served in turn, by what his writes cost the HDD. */
#include <kunit/test.h>

#include "core/turns.h"

#define TASKS	9U	/* each has a write waiting, and sends the next one when it is served */
#define ROUNDS	20000U

static const struct balance_cost hdd = { 1500000, 20000, 1000000 };

struct task {
	u32	sectors;
	bool	in_order;
	u64	at;		/* sector of the write that waits */
	u64	turn;
	u32	served;
};

static void send_next(struct turns *t, struct task *tasks, u32 i)
{
	struct task *task = &tasks[i];

	task->at += task->in_order ? task->sectors : 100000;
	task->turn = turns_take(t, i, task->at, task->sectors, &hdd);
}

/* Serve that many writes of @nr tasks, the earliest turn first. */
static void serve(struct turns *t, struct task *tasks, u32 nr, u32 writes)
{
	u32 i, first;

	while (writes--) {
		for (first = 0, i = 1; i < nr; i++)
			if (tasks[i].turn < tasks[first].turn)
				first = i;
		turns_served(t, tasks[first].turn);
		tasks[first].served++;
		send_next(t, tasks, first);
	}
}

static struct turns *turns_new(struct kunit *test)
{
	struct turns *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	return t;
}

/* Small and large writes, scattered ones and those in order: each task gets a ninth of the HDD. */
static void the_hdd_is_shared(struct kunit *test)
{
	const struct balance_work run = { BALANCE_CHUNK, 1, 1 };
	struct turns *t = turns_new(test);
	struct task tasks[TASKS] = { };
	u64 cost, least = U64_MAX, most = 0;
	u32 i;

	for (i = 0; i < TASKS; i++) {
		tasks[i].sectors = 8U << i;
		tasks[i].in_order = i % 2;
		send_next(t, tasks, i);
	}
	serve(t, tasks, TASKS, ROUNDS);
	for (i = 0; i < TASKS; i++) {
		const struct balance_work w = { tasks[i].sectors, 1, 1 };

		cost = tasks[i].in_order ? balance_due(balance_price(&hdd, &run) / 16,
						       tasks[i].sectors) :
					   balance_price(&hdd, &w);
		least = min(least, cost * tasks[i].served);
		most = max(most, cost * tasks[i].served);
	}
	KUNIT_EXPECT_GT(test, least * 20, most * 19);
}

/* A database that commits beside scattered writes of pages, which cost the HDD 20 times as much. */
static void who_writes_in_order_goes_first(struct kunit *test)
{
	struct turns *t = turns_new(test);
	struct task tasks[TASKS] = { { .sectors = 16, .in_order = true } };
	u32 i;

	for (i = 0; i < TASKS; i++) {
		if (i)
			tasks[i].sectors = 32;
		send_next(t, tasks, i);
	}
	serve(t, tasks, TASKS, ROUNDS);
	for (i = 1; i < TASKS; i++)
		KUNIT_EXPECT_GT(test, tasks[0].served, 20 * tasks[i].served);
	/* But it never has all: they are served as long as it goes on. */
	for (i = 1; i < TASKS; i++)
		KUNIT_EXPECT_GT(test, tasks[i].served, ROUNDS / 1000);
}

/* Who was away has saved nothing up, and owes nothing. */
static void who_was_away_begins_anew(struct kunit *test)
{
	struct task tasks[2] = { { .sectors = 32 }, { .sectors = 32 } };
	struct turns *t = turns_new(test);

	send_next(t, tasks, 1);
	send_next(t, tasks, 0);
	serve(t, tasks, 2, 10);
	tasks[1].turn = U64_MAX;
	serve(t, tasks, 2, 1000);
	tasks[0].served = 0;
	tasks[1].served = 0;
	send_next(t, tasks, 1);
	serve(t, tasks, 2, 100);
	KUNIT_EXPECT_GE(test, tasks[0].served, 49);
	KUNIT_EXPECT_GE(test, tasks[1].served, 49);
}

/* An HDD of which nothing is known, or nothing that makes sense: they take turns all the same. */
static void all_are_served_by_any_hdd(struct kunit *test)
{
	static const struct balance_cost costs[] = {
		{ 0, 0, 0 }, { 0, 1000000, 0 }, { 0, 0, 1000000 }, { 1000000, 0, 0 },
		{ BIT(30), BIT(30), BIT(30) },
	};
	u32 i, n, sectors, served;
	u64 turn[2] = { };
	struct turns *t;

	for (i = 0; i < 2 * ARRAY_SIZE(costs); i++) {
		t = turns_new(test);
		sectors = i % 2 ? 8 : BIT(15);
		turn[1] = turns_take(t, 1, 1000, sectors, &costs[i / 2]);
		turn[0] = turns_take(t, 0, 0, sectors, &costs[i / 2]);
		for (n = 1, served = 0; turn[0] <= turn[1] && served < 10000; served++, n++) {
			turns_served(t, turn[0]);
			turn[0] = turns_take(t, 0, n * sectors, sectors, &costs[i / 2]);
		}
		KUNIT_EXPECT_LT(test, served, 2000);
	}
}

/* Writes of a task wait in the order in which they came. */
static void turns_of_a_flow_rise(struct kunit *test)
{
	struct turns *t = turns_new(test);
	u64 last = 0, turn;
	u32 i;

	for (i = 0; i < 100; i++) {
		turn = turns_take(t, 1, 8 * i, 8, &hdd);
		KUNIT_ASSERT_GT(test, turn, last);
		last = turn;
	}
}

static struct kunit_case turns_cases[] = {
	KUNIT_CASE(the_hdd_is_shared),
	KUNIT_CASE(who_writes_in_order_goes_first),
	KUNIT_CASE(who_was_away_begins_anew),
	KUNIT_CASE(all_are_served_by_any_hdd),
	KUNIT_CASE(turns_of_a_flow_rise),
	{ }
};

static struct kunit_suite turns_suite = {
	.name = "ssdup-turns",
	.test_cases = turns_cases,
};

kunit_test_suite(turns_suite);
