// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: writes that wait for a place in the log.
 *
 * Who writes little does not wait behind all others: as in start-time fair queueing (Goyal et al.,
 * SIGCOMM 1996), the turn of a write comes when its task has got as many sectors as the others. It
 * goes before the first of its list, or behind the last. So a list stays in order but for tasks
 * that write unlike amounts, and adding to it takes no longer than before.
 */
#include <linux/hash.h>
#include <linux/slab.h>

#include "meter.h"
#include "segments.h"
#include "wait.h"
#include "wake.h"

#define FLOW_BITS	6	/* tasks that happen to share a flow share its turns */

struct ssdup_waiting {
	spinlock_t		lock;		/* protects bios, waits, now and next */
	struct bio_list		bios[SSDUP_MAX_CLASSES];	/* by io->queue */
	atomic_t		nr[SSDUP_MAX_CLASSES];	/* of these, and of those being tried */
	u64			waits;		/* for space, ever; read without the lock */
	u64			now;		/* turn of the write that was tried last */
	u64			next[1 << FLOW_BITS];	/* turn of the next write of each flow */
	u32			longest;	/* ms; a hint */
};

int ssdup_wait_create(struct ssdup *c)
{
	struct ssdup_waiting *w = kzalloc(sizeof(*w), GFP_KERNEL);

	if (!w)
		return -ENOMEM;
	/* An empty list is all zeroes. */
	spin_lock_init(&w->lock);
	c->waiting = w;
	return 0;
}

/* It wraps, and only differences count. */
static u32 now_ms(void)
{
	return ktime_to_ms(ktime_get());
}

static struct ssdup_io *first_of(struct bio_list *bios)
{
	return dm_per_bio_data(bio_list_peek(bios), sizeof(struct ssdup_io));
}

/* The turn of a write that begins to wait. One that has got its place before need not queue. */
static u64 turn_of(struct ssdup_waiting *w, const struct ssdup_io *io)
{
	u64 *next = &w->next[hash_32(current->pid, FLOW_BITS)], turn = max(w->now, *next);

	if (io->again)
		return w->now;
	*next = turn + io->sectors;
	return turn;
}

static void list_add_in_turn(struct bio_list *bios, struct bio *bio, u64 turn)
{
	if (!bio_list_empty(bios) && turn <= first_of(bios)->turn)
		bio_list_add_head(bios, bio);
	else
		bio_list_add(bios, bio);
}

void ssdup_wait_add(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	struct ssdup_waiting *w = c->waiting;
	unsigned long flags;

	io->queue = io->class;
	io->waits_since = now_ms();
	io->for_space = ssdup_segments_full(c);
	spin_lock_irqsave(&w->lock, flags);
	io->turn = turn_of(w, io);
	list_add_in_turn(&w->bios[io->queue], bio, io->turn);
	atomic_inc(&w->nr[io->queue]);
	WRITE_ONCE(w->waits, w->waits + io->for_space);
	atomic_inc(&c->nr_waiting);
	/*
	 * Space may have come back since the write was routed. Under the lock: once the bio
	 * has been taken and ended, the device may be removed.
	 */
	ssdup_kick_waiting(c);
	ssdup_kick_writeback(c);
	spin_unlock_irqrestore(&w->lock, flags);
}

bool ssdup_wait_queue(const struct ssdup *c, const struct ssdup_io *io)
{
	return atomic_read(&c->nr_waiting) && atomic_read(&c->waiting->nr[io->class]);
}

struct bio *ssdup_wait_pop(struct ssdup *c, u32 skip)
{
	struct bio_list *bios, *first = NULL;
	struct ssdup_waiting *w = c->waiting;
	struct bio *bio = NULL;
	u32 i;

	spin_lock_irq(&w->lock);
	for (i = 0; i < c->nr_classes; i++) {
		bios = &w->bios[i];
		if (!bio_list_empty(bios) && !(skip & BIT(i)) &&
		    (!first || first_of(bios)->turn < first_of(first)->turn))
			first = bios;
	}
	if (first) {
		w->now = max(w->now, first_of(first)->turn);
		bio = bio_list_pop(first);
	}
	spin_unlock_irq(&w->lock);
	return bio;
}

void ssdup_wait_again(struct ssdup *c, struct bio_list bios[])
{
	u32 i;

	spin_lock_irq(&c->waiting->lock);
	for (i = 0; i < c->nr_classes; i++)
		bio_list_merge_head(&c->waiting->bios[i], &bios[i]);
	spin_unlock_irq(&c->waiting->lock);
}

void ssdup_wait_done(struct ssdup *c, const struct ssdup_io *io)
{
	u32 waited = now_ms() - io->waits_since;

	if (io->for_space && waited > READ_ONCE(c->waiting->longest))
		WRITE_ONCE(c->waiting->longest, waited);
	atomic_dec(&c->waiting->nr[io->queue]);
	atomic_dec(&c->nr_waiting);
}

u64 ssdup_waits(const struct ssdup *c)
{
	return READ_ONCE(c->waiting->waits);
}

u32 ssdup_longest_wait(const struct ssdup *c)
{
	return READ_ONCE(c->waiting->longest);
}

void ssdup_wait_clear(struct ssdup *c)
{
	WRITE_ONCE(c->waiting->longest, 0);
}
