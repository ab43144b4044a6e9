// SPDX-License-Identifier: GPL-2.0-only
/* invariant: none */
/*
 * When the last free segments are throttled, and at what rate. What throttle.c calls of other files
 * is that of segments.c, and the stubs, of segments_test.c.
 */
#include <kunit/test.h>

#include "base/wakeups.h"

static u32 tries;	/* of the waiting writes */
static u64 tried_at;	/* the next one; ns */

void ssdup_kick_waiting_at(struct ssdup *c, u64 ns)
{
	tries++;
	tried_at = ns;
}

static u64 now;	/* ns */

static u64 the_time(void)
{
	return now;
}

#undef hrtimer_resolution
#define hrtimer_resolution 1U
#define ktime_get_ns the_time
#include "drain/throttle.c"
#undef ktime_get_ns
#include "segments_device.h"

static struct ssdup_drainer drainer;

static int throttle_test_init(struct kunit *test)
{
	int r = make_device(NR, 1, 1);

	now = NSEC_PER_SEC;
	tries = 0;
	drainer = (struct ssdup_drainer){
		.c = &device, .log = device.log, .router = device.router,
	};
	return r;
}

static void throttle_test_exit(struct kunit *test)
{
	drop_device();
}

/* Does the open segment have a place for a write that may use @allowed? */
static bool place(u64 allowed)
{
	u64 next;

	return log_word_reserve(atomic64_read(&k->open->word) & ~allowed, &device.log->g, 8, &next);
}

/* A drain has written back and freed the oldest segments. */
static void freed(struct kunit *test, u32 nr)
{
	free_oldest(test, nr);
	ssdup_throttle_freed(&drainer);
}

/* A write gets @sectors, and the next one has to wait for @ns. */
static void expect_wait(struct kunit *test, u32 sectors, u64 ns)
{
	passed_throttle(&drainer, k->open, sectors);
	now += ns - 1;
	KUNIT_EXPECT_EQ(test, pass_throttle(&drainer), 0);
	KUNIT_EXPECT_EQ(test, tried_at, ++now);
	KUNIT_EXPECT_EQ(test, pass_throttle(&drainer), LOG_WORD_THROTTLED);
}

static void large_segments_are_throttled(struct kunit *test)
{
	/* For a quarter of a segment. */
	const u64 wait = 256 * NSEC_PER_MSEC;

	meter.free_ns = 4 * wait / (SZ_1M / BALANCE_UNIT);
	ssdup_throttle_segments(&drainer);
	write_segments(test, FOR_WRITERS - 3);
	KUNIT_EXPECT_TRUE(test, place(0));

	/* All of the last ones are: who may not go on gets no place, and opens no other. */
	KUNIT_EXPECT_TRUE(test, writer_switches());
	expect_segments(test, LOG_SPARE + 2, 1, FOR_WRITERS - 3);
	KUNIT_EXPECT_FALSE(test, place(0));
	KUNIT_EXPECT_FALSE(test, writer_switches());
	KUNIT_EXPECT_TRUE(test, ssdup_segments_full(device.log));
	KUNIT_EXPECT_TRUE(test, device.scarce);
	/* A drain does not wait for itself. */
	KUNIT_EXPECT_TRUE(test, place(LOG_WORD_LAST));

	/* Three are free, so a quarter of that has to last for a quarter of the time. */
	KUNIT_EXPECT_EQ(test, pass_throttle(&drainer), LOG_WORD_THROTTLED);
	atomic64_add(log_word(1, 3 * SZ_1M / 4), &k->open->word);
	expect_wait(test, 3 * SZ_1M / 4, wait - SLACK_NS);
	/* The next one came just in time. */
	expect_wait(test, 3 * SZ_1M / 4, wait);
	KUNIT_EXPECT_EQ(test, tries, 2);

	/* Whoever may go on opens the next one, which is throttled, too. */
	KUNIT_EXPECT_TRUE(test, ssdup_switch(device.log, k, k->open, LOG_WORD_THROTTLED));
	expect_segments(test, LOG_SPARE + 1, 1, FOR_WRITERS - 2);
	KUNIT_EXPECT_FALSE(test, place(0));
	/* Less is free now, and lasts as long. */
	atomic64_add(log_word(1, SZ_1M / 2), &k->open->word);
	expect_wait(test, SZ_1M / 2, wait);

	/* A drain that fails lets all go on, and nobody waits for them later. */
	drainer.drain_error = -EIO;
	passed_throttle(&drainer, k->open, SZ_1M);
	drainer.drain_error = 0;
	KUNIT_EXPECT_EQ(test, pass_throttle(&drainer), LOG_WORD_THROTTLED);
	drainer.drain_error = -EIO;
	KUNIT_EXPECT_EQ(test, pass_throttle(&drainer), LOG_WORD_THROTTLED);
	drainer.drain_error = 0;

	/* One that is freed will be the next; who waited for the rate goes on. */
	passed_throttle(&drainer, k->open, SZ_1M / 2);
	KUNIT_EXPECT_EQ(test, pass_throttle(&drainer), 0);
	freed(test, 1);
	KUNIT_EXPECT_EQ(test, pass_throttle(&drainer), LOG_WORD_THROTTLED);
	KUNIT_EXPECT_FALSE(test, place(0));
	/* With more nothing is throttled. */
	freed(test, 1);
	KUNIT_EXPECT_TRUE(test, place(0));
}

static void small_segments_are_not(struct kunit *test)
{
	meter.free_ns = LONGEST_NS;
	ssdup_throttle_segments(&drainer);
	write_segments(test, FOR_WRITERS);
	KUNIT_EXPECT_TRUE(test, place(0));
}

/* Until the log was full: from then on its last segments are, too. */
static void a_scarce_log_is_throttled(struct kunit *test)
{
	meter.free_ns = LONGEST_NS;
	write_segments(test, FOR_WRITERS);
	KUNIT_EXPECT_FALSE(test, writer_switches());
	freed(test, 1);
	KUNIT_EXPECT_TRUE(test, writer_switches());
	KUNIT_EXPECT_FALSE(test, place(0));
	KUNIT_EXPECT_TRUE(test, place(LOG_WORD_THROTTLED));
	/* Less than a part is in use, so it is not scarce. */
	freed(test, 3);
	KUNIT_EXPECT_FALSE(test, device.scarce);
	KUNIT_EXPECT_TRUE(test, place(0));
}

/* A drain has opened one of the last segments, and then writers get the rest of it. */
static void what_was_spare_is_throttled(struct kunit *test)
{
	meter.free_ns = LONGEST_NS;
	write_segments(test, FOR_WRITERS);
	KUNIT_EXPECT_FALSE(test, writer_switches());
	ssdup_throttle_segments(&drainer);
	KUNIT_EXPECT_TRUE(test, drain_switches());
	log_entries(1);
	freed(test, 2);
	KUNIT_EXPECT_FALSE(test, place(0));
	KUNIT_EXPECT_TRUE(test, place(LOG_WORD_THROTTLED));
}

static struct kunit_case throttle_test_cases[] = {
	KUNIT_CASE(large_segments_are_throttled),
	KUNIT_CASE(small_segments_are_not),
	KUNIT_CASE(a_scarce_log_is_throttled),
	KUNIT_CASE(what_was_spare_is_throttled),
	{}
};

static struct kunit_suite throttle_suite = {
	.name = "ssdup-throttle",
	.init = throttle_test_init,
	.exit = throttle_test_exit,
	.test_cases = throttle_test_cases,
};

kunit_test_suite(throttle_suite);
