// SPDX-License-Identifier: GPL-2.0-only
/*
 * Logs read without the module: of other geometries, exported, cleared, given up.
 */
#include <errno.h>
#include <getopt.h>

#include <kunit/test.h>
#include "maker.h"

#include "commands.h"

/* --- Made elsewhere --- */

static void export_and_clear(struct kunit *test, struct maker *m)
{
	struct export_result res;
	struct log_file l;
	struct disk hdd;

	bench_log(&m->b, &l, NO_COPY);
	KUNIT_EXPECT_EQ(test, check_log(&l, true, true), LOG_OK);
	KUNIT_EXPECT_EQ(test, l.findings.nr, 0);
	KUNIT_EXPECT_GT(test, l.map.nr, 200);
	bench_hdd(&m->b, &hdd);
	KUNIT_EXPECT_EQ(test, export_log(&l, &hdd, NULL, &res), 0);
	KUNIT_EXPECT_EQ(test, res.sectors, l.sectors);
	KUNIT_EXPECT_TRUE(test, bench_exported(&m->b, &l));
	disk_close(&hdd);
	KUNIT_EXPECT_EQ(test, export_clear(&l), 0);
	log_close(&l);

	bench_log(&m->b, &l, NO_COPY);
	KUNIT_EXPECT_EQ(test, check_log(&l, true, true), LOG_OK);
	KUNIT_EXPECT_EQ(test, l.findings.nr, 0);
	KUNIT_EXPECT_EQ(test, l.map.nr, 0);
	KUNIT_EXPECT_EQ(test, l.s.seq, m->s.seq + 1);
	log_close(&l);
}

static void other_geometries(struct kunit *test)
{
	static const u32 sectors[] = { 4096, 8192 };
	struct maker m;
	u32 i, block;

	for (i = 0; i < ARRAY_SIZE(sectors); i++)
		for (block = 1; block <= 8; block *= 2) {
			maker_usual(&m, sectors[i], block);
			export_and_clear(test, &m);
			maker_end(&m);
		}
}

/* Blocks may be smaller on other disks, and the disks larger than the log. */
static void other_disks(struct kunit *test)
{
	struct log_file l;
	struct maker m;

	maker_usual(&m, MAKER_SECTORS, 8);
	bench_log(&m.b, &l, NO_COPY);
	l.hdd_block_sectors = 8;
	KUNIT_EXPECT_EQ(test, check_log(&l, true, false), LOG_OK);
	log_close(&l);
	maker_end(&m);

	maker_usual(&m, MAKER_SECTORS, 4);
	bench_log(&m.b, &l, NO_COPY);
	l.hdd_block_sectors = 8;
	KUNIT_EXPECT_EQ(test, check_log(&l, true, false), LOG_BLOCK_SIZE);
	KUNIT_EXPECT_EQ(test, l.findings.nr, 1);
	KUNIT_EXPECT_EQ(test, l.findings.all[0].number, FAULT_BLOCK_SIZE);
	KUNIT_EXPECT_EQ(test, findings_exit(&l.findings), EXIT_REFUSED);
	log_close(&l);
	maker_end(&m);
}

/* --- What is left of a damaged one --- */

static void behind_damage(struct kunit *test)
{
	struct log_file l;
	struct plan plan;
	struct maker m;
	u32 before, after;

	maker_usual(&m, MAKER_SECTORS, 1);
	bench_log(&m.b, &l, NO_COPY);
	check_log(&l, false, false);
	before = l.segment[0].entries;
	log_close(&l);

	maker_spoil(&m, ssdup_log_slot_sector(&m.s.g, 0, 1, 1) * 512 + 9);
	bench_log(&m.b, &l, NO_COPY);
	KUNIT_EXPECT_EQ(test, check_log(&l, false, false), LOG_PAGES_MISSING);
	after = l.segment[0].entries;
	KUNIT_EXPECT_EQ(test, after, before - SSDUP_PAGE_ENTRIES);
	after = l.map.nr;
	log_close(&l);

	/* The kernel gets as much after a repair. */
	bench_log(&m.b, &l, NO_COPY);
	KUNIT_EXPECT_EQ(test, plan_make(&l, &plan), EXIT_OK);
	KUNIT_EXPECT_EQ(test, plan_apply(&plan), 0);
	plan_free(&plan);
	log_close(&l);
	bench_log(&m.b, &l, NO_COPY);
	KUNIT_EXPECT_EQ(test, check_log(&l, false, false), LOG_OK);
	KUNIT_EXPECT_EQ(test, l.map.nr, after);
	log_close(&l);
	maker_end(&m);
}

