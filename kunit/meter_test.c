// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the disks are measured by. meter.c is no pure file, so this suite is for a kernel only;
 * the clock is the suite's, and so is what meter.c calls of others. The suite of segments.c, in
 * the same module, has the real ssdup_log_fill().
 */
#include <kunit/test.h>

#include "log/clean.h"
#include "route/choice.h"
#include "base/wakeups.h"

static u64 clock_ns, written;
static u32 kicks;

static u32 log_fill(struct ssdup_log *log)
{
	return 0;
}

void ssdup_kick_waiting(struct ssdup *c)
{
	kicks++;
}

static u64 log_written(struct ssdup_log *log)
{
	return written;
}

static u64 log_copied(const struct ssdup_log *log)
{
	return 0;
}

u64 ssdup_meta_written(const struct ssdup_log *log)
{
	return 8;
}

#define ktime_get_ns()		clock_ns
#define ktime_get_boottime_ns()	clock_ns
#define ssdup_log_fill		log_fill
#define ssdup_log_written	log_written
#define ssdup_copied		log_copied
#define bdev_nr_sectors(b)	((void)(b), 2000ULL)
#include "route/meter.c"

#define MSEC		1000000ULL
#define FAR		(100ULL * BALANCE_CHUNK)

static struct ssdup device;
static struct ssdup_log device_log;
static struct ssdup_router device_router;
static struct dm_dev ssd;
static struct ssdup_segment segment;
static struct ssdup_io beside[8];

static int meter_test_init(struct kunit *test)
{
	memset(&device, 0, sizeof(device));
	memset(&device_log, 0, sizeof(device_log));
	device_log.c = &device;
	device_router = (struct ssdup_router){ .c = &device, .log = &device_log };
	device.log = &device_log;
	device.router = &device_router;
	memset(&segment, 0, sizeof(segment));
	device.set.policy = SSDUP_POLICY_BALANCE;
	device.ssd = &ssd;
	written = 0;
	clock_ns = MSEC;
	kicks = 0;
	return ssdup_meter_create(device.router);
}

static void meter_test_exit(struct kunit *test)
{
	kvfree(device.router->meter);
}

/* A scattered read begins. */
static void read_begins(struct ssdup_io *io)
{
	*io = (struct ssdup_io){ .sectors = 8, .times = 1 };
	ssdup_meter_read(device.router, io, SSDUP_HDD);
}

static void read_ends(struct ssdup_io *io)
{
	ssdup_meter_end(&device.router->meter->hdd, io, true);
}

/* One after the other, each of which takes what it is expected to. */
static void reads_in_turn(u32 nr)
{
	struct ssdup_io io;

	while (nr--) {
		clock_ns += MSEC;
		read_begins(&io);
		clock_ns += io.price;
		read_ends(&io);
	}
}

static void hdd_comes_to_rest(struct kunit *test)
{
	reads_in_turn(tuning.look);
	KUNIT_ASSERT_TRUE(test, ssdup_meter_rests(&device.router->meter->hdd));
}

/* --- Drains --- */

/*
 * A drain pays for what the HDD did without the reads beside it, whether or not they are the
 * first for a while in which nothing waited at the HDD.
 */
static void drain_pays_for_itself(struct kunit *test, u32 before)
{
	struct ssdup_meter *meter = device.router->meter;
	u64 begun, others = 0, cost, wanted;
	struct meter_drain b;
	u32 i;

	reads_in_turn(before);
	clock_ns += MSEC;
	begun = clock_ns;
	ssdup_meter_drain_begin(device.router, &b, BALANCE_CHUNK);
	for (i = 0; i < ARRAY_SIZE(beside); i++) {
		read_begins(&beside[i]);
		others += beside[i].price;
	}
	for (i = 0; i < ARRAY_SIZE(beside); i++) {
		clock_ns += 3 * MSEC;
		read_ends(&beside[i]);
	}
	cost = clock_ns - begun - others;
	KUNIT_ASSERT_GT(test, cost, others);
	wanted = balance_drain_learn(meter->drain_ns, cost, BALANCE_CHUNK);
	ssdup_meter_drain_end(device.router, &b, clock_ns);
	KUNIT_EXPECT_LT(test, abs_diff(meter->drain_ns, wanted), 100);
	KUNIT_EXPECT_EQ(test, atomic64_read(&meter->hdd.queue), 0);
}

static void drain_of_a_busy_disk(struct kunit *test)
{
	drain_pays_for_itself(test, tuning.look / 2);
	KUNIT_EXPECT_FALSE(test, ssdup_meter_rests(&device.router->meter->hdd));
}

static void drain_of_a_disk_at_rest(struct kunit *test)
{
	hdd_comes_to_rest(test);
	drain_pays_for_itself(test, tuning.rest / 2);
}

