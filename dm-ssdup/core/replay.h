/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: rebuild the map from the log. Pure: callbacks read the pages and take the
 * entries.
 *
 * Segments whose generation is not below the tail of their class are live, and are replayed in
 * the order of their generations. Each class is judged by itself: its generations follow each
 * other by steps of the number of classes, and its pages have numbers of their own. Of two valid
 * slots of a page, the higher rev counts. A segment ends at the first page that has no valid slot.
 * A slot with a right crc and an impossible count or entry is a fault, and ends the replay.
 *
 * The page at which a segment ends may be a damaged one, and a header may be damaged, too. Then
 * what is behind must not be dropped silently. After a suspend any other number of
 * segments and pages than it counted is a fault. Without one, faults are:
 *  - a later page that no power cut can leave, see log_page_outlives();
 *  - a page behind a missing generation of the same epoch: a round of a commit writes its pages
 *    when all headers are durable. The numbers of pages begin at 0 in each epoch.
 */
#ifndef SSDUP_REPLAY_H
#define SSDUP_REPLAY_H

#include <linux/minmax.h>

#include "codec.h"

struct replay_ops {
	/* Read both slots of a page; *slots is valid until the next call. Return: 0 or -errno */
	int (*read_page)(void *ctx, u32 segment, u32 page, const struct ssdup_page **slots);
	/* Take the entries of a page: at least one, all valid, in any order. Return: the same */
	int (*entries)(void *ctx, u32 segment, const struct ssdup_entry *e, u32 nr);
};

/**
 * replay_look_on() - which page behind a gap to look at after @page
 *
 * The steps grow: they find pages behind the damage that are more than a sixteenth of it.
 */
static inline u32 replay_look_on(u32 gap, u32 page)
{
	return page + max((page - gap) / LOG_COMMIT_PAGES, 1U);
}

struct replay_fault {
	enum log_fault	fault;
	u32		segment;
	u32		page;
	u32		entry;
};

/* What is known of a class from the segments so far. */
struct replay_chain {
	u64			generation;	/* of the last segment; 0: there was none */
	u64			epoch;		/* of it */
	u32			number;		/* of the next page of the epoch */
	u32			gap;		/* number of the first missing page; if @missing */
	u32			empty;		/* segments of the epoch without a page */
	bool			numbered;	/* @number is valid */
	bool			whole;		/* no segment of the epoch was freed */
	bool			missing;	/* a page of the epoch is missing */
	bool			lost;		/* a generation of the epoch is missing */
};

/* A replay under way. */
struct ssdup_replay {
	const struct log_super	*s;
	const struct replay_ops	*ops;
	void			*ctx;
	struct replay_fault	fault;		/* valid after -EINVAL */
	u64			pages;		/* live ones */
	u32			segments;	/* with live pages */
	struct replay_chain	chain[SSDUP_MAX_CLASSES];
};

/**
 * ssdup_replay_live() - find the live segments
 * @s: has the tails
 * @h: valid headers; sorted by generation, with the live ones first
 * @nr: number of headers; set to that of the live ones
 * @next: set to a generation that no segment has or had
 *
 * Return: LOG_OK, or LOG_BAD_GENERATION when two segments have the same one.
 */
enum log_fault ssdup_replay_live(const struct log_super *s, struct log_header *h, u32 *nr,
				 u64 *next);

/** ssdup_replay_begin() - begin a replay of the log of @s */
void ssdup_replay_begin(struct ssdup_replay *rp, const struct log_super *s,
			const struct replay_ops *ops, void *ctx);

/**
 * ssdup_replay_segment() - read one live segment; call it in the order of generations
 * @pages: set to the number of its live pages
 *
 * A segment without pages must not be opened again before the tail has passed it. A power cut
 * may have taken its pages, but not those of the next segment. Without its header, the next
 * replay would take it for one that is damaged.
 *
 * Return: 0, an error of a callback, or -EINVAL for content that this code cannot have written.
 */
int ssdup_replay_segment(struct ssdup_replay *rp, const struct log_header *h, u32 *pages);

/** ssdup_replay_end() - after the last segment. Return: 0 or -EINVAL, as above */
int ssdup_replay_end(struct ssdup_replay *rp);

#endif
