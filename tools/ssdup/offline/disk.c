// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "disk.h"
#include "lib/super.h"

#define BOUNCE_SECTORS	256U

static int measure_disk(struct disk *d)
{
	struct stat st;
	uint64_t bytes;
	int block = 512;

	if (fstat(d->fd, &st))
		return -errno;
	d->block = S_ISBLK(st.st_mode);
	/* Only devices have somebody else below the page cache. */
	if (!d->block)
		fcntl(d->fd, F_SETFL, fcntl(d->fd, F_GETFL) & ~O_DIRECT);
	bytes = st.st_size;
	if (d->block && (ioctl(d->fd, BLKGETSIZE64, &bytes) || ioctl(d->fd, BLKSSZGET, &block)))
		return -errno;
	d->sectors = bytes / SECTOR_BYTES;
	d->block_sectors = block / SECTOR_BYTES;
	return 0;
}

int disk_take(struct disk *d, const char *path, int fd)
{
	*d = (struct disk){ .path = path, .fd = fd };
	return measure_disk(d);
}

/* Who reads need not be alone; who probes may not even for a moment keep others out. */
static int open_shared(const struct ssdup_ctx *ctx, const struct dev *dev, enum disk_use use)
{
	int fd;

	if (use == DISK_PROBE || !dev->rdev)
		return dev_open(dev, O_RDONLY);
	fd = dev_open(dev, O_RDONLY | O_EXCL);
	if (fd != -EBUSY)
		return fd;
	warn(ctx, dev->path, "in use: what is read may be out of date at once");
	return dev_open(dev, O_RDONLY);
}

static int open_alone(const struct dev *dev, enum disk_use use)
{
	int flags = (use == DISK_READ_ALONE ? O_RDONLY : O_RDWR) | (dev->rdev ? O_EXCL : 0), fd;

	if (use != DISK_FILL)
		return dev_open(dev, flags);
	fd = open(dev->path, flags | O_CLOEXEC);
	/* Nothing in the page cache is older than what is on the disk. */
	if (fd >= 0 && dev->rdev)
		ioctl(fd, BLKFLSBUF);
	return fd < 0 ? -errno : fd;
}

int disk_open(const struct ssdup_ctx *ctx, struct disk *d, const char *spec, enum disk_use use)
{
	bool alone = use != DISK_PROBE && use != DISK_READ;
	struct dev dev;
	int r, fd;

	r = dev_find(ctx, spec, &dev);
	if (r != EXIT_OK)
		return r;
	if (alone)
		r = dev_refuse_used(ctx, &dev, "give another disk");
	if (r == EXIT_OK) {
		fd = alone ? open_alone(&dev, use) : open_shared(ctx, &dev, use);
		if (fd < 0)
			r = fail(ctx, fd == -EBUSY ? EXIT_REFUSED : EXIT_FAILED, dev.path,
				 "cannot be opened: %s", strerror(-fd));
	}
	if (r != EXIT_OK) {
		dev_free(&dev);
		return r;
	}
	r = disk_take(d, dev.path, fd);
	d->dev = dev;
	if (!r)
		return EXIT_OK;
	fail(ctx, EXIT_FAILED, dev.path, "its size cannot be told: %s", strerror(-r));
	disk_close(d);
	return EXIT_FAILED;
}

void disk_close(struct disk *d)
{
	if (d->fd >= 0)
		close(d->fd);
	d->fd = -1;
	free(d->bounce);
	d->bounce = NULL;
	dev_free(&d->dev);
}

