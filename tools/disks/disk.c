// SPDX-License-Identifier: GPL-2.0-only
/* A modelled disk as a blk-mq device: requests, data, power. */
#include <linux/blkdev.h>
#include <linux/highmem.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include "compat.h"
#include "disks.h"

/* Entries of the ring that stands for a cache which destages in order. */
#define DISK_FIFO_ENTRIES	16384

static bool disk_is_write(struct request *rq)
{
	return op_is_write(req_op(rq)) && req_op(rq) != REQ_OP_FLUSH;
}

static int disk_copy_data(struct disk *d, struct request *rq, bool write)
{
	struct req_iterator iter;
	struct bio_vec bv;
	u64 sector = blk_rq_pos(rq);
	int r = 0;

	rq_for_each_segment(bv, rq, iter) {
		void *data = bvec_kmap_local(&bv);
		unsigned int sectors = bv.bv_len >> SECTOR_SHIFT;

		if (write)
			r = store_write(&d->store, sector, data, sectors);
		else
			store_read(&d->store, sector, data, sectors);
		kunmap_local(data);
		if (r)
			return r;
		if (!write)
			flush_dcache_page(bv.bv_page);
		sector += sectors;
	}
	return 0;
}

static int disk_move_data(struct disk *d, struct request *rq)
{
	switch (req_op(rq)) {
	case REQ_OP_READ:
		return disk_copy_data(d, rq, false);
	case REQ_OP_WRITE:
		return disk_copy_data(d, rq, true);
	case REQ_OP_DISCARD:
	case REQ_OP_WRITE_ZEROES:
		return store_zero(&d->store, blk_rq_pos(rq), blk_rq_sectors(rq));
	default:
		return 0;
	}
}

void disk_end(struct list_head *over)
{
	struct disk_cmd *cmd, *next;

	list_for_each_entry_safe(cmd, next, over, op.node) {
		list_del_init(&cmd->op.node);
		blk_mq_end_request(blk_mq_rq_from_pdu(cmd), cmd->status);
	}
}

void disk_end_at(struct disk_cmd *cmd)
{
	hrtimer_start(&cmd->timer, ns_to_ktime(cmd->op.done), HRTIMER_MODE_ABS_SOFT);
}

static enum hrtimer_restart disk_cmd_timer(struct hrtimer *timer)
{
	struct disk_cmd *cmd = container_of(timer, struct disk_cmd, timer);
	struct request *rq = blk_mq_rq_from_pdu(cmd);
	struct disk *d = cmd->disk;
	bool again = false;

	spin_lock_bh(&d->lock);
	if (cmd->epoch != d->epoch || disk_has_no_power(d))
		cmd->status = BLK_STS_IOERR;
	else if (d->late && disk_is_write(rq) && disk_move_data(d, rq))
		again = true;
	else
		d->p.ops->ended(d, cmd);
	spin_unlock_bh(&d->lock);
	if (again) {
		/* No memory for the data just now. */
		hrtimer_forward_now(timer, ms_to_ktime(1));
		return HRTIMER_RESTART;
	}
	blk_mq_end_request(rq, cmd->status);
	return HRTIMER_NORESTART;
}

void disk_cache_write(struct disk *d, struct disk_cmd *cmd)
{
	struct cache_fifo_entry oldest;

	if (cmd->through) {
		store_settle(&d->store, cmd->op.lba, cmd->op.sectors);
		return;
	}
	while (cache_fifo_full(&d->fifo, d->p.cache_sectors) && cache_fifo_pop(&d->fifo, &oldest))
		store_settle(&d->store, oldest.lba, oldest.sectors);
	cache_fifo_push(&d->fifo, cmd->op.lba, cmd->op.sectors);
}

void disk_cache_flush(struct disk *d, struct disk_cmd *cmd)
{
	struct cache_fifo_entry oldest;

	while (d->fifo.tail < cmd->mark && cache_fifo_pop(&d->fifo, &oldest))
		store_settle(&d->store, oldest.lba, oldest.sectors);
}

