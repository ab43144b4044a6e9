// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: /sys/block/dm-N/ssdup: knobs, state and statistics, a line each.
 *
 * The folder is a group of files of the disk, so it has no object of its own whose last
 * reference somebody else may drop when this module is gone. It is there from the first
 * resume of a table until its owner is destroyed. The owner is the table that was resumed
 * last: another one takes the folder over, and a suspend leaves it alone.
 */
#include <linux/sysfs.h>

#include "args.h"
#include "commit.h"
#include "flush.h"
#include "halves.h"
#include "mode.h"
#include "status.h"
#include "stream.h"
#include "super.h"
#include "sysfs.h"

/*
 * folder_lock is held while folders are made and removed; that waits for those who read or
 * write a file. They take owner_lock, and nobody is destroyed meanwhile: so who waits for
 * them must not hold it.
 */
static DEFINE_MUTEX(folder_lock);
static DEFINE_MUTEX(owner_lock);	/* owners; taken with folder_lock, or a file in use */
static LIST_HEAD(owners);

struct ssdup_attr {
	struct device_attribute attr;
	const char	*key;		/* a knob */
	ssize_t		(*show)(struct ssdup *c, char *buf);
	int		stat;		/* a statistic */
};

static ssize_t ssdup_show(struct device *dev, struct device_attribute *attr, char *buf);
static ssize_t ssdup_store(struct device *dev, struct device_attribute *attr, const char *buf,
			   size_t len);

#define READ_FILE(file)								\
	{ .attr = { .name = #file, .mode = 0444 }, .show = ssdup_show }
#define KNOB_FILE(file)								\
	{ .attr = { .name = #file, .mode = 0644 }, .show = ssdup_show, .store = ssdup_store }

/* A file for a key; units stand in the file's name. */
#define KNOB(file, key_name)							\
	static struct ssdup_attr knob_##file = {				\
		.attr = KNOB_FILE(file), .key = key_name,			\
	}
#define STATE(file, fmt, ...)							\
	static ssize_t show_##file(struct ssdup *c, char *buf)			\
	{									\
		return sysfs_emit(buf, fmt "\n", __VA_ARGS__);			\
	}									\
	static struct ssdup_attr state_##file = {				\
		.attr = READ_FILE(file), .show = show_##file,			\
	}
#define STAT(file, number)							\
	static struct ssdup_attr stat_##file = {				\
		.attr = READ_FILE(file), .stat = number,			\
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
STATE(log_uuid, "%pUb", ssdup_super(c)->uuid);
STATE(mode, "%u", ssdup_mode(c));
STATE(route, "%s", READ_ONCE(c->route) == SSDUP_SSD ? "ssd" : "hdd");
STATE(random_percentage_1e4, "%u", ssdup_stream_percentage(c));
STATE(threshold_1e4, "%u", ssdup_stream_threshold(c));
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
STATE(waiting_flushes, "%u", ssdup_queued_flushes(c) + ssdup_queued_fuas(c));
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
	&knob_policy.attr.attr, &knob_stream_length_writes.attr.attr,
	&knob_to_ssd_above_percent.attr.attr, &knob_to_hdd_below_percent.attr.attr,
	&knob_full.attr.attr, &knob_drain.attr.attr, &knob_drain_depth_reads.attr.attr,
	&knob_autocommit_ms.attr.attr, &knob_flush_on_suspend.attr.attr, &state_hdd_dev.attr.attr,
	&state_ssd_dev.attr.attr, &state_log_uuid.attr.attr, &state_mode.attr.attr,
	&state_route.attr.attr, &state_random_percentage_1e4.attr.attr,
	&state_threshold_1e4.attr.attr, &state_halves.attr.attr, &state_halves_free.attr.attr,
	&state_halves_sealed.attr.attr, &state_receiving_fill_1e4.attr.attr,
	&state_range_mb.attr.attr, &state_half_data_sectors.attr.attr,
	&state_dirty_sectors.attr.attr, &state_extents.attr.attr, &state_waiting_writes.attr.attr,
	&state_drain_errno.attr.attr, &state_drain_state.attr.attr, &state_wait_cause.attr.attr,
	&state_waiting_flushes.attr.attr, &state_home_sectors.attr.attr,
	&state_read_only.attr.attr, &stat_writes_hdd.attr.attr, &stat_writes_ssd.attr.attr,
	&stat_write_sectors_hdd.attr.attr, &stat_write_sectors_ssd.attr.attr,
	&stat_reads_hdd.attr.attr, &stat_reads_ssd.attr.attr, &stat_read_sectors_hdd.attr.attr,
	&stat_read_sectors_ssd.attr.attr, &stat_discards.attr.attr, &stat_flushes.attr.attr,
	&stat_waited_writes.attr.attr, &stat_streams.attr.attr, &stat_streams_ssd.attr.attr,
	&stat_commits.attr.attr, &stat_pages_written.attr.attr, &stat_seals.attr.attr,
	&stat_frees.attr.attr, &stat_drained_sectors.attr.attr, &stat_drain_writes.attr.attr,
	&stat_drain_reads.attr.attr, &stat_ssd_errors.attr.attr, &stat_hdd_errors.attr.attr,
	&stat_pinned_extents.attr.attr, &stat_lost_extents.attr.attr,
	NULL
};

static const struct attribute_group ssdup_group = {
	.name	= "ssdup",
	.attrs	= ssdup_attrs,
};

/* The owner of a disk's folder, or NULL; owner_lock is held. */
static struct ssdup *owner_of(const struct device *dev)
{
	struct ssdup *c;

	list_for_each_entry(c, &owners, folder)
		if (disk_to_dev(dm_disk(c->md)) == dev)
			return c;
	return NULL;
}

static ssize_t show_of(struct ssdup *c, const struct ssdup_attr *a, char *buf)
{
	int len;

	if (a->show)
		return a->show(c, buf);
	if (!a->key)
		return sysfs_emit(buf, "%llu\n", ssdup_stat_sum(c, a->stat));
	len = ssdup_key_value(c, a->key, buf, PAGE_SIZE - 1);
	return len + sysfs_emit_at(buf, len, "\n");
}

static ssize_t ssdup_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	ssize_t r = -ENODEV;
	struct ssdup *c;

	mutex_lock(&owner_lock);
	c = owner_of(dev);
	if (c)
		r = show_of(c, container_of(attr, struct ssdup_attr, attr), buf);
	mutex_unlock(&owner_lock);
	return r;
}

