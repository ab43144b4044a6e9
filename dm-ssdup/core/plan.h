/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the pieces in which segments are drained (SSDUP+ section 2.4). Pure.
 *
 * A batch of a drain consists of pieces, which are disjoint, sorted by HDD sector, and read from
 * the SSD together. Neighbours are joined into runs; each run is one write to the HDD.
 */
#ifndef SSDUP_PLAN_H
#define SSDUP_PLAN_H

#include "order.h"

#define DRAIN_BLOCK	8U	/* sectors that succeed or fail together */

struct drain_piece {
	u64		start;		/* HDD sector */
	u64		seq;
	u64		pos;		/* SSD sector */
	u32		sectors;
	u32		offset;		/* in the batch's buffer, sectors; DATA only */
	u8		kind;
};

struct drain_run {
	u64	start;
	u32	sectors;
	u32	offset;		/* in the batch's buffer, sectors; DATA only */
	u32	first;		/* piece */
	u32	nr;		/* pieces */
	u8	kind;
};

/* A batch being filled. */
struct drain_plan {
	struct drain_piece	*pieces;
	struct drain_run	*runs;
	u32			max_pieces;	/* only ssdup_plan_cut() may add more */
	u32			max_sectors;	/* of data; and of zeroes, which take as long */
	u32			max_run;	/* longest run, sectors */
	u32			nr_pieces;
	u32			nr_runs;
	u32			sectors;	/* of the buffer, in use */
	u32			zeroes;		/* sectors of SSDUP_KIND_ZERO */
};

/**
 * ssdup_plan_take() - append a piece, which is cut where the plan is full
 * @e: an extent of the drain group; the caller holds the lock of its range
 * @from: sector to start from, within @e; not below the end of the last piece
 *
 * Return: sectors taken, 0 when the plan is full.
 */
u32 ssdup_plan_take(struct drain_plan *plan, const struct extent *e, u64 from);

/**
 * ssdup_plan_collect() - take the next extent of a group, or what is left of it
 * @o: the group's; goes on behind what was taken
 * @e: from ssdup_order_next(); the caller holds the lock of its range
 * @start: from there, too
 *
 * Takes nothing when a write has removed or trimmed @e since it was found.
 */
void ssdup_plan_collect(struct drain_plan *plan, struct extent_order *o, const struct extent *e,
			u64 start);

/** plan_full() - is a limit of the plan reached? */
static inline bool plan_full(const struct drain_plan *plan)
{
	return plan->nr_pieces == plan->max_pieces || plan->sectors == plan->max_sectors ||
	       plan->zeroes == plan->max_sectors;
}

/**
 * ssdup_plan_join() - make the runs of a plan, in the order of the pieces
 *
 * DATA pieces that are neighbours on the HDD become one run of at most max_run sectors. A
 * longer piece, or one of another kind, is a run by itself.
 */
void ssdup_plan_join(struct drain_plan *plan);

/**
 * ssdup_plan_cut() - take sectors that must not be written out of a piece
 * @piece: number of the piece
 * @start: the first of these sectors
 * @sectors: their number, at least 1
 *
 * The piece is split when something is left on both sides; the arrays must have room for that.
 * A piece of which nothing is left gets kind NONE. The caller must call ssdup_plan_join()
 * afterwards.
 *
 * Return: the number of the piece behind these sectors, or @piece if there is none.
 */
u32 ssdup_plan_cut(struct drain_plan *plan, u32 piece, u64 start, u32 sectors);

#endif
