// SPDX-License-Identifier: GPL-2.0-only
/* A flash translation layer: a map of pages, and greedy garbage collection. */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/string.h>
#include "ftl_model.h"

/* With fewer free superblocks the disk collects; the last one is for copies. */
#define FTL_ENOUGH_FREE		2
#define FTL_FOR_COPIES		1

/*
 * The free one, the open ones of writes without a stream and of copies, the one
 * that is opened next, and one that makes it more: see the essay in the header.
 */
#define FTL_LEAST_SPARE		5

static u32 ftl_superblock_pages(const struct ftl_params *p)
{
	return p->nand.dies * p->unit_pages * p->block_units;
}

static u32 ftl_nr_superblocks(const struct ftl_params *p)
{
	u64 pages = div_u64((u64)p->pages * (100 + p->spare_percent), 100);

	return div_u64(pages + ftl_superblock_pages(p) - 1, ftl_superblock_pages(p));
}

static size_t ftl_places(const struct ftl_params *p)
{
	return (size_t)ftl_nr_superblocks(p) * ftl_superblock_pages(p);
}

static bool ftl_possible(const struct ftl_params *p)
{
	const struct nand_params *n = &p->nand;

	if (!p->pages || p->pages > FTL_MAX_PAGES || p->spare_percent > 100 ||
	    p->streams > FTL_MAX_STREAMS || !p->unit_pages || p->unit_pages > 1024 ||
	    !p->block_units || p->block_units > 1024 || !n->dies || n->dies > 256 ||
	    !n->buffer_units || n->buffer_units > 1 << 16)
		return false;
	return ftl_places(p) >= p->pages + (FTL_LEAST_SPARE + p->streams) *
				(size_t)ftl_superblock_pages(p);
}

size_t ftl_size(const struct ftl_params *p)
{
	if (!ftl_possible(p))
		return 0;
	return nand_size(&p->nand) + ftl_nr_superblocks(p) * sizeof(struct ftl_superblock) +
	       (p->pages + ftl_places(p)) * sizeof(u32);
}

static void ftl_add_free(struct ftl *f, u32 nr)
{
	f->superblocks[nr].state = FTL_FREE;
	if (f->nr_free)
		f->superblocks[f->last_free].next = nr;
	else
		f->free = nr;
	f->last_free = nr;
	f->nr_free++;
}

void ftl_init(struct ftl *f, const struct ftl_params *p, void *memory)
{
	u32 i;

	memset(f, 0, sizeof(*f));
	f->p = *p;
	nand_init(&f->nand, &p->nand, memory);
	memory += nand_size(&p->nand);
	f->superblock_pages = ftl_superblock_pages(p);
	f->nr_superblocks = ftl_nr_superblocks(p);
	f->superblocks = memory;
	f->map = (void *)(f->superblocks + f->nr_superblocks);
	f->owner = f->map + p->pages;
	memset(f->superblocks, 0, f->nr_superblocks * sizeof(*f->superblocks));
	memset(f->map, 0xff, p->pages * sizeof(u32));
	memset(f->owner, 0xff, ftl_places(p) * sizeof(u32));
	for (i = 0; i < f->nr_superblocks; i++)
		ftl_add_free(f, i);
	for (i = 0; i < ARRAY_SIZE(f->open); i++)
		f->open[i].superblock = FTL_NONE;
	f->victim = FTL_NONE;
}

static u32 ftl_copies_stream(const struct ftl *f)
{
	return f->p.streams + 1;
}

/* What a page held is needed no more. */
static bool ftl_forget(struct ftl *f, u32 page)
{
	u32 place = f->map[page];

	if (place == FTL_NONE)
		return false;
	f->superblocks[place / f->superblock_pages].valid--;
	f->owner[place] = FTL_NONE;
	f->map[page] = FTL_NONE;
	f->mapped--;
	return true;
}

static void ftl_open_superblock(struct ftl *f, u32 stream)
{
	u32 nr = f->free;

	f->free = f->superblocks[nr].next;
	f->nr_free--;
	f->superblocks[nr].state = FTL_OPEN;
	f->superblocks[nr].next = stream;
	f->open[stream].superblock = nr;
	f->open[stream].filled = 0;
}

/* The next place of a stream's superblock; its unit goes to the dies when it is full. */
static void ftl_append(struct ftl *f, u32 stream, u32 page, u64 now)
{
	struct ftl_open *o = &f->open[stream];
	u32 place;

	if (o->superblock == FTL_NONE)
		ftl_open_superblock(f, stream);
	place = o->superblock * f->superblock_pages + o->filled++;
	f->superblocks[o->superblock].valid++;
	f->map[page] = place;
	f->owner[place] = page;
	f->mapped++;
	if (o->filled % f->p.unit_pages == 0) {
		if (stream == ftl_copies_stream(f))
			nand_program(&f->nand, place / f->p.unit_pages, now);
		else
			nand_write(&f->nand, place / f->p.unit_pages, now);
	}
	if (o->filled == f->superblock_pages) {
		f->superblocks[o->superblock].state = FTL_CLOSED;
		o->superblock = FTL_NONE;
	}
}

/* --- Garbage collection --- */

static void ftl_choose_victim(struct ftl *f)
{
	u32 i, best = FTL_NONE, valid = U32_MAX;

	for (i = 0; i < f->nr_superblocks && valid; i++) {
		if (f->superblocks[i].state == FTL_CLOSED && f->superblocks[i].valid < valid) {
			best = i;
			valid = f->superblocks[i].valid;
		}
	}
	f->superblocks[best].state = FTL_VICTIM;
	f->victim = best;
	f->looked = 0;
	f->copies = valid;
	f->due = 0;
	f->read_unit = FTL_NONE;
}

