/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the log's space, and the only code that encodes and decodes what format.h
 * describes. Pure.
 *
 * A half has space for entries (metadata) and for sectors (data). Both are handed out
 * together, in one 64-bit word that the caller keeps in an atomic:
 *
 *	63      62 .. 34            33 .. 0
 *	sealed  entries handed out  sectors handed out
 *
 * Entry N lies in page N / SSDUP_PAGE_ENTRIES. Space that was handed out comes back only when
 * the half is freed; an entry whose write failed stays empty. A sealed word hands out nothing.
 * The last part of both spaces is a reserve for extents that a drain has to move (a bad HDD
 * sector), so that a full log can always be emptied.
 */
#ifndef SSDUP_LOG_H
#define SSDUP_LOG_H

#include <linux/bits.h>

#include <asm/byteorder.h>

#include "types.h"

/* --- Geometry --- */

struct log_geometry {
	u64	half_start;	/* sector on the SSD of half 0 */
	u64	half_stride;
	u32	meta_pages;	/* of a half; two slots each */
	u32	data_sectors;	/* of a half */
	u32	block_sectors;	/* entries are aligned to this; 1..8, a power of two */
	u32	nr_halves;
};

/* Smallest half, in sectors (4 MiB). */
#define LOG_MIN_STRIDE	8192U

/**
 * ssdup_log_layout() - lay out an SSD
 * @g: filled in
 * @ssd_sectors: size of the SSD
 * @nr_halves: SSDUP_MIN_HALVES..SSDUP_MAX_HALVES
 * @block_sectors: the larger logical block size of the two disks, in sectors
 *
 * The number of metadata pages is such that 4 KiB writes fill both spaces at once
 * (1.6 % of the SSD). Areas are aligned to 4 KiB.
 *
 * Return: false when a half would be smaller than LOG_MIN_STRIDE.
 */
bool ssdup_log_layout(struct log_geometry *g, u64 ssd_sectors, u32 nr_halves, u32 block_sectors);

/** ssdup_log_slot_sector() - SSD sector of a slot (0 or 1) of a metadata page */
u64 ssdup_log_slot_sector(const struct log_geometry *g, u32 half, u32 page, u32 slot);

/** ssdup_log_data_sector() - SSD sector of a position in a half's data area */
u64 ssdup_log_data_sector(const struct log_geometry *g, u32 half, log_pos_t pos);

/**
 * ssdup_log_longest_write() - the longest write that the log takes, in sectors
 *
 * It is a quarter of what writers may use of a half, rounded down to a power of two.
 */
u32 ssdup_log_longest_write(const struct log_geometry *g);

/* --- Space --- */

struct log_limits {
	u32	entries;
	u32	sectors;
};

/** ssdup_log_limits_all() - all of a half, which a drain may use */
struct log_limits ssdup_log_limits_all(const struct log_geometry *g);

/** ssdup_log_limits_writers() - all but the reserve: 1/64, at least 128 KiB and one page */
struct log_limits ssdup_log_limits_writers(const struct log_geometry *g);

/**
 * ssdup_log_limits_free() - the part of the last half that is not rationed: three quarters
 * @all: the limits of writers
 */
struct log_limits ssdup_log_limits_free(const struct log_limits *all);

/**
 * ssdup_log_ration() - hand out more of the last half
 * @now: the writers' limits, to be raised
 * @all: the highest limits
 * @passed: time since the last raise, ns
 * @left: from the last raise until another half is free, ns; 0 when that is overdue
 *
 * What is left of the half lasts until another one is free: writers slow down rather than stop.
 *
 * Return: the part of @passed that was used up, ns; 0 when it was too little for another entry,
 * and nothing was raised.
 */
u64 ssdup_log_ration(struct log_limits *now, const struct log_limits *all, u64 passed, u64 left);

/**
 * ssdup_log_ration_wait() - how long a write has to wait for ssdup_log_ration()
 * @now, @all, @left: see there
 * @word: of the last half
 * @sectors: of data, 0 for a tombstone
 *
 * Return: the least @passed that makes room for the write, ns, at most @left; U64_MAX when
 * it does not fit into the half at all.
 */
u64 ssdup_log_ration_wait(const struct log_limits *now, const struct log_limits *all, u64 word,
			  u32 sectors, u64 left);

#define LOG_WORD_SEALED		BIT_ULL(63)
#define LOG_WORD_ENTRY		BIT_ULL(34)

