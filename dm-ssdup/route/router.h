/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: where a write goes: to which disk, to which class, or into the list of those that wait.
 * The fast path of requests is in stream.h, meter.h and choice.h.
 */
#ifndef SSDUP_ROUTER_H
#define SSDUP_ROUTER_H

#include "core/balance.h"
#include "core/ghost.h"
#include "core/thrift.h"
#include "map/map.h"

struct ssdup_router {
	struct ssdup		*c;
	struct ssdup_log	*log;
	struct ssdup_map	*map;
	struct ssdup_stats __percpu *stats;	/* of @c */
	struct ssdup_meter	*meter;		/* of the disks; policy balance */
	struct ssdup_windows	*windows;	/* the same; policy windows */
	struct stream_window	*window_now;	/* a stale one misses a sample */
	unsigned long		stream_due;	/* jiffies: resume sampling, if that is NULL */
	struct ssdup_stream	*stream;
	enum ssdup_disk		route;		/* a hint; either disk is always correct */
	struct class_rules __rcu *class_rules;	/* of new data; NULL: none were set */
	struct ssdup_waiting	*waiting;
	struct ssdup_away	*away;
	struct ghosts		*ghosts;	/* NULL: not wanted; a hint */
	struct ghosts		*ghosts_kept;	/* their memory, until the table goes */
} ____cacheline_aligned_in_smp;

/* --- Sampling of writes into windows, and the route of the next stream: stream.c --- */

/* Filled without a lock, see stream.c. */
struct stream_window {
	atomic_t		next ____cacheline_aligned_in_smp;
	atomic_t		filled;
	u32			length;
	struct stream_sample	s[SSDUP_STREAM_MAX] ____cacheline_aligned_in_smp;
};

/** ssdup_stream_create() - make empty windows and the first route; context: the constructor */
int ssdup_stream_create(struct ssdup_router *router);

/** ssdup_stream_percentage() - random percentage of the last stream, 1/10000; any context */
u32 ssdup_stream_percentage(const struct ssdup_router *router);

/** ssdup_stream_threshold() - adaptive threshold after that stream, 1/10000; any context */
u32 ssdup_stream_threshold(const struct ssdup_router *router);

/** ssdup_stream_full() - evaluate the current window, which the caller has completed */
void ssdup_stream_full(struct ssdup_router *router, struct stream_window *w);

/** ssdup_stream_go_on() - end the sampling's rest; any context */
void ssdup_stream_go_on(struct ssdup_router *router);

/*
 * --- The load and the speed of the disks, on which core/balance.h decides: meter.c ---
 *
 * All of this is statistics without a lock. When two CPUs write a field at once, the loss is a
 * little accuracy about the last milliseconds.
 */

/*
 * One disk. With one request at a time, two clock reads per request cost too much. Once the
 * prices fit such a load, the disk rests: nothing is measured until requests queue, or until
 * tuning.rest requests have ended.
 */
struct disk_meter {
	atomic64_t	queue;		/* ns: expected time of the work in flight */
	atomic64_t	ended;		/* balance_summand()s since the last look */
	u32		look;		/* requests between looks, see ssdup_meter_rests() */
	u32		empty;		/* requests that found the queue empty; not kept at rest */
	u64		looked;		/* ns: time of the last look */
	u64		idle_since;	/* ns: when the queue ran empty; not kept at rest */
	u64		idle;		/* ns: idle time since the last look; not kept at rest */
	u64		done;		/* ns: expected time of all requests ended by that look */
	u64		to_come;	/* ns: balance_to_come() */
	unsigned long	looking;	/* bit 0 */
	atomic_t	strange;	/* writes and flushes of drains in flight */
	bool		drained;	/* such work since the last look: learn nothing */
	struct balance_cost cost;
} ____cacheline_aligned_in_smp;

