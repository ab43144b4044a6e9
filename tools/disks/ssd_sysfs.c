// SPDX-License-Identifier: GPL-2.0-only
/* /sys/block/<disk>/ftl/: what the flash memory of an SSD was given to do. */
#include <linux/blkdev.h>
#include <linux/device.h>
#include <linux/sysfs.h>
#include "disks.h"

static struct disk *disk_of(struct device *dev)
{
	return dev_to_disk(dev)->private_data;
}

/* One look at all of it, so that the numbers fit together. */
static struct ftl_counters ftl_sum(struct disk *d)
{
	struct ftl_counters c;

	spin_lock_bh(&d->lock);
	c = d->ftl.counters;
	spin_unlock_bh(&d->lock);
	return c;
}

static u64 ftl_nand_bytes(const struct ftl_counters *c)
{
	return (c->written + c->copied) * FTL_PAGE_BYTES;
}

static u64 ftl_programmed(struct disk *d)
{
	struct ftl_counters c = ftl_sum(d);

	return ftl_nand_bytes(&c);
}

static u64 ftl_waf(struct disk *d)
{
	struct ftl_counters c = ftl_sum(d);
	u64 host = c.host_sectors << SECTOR_SHIFT;

	return host ? div64_u64(ftl_nand_bytes(&c) * 1000, host) : 0;
}

static u64 ftl_erased_bytes(struct disk *d)
{
	return ftl_sum(d).erased * d->ftl.superblock_pages * FTL_PAGE_BYTES;
}

#define FTL_ATTR(_name, _value)							\
static ssize_t _name##_show(struct device *dev, struct device_attribute *attr,	\
			    char *buf)						\
{										\
	struct disk *d = disk_of(dev);						\
										\
	return sysfs_emit(buf, "%llu\n", (unsigned long long)(_value));		\
}										\
static DEVICE_ATTR_RO(_name)

FTL_ATTR(host_bytes, ftl_sum(d).host_sectors << SECTOR_SHIFT);
FTL_ATTR(nand_bytes, ftl_programmed(d));
FTL_ATTR(copied_bytes, ftl_sum(d).copied * FTL_PAGE_BYTES);
FTL_ATTR(erased_bytes, ftl_erased_bytes(d));
FTL_ATTR(discarded_bytes, ftl_sum(d).discarded * FTL_PAGE_BYTES);
FTL_ATTR(waf_1e3, ftl_waf(d));
FTL_ATTR(mapped_bytes, (u64)READ_ONCE(d->ftl.mapped) * FTL_PAGE_BYTES);
FTL_ATTR(free_superblocks, READ_ONCE(d->ftl.nr_free));
FTL_ATTR(superblock_bytes, (u64)d->ftl.superblock_pages * FTL_PAGE_BYTES);
FTL_ATTR(superblocks, d->ftl.nr_superblocks);

static ssize_t read_latency_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct disk *d = disk_of(dev);
	ssize_t n = 0;
	u64 nr;
	u32 i;

	for (i = 0; i < LATENCY_BUCKETS; i++) {
		nr = READ_ONCE(d->read_latency[i]);
		if (nr)
			n += sysfs_emit_at(buf, n, "%llu %llu\n", latency_limit(i), nr);
	}
	return n;
}
static DEVICE_ATTR_RO(read_latency);

static ssize_t stream_ranges_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct disk *d = disk_of(dev);
	ssize_t n = 0;
	unsigned int i;

	spin_lock_bh(&d->lock);
	for (i = 0; i < d->nr_streams; i++) {
		const struct disk_stream *s = &d->stream_ranges[i];

		n += sysfs_emit_at(buf, n, "%llu %llu %u\n", s->range.sector,
				   s->range.end - s->range.sector, s->stream);
	}
	spin_unlock_bh(&d->lock);
	return n;
}

static ssize_t stream_ranges_store(struct device *dev, struct device_attribute *attr,
				   const char *buf, size_t count)
{
	struct disk *d = disk_of(dev);
	struct disk_stream *s;
	u64 sector, sectors;
	ssize_t r = count;
	u32 stream;

	if (sysfs_streq(buf, "clear")) {
		spin_lock_bh(&d->lock);
		d->nr_streams = 0;
		spin_unlock_bh(&d->lock);
		return count;
	}
	if (sscanf(buf, "%llu %llu %u", &sector, &sectors, &stream) != 3 || !sectors ||
	    sector + sectors < sector || stream > d->ftl.p.streams)
		return -EINVAL;
	spin_lock_bh(&d->lock);
	if (d->nr_streams == DISK_MAX_RANGES) {
		r = -ENOSPC;
	} else {
		s = &d->stream_ranges[d->nr_streams++];
		s->range.sector = sector;
		s->range.end = sector + sectors;
		s->stream = stream;
	}
	spin_unlock_bh(&d->lock);
	return r;
}
static DEVICE_ATTR_RW(stream_ranges);

static struct attribute *ftl_attrs[] = {
	&dev_attr_host_bytes.attr,
	&dev_attr_nand_bytes.attr,
	&dev_attr_copied_bytes.attr,
	&dev_attr_erased_bytes.attr,
	&dev_attr_discarded_bytes.attr,
	&dev_attr_waf_1e3.attr,
	&dev_attr_mapped_bytes.attr,
	&dev_attr_free_superblocks.attr,
	&dev_attr_superblock_bytes.attr,
	&dev_attr_superblocks.attr,
	&dev_attr_read_latency.attr,
	&dev_attr_stream_ranges.attr,
	NULL
};

const struct attribute_group disk_ftl_group = {
	.name = "ftl",
	.attrs = ftl_attrs,
};
