// SPDX-License-Identifier: GPL-2.0-only
#include <linux/slab.h>

#include "bioq.h"
#include "commit.h"
#include "debt.h"
#include "flush.h"
#include "hdd.h"
#include "meter.h"
#include "trace.h"

struct ssdup_flusher {
	struct ssdup		*c;
	struct bio_queue	queue;
};

static void do_flushes(struct work_struct *work)
{
	struct ssdup_flusher *f = container_of(work, struct ssdup_flusher, queue.work);
	struct bio_list bios = bio_queue_take(&f->queue);
	struct hdd_flush hdd_flush;
	struct ssdup *c = f->c;
	bool hdd, failed;

	if (bio_list_empty(&bios))
		return;
	ssdup_meter_flush(c);
	hdd = ssdup_hdd_flush_begin(c, &hdd_flush);
	if (ssdup_commit(c))
		ssdup_owe(&c->debt);
	/* If it failed, ssdup_hdd_dropped() has called ssdup_owe(). */
	if (hdd)
		ssdup_hdd_flush_end(c, &hdd_flush);
	trace_ssdup_step(c, STEP_FLUSH_END);
	failed = ssdup_pay_flush(&c->debt, bio_list_size(&bios));
	bio_queue_end(&f->queue, &bios, failed ? BLK_STS_IOERR : BLK_STS_OK);
}

int ssdup_flush_create(struct ssdup *c)
{
	c->flusher = kzalloc(sizeof(*c->flusher), GFP_KERNEL);
	if (!c->flusher)
		return -ENOMEM;
	c->flusher->c = c;
	bio_queue_init(&c->flusher->queue, do_flushes);
	return 0;
}

void ssdup_queue_flush(struct ssdup *c, struct bio *bio)
{
	bio_queue_add(&c->flusher->queue, c->wq, bio);
}

u32 ssdup_queued_flushes(struct ssdup *c)
{
	return atomic_read(&c->flusher->queue.nr);
}
