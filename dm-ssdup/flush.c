// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: FLUSH, FUA, and flushes of the HDD.
 */
#include "ssdup.h"
#include "trace.h"

void ssdup_queue_flush(struct ssdup *c, struct bio *bio)
{
	unsigned long flags;

	atomic_inc(&c->nr_flushes);
	spin_lock_irqsave(&c->flush_lock, flags);
	bio_list_add(&c->flushes, bio);
	/*
	 * Under the lock: once the work that may be running can take the bio, and
	 * end it, nothing keeps the device from being removed.
	 */
	queue_work(c->wq, &c->flush_work);
	spin_unlock_irqrestore(&c->flush_lock, flags);
}

struct hdd_flush {
	struct bio		bio;
	struct ssdup		*c;
	struct completion	done;
	u64			ns;		/* when it began, then how long it took */
};

void ssdup_hdd_dropped(struct ssdup *c)
{
	atomic_inc(&c->hdd_flush_errors);
	if (READ_ONCE(c->hdd_dirty) != HDD_CLEAN)
		WRITE_ONCE(c->hdd_untold, true);
}

static void hdd_flush_end_io(struct bio *bio)
{
	struct hdd_flush *f = container_of(bio, struct hdd_flush, bio);

	f->ns = ktime_get_ns() - f->ns;
	if (bio->bi_status) {
		stat_inc(f->c, STAT_HDD_ERRORS);
		ssdup_hdd_dropped(f->c);
	}
	complete(&f->done);
}

static void hdd_flush_send(struct ssdup *c, struct hdd_flush *f)
{
	f->c = c;
	init_completion(&f->done);
	f->ns = ktime_get_ns();
	bio_init(&f->bio, c->hdd->bdev, NULL, 0, REQ_OP_WRITE | REQ_PREFLUSH | REQ_SYNC);
	f->bio.bi_end_io = hdd_flush_end_io;
	submit_bio(&f->bio);
}

static blk_status_t hdd_flush_wait(struct hdd_flush *f)
{
	blk_status_t status;

	wait_for_completion_io(&f->done);
	status = f->bio.bi_status;
	bio_uninit(&f->bio);
	return status;
}

/* Flush the HDD, if it needs it, beside the commit. */
static bool hdd_flush_begin(struct ssdup *c, struct hdd_flush *f)
{
	/* Who finds it clean must not return before the flush that made it so. */
	mutex_lock(&c->hdd_lock);
	if (cmpxchg(&c->hdd_dirty, HDD_DIRTY, HDD_FLUSHING) != HDD_DIRTY) {
		mutex_unlock(&c->hdd_lock);
		return false;
	}
	trace_ssdup_step(c, STEP_HDD_FLUSH);
	hdd_flush_send(c, f);
	return true;
}

static blk_status_t hdd_flush_end(struct ssdup *c, struct hdd_flush *f)
{
	blk_status_t status = hdd_flush_wait(f);

	trace_ssdup_step(c, STEP_HDD_FLUSHED);
	ssdup_load_flushed(c, f->ns);
	/* It stays dirty when a write ended meanwhile. */
	if (status)
		WRITE_ONCE(c->hdd_dirty, HDD_DIRTY);
	else
		cmpxchg(&c->hdd_dirty, HDD_FLUSHING, HDD_CLEAN);
	mutex_unlock(&c->hdd_lock);
	return status;
}

int ssdup_flush_hdd(struct ssdup *c)
{
	struct hdd_flush f;

	if (!hdd_flush_begin(c, &f))
		return 0;
	return blk_status_to_errno(hdd_flush_end(c, &f));
}

int ssdup_flush_drained(struct ssdup *c)
{
	struct hdd_flush f;

	hdd_flush_send(c, &f);
	return blk_status_to_errno(hdd_flush_wait(&f));
}

void ssdup_flush_work(struct work_struct *work)
{
	struct ssdup *c = container_of(work, struct ssdup, flush_work);
	blk_status_t log = BLK_STS_OK, hdd = BLK_STS_OK;
	struct bio_list bios;
	struct hdd_flush f;
	bool has_flush = false, flush = false;
	struct bio *bio;

	spin_lock_irq(&c->flush_lock);
	bios = c->flushes;
	bio_list_init(&c->flushes);
	spin_unlock_irq(&c->flush_lock);
	if (bio_list_empty(&bios))
		return;

	bio_list_for_each(bio, &bios)
		if (bio->bi_opf & REQ_PREFLUSH)
			has_flush = true;
	if (has_flush) {
		ssdup_load_flush(c);
		flush = hdd_flush_begin(c, &f);
	}
	if (ssdup_commit(c))
		log = BLK_STS_IOERR;
	if (flush)
		hdd = hdd_flush_end(c, &f);
	/* The direct writes that a FLUSH speaks for may have been dropped by another one. */
	if (READ_ONCE(c->hdd_untold) && has_flush && xchg(&c->hdd_untold, false))
		hdd = BLK_STS_IOERR;

	trace_ssdup_step(c, STEP_FLUSH_END);
	while ((bio = bio_list_pop(&bios))) {
		atomic_dec(&c->nr_flushes);
		bio->bi_status = log;
		if (!log && (bio->bi_opf & REQ_PREFLUSH))
			bio->bi_status = hdd;
		bio_endio(bio);
	}
}
