/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: what follows when the SSD has refused a write of data. Pure.
 *
 * Such a write has not been acknowledged, so it takes no harm: it gives its place in
 * the log up and is routed once more. Only an SSD that refuses many writes, or one
 * write again and again, makes the log read-only. A write of metadata is another
 * matter, see ssdup_meta_again().
 */
#ifndef SSDUP_RETRY_H
#define SSDUP_RETRY_H

#include "types.h"

#define RETRY_ERRORS		16U			/* of data are borne ... */
#define RETRY_ERRORS_NS		10000000000ULL		/* ... in so long */
#define RETRY_PLACES		2U			/* of the log, before the HDD is asked */
#define RETRY_PLACES_MAX	8U			/* when the HDD must not take it */
#define RETRY_AWAY_MS		60000U			/* that the SSD may be away for */
#define RETRY_PAUSE_MS		250U			/* between tries meanwhile */

/* The times of the last errors, a ring. */
struct retry_errors {
	u64	at[RETRY_ERRORS];	/* ns */
	u32	nr;			/* ever, as far as it matters */
	u32	next;
};

/**
 * ssdup_retry_count() - another write of data has failed
 * @now: ns; as good as never lower than at the call before
 *
 * Return: true when it is one too many.
 */
bool ssdup_retry_count(struct retry_errors *e, u64 now);

/* What is known of a write that the SSD has just refused. */
struct retry_facts {
	bool	away;		/* this time for a reason that passes by itself */
	u32	errors;		/* refused for other reasons so often, this time included */
	u32	ms;		/* since it was refused for the first time */
};

enum retry_way {
	RETRY_LOG,		/* as before */
	RETRY_HDD,		/* to the HDD, unless something in the log overlaps it */
	RETRY_NEVER,		/* the log is to be given up */
};

/** ssdup_retry_decide() - what to do with a write that the SSD has refused */
enum retry_way ssdup_retry_decide(const struct retry_facts *f);

#endif
