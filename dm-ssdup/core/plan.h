/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the pieces in which a half is drained (SSDUP+ section 2.4). Pure.
 *
 * A drain walks the ranges upwards and takes what the half holds, a batch at a time. A
 * batch consists of pieces, which are disjoint and sorted by HDD sector, and which are read
 * from the SSD together. Neighbours are joined into runs; each run is one write to the HDD.
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
	u32			max_pieces;	/* only ssdup_plan_cut() may add more */
	u32			max_sectors;	/* room in the buffer */
	u32			max_zeroes;	/* sectors without data to write, SSDUP_KIND_ZERO */
	u32			max_run;	/* longest run, sectors */
	bool			others_only;	/* take only data, and only of other halves */
	u32			nr_pieces;
	u32			nr_runs;
	u32			sectors;	/* of the buffer, in use */
	u32			zeroes;		/* sectors of SSDUP_KIND_ZERO */
};

/**
 * ssdup_plan_collect() - take what @half holds in one tree, from *@from on
 * @tree: the caller holds its lock
 * @half: being drained
 * @others: take extents of other halves up to this seq, too; 0: do not
 * @from: sector to start from; moved up to where the next call must go on
 * @plan: pieces and their offsets are appended, in order
 *
 * Extents that are home already are skipped, and so are lost ones of other halves. With
 * others_only, all extents of @half and all without data are skipped, too. An extent is cut
 * where the plan is full. Zeroes of other halves that exceed max_zeroes are skipped: if they
 * were cut, their parts could not be marked as home. Calls for ascending ranges keep the plan
 * sorted.
 *
 * Return: false when the tree may hold more, because the plan is full or EXTENT_WALK extents
 * were looked at.
 */
bool ssdup_plan_collect(const struct extent_tree *tree, u8 half, u64 others, u64 *from,
			struct drain_plan *plan);

/**
 * ssdup_plan_home() - mark a piece of another half as home: it is on the HDD now
 * @tree: the caller holds its lock
 * @p: the piece
 * @from: its start; moved up to where the next call must go on
 *
 * The drain of that half will skip what is left of the piece's extent in the map. An extent
 * that reaches beyond the piece is not marked.
 *
 * Return: false when EXTENT_WALK extents were looked at and there are more.
 */
bool ssdup_plan_home(struct extent_tree *tree, const struct drain_piece *p, u64 *from);

/**
 * ssdup_plan_forget() - clear the home marks of @half in one tree
 *
 * The arguments and the return value are those of ssdup_plan_collect().
 */
bool ssdup_plan_forget(struct extent_tree *tree, u8 half, u64 *from);

/** plan_full() - is a limit of the plan reached? */
static inline bool plan_full(const struct drain_plan *plan)
{
	return plan->nr_pieces == plan->max_pieces || plan->sectors == plan->max_sectors ||
	       plan->zeroes == plan->max_zeroes;
}

/**
 * ssdup_plan_join() - make the runs of a plan
 *
 * DATA pieces that are neighbours on the HDD become one run of at most max_run sectors. A
 * longer piece, or one of another kind, is a run by itself. Runs are in the order of the pieces.
 */
void ssdup_plan_join(struct drain_plan *plan);

/* Part of a piece. */
struct drain_part {
	u32	at;		/* sectors from its start */
	u32	sectors;
};

/**
 * ssdup_plan_cut() - take a part that must not be written out of a piece
 * @piece: number of the piece
 * @part: of it; not empty
 *
 * The piece is split when something is left on both sides of the part; the arrays must have
 * room for that. A piece of which nothing is left gets kind NONE. The caller must call
 * ssdup_plan_join() afterwards.
 *
 * Return: the number of the piece behind the part, or @piece if there is none.
 */
u32 ssdup_plan_cut(struct drain_plan *plan, u32 piece, const struct drain_part *part);

/*
 * The search for the blocks of a piece that cannot be read. A failed read is tried again at
 * half its length; a successful one doubles the length of the next.
 */
struct drain_search {
	struct drain_part	next;		/* to be read; empty when done */
	struct drain_part	bad;		/* failed blocks just in front of @next, or empty */
	u32			sectors;	/* of the piece */
};

/** ssdup_plan_search_begin() - begin the search after a piece could not be read in one go */
void ssdup_plan_search_begin(struct drain_search *s, u32 sectors);

/**
 * ssdup_plan_search_next() - go on after @s->next was read
 * @failed: the disk refused that read
 * @bad: filled in when true is returned
 *
 * Return: true when @bad is a whole stretch of unreadable blocks; its neighbours are readable.
 */
bool ssdup_plan_search_next(struct drain_search *s, bool failed, struct drain_part *bad);

#endif