/* One in six segments, so that numbers go on from one to the next. */
static void pages_of_segments(struct maker *m, u32 first, u32 end)
{
	u32 page, meta = m->s.g.meta_pages;

	for (page = first; page < end; page++) {
		if (page % meta == 0)
			maker_open(m, page / meta, MAKER_FIRST + page / meta, page);
		maker_page(m, page / meta, page % meta, 1, 3, 1);
	}
}

/* Of pages written once, only the distance tells damage from a power cut. */
static void gap_by_distance(struct kunit *test)
{
	const u32 gap = 2, far = gap + LOG_COMMIT_PAGES;
	struct log_file l;
	struct plan plan;
	struct maker m;
	u32 all, here;

	maker_begin(&m, MAKER_SECTORS, 1);
	KUNIT_ASSERT_LT(test, gap + 1, m.s.g.meta_pages);
	here = m.s.g.meta_pages - gap;
	pages_of_segments(&m, 0, far);
	maker_supers(&m, false);
	maker_spoil(&m, ssdup_log_slot_sector(&m.s.g, 0, gap, 1) * 512 + 99);
	bench_log(&m.b, &l, NO_COPY);
	KUNIT_EXPECT_EQ(test, check_log(&l, true, false), LOG_OK);
	KUNIT_EXPECT_EQ(test, findings_exit(&l.findings), EXIT_OK);
	KUNIT_EXPECT_EQ(test, l.map.nr, 3 * (far - here));
	log_close(&l);

	pages_of_segments(&m, far, far + 1);
	for (all = 0; all < 2; all++) {
		bench_log(&m.b, &l, NO_COPY);
		KUNIT_EXPECT_EQ(test, check_log(&l, all, false), LOG_PAGES_GAP);
		KUNIT_ASSERT_EQ(test, l.findings.nr, 1);
		KUNIT_EXPECT_EQ(test, l.findings.all[0].number, FAULT_PAGE + LOG_PAGES_GAP);
		KUNIT_EXPECT_EQ(test, findings_exit(&l.findings), EXIT_LOST);
		KUNIT_EXPECT_EQ(test, l.map.nr, 3 * far);
		log_close(&l);
	}
	/* The kernel gets as much after a repair. */
	bench_log(&m.b, &l, NO_COPY);
	KUNIT_EXPECT_EQ(test, plan_make(&l, &plan), EXIT_OK);
	KUNIT_EXPECT_EQ(test, plan_apply(&plan), 0);
	plan_free(&plan);
	log_close(&l);
	bench_log(&m.b, &l, NO_COPY);
	KUNIT_EXPECT_EQ(test, check_log(&l, false, false), LOG_OK);
	KUNIT_EXPECT_EQ(test, l.findings.nr, 0);
	KUNIT_EXPECT_EQ(test, l.map.nr, 3 * far);
	log_close(&l);
	maker_end(&m);
}

/* Each set of these segments: what is left is found, and a repair leaves it to the kernel. */
static void any_segments_gone(struct kunit *test)
{
	const u32 nr = 5;
	struct log_file l;
	struct plan plan;
	struct maker m;
	u32 gone, i, meta, pages;

	for (gone = 1; gone < 1U << nr; gone++) {
		maker_begin(&m, MAKER_SECTORS, 1);
		meta = m.s.g.meta_pages;
		pages_of_segments(&m, 0, nr * meta);
		maker_supers(&m, false);
		for (i = 0, pages = nr * meta; i < nr; i++)
			if (gone >> i & 1) {
				maker_blank(&m, log_segment_sector(&m.s.g, i), m.s.g.data_start);
				pages -= meta;
			}
		bench_log(&m.b, &l, NO_COPY);
		KUNIT_EXPECT_EQ(test, plan_make(&l, &plan), EXIT_OK);
		KUNIT_EXPECT_EQ(test, l.map.nr, 3 * pages);
		/* Nothing tells of the last ones. */
		KUNIT_EXPECT_EQ(test, findings_exit(&l.findings),
				gone + (1U << __ffs(gone)) == 1U << nr ? EXIT_OK : EXIT_LOST);
		KUNIT_EXPECT_EQ(test, plan_apply(&plan), 0);
		plan_free(&plan);
		log_close(&l);
		bench_log(&m.b, &l, NO_COPY);
		KUNIT_EXPECT_EQ_MSG(test, check_log(&l, true, false), LOG_OK, "gone 0x%x", gone);
		KUNIT_EXPECT_EQ(test, l.findings.nr, 0);
		KUNIT_EXPECT_EQ(test, l.map.nr, 3 * pages);
		log_close(&l);
		maker_end(&m);
	}
}

