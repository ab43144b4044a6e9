// SPDX-License-Identifier: GPL-2.0-only
/*
 * Single damages: each is found under its own number and nothing else is, and repair
 * leaves a log that the kernel accepts.
 */
#include <kunit/test.h>
#include "maker.h"

#define OF(field)	offsetof(struct ssdup_super, field), \
			sizeof(((struct ssdup_super *)0)->field)

struct damage {
	const char	*name;
	void		(*spoil)(struct maker *m);
	unsigned int	number;
	int		check;		/* exit codes */
	int		repair;		/* EXIT_OK, EXIT_DEGRADED, or why not */
	int		after;		/* check, after repair */
};

/* --- Superblock --- */

static void copy_0_crc(struct maker *m)
{
	maker_spoil(m, 0x40);
}

static void copy_1_crc(struct maker *m)
{
	maker_spoil(m, 128 * 512 + 0x1ff);
}

static void both_crc(struct maker *m)
{
	copy_0_crc(m);
	copy_1_crc(m);
}

static void blank(struct maker *m, u32 copy)
{
	u8 zeros[SSDUP_SUPER_BYTES] = {};

	bench_write(&m->b, zeros, SSDUP_SUPER_SECTOR(copy), SSDUP_SUPER_BYTES / 512);
}

static void copy_0_blank(struct maker *m)
{
	blank(m, 0);
}

static void copy_1_blank(struct maker *m)
{
	blank(m, 1);
}

static void copy_0_foreign(struct maker *m)
{
	maker_spoil(m, 0);
}

static void copy_1_foreign(struct maker *m)
{
	maker_spoil(m, 128 * 512);
}

static void both_blank(struct maker *m)
{
	blank(m, 0);
	blank(m, 1);
}

static void version(struct maker *m)
{
	maker_forge(m, 3, OF(version), 2);
}

static void incompat(struct maker *m)
{
	maker_forge(m, 3, OF(incompat), 1);
}

static void ro_compat(struct maker *m)
{
	maker_forge(m, 3, OF(ro_compat), 1ULL << 40);
}

static void compat(struct maker *m)
{
	maker_forge(m, 3, OF(compat), 5);
}

static void geometry(struct maker *m)
{
	maker_forge(m, 3, OF(half_stride), 1ULL << 60);
}

static void geometry_copy_1(struct maker *m)
{
	maker_forge(m, 2, OF(nr_halves), 17);
}

static void generation_copy_0(struct maker *m)
{
	maker_forge(m, 1, OF(half[0].generation), 2);
}

static void generation_newer(struct maker *m)
{
	maker_forge(m, 1, OF(seq), m->s.seq + 1);
	generation_copy_0(m);
}

static void hdd_size(struct maker *m)
{
	m->b.hdd_sectors += 8;
}

static void ssd_size(struct maker *m)
{
	bench_cut(&m->b, (m->b.ssd_sectors - 8) * 512);
}

static void two_logs(struct maker *m)
{
	maker_forge(m, 2, OF(uuid[3]), 2);
}

static void nil_uuid_copy_1(struct maker *m)
{
	maker_forge(m, 2, offsetof(struct ssdup_super, uuid), 8, 0);
}

static void behind(struct maker *m)
{
	maker_forge(m, 2, OF(seq), m->s.seq - 1);
}

static void unlike(struct maker *m)
{
	maker_forge(m, 2, OF(epoch), m->s.epoch + 1);
}

/* --- Pages --- */

static void spoil_slot(struct maker *m, u32 half, u32 page, u32 slot)
{
	maker_spoil(m, ssdup_log_slot_sector(&m->s.g, half, page, slot) * 512 + 100);
}

static void older_torn(struct maker *m)
{
	spoil_slot(m, 0, 2, 1);
}

static void newest_torn(struct maker *m)
{
	spoil_slot(m, 0, 2, 0);
}

static void newest_torn_by_power_cut(struct maker *m)
{
	newest_torn(m);
	maker_supers(m, false);
}

static void forge_page(struct maker *m, void (*forge)(struct ssdup_page *p))
{
	struct ssdup_page p;

	maker_slot(m, 0, 1, 1, &p);
	forge(&p);
	maker_put_slot(m, 0, 1, 1, &p);
}

static void too_many(struct ssdup_page *p)
{
	p->h.nr_entries = cpu_to_le16(127);
}

static void page_count(struct maker *m)
{
	newest_torn(m);
	forge_page(m, too_many);
	maker_supers(m, false);
}

static void later_epoch(struct ssdup_page *p)
{
	p->h.epoch = cpu_to_le64(4);
}

static void page_epoch(struct maker *m)
{
	newest_torn(m);
	forge_page(m, later_epoch);
	maker_supers(m, false);
}

static void page_missing(struct maker *m)
{
	spoil_slot(m, 0, 1, 1);
}

static void last_page_missing(struct maker *m)
{
	newest_torn(m);
	older_torn(m);
}

static void gap_of_power_cut(struct maker *m)
{
	page_missing(m);
	newest_torn(m);
	maker_supers(m, false);
}

