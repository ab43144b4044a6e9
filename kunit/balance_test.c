// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>

#include "core/balance.c"
#include "prng.h"

#define MSEC		1000000ULL
#define CHUNK		((u64)BALANCE_CHUNK)

/* --- Costs --- */

static void price_is_the_sum_of_its_parts(struct kunit *test)
{
	const struct balance_cost cost = { 512000, 70, 9000 };
	const struct balance_work one = { .sectors = 8, .requests = 1, .placed = 1 };
	const struct balance_work run = { .sectors = 512, .requests = 2 };
	const struct balance_work nothing = { };

	KUNIT_EXPECT_EQ(test, balance_price(&cost, &one), 8000 + 70 + 9000 + 1);
	KUNIT_EXPECT_EQ(test, balance_price(&cost, &run), 512000 + 140 + 1);
	KUNIT_EXPECT_EQ(test, balance_price(&cost, &nothing), 1);
}

static u64 truth(const struct balance_cost *real, const struct balance_work *w)
{
	return balance_price(real, w);
}

/* Mixed loads tell transfer, request and placing apart, from far off. */
static void learns_a_disk(struct kunit *test)
{
	const struct balance_cost real = { 1490000, 20000, 2000000 };
	struct balance_cost cost = { 300000, 10000, 100000 };
	struct prng r = { 7 };
	u64 is, wants;
	u32 i;

	for (i = 0; i < 3000; i++) {
		struct balance_work w = { .requests = 32, .placed = prng_below(&r, 33) };

		w.sectors = w.requests * (8 << prng_below(&r, 7));
		ssdup_balance_learn(&cost, &w, truth(&real, &w));
	}
	for (i = 0; i < 200; i++) {
		struct balance_work w = { .requests = 1, .placed = i % 2 };

		w.sectors = 8 << prng_below(&r, 7);
		is = balance_price(&cost, &w);
		wants = truth(&real, &w);
		KUNIT_EXPECT_LT(test, is > wants ? is - wants : wants - is, wants / 5 + 100000);
	}
}

/* It tells when nothing is left to learn: not before it is close, nor when the disk changes. */
static void knows_when_it_knows(struct kunit *test)
{
	const struct balance_work large = { .sectors = 32 * 512, .requests = 32 };
	const struct balance_work small = { .sectors = 32 * 8, .requests = 32, .placed = 32 };
	struct balance_cost cost = { 4500000, 20000, 1000000 };
	u32 i = 0;

	while (i < 200 && !ssdup_balance_learn(&cost, &large, 32 * MSEC))
		i++;
	KUNIT_EXPECT_GT(test, i, 5);
	KUNIT_EXPECT_LT(test, i, 50);
	KUNIT_EXPECT_LT(test, balance_price(&cost, &large), 32 * MSEC * 4 / 3);
	KUNIT_EXPECT_TRUE(test, ssdup_balance_learn(&cost, &large, 32 * MSEC));
	KUNIT_EXPECT_FALSE(test, ssdup_balance_learn(&cost, &large, 64 * MSEC));
	KUNIT_EXPECT_FALSE(test, ssdup_balance_learn(&cost, &(struct balance_work){ }, 32 * MSEC));
	/* Nor when the load does; and small ones alone tell little of what a transfer costs. */
	for (i = 0; i < 200 && !ssdup_balance_learn(&cost, &small, 32 * MSEC / 100); i++)
		;
	KUNIT_EXPECT_GT(test, i, 5);
	KUNIT_EXPECT_LT(test, i, 150);
}

/* Whatever it is told, it stays within its bounds, and comes back. */
static void survives_nonsense(struct kunit *test)
{
	const struct balance_work sane = { .sectors = 32 * 512, .requests = 32 };
	const struct balance_work none = { };
	struct balance_cost cost = { 1000000, 0, 0 };
	struct prng r = { 3 };
	u32 i;

	for (i = 0; i < 2000; i++) {
		struct balance_work w = {
			prng_u64(&r) >> 32 >> prng_below(&r, 32),
			prng_u64(&r) >> 32 >> prng_below(&r, 32),
			prng_u64(&r) >> 32 >> prng_below(&r, 32),
		};
		u64 ns = prng_u64(&r) >> prng_below(&r, 64);

		ssdup_balance_learn(&cost, prng_below(&r, 5) ? &w : &none, ns);
		KUNIT_ASSERT_LE(test, cost.unit_ns, COST_MAX);
		KUNIT_ASSERT_LE(test, cost.request_ns, COST_MAX);
		KUNIT_ASSERT_LE(test, cost.place_ns, COST_MAX);
	}
	for (i = 0; i < 500; i++)
		ssdup_balance_learn(&cost, &sane, 32 * 2 * MSEC);
	KUNIT_EXPECT_LT(test, balance_price(&cost, &sane), 66 * MSEC);
	KUNIT_EXPECT_GT(test, balance_price(&cost, &sane), 62 * MSEC);
}

