// SPDX-License-Identifier: GPL-2.0-only
/* Creates the modelled disks that the module's parameters describe. */
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include "disks.h"

#define DISKS_PARAM(_name, _type, _value, _desc)	\
static _type _name = _value;				\
module_param(_name, _type, 0444);			\
MODULE_PARM_DESC(_name, _desc)

DISKS_PARAM(hdds, uint, 1, "hard disks");
DISKS_PARAM(hdd_size_mb, uint, 4096, "size of a hard disk in MiB");
DISKS_PARAM(hdd_nominal_gb, uint, 1000, "size of the disk it stands for in GB");
DISKS_PARAM(hdd_spread, bool, false, "stretch it over all of the nominal disk");
DISKS_PARAM(hdd_rpm, uint, 7200, "revolutions per minute");
DISKS_PARAM(hdd_rate_mbps, uint, 180, "transfer rate in MB/s");
DISKS_PARAM(hdd_seek_track_us, uint, 500, "seek to the next track");
DISKS_PARAM(hdd_seek_avg_us, uint, 8500, "mean seek");
DISKS_PARAM(hdd_seek_full_us, uint, 16000, "seek over the whole disk");
DISKS_PARAM(hdd_depth, uint, 32, "queue depth");
DISKS_PARAM(hdd_cache_mb, uint, 64, "volatile write cache in MiB, 0 for none");
DISKS_PARAM(hdd_cache_runs, uint, 512, "separate runs of sectors the cache can hold");
DISKS_PARAM(hdd_order, uint, 0, "0 nearest command first, 1 elevator, 2 as they arrive");
DISKS_PARAM(hdd_destage, uint, 0, "the cache is written 0 when idle, 1 at once, 2 when it is full");
DISKS_PARAM(hdd_reads_first, bool, false, "reads come before writes");
DISKS_PARAM(hdd_bus_mbps, uint, 550, "interface rate in MB/s");
DISKS_PARAM(hdd_block_size, uint, 512, "logical block size");
DISKS_PARAM(hdd_discard, bool, false, "takes discards and write-zeroes");

DISKS_PARAM(ssds, uint, 1, "solid state disks");
DISKS_PARAM(ssd_size_mb, uint, 512, "size of an SSD in MiB");
DISKS_PARAM(ssd_rate_mbps, uint, 450, "write rate in MB/s, and read rate unless given");
DISKS_PARAM(ssd_read_mbps, uint, 0, "read rate in MB/s");
DISKS_PARAM(ssd_latency_us, uint, 60, "latency of a write, and of a read unless given");
DISKS_PARAM(ssd_read_latency_us, uint, 0, "latency of a read");
DISKS_PARAM(ssd_flush_us, uint, 1500, "time of a flush with a volatile cache");
DISKS_PARAM(ssd_depth, uint, 32, "queue depth");
DISKS_PARAM(ssd_cache_mb, uint, 0, "volatile cache in MiB, 0 for power-loss protection");
DISKS_PARAM(ssd_block_size, uint, 512, "logical block size");
DISKS_PARAM(ssd_discard, bool, true, "takes discards and write-zeroes");

DISKS_PARAM(ssd_ftl, bool, false, "has flash memory and a flash translation layer");
DISKS_PARAM(ssd_spare_percent, uint, 7, "spare area of the flash memory in per cent");
DISKS_PARAM(ssd_dies, uint, 8, "dies of the flash memory");
DISKS_PARAM(ssd_block_kb, uint, 256, "block of a die in KiB, a multiple of 64");
DISKS_PARAM(ssd_die_read_us, uint, 60, "time in which a die reads up to 64 KiB");
DISKS_PARAM(ssd_die_program_us, uint, 600, "time in which a die programs 64 KiB");
DISKS_PARAM(ssd_die_erase_us, uint, 1000, "time in which a die erases a block");
DISKS_PARAM(ssd_buffer_kb, uint, 2048, "write buffer in KiB, a multiple of 64");
DISKS_PARAM(ssd_streams, uint, 0, "write streams");
DISKS_PARAM(ssd_aged, uint, 0, "how many times it was written at random before");

DISKS_PARAM(instant, bool, false, "requests take no time");
DISKS_PARAM(late, bool, false, "data of a write are there only when it ends");
DISKS_PARAM(ready_mb, uint, 0, "memory taken beforehand for the data of each disk in MiB");

static int disks_make_hdd(struct disk *d)
{
	const struct hdd_params mechanics = {
		.sectors	 = d->p.sectors,
		.nominal_sectors = max(div_u64(hdd_nominal_gb * 1000000000ULL, 512), d->p.sectors),
		.rpm		 = hdd_rpm,
		.rate_kbps	 = hdd_rate_mbps * 1000,
		.seek_track_us	 = hdd_seek_track_us,
		.seek_avg_us	 = hdd_seek_avg_us,
		.seek_full_us	 = hdd_seek_full_us,
		.turn_us	 = 200,
		.readahead_us	 = 40000,
		.spread		 = hdd_spread,
	};
	const struct hdd_queue_params electronics = {
		.cache_sectors	 = d->p.cache_sectors,
		.window		 = 16,
		.slice_sectors	 = 1024,
		.bus_kbps	 = hdd_bus_mbps * 1000,
		.command_us	 = 20,
		.age_ms		 = 500,
		.order		 = hdd_order,
		.destage	 = hdd_destage,
		.reads_first	 = hdd_reads_first,
	};

	return hdd_create(d, &mechanics, &electronics, hdd_cache_runs);
}

/* What a die programs at once. */
#define DISKS_UNIT_KB	64

