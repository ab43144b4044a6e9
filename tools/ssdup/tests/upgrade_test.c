// SPDX-License-Identifier: GPL-2.0-only
/*
 * Logs of format 1 are converted: all that they hold is on the HDD, whenever the power is cut,
 * and damaged ones are refused.
 */
#include <errno.h>
#include <getopt.h>
#include <unistd.h>

#include <kunit/test.h>
#include "commands.h"
#include "cut.h"
#include "format1_maker.h"

static int upgrade(struct f1_maker *m)
{
	struct ssdup_ctx ctx = bench_ctx;
	char hdd[32], ssd[32], *argv[] = { "upgrade", hdd, ssd, "-y", "-q", NULL };

	snprintf(hdd, sizeof(hdd), "/proc/self/fd/%d", m->b.hdd);
	snprintf(ssd, sizeof(ssd), "/proc/self/fd/%d", m->b.ssd);
	optind = 0;
	ctx.usage = &usage_upgrade;
	return cmd_upgrade(&ctx, ARRAY_SIZE(argv) - 1, argv);
}

/* Is there a whole and empty log of the present format, with the UUID of the old one? */
static void expect_new_log(struct kunit *test, struct f1_maker *m)
{
	struct log_file l;

	bench_log(&m->b, &l, NO_COPY);
	KUNIT_EXPECT_TRUE(test, l.known);
	KUNIT_EXPECT_EQ(test, check_log(&l, true, true), LOG_OK);
	KUNIT_EXPECT_EQ(test, l.findings.nr, 0);
	KUNIT_EXPECT_EQ(test, l.map.nr, 0);
	KUNIT_EXPECT_TRUE(test, !memcmp(l.s.uuid, m->f.uuid, sizeof(l.s.uuid)));
	KUNIT_EXPECT_EQ(test, ssd_log_used(m->b.ssd, &l.s), 0);
	log_close(&l);
}

static bool has_lost(const struct f1_maker *m)
{
	struct f1_fault fault;
	struct f1_log old;
	struct extent *e;
	struct log_file l;
	bool lost = false;

	bench_log((struct bench *)&m->b, &l, NO_COPY);
	WARN_ON(upgrade_read(&l, &old, &fault));
	for (e = ssdup_extent_first(&l.map, 0, U64_MAX); e; e = ssdup_extent_next(e))
		lost |= e->kind == SSDUP_KIND_LOST;
	log_close(&l);
	return lost;
}

static void random_logs(struct kunit *test)
{
	static const u32 halves[] = { 2, 3, 5, 16 };
	struct f1_maker m;
	u64 seed;
	int want;

	for (seed = 0; seed < 48; seed++) {
		f1_begin(&m, seed, halves[seed % 4], 1 << seed / 4 % 4);
		f1_random(&m);
		f1_expect(&m);
		want = has_lost(&m) ? EXIT_DEGRADED : EXIT_OK;
		KUNIT_EXPECT_EQ_MSG(test, upgrade(&m), want, "seed %llu", seed);
		KUNIT_EXPECT_TRUE_MSG(test, f1_drained(&m), "seed %llu", seed);
		expect_new_log(test, &m);
		KUNIT_EXPECT_EQ(test, upgrade(&m), EXIT_OK);
		expect_new_log(test, &m);
		f1_end(&m);
	}
}

/* --- Cuts --- */

#define END_REQUESTS	16U	/* at least those that write the new log */

static void small_log(struct f1_maker *m, u64 seed)
{
	f1_begin(m, seed, 2, 1);
	f1_page(m, 0, 0, 1, 12, true);
	f1_page(m, 1, 0, 1, 12, true);
	f1_supers(m, seed & 1);
	f1_expect(m);
}

enum found {
	FOUND_OLD,
	FOUND_BLANK,
	FOUND_NEW,
	NR_FOUND,
};

/* The old log must be whole. Without it, all must be on the HDD. */
static enum found after_cut(struct kunit *test, struct f1_maker *m)
{
	struct log_file l;
	enum log_fault fault;
	int r;

	bench_log(&m->b, &l, NO_COPY);
	fault = l.log.fault;
	log_close(&l);
	if (fault == LOG_FORMAT_1) {
		r = upgrade(m);
		KUNIT_EXPECT_TRUE(test, r == EXIT_OK || r == EXIT_DEGRADED);
		KUNIT_EXPECT_TRUE(test, f1_drained(m));
		expect_new_log(test, m);
		return FOUND_OLD;
	}
	KUNIT_EXPECT_TRUE(test, f1_drained(m));
	if (fault == LOG_BLANK) {
		KUNIT_EXPECT_EQ(test, upgrade(m), EXIT_NOT_FOUND);
		return FOUND_BLANK;
	}
	expect_new_log(test, m);
	return FOUND_NEW;
}

