// SPDX-License-Identifier: GPL-2.0-only
/* invariant: 2 4 */
/*
 * Which segments are open, sealed, drained and free. segments.c and groups.c are no pure files, so
 * this suite is for a kernel only. It has no tracepoints, and what they call of others is the
 * suite's.
 */
#define NOTRACE
#include <kunit/test.h>

#include "base/failure.h"
#include "base/wakeups.h"
#include "log/guard.h"

#include "commit_soon.h"

static u32 commits, events;

void (*on_commit_soon)(struct ssdup *c);
u32 clean_kicks;

void ssdup_commit_soon(struct ssdup *c, bool now)
{
	commits++;
	if (on_commit_soon)
		on_commit_soon(c);
}

void ssdup_event(struct ssdup *c)
{
	events++;
}

void ssdup_kick_writeback(struct ssdup *c)
{
}

/* Their logs have no guard. */
void ssdup_kick_guard(struct ssdup *c)
{
}

enum guard_state ssdup_guard_state(const struct ssdup_log *log)
{
	return GUARD_OPEN;
}

void ssdup_kick_clean(struct ssdup *c)
{
	clean_kicks++;
}

void ssdup_fail(struct ssdup *c, enum ssdup_mode mode, const char *why)
{
	c->mode = mode;
}

#include "log/segments.c"
#include "log/space.c"
#include "log/groups.c"
#include "log/clean_list.c"
#include "segments_device.h"

static int segments_test_init(struct kunit *test)
{
	commits = 0;
	events = 0;
	return make_device(NR, 1, 1);
}

static void segments_test_exit(struct kunit *test)
{
	drop_device();
}

/* --- Switches --- */

/* Both find the first segment sealed, because it is free; then one opens it. */
static void two_first_writes(struct kunit *test)
{
	struct ssdup_segment *none = classes->open, *first = device.log->segment;

	KUNIT_EXPECT_TRUE(test, ssdup_switch(device.log, classes, none, 0));
	KUNIT_EXPECT_TRUE(test, ssdup_switch(device.log, classes, none, 0));
	KUNIT_EXPECT_PTR_EQ(test, classes->open, first);
	KUNIT_EXPECT_EQ(test, first->generation, 1);
	KUNIT_EXPECT_EQ(test, atomic64_read(&first->word), 0);
	expect_segments(test, NR - 1, 1, 0);
	/* A drain that relocates is a writer, too. */
	KUNIT_EXPECT_TRUE(test, ssdup_switch(device.log, classes, first, LOG_WORD_DRAIN));
	expect_segments(test, NR - 1, 1, 0);

	log_entries(1);
	KUNIT_EXPECT_TRUE(test, ssdup_switch(device.log, classes, first, 0));
	KUNIT_EXPECT_EQ(test, classes->open->generation, 2);
	expect_segments(test, NR - 2, 1, 1);
}

/* A writer finds a segment full, and sleeps until it was freed and is open again. */
static void the_same_segment_later(struct kunit *test)
{
	struct ssdup_segment *seg;

	KUNIT_ASSERT_TRUE(test, writer_switches());
	seg = classes->open;
	seg->header = true;
	seg->pages_done = 1;
	seg->relocated = 1;
	do {
		log_entries(1);
		KUNIT_ASSERT_TRUE(test, writer_switches());
		free_oldest(test, 1);
	} while (classes->open != seg);

	KUNIT_EXPECT_TRUE(test, ssdup_switch(device.log, classes, seg, 0));
	KUNIT_EXPECT_PTR_EQ(test, classes->open, seg);
	KUNIT_EXPECT_EQ(test, seg->generation, NR + 1);
	KUNIT_EXPECT_FALSE(test, seg->header || seg->pages_done || seg->relocated);
	KUNIT_EXPECT_EQ(test, atomic64_read(&seg->word), 0);
	expect_segments(test, NR - 1, 1, 0);
}

