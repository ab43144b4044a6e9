/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: from a log back to the map. Pure: reads pages and reports extents
 * through callbacks.
 *
 * Within a half, pages are read in order until the first whose slots both fail
 * their check, or whose newest valid slot has a lower epoch than the page
 * before: that one is a leftover of a crash, from before a later activation
 * that wrote over the pages in front of it. Of two valid slots the higher
 * (epoch, rev) counts. A slot whose crc is right and whose count or epoch cannot be
 * ends the replay as an impossible entry does.
 *
 * That page may have been durable once, and what follows it is not to be dropped without
 * a word. When the last suspend was clean it counted the pages, and another number
 * of them is a fault; else one behind the gap that no power cut leaves there is,
 * see log_page_outlives().
 */
#ifndef SSDUP_REPLAY_H
#define SSDUP_REPLAY_H

#include <linux/minmax.h>

#include "log.h"

struct replay_ops {
	/*
	 * Read both slots of a page. Sets *slots to SSDUP_PAGE_SLOTS adjacent
	 * pages, valid until the next call. May sleep. 0 or -errno.
	 */
	int (*read_page)(void *ctx, u32 half, u32 page, const struct ssdup_page **slots);
	/*
	 * The entries of a page that has any, all of them valid, in no order that
	 * matters; as on disk, for a copy of each would be felt. May sleep. 0 or -errno.
	 */
	int (*entries)(void *ctx, u32 half, const struct ssdup_entry *e, u32 nr);
};

/**
 * replay_look_on() - which page behind a gap to look at after @page
 *
 * Each one at first, then ever fewer: some 250 in a half of any size. Of damage that has
 * more behind it than a sixteenth of itself, one of these is found.
 */
static inline u32 replay_look_on(u32 gap, u32 page)
{
	return page + max((page - gap) / LOG_COMMIT_PAGES, 1U);
}

struct ssdup_replay_half {
	u32	pages;		/* live ones: the next page to write */
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
 * @half: which
 * @res: what was found
 * @fault: on -EINVAL, what is wrong and where
 *
 * Return: 0, an error of a callback, or -EINVAL for content that this code
 * cannot have written.
 */
int ssdup_replay_half(const struct log_super *s, u32 half, const struct replay_ops *ops,
		      void *ctx, struct ssdup_replay_half *res, struct replay_fault *fault);

/* What each half is after a replay. */
struct ssdup_replay_roles {
	u32	open;				/* receives */
	u32	nr_sealed;
	u32	sealed[SSDUP_MAX_HALVES];	/* to be drained, oldest first */
	u32	nr_free;
	u32	free[SSDUP_MAX_HALVES];		/* to be opened, lowest generation first */
};

/**
 * ssdup_replay_roles() - decide what each half is
 * @s: generations are raised where needed; the caller writes it before any page
 * @found: result of ssdup_replay_half() for each half
 * @roles: filled in
 *
 * The youngest half with live pages goes on receiving, the others that have
 * any are sealed. With none, the lowest generation receives. A free half must
 * be younger than every half with pages, as halves are opened and freed in the
 * order of their generations; one that is not gets a new generation.
 */
void ssdup_replay_roles(struct log_super *s, const struct ssdup_replay_half *found,
			struct ssdup_replay_roles *roles);

#endif
