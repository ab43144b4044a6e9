/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the log's space, and the only code that encodes and decodes what format.h
 * describes. Pure.
 *
 * A segment has space for entries (metadata) and for sectors (data). Both are handed out
 * together, in one 64-bit word that the caller keeps in an atomic:
 *
 *	63      62     61    60 .. 34            33 .. 0
 *	sealed  drain  kept  entries handed out  sectors handed out
 *
 * Entry N lies in page N / SSDUP_PAGE_ENTRIES. Space comes back only when the segment is freed;
 * an entry whose write failed stays empty. A sealed word hands out nothing. Writers leave
 * LOG_DRAIN_SEGMENTS segments to extents that a drain has to relocate (a bad HDD sector), so that
 * a full log can always be emptied. What a drain opens of these has the bit: writers get nothing
 * there until others are free. The last one before these is kept for who flushes the device, if
 * others write too.
 */
#ifndef SSDUP_CODEC_H
#define SSDUP_CODEC_H

#include <linux/bits.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include <asm/byteorder.h>

#include "generation.h"
#include "types.h"

/* --- Geometry --- */

struct log_geometry {
	u64	segment_start;		/* place of segment 0; sector of the first on each SSD */
	u32	segment_sectors;	/* a power of two */
	u32	nr_segments;
	u32	meta_pages;		/* of a segment; two slots each */
	u32	data_start;		/* from the start of a segment, sectors */
	u32	data_sectors;		/* of a segment */
	u32	block_sectors;		/* entries are aligned to this; 1..8, a power of two */
};

#define LOG_DRAIN_SEGMENTS	2U	/* free ones that writers leave to relocated extents */

/* Segments that an SSD has at least: those, one for writers, and one for who flushes. */
#define LOG_SSD_LEAST		(LOG_DRAIN_SEGMENTS + 2)

/* The SSDs of a pool, as the superblock on one of them says. */
struct log_ssds {
	u32	nr;
	u32	index;			/* of this one */
	u32	made;			/* nr when the pool was made, if it was changed; or 0 */
	u32	segments[SSDUP_MAX_SSDS];	/* on each; numbers run on; 0 if there is one SSD */
	u8	uuid[SSDUP_MAX_SSDS][16];	/* of each; the same */
	u8	state[SSDUP_MAX_SSDS];	/* SSDUP_SSD_USED etc. of each */
	u8	mirrors;		/* a bit for each that has one, see twins.h */
};

/** log_nr_ssds() - how many there are */
static inline u32 log_nr_ssds(const struct log_ssds *ssds)
{
	return max(ssds->nr, 1U);
}

/** ssdup_log_ssd_of() - the number of the SSD that has a segment, and of its first one in *first */
u32 ssdup_log_ssd_of(const struct log_ssds *ssds, u32 segment, u32 *first);

/**
 * ssdup_log_layout() - lay out an SSD, so that 4 KiB writes fill metadata and data at once
 * @g: filled in; areas are aligned to 4 KiB
 * @ssd_sectors: size of the SSD
 * @segment_sectors: a power of two, or 0: a 1024th of the SSD, but 4 to 256 MiB, and at least
 * SSDUP_MIN_SEGMENTS segments
 * @block_sectors: the larger logical block size of the two disks, in sectors
 *
 * Return: false when the SSD has room for fewer than SSDUP_MIN_SEGMENTS segments.
 */
bool ssdup_log_layout(struct log_geometry *g, u64 ssd_sectors, u32 segment_sectors,
		      u32 block_sectors);

/**
 * ssdup_log_spread() - the same for several SSDs
 * @ssds: nr is given; segments is filled in, if that is more than 1
 * @ssd_sectors: size of each
 *
 * Segments are of the size that one SSD with all the room would get.
 * Return: false when there is room for fewer than SSDUP_MIN_SEGMENTS, or than
 * LOG_SSD_LEAST on one of them.
 */
bool ssdup_log_spread(struct log_geometry *g, struct log_ssds *ssds, const u64 *ssd_sectors,
		      u32 segment_sectors, u32 block_sectors);

/**
 * ssdup_log_ssd_room() - segments that a pool can have on another SSD
 * @ssd_sectors: size of that one
 */