static void a_switch_seals_and_opens(struct kunit *test)
{
	const u32 entries = SSDUP_PAGE_ENTRIES + 1;
	struct ssdup_segment *old, *ring[NR];
	u32 i;

	KUNIT_EXPECT_EQ(test, ssdup_open_generation(device.log, classes), 1);
	KUNIT_ASSERT_TRUE(test, writer_switches());
	for (i = 1; i < 4; i++) {
		old = classes->open;
		KUNIT_EXPECT_EQ(test, old->index, i - 1);
		KUNIT_EXPECT_EQ(test, old->generation, i);
		KUNIT_EXPECT_EQ(test, ssdup_open_generation(device.log, classes), i);
		KUNIT_EXPECT_EQ(test, atomic64_read(&old->seq), (u64)i << SSDUP_SEQ_BITS);
		/* Behind two pages of each one before. */
		KUNIT_EXPECT_EQ(test, old->base, 2 * (i - 1));

		log_entries(entries);
		KUNIT_EXPECT_TRUE(test, ssdup_switch(device.log, classes, old, 0));
		KUNIT_EXPECT_EQ(test, old->state, SEGMENT_SEALED);
		KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&old->word),
				LOG_WORD_SEALED | log_word(entries, 8 * entries));
		expect_segments(test, NR - 1 - i, 1, i);
		/* Who comes late finds another one open. */
		KUNIT_EXPECT_TRUE(test, ssdup_switch(device.log, classes, old, 0));
		expect_segments(test, NR - 1 - i, 1, i);
	}
	KUNIT_EXPECT_EQ(test, counted(STAT_SEALS), 3);

	KUNIT_ASSERT_EQ(test, ssdup_segments_in_ring(device.log, classes, ring), 4);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_PTR_EQ(test, ring[i], &device.log->segment[i]);
	ssdup_left_ring(device.log, ring[0]);
	KUNIT_ASSERT_EQ(test, ssdup_segments_in_ring(device.log, classes, ring), 3);
	KUNIT_EXPECT_PTR_EQ(test, ring[0], &device.log->segment[1]);
}

/* With a quarter of the ring in use a switch asks for a commit. */
static void a_switch_commits(struct kunit *test)
{
	KUNIT_ASSERT_TRUE(test, writer_switches());
	log_entries((SSDUP_RING / 4 - 1) * SSDUP_PAGE_ENTRIES);
	KUNIT_ASSERT_TRUE(test, writer_switches());
	KUNIT_EXPECT_EQ(test, commits, 0);
	log_entries(1);
	KUNIT_ASSERT_TRUE(test, writer_switches());
	KUNIT_EXPECT_EQ(test, commits, 1);
	classes->ring_tail = 1;
	log_entries(1);
	KUNIT_ASSERT_TRUE(test, writer_switches());
	KUNIT_EXPECT_EQ(test, commits, 2);
	classes->ring_tail = classes->open->base;
	log_entries(1);
	KUNIT_ASSERT_TRUE(test, writer_switches());
	KUNIT_EXPECT_EQ(test, commits, 2);
}

static void an_empty_segment_stays_open(struct kunit *test)
{
	ssdup_seal(device.log, classes, false);
	expect_segments(test, NR, 0, 0);
	KUNIT_ASSERT_TRUE(test, writer_switches());
	ssdup_seal(device.log, classes, false);
	expect_segments(test, NR - 1, 1, 0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&classes->open->word), 0);

	log_entries(1);
	ssdup_seal(device.log, classes, false);
	expect_segments(test, NR - 1, 0, 1);
	ssdup_seal(device.log, classes, true);
	expect_segments(test, NR - 1, 0, 1);
	KUNIT_EXPECT_EQ(test, counted(STAT_SEALS), 1);
	/* Nothing is added to a log that is read-only. */
	KUNIT_ASSERT_TRUE(test, writer_switches());
	ssdup_seal(device.log, classes, true);
	expect_segments(test, NR - 2, 0, 2);
}

/* Data counts as written from when it has a place, in the open segment or a sealed one. */
static void places_are_counted(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ssdup_log_written(device.log), 0);
	KUNIT_ASSERT_TRUE(test, writer_switches());
	atomic64_set(&classes->open->word, log_word(3, 24));
	KUNIT_EXPECT_EQ(test, ssdup_log_written(device.log), 24);
	KUNIT_ASSERT_TRUE(test, writer_switches());
	KUNIT_EXPECT_EQ(test, ssdup_log_written(device.log), 24);
	atomic64_set(&classes->open->word, log_word(1, 8));
	ssdup_seal(device.log, classes, false);
	ssdup_seal(device.log, classes, true);
	KUNIT_EXPECT_EQ(test, ssdup_log_written(device.log), 32);
}

