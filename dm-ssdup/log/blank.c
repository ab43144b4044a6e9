// SPDX-License-Identifier: GPL-2.0-only
/* Owns whether an SSD is blank, and so may get a log. */
#include "base/sync_io.h"
#include "blank.h"
#include "core/twins.h"
#include "log.h"

/*
 * Others have their marks elsewhere in the first or the last MiB: btrfs zeroes both, and begins at
 * 64 KiB. Records may be those of a log whose making was cut short. Return: 1, 0 or -errno.
 */
static int home_blank(struct drive_user *disk, struct page *page, u64 home)
{
	u64 at;
	int r;

	for (at = 0; at < SSDUP_HOME_SECTORS; at += SSDUP_BLOCK_SECTORS) {
		if (at >= SSDUP_RECORD_PLACE(0) && at < SSDUP_RECORD_PLACE(SSDUP_MAX_LOGS))
			continue;
		r = ssdup_sync_io(disk, REQ_OP_READ | REQ_SYNC | REQ_META, home + at, page, 0,
				  SSDUP_BLOCK_BYTES);
		if (r)
			return r;
		if (memchr_inv(page_address(page), 0, SSDUP_BLOCK_BYTES))
			return 0;
	}
	return 1;
}

static int disk_blank(struct drive_user *disk, struct page *page)
{
	u64 sectors = bdev_nr_sectors(disk->bdev);
	int r;

	/* It is too small, which is said later. */
	if (sectors < 2 * SSDUP_HOME_SECTORS)
		return 1;
	r = home_blank(disk, page, log_home(sectors, 0));
	return r > 0 ? home_blank(disk, page, log_home(sectors, 1)) : r;
}

/* Is what stands there left of making both? Then it may be whatever a power cut has left. */
static bool being_made(struct drive_user *disk, struct page *page)
{
	u64 sectors = bdev_nr_sectors(disk->bdev);
	bool any = false;
	struct twin_block b;
	u32 copy;

	for (copy = 0; copy < SSDUP_COPIES && sectors >= 2 * SSDUP_HOME_SECTORS; copy++)
		any |= !ssdup_sync_io(disk, REQ_OP_READ | REQ_SYNC | REQ_META,
				      log_home(sectors, copy) + SSDUP_TWIN_PLACE, page, 0,
				      SSDUP_BLOCK_BYTES) &&
		       ssdup_twin_decode(page_address(page), &b) == TWIN_THERE;
	return any;
}

int ssdup_ssd_blank(struct ssdup_ssd *ssd, struct page *page)
{
	struct ssdup_mirror *m = ssd->user.mirror;
	struct drive_user *disk;
	u32 i;
	int r = 1;

	if (!m || !ssdup_mirror_new(m))
		return disk_blank(&ssd->user, page);
	for (i = 0; i < SSDUP_TWINS && r > 0; i++) {
		disk = ssdup_mirror_member(m, i);
		r = being_made(disk, page) ? 1 : disk_blank(disk, page);
	}
	return r;
}