static void sums_add_up(struct kunit *test)
{
	u64 sum = balance_summand(8, true, 1) + balance_summand(512, false, 1) +
		  balance_summand(24, true, 16);
	struct balance_work w = balance_of_sum(sum);

	KUNIT_EXPECT_EQ(test, w.sectors, 8 + 512 + 24 * 16);
	KUNIT_EXPECT_EQ(test, w.requests, 1 + 1 + 16);
	KUNIT_EXPECT_EQ(test, w.placed, 1 + 16);
	KUNIT_EXPECT_EQ(test, balance_sum_requests(sum), w.requests);
	/* As much as a look may come late by. */
	w = balance_of_sum(4096 * balance_summand(512, true, 15));
	KUNIT_EXPECT_EQ(test, w.sectors, 4096 * 15 * 512);
	KUNIT_EXPECT_EQ(test, w.requests, 4096 * 15);
	KUNIT_EXPECT_EQ(test, w.placed, 4096 * 15);
}

/*
 * Of many small writes in flight one was looked at, and is all that is known of what the SSD
 * did: it is to learn the price that it would learn from all of them.
 */
static void one_stands_for_many(struct kunit *test)
{
	static const struct { u32 others, ended; } loads[] = {
		{ 0, 1 }, { 1, 2 }, { 14, 15 }, { 15, 16 }, { 16, 16 }, { 63, 16 },
	};
	const struct balance_cost real = { 580000, 60000, 0 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(loads); i++) {
		const struct balance_work all = { 8 * loads[i].ended, loads[i].ended };
		u32 times = balance_stands_for(loads[i].others, true);
		struct balance_work w = balance_of_sum(balance_summand(8, false, times));
		struct balance_cost cost = real;

		KUNIT_EXPECT_EQ(test, times, loads[i].ended);
		KUNIT_EXPECT_TRUE(test, ssdup_balance_learn(&cost, &w, balance_price(&real, &all)));
		KUNIT_EXPECT_EQ(test, cost.request_ns, real.request_ns);
		/* Those that were looked at count for themselves. */
		KUNIT_EXPECT_EQ(test, balance_stands_for(loads[i].others, false), 1);
	}
}

/* --- Places --- */

static struct balance_map *map_new(struct kunit *test)
{
	struct balance_map *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, m);
	return m;
}

static void expect_place(struct kunit *test, const struct balance_map *m, u64 start, u32 age,
			 u8 last, bool follows)
{
	struct balance_place place = balance_find(m, start, 8, age);

	KUNIT_EXPECT_EQ(test, place.last, last);
	KUNIT_EXPECT_EQ(test, place.follows, follows);
}

static void finds_who_goes_on(struct kunit *test)
{
	struct balance_map *m = map_new(test);

	expect_place(test, m, 0, 0, 0, false);
	balance_note(m, 100, 8, 5, SSDUP_HDD);
	expect_place(test, m, 108, 5, BIT(SSDUP_HDD), true);
	expect_place(test, m, 109, 5, BIT(SSDUP_HDD), false);
	expect_place(test, m, 100, 5, BIT(SSDUP_HDD), false);
	/* Another chunk, the same word: nothing is known. */
	expect_place(test, m, 108 + BALANCE_CHUNKS * CHUNK, 5, 0, false);
}

static void runs_age_and_places_do_not(struct kunit *test)
{
	struct balance_map *m = map_new(test);

	balance_note(m, 100, 8, BALANCE_AGES - 1, SSDUP_SSD);
	expect_place(test, m, 108, tuning.recent - 1, BIT(SSDUP_SSD), true);
	expect_place(test, m, 108, tuning.recent, BIT(SSDUP_SSD), false);
	/* Ages grow for ever. */
	balance_note(m, CHUNK, 8, 6 * BALANCE_AGES + 1, SSDUP_HDD);
	expect_place(test, m, CHUNK + 8, 6 * BALANCE_AGES + 1, BIT(SSDUP_HDD), true);
	expect_place(test, m, CHUNK + 8, tuning.recent + 2, BIT(SSDUP_HDD), false);
}

