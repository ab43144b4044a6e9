// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: /sys/block/dm-N/ssdup: knobs, state and statistics, a line each.
 *
 * There from resume to suspend: the table that is active owns the folder.
 */
#include <linux/kobject.h>
#include <linux/sysfs.h>

#include "ssdup.h"

struct ssdup_sysfs {
	struct kobject	kobj;
	struct ssdup	*c;
};

struct ssdup_attr {
	struct attribute attr;
	const char	*key;		/* a knob */
	ssize_t		(*show)(struct ssdup *c, char *buf);
	int		stat;		/* a statistic */
};

/* A file for a key; units stand in the file's name. */
#define KNOB(file, key_name)							\
	static struct ssdup_attr knob_##file = {				\
		.attr = { .name = #file, .mode = 0644 }, .key = key_name,	\
	}
#define STATE(file, fmt, ...)							\
	static ssize_t show_##file(struct ssdup *c, char *buf)			\
	{									\
		return sysfs_emit(buf, fmt "\n", __VA_ARGS__);			\
	}									\
	static struct ssdup_attr state_##file = {				\
		.attr = { .name = #file, .mode = 0444 }, .show = show_##file,	\
	}
#define STAT(file, number)							\
	static struct ssdup_attr stat_##file = {				\
		.attr = { .name = #file, .mode = 0444 }, .stat = number,	\
	}

KNOB(policy, "policy");
KNOB(stream_length_writes, "stream_length");
KNOB(to_ssd_above_percent, "to_ssd_above");
KNOB(to_hdd_below_percent, "to_hdd_below");
KNOB(full, "full");
KNOB(drain, "drain");
KNOB(drain_depth_reads, "drain_depth");
KNOB(autocommit_ms, "autocommit_ms");
KNOB(flush_on_suspend, "flush_on_suspend");

STATE(hdd_dev, "%s", c->hdd->name);
STATE(ssd_dev, "%s", c->ssd->name);
STATE(log_uuid, "%pUb", c->super.uuid);
STATE(mode, "%u", ssdup_mode(c));
STATE(route, "%s", READ_ONCE(c->route) == SSDUP_ROUTE_SSD ? "ssd" : "hdd");
STATE(random_percentage_1e4, "%u", READ_ONCE(c->percentage));
STATE(threshold_1e4, "%u", READ_ONCE(c->threshold_now));
STATE(halves, "%u", c->g.nr_halves);
STATE(halves_free, "%u", ssdup_count_halves(c, HALF_FREE));
STATE(halves_sealed, "%u", ssdup_count_halves(c, HALF_SEALED));
STATE(receiving_fill_1e4, "%u", ssdup_fill(c));
STATE(range_mb, "%u", 1U << (c->range_shift - 11));
STATE(half_data_sectors, "%u", c->g.data_sectors);
STATE(dirty_sectors, "%lld", atomic64_read(&c->dirty_sectors));
STATE(extents, "%lld", atomic64_read(&c->extents));
STATE(waiting_writes, "%d", atomic_read(&c->nr_waiting));
STATE(drain_errno, "%d", -READ_ONCE(c->drain_error));
STATE(drain_state, "%u", ssdup_drain_state(c));
STATE(wait_cause, "%u", ssdup_wait_cause(c));
STATE(waiting_flushes, "%d", atomic_read(&c->nr_flushes));
STATE(home_sectors, "%llu", ssdup_home_sectors(c));
STATE(read_only, "%u", c->read_only);

STAT(writes_hdd, STAT_WRITES_HDD);
STAT(writes_ssd, STAT_WRITES_SSD);
STAT(write_sectors_hdd, STAT_SECTORS_HDD);
STAT(write_sectors_ssd, STAT_SECTORS_SSD);
STAT(reads_hdd, STAT_READS_HDD);
STAT(reads_ssd, STAT_READS_SSD);
STAT(read_sectors_hdd, STAT_READ_SECTORS_HDD);
STAT(read_sectors_ssd, STAT_READ_SECTORS_SSD);
STAT(discards, STAT_DISCARDS);
STAT(flushes, STAT_FLUSHES);
STAT(waited_writes, STAT_WAITED);
STAT(streams, STAT_STREAMS);
STAT(streams_ssd, STAT_STREAMS_SSD);
STAT(commits, STAT_COMMITS);
STAT(pages_written, STAT_PAGES);
STAT(seals, STAT_SEALS);
STAT(frees, STAT_FREES);
STAT(drained_sectors, STAT_DRAINED_SECTORS);
STAT(drain_writes, STAT_DRAIN_RUNS);
STAT(drain_reads, STAT_DRAIN_PIECES);
STAT(ssd_errors, STAT_SSD_ERRORS);
STAT(hdd_errors, STAT_HDD_ERRORS);
STAT(pinned_extents, STAT_PINNED);
STAT(lost_extents, STAT_LOST);

