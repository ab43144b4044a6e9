// SPDX-License-Identifier: GPL-2.0-only
/*
 * The account of the SSD's budget. budget.c is no pure file, so this suite is for a kernel only;
 * the clock is the suite's, and so is what budget.c calls of others.
 */
#include <kunit/test.h>

#include "log/clean_list.h"
#include "log/log.h"
#include "base/wakeups.h"

static u64 clock_ns, written;

void ssdup_kick_waiting(struct ssdup *c)
{
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

#define ktime_get_boottime_ns()	clock_ns
#define ssdup_log_written	log_written
#define ssdup_copied		log_copied
#define all_ssd_sectors(c)	((void)(c), 2000ULL)
#include "route/budget.c"

#define MSEC	1000000ULL

static struct ssdup device;
static struct ssdup_log device_log;
static struct ssdup_router device_router;

static int budget_test_init(struct kunit *test)
{
	memset(&device, 0, sizeof(device));
	memset(&device_log, 0, sizeof(device_log));
	device_log.c = &device;
	device_router = (struct ssdup_router){ .c = &device, .log = &device_log };
	device.log = &device_log;
	device.router = &device_router;
	device.set.policy = SSDUP_POLICY_BALANCE;
	written = 0;
	clock_ns = MSEC;
	return 0;
}

static u64 settled(void)
{
	return ssdup_budget_settle(&device_router);
}

static void price_follows_the_budget(struct kunit *test)
{
	struct ssdup_budget *b = &device_router.budget;

	KUNIT_EXPECT_EQ(test, settled(), 0);
	KUNIT_EXPECT_EQ(test, b->price, 0);
	/* Half of the SSD a day: 1000 sectors, of which nothing is earned yet. */
	KUNIT_ASSERT_TRUE(test, ssdup_settings_value(ssdup_settings_find("ssd_budget"), "0.5dwpd",
						     &device.set.ssd_budget));
	written = 5000;
	settled();
	KUNIT_EXPECT_EQ(test, b->price, PRICE_NEVER);
	clock_ns += ALLOWANCE_DAY;
	KUNIT_EXPECT_EQ(test, settled(), 1000);
	KUNIT_EXPECT_EQ(test, b->price, 0);
	written += 900;
	KUNIT_EXPECT_EQ(test, settled(), 100);
	KUNIT_EXPECT_EQ(test, b->price, 900ULL * PRICE_TRANSFER / 100 / PRICE_AMPLE);
	written += 200;
	KUNIT_EXPECT_EQ(test, settled(), 0);
	KUNIT_EXPECT_EQ(test, b->price, PRICE_NEVER);
	device.set.ssd_budget = 0;
	KUNIT_EXPECT_EQ(test, settled(), 0);
	KUNIT_EXPECT_EQ(test, b->price, 0);
}

/* The next table goes on with the account of the last one; what that wrote is paid for. */
static void account_is_inherited(struct kunit *test)
{
	static struct ssdup next;
	struct ssdup_router router = { .c = &next, .log = &device_log };

	memset(&next, 0, sizeof(next));
	next.set.ssd_budget = 1;
	ssdup_budget_inherit(&router, &device_router);
	KUNIT_EXPECT_EQ(test, router.budget.account.then, 0);
	device.set.ssd_budget = 1;
	settled();
	clock_ns += ALLOWANCE_DAY / 2;
	written = 24;
	ssdup_budget_inherit(&router, &device_router);
	KUNIT_EXPECT_EQ(test, ssdup_budget_settle(&router), 1024 - 24);
	/* After its resume it has its own. */
	next.recovered = true;
	written = 48;
	ssdup_budget_inherit(&router, &device_router);
	KUNIT_EXPECT_EQ(test, ssdup_budget_settle(&router), 1024 - 48);
}

static struct kunit_case budget_cases[] = {
	KUNIT_CASE(price_follows_the_budget),
	KUNIT_CASE(account_is_inherited),
	{ }
};

static struct kunit_suite budget_suite = {
	.name = "ssdup-budget",
	.init = budget_test_init,
	.test_cases = budget_cases,
};

kunit_test_suite(budget_suite);