static void a_read_only_log_opens_nothing(struct kunit *test)
{
	write_segments(test, 1);
	device.mode = MODE_LOG_READ_ONLY;
	KUNIT_EXPECT_FALSE(test, writer_switches());
	KUNIT_EXPECT_FALSE(test, drain_switches());
	expect_segments(test, NR - 1, 1, 0);
	KUNIT_EXPECT_FALSE(test, ssdup_segments_full(device.log));
}

static void generations_end(struct kunit *test)
{
	classes->next = LOG_MAX_GENERATION;
	write_segments(test, 1);
	KUNIT_EXPECT_EQ(test, device.mode, MODE_RUNNING);
	KUNIT_EXPECT_FALSE(test, writer_switches());
	KUNIT_EXPECT_EQ(test, device.mode, MODE_LOG_READ_ONLY);
	expect_segments(test, NR - 1, 1, 0);
}

/* The first generation is behind all live ones, and the first segment behind the youngest. */
static void a_log_goes_on_after_a_replay(struct kunit *test)
{
	const struct log_header live[] = {
		{ .segment = 3, .generation = 9 }, { .segment = 6, .generation = 11 },
	};
	const u32 pages[] = { 2, 0 }, order[] = { 7, 0, 1, 2, 4, 5 };
	struct drain_group g;
	u32 i;

	ssdup_segments_destroy(device.log);
	KUNIT_ASSERT_EQ(test, ssdup_segments_create(device.log), 0);
	ssdup_segments_begin(device.log, live, pages, 2, 12);
	expect_segments(test, FOR_WRITERS, 0, 2);
	KUNIT_EXPECT_EQ(test, segment_pages(&device.log->segment[3]), 2);
	KUNIT_EXPECT_EQ(test, segment_pages(&device.log->segment[6]), 0);
	KUNIT_EXPECT_EQ(test, oldest_sealed(classes), 9);
	KUNIT_EXPECT_EQ(test, ssdup_last_dirty(device.log, classes), 11);
	KUNIT_ASSERT_TRUE(test, ssdup_group_take(device.log, classes, NR, false, false, &g));
	KUNIT_EXPECT_EQ(test, g.nr, 2);
	KUNIT_EXPECT_EQ(test, g.sectors, device.log->g.data_sectors);

	for (i = 0; i < ARRAY_SIZE(order); i++) {
		KUNIT_ASSERT_TRUE(test, drain_switches());
		KUNIT_EXPECT_EQ(test, classes->open->index, order[i]);
		KUNIT_EXPECT_EQ(test, classes->open->generation, 12 + i);
		KUNIT_EXPECT_EQ(test, classes->open->base, i);
		log_entries(1);
	}
}

/* --- A full log --- */

static void the_last_segments_are_spare(struct kunit *test)
{
	u64 next;
	u32 i;

	write_segments(test, FOR_WRITERS);
	KUNIT_EXPECT_FALSE(test, writer_switches());
	expect_segments(test, LOG_DRAIN_SEGMENTS, 1, FOR_WRITERS - 1);
	KUNIT_EXPECT_EQ(test, device.wake.cause, WAIT_SPACE);

	for (i = 1; i <= LOG_DRAIN_SEGMENTS; i++) {
		KUNIT_EXPECT_TRUE(test, drain_switches());
		expect_segments(test, LOG_DRAIN_SEGMENTS - i, 1, FOR_WRITERS - 1 + i);
		KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&classes->open->word), LOG_WORD_DRAIN);
		/* It is empty, but a writer gets no place, and waits: it would try for ever. */
		KUNIT_EXPECT_FALSE(test, log_word_reserve(LOG_WORD_DRAIN, &device.log->g, 8,
							  &next));
		KUNIT_EXPECT_FALSE(test, writer_switches());
		if (i < LOG_DRAIN_SEGMENTS) {
			KUNIT_EXPECT_TRUE(test, drain_switches());
			expect_segments(test, LOG_DRAIN_SEGMENTS - i, 1, FOR_WRITERS - 1 + i);
		}
		log_entries(1);
	}
	KUNIT_EXPECT_FALSE(test, drain_switches());
	expect_segments(test, 0, 1, NR - 1);

	/* Writers get what is left of it as soon as more are free than a drain needs. */
	free_oldest(test, LOG_DRAIN_SEGMENTS);
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&classes->open->word),
			LOG_WORD_DRAIN | log_word(1, 8));
	free_oldest(test, 1);
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&classes->open->word), log_word(1, 8));
	KUNIT_EXPECT_TRUE(test, writer_switches());
	KUNIT_EXPECT_EQ(test, atomic64_read(&classes->open->word), 0);
}