struct ssdup_meter {
	struct disk_meter	hdd;
	struct disk_meter	ssd;
	struct balance_map	map;
	/* Read by every write. */
	u32	small;		/* sectors: writes up to this go unseen, see ssdup_balance() */
	u32	age;		/* ticks: tuning.tick writes each */
	u32	keep;		/* balance_keep() */
	u64	price;		/* of BALANCE_UNIT sectors on the SSD, see core/thrift.h; ns */
	u32	promised_part;	/* promised part of the free log; 1/BALANCE_ONE */
	u64	flush_price;	/* ns: what flushes add to the price of a direct write */
	u64	small_wait;	/* ns: ssdup_balance_small_wait(), of the last window */
	/* The sources of the above. */
	u32	skipped;	/* @small before the last tick */
	u64	left;		/* sectors: free log at the last tick */
	u64	promised;	/* sectors: the rest of chunks that were begun on the SSD */
	u32	flushes;	/* of the HDD, ever */
	u32	flushes_seen;	/* at the end of the last window */
	u32	flush_rate;	/* flushes in the last window, or in this one if more */
	u64	flush_ns;	/* of a FLUSH of the HDD */
	u64	sync_ns;	/* of a flush that frees segments */
	u64	drain_ns;	/* of BALANCE_UNIT sectors of a drain */
	u64	free_ns;	/* the same, until they are free */
	u64	net_ns;		/* the same, without what else the HDD does meanwhile */
	struct thrift_account account;
	unsigned long	settling;	/* bit 0 is a lock for the account */
};

/** ssdup_meter_create() - start with assumed costs. Return: 0 or -ENOMEM. */
int ssdup_meter_create(struct ssdup_router *router);

/** ssdup_meter_logged() - a write, with its space in the log and its place, is sent to the SSD */
void ssdup_meter_logged(struct ssdup_router *router, struct ssdup_io *io);

/** ssdup_meter_front() - update the work to come: a front, or a write it announced, is sent */
void ssdup_meter_front(struct disk_meter *disk, const struct ssdup_io *io);

/** ssdup_meter_turn() - a queue that held @before got work, see ssdup_queue_add() */
void ssdup_meter_turn(struct disk_meter *disk, u64 before);

/** ssdup_meter_empty() - a queue ran empty */
void ssdup_meter_empty(struct disk_meter *disk);

/** ssdup_meter_look() - learn from the requests that have ended, or end the disk's rest */
void ssdup_meter_look(struct disk_meter *disk);

/* A drain's write to the HDD, or a flush of it that frees segments, in flight. */
struct meter_drain {
	u64	begun;
	u64	price;
	u64	done;		/* ns: done_ns() of the HDD at the beginning; of a write */
	u32	sectors;	/* of a write */
};

/** ssdup_meter_drain_begin() - the drain will write @sectors to the HDD now; fills in @b */
void ssdup_meter_drain_begin(struct ssdup_router *router, struct meter_drain *b, u32 sectors);

/** ssdup_meter_drain_end() - that write ended at @ended (ns); context: the drain's thread */
void ssdup_meter_drain_end(struct ssdup_router *router, const struct meter_drain *b, u64 ended);

/** ssdup_meter_flush() - count a flush of the device; process context, one at a time */
void ssdup_meter_flush(struct ssdup_router *router);

/* A moment, and what the HDD has done for others than drains by then. */
struct meter_mark {
	u64	ns;
	u64	done;		/* ns: expected time of the requests that have ended */
};

/** ssdup_meter_mark() - this moment; any context */
struct meter_mark ssdup_meter_mark(const struct ssdup_router *router);

/** ssdup_meter_freed() - a group of @sectors was copied and freed between two moments */
void ssdup_meter_freed(struct ssdup_router *router, u64 sectors, struct meter_mark since,
		       struct meter_mark now);

/** ssdup_meter_free_ns() - expected time until @sectors more are drained and free; any context */
u64 ssdup_meter_free_ns(const struct ssdup_router *router, u32 sectors);

/** ssdup_meter_flushed() - a FLUSH of the HDD took @ns; one at a time */
void ssdup_meter_flushed(struct ssdup_router *router, u64 ns);

/**
 * ssdup_meter_sync_begin() - the HDD will be flushed now to free segments; fills in @f
 *
 * The flush may take a second, so its price is queued. Context: process, one at a time.
 */
void ssdup_meter_sync_begin(struct ssdup_router *router, struct meter_drain *f);

