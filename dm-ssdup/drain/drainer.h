/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: from the log to the HDD: what other rooms see of the drain.
 */
#ifndef SSDUP_DRAINER_H
#define SSDUP_DRAINER_H

#include "base/errors.h"
#include "route/router.h"

/* What direct writes have left in the cache of the HDD. */
enum hdd_cache {
	HDD_CACHE_EMPTY,
	HDD_CACHE_DIRTY,	/* some may not be durable */
	HDD_CACHE_FLUSHING,	/* a flush is under way, and no write ended since it began */
};

/* What retain.c remembers of clean segments. */
struct drain_clean {
	struct mutex		lock;		/* one is forgotten, or a copy becomes clean */
	u32			forgets;	/* of all that is clean; written with the lock */
	atomic_t		doubts;		/* see ssdup_copies_doubt() */
	int			doubts_settled;	/* of these, before all was forgotten; the work's */
	atomic_t		errors;		/* of reads, since the resume */
	bool			refill;		/* see struct clean_facts; the work's */
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
	 * enum hdd_cache. A write that ends and finds HDD_CACHE_DIRTY precedes the exchange to
	 * HDD_CACHE_FLUSHING, so that flush covers it.
	 */
	u32			hdd_dirty;

	/* Not on the line that each direct write reads. */
	bool			short_of_memory ____cacheline_aligned_in_smp;	/* a hint */
	bool			paused;		/* by a message; a hint */
	atomic_t		nr_asking;	/* processes that wait for a drain; a hint */
	u64			segment_ns;	/* expected time to drain and free one; a hint */
	u64			relocated;	/* extents ever; the thread writes these two */
	u64			unwritable;	/* of these, because the HDD refused them */
	int			drain_error;	/* of the last try, or 0; a hint */
	bool			anew;		/* one was requested since the try began; a hint */
	u32			doubted;	/* groups in a row; see ssdup_flush_group() */
	struct drain_clean	clean;
	u32			closed;		/* a bit for each SSD, as the thread has seen */
	enum drain_state	drain_state;	/* of the thread, for status only */
	enum drain_state	free_state;	/* of the work that frees; DRAIN_IDLE: none */
};

static inline void drain_does(struct ssdup_drainer *drainer, enum drain_state state)
{
	WRITE_ONCE(drainer->drain_state, state);
}

/* --- The writeback thread: writeback.c --- */

/** ssdup_writeback_create() - make no thread yet; destroy after -ENOMEM too */
int ssdup_writeback_create(struct ssdup_drainer *drainer);
void ssdup_writeback_destroy(struct ssdup_drainer *drainer);

/** ssdup_writeback_prepare() - make the thread, still asleep; context: preresume */
int ssdup_writeback_prepare(struct ssdup_drainer *drainer);

/** ssdup_writeback_start() - start the thread, if there is one; context: resume */
void ssdup_writeback_start(struct ssdup_drainer *drainer);

/** ssdup_writeback_stop() - stop the thread, if there is one, after its batch; sleeps */
void ssdup_writeback_stop(struct ssdup_drainer *drainer);

/* --- What users ask of it, and what they are told: requests.c --- */

/** ssdup_drain_start() - end a pause, and drain what the log holds now; any context */
void ssdup_drain_start(struct ssdup_drainer *drainer);

/** ssdup_drain_pause() - drain only for waiting writes; ssdup_drain_all() returns -ECANCELED */
void ssdup_drain_pause(struct ssdup_drainer *drainer);

/** ssdup_drain_errno() - why the last try failed, or what failed SSDs keep; 0; any context */
int ssdup_drain_errno(const struct ssdup_drainer *drainer);

/** ssdup_drain_state() - what the drain does or waits for; any context */
enum drain_state ssdup_drain_state(struct ssdup_drainer *drainer);

/**
 * ssdup_drain_all() - commit and drain everything written so far
 *
 * A suspend that begins meanwhile ends the wait.
 *
 * Context: process, sleeps, interruptible.
 * Return: 0, -EINTR, -EAGAIN for a suspend, -ECANCELED for a pause, -EIO when part of the
 * log had to stay, or the error of a drain that was tried after the call.
 */