static bool flusher_switches(void)
{
	return ssdup_switch(device.log, classes, classes->open, LOG_WORD_KEPT);
}

/* Who flushes has the last one for writers, but not all of what comes back. */
static void one_is_kept(struct kunit *test)
{
	u64 next;

	device.log->segments->nr_leased = SSDUP_MIN_SEGMENTS;
	write_segments(test, FOR_WRITERS - 1);
	KUNIT_EXPECT_FALSE(test, writer_switches());
	KUNIT_EXPECT_TRUE(test, flusher_switches());
	log_entries(1);
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&classes->open->word),
			LOG_WORD_KEPT | log_word(1, 8));
	KUNIT_EXPECT_FALSE(test, writer_switches());
	KUNIT_EXPECT_TRUE(test, ssdup_segments_full(device.log));

	/* They have filled it. The next one is for all. */
	free_oldest(test, 1);
	KUNIT_EXPECT_FALSE(test, writer_switches());
	KUNIT_EXPECT_TRUE(test, flusher_switches());
	KUNIT_EXPECT_FALSE(test, ssdup_segments_full(device.log));
	KUNIT_EXPECT_TRUE(test, log_word_reserve(atomic64_read(&classes->open->word),
						 &device.log->g, 8, &next));
	log_entries(1);
	KUNIT_EXPECT_FALSE(test, flusher_switches());

	/* The one after that is kept, and its rest is for all when another one is free. */
	free_oldest(test, 1);
	KUNIT_EXPECT_FALSE(test, writer_switches());
	KUNIT_EXPECT_TRUE(test, flusher_switches());
	log_entries(1);
	free_oldest(test, 1);
	KUNIT_EXPECT_TRUE(test, atomic64_read(&classes->open->word) & LOG_WORD_KEPT);
	free_oldest(test, 1);
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&classes->open->word), log_word(1, 8));
	KUNIT_EXPECT_TRUE(test, writer_switches());
	KUNIT_EXPECT_FALSE(test, writer_switches());
}

/* A full log is told once. */
static void full_is_told(struct kunit *test)
{
	write_segments(test, FOR_WRITERS);
	KUNIT_EXPECT_FALSE(test, ssdup_segments_full(device.log));
	KUNIT_EXPECT_FALSE(test, writer_switches());
	KUNIT_EXPECT_FALSE(test, writer_switches());
	KUNIT_EXPECT_TRUE(test, ssdup_segments_full(device.log));
	KUNIT_EXPECT_EQ(test, events, 1);

	free_oldest(test, 1);
	KUNIT_EXPECT_FALSE(test, ssdup_segments_full(device.log));
	write_segments(test, 1);
	KUNIT_EXPECT_FALSE(test, writer_switches());
	KUNIT_EXPECT_EQ(test, events, 2);
}

/* --- Discards --- */

static u32 first_of(struct list_head *batch)
{
	return list_first_entry(batch, struct ssdup_segment, list)->index;
}

