/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: a log read without the module, from an SSD or an image of one.
 *
 * What is read may be anything. The kernel's own code decodes superblocks, records,
 * headers, pages and entries; it stops at the first fault, though, and this goes on: it says
 * all that is wrong, and takes what is left. Memory is bounded by the entries that stand on
 * the SSD, about 150 bytes each, and time by its size.
 */
#ifndef SSDUP_LOGFILE_H
#define SSDUP_LOGFILE_H

#include "disk.h"
#include "dm-ssdup/core/extent_map.h"
#include "dm-ssdup/core/replay.h"
#include "faults.h"
#include "lib/host.h"
#include "lib/identity.h"
#include "lib/progress.h"
#include "lib/ssds.h"

#define NO_COPY		(-1)

enum page_state {
	PAGE_LIVE,		/* what a replay takes */
	PAGE_KEPT,		/* behind damage, and known to be of the log all the same */
	PAGE_MISSING,		/* no version counts, though there was one */
	PAGE_BEHIND,		/* behind the end of the segment: nobody was promised it */
	PAGE_VOID,		/* nothing */
};

/* Both slots of a page, as they were found. */
struct page_view {
	const struct segment_scan *in;
	u32			page;
	const struct ssdup_page	*slot;		/* SSDUP_PAGE_SLOTS of them */
	int			error[SSDUP_PAGE_SLOTS];	/* -errno: not read */
	enum log_fault		fault[SSDUP_PAGE_SLOTS];
	bool			damaged[SSDUP_PAGE_SLOTS];	/* torn, but not by a power cut */
	bool			misnumbered[SSDUP_PAGE_SLOTS];	/* valid, but for its number */
	int			newest;		/* slot that counts, or -1 */
	enum page_state		state;
};

enum header_state {
	HEADER_NONE,		/* no header of this log */
	HEADER_FREE,		/* its generation is below the tail */
	HEADER_LIVE,		/* what a replay reads */
	HEADER_REBUILT,		/* it is damaged, and the pages of the segment say what it was */
	HEADER_VOID,		/* the kernel would refuse the log for it */
};

/* The header of a segment, as it was found. */
struct header_view {
	struct log_header	h;
	int			error;		/* -errno: not read */
	enum log_fault		fault;
	enum header_state	state;
};

/* An entry that counts, until the map is made. */
struct log_item {
	u64	sector;
	u64	seq;
	u64	pos;		/* sector on the SSD; of a tombstone: its segment's first */
	u32	sectors;
	u32	order;		/* in which it was found, by log_item_add() */
	u8	kind;
};

/* A segment that a replay reads. */
struct segment_scan {
	struct log_header	h;
	u32	class;
	u32	base;		/* number of page 0; valid if @based */
	bool	based;
	u32	top;		/* the page behind the last that has a version */
	u32	lost;		/* pages from there on that the segment must have had */
	u32	live;		/* pages in the run from page 0 on */
	u32	end;		/* the page behind the last live or kept one */
	u32	missing;	/* pages without a version in front of that, and lost ones */
	u32	behind;		/* valid pages after it */
	u64	proven;		/* pages of the epoch with lower numbers were durable */
	u64	entries;
};

/* Segments of a class of which nothing is left, though others behind them were written. */
struct segment_gap {
	u64	generation;	/* the first */
	u64	nr;
	u64	epoch;
	u32	base;		/* number of the first page */
	u32	pages;		/* that they must have had */
};

struct log_file {
	const struct ssdup_ctx	*ctx;
	struct disk		ssd;		/* the first one */
	struct disk		more[SSDUP_MAX_SSDS - 1];
	struct disk		mirror[SSDUP_MAX_SSDS];	/* log_ssd()->mirror, if there is one */
	struct ssds		ssds;		/* all of them */
	u64			hdd_sectors;	/* of the HDD that was named, or 0 */
	u32			hdd_block_sectors;
	u8			hdd_id[SSDUP_HDD_ID_BYTES];
	const u8		*host;		/* this one; NULL: whoever has the log is down */
	unsigned char		*raw[NR_PARTS][SSDUP_COPIES];	/* SSDUP_BLOCK_BYTES each */
	struct ssd_log		log;
	const char		*name;		/* of the log that the user wants, or NULL */
	int			asked;		/* copy that the user wants, or NO_COPY */
	int			from[NR_PARTS];	/* copies that @s is, or NO_COPY */
	bool			known;		/* there is a log: @s is valid */
	struct log_super	s;
	struct header_view	*header;	/* of each segment */
	struct segment_scan	*segment;	/* those that a replay reads, in its order */
	u32			nr_segments;
	struct segment_gap	*gaps;
	size_t			nr_gaps;
	bool			contradictory;	/* numbers of pages that cannot be mended */
	struct log_item		*items;
	size_t			nr_items;
	struct extent_tree	map;
	u64			sectors;	/* that it covers */
	struct extent		**blocks;	/* of extents */
	size_t			nr_blocks;
	u32			nr_extents;	/* in use of the last block */
	struct findings		findings;
	struct ticker		ticker;		/* says how far a scan has come */
	int			(*visit)(void *arg, const struct page_view *v);
	void			*visit_arg;
};

