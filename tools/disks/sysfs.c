// SPDX-License-Identifier: GPL-2.0-only
/* /sys/block/<disk>/model/: counters, power, failures by order. */
#include <linux/blkdev.h>
#include <linux/device.h>
#include <linux/kstrtox.h>
#include <linux/sysfs.h>
#include "disks.h"

static struct disk *disk_of(struct device *dev)
{
	return dev_to_disk(dev)->private_data;
}

static struct disk_counters disk_sum(struct disk *d)
{
	struct disk_counters sum = { 0 };
	u32 i;
	int cpu;

	for_each_possible_cpu(cpu) {
		struct disk_counters *c = per_cpu_ptr(d->counters, cpu);

		sum.reads += c->reads;
		sum.writes += c->writes;
		sum.flushes += c->flushes;
		sum.bytes_read += c->bytes_read;
		sum.bytes_written += c->bytes_written;
		for (i = 0; i <= FTL_MAX_STREAMS; i++)
			sum.stream_bytes[i] += c->stream_bytes[i];
	}
	return sum;
}

static void disk_mechanics(struct disk *d, u64 *seeks, u64 *busy_ns)
{
	spin_lock_bh(&d->lock);
	d->p.ops->stats(d, seeks, busy_ns);
	*seeks -= d->seeks_base;
	*busy_ns -= d->busy_base;
	spin_unlock_bh(&d->lock);
}

static u64 disk_seeks(struct disk *d)
{
	u64 seeks, busy;

	disk_mechanics(d, &seeks, &busy);
	return seeks;
}

static u64 disk_busy_us(struct disk *d)
{
	u64 seeks, busy;

	disk_mechanics(d, &seeks, &busy);
	return div_u64(busy, 1000);
}

static u64 disk_cached_bytes(struct disk *d)
{
	u64 sectors;

	spin_lock_bh(&d->lock);
	sectors = d->fifo.sectors;
	if (d->runs && !d->instant) {
		sectors = d->hdd.cache.sectors;
		if (d->hdd.busy && !d->hdd.active)
			sectors += d->hdd.active_sectors;
	}
	spin_unlock_bh(&d->lock);
	return sectors << SECTOR_SHIFT;
}

static u64 disk_operations(struct disk *d)
{
	struct disk_counters sum = disk_sum(d);

	return sum.reads + sum.writes + sum.flushes;
}

#define DISK_ATTR_VALUE(_name, _value)						\
static ssize_t _name##_show(struct device *dev, struct device_attribute *attr,	\
			    char *buf)						\
{										\
	struct disk *d = disk_of(dev);						\
										\
	return sysfs_emit(buf, "%llu\n", (unsigned long long)(_value));		\
}										\
static DEVICE_ATTR_RO(_name)

DISK_ATTR_VALUE(operations, disk_operations(d));
DISK_ATTR_VALUE(reads, disk_sum(d).reads);
DISK_ATTR_VALUE(writes, disk_sum(d).writes);
DISK_ATTR_VALUE(flushes, disk_sum(d).flushes);
DISK_ATTR_VALUE(bytes_read, disk_sum(d).bytes_read);
DISK_ATTR_VALUE(bytes_written, disk_sum(d).bytes_written);
DISK_ATTR_VALUE(seeks, disk_seeks(d));
DISK_ATTR_VALUE(busy_us, disk_busy_us(d));
DISK_ATTR_VALUE(cached_bytes, disk_cached_bytes(d));

/* "STREAM BYTES", a line for each that was written to. */
static ssize_t stream_bytes_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct disk_counters sum = disk_sum(disk_of(dev));
	ssize_t n = 0;
	u32 i;

	for (i = 0; i <= FTL_MAX_STREAMS; i++)
		if (sum.stream_bytes[i])
			n += sysfs_emit_at(buf, n, "%u %llu\n", i, sum.stream_bytes[i]);
	return n;
}
static DEVICE_ATTR_RO(stream_bytes);

static ssize_t reset_store(struct device *dev, struct device_attribute *attr,
			   const char *buf, size_t count)
{
	struct disk *d = disk_of(dev);
	int cpu;

	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(d->counters, cpu), 0, sizeof(struct disk_counters));
	spin_lock_bh(&d->lock);
	d->p.ops->stats(d, &d->seeks_base, &d->busy_base);
	memset(&d->ftl.counters, 0, sizeof(d->ftl.counters));
	memset(d->read_latency, 0, sizeof(d->read_latency));
	spin_unlock_bh(&d->lock);
	return count;
}
static DEVICE_ATTR_WO(reset);

static ssize_t power_cut_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", READ_ONCE(disk_of(dev)->off));
}

static ssize_t power_cut_store(struct device *dev, struct device_attribute *attr,
			       const char *buf, size_t count)
{
	u64 seed;
	int r = kstrtou64(buf, 0, &seed);

	if (r)
		return r;
	disk_power_cut(disk_of(dev), seed);
	return count;
}
static DEVICE_ATTR_RW(power_cut);

/* A disk that was reset: it goes on at once, with what was on the medium. */
static ssize_t lose_cache_store(struct device *dev, struct device_attribute *attr,
				const char *buf, size_t count)
{
	disk_power_cut(disk_of(dev), POWERCUT_LOSES_ALL);
	disk_power_on(disk_of(dev), 0);
	return count;
}
static DEVICE_ATTR_WO(lose_cache);

static ssize_t power_on_store(struct device *dev, struct device_attribute *attr,
			      const char *buf, size_t count)
{
	disk_power_on(disk_of(dev), 0);
	return count;
}
static DEVICE_ATTR_WO(power_on);