u32 ssdup_log_ssd_room(const struct log_geometry *g, u64 ssd_sectors);

/*
 * Places in the log are sectors, from those of segment 0 on. With one SSD they are sectors of it.
 * Of several, each one has its segments from the same sector on: see log_ssd_before().
 */

/** log_ssd_before() - sectors of all segments on the SSDs in front of number @index */
static inline u64 log_ssd_before(const struct log_ssds *ssds, const struct log_geometry *g,
				 u32 index)
{
	u64 segments = 0;
	u32 i;

	for (i = 0; i < index; i++)
		segments += ssds->segments[i];
	return segments * g->segment_sectors;
}

/** log_segment_sector() - the place of a segment, where its header is */
static inline u64 log_segment_sector(const struct log_geometry *g, u32 segment)
{
	return g->segment_start + (u64)segment * g->segment_sectors;
}

/** log_segment_of() - the segment that has a place; it is not below segment 0 */
static inline u32 log_segment_of(const struct log_geometry *g, u64 sector)
{
	return (sector - g->segment_start) >> ilog2(g->segment_sectors);
}

/** ssdup_log_slot_sector() - the place of a slot (0 or 1) of a metadata page */
u64 ssdup_log_slot_sector(const struct log_geometry *g, u32 segment, u32 page, u32 slot);

/** log_data_sector() - the place of a position in a segment's data area */
static inline u64 log_data_sector(const struct log_geometry *g, u32 segment, log_pos_t pos)
{
	return log_segment_sector(g, segment) + g->data_start + from_log_pos(pos);
}

/** log_aligned() - is a number of sectors, or several ORed, a multiple of the logical block? */
static inline bool log_aligned(const struct log_geometry *g, u64 sectors)
{
	return !(sectors & (g->block_sectors - 1));
}

/** log_longest_write() - in sectors: a power of two, at most a quarter of a segment's data */
static inline u32 log_longest_write(const struct log_geometry *g)
{
	return rounddown_pow_of_two(max(g->data_sectors / 4, 1U));
}

/* --- Space --- */

/** log_segment_entries() - the entries that a segment has room for; of data, g->data_sectors */
static inline u32 log_segment_entries(const struct log_geometry *g)
{
	return g->meta_pages * SSDUP_PAGE_ENTRIES;
}

#define LOG_WORD_SEALED		BIT_ULL(63)
#define LOG_WORD_DRAIN		BIT_ULL(62)	/* closed to all but a drain */
#define LOG_WORD_KEPT		BIT_ULL(61)	/* closed to all but these and who flushes */
#define LOG_WORD_CLOSED		(LOG_WORD_SEALED | LOG_WORD_DRAIN | LOG_WORD_KEPT)
#define LOG_WORD_ENTRY		BIT_ULL(34)

