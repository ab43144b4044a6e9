// SPDX-License-Identifier: GPL-2.0-only
/* The timing of the modelled SSD. */
#include <kunit/test.h>
#include "../tools/disks/latency.h"
#include "../tools/disks/ssd_model.c"

#define SECOND	1000000000ULL

struct ssd_case {
	const char *name;
	u32 sectors;
	u32 depth;
	bool read;
	u32 kbps;
};

static const struct ssd_params ssd_sata = {
	.read_kbps = 500000,
	.write_kbps = 450000,
	.read_latency_us = 80,
	.write_latency_us = 60,
	.flush_us = 1500,
};

/* A command takes its latency and its transfer; many at once share the pipe. */
static const struct ssd_case ssd_cases[] = {
	{ "256 KB writes at depth 16: the pipe's rate", 512, 16, false, 449000 },
	{ "256 KB writes at depth 1", 512, 1, false, 407900 },
	{ "4 KB writes at depth 1", 8, 1, false, 59200 },
	{ "4 KB writes at depth 4", 8, 4, false, 236000 },
	{ "4 KB writes at depth 32: the pipe's rate", 8, 32, false, 449000 },
	{ "4 KB reads at depth 1", 8, 1, true, 46400 },
	{ "256 KB reads at depth 16: the pipe's rate", 512, 16, true, 499000 },
};

static void ssd_case_desc(const struct ssd_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(ssd, ssd_cases, ssd_case_desc);

static void ssd_rates(struct kunit *test)
{
	const struct ssd_case *c = test->param_value;
	u64 ends[32] = { 0 }, now = SECOND, kbps;
	struct ssd_model m;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, ssd_model_init(&m, &ssd_sata), 0);
	for (i = 0; i < 10000; i++) {
		u64 *slot = &ends[i % c->depth];

		now = max(now, *slot);
		*slot = c->read ? ssd_read(&m, c->sectors, now) :
				  ssd_write(&m, c->sectors, false, now);
	}
	kbps = div64_u64(10000ULL * c->sectors * 512 * 1000000, now - SECOND);
	KUNIT_EXPECT_GE(test, kbps * 100, c->kbps * 99ULL);
	KUNIT_EXPECT_LE(test, kbps * 100, c->kbps * 102ULL);
}

static void ssd_flush_waits_for_a_volatile_cache_only(struct kunit *test)
{
	struct ssd_params p = ssd_sata;
	struct ssd_model m;
	u64 left;

	KUNIT_ASSERT_EQ(test, ssd_model_init(&m, &p), 0);
	ssd_write(&m, 90000, false, SECOND);
	KUNIT_EXPECT_EQ(test, ssd_flush(&m, SECOND), SECOND + 1500000);

	p.volatile_cache = true;
	KUNIT_ASSERT_EQ(test, ssd_model_init(&m, &p), 0);
	left = ssd_write(&m, 90000, false, SECOND) - 60000;
	KUNIT_EXPECT_EQ(test, ssd_flush(&m, SECOND), left + 1500000);
	KUNIT_EXPECT_EQ(test, ssd_flush(&m, 2 * SECOND), 2 * SECOND + 1500000);
}

static void ssd_durable_write_costs_a_flush(struct kunit *test)
{
	struct ssd_params p = ssd_sata;
	struct ssd_model plain, through;

	p.volatile_cache = true;
	KUNIT_ASSERT_EQ(test, ssd_model_init(&plain, &p), 0);
	KUNIT_ASSERT_EQ(test, ssd_model_init(&through, &p), 0);
	KUNIT_EXPECT_EQ(test, ssd_write(&through, 8, true, SECOND),
			ssd_write(&plain, 8, false, SECOND) + 1500000);
}

static void ssd_counts_its_work(struct kunit *test)
{
	struct ssd_model m;

	KUNIT_ASSERT_EQ(test, ssd_model_init(&m, &ssd_sata), 0);
	ssd_write(&m, 450000 / 512 * 512, false, SECOND);
	KUNIT_EXPECT_EQ(test, m.busy_ns, div_u64(450000ULL / 512 * 512 * 512 * 1000000, 450000));
	ssd_write(&m, 0, false, 2 * SECOND);
	KUNIT_EXPECT_EQ(test, m.busy_ns, div_u64(450000ULL / 512 * 512 * 512 * 1000000, 450000));
}

static void ssd_refuses_no_bandwidth(struct kunit *test)
{
	struct ssd_params p = ssd_sata;
	struct ssd_model m;

	p.write_kbps = 0;
	KUNIT_EXPECT_EQ(test, ssd_model_init(&m, &p), -EINVAL);
	p = ssd_sata;
	p.read_kbps = 0;
	KUNIT_EXPECT_EQ(test, ssd_model_init(&m, &p), -EINVAL);
}

/* Every latency is below its bucket's limit, and not below that of the bucket before. */
static void ssd_latency_has_a_bucket(struct kunit *test)
{
	u64 ns;
	u32 b;

	for (ns = 1ULL << LATENCY_FIRST; ns < 1ULL << 33; ns += ns / 7) {
		b = latency_bucket(ns);
		KUNIT_ASSERT_LT(test, b, (u32)LATENCY_BUCKETS);
		KUNIT_EXPECT_LT(test, ns, latency_limit(b));
		KUNIT_EXPECT_GE(test, ns * 5, latency_limit(b) * 4);
		KUNIT_EXPECT_EQ(test, latency_bucket(latency_limit(b)), b + 1);
	}
	KUNIT_EXPECT_EQ(test, latency_bucket(0), 0U);
	KUNIT_EXPECT_EQ(test, latency_bucket(U64_MAX), LATENCY_BUCKETS - 1U);
}

static struct kunit_case disk_ssd_cases[] = {
	KUNIT_CASE_PARAM(ssd_rates, ssd_gen_params),
	KUNIT_CASE(ssd_flush_waits_for_a_volatile_cache_only),
	KUNIT_CASE(ssd_durable_write_costs_a_flush),
	KUNIT_CASE(ssd_counts_its_work),
	KUNIT_CASE(ssd_refuses_no_bandwidth),
	KUNIT_CASE(ssd_latency_has_a_bucket),
	{}
};

static struct kunit_suite disk_ssd_suite = {
	.name = "disk_ssd",
	.test_cases = disk_ssd_cases,
};

kunit_test_suite(disk_ssd_suite);
