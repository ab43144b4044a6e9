/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: an SSD or an HDD, or an image of one in a file, read and written without
 * the module. Devices are read past the page cache, which knows nothing of what a
 * dm device wrote below it.
 */
#ifndef SSDUP_DISK_H
#define SSDUP_DISK_H

#include "lib/dev.h"
#include "lib/tool.h"

struct disk {
	struct dev	dev;
	const char	*path;		/* of @dev */
	int		fd;
	bool		block;		/* a block device, not a file */
	uint64_t	sectors;
	uint32_t	block_sectors;	/* logical block size; 1 for a file */
	void		*bounce;	/* for what is not aligned */
	struct disk	*mirror;	/* holds the same: is written too, and asked for what this
					 * one cannot read; or NULL
					 */
};

enum disk_use {
	DISK_PROBE,		/* read, whoever has it */
	DISK_READ,		/* the same, with a warning when somebody does */
	DISK_READ_ALONE,	/* nobody else has it */
	DISK_WRITE,		/* nobody else has it */
	DISK_FILL,		/* the same, for many small writes: through the page cache */
};

/**
 * disk_open() - open a device or an image
 * @d: filled in; disk_close() it when this returned EXIT_OK
 * @spec: as dev_find() takes it
 *
 * Alone means what dev_refuse_used() means.
 *
 * Return: EXIT_OK, or an exit code with the complaint made.
 */
int disk_open(const struct ssdup_ctx *ctx, struct disk *d, const char *spec, enum disk_use use);

/** disk_take() - the same for a descriptor that is open already, for tests */
int disk_take(struct disk *d, const char *path, int fd);

void disk_close(struct disk *d);

/** disk_same() - are both the same device or file? */
bool disk_same(const struct disk *a, const struct disk *b);

/**
 * disk_read() - read @sectors from @sector on
 *
 * Return: 0, -EIO and the like, -ENXIO beyond the end (then nothing is read).
 */
int disk_read(struct disk *d, void *buf, uint64_t sector, uint64_t sectors);

/**
 * disk_next_data() - where the first sector from @sector on is that is not in a hole of a file
 *
 * Holes read as zeros. A device has none. Return: UINT64_MAX when a hole goes on to the end.
 */
uint64_t disk_next_data(const struct disk *d, uint64_t sector);

/** disk_write() - write; durable after disk_sync(). Return: as disk_read() */
int disk_write(struct disk *d, const void *buf, uint64_t sector, uint64_t sectors);

/** disk_zero() - the same, zeros */
int disk_zero(struct disk *d, uint64_t sector, uint64_t sectors);

/** disk_sync() - make all that was written durable. Return: 0 or -errno */
int disk_sync(struct disk *d);

#endif