/* Each takes three times what it should. */
static void dear_reads(u32 nr)
{
	struct ssdup_io io;

	while (nr--) {
		read_begins(&io);
		clock_ns += 3 * io.price;
		read_ends(&io);
	}
}

/* However long a drain is under way: what requests seem to take beside it is no price. */
static void drain_teaches_no_price(struct kunit *test)
{
	struct disk_meter *hdd = &device.router->meter->hdd;
	const struct balance_cost cost = hdd->cost;
	struct meter_drain b;

	ssdup_meter_drain_begin(device.router, &b, BALANCE_CHUNK);
	dear_reads(3 * tuning.look);
	KUNIT_EXPECT_MEMEQ(test, &hdd->cost, &cost, sizeof(cost));
	ssdup_meter_drain_end(device.router, &b, clock_ns);
	/* The first look after it sees its end. */
	dear_reads(tuning.look);
	KUNIT_EXPECT_MEMEQ(test, &hdd->cost, &cost, sizeof(cost));
	dear_reads(tuning.look);
	KUNIT_EXPECT_MEMNEQ(test, &hdd->cost, &cost, sizeof(cost));
}

static void drain_ends_a_rest(struct kunit *test)
{
	hdd_comes_to_rest(test);
	drain_teaches_no_price(test);
	KUNIT_EXPECT_FALSE(test, ssdup_meter_rests(&device.router->meter->hdd));
}

/* Who waits for space looks again after each batch: the HDD may be cheap now. */
static void batch_wakes_who_waits(struct kunit *test)
{
	struct meter_drain b;
	u32 i;

	for (i = 1; i <= 3; i++) {
		ssdup_meter_drain_begin(device.router, &b, BALANCE_UNIT);
		clock_ns += MSEC;
		ssdup_meter_drain_end(device.router, &b, clock_ns);
		KUNIT_EXPECT_EQ(test, kicks, i);
	}
	/* There was nothing left to write. */
	ssdup_meter_drain_begin(device.router, &b, 0);
	ssdup_meter_drain_end(device.router, &b, clock_ns);
	KUNIT_EXPECT_EQ(test, kicks, 3);
	/* Nor does the price matter to other policies. */
	device.set.policy = SSDUP_POLICY_ADAPTIVE;
	ssdup_meter_drain_begin(device.router, &b, BALANCE_UNIT);
	clock_ns += MSEC;
	ssdup_meter_drain_end(device.router, &b, clock_ns);
	KUNIT_EXPECT_EQ(test, kicks, 3);
}

/* A group was copied and freed in @ns, of which the HDD has worked for others for @others. */
static void freed(u32 sectors, u64 ns, u64 others)
{
	const struct meter_mark since = { .ns = 5, .done = 7 };

	ssdup_meter_freed(device.router, sectors, since,
			  (struct meter_mark){ since.ns + ns, since.done + others });
}

/* What groups take until they are free is learnt, and tells what the next one will take. */
static void groups_take_their_time(struct kunit *test)
{
	const u32 sectors = 8 * BALANCE_CHUNK;
	u64 assumed = ssdup_meter_free_ns(device.router, sectors), wanted = 3 * assumed,
		      last = assumed;
	u32 i;

	KUNIT_ASSERT_GT(test, assumed, 0);
	KUNIT_EXPECT_LT(test, abs_diff(ssdup_meter_free_ns(device.router, 2 * sectors),
				       2 * assumed),
			1000);
	for (i = 0; i < 100; i++) {
		freed(sectors, wanted, 0);
		KUNIT_ASSERT_GE(test, ssdup_meter_free_ns(device.router, sectors) + 1000, last);
		last = ssdup_meter_free_ns(device.router, sectors);
	}
	KUNIT_EXPECT_LT(test, abs_diff(last, wanted), wanted / 50);
	/* A group of which nothing was left to copy says nothing. */
	freed(0, MSEC, 0);
	KUNIT_EXPECT_EQ(test, ssdup_meter_free_ns(device.router, sectors), last);
	/* Nor does one that was held off for longer than it took. */
	freed(sectors, 0, 0);
	freed(sectors, -MSEC, 0);
	KUNIT_EXPECT_EQ(test, ssdup_meter_free_ns(device.router, sectors), last);
}

/*
 * Passing a full log is compared with what the HDD does for the same data until it is drained and
 * free, and not with what it does for others meanwhile: else who passes would make that dearer.
 */
