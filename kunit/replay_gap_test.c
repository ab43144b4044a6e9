// SPDX-License-Identifier: GPL-2.0-only
/* invariant: 7 */
/*
 * Where a segment and an epoch end, of replay.c, which replay_test.c includes: a gap that a power
 * cut leaves is told from a page or a header that was durable and is damaged.
 *
 * The pages have no entries. They are made when they are read, of what was written to each slot.
 */
#include <kunit/test.h>
#include <linux/string.h>

#include "core/replay.h"
#include "prng.h"

#define SEGMENTS	6U
#define PAGES		160U
#define EPOCH		9U	/* the present one */

struct version {
	u64	rev;		/* 0: nothing that is valid */
	u64	epoch;
	u32	number;
};

struct rig {
	struct log_super	s;
	struct log_header	h[SEGMENTS];	/* in the order of generations; 0: none */
	struct version		slot[SEGMENTS][PAGES][SSDUP_PAGE_SLOTS];
	struct ssdup_page	buf[SSDUP_PAGE_SLOTS];
	struct ssdup_replay	rp;
	u32			pages[SEGMENTS];
	u32			unreadable;	/* page + 1 */
};

static struct rig *rig_new(struct kunit *test, u32 meta_pages)
{
	struct rig *rig = kunit_kzalloc(test, sizeof(*rig), GFP_KERNEL);
	struct log_geometry g = {
		.segment_start = SSDUP_HOME_SECTORS, .segment_sectors = 1U << 18,
		.nr_segments = SEGMENTS, .meta_pages = meta_pages, .data_sectors = 1U << 17,
		.block_sectors = 1,
	};
	static const u8 pool[16] = { 6 }, uuid[16] = { 7 };

	KUNIT_ASSERT_NOT_NULL(test, rig);
	ssdup_log_super_fresh(&rig->s, pool, uuid, &g, BIT_ULL(20), BIT_ULL(22));
	rig->s.epoch = EPOCH;
	return rig;
}

static void header(struct rig *rig, u32 segment, u64 generation, u64 epoch)
{
	rig->h[segment] = (struct log_header){ generation, epoch, segment };
}

static void put(struct rig *rig, u32 segment, u32 page, u64 rev, u32 number)
{
	rig->slot[segment][page][rev & 1] = (struct version){
		rev, rig->h[segment].epoch, number,
	};
}

static int rig_read(void *ctx, u32 segment, u32 page, const struct ssdup_page **slots)
{
	struct rig *rig = ctx;
	u32 i;

	if (page + 1 == rig->unreadable)
		return -EIO;
	for (i = 0; i < SSDUP_PAGE_SLOTS; i++) {
		const struct version *v = &rig->slot[segment][page][i];
		struct log_page_id id = {
			.generation = rig->h[segment].generation, .epoch = v->epoch,
			.rev = v->rev, .page = page, .segment = segment, .number = v->number,
		};

		memset(&rig->buf[i].h, 0, sizeof(rig->buf[i].h));
		if (!v->rev)
			continue;
		memcpy(id.uuid, rig->s.uuid, sizeof(id.uuid));
		ssdup_log_page_begin(&rig->buf[i], &id);
		ssdup_log_page_finish(&rig->buf[i]);
	}
	*slots = rig->buf;
	return 0;
}

static int rig_entries(void *ctx, u32 segment, const struct ssdup_entry *e, u32 nr)
{
	return -EINVAL;
}

static const struct replay_ops rig_ops = {
	.read_page = rig_read,
	.entries = rig_entries,
};

static int rig_replay(struct rig *rig)
{
	int r = 0;
	u32 i;

	memset(rig->pages, 0, sizeof(rig->pages));
	ssdup_replay_begin(&rig->rp, &rig->s, &rig_ops, rig);
	for (i = 0; i < SEGMENTS && !r; i++)
		if (rig->h[i].generation)
			r = ssdup_replay_segment(&rig->rp, &rig->h[i], &rig->pages[i]);
	return r ?: ssdup_replay_end(&rig->rp);
}