static void runs_cross_chunks(struct kunit *test)
{
	struct balance_map *m = map_new(test);

	/* It ends where the chunk does, and where it does not. */
	balance_note(m, CHUNK - 8, 8, 0, SSDUP_SSD);
	expect_place(test, m, CHUNK, 0, 0, true);
	expect_place(test, m, CHUNK + 8, 0, 0, false);
	balance_note(m, CHUNK - 16, 8, 0, SSDUP_SSD);
	expect_place(test, m, CHUNK, 0, 0, false);
	/* A write over the border belongs to where it ends. */
	balance_note(m, 3 * CHUNK - 4, 8, 0, SSDUP_HDD);
	expect_place(test, m, 3 * CHUNK + 4, 0, BIT(SSDUP_HDD), true);
	/* Far up. */
	balance_note(m, 1ULL << 44, 8, 0, SSDUP_HDD);
	expect_place(test, m, (1ULL << 44) + 8, 0, BIT(SSDUP_HDD), true);
}

static void expect_front(struct kunit *test, const struct balance_map *m, u64 start, u32 age,
			 bool front)
{
	const u32 sectors = tuning.small + 8;

	KUNIT_EXPECT_EQ(test, balance_find(m, start, sectors, age).front, front);
	KUNIT_EXPECT_FALSE(test, balance_find(m, start, tuning.small, age).front);
}

static void fronts_leave_others_behind(struct kunit *test)
{
	struct balance_map *m = map_new(test);

	expect_front(test, m, 0, 0, false);
	expect_front(test, m, CHUNK, 0, false);
	balance_note(m, 8, 8, 0, SSDUP_SSD);
	expect_front(test, m, CHUNK, tuning.soon, true);
	expect_front(test, m, CHUNK + 800, tuning.soon, true);
	expect_front(test, m, CHUNK, tuning.soon + 1, false);
	/* It is two chunks ahead of those that anybody was at. */
	expect_front(test, m, 2 * CHUNK, 0, false);
	/* That it is one does not make it go on there. */
	expect_place(test, m, CHUNK + 800, 0, 0, false);
	/* Others are there already. */
	balance_note(m, CHUNK + 400, 8, 0, SSDUP_HDD);
	expect_front(test, m, CHUNK, 0, false);
	expect_front(test, m, CHUNK + 408, 0, false);
	/* The HDD's, too, have others coming. */
	expect_front(test, m, 2 * CHUNK + 8, 0, true);
	/* One that has written all of the chunk before leaves nobody behind. */
	balance_note(m, 4 * CHUNK - 8, 8, 0, SSDUP_SSD);
	expect_front(test, m, 4 * CHUNK, 0, false);
	expect_front(test, m, 4 * CHUNK + 8, 0, true);
}

static void fronts_tell_what_comes(struct kunit *test)
{
	/* A sixteenth of the chunk, so 15 more. */
	KUNIT_EXPECT_EQ(test, balance_to_come(7, true, 1000, CHUNK / 16), 15007);
	KUNIT_EXPECT_EQ(test, balance_to_come(15007, false, 1000, CHUNK / 16), 14007);
	/* Others' writes, and all of a chunk at once. */
	KUNIT_EXPECT_EQ(test, balance_to_come(999, false, 1000, CHUNK / 16), 0);
	KUNIT_EXPECT_EQ(test, balance_to_come(5, true, 1000, CHUNK), 5);
	KUNIT_EXPECT_EQ(test, balance_to_come(5, true, 1000, 3 * CHUNK), 5);
	/* The dearest of writes, the shortest. */
	KUNIT_EXPECT_EQ(test, balance_to_come(0, true, 10000000000ULL, 1),
			10000000000ULL * (CHUNK - 1));
}

/* --- The choice --- */

struct choice {
	const char *name;
	struct balance_facts f;
	enum ssdup_disk route;
	u32 fill;
};

#define HDD	SSDUP_HDD
#define SSD	SSDUP_SSD
#define ALL	BALANCE_ONE

