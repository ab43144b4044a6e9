// SPDX-License-Identifier: GPL-2.0-only
/*
 * An SSD with several logs and without the module: one is added, looked at, mended and forgotten,
 * and what the others hold stays as it is, whenever the power goes.
 */
#include <stdlib.h>

#include "cut.h"
#include "judge.h"
#include "lib/pool.h"

#define A_SEGMENTS	2U		/* the first log has these, the second one the next ones */

static const struct members nobody;

/* Two logs; @free segments at the end are nobody's. @b writes to the disks of @a. */
static void two_logs(struct maker *a, struct maker *b, u32 free, u64 skip)
{
	u32 i, page;

	maker_begin(a, MAKER_SECTORS, 1);
	a->s.logs = BIT_ULL(0) | BIT_ULL(1);
	*b = *a;
	b->s.log = 1;
	b->s.uuid[0]++;
	b->s.first = 1000;
	b->s.tail[0] = 1000;
	for (i = 0; i < A_SEGMENTS; i++) {
		maker_open(a, i, MAKER_FIRST + i * (1 + skip), i * (1 + skip) * a->s.g.meta_pages);
		for (page = 0; page < a->s.g.meta_pages; page++)
			maker_page(a, i, page, 1, SSDUP_PAGE_ENTRIES, 3);
	}
	for (; i < MAKER_SEGMENTS - free; i++) {
		maker_open(b, i, 1000 + i - A_SEGMENTS, (i - A_SEGMENTS) * a->s.g.meta_pages);
		for (page = 0; page < a->s.g.meta_pages; page++)
			maker_page(b, i, page, 1, SSDUP_PAGE_ENTRIES, 3);
	}
	maker_supers(a, false);
	maker_supers(b, false);
}

static int judge_one(struct kunit *test, struct maker *m, const char *name)
{
	struct maker one = *m;

	one.b.name = name;
	return judge_log(test, &one, 0);
}

static void each_is_looked_at_alone(struct kunit *test)
{
	struct log_file l;
	struct maker a, b;

	two_logs(&a, &b, 3, 0);
	KUNIT_EXPECT_EQ(test, judge_one(test, &a, "0"), EXIT_OK);
	KUNIT_EXPECT_EQ(test, judge_one(test, &a, "1"), EXIT_OK);
	KUNIT_EXPECT_EQ(test, judge_one(test, &a, NULL), EXIT_REFUSED);
	KUNIT_EXPECT_EQ(test, judge_one(test, &a, "2"), EXIT_NOT_FOUND);
	b.b.name = "1";
	bench_log(&b.b, &l, NO_COPY);
	check_log(&l, true, true);
	KUNIT_EXPECT_EQ(test, l.nr_segments, MAKER_SEGMENTS - 3 - A_SEGMENTS);
	KUNIT_EXPECT_TRUE(test, !memcmp(l.s.uuid, b.s.uuid, sizeof(b.s.uuid)));
	log_close(&l);
	maker_end(&a);
}

/* --- Added and forgotten --- */

/* A log that is to be added; it never was on the SSD. */
static struct log_super new_log(const struct maker *m)
{
	struct log_super s = m->s;

	s.uuid[0] += 7;
	s.epoch = 1;
	s.seq = 1;
	s.first = 77;
	s.tail[0] = 77;
	s.flags = SSDUP_RECORD_CLOSED;
	s.live_segments = 0;
	s.live_pages = 0;
	return s;
}

static u64 logs_of(struct maker *m)
{
	struct ssds ssds = ssds_one(m->b.ssd);
	struct ssd_log log;

	if (ssd_log_read(&ssds, &log, NULL) || log.part[PART_SUPER].fault != LOG_OK)
		return 0;
	return ssd_pool(&log)->logs;
}

static int change(struct maker *m, bool add, const char *name, bool force)
{
	struct log_super s = new_log(m);
	struct ssds ssds = ssds_one(m->b.ssd);
	struct ssd_log log;

	if (ssd_log_read(&ssds, &log, name))
		return EXIT_LOST;
	return add ? pool_add(&bench_ctx, "ssd", &ssds, &nobody, &log, &s) :
		     pool_forget(&bench_ctx, "ssd", &ssds, &nobody, &log, force);
}