static inline u32 log_word_entries(u64 word)
{
	return (word & ~LOG_WORD_SEALED) >> 34;
}

static inline u64 log_word_sectors(u64 word)
{
	return word & (LOG_WORD_ENTRY - 1);
}

static inline u64 log_word(u32 entries, u32 sectors)
{
	return ((u64)entries << 34) | sectors;
}

/**
 * log_word_reserve() - hand out one entry and @sectors of data
 * @word: now
 * @limits: of the caller
 * @sectors: 0 for a tombstone
 * @next: set to the word afterwards
 *
 * The caller gets entry log_word_entries(@word) and data from log_word_sectors(@word) on.
 *
 * Return: false when the half is sealed or has too little space.
 */
static inline bool log_word_reserve(u64 word, const struct log_limits *limits, u32 sectors,
				    u64 *next)
{
	if (word & LOG_WORD_SEALED)
		return false;
	if (log_word_entries(word) >= limits->entries)
		return false;
	if (log_word_sectors(word) + sectors > limits->sectors)
		return false;

	*next = word + LOG_WORD_ENTRY + sectors;
	return true;
}

/** ssdup_log_word_fill() - how full a half is by the fuller space, 0..10000 (1/10000 of @limits) */
u32 ssdup_log_word_fill(u64 word, const struct log_limits *limits);

/* --- Faults: a stable number and a text for each, also for the tools --- */

enum log_fault {
	LOG_OK			= 0,
	LOG_BLANK		= 1,	/* superblock: all zero */
	LOG_NOT_OURS		= 2,	/* superblock: another magic */
	LOG_BAD_CRC		= 3,
	LOG_NEWER_VERSION	= 4,
	LOG_UNKNOWN_INCOMPAT	= 5,
	LOG_UNKNOWN_RO_COMPAT	= 6,
	LOG_BAD_GEOMETRY	= 7,
	LOG_BAD_GENERATION	= 8,	/* zero, used twice or out of range */
	LOG_OTHER_HDD_SIZE	= 9,
	LOG_OTHER_SSD_SIZE	= 10,
	LOG_BLOCK_SIZE		= 11,	/* the disks need larger blocks than the log has */
	LOG_PAGE_STALE		= 12,	/* page of another log, generation, half or place */
	LOG_PAGE_BAD_COUNT	= 13,
	LOG_ENTRY_KIND		= 14,
	LOG_ENTRY_EMPTY		= 15,	/* no sectors, or no seq */
	LOG_ENTRY_OUTSIDE_HDD	= 16,
	LOG_ENTRY_OUTSIDE_LOG	= 17,
	LOG_ENTRY_UNALIGNED	= 18,
	LOG_PAGE_EPOCH		= 19,	/* page of an epoch that is yet to come */
	LOG_PAGES_MISSING	= 20,	/* not the pages that a clean suspend counted */
	LOG_TWO_LOGS		= 21,	/* the superblock's copies are of two logs */
	LOG_NO_UUID		= 22,	/* superblock: the UUID is nil */
	/* The numbers between belong to the tool. */
	LOG_PAGES_GAP		= 34,	/* a page that was durable is gone, later ones are not */
	LOG_NR_FAULTS
};

/** ssdup_log_fault_text() - a few words, no full stop */
const char *ssdup_log_fault_text(enum log_fault fault);

/* --- Superblock --- */

/*
 * Highest value of counters on the SSD. No device counts that far, so a higher value is
 * damage and is refused. None is written either.
 */
#define LOG_MAX_COUNT		BIT_ULL(62)

/* Seqs stop earlier, since writes in flight take more until the limit is noticed. */
#define LOG_LAST_SEQ		(LOG_MAX_COUNT - BIT_ULL(32))

struct log_super {
	u8	uuid[16];
	u64	seq;
	u64	epoch;
	u64	hdd_sectors;
	u64	ssd_sectors;
	struct log_geometry g;
	u32	flags;
	u64	generation[SSDUP_MAX_HALVES];
	u32	pages[SSDUP_MAX_HALVES];	/* live ones, while flags say clean */
};

/** ssdup_log_super_encode() - fill a buffer of SSDUP_SUPER_BYTES, padding and crc included */
void ssdup_log_super_encode(const struct log_super *s, void *buf);

