// SPDX-License-Identifier: GPL-2.0-only
/* Owns what is known of the cache of the HDD, and its flushes. */
#include <linux/slab.h>

#include "base/owed_errors.h"
#include "base/step.h"
#include "drain_internal.h"

struct ssdup_hdd {
	struct mutex		flush_lock;	/* one FLUSH at a time, except the drain's */
};

/* The HDD has lost what was in its cache, or may have. */
static void hdd_told(struct drive_user *hdd, bool lost)
{
	struct ssdup *c = container_of(hdd, struct ssdup, hdd_user);
	bool in_flight;

	/* Copies may be of that. */
	ssdup_copies_doubt(c->drainer);
	if (!lost)
		return;
	/* A write in flight may be complete at the HDD, and its data dropped. */
	in_flight = ssdup_sum_requests(c->drainer).hdd_inflight;
	/* A write sets hdd_dirty before it leaves that sum. */
	smp_rmb();
	if (in_flight || READ_ONCE(c->drainer->hdd_dirty) != HDD_CACHE_EMPTY)
		ssdup_owe(&c->debt);
}

int ssdup_hdd_create(struct ssdup_drainer *drainer)
{
	drainer->hdd_state = kzalloc(sizeof(*drainer->hdd_state), GFP_KERNEL);
	if (!drainer->hdd_state)
		return -ENOMEM;
	mutex_init(&drainer->hdd_state->flush_lock);
	/* Writes of an earlier table may not have been flushed. */
	drainer->hdd_dirty = HDD_CACHE_DIRTY;
	return ssdup_drive_get(&drainer->c->hdd_user, drainer->c->hdd->bdev, hdd_told);
}

struct ssdup_requests ssdup_sum_requests(struct ssdup_drainer *drainer)
{
	/* Sum ended first: a request that ends between the sums counts as in flight. */
	u64 ended = stats_sum(&drainer->stats->hdd_ended),
		    begun = stats_sum(&drainer->stats->hdd_begun);

	return (struct ssdup_requests){
		.all = stats_sum(&drainer->stats->requests) + ended,
		/* When a user clears it, that looks like a write. */
		.writes = stats_sum(&drainer->stats->count[STAT_WRITES_SSD]),
		.hdd_inflight = begun - ended,
	};
}

static void hdd_flush_end_io(struct bio *bio)
{
	struct hdd_flush *f = container_of(bio, struct hdd_flush, bio);

	if (bio->bi_status) {
		stat_inc(f->drainer->c, STAT_HDD_ERRORS);
		/* Before it ends: a later flush succeeds, because the cache is empty. */
		ssdup_drive_lost(&f->drainer->c->hdd_user);
	}
	complete(&f->done);
}

static void hdd_flush_send(struct ssdup_drainer *drainer, struct hdd_flush *f)
{
	f->drainer = drainer;
	init_completion(&f->done);
	bio_init(&f->bio, drainer->c->hdd->bdev, NULL, 0, REQ_OP_WRITE | REQ_PREFLUSH | REQ_SYNC);
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

bool ssdup_hdd_flush_begin(struct ssdup_drainer *drainer, struct hdd_flush *f)
{
	/* A caller that finds it clean must not return before the flush that cleaned it. */
	mutex_lock(&drainer->hdd_state->flush_lock);
	if (cmpxchg(&drainer->hdd_dirty, HDD_CACHE_DIRTY, HDD_CACHE_FLUSHING) != HDD_CACHE_DIRTY) {
		mutex_unlock(&drainer->hdd_state->flush_lock);
		return false;
	}
	ssdup_step(drainer->c, STEP_HDD_FLUSH);
	hdd_flush_send(drainer, f);
	return true;
}

int ssdup_hdd_flush_end(struct ssdup_drainer *drainer, struct hdd_flush *f)
{
	blk_status_t status = hdd_flush_wait(f);

	ssdup_step(drainer->c, STEP_HDD_FLUSHED);
	/* If a write has ended meanwhile, it stays dirty. */
	if (status)
		WRITE_ONCE(drainer->hdd_dirty, HDD_CACHE_DIRTY);
	else
		cmpxchg(&drainer->hdd_dirty, HDD_CACHE_FLUSHING, HDD_CACHE_EMPTY);
	mutex_unlock(&drainer->hdd_state->flush_lock);
	return blk_status_to_errno(status);
}

int ssdup_flush_hdd(struct ssdup_drainer *drainer)
{
	struct hdd_flush f;

	if (!ssdup_hdd_flush_begin(drainer, &f))
		return 0;
	return ssdup_hdd_flush_end(drainer, &f);
}

int ssdup_flush_drained(struct ssdup_drainer *drainer)
{
	struct hdd_flush f;

	hdd_flush_send(drainer, &f);
	return blk_status_to_errno(hdd_flush_wait(&f));
}