static const struct choice choices[] = {
	{ "idle, the HDD is cheaper", { .hdd = 1, .ssd = 2 }, HDD },
	{ "idle, the SSD is cheaper", { .hdd = 2, .ssd = 1 }, SSD },
	{ "equal: spare the SSD", { .hdd = 2, .ssd = 2 }, HDD },
	{ "the HDD is busy", { .hdd = 5 + 1, .ssd = 3 }, SSD },
	{ "the SSD is busier", { .hdd = 5 + 1, .ssd = 4 + 3 }, HDD },
	{ "goes on, stays with the HDD", { { BIT(SSDUP_HDD), true }, .hdd = 120, .ssd = 5 }, HDD },
	{ "goes on, leaves the HDD", { { BIT(SSDUP_HDD), true }, .hdd = 121, .ssd = 5 }, SSD },
	{ "scattered, stays with the HDD", { { BIT(SSDUP_HDD) }, .hdd = 15, .ssd = 5 }, HDD },
	{ "scattered, leaves the HDD", { { BIT(SSDUP_HDD) }, .hdd = 16, .ssd = 5 }, SSD },
	{ "stays with the SSD", { { BIT(SSDUP_SSD) }, .hdd = 5, .ssd = 59 }, SSD },
	{ "leaves the SSD", { { BIT(SSDUP_SSD) }, .hdd = 5, .ssd = 60 }, HDD },
	{ "goes on, stays with the SSD", { { BIT(SSDUP_SSD), true }, .hdd = 5, .ssd = 29 }, SSD },
	{ "goes on, leaves the SSD", { { BIT(SSDUP_SSD), true }, .hdd = 5, .ssd = 30 }, HDD },
	{ "promised away: a new chunk", { .hdd = 130, .ssd = 10, .promised = ALL }, HDD },
	{ "promised away: a dear chunk", { .hdd = 131, .ssd = 10, .promised = ALL }, SSD },
	{ "half promised: a new chunk", { .hdd = 20, .ssd = 10, .promised = ALL / 2 }, HDD },
	{ "half promised: a dear chunk", { .hdd = 21, .ssd = 10, .promised = ALL / 2 }, SSD },
	{ "promised away: the HDD's", { { BIT(SSDUP_HDD) }, .hdd = 630, .ssd = 10,
					.promised = ALL }, HDD },
	{ "promised away: too dear for it", { { BIT(SSDUP_HDD) }, .hdd = 631, .ssd = 10,
					      .promised = ALL }, SSD },
	{ "half promised: the HDD's", { { BIT(SSDUP_HDD) }, .hdd = 32, .ssd = 10,
					.promised = ALL / 2 }, HDD },
	{ "half promised: too dear for it", { { BIT(SSDUP_HDD) }, .hdd = 33, .ssd = 10,
					      .promised = ALL / 2 }, SSD },
	{ "promised away: the SSD's", { { BIT(SSDUP_SSD) }, .hdd = 5, .ssd = 59, .promised = ALL },
	  SSD },
	{ "log half full, random", { .hdd = 15, .ssd = 10 }, HDD, 5000 },
	{ "log less than half full, random", { .hdd = 15, .ssd = 10 }, SSD, 4000 },
	{ "log empty, sequential", { { 0, true }, .hdd = 20, .ssd = 10 }, HDD },
	{ "sequential, alone", { { 0, true }, true, .hdd = 11, .ssd = 10 }, SSD },
	{ "sequential, alone, the HDD is cheaper", { { 0, true }, true,
						      .hdd = 10, .ssd = 10 }, HDD },
	{ "log empty, sequential, busy", { { 0, true }, .hdd = 21, .ssd = 10 }, SSD },
	{ "log full, sequential", { { 0, true }, .hdd = 40, .ssd = 10 },
	  HDD, 10000 },
	{ "log full, sequential, busy", { { 0, true }, .hdd = 41, .ssd = 10 },
	  SSD, 10000 },
	{ "a price, and the HDD is busy", { .hdd = 99, .ssd = 10, .arm = 12, .due = 11 }, SSD },
	{ "it costs the HDD less than the price", { .hdd = 9999, .ssd = 10, .arm = 10, .due = 11 },
	  HDD },
	{ "it ends sooner, but not by its price", { .hdd = 97, .ssd = 10, .arm = 12, .due = 11 },
	  HDD },
	{ "it ends sooner by just its price", { .hdd = 98, .ssd = 10, .arm = 12, .due = 11 }, HDD },
	{ "the same, the SSD's chunk", { { BIT(SSDUP_SSD) }, .hdd = 97, .ssd = 10, .arm = 12,
					 .due = 11 }, SSD },
	{ "cheap for the HDD, the SSD's chunk", { { BIT(SSDUP_SSD) }, .hdd = 97, .ssd = 10,
						  .arm = 10, .due = 11 }, HDD },
	{ "ten minutes of work at either", { { BIT(SSDUP_HDD), true }, .hdd = 600000 * MSEC,
					     .ssd = 600000 * MSEC, .promised = ALL }, HDD, 10000 },
	{ "the same, the SSD's chunk", { { BIT(SSDUP_SSD) }, .hdd = 600000 * MSEC,
					 .ssd = 600000 * MSEC, .promised = ALL }, SSD, 10000 },
};