/* Of what writers may open half is discarded at once. Nobody opens that meanwhile. */
static void none_is_opened_while_discarded(struct kunit *test)
{
	LIST_HEAD(batch);
	u32 i;

	/* A new log has nothing to discard. */
	KUNIT_EXPECT_EQ(test, ssdup_discard_begin(device.log, NR, &batch), 0);
	write_segments(test, FOR_WRITERS);
	free_oldest(test, FOR_WRITERS - 1);
	KUNIT_ASSERT_EQ(test, ssdup_discard_begin(device.log, NR, &batch), 2);
	KUNIT_EXPECT_EQ(test, first_of(&batch), 0);
	KUNIT_EXPECT_EQ(test, ssdup_free_segments(device.log), NR - 3);
	KUNIT_EXPECT_EQ(test, ssdup_discarding_segments(device.log), 2);

	/* Two that were never used, and one that is still to be discarded. */
	write_segments(test, 3);
	KUNIT_EXPECT_EQ(test, classes->open->index, 2);
	KUNIT_EXPECT_FALSE(test, writer_switches());
	for (i = 0; i < LOG_DRAIN_SEGMENTS; i++) {
		KUNIT_ASSERT_TRUE(test, drain_switches());
		log_entries(1);
	}
	KUNIT_EXPECT_FALSE(test, drain_switches());

	ssdup_discard_end(device.log, &batch);
	KUNIT_EXPECT_FALSE(test, ssdup_segments_full(device.log));
	KUNIT_EXPECT_EQ(test, ssdup_free_segments(device.log), LOG_DRAIN_SEGMENTS);
	KUNIT_EXPECT_EQ(test, ssdup_discarding_segments(device.log), 0);
	KUNIT_EXPECT_FALSE(test, writer_switches());
	free_oldest(test, 1);
	KUNIT_EXPECT_TRUE(test, writer_switches());
	KUNIT_EXPECT_EQ(test, classes->open->index, 0);
}

/* A batch is one range of the SSD. The first segments of a log stay ready. */
static void neighbours_are_discarded(struct kunit *test)
{
	const struct log_header live[] = {
		{ .segment = 5, .generation = 1 }, { .segment = 7, .generation = 2 },
	};
	const u32 pages[] = { 1, 1 }, order[] = { 4, 6 };
	u32 i;

	ssdup_segments_destroy(device.log);
	KUNIT_ASSERT_EQ(test, ssdup_segments_create(device.log), 0);
	ssdup_segments_begin(device.log, live, pages, 2, 3);
	for (i = 0; i < ARRAY_SIZE(order); i++) {
		LIST_HEAD(batch);

		/* Reads may still point into what a read-only log has freed. */
		device.mode = MODE_LOG_READ_ONLY;
		KUNIT_EXPECT_EQ(test, ssdup_discard_begin(device.log, NR, &batch), 0);
		device.mode = MODE_RUNNING;
		KUNIT_ASSERT_EQ(test, ssdup_discard_begin(device.log, NR, &batch), 1);
		KUNIT_EXPECT_EQ(test, first_of(&batch), order[i]);
		ssdup_discard_end(device.log, &batch);
	}
	KUNIT_ASSERT_TRUE(test, writer_switches());
	KUNIT_EXPECT_EQ(test, classes->open->index, 0);
}

/* --- Drain groups --- */

/* Of the oldest that were not tried, up to one that is open, or has writes in flight or staged. */
static void groups_are_taken_in_order(struct kunit *test)
{
	struct ssdup_segment *seg = device.log->segment;
	struct drain_group g;

	KUNIT_EXPECT_FALSE(test, ssdup_group_take(device.log, classes, NR, false, false, &g));
	write_segments(test, 5);
	atomic_set(&seg[0].writes, 1);
	KUNIT_EXPECT_FALSE(test, ssdup_group_take(device.log, classes, NR, false, false, &g));
	KUNIT_EXPECT_EQ(test, oldest_sealed(classes), U64_MAX);
	atomic_set(&seg[0].writes, 0);
	atomic_set(&seg[0].staged, 1 + STAGE_STRANDED_ONE);
	KUNIT_EXPECT_FALSE(test, ssdup_group_take(device.log, classes, NR, false, false, &g));
	KUNIT_EXPECT_EQ(test, oldest_sealed(classes), U64_MAX);
	/* What is held is read from memory. */
	atomic_set(&seg[0].staged, STAGE_STRANDED_ONE);
	KUNIT_EXPECT_EQ(test, oldest_sealed(classes), 1);
	atomic_set(&seg[0].staged, 0);
	atomic_set(&seg[3].writes, 1);
	KUNIT_EXPECT_EQ(test, oldest_sealed(classes), 1);

	KUNIT_ASSERT_TRUE(test, ssdup_group_take(device.log, classes, 2, false, false, &g));
	KUNIT_EXPECT_PTR_EQ(test, group_first(&g), &seg[0]);
	KUNIT_EXPECT_PTR_EQ(test, group_next(&g, &seg[0]), &seg[1]);
	KUNIT_EXPECT_PTR_EQ(test, group_next(&g, &seg[1]), NULL);
	KUNIT_EXPECT_EQ(test, g.nr, 2);
	KUNIT_EXPECT_EQ(test, g.part[0].last, 2);
	KUNIT_EXPECT_EQ(test, g.sectors, 16);
	KUNIT_EXPECT_EQ(test, seg[0].state, SEGMENT_DRAINING);
	KUNIT_EXPECT_EQ(test, seg[1].state, SEGMENT_DRAINING);
	KUNIT_EXPECT_EQ(test, seg[2].state, SEGMENT_SEALED);
	expect_segments(test, NR - 5, 1, 4);

	KUNIT_ASSERT_TRUE(test, ssdup_group_take(device.log, classes, NR, false, false, &g));
	KUNIT_EXPECT_PTR_EQ(test, group_first(&g), &seg[2]);
	KUNIT_EXPECT_EQ(test, g.nr, 1);
	atomic_set(&seg[3].writes, 0);
	seg[3].tried = true;
	KUNIT_EXPECT_FALSE(test, ssdup_group_take(device.log, classes, NR, false, false, &g));
}

