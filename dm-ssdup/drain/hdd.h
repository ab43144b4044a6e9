/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: requests in flight at the HDD, and flushes of its cache.
 */
#ifndef SSDUP_HDD_H
#define SSDUP_HDD_H

#include "drainer.h"

int ssdup_hdd_create(struct ssdup_drainer *drainer);

/** ssdup_hdd_begun() - count a request that is sent to the HDD; any context */
static inline void ssdup_hdd_begun(struct ssdup_drainer *drainer)
{
	this_cpu_inc(drainer->stats->hdd_begun);
	this_cpu_inc(drainer->stats->requests);
}

/** ssdup_hdd_wrote() - the HDD's cache is dirty; called before ssdup_hdd_ended() */
static inline void ssdup_hdd_wrote(struct ssdup_drainer *drainer)
{
	if (READ_ONCE(drainer->hdd_dirty) != HDD_DIRTY)
		WRITE_ONCE(drainer->hdd_dirty, HDD_DIRTY);
}

/** ssdup_hdd_ended() - count a request to the HDD that has ended; any context */
static inline void ssdup_hdd_ended(struct ssdup_drainer *drainer)
{
	this_cpu_inc(drainer->stats->hdd_ended);
}

/* Sums of all CPUs. Only their changes are meaningful. */
struct ssdup_requests {
	u64	all;		/* requests begun, plus those ended at the HDD */
	u64	reads;
	u64	writes;		/* to the SSD */
	u32	hdd_inflight;	/* at the HDD now, without the drain's */
};

/** ssdup_sum_requests() - add up the counters of all CPUs; any context, a hint */
struct ssdup_requests ssdup_sum_requests(struct ssdup_drainer *drainer);

/**
 * ssdup_hdd_dropped() - a flush of the HDD failed, and the HDD may have dropped its cache
 *
 * Call this before the failed request ends: after that a later flush may be sent, which
 * succeeds because the cache is empty. Context: any.
 */
void ssdup_hdd_dropped(struct ssdup_drainer *drainer);

/** ssdup_hdd_flush_errors() - number of flushes that have failed so far; any context */
int ssdup_hdd_flush_errors(struct ssdup_drainer *drainer);

/* A flush of the HDD, under way. */
struct hdd_flush {
	struct bio		bio;
	struct ssdup_drainer	*drainer;
	struct completion	done;
	u64			ns;		/* when it began, then how long it took */
};

/**
 * ssdup_hdd_flush_begin() - flush the HDD if direct writes ended since the last flush
 *
 * Context: process, sleeps until no other flush is under way.
 * Return: true when the caller must call ssdup_hdd_flush_end(); false: nothing to do.
 */
bool ssdup_hdd_flush_begin(struct ssdup_drainer *drainer, struct hdd_flush *f);

/** ssdup_hdd_flush_end() - wait for the flush. Return: 0, or -errno after ssdup_owe() */
int ssdup_hdd_flush_end(struct ssdup_drainer *drainer, struct hdd_flush *f);

/** ssdup_flush_hdd() - call both; process context. Return: 0 or -errno */
int ssdup_flush_hdd(struct ssdup_drainer *drainer);

/** ssdup_flush_drained() - flush a drain's writes, without waiting for other flushes */
int ssdup_flush_drained(struct ssdup_drainer *drainer);

#endif
