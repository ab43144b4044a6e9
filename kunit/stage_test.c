// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>

#include "core/stage.c"
#include "prng.h"

/* Take writes of a size until there is no room. Return: how many got some. */
static u32 take_all(u32 word, u32 sectors, u32 *last)
{
	u32 next, nr = 0;

	for (; stage_take(word, sectors, &next); word = next)
		nr++;
	*last = word;
	return nr;
}

static void word_hands_out_room(struct kunit *test)
{
	u32 word;

	KUNIT_EXPECT_EQ(test, take_all(0, 8, &word), STAGE_SECTORS / 8);
	KUNIT_EXPECT_EQ(test, stage_records(word), STAGE_SECTORS / 8);
	KUNIT_EXPECT_EQ(test, stage_sectors(word), STAGE_SECTORS);
	KUNIT_EXPECT_EQ(test, take_all(0, STAGE_MOST, &word), STAGE_SECTORS / STAGE_MOST);
	/* The last one does not fit. */
	KUNIT_EXPECT_EQ(test, take_all(0, STAGE_MOST - 1, &word), STAGE_SECTORS / STAGE_MOST);
	KUNIT_EXPECT_EQ(test, take_all(word, 1, &word), STAGE_SECTORS / STAGE_MOST);
	KUNIT_EXPECT_EQ(test, stage_sectors(word), STAGE_SECTORS);
}

static void word_hands_out_records(struct kunit *test)
{
	u32 word;

	KUNIT_EXPECT_EQ(test, take_all(0, 1, &word), STAGE_RECORDS);
	KUNIT_EXPECT_EQ(test, stage_records(word), STAGE_RECORDS);
	KUNIT_EXPECT_EQ(test, stage_sectors(word), STAGE_RECORDS);
}

static void closed_word_hands_out_nothing(struct kunit *test)
{
	u32 word;

	KUNIT_EXPECT_EQ(test, take_all(STAGE_CLOSED, 1, &word), 0);
	KUNIT_EXPECT_EQ(test, stage_records(STAGE_CLOSED), 0);
	KUNIT_EXPECT_EQ(test, stage_sectors(STAGE_CLOSED), 0);
}

/* Of writes that take places in any order, some given up: all are sent once, and in order. */
static void parts_are_sent_in_order(struct kunit *test)
{
	struct stage_span *span = kunit_kcalloc(test, STAGE_RECORDS, sizeof(*span), GFP_KERNEL);
	u8 order[STAGE_RECORDS];
	u32 i, j, round, nr, parts, joined;
	struct prng r = { 1 };
	u64 pos, end;

	KUNIT_ASSERT_NOT_NULL(test, span);
	for (round = 0; round < 200; round++) {
		pos = 1000;
		nr = 1 + prng_below(&r, STAGE_RECORDS);
		for (i = 0; i < nr; i++) {
			/* A longer write of another task is between some. */
			pos += prng_below(&r, 4) ? 0 : 512;
			span[i] = (struct stage_span){
				.pos = pos, .sectors = 1 + prng_below(&r, 8), .at = i,
			};
			pos += span[i].sectors;
			if (!prng_below(&r, 10))
				span[i].sectors = 0;
		}
		for (i = nr - 1; i; i--) {
			j = prng_below(&r, i + 1);
			swap(span[i], span[j]);
		}
		for (i = 0, parts = 0; i < nr; i++)
			parts += !!span[i].sectors;
		KUNIT_ASSERT_EQ(test, ssdup_stage_order(span, nr, order), parts);
		for (i = 0, end = 0; i < parts; i += joined) {
			KUNIT_ASSERT_GT(test, span[order[i]].pos, end);
			joined = ssdup_stage_joined(span, order + i, parts - i);
			KUNIT_ASSERT_GT(test, joined, 0);
			KUNIT_ASSERT_LE(test, i + joined, parts);
			end = span[order[i]].pos;
			for (j = i; j < i + joined; j++) {
				KUNIT_ASSERT_EQ(test, span[order[j]].pos, end);
				end += span[order[j]].sectors;
			}
		}
	}
}

static void finds_what_has_a_sector(struct kunit *test)
{
	struct stage_span span[] = {
		{ .pos = 200, .sectors = 8, .at = 0 },
		{ .pos = 100, .sectors = 0, .at = 8 },
		{ .pos = 208, .sectors = 16, .at = 16 },
		{ .pos = 0, .sectors = 1, .at = 32 },
	};

	KUNIT_EXPECT_EQ(test, ssdup_stage_find(span, 4, 199), 4);
	KUNIT_EXPECT_EQ(test, ssdup_stage_find(span, 4, 200), 0);
	KUNIT_EXPECT_EQ(test, ssdup_stage_find(span, 4, 207), 0);
	KUNIT_EXPECT_EQ(test, ssdup_stage_find(span, 4, 208), 2);
	KUNIT_EXPECT_EQ(test, ssdup_stage_find(span, 4, 223), 2);
	KUNIT_EXPECT_EQ(test, ssdup_stage_find(span, 4, 224), 4);
	KUNIT_EXPECT_EQ(test, ssdup_stage_find(span, 4, 0), 3);
	KUNIT_EXPECT_EQ(test, ssdup_stage_find(span, 4, 100), 4);
	KUNIT_EXPECT_EQ(test, ssdup_stage_find(span, 0, 200), 0);
}

static struct kunit_case stage_cases[] = {
	KUNIT_CASE(word_hands_out_room),
	KUNIT_CASE(word_hands_out_records),
	KUNIT_CASE(closed_word_hands_out_nothing),
	KUNIT_CASE(parts_are_sent_in_order),
	KUNIT_CASE(finds_what_has_a_sector),
	{}
};

static struct kunit_suite stage_suite = {
	.name = "ssdup-stage",
	.test_cases = stage_cases,
};

kunit_test_suite(stage_suite);
