// SPDX-License-Identifier: GPL-2.0-only
/*
 * Single damages: each is found under its own number and nothing else is, and repair
 * leaves a log that the kernel accepts.
 */
#include "judge.h"

/* --- Superblock and record --- */

static void spoil_copy(struct maker *m, enum ssd_part part, u32 copy, u32 at)
{
	maker_spoil(m, part_sector(m->s.ssd_sectors, m->s.log, part, copy) * 512 + at);
}

static void copy_0_crc(struct maker *m)
{
	spoil_copy(m, PART_SUPER, 0, 0x40);
}

static void copy_1_crc(struct maker *m)
{
	spoil_copy(m, PART_SUPER, 1, 0x1ff);
}

static void both_crc(struct maker *m)
{
	copy_0_crc(m);
	copy_1_crc(m);
}

static void blank(struct maker *m, enum ssd_part part, u32 copy)
{
	maker_blank(m, part_sector(m->s.ssd_sectors, m->s.log, part, copy), SSDUP_BLOCK_SECTORS);
}

static void copy_0_blank(struct maker *m)
{
	blank(m, PART_SUPER, 0);
}

static void copy_1_blank(struct maker *m)
{
	blank(m, PART_SUPER, 1);
}

static void copy_0_foreign(struct maker *m)
{
	spoil_copy(m, PART_SUPER, 0, 0);
}

static void copy_1_foreign(struct maker *m)
{
	spoil_copy(m, PART_SUPER, 1, 0);
}

static void both_blank(struct maker *m)
{
	copy_0_blank(m);
	copy_1_blank(m);
}

static void version(struct maker *m)
{
	maker_forge(m, PART_SUPER, 3, OF(super, version), SSDUP_VERSION + 1);
}

static void incompat(struct maker *m)
{
	maker_forge(m, PART_SUPER, 3, OF(super, incompat), 1ULL << 4);
}

static void ro_compat(struct maker *m)
{
	maker_forge(m, PART_SUPER, 3, OF(super, ro_compat), 1ULL << 40);
}

static void compat(struct maker *m)
{
	maker_forge(m, PART_SUPER, 3, OF(super, compat), 4);
}

static void geometry(struct maker *m)
{
	maker_forge(m, PART_SUPER, 3, OF(super, segment_sectors), 12345);
}

static void geometry_copy_1(struct maker *m)
{
	maker_forge(m, PART_SUPER, 2, OF(super, nr_segments), 31);
}

static void seq_copy_0(struct maker *m)
{
	maker_forge(m, PART_SUPER, 1, OF(super, seq), LOG_MAX_COUNT + 1);
}

static void hdd_size(struct maker *m)
{
	m->b.hdd_sectors -= 8;
}

static void ssd_size(struct maker *m)
{
	bench_cut(&m->b, (m->b.ssd_sectors - 8) * 512);
}

static void two_pools(struct maker *m)
{
	maker_forge(m, PART_SUPER, 2, OF(super, uuid[3]), 9);
}

static void nil_uuid_copy_1(struct maker *m)
{
	maker_forge(m, PART_SUPER, 2, offsetof(struct ssdup_super, uuid), 8, 0);
}

static void behind(struct maker *m)
{
	maker_forge(m, PART_SUPER, 2, OF(super, seq), m->s.pool_seq - 1);
}

static void unlike(struct maker *m)
{
	maker_forge(m, PART_SUPER, 2, OF(super, ssd_sectors), m->s.ssd_sectors + 1);
}

static void record_0_crc(struct maker *m)
{
	spoil_copy(m, PART_RECORD, 0, 0x80);
}

static void record_1_crc(struct maker *m)
{
	spoil_copy(m, PART_RECORD, 1, 0x1ff);
}

static void records_crc(struct maker *m)
{
	record_0_crc(m);
	record_1_crc(m);
}

static void record_0_blank(struct maker *m)
{
	blank(m, PART_RECORD, 0);
}

static void record_1_foreign(struct maker *m)
{
	maker_forge(m, PART_RECORD, 2, OF(record, pool[2]), 77);
}

static void records_foreign(struct maker *m)
{
	maker_forge(m, PART_RECORD, 3, OF(record, pool[2]), 77);
}

static void record_geometry(struct maker *m)
{
	maker_forge(m, PART_RECORD, 1, OF(record, block_sectors), 3);
}