/* Nobody writes a page twice before those in front of it are durable. */
static void gap_of_damage(struct maker *m)
{
	page_missing(m);
	maker_supers(m, false);
}

static void gap_and_wrong_count(struct maker *m)
{
	page_missing(m);
	m->count[0] = 0;
	maker_supers(m, true);
}

/* The kernel would look at what stands behind the gap once that is filled. */
static void gap_and_epoch(struct maker *m)
{
	struct ssdup_page p;

	gap_of_damage(m);
	maker_slot(m, 0, 2, 0, &p);
	p.h.page = cpu_to_le32(3);
	p.h.epoch = cpu_to_le64(4);
	maker_put_slot(m, 0, 3, 1, &p);
}

static void pages_more(struct maker *m)
{
	m->count[0]--;
	maker_supers(m, true);
}

/* --- Entries --- */

static void foreign_kind(struct ssdup_page *p)
{
	p->e[5].kind = 9;
}

static void no_sectors(struct ssdup_page *p)
{
	p->e[5].sectors = 0;
}

static void no_such_sector(struct ssdup_page *p)
{
	p->e[125].sector = cpu_to_le64(1ULL << 50);
}

static void no_such_place(struct ssdup_page *p)
{
	p->e[0].pos = cpu_to_le32(0xfffffff0);
}

static void odd_place(struct ssdup_page *p)
{
	p->e[7].pos = cpu_to_le32(le32_to_cpu(p->e[7].pos) + 1);
}

static void taken_place(struct ssdup_page *p)
{
	p->e[7].pos = p->e[6].pos;
}

static void given_up(struct ssdup_page *p)
{
	p->e[7].pos = 0;
	p->e[7].kind = SSDUP_KIND_LOST;
}

static void entry_kind(struct maker *m)
{
	forge_page(m, foreign_kind);
}

static void entry_empty(struct maker *m)
{
	forge_page(m, no_sectors);
}

static void entry_hdd(struct maker *m)
{
	forge_page(m, no_such_sector);
}

static void entry_log(struct maker *m)
{
	forge_page(m, no_such_place);
}

static void entry_unaligned(struct maker *m)
{
	forge_page(m, odd_place);
}

static void entry_shared(struct maker *m)
{
	forge_page(m, taken_place);
}

static void range_lost(struct maker *m)
{
	forge_page(m, given_up);
}

static const struct damage damages[] = {
	{ "copy 0: crc", copy_0_crc, 103, EXIT_FAULTS, EXIT_OK, EXIT_OK },
	{ "copy 1: crc", copy_1_crc, 103, EXIT_FAULTS, EXIT_OK, EXIT_OK },
	{ "both copies: crc", both_crc, 103, EXIT_LOST, EXIT_LOST, EXIT_LOST },
	{ "copy 0: blank", copy_0_blank, 101, EXIT_NOT_FOUND, EXIT_NOT_FOUND, EXIT_NOT_FOUND },
	{ "copy 1: blank", copy_1_blank, 101, EXIT_FAULTS, EXIT_OK, EXIT_OK },
	{ "copy 0: foreign", copy_0_foreign, 102, EXIT_NOT_FOUND, EXIT_NOT_FOUND,
	  EXIT_NOT_FOUND },
	{ "copy 1: foreign", copy_1_foreign, 102, EXIT_FAULTS, EXIT_OK, EXIT_OK },
	{ "no log", both_blank, 0, EXIT_NOT_FOUND, EXIT_NOT_FOUND, EXIT_NOT_FOUND },
	{ "newer version", version, 104, EXIT_REFUSED, EXIT_REFUSED, EXIT_REFUSED },
	{ "incompat", incompat, 105, EXIT_REFUSED, EXIT_REFUSED, EXIT_REFUSED },
	{ "ro_compat", ro_compat, 106, EXIT_REFUSED, EXIT_REFUSED, EXIT_REFUSED },
	{ "compat", compat, 133, EXIT_OK, EXIT_OK, EXIT_OK },
	{ "geometry", geometry, 107, EXIT_LOST, EXIT_LOST, EXIT_LOST },
	{ "copy 1: geometry", geometry_copy_1, 107, EXIT_FAULTS, EXIT_OK, EXIT_OK },
	{ "copy 0: generation", generation_copy_0, 108, EXIT_FAULTS, EXIT_OK, EXIT_OK },
	{ "copy 0: generation, newer", generation_newer, 108, EXIT_LOST, EXIT_LOST, EXIT_LOST },
	{ "HDD of another size", hdd_size, 109, EXIT_REFUSED, EXIT_REFUSED, EXIT_REFUSED },
	{ "smaller SSD", ssd_size, 110, EXIT_LOST, EXIT_LOST, EXIT_LOST },
	{ "two logs", two_logs, 121, EXIT_LOST, EXIT_LOST, EXIT_LOST },
	{ "copy 1: nil UUID", nil_uuid_copy_1, 122, EXIT_LOST, EXIT_LOST, EXIT_LOST },
	{ "copy 1: behind", behind, 131, EXIT_FAULTS, EXIT_OK, EXIT_OK },
	{ "copies unlike", unlike, 132, EXIT_FAULTS, EXIT_OK, EXIT_OK },
	{ "older version of a page torn", older_torn, 203, EXIT_OK, EXIT_OK, EXIT_OK },
	{ "newest version of a page torn", newest_torn, 231, EXIT_LOST, EXIT_DEGRADED, EXIT_OK },
	{ "torn by a power cut", newest_torn_by_power_cut, 203, EXIT_OK, EXIT_OK, EXIT_OK },
	{ "page: count", page_count, 213, EXIT_LOST, EXIT_DEGRADED, EXIT_OK },
	{ "page: epoch", page_epoch, 219, EXIT_LOST, EXIT_DEGRADED, EXIT_OK },
	{ "page gone", page_missing, 220, EXIT_LOST, EXIT_DEGRADED, EXIT_OK },
	{ "last page gone", last_page_missing, 220, EXIT_LOST, EXIT_DEGRADED, EXIT_OK },
	{ "gap of a power cut", gap_of_power_cut, 232, EXIT_OK, EXIT_OK, EXIT_OK },
	{ "gap of damage", gap_of_damage, 234, EXIT_LOST, EXIT_DEGRADED, EXIT_OK },
	{ "gap, wrong count", gap_and_wrong_count, 234, EXIT_LOST, EXIT_DEGRADED, EXIT_OK },
	{ "gap, then an epoch", gap_and_epoch, 0, EXIT_LOST, EXIT_DEGRADED, EXIT_OK },
	{ "pages more", pages_more, 233, EXIT_FAULTS, EXIT_OK, EXIT_OK },
	{ "entry: kind", entry_kind, 314, EXIT_LOST, EXIT_DEGRADED, EXIT_OK },
	{ "entry: empty", entry_empty, 315, EXIT_LOST, EXIT_DEGRADED, EXIT_OK },
	{ "entry: HDD", entry_hdd, 316, EXIT_LOST, EXIT_DEGRADED, EXIT_OK },
	{ "entry: log", entry_log, 317, EXIT_LOST, EXIT_DEGRADED, EXIT_OK },
	{ "entry: unaligned", entry_unaligned, 318, EXIT_LOST, EXIT_DEGRADED, EXIT_OK },
	{ "entry: shared", entry_shared, 330, EXIT_LOST, EXIT_LOST, EXIT_LOST },
	{ "range lost", range_lost, 331, EXIT_OK, EXIT_OK, EXIT_OK },
};