static void a_group_shrinks(struct kunit *test)
{
	struct ssdup_segment *seg = device.log->segment;
	struct drain_group g;

	write_segments(test, 4);
	KUNIT_ASSERT_TRUE(test, ssdup_group_take(device.log, classes, NR, false, false, &g));
	KUNIT_ASSERT_EQ(test, g.nr, 3);
	g.wrote = true;
	ssdup_group_shrink(device.log, &g, 1);
	KUNIT_EXPECT_PTR_EQ(test, group_first(&g), &seg[0]);
	KUNIT_EXPECT_PTR_EQ(test, group_next(&g, &seg[0]), NULL);
	KUNIT_EXPECT_EQ(test, g.nr, 1);
	KUNIT_EXPECT_EQ(test, g.sectors, 8);
	KUNIT_EXPECT_TRUE(test, g.wrote);
	KUNIT_EXPECT_EQ(test, seg[0].state, SEGMENT_DRAINING);
	KUNIT_EXPECT_EQ(test, seg[1].state, SEGMENT_SEALED);
	KUNIT_EXPECT_EQ(test, seg[2].state, SEGMENT_SEALED);

	ssdup_group_shrink(device.log, &g, 0);
	KUNIT_EXPECT_PTR_EQ(test, group_first(&g), NULL);
	KUNIT_EXPECT_EQ(test, seg[0].state, SEGMENT_SEALED);
	/* All can be taken again. */
	free_oldest(test, 3);
}

static void what_is_written_back_is_freed(struct kunit *test)
{
	struct ssdup_segment *seg = device.log->segment, *ring[NR];
	struct drain_group g, all;
	u32 i;

	write_segments(test, 4);
	KUNIT_EXPECT_FALSE(test, ssdup_group_all(device.log, classes, true, &all));
	KUNIT_ASSERT_TRUE(test, ssdup_group_take(device.log, classes, 2, false, false, &g));
	KUNIT_EXPECT_EQ(test, oldest_sealed(classes), 1);
	ssdup_group_set(device.log, &g, SEGMENT_WRITTEN_BACK);
	KUNIT_EXPECT_EQ(test, oldest_sealed(classes), 3);
	seg[1].lost = true;
	KUNIT_ASSERT_TRUE(test, ssdup_group_all(device.log, classes, true, &all));
	KUNIT_EXPECT_EQ(test, all.nr, 1);
	seg[1].lost = false;
	KUNIT_ASSERT_TRUE(test, ssdup_group_all(device.log, classes, true, &all));
	KUNIT_EXPECT_EQ(test, all.nr, 2);
	KUNIT_ASSERT_TRUE(test, ssdup_group_all(device.log, classes, false, &all));
	KUNIT_EXPECT_EQ(test, all.nr, 3);
	expect_segments(test, NR - 4, 1, 3);

	ssdup_group_freed(device.log, &g);
	KUNIT_EXPECT_EQ(test, counted(STAT_FREES), 2);
	KUNIT_EXPECT_EQ(test, seg[0].state, SEGMENT_FREE);
	KUNIT_EXPECT_EQ(test, seg[1].state, SEGMENT_FREE);
	expect_segments(test, NR - 2, 1, 1);
	KUNIT_EXPECT_EQ(test, ssdup_segments_in_ring(device.log, classes, ring), 2);
	KUNIT_EXPECT_PTR_EQ(test, ring[0], &seg[2]);
	/* They are the last to open. */
	for (i = 4; i < NR + 2; i++) {
		KUNIT_ASSERT_TRUE(test, drain_switches());
		KUNIT_EXPECT_EQ(test, classes->open->index, i % NR);
		KUNIT_EXPECT_EQ(test, classes->open->generation, i + 1);
		log_entries(1);
	}
	KUNIT_EXPECT_FALSE(test, drain_switches());
}