int ssdup_drain_all(struct ssdup_drainer *drainer);

/** ssdup_drain_fails() - did the last try of a drain fail? any context, a hint */
static inline bool ssdup_drain_fails(const struct ssdup_drainer *drainer)
{
	return READ_ONCE(drainer->drain_error);
}

/** ssdup_nodes_wanted() - a write waits for memory: what is clean has to give nodes back */
static inline void ssdup_nodes_wanted(struct ssdup_drainer *drainer)
{
	WRITE_ONCE(drainer->short_of_memory, true);
}

/* --- Requests in flight at the HDD, and flushes of its cache: hdd.c --- */

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
	if (READ_ONCE(drainer->hdd_dirty) != HDD_CACHE_DIRTY)
		WRITE_ONCE(drainer->hdd_dirty, HDD_CACHE_DIRTY);
}

/** ssdup_hdd_ended() - count a request to the HDD that has ended; any context */
static inline void ssdup_hdd_ended(struct ssdup_drainer *drainer)
{
	this_cpu_inc(drainer->stats->hdd_ended);
}

/* A flush of the HDD, under way. */
struct hdd_flush {
	struct bio		bio;
	struct ssdup_drainer	*drainer;
	struct completion	done;
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

/* --- Segments that stay clean when they are freed, until they are in the way: retain.c --- */

/** ssdup_clean_most() - of @nr segments that are freed: how many of the youngest stay clean */
u32 ssdup_clean_most(struct ssdup_drainer *drainer, u32 nr);

/** ssdup_clean_work() - forget the oldest one if there is a reason, and free what reads held */
void ssdup_clean_work(struct work_struct *work);

/** ssdup_clean_forget() - forget all that is clean now; process context */
void ssdup_clean_forget(struct ssdup_drainer *drainer);

/**
 * ssdup_clean_error() - the SSD has failed a request for clean data; any context
 *
 * After CLEAN_ERRORS that do not pass nothing is clean any more until a resume.
 */
void ssdup_clean_error(struct ssdup_drainer *drainer, blk_status_t status);

/* A copy of what was read from the HDD, on its way to the SSD. */
struct clean_copy {
	u64	start;		/* sector on the HDD */
	u64	pos;		/* sector on the SSD */
	u32	sectors;
	u32	since;		/* ssdup_copies_epoch() before the HDD was read */
};

/**
 * ssdup_copies_doubt() - a disk may have dropped what is copied: any context
 *
 * The HDD what it was read from, or the SSD what was not flushed. So no copy is read until all
 * that there are have been forgotten.
 */
void ssdup_copies_doubt(struct ssdup_drainer *drainer);

/** ssdup_copies_doubted() - is that so? any context */
bool ssdup_copies_doubted(const struct ssdup_drainer *drainer);

/** ssdup_copies_room() - is there room for copies? any context, a hint */
bool ssdup_copies_room(struct ssdup_drainer *drainer);

/** ssdup_copies_epoch() - a copy that was begun in another one is not published; any context */
u32 ssdup_copies_epoch(const struct ssdup_drainer *drainer);

/**
 * ssdup_copies_reserve() - a place on the SSD for a copy; process context, one at a time, sleeps
 * @pos: set to its sector
 *
 * Return: its segment, until ssdup_put_read(); NULL: there is none now.
 */
struct ssdup_segment *ssdup_copies_reserve(struct ssdup_drainer *drainer, u32 sectors, u64 *pos);

/**
 * ssdup_copies_publish() - a copy has been written: reads may find it, if nothing has cut its claim
 *
 * Context: process, sleeps. Return: false: the claim, if any of it is left, stays the caller's.
 */
bool ssdup_copies_publish(struct ssdup_drainer *drainer, struct ssdup_segment *seg,
			  struct extent_array *claim, const struct clean_copy *copy);

/* --- Discards of free segments; an hour of rest if the SSD fails one: discard_free.c --- */

/** ssdup_discard_work() - discard a batch, then rest */
void ssdup_discard_work(struct work_struct *work);

/** ssdup_discard_soon() - discard what is free, after the rest if it rests; any context */
void ssdup_discard_soon(struct ssdup_drainer *drainer);

#endif