static void expect_end(struct kunit *test, struct rig *rig, u32 segment, u32 pages)
{
	KUNIT_EXPECT_EQ(test, rig_replay(rig), 0);
	KUNIT_EXPECT_EQ(test, rig->pages[segment], pages);
}

static void expect_fault(struct kunit *test, struct rig *rig, enum log_fault fault, u32 segment,
			 u32 page)
{
	KUNIT_EXPECT_EQ(test, rig_replay(rig), -EINVAL);
	KUNIT_EXPECT_EQ(test, rig->rp.fault.fault, fault);
	KUNIT_EXPECT_EQ(test, rig->rp.fault.segment, segment);
	KUNIT_EXPECT_EQ(test, rig->rp.fault.page, page);
	KUNIT_EXPECT_EQ(test, rig->rp.fault.entry, 0);
}

/* --- Within a segment --- */

struct gap_case {
	const char	*name;
	u32		distance;	/* of a page behind the gap */
	u64		rev;
	bool		damage;
};

static const struct gap_case gap_cases[] = {
	{ "in flight together", 1, 1, false },
	{ "as far as a round goes", LOG_COMMIT_PAGES - 1, 1, false },
	{ "farther", LOG_COMMIT_PAGES, 1, true },
	{ "much farther", 2 * LOG_COMMIT_PAGES, 1, true },
	{ "written twice", 1, 2, true },
	{ "written time and again", LOG_COMMIT_PAGES - 1, 1000, true },
};

