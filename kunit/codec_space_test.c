// SPDX-License-Identifier: GPL-2.0-only
/*
 * How an SSD is divided, and the space of a segment, of log.c, which codec_test.c includes.
 */
#include <kunit/test.h>

#include "core/codec.h"
#include "prng.h"

#define MIB		2048ULL		/* sectors */
#define GIB		(1024 * MIB)
#define TIB		(1024 * GIB)
#define LEAST		(2 * SSDUP_HOME_SECTORS + SSDUP_MIN_SEGMENTS * SSDUP_MIN_SEGMENT_SECTORS)
#define LARGEST		BIT_ULL(36)	/* sectors of an SSD that an extent can name */
#define PAIR		(SSDUP_PAGE_SLOTS * SSDUP_PAGE_SECTORS)

/* Two slots, and the data of a page's entries when all writes are 4 KiB. */
#define SHARE		(PAIR + SSDUP_PAGE_ENTRIES * 8)

/* --- Layout --- */

/* What is in a segment: header, pages, data; each on 4 KiB, one behind the other. */
static void segment_rules(struct kunit *test, const struct log_geometry *g, u32 segment)
{
	u64 start = log_segment_sector(g, segment), at = start + SSDUP_BLOCK_SECTORS;
	u32 page = g->meta_pages - 1;

	KUNIT_ASSERT_EQ(test, start % SSDUP_PAGE_SECTORS, 0);
	KUNIT_ASSERT_EQ(test, start, SSDUP_HOME_SECTORS + (u64)segment * g->segment_sectors);
	KUNIT_ASSERT_EQ(test, ssdup_log_slot_sector(g, segment, 0, 0), at);
	KUNIT_ASSERT_EQ(test, ssdup_log_slot_sector(g, segment, 0, 1), at + SSDUP_PAGE_SECTORS);
	at += (u64)page * PAIR;
	KUNIT_ASSERT_EQ(test, ssdup_log_slot_sector(g, segment, page, 0), at);
	at += PAIR;
	KUNIT_ASSERT_EQ(test, log_data_sector(g, segment, to_log_pos(0)), at);
	KUNIT_ASSERT_EQ(test, log_data_sector(g, segment, to_log_pos(g->data_sectors)),
			start + g->segment_sectors);

	KUNIT_ASSERT_EQ(test, log_segment_of(g, start), segment);
	KUNIT_ASSERT_EQ(test, log_segment_of(g, at), segment);
	KUNIT_ASSERT_EQ(test, log_segment_of(g, start + g->segment_sectors - 1), segment);
}

/* The largest size that follows the rule; a given size is taken as it is. */
static u32 size_by_rule(u64 room, u32 given)
{
	u32 size = SSDUP_MIN_SEGMENT_SECTORS;

	while (size < 256 * MIB && room / (2 * size) >= 32 &&
	       (size < 4 * MIB || room / (2 * size) >= 1024))
		size *= 2;
	return given ?: size;
}

static void layout_rules(struct kunit *test, u64 ssd_sectors, u32 given, u32 block)
{
	u64 room = min(log_home(ssd_sectors, 1), LARGEST) - SSDUP_HOME_SECTORS, used;
	struct log_geometry g;
	u64 word, entries;

	KUNIT_ASSERT_TRUE(test, ssdup_log_layout(&g, ssd_sectors, given, block));
	KUNIT_ASSERT_EQ(test, g.segment_sectors, size_by_rule(room, given));
	KUNIT_ASSERT_EQ(test, g.segment_start, SSDUP_HOME_SECTORS);
	KUNIT_ASSERT_EQ(test, g.block_sectors, block);
	KUNIT_ASSERT_GE(test, g.nr_segments, SSDUP_MIN_SEGMENTS);
	KUNIT_ASSERT_LE(test, g.nr_segments, SSDUP_MAX_SEGMENTS);

	/* Only a log of very many segments leaves more than a part of one unused. */
	used = (u64)g.nr_segments * g.segment_sectors;
	KUNIT_ASSERT_LE(test, used, room);
	if (g.nr_segments < SSDUP_MAX_SEGMENTS)
		KUNIT_ASSERT_LT(test, room - used, g.segment_sectors);
	segment_rules(test, &g, 0);
	segment_rules(test, &g, g.nr_segments / 2);
	segment_rules(test, &g, g.nr_segments - 1);

	/* 4 KiB writes find an entry for all data; the two spaces end together. */
	entries = log_segment_entries(&g);
	KUNIT_ASSERT_EQ(test, entries, g.meta_pages * SSDUP_PAGE_ENTRIES);
	KUNIT_ASSERT_GE(test, entries * 8, g.data_sectors);
	KUNIT_ASSERT_LT(test, entries * 8, g.data_sectors + 2ULL * SHARE);
	KUNIT_ASSERT_LT(test, entries, 1U << SSDUP_SEQ_BITS);

	/* An empty segment takes the longest write. */
	KUNIT_ASSERT_TRUE(test, log_word_reserve(0, &g, log_longest_write(&g), &word));
}

