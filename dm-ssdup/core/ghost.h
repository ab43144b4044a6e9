/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: what a read cache on the SSD would gain, and what it would write, without one. Pure.
 *
 * A ghost is a block of the HDD that was read, without its data. There is room for as many as a
 * tenth of the log has blocks. A word is a ghost: some bits of the block's number, whether the
 * cache would have its data, and when it was last read. A bucket is a cache line of them, and its
 * oldest one gives way. There is no lock: an update that is lost costs one hit.
 *
 * The cache takes what is small and not part of a long sequential run: metadata of file systems at
 * the first miss, all else at the second. ext4 reads 128 KiB of inodes ahead in single blocks that
 * do not say that they are metadata, so a run is long from 256 KiB on. Writes in between are not
 * seen.
 */
#ifndef SSDUP_GHOST_H
#define SSDUP_GHOST_H

#include <linux/types.h>

#define GHOST_BLOCK	32U	/* sectors */
#define GHOST_LONGEST	128U	/* sectors: a longer read costs the HDD more time than its arm */
#define GHOST_RUN	512U	/* sectors that were read in order: from there on it is one run */
#define GHOST_BUCKET	16U	/* words: a cache line */
#define GHOST_PART	10U	/* of the log: as large as the cache would be */

struct ghosts {
	u32	nr;		/* a multiple of GHOST_BUCKET */
	u32	noted;		/* ever: a clock */
	u32	word[];
};

enum ghost_verdict {
	GHOST_NONE,		/* the cache has nothing to do with it */
	GHOST_NOTE,		/* a miss: it remembers that */
	GHOST_COPY,		/* a miss: it would copy what was read */
	GHOST_HIT,		/* it would have served it */
};

/** ghosts_copied() - the sectors that the cache would copy for a read */
static inline u32 ghosts_copied(u64 start, u32 sectors)
{
	return ((start + sectors - 1) / GHOST_BLOCK - start / GHOST_BLOCK + 1) * GHOST_BLOCK;
}

/** ssdup_ghosts_nr() - the number of ghosts for a log of @sectors */
u32 ssdup_ghosts_nr(u64 sectors);

/**
 * ssdup_ghosts_look() - what ssdup_ghosts_read() would return; nothing is noted
 *
 * Context: any.
 */
enum ghost_verdict ssdup_ghosts_look(struct ghosts *g, u64 start, u32 sectors, bool meta, bool run);

/**
 * ssdup_ghosts_read() - a read of the HDD has ended
 * @meta: of a file system
 * @run: it goes on with GHOST_RUN sectors that were read in order
 *
 * Context: any. Return: what the cache would have done, with whole blocks; that is noted.
 */
enum ghost_verdict ssdup_ghosts_read(struct ghosts *g, u64 start, u32 sectors, bool meta,
				     bool run);

/* What speaks for a copy of a read, and against it. */
struct copy_facts {
	enum ghost_verdict verdict;
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
