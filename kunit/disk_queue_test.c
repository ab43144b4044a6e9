// SPDX-License-Identifier: GPL-2.0-only
/* The modelled hard disk at work: its queue, its cache, its arm's choices. */
#include <kunit/test.h>
#include "prng.h"
#include "../tools/disks/hdd_queue.c"

#define SECOND		1000000000ULL
#define MB		2048ULL
#define DISK_SECTORS	(4096 * MB)
#define MAX_OPS		64
#define RUNS		512

static const struct hdd_params queue_mechanics = {
	.sectors = DISK_SECTORS,
	.nominal_sectors = 1000000000000ULL / 512,
	.rpm = 7200,
	.rate_kbps = 180000,
	.seek_track_us = 500,
	.seek_avg_us = 8500,
	.seek_full_us = 16000,
	.turn_us = 200,
	.readahead_us = 40000,
};

/* A disk and a host that keeps a number of commands in flight. */
struct host {
	struct hdd_queue q;
	struct cache_run runs[RUNS];
	struct hdd_op ops[MAX_OPS];
	struct prng r;
	u64 now;
	u64 ended;
	u64 longest_wait;
};

static struct host *host_new(struct kunit *test, u64 cache_sectors)
{
	const struct hdd_queue_params p = {
		.cache_sectors = cache_sectors,
		.window = 16,
		.slice_sectors = 1024,
		.bus_kbps = 550000,
		.command_us = 20,
		.age_ms = 500,
	};
	struct host *h = kunit_kzalloc(test, sizeof(*h), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, h);
	KUNIT_ASSERT_EQ(test, hdd_model_init(&h->q.model, &queue_mechanics), 0);
	cache_model_init(&h->q.cache, h->runs, RUNS);
	hdd_queue_init(&h->q, &p);
	h->now = SECOND;
	h->r.state = 1;
	return h;
}

static void host_submit(struct host *h, struct hdd_op *op, enum hdd_op_kind kind,
			u64 lba, u64 sectors)
{
	op->kind = kind;
	op->lba = lba;
	op->sectors = sectors;
	hdd_queue_submit(&h->q, op, h->now);
	hdd_queue_start(&h->q, h->now);
}

/* Let time pass until a command ends, and return it; NULL if none is left. */
static struct hdd_op *host_wait(struct host *h)
{
	for (;;) {
		struct hdd_op *op, *first = NULL;

		list_for_each_entry(op, &h->q.done, node)
			if (!first || op->done < first->done)
				first = op;
		if (first && (!h->q.busy || first->done <= h->q.busy_until)) {
			list_del(&first->node);
			h->now = max(h->now, first->done);
			h->longest_wait = max(h->longest_wait, h->now - first->arrived);
			h->ended++;
			return first;
		}
		if (!h->q.busy)
			return NULL;
		h->now = h->q.busy_until;
		hdd_queue_finish(&h->q, h->now);
		hdd_queue_start(&h->q, h->now);
	}
}

static u64 host_random(struct host *h, u64 region, u64 sectors)
{
	return (prng_u64(&h->r) % (region / sectors)) * sectors;
}

/* Time of @nr random commands, @depth of them at once, and a flush. */
static u64 host_run_random(struct host *h, enum hdd_op_kind kind, u32 depth, u32 nr,
			   u64 region, u64 sectors)
{
	struct hdd_op flush;
	u64 start = h->now;
	struct hdd_op *op;
	u32 i;

	for (i = 0; i < depth; i++)
		host_submit(h, &h->ops[i], kind, host_random(h, region, sectors), sectors);
	for (; i < nr; i++) {
		op = host_wait(h);
		host_submit(h, op, kind, host_random(h, region, sectors), sectors);
	}
	while (host_wait(h))
		;
	host_submit(h, &flush, HDD_OP_FLUSH, 0, 0);
	while (host_wait(h))
		;
	return h->now - start;
}

static void queue_deeper_is_faster(struct kunit *test)
{
	static const u32 depths[] = { 1, 4, 8, 16, 32 };
	u64 last = U64_MAX, first = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(depths); i++) {
		struct host *h = host_new(test, 0);
		u64 ns = host_run_random(h, HDD_OP_READ, depths[i], 2000, DISK_SECTORS, 8);

		KUNIT_EXPECT_EQ(test, h->ended, 2001ULL);
		KUNIT_EXPECT_LT(test, ns, last);
		last = ns;
		if (!i)
			first = ns;
	}
	/* Shortest positioning first at depth 32 against one after the other. */
	KUNIT_EXPECT_LT(test, last * 3, first);
}