/* Nothing says that an epoch has begun earlier, once its first segments were freed. */
static void epochs_that_were_freed_from(struct kunit *test)
{
	struct log_file l;
	struct maker m;

	maker_begin(&m, MAKER_SECTORS, 1);
	m.s.tail[0] = MAKER_FIRST + 1;
	maker_open(&m, 4, MAKER_FIRST + 1, 77);
	maker_page(&m, 4, 0, 2, 3, 1);
	m.s.epoch++;
	m.s.first = MAKER_FIRST + 3;
	maker_open(&m, 2, MAKER_FIRST + 3, 0);
	maker_page(&m, 2, 0, 1, 3, 1);
	maker_supers(&m, false);
	bench_log(&m.b, &l, NO_COPY);
	KUNIT_EXPECT_EQ(test, check_log(&l, true, false), LOG_OK);
	KUNIT_EXPECT_EQ(test, l.findings.nr, 0);
	KUNIT_EXPECT_EQ(test, l.map.nr, 6);
	KUNIT_EXPECT_EQ(test, ssd_log_used(&l.ssds, &l.s), 1);
	log_close(&l);
	maker_end(&m);
}

static void chosen_copy(struct kunit *test)
{
	struct log_file l;
	struct plan plan;
	struct maker m;

	maker_usual(&m, MAKER_SECTORS, 1);
	maker_blank(&m, 0, SSDUP_BLOCK_SECTORS);
	bench_log(&m.b, &l, NO_COPY);
	KUNIT_EXPECT_FALSE(test, l.known);
	KUNIT_EXPECT_EQ(test, no_log(&l), EXIT_REFUSED);
	log_close(&l);
	bench_log(&m.b, &l, 0);
	KUNIT_EXPECT_EQ(test, no_log(&l), EXIT_LOST);
	log_close(&l);

	bench_log(&m.b, &l, 1);
	KUNIT_EXPECT_EQ(test, l.from[PART_SUPER], 1);
	KUNIT_EXPECT_EQ(test, plan_make(&l, &plan), EXIT_OK);
	KUNIT_EXPECT_GT(test, l.map.nr, 200);
	KUNIT_EXPECT_EQ(test, plan.nr, 1);
	KUNIT_EXPECT_EQ(test, plan_apply(&plan), 0);
	plan_free(&plan);
	log_close(&l);
	bench_log(&m.b, &l, NO_COPY);
	KUNIT_EXPECT_EQ(test, check_log(&l, true, true), LOG_OK);
	KUNIT_EXPECT_EQ(test, l.findings.nr, 0);
	log_close(&l);
	maker_end(&m);
}

/* A log is empty only if nothing speaks against it: a page, a count, what is damaged. */
static void emptiness_is_certain(struct kunit *test)
{
	struct log_file l;
	struct maker m;
	u32 clean, page;

	for (clean = 0; clean < 2; clean++)
		for (page = 0; page < 6; page++) {
			maker_begin(&m, MAKER_SECTORS, 1);
			if (page)
				maker_open(&m, 1, MAKER_FIRST, 0);
			if (page > 1)
				maker_page(&m, 1, 0, 1, 3, 1);
			if (page > 3)
				maker_page(&m, 1, 1, 1, 3, 1);
			maker_supers(&m, clean);
			/* 1: no page, 2: all well, 3: its data are damaged, 4: it cannot be told */
			if (page == 3)
				maker_spoil(&m, ssdup_log_slot_sector(&m.s.g, 1, 0, 1) * 512 + 99);
			if (page == 4)
				maker_blank(&m, ssdup_log_slot_sector(&m.s.g, 1, 0, 0),
					    SSDUP_PAGE_SLOTS * SSDUP_PAGE_SECTORS);
			/* 5: the header is gone */
			if (page == 5)
				maker_blank(&m, log_segment_sector(&m.s.g, 1), SSDUP_BLOCK_SECTORS);
			bench_log(&m.b, &l, NO_COPY);
			KUNIT_EXPECT_EQ_MSG(test, ssd_log_used(&l.ssds, &l.s), page > 1,
					    "page %u, clean %u", page, clean);
			log_close(&l);
			maker_end(&m);
		}
}

/* --- Made to hurt --- */

