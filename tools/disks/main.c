// SPDX-License-Identifier: GPL-2.0-only
/* Creates the modelled disks that the module's parameters describe. */
#include <linux/module.h>
#include <linux/slab.h>
#include "disks.h"
#include "params.h"

/* The parameters have these values unless they are given. */
static struct disks_params params = {
#define DISKS_PARAM(name, type, value, ...)	.name = value,
#include "param_list.h"
};

#define DISKS_PARAM(name, type, value, desc)			\
module_param_named(name, params.name, type, 0444);		\
MODULE_PARM_DESC(name, desc);
#include "param_list.h"

static int disks_make_hdd(struct disk *d)
{
	const struct hdd_params mechanics = disks_mechanics(&params);
	const struct hdd_queue_params electronics = disks_electronics(&params);

	return hdd_create(d, &mechanics, &electronics, params.hdd_cache_runs);
}

static int disks_make_ssd(struct disk *d)
{
	const struct ssd_params p = disks_interface(&params);
	const struct ftl_params f = disks_flash(&params);

	return ssd_create(d, &p, params.ssd_ftl ? &f : NULL, disks_age(&params));
}

static int disks_create(const struct disk_params *p, int (*make)(struct disk *d))
{
	struct disk *d = kzalloc(sizeof(*d), GFP_KERNEL);
	int r;

	if (!d)
		return -ENOMEM;
	d->p = *p;
	d->instant = params.instant;
	d->late = params.late && !params.instant;
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

	p.ready_sectors = (u64)params.ready_mb << 11;
	p.ops = &hdd_ops;
	p.groups = disk_groups;
	p.sectors = (u64)params.hdd_size_mb << 11;
	p.block_size = params.hdd_block_size;
	p.depth = params.hdd_depth;
	p.cache_sectors = (u64)params.hdd_cache_mb << 11;
	p.rotational = true;
	p.discard = params.hdd_discard;
	p.discard_granularity = params.hdd_block_size;
	for (i = 0; i < params.hdds && !r; i++) {
		snprintf(p.name, sizeof(p.name), "mhdd%u", i);
		r = disks_create(&p, disks_make_hdd);
	}

	p.ops = &ssd_ops;
	p.groups = params.ssd_ftl ? disk_ftl_groups : disk_groups;
	p.sectors = (u64)params.ssd_size_mb << 11;
	p.block_size = params.ssd_block_size;
	p.depth = params.ssd_depth;
	p.cache_sectors = (u64)params.ssd_cache_mb << 11;
	p.rotational = false;
	p.discard = params.ssd_discard;
	p.discard_granularity = params.ssd_ftl ? FTL_PAGE_BYTES : params.ssd_block_size;
	p.streams = params.ssd_ftl ? params.ssd_streams : 0;
	for (i = 0; i < params.ssds && !r; i++) {
		snprintf(p.name, sizeof(p.name), "mssd%u", i);
		r = disks_create(&p, disks_make_ssd);
	}
	return r;
}

static int __init disks_init(void)
{
	int r;

	if (disks_fault(&params) || params.hdds + params.ssds > DISKS_MAX) {
		pr_err("ssdup-disks: bad parameter\n");
		return -EINVAL;
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