/**
 * ssdup_log_super_decode() - read and validate one copy
 * @buf: SSDUP_SUPER_BYTES
 *
 * This checks everything that later arithmetic relies on: halves within
 * ssd_sectors, areas within a half, generations non-zero and distinct.
 *
 * Return: LOG_OK with @s filled in, or the first fault found. LOG_BLANK means that all
 * SSDUP_SUPER_BYTES are zero. LOG_UNKNOWN_RO_COMPAT means that all else is right: @s is
 * filled in, and the log may be read.
 */
enum log_fault ssdup_log_super_decode(const void *buf, struct log_super *s);

/**
 * ssdup_log_super_pick() - which copy of the superblock counts
 * @fault: of each copy, from ssdup_log_super_decode(); LOG_BAD_CRC for one that cannot be read
 * @copy: the copies; valid where @fault is LOG_OK
 * @best: set to the number of the copy that counts
 * @mend: set to true when the superblock has to be written again
 *
 * The copy with the higher seq counts. But copy 0 alone decides whose the SSD is. When it is
 * blank, so is the SSD: zeroing it is how a log is given up. With another magic, the SSD
 * belongs to somebody else, since no disk fault makes a magic. A copy that is refused although
 * its checksum is right is not damaged, so the other one must not replace it.
 *
 * Return: LOG_OK with *best and *mend set, LOG_BLANK, or why not.
 */
enum log_fault ssdup_log_super_pick(const enum log_fault fault[SSDUP_SUPER_COPIES],
				    const struct log_super copy[SSDUP_SUPER_COPIES],
				    u32 *best, bool *mend);

/** ssdup_log_super_spent() - is a counter above LOG_MAX_COUNT? Then @s must not be written. */
bool ssdup_log_super_spent(const struct log_super *s);

/**
 * ssdup_log_super_fits() - may a valid log be used on these disks?
 * @hdd_sectors: must equal the size that the log was made for
 * @ssd_sectors: must be at least the size that the log was made for
 * @block_sectors: of the disks; must be at most that of the log
 */
enum log_fault ssdup_log_super_fits(const struct log_super *s, u64 hdd_sectors,
				    u64 ssd_sectors, u32 block_sectors);

/** ssdup_log_super_fresh() - a new log: generations 1.. in order, epoch 0, seq 0 */
void ssdup_log_super_fresh(struct log_super *s, const u8 uuid[16], const struct log_geometry *g,
			   u64 hdd_sectors, u64 ssd_sectors);

/** ssdup_log_next_generation() - a generation that no half of @s has or had */
u64 ssdup_log_next_generation(const struct log_super *s);

/* --- Metadata pages --- */

/*
 * A round of a commit writes at most this many pages, and the next round begins only when
 * all of these are durable; see log_page_outlives().
 */
#define LOG_COMMIT_PAGES	16U

struct log_entry {
	u64		sector;
	u64		seq;
	u32		sectors;
	log_pos_t	pos;
	u8		kind;
};

struct log_page_id {
	u8	uuid[16];
	u64	generation;
	u64	epoch;
	u64	rev;
	u32	page;
	u16	half;
};

/** ssdup_log_page_begin() - an empty page */
void ssdup_log_page_begin(struct ssdup_page *p, const struct log_page_id *id);

/** log_entry_encode() - fill an entry that is zero except for its kind */
static inline void log_entry_encode(struct ssdup_entry *d, u64 sector, u64 seq, u32 sectors,
				    log_pos_t pos)
{
	d->sector = cpu_to_le64(sector);
	d->seq = cpu_to_le64(seq);
	d->sectors = cpu_to_le32(sectors);
	d->pos = cpu_to_le32(from_log_pos(pos));
}

/** ssdup_log_page_append() - append encoded entries; at most SSDUP_PAGE_ENTRIES in total */
void ssdup_log_page_append(struct ssdup_page *p, const struct ssdup_entry *e, u32 nr);

/** ssdup_log_page_add() - encode and append one entry; the same limit holds */
void ssdup_log_page_add(struct ssdup_page *p, const struct log_entry *e);

/** ssdup_log_page_finish() - compute the crc; nothing may be added after */
void ssdup_log_page_finish(struct ssdup_page *p);

