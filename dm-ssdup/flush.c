// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: FLUSH, FUA, and flushes of the HDD.
 *
 * A FLUSH commits and flushes the HDD, side by side. A FUA write to the log only
 * needs a commit, so it has a list and a work of its own: it never waits for the HDD.
 * Each commit, whoever asked for it, also ends the FUA writes that wait when it begins.
 *
 * An error of a flush has to reach somebody who relied on it. A file system commits its
 * journal with one bio that has data, PREFLUSH and FUA. Device mapper sends us an empty
 * FLUSH for it, throws away the status of that, and sends the data then. So each error
 * is owed twice: to the next FLUSH that ends, and to the next FUA write that comes. When
 * FLUSHes fail, as many FUA writes fail after them, for each may be the data of one. The
 * next table of the same device inherits what is still owed.
 */
#include "commit.h"
#include "flush.h"
#include "halves.h"
#include "meter.h"
#include "requests.h"
#include "trace.h"

/* --- What is owed --- */

void ssdup_owe(struct ssdup *c)
{
	atomic_or(OWED_TO_FLUSH | OWED_TO_FUA, &c->owed);
}

static bool pay(struct ssdup *c, int whom)
{
	return atomic_read(&c->owed) & whom && atomic_fetch_andnot(whom, &c->owed) & whom;
}

bool ssdup_pay_fua(struct ssdup *c)
{
	bool fails = pay(c, OWED_TO_FUA);

	if (!fails && atomic_read(&c->owed_parts))
		fails = atomic_dec_if_positive(&c->owed_parts) >= 0;
	if (fails)
		WRITE_ONCE(c->fua_paid, true);
	return fails;
}

void ssdup_unpay_fua(struct ssdup *c)
{
	if (READ_ONCE(c->fua_paid))
		atomic_or(OWED_TO_FUA, &c->owed);
}

void ssdup_inherit_owed(struct ssdup *c, struct ssdup *from)
{
	atomic_or(atomic_xchg(&from->owed, 0), &c->owed);
	atomic_add(atomic_xchg(&from->owed_parts, 0), &c->owed_parts);
}

/* --- The HDD --- */

struct hdd_flush {
	struct bio		bio;
	struct ssdup		*c;
	struct completion	done;
	u64			ns;		/* when it began, then how long it took */
};

void ssdup_hdd_dropped(struct ssdup *c)
{
	bool in_flight;

	atomic_inc(&c->hdd_flush_errors);
	/* Of a write that the HDD has ended, and end_direct() has not, it may have dropped data. */
	in_flight = ssdup_sum_requests(c).hdd_inflight;
	/* What has left that sum has made it dirty before. */
	smp_rmb();
	if (in_flight || READ_ONCE(c->hdd_dirty) != HDD_CLEAN)
		ssdup_owe(c);
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
	ssdup_meter_flushed(c, f->ns);
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

/* --- Bios that wait --- */

static struct bio_list take_bios(struct flush_queue *q)
{
	struct bio_list bios;

	spin_lock_irq(&q->lock);
	bios = q->bios;
	bio_list_init(&q->bios);
	spin_unlock_irq(&q->lock);
	return bios;
}

static void end_bios(struct ssdup *c, struct bio_list *bios, blk_status_t status)
{
	struct bio *bio;

	while ((bio = bio_list_pop(bios))) {
		atomic_dec(&c->nr_flushes);
		bio->bi_status = status;
		bio_endio(bio);
	}
}

static void queue_bio(struct ssdup *c, struct flush_queue *q, struct bio *bio)
{
	unsigned long flags;

	atomic_inc(&c->nr_flushes);
	spin_lock_irqsave(&q->lock, flags);
	bio_list_add(&q->bios, bio);
	/*
	 * Under the lock: once somebody can take the bio, and end it, nothing keeps the
	 * device from being removed.
	 */
	queue_work(c->wq, &q->work);
	spin_unlock_irqrestore(&q->lock, flags);
}

void ssdup_queue_flush(struct ssdup *c, struct bio *bio)
{
	queue_bio(c, &c->flushes, bio);
}

void ssdup_queue_fua(struct ssdup *c, struct bio *bio)
{
	queue_bio(c, &c->fuas, bio);
}

struct bio_list ssdup_take_fuas(struct ssdup *c)
{
	return take_bios(&c->fuas);
}

void ssdup_end_fuas(struct ssdup *c, struct bio_list *bios, int error)
{
	if (bio_list_empty(bios))
		return;
	trace_ssdup_step(c, STEP_FLUSH_END);
	end_bios(c, bios, error ? BLK_STS_IOERR : BLK_STS_OK);
}

static void do_flushes(struct work_struct *work)
{
	struct ssdup *c = container_of(work, struct ssdup, flushes.work);
	struct bio_list bios = take_bios(&c->flushes);
	blk_status_t status = BLK_STS_OK;
	struct hdd_flush f;
	bool hdd;

	if (bio_list_empty(&bios))
		return;
	ssdup_meter_flush(c);
	hdd = hdd_flush_begin(c, &f);
	if (ssdup_commit(c))
		ssdup_owe(c);
	/* It is owed already if it failed. */
	if (hdd)
		hdd_flush_end(c, &f);
	trace_ssdup_step(c, STEP_FLUSH_END);
	if (pay(c, OWED_TO_FLUSH)) {
		status = BLK_STS_IOERR;
		/* Before they end: the data of each may come then. */
		atomic_add(bio_list_size(&bios), &c->owed_parts);
		pay(c, OWED_TO_FUA);
	}
	end_bios(c, &bios, status);
}

static void do_fuas(struct work_struct *work)
{
	struct ssdup *c = container_of(work, struct ssdup, fuas.work);
	bool some;

	spin_lock_irq(&c->fuas.lock);
	some = !bio_list_empty(&c->fuas.bios);
	spin_unlock_irq(&c->fuas.lock);
	/* Another commit may have taken them along. */
	if (some)
		ssdup_commit(c);
}

static void init_queue(struct flush_queue *q, work_func_t work)
{
	spin_lock_init(&q->lock);
	bio_list_init(&q->bios);
	INIT_WORK(&q->work, work);
}

void ssdup_flush_init(struct ssdup *c)
{
	mutex_init(&c->hdd_lock);
	/* What ended under an earlier table may not have been flushed. */
	c->hdd_dirty = HDD_DIRTY;
	init_queue(&c->flushes, do_flushes);
	init_queue(&c->fuas, do_fuas);
}
