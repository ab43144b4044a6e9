// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: writes that wait for a place in the log.
 *
 * Each task has a flow, and writes of a flow wait in the order in which they came. core/turns.h
 * gives each write its turn, and the earliest one is tried first. Classes share the turns, so who
 * is served in one of them is later in all.
 */
#include <linux/hash.h>
#include <linux/slab.h>

#include "base/wakeups.h"
#include "meter.h"
#include "core/turns.h"
#include "log/log.h"

/* Writes of a class. */
struct wait_queue {
	struct bio_list		bios[TURN_FLOWS];
	DECLARE_BITMAP(busy, TURN_FLOWS);	/* those that are not empty */
	atomic_t		nr;		/* of these, and of those being tried */
};

struct ssdup_waiting {
	spinlock_t		lock;		/* protects all but the atomics, and longest */
	struct wait_queue	queue[SSDUP_MAX_CLASSES];	/* by io->queue */
	struct turns		turns;
	u64			tried;		/* turn that is being tried */
	u64			came;		/* windows: writes ever; the turn of the last one */
	u64			waits;		/* for space, ever; read without the lock */
	u32			longest;	/* ms; a hint */
};

int ssdup_wait_create(struct ssdup_router *router)
{
	struct ssdup_waiting *w = kvzalloc(sizeof(*w), GFP_KERNEL);

	if (!w)
		return -ENOMEM;
	/* An empty list is all zeroes. */
	spin_lock_init(&w->lock);
	router->waiting = w;
	return 0;
}

/* It wraps, and only differences count. */
static u32 now_ms(void)
{
	return ktime_to_ms(ktime_get());
}

static struct ssdup_io *first_of(const struct bio_list *bios)
{
	return dm_per_bio_data(bios->head, sizeof(struct ssdup_io));
}

/* Give a write that begins to wait its flow and turn. What had a place before need not queue. */
static void queue_up(struct ssdup_router *router, const struct bio *bio, struct ssdup_io *io)
{
	const struct balance_cost hdd = ssdup_meter_cost(&router->meter->hdd);
	struct turns *turns = &router->waiting->turns;

	io->flow = hash_32(current->pid, TURN_FLOW_BITS);
	if (ssdup_windowed(router->c)) {
		/* One list for each kind, the oldest first. */
		io->flow = io->kind;
		router->waiting->came = max(router->waiting->came, turns->now) + 1;
		io->turn = io->again ? 0 : router->waiting->came;
	} else if (io->again) {
		io->turn = turns->now;
	} else if (bio_op(bio) == REQ_OP_WRITE) {
		io->turn = turns_take(turns, io->flow, io->start, io->sectors, &hdd);
	} else {
		/* A discard takes an entry, which stands for a page, and no way of the arm. */
		io->turn = turns_take(turns, io->flow, turns->end[io->flow], PAGE_SECTORS, &hdd);
	}
}

void ssdup_wait_add(struct ssdup_router *router, struct bio *bio, struct ssdup_io *io)
{
	struct ssdup_waiting *w = router->waiting;
	struct wait_queue *q;
	unsigned long flags;

	io->queue = io->class;
	io->waits_since = now_ms();
	io->for_space = ssdup_segments_full(router->log);
	spin_lock_irqsave(&w->lock, flags);
	queue_up(router, bio, io);
	q = &w->queue[io->queue];
	if (io->again)
		bio_list_add_head(&q->bios[io->flow], bio);
	else
		bio_list_add(&q->bios[io->flow], bio);
	__set_bit(io->flow, q->busy);
	atomic_inc(&q->nr);
	WRITE_ONCE(w->waits, w->waits + io->for_space);
	atomic_inc(&router->c->wake.nr_waiting);
	/*
	 * Space may have come back since the write was routed. Under the lock: once the bio
	 * has been taken and ended, the device may be removed.
	 */
	ssdup_kick_waiting(router->c);
	ssdup_kick_writeback(router->c);
	spin_unlock_irqrestore(&w->lock, flags);
}

bool ssdup_wait_queue(const struct ssdup_router *router, const struct ssdup_io *io)
{
	return atomic_read(&router->c->wake.nr_waiting) &&
	       atomic_read(&router->waiting->queue[io->class].nr);
}

