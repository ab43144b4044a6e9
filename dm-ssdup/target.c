// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: the target: construction, suspend, resume and limits.
 */
#include <linux/module.h>
#include <linux/sched/mm.h>

#include "args.h"
#include "base/failure.h"
#include "base/hints.h"
#include "base/owed_errors.h"
#include "base/step.h"
#include "base/wakeups.h"
#include "checks.h"
#include "core/ghost.h"
#include "disks.h"
#include "drain/drainer.h"
#include "flush.h"
#include "io.h"
#include "log/log.h"
#include "log/nodes.h"
#include "log/super.h"
#include "promote.h"
#include "read.h"
#include "recovery.h"
#include "rooms.h"
#include "route/router.h"
#include "status.h"
#include "sysfs.h"
#include "waited.h"

/* All targets. It keeps two devices from writing to the same disk. */
static DEFINE_MUTEX(registry_lock);
static LIST_HEAD(registry);

/*
 * Two tables of one device may share disks, since the next one is loaded beside the first. It runs
 * on the same host, whether it says so or not.
 */
static int enlist(struct ssdup *c, bool log_known, char **error)
{
	struct ssdup *other;
	int r = 0;

	mutex_lock(&registry_lock);
	c->log_known = log_known;
	list_for_each_entry(other, &registry, registered)
		if (other == c) {
			continue;
		} else if (other->ti->table == c->ti->table) {
			*error = "another ssdup target is part of the table";
			r = -EINVAL;
		} else if (other->md != c->md && ssdup_shares_disk(c, other)) {
			*error = ssdup_error(c, "hdd or ssd: in use by the dm-ssdup device %s",
					     other->name);
			r = -EBUSY;
		} else if ((other->md == c->md || ssdup_shares_ssds(other, c)) &&
			   !memchr_inv(c->set.host, 0, SSDUP_HOST_BYTES)) {
			memcpy(c->set.host, other->set.host, SSDUP_HOST_BYTES);
		}
	if (!r && list_empty(&c->registered))
		list_add(&c->registered, &registry);
	mutex_unlock(&registry_lock);
	return r;
}

/* Take over what the table before this one owes. It is suspended but still exists. */
static void inherit(struct ssdup *c)
{
	struct ssdup *other;

	mutex_lock(&registry_lock);
	list_for_each_entry(other, &registry, registered)
		if (other != c && other->md == c->md) {
			ssdup_inherit(&c->debt, &other->debt);
			ssdup_budget_inherit(c->router, other->router);
		}
	mutex_unlock(&registry_lock);
}

static void delist(struct ssdup *c)
{
	struct ssdup *other;

	mutex_lock(&registry_lock);
	/* The next table has not inherited yet when another target kept it from being resumed. */
	list_for_each_entry(other, &registry, registered)
		if (other != c && other->md == c->md) {
			ssdup_inherit(&other->debt, &c->debt);
			ssdup_budget_inherit(other->router, c->router);
			break;
		}
	list_del_init(&c->registered);
	mutex_unlock(&registry_lock);
}

/* --- Construction --- */

static int allocate(struct ssdup *c)
{
	c->stats = alloc_percpu(struct ssdup_stats);
	c->readers = alloc_percpu(struct ghost_runs);
	if (!c->stats || !c->readers)
		return -ENOMEM;
	INIT_DELAYED_WORK(&c->wake.wait_work, ssdup_wait_work);
	bio_queue_init(&c->flushes, ssdup_flush_work);
	bio_queue_init(&c->refused, ssdup_read_work);
	return ssdup_wake_create(c) ?: bioset_init(&c->bs, 64, 0, BIOSET_NEED_BVECS) ?:
	       ssdup_rooms_init(c);
}

static void destroy(struct ssdup *c)
{
	struct ssdup_ssd *ssd;

	delist(c);
	/* Nothing is queued by what others learn of the disks any more. */
	ssdup_drive_put(&c->hdd_user);
	for (ssd = c->ssd; ssd < ssd_end(c); ssd++) {
		ssdup_mirror_put(&ssd->user, &ssd->in_mirror);
		ssdup_drive_put(&ssd->user);
	}
	ssdup_wake_destroy(c);
	ssdup_promote_destroy(c);
	ssdup_rooms_free(c);
	bioset_exit(&c->bs);
	free_percpu(c->readers);
	free_percpu(c->stats);
	ssdup_put_disks(c);
	kvfree(c);
}