static void choice_desc(const struct choice *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(choice, choices, choice_desc);

static void chooses(struct kunit *test)
{
	const struct choice *c = test->param_value;
	struct balance_facts f = c->f;

	f.keep = balance_keep(c->fill);
	KUNIT_EXPECT_EQ(test, balance_choose(&f), c->route);
}

/*
 * What is said of small scattered writes in general holds for each, wherever near the SSD's it
 * is, and not for all where more waits.
 */
static void small_ones_are_alike(struct kunit *test)
{
	struct prng r = { 11 };
	u32 i, n, yes = 0;
	u64 wait, price;

	for (i = 0; i < 2000; i++) {
		const struct balance_cost hdd = {
			prng_below(&r, 3000000), prng_below(&r, 100000), prng_below(&r, 2000000),
		};
		const struct balance_cost ssd = {
			prng_below(&r, 1000000), prng_below(&r, 100000), 0,
		};
		u32 fill = prng_below(&r, SSDUP_PCT_ONE + 1), to_hdd = 0;

		price = prng_below(&r, 3) * prng_below(&r, 100000000);
		wait = ssdup_balance_small_wait(&hdd, &ssd, balance_keep(fill), price);
		yes += wait > 0;
		for (n = 0; n < 50; n++) {
			const struct balance_work w = {
				n < 2 ? 1 : n < 4 ? tuning.small :
				prng_below(&r, tuning.small) + 1, 1, 1,
			};
			const struct balance_work logged = { w.sectors, 1, 0 };
			struct balance_facts f = {
				.place = { BIT(SSDUP_SSD) },
				.hdd = balance_price(&hdd, &w),
				.ssd = balance_price(&ssd, &logged) + wait,
				.arm = balance_price(&hdd, &w),
				.due = balance_due(price, w.sectors),
				.keep = balance_keep(fill),
			};

			to_hdd += balance_choose(&f) == HDD;
			if (!wait)
				continue;
			f.hdd += prng_below(&r, 1000);
			f.ssd -= 1 + prng_below(&r, wait);
			f.promised = prng_below(&r, ALL + 1);
			f.alone = prng_below(&r, 2);
			KUNIT_ASSERT_EQ(test, balance_choose(&f), SSD);
		}
		KUNIT_EXPECT_GT(test, to_hdd, 0);
	}
	KUNIT_EXPECT_GT(test, yes, 500);
	KUNIT_EXPECT_LT(test, yes, 1900);
}

static const struct balance_cost usual_hdd = { 1500000, 20000, 1000000 };

static u64 small_wait(const struct balance_cost *ssd, u32 fill, u64 price)
{
	return ssdup_balance_small_wait(&usual_hdd, ssd, balance_keep(fill), price);
}

static void small_ones_by_example(struct kunit *test)
{
	const struct balance_cost ssd = { 580000, 20000, 0 }, slow = { 580000, 12500000, 0 };

	KUNIT_EXPECT_GT(test, small_wait(&ssd, 0, 0), 4 * MSEC);
	KUNIT_EXPECT_LT(test, small_wait(&ssd, 0, 0), 13 * MSEC);
	/* What is left of the log is for what is worse. */
	KUNIT_EXPECT_GT(test, small_wait(&ssd, 9000, 0), MSEC);
	KUNIT_EXPECT_LT(test, small_wait(&ssd, 9000, 0), small_wait(&ssd, 0, 0) * 2 / 3);
	KUNIT_EXPECT_EQ(test, small_wait(&slow, 0, 0), 0);
	/* One that is worth its price may be alike to one that is not. */
	KUNIT_EXPECT_EQ(test, small_wait(&ssd, 0, MSEC * 17), small_wait(&ssd, 0, 0));
	KUNIT_EXPECT_EQ(test, small_wait(&ssd, 0, MSEC * 19), 0);
}

static void drain_does_not_pay_for_others(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, balance_drain_cost(24 * MSEC, 25 * MSEC, 0), 24 * MSEC);
	KUNIT_EXPECT_EQ(test, balance_drain_cost(60 * MSEC, 60 * MSEC, 36 * MSEC), 24 * MSEC);
	/* It was seen late. */
	KUNIT_EXPECT_EQ(test, balance_drain_cost(30 * MSEC, 60 * MSEC, 36 * MSEC), 12 * MSEC);
	/* It was not for nothing, whatever others were expected to take. */
	KUNIT_EXPECT_EQ(test, balance_drain_cost(24 * MSEC, 24 * MSEC, 23 * MSEC), 3 * MSEC);
	KUNIT_EXPECT_EQ(test, balance_drain_cost(24 * MSEC, 24 * MSEC, 100 * MSEC), 3 * MSEC);
}