/* --- Judging --- */

/* Exit code of check, and whether @number is all there is, of what is no note. */
static int judge(struct kunit *test, struct maker *m, unsigned int number)
{
	struct log_file l;
	int verdict, code;
	bool there = !number;
	size_t i;

	bench_log(&m->b, &l, NO_COPY);
	l.hdd_sectors = m->b.hdd_sectors;
	verdict = check_log(&l, true, true);
	code = l.from == NO_COPY ? no_log(&l) : findings_exit(&l.findings);
	for (i = 0; i < l.findings.nr; i++) {
		const struct finding *f = &l.findings.all[i];

		there |= f->number == number;
		if (number && f->number != number)
			KUNIT_EXPECT_EQ_MSG(test, f->severity, SEV_NOTE, "also E%u", f->number);
	}
	KUNIT_EXPECT_TRUE_MSG(test, there, "E%u is not found", number);
	KUNIT_EXPECT_TRUE(test, verdict == LOG_OK || code != EXIT_OK);
	log_close(&l);
	return code;
}

/* As the command does. */
static int mend(struct maker *m)
{
	struct log_file l;
	struct plan plan;
	bool lost;
	int r;

	bench_log(&m->b, &l, NO_COPY);
	l.hdd_sectors = m->b.hdd_sectors;
	r = plan_make(&l, &plan);
	lost = l.findings.of[SEV_LOST];
	if (r == EXIT_OK && !plan.nr)
		r = findings_exit(&l.findings);
	else if (r == EXIT_OK)
		r = plan_apply(&plan) ? EXIT_FAILED : lost ? EXIT_DEGRADED : EXIT_OK;
	plan_free(&plan);
	log_close(&l);
	return r;
}

static void describe_damage(const struct damage *d, char *desc)
{
	strscpy(desc, d->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(damage, damages, describe_damage);

static void found_and_mended(struct kunit *test)
{
	const struct damage *d = test->param_value;
	struct maker m;

	maker_usual(&m, 2, d->number == 318 ? 8 : 1);
	KUNIT_EXPECT_EQ(test, judge(test, &m, 0), EXIT_OK);
	d->spoil(&m);
	KUNIT_EXPECT_EQ_MSG(test, judge(test, &m, d->number), d->check, "%s", d->name);
	KUNIT_EXPECT_EQ_MSG(test, mend(&m), d->repair, "%s", d->name);
	KUNIT_EXPECT_EQ_MSG(test, judge(test, &m, 0), d->after, "%s", d->name);
	maker_end(&m);
}

static struct kunit_case damages_cases[] = {
	KUNIT_CASE_PARAM(found_and_mended, damage_gen_params),
	{}
};

static struct kunit_suite damages_suite = {
	.name = "offline_damages",
	.test_cases = damages_cases,
};

kunit_test_suite(damages_suite);
