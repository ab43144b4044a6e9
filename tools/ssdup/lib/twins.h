/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: an SSD and its mirror: which of the two is used. Pure.
 */
#ifndef SSDUP_TWINS_CHOOSE_H
#define SSDUP_TWINS_CHOOSE_H

#include "dm-ssdup/core/twins.h"

#define TWINS_BOTH	(-1)
#define TWINS_NONE	(-2)
#define TWINS_RAN_APART	(-3)	/* the same */

/** twin_is_part() - it is to be filled, and nobody takes it for one that has everything */
static inline bool twin_is_part(const struct twin_found *found)
{
	return found->there == TWIN_THERE && found->block.out == BIT(found->block.index);
}

/** twin_seq() - the higher, the later it was one of two; 0: it has no mirror */
static inline u64 twin_seq(const struct twin_found *found)
{
	return found->there == TWIN_THERE ? found->block.seq : 0;
}

/** twins_ran_apart() - does each of the two call the other one out? */
static inline bool twins_ran_apart(const struct twin_found found[SSDUP_TWINS])
{
	return found[0].there == TWIN_THERE && found[1].there == TWIN_THERE &&
	       found[0].block.out == BIT(1) && found[1].block.out == BIT(0);
}

/**
 * twins_choose() - which of the two is used, without a word of the user, or with it
 * @found: of each, by its index; one at least is there
 * @named: a bit for each that the user has named
 * @lost: the word: another one that may have newer data is lost, or is to be
 * @which: index of the one, TWINS_BOTH, or else TWINS_NONE or TWINS_RAN_APART
 *
 * Return: NULL, or why none is, free() it.
 */
char *twins_choose(const struct twin_found found[SSDUP_TWINS], u32 named, bool lost, int *which);

#endif
