// SPDX-License-Identifier: GPL-2.0-only
/* The modelled SSD's flash translation layer, beside closed forms of its write amplification. */
#include <kunit/test.h>
#include "../tools/disks/ftl_model.c"
#include "prng.h"

#define DIES		4
#define UNIT		4
#define SUPERBLOCKS	256	/* that the data fill */

/* Shares and amplifications are parts of this. */
#define ONE		0x40000000ULL

static const struct ftl_params ftl_small = {
	.pages = SUPERBLOCKS * 128,
	.spare_percent = 7,
	.unit_pages = UNIT,
	.block_units = 8,
	.nand = {
		.dies = DIES,
		.buffer_units = 8,
		.read_us = 60,
		.program_us = 600,
		.erase_us = 1000,
	},
};

static struct ftl *make_ftl(struct kunit *test, const struct ftl_params *p)
{
	struct ftl *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	size_t size = ftl_size(p);
	void *memory;

	KUNIT_ASSERT_NOT_NULL(test, f);
	KUNIT_ASSERT_GT(test, size, (size_t)0);
	memory = kunit_kzalloc(test, size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, memory);
	ftl_init(f, p, memory);
	return f;
}

static void write_pages(struct ftl *f, u32 page, u32 pages, u32 stream)
{
	ftl_write(f, (u64)page * FTL_PAGE_SECTORS, (u64)pages * FTL_PAGE_SECTORS, stream, 0);
}

static void discard_pages(struct ftl *f, u32 page, u32 pages)
{
	ftl_discard(f, (u64)page * FTL_PAGE_SECTORS, (u64)pages * FTL_PAGE_SECTORS);
}

static void write_at_random(struct ftl *f, struct prng *r, u32 first, u32 pages, u32 stream, u32 nr)
{
	while (nr--)
		write_pages(f, first + prng_below(r, pages), 1, stream);
}

static u64 amplification(const struct ftl *f)
{
	return div64_u64((f->counters.written + f->counters.copied) * ONE,
			 div_u64(f->counters.host_sectors, FTL_PAGE_SECTORS));
}

/* --- Theory --- */

/* exp(-x), x up to 2, by its series */
static u64 exp_minus(u64 x)
{
	s64 sum = ONE, term = ONE;
	u32 i;

	for (i = 1; i < 20; i++) {
		term = -div_s64(term * (s64)(x >> 1) >> 29, i);
		sum += term;
	}
	return sum;
}

/*
 * Uniform random writes. Of a superblock that is collected after each of T places
 * was written once, a share u is still valid: u = exp(-a (1 - u)), with a = T / U
 * for U pages of data, and the amplification is 1 / (1 - u); Lambert's W function
 * solves that (Xiang and Kurkoski, "An Improved Analytic Expression for Write
 * Amplification in NAND Flash", 2012). It is exact for the oldest one in place of
 * the one with the fewest valid pages. What being greedy gains with superblocks of n
 * pages is a factor k = 1 + 1 / 2n (Desnoyers, "Analytic Modeling of SSD Write
 * Performance", 2012): k a for a, and 1 / k of the amplification.
 */
static u64 greedy(u64 places, u64 data, u32 superblock)
{
	u64 k = ONE + div_u64(ONE, 2 * superblock);
	u64 a = div64_u64(places * k, data), u = 0;
	u32 i;

	for (i = 0; i < 1000; i++)
		u = exp_minus(a * (ONE - u) >> 30);
	return div64_u64(div64_u64(ONE * ONE, ONE - u) << 20, k) << 10;
}

/* Places that can hold data: one superblock is free, and two are half full. */
static u64 usable(const struct ftl *f)
{
	return (u64)(f->nr_superblocks - 2) * f->superblock_pages;
}

static void expect_near(struct kunit *test, u64 is, u64 theory, u32 percent)
{
	KUNIT_EXPECT_LE_MSG(test, is * 100, theory * (100 + percent), "%llu of 1000",
			    (unsigned long long)(is * 1000 >> 30));
	KUNIT_EXPECT_GE_MSG(test, is * 100, theory * (100 - percent), "%llu of 1000",
			    (unsigned long long)(is * 1000 >> 30));
}