/* Sectors in MiB: the arm is on its way to the first one when the others come. */
struct order_case {
	const char *name;
	enum hdd_order order;
	u32 sent[5];
	u32 served[5];
};

static const struct order_case order_cases[] = {
	{ "elevator", HDD_ORDER_ELEVATOR,
	  { 1000, 100, 3000, 1500, 900 }, { 1000, 1500, 3000, 100, 900 } },
	{ "arrival", HDD_ORDER_ARRIVAL,
	  { 1000, 100, 3000, 1500, 900 }, { 1000, 100, 3000, 1500, 900 } },
};

static void order_case_desc(const struct order_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(order, order_cases, order_case_desc);

static void queue_in_order(struct kunit *test)
{
	const struct order_case *c = test->param_value;
	struct host *h = host_new(test, 0);
	u32 i;

	h->q.p.order = c->order;
	/* The elements of a list are as old as each other, unless time passes. */
	for (i = 0; i < ARRAY_SIZE(c->sent); i++, h->now += 1000)
		host_submit(h, &h->ops[i], HDD_OP_READ, c->sent[i] * MB, 8);
	for (i = 0; i < ARRAY_SIZE(c->served); i++)
		KUNIT_EXPECT_EQ(test, host_wait(h)->lba / MB, c->served[i]);
}

/* The arm stands behind the sector that is asked for again. */
static void queue_same_sector_again(struct kunit *test)
{
	u32 order, i;

	for (order = 0; order <= HDD_ORDER_ARRIVAL; order++) {
		struct host *h = host_new(test, 0);

		h->q.p.order = order;
		for (i = 0; i < 3; i++) {
			host_submit(h, &h->ops[0], HDD_OP_READ, 1000 * MB, 1);
			KUNIT_EXPECT_PTR_EQ(test, host_wait(h), &h->ops[0]);
		}
	}
}

/* Among writes that are nearer, and only if the disk is like that. */
static void queue_reads_first(struct kunit *test)
{
	u32 i, reads, before;

	for (reads = 0; reads < 2; reads++) {
		struct host *h = host_new(test, 0);

		h->q.p.reads_first = reads;
		for (i = 0; i < 8; i++)
			host_submit(h, &h->ops[i], HDD_OP_WRITE, i * 8, 8);
		host_submit(h, &h->ops[8], HDD_OP_READ, 4000 * MB, 8);
		for (before = 0; host_wait(h) != &h->ops[8]; before++)
			;
		KUNIT_EXPECT_EQ(test, before, reads ? 1 : 8);
	}
}

/* What is left of 64 cached runs after reads that never stop, and without reads. */
static void queue_destages(struct kunit *test)
{
	static const struct {
		enum hdd_destage when;
		bool under_reads, idle;
	} cases[] = {
		{ HDD_DESTAGE_IDLE, false, true },
		{ HDD_DESTAGE_AT_ONCE, true, true },
		{ HDD_DESTAGE_FULL, false, false },
	};
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct host *h = host_new(test, 64 * MB);
		struct hdd_op flush;

		h->q.p.destage = cases[i].when;
		for (j = 0; j < 8; j++)
			host_submit(h, &h->ops[j], HDD_OP_READ, host_random(h, DISK_SECTORS, 8), 8);
		for (j = 8; j < MAX_OPS; j++)
			host_submit(h, &h->ops[j], HDD_OP_WRITE, j * 16 * MB, 64);
		for (j = 0; j < 400; j++) {
			struct hdd_op *op = host_wait(h);

			if (op < h->ops + 8)
				host_submit(h, op, HDD_OP_READ, host_random(h, DISK_SECTORS, 8), 8);
		}
		KUNIT_EXPECT_EQ(test, !h->q.cache.sectors, cases[i].under_reads);
		while (host_wait(h))
			;
		KUNIT_EXPECT_EQ(test, !h->q.cache.sectors, cases[i].idle);
		host_submit(h, &flush, HDD_OP_FLUSH, 0, 0);
		while (host_wait(h))
			;
		KUNIT_EXPECT_EQ(test, h->q.cache.sectors, 0ULL);
	}
}

struct rate_case {
	const char *name;
	u64 cache_sectors;
	u64 region;
	u32 sectors;
	u32 nr;
	u32 depth;
	/* Expected kB/s, the flush included. */
	u32 kbps;
};