#define DISK_ATTR_FLAG(_name)							\
static ssize_t _name##_show(struct device *dev, struct device_attribute *attr,	\
			    char *buf)						\
{										\
	return sysfs_emit(buf, "%d\n", READ_ONCE(disk_of(dev)->inject._name));	\
}										\
static ssize_t _name##_store(struct device *dev, struct device_attribute *attr,	\
			     const char *buf, size_t count)			\
{										\
	bool on;								\
	int r = kstrtobool(buf, &on);						\
										\
	if (r)									\
		return r;							\
	WRITE_ONCE(disk_of(dev)->inject._name, on);				\
	return count;								\
}										\
static DEVICE_ATTR_RW(_name)

DISK_ATTR_FLAG(fail_flush);
DISK_ATTR_FLAG(drop_flush);
DISK_ATTR_FLAG(no_zeroes);
DISK_ATTR_FLAG(gone);

static ssize_t disk_ranges_show(struct disk *d, int dir, char *buf)
{
	struct disk_inject *in = &d->inject;
	unsigned int i;
	ssize_t n = 0;

	spin_lock_bh(&in->lock);
	for (i = 0; i < in->nr[dir]; i++)
		n += sysfs_emit_at(buf, n, "%llu %llu\n", in->ranges[dir][i].sector,
				   in->ranges[dir][i].end - in->ranges[dir][i].sector);
	spin_unlock_bh(&in->lock);
	return n;
}

static ssize_t disk_ranges_store(struct disk *d, int dir, const char *buf, size_t count)
{
	struct disk_inject *in = &d->inject;
	u64 sector, sectors;
	ssize_t r = count;

	if (sysfs_streq(buf, "clear")) {
		WRITE_ONCE(in->nr[dir], 0);
		return count;
	}
	if (sscanf(buf, "%llu %llu", &sector, &sectors) != 2 || !sectors ||
	    sector + sectors < sector)
		return -EINVAL;
	spin_lock_bh(&in->lock);
	if (in->nr[dir] == DISK_MAX_RANGES) {
		r = -ENOSPC;
	} else {
		in->ranges[dir][in->nr[dir]].sector = sector;
		in->ranges[dir][in->nr[dir]].end = sector + sectors;
		WRITE_ONCE(in->nr[dir], in->nr[dir] + 1);
	}
	spin_unlock_bh(&in->lock);
	return r;
}

#define DISK_ATTR_RANGES(_name, _dir)						\
static ssize_t _name##_show(struct device *dev, struct device_attribute *attr,	\
			    char *buf)						\
{										\
	return disk_ranges_show(disk_of(dev), _dir, buf);			\
}										\
static ssize_t _name##_store(struct device *dev, struct device_attribute *attr,	\
			     const char *buf, size_t count)			\
{										\
	return disk_ranges_store(disk_of(dev), _dir, buf, count);		\
}										\
static DEVICE_ATTR_RW(_name)

DISK_ATTR_RANGES(fail_read, 0);
DISK_ATTR_RANGES(fail_write, 1);

static ssize_t fail_status_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	int i = READ_ONCE(disk_of(dev)->inject.status);

	return sysfs_emit(buf, "%s\n", disk_status_names[i]);
}

static ssize_t fail_status_store(struct device *dev, struct device_attribute *attr,
				 const char *buf, size_t count)
{
	int i = __sysfs_match_string(disk_status_names, DISK_STATUSES, buf);

	if (i < 0)
		return i;
	WRITE_ONCE(disk_of(dev)->inject.status, i);
	return count;
}
static DEVICE_ATTR_RW(fail_status);

/* Beside the model, where the kernel has that of an NVMe disk; empty until it is written. */
static ssize_t wwid_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", disk_of(dev)->inject.wwid);
}

static ssize_t wwid_store(struct device *dev, struct device_attribute *attr, const char *buf,
			  size_t count)
{
	struct disk_inject *in = &disk_of(dev)->inject;

	strscpy(in->wwid, buf, sizeof(in->wwid));
	strim(in->wwid);
	return count;
}
static DEVICE_ATTR_RW(wwid);

static struct attribute *disk_name_attrs[] = { &dev_attr_wwid.attr, NULL };
static const struct attribute_group disk_name_group = { .attrs = disk_name_attrs };

static struct attribute *disk_attrs[] = {
	&dev_attr_operations.attr,
	&dev_attr_reads.attr,
	&dev_attr_writes.attr,
	&dev_attr_flushes.attr,
	&dev_attr_bytes_read.attr,
	&dev_attr_bytes_written.attr,
	&dev_attr_stream_bytes.attr,
	&dev_attr_seeks.attr,
	&dev_attr_busy_us.attr,
	&dev_attr_cached_bytes.attr,
	&dev_attr_reset.attr,
	&dev_attr_power_cut.attr,
	&dev_attr_lose_cache.attr,
	&dev_attr_power_on.attr,
	&dev_attr_fail_read.attr,
	&dev_attr_fail_write.attr,
	&dev_attr_fail_flush.attr,
	&dev_attr_fail_status.attr,
	&dev_attr_drop_flush.attr,
	&dev_attr_no_zeroes.attr,
	&dev_attr_gone.attr,
	NULL
};

static const struct attribute_group disk_group = {
	.name = "model",
	.attrs = disk_attrs,
};

const struct attribute_group *disk_groups[] = { &disk_group, &disk_name_group, NULL };
const struct attribute_group *disk_ftl_groups[] = {
	&disk_group, &disk_name_group, &disk_ftl_group, NULL
};