/* What the papers print, so that no fault of the arithmetic hides one of the model. */
static void ftl_theory_is_that_of_the_papers(struct kunit *test)
{
	/* Xiang and Kurkoski: overprovisioning of 0.3, blocks without end */
	expect_near(test, greedy(130, 100, 1 << 20), ONE * 236 / 100, 1);
	/* a small spare area takes about half of its reciprocal */
	expect_near(test, greedy(1010, 1000, 1 << 20), ONE * 505 / 10, 2);
}

/* --- Write amplification --- */

struct uniform_case {
	const char *name;
	u32 spare_percent;
	u32 block_units;
};

static const struct uniform_case uniform_cases[] = {
	{ "7 % spare, superblocks of 64 pages", 7, 4 },
	{ "7 % spare, superblocks of 128 pages", 7, 8 },
	{ "28 % spare, superblocks of 64 pages", 28, 4 },
	{ "28 % spare, superblocks of 128 pages", 28, 8 },
};

static void uniform_desc(const struct uniform_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(uniform, uniform_cases, uniform_desc);

static void ftl_uniform_random_writes(struct kunit *test)
{
	const struct uniform_case *c = test->param_value;
	struct ftl_params p = ftl_small;
	struct prng r = { 1 };
	struct ftl *f;

	p.spare_percent = c->spare_percent;
	p.block_units = c->block_units;
	p.pages = SUPERBLOCKS * DIES * UNIT * p.block_units;
	f = make_ftl(test, &p);
	write_pages(f, 0, p.pages, 0);
	KUNIT_EXPECT_EQ(test, f->counters.copied, 0ULL);
	write_at_random(f, &r, 0, p.pages, 0, p.pages);
	ftl_rest(f);
	write_at_random(f, &r, 0, p.pages, 0, 2 * p.pages);
	expect_near(test, amplification(f), greedy(usable(f), p.pages, f->superblock_pages), 5);
}

/* An aged disk is as one that was written at random for ever, from its first write on. */
static void ftl_aged_disk(struct kunit *test)
{
	const struct ftl_params *p = &ftl_small;
	struct ftl *f = make_ftl(test, p);
	struct prng r = { 2 };

	ftl_age(f, 0, p->pages);
	KUNIT_EXPECT_EQ(test, f->counters.copied, 0ULL);
	ftl_age(f, p->pages, 2 * p->pages);
	ftl_rest(f);
	KUNIT_EXPECT_EQ(test, f->mapped, p->pages);
	KUNIT_EXPECT_EQ(test, f->counters.written, 0ULL);
	KUNIT_EXPECT_EQ(test, ftl_read(f, 0, FTL_PAGE_SECTORS, 5), 0ULL);
	write_at_random(f, &r, 0, p->pages, 0, p->pages / 4);
	expect_near(test, amplification(f), greedy(usable(f), p->pages, f->superblock_pages), 5);
}

/* At an amplification of eight each write has some seven copies beside it; few wait for more. */
static void ftl_copies_keep_pace(struct kunit *test)
{
	const struct ftl_params *p = &ftl_small;
	struct ftl *f = make_ftl(test, p);
	struct prng r = { 8 };
	u32 i, none = 0, many = 0;

	ftl_age(f, 0, 2 * p->pages);
	ftl_rest(f);
	for (i = 0; i < p->pages; i++) {
		u64 before = f->counters.copied;

		write_at_random(f, &r, 0, p->pages, 0, 1);
		none += f->counters.copied == before;
		many += f->counters.copied > before + 14;
	}
	KUNIT_EXPECT_LT(test, none, p->pages / 25);
	KUNIT_EXPECT_LT(test, many, p->pages / 200);
}

static void ftl_sequential_writes_are_not_copied(struct kunit *test)
{
	const struct ftl_params *p = &ftl_small;
	struct ftl *f = make_ftl(test, p);
	u32 round, page;

	for (round = 0; round < 4; round++)
		for (page = 0; page < p->pages; page += 64)
			write_pages(f, page, 64, 0);
	/* and in a ring that does not begin where a superblock does */
	write_pages(f, 0, 37, 0);
	for (round = 0; round < 4; round++)
		for (page = 5; page + 9 <= p->pages; page += 9)
			write_pages(f, page, 9, 0);
	KUNIT_EXPECT_EQ(test, amplification(f), ONE);
	KUNIT_EXPECT_GT(test, f->counters.erased, 6ULL * SUPERBLOCKS);
}

/* What is discarded is spare area. */
static void ftl_discarded_half(struct kunit *test)
{
	const struct ftl_params *p = &ftl_small;
	struct ftl *f = make_ftl(test, p);
	struct prng r = { 3 };
	u32 half = p->pages / 2;

	ftl_age(f, 0, 2 * p->pages);
	ftl_rest(f);
	discard_pages(f, half, half);
	KUNIT_EXPECT_EQ(test, f->counters.discarded, (u64)half);
	KUNIT_EXPECT_EQ(test, f->mapped, half);
	discard_pages(f, half, half);
	KUNIT_EXPECT_EQ(test, f->counters.discarded, (u64)half);
	write_at_random(f, &r, 0, half, 0, 2 * p->pages);
	ftl_rest(f);
	write_at_random(f, &r, 0, half, 0, p->pages);
	expect_near(test, amplification(f), greedy(usable(f), half, f->superblock_pages), 5);
}

static void ftl_discarded_disk_is_new(struct kunit *test)
{
	const struct ftl_params *p = &ftl_small;
	struct ftl *f = make_ftl(test, p);

	ftl_age(f, 0, 2 * p->pages);
	ftl_rest(f);
	discard_pages(f, 0, p->pages);
	write_pages(f, 0, p->pages, 0);
	KUNIT_EXPECT_EQ(test, amplification(f), ONE);
}

static u64 hot_and_cold(struct kunit *test, bool apart)
{
	struct ftl_params p = ftl_small;
	u32 hot = p.pages / 4, page;
	struct prng r = { 4 };
	struct ftl *f;
	u64 is;

	p.streams = 2;
	f = make_ftl(test, &p);
	/* a page in four is hot: they begin mixed, unless they are kept apart */
	for (page = 0; page < hot; page++) {
		write_pages(f, page, 1, apart ? 1 : 0);
		write_pages(f, hot + 3 * page, 3, apart ? 2 : 0);
	}
	write_at_random(f, &r, 0, hot, apart ? 1 : 0, hot);
	ftl_rest(f);
	write_at_random(f, &r, 0, hot, apart ? 1 : 0, 4 * hot);
	is = amplification(f);
	if (apart)
		expect_near(test, is, greedy(usable(f) - (p.pages - hot), hot,
					     f->superblock_pages), 5);
	return is;
}

/* Cold data apart are never copied, and all the spare area is the hot data's. */
static void ftl_hot_and_cold(struct kunit *test)
{
	u64 apart = hot_and_cold(test, true), mixed = hot_and_cold(test, false);

	KUNIT_EXPECT_GT(test, mixed * 10, apart * 12);
}

/* --- Logs that share a disk --- */

#define LOGS	12

struct logs_case {
	const char *name;
	bool discard;
	bool streams;
	u32 least, most;	/* amplification, of 1000 */
};

/* A simulation of such logs of which no more is known gave 3.8, 1.14 and 1.00. */
static const struct logs_case logs_cases[] = {
	{ "twelve unequal logs", false, false, 3600, 4100 },
	{ "with discards of what is free", true, false, 1110, 1170 },
	{ "with a stream for each", false, true, 1000, 1000 },
	{ "with both", true, true, 1000, 1000 },
};

static void logs_desc(const struct logs_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(logs, logs_cases, logs_desc);

/*
 * Rings of equal size, the rate doubling after every two, and each write a 64th of a
 * superblock. Those that discard hold data in half of their ring, and discard a quarter
 * of a superblock at a time.
 */
static void ftl_logs_write(struct ftl *f, const struct logs_case *c, struct prng *r, u32 *ends,
			   u32 ring, u32 nr)
{
	u32 log, share, end;

	while (nr--) {
		share = prng_below(r, 2 * ((1 << LOGS / 2) - 1));
		log = 2 * ilog2(share / 2 + 1) + share % 2;
		end = ends[log]++;
		write_pages(f, log * ring + end % ring, 1, c->streams ? log + 1 : 0);
		if (c->discard && end % 16 == 0 && end >= ring / 2)
			discard_pages(f, log * ring + (end - ring / 2) % ring, 16);
	}
}

static void ftl_logs(struct kunit *test)
{
	const struct logs_case *c = test->param_value;
	struct ftl_params p = ftl_small;
	u32 ends[LOGS] = { 0 }, ring, i;
	struct prng r = { 5 };
	struct ftl *f;
	u64 is;

	/* each stream has a superblock open, which must be small beside the spare area */
	p.pages = 4 * SUPERBLOCKS * 64;
	p.block_units = 4;
	p.streams = LOGS;
	f = make_ftl(test, &p);
	ring = round_down(p.pages / LOGS, 32);
	for (i = 0; i < LOGS && !c->discard; i++) {
		write_pages(f, i * ring, ring, c->streams ? i + 1 : 0);
		ends[i] = ring;
	}
	ftl_logs_write(f, c, &r, ends, ring, 3 * p.pages);
	ftl_rest(f);
	ftl_logs_write(f, c, &r, ends, ring, 3 * p.pages);
	is = amplification(f) * 1000 >> 30;
	KUNIT_EXPECT_GE(test, is, (u64)c->least);
	KUNIT_EXPECT_LE(test, is, (u64)c->most);
}

/* --- The map --- */

static void expect_whole(struct kunit *test, const struct ftl *f)
{
	u32 i, place, valid = 0, mapped = 0, nr_free = 0;

	for (i = 0; i < f->p.pages; i++) {
		if (f->map[i] == FTL_NONE)
			continue;
		mapped++;
		KUNIT_ASSERT_EQ(test, f->owner[f->map[i]], i);
	}
	KUNIT_EXPECT_EQ(test, mapped, f->mapped);
	for (i = 0; i < f->nr_superblocks; i++) {
		u32 owned = 0;

		for (place = 0; place < f->superblock_pages; place++)
			owned += f->owner[i * f->superblock_pages + place] != FTL_NONE;
		KUNIT_ASSERT_EQ(test, owned, f->superblocks[i].valid);
		valid += owned;
		if (f->superblocks[i].state == FTL_FREE) {
			nr_free++;
			KUNIT_ASSERT_EQ(test, owned, 0U);
		}
	}
	KUNIT_EXPECT_EQ(test, valid, mapped);
	KUNIT_EXPECT_EQ(test, nr_free, f->nr_free);
}

/* As little spare area as there may be, as many streams, and requests of all kinds. */
static void ftl_map_stays_whole(struct kunit *test)
{
	struct ftl_params p = ftl_small;
	struct prng r = { 6 };
	struct ftl *f;
	u32 i;

	p.pages = 100 * 64 + 17;
	p.block_units = 4;
	p.spare_percent = 20;
	p.streams = FTL_MAX_STREAMS;
	KUNIT_ASSERT_EQ(test, ftl_size(&p), (size_t)0);
	p.spare_percent = 21;
	f = make_ftl(test, &p);
	for (i = 0; i < 40000; i++) {
		u32 page = prng_below(&r, p.pages);
		u32 pages = prng_between(&r, 1, min(p.pages - page, 40U));

		if (prng_below(&r, 8))
			write_pages(f, page, pages, prng_below(&r, p.streams + 1));
		else
			discard_pages(f, page, pages);
		if (i % 1000 == 999)
			expect_whole(test, f);
	}
	/* full, and written by all streams in turn */
	for (i = 0; i < 4 * p.pages; i++)
		write_pages(f, i % p.pages, 1, i % (p.streams + 1));
	expect_whole(test, f);
	KUNIT_EXPECT_EQ(test, f->mapped, p.pages);
	KUNIT_EXPECT_GT(test, f->counters.erased, 100ULL);
}

static void ftl_parts_of_pages(struct kunit *test)
{
	struct ftl *f = make_ftl(test, &ftl_small);

	/* a sector costs a page; eight across a border cost two */
	ftl_write(f, 3, 1, 0, 0);
	KUNIT_EXPECT_EQ(test, f->counters.written, 1ULL);
	ftl_write(f, 804, 8, 0, 0);
	KUNIT_EXPECT_EQ(test, f->counters.written, 3ULL);
	KUNIT_EXPECT_EQ(test, f->counters.host_sectors, 9ULL);
	KUNIT_EXPECT_EQ(test, f->mapped, 3U);
	/* a page that is discarded in parts stays */
	ftl_discard(f, 0, 7);
	ftl_discard(f, 1, 7);
	ftl_discard(f, 801, 14);
	KUNIT_EXPECT_EQ(test, f->mapped, 3U);
	ftl_discard(f, 799, 10);
	KUNIT_EXPECT_EQ(test, f->mapped, 2U);
	ftl_discard(f, 0, 816);
	KUNIT_EXPECT_EQ(test, f->mapped, 0U);
}

static void ftl_unknown_stream_is_none(struct kunit *test)
{
	struct ftl_params p = ftl_small;
	struct ftl *f;

	p.streams = 1;
	f = make_ftl(test, &p);
	write_pages(f, 0, 1, 0);
	write_pages(f, 1, 1, 2);
	write_pages(f, 2, 1, 1);
	KUNIT_EXPECT_EQ(test, f->map[1], f->map[0] + 1);
	KUNIT_EXPECT_NE(test, f->map[2] / f->superblock_pages, f->map[0] / f->superblock_pages);
}

static void ftl_refuses(struct kunit *test)
{
	struct ftl_params p = ftl_small;

	KUNIT_EXPECT_GT(test, ftl_size(&p), (size_t)4 * (p.pages + p.pages));
	p.spare_percent = 1;
	KUNIT_EXPECT_EQ(test, ftl_size(&p), (size_t)0);
	p = ftl_small;
	p.streams = FTL_MAX_STREAMS + 1;
	KUNIT_EXPECT_EQ(test, ftl_size(&p), (size_t)0);
	p = ftl_small;
	p.nand.dies = 0;
	KUNIT_EXPECT_EQ(test, ftl_size(&p), (size_t)0);
	p = ftl_small;
	p.nand.buffer_units = 0;
	KUNIT_EXPECT_EQ(test, ftl_size(&p), (size_t)0);
}

/* --- Time --- */

#define US	1000ULL

/* Pages are written as fast as the dies can program and erase, not faster. */
static void ftl_sequential_rate(struct kunit *test)
{
	const struct ftl_params *p = &ftl_small;
	struct ftl *f = make_ftl(test, p);
	u64 now = US, start, block;
	u32 i;

	/* the buffer takes 8 units at once, and the next when one is programmed */
	KUNIT_EXPECT_EQ(test, ftl_write(f, 0, 8 * UNIT * FTL_PAGE_SECTORS, 0, now), now);
	KUNIT_EXPECT_EQ(test, ftl_write(f, 1024, UNIT * FTL_PAGE_SECTORS, 0, now), now + 600 * US);
	write_pages(f, 0, p->pages, 0);
	write_pages(f, 0, p->pages, 0);
	ftl_rest(f);
	start = now;
	for (i = 0; i < p->pages; i += UNIT)
		now = ftl_write(f, (u64)i * FTL_PAGE_SECTORS, UNIT * FTL_PAGE_SECTORS, 0, now);
	block = p->block_units * 600 * US + 1000 * US;
	expect_near(test, div64_u64((now - start) * 1000, block), 1000 * SUPERBLOCKS, 1);
}

/*
 * Random writes of an aged disk take, for each page, the programs of as many pages as
 * the amplification says, and the erases, and a read for each unit that copies come from.
 */
static void ftl_random_rate(struct kunit *test)
{
	const struct ftl_params *p = &ftl_small;
	struct ftl *f = make_ftl(test, p);
	struct prng r = { 7 };
	u64 now = US, units, least;
	u32 i;

	ftl_age(f, 0, 2 * p->pages);
	ftl_rest(f);
	for (i = 0; i < p->pages; i++)
		now = ftl_write(f, (u64)prng_below(&r, p->pages) * FTL_PAGE_SECTORS,
				FTL_PAGE_SECTORS, 0, now);
	/* copies take no place in the buffer */
	KUNIT_EXPECT_EQ(test, f->nand.next, p->pages / UNIT % p->nand.buffer_units);
	units = div_u64(f->counters.written + f->counters.copied, UNIT);
	least = div_u64(units * (600 + 60) * US, DIES) + f->counters.erased * 1000 * US;
	KUNIT_EXPECT_GE(test, now * 100, least * 99);
	KUNIT_EXPECT_LE(test, now * 100, least * 110);
}

static void ftl_reads_wait(struct kunit *test)
{
	struct ftl *f = make_ftl(test, &ftl_small);
	u32 unit = UNIT * FTL_PAGE_SECTORS;

	/* what is nowhere, and what waits for the rest of its unit, needs no die */
	KUNIT_EXPECT_EQ(test, ftl_read(f, 0, 8 * unit, US), 0ULL);
	write_pages(f, 0, 1, 0);
	KUNIT_EXPECT_EQ(test, ftl_read(f, 0, 8, US), 0ULL);
	KUNIT_EXPECT_EQ(test, f->nand.busy_until[0], 0ULL);
	/* nor does what is in the buffer; what was programmed waits for the die */
	write_pages(f, 1, 4 * UNIT - 1, 0);
	ftl_rest(f);
	ftl_write(f, 4 * unit, unit, 0, US);
	KUNIT_EXPECT_EQ(test, ftl_read(f, 4 * unit, unit, US), 0ULL);
	KUNIT_EXPECT_EQ(test, ftl_read(f, unit, unit, US), 0ULL);
	KUNIT_EXPECT_EQ(test, ftl_read(f, 0, 8, US), 600 * US);
	/* on one die a read waits for the other, a unit is read once */
	KUNIT_EXPECT_EQ(test, ftl_read(f, 8, unit - 8, 101 * US), 560 * US);
	KUNIT_EXPECT_EQ(test, ftl_read(f, 0, 4 * unit, 10000 * US), 0ULL);
	KUNIT_EXPECT_EQ(test, f->nand.busy_until[3], 10060 * US);
}

struct part_case {
	const char *name;
	u32 sector, sectors;
	u32 reads[DIES];	/* of each die */
};

/* A unit of four pages has 32 sectors. */
static const struct part_case part_cases[] = {
	{ "whole pages", 32, 32, { 0, 0, 0, 0 } },
	{ "the middle of a page", 33, 3, { 0, 1, 0, 0 } },
	{ "the end of a page", 36, 4, { 0, 1, 0, 0 } },
	{ "the start of a page", 32, 4, { 0, 1, 0, 0 } },
	{ "the end of one, a whole one and the start of one", 60, 32, { 0, 1, 1, 0 } },
	{ "whole ones and the start of one", 56, 44, { 0, 0, 0, 1 } },
};

static void part_desc(const struct part_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(part, part_cases, part_desc);

/* What is left of a page that is written in part is read first. */
static void ftl_parts_are_read(struct kunit *test)
{
	const struct part_case *c = test->param_value;
	struct ftl *f = make_ftl(test, &ftl_small);
	u32 die;

	write_pages(f, 0, DIES * UNIT, 0);
	ftl_rest(f);
	ftl_write(f, c->sector, c->sectors, 0, US);
	for (die = 1; die < DIES; die++)
		KUNIT_EXPECT_EQ(test, f->nand.busy_until[die],
				c->reads[die] ? US + c->reads[die] * 60 * US : 0);
}

static struct kunit_case disk_ftl_cases[] = {
	KUNIT_CASE(ftl_theory_is_that_of_the_papers),
	KUNIT_CASE_PARAM(ftl_uniform_random_writes, uniform_gen_params),
	KUNIT_CASE(ftl_aged_disk),
	KUNIT_CASE(ftl_copies_keep_pace),
	KUNIT_CASE(ftl_sequential_writes_are_not_copied),
	KUNIT_CASE(ftl_discarded_half),
	KUNIT_CASE(ftl_discarded_disk_is_new),
	KUNIT_CASE(ftl_hot_and_cold),
	KUNIT_CASE_PARAM(ftl_logs, logs_gen_params),
	KUNIT_CASE(ftl_map_stays_whole),
	KUNIT_CASE(ftl_parts_of_pages),
	KUNIT_CASE(ftl_unknown_stream_is_none),
	KUNIT_CASE(ftl_refuses),
	KUNIT_CASE(ftl_sequential_rate),
	KUNIT_CASE(ftl_random_rate),
	KUNIT_CASE(ftl_reads_wait),
	KUNIT_CASE_PARAM(ftl_parts_are_read, part_gen_params),
	{}
};

static struct kunit_suite disk_ftl_suite = {
	.name = "disk_ftl",
	.test_cases = disk_ftl_cases,
};

kunit_test_suite(disk_ftl_suite);