/* The figures a 7200 rpm disk of 180 MB/s is calibrated to, within 10 %. */
static const struct rate_case rate_cases[] = {
	{ "256 KB random over 1 GB, cached", 64 * MB, 1024 * MB, 512, 4096, 16, 110000 },
	{ "4 KB random over 1 GB, cached", 64 * MB, 1024 * MB, 8, 8192, 16, 4900 },
	{ "4 KB random over 4 GB, no cache, one at a time", 0, DISK_SECTORS, 8, 2000, 1, 780 },
};

static void rate_case_desc(const struct rate_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(rate, rate_cases, rate_case_desc);

static void queue_random_rate(struct kunit *test)
{
	const struct rate_case *c = test->param_value;
	struct host *h = host_new(test, c->cache_sectors);
	u64 ns = host_run_random(h, HDD_OP_WRITE, c->depth, c->nr, c->region, c->sectors);
	u64 kbps = div64_u64((u64)c->nr * c->sectors * 512 * 1000000, ns);

	KUNIT_EXPECT_GE(test, kbps * 100, c->kbps * 90ULL);
	KUNIT_EXPECT_LE(test, kbps * 100, c->kbps * 110ULL);
}

/* 16 writers of 256 KB, each in its own 64 MB. */
static void queue_contiguous_writers(struct kunit *test)
{
	struct host *h = host_new(test, 64 * MB);
	struct hdd_op flush, *op;
	u64 at[16], start = h->now, kbps;
	unsigned int i, left = 4096 - 16;

	for (i = 0; i < 16; i++) {
		at[i] = i * 64 * MB;
		host_submit(h, &h->ops[i], HDD_OP_WRITE, at[i], 512);
	}
	while (left--) {
		op = host_wait(h);
		i = op - h->ops;
		while (at[i] + 512 == (i + 1) * 64 * MB)
			i = (i + 1) % 16;
		at[i] += 512;
		host_submit(h, op, HDD_OP_WRITE, at[i], 512);
	}
	while (host_wait(h))
		;
	host_submit(h, &flush, HDD_OP_FLUSH, 0, 0);
	while (host_wait(h))
		;
	kbps = div64_u64(1024 * MB * 512 * 1000000, h->now - start);
	KUNIT_EXPECT_GE(test, kbps, 145000ULL);
	KUNIT_EXPECT_LE(test, kbps, 175000ULL);
	/* The cache lets the arm stay with a writer for some megabytes. */
	KUNIT_EXPECT_LT(test, h->q.stats.seeks, 600ULL);
}

static void queue_nobody_starves(struct kunit *test)
{
	struct host *h = host_new(test, 0);
	struct hdd_op far;
	bool served = false;
	u64 sent;
	u32 i;

	/* A crowd near the outer edge, and one command far from it. */
	for (i = 0; i < 31; i++)
		host_submit(h, &h->ops[i], HDD_OP_READ, host_random(h, 8 * MB, 8), 8);
	sent = h->now;
	host_submit(h, &far, HDD_OP_READ, DISK_SECTORS - 8, 8);
	for (i = 0; i < 4000 && !served; i++) {
		struct hdd_op *op = host_wait(h);

		served = op == &far;
		if (!served)
			host_submit(h, op, HDD_OP_READ, host_random(h, 8 * MB, 8), 8);
	}
	KUNIT_EXPECT_TRUE(test, served);
	KUNIT_EXPECT_LE(test, h->now - sent, 540000000ULL);
}

/* Readers that never stop do not keep a flush waiting for ever. */
static void queue_flush_ends_under_readers(struct kunit *test)
{
	struct host *h = host_new(test, 64 * MB);
	struct hdd_op flush;
	bool served = false;
	u32 i;

	for (i = 0; i < 200; i++) {
		host_submit(h, &h->ops[0], HDD_OP_WRITE, host_random(h, DISK_SECTORS, 8), 8);
		while (h->q.done.next == &h->q.done)
			hdd_queue_start(&h->q, h->now);
		list_del(h->q.done.next);
	}
	for (i = 0; i < 31; i++)
		host_submit(h, &h->ops[i], HDD_OP_READ, host_random(h, DISK_SECTORS, 8), 8);
	host_submit(h, &flush, HDD_OP_FLUSH, 0, 0);
	for (i = 0; i < 20000 && !served; i++) {
		struct hdd_op *op = host_wait(h);

		served = op == &flush;
		if (!served)
			host_submit(h, op, HDD_OP_READ, host_random(h, DISK_SECTORS, 8), 8);
	}
	KUNIT_EXPECT_TRUE(test, served);
	KUNIT_EXPECT_EQ(test, h->q.cache.sectors, 0ULL);
}

/* A write is acknowledged as soon as it is in the cache, until that is full. */
static void queue_cache_fills(struct kunit *test)
{
	struct host *h = host_new(test, 4 * MB);
	u64 quick = 0, ns;
	u32 i;

	for (i = 0; i < 40; i++) {
		u64 sent = h->now;

		host_submit(h, &h->ops[0], HDD_OP_WRITE, i * 16 * MB, 512);
		KUNIT_ASSERT_PTR_EQ(test, host_wait(h), &h->ops[0]);
		ns = h->now - sent;
		if (ns < 600000)
			quick++;
		KUNIT_ASSERT_LE(test, h->q.cache.sectors, 4 * MB);
	}
	KUNIT_EXPECT_GE(test, quick, 16ULL);
	KUNIT_EXPECT_LE(test, quick, 32ULL);
}

static void queue_reads_hit_the_cache(struct kunit *test)
{
	struct host *h = host_new(test, 64 * MB);
	u64 sent;

	/* The first write goes to the arm at once, the second stays. */
	host_submit(h, &h->ops[0], HDD_OP_WRITE, 1000 * MB, 512);
	host_submit(h, &h->ops[1], HDD_OP_WRITE, 2000 * MB, 512);
	sent = h->now;
	host_submit(h, &h->ops[2], HDD_OP_READ, 2000 * MB + 8, 8);
	while (host_wait(h) != &h->ops[2])
		;
	KUNIT_EXPECT_EQ(test, h->q.stats.cache_hits, 1ULL);
	KUNIT_EXPECT_LT(test, h->now - sent, 1500000ULL);
}

static void queue_write_through_waits_for_the_medium(struct kunit *test)
{
	struct host *h = host_new(test, 64 * MB);
	u64 sent = h->now;

	host_submit(h, &h->ops[0], HDD_OP_WRITE_THROUGH, 3000 * MB, 8);
	KUNIT_ASSERT_PTR_EQ(test, host_wait(h), &h->ops[0]);
	KUNIT_EXPECT_GT(test, h->now - sent, 500000ULL);
	KUNIT_EXPECT_EQ(test, h->q.active_lba, 3000 * MB);
	KUNIT_EXPECT_TRUE(test, h->q.active_write);
}

static void queue_power_loss_ends_everything(struct kunit *test)
{
	struct host *h = host_new(test, 1 * MB);
	struct hdd_op flush, *op, *next;
	u32 i, ended = 0;

	for (i = 0; i < 20; i++)
		host_submit(h, &h->ops[i], i & 1 ? HDD_OP_READ : HDD_OP_WRITE, i * 100 * MB, 512);
	host_submit(h, &flush, HDD_OP_FLUSH, 0, 0);
	hdd_queue_reset(&h->q);
	list_for_each_entry_safe(op, next, &h->q.done, node) {
		list_del(&op->node);
		ended++;
	}
	KUNIT_EXPECT_EQ(test, ended, 21U);
	KUNIT_EXPECT_EQ(test, h->q.cache.sectors, 0ULL);
	KUNIT_EXPECT_FALSE(test, hdd_queue_start(&h->q, h->now));
	/* And it works again. */
	host_submit(h, &h->ops[0], HDD_OP_READ, 0, 8);
	KUNIT_EXPECT_PTR_EQ(test, host_wait(h), &h->ops[0]);
}

static struct kunit_case disk_queue_cases[] = {
	KUNIT_CASE(queue_deeper_is_faster),
	KUNIT_CASE_PARAM(queue_in_order, order_gen_params),
	KUNIT_CASE(queue_same_sector_again),
	KUNIT_CASE(queue_reads_first),
	KUNIT_CASE(queue_destages),
	KUNIT_CASE_PARAM(queue_random_rate, rate_gen_params),
	KUNIT_CASE(queue_contiguous_writers),
	KUNIT_CASE(queue_nobody_starves),
	KUNIT_CASE(queue_flush_ends_under_readers),
	KUNIT_CASE(queue_cache_fills),
	KUNIT_CASE(queue_reads_hit_the_cache),
	KUNIT_CASE(queue_write_through_waits_for_the_medium),
	KUNIT_CASE(queue_power_loss_ends_everything),
	{}
};

static struct kunit_suite disk_queue_suite = {
	.name = "disk_queue",
	.test_cases = disk_queue_cases,
};

kunit_test_suite(disk_queue_suite);
