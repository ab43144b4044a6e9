// SPDX-License-Identifier: GPL-2.0-only
/*
 * Logs with classes that are read without the module: exported, cleared, damaged in one class,
 * mended.
 */
#include "judge.h"

#define CLASSES		3U
#define OF_CLASS	2U		/* segments */
#define SEGMENTS	(CLASSES * OF_CLASS)
#define ENTRIES		3U		/* of a page */

static u32 class_of(u32 segment)
{
	return segment % CLASSES;
}

/* Full segments in turn of each class; the power was cut. */
static void make_log(struct maker *m)
{
	u32 i, page, meta;
	u64 from;

	maker_begin(m, MAKER_SECTORS, 1);
	m->s.classes.nr = CLASSES;
	for (i = 0; i < CLASSES; i++)
		m->s.tail[i] = MAKER_FIRST;
	meta = m->s.g.meta_pages;
	for (i = 0; i < SEGMENTS; i++) {
		from = ssdup_log_class_from(&m->s.classes, class_of(i), MAKER_FIRST);
		maker_open(m, i, from + i / CLASSES * CLASSES, i / CLASSES * meta);
		for (page = 0; page < meta; page++)
			maker_page(m, i, page, 1, ENTRIES, 1);
	}
	maker_supers(m, false);
}

static void blank_segment(struct maker *m, u32 segment)
{
	maker_blank(m, log_segment_sector(&m->s.g, segment), m->s.g.data_start);
}

static void exported_and_cleared(struct kunit *test)
{
	struct export_result res;
	struct log_file l;
	struct disk hdd;
	struct maker m;
	u32 i;

	make_log(&m);
	bench_log(&m.b, &l, NO_COPY);
	KUNIT_EXPECT_EQ(test, check_log(&l, true, true), LOG_OK);
	KUNIT_EXPECT_EQ(test, l.findings.nr, 0);
	KUNIT_EXPECT_EQ(test, l.map.nr, SEGMENTS * m.s.g.meta_pages * ENTRIES);
	bench_hdd(&m.b, &hdd);
	KUNIT_EXPECT_EQ(test, export_log(&l, &hdd, NULL, &res), 0);
	KUNIT_EXPECT_EQ(test, res.sectors, l.sectors);
	KUNIT_EXPECT_TRUE(test, bench_exported(&m.b, &l));
	disk_close(&hdd);
	KUNIT_EXPECT_EQ(test, export_clear(&l), 0);
	log_close(&l);

	bench_log(&m.b, &l, NO_COPY);
	KUNIT_EXPECT_EQ(test, check_log(&l, true, true), LOG_OK);
	KUNIT_EXPECT_EQ(test, l.findings.nr, 0);
	KUNIT_EXPECT_EQ(test, l.map.nr, 0);
	KUNIT_EXPECT_EQ(test, l.s.classes.nr, CLASSES);
	for (i = 0; i < SEGMENTS; i++)
		KUNIT_EXPECT_FALSE(test, log_live(&l.s, m.segment[i].h.generation));
	log_close(&l);
	maker_end(&m);
}

/* Each set of the segments: a class tells of its own, and nothing of another one. */
static void any_segments_gone(struct kunit *test)
{
	u32 gone, i, pages;
	struct log_file l;
	struct maker m;
	bool told;
	int code;

	for (gone = 1; gone < 1U << SEGMENTS; gone++) {
		make_log(&m);
		for (i = 0, pages = 0, told = false; i < SEGMENTS; i++) {
			if (gone >> i & 1)
				blank_segment(&m, i);
			else
				pages += m.s.g.meta_pages;
			/* The younger one of the class is still there. */
			told |= i < CLASSES && gone >> i & 1 && !(gone >> (i + CLASSES) & 1);
		}
		code = told ? EXIT_LOST : EXIT_OK;
		KUNIT_EXPECT_EQ_MSG(test, judge_log(test, &m, 0), code, "gone 0x%x", gone);
		KUNIT_EXPECT_EQ(test, judge_mended(&m), told ? EXIT_DEGRADED : EXIT_OK);
		bench_log(&m.b, &l, NO_COPY);
		KUNIT_EXPECT_EQ_MSG(test, check_log(&l, true, false), LOG_OK, "gone 0x%x", gone);
		KUNIT_EXPECT_EQ(test, l.map.nr, ENTRIES * pages);
		log_close(&l);
		maker_end(&m);
	}
}

/* --- Single damages --- */

static void other_class(struct maker *m)
{
	maker_forge_header(m, 4, OF(header, class), 2);
}

static void no_such_class(struct maker *m)
{
	maker_forge_header(m, 4, OF(header, class), SSDUP_MAX_CLASSES);
}

static void generation_of_another(struct maker *m)
{
	maker_forge_header(m, 4, OF(header, generation), m->segment[5].h.generation);
}

static void no_tail(struct maker *m)
{
	maker_forge(m, PART_RECORD, 2, OF(record, tail[2]), 0);
}

static void no_tails(struct maker *m)
{
	maker_forge(m, PART_RECORD, 3, OF(record, tail[2]), 0);
}

static void no_classes(struct maker *m)
{
	maker_forge(m, PART_RECORD, 3, OF(record, nr_classes), 0);
}

/* Another class has segments of higher generations. */
static void end_gone(struct maker *m)
{
	maker_supers(m, true);
	blank_segment(m, 3);
}

static void tail_ahead(struct maker *m)
{
	maker_supers(m, true);
	maker_forge(m, PART_RECORD, 3, OF(record, tail[1]), 1000);
}

static void page_gone(struct maker *m)
{
	maker_supers(m, true);
	maker_blank(m, ssdup_log_slot_sector(&m->s.g, 2, 1, 0), 2 * SSDUP_PAGE_SECTORS);
}

static const struct damage damages[] = {
	{ "header: class", other_class, 631, EXIT_FAULTS, EXIT_OK, EXIT_OK },
	{ "header: no class", no_such_class, 631, EXIT_FAULTS, EXIT_OK, EXIT_OK },
	{ "header: generation", generation_of_another, 631, EXIT_FAULTS, EXIT_OK, EXIT_OK },
	{ "record 1: tail", no_tail, 508, EXIT_FAULTS, EXIT_OK, EXIT_OK },
	{ "both records: tail", no_tails, 508, EXIT_LOST, EXIT_LOST, EXIT_LOST },
	{ "both records: classes", no_classes, 507, EXIT_LOST, EXIT_LOST, EXIT_LOST },
	{ "end of a class gone", end_gone, 220, EXIT_LOST, EXIT_DEGRADED, EXIT_OK },
	{ "tail ahead", tail_ahead, 220, EXIT_LOST, EXIT_DEGRADED, EXIT_OK },
	{ "page gone", page_gone, 220, EXIT_LOST, EXIT_DEGRADED, EXIT_OK },
};

KUNIT_ARRAY_PARAM(damage, damages, judge_describe);

static void found_and_mended(struct kunit *test)
{
	struct maker m;

	make_log(&m);
	judge_damage(test, &m);
}

static struct kunit_case classes_cases[] = {
	KUNIT_CASE(exported_and_cleared),
	KUNIT_CASE(any_segments_gone),
	KUNIT_CASE_PARAM(found_and_mended, damage_gen_params),
	{}
};

static struct kunit_suite classes_suite = {
	.name = "offline_classes",
	.test_cases = classes_cases,
};

kunit_test_suite(classes_suite);
