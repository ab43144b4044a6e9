/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: from the log to the HDD.
 */
#ifndef SSDUP_DRAINER_H
#define SSDUP_DRAINER_H

#include "base/errors.h"
#include "route/router.h"

/* What direct writes have left in the cache of the HDD. */
enum hdd_cache {
	HDD_CLEAN,
	HDD_DIRTY,		/* some may not be durable */
	HDD_FLUSHING,		/* a flush is under way, and no write ended since it began */
};

struct ssdup_drainer {
	struct ssdup		*c;
	struct ssdup_log	*log;
	struct ssdup_map	*map;
	struct ssdup_router	*router;
	struct ssdup_stats __percpu *stats;	/* of @c */
	struct ssdup_writeback	*writeback;
	struct ssdup_copier	*copier;
	struct ssdup_hdd	*hdd_state;
	/*
	 * enum hdd_cache. A write that ends and finds HDD_DIRTY precedes the exchange to
	 * HDD_FLUSHING, so that flush covers it.
	 */
	u32			hdd_dirty;

	/* Not on the line that each direct write reads. */
	bool			short_of_memory ____cacheline_aligned_in_smp;	/* a hint */
	bool			paused;		/* by a message; a hint */
	atomic_t		nr_asking;	/* processes that wait for a drain; a hint */
	atomic64_t		next_pass;	/* ns: in the last segments; throttle.c */
	u64			relocated;	/* extents ever; the thread writes these two */
	u64			unwritable;	/* of these, because the HDD refused them */
	int			drain_error;	/* of the last try, or 0; a hint */
	enum drain_state	drain_state;	/* of the thread, for status only */
	enum drain_state	free_state;	/* of the work that frees; DRAIN_IDLE: none */
};

static inline void drain_does(struct ssdup_drainer *drainer, enum drain_state state)
{
	WRITE_ONCE(drainer->drain_state, state);
}

#endif
