/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the disk of a write by windows. It asks core/window.h about what is in flight, what was
 * learnt, and which writes wait. Inline, because every write comes here.
 */
#ifndef SSDUP_ROUTE_WINDOW_H
#define SSDUP_ROUTE_WINDOW_H

#include "core/window.h"
#include "log/log.h"
#include "router.h"

#define WINDOW_SEEN_MS	100U	/* who read from the HDD or flushed so lately does it again */

/* Hints without a lock, but for the atomics. */
struct ssdup_windows {
	struct window_map	map;
	struct window_speed	speed;
	unsigned long		seen;		/* jiffies: a reader or a flush; 0: none yet */
	unsigned long		passes;		/* bits of enum window_pass */
	atomic_t		in_flight[2] ____cacheline_aligned_in_smp;	/* sectors */
};

/** ssdup_window_facts() - what is known now; @waiting: a bit for each kind that waits */
static __always_inline struct window_facts
ssdup_window_facts(const struct ssdup_router *router, u32 waiting)
{
	const struct ssdup_windows *w = router->windows;
	unsigned long seen = READ_ONCE(w->seen);

	return (struct window_facts){
		.speed = &w->speed,
		.now = ktime_get_ns(),
		.waiting = waiting,
		.hdd = atomic_read(&w->in_flight[SSDUP_HDD]),
		.ssd = atomic_read(&w->in_flight[SSDUP_SSD]),
		.room = !ssdup_segments_full(router->log),
		.pass = READ_ONCE(w->passes),
		.cached = bdev_write_cache(router->c->hdd->bdev),
		.blocks = READ_ONCE(router->c->set.full) == SSDUP_FULL_BLOCK,
		.kept = seen && time_before(jiffies, seen + msecs_to_jiffies(WINDOW_SEEN_MS)),
	};
}

/** ssdup_window_send() - a write is sent to a disk; any context */
static __always_inline void ssdup_window_send(struct ssdup_router *router, struct ssdup_io *io,
					      enum ssdup_disk disk)
{
	struct ssdup_windows *w = router->windows;

	if (!ssdup_windowed(router->c))
		return;
	ssdup_window_note(&w->map, io->start, io->sectors, disk);
	io->beside = atomic_add_return(io->sectors, &w->in_flight[disk]);
	io->met_pass = READ_ONCE(w->passes);
	io->sent = ktime_get_ns();
}

/** ssdup_window_end() - it has ended there; @learn: as disks end writes; any context */
static __always_inline void ssdup_window_end(struct ssdup_router *router, struct ssdup_io *io,
					     enum ssdup_disk disk, bool learn)
{
	struct ssdup_windows *w = router->windows;
	u64 now;

	if (!io->beside)
		return;
	/* Ordered before the look at who waits, as who waits looks at what is in flight. */
	atomic_sub_return(io->sectors, &w->in_flight[disk]);
	now = ktime_get_ns();
	if (learn && (disk == SSDUP_SSD || !(io->met_pass || READ_ONCE(w->passes))))
		ssdup_window_ended(&w->speed, disk, io->kind, now - io->sent, io->beside, now);
	io->beside = 0;
	if (atomic_read(&router->c->wake.nr_waiting))
		ssdup_kick_waiting(router->c);
}

/** ssdup_window_see() - a reader, or who has sent a FLUSH, waits for the HDD; any context */
static inline void ssdup_window_see(struct ssdup_router *router)
{
	if (ssdup_windowed(router->c) && READ_ONCE(router->windows->seen) != (jiffies | 1))
		WRITE_ONCE(router->windows->seen, jiffies | 1);
}

#endif