static void layout_of_many_sizes(struct kunit *test)
{
	static const u64 sizes[] = {
		10 * MIB, 64 * MIB, 129 * MIB, 512 * MIB, GIB, 4 * GIB + 1, 5 * GIB, 220 * GIB,
		256 * GIB + 1, TIB, 4 * TIB, LARGEST - 1, LARGEST, LARGEST + 1, 100 * TIB,
	};
	struct prng r = { 1 };
	u32 i, block, size;

	for (block = 1; block <= SSDUP_PAGE_SECTORS; block *= 2) {
		for (i = 0; i < ARRAY_SIZE(sizes); i++)
			layout_rules(test, sizes[i], 0, block);
		for (i = 0; i < 400; i++)
			layout_rules(test, LEAST + (i < 40 ? i : prng_u64(&r) >>
						   prng_between(&r, 26, 63)), 0, block);
		for (size = SSDUP_MIN_SEGMENT_SECTORS; size <= SSDUP_MAX_SEGMENT_SECTORS; size *= 2)
			for (i = 0; i < 20; i++)
				layout_rules(test, 2 * SSDUP_HOME_SECTORS + 32ULL * size + i +
					     (i < 10 ? 0 : prng_u64(&r) >>
					      prng_between(&r, 26, 63)), size, block);
	}
}

/* The segments of each SSD fit there, and none is left out. */
static void layout_of_several(struct kunit *test)
{
	u64 sectors[SSDUP_MAX_SSDS], room, sum;
	struct log_ssds two = { .nr = 2 };
	struct prng r = { 2 };
	struct log_geometry g, one;
	u32 i, k;

	for (i = 0; i < 2000; i++) {
		struct log_ssds ssds = { .nr = 2 + prng_below(&r, SSDUP_MAX_SSDS - 1) };

		for (k = 0, sum = 0; k < ssds.nr; k++) {
			sectors[k] = prng_u64(&r);
			sectors[k] = 2 * GIB + (sectors[k] >> prng_between(&r, 24, 40));
			sum += sectors[k];
		}
		KUNIT_ASSERT_TRUE(test, ssdup_log_spread(&g, &ssds, sectors, 0, 8));
		KUNIT_ASSERT_LE(test, g.nr_segments, SSDUP_MAX_SEGMENTS);
		KUNIT_ASSERT_EQ(test, log_ssd_before(&ssds, &g, ssds.nr),
				(u64)g.nr_segments * g.segment_sectors);
		KUNIT_ASSERT_LE(test, log_data_sector(&g, g.nr_segments - 1,
						      to_log_pos(g.data_sectors)), LARGEST);
		for (k = 0; k < ssds.nr; k++) {
			room = log_home(sectors[k], 1) - SSDUP_HOME_SECTORS;
			KUNIT_ASSERT_GE(test, ssds.segments[k], LOG_SSD_LEAST);
			KUNIT_ASSERT_LE(test, (u64)ssds.segments[k] * g.segment_sectors, room);
			/* What a place can say is shared. */
			if (sum < LARGEST && g.nr_segments < SSDUP_MAX_SEGMENTS)
				KUNIT_ASSERT_EQ(test, ssds.segments[k], room / g.segment_sectors);
		}
		/* Segments are as large as on one SSD of all the room, or nearly. */
		KUNIT_ASSERT_TRUE(test, ssdup_log_layout(&one, sum, 0, 8));
		KUNIT_ASSERT_LE(test, g.segment_sectors, one.segment_sectors);
		KUNIT_ASSERT_LE(test, one.segment_sectors, 2 * g.segment_sectors);
	}
	/* The last one has no room for as many segments of that size as it needs. */
	sectors[0] = TIB;
	sectors[1] = 2 * SSDUP_HOME_SECTORS + 4 * MIB;
	KUNIT_EXPECT_FALSE(test, ssdup_log_spread(&g, &two, sectors, 0, 1));
	sectors[1] = 2 * SSDUP_HOME_SECTORS - 1;
	KUNIT_EXPECT_FALSE(test, ssdup_log_spread(&g, &two, sectors, 0, 1));
}

