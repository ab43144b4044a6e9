// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: writes that wait: for a window, or for a place in the log.
 *
 * A class has a list for each kind of core/window.h. In each, tasks take turns by start-time fair
 * queueing (Goyal, SIGCOMM 1996): the turn of a write is where its task has got to, in sectors that
 * waited, or that of the write served last, if that is later. So who writes little does not wait
 * behind all that others have in flight, and who was away has saved nothing up. Turns that are
 * nearly the same go by place, see core/window.h.
 */
#include <linux/hash.h>
#include <linux/slab.h>

#include "base/wakeups.h"
#include "log/log.h"
#include "router.h"

#define FLOW_BITS	6	/* tasks that happen to share a flow share turns */

/* Writes of a class. */
struct wait_queue {
	struct rb_root_cached	writes[WINDOW_KINDS];	/* the one that comes first is the first */
	atomic_t		nr;		/* of these, and of those being tried */
};

struct ssdup_waiting {
	spinlock_t		lock;		/* protects all but the atomics, and longest */
	struct wait_queue	queue[SSDUP_MAX_CLASSES];	/* by io->queue */
	u64			now;		/* latest turn that was tried */
	u64			next[BIT(FLOW_BITS)];	/* turn of the next write of each flow */
	u64			waits;		/* for space, ever; read without the lock */
	u32			longest;	/* ms; a hint */
};

int ssdup_wait_create(struct ssdup_router *router)
{
	struct ssdup_waiting *w = kvzalloc(sizeof(*w), GFP_KERNEL);

	if (!w)
		return -ENOMEM;
	/* An empty tree is all zeroes. */
	spin_lock_init(&w->lock);
	router->waiting = w;
	return 0;
}

static u64 now_ms(void)
{
	return ktime_to_ms(ktime_get());
}

static struct window_turn turn_of(const struct ssdup_io *io)
{
	return (struct window_turn){ io->turn, io->waits_since, io->start };
}

static bool comes_before(const struct ssdup_io *a, const struct ssdup_io *b)
{
	return ssdup_window_before(turn_of(a), turn_of(b));
}

static bool node_before(struct rb_node *a, const struct rb_node *b)
{
	return comes_before(rb_entry(a, struct ssdup_io, waits),
			    rb_entry(b, struct ssdup_io, waits));
}

static struct ssdup_io *first_of(const struct rb_root_cached *writes)
{
	return rb_entry_safe(rb_first_cached(writes), struct ssdup_io, waits);
}

static struct rb_root_cached *writes_like(struct ssdup_waiting *w, const struct ssdup_io *io)
{
	return &w->queue[io->queue].writes[io->kind];
}

/* With the lock. A write that begins to wait gets its turn. */
static void take_turn(struct ssdup_waiting *w, struct ssdup_io *io)
{
	u64 *next = &w->next[hash_32(current->pid, FLOW_BITS)];

	/* What had a place before need not queue. */
	io->turn = io->again ? 0 : max(*next, w->now);
	if (!io->again)
		*next = io->turn + max_t(u32, io->sectors, PAGE_SECTORS);
}

void ssdup_wait_add(struct ssdup_router *router, struct ssdup_io *io)
{
	struct ssdup_waiting *w = router->waiting;
	unsigned long flags;

	io->queue = io->class;
	io->waits_since = now_ms();
	io->for_space = ssdup_full_ssds(router->log) & BIT(router->log->class[io->class].ssd);
	spin_lock_irqsave(&w->lock, flags);
	take_turn(w, io);
	rb_add_cached(&io->waits, writes_like(w, io), node_before);
	atomic_inc(&w->queue[io->queue].nr);
	WRITE_ONCE(w->waits, w->waits + io->for_space);
	atomic_inc(&router->c->wake.nr_waiting);
	/*
	 * Space may have come back since the write was routed. Under the lock: once the bio
	 * has been taken and ended, the device may be removed.
	 */
	ssdup_kick_waiting(router->c);
	if (io->for_space)
		ssdup_kick_writeback(router->c);
	spin_unlock_irqrestore(&w->lock, flags);
}

bool ssdup_wait_queue(const struct ssdup_router *router, const struct ssdup_io *io)
{
	return atomic_read(&router->c->wake.nr_waiting) &&
	       atomic_read(&router->waiting->queue[io->class].nr);
}

/* With the lock: the write of a kind that comes first, or NULL. */
static struct ssdup_io *find_first(struct ssdup_router *router, u32 skip, u32 kind)
{
	struct ssdup_io *io, *first = NULL;
	u32 class;

	for (class = 0; class < router->log->classes.nr; class++) {
		if (skip & BIT(class))
			continue;
		io = first_of(&router->waiting->queue[class].writes[kind]);
		if (io && (!first || comes_before(io, first)))
			first = io;
	}
	return first;
}

u32 ssdup_wait_look(struct ssdup_router *router, u32 skip, struct wait_first *first)
{
	struct ssdup_waiting *w = router->waiting;
	struct ssdup_io *io;
	u32 kind, kinds = 0;
	u64 now;
	unsigned long flags;

	if (!atomic_read(&router->c->wake.nr_waiting))
		return 0;
	spin_lock_irqsave(&w->lock, flags);
	/* With the lock: nobody in the lists began to wait later. */
	now = now_ms();
	for (kind = 0; kind < WINDOW_KINDS; kind++) {
		io = find_first(router, skip, kind);
		if (!io)
			continue;
		first->facts[kind] = (struct window_first){ turn_of(io), now - io->waits_since };
		first->io[kind] = io;
		kinds |= BIT(kind);
	}
	spin_unlock_irqrestore(&w->lock, flags);
	return kinds;
}

struct bio *ssdup_wait_take(struct ssdup_router *router, struct ssdup_io *io)
{
	struct ssdup_waiting *w = router->waiting;

	spin_lock_irq(&w->lock);
	rb_erase_cached(&io->waits, writes_like(w, io));
	w->now = max(w->now, io->turn);
	spin_unlock_irq(&w->lock);
	return dm_bio_from_per_bio_data(io, sizeof(*io));
}

void ssdup_wait_again(struct ssdup_router *router, struct bio_list *kept)
{
	struct ssdup_waiting *w = router->waiting;
	struct ssdup_io *io;
	struct bio *bio;

	spin_lock_irq(&w->lock);
	while ((bio = bio_list_pop(kept))) {
		io = dm_per_bio_data(bio, sizeof(*io));
		/* It may be a rewrite, as is known now, and of what another SSD has. */
		atomic_dec(&w->queue[io->queue].nr);
		io->queue = io->class;
		atomic_inc(&w->queue[io->queue].nr);
		rb_add_cached(&io->waits, writes_like(w, io), node_before);
	}
	spin_unlock_irq(&w->lock);
}

void ssdup_wait_done(struct ssdup_router *router, const struct ssdup_io *io)
{
	struct ssdup_waiting *w = router->waiting;
	u32 waited = now_ms() - io->waits_since;

	if (io->for_space && waited > READ_ONCE(w->longest))
		WRITE_ONCE(w->longest, waited);
	atomic_dec(&w->queue[io->queue].nr);
	atomic_dec(&router->c->wake.nr_waiting);
}

u64 ssdup_nr_waits(const struct ssdup_router *router)
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