static ssize_t ssdup_store(struct device *dev, struct device_attribute *attr, const char *buf,
			   size_t len)
{
	struct ssdup_attr *a = container_of(attr, struct ssdup_attr, attr);
	const char *error;
	struct ssdup *c;
	char text[32];
	int r = -ENODEV;

	if (len >= sizeof(text))
		return -EINVAL;
	memcpy(text, buf, len);
	text[len] = '\0';
	mutex_lock(&owner_lock);
	c = owner_of(dev);
	if (c) {
		r = ssdup_set(c, a->key, strim(text), &error);
		if (r)
			DMERR_LIMIT("%s: %s: %s", dm_device_name(c->md), attr->attr.name, error);
	}
	mutex_unlock(&owner_lock);
	return r ?: len;
}

/* Make @c the owner in another's place. Return: false when there is no owner. */
static bool take_over(struct ssdup *c)
{
	struct ssdup *old;

	mutex_lock(&owner_lock);
	old = owner_of(disk_to_dev(dm_disk(c->md)));
	if (old) {
		list_del_init(&old->folder);
		list_add(&c->folder, &owners);
	}
	mutex_unlock(&owner_lock);
	return old;
}

/* Make nobody the owner. Return: was it @c? */
static bool disown(struct ssdup *c)
{
	bool owned;

	mutex_lock(&owner_lock);
	owned = !list_empty(&c->folder);
	list_del_init(&c->folder);
	mutex_unlock(&owner_lock);
	return owned;
}

int ssdup_sysfs_add(struct ssdup *c)
{
	int r;

	/* A folder is taken over without waiting for one that is removed, perhaps for memory. */
	if (take_over(c))
		return 0;
	mutex_lock(&folder_lock);
	/* Nobody else makes an owner: tables of one device are resumed one after the other. */
	mutex_lock(&owner_lock);
	list_add(&c->folder, &owners);
	mutex_unlock(&owner_lock);
	r = sysfs_create_group(&disk_to_dev(dm_disk(c->md))->kobj, &ssdup_group);
	if (r)
		disown(c);
	mutex_unlock(&folder_lock);
	return r;
}

void ssdup_sysfs_remove(struct ssdup *c)
{
	mutex_lock(&folder_lock);
	if (disown(c))
		sysfs_remove_group(&disk_to_dev(dm_disk(c->md))->kobj, &ssdup_group);
	mutex_unlock(&folder_lock);
}
