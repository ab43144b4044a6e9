// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>
#include <linux/string.h>

#include "core/interference.c"

#define NONE	LOAD_NONE

/* An SSD that is looked at while it is written; too large for a stack. */
struct ssd {
	struct interference	i;
	struct ssd_load		load;
	u64			now;
};

/* A write takes 100 us with up to 128 sectors in flight, then longer in proportion. */
static u32 usual_ns(u64 sectors)
{
	return max(100000ULL, sectors * 100000 / 128);
}

/* A span of writes: each takes @percent of what is usual; @reads of the SSD begin. */
static void span(struct ssd *ssd, u32 size, u64 sectors, u32 percent, u32 reads)
{
	u32 look, ns = usual_ns(sectors) / 100 * percent;

	for (look = 0; look < LOAD_SPAN / LOAD_LOOK; look++) {
		ssd->now += LOAD_LOOK;
		ssd->load.timed[size].ns += (u64)ns * 50;
		ssd->load.timed[size].nr += 50;
		ssd->load.sectors = sectors;
		ssd->load.others += reads;
		ssdup_interference_look(&ssd->i, &ssd->load, ssd->now);
	}
}

static void spans(struct ssd *ssd, u32 nr, u32 size, u64 sectors, u32 percent, u32 reads)
{
	while (nr--)
		span(ssd, size, sectors, percent, reads);
}

static void expect_about(struct kunit *test, const struct ssd *ssd, u32 percent)
{
	u32 r = ssdup_interference(&ssd->i), wanted = NONE / 100 * percent;

	KUNIT_EXPECT_GE(test, r, wanted - wanted / 20);
	KUNIT_EXPECT_LE(test, r, wanted + wanted / 20);
}

static void new_ssd(struct ssd *ssd)
{
	memset(ssd, 0, sizeof(*ssd));
	ssd->now = 1000 * LOAD_SPAN;
}