/** ssdup_meter_sync_end() - that flush has ended; context: as above */
void ssdup_meter_sync_end(struct ssdup_router *router, const struct meter_drain *f);

/** ssdup_meter_tick() - called about every tuning.tick writes, by a write that is then measured */
void ssdup_meter_tick(struct ssdup_router *router);

/**
 * ssdup_meter_settle() - bring the account of the SSD's budget up to date, and set the price
 *
 * Context: any. Return: sectors that are left, 0 without a budget.
 */
u64 ssdup_meter_settle(struct ssdup_router *router);

/** ssdup_meter_budget() - sectors that the key ssd_budget allows in a day, 0: no limit */
u64 ssdup_meter_budget(const struct ssdup_router *router);

/** ssdup_meter_written() - sectors written to the SSD since the table was loaded; any context */
u64 ssdup_meter_written(struct ssdup_router *router);

/** ssdup_meter_inherit() - take over the account of an earlier table, or NULL; context: process */
void ssdup_meter_inherit(struct ssdup_router *router, struct ssdup_router *from);

/** ssdup_meter_quiet() - policy balance has little to choose from; a hint */
bool ssdup_meter_quiet(const struct ssdup_router *router);

/* --- What is in flight, and what was learnt, for the policy of windows: window.c --- */

/** ssdup_windowed() - do windows choose the disk of a write? Context: any; a hint */
static inline bool ssdup_windowed(const struct ssdup *c)
{
	return READ_ONCE(c->set.policy) == SSDUP_POLICY_WINDOWS;
}

/* Who has the HDD to himself meanwhile. */
enum window_pass {
	WINDOW_PASS_COPIES,	/* the thread of the drain, that writes there */
	WINDOW_PASS_FREES,	/* the work that flushes it, to free a group */
};

/** ssdup_window_create() - nothing is known yet. Return: 0 or -ENOMEM. */
int ssdup_window_create(struct ssdup_router *router);

/** ssdup_window_pass() - a pass of the drain begins or ends; any context, one at a time of each */
void ssdup_window_pass(struct ssdup_router *router, enum window_pass pass, bool begins);

/** ssdup_window_wants_pass() - do writes wait for a drain? any context, a hint */
bool ssdup_window_wants_pass(struct ssdup_router *router);

/*
 * --- The class of a write to the log: classes.c ---
 *
 * What the log holds keeps its class, so two classes never hold the same sector. New data gets
 * the class that was set for its sectors, or else for its cgroup, its hint, or the present job.
 */

void ssdup_classes_destroy(struct ssdup_router *router);

/**
 * ssdup_class_take() - choose the class of a write that was just mapped
 * @io: sectors are cut to the first part that has one class; own and class are set
 *
 * The map may change until the write ends: ssdup_insert() looks again. Context: any.
 */
void ssdup_class_take(struct ssdup_router *router, const struct bio *bio, struct ssdup_io *io);

/**
 * ssdup_class_keep() - choose it again for a write that cannot be cut any more
 *
 * Context: any. Return: false when two classes hold parts of it. Then it must wait for the drain
 * of one of them, which this asks for.
 */
bool ssdup_class_keep(struct ssdup_router *router, struct ssdup_io *io);

/**
 * ssdup_class_message() - set the class of new data
 * @name: of the table, or "default"
 * @start: NULL: of all data that no range has; else in sectors of the device, as is @len
 *
 * Context: process. Return: 0 or -errno, with *error set.
 */
int ssdup_class_message(struct ssdup_router *router, const char *name, const char *start,
			const char *len, const char **error);

/**
 * ssdup_class_cgroup() - set the class of a cgroup's new data
 * @text: "PATH CLASS" or "NUMBER CLASS"
 *
 * Context: process. Return: 0 or -errno, with *error set.
 */
int ssdup_class_cgroup(struct ssdup_router *router, const char *text, const char **error);

/** ssdup_class_cgroups() - a line for each of these, or "none"; context: process */
ssize_t ssdup_class_cgroups(struct ssdup_router *router, char *buf);

