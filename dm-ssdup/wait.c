// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: writes that wait for a place in the log.
 */
#include <linux/slab.h>

#include "meter.h"
#include "segments.h"
#include "wait.h"
#include "wake.h"

struct ssdup_waiting {
	spinlock_t		lock;		/* protects bios and waits */
	struct bio_list		bios[SSDUP_MAX_CLASSES];	/* by io->queue */
	atomic_t		nr[SSDUP_MAX_CLASSES];	/* of these, and of those being tried */
	u64			waits;		/* for space, ever; read without the lock */
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

void ssdup_wait_add(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	struct ssdup_waiting *w = c->waiting;
	unsigned long flags;

	io->queue = io->class;
	io->waits_since = now_ms();
	io->for_space = ssdup_segments_full(c);
	spin_lock_irqsave(&w->lock, flags);
	bio_list_add(&w->bios[io->queue], bio);
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

/* When the first of a list that is not empty began to wait. */
static u32 since(struct bio_list *bios)
{
	struct ssdup_io *io = dm_per_bio_data(bio_list_peek(bios), sizeof(*io));

	return io->waits_since;
}

struct bio *ssdup_wait_pop(struct ssdup *c, u32 skip)
{
	struct bio_list *bios, *first = NULL;
	struct bio *bio = NULL;
	u32 i;

	spin_lock_irq(&c->waiting->lock);
	for (i = 0; i < c->nr_classes; i++) {
		bios = &c->waiting->bios[i];
		if (!bio_list_empty(bios) && !(skip & BIT(i)) &&
		    (!first || (s32)(since(bios) - since(first)) < 0))
			first = bios;
	}
	if (first)
		bio = bio_list_pop(first);
	spin_unlock_irq(&c->waiting->lock);
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
