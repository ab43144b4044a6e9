/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: when a half is drained, and in which pieces (SSDUP+ section 2.4). Pure.
 *
 * A drain walks the ranges upwards and takes from each what the half holds, a
 * batch at a time: pieces, sorted by their place on the HDD and disjoint, read
 * from the SSD all at once. Neighbours are joined into runs, each written to
 * the HDD in one go.
 */
#ifndef SSDUP_PIPELINE_H
#define SSDUP_PIPELINE_H

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
	u32			max_pieces;	/* of them; more come from ssdup_drain_cut() only */
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
 * ssdup_drain_collect() - take what @half holds in one tree, from *@from on
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
bool ssdup_drain_collect(const struct extent_tree *tree, u8 half, u64 others, u64 *from,
			 struct drain_plan *plan);

/**
 * ssdup_drain_home() - a piece of a half that is not being drained yet is on the HDD
 * @tree: the caller holds its lock
 * @p: the piece
 * @from: its start; moved up to where the next call has to go on
 *
 * What is left of the piece's extent in the map will not be taken once more.
 * An extent that reaches beyond the piece stays as it is.
 *
 * Return: false when EXTENT_WALK extents were looked at and there are more.
 */
bool ssdup_drain_home(struct extent_tree *tree, const struct drain_piece *p, u64 *from);

/**
 * ssdup_drain_forget() - what @half holds in one tree is not on the HDD after all
 *
 * Arguments and return value as of ssdup_drain_collect().
 */
bool ssdup_drain_forget(struct extent_tree *tree, u8 half, u64 *from);

/** drain_full() - no more data, or no more zeroes, go into the plan */
static inline bool drain_full(const struct drain_plan *plan)
{
	return plan->nr_pieces == plan->max_pieces || plan->sectors == plan->max_sectors ||
	       plan->zeroes == plan->max_zeroes;
}

/**
 * ssdup_drain_join() - make the runs of a plan
 *
 * DATA pieces that are neighbours on the HDD become one run of at most max_run
 * sectors (a longer piece is a run by itself); pieces of other kinds are runs
 * by themselves. Covers every piece once, in order.
 */
void ssdup_drain_join(struct drain_plan *plan);

/* Part of a piece. */
struct drain_part {
	u32	at;		/* sectors from its start */
	u32	sectors;
};

/**
 * ssdup_drain_cut() - take a part out of a piece: it is not to be written
 * @piece: number of the piece
 * @part: of it; not empty
 *
 * What is left in front of the part and behind it are two pieces. A piece of which nothing is
 * left stays, as one of kind NONE. The arrays have room for one more; ssdup_drain_join() is due.
 *
 * Return: the number of the piece behind the part, or @piece if there is none.
 */
u32 ssdup_drain_cut(struct drain_plan *plan, u32 piece, const struct drain_part *part);

/*
 * The search for the blocks of a piece that cannot be read: what fails is read by halves, what
 * succeeds makes the next read twice as long.
 */
struct drain_search {
	struct drain_part	next;		/* to be read; no sectors: done */
	struct drain_part	bad;		/* blocks in front of it that failed; or none */
	u32			sectors;	/* of the piece */
};

/** ssdup_drain_search_begin() - a piece could not be read in one go */
void ssdup_drain_search_begin(struct drain_search *s, u32 sectors);

/**
 * ssdup_drain_search_next() - @s->next was read
 * @failed: and the disk refused it
 * @bad: filled in when true is returned
 *
 * Return: true when @bad is a stretch of blocks that cannot be read, with none before or behind.
 */
bool ssdup_drain_search_next(struct drain_search *s, bool failed, struct drain_part *bad);

/* What pacing looks at. */
struct pacing_in {
	enum ssdup_drain	mode;
	enum ssdup_disk	route;		/* of the current stream */
	bool	patient;	/* writes can go past the log: no need to hurry for them */
	bool	reads;		/* somebody has read within PACING_SEEN_MS */
	bool	writes;		/* or written to the SSD */
	bool	paused;		/* message: drain pause */
	bool	asked;		/* message: flush, drain start; a suspend that flushes */
	bool	waiters;	/* writes wait for log space */
	bool	sealed;		/* a sealed half waits to be drained */
	bool	spare;		/* a free half could receive instead of the open one */
	bool	dirty;		/* the open half holds something */
	u32	fill;		/* of the open half, 1/10000 */
	u32	hdd_inflight;	/* foreground requests at the HDD now */
	u32	quiet_ms;	/* since the last foreground request ended or began */
	u32	held_ms;	/* how long this batch has been held off already */
	u32	took_ms;	/* the batch before it */
};

enum pacing_step {
	PACING_SLEEP,		/* nothing to do until woken */
	PACING_HOLD,		/* look again after wait_ms */
	PACING_SEAL,		/* seal the open half, then look again */
	PACING_DRAIN,		/* one batch */
};

struct pacing_out {
	enum pacing_step	step;
	u32			wait_ms;
	bool			gentle;		/* a small batch: somebody reads */
	bool			spread;		/* short reads: somebody writes to the SSD */
};

#define PACING_IDLE_MS		500U	/* quiet for so long: drain the receiving half too */
#define PACING_QUIET_MS		20U	/* quiet for so long: the HDD is not needed */
#define PACING_HOLD_MS		200U	/* longest hold of a batch while the open half is empty */
#define PACING_PATIENCE_MS 1000U	/* longest hold of a patient drain, however full */
#define PACING_URGENT		7500U	/* open half this full (1/10000): no holding off */
#define PACING_POLL_MS		10U
#define PACING_SEEN_MS		100U	/* no read, or write, for so long: nobody does */
#define PACING_GENTLE		2U	/* readers have the HDD so many times as long as a drain */

/**
 * ssdup_pacing_decide() - may the drain go on?
 *
 * In this order:
 *  - writers that wait are served at once, whatever the mode; so is who asked,
 *    but beside readers the HDD is theirs for most of the time, except in mode eager:
 *    small batches, each held off for PACING_GENTLE times what the one before took, at
 *    most PACING_PATIENCE_MS; asked with nothing sealed seals the open half, if it is
 *    dirty and another can receive;
 *  - paused or manual: sleep;
 *  - a sealed half: drained at once in mode eager, when the open half is
 *    urgently full, or when the HDD is quiet (nothing in flight for
 *    PACING_QUIET_MS); else it is held off while the HDD serves others -
 *    the route is the HDD, or foreground requests are in flight there - for at
 *    most PACING_HOLD_MS * (1 - fill / urgent), so that the share of the drain
 *    grows with the need for it; a route of SSD with nothing in flight at the HDD
 *    drains at once;
 *  - nothing sealed, the open half dirty and quiet for PACING_IDLE_MS with a
 *    spare: seal. Not yet that long: hold until then.
 *  - else sleep.
 *
 * A drain's reads from the SSD are short and come one by one where others write there; not in mode
 * eager, and when writes wait for the drain.
 */
struct pacing_out ssdup_pacing_decide(const struct pacing_in *in);

#endif
