/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: rebuild the map from the log. Pure: callbacks read the pages and take the
 * entries.
 *
 * The pages of a half are read in order. Of two valid slots, the higher (epoch, rev) counts.
 * A half ends at the first page that has no valid slot, or whose epoch is lower than that of
 * the page before: such a page is left from before a crash, and a later activation has
 * overwritten the pages in front of it. A slot with a right crc and an impossible count,
 * epoch or entry is a fault, and ends the replay.
 *
 * The page at which a half ends may be a damaged one, and then the pages behind it must not
 * be dropped silently. A clean suspend counts the pages, and any other number is a fault.
 * Without one, a later page that no power cut can leave is a fault, see log_page_outlives().
 */
#ifndef SSDUP_REPLAY_H
#define SSDUP_REPLAY_H

#include <linux/minmax.h>

#include "log.h"

struct replay_ops {
	/*
	 * Read both slots of a page, and set *slots to SSDUP_PAGE_SLOTS adjacent
	 * pages, valid until the next call. May sleep. Return: 0 or -errno.
	 */
	int (*read_page)(void *ctx, u32 half, u32 page, const struct ssdup_page **slots);
	/*
	 * Take the entries of a page: at least one, all valid, in any order. They are
	 * in disk format, since decoded copies would cost time. May sleep. Return: 0 or -errno.
	 */
	int (*entries)(void *ctx, u32 half, const struct ssdup_entry *e, u32 nr);
};

/**
 * replay_look_on() - which page behind a gap to look at after @page
 *
 * The steps grow with the distance, so a half of any size takes some 250 reads. They find a
 * page behind the damage when there are more of these than a sixteenth of the damage.
 */
static inline u32 replay_look_on(u32 gap, u32 page)
{
	return page + max((page - gap) / LOG_COMMIT_PAGES, 1U);
}

struct ssdup_replay_half {
	u32	pages;		/* number of live ones; also the next page to write */
	u32	entries;
	u32	data_end;	/* sectors of the data area in use, from its start */
	u64	max_seq;
};

struct replay_fault {
	enum log_fault	fault;
	u32		half;
	u32		page;
	u32		entry;
};

/**
 * ssdup_replay_half() - read one half
 * @s: the superblock, with the half's generation
 * @half: number of the half
 * @res: set to what was found
 * @fault: set on -EINVAL to what is wrong and where
 *
 * Return: 0, an error of a callback, or -EINVAL for content that this code
 * cannot have written.
 */
int ssdup_replay_half(const struct log_super *s, u32 half, const struct replay_ops *ops,
		      void *ctx, struct ssdup_replay_half *res, struct replay_fault *fault);

/* What each half is after a replay. */
struct ssdup_replay_roles {
	u32	open;				/* receives writes */
	u32	nr_sealed;
	u32	sealed[SSDUP_MAX_HALVES];	/* to be drained, oldest first */
	u32	nr_free;
	u32	free[SSDUP_MAX_HALVES];		/* to be opened, lowest generation first */
};

/**
 * ssdup_replay_roles() - decide what each half is
 * @s: generations are raised where needed; the caller must write it before any page
 * @found: result of ssdup_replay_half() for each half
 * @roles: filled in
 *
 * The youngest half with live pages goes on receiving, and the others that have any are
 * sealed. When no half has pages, the one with the lowest generation receives. Halves are
 * opened and freed in the order of their generations. So a free half that is older than one
 * with pages gets a new generation.
 */
void ssdup_replay_roles(struct log_super *s, const struct ssdup_replay_half *found,
			struct ssdup_replay_roles *roles);

#endif
