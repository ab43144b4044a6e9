/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the drives, and what is known of their volatile caches.
 *
 * A drive may serve several devices: an SSD has several logs, and a disk has partitions. It has one
 * cache for all of them. When a flush fails the cache may be lost, with what each of them wrote,
 * and the next flush succeeds. So whoever uses the drive is told, at once.
 *
 * A request that fails, but not for a bad sector, says less: the drive may have been reset, and may
 * have lost its cache. That is a doubt. It costs little to heed one: what went to the HDD since the
 * last flush is written once more, and copies of reads are forgotten.
 *
 * Partitions share the drive of their disk. What lies below another layer (dm, md) is not known
 * here. So a loss or a doubt of a drive is a doubt of each other one that may share a disk with it.
 */
#ifndef SSDUP_DRIVES_H
#define SSDUP_DRIVES_H

#include <linux/atomic.h>
#include <linux/blkdev.h>
#include <linux/list.h>
#include <linux/mutex.h>

#include "load.h"

struct ssdup_mirror;

struct ssdup_drive {
	struct list_head	list;		/* these by drives_lock */
	struct list_head	users;
	const struct gendisk	*disk;
	bool			layer;		/* it may lie on disks that others use */
	struct mutex		lock;		/* a flush of an SSD, or a write of metadata */
	atomic_t		failures;	/* requests that it has failed, for any reason */
	atomic_t		doubts;		/* times that it may have lost its cache */
	atomic_t		losses;		/* of these, by a flush that failed */
	struct ssdup_load	load;		/* of an SSD */
};

/* What was known of a drive at some time. */
struct drive_mark {
	int			losses;
	int			doubts;
};

/* A disk of a device. */
struct drive_user {
	struct list_head	list;		/* by drives_lock */
	struct ssdup_drive	*drive;
	struct block_device	*bdev;
	struct ssdup_mirror	*mirror;	/* that is written too, see mirror.h; or NULL */
	/* The drive has lost its cache (@lost), or may have. Context: any; drives_lock is held. */
	void			(*tell)(struct drive_user *user, bool lost);
};

/**
 * ssdup_drive_get() - find the drive of @bdev, or make it, and listen to what others learn of it
 *
 * Context: process, sleeps. Return: 0 or -ENOMEM.
 */
int ssdup_drive_get(struct drive_user *user, struct block_device *bdev,
		    void (*tell)(struct drive_user *user, bool lost));

/** ssdup_drive_put() - @user is told of nothing any more; it may have no drive */
void ssdup_drive_put(struct drive_user *user);

/** ssdup_drive_lost() - a flush of the drive has failed: tell all users, also @user; any context */
void ssdup_drive_lost(struct drive_user *user);

/** ssdup_drive_failed() - the drive has failed a request, which is no flush; any context */
void ssdup_drive_failed(struct drive_user *user, blk_status_t status);

/**
 * drive_ended() - a request to a disk has ended, which is no flush; any context
 *
 * For requests that device mapper ends, io.c tells the drive.
 */
static inline void drive_ended(struct drive_user *user, blk_status_t status)
{
	if (unlikely(status))
		ssdup_drive_failed(user, status);
}

/** drive_now() - how often it has lost its cache so far, or may have; any context */
static inline struct drive_mark drive_now(const struct drive_user *user)
{
	return (struct drive_mark){
		.losses = atomic_read(&user->drive->losses),
		.doubts = atomic_read(&user->drive->doubts),
	};
}

/**
 * drive_fua_is_no_flush() - does it do FUA without a flush? any context
 *
 * A stacked device always claims FUA, so it is not trusted.
 */
static inline bool drive_fua_is_no_flush(struct block_device *bdev)
{
	return !bdev->bd_disk->fops->submit_bio && (!bdev_write_cache(bdev) || bdev_fua(bdev));
}

/** ssdup_is_transient() - is @error transient? any context */
bool ssdup_is_transient(int error);

#endif
