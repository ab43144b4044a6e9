// SPDX-License-Identifier: GPL-2.0-only
/* Runs the hard disk's model by timers. */
#include <linux/slab.h>
#include "compat.h"
#include "disks.h"

/*
 * Let the arm go on, and send what the model calls over to its end: at once if
 * that is now, else by a timer.
 */
static void hdd_run(struct disk *d, u64 now, struct list_head *over)
{
	struct hdd_queue *q = &d->hdd;
	struct hdd_op *op, *next;

	if (!q->busy && hdd_queue_start(q, now))
		hrtimer_start(&d->arm, ns_to_ktime(q->busy_until), HRTIMER_MODE_ABS_SOFT);
	list_for_each_entry_safe(op, next, &q->done, node) {
		if (op->done <= now && !d->late) {
			list_move_tail(&op->node, over);
		} else {
			list_del_init(&op->node);
			disk_end_at(container_of(op, struct disk_cmd, op));
		}
	}
}

static enum hrtimer_restart hdd_arm_timer(struct hrtimer *timer)
{
	struct disk *d = container_of(timer, struct disk, arm);
	struct hdd_queue *q = &d->hdd;
	LIST_HEAD(over);

	spin_lock_bh(&d->lock);
	if (q->busy && ktime_get_ns() >= q->busy_until && !disk_has_no_power(d)) {
		/* The model's time, not the timer's: lateness does not add up. */
		u64 now = q->busy_until;

		if (q->active_write)
			store_settle(&d->store, q->active_lba, q->active_sectors);
		hdd_queue_finish(q, now);
		hdd_run(d, now, &over);
	}
	spin_unlock_bh(&d->lock);
	disk_end(&over);
	return HRTIMER_NORESTART;
}

static void hdd_submit(struct disk *d, struct disk_cmd *cmd, u64 now, struct list_head *over)
{
	if (cmd->op.kind == HDD_OP_FLUSH && READ_ONCE(d->inject.drop_flush)) {
		cmd->op.done = now + d->hdd.p.command_us * 1000ULL;
		disk_end_at(cmd);
		return;
	}
	hdd_queue_submit(&d->hdd, &cmd->op, now);
	hdd_run(d, now, over);
}

static void hdd_ended(struct disk *d, struct disk_cmd *cmd)
{
	if (!d->late || cmd->op.kind == HDD_OP_READ || cmd->op.kind == HDD_OP_FLUSH)
		return;
	/*
	 * Only now are the data of a late disk there to be settled, be it that they
	 * went to the medium or that the cache has got rid of them already.
	 */
	if (cmd->through || !cache_model_covers(&d->hdd.cache, cmd->op.lba, cmd->op.sectors))
		store_settle(&d->store, cmd->op.lba, cmd->op.sectors);
}

static void hdd_power_cut(struct disk *d, struct list_head *over)
{
	hdd_queue_reset(&d->hdd);
	list_splice_tail_init(&d->hdd.done, over);
}

static void hdd_stats(struct disk *d, u64 *seeks, u64 *busy_ns)
{
	*seeks = d->hdd.stats.seeks;
	*busy_ns = d->hdd.stats.busy_ns;
}

const struct disk_ops hdd_ops = {
	.submit		= hdd_submit,
	.ended		= hdd_ended,
	.power_cut	= hdd_power_cut,
	.stats		= hdd_stats,
};

int hdd_create(struct disk *d, const struct hdd_params *p,
	       const struct hdd_queue_params *q, u32 runs)
{
	int r = hdd_model_init(&d->hdd.model, p);

	if (r)
		return r;
	hrtimer_setup(&d->arm, hdd_arm_timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	d->runs = kvcalloc(runs, sizeof(*d->runs), GFP_KERNEL);
	if (!d->runs)
		return -ENOMEM;
	cache_model_init(&d->hdd.cache, d->runs, runs);
	hdd_queue_init(&d->hdd, q);
	return 0;
}