/**
 * ssdup_log_page_check() - is @p the page that @want names?
 * @p: as read
 * @want: uuid, generation, half and page must match; epoch is the highest possible one; rev is
 * ignored
 *
 * Return: LOG_OK; LOG_PAGE_STALE for another magic, log, generation, half or page number;
 * LOG_BAD_CRC for a torn page; LOG_PAGE_BAD_COUNT or LOG_PAGE_EPOCH for a page that this
 * code cannot have written.
 */
enum log_fault ssdup_log_page_check(const struct ssdup_page *p, const struct log_page_id *want);

static inline u64 log_page_epoch(const struct ssdup_page *p)
{
	return le64_to_cpu(p->h.epoch);
}

static inline u64 log_page_rev(const struct ssdup_page *p)
{
	return le64_to_cpu(p->h.rev);
}

/**
 * log_page_outlives() - does @p prove that page @gap was durable and is damaged now?
 * @p: the newest version of a later page, which passed its check
 * @gap: number of the page that is gone, lower than @p's
 * @epoch: of the last page in front of @gap, or 0
 *
 * No power cut leaves such a page, whatever becomes of the writes in flight. Let D be the
 * first page of a half that no round of a commit has written successfully and that no replay
 * has found. All pages in front of D are durable, and a durable version of a page is never
 * overwritten.
 *
 *  - A round takes pages in order: those that are dirty or that this table has not written
 *    yet, at most LOG_COMMIT_PAGES of all halves. From D on it takes every page: the round
 *    that first takes one either moves D or fails, and then it is the last of the table.
 *    So a round that goes beyond D takes D, takes none further than
 *    D + LOG_COMMIT_PAGES - 1, and writes each of these for the first time, as rev 1.
 *  - The next round begins only when all pages of this one are durable.
 *  - D only goes up: a replay ends at D, or behind it where more of the last round got
 *    through. Pages that earlier epochs left from D on are as near, and have rev 1, too.
 *
 * So a replay that ends at D finds no later page that was written twice, and none that is
 * LOG_COMMIT_PAGES or more away. If there is one, the replay has ended in front of D.
 *
 * A page with a lower epoch than the page in front of the gap proves nothing. An earlier
 * replay gave it up, in a gap too short to tell, and the half went on from there.
 */
static inline bool log_page_outlives(const struct ssdup_page *p, u32 gap, u64 epoch)
{
	return log_page_epoch(p) >= epoch &&
	       (log_page_rev(p) > 1 || le32_to_cpu(p->h.page) - gap >= LOG_COMMIT_PAGES);
}

static inline bool log_within(u64 start, u32 len, u64 end)
{
	return start < end && len <= end - start;
}

/** log_entry_read() - read an entry without validating it */
static inline struct log_entry log_entry_read(const struct ssdup_entry *e)
{
	return (struct log_entry){
		.sector = le64_to_cpu(e->sector),
		.seq = le64_to_cpu(e->seq),
		.sectors = le32_to_cpu(e->sectors),
		.pos = to_log_pos(le32_to_cpu(e->pos)),
		.kind = e->kind,
	};
}

/**
 * log_entry_decode() - read and validate one entry of a page that passed its check
 * @s: has the bounds: HDD size, data area, block size
 *
 * It is inline because a replay calls it a million times.
 *
 * Return: LOG_OK with @out filled in, else the fault. This code never writes a page with a
 * right crc and a wrong entry.
 */
static inline enum log_fault log_entry_decode(const struct log_super *s,
					      const struct ssdup_entry *e, struct log_entry *out)
{
	u32 pos = le32_to_cpu(e->pos);

	*out = log_entry_read(e);
	if (out->kind == SSDUP_KIND_NONE || out->kind > SSDUP_KIND_MAX ||
	    e->flags & ~SSDUP_ENTRY_FLAGS_KNOWN)
		return LOG_ENTRY_KIND;
	if (!out->sectors || !out->seq || out->seq > LOG_MAX_COUNT)
		return LOG_ENTRY_EMPTY;
	if (!log_within(out->sector, out->sectors, s->hdd_sectors))
		return LOG_ENTRY_OUTSIDE_HDD;
	if (out->kind == SSDUP_KIND_DATA ? !log_within(pos, out->sectors, s->g.data_sectors) : pos)
		return LOG_ENTRY_OUTSIDE_LOG;
	if ((out->sector | out->sectors | pos) & (s->g.block_sectors - 1))
		return LOG_ENTRY_UNALIGNED;
	return LOG_OK;
}

#endif