/* It may have been renamed. */
static void take_name(struct ssdup *c)
{
	char name[DM_NAME_LEN], uuid[DM_UUID_LEN];

	if (!dm_copy_name_and_uuid(c->md, name, uuid))
		scnprintf(c->name, sizeof(c->name), "%s (%s)", name, dm_device_name(c->md));
	else if (!c->name[0])
		scnprintf(c->name, sizeof(c->name), "a device (%s)", dm_device_name(c->md));
}

static int find_pool(struct ssdup *c, char **error)
{
	const char *why = NULL;
	int r = ssdup_pool_get(c->log, &why);

	if (r && why)
		*error = ssdup_error(c, "mirror: %s", why);
	return r;
}

static int ssdup_ctr(struct dm_target *ti, unsigned int argc, char **argv)
{
	struct dm_arg_set as = { .argc = argc, .argv = argv };
	struct ssdup *c;
	int r;

	c = kvzalloc(sizeof(*c), GFP_KERNEL);
	if (!c) {
		ti->error = "out of memory";
		return -ENOMEM;
	}
	c->ti = ti;
	c->md = dm_table_get_md(ti->table);
	take_name(c);
	c->read_only = !(dm_table_get_mode(ti->table) & BLK_OPEN_WRITE);
	INIT_LIST_HEAD(&c->registered);
	INIT_LIST_HEAD(&c->folder);
	ti->error = "out of memory";
	r = ssdup_rooms_alloc(c) ?: ssdup_get_disks(c, &as, &ti->error) ?:
	    ssdup_parse(c, &as, &ti->error) ?: enlist(c, false, &ti->error);
	if (!r) {
		ssdup_map_size(c->map, bdev_nr_sectors(c->hdd->bdev));
		ti->error = "out of memory";
		r = find_pool(c, &ti->error) ?: ssdup_check_super(c, &ti->error) ?:
		    enlist(c, true, &ti->error) ?: allocate(c);
	}
	if (r) {
		destroy(c);
		return r;
	}

	ti->error = NULL;
	ti->private = c;
	ti->num_flush_bios = 1;
	ti->num_discard_bios = !c->read_only;
	ti->num_write_zeroes_bios = !c->read_only;
	ti->flush_supported = true;
	ti->discards_supported = !c->read_only;
	ti->per_io_data_size = sizeof(struct ssdup_io);
	return 0;
}

/* --- Suspend and resume --- */

static void ssdup_presuspend(struct dm_target *ti)
{
	struct ssdup *c = ti->private;

	/* Writes that wait for space are routed again, to the HDD where that is possible. */
	WRITE_ONCE(c->leaving, true);
	ssdup_kick_waiting(c);
	ssdup_kick_writeback(c);
	/* End messages that wait for a drain: they hold the table, for which the core waits. */
	ssdup_drain_told(c);
}

static void ssdup_presuspend_undo(struct dm_target *ti)
{
	struct ssdup *c = ti->private;

	WRITE_ONCE(c->leaving, false);
}

/* Afterwards nothing runs and nothing is queued. */
static void stop_all(struct ssdup *c)
{
	WRITE_ONCE(c->active, false);
	ssdup_writeback_stop(c->drainer);
	ssdup_promote_stop(c);
	ssdup_wake_stop(c);
}

static void ssdup_postsuspend(struct dm_target *ti)
{
	struct ssdup *c = ti->private;
	int r;

	if (!c->active)
		return;
	if (c->read_only) {
		stop_all(c);
		return;
	}
	/* Whatever is staged: what becomes of it may need work that stops now. */
	ssdup_commit(c->log);
	stop_all(c);
	/* From now on the HDD may be written without us. */
	ssdup_clean_forget(c->drainer);
	ssdup_step(c, STEP_SUSPEND_COMMIT);
	r = ssdup_commit(c->log);
	/* The next FLUSH must fail: the next table has not got what this commit lost. */
	if (r)
		ssdup_owe(&c->debt);
	if (!r && ssdup_settle_guard(c->log))
		DMERR("%s: the HDD stays as a member of the device: see its errors", c->name);
	ssdup_step(c, STEP_SUSPEND_FLUSH);
	if (r || ssdup_flush_hdd(c->drainer))
		DMERR("%s: the last commit failed", c->name);
	else if (ssdup_whole(c))
		/* An SSD that has failed may not have all pages that a closed log has. */
		ssdup_write_closed(c->log);
}

/*
 * Writes to the device wait until it is resumed, and it may hold swap. So an
 * allocation here must not wait for writeback.
 */
