/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: where a write goes: to which disk, to which class, or into the list of those that wait.
 * The fast path of requests is in stream.h and window.h.
 */
#ifndef SSDUP_ROUTER_H
#define SSDUP_ROUTER_H

#include "core/allowance.h"
#include "core/detector.h"
#include "core/window.h"
#include "map/map.h"

/* What room on the SSD costs: budget.c */
struct ssdup_budget {
	u64			price;		/* ns, see core/allowance.h; 0: none */
	unsigned long		settling;	/* bit 0 is a lock for the account */
	struct allowance	account;
};

struct ssdup_router {
	struct ssdup		*c;
	struct ssdup_log	*log;
	struct ssdup_map	*map;
	struct ssdup_stats __percpu *stats;	/* of @c */
	struct ssdup_windows	*windows;	/* policy balance */
	struct ssdup_budget	budget;		/* of the SSD */
	struct stream_window	*window_now;	/* a stale one misses a sample */
	unsigned long		stream_due;	/* jiffies: resume sampling, if that is NULL */
	struct ssdup_stream	*stream;
	enum ssdup_disk		route;		/* a hint; either disk is always correct */
	struct class_rules __rcu *class_rules;	/* of new data; NULL: none were set */
	u32			turn;		/* SSD of the last write; a hint */
	struct ssdup_waiting	*waiting;
	struct ssdup_away	*away;
} ____cacheline_aligned_in_smp;

/* --- Sampling of writes into windows, and the route of the next stream: stream.c --- */

/* Filled without a lock, see stream.c. */
struct stream_window {
	atomic_t		next ____cacheline_aligned_in_smp;
	atomic_t		filled;
	struct stream_sample	s[SSDUP_STREAM] ____cacheline_aligned_in_smp;
};

/** ssdup_stream_create() - make empty windows and the first route; context: the constructor */
int ssdup_stream_create(struct ssdup_router *router);

/** ssdup_stream_policy() - a policy was set, in the settings: where does the next write go? */
void ssdup_stream_policy(struct ssdup_router *router, enum ssdup_policy policy);

/** ssdup_stream_full() - evaluate the current window, which the caller has completed */
void ssdup_stream_full(struct ssdup_router *router, struct stream_window *w);

/** ssdup_stream_go_on() - end the sampling's rest; any context */
void ssdup_stream_go_on(struct ssdup_router *router);

/* --- What room on the SSD costs: budget.c --- */

/**
 * ssdup_budget_settle() - bring the account of the SSD's budget up to date, and set the price
 *
 * Context: any. Return: sectors that are left, 0 without a budget.
 */
u64 ssdup_budget_settle(struct ssdup_router *router);

/** ssdup_budget_day() - sectors that the key ssd_budget allows in a day, 0: no limit */
u64 ssdup_budget_day(const struct ssdup_router *router);

/** ssdup_budget_written() - sectors written to the SSD since the table was loaded; any context */
u64 ssdup_budget_written(struct ssdup_router *router);

/** ssdup_budget_inherit() - take over the account of an earlier table, or NULL; context: process */
void ssdup_budget_inherit(struct ssdup_router *router, struct ssdup_router *from);

/* --- What is in flight, and what was learnt of the disks, for policy balance: window.c --- */

#define FLUSHERS_BITS	6

/* Hints without a lock, but for the atomics. */
struct ssdup_windows {
	struct window_map	map;
	struct window_speed	speed;
	unsigned long		read_until;	/* jiffies: so long who read the HDD comes again */
	unsigned long		flush_until;	/* jiffies: so long who flushes comes again */
	struct {
		pid_t		pid;
		unsigned long	until;		/* the same, of a task */
	} flusher[BIT(FLUSHERS_BITS)];
	unsigned long		passes;		/* bits of enum window_pass */
	atomic_t		in_flight[2] ____cacheline_aligned_in_smp;	/* sectors */
	atomic_t		reads;		/* of the HDD, in flight */
};

/** ssdup_windowed() - do windows choose the disk of a write? Context: any; a hint */
static inline bool ssdup_windowed(const struct ssdup *c)
{
	return READ_ONCE(c->set.policy) == SSDUP_POLICY_BALANCE;
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

/** ssdup_spread_begin() - one of several SSDs gets a write; any context */
void ssdup_spread_begin(struct ssdup_router *router, struct ssdup_ssd *ssd, u32 sectors);

/** ssdup_spread_end() - it has ended, and took @ns; 0: it was not timed; any context */
void ssdup_spread_end(struct ssdup_ssd *ssd, u32 sectors, u64 ns);

/** ssdup_class_other() - its SSD has no room: has new data another class now? any context */
bool ssdup_class_other(struct ssdup_router *router, struct ssdup_io *io);

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
 * --- Writes that wait for a window, or for a place in the log: waiters.c ---
 *
 * Each class has its own lists, as it has its own ring and open segment, so no class waits behind
 * another. There is one for each kind of core/window.h, in which tasks take turns, and places have
 * an order.
 *
 * A map function must not sleep: the write that a drain waits for may be on the same task's
 * list of bios to submit. So a write that finds no place joins a list, and a work item
 * tries the lists again when something has changed.
 *
 * c->nr_waiting counts the writes on all lists and those being tried.
 */

/** ssdup_wait_create() - make empty lists; context: the constructor. Return: 0 or -ENOMEM */
int ssdup_wait_create(struct ssdup_router *router);

/** ssdup_wait_add() - add a write to its list; any context */
void ssdup_wait_add(struct ssdup_router *router, struct ssdup_io *io);

/** ssdup_wait_queue() - do others of its class wait, so that a new write queues? Any context */
bool ssdup_wait_queue(const struct ssdup_router *router, const struct ssdup_io *io);

/* Of the writes of each kind that wait, the one that comes first, see ssdup_window_before(). */
struct wait_first {
	struct window_first	facts[WINDOW_KINDS];
	struct ssdup_io		*io[WINDOW_KINDS];	/* for who takes them: there is one */
};

/**
 * ssdup_wait_look() - look at the writes that wait
 * @skip: a bit for each class to pass over
 * @first: of each kind that waits
 *
 * Context: any. Return: a bit for each of these kinds.
 */
u32 ssdup_wait_look(struct ssdup_router *router, u32 skip, struct wait_first *first);

/** ssdup_wait_take() - take one of these; it still counts. Context: the work, ssdup_wait_work() */
struct bio *ssdup_wait_take(struct ssdup_router *router, struct ssdup_io *io);

/**
 * ssdup_wait_again() - put writes back that were taken; process context
 * @kept: these; empty afterwards
 */
void ssdup_wait_again(struct ssdup_router *router, struct bio_list *kept);

/** ssdup_wait_done() - a write that was taken does not wait any more; process context */
void ssdup_wait_done(struct ssdup_router *router, const struct ssdup_io *io);

/** ssdup_nr_waits() - how often a write has begun to wait for a free segment; any context */
u64 ssdup_nr_waits(const struct ssdup_router *router);

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
bool ssdup_data_error(struct ssdup_router *router, struct ssdup_ssd *ssd, blk_status_t status);

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

#endif
