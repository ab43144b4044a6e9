// SPDX-License-Identifier: GPL-2.0-only
/* Runs the SSD's model by timers. */
#include <linux/mm.h>
#include <linux/sched.h>
#include "disks.h"
#include "flash.h"

/* Pages that are written in one go while a disk ages. */
#define SSD_AGE_STEP	4096

static u32 ssd_stream(const struct disk *d, const struct disk_cmd *cmd)
{
	unsigned int i;

	for (i = 0; !cmd->stream && i < d->nr_streams; i++) {
		const struct disk_stream *s = &d->stream_ranges[i];

		if (cmd->op.lba >= s->range.sector && cmd->op.lba < s->range.end)
			return s->stream;
	}
	return cmd->stream;
}

/* Return: when the write buffer has taken it. */
static u64 ssd_map(struct disk *d, struct disk_cmd *cmd, u64 now)
{
	if (req_op(blk_mq_rq_from_pdu(cmd)) == REQ_OP_WRITE)
		return ftl_write(&d->ftl, cmd->op.lba, cmd->op.sectors, ssd_stream(d, cmd), now);
	ftl_discard(&d->ftl, cmd->op.lba, cmd->op.sectors);
	return now;
}

static void ssd_map_at_once(struct disk *d, struct disk_cmd *cmd)
{
	if (d->ftl_memory)
		ssd_map(d, cmd, 0);
}

/* The flash memory behind the interface. Return: when the request ends. */
static u64 ssd_flash(struct disk *d, struct disk_cmd *cmd, u64 now, u64 done)
{
	u64 taken;

	if (cmd->op.kind != HDD_OP_READ) {
		taken = ssd_map(d, cmd, d->ssd.written);
		return flash_wrote(&d->ssd, taken, d->ftl.nand.programmed, done);
	}
	done = flash_read(&d->ssd, &d->ftl, cmd->op.lba, cmd->op.sectors, now, done);
	d->read_latency[latency_bucket(done - now)]++;
	return done;
}

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
	if (d->ftl_memory && cmd->op.kind != HDD_OP_FLUSH)
		cmd->op.done = ssd_flash(d, cmd, now, cmd->op.done);
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
	if (d->ftl_memory)
		nand_reset(&d->ftl.nand);
}

static void ssd_stats(struct disk *d, u64 *seeks, u64 *busy_ns)
{
	*seeks = 0;
	*busy_ns = d->ssd.busy_ns;
}

/* Its past takes no time, but the processor's. */
static void ssd_renew(struct disk *d)
{
	const struct ftl_params p = d->ftl.p;
	u64 done, step;

	if (!d->ftl_memory)
		return;
	ftl_init(&d->ftl, &p, d->ftl_memory);
	for (done = 0; done < d->age; done += step) {
		step = min_t(u64, d->age - done, SSD_AGE_STEP);
		ftl_age(&d->ftl, done, done + step);
		cond_resched();
	}
	ftl_rest(&d->ftl);
	memset(d->read_latency, 0, sizeof(d->read_latency));
}

const struct disk_ops ssd_ops = {
	.submit		= ssd_submit,
	.ended		= ssd_ended,
	.map		= ssd_map_at_once,
	.power_cut	= ssd_power_cut,
	.renew		= ssd_renew,
	.stats		= ssd_stats,
};

int ssd_create(struct disk *d, const struct ssd_params *p, const struct ftl_params *f, u64 age)
{
	int r = ssd_model_init(&d->ssd, p);

	if (r || !f)
		return r;
	d->ftl_memory = kvmalloc(ftl_size(f), GFP_KERNEL);
	if (!d->ftl_memory)
		return -ENOMEM;
	d->ftl.p = *f;
	d->age = age;
	ssd_renew(d);
	return 0;
}