static void sizes_of_writes(struct kunit *test)
{
	static const struct { u32 sectors, size; } rows[] = {
		{ 1, 0 }, { 8, 0 }, { 15, 0 }, { 16, 1 }, { 32, 2 }, { 63, 2 }, { 64, 3 },
		{ 256, 5 }, { 511, 5 }, { 512, 6 }, { 2048, 6 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		KUNIT_EXPECT_EQ(test, ssdup_load_size(rows[i].sectors), rows[i].size);
}

static void readers_disturb(struct kunit *test)
{
	static struct ssd ssd;

	new_ssd(&ssd);
	KUNIT_EXPECT_EQ(test, ssdup_interference(&ssd.i), NONE);
	spans(&ssd, 20, 2, 512, 100, 0);
	KUNIT_EXPECT_EQ(test, ssdup_interference(&ssd.i), NONE);
	/* After a second it is all of it, and soon most. */
	spans(&ssd, 30, 2, 512, 180, 100);
	expect_about(test, &ssd, 180);
	/* It passes as it came, with the last second. */
	spans(&ssd, 5, 2, 512, 100, 0);
	KUNIT_EXPECT_LT(test, ssdup_interference(&ssd.i), 16000);
	spans(&ssd, 40, 2, 512, 100, 0);
	expect_about(test, &ssd, 100);
}

/* What it loses by itself is learnt, and so is what it wins. */
static void an_ssd_changes(struct kunit *test)
{
	static struct ssd ssd;

	new_ssd(&ssd);
	spans(&ssd, 20, 2, 512, 100, 0);
	spans(&ssd, 60, 2, 512, 200, 0);
	KUNIT_EXPECT_EQ(test, ssdup_interference(&ssd.i), NONE);
	spans(&ssd, 30, 2, 512, 200, 1);
	expect_about(test, &ssd, 100);
	spans(&ssd, 80, 2, 512, 100, 0);
	spans(&ssd, 30, 2, 512, 150, 1);
	expect_about(test, &ssd, 150);
}

static void never_seen_without_readers(struct kunit *test)
{
	static struct ssd ssd;

	new_ssd(&ssd);
	spans(&ssd, 30, 2, 512, 300, 1);
	KUNIT_EXPECT_EQ(test, ssdup_interference(&ssd.i), NONE);
	/* Of another size nothing is known either. */
	spans(&ssd, 10, 3, 512, 100, 0);
	spans(&ssd, 30, 2, 512, 300, 1);
	KUNIT_EXPECT_EQ(test, ssdup_interference(&ssd.i), NONE);
}

/* A read may go on for longer than the span in which it began. */
static void nothing_is_learnt_behind_readers(struct kunit *test)
{
	static struct ssd ssd;
	u32 i;

	new_ssd(&ssd);
	spans(&ssd, 20, 2, 512, 100, 0);
	for (i = 0; i < 50; i++) {
		span(&ssd, 2, 512, 200, 1);
		/* The spans begin with the second look. */
		span(&ssd, 2, 512, 200, 0);
		span(&ssd, 2, 512, 200, 0);
	}
	spans(&ssd, 30, 2, 512, 200, 1);
	expect_about(test, &ssd, 200);
}

/* As much is expected as there is in flight: fewer writes at once are no interference, nor more. */
static void depths(struct kunit *test)
{
	static const u64 seen[] = { 32, 128, 512, 2048 };
	static struct ssd ssd;
	u64 sectors;
	u32 i;

	new_ssd(&ssd);
	for (i = 0; i < 4 * 30; i++)
		span(&ssd, 2, seen[i / 30], 100, 0);
	for (sectors = 16; sectors <= 8192; sectors = sectors * 5 / 4) {
		spans(&ssd, 40, 2, sectors, 100, 1);
		/* What lies between two that were seen, or below all, is taken to be slower. */
		KUNIT_EXPECT_LE(test, ssdup_interference(&ssd.i), NONE * 11 / 10);
	}
	for (i = 0; i < ARRAY_SIZE(seen); i++) {
		spans(&ssd, 40, 2, seen[i], 170, 1);
		expect_about(test, &ssd, 170);
	}
}

/* Between two powers of two, which never were in flight. */
static void between_depths(struct kunit *test)
{
	static struct ssd ssd;

	new_ssd(&ssd);
	spans(&ssd, 100, 2, 700, 100, 0);
	spans(&ssd, 100, 2, 900, 100, 0);
	spans(&ssd, 100, 2, 700, 100, 0);
	spans(&ssd, 40, 2, 800, 200, 1);
	KUNIT_EXPECT_GE(test, ssdup_interference(&ssd.i), 18000);
	KUNIT_EXPECT_LE(test, ssdup_interference(&ssd.i), 22000);
}

/* Each size is compared with its own time. */
static void a_mixture(struct kunit *test)
{
	static struct ssd ssd;
	u32 i;

	new_ssd(&ssd);
	for (i = 0; i < 40; i++)
		span(&ssd, i % 2 ? 0 : 6, 1024, i % 2 ? 20 : 100, 0);
	for (i = 0; i < 40; i++)
		span(&ssd, 0, 1024, 20, 1);
	expect_about(test, &ssd, 100);
	for (i = 0; i < 40; i++)
		span(&ssd, i % 3 ? 0 : 6, 1024, i % 3 ? 30 : 150, 1);
	expect_about(test, &ssd, 150);
}

/* Whoever writes in bursts, or rests for long, is not disturbed. */
static void pauses(struct kunit *test)
{
	static struct ssd ssd;
	u32 i;

	new_ssd(&ssd);
	spans(&ssd, 20, 2, 512, 100, 0);
	spans(&ssd, 30, 2, 512, 200, 1);
	expect_about(test, &ssd, 200);
	ssd.load.sectors = 0;
	ssd.now += 30ULL * LOAD_SPAN;
	ssdup_interference_look(&ssd.i, &ssd.load, ssd.now);
	KUNIT_EXPECT_EQ(test, ssdup_interference(&ssd.i), NONE);
	/* Nothing in flight at any look, though writes ended: nothing to divide by. */
	for (i = 0; i < 30; i++) {
		ssd.load.timed[2].ns += 1000000;
		ssd.load.timed[2].nr++;
		ssd.now += LOAD_LOOK;
		ssdup_interference_look(&ssd.i, &ssd.load, ssd.now);
	}
	KUNIT_EXPECT_EQ(test, ssdup_interference(&ssd.i), NONE);
	for (i = 0; i < 40; i++) {
		span(&ssd, 2, 512, 200, 1);
		ssd.load.sectors = 0;
		ssd.now += LOAD_SPAN / 2;
		ssdup_interference_look(&ssd.i, &ssd.load, ssd.now);
	}
	expect_about(test, &ssd, 200);
}

/* Each write waits for a second and more. */
static void long_waits(struct kunit *test)
{
	static struct ssd ssd;
	u32 i;

	new_ssd(&ssd);
	spans(&ssd, 20, 2, 512, 100, 0);
	for (i = 0; i < 10; i++) {
		ssd.now += 12ULL * LOAD_SPAN;
		ssd.load.timed[2].ns += 12ULL * LOAD_SPAN;
		ssd.load.timed[2].nr++;
		ssd.load.others++;
		ssdup_interference_look(&ssd.i, &ssd.load, ssd.now);
	}
	KUNIT_EXPECT_EQ(test, ssdup_interference(&ssd.i), 100 * NONE);
	/* One whose time is not added yet, or without it. */
	ssd.now += LOAD_SPAN;
	ssd.load.timed[2].nr++;
	ssd.load.timed[3].ns += 1000;
	ssdup_interference_look(&ssd.i, &ssd.load, ssd.now);
	KUNIT_EXPECT_EQ(test, ssd.i.ns[3][9], 0);
}

static void extremes(struct kunit *test)
{
	static struct ssd ssd;

	new_ssd(&ssd);
	spans(&ssd, 20, 6, 1ULL << 30, 1, 0);
	spans(&ssd, 20, 6, 1ULL << 31, 1, 1);
	KUNIT_EXPECT_GE(test, ssdup_interference(&ssd.i), NONE);
	new_ssd(&ssd);
	spans(&ssd, 20, 0, 1, 1, 0);
	spans(&ssd, 100, 0, 1, 40000, 1);
	expect_about(test, &ssd, 10000);
}

/* What an SSD does with reads and writes, to what it would do with reads alone, in bytes. */
static void what_reads_alone_gain(struct kunit *test)
{
	static struct ssd reads, writes;

	new_ssd(&reads);
	new_ssd(&writes);
	KUNIT_EXPECT_EQ(test, ssdup_interference_gain(&reads.i, &writes.i), 0);
	/* Alone they gain nothing. */
	spans(&reads, 60, 2, 512, 100, 0);
	KUNIT_EXPECT_EQ(test, ssdup_interference_gain(&reads.i, &writes.i), NONE);
	/* They take four times as long, and the writes make up for half of that. */
	spans(&reads, 60, 2, 512, 400, 1);
	spans(&writes, 60, 2, 512, 400, 1);
	KUNIT_EXPECT_GE(test, ssdup_interference_gain(&reads.i, &writes.i), NONE * 19 / 10);
	KUNIT_EXPECT_LE(test, ssdup_interference_gain(&reads.i, &writes.i), NONE * 21 / 10);
	/* The writes do what the reads lose. */
	spans(&writes, 60, 2, 1536, 400, 1);
	spans(&writes, 60, 2, 1536, 133, 1);
	KUNIT_EXPECT_LE(test, ssdup_interference_gain(&reads.i, &writes.i), NONE * 11 / 10);
	/* One reader waits as long, and is not worth it. */
	spans(&reads, 60, 2, 8, 100, 0);
	spans(&reads, 60, 2, 8, 400, 1);
	expect_about(test, &reads, 400);
	KUNIT_EXPECT_LE(test, ssdup_interference_gain(&reads.i, &writes.i), NONE / 2);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(sizes_of_writes),
	KUNIT_CASE(readers_disturb),
	KUNIT_CASE(an_ssd_changes),
	KUNIT_CASE(never_seen_without_readers),
	KUNIT_CASE(nothing_is_learnt_behind_readers),
	KUNIT_CASE(depths),
	KUNIT_CASE(between_depths),
	KUNIT_CASE(a_mixture),
	KUNIT_CASE(pauses),
	KUNIT_CASE(what_reads_alone_gain),
	KUNIT_CASE(long_waits),
	KUNIT_CASE(extremes),
	{ }
};

static struct kunit_suite suite = { .name = "ssdup-interference", .test_cases = cases };

kunit_test_suite(suite);
