/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: what to do when the SSD has refused a write of data. Pure.
 *
 * Such a write has not been acknowledged, so it gives its place in the log up and is
 * routed once more. The log becomes read-only only when the SSD refuses many writes, or
 * one write again and again. For writes of metadata see ssdup_meta_again().
 */
#ifndef SSDUP_RETRY_H
#define SSDUP_RETRY_H

#include "types.h"

#define RETRY_ERRORS		16U			/* more errors of data than this ... */
#define RETRY_ERRORS_NS		10000000000ULL		/* ... in this time are too many */
#define RETRY_PLACES		2U			/* tries in the log before the HDD */
#define RETRY_PLACES_MAX	8U			/* tries when the HDD must not take it */
#define RETRY_AWAY_MS		60000U			/* how long the SSD may be away */
#define RETRY_PAUSE_MS		250U			/* between tries meanwhile */

/* The times of the last errors, a ring. */
struct retry_errors {
	u64	at[RETRY_ERRORS];	/* ns */
	u32	nr;			/* up to RETRY_ERRORS */
	u32	next;
};

/**
 * ssdup_retry_count() - count another failed write of data
 * @now: ns; hardly ever lower than at the call before
 *
 * Return: true when it is one too many.
 */
bool ssdup_retry_count(struct retry_errors *e, u64 now);

/* What is known of a write that the SSD has just refused. */
struct retry_facts {
	bool	away;		/* the reason of this refusal passes by itself */
	u32	errors;		/* refusals for other reasons, this one included */
	u32	ms;		/* since the first refusal */
};

enum retry_way {
	RETRY_LOG,		/* try the log again */
	RETRY_HDD,		/* try the HDD, unless the write overlaps the log */
	RETRY_NEVER,		/* give the log up */
};

/** ssdup_retry_decide() - what to do with a write that the SSD has refused */
enum retry_way ssdup_retry_decide(const struct retry_facts *f);

#endif
