// SPDX-License-Identifier: GPL-2.0-only
/* Owns the disks of a table, and says whether two tables share any. */
#include "disks.h"
#include "log/log.h"

static int check_disk(struct ssdup *c, struct block_device *bdev, char **error)
{
	u32 block = bdev_logical_block_size(bdev);

	if (bdev_is_zoned(bdev)) {
		*error = "hdd or ssd: zoned";
		return -EINVAL;
	}
	if (block > SSDUP_PAGE_BYTES) {
		*error = "hdd or ssd: logical blocks larger than 4 KiB";
		return -EINVAL;
	}
	c->block_sectors = max(c->block_sectors, block >> SECTOR_SHIFT);
	return 0;
}

/* @new: ssd->dev or ssd->twin. They would have one cache, and one lock. */
static bool on_disk_of_another(struct ssdup *c, struct dm_dev *const *new)
{
	const struct gendisk *disk = (*new)->bdev->bd_disk;
	struct ssdup_ssd *ssd;

	for (ssd = c->ssd; ssd < ssd_end(c); ssd++)
		if ((ssd->dev && &ssd->dev != new && ssd->dev->bdev->bd_disk == disk) ||
		    (ssd->twin && &ssd->twin != new && ssd->twin->bdev->bd_disk == disk))
			return true;
	return false;
}

int ssdup_table_mirror(struct ssdup *c, const char *name, char **error)
{
	struct ssdup_ssd *ssd = ssd_end(c) - 1;
	struct block_device *bdev;
	int r;

	if (ssd->mirrored || !ssd->dev) {
		*error = ssd->dev ? "mirror: given twice for one SSD" : "mirror: of no SSD";
		return -EINVAL;
	}
	ssd->mirrored = true;
	if (!strcmp(name, "-"))
		return 0;
	r = dm_get_device(c->ti, name, dm_table_get_mode(c->ti->table), &ssd->twin);
	if (r) {
		*error = "mirror: no such device, or in use";
		return r;
	}
	bdev = ssd->twin->bdev;
	if (bdev == c->hdd->bdev || on_disk_of_another(c, &ssd->twin)) {
		*error = "mirror: on the same disk as another one";
		return -EINVAL;
	}
	if (bdev_nr_sectors(bdev) != bdev_nr_sectors(ssd->dev->bdev)) {
		*error = "mirror: not of the size of its SSD";
		return -EINVAL;
	}
	return check_disk(c, bdev, error);
}

int ssdup_table_ssd(struct ssdup *c, const char *name, char **error)
{
	struct ssdup_ssd *ssd = ssd_end(c);
	int r;

	if (c->nr_ssds == SSDUP_MAX_SSDS) {
		*error = "ssd: too many";
		return -EINVAL;
	}
	ssd->c = c;
	c->nr_named = ++c->nr_ssds;
	if (!strcmp(name, "-"))
		return 0;
	r = dm_get_device(c->ti, name, dm_table_get_mode(c->ti->table), &ssd->dev);
	if (r) {
		*error = "ssd: no such device, or in use";
		return r;
	}
	if (ssd->dev->bdev == c->hdd->bdev) {
		*error = "ssd: the same device as hdd";
		return -EINVAL;
	}
	if (on_disk_of_another(c, &ssd->dev)) {
		*error = "ssd: on the same disk as another one";
		return -EINVAL;
	}
	return check_disk(c, ssd->dev->bdev, error);
}

int ssdup_get_disks(struct ssdup *c, struct dm_arg_set *as, char **error)
{
	struct dm_target *ti = c->ti;
	int r;

	if (as->argc < 2) {
		*error = "usage: <hdd> <ssd> [<#args> [<key> <value>]*]";
		return -EINVAL;
	}
	r = dm_get_device(ti, dm_shift_arg(as), dm_table_get_mode(ti->table), &c->hdd);
	if (r) {
		*error = "hdd: no such device, or in use";
		return r;
	}
	r = ssdup_table_ssd(c, dm_shift_arg(as), error);
	if (r)
		return r;
	if (ti->len > bdev_nr_sectors(c->hdd->bdev)) {
		*error = "hdd: smaller than the table says";
		return -EINVAL;
	}
	return check_disk(c, c->hdd->bdev, error);
}

void ssdup_put_disks(struct ssdup *c)
{
	struct ssdup_ssd *ssd;

	for (ssd = c->ssd; ssd < ssd_end(c); ssd++) {
		if (ssd->dev)
			dm_put_device(c->ti, ssd->dev);
		if (ssd->twin)
			dm_put_device(c->ti, ssd->twin);
	}
	if (c->hdd)
		dm_put_device(c->ti, c->hdd);
}

/* --- Two tables --- */

bool ssdup_shares_disk(const struct ssdup *a, const struct ssdup *b)
{
	return a->hdd->bdev == b->hdd->bdev || ssdup_has_ssd(a, b->hdd->bdev) ||
	       ssdup_has_ssd(b, a->hdd->bdev) ||
	       (a->log_known && b->log_known && a->log->number == b->log->number &&
		ssdup_shares_ssds(a, b));
}