/* --- Facts --- */

/* Every generation below @oldest is free or empty. */
static void expect_dirty(struct kunit *test, bool dirty, u64 last, u64 oldest)
{
	u64 generation;

	KUNIT_EXPECT_EQ(test, ssdup_open_dirty(classes, true), dirty);
	KUNIT_EXPECT_EQ(test, ssdup_last_dirty(device.log, classes), last);
	for (generation = 0; generation < 4; generation++)
		KUNIT_EXPECT_EQ(test, ssdup_drained(device.log, classes, generation),
				generation < oldest);
}

static void dirty_and_drained(struct kunit *test)
{
	expect_dirty(test, false, 0, U64_MAX);
	KUNIT_ASSERT_TRUE(test, writer_switches());
	expect_dirty(test, false, 0, U64_MAX);
	log_entries(2);
	expect_dirty(test, true, 1, 1);
	KUNIT_ASSERT_TRUE(test, writer_switches());
	expect_dirty(test, false, 1, 1);
	log_entries(1);
	expect_dirty(test, true, 2, 1);
	ssdup_seal(device.log, classes, false);
	expect_dirty(test, false, 2, 1);
	free_oldest(test, 1);
	expect_dirty(test, false, 2, 2);
	free_oldest(test, 1);
	expect_dirty(test, false, 2, U64_MAX);
	KUNIT_ASSERT_TRUE(test, writer_switches());
	expect_dirty(test, false, 2, U64_MAX);
	log_entries(1);
	expect_dirty(test, true, 3, 3);
}

/* What a drain has moved to the open segment is no reason to drain that one. */
static void relocated_entries(struct kunit *test)
{
	KUNIT_ASSERT_TRUE(test, writer_switches());
	log_entries(2);
	classes->open->relocated = 2;
	KUNIT_EXPECT_TRUE(test, ssdup_open_dirty(classes, true));
	KUNIT_EXPECT_FALSE(test, ssdup_open_dirty(classes, false));
	log_entries(1);
	KUNIT_EXPECT_TRUE(test, ssdup_open_dirty(classes, false));
	ssdup_seal(device.log, classes, false);
	KUNIT_EXPECT_FALSE(test, ssdup_open_dirty(classes, false));
}

static struct kunit_case segments_cases[] = {
	KUNIT_CASE(two_first_writes),
	KUNIT_CASE(the_same_segment_later),
	KUNIT_CASE(a_switch_seals_and_opens),
	KUNIT_CASE(a_switch_commits),
	KUNIT_CASE(an_empty_segment_stays_open),
	KUNIT_CASE(places_are_counted),
	KUNIT_CASE(a_read_only_log_opens_nothing),
	KUNIT_CASE(generations_end),
	KUNIT_CASE(a_log_goes_on_after_a_replay),
	KUNIT_CASE(the_last_segments_are_spare),
	KUNIT_CASE(one_is_kept),
	KUNIT_CASE(full_is_told),
	KUNIT_CASE(none_is_opened_while_discarded),
	KUNIT_CASE(neighbours_are_discarded),
	KUNIT_CASE(groups_are_taken_in_order),
	KUNIT_CASE(a_group_shrinks),
	KUNIT_CASE(what_is_written_back_is_freed),
	KUNIT_CASE(dirty_and_drained),
	KUNIT_CASE(relocated_entries),
	{ }
};

static struct kunit_suite segments_suite = {
	.name = "ssdup-segments",
	.init = segments_test_init,
	.exit = segments_test_exit,
	.test_cases = segments_cases,
};

kunit_test_suite(segments_suite);