/* With the lock. @kind: of window.h, or WINDOW_KINDS for all */
static struct ssdup_io *find_first(struct ssdup_router *router, u32 skip, u32 kind)
{
	struct ssdup_waiting *w = router->waiting;
	struct ssdup_io *io, *first = NULL;
	struct wait_queue *q;
	u32 i, flow;

	for (i = 0; i < router->log->nr_classes; i++) {
		q = &w->queue[i];
		if (skip & BIT(i))
			continue;
		for_each_set_bit(flow, q->busy, TURN_FLOWS) {
			io = first_of(&q->bios[flow]);
			if ((kind == WINDOW_KINDS || io->kind == kind) &&
			    (!first || io->turn < first->turn))
				first = io;
		}
	}
	return first;
}

/* @least: ms that it has waited */
static struct bio *pop(struct ssdup_router *router, u32 skip, u32 kind, u32 least)
{
	struct ssdup_waiting *w = router->waiting;
	struct bio *bio = NULL;
	struct wait_queue *q;
	struct ssdup_io *first;

	spin_lock_irq(&w->lock);
	first = find_first(router, skip, kind);
	if (first && (!least || now_ms() - first->waits_since >= least)) {
		w->tried = first->turn;
		q = &w->queue[first->queue];
		bio = bio_list_pop(&q->bios[first->flow]);
		if (bio_list_empty(&q->bios[first->flow]))
			__clear_bit(first->flow, q->busy);
	}
	spin_unlock_irq(&w->lock);
	return bio;
}

u32 ssdup_wait_kinds(struct ssdup_router *router, u32 skip)
{
	struct ssdup_waiting *w = router->waiting;
	u32 i, flow, kinds = 0;
	struct wait_queue *q;
	unsigned long flags;

	if (!atomic_read(&router->c->wake.nr_waiting))
		return 0;
	spin_lock_irqsave(&w->lock, flags);
	for (i = 0; i < router->log->nr_classes; i++) {
		q = &w->queue[i];
		if (skip & BIT(i))
			continue;
		for_each_set_bit(flow, q->busy, TURN_FLOWS)
			kinds |= BIT(first_of(&q->bios[flow])->kind);
	}
	spin_unlock_irqrestore(&w->lock, flags);
	return kinds;
}

struct bio *ssdup_wait_pop_kind(struct ssdup_router *router, u32 skip, enum window_kind kind)
{
	return pop(router, skip, kind, 0);
}

struct bio *ssdup_wait_pop(struct ssdup_router *router, u32 skip)
{
	return pop(router, skip, WINDOW_KINDS, 0);
}

struct bio *ssdup_wait_pop_overdue(struct ssdup_router *router, u32 skip)
{
	return pop(router, skip, WINDOW_KINDS, READ_ONCE(router->c->set.max_wait_ms));
}

void ssdup_wait_again(struct ssdup_router *router, struct bio_list *kept)
{
	struct ssdup_waiting *w = router->waiting;
	struct ssdup_io *io;
	struct wait_queue *q;
	struct bio *bio;

	spin_lock_irq(&w->lock);
	while ((bio = bio_list_pop(kept))) {
		io = dm_per_bio_data(bio, sizeof(*io));
		q = &w->queue[io->queue];
		/* It may be a rewrite, as is known now. */
		if (ssdup_windowed(router->c))
			io->flow = io->kind;
		bio_list_add_head(&q->bios[io->flow], bio);
		__set_bit(io->flow, q->busy);
	}
	spin_unlock_irq(&w->lock);
}

void ssdup_wait_done(struct ssdup_router *router, const struct ssdup_io *io)
{
	struct ssdup_waiting *w = router->waiting;
	u32 waited = now_ms() - io->waits_since;

	spin_lock_irq(&w->lock);
	if (!ssdup_windowed(router->c))
		turns_served(&w->turns, w->tried);
	spin_unlock_irq(&w->lock);
	if (io->for_space && waited > READ_ONCE(w->longest))
		WRITE_ONCE(w->longest, waited);
	atomic_dec(&w->queue[io->queue].nr);
	atomic_dec(&router->c->wake.nr_waiting);
}

u64 ssdup_waits(const struct ssdup_router *router)
{
	return READ_ONCE(router->waiting->waits);
}

u32 ssdup_longest_wait(const struct ssdup_router *router)
{
	return READ_ONCE(router->waiting->longest);
}

void ssdup_wait_clear(struct ssdup_router *router)
{
	WRITE_ONCE(router->waiting->longest, 0);
}