static void records_geometry(struct maker *m)
{
	maker_forge(m, PART_RECORD, 3, OF(record, nr_classes), SSDUP_MAX_CLASSES + 1);
}

static void record_generation(struct maker *m)
{
	maker_forge(m, PART_RECORD, 2, OF(record, tail[0]), 0);
}

static void record_generation_newer(struct maker *m)
{
	maker_forge(m, PART_RECORD, 2, OF(record, seq), m->s.seq + 1);
	record_generation(m);
}

static void two_logs(struct maker *m)
{
	maker_forge(m, PART_RECORD, 2, OF(record, uuid[3]), 9);
}

static void record_nil_uuid(struct maker *m)
{
	maker_forge(m, PART_RECORD, 1, offsetof(struct ssdup_record, uuid), 8, 0);
}

static void record_behind(struct maker *m)
{
	maker_forge(m, PART_RECORD, 1, OF(record, seq), m->s.seq - 1);
}

static void record_unlike(struct maker *m)
{
	maker_forge(m, PART_RECORD, 2, OF(record, epoch), m->s.epoch + 1);
}

/* --- Headers --- */

static void spoil_header(struct maker *m, u32 segment)
{
	maker_spoil(m, log_segment_sector(&m->s.g, segment) * 512 + 0x40);
}

static void header_torn(struct maker *m)
{
	spoil_header(m, 0);
}

static void last_header_blank(struct maker *m)
{
	maker_blank(m, log_segment_sector(&m->s.g, 1), SSDUP_BLOCK_SECTORS);
	maker_supers(m, false);
}

/* What it was stands on the third page alone. */
static void header_and_pages_torn(struct maker *m)
{
	header_torn(m);
	maker_blank(m, ssdup_log_slot_sector(&m->s.g, 0, 0, 0), 4 * SSDUP_PAGE_SECTORS);
	maker_supers(m, false);
}

static void segment_gone(struct maker *m, bool clean)
{
	maker_blank(m, log_segment_sector(&m->s.g, 0), m->s.g.data_start);
	maker_supers(m, clean);
}

static void segment_gone_dirty(struct maker *m)
{
	segment_gone(m, false);
}

static void segment_gone_clean(struct maker *m)
{
	segment_gone(m, true);
}

static void last_segment_gone(struct maker *m)
{
	maker_blank(m, log_segment_sector(&m->s.g, 1), m->s.g.data_start);
}

static void header_twice(struct maker *m)
{
	struct log_header h = { .generation = MAKER_FIRST, .epoch = 3, .segment = 7 };
	u8 block[SSDUP_BLOCK_BYTES];

	ssdup_log_header_encode(&m->s, &h, block);
	bench_write(&m->b, block, log_segment_sector(&m->s.g, 7), SSDUP_BLOCK_SECTORS);
}

static void header_zero(struct maker *m)
{
	maker_forge_header(m, 0, OF(header, generation), 0);
}

static void header_class(struct maker *m)
{
	maker_open(m, 9, MAKER_FIRST + 2, 4);
	maker_forge_header(m, 9, OF(header, class), 1);
}

static void header_epoch(struct maker *m)
{
	maker_open(m, 9, MAKER_FIRST + 2, 4);
	maker_forge_header(m, 9, OF(header, epoch), 4);
}

static void header_epoch_ended(struct maker *m)
{
	maker_open(m, 9, MAKER_FIRST + 2, 4);
	maker_forge_header(m, 9, OF(header, epoch), 2);
}

/* --- Pages --- */

