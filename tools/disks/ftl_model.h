/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The flash translation layer of a solid state disk: where each page of 4 KiB
 * is, and what has to be copied so that there is room for more.
 *
 * Flash memory is written page after page and erased by the superblock, which is
 * one block of each die. A page that is written again, or discarded, leaves its
 * old place invalid. Each write stream fills a superblock of its own. When
 * superblocks run short, the disk takes the one with the fewest valid pages (it
 * is greedy), copies these to a superblock that is for copies alone, whatever
 * stream they came from, and erases it. It copies beside the writes that come,
 * at the pace at which they use up what that gains. Only a write that finds no
 * superblock left waits until one is free.
 *
 * A victim without an invalid page would gain nothing. The spare area rules that
 * out: it has more superblocks than can be open or free when a victim is chosen,
 * so the closed ones have more places than the disk has pages.
 *
 * Addresses and lengths are 512-byte sectors, pages and units count from 0, times
 * are nanoseconds. Callers serialise.
 */
#ifndef SSDUP_FTL_MODEL_H
#define SSDUP_FTL_MODEL_H

#include <linux/types.h>
#include "nand_model.h"

#define FTL_PAGE_SECTORS	8
#define FTL_PAGE_BYTES		4096
#define FTL_MAX_STREAMS		16
#define FTL_MAX_PAGES		0x40000000U

/**
 * struct ftl_params - an FTL and its flash memory
 * @pages: size of the disk in pages
 * @spare_percent: how much more flash memory there is, in per cent of @pages
 * @unit_pages: pages of a unit
 * @block_units: units of a die's block
 * @streams: write streams beside the one of writes that name none
 * @nand: the flash memory
 */
struct ftl_params {
	u32 pages;
	u32 spare_percent;
	u32 unit_pages;
	u32 block_units;
	u32 streams;
	struct nand_params nand;
};

/**
 * struct ftl_counters - what was done
 * @host_sectors: sectors written
 * @written: pages programmed for these
 * @copied: pages programmed for the disk itself
 * @erased: superblocks erased
 * @discarded: pages that were valid until they were discarded
 */
struct ftl_counters {
	u64 host_sectors;
	u64 written;
	u64 copied;
	u64 erased;
	u64 discarded;
};

/**
 * enum ftl_state - of a superblock
 * @FTL_FREE: erased, in the list of these
 * @FTL_OPEN: being filled
 * @FTL_CLOSED: full
 * @FTL_VICTIM: being emptied
 */
enum ftl_state { FTL_FREE, FTL_OPEN, FTL_CLOSED, FTL_VICTIM };

/**
 * struct ftl_superblock - a block of each die
 * @valid: its valid pages
 * @next: if it is free: the next free one; if it is open: who fills it
 * @state: see &enum ftl_state
 */
struct ftl_superblock {
	u32 valid;
	u32 next;
	enum ftl_state state;
};

/**
 * struct ftl_open - a stream
 * @superblock: that it fills, or FTL_NONE
 * @filled: its pages that are filled
 */
struct ftl_open {
	u32 superblock;
	u32 filled;
};

#define FTL_NONE	U32_MAX

/**
 * struct ftl - an FTL at work
 * @p: parameters
 * @nand: when the dies do what they have to
 * @map: for each page of the disk, its place in flash memory, or FTL_NONE
 * @owner: for each place, the page it holds, or FTL_NONE
 * @superblocks: all of them
 * @nr_superblocks: how many there are
 * @superblock_pages: pages of a superblock
 * @free: first of the free superblocks
 * @last_free: last one of these
 * @nr_free: how many are free
 * @mapped: pages that hold data
 * @open: by stream, and behind these what is for copies
 * @victim: superblock that is being emptied, or FTL_NONE
 * @looked: its places that were looked at
 * @copies: valid pages that it had
 * @due: how far the copies are behind the writes, in parts of a page
 * @read_unit: unit that was read last for a copy
 * @counters: what was done
 */
struct ftl {
	struct ftl_params p;
	struct nand_model nand;
	u32 *map;
	u32 *owner;
	struct ftl_superblock *superblocks;
	u32 nr_superblocks;
	u32 superblock_pages;
	u32 free;
	u32 last_free;
	u32 nr_free;
	u32 mapped;
	struct ftl_open open[FTL_MAX_STREAMS + 2];
	u32 victim;
	u32 looked;
	u32 copies;
	u32 due;
	u32 read_unit;
	struct ftl_counters counters;
};

/**
 * ftl_size() - memory for an FTL
 * @p: parameters
 *
 * Return: bytes, or 0 for parameters of which there can be no FTL: the spare area
 * is less than five superblocks and one for each stream, or a number is 0 or too large.
 */
size_t ftl_size(const struct ftl_params *p);

/**
 * ftl_init() - a new disk: all of it is erased
 * @f: FTL to fill
 * @p: parameters, for which ftl_size() is not 0
 * @memory: ftl_size() bytes, to live as long as @f
 */
void ftl_init(struct ftl *f, const struct ftl_params *p, void *memory);

/**
 * ftl_age() - write as somebody did before
 * @f: FTL
 * @from: number of a page write since the disk was new
 * @to: the one after the last to be done
 *
 * The first p->pages of these fill the disk in the order of its addresses, the
 * others go to random places, always the same ones. ftl_rest() is due after the last.
 */
void ftl_age(struct ftl *f, u64 from, u64 to);

/**
 * ftl_rest() - the dies have done all they were given, and no counter has counted anything
 * @f: FTL
 */
void ftl_rest(struct ftl *f);

/**
 * ftl_read() - a read
 * @f: FTL
 * @sector: first sector
 * @sectors: length
 * @now: time it arrives
 *
 * Return: how much longer it takes than one that needs a single unit of an idle die:
 * it waits for dies that are at work, and for its own units on one die.
 */
u64 ftl_read(struct ftl *f, u64 sector, u64 sectors, u64 now);

/**
 * ftl_write() - a write
 * @f: FTL
 * @sector: first sector
 * @sectors: length
 * @stream: its stream, 0 for none; one that the disk does not have is none
 * @now: time its data are there
 *
 * Return: when the buffer has taken it, @now if there is room.
 */
u64 ftl_write(struct ftl *f, u64 sector, u64 sectors, u32 stream, u64 now);

/**
 * ftl_discard() - nobody needs these sectors any more
 * @f: FTL
 * @sector: first sector
 * @sectors: length; pages that are not wholly in it stay as they are
 */
void ftl_discard(struct ftl *f, u64 sector, u64 sectors);

#endif /* SSDUP_FTL_MODEL_H */
