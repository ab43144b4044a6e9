// SPDX-License-Identifier: GPL-2.0-only
/* Owns the discards of free segments on the SSD. */
#include "base/step.h"
#include "base/sync_io.h"
#include "base/wakeups.h"
#include "drainer.h"
#include "log/log.h"

#define BATCH_SECTORS	(64U << 11)
#define REST		99	/* times as long as the batch took: discards have 1 % of the time */
#define FAILED_REST_MS	3600000

static bool discards(const struct ssdup_drainer *drainer)
{
	struct ssdup *c = drainer->c;
	struct ssdup_ssd *ssd;
	bool takes = false;

	for (ssd = first_ssd(c); ssd; ssd = next_ssd(c, ssd))
		takes |= bdev_max_discard_sectors(ssd->dev->bdev);
	return takes && READ_ONCE(c->active) && !c->read_only;
}

/* Return: 0 or -errno */
static int send_discard(struct ssdup_drainer *drainer, const struct list_head *batch, u32 sectors)
{
	const struct ssdup_segment *first = list_first_entry(batch, struct ssdup_segment, list);
	struct ssdup_ssd *ssd = ssd_of(drainer->log, first);
	u64 pos = log_segment_sector(&drainer->log->g, first->index);
	int r;

	/* Another one does. */
	if (!bdev_max_discard_sectors(ssd->user.bdev))
		return 0;
	r = ssdup_sync_range(&ssd->user, REQ_OP_DISCARD, ssd_sector(ssd, pos), sectors);
	if (r)
		DMWARN("%s: the SSD has failed a discard (%d)", drainer->c->name, r);
	return r;
}

void ssdup_discard_work(struct work_struct *work)
{
	struct ssdup *c = container_of(to_delayed_work(work), struct ssdup, wake.discard_work);
	u32 size = c->log->g.segment_sectors, nr;
	u64 begun = ktime_get_ns();
	LIST_HEAD(batch);
	int r;

	if (!discards(c->drainer))
		return;
	nr = ssdup_discard_begin(c->log, max(BATCH_SECTORS / size, 1U), &batch);
	if (!nr)
		return;
	ssdup_step(c, STEP_DISCARD_BEGIN);
	r = send_discard(c->drainer, &batch, nr * size);
	ssdup_step(c, STEP_DISCARD_DONE);
	ssdup_discard_end(c->log, &batch);
	ssdup_kick_waiting(c);
	/* This puts off a turn that was asked for meanwhile, too. */
	mod_delayed_work(c->wake.wq, &c->wake.discard_work, r ? msecs_to_jiffies(FAILED_REST_MS) :
			 nsecs_to_jiffies(REST * (ktime_get_ns() - begun)) + 1);
}

void ssdup_discard_soon(struct ssdup_drainer *drainer)
{
	queue_delayed_work(drainer->c->wake.wq, &drainer->c->wake.discard_work, 0);
}