static void cut_at_each_request(struct kunit *test)
{
	u32 requests = 0, first, seen[NR_FOUND] = { };
	struct f1_maker m;
	bool cut;
	u64 seed;
	int r;

	for (seed = 0; seed < 14; seed++) {
		/* What becomes of unflushed writes matters most at the end. */
		first = seed < 2 ? 0 : requests - END_REQUESTS;
		for (requests = first, cut = true; cut; requests++) {
			small_log(&m, seed);
			cut_after(requests);
			r = upgrade(&m);
			cut = cut_done(seed << 32 | requests);
			KUNIT_EXPECT_EQ(test, cut, r == EXIT_FAILED);
			seen[after_cut(test, &m)]++;
			f1_end(&m);
		}
	}
	KUNIT_EXPECT_GT(test, seen[FOUND_OLD], 100);
	KUNIT_EXPECT_GE(test, seen[FOUND_BLANK], 4);
	KUNIT_EXPECT_GE(test, seen[FOUND_NEW], 4);
}

/* --- Damage --- */

static void forge_page(struct f1_maker *m, void (*forge)(struct f1_page *p))
{
	struct f1_page p;
	u64 at = f1_slot_sector(&m->f, 0, 1, 1);

	bench_read(&m->b, &p, at, SSDUP_PAGE_SECTORS);
	forge(&p);
	f1_fix_page(&p);
	bench_write(&m->b, &p, at, SSDUP_PAGE_SECTORS);
}

static void forge_super(struct f1_maker *m, u32 copies, void (*forge)(struct f1_super *s))
{
	u8 block[SSDUP_BLOCK_BYTES];
	u32 i;

	for (i = 0; i < SSDUP_COPIES; i++) {
		if (!(copies & 1U << i))
			continue;
		bench_read(&m->b, block, SSDUP_SUPER_SECTOR(i), SSDUP_BLOCK_SECTORS);
		forge((struct f1_super *)block);
		f1_fix_super((struct f1_super *)block);
		bench_write(&m->b, block, SSDUP_SUPER_SECTOR(i), SSDUP_BLOCK_SECTORS);
	}
}

static void blank_slot(struct f1_maker *m, u32 page, u32 slot)
{
	static const u8 zeros[SSDUP_PAGE_BYTES];

	bench_write(&m->b, zeros, f1_slot_sector(&m->f, 0, page, slot), SSDUP_PAGE_SECTORS);
}

static void too_many(struct f1_page *p)
{
	p->nr_entries = cpu_to_le16(127);
}

static void later_epoch(struct f1_page *p)
{
	p->epoch = cpu_to_le64(99);
}

static void odd_kind(struct f1_page *p)
{
	p->e[3].kind = 9;
}

static void no_seq(struct f1_page *p)
{
	p->e[3].seq = 0;
}

static void beyond_hdd(struct f1_page *p)
{
	p->e[3].sector = cpu_to_le64(F1_HDD_SECTORS);
}

static void beyond_log(struct f1_page *p)
{
	p->e[3].kind = SSDUP_KIND_DATA;
	p->e[3].pos = cpu_to_le32(0xfffffff0);
}

static void one_half(struct f1_super *s)
{
	s->nr_halves = cpu_to_le16(1);
}

static void same_generation(struct f1_super *s)
{
	s->half[0].generation = s->half[1].generation;
}

static void other_uuid(struct f1_super *s)
{
	s->uuid[4] ^= 1;
}

static void other_hdd(struct f1_super *s)
{
	s->hdd_sectors = cpu_to_le64(F1_HDD_SECTORS + 8);
}

static void feature(struct f1_super *s)
{
	s->incompat = cpu_to_le64(1);
}

static void page_count(struct f1_maker *m)
{
	forge_page(m, too_many);
}

static void page_epoch(struct f1_maker *m)
{
	forge_page(m, later_epoch);
}

static void entry_kind(struct f1_maker *m)
{
	forge_page(m, odd_kind);
}

static void entry_empty(struct f1_maker *m)
{
	forge_page(m, no_seq);
}

static void entry_hdd(struct f1_maker *m)
{
	forge_page(m, beyond_hdd);
}

static void entry_log(struct f1_maker *m)
{
	forge_page(m, beyond_log);
}

static void page_missing(struct f1_maker *m)
{
	blank_slot(m, 1, 1);
}

static void page_gap(struct f1_maker *m)
{
	page_missing(m);
	f1_supers(m, false);
}

static void geometry(struct f1_maker *m)
{
	forge_super(m, 3, one_half);
}

static void generation(struct f1_maker *m)
{
	forge_super(m, 3, same_generation);
}

static void two_logs(struct f1_maker *m)
{
	forge_super(m, 2, other_uuid);
}

static void hdd_size(struct f1_maker *m)
{
	forge_super(m, 3, other_hdd);
}

static void incompat(struct f1_maker *m)
{
	forge_super(m, 3, feature);
}

