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
	KUNIT_EXPECT_EQ(test, export_log(&l, &hdd, &res), 0);
	KUNIT_EXPECT_EQ(test, res.sectors, l.map.sectors);
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
	static const u32 halves[] = { 2, 3, 5, 16 };
	struct maker m;
	u32 i, block;

	for (i = 0; i < ARRAY_SIZE(halves); i++)
		for (block = 1; block <= 8; block *= 2) {
			maker_usual(&m, halves[i], block);
			export_and_clear(test, &m);
			maker_end(&m);
		}
}

/* Blocks may be smaller on other disks, and the disks larger than the log. */
static void other_disks(struct kunit *test)
{
	struct log_file l;
	struct maker m;

	maker_usual(&m, 2, 8);
	bench_log(&m.b, &l, NO_COPY);
	l.hdd_block_sectors = 8;
	KUNIT_EXPECT_EQ(test, check_log(&l, true, false), LOG_OK);
	log_close(&l);
	maker_end(&m);

	maker_usual(&m, 2, 4);
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

	maker_usual(&m, 2, 1);
	bench_log(&m.b, &l, NO_COPY);
	check_log(&l, false, false);
	before = l.half[0].entries;
	log_close(&l);

	maker_spoil(&m, ssdup_log_slot_sector(&m.s.g, 0, 1, 1) * 512 + 9);
	bench_log(&m.b, &l, NO_COPY);
	KUNIT_EXPECT_EQ(test, check_log(&l, false, false), LOG_PAGES_MISSING);
	after = l.half[0].entries;
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

/* Of pages written once, only the distance tells damage from a power cut. */
static void gap_by_distance(struct kunit *test)
{
	const u32 gap = 3, far = gap + LOG_COMMIT_PAGES;
	struct log_file l;
	struct plan plan;
	struct maker m;
	u32 page, all;

	maker_begin(&m, 2, 1, 4 * LOG_MIN_STRIDE);
	for (page = 0; page < far; page++)
		maker_page(&m, 0, page, 1, 3, 1);
	maker_supers(&m, false);
	maker_spoil(&m, ssdup_log_slot_sector(&m.s.g, 0, gap, 1) * 512 + 99);
	bench_log(&m.b, &l, NO_COPY);
	KUNIT_EXPECT_EQ(test, check_log(&l, true, false), LOG_OK);
	KUNIT_EXPECT_EQ(test, findings_exit(&l.findings), EXIT_OK);
	KUNIT_EXPECT_EQ(test, l.map.nr, 3 * gap);
	log_close(&l);

	maker_page(&m, 0, far, 1, 3, 1);
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
	KUNIT_EXPECT_EQ(test, l.half[0].live, far + 1);
	KUNIT_EXPECT_EQ(test, l.map.nr, 3 * far);
	log_close(&l);
	maker_end(&m);
}

/* Where next to nothing is left behind the gap the kernel may miss it, and check does not. */
static void gap_before_a_lonely_page(struct kunit *test)
{
	u32 gap = 1, page = gap;
	struct log_file l;
	struct maker m;

	while (replay_look_on(gap, page) - page < 3)
		page = replay_look_on(gap, page);
	page++;
	maker_begin(&m, 2, 1, 16 * LOG_MIN_STRIDE);
	KUNIT_ASSERT_LT(test, page, m.s.g.meta_pages);
	maker_page(&m, 0, 0, 1, 3, 1);
	maker_page(&m, 0, page, 1, 3, 1);
	maker_supers(&m, false);
	bench_log(&m.b, &l, NO_COPY);
	KUNIT_EXPECT_EQ(test, check_log(&l, false, false), LOG_OK);
	KUNIT_EXPECT_EQ(test, l.findings.nr, 0);
	log_close(&l);
	bench_log(&m.b, &l, NO_COPY);
	KUNIT_EXPECT_EQ(test, check_log(&l, true, false), LOG_OK);
	KUNIT_ASSERT_EQ(test, l.findings.nr, 1);
	KUNIT_EXPECT_EQ(test, l.findings.all[0].number, FAULT_PAGES_GAP);
	log_close(&l);
	maker_end(&m);
}

static void chosen_copy(struct kunit *test)
{
	u8 zeros[SSDUP_SUPER_BYTES] = {};
	struct log_file l;
	struct plan plan;
	struct maker m;

	maker_usual(&m, 2, 1);
	bench_write(&m.b, zeros, 0, sizeof(zeros) / 512);
	bench_log(&m.b, &l, NO_COPY);
	KUNIT_EXPECT_EQ(test, l.from, NO_COPY);
	KUNIT_EXPECT_EQ(test, no_log(&l), EXIT_NOT_FOUND);
	log_close(&l);
	bench_log(&m.b, &l, 0);
	KUNIT_EXPECT_EQ(test, no_log(&l), EXIT_LOST);
	log_close(&l);

	bench_log(&m.b, &l, 1);
	KUNIT_EXPECT_EQ(test, l.from, 1);
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
	u8 zeros[SSDUP_PAGE_SLOTS * SSDUP_PAGE_BYTES] = {};
	struct log_file l;
	struct maker m;
	u32 clean, page;

	for (clean = 0; clean < 2; clean++)
		for (page = 0; page < 4; page++) {
			maker_begin(&m, 2, 1, LOG_MIN_STRIDE);
			if (page)
				maker_page(&m, 1, 0, 1, 3, 1);
			if (page > 2)
				maker_page(&m, 1, 1, 1, 3, 1);
			maker_supers(&m, clean);
			/* 1: all is well, 2: its data are damaged, 3: it cannot be told */
			if (page == 2)
				maker_spoil(&m, ssdup_log_slot_sector(&m.s.g, 1, 0, 1) * 512 + 99);
			if (page == 3)
				bench_write(&m.b, zeros, ssdup_log_slot_sector(&m.s.g, 1, 0, 0),
					    sizeof(zeros) / 512);
			bench_log(&m.b, &l, NO_COPY);
			KUNIT_EXPECT_EQ_MSG(test, ssd_log_used(l.ssd.fd, &l.s), !!page,
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
	u32 half, page, i;

	maker_begin(&m, 16, 1, LOG_MIN_STRIDE);
	for (half = 0; half < 16; half++)
		for (page = 0; page < m.s.g.meta_pages; page++) {
			maker_page(&m, half, page, 1, SSDUP_PAGE_ENTRIES, 2);
			maker_slot(&m, half, page, 1, &p);
			for (i = 0; i < SSDUP_PAGE_ENTRIES; i++)
				p.e[i].kind += 77;
			maker_put_slot(&m, half, page, 1, &p);
		}
	maker_supers(&m, true);
	bench_log(&m.b, &l, NO_COPY);
	KUNIT_EXPECT_EQ(test, plan_make(&l, &plan), EXIT_OK);
	KUNIT_EXPECT_EQ(test, l.findings.nr, MAX_FINDINGS);
	KUNIT_EXPECT_EQ(test, l.findings.nr + l.findings.more,
			16 * m.s.g.meta_pages * SSDUP_PAGE_ENTRIES);
	KUNIT_EXPECT_EQ(test, plan.nr, 16 * m.s.g.meta_pages + 1);
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

	maker_usual(&m, 2, 1);
	maker_forge(&m, 3, offsetof(struct ssdup_super, half[1].generation), 8, LOG_MAX_COUNT);
	bench_log(&m.b, &l, NO_COPY);
	check_log(&l, false, false);
	KUNIT_EXPECT_EQ(test, export_clear(&l), -ERANGE);
	KUNIT_EXPECT_EQ(test, log_accepts(&l), LOG_PAGES_MISSING);
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

	maker_begin(&m, 2, 1, LOG_MIN_STRIDE);
	memset(m.s.uuid, 0, sizeof(m.s.uuid));
	maker_page(&m, 0, 0, 1, 10, 1);
	maker_supers(&m, true);
	bench_log(&m.b, &l, NO_COPY);
	KUNIT_EXPECT_EQ(test, check_log(&l, true, true), LOG_NO_UUID);
	KUNIT_EXPECT_EQ(test, l.map.nr, 10);
	KUNIT_EXPECT_EQ(test, findings_exit(&l.findings), EXIT_REFUSED);
	bench_hdd(&m.b, &hdd);
	KUNIT_EXPECT_EQ(test, export_log(&l, &hdd, &res), 0);
	disk_close(&hdd);
	KUNIT_EXPECT_TRUE(test, bench_exported(&m.b, &l));
	log_close(&l);
	bench_log(&m.b, &l, NO_COPY);
	KUNIT_EXPECT_EQ(test, plan_make(&l, &plan), EXIT_REFUSED);
	plan_free(&plan);
	log_close(&l);
	maker_end(&m);
}

static int format_again(struct maker *m)
{
	struct ssdup_ctx ctx = bench_ctx;
	char ssd[32], hdd[32], uuid[UUID_TEXT];
	char *argv[9] = { "format", ssd, "--hdd", hdd, "--uuid", uuid, "--force", "-q", NULL };

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
	u32 slot;

	maker_begin(&m, 2, 1, LOG_MIN_STRIDE);
	m.s.epoch = 1;
	for (slot = 1; slot <= 2; slot++)
		maker_page(&m, slot - 1, 0, slot, 20, 1);
	maker_supers(&m, true);
	KUNIT_ASSERT_EQ(test, format_again(&m), EXIT_OK);
	bench_log(&m.b, &l, NO_COPY);
	KUNIT_EXPECT_EQ(test, check_log(&l, true, false), LOG_OK);
	KUNIT_EXPECT_EQ(test, l.map.nr, 0);
	KUNIT_EXPECT_EQ(test, l.findings.nr, 0);
	KUNIT_EXPECT_TRUE(test, !memcmp(l.s.uuid, m.s.uuid, sizeof(l.s.uuid)));
	KUNIT_EXPECT_EQ(test, ssd_log_used(m.b.ssd, &l.s), 0);
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
		maker_usual(&m, 2, 1);
		bench_cut(&m.b, sizes[i]);
		bench_log(&m.b, &l, NO_COPY);
		check_log(&l, true, true);
		KUNIT_EXPECT_EQ(test, l.from == NO_COPY, sizes[i] < 4096);
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
	KUNIT_CASE(gap_before_a_lonely_page),
	KUNIT_CASE(chosen_copy),
	KUNIT_CASE(emptiness_is_certain),
	KUNIT_CASE(faults_without_end),
	KUNIT_CASE(counters_used_up),
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