static void gap_case_desc(const struct gap_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(gap, gap_cases, gap_case_desc);

static void gaps_by_example(struct kunit *test)
{
	const struct gap_case *c = test->param_value;
	struct rig *rig = rig_new(test, PAGES);

	header(rig, 0, 1, EPOCH);
	put(rig, 0, 0, 1, 0);
	put(rig, 0, 1, 1, 1);
	put(rig, 0, 2 + c->distance, c->rev, 2 + c->distance);
	if (c->damage)
		expect_fault(test, rig, LOG_PAGES_GAP, 0, 2);
	else
		expect_end(test, rig, 0, 2);
	/* What cannot be read may have been torn. */
	rig->unreadable = 2 + c->distance + 1;
	expect_end(test, rig, 0, 2);
	/* A page of another epoch is none of this segment's. */
	rig->unreadable = 0;
	rig->slot[0][2 + c->distance][c->rev & 1].epoch--;
	expect_end(test, rig, 0, 2);
	rig->slot[0][2 + c->distance][c->rev & 1].epoch++;
	/* After a clean suspend the count decides. */
	rig->s.flags = SSDUP_RECORD_CLOSED;
	rig->s.live_segments = 1;
	rig->s.live_pages = 2;
	expect_end(test, rig, 0, 2);
}

/* Numbers that begin somewhere, since segments of the epoch were freed: distances count. */
static void gap_at_the_first_page(struct kunit *test)
{
	struct rig *rig = rig_new(test, PAGES);

	rig->s.tail[0] = 30;
	header(rig, 0, 30, EPOCH - 1);
	put(rig, 0, LOG_COMMIT_PAGES - 1, 1, 1000 + LOG_COMMIT_PAGES - 1);
	expect_end(test, rig, 0, 0);
	put(rig, 0, LOG_COMMIT_PAGES, 1, 1000 + LOG_COMMIT_PAGES);
	expect_fault(test, rig, LOG_PAGES_GAP, 0, 0);
}

/* However long the damage is: what is behind it need not be much longer. */
static void gap_of_any_length(struct kunit *test)
{
	struct rig *rig = rig_new(test, PAGES);
	u32 gap = 3, from, page;

	header(rig, 0, 1, EPOCH);
	for (page = 0; page < PAGES; page++)
		put(rig, 0, page, 1, page);
	for (from = gap + 1; from + from / LOG_COMMIT_PAGES + 1 < PAGES; from++) {
		memset(rig->slot[0][gap], 0, (from - gap) * sizeof(rig->slot[0][0]));
		expect_fault(test, rig, LOG_PAGES_GAP, 0, gap);
	}
}

/* --- From segment to segment --- */

/* Segments 0.. of the present epoch, @pages in each, which is sealed then. */
static struct rig *rig_of_epoch(struct kunit *test, u32 segments, u32 pages, u64 epoch)
{
	struct rig *rig = rig_new(test, 8);
	u32 i, page;

	for (i = 0; i < segments; i++) {
		header(rig, i, i + 1, epoch);
		for (page = 0; page < pages; page++)
			put(rig, i, page, 1, i * pages + page);
	}
	KUNIT_EXPECT_EQ(test, rig_replay(rig), 0);
	KUNIT_EXPECT_EQ(test, rig->rp.pages, segments * pages);
	KUNIT_EXPECT_EQ(test, rig->rp.segments, segments);
	return rig;
}

static void erase(struct rig *rig, u32 segment, u32 page, u32 nr)
{
	memset(rig->slot[segment][page], 0, nr * sizeof(rig->slot[0][0]));
}

/* The last page of a segment, proved by the numbers of the next ones. */
static void gap_at_the_end_of_a_segment(struct kunit *test)
{
	struct rig *rig = rig_of_epoch(test, SEGMENTS, 4, EPOCH);

	/* Page 7 of the epoch; 23 is the first that is far enough. */
	erase(rig, 1, 3, 1);
	expect_fault(test, rig, LOG_PAGES_GAP, 5, 3);
	erase(rig, 5, 3, 1);
	expect_end(test, rig, 1, 3);
	/* A near one that was written twice. */
	put(rig, 2, 0, 2, 8);
	expect_fault(test, rig, LOG_PAGES_GAP, 2, 0);
}

/* It is the first gap of the epoch that counts, not the one of the segment. */
static void gap_before_another(struct kunit *test)
{
	struct rig *rig = rig_of_epoch(test, SEGMENTS, 4, EPOCH);

	erase(rig, 1, 3, 1);
	erase(rig, 5, 1, 1);
	expect_fault(test, rig, LOG_PAGES_GAP, 5, 1);
	erase(rig, 5, 3, 1);
	expect_end(test, rig, 5, 1);
}

/* All pages of a segment. */
static void gap_of_a_whole_segment(struct kunit *test)
{
	static const struct {
		u32 erased;
		bool older;		/* the epoch is not the present one */
		u32 segment, page;	/* the proof */
	} rows[] = {
		{ 0, false, 4, 0 }, { 1, false, 5, 0 }, { 1, true, 5, 0 },
		/* Its numbers may begin anywhere, but it had a page. */
		{ 0, true, 4, 3 },
	};
	struct rig *rig;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		rig = rig_of_epoch(test, SEGMENTS, 4, EPOCH);
		erase(rig, rows[i].erased, 0, 4);
		if (rows[i].older) {
			rig->s.epoch++;
			rig->s.first = SEGMENTS + 1;
		}
		expect_fault(test, rig, LOG_PAGES_GAP, rows[i].segment, rows[i].page);
	}
}

/* Where the numbers begin is known of an epoch of which nothing was freed. */
static void gap_at_the_start_of_an_epoch(struct kunit *test)
{
	struct rig *rig = rig_of_epoch(test, 3, 8, EPOCH);

	/* The present epoch: the pages of its first segment were durable, page 16 tells. */
	erase(rig, 0, 0, 8);
	erase(rig, 2, 1, 7);
	expect_fault(test, rig, LOG_PAGES_GAP, 2, 0);
	/* Page 15 does not. */
	erase(rig, 2, 0, 1);
	expect_end(test, rig, 1, 8);

	/* An older epoch, in front of which stands another live segment. */
	rig = rig_new(test, 8);
	rig->s.first = 20;
	header(rig, 0, 5, EPOCH - 2);
	put(rig, 0, 0, 1, 0);
	header(rig, 1, 6, EPOCH - 1);
	header(rig, 2, 7, EPOCH - 1);
	put(rig, 2, 0, 1, 8);
	expect_end(test, rig, 2, 1);
	put(rig, 2, 0, 2, 8);
	expect_fault(test, rig, LOG_PAGES_GAP, 2, 0);

	/* One whose first segments may have been freed: each empty one had a page at least. */
	rig = rig_new(test, 8);
	rig->s.first = 20;
	rig->s.tail[0] = 6;
	header(rig, 1, 6, EPOCH - 1);
	header(rig, 2, 7, EPOCH - 1);
	put(rig, 2, 0, 1, 800);
	expect_end(test, rig, 2, 1);
	put(rig, 2, 0, 2, 800);
	expect_fault(test, rig, LOG_PAGES_GAP, 2, 0);
}

