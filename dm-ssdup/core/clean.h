/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: which data that is on the HDD is still read from the SSD, and for how long. Pure.
 *
 * A clean extent is one that was written back, and whose segment was not opened again, or a copy
 * of what was read from the HDD. The clean extents of a range are a tree of their own, which
 * overlaps nothing of the tree of what the log holds. Each has what the HDD returns for its
 * sectors. So it may be forgotten at any time.
 *
 * While the HDD is read for a copy, and the copy is written, a claim is there: an extent of
 * kind NONE, which serves nothing. What cuts clean extents cuts claims. So the HDD has not changed
 * under a claim that is still whole.
 */
#ifndef SSDUP_CORE_CLEAN_H
#define SSDUP_CORE_CLEAN_H

#include "extent_map.h"

/*
 * Sectors of a run of clean extents that a read leaves the HDD for, although it has to go back to
 * it. A shorter run costs more requests than the HDD's time that it saves.
 */
#define CLEAN_RUN	128U

/**
 * ssdup_clean_span() - the first part of a read of [@start, @end), of which nothing is dirty
 * @clean: tree of the range
 * @sectors: set to the length of that part, which one place serves
 *
 * Clean data is used where it serves the whole read, or at least CLEAN_RUN sectors of it.
 *
 * Neighbours of it may belong to that part, where they are neighbours on the SSD as well.
 * Return: the clean extent that has its first sector, or NULL when the HDD serves it.
 */
const struct extent *ssdup_clean_span(const struct extent_tree *clean, u64 start, u64 end,
				      u32 *sectors);

/**
 * clean_bits() - the 64ths of a range that [@start, @end) touches, a bit for each
 * @range_shift: sectors of a range, as a power of two; at least 6
 */
static inline u64 clean_bits(u64 start, u64 end, u32 range_shift)
{
	u32 shift = range_shift - 6;
	u32 first = (start >> shift) & 63, last = ((end - 1) >> shift) & 63;

	return ~0ULL << first & ~0ULL >> (63 - last);
}

/* What the log has, in segments, and who wants it. */
struct clean_facts {
	u32	segments;	/* of the log */
	u32	percent;	/* of these, that may be clean */
	u32	for_drain;		/* free ones that writers leave to drains */
	u32	ready;		/* can be opened at once */
	u32	clean;
	u32	copies;		/* of these, with copies of what was read */
	u64	bytes;		/* of memory that the map of these takes */
	u64	limit;		/* bytes */
	bool	barred;		/* nothing may be clean now */
	bool	refill;		/* see ssdup_clean_refill() */
	bool	short_of_memory;
	bool	waiters;	/* for a segment */
};

/**
 * ssdup_clean_low() - the number of ready segments below which clean ones are forgotten
 *
 * Writers must never wait for that. A 32nd of a log of 64 GB takes an SSD of 3 GB/s 0.7 s to
 * write.
 */
u32 ssdup_clean_low(u32 segments, u32 for_drain);

/** ssdup_clean_keep() - of @nr segments that are freed: how many of the youngest become clean */
u32 ssdup_clean_keep(const struct clean_facts *f, u32 nr);

/** ssdup_clean_refill() - too few segments are ready, or were and not twice that are, yet */
bool ssdup_clean_refill(const struct clean_facts *f);

/** ssdup_clean_most_copies() - how many clean segments may have copies of what was read */
u32 ssdup_clean_most_copies(const struct clean_facts *f);

/** ssdup_clean_may_open() - may a ready segment become a clean one, for such copies? */
bool ssdup_clean_may_open(const struct clean_facts *f);

/** ssdup_clean_excess() - how many of the oldest clean segments are to be forgotten now */
u32 ssdup_clean_excess(const struct clean_facts *f);

#endif