static void short_drains_tell_little(struct kunit *test)
{
	const u64 unit = 2 * MSEC;
	u64 ns = unit;
	int i;

	for (i = 0; i < 4; i++)
		ns = balance_drain_learn(ns, 8 * MSEC, 8);
	KUNIT_EXPECT_LT(test, ns, 2 * unit);
	for (i = 0; i < 20; i++)
		ns = balance_drain_learn(ns, 48 * MSEC, 8192);
	KUNIT_EXPECT_GT(test, ns, 3 * MSEC - MSEC / 100);
	KUNIT_EXPECT_LT(test, ns, 3 * MSEC + MSEC / 100);
}

/*
 * Sixteen writers, each with one write under way at two disks that serve one at
 * a time: both are kept busy, and the slower gets what it can take.
 */
static void keeps_both_disks_busy(struct kunit *test)
{
	u32 queue[2] = { 0, 0 }, done[2] = { 0, 0 }, i, left = 4000;
	const u32 price[2] = { 28, 11 };
	u64 free_at[2] = { 0, 0 }, idle[2] = { 0, 0 }, now = 0;
	struct balance_map *m = map_new(test);
	u64 at[16];
	u8 where[16];

	for (i = 0; i < 16; i++) {
		at[i] = i * (CHUNK << 5);
		where[i] = 2;
	}
	while (left) {
		for (i = 0; i < 16; i++) {
			struct balance_facts f = {
				.hdd = (queue[0] + 1) * price[0], .ssd = (queue[1] + 1) * price[1],
			};

			if (where[i] < 2)
				continue;
			f.place = balance_find(m, at[i], 512, 0);
			f.keep = balance_keep(0);
			where[i] = balance_choose(&f);
			balance_note(m, at[i], 512, 0, where[i]);
			if (!queue[where[i]]++) {
				idle[where[i]] += now - free_at[where[i]];
				free_at[where[i]] = now + price[where[i]];
			}
		}
		/* The disk that is done first ends the write of somebody it serves. */
		i = queue[0] && (!queue[1] || free_at[0] <= free_at[1]) ? 0 : 1;
		now = free_at[i];
		done[i]++;
		left--;
		if (--queue[i])
			free_at[i] += price[i];
		for (u32 w = left % 16, n = 0; n < 16; n++, w = (w + 1) % 16)
			if (where[w] == i) {
				where[w] = 2;
				at[w] += 512;
				break;
			}
	}
	KUNIT_EXPECT_LT(test, idle[0] * 10, now);
	KUNIT_EXPECT_LT(test, idle[1] * 10, now);
	KUNIT_EXPECT_GT(test, done[0], 800);
	KUNIT_EXPECT_GT(test, done[1], 2000);
}

static struct kunit_case balance_cases[] = {
	KUNIT_CASE(price_is_the_sum_of_its_parts),
	KUNIT_CASE(learns_a_disk),
	KUNIT_CASE(knows_when_it_knows),
	KUNIT_CASE(survives_nonsense),
	KUNIT_CASE(sums_add_up),
	KUNIT_CASE(one_stands_for_many),
	KUNIT_CASE(finds_who_goes_on),
	KUNIT_CASE(runs_age_and_places_do_not),
	KUNIT_CASE(runs_cross_chunks),
	KUNIT_CASE(fronts_leave_others_behind),
	KUNIT_CASE(fronts_tell_what_comes),
	KUNIT_CASE_PARAM(chooses, choice_gen_params),
	KUNIT_CASE(small_ones_are_alike),
	KUNIT_CASE(small_ones_by_example),
	KUNIT_CASE(drain_does_not_pay_for_others),
	KUNIT_CASE(short_drains_tell_little),
	KUNIT_CASE(keeps_both_disks_busy),
	{ }
};

static struct kunit_suite balance_suite = {
	.name = "ssdup-balance",
	.test_cases = balance_cases,
};

kunit_test_suite(balance_suite);