/* A number from before the gap is none that this code writes. */
static void numbers_only_rise(struct kunit *test)
{
	struct rig *rig = rig_of_epoch(test, 3, 4, EPOCH);

	put(rig, 2, 0, 1, 3);
	expect_fault(test, rig, LOG_PAGES_GAP, 2, 0);
}

/* Epochs are numbered on their own. */
static void epochs_begin_anew(struct kunit *test)
{
	struct rig *rig = rig_of_epoch(test, 4, 4, EPOCH);
	u32 page;

	rig->s.epoch++;
	rig->s.first = 5;
	erase(rig, 3, 1, 3);
	header(rig, 4, 5, EPOCH + 1);
	for (page = 0; page < 8; page++)
		put(rig, 4, page, 5, page);
	expect_end(test, rig, 4, 8);
	KUNIT_EXPECT_EQ(test, rig->rp.pages, 21);
}

/* --- Headers --- */

static void header_of_the_present_epoch(struct kunit *test)
{
	struct rig *rig = rig_of_epoch(test, SEGMENTS, 4, EPOCH);
	u32 i;

	for (i = 0; i + 1 < SEGMENTS; i++) {
		rig->h[i].generation = 0;
		expect_fault(test, rig, LOG_SEGMENT_GAP, i + 1, 0);
		rig->h[i].generation = i + 1;
	}
	/* Of the last one, nothing is known. */
	rig->h[i].generation = 0;
	expect_end(test, rig, i - 1, 4);
	/* It was clean, and then it is. */
	rig->s.flags = SSDUP_RECORD_CLOSED;
	rig->s.live_segments = SEGMENTS;
	rig->s.live_pages = SEGMENTS * 4;
	KUNIT_EXPECT_EQ(test, rig_replay(rig), -EINVAL);
	KUNIT_EXPECT_EQ(test, rig->rp.fault.fault, LOG_PAGES_MISSING);
}

/* The tail, and where the epoch began: what is below was freed, or is of another epoch. */
static void header_of_what_was_freed(struct kunit *test)
{
	struct rig *rig = rig_of_epoch(test, SEGMENTS, 4, EPOCH);

	rig->h[0].generation = 0;
	rig->h[1].generation = 0;
	rig->s.tail[0] = 3;
	expect_end(test, rig, 2, 4);
	rig->s.tail[0] = 2;
	expect_fault(test, rig, LOG_SEGMENT_GAP, 2, 0);
}

static void header_of_an_older_epoch(struct kunit *test)
{
	struct rig *rig = rig_of_epoch(test, SEGMENTS, 4, EPOCH);
	u32 i;

	rig->s.epoch++;
	rig->s.first = SEGMENTS + 1;
	for (i = 0; i + 1 < SEGMENTS; i++) {
		rig->h[i].generation = 0;
		expect_fault(test, rig, LOG_SEGMENT_GAP, i + 1, 0);
		rig->h[i].generation = i + 1;
	}
}

