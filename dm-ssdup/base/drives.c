// SPDX-License-Identifier: GPL-2.0-only
/* Owns what is known of the drives below all devices. */
#include <linux/blkdev.h>
#include <linux/slab.h>

#include "drives.h"

static DEFINE_SPINLOCK(drives_lock);
static LIST_HEAD(drives);

static struct ssdup_drive *drive_of(const struct gendisk *disk)
{
	struct ssdup_drive *drive;

	lockdep_assert_held(&drives_lock);
	list_for_each_entry(drive, &drives, list)
		if (drive->disk == disk)
			return drive;
	return NULL;
}

static struct ssdup_drive *new_drive(const struct gendisk *disk)
{
	struct ssdup_drive *drive = kzalloc(sizeof(*drive), GFP_KERNEL);

	if (!drive)
		return NULL;
	if (ssdup_load_create(&drive->load)) {
		kfree(drive);
		return NULL;
	}
	drive->disk = disk;
	/* A driver of a disk takes requests, a layer takes bios. */
	drive->layer = disk->fops->submit_bio;
	INIT_LIST_HEAD(&drive->users);
	mutex_init(&drive->lock);
	return drive;
}

static void free_drive(struct ssdup_drive *drive)
{
	if (!drive)
		return;
	ssdup_load_destroy(&drive->load);
	kfree(drive);
}

int ssdup_drive_get(struct drive_user *user, struct block_device *bdev,
		    void (*tell)(struct drive_user *user, bool lost))
{
	struct ssdup_drive *new = new_drive(bdev->bd_disk), *drive;

	if (!new)
		return -ENOMEM;
	user->bdev = bdev;
	user->tell = tell;
	spin_lock_irq(&drives_lock);
	drive = drive_of(bdev->bd_disk);
	if (!drive) {
		drive = new;
		new = NULL;
		list_add(&drive->list, &drives);
	}
	user->drive = drive;
	list_add(&user->list, &drive->users);
	spin_unlock_irq(&drives_lock);
	free_drive(new);
	return 0;
}

void ssdup_drive_put(struct drive_user *user)
{
	struct ssdup_drive *drive = user->drive;
	bool last;

	if (!drive)
		return;
	spin_lock_irq(&drives_lock);
	list_del(&user->list);
	last = list_empty(&drive->users);
	if (last)
		list_del(&drive->list);
	spin_unlock_irq(&drives_lock);
	user->drive = NULL;
	if (last)
		free_drive(drive);
}

/* May a loss of the cache of @one be one of @other, too? */
static bool may_share(const struct ssdup_drive *one, const struct ssdup_drive *other)
{
	return one == other || one->layer || other->layer;
}

static void tell_users(const struct ssdup_drive *drive, bool lost)
{
	struct ssdup_drive *other;
	struct drive_user *user;
	unsigned long flags;
	bool surely;

	spin_lock_irqsave(&drives_lock, flags);
	list_for_each_entry(other, &drives, list) {
		if (!may_share(drive, other))
			continue;
		surely = lost && other == drive;
		/* The users may look at once. */
		if (surely)
			atomic_inc(&other->losses);
		atomic_inc(&other->doubts);
		list_for_each_entry(user, &other->users, list)
			user->tell(user, surely);
	}
	spin_unlock_irqrestore(&drives_lock, flags);
}

void ssdup_drive_lost(struct drive_user *user)
{
	atomic_inc(&user->drive->failures);
	tell_users(user->drive, true);
}

/* Does such an error say nothing of the cache? */
static bool says_nothing_of_cache(blk_status_t status)
{
	switch (status) {
	case BLK_STS_MEDIUM:
	case BLK_STS_NOTSUPP:
	case BLK_STS_NOSPC:
	case BLK_STS_PROTECTION:
	case BLK_STS_RESOURCE:
	case BLK_STS_DEV_RESOURCE:
		return true;
	default:
		return false;
	}
}

void ssdup_drive_failed(struct drive_user *user, blk_status_t status)
{
	if (status == BLK_STS_AGAIN)
		return;
	atomic_inc(&user->drive->failures);
	if (!says_nothing_of_cache(status))
		tell_users(user->drive, false);
}

bool ssdup_is_transient(int error)
{
	switch (errno_to_blk_status(error)) {
	case BLK_STS_RESOURCE:
	case BLK_STS_DEV_RESOURCE:
	case BLK_STS_AGAIN:
	case BLK_STS_TIMEOUT:
	case BLK_STS_TRANSPORT:
		return true;
	default:
		return false;
	}
}