static const struct damage {
	const char	*name;
	void		(*spoil)(struct f1_maker *m);
	int		exit;
	enum log_fault	fault;		/* LOG_OK: of the disks */
} damages[] = {
	{ "page: count", page_count, EXIT_LOST, LOG_PAGE_BAD_COUNT },
	{ "page: epoch", page_epoch, EXIT_LOST, LOG_EPOCH },
	{ "page missing", page_missing, EXIT_LOST, LOG_PAGES_MISSING },
	{ "gap of pages", page_gap, EXIT_LOST, LOG_PAGES_GAP },
	{ "entry: kind", entry_kind, EXIT_LOST, LOG_ENTRY_KIND },
	{ "entry: empty", entry_empty, EXIT_LOST, LOG_ENTRY_EMPTY },
	{ "entry: HDD", entry_hdd, EXIT_LOST, LOG_ENTRY_OUTSIDE_HDD },
	{ "entry: log", entry_log, EXIT_LOST, LOG_ENTRY_OUTSIDE_LOG },
	{ "geometry", geometry, EXIT_LOST, LOG_BAD_GEOMETRY },
	{ "generation", generation, EXIT_LOST, LOG_BAD_GENERATION },
	{ "two logs", two_logs, EXIT_LOST, LOG_TWO_LOGS },
	{ "incompat", incompat, EXIT_REFUSED, LOG_UNKNOWN_INCOMPAT },
	{ "HDD of another size", hdd_size, EXIT_REFUSED, LOG_OK },
};

static u32 sum_of(int fd, u64 sectors)
{
	u8 block[SECTOR_BYTES];
	u32 crc = ~0;
	u64 i;

	for (i = 0; i < sectors; i++) {
		WARN_ON(pread(fd, block, sizeof(block), i * SECTOR_BYTES) != sizeof(block));
		crc = crc32c(crc, block, sizeof(block));
	}
	return crc;
}

static void describe_damage(const struct damage *d, char *desc)
{
	strscpy(desc, d->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(damage, damages, describe_damage);

/* Nothing is written, to neither disk. */
static void damaged_are_refused(struct kunit *test)
{
	const struct damage *d = test->param_value;
	struct f1_fault fault;
	struct log_file l;
	struct f1_maker m;
	struct f1_log old;
	u32 ssd, hdd;

	f1_begin(&m, 1, 2, 1);
	f1_page(&m, 0, 0, 1, 10, true);
	f1_page(&m, 0, 1, 1, 10, true);
	f1_page(&m, 0, 2, 2, 10, true);
	f1_supers(&m, true);
	d->spoil(&m);
	ssd = sum_of(m.b.ssd, m.b.ssd_sectors);
	hdd = sum_of(m.b.hdd, m.b.hdd_sectors);
	bench_log(&m.b, &l, NO_COPY);
	KUNIT_EXPECT_EQ_MSG(test, upgrade_read(&l, &old, &fault),
			    d->fault == LOG_OK ? 0 : -EINVAL, "%s", d->name);
	KUNIT_EXPECT_EQ_MSG(test, fault.fault, d->fault, "%s", d->name);
	log_close(&l);
	KUNIT_EXPECT_EQ_MSG(test, upgrade(&m), d->exit, "%s", d->name);
	KUNIT_EXPECT_EQ(test, sum_of(m.b.ssd, m.b.ssd_sectors), ssd);
	KUNIT_EXPECT_EQ(test, sum_of(m.b.hdd, m.b.hdd_sectors), hdd);
	f1_end(&m);
}

static void spoil_copy(struct f1_maker *m, u32 copy)
{
	u8 block[SECTOR_BYTES];

	bench_read(&m->b, block, SSDUP_SUPER_SECTOR(copy), 1);
	block[100] ^= 1;
	bench_write(&m->b, block, SSDUP_SUPER_SECTOR(copy), 1);
}

/* One good copy is enough. */
static void one_copy_will_do(struct kunit *test)
{
	struct f1_maker m;
	u32 copy;

	for (copy = 0; copy < SSDUP_COPIES; copy++) {
		small_log(&m, 3);
		spoil_copy(&m, copy);
		KUNIT_EXPECT_NE(test, upgrade(&m), EXIT_LOST);
		KUNIT_EXPECT_TRUE(test, f1_drained(&m));
		expect_new_log(test, &m);
		f1_end(&m);
	}
}

static struct kunit_case upgrade_cases[] = {
	KUNIT_CASE(random_logs),
	KUNIT_CASE(cut_at_each_request),
	KUNIT_CASE_PARAM(damaged_are_refused, damage_gen_params),
	KUNIT_CASE(one_copy_will_do),
	{}
};

static struct kunit_suite upgrade_suite = {
	.name = "upgrade",
	.test_cases = upgrade_cases,
};

kunit_test_suite(upgrade_suite);