static inline u32 log_word_entries(u64 word)
{
	return (word & ~LOG_WORD_CLOSED) >> 34;
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
 * log_word_reserve() - hand out entry log_word_entries(@word), and data from log_word_sectors() on
 * @word: now
 * @g: says how large the segment is
 * @sectors: of data, 0 for a tombstone
 * @next: set to the word afterwards
 *
 * Return: false when the segment is closed, or has too little space.
 */
static inline bool log_word_reserve(u64 word, const struct log_geometry *g, u32 sectors, u64 *next)
{
	if (word & LOG_WORD_CLOSED)
		return false;
	if (log_word_entries(word) >= log_segment_entries(g))
		return false;
	if (log_word_sectors(word) + sectors > g->data_sectors)
		return false;

	*next = word + LOG_WORD_ENTRY + sectors;
	return true;
}

/** ssdup_log_word_fill() - how full a segment is by the fuller space, 1/10000 */
u32 ssdup_log_word_fill(u64 word, const struct log_geometry *g);

/* --- Faults, also for the tools: states.h has a number and a text for each --- */

enum log_fault {
#define SSDUP_FAULT(symbol, number, ...)	LOG_##symbol = number,
#include "states.h"
	LOG_NR_FAULTS
};

/** ssdup_log_fault_text() - a few words, no full stop */
const char *ssdup_log_fault_text(enum log_fault fault);

/* --- Superblock and record --- */

/** log_home() - first sector of the home that has copy @copy; of an SSD of @ssd_sectors */
static inline u64 log_home(u64 ssd_sectors, u32 copy)
{
	u64 end = max(ssd_sectors - ssd_sectors % SSDUP_HOME_SECTORS, 2ULL * SSDUP_HOME_SECTORS);

	return copy ? end - SSDUP_HOME_SECTORS : 0;
}

/** log_record_sector() - where a copy of the record of log @log is */
static inline u64 log_record_sector(u64 ssd_sectors, u32 log, u32 copy)
{
	return log_home(ssd_sectors, copy) + SSDUP_RECORD_PLACE(log);
}

#define LOG_FIRST	BIT_ULL(0)	/* log_super::logs of an SSD with one log, as it is made */

/* Highest counters on the SSD. No device counts that far: higher ones are damage. */
#define LOG_MAX_COUNT		BIT_ULL(56)
#define LOG_MAX_GENERATION	BIT_ULL(39)	/* of a segment: a seq has 60 bits */

/* Does the HDD show what the device has in its first 128 KiB? See core/guard_block.h. */
enum guard_state {
	GUARD_OPEN,		/* it does */
	GUARD_CHANGING,		/* it may be in between */
	GUARD_CLOSED,		/* it shows the member block, and the rest is masked */
};

/* The pool's superblock, and the record of one of its logs. */
struct log_super {
	u8	pool[16];	/* UUIDs */
	u8	uuid[16];	/* of the log */
	u64	pool_seq;	/* of superblock writes */
	u64	logs;		/* which there are, a bit each */
	u64	ssd_sectors;	/* of the SSD that has it */
	struct log_ssds ssds;
	u32	log;		/* which one this is: bits count from 0 */
	struct log_geometry g;
	/* The record: */
	u64	seq;		/* of record writes */
	u64	epoch;
	u64	hdd_sectors;
	u64	first;		/* lowest generation that this epoch may open */
	u64	tail[SSDUP_MAX_CLASSES];	/* segments of lower generations are free */
	u64	live_pages;	/* while flags say closed */
	u32	live_segments;	/* the same */
	u32	flags;
	struct log_classes classes;
	u8	hdd_id[SSDUP_HDD_ID_BYTES];	/* the tool's; the kernel only carries it */
	u8	host[SSDUP_HOST_BYTES];
	u8	host_name[SSDUP_HOST_NAME_BYTES];
	/* The guard: core/guard_block.h. */
	enum guard_state guard;
	u64	guard_epoch;	/* unless it is open; 0: that of the member block */
	u8	head[SSDUP_SECTOR_BYTES];	/* first sector of the device */
};

/** log_live() - is a segment of that generation live? Else it is free, whatever it holds. */
static inline bool log_live(const struct log_super *s, u64 generation)
{
	return generation >= s->tail[log_class(&s->classes, generation)];
}

/** log_highest() - a generation below which all segments that this epoch has not opened are */
static inline u64 log_highest(const struct log_super *s)
{
	u64 highest = s->first;
	u32 i;

	for (i = 0; i < s->classes.nr; i++)
		highest = max(highest, s->tail[i]);
	return highest;
}

/** ssdup_log_super_encode() - fill a buffer of SSDUP_BLOCK_BYTES, padding and crc included */
void ssdup_log_super_encode(const struct log_super *s, void *buf);

/** ssdup_log_record_encode() - the same for the log's record; while closed, no host has it */
void ssdup_log_record_encode(const struct log_super *s, void *buf);

/**
 * ssdup_log_super_decode() - read one copy of the superblock, and check all that others rely on
 * @buf: SSDUP_BLOCK_BYTES
 * @s: the fields of the pool and all of g but block_sectors are filled in; log is the first one
 *
 * Return: LOG_OK, or the first fault found. LOG_BLANK: all of @buf is zero.
 * LOG_UNKNOWN_RO_COMPAT: all else is right, @s is filled in, and the log may be read.
 */
enum log_fault ssdup_log_super_decode(const void *buf, struct log_super *s);

/**
 * ssdup_log_record_decode() - the same for the log's record
 * @buf: SSDUP_BLOCK_BYTES
 * @s: from ssdup_log_super_decode(), for the log @s->log; the fields of the record are filled in
 *
 * Return: LOG_OK, or the first fault found. LOG_NOT_OURS: another magic, or another pool's.
 */
enum log_fault ssdup_log_record_decode(const void *buf, struct log_super *s);

/**
 * log_at_home() - may copy 1 of a superblock stand where that of an SSD of @ssd_sectors stands?
 *
 * A disk shows the end of its last partition.
 */
static inline bool log_at_home(const struct log_super *s, u64 ssd_sectors)
{
	return log_home(s->ssd_sectors, 1) == log_home(ssd_sectors, 1);
}

/**
 * ssdup_log_pick() - which copy of the superblock or of the record counts
 * @record: of the record
 * @fault: of each copy, from its decode; LOG_BAD_CRC for one that cannot be read
 * @copy: the copies; valid where @fault is LOG_OK
 * @best: set to the number of the copy that counts
 * @mend: set to true when both copies have to be written again
 *
 * The copy with the higher seq counts. But copy 0 of the superblock alone decides whose the SSD
 * is. With another magic it belongs to somebody else, since no disk fault makes a magic, and when
 * it is blank, so is the SSD. If there is a copy 1, or it cannot be read, somebody may have done
 * that by mistake: that is LOG_OVERWRITTEN, and only users can tell. A copy that is refused
 * although its checksum is right is not damaged, so the other one must not replace it.
 *
 * Return: LOG_OK with *best and *mend set, LOG_BLANK, LOG_NO_RECORD, or why not.
 */
enum log_fault ssdup_log_pick(bool record, const enum log_fault fault[SSDUP_COPIES],
			      const struct log_super copy[SSDUP_COPIES], u32 *best, bool *mend);

/** ssdup_log_super_spent() - is a counter too high? Then the record must not be written. */
bool ssdup_log_super_spent(const struct log_super *s);

/** log_of_other_host() - does one that is not @host have the log active? @host zero: not known */
static inline bool log_of_other_host(const struct log_super *s, const u8 host[SSDUP_HOST_BYTES])
{
	return memchr_inv(s->host, 0, sizeof(s->host)) && memcmp(s->host, host, sizeof(s->host));
}

/**
 * ssdup_log_super_fits() - may a valid log be used on these disks, and by this host?
 * @hdd_sectors: must be at least the size that the log was made for
 * @ssd_sectors: must be at least the size that the log was made for
 * @block_sectors: of the disks; must be at most that of the log
 * @host: must be the one that has the log active, if one has; zero: not known, which is no host's;
 * NULL: any, it takes the log over
 */
enum log_fault ssdup_log_super_fits(const struct log_super *s, u64 hdd_sectors,
				    u64 ssd_sectors, u32 block_sectors, const u8 *host);

/** ssdup_log_super_fresh() - a new pool of one SSD and its log: one class, empty */
void ssdup_log_super_fresh(struct log_super *s, const u8 pool[16], const u8 uuid[16],
			   const struct log_geometry *g, u64 hdd_sectors, u64 ssd_sectors);

/** ssdup_log_classes() - let an empty log have so many lifetimes; @tail: of each of its classes */
void ssdup_log_classes(struct log_super *s, u32 lifetimes, u64 tail);

/* --- Segment headers --- */

struct log_header {
	u64	generation;
	u64	epoch;
	u32	segment;
};

/** ssdup_log_header_encode() - fill a buffer of SSDUP_BLOCK_BYTES */
void ssdup_log_header_encode(const struct log_super *s, const struct log_header *h, void *buf);

/**
 * ssdup_log_header_check() - is it a header of segment @segment, of the log with that number?
 *
 * Return: LOG_OK, LOG_HEADER_STALE, or LOG_BAD_CRC.
 */
enum log_fault ssdup_log_header_check(const void *buf, const u8 pool[16], u32 number, u32 segment);

/**
 * ssdup_log_header_decode() - read and check the header of segment @segment
 * @buf: SSDUP_BLOCK_BYTES, of which 512 count
 *
 * Return: LOG_OK with @h filled in; LOG_HEADER_STALE for no header of this log and segment, and
 * LOG_BAD_CRC for a torn one: both are free; else a fault that this code cannot have written.
 */
enum log_fault ssdup_log_header_decode(const void *buf, const struct log_super *s, u32 segment,
				       struct log_header *h);

/* A segment's header, and both slots of its first page behind it. */
#define LOG_HEAD_BYTES	(SSDUP_BLOCK_BYTES + SSDUP_PAGE_SLOTS * SSDUP_PAGE_BYTES)

/**
 * ssdup_log_head_decode() - the same, with a look at the first page when the header is not valid
 * @head: LOG_HEAD_BYTES
 *
 * Return: as above, but LOG_SEGMENT_GAP for a header behind which a page of a live segment stands:
 * it was durable before the page was written, so it is damaged.
 */
enum log_fault ssdup_log_head_decode(const void *head, const struct log_super *s, u32 segment,
				     struct log_header *h);

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
	u32	segment;
	u32	number;		/* within the epoch */
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
 * @want: all but rev and number must match
 *
 * Return: LOG_OK; LOG_PAGE_STALE for another page; LOG_BAD_CRC for a torn one;
 * LOG_PAGE_BAD_COUNT for one that this code cannot have written.
 */
enum log_fault ssdup_log_page_check(const struct ssdup_page *p, const struct log_page_id *want);

static inline u64 log_page_rev(const struct ssdup_page *p)
{
	return le64_to_cpu(p->h.rev);
}

static inline u32 log_page_number(const struct ssdup_page *p)
{
	return le32_to_cpu(p->h.number);
}

/**
 * log_page_outlives() - does @p prove that page number @gap was durable and is damaged now?
 * @p: the newest version of a later page of the same epoch, which passed its check
 * @gap: number of a page that is gone; lower than @p's, or it wraps
 *
 * Let D be the first page of an epoch that no round of a commit has written successfully. A round
 * takes pages in the order of their numbers: those that are dirty or that were not written yet,
 * at most LOG_COMMIT_PAGES. So a round that goes beyond D takes D, none further than
 * D + LOG_COMMIT_PAGES - 1, and writes each of these for the first time, as rev 1. If one fails, it
 * is the last round of the epoch on that SSD; else the next begins when all its pages are durable.
 *
 * So whatever a power cut does to the writes in flight, no page behind D was written twice, and
 * none is LOG_COMMIT_PAGES or more away. If there is one, a page in front of D is missing.
 */
static inline bool log_page_outlives(const struct ssdup_page *p, u32 gap)
{
	return log_page_rev(p) > 1 || log_page_number(p) - gap >= LOG_COMMIT_PAGES;
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
 * log_entry_decode() - read and check one entry of a page that passed its check
 * @s: has the bounds: HDD size, data area, block size
 * @generation: of the segment
 *
 * It is inline because a replay calls it a million times.
 * Return: LOG_OK with @out filled in, else a fault that this code cannot have written.
 */
static inline enum log_fault log_entry_decode(const struct log_super *s, u64 generation,
					      const struct ssdup_entry *e, struct log_entry *out)
{
	u32 pos = le32_to_cpu(e->pos);

	*out = log_entry_read(e);
	if (out->kind == SSDUP_KIND_NONE || out->kind > SSDUP_KIND_MAX ||
	    e->flags & ~SSDUP_ENTRY_FLAGS_KNOWN)
		return LOG_ENTRY_KIND;
	if (!out->sectors || out->seq >> SSDUP_SEQ_BITS != generation)
		return LOG_ENTRY_EMPTY;
	if (!log_within(out->sector, out->sectors, s->hdd_sectors))
		return LOG_ENTRY_OUTSIDE_HDD;
	if (out->kind == SSDUP_KIND_DATA ? !log_within(pos, out->sectors, s->g.data_sectors) : pos)
		return LOG_ENTRY_OUTSIDE_LOG;
	if (!log_aligned(&s->g, out->sector | out->sectors | pos))
		return LOG_ENTRY_UNALIGNED;
	return LOG_OK;
}

#endif