static struct attribute *ssdup_attrs[] = {
	&knob_policy.attr, &knob_stream_length_writes.attr, &knob_to_ssd_above_percent.attr,
	&knob_to_hdd_below_percent.attr, &knob_full.attr, &knob_drain.attr,
	&knob_drain_depth_reads.attr, &knob_autocommit_ms.attr, &knob_flush_on_suspend.attr,
	&state_hdd_dev.attr, &state_ssd_dev.attr, &state_log_uuid.attr,
	&state_mode.attr, &state_route.attr, &state_random_percentage_1e4.attr,
	&state_threshold_1e4.attr, &state_halves.attr, &state_halves_free.attr,
	&state_halves_sealed.attr, &state_receiving_fill_1e4.attr, &state_range_mb.attr,
	&state_half_data_sectors.attr, &state_dirty_sectors.attr, &state_extents.attr,
	&state_waiting_writes.attr, &state_drain_errno.attr, &state_drain_state.attr,
	&state_wait_cause.attr, &state_waiting_flushes.attr, &state_home_sectors.attr,
	&state_read_only.attr,
	&stat_writes_hdd.attr, &stat_writes_ssd.attr, &stat_write_sectors_hdd.attr,
	&stat_write_sectors_ssd.attr, &stat_reads_hdd.attr, &stat_reads_ssd.attr,
	&stat_read_sectors_hdd.attr, &stat_read_sectors_ssd.attr, &stat_discards.attr,
	&stat_flushes.attr, &stat_waited_writes.attr, &stat_streams.attr, &stat_streams_ssd.attr,
	&stat_commits.attr, &stat_pages_written.attr, &stat_seals.attr, &stat_frees.attr,
	&stat_drained_sectors.attr, &stat_drain_writes.attr, &stat_drain_reads.attr,
	&stat_ssd_errors.attr, &stat_hdd_errors.attr, &stat_pinned_extents.attr,
	&stat_lost_extents.attr,
	NULL
};
ATTRIBUTE_GROUPS(ssdup);

static ssize_t ssdup_show(struct kobject *kobj, struct attribute *attr, char *buf)
{
	struct ssdup *c = container_of(kobj, struct ssdup_sysfs, kobj)->c;
	struct ssdup_attr *a = container_of(attr, struct ssdup_attr, attr);
	int len;

	if (a->show)
		return a->show(c, buf);
	if (!a->key)
		return sysfs_emit(buf, "%llu\n", ssdup_stat_sum(c, a->stat));
	len = ssdup_key_value(c, a->key, buf, PAGE_SIZE - 1);
	return len + sysfs_emit_at(buf, len, "\n");
}

static ssize_t ssdup_store(struct kobject *kobj, struct attribute *attr, const char *buf,
			   size_t len)
{
	struct ssdup *c = container_of(kobj, struct ssdup_sysfs, kobj)->c;
	struct ssdup_attr *a = container_of(attr, struct ssdup_attr, attr);
	const char *error;
	char text[32];
	int r;

	if (!a->key || len >= sizeof(text))
		return -EINVAL;
	memcpy(text, buf, len);
	text[len] = '\0';
	r = ssdup_set(c, a->key, strim(text), &error);
	if (!r)
		return len;
	DMERR_LIMIT("%s: %s: %s", dm_device_name(c->md), attr->name, error);
	return r;
}

static void ssdup_release(struct kobject *kobj)
{
	kfree(container_of(kobj, struct ssdup_sysfs, kobj));
}

static const struct sysfs_ops ssdup_sysfs_ops = {
	.show	= ssdup_show,
	.store	= ssdup_store,
};

static const struct kobj_type ssdup_ktype = {
	.sysfs_ops	= &ssdup_sysfs_ops,
	.default_groups	= ssdup_groups,
	.release	= ssdup_release,
};

int ssdup_sysfs_add(struct ssdup *c)
{
	struct ssdup_sysfs *s = kzalloc(sizeof(*s), GFP_KERNEL);
	int r;

	if (!s)
		return -ENOMEM;
	s->c = c;
	r = kobject_init_and_add(&s->kobj, &ssdup_ktype,
				 &disk_to_dev(dm_disk(c->md))->kobj, "ssdup");
	if (r) {
		kobject_put(&s->kobj);
		return r;
	}
	c->sysfs = s;
	return 0;
}

void ssdup_sysfs_remove(struct ssdup *c)
{
	if (!c->sysfs)
		return;
	kobject_del(&c->sysfs->kobj);
	kobject_put(&c->sysfs->kobj);
	c->sysfs = NULL;
}