static void a_full_log_is_passed_if_that_is_cheaper(struct kunit *test)
{
	struct ssdup_io io = { .sectors = BALANCE_UNIT, .start = FAR };
	u64 assumed = ssdup_meter_free_ns(device.router, io.sectors);
	u32 i;

	for (i = 0; i < 100; i++)
		freed(8 * BALANCE_CHUNK, 8 * BALANCE_CHUNK / BALANCE_UNIT * 4 * assumed,
		      8 * BALANCE_CHUNK / BALANCE_UNIT * 3 * assumed);
	KUNIT_EXPECT_GT(test, ssdup_meter_free_ns(device.router, io.sectors), 3 * assumed);
	io.price = assumed + assumed / 50;
	KUNIT_EXPECT_FALSE(test, ssdup_balance_bypass(device.router, &io));
	io.price = assumed - assumed / 50;
	KUNIT_EXPECT_TRUE(test, ssdup_balance_bypass(device.router, &io));
	/* A disk at rest has not counted what it did for others. */
	device.router->meter->net_ns = assumed;
	device.router->meter->hdd.look = tuning.rest;
	freed(8 * BALANCE_CHUNK, 100 * assumed, 0);
	KUNIT_EXPECT_EQ(test, device.router->meter->net_ns, assumed);
	device.router->meter->hdd.look = tuning.look;

	io.price = assumed;
	KUNIT_EXPECT_TRUE(test, ssdup_balance_bypass(device.router, &io));
	io.price++;
	KUNIT_EXPECT_FALSE(test, ssdup_balance_bypass(device.router, &io));
	/* The arm is placed for a small write as for a long one; a drain sorts them. */
	io.sectors = 8;
	ssdup_balance_find(device.router, &io);
	KUNIT_EXPECT_FALSE(test, ssdup_balance_bypass(device.router, &io));
}

/* --- Flushes --- */

/* Few would be left to learn by if the first window had to be over. */
static void flushes_cost_at_once(struct kunit *test)
{
	struct ssdup_meter *meter = device.router->meter;

	KUNIT_EXPECT_EQ(test, meter->flush_price, 0);
	ssdup_meter_flush(device.router);
	KUNIT_EXPECT_EQ(test, meter->flush_price, meter->flush_ns / tuning.flush_share);
	ssdup_meter_flush(device.router);
	ssdup_meter_flush(device.router);
	KUNIT_EXPECT_EQ(test, meter->flush_price, meter->flush_ns * 3 / tuning.flush_share);
}

/* Also of a write that would pass a full log, and of one that asks for a flush itself. */
static void a_full_log_is_not_passed_if_flushes_are_dear(struct kunit *test)
{
	struct ssdup_io io = { .sectors = 64 * BALANCE_UNIT, .start = FAR };
	struct ssdup_meter *meter = device.router->meter;

	io.price = ssdup_meter_free_ns(device.router, io.sectors);
	io.opf = REQ_FUA;
	KUNIT_EXPECT_FALSE(test, ssdup_balance_bypass(device.router, &io));
	io.price -= meter->flush_ns;
	KUNIT_EXPECT_TRUE(test, ssdup_balance_bypass(device.router, &io));
	io.opf = 0;
	io.price += meter->flush_ns;
	KUNIT_EXPECT_TRUE(test, ssdup_balance_bypass(device.router, &io));
	ssdup_meter_flush(device.router);
	KUNIT_EXPECT_FALSE(test, ssdup_balance_bypass(device.router, &io));
	io.price -= meter->flush_price;
	KUNIT_EXPECT_TRUE(test, ssdup_balance_bypass(device.router, &io));
}

/* --- Small writes --- */

/* One small write is logged, with two others in flight. */
static void log_one_of_three(struct ssdup_segment *seg, struct ssdup_io *io)
{
	atomic_set(&seg->writes, 3);
	*io = (struct ssdup_io){ .segment = seg, .start = FAR, .sectors = 8, .times = 1 };
	ssdup_balance_find(device.router, io);
	ssdup_meter_write(device.router, io, SSDUP_SSD);
}

static void expect_sum(struct kunit *test, u64 sum, u32 times)
{
	const struct balance_work w = balance_of_sum(sum);

	KUNIT_EXPECT_EQ(test, w.requests, times);
	KUNIT_EXPECT_EQ(test, w.sectors, 8 * times);
	KUNIT_EXPECT_EQ(test, w.placed, 0);
}