static void spoil_slot(struct maker *m, u32 segment, u32 page, u32 slot)
{
	maker_spoil(m, ssdup_log_slot_sector(&m->s.g, segment, page, slot) * 512 + 100);
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

static void other_number(struct ssdup_page *p)
{
	p->h.number = cpu_to_le32(le32_to_cpu(p->h.number) + 2);
}

static void page_number(struct maker *m)
{
	newest_torn(m);
	forge_page(m, other_number);
	maker_supers(m, false);
}

/* Numbers of a segment that no log can have. */
static void numbers_again(struct maker *m)
{
	maker_open(m, 1, MAKER_FIRST + 1, 1);
	maker_page(m, 1, 0, 1, 5, 1);
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
	m->segment[0].count = 0;
	maker_supers(m, true);
}

/* The end of a segment, as the next one shows. */
static void gap_at_the_end(struct maker *m)
{
	last_page_missing(m);
	maker_page(m, 1, 0, 2, 7, 1);
	maker_supers(m, false);
}

static void pages_more(struct maker *m)
{
	m->segment[0].count--;
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
	{ "copy 0: blank", copy_0_blank, 101, EXIT_REFUSED, EXIT_REFUSED, EXIT_REFUSED },
	{ "copy 1: blank", copy_1_blank, 101, EXIT_FAULTS, EXIT_OK, EXIT_OK },
	{ "copy 0: foreign", copy_0_foreign, 102, EXIT_REFUSED, EXIT_REFUSED, EXIT_REFUSED },
	{ "copy 1: foreign", copy_1_foreign, 102, EXIT_FAULTS, EXIT_OK, EXIT_OK },
	{ "no log", both_blank, 0, EXIT_NOT_FOUND, EXIT_NOT_FOUND, EXIT_NOT_FOUND },
	{ "newer version", version, 104, EXIT_REFUSED, EXIT_REFUSED, EXIT_REFUSED },
	{ "incompat", incompat, 105, EXIT_REFUSED, EXIT_REFUSED, EXIT_REFUSED },
	{ "ro_compat", ro_compat, 106, EXIT_REFUSED, EXIT_REFUSED, EXIT_REFUSED },
	{ "compat", compat, 133, EXIT_OK, EXIT_OK, EXIT_OK },
	{ "geometry", geometry, 107, EXIT_LOST, EXIT_LOST, EXIT_LOST },
	{ "copy 1: geometry", geometry_copy_1, 107, EXIT_FAULTS, EXIT_OK, EXIT_OK },
	{ "copy 0: seq", seq_copy_0, 108, EXIT_LOST, EXIT_LOST, EXIT_LOST },
	{ "smaller HDD", hdd_size, 109, EXIT_REFUSED, EXIT_REFUSED, EXIT_REFUSED },
	{ "smaller SSD", ssd_size, 110, EXIT_LOST, EXIT_LOST, EXIT_LOST },
	{ "two pools", two_pools, 121, EXIT_LOST, EXIT_LOST, EXIT_LOST },
	{ "copy 1: nil UUID", nil_uuid_copy_1, 122, EXIT_LOST, EXIT_LOST, EXIT_LOST },
	{ "copy 1: behind", behind, 131, EXIT_FAULTS, EXIT_OK, EXIT_OK },
	{ "copies unlike", unlike, 132, EXIT_FAULTS, EXIT_OK, EXIT_OK },
	{ "record 0: crc", record_0_crc, 503, EXIT_FAULTS, EXIT_OK, EXIT_OK },
	{ "record 1: crc", record_1_crc, 503, EXIT_FAULTS, EXIT_OK, EXIT_OK },
	{ "both records: crc", records_crc, 503, EXIT_LOST, EXIT_LOST, EXIT_LOST },
	{ "record 0: blank", record_0_blank, 502, EXIT_FAULTS, EXIT_OK, EXIT_OK },
	{ "record 1: foreign", record_1_foreign, 502, EXIT_FAULTS, EXIT_OK, EXIT_OK },
	{ "both records: foreign", records_foreign, 502, EXIT_LOST, EXIT_LOST, EXIT_LOST },
	{ "record 0: geometry", record_geometry, 507, EXIT_FAULTS, EXIT_OK, EXIT_OK },
	{ "both records: geometry", records_geometry, 507, EXIT_LOST, EXIT_LOST, EXIT_LOST },
	{ "record 1: tail", record_generation, 508, EXIT_FAULTS, EXIT_OK, EXIT_OK },
	{ "record 1: tail, newer", record_generation_newer, 508, EXIT_LOST, EXIT_LOST,
	  EXIT_LOST },
	{ "two logs", two_logs, 521, EXIT_LOST, EXIT_LOST, EXIT_LOST },
	{ "record 0: nil UUID", record_nil_uuid, 522, EXIT_LOST, EXIT_LOST, EXIT_LOST },
	{ "record 0: behind", record_behind, 531, EXIT_FAULTS, EXIT_OK, EXIT_OK },
	{ "records unlike", record_unlike, 532, EXIT_FAULTS, EXIT_OK, EXIT_OK },
	{ "header torn", header_torn, 631, EXIT_FAULTS, EXIT_OK, EXIT_OK },
	{ "header zero", header_zero, 631, EXIT_FAULTS, EXIT_OK, EXIT_OK },
	{ "last header blank", last_header_blank, 631, EXIT_FAULTS, EXIT_OK, EXIT_OK },
	{ "header and pages torn", header_and_pages_torn, 0, EXIT_LOST, EXIT_DEGRADED, EXIT_OK },
	{ "segment gone", segment_gone_dirty, 637, EXIT_LOST, EXIT_DEGRADED, EXIT_OK },
	{ "segment gone, clean", segment_gone_clean, 637, EXIT_LOST, EXIT_DEGRADED, EXIT_OK },
	{ "last segment gone", last_segment_gone, 220, EXIT_LOST, EXIT_DEGRADED, EXIT_OK },
	{ "header twice", header_twice, 608, EXIT_LOST, EXIT_DEGRADED, EXIT_OK },
	{ "header: class", header_class, 608, EXIT_LOST, EXIT_DEGRADED, EXIT_OK },
	{ "header: epoch", header_epoch, 619, EXIT_LOST, EXIT_DEGRADED, EXIT_OK },
	{ "header: epoch ended", header_epoch_ended, 619, EXIT_LOST, EXIT_DEGRADED, EXIT_OK },
	{ "older version of a page torn", older_torn, 203, EXIT_OK, EXIT_OK, EXIT_OK },
	{ "newest version of a page torn", newest_torn, 231, EXIT_LOST, EXIT_DEGRADED, EXIT_OK },
	{ "torn by a power cut", newest_torn_by_power_cut, 203, EXIT_OK, EXIT_OK, EXIT_OK },
	{ "page: count", page_count, 213, EXIT_LOST, EXIT_DEGRADED, EXIT_OK },
	{ "page: number", page_number, 229, EXIT_LOST, EXIT_DEGRADED, EXIT_OK },
	{ "numbers twice", numbers_again, 229, EXIT_LOST, EXIT_LOST, EXIT_LOST },
	{ "page gone", page_missing, 220, EXIT_LOST, EXIT_DEGRADED, EXIT_OK },
	{ "last page gone", last_page_missing, 220, EXIT_LOST, EXIT_DEGRADED, EXIT_OK },
	{ "gap of a power cut", gap_of_power_cut, 232, EXIT_OK, EXIT_OK, EXIT_OK },
	{ "gap of damage", gap_of_damage, 234, EXIT_LOST, EXIT_DEGRADED, EXIT_OK },
	{ "gap, wrong count", gap_and_wrong_count, 0, EXIT_LOST, EXIT_DEGRADED, EXIT_OK },
	{ "gap at the end of a segment", gap_at_the_end, 234, EXIT_LOST, EXIT_DEGRADED, EXIT_OK },
	{ "pages more", pages_more, 233, EXIT_FAULTS, EXIT_OK, EXIT_OK },
	{ "entry: kind", entry_kind, 314, EXIT_LOST, EXIT_DEGRADED, EXIT_OK },
	{ "entry: empty", entry_empty, 315, EXIT_LOST, EXIT_DEGRADED, EXIT_OK },
	{ "entry: HDD", entry_hdd, 316, EXIT_LOST, EXIT_DEGRADED, EXIT_OK },
	{ "entry: log", entry_log, 317, EXIT_LOST, EXIT_DEGRADED, EXIT_OK },
	{ "entry: unaligned", entry_unaligned, 318, EXIT_LOST, EXIT_DEGRADED, EXIT_OK },
	{ "entry: shared", entry_shared, 330, EXIT_LOST, EXIT_LOST, EXIT_LOST },
	{ "range lost", range_lost, 331, EXIT_OK, EXIT_OK, EXIT_OK },
};

/* --- Found and mended --- */

KUNIT_ARRAY_PARAM(damage, damages, judge_describe);

static void found_and_mended(struct kunit *test)
{
	const struct damage *d = test->param_value;
	struct maker m;

	maker_usual(&m, MAKER_SECTORS, d->number == 318 ? 8 : 1);
	judge_damage(test, &m);
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
