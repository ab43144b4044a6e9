/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: in which pieces a half is drained (SSDUP+ section 2.4). Pure.
 *
 * A drain walks the ranges upwards and takes from each what the half holds, a
 * batch at a time: pieces, sorted by their place on the HDD and disjoint, read
 * from the SSD all at once. Neighbours are joined into runs, each written to
 * the HDD in one go.
 */
#ifndef SSDUP_PLAN_H
#define SSDUP_PLAN_H

#include "extent_map.h"

#define DRAIN_BLOCK	8U	/* sectors that succeed or fail together */

struct drain_piece {
	u64		start;		/* HDD sector */
	u64		seq;
	u32		sectors;
	log_pos_t	pos;
	u32		offset;		/* in the batch's buffer, sectors; DATA only */
	u8		half;
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
	u32			max_pieces;	/* of them; more come from ssdup_plan_cut() only */
	u32			max_sectors;	/* room in the buffer */
	u32			max_zeroes;	/* sectors without data to write, SSDUP_KIND_ZERO */
	u32			max_run;	/* longest run, sectors */
	bool			others_only;	/* data, and none of the half itself */
	u32			nr_pieces;
	u32			nr_runs;
	u32			sectors;	/* of the buffer in use */
	u32			zeroes;		/* sectors of SSDUP_KIND_ZERO */
};

/**
 * ssdup_plan_collect() - take what @half holds in one tree, from *@from on
 * @tree: the caller holds its lock
 * @half: being drained
 * @others: take what other halves hold too, up to this seq; 0: do not
 * @from: sector to start from; moved up to where the next call has to go on
 * @plan: pieces are appended, in order; offsets are handed out in order
 *
 * Extents that are home already are passed over, and so are lost ones of other
 * halves; with others_only all of @half too, and all that is no data. An extent is
 * cut where the buffer ends, or zeroes where there are enough; those of other halves that
 * are longer than max_zeroes stay, for in parts they would not be marked as home. Calls
 * for ascending ranges keep the plan sorted.
 *
 * Return: false when the tree may hold more: the plan is full, or EXTENT_WALK
 * extents were looked at.
 */
bool ssdup_plan_collect(const struct extent_tree *tree, u8 half, u64 others, u64 *from,
			struct drain_plan *plan);

/**
 * ssdup_plan_home() - a piece of a half that is not being drained yet is on the HDD
 * @tree: the caller holds its lock
 * @p: the piece
 * @from: its start; moved up to where the next call has to go on
 *
 * What is left of the piece's extent in the map will not be taken once more.
 * An extent that reaches beyond the piece stays as it is.
 *
 * Return: false when EXTENT_WALK extents were looked at and there are more.
 */
bool ssdup_plan_home(struct extent_tree *tree, const struct drain_piece *p, u64 *from);

/**
 * ssdup_plan_forget() - what @half holds in one tree is not on the HDD after all
 *
 * Arguments and return value as of ssdup_plan_collect().
 */
bool ssdup_plan_forget(struct extent_tree *tree, u8 half, u64 *from);

/** plan_full() - no more data, or no more zeroes, go into the plan */
static inline bool plan_full(const struct drain_plan *plan)
{
	return plan->nr_pieces == plan->max_pieces || plan->sectors == plan->max_sectors ||
	       plan->zeroes == plan->max_zeroes;
}

/**
 * ssdup_plan_join() - make the runs of a plan
 *
 * DATA pieces that are neighbours on the HDD become one run of at most max_run
 * sectors (a longer piece is a run by itself); pieces of other kinds are runs
 * by themselves. Covers every piece once, in order.
 */
void ssdup_plan_join(struct drain_plan *plan);

/* Part of a piece. */
struct drain_part {
	u32	at;		/* sectors from its start */
	u32	sectors;
};

/**
 * ssdup_plan_cut() - take a part out of a piece: it is not to be written
 * @piece: number of the piece
 * @part: of it; not empty
 *
 * What is left in front of the part and behind it are two pieces. A piece of which nothing is
 * left stays, as one of kind NONE. The arrays have room for one more; ssdup_plan_join() is due.
 *
 * Return: the number of the piece behind the part, or @piece if there is none.
 */
u32 ssdup_plan_cut(struct drain_plan *plan, u32 piece, const struct drain_part *part);

/*
 * The search for the blocks of a piece that cannot be read: what fails is read by halves, what
 * succeeds makes the next read twice as long.
 */
struct drain_search {
	struct drain_part	next;		/* to be read; no sectors: done */
	struct drain_part	bad;		/* blocks in front of it that failed; or none */
	u32			sectors;	/* of the piece */
};

/** ssdup_plan_search_begin() - a piece could not be read in one go */
void ssdup_plan_search_begin(struct drain_search *s, u32 sectors);

/**
 * ssdup_plan_search_next() - @s->next was read
 * @failed: and the disk refused it
 * @bad: filled in when true is returned
 *
 * Return: true when @bad is a stretch of blocks that cannot be read, with none before or behind.
 */
bool ssdup_plan_search_next(struct drain_search *s, bool failed, struct drain_part *bad);

#endif