/* No time passes: what a disk without delays does with a request. */
static void disk_do_now(struct disk *d, struct request *rq, struct disk_cmd *cmd)
{
	if (cmd->op.kind == HDD_OP_FLUSH) {
		if (d->p.cache_sectors) {
			spin_lock_bh(&d->lock);
			disk_cache_flush(d, cmd);
			spin_unlock_bh(&d->lock);
		}
	} else if (cmd->through) {
		store_settle(&d->store, cmd->op.lba, cmd->op.sectors);
	} else if (cmd->op.kind == HDD_OP_WRITE) {
		spin_lock_bh(&d->lock);
		disk_cache_write(d, cmd);
		spin_unlock_bh(&d->lock);
	}
	if (d->p.ops->map && disk_is_write(rq)) {
		spin_lock_bh(&d->lock);
		d->p.ops->map(d, cmd);
		spin_unlock_bh(&d->lock);
	}
	blk_mq_end_request(rq, disk_has_no_power(d) ? BLK_STS_IOERR : BLK_STS_OK);
}

static void disk_count(struct disk *d, struct request *rq)
{
	struct disk_counters *c = get_cpu_ptr(d->counters);

	switch (req_op(rq)) {
	case REQ_OP_FLUSH:
		c->flushes++;
		break;
	case REQ_OP_READ:
		c->reads++;
		c->bytes_read += blk_rq_bytes(rq);
		break;
	case REQ_OP_WRITE:
		c->bytes_written += blk_rq_bytes(rq);
		c->stream_bytes[min_t(u32, ssdup_disk_stream(rq), FTL_MAX_STREAMS)] +=
			blk_rq_bytes(rq);
		fallthrough;
	default:
		c->writes++;
	}
	put_cpu_ptr(d->counters);
}

static void disk_cmd_prepare(struct disk *d, struct request *rq, struct disk_cmd *cmd)
{
	bool dropped = READ_ONCE(d->inject.drop_flush);

	cmd->status = BLK_STS_OK;
	cmd->epoch = READ_ONCE(d->epoch);
	cmd->op.lba = blk_rq_pos(rq);
	cmd->op.sectors = blk_rq_sectors(rq);
	cmd->stream = ssdup_disk_stream(rq);
	cmd->through = false;
	cmd->mark = 0;
	if (req_op(rq) == REQ_OP_FLUSH) {
		cmd->op.kind = HDD_OP_FLUSH;
		if (!dropped)
			cmd->mark = READ_ONCE(d->fifo.head);
	} else if (req_op(rq) == REQ_OP_READ) {
		cmd->op.kind = HDD_OP_READ;
	} else {
		cmd->through = !d->p.cache_sectors || ((rq->cmd_flags & REQ_FUA) && !dropped);
		cmd->op.kind = cmd->through ? HDD_OP_WRITE_THROUGH : HDD_OP_WRITE;
	}
}

static blk_status_t disk_queue_rq(struct blk_mq_hw_ctx *hctx, const struct blk_mq_queue_data *bd)
{
	struct disk *d = hctx->queue->queuedata;
	struct request *rq = bd->rq;
	struct disk_cmd *cmd = blk_mq_rq_to_pdu(rq);
	u64 now = ktime_get_ns();
	blk_status_t status = disk_inject_check(d, rq);
	LIST_HEAD(over);

	if (status == BLK_STS_OK && disk_has_no_power(d))
		status = BLK_STS_IOERR;
	/*
	 * The time was taken before the data are copied: a disk moves them while
	 * its own time passes.
	 */
	if (status == BLK_STS_OK && !(d->late && disk_is_write(rq)) && disk_move_data(d, rq))
		return BLK_STS_RESOURCE;
	blk_mq_start_request(rq);
	if (status != BLK_STS_OK) {
		/* Not returned: of some the block layer would make another try. */
		blk_mq_end_request(rq, status);
		return BLK_STS_OK;
	}

	disk_count(d, rq);
	disk_cmd_prepare(d, rq, cmd);
	disks_pass_request();
	if (d->instant) {
		disk_do_now(d, rq, cmd);
		return BLK_STS_OK;
	}
	spin_lock_bh(&d->lock);
	if (disk_has_no_power(d)) {
		cmd->status = BLK_STS_IOERR;
		list_add(&cmd->op.node, &over);
	} else {
		d->p.ops->submit(d, cmd, now, &over);
	}
	spin_unlock_bh(&d->lock);
	disk_end(&over);
	return BLK_STS_OK;
}