static void layout_by_example(struct kunit *test)
{
	static const struct {
		u64 ssd;
		u32 given;
		u32 sectors;		/* of a segment */
		u32 nr;
		u32 pages;
	} rows[] = {
		{ 10 * MIB, 0, 512, 32, 1 },
		{ 17 * MIB, 0, 512, 60, 1 },
		{ 34 * MIB, 0, MIB, 32, 2 },
		{ 129 * MIB, 0, 2 * MIB, 63, 4 },
		{ 130 * MIB, 0, 4 * MIB, 32, 8 },
		{ 513 * MIB, 0, 4 * MIB, 127, 8 },
		{ 8 * GIB + MIB, 0, 4 * MIB, 2047, 8 },
		{ 8 * GIB + 2 * MIB, 0, 8 * MIB, 1024, 16 },
		{ 220 * GIB + MIB, 0, 128 * MIB, 1759, 256 },
		{ TIB + MIB, 0, 256 * MIB, 4095, 512 },
		{ TIB + MIB, MIB, MIB, 1048575, 2 },
		{ 8 * TIB + MIB, MIB, MIB, SSDUP_MAX_SEGMENTS, 2 },
		{ 100 * TIB + MIB, 0, 256 * MIB, 131071, 512 },
	};
	struct log_geometry g;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		KUNIT_ASSERT_TRUE(test, ssdup_log_layout(&g, rows[i].ssd, rows[i].given, 1));
		KUNIT_EXPECT_EQ_MSG(test, g.segment_sectors, rows[i].sectors, "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, g.nr_segments, rows[i].nr, "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, g.meta_pages, rows[i].pages, "row %u", i);
	}
}

static void layout_too_small(struct kunit *test)
{
	struct log_geometry g;
	u32 size;

	KUNIT_EXPECT_TRUE(test, ssdup_log_layout(&g, LEAST, 0, 1));
	KUNIT_EXPECT_FALSE(test, ssdup_log_layout(&g, LEAST - 1, 0, 1));
	KUNIT_EXPECT_FALSE(test, ssdup_log_layout(&g, 2 * SSDUP_HOME_SECTORS, 0, 1));
	KUNIT_EXPECT_FALSE(test, ssdup_log_layout(&g, 2 * SSDUP_HOME_SECTORS - 1, 0, 1));
	KUNIT_EXPECT_FALSE(test, ssdup_log_layout(&g, 0, 0, 1));
	for (size = MIB; size <= SSDUP_MAX_SEGMENT_SECTORS; size *= 2) {
		u64 least = 2 * SSDUP_HOME_SECTORS + 32ULL * size;

		KUNIT_EXPECT_TRUE(test, ssdup_log_layout(&g, least, size, 1));
		KUNIT_EXPECT_FALSE(test, ssdup_log_layout(&g, least - 1, size, 1));
	}
}

/* 1.6 per cent of the SSD, as the design says. */
static void layout_metadata_share(struct kunit *test)
{
	struct log_geometry g;

	KUNIT_ASSERT_TRUE(test, ssdup_log_layout(&g, 220 * GIB, 0, 8));
	KUNIT_EXPECT_EQ(test, (u64)g.meta_pages * PAIR * 10000 / g.segment_sectors, 156);
}