/* The one that is looked at has the price, and counts as the work, of those that are not. */
static void one_counts_for_three(struct kunit *test)
{
	struct disk_meter *ssd = &device.router->meter->ssd;
	u64 price = ssdup_price(ssd, 8, false);
	struct ssdup_segment *seg = &segment;
	struct ssdup_io io;

	/* Until then nobody was left out. */
	balance_note(&device.router->meter->map, FAR, 8, 0, SSDUP_SSD);
	log_one_of_three(seg, &io);
	KUNIT_EXPECT_EQ(test, atomic64_read(&ssd->queue), price);
	ssdup_meter_end(ssd, &io, false);
	expect_sum(test, atomic64_read(&ssd->ended), 1);

	/* From then on others go by. */
	ssdup_meter_tick(device.router);
	log_one_of_three(seg, &io);
	KUNIT_EXPECT_EQ(test, atomic64_read(&ssd->queue), 3 * price);
	ssdup_meter_end(ssd, &io, false);
	KUNIT_EXPECT_EQ(test, atomic64_read(&ssd->queue), 0);
	expect_sum(test, atomic64_read(&ssd->ended), 1 + 3);
}

/* --- The price --- */

static void price_follows_the_keys(struct kunit *test)
{
	struct ssdup_meter *meter = device.router->meter;

	ssdup_meter_tick(device.router);
	KUNIT_EXPECT_EQ(test, meter->price, 0);
	device.set.thrift = 40;
	ssdup_meter_tick(device.router);
	KUNIT_EXPECT_EQ(test, meter->price, ssdup_thrift_price(40, 0, 0, meter->hdd.cost.unit_ns));
	/* Half of the SSD a day: 1000 sectors, of which nothing is earned yet. */
	KUNIT_ASSERT_TRUE(test, ssdup_settings_value(ssdup_settings_find("ssd_budget"), "0.5dwpd",
						     &device.set.ssd_budget));
	written = 5000;
	ssdup_meter_tick(device.router);
	KUNIT_EXPECT_EQ(test, meter->price, THRIFT_NEVER);
	clock_ns += THRIFT_DAY;
	KUNIT_EXPECT_EQ(test, ssdup_meter_settle(device.router), 1000);
	KUNIT_EXPECT_EQ(test, meter->price, ssdup_thrift_price(40, 0, 0, meter->hdd.cost.unit_ns));
	written += 900;
	KUNIT_EXPECT_EQ(test, ssdup_meter_settle(device.router), 100);
	KUNIT_EXPECT_EQ(test, meter->price, 900ULL * meter->hdd.cost.unit_ns / 100 / tuning.ample);
	written += 200;
	KUNIT_EXPECT_EQ(test, ssdup_meter_settle(device.router), 0);
	KUNIT_EXPECT_EQ(test, meter->price, THRIFT_NEVER);
	device.set.ssd_budget = 0;
	device.set.thrift = 0;
	KUNIT_EXPECT_EQ(test, ssdup_meter_settle(device.router), 0);
	KUNIT_EXPECT_EQ(test, meter->price, 0);
}

/* The next table goes on with the account of the last one; what that wrote is paid for. */
static void account_is_inherited(struct kunit *test)
{
	static struct ssdup next;
	struct ssdup_router router = { .c = &next, .log = &device_log };

	memset(&next, 0, sizeof(next));
	next.ssd = &ssd;
	next.set.ssd_budget = 1;
	KUNIT_ASSERT_EQ(test, ssdup_meter_create(&router), 0);
	ssdup_meter_inherit(&router, device.router);
	KUNIT_EXPECT_EQ(test, router.meter->account.then, 0);
	device.set.ssd_budget = 1;
	ssdup_meter_settle(device.router);
	clock_ns += THRIFT_DAY / 2;
	written = 24;
	ssdup_meter_inherit(&router, device.router);
	KUNIT_EXPECT_EQ(test, ssdup_meter_settle(&router), 1024 - 24);
	/* After its resume it has its own. */
	next.recovered = true;
	written = 48;
	ssdup_meter_inherit(&router, device.router);
	KUNIT_EXPECT_EQ(test, ssdup_meter_settle(&router), 1024 - 48);
	kvfree(router.meter);
}

static struct kunit_case meter_cases[] = {
	KUNIT_CASE(drain_of_a_busy_disk),
	KUNIT_CASE(drain_of_a_disk_at_rest),
	KUNIT_CASE(drain_teaches_no_price),
	KUNIT_CASE(drain_ends_a_rest),
	KUNIT_CASE(batch_wakes_who_waits),
	KUNIT_CASE(groups_take_their_time),
	KUNIT_CASE(a_full_log_is_passed_if_that_is_cheaper),
	KUNIT_CASE(flushes_cost_at_once),
	KUNIT_CASE(a_full_log_is_not_passed_if_flushes_are_dear),
	KUNIT_CASE(one_counts_for_three),
	KUNIT_CASE(price_follows_the_keys),
	KUNIT_CASE(account_is_inherited),
	{ }
};

static struct kunit_suite meter_suite = {
	.name = "ssdup-meter",
	.init = meter_test_init,
	.exit = meter_test_exit,
	.test_cases = meter_cases,
};

kunit_test_suite(meter_suite);