static void ftl_erase_victim(struct ftl *f, u64 now)
{
	nand_erase(&f->nand, now);
	f->counters.erased++;
	ftl_add_free(f, f->victim);
	f->victim = FTL_NONE;
}

/* One copy, and the erase after the last one. */
static void ftl_collect(struct ftl *f, u64 now)
{
	u32 first = f->victim * f->superblock_pages, place, page;

	if (f->superblocks[f->victim].valid) {
		while (f->owner[first + f->looked] == FTL_NONE)
			f->looked++;
		place = first + f->looked++;
		page = f->owner[place];
		if (place / f->p.unit_pages != f->read_unit) {
			f->read_unit = place / f->p.unit_pages;
			nand_read(&f->nand, f->read_unit, now);
		}
		ftl_forget(f, page);
		ftl_append(f, ftl_copies_stream(f), page, now);
		f->counters.copied++;
	}
	if (!f->superblocks[f->victim].valid)
		ftl_erase_victim(f, now);
}

/*
 * Beside a page written: a victim of n pages with v valid ones costs v copies and
 * gains n - v pages, so v / (n - v) copies keep pace with the writes.
 */
static void ftl_keep_pace(struct ftl *f, u64 now)
{
	u32 gain;

	if (f->victim == FTL_NONE) {
		if (f->nr_free >= FTL_ENOUGH_FREE)
			return;
		ftl_choose_victim(f);
	}
	gain = f->superblock_pages - f->copies;
	f->due += f->copies;
	if (!f->copies)
		ftl_collect(f, now);
	while (f->victim != FTL_NONE && f->due >= gain) {
		f->due -= gain;
		ftl_collect(f, now);
	}
}

/* A stream needs a superblock: the writer waits until copies leave it one. */
static void ftl_make_room(struct ftl *f, u64 now)
{
	while (f->nr_free <= FTL_FOR_COPIES) {
		if (f->victim == FTL_NONE)
			ftl_choose_victim(f);
		ftl_collect(f, now);
	}
}

/* --- Requests --- */

/* Is it in the part of a unit that waits in the buffer for the rest? */
static bool ftl_in_open_unit(const struct ftl *f, u32 place)
{
	const struct ftl_superblock *s = &f->superblocks[place / f->superblock_pages];
	u32 filled;

	if (s->state != FTL_OPEN)
		return false;
	filled = f->open[s->next].filled;
	return place % f->superblock_pages >= filled - filled % f->p.unit_pages;
}

u64 ftl_read(struct ftl *f, u64 sector, u64 sectors, u64 now)
{
	u32 page = sector / FTL_PAGE_SECTORS, last_unit = FTL_NONE, place;
	u32 end = (sector + sectors + FTL_PAGE_SECTORS - 1) / FTL_PAGE_SECTORS;
	u64 idle = now + f->p.nand.read_us * 1000ULL, over = idle;

	for (; page < end; page++) {
		place = f->map[page];
		if (place == FTL_NONE || place / f->p.unit_pages == last_unit)
			continue;
		last_unit = place / f->p.unit_pages;
		if (!ftl_in_open_unit(f, place))
			over = max(over, nand_read(&f->nand, last_unit, now));
	}
	return over - idle;
}

static void ftl_write_page(struct ftl *f, u32 page, u32 stream, u64 now)
{
	if (f->open[stream].superblock == FTL_NONE)
		ftl_make_room(f, now);
	ftl_forget(f, page);
	ftl_append(f, stream, page, now);
	f->counters.written++;
	ftl_keep_pace(f, now);
}

u64 ftl_write(struct ftl *f, u64 sector, u64 sectors, u32 stream, u64 now)
{
	u64 end = sector + sectors;
	u32 page = sector / FTL_PAGE_SECTORS, last = (end - 1) / FTL_PAGE_SECTORS;

	if (stream > f->p.streams)
		stream = 0;
	/* The rest of a page that is written in part is read first. */
	if (sector % FTL_PAGE_SECTORS || (page == last && end % FTL_PAGE_SECTORS))
		ftl_read(f, sector, 1, now);
	if (page != last && end % FTL_PAGE_SECTORS)
		ftl_read(f, end - 1, 1, now);
	for (; page <= last; page++)
		ftl_write_page(f, page, stream, now);
	f->counters.host_sectors += sectors;
	return max(f->nand.taken, now);
}

void ftl_discard(struct ftl *f, u64 sector, u64 sectors)
{
	u32 page = (sector + FTL_PAGE_SECTORS - 1) / FTL_PAGE_SECTORS;
	u32 end = (sector + sectors) / FTL_PAGE_SECTORS;

	for (; page < end; page++)
		f->counters.discarded += ftl_forget(f, page);
}

/* --- The past --- */

/* Some number below @end, the same for the same @n (splitmix64). */
static u32 ftl_random(u64 n, u32 end)
{
	u64 z = (n + 1) * 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return ((z >> 32) * end) >> 32;
}

void ftl_age(struct ftl *f, u64 from, u64 to)
{
	for (; from < to; from++)
		ftl_write_page(f, from < f->p.pages ? from : ftl_random(from, f->p.pages), 0, 0);
}

void ftl_rest(struct ftl *f)
{
	nand_reset(&f->nand);
	memset(&f->counters, 0, sizeof(f->counters));
}
