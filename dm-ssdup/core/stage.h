/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the stage: small writes that have ended in memory, and are not on the SSD yet. Pure.
 *
 * As in a disk's volatile cache, such a write is lost by a power cut unless somebody flushes. It
 * has its place in the log, and its extent is in the map. A buffer of them goes to the SSD when it
 * is full, when a commit begins, or after a tick or two. What follows on each other in the log goes
 * there as one request.
 *
 * The room of a buffer is handed out in one 32-bit word, which the caller keeps in an atomic:
 *
 *	31      30 .. 16             15 .. 0
 *	closed  records handed out   sectors handed out
 *
 * A closed buffer hands out nothing.
 *
 * The numbers below were found by tools/sim, on seeds 1 to 20 of scripts/bench/family.py. With
 * buffers of 64 or 128 KiB the speed of 16 writers of 4 KiB is the same (median), and 0.85 times as
 * much at worst; with two of 128 KiB it is 0.68 at worst. With 8 or 16 of 64 KiB commits beside
 * them are up to 8 or 16 % slower. Writes of 16 KiB gain 2 %. A request of 96 KiB is more than
 * sixteen writes of 4 KiB, also if some buffers are sent half full.
 */
#ifndef SSDUP_CORE_STAGE_H
#define SSDUP_CORE_STAGE_H

#include <linux/bits.h>
#include <linux/compiler.h>

#include "types.h"

#define STAGE_BUFFERS	4U	/* for each SSD of the log */
#define STAGE_SECTORS	192U	/* of a buffer */
#define STAGE_MOST	64U	/* sectors of a write; a longer one is sent at once */
#define STAGE_RECORDS	64U	/* writes in a buffer */

#define STAGE_CLOSED	BIT(31)

/* Where a write of a buffer goes. */
struct stage_span {
	u64	pos;		/* sector on the SSDs */
	u32	sectors;	/* 0: there is none, or not yet */
	u32	at;		/* where it is in the buffer, in sectors */
};

/** stage_records() - records that a word has handed out */
static inline u32 stage_records(u32 word)
{
	return (word & ~STAGE_CLOSED) >> 16;
}

/** stage_sectors() - sectors that a word has handed out */
static inline u32 stage_sectors(u32 word)
{
	return word & 0xffff;
}

/**
 * stage_take() - room for a write of @sectors
 * @next: set to the word behind it; the room itself begins where @word ends
 *
 * Return: false when there is none.
 */
static inline bool stage_take(u32 word, u32 sectors, u32 *next)
{
	*next = word + BIT(16) + sectors;
	return !(word & STAGE_CLOSED) && stage_records(word) < STAGE_RECORDS &&
	       stage_sectors(word) + sectors <= STAGE_SECTORS;
}

/**
 * ssdup_stage_order() - put the writes of a buffer in the order of their places
 * @span: @nr of them
 * @order: set to their numbers
 *
 * Return: how many there are.
 */
u32 ssdup_stage_order(const struct stage_span *span, u32 nr, u8 order[STAGE_RECORDS]);

/** ssdup_stage_joined() - how many of @nr in @order are contiguous from the first one on */
u32 ssdup_stage_joined(const struct stage_span *span, const u8 *order, u32 nr);

/**
 * ssdup_stage_find() - which write of a buffer has sector @pos of the SSDs?
 *
 * Context: any; others may add writes meanwhile. Return: its number, or @nr: none has it.
 */
u32 ssdup_stage_find(const struct stage_span *span, u32 nr, u64 pos);

#endif
