/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the disk of a write by windows. It asks core/window.h about what is in flight, what was
 * learnt, and which writes wait. Inline, because every write comes here.
 */
#ifndef SSDUP_WINDOWS_H
#define SSDUP_WINDOWS_H

#include <linux/hash.h>
#include <linux/sched.h>

#include "core/window.h"
#include "log/log.h"
#include "router.h"

#define WINDOW_SEEN_MS	100U	/* who read the HDD, or flushed the device, does it again */

/* The price of room on the SSD. With a budget, each write looks at what is left. */
static __always_inline u64 ssdup_window_price(struct ssdup_router *router)
{
	if (likely(!READ_ONCE(router->c->set.ssd_budget)))
		return 0;
	ssdup_budget_settle(router);
	return READ_ONCE(router->budget.price);
}

/* Who did it now does it again until then. */
static __always_inline unsigned long ssdup_window_until(void)
{
	return jiffies + msecs_to_jiffies(WINDOW_SEEN_MS);
}

/** ssdup_window_flushes() - does somebody flush the device, again and again? any context */
static __always_inline bool ssdup_window_flushes(const struct ssdup_router *router)
{
	return time_before(jiffies, READ_ONCE(router->windows->flush_until));
}

/** ssdup_window_flush() - a FLUSH begins, or ends; one at a time */
static inline void ssdup_window_flush(struct ssdup_router *router, bool begins)
{
	WRITE_ONCE(router->windows->flush_until,
		   begins ? jiffies + MAX_JIFFY_OFFSET : ssdup_window_until());
}

/** ssdup_window_flush_comes() - the present task flushes the device; its context */
static inline void ssdup_window_flush_comes(struct ssdup_router *router)
{
	u32 slot = hash_32(current->pid, FLUSHERS_BITS);

	WRITE_ONCE(router->windows->flusher[slot].pid, current->pid);
	WRITE_ONCE(router->windows->flusher[slot].until, ssdup_window_until());
}

/** ssdup_window_waits_for_flush() - has a write come from a task that flushes? its context */
static inline bool ssdup_window_waits_for_flush(const struct ssdup_router *router,
						const struct ssdup_io *io)
{
	u32 slot = hash_32(current->pid, FLUSHERS_BITS);

	return io->opf & REQ_FUA ||
	       (READ_ONCE(router->windows->flusher[slot].pid) == current->pid &&
		time_before(jiffies, READ_ONCE(router->windows->flusher[slot].until)));
}

/** ssdup_window_reads() - does somebody read the HDD, or may soon? any context, a hint */
static __always_inline bool ssdup_window_reads(const struct ssdup_router *router)
{
	return atomic_read(&router->windows->reads) ||
	       time_before(jiffies, READ_ONCE(router->windows->read_until));
}

/* For what may be a tick early, or late; ns */
static __always_inline u64 ssdup_window_now(void)
{
	return get_jiffies_64() * TICK_NSEC;
}

/** ssdup_window_facts() - what is known now; @room: has the log any? any context */
static __always_inline struct window_facts ssdup_window_facts(struct ssdup_router *router,
							      bool room)
{
	const struct ssdup_windows *w = router->windows;
	bool flushes = ssdup_window_flushes(router);
	struct window_facts f = {
		.speed = &w->speed,
		.now = ssdup_window_now(),
		.price = ssdup_window_price(router),
		.hdd = atomic_read(&w->in_flight[SSDUP_HDD]),
		.ssd = atomic_read(&w->in_flight[SSDUP_SSD]),
		.room = room,
		.pass = READ_ONCE(w->passes),
		.kept = flushes || ssdup_window_reads(router),
		.flushes = flushes,
	};

	if (!room)
		f.cached = bdev_write_cache(router->c->hdd->bdev);
	return f;
}

/** ssdup_window_came() - what is a write like that has come? any context */
static __always_inline void ssdup_window_came(struct ssdup_router *router, struct ssdup_io *io)
{
	io->kind = ssdup_window_kind(&router->windows->map, io->start, io->sectors);
}

/** ssdup_window_staged() - it has ended in memory, and is in no window; any context */
static __always_inline void ssdup_window_staged(struct ssdup_router *router,
						const struct ssdup_io *io)
{
	ssdup_window_note(&router->windows->map, io->start, io->sectors, SSDUP_SSD);
}

/** ssdup_window_send() - by windows, a write is sent; any context. Return: is it timed? */
static __always_inline bool ssdup_window_send(struct ssdup_router *router, struct ssdup_io *io,
					      enum ssdup_disk disk)
{
	struct ssdup_windows *w = router->windows;

	ssdup_window_note(&w->map, io->start, io->sectors, disk);
	io->beside = atomic_add_return(io->sectors, &w->in_flight[disk]);
	io->met_pass = READ_ONCE(w->passes);
	return ssdup_window_times(&w->speed, disk, io->start, io->sectors, ssdup_window_now());
}

/** ssdup_window_end() - it has ended there; @ns that it took, 0: nothing is learnt; any context */
static __always_inline void ssdup_window_end(struct ssdup_router *router, struct ssdup_io *io,
					     enum ssdup_disk disk, u64 ns)
{
	struct ssdup_windows *w = router->windows;

	if (!io->beside)
		return;
	/* Ordered before the look at who waits, as who waits looks at what is in flight. */
	atomic_sub_return(io->sectors, &w->in_flight[disk]);
	if (ns && (disk == SSDUP_SSD || !(io->met_pass || READ_ONCE(w->passes))))
		ssdup_window_ended(&w->speed, disk, io->kind, ns, io->sectors, io->beside,
				   ssdup_window_now());
	io->beside = 0;
	if (atomic_read(&router->c->wake.nr_waiting))
		ssdup_kick_waiting(router->c);
}

/** ssdup_window_copy() - @sectors are copied to the SSD from now on; below 0: not any more */
static inline void ssdup_window_copy(struct ssdup_router *router, int sectors)
{
	/* Ordered as in ssdup_window_end(). */
	atomic_add_return(sectors, &router->windows->in_flight[SSDUP_SSD]);
	if (sectors < 0)
		ssdup_kick_waiting(router->c);
}

/** ssdup_window_queue() - how long what is in flight at the SSD takes it; ns, any context */
static inline u64 ssdup_window_queue(const struct ssdup_router *router)
{
	const struct ssdup_windows *w = router->windows;

	return READ_ONCE(w->speed.ns[WINDOW_USE_SSD]) * atomic_read(&w->in_flight[SSDUP_SSD]) /
	       WINDOW_UNIT;
}

/** ssdup_window_read() - a read of the HDD begins, or ends; any context */
static inline void ssdup_window_read(struct ssdup_router *router, bool begins)
{
	struct ssdup_windows *w = router->windows;
	unsigned long until = ssdup_window_until();

	if (begins) {
		atomic_inc(&w->reads);
		return;
	}
	if (READ_ONCE(w->read_until) != until)
		WRITE_ONCE(w->read_until, until);
	atomic_dec(&w->reads);
}

#endif
