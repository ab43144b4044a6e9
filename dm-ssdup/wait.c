// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: writes that wait for a place in the log.
 */
#include <linux/hrtimer.h>
#include <linux/slab.h>

#include "halves.h"
#include "wait.h"
#include "wake.h"

#define RATION_NS	200000ULL	/* shortest wait, so that several writes go on together */

struct ssdup_waiting {
	struct ssdup		*c;
	spinlock_t		lock;		/* protects bios */
	struct bio_list		bios;
	struct hrtimer		ration_timer;	/* until the gate lets the first pass */
};

static enum hrtimer_restart ration_timer(struct hrtimer *timer)
{
	ssdup_kick_waiting(container_of(timer, struct ssdup_waiting, ration_timer)->c);
	return HRTIMER_NORESTART;
}

int ssdup_wait_create(struct ssdup *c)
{
	struct ssdup_waiting *w = kzalloc(sizeof(*w), GFP_KERNEL);

	if (!w)
		return -ENOMEM;
	w->c = c;
	spin_lock_init(&w->lock);
	bio_list_init(&w->bios);
	hrtimer_setup(&w->ration_timer, ration_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	c->waiting = w;
	return 0;
}

void ssdup_wait_destroy(struct ssdup *c)
{
	kfree(c->waiting);
}

void ssdup_wait_stop(struct ssdup *c)
{
	hrtimer_cancel(&c->waiting->ration_timer);
}

void ssdup_wait_add(struct ssdup *c, struct bio *bio)
{
	struct ssdup_waiting *w = c->waiting;
	unsigned long flags;

	spin_lock_irqsave(&w->lock, flags);
	bio_list_add(&w->bios, bio);
	/* Time during which no write waited does not raise the gate. */
	if (atomic_inc_return(&c->nr_waiting) == 1)
		ssdup_ration_anew(c);
	/*
	 * Space may have come back since the write was routed. Under the lock: once the bio
	 * has been taken and ended, the device may be removed.
	 */
	ssdup_kick_waiting(c);
	ssdup_kick_writeback(c);
	spin_unlock_irqrestore(&w->lock, flags);
}

struct bio *ssdup_wait_pop(struct ssdup *c)
{
	struct bio *bio;

	spin_lock_irq(&c->waiting->lock);
	bio = bio_list_pop(&c->waiting->bios);
	spin_unlock_irq(&c->waiting->lock);
	return bio;
}

void ssdup_wait_again(struct ssdup *c, struct bio_list *bios)
{
	spin_lock_irq(&c->waiting->lock);
	bio_list_merge_head(&c->waiting->bios, bios);
	spin_unlock_irq(&c->waiting->lock);
}

void ssdup_wait_ration(struct ssdup *c, u32 sectors, u64 left)
{
	u64 wait = ssdup_ration_wait(c, sectors, left);

	/* It has to wait for another half, and ssdup_free_end() kicks then. */
	if (wait == U64_MAX)
		return;
	wait = max(wait, RATION_NS);
	hrtimer_start(&c->waiting->ration_timer, ns_to_ktime(wait), HRTIMER_MODE_REL);
}