bool disk_same(const struct disk *a, const struct disk *b)
{
	struct stat x, y;

	if (fstat(a->fd, &x) || fstat(b->fd, &y))
		return false;
	if (a->block && b->block)
		return x.st_rdev == y.st_rdev;
	return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* --- Reading and writing --- */

static int all_of(struct disk *d, void *buf, uint64_t sector, uint64_t sectors, bool write)
{
	int r = transfer(d->fd, buf, sectors * SECTOR_BYTES, sector * SECTOR_BYTES, write);

	/* Both, or the one that can. */
	return d->mirror && !r == write ? all_of(d->mirror, buf, sector, sectors, write) : r;
}

static bool aligned(const struct disk *d, const void *buf, uint64_t sector, uint64_t sectors)
{
	return !d->block || !((uintptr_t)buf % 4096 || sector % d->block_sectors ||
			      sectors % d->block_sectors);
}

static bool within(const struct disk *d, uint64_t sector, uint64_t sectors)
{
	return sector <= d->sectors && sectors <= d->sectors - sector;
}

/* The part of @sectors from @sector on that fits the bounce buffer with what surrounds it. */
static uint64_t window(struct disk *d, uint64_t sector, uint64_t sectors,
		       uint64_t *from, uint64_t *len)
{
	uint64_t end = sector + sectors, unit = d->block_sectors;

	if (!d->bounce)
		d->bounce = xpages(BOUNCE_SECTORS * SECTOR_BYTES);
	*from = sector - sector % unit;
	if (end > *from + BOUNCE_SECTORS)
		end = *from + BOUNCE_SECTORS;
	*len = (end - *from + unit - 1) / unit * unit;
	return end - sector;
}

int disk_read(struct disk *d, void *buf, uint64_t sector, uint64_t sectors)
{
	uint64_t from, len, n;
	int r;

	if (!within(d, sector, sectors))
		return -ENXIO;
	if (aligned(d, buf, sector, sectors))
		return all_of(d, buf, sector, sectors, false);
	for (; sectors; sector += n, sectors -= n) {
		n = window(d, sector, sectors, &from, &len);
		r = all_of(d, d->bounce, from, len, false);
		if (r)
			return r;
		memcpy(buf, (char *)d->bounce + (sector - from) * SECTOR_BYTES, n * SECTOR_BYTES);
		buf = (char *)buf + n * SECTOR_BYTES;
	}
	return 0;
}

uint64_t disk_next_data(const struct disk *d, uint64_t sector)
{
	off_t at = d->block ? -1 : lseek(d->fd, sector * SECTOR_BYTES, SEEK_DATA);

	if (at >= 0)
		return max(sector, (uint64_t)at / SECTOR_BYTES);
	/* Not every file system can tell. */
	return d->block || errno != ENXIO ? sector : UINT64_MAX;
}

int disk_write(struct disk *d, const void *buf, uint64_t sector, uint64_t sectors)
{
	uint64_t from, len, n;
	int r;

	if (!within(d, sector, sectors))
		return -ENXIO;
	if (aligned(d, buf, sector, sectors))
		return all_of(d, (void *)buf, sector, sectors, true);
	for (; sectors; sector += n, sectors -= n) {
		n = window(d, sector, sectors, &from, &len);
		r = len == n ? 0 : all_of(d, d->bounce, from, len, false);
		if (r)
			return r;
		memcpy((char *)d->bounce + (sector - from) * SECTOR_BYTES, buf, n * SECTOR_BYTES);
		r = all_of(d, d->bounce, from, len, true);
		if (r)
			return r;
		buf = (const char *)buf + n * SECTOR_BYTES;
	}
	return 0;
}

int disk_zero(struct disk *d, uint64_t sector, uint64_t sectors)
{
	uint64_t range[2] = { sector * SECTOR_BYTES, sectors * SECTOR_BYTES }, n;
	static void *zeros;
	int r = 0;

	if (!within(d, sector, sectors))
		return -ENXIO;
	if (d->block && !((sector | sectors) % d->block_sectors) &&
	    !ioctl(d->fd, BLKZEROOUT, range))
		return 0;
	if (!d->block && !fallocate(d->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				    range[0], range[1]))
		return 0;
	if (!zeros)
		zeros = xpages(BOUNCE_SECTORS * SECTOR_BYTES);
	for (; sectors && !r; sector += n, sectors -= n) {
		n = sectors < BOUNCE_SECTORS ? sectors : BOUNCE_SECTORS;
		r = disk_write(d, zeros, sector, n);
	}
	return r;
}

int disk_sync(struct disk *d)
{
	if (fsync(d->fd))
		return -errno;
	return d->mirror ? disk_sync(d->mirror) : 0;
}