static struct ftl_params disks_flash(void)
{
	const struct ftl_params f = {
		.pages		= ssd_size_mb * (SZ_1M / FTL_PAGE_BYTES),
		.spare_percent	= ssd_spare_percent,
		.unit_pages	= DISKS_UNIT_KB * SZ_1K / FTL_PAGE_BYTES,
		.block_units	= ssd_block_kb / DISKS_UNIT_KB,
		.streams	= ssd_streams,
		.nand = {
			.dies		= ssd_dies,
			.buffer_units	= ssd_buffer_kb / DISKS_UNIT_KB,
			.read_us	= ssd_die_read_us,
			.program_us	= ssd_die_program_us,
			.erase_us	= ssd_die_erase_us,
		},
	};

	return f;
}

static int disks_make_ssd(struct disk *d)
{
	const struct ftl_params f = disks_flash();
	const struct ssd_params p = {
		.read_kbps	  = (ssd_read_mbps ?: ssd_rate_mbps) * 1000,
		.write_kbps	  = ssd_rate_mbps * 1000,
		.read_latency_us  = ssd_read_latency_us ?: ssd_latency_us,
		.write_latency_us = ssd_latency_us,
		.flush_us	  = ssd_cache_mb ? ssd_flush_us : 20,
		.volatile_cache	  = ssd_cache_mb != 0,
	};

	return ssd_create(d, &p, ssd_ftl ? &f : NULL, ssd_aged);
}

static int disks_create(const struct disk_params *p, int (*make)(struct disk *d))
{
	struct disk *d = kzalloc(sizeof(*d), GFP_KERNEL);
	int r;

	if (!d)
		return -ENOMEM;
	d->p = *p;
	d->instant = instant;
	d->late = late && !instant;
	r = disks_enlist(d) ?: make(d);
	if (r)
		pr_err("ssdup-disks: %s: no model of it: error %d\n", p->name, r);
	return r;
}

/*
 * All models are there before the first block device is: the kernel looks for
 * partitions on that, and may close it again only after a load that has failed.
 */
static int disks_add(struct disk *d, u64 unused)
{
	int r = disk_add(d);

	if (r)
		pr_err("ssdup-disks: %s: not created: error %d\n", d->p.name, r);
	return r;
}

static int disks_check(void)
{
	const struct ftl_params f = disks_flash();

	if (!hdd_bus_mbps || !hdd_cache_runs || !hdd_depth || !ssd_depth ||
	    hdd_order > HDD_ORDER_ARRIVAL || hdd_destage > HDD_DESTAGE_FULL ||
	    hdds + ssds > DISKS_MAX)
		return -EINVAL;
	if (ssd_ftl && (ssd_block_kb % DISKS_UNIT_KB || ssd_buffer_kb % DISKS_UNIT_KB ||
			ssd_size_mb > FTL_MAX_PAGES / (SZ_1M / FTL_PAGE_BYTES) || !ftl_size(&f)))
		return -EINVAL;
	if ((hdd_block_size != 512 && hdd_block_size != 4096) ||
	    (ssd_block_size != 512 && ssd_block_size != 4096))
		return -EINVAL;
	return 0;
}

static void disks_destroy(void)
{
	struct disk *d;

	while ((d = disks_delist()))
		disk_remove(d);
}

static int disks_create_all(void)
{
	struct disk_params p = { 0 };
	unsigned int i;
	int r = 0;

	p.ready_sectors = (u64)ready_mb << 11;
	p.ops = &hdd_ops;
	p.groups = disk_groups;
	p.sectors = (u64)hdd_size_mb << 11;
	p.block_size = hdd_block_size;
	p.depth = hdd_depth;
	p.cache_sectors = (u64)hdd_cache_mb << 11;
	p.rotational = true;
	p.discard = hdd_discard;
	p.discard_granularity = hdd_block_size;
	for (i = 0; i < hdds && !r; i++) {
		snprintf(p.name, sizeof(p.name), "mhdd%u", i);
		r = disks_create(&p, disks_make_hdd);
	}

	p.ops = &ssd_ops;
	p.groups = ssd_ftl ? disk_ftl_groups : disk_groups;
	p.sectors = (u64)ssd_size_mb << 11;
	p.block_size = ssd_block_size;
	p.depth = ssd_depth;
	p.cache_sectors = (u64)ssd_cache_mb << 11;
	p.rotational = false;
	p.discard = ssd_discard;
	p.discard_granularity = ssd_ftl ? FTL_PAGE_BYTES : ssd_block_size;
	p.streams = ssd_ftl ? ssd_streams : 0;
	for (i = 0; i < ssds && !r; i++) {
		snprintf(p.name, sizeof(p.name), "mssd%u", i);
		r = disks_create(&p, disks_make_ssd);
	}
	return r;
}

static int __init disks_init(void)
{
	int r = disks_check();

	if (r) {
		pr_err("ssdup-disks: bad parameter\n");
		return r;
	}
	mutex_lock(&disks_lock);
	r = disks_create_all() ?: disks_each(disks_add, 0) ?: disks_passings_init(disks_cut);
	if (r)
		disks_destroy();
	mutex_unlock(&disks_lock);
	return r;
}

static void __exit disks_exit(void)
{
	disks_passings_exit();
	mutex_lock(&disks_lock);
	disks_destroy();
	mutex_unlock(&disks_lock);
}

module_init(disks_init);
module_exit(disks_exit);

MODULE_DESCRIPTION("modelled hard disk and solid state disks");
MODULE_AUTHOR("dm-ssdup developers");
MODULE_LICENSE("GPL");
