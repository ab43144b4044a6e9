/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A log of a few segments, and what is done with them, for suites of segments.c.
 */
#ifndef SSDUP_KUNIT_SEGMENTS_DEVICE_H
#define SSDUP_KUNIT_SEGMENTS_DEVICE_H

#include "log/log_internal.h"
#include "device.h"

#define NR		8U
#define FOR_WRITERS	(NR - LOG_DRAIN_SEGMENTS)

static __maybe_unused u64 counted(enum ssdup_stat stat)
{
	return stats_sum(&device.stats->count[stat]);
}

static __maybe_unused u64 oldest_sealed(struct ssdup_class *class)
{
	bool empty;

	return ssdup_oldest_sealed(device.log, class, &empty);
}

/* A writer finds no place in the segment that is open. */
static __maybe_unused bool writer_switches(void)
{
	return ssdup_switch(device.log, classes, classes->open, 0);
}

static __maybe_unused bool drain_switches(void)
{
	return ssdup_switch(device.log, classes, classes->open, LOG_WORD_DRAIN);
}

/* To the open segment. */
static __maybe_unused void log_entries(u32 entries)
{
	atomic64_add(log_word(entries, 8 * entries), &classes->open->word);
}

/* The last one stays open. */
static __maybe_unused void write_segments(struct kunit *test, u32 nr)
{
	while (nr--) {
		KUNIT_ASSERT_TRUE(test, writer_switches());
		log_entries(1);
	}
}

static __maybe_unused void free_oldest(struct kunit *test, u32 nr)
{
	struct drain_group g;

	KUNIT_ASSERT_TRUE(test, ssdup_group_take(device.log, classes, nr, false, false, &g));
	KUNIT_ASSERT_EQ(test, g.nr, nr);
	ssdup_group_freed(device.log, &g);
}

/* Those of a drain count as sealed. States and counts agree. */
static __maybe_unused void expect_segments(struct kunit *test, u32 nr_free, u32 nr_open,
					   u32 nr_sealed)
{
	u32 nr[SEGMENT_WRITTEN_BACK + 1] = { }, i;

	for (i = 0; i < NR; i++)
		nr[device.log->segment[i].state]++;
	KUNIT_EXPECT_EQ(test, nr[SEGMENT_FREE], nr_free);
	KUNIT_EXPECT_EQ(test, nr[SEGMENT_OPEN], nr_open);
	KUNIT_EXPECT_EQ(test, NR - nr_free - nr_open, nr_sealed);
	KUNIT_EXPECT_EQ(test, ssdup_free_segments(device.log), nr_free);
	KUNIT_EXPECT_EQ(test, ssdup_sealed_segments(device.log), nr_sealed);
}

#endif