static void one_more_and_one_less(struct kunit *test)
{
	struct maker m;

	maker_usual(&m, MAKER_SECTORS, 1);
	KUNIT_EXPECT_EQ(test, change(&m, false, NULL, true), EXIT_REFUSED);
	KUNIT_EXPECT_EQ(test, change(&m, true, NULL, false), EXIT_OK);
	KUNIT_EXPECT_EQ(test, logs_of(&m), 3);
	KUNIT_EXPECT_EQ(test, judge_one(test, &m, "0"), EXIT_OK);
	KUNIT_EXPECT_EQ(test, judge_one(test, &m, "1"), EXIT_OK);
	/* The first one holds something. */
	KUNIT_EXPECT_EQ(test, change(&m, false, "0", false), EXIT_REFUSED);
	KUNIT_EXPECT_EQ(test, logs_of(&m), 3);
	KUNIT_EXPECT_EQ(test, change(&m, false, "1", false), EXIT_OK);
	KUNIT_EXPECT_EQ(test, logs_of(&m), 1);
	KUNIT_EXPECT_EQ(test, judge_log(test, &m, 0), EXIT_OK);
	KUNIT_EXPECT_EQ(test, change(&m, true, NULL, false), EXIT_OK);
	KUNIT_EXPECT_EQ(test, change(&m, false, "0", true), EXIT_OK);
	/* The one that is left is the only one, whatever its number. */
	KUNIT_EXPECT_EQ(test, logs_of(&m), 2);
	KUNIT_EXPECT_EQ(test, judge_log(test, &m, 0), EXIT_OK);
	maker_end(&m);
}

/* What the others hold and are promised is not for a new one: here all of it. */
static void room_is_counted(struct kunit *test)
{
	struct maker a, b;
	u32 free;

	/* Three for each of three logs. */
	for (free = 0; free < 11; free++) {
		two_logs(&a, &b, free, 0);
		KUNIT_EXPECT_EQ_MSG(test, change(&a, true, "0", false),
				    free < 9 ? EXIT_REFUSED : EXIT_OK, "%u free", free);
		KUNIT_EXPECT_EQ(test, logs_of(&a), free < 9 ? 3 : 7);
		maker_end(&a);
	}
}

static void cut_one(struct kunit *test, bool add, u64 before, u64 behind)
{
	bool cut = true;
	struct maker m;
	u32 n;
	u64 logs;

	for (n = 0; cut; n++) {
		maker_usual(&m, MAKER_SECTORS, 1);
		if (!add)
			KUNIT_EXPECT_EQ(test, change(&m, true, NULL, false), EXIT_OK);
		cut_after(n);
		change(&m, add, "1", false);
		cut = cut_done(n);
		logs = logs_of(&m);
		KUNIT_EXPECT_TRUE_MSG(test, logs == before || logs == behind, "after %u", n);
		KUNIT_EXPECT_EQ(test, cut || logs == behind, true);
		KUNIT_EXPECT_EQ_MSG(test, judge_one(test, &m, "0") & ~EXIT_FAULTS, EXIT_OK,
				    "after %u", n);
		if (logs == 3)
			KUNIT_EXPECT_EQ_MSG(test, judge_one(test, &m, "1") & ~EXIT_FAULTS,
					    EXIT_OK, "after %u", n);
		maker_end(&m);
	}
	KUNIT_EXPECT_GT(test, n, 4);
}

static void power_may_go(struct kunit *test)
{
	cut_one(test, true, 1, 3);
	cut_one(test, false, 3, 1);
}