static void faults_without_end(struct kunit *test)
{
	struct ssdup_page p;
	struct log_file l;
	struct plan plan;
	struct maker m;
	u32 segment, page, i;

	maker_begin(&m, MAKER_SECTORS, 1);
	for (segment = 0; segment < MAKER_SEGMENTS; segment++) {
		maker_open(&m, segment, MAKER_FIRST + segment, segment * m.s.g.meta_pages);
		for (page = 0; page < m.s.g.meta_pages; page++) {
			maker_page(&m, segment, page, 1, SSDUP_PAGE_ENTRIES, 2);
			maker_slot(&m, segment, page, 1, &p);
			for (i = 0; i < SSDUP_PAGE_ENTRIES; i++)
				p.e[i].kind += 77;
			maker_put_slot(&m, segment, page, 1, &p);
		}
	}
	maker_supers(&m, true);
	bench_log(&m.b, &l, NO_COPY);
	KUNIT_EXPECT_EQ(test, plan_make(&l, &plan), EXIT_OK);
	KUNIT_EXPECT_EQ(test, l.findings.nr, MAX_FINDINGS);
	KUNIT_EXPECT_EQ(test, l.findings.nr + l.findings.more,
			MAKER_SEGMENTS * m.s.g.meta_pages * SSDUP_PAGE_ENTRIES);
	KUNIT_EXPECT_EQ(test, plan.nr, MAKER_SEGMENTS * m.s.g.meta_pages + 1);
	KUNIT_EXPECT_EQ(test, plan_apply(&plan), 0);
	plan_free(&plan);
	log_close(&l);
	bench_log(&m.b, &l, NO_COPY);
	KUNIT_EXPECT_EQ(test, check_log(&l, true, true), LOG_OK);
	KUNIT_EXPECT_EQ(test, findings_exit(&l.findings), EXIT_OK);
	log_close(&l);
	maker_end(&m);
}

/* Nothing is counted beyond its end, and nothing written that would be refused. */
static void counters_used_up(struct kunit *test)
{
	struct log_file l;
	struct maker m;

	maker_usual(&m, MAKER_SECTORS, 1);
	maker_forge(&m, PART_RECORD, 3, offsetof(struct ssdup_record, seq), 8, LOG_MAX_COUNT);
	bench_log(&m.b, &l, NO_COPY);
	KUNIT_EXPECT_EQ(test, check_log(&l, false, false), LOG_OK);
	KUNIT_EXPECT_EQ(test, export_clear(&l), -ERANGE);
	KUNIT_EXPECT_EQ(test, log_accepts(&l), LOG_OK);
	log_close(&l);
	maker_end(&m);
}

/* One epoch cannot have begun with a page of the highest number. */
static void numbers_beyond_all(struct kunit *test)
{
	struct log_file l;
	struct plan plan;
	struct maker m;

	maker_begin(&m, MAKER_SECTORS, 1);
	maker_open(&m, 3, MAKER_FIRST, U32_MAX - 1);
	maker_page(&m, 3, 0, 1, 3, 1);
	maker_page(&m, 3, 1, 1, 3, 1);
	maker_page(&m, 3, 2, 1, 3, 1);
	maker_supers(&m, false);
	bench_log(&m.b, &l, NO_COPY);
	KUNIT_EXPECT_EQ(test, plan_make(&l, &plan), EXIT_LOST);
	KUNIT_EXPECT_EQ(test, findings_exit(&l.findings), EXIT_LOST);
	KUNIT_EXPECT_EQ(test, l.map.nr, 9);
	plan_free(&plan);
	log_close(&l);
	maker_end(&m);
}

/* The kernel refuses it, but nothing of it is lost. */
static void nil_uuid_is_exported(struct kunit *test)
{
	struct export_result res;
	struct disk hdd;
	struct log_file l;
	struct plan plan;
	struct maker m;

	maker_begin(&m, MAKER_SECTORS, 1);
	memset(m.s.uuid, 0, sizeof(m.s.uuid));
	maker_open(&m, 0, MAKER_FIRST, 0);
	maker_page(&m, 0, 0, 1, 10, 1);
	maker_supers(&m, true);
	bench_log(&m.b, &l, NO_COPY);
	KUNIT_EXPECT_EQ(test, check_log(&l, true, true), LOG_NO_UUID);
	KUNIT_EXPECT_EQ(test, l.map.nr, 10);
	KUNIT_EXPECT_EQ(test, findings_exit(&l.findings), EXIT_REFUSED);
	bench_hdd(&m.b, &hdd);
	KUNIT_EXPECT_EQ(test, export_log(&l, &hdd, NULL, &res), 0);
	disk_close(&hdd);
	KUNIT_EXPECT_TRUE(test, bench_exported(&m.b, &l));
	log_close(&l);
	bench_log(&m.b, &l, NO_COPY);
	KUNIT_EXPECT_EQ(test, plan_make(&l, &plan), EXIT_REFUSED);
	plan_free(&plan);
	log_close(&l);
	maker_end(&m);
}