static int ssdup_preresume(struct dm_target *ti)
{
	unsigned int noio = memalloc_noio_save();
	struct ssdup *c = ti->private;
	bool first = !c->recovered;
	int r;

	take_name(c);
	/* This comes first: the table before this one goes even when the resume fails. */
	inherit(c);
	r = first ? ssdup_recover(c) : 0;
	/* Later the key's file sets it. */
	if (!r && first && c->set.promote && ssdup_promote_prepare(c))
		DMWARN("%s: no memory for copies: what is read is not copied", c->name);
	/* A read-only table writes no pages and has no thread. */
	if (!r && !c->read_only)
		r = ssdup_begin_epoch(c->log) ?: ssdup_writeback_prepare(c->drainer);
	/* A change may have been cut, or another table may want none. */
	if (!r && first && !c->read_only)
		ssdup_settle_guard(c->log);
	memalloc_noio_restore(noio);
	return r;
}

static void ssdup_resume(struct dm_target *ti)
{
	unsigned int noio = memalloc_noio_save();
	struct ssdup *c = ti->private;

	WRITE_ONCE(c->leaving, false);
	/* The suspend has cancelled the work that would have opened the log again. */
	if (READ_ONCE(c->log_shut))
		ssdup_kick_waiting_in(c, 0);
	if (ssdup_sysfs_add(c))
		DMERR("%s: no folder in sysfs", c->name);
	ssdup_writeback_start(c->drainer);
	/* The account of a budget begins, and that of copies. */
	ssdup_budget_settle(c->router);
	ssdup_promote_settle(c);
	WRITE_ONCE(c->active, true);
	/* The suspend has cancelled what settles doubts about copies. */
	ssdup_kick_clean(c);
	ssdup_discard_soon(c->drainer);
	memalloc_noio_restore(noio);
}

static void ssdup_dtr(struct dm_target *ti)
{
	struct ssdup *c = ti->private;

	ssdup_sysfs_remove(c);
	/* The thread still exists when another target kept the table from being resumed. */
	stop_all(c);
	destroy(c);
}

/* --- The rest of the interface --- */

static int ssdup_iterate_devices(struct dm_target *ti, iterate_devices_callout_fn fn, void *data)
{
	struct ssdup *c = ti->private;
	struct ssdup_ssd *ssd;
	int r = fn(ti, c->hdd, 0, ti->len, data);

	for (ssd = c->ssd; ssd < ssd_end(c) && !r; ssd++) {
		r = ssd->dev ? fn(ti, ssd->dev, 0, bdev_nr_sectors(ssd->dev->bdev), data) : 0;
		if (!r && ssd->twin)
			r = fn(ti, ssd->twin, 0, bdev_nr_sectors(ssd->twin->bdev), data);
	}
	return r;
}

static void ssdup_io_hints(struct dm_target *ti, struct queue_limits *limits)
{
	struct ssdup *c = ti->private;
	struct block_device *hdd = c->hdd->bdev;

	/* What is asked for is where and how the HDD has its stripes, whatever the SSD likes. */
	limits->io_min = bdev_io_min(hdd);
	limits->io_opt = bdev_io_opt(hdd);
	limits->alignment_offset = max(bdev_alignment_offset(hdd), 0);
	ssdup_limit_discards(limits, 1U << c->map->range_shift);
	limits->discard_granularity = c->block_sectors << SECTOR_SHIFT;
}

static struct target_type ssdup_target = {
	.name			= "ssdup",
	.features		= DM_TARGET_NOWAIT,
	.version		= { 1, 0, 0 },
	.module			= THIS_MODULE,
	.ctr			= ssdup_ctr,
	.dtr			= ssdup_dtr,
	.map			= ssdup_map_bio,
	.end_io			= ssdup_end_io,
	.presuspend		= ssdup_presuspend,
	.presuspend_undo	= ssdup_presuspend_undo,
	.postsuspend		= ssdup_postsuspend,
	.preresume		= ssdup_preresume,
	.resume			= ssdup_resume,
	.status			= ssdup_status,
	.message		= ssdup_message,
	.iterate_devices	= ssdup_iterate_devices,
	.io_hints		= ssdup_io_hints,
};

static int __init ssdup_init(void)
{
	int r;

	/* 64-bit fields are read without a lock, so a read must not tear. */
	BUILD_BUG_ON(!IS_ENABLED(CONFIG_64BIT));

	r = ssdup_nodes_init();
	if (r)
		return r;
	r = dm_register_target(&ssdup_target);
	if (r)
		ssdup_nodes_exit();
	return r;
}

static void __exit ssdup_exit(void)
{
	dm_unregister_target(&ssdup_target);
	ssdup_nodes_exit();
}

module_init(ssdup_init);
module_exit(ssdup_exit);

MODULE_DESCRIPTION(DM_NAME " traffic-aware SSD write buffer for HDDs");
MODULE_AUTHOR("dm-ssdup developers");
MODULE_LICENSE("GPL");