/* In the round that wrote the headers, no page was sent yet: any of them may be missing. */
static void headers_in_flight(struct kunit *test)
{
	struct rig *rig = rig_of_epoch(test, SEGMENTS, 4, EPOCH);
	u32 i;

	for (i = 3; i < SEGMENTS; i++)
		erase(rig, i, 0, 8);
	rig->h[3].generation = 0;
	expect_end(test, rig, 2, 4);
	/* One page, and it was none of them; wherever the page is. */
	put(rig, 5, 0, 1, 20);
	expect_fault(test, rig, LOG_SEGMENT_GAP, 5, 0);
	erase(rig, 5, 0, 1);
	put(rig, 5, 2, 1, 22);
	expect_fault(test, rig, LOG_SEGMENT_GAP, 5, 0);
}

/* --- Classes --- */

/* Two classes take turns: each has generations and numbers of its own. */
static struct rig *rig_of_classes(struct kunit *test)
{
	struct rig *rig = rig_new(test, 8);
	u32 i, page;

	rig->s.classes.nr = 2;
	rig->s.tail[1] = 1;
	for (i = 0; i < SEGMENTS; i++) {
		header(rig, i, i + 1, EPOCH);
		for (page = 0; page < 4 + i % 2; page++)
			put(rig, i, page, 1, i / 2 * (4 + i % 2) + page);
	}
	KUNIT_EXPECT_EQ(test, rig_replay(rig), 0);
	KUNIT_EXPECT_EQ(test, rig->rp.pages, SEGMENTS / 2 * 9);
	return rig;
}

static void classes_follow_themselves(struct kunit *test)
{
	struct rig *rig = rig_of_classes(test);
	u32 i;

	/* The next one of its class tells of one that is missing; of the last, nothing is known. */
	for (i = 0; i < SEGMENTS; i++) {
		rig->h[i].generation = 0;
		if (i + 2 < SEGMENTS)
			expect_fault(test, rig, LOG_SEGMENT_GAP, i + 2, 0);
		else
			KUNIT_EXPECT_EQ(test, rig_replay(rig), 0);
		rig->h[i].generation = i + 1;
	}
	/* A class that was freed further than the other. */
	rig->h[1].generation = 0;
	rig->h[3].generation = 0;
	rig->s.tail[0] = 5;
	KUNIT_EXPECT_EQ(test, rig_replay(rig), 0);
	rig->s.tail[0] = 4;
	expect_fault(test, rig, LOG_SEGMENT_GAP, 5, 0);
	/* One that begins late. */
	rig->s.tail[0] = 1;
	rig->h[5].generation = 0;
	KUNIT_EXPECT_EQ(test, rig_replay(rig), 0);
}

/* A page of one class says nothing of another's. */
static void gaps_of_a_class(struct kunit *test)
{
	struct rig *rig = rig_of_classes(test);

	/* Page 3 of the class; its pages 4 to 11 are not far enough. */
	erase(rig, 0, 3, 1);
	expect_end(test, rig, 0, 3);
	put(rig, 3, 2, 2, 7);
	expect_end(test, rig, 0, 3);
	put(rig, 4, 2, 2, 10);
	expect_fault(test, rig, LOG_PAGES_GAP, 4, 2);
}

static struct kunit_case replay_gap_cases[] = {
	KUNIT_CASE_PARAM(gaps_by_example, gap_gen_params),
	KUNIT_CASE(gap_at_the_first_page),
	KUNIT_CASE(gap_of_any_length),
	KUNIT_CASE(gap_at_the_end_of_a_segment),
	KUNIT_CASE(gap_before_another),
	KUNIT_CASE(gap_of_a_whole_segment),
	KUNIT_CASE(gap_at_the_start_of_an_epoch),
	KUNIT_CASE(numbers_only_rise),
	KUNIT_CASE(epochs_begin_anew),
	KUNIT_CASE(header_of_the_present_epoch),
	KUNIT_CASE(header_of_what_was_freed),
	KUNIT_CASE(header_of_an_older_epoch),
	KUNIT_CASE(headers_in_flight),
	KUNIT_CASE(classes_follow_themselves),
	KUNIT_CASE(gaps_of_a_class),
	{}
};

static struct kunit_suite replay_gap_suite = {
	.name = "ssdup-replay-gap",
	.test_cases = replay_gap_cases,
};

kunit_test_suite(replay_gap_suite);
