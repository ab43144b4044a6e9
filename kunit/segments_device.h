/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A log of some segments without data, for segments_test.c, which includes segments.c first.
 */
#ifndef SSDUP_KUNIT_SEGMENTS_DEVICE_H
#define SSDUP_KUNIT_SEGMENTS_DEVICE_H

#define NR		8U
#define FOR_WRITERS	(NR - LOG_SPARE)
/* To drain BALANCE_UNIT sectors, while a segment of SZ_1M sectors takes at most 250 ms */
#define LONGEST_NS	(250 * NSEC_PER_MSEC * BALANCE_UNIT / SZ_1M)

static struct ssdup device;
static struct ssdup_meter meter;	/* of meter.c, which another suite brings along */
static struct ssdup_class *const k = device.class;

/* A log without data. */
static int segments_test_init(struct kunit *test)
{
	memset(&device, 0, sizeof(device));
	device.g.nr_segments = NR;
	device.g.data_sectors = SZ_1M;
	device.g.meta_pages = SSDUP_RING;
	device.set.halves = 2;
	device.set.max_wait_ms = 250;
	device.meter = &meter;
	meter.free_ns = 0;
	device.nr_classes = 1;
	commits = 0;
	events = 0;
	device.stats = alloc_percpu(struct ssdup_stats);
	if (!device.stats || ssdup_segments_create(&device))
		return -ENOMEM;
	ssdup_segments_begin(&device, NULL, NULL, 0, 1);
	return 0;
}

static void segments_test_exit(struct kunit *test)
{
	ssdup_segments_destroy(&device);
	free_percpu(device.stats);
}

static u64 counted(enum ssdup_stat stat)
{
	return stats_sum(&device.stats->count[stat]);
}

static u64 oldest_sealed(struct ssdup_class *class)
{
	bool empty;

	return ssdup_oldest_sealed(&device, class, &empty);
}

/* A writer finds no place in the segment that is open. */
static bool writer_switches(void)
{
	return ssdup_switch(&device, k, k->open, 0);
}

static bool drain_switches(void)
{
	return ssdup_switch(&device, k, k->open, LOG_WORD_LAST);
}

/* To the open segment. */
static void log_entries(u32 entries)
{
	atomic64_add(log_word(entries, 8 * entries), &k->open->word);
}

/* The last one stays open. */
static void write_segments(struct kunit *test, u32 nr)
{
	while (nr--) {
		KUNIT_ASSERT_TRUE(test, writer_switches());
		log_entries(1);
	}
}

static void free_oldest(struct kunit *test, u32 nr)
{
	struct drain_group g;

	KUNIT_ASSERT_TRUE(test, ssdup_group_take(&device, k, nr, false, &g));
	KUNIT_ASSERT_EQ(test, g.nr, nr);
	ssdup_group_freed(&device, &g);
}

/* Those of a drain count as sealed. States and counts agree. */
static void expect_segments(struct kunit *test, u32 nr_free, u32 nr_open, u32 nr_sealed)
{
	u32 nr[SEGMENT_WRITTEN_BACK + 1] = { }, i;

	for (i = 0; i < NR; i++)
		nr[device.segment[i].state]++;
	KUNIT_EXPECT_EQ(test, nr[SEGMENT_FREE], nr_free);
	KUNIT_EXPECT_EQ(test, nr[SEGMENT_OPEN], nr_open);
	KUNIT_EXPECT_EQ(test, NR - nr_free - nr_open, nr_sealed);
	KUNIT_EXPECT_EQ(test, ssdup_free_segments(&device), nr_free);
	KUNIT_EXPECT_EQ(test, ssdup_sealed_segments(&device), nr_sealed);
}

#endif
