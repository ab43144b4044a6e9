// SPDX-License-Identifier: GPL-2.0-only
/* Runs the SSD's model by timers. */
#include "disks.h"

static void ssd_submit(struct disk *d, struct disk_cmd *cmd, u64 now, struct list_head *over)
{
	struct request *rq = blk_mq_rq_from_pdu(cmd);
	u64 moved = req_op(rq) == REQ_OP_WRITE ? cmd->op.sectors : 0;

	switch (cmd->op.kind) {
	case HDD_OP_READ:
		cmd->op.done = ssd_read(&d->ssd, cmd->op.sectors, now);
		break;
	case HDD_OP_WRITE:
	case HDD_OP_WRITE_THROUGH:
		cmd->op.done = ssd_write(&d->ssd, moved, cmd->through, now);
		break;
	case HDD_OP_FLUSH:
		cmd->op.done = READ_ONCE(d->inject.drop_flush) ? now : ssd_flush(&d->ssd, now);
		break;
	}
	disk_end_at(cmd);
}

static void ssd_ended(struct disk *d, struct disk_cmd *cmd)
{
	if (cmd->op.kind == HDD_OP_FLUSH)
		disk_cache_flush(d, cmd);
	else if (cmd->op.kind != HDD_OP_READ)
		disk_cache_write(d, cmd);
}

static void ssd_power_cut(struct disk *d, struct list_head *over)
{
	d->ssd.pipe_free = 0;
	d->ssd.written = 0;
}

static void ssd_stats(struct disk *d, u64 *seeks, u64 *busy_ns)
{
	*seeks = 0;
	*busy_ns = d->ssd.busy_ns;
}

const struct disk_ops ssd_ops = {
	.submit		= ssd_submit,
	.ended		= ssd_ended,
	.power_cut	= ssd_power_cut,
	.stats		= ssd_stats,
};