/* --- logfile.c --- */

/**
 * log_open() - open SSDs or images and look at their superblocks
 * @ssds: one of the log will do, but if they are images; to probe, no other is looked for
 * @name: UUID or number of the log; NULL for the one of UUID=, or the only one
 * @asked: take this copy, whatever the other one says, or NO_COPY
 *
 * Return: EXIT_OK, also where there is no log (then @l->known says so); close it with
 * log_close(). Otherwise an exit code, with the complaint made.
 */
int log_open(const struct ssdup_ctx *ctx, struct log_file *l, const struct ssd_names *ssds,
	     const char *name, enum disk_use use, int asked);

/** log_attach() - the same for the disks of @l that are open already */
void log_attach(const struct ssdup_ctx *ctx, struct log_file *l, const char *name, int asked);

void log_close(struct log_file *l);

/** log_ssd() - the disk of an SSD, by its number */
static inline struct disk *log_ssd(struct log_file *l, u32 index)
{
	return index ? &l->more[index - 1] : &l->ssd;
}

/**
 * log_disk() - the disk that has a place in the log
 * @sector: set to the sector there
 *
 * Return: NULL when it is not there.
 */
struct disk *log_disk(struct log_file *l, u64 place, u64 *sector);

/** log_read() - read @sectors from a place in the log on. Return: as disk_read() */
int log_read(struct log_file *l, void *buf, u64 place, u64 sectors);

/** log_write() - write @sectors there, all of one segment. Return: as disk_write() */
int log_write(struct log_file *l, const void *buf, u64 place, u64 sectors);

/** log_ssd_short() - is an SSD smaller than its superblock says? */
bool log_ssd_short(struct log_file *l, u32 index);

/** log_block() - the largest logical block of the disks, in sectors */
u32 log_block(const struct log_file *l);

/** log_given() - an HDD was named: what the log says of its HDD is held against it */
int log_given(struct log_file *l, const char *hdd);

/** log_has_magic() - it begins as a log does, whatever follows */
bool log_has_magic(const struct log_file *l);

/** log_elsewhere() - does another host have it active, or went down while it had? */
bool log_elsewhere(const struct log_file *l);

/** refuse_elsewhere() - then complain. Return: EXIT_OK or EXIT_REFUSED */
int refuse_elsewhere(const struct log_file *l);

/** super_findings() - all that is wrong with superblock, record and the disks' sizes */
void super_findings(struct log_file *l);

/** copy_replaced() - may @copy be written anew from the other one without being told to? */
bool copy_replaced(const struct log_file *l, enum ssd_part part, u32 copy);

/** no_log() - there is none: complain. Return: EXIT_NOT_FOUND, EXIT_REFUSED or EXIT_LOST */
int no_log(const struct log_file *l);

/* --- scan.c --- */

/**
 * log_scan() - read the headers of all segments, and the pages of those that are live
 * @all: look at every page of segments without a header too, for one that was damaged together
 * with the first page, which takes a time by the size of the SSD
 *
 * Fills in @l->header, @l->segment, @l->gaps, @l->items and @l->findings; calls @l->visit for
 * every page of a live segment, in the order of a replay.
 *
 * Return: 0, or what @l->visit returned.
 */
int log_scan(struct log_file *l, bool all);

/** log_accepts() - would the kernel take it? Return: LOG_OK or why not; < 0 for -errno */
int log_accepts(struct log_file *l);

/* --- items.c --- */

/** log_item_add() - one more entry that counts; sets its order */
void log_item_add(struct log_file *l, const struct log_item *item);

/** log_map() - make @l->map of @l->items; these are freed */
void log_map(struct log_file *l);

#endif
