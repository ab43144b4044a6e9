/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: a queue of bios that a work item ends together.
 */
#ifndef SSDUP_BIOQ_H
#define SSDUP_BIOQ_H

#include <linux/bio.h>
#include <linux/workqueue.h>

struct bio_queue {
	spinlock_t		lock;	/* protects bios */
	struct bio_list		bios;
	atomic_t		nr;	/* added, but not ended yet */
	struct work_struct	work;
};

static inline void bio_queue_init(struct bio_queue *q, work_func_t work)
{
	spin_lock_init(&q->lock);
	bio_list_init(&q->bios);
	atomic_set(&q->nr, 0);
	INIT_WORK(&q->work, work);
}

/** bio_queue_add() - add @bio, and queue the work; any context */
static inline void bio_queue_add(struct bio_queue *q, struct workqueue_struct *wq, struct bio *bio)
{
	unsigned long flags;

	atomic_inc(&q->nr);
	spin_lock_irqsave(&q->lock, flags);
	bio_list_add(&q->bios, bio);
	/* Under the lock: once the bio has been taken and ended, the device may be removed. */
	queue_work(wq, &q->work);
	spin_unlock_irqrestore(&q->lock, flags);
}

/** bio_queue_take() - take all bios; process context */
static inline struct bio_list bio_queue_take(struct bio_queue *q)
{
	struct bio_list bios;

	spin_lock_irq(&q->lock);
	bios = q->bios;
	bio_list_init(&q->bios);
	spin_unlock_irq(&q->lock);
	return bios;
}

/** bio_queue_end() - end the bios that were taken; process context */
static inline void bio_queue_end(struct bio_queue *q, struct bio_list *bios, blk_status_t status)
{
	struct bio *bio;

	while ((bio = bio_list_pop(bios))) {
		atomic_dec(&q->nr);
		bio->bi_status = status;
		bio_endio(bio);
	}
}

#endif
