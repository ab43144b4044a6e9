/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: what is in flight at the HDD, and what its cache may hold.
 */
#ifndef SSDUP_HDD_H
#define SSDUP_HDD_H

#include "halves.h"

int ssdup_hdd_create(struct ssdup *c);
void ssdup_hdd_destroy(struct ssdup *c);

/** ssdup_hdd_begun() - a request is sent to the HDD; any context */
static inline void ssdup_hdd_begun(struct ssdup *c)
{
	this_cpu_inc(c->stats->hdd_begun);
	this_cpu_inc(c->stats->requests);
}

/** ssdup_hdd_wrote() - a write has left data in its cache; before ssdup_hdd_ended() */
static inline void ssdup_hdd_wrote(struct ssdup *c)
{
	if (READ_ONCE(c->hdd_dirty) != HDD_DIRTY)
		WRITE_ONCE(c->hdd_dirty, HDD_DIRTY);
}

/** ssdup_hdd_ended() - a request to the HDD has ended; any context */
static inline void ssdup_hdd_ended(struct ssdup *c)
{
	this_cpu_inc(c->stats->hdd_ended);
}

/**
 * ssdup_hdd_dropped() - a flush of the HDD failed, and may have dropped what was in its cache
 *
 * To be called before the request that failed ends: a later flush, which finds nothing to do
 * any more and succeeds, is not sent before that.
 *
 * Context: any.
 */
void ssdup_hdd_dropped(struct ssdup *c);

/** ssdup_hdd_flush_errors() - how many flushes have failed so far; any context */
int ssdup_hdd_flush_errors(struct ssdup *c);

/* A flush of the HDD, under way. */
struct hdd_flush {
	struct bio		bio;
	struct ssdup		*c;
	struct completion	done;
	u64			ns;		/* when it began, then how long it took */
};

/**
 * ssdup_hdd_flush_begin() - flush the HDD if direct writes ended since the last flush
 *
 * Context: process, sleeps; one at a time.
 * Return: false when there is nothing to do; else it ends with ssdup_hdd_flush_end().
 */
bool ssdup_hdd_flush_begin(struct ssdup *c, struct hdd_flush *f);

/** ssdup_hdd_flush_end() - wait for it. Return: 0, or -errno, which is owed already */
int ssdup_hdd_flush_end(struct ssdup *c, struct hdd_flush *f);

/** ssdup_flush_hdd() - the two, one after the other; process context */
int ssdup_flush_hdd(struct ssdup *c);

/** ssdup_flush_drained() - flush the HDD for what a drain wrote there, beside other flushes */
int ssdup_flush_drained(struct ssdup *c);

#endif
