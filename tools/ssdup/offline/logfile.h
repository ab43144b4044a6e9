/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: a log read without the module, from an SSD or an image of one.
 *
 * What is read may be anything. The kernel's own code decodes superblocks, pages
 * and entries; it stops at the first fault, though, and this goes on: it says all that
 * is wrong, and takes what is left. Memory is bounded by the entries that stand on
 * the SSD, about 100 bytes each, and time by its size.
 */
#ifndef SSDUP_LOGFILE_H
#define SSDUP_LOGFILE_H

#include "disk.h"
#include "dm-ssdup/core/extent_map.h"
#include "dm-ssdup/core/replay.h"
#include "faults.h"
#include "lib/progress.h"
#include "lib/super.h"

#define NO_COPY		(-1)

enum page_state {
	PAGE_LIVE,		/* what a replay takes */
	PAGE_KEPT,		/* behind damage, and known to be of the half all the same */
	PAGE_MISSING,		/* no version counts, though there was one */
	PAGE_BEHIND,		/* behind the end of the half: nobody was promised it */
	PAGE_VOID,		/* nothing */
};

/* Both slots of a page, as they were found. */
struct page_view {
	u32			half;
	u32			page;
	const struct ssdup_page	*slot;		/* SSDUP_PAGE_SLOTS of them */
	int			error[SSDUP_PAGE_SLOTS];	/* -errno: not read */
	enum log_fault		fault[SSDUP_PAGE_SLOTS];
	bool			damaged[SSDUP_PAGE_SLOTS];	/* torn, but not by a power cut */
	int			newest;		/* slot that counts, or -1 */
	enum page_state		state;
};

/* An entry that counts, until the map is made. */
struct log_item {
	u64	sector;
	u64	seq;
	u32	sectors;
	u32	pos;
	u32	order;		/* within the half */
	u8	half;
	u8	age;		/* of the half: 0 for the lowest generation */
	u8	kind;
};

struct half_scan {
	u32	live;		/* pages in the run from page 0 on */
	u32	end;		/* the page behind the last live or kept one */
	u32	missing;	/* pages without a version in front of that */
	u32	behind;		/* valid pages after it, where they were looked at */
	u64	entries;
	u64	epoch;		/* of the last page that counts */
};

struct log_file {
	const struct ssdup_ctx	*ctx;
	struct disk		ssd;
	u64			hdd_sectors;	/* of the HDD that was named, or 0 */
	u32			hdd_block_sectors;
	unsigned char		*raw[SSDUP_SUPER_COPIES];	/* SSDUP_SUPER_BYTES each */
	struct ssd_log		super;
	int			asked;		/* copy that the user wants, or NO_COPY */
	int			from;		/* copy that @s is, or NO_COPY: no log */
	struct log_super	s;
	struct half_scan	half[SSDUP_MAX_HALVES];
	struct log_item		*items;
	size_t			nr_items;
	struct extent_tree	map;
	struct extent_list	spare;		/* nodes; in blocks: */
	void			**blocks;
	size_t			nr_blocks;
	struct findings		findings;
	struct ticker		ticker;		/* says how far a scan has come */
	int			(*visit)(void *arg, const struct page_view *v);
	void			*visit_arg;
};

/* --- logfile.c --- */

/**
 * log_open() - open an SSD or an image and look at its superblock
 * @asked: take this copy, whatever the other one says, or NO_COPY
 *
 * Return: EXIT_OK, also where there is no log (then @l->from says so); close it with
 * log_close(). Otherwise an exit code, with the complaint made.
 */
int log_open(const struct ssdup_ctx *ctx, struct log_file *l, const char *path,
	     enum disk_use use, int asked);

/** log_attach() - the same for @l->ssd that is open already */
void log_attach(const struct ssdup_ctx *ctx, struct log_file *l, int asked);

void log_close(struct log_file *l);

/** log_given() - an HDD was named: what is said of sizes is held against it */
int log_given(struct log_file *l, const char *hdd);

/** log_has_magic() - it begins as a log does, whatever follows */
bool log_has_magic(const struct log_file *l);

/** super_findings() - all that is wrong with the superblock, and with the disks' sizes */
void super_findings(struct log_file *l);

/** super_replaces() - may @copy be written anew from the other one without being told to? */
bool super_replaces(const struct log_file *l, u32 copy);

/** no_log() - there is none: complain. Return: EXIT_NOT_FOUND, EXIT_REFUSED or EXIT_LOST */
int no_log(const struct log_file *l);

/* --- scan.c --- */

/**
 * log_scan() - read the pages of all halves
 * @all: look at every page behind the end of each half, for only there can be seen
 * whether it ends as a power cut leaves it, or because of damage, which takes a time by the
 * size of the SSD; else just at those that the kernel looks at, by what the log holds
 *
 * Fills in @l->half, @l->items and @l->findings; calls @l->visit for every page that
 * is looked at.
 *
 * Return: 0, or what @l->visit returned.
 */
int log_scan(struct log_file *l, bool all);

/** log_accepts() - would the kernel take it? Return: LOG_OK or why not; < 0 for -errno */
int log_accepts(struct log_file *l);

/* --- items.c --- */

/** log_item_add() - one more entry that counts */
void log_item_add(struct log_file *l, const struct log_item *item);

/** log_map() - make @l->map of @l->items; these are freed */
void log_map(struct log_file *l);

/** parse_copy() - optarg of --copy; false with the complaint made and ctx->exit set */
bool parse_copy(struct ssdup_ctx *ctx, int *copy);

#endif
