/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: block devices: found by any of their names, and looked at before anything is
 * done to them.
 */
#ifndef SSDUP_DEV_H
#define SSDUP_DEV_H

#include <sys/types.h>

#include "tool.h"

struct dev {
	char		*path;		/* as it was given, or found by its tag */
	dev_t		rdev;		/* 0: an image file, not a device */
	uint64_t	bytes;
	unsigned int	block;		/* logical block size in bytes; 512 for a file */
	bool		rotational;
};

/**
 * dev_find() - find a block device
 * @spec: a path, UUID=, LABEL=, PARTUUID=, PARTLABEL=, ID= or WWN= (these two as below
 * /dev/disk/by-id), or MAJOR:MINOR. UUID= of a log finds its SSD, also where udev does not run,
 * and is refused when a copy of that is there too.
 * @dev: filled in; dev_free() it
 *
 * Return: EXIT_OK, or an exit code with the complaint made.
 */
int dev_find(const struct ssdup_ctx *ctx, const char *spec, struct dev *dev);

/** dev_find_quietly() - the same without a complaint */
int dev_find_quietly(const char *spec, struct dev *dev);

void dev_free(struct dev *dev);

/** dev_sectors() - its size; 0: not known */
uint64_t dev_sectors(dev_t rdev);

/**
 * dev_choose() - of devices that show the same, the one that no other takes the place of
 *
 * Return: its path, free() it; NULL with both names in *@twice for two disks, or for none.
 */
char *dev_choose(char **found, unsigned int nr, char **twice);

/** dev_each() - call @fn with the path of each block device, partitions too */
void dev_each(void (*fn)(void *arg, const char *path), void *arg);

/** dev_open() - open with O_DIRECT where that is possible; -errno when not at all */
int dev_open(const struct dev *dev, int flags);

/**
 * dev_lock() - nobody else makes a device with it, or changes what logs it holds, until the
 * descriptor that is returned is closed; -errno
 */
int dev_lock(const struct dev *dev);

/** dev_by_id() - a path below /dev/disk/by-id that leads to the device; NULL or free() it */
char *dev_by_id(dev_t rdev);

/** dev_number() - "MAJOR:MINOR" in a buffer of the caller's */
#define DEV_NUMBER	24
const char *dev_number(char text[DEV_NUMBER], dev_t rdev);

/** dev_sysfs_at() - another folder than /sys, for tests */
void dev_sysfs_at(const char *folder);

/** dev_sysfs_path() - of @file in the folder of a device in sysfs; free() it */
char *dev_sysfs_path(dev_t rdev, const char *file);

/** dev_known() - does the system know the device, or has it been pulled? */
bool dev_known(dev_t rdev);

/** dev_kernel_name() - "sda1", for /sys and /proc; free() it. "?" when it has gone */
char *dev_kernel_name(dev_t rdev);

/** folder_line() - first line of @file in a folder; NULL or free() it */
char *folder_line(const char *folder, const char *file);

/** dev_sysfs_read() - the same of /sys/dev/block/M:m/@file */
char *dev_sysfs_read(dev_t rdev, const char *file);

/** dev_queue_read() - the same of queue/@file of the disk, or of the one that a partition is on */
char *dev_queue_read(dev_t rdev, const char *file);

/**
 * dev_each_mount() - call @fn for each place that a device is mounted on
 * @id: of the mount, as statx() has it
 *
 * Until it returns something else than 0.
 */
void dev_each_mount(dev_t rdev, int (*fn)(void *arg, const char *mount, uint64_t id), void *arg);

/**
 * dev_each_holder() - call @fn for each device of device mapper or md that lies on it, also by a
 * table that is only loaded, until it says true; return that
 */
bool dev_each_holder(dev_t rdev, bool (*fn)(void *arg, dev_t holder, const char *dm_uuid),
		     void *arg);

/**
 * dev_refuse_used() - refuse a device that somebody uses: mounted, swap, part of a
 * device mapper or md device, or opened exclusively; its partitions too
 * @or: what else can be done, behind "unmount it, or "
 *
 * Return: EXIT_OK, or EXIT_REFUSED with the complaint made.
 */
int dev_refuse_used(const struct ssdup_ctx *ctx, const struct dev *dev, const char *or);

/**
 * dev_refuse_same() - refuse two devices that are, or lie on, one disk: by number, by
 * what they consist of (partitions, LVM, md, multipath), by WWN
 * @force: allow what shares a disk; never one device for both, also not on two paths
 *
 * Return: EXIT_OK, or EXIT_REFUSED with the complaint made.
 */
int dev_refuse_same(const struct ssdup_ctx *ctx, const struct dev *hdd, const struct dev *ssd,
		    bool force);

/** dev_lies_on() - does @rdev consist of @below, by LVM, md, multipath or the like? */
bool dev_lies_on(dev_t rdev, dev_t below);

/** dev_disks() - the whole disks that a device consists of, @most of them; their number */
unsigned int dev_disks(dev_t rdev, dev_t *disk, unsigned int most);

/**
 * dev_is_path() - is the device a path of a multipath device, or may it become one?
 *
 * By what udev knows: multipathd wants it, whether its device is there yet or not.
 */
bool dev_is_path(dev_t rdev);

/** dev_refuse_path() - refuse such a path; EXIT_OK, or an exit code with the complaint made */
int dev_refuse_path(const struct ssdup_ctx *ctx, const struct dev *dev);

/** dev_wwn() - of a whole disk, as the kernel has it; NULL or free() it */
char *dev_wwn(dev_t disk);

/** dev_two_paths() - the same disk, or partition, on two paths, by its WWN */
bool dev_two_paths(dev_t a, dev_t b);

/**
 * dev_signature() - what libblkid knows the contents as
 *
 * Return: "ext4", "a gpt partition table", ..., free() it; NULL for nothing known.
 */
char *dev_signature(const struct dev *dev);

/** dev_wipe_signatures() - take all those away; 0 or -errno */
int dev_wipe_signatures(const struct dev *dev);

#endif