static void longest_writes(struct kunit *test)
{
	struct log_geometry g = {};
	u32 longest;

	for (g.data_sectors = 32; g.data_sectors < 1U << 20; g.data_sectors += 97) {
		longest = log_longest_write(&g);
		KUNIT_ASSERT_GE(test, longest, SSDUP_PAGE_SECTORS);
		KUNIT_ASSERT_LE(test, longest, g.data_sectors / 4);
		KUNIT_ASSERT_GT(test, 2 * longest, g.data_sectors / 4);
		KUNIT_ASSERT_EQ(test, longest & (longest - 1), 0);
	}
}

/* --- Space --- */

static void reserve_limits(struct kunit *test)
{
	static const struct log_geometry g = { .meta_pages = 1, .data_sectors = 100 };
	const u32 last = SSDUP_PAGE_ENTRIES - 1;
	u64 word = 0, next = 0;

	KUNIT_EXPECT_FALSE(test, log_word_reserve(word, &g, 101, &next));
	KUNIT_EXPECT_TRUE(test, log_word_reserve(word, &g, 100, &next));
	KUNIT_EXPECT_EQ(test, next, log_word(1, 100));

	/* Data is full, an entry without data fits. */
	word = next;
	KUNIT_EXPECT_FALSE(test, log_word_reserve(word, &g, 1, &next));
	KUNIT_EXPECT_TRUE(test, log_word_reserve(word, &g, 0, &next));
	word = log_word(last, 100);
	KUNIT_EXPECT_TRUE(test, log_word_reserve(word, &g, 0, &next));
	KUNIT_EXPECT_EQ(test, next, log_word(last + 1, 100));

	/* Entries are full. */
	word = log_word(last + 1, 0);
	KUNIT_EXPECT_FALSE(test, log_word_reserve(word, &g, 0, &next));

	/* Sealed: nothing, and it reads as before. */
	word = log_word(1, 7) | LOG_WORD_SEALED;
	KUNIT_EXPECT_FALSE(test, log_word_reserve(word, &g, 0, &next));
	KUNIT_EXPECT_EQ(test, log_word_entries(word), 1);
	KUNIT_EXPECT_EQ(test, log_word_sectors(word), 7);

	/* Spare: the same for writers; a drain takes the flag off. */
	word = log_word(1, 7) | LOG_WORD_DRAIN;
	KUNIT_EXPECT_FALSE(test, log_word_reserve(word, &g, 0, &next));
	KUNIT_EXPECT_EQ(test, log_word_entries(word), 1);
	KUNIT_EXPECT_EQ(test, log_word_sectors(word), 7);
	KUNIT_EXPECT_TRUE(test, log_word_reserve(word & ~LOG_WORD_DRAIN, &g, 0, &next));

	/* Kept: the same, for who does not flush. */
	word = log_word(1, 7) | LOG_WORD_KEPT;
	KUNIT_EXPECT_FALSE(test, log_word_reserve(word, &g, 0, &next));
	KUNIT_EXPECT_EQ(test, log_word_entries(word), 1);
	KUNIT_EXPECT_EQ(test, log_word_sectors(word), 7);
	KUNIT_EXPECT_TRUE(test, log_word_reserve(word & ~LOG_WORD_KEPT, &g, 0, &next));

	/* Beyond what there is. */
	word = log_word(2, 120);
	KUNIT_EXPECT_FALSE(test, log_word_reserve(word, &g, 0, &next));
}