static int format_again(struct maker *m, char *word)
{
	struct ssdup_ctx ctx = bench_ctx;
	char ssd[32], hdd[32], uuid[UUID_TEXT];
	char *argv[9] = { "format", ssd, "--hdd", hdd, "--uuid", uuid, word, "-q", NULL };

	snprintf(ssd, sizeof(ssd), "/proc/self/fd/%d", m->b.ssd);
	snprintf(hdd, sizeof(hdd), "/proc/self/fd/%d", m->b.hdd);
	uuid_text(uuid, m->s.uuid);
	optind = 0;
	ctx.usage = &usage_format;
	return cmd_format(&ctx, ARRAY_SIZE(argv) - 1, argv);
}

/* Its pages stay where they were, of its UUID and of the epoch of the new one. */
static void nothing_is_left_of_an_older_log(struct kunit *test)
{
	struct log_file l;
	struct maker m;

	maker_begin(&m, MAKER_SECTORS, 1);
	m.s.epoch = 1;
	maker_open(&m, 0, MAKER_FIRST, 0);
	maker_page(&m, 0, 0, 1, 20, 1);
	maker_open(&m, 1, MAKER_FIRST + 1, 1);
	maker_page(&m, 1, 0, 2, 20, 1);
	maker_supers(&m, true);
	KUNIT_ASSERT_EQ(test, format_again(&m, "--force"), EXIT_REFUSED);
	bench_log(&m.b, &l, NO_COPY);
	KUNIT_EXPECT_EQ(test, check_log(&l, true, false), LOG_OK);
	KUNIT_EXPECT_EQ(test, l.map.nr, 40);
	log_close(&l);
	KUNIT_ASSERT_EQ(test, format_again(&m, "--discard-unsaved"), EXIT_OK);
	bench_log(&m.b, &l, NO_COPY);
	KUNIT_EXPECT_EQ(test, check_log(&l, true, false), LOG_OK);
	KUNIT_EXPECT_EQ(test, l.map.nr, 0);
	KUNIT_EXPECT_EQ(test, l.findings.nr, 0);
	KUNIT_EXPECT_TRUE(test, !memcmp(l.s.uuid, m.s.uuid, sizeof(l.s.uuid)));
	l.s.flags = 0;
	KUNIT_EXPECT_EQ(test, ssd_log_used(&l.ssds, &l.s), 0);
	log_close(&l);
	maker_end(&m);
}

/* An image that ends in the middle of anything. */
static void images_cut_off(struct kunit *test)
{
	static const u64 sizes[] = { 0, 1, 4095, 4096, 65536, 69632, 70000, 1 << 20, 5 << 20 };
	struct log_file l;
	struct plan plan;
	struct maker m;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		maker_usual(&m, MAKER_SECTORS, 1);
		bench_cut(&m.b, sizes[i]);
		bench_log(&m.b, &l, NO_COPY);
		check_log(&l, true, true);
		KUNIT_EXPECT_EQ(test, !l.known, sizes[i] < 512 * (SSDUP_RECORD_PLACE(0) +
								  SSDUP_BLOCK_SECTORS));
		/* Without its first bytes nothing says that it was a log. */
		KUNIT_EXPECT_EQ(test, findings_exit(&l.findings),
				sizes[i] < 8 ? EXIT_OK : EXIT_LOST);
		log_close(&l);
		bench_log(&m.b, &l, NO_COPY);
		KUNIT_EXPECT_EQ(test, plan_make(&l, &plan),
				sizes[i] < 8 ? EXIT_NOT_FOUND : EXIT_LOST);
		plan_free(&plan);
		log_close(&l);
		maker_end(&m);
	}
}

static struct kunit_case offline_cases[] = {
	KUNIT_CASE(other_geometries),
	KUNIT_CASE(other_disks),
	KUNIT_CASE(behind_damage),
	KUNIT_CASE(gap_by_distance),
	KUNIT_CASE(any_segments_gone),
	KUNIT_CASE(epochs_that_were_freed_from),
	KUNIT_CASE(chosen_copy),
	KUNIT_CASE(emptiness_is_certain),
	KUNIT_CASE(faults_without_end),
	KUNIT_CASE(counters_used_up),
	KUNIT_CASE(numbers_beyond_all),
	KUNIT_CASE(nil_uuid_is_exported),
	KUNIT_CASE(nothing_is_left_of_an_older_log),
	KUNIT_CASE(images_cut_off),
	{}
};

static struct kunit_suite offline_suite = {
	.name = "offline_logs",
	.test_cases = offline_cases,
};

kunit_test_suite(offline_suite);