/* One copy of the superblock is from before: it must not make a log vanish. */
static void an_older_copy_is_not_taken(struct kunit *test)
{
	u8 old[SSDUP_BLOCK_BYTES];
	struct log_file l;
	struct plan plan;
	struct maker m;
	u64 at;
	u32 copy;

	for (copy = 0; copy < SSDUP_COPIES; copy++) {
		maker_usual(&m, MAKER_SECTORS, 1);
		at = log_home(m.s.ssd_sectors, copy);
		bench_read(&m.b, old, at, SSDUP_BLOCK_SECTORS);
		KUNIT_EXPECT_EQ(test, change(&m, true, NULL, false), EXIT_OK);
		bench_write(&m.b, old, at, SSDUP_BLOCK_SECTORS);
		m.b.name = "0";
		bench_log(&m.b, &l, copy);
		KUNIT_EXPECT_EQ(test, plan_make(&l, &plan), EXIT_REFUSED);
		plan_free(&plan);
		log_close(&l);
		KUNIT_EXPECT_EQ(test, judge_mended(&m), EXIT_OK);
		KUNIT_EXPECT_EQ(test, logs_of(&m), 3);
		/* Where the other one is lost, there is no choice. */
		maker_blank(&m, log_home(m.s.ssd_sectors, 0), SSDUP_BLOCK_SECTORS);
		bench_log(&m.b, &l, 1);
		KUNIT_EXPECT_EQ(test, plan_make(&l, &plan), EXIT_OK);
		KUNIT_EXPECT_EQ(test, plan_apply(&plan), 0);
		plan_free(&plan);
		log_close(&l);
		KUNIT_EXPECT_EQ(test, logs_of(&m), 3);
		maker_end(&m);
	}
}

/* --- Mended --- */

static void *segments_of_b(struct maker *m, u32 free)
{
	u64 first = log_segment_sector(&m->s.g, A_SEGMENTS);
	u64 sectors = log_segment_sector(&m->s.g, MAKER_SEGMENTS - free) - first;
	void *all = xalloc(sectors * SECTOR_BYTES);

	bench_read(&m->b, all, first, sectors);
	return all;
}

static int mend(struct kunit *test, struct maker *a, u32 spare)
{
	size_t bytes = (MAKER_SEGMENTS - spare - A_SEGMENTS) * MAKER_SECTORS * SECTOR_BYTES;
	void *before = segments_of_b(a, spare), *behind;
	int r;

	a->b.name = "0";
	r = judge_mended(a);
	behind = segments_of_b(a, spare);
	KUNIT_EXPECT_TRUE(test, !memcmp(before, behind, bytes));
	free(before);
	free(behind);
	return r;
}

/* A segment is gone: an empty one takes its place, if one is certainly free. */
static void a_gap_is_filled_from_what_is_free(struct kunit *test)
{
	struct maker a, b;
	u32 free;

	for (free = 0; free < 2; free++) {
		two_logs(&a, &b, free, 1);
		KUNIT_EXPECT_EQ(test, mend(test, &a, free), free ? EXIT_DEGRADED : EXIT_LOST);
		KUNIT_EXPECT_EQ(test, judge_one(test, &a, "1"), EXIT_OK);
		maker_end(&a);
	}
}

static void damage_is_mended_in_its_own_segments(struct kunit *test)
{
	struct maker a, b;
	u64 rnd = 1;
	u32 i, at;

	for (i = 0; i < ROUNDS * 4; i++) {
		two_logs(&a, &b, 3, i & 1);
		for (at = 0; at < 1 + i % 7; at++) {
			rnd = rnd * 6364136223846793005ULL + 1442695040888963407ULL;
			maker_spoil(&a, (log_segment_sector(&a.s.g, (rnd >> 33) % MAKER_SEGMENTS) +
					 (rnd >> 20) % a.s.g.data_start) * SECTOR_BYTES +
					(rnd >> 50) % SECTOR_BYTES);
		}
		mend(test, &a, 3);
		maker_end(&a);
	}
}

static struct kunit_case pool_cases[] = {
	KUNIT_CASE(each_is_looked_at_alone),
	KUNIT_CASE(one_more_and_one_less),
	KUNIT_CASE(room_is_counted),
	KUNIT_CASE(power_may_go),
	KUNIT_CASE(an_older_copy_is_not_taken),
	KUNIT_CASE(a_gap_is_filled_from_what_is_free),
	KUNIT_CASE(damage_is_mended_in_its_own_segments),
	{}
};

static struct kunit_suite pool_suite = { .name = "logs", .test_cases = pool_cases };

kunit_test_suite(pool_suite);
