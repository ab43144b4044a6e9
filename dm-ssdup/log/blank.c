// SPDX-License-Identifier: GPL-2.0-only
/* Owns whether an SSD is blank, and so may get a log. */
#include "base/sync_io.h"
#include "blank.h"
#include "core/twins.h"
#include "log.h"

#define BUFFER_BYTES	(32U << 10)	/* the parts of a home around its records are multiples */

/* To read to. */
struct buffer {
	struct page	*pages;
	u32		bytes;
};

/* Return: 1 when sectors [@at, @end) hold zeroes, or 0, or -errno. */
static int is_zero(struct drive_user *disk, const struct buffer *b, u64 at, u64 end)
{
	int r;

	for (; at < end; at += b->bytes >> SECTOR_SHIFT) {
		r = ssdup_sync_io(disk, REQ_OP_READ | REQ_SYNC | REQ_META, at, b->pages, 0,
				  b->bytes);
		if (r)
			return r;
		if (memchr_inv(page_address(b->pages), 0, b->bytes))
			return 0;
	}
	return 1;
}

/*
 * Others have their marks elsewhere in the first or the last MiB: btrfs zeroes both, and begins at
 * 64 KiB. Records may be those of a log whose making was cut short. Return: 1, 0 or -errno.
 */
static int home_blank(struct drive_user *disk, const struct buffer *b, u64 home)
{
	int r = is_zero(disk, b, home, home + SSDUP_RECORD_PLACE(0));

	return r > 0 ? is_zero(disk, b, home + SSDUP_RECORD_PLACE(SSDUP_MAX_LOGS),
			       home + SSDUP_HOME_SECTORS) : r;
}

static int disk_blank(struct drive_user *disk, const struct buffer *b)
{
	u64 sectors = bdev_nr_sectors(disk->bdev);
	int r;

	/* It is too small, which is said later. */
	if (sectors < 2 * SSDUP_HOME_SECTORS)
		return 1;
	r = home_blank(disk, b, log_home(sectors, 0));
	return r > 0 ? home_blank(disk, b, log_home(sectors, 1)) : r;
}

/* Is what stands there left of making both? Then it may be whatever a power cut has left. */
static bool being_made(struct drive_user *disk, const struct buffer *b)
{
	u64 sectors = bdev_nr_sectors(disk->bdev);
	struct twin_block twin;
	bool any = false;
	u32 copy;

	for (copy = 0; copy < SSDUP_COPIES && sectors >= 2 * SSDUP_HOME_SECTORS; copy++)
		any |= !ssdup_sync_io(disk, REQ_OP_READ | REQ_SYNC | REQ_META,
				      log_home(sectors, copy) + SSDUP_TWIN_PLACE, b->pages, 0,
				      SSDUP_BLOCK_BYTES) &&
		       ssdup_twin_decode(page_address(b->pages), &twin) == TWIN_THERE;
	return any;
}

static int all_blank(struct ssdup_ssd *ssd, const struct buffer *b)
{
	struct ssdup_mirror *m = ssd->user.mirror;
	struct drive_user *disk;
	u32 i;
	int r = 1;

	if (!m || !ssdup_mirror_new(m))
		return disk_blank(&ssd->user, b);
	for (i = 0; i < SSDUP_TWINS && r > 0; i++) {
		disk = ssdup_mirror_member(m, i);
		r = being_made(disk, b) ? 1 : disk_blank(disk, b);
	}
	return r;
}

/* A resume allocates without I/O, and so without compaction: it may find no pages side by side. */
int ssdup_ssd_blank(struct ssdup_ssd *ssd, struct page *page)
{
	struct page *pages = alloc_pages(GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN,
					 get_order(BUFFER_BYTES));
	struct buffer b = { pages ?: page, pages ? BUFFER_BYTES : SSDUP_BLOCK_BYTES };
	int r = all_blank(ssd, &b);

	if (pages)
		__free_pages(pages, get_order(BUFFER_BYTES));
	return r;
}
