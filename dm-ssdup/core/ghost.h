/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: which reads of the HDD are worth a copy on the SSD. Pure.
 *
 * A ghost is a block of the HDD that was read, without its data. There is room for as many as a
 * tenth of the log has blocks. A word is a ghost: some bits of the block's number, and when it was
 * last read. A bucket is a cache line of them, and its oldest one gives way. There is no lock: an
 * update that is lost costs one copy.
 *
 * A copy is worth it for what is small and not part of a long sequential run: metadata of file
 * systems at the first read, all else at the second. ext4 reads 128 KiB of inodes ahead in single
 * blocks that do not say that they are metadata, so a run is long from 256 KiB on. Writes in
 * between are not seen.
 */
#ifndef SSDUP_GHOST_H
#define SSDUP_GHOST_H

#include <linux/types.h>

#define GHOST_BLOCK	32U	/* sectors */
#define GHOST_LONGEST	128U	/* sectors: a longer read costs the HDD more time than its arm */
#define GHOST_RUN	512U	/* sectors that were read in order: from there on it is one run */
#define GHOST_READERS	4U	/* that a CPU tells apart */
#define GHOST_BUCKET	16U	/* words: a cache line */
#define GHOST_PART	10U	/* of the log: copies are for as much */

struct ghosts {
	u32	nr;		/* a multiple of GHOST_BUCKET */
	u32	noted;		/* ever: a clock */
	u32	word[];
};

/* The readers of a CPU. All zero: none yet. */
struct ghost_runs {
	u32	at;			/* where the next one goes */
	u32	length[GHOST_READERS];	/* sectors that each has read in order until there */
	u64	end[GHOST_READERS];	/* sectors: where its last read ended */
};

/** ssdup_ghosts_nr() - the number of ghosts for a log of @sectors */
u32 ssdup_ghosts_nr(u64 sectors);

/**
 * ssdup_ghosts_run() - a read begins: does it go on with GHOST_RUN sectors that were read in order?
 *
 * Context: any. Another CPU may run on in the middle of it: then a reader seems not to go on.
 */
bool ssdup_ghosts_run(struct ghost_runs *r, u64 start, u32 sectors);

/**
 * ssdup_ghosts_worth() - is a read worth a copy?
 * @meta: of a file system
 * @run: see ssdup_ghosts_run()
 *
 * Context: any.
 */
bool ssdup_ghosts_worth(struct ghosts *g, u64 start, u32 sectors, bool meta, bool run);

/** ssdup_ghosts_note() - remember that the HDD was read; any context */
void ssdup_ghosts_note(struct ghosts *g, u64 start, u32 sectors, bool run);

/* What speaks for a copy of a read, and against it. */
struct copy_facts {
	bool	worth;		/* see ssdup_ghosts_worth() */
	bool	writes;		/* the log is full, or shut */
	bool	room;		/* in a segment for copies, or for such a segment */
	s64	left;		/* sectors, of the account of copies */
	u64	budget;		/* sectors that the key ssd_budget allows in a day; 0: no limit */
	u64	budget_left;	/* sectors of that */
	u64	queue;		/* ns of work that the SSD has */
};

/* No copy begins while the SSD has more work than this: about two writes of 256 KiB. */
#define COPY_QUEUE_NS	1000000U

/** ssdup_copy_wanted() - is what the HDD reads now to be copied to the SSD? */
bool ssdup_copy_wanted(const struct copy_facts *f);

#endif
