/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: whether the SSDs that a table names are those of one pool. Pure.
 *
 * Each SSD has a superblock, which names them all, in their order. A change of the pool is written
 * to one after the other, so after a power cut their seqs may differ: the highest is right.
 *
 * A table need not name an SSD that is not used: before it is, or when it was emptied.
 *
 * A new pool is written twice to each, see format.h. With a highest seq of SSDS_BEING_MADE none of
 * them holds anything yet, and the pool is made anew.
 */
#ifndef SSDUP_SSDS_H
#define SSDUP_SSDS_H

#include "codec.h"

#define SSDS_BEING_MADE		1U	/* log_super::pool_seq: the first of the two */

static inline bool ssds_being_made(const struct log_super *s)
{
	return s->ssds.nr > 1 && s->pool_seq == SSDS_BEING_MADE;
}

static inline bool ssds_unused(const struct log_ssds *ssds, u32 ssd)
{
	return ssds->state[ssd] == SSDUP_SSD_UNUSED;
}

/* What the superblock of an SSD says. */
struct ssd_found {
	/* LOG_OK, LOG_BLANK, LOG_SSD_MISSING: the table names none, or why it says nothing. */
	enum log_fault		fault;
	const struct log_super	*s;	/* with LOG_OK */
};

/**
 * ssdup_ssds_match() - are these all SSDs of one pool, in their order?
 * @found: of each SSD that the table names, in the table's order
 * @nr: how many; 1 to SSDUP_MAX_SSDS
 * @which: with LOG_OK, the SSD whose superblock counts; else the one that the fault is of. With
 * LOG_SSD_MISSING, the number of the first that the table does not name.
 *
 * Return: LOG_OK; LOG_BLANK: a new pool is to be made; else a fault, which is refused.
 */
enum log_fault ssdup_ssds_match(const struct ssd_found *found, u32 nr, u32 *which);

/**
 * ssdup_ssds_add() - name another SSD, which is not used yet
 * @s: the pool's superblock; unchanged if that fails
 * @number: of the SSD: the next one, or that of an unused one
 * @uuid: of the SSD
 * @segments: that it has room for; at least as many as the unused one
 * @first: UUID for the first one, if it was alone
 *
 * Return: was it possible?
 */
bool ssdup_ssds_add(struct log_super *s, u32 number, const u8 uuid[16], u32 segments,
		    const u8 first[16]);

/**
 * ssdup_ssds_set() - an SSD is used from now on, leaves, or is not used any more
 * @state: SSDUP_SSD_USED, or another one; one that leaves has to be empty before it is unused
 *
 * Another one has to be used while it leaves. Return: was it possible?
 */
bool ssdup_ssds_set(struct log_super *s, u32 number, u8 state);

/**
 * ssdup_ssds_renumber() - let a log have classes on all SSDs of its pool
 * @s: has no generation below @s->classes.era any more
 * @next: generations from here on are of classes on all SSDs
 *
 * Return: false when there would be too many classes.
 */
bool ssdup_ssds_renumber(struct log_super *s, u64 next);

/** ssdup_ssds_segments() - those of the SSDs that are used */
u32 ssdup_ssds_segments(const struct log_ssds *ssds, const struct log_geometry *g);

/** ssdup_ssds_part() - of @segments of all of these, those of number @index, by its part */
u32 ssdup_ssds_part(const struct log_ssds *ssds, const struct log_geometry *g, u32 index,
		    u64 segments);

/* All segments, of one SSD after the other. */
struct ssds_walk {
	const struct log_ssds	*ssds;
	u32			nr;			/* segments of all SSDs */
	u32			first[SSDUP_MAX_SSDS];	/* to begin with, of each */
	u32			ssd;
	u32			before;			/* segments of those in front of it */
	u32			done;			/* of its own */
};

/**
 * ssdup_ssds_walk() - begin behind the youngest segment of each SSD, so that it is worn evenly
 * @g: of the log
 * @live: its segments that hold something, the oldest first
 */
struct ssds_walk ssdup_ssds_walk(const struct log_ssds *ssds, const struct log_geometry *g,
				 const struct log_header *live, u32 nr);

/** ssdup_ssds_next() - the number of the next segment. Return: false when it was there once */
bool ssdup_ssds_next(struct ssds_walk *w, u32 *segment);

#endif