/*
 * --- Writes that wait for a place in the log: waiters.c ---
 *
 * Each class has its own list, as it has its own ring and open segment, so no class waits behind
 * another. Tasks take turns, see core/turns.h.
 *
 * A map function must not sleep: the write that a drain waits for may be on the same task's
 * list of bios to submit. So a write that finds no place joins a list, and a work item
 * tries the lists again when something has changed.
 *
 * c->nr_waiting counts the writes on all lists and those being tried.
 */

/** ssdup_wait_create() - make empty lists; context: the constructor. Return: 0 or -ENOMEM */
int ssdup_wait_create(struct ssdup_router *router);

/** ssdup_wait_add() - add a write to its class's list, at its turn; any context */
void ssdup_wait_add(struct ssdup_router *router, struct bio *bio, struct ssdup_io *io);

/** ssdup_wait_queue() - do others of its class wait, so that a new write queues? Any context */
bool ssdup_wait_queue(const struct ssdup_router *router, const struct ssdup_io *io);

/**
 * ssdup_wait_pop() - take a write; it still counts; process context
 * @skip: a bit for each class to pass over
 *
 * Return: the one whose turn is the earliest, or NULL.
 */
struct bio *ssdup_wait_pop(struct ssdup_router *router, u32 skip);

/** ssdup_wait_kinds() - a bit for each kind of window.h that waits in other classes; any context */
u32 ssdup_wait_kinds(struct ssdup_router *router, u32 skip);

/** ssdup_wait_pop_kind() - ssdup_wait_pop() of a kind */
struct bio *ssdup_wait_pop_kind(struct ssdup_router *router, u32 skip, enum window_kind kind);

/** ssdup_wait_pop_overdue() - the same, of one that has waited for the key max_wait_ms, or NULL */
struct bio *ssdup_wait_pop_overdue(struct ssdup_router *router, u32 skip);

/**
 * ssdup_wait_again() - put popped writes back; process context
 * @kept: the last that was popped first; empty afterwards
 */
void ssdup_wait_again(struct ssdup_router *router, struct bio_list *kept);

/** ssdup_wait_done() - a popped write does not wait any more; process context */
void ssdup_wait_done(struct ssdup_router *router, const struct ssdup_io *io);

/** ssdup_waits() - how often a write has begun to wait for a free segment; any context */
u64 ssdup_waits(const struct ssdup_router *router);

/** ssdup_longest_wait() - the longest time that a write has waited, ms; any context */
u32 ssdup_longest_wait(const struct ssdup_router *router);

/** ssdup_wait_clear() - forget the longest wait; any context */
void ssdup_wait_clear(struct ssdup_router *router);

/* --- Writes that the SSD refuses, and an SSD that is away for a while: refusals.c --- */

int ssdup_away_create(struct ssdup_router *router);

/**
 * ssdup_data_error() - count a failed data write to the SSD; any context
 *
 * A transient error shuts the log for a while. Too many others make it read-only.
 * Return: true when the error was transient.
 */
bool ssdup_data_error(struct ssdup_router *router, blk_status_t status);

/**
 * ssdup_refused() - prepare a write that the SSD refused for another route
 * @io: io->route may change
 *
 * Context: any.
 */
void ssdup_refused(struct ssdup_router *router, struct ssdup_io *io, blk_status_t status);

/** ssdup_renew() - restore a failed bio, to submit it again; process context */
void ssdup_renew(struct ssdup_router *router, struct bio *bio, const struct ssdup_io *io);

/** ssdup_look_for_ssd() - reopen a shut log when its pause is over; for ssdup_wait_work() */
void ssdup_look_for_ssd(struct ssdup_router *router);

/* --- What a read cache would do, which is not there: ghosts.c --- */

/**
 * ssdup_ghosts_set() - begin to count, or stop it
 *
 * Context: from preresume on, one at a time; sleeps. Return: 0, or -ENOMEM: nothing has changed.
 */
int ssdup_ghosts_set(struct ssdup_router *router, bool on);
void ssdup_ghosts_destroy(struct ssdup_router *router);

/** ssdup_ghosts_end() - a read of the HDD has ended; any context */
void ssdup_ghosts_end(struct ssdup_router *router, const struct ssdup_io *io, bool meta);

#endif