/* The largest segment there is: no field runs into its neighbour. */
static void reserve_in_largest_segment(struct kunit *test)
{
	struct log_geometry g;
	u64 word, next;

	KUNIT_ASSERT_TRUE(test, ssdup_log_layout(&g, 100 * TIB, 0, 8));
	KUNIT_EXPECT_EQ(test, g.segment_sectors, SSDUP_MAX_SEGMENT_SECTORS);

	word = log_word(log_segment_entries(&g) - 1, g.data_sectors - 8);
	KUNIT_EXPECT_FALSE(test, log_word_reserve(word, &g, 9, &next));
	KUNIT_EXPECT_FALSE(test, log_word_reserve(word, &g, U32_MAX, &next));
	KUNIT_ASSERT_TRUE(test, log_word_reserve(word, &g, 8, &next));
	KUNIT_EXPECT_EQ(test, log_word_entries(next), log_segment_entries(&g));
	KUNIT_EXPECT_EQ(test, log_word_sectors(next), g.data_sectors);
	KUNIT_EXPECT_FALSE(test, next & LOG_WORD_SEALED);
	KUNIT_EXPECT_FALSE(test, log_word_reserve(next, &g, 0, &next));
	KUNIT_EXPECT_EQ(test, ssdup_log_word_fill(next, &g), SSDUP_PCT_ONE);
}

static void reserve_never_overlaps(struct kunit *test)
{
	struct prng r = { 4 };
	struct log_geometry g;
	u32 round, sectors, entry, end, refused;
	u64 word, next;

	for (round = 0; round < 100; round++) {
		KUNIT_ASSERT_TRUE(test, ssdup_log_layout(&g, round % 2 ? 129 * MIB : LEAST, 0, 1));
		word = 0;
		entry = 0;
		end = 0;
		for (refused = 0; refused < 50;) {
			sectors = prng_below(&r, round % 3 ? 256 : 9);
			if (!log_word_reserve(word, &g, sectors, &next)) {
				KUNIT_ASSERT_TRUE(test, entry == log_segment_entries(&g) ||
						  end + sectors > g.data_sectors);
				refused++;
				continue;
			}
			/* The place begins where the one before ended. */
			KUNIT_ASSERT_EQ(test, log_word_entries(word), entry);
			KUNIT_ASSERT_EQ(test, log_word_sectors(word), end);
			entry++;
			end += sectors;
			KUNIT_ASSERT_EQ(test, next, log_word(entry, end));
			KUNIT_ASSERT_LE(test, entry, log_segment_entries(&g));
			KUNIT_ASSERT_LE(test, end, g.data_sectors);
			word = next;
		}
	}
}

static void fill_is_the_fuller_of_two(struct kunit *test)
{
	static const struct log_geometry g = { .meta_pages = 10, .data_sectors = 8000 };
	static const struct log_geometry none = { 0, 0 };
	const u32 all = 10 * SSDUP_PAGE_ENTRIES;

	KUNIT_EXPECT_EQ(test, ssdup_log_word_fill(0, &g), 0);
	KUNIT_EXPECT_EQ(test, ssdup_log_word_fill(log_word(all / 2, 1), &g), 5000);
	KUNIT_EXPECT_EQ(test, ssdup_log_word_fill(log_word(1, 6000), &g), 7500);
	KUNIT_EXPECT_EQ(test, ssdup_log_word_fill(log_word(1, 6000) | LOG_WORD_SEALED, &g),
			7500);
	KUNIT_EXPECT_EQ(test, ssdup_log_word_fill(log_word(all, 0), &g), 10000);
	KUNIT_EXPECT_EQ(test, ssdup_log_word_fill(log_word(1, 9000), &g), 10000);
	KUNIT_EXPECT_EQ(test, ssdup_log_word_fill(0, &none), 10000);
}

static struct kunit_case log_space_cases[] = {
	KUNIT_CASE(layout_of_many_sizes),
	KUNIT_CASE(layout_of_several),
	KUNIT_CASE(layout_by_example),
	KUNIT_CASE(layout_too_small),
	KUNIT_CASE(layout_metadata_share),
	KUNIT_CASE(longest_writes),
	KUNIT_CASE(reserve_limits),
	KUNIT_CASE(reserve_in_largest_segment),
	KUNIT_CASE(reserve_never_overlaps),
	KUNIT_CASE(fill_is_the_fuller_of_two),
	{}
};

static struct kunit_suite log_space_suite = {
	.name = "ssdup-codec-space",
	.test_cases = log_space_cases,
};

kunit_test_suite(log_space_suite);