static int disk_init_request(struct blk_mq_tag_set *set, struct request *rq,
			     unsigned int hctx_idx, SSDUP_DISK_NODE node)
{
	struct disk_cmd *cmd = blk_mq_rq_to_pdu(rq);

	cmd->disk = set->driver_data;
	INIT_LIST_HEAD(&cmd->op.node);
	hrtimer_setup(&cmd->timer, disk_cmd_timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	return 0;
}

/* A long wait is the model's doing, and nothing is ever lost on the way. */
static enum blk_eh_timer_return disk_timeout(struct request *rq)
{
	return BLK_EH_RESET_TIMER;
}

static const struct blk_mq_ops disk_mq_ops = {
	.queue_rq	= disk_queue_rq,
	.init_request	= disk_init_request,
	.timeout	= disk_timeout,
};

static const struct block_device_operations disk_fops = {
	.owner		= THIS_MODULE,
};

static int disk_add_queue(struct disk *d)
{
	struct ssdup_disk_limits limits = {
		.logical_block_size	= d->p.block_size,
		.max_hw_sectors		= 2560,
		.write_cache		= d->p.cache_sectors != 0,
		.rotational		= d->p.rotational,
		.discard_sectors	= d->p.discard ? 1 << 20 : 0,
		.discard_granularity	= d->p.discard_granularity,
		.streams		= d->p.streams,
		.stream_granularity	= d->ftl.superblock_pages * FTL_PAGE_BYTES,
	};
	struct gendisk *gd;
	int r;

	d->tags.ops = &disk_mq_ops;
	d->tags.nr_hw_queues = 1;
	d->tags.queue_depth = d->p.depth;
	d->tags.numa_node = NUMA_NO_NODE;
	d->tags.cmd_size = sizeof(struct disk_cmd);
	d->tags.flags = SSDUP_DISK_TAG_FLAGS;
	d->tags.driver_data = d;
	r = blk_mq_alloc_tag_set(&d->tags);
	if (r)
		return r;
	gd = ssdup_alloc_disk(&d->tags, &limits, d);
	if (IS_ERR(gd)) {
		blk_mq_free_tag_set(&d->tags);
		return PTR_ERR(gd);
	}
	gd->fops = &disk_fops;
	gd->private_data = d;
	strscpy(gd->disk_name, d->p.name, DISK_NAME_LEN);
	set_capacity(gd, d->p.sectors);
	r = device_add_disk(NULL, gd, d->p.groups);
	if (r) {
		put_disk(gd);
		blk_mq_free_tag_set(&d->tags);
		return r;
	}
	d->gd = gd;
	return 0;
}

int disk_add(struct disk *d)
{
	int r;

	spin_lock_init(&d->lock);
	spin_lock_init(&d->inject.lock);
	d->fifo.size = DISK_FIFO_ENTRIES;
	d->fifo.ring = vmalloc(array_size(d->fifo.size, sizeof(*d->fifo.ring)));
	d->counters = alloc_percpu(struct disk_counters);
	if (!d->fifo.ring || !d->counters)
		return -ENOMEM;
	r = store_init(&d->store, d->p.sectors, d->p.ready_sectors);
	if (r)
		return r;
	return disk_add_queue(d);
}

void disk_remove(struct disk *d)
{
	if (d->gd) {
		del_gendisk(d->gd);
		put_disk(d->gd);
		blk_mq_free_tag_set(&d->tags);
	}
	if (d->runs)
		hrtimer_cancel(&d->arm);
	store_exit(&d->store);
	free_percpu(d->counters);
	vfree(d->fifo.ring);
	kvfree(d->ftl_memory);
	kvfree(d->runs);
	kfree(d);
}

int disk_power_cut(struct disk *d, u64 seed)
{
	LIST_HEAD(over);
	struct disk_cmd *cmd;

	/* From here on nothing is acknowledged; what is being copied gets its end. */
	WRITE_ONCE(d->off, true);
	blk_mq_quiesce_queue(d->gd->queue);
	spin_lock_bh(&d->lock);
	d->epoch++;
	d->p.ops->power_cut(d, &over);
	d->fifo.tail = d->fifo.head;
	d->fifo.sectors = 0;
	spin_unlock_bh(&d->lock);
	store_power_cut(&d->store, powercut_seed(seed, d->number));
	blk_mq_unquiesce_queue(d->gd->queue);
	list_for_each_entry(cmd, &over, op.node)
		cmd->status = BLK_STS_IOERR;
	local_bh_disable();
	disk_end(&over);
	local_bh_enable();
	return 0;
}

int disk_power_on(struct disk *d, u64 unused)
{
	WRITE_ONCE(d->off, false);
	return 0;
}

int disk_erase(struct disk *d, u64 unused)
{
	disk_power_cut(d, 0);
	blk_mq_quiesce_queue(d->gd->queue);
	store_erase(&d->store);
	if (d->p.ops->renew)
		d->p.ops->renew(d);
	blk_mq_unquiesce_queue(d->gd->queue);
	return disk_power_on(d, 0);
}
