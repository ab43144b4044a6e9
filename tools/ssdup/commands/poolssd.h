/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup pool: an SSD comes, or goes.
 */
#ifndef SSDUP_POOLSSD_H
#define SSDUP_POOLSSD_H

#include "lib/pool.h"
#include "lib/ssds.h"

/* An SSD, and who uses it. */
struct pool {
	struct ssd_set	ssds;
	struct dev	ssd;		/* the first of them */
	int		lock;		/* where something is to be changed */
	struct ssd_log	log;
	struct members	members;
};

/**
 * pool_reload() - give all devices, also those that came meanwhile, tables with other SSDs
 * @names: as ssd_set_table() makes them; freed
 *
 * Return: EXIT_OK, or an exit code with the complaint made.
 */
int pool_reload(const struct ssdup_ctx *ctx, struct pool *p, char *names);

/** pool_bytes_left() - sum of the sectors that all devices answer, in bytes; @text is freed */
u64 pool_bytes_left(const struct pool *p, char *text);

/** pool_ssd_fits() - refuse what cannot be an SSD of the pool, open as @fd; an exit code */
int pool_ssd_fits(const struct ssdup_ctx *ctx, const struct pool *p, const struct dev *dev, int fd,
		  bool force);

/** pool_ssd_wipe() - leave nothing there that could be taken for a part of a log; 0 or -errno */
int pool_ssd_wipe(const struct pool *p, const struct dev *dev, int fd);

/**
 * pool_mirror_of() - is @old one of two SSDs that hold the same? poolmirror.c
 * @old: or "-": one that is not there
 *
 * Return: the number of the SSD, or -1.
 */
int pool_mirror_of(const struct pool *p, const char *old);

/**
 * pool_mirror_replace() - let another SSD take the place of one of the two
 * @p: open for writing
 * @number: of the SSD
 * @force: whatever is on the new one, but a log
 *
 * Interrupted, it goes on when that is said again. Return: as above.
 */
int pool_mirror_replace(const struct ssdup_ctx *ctx, struct pool *p, u32 number, const char *old,
			const char *new, bool force);

/**
 * pool_ssd_add() - let the pool have another SSD, which is new, or was leaving
 * @p: open for writing
 * @force: whatever is on it, but a log
 *
 * Return: EXIT_OK, or an exit code with the complaint made.
 */
int pool_ssd_add(const struct ssdup_ctx *ctx, struct pool *p, const char *new, bool force);

/**
 * pool_ssd_remove() - empty an SSD of the pool, and take it away
 *
 * Interrupted, it goes on being emptied. Return: as above.
 */
int pool_ssd_remove(const struct ssdup_ctx *ctx, struct pool *p, const char *old);

#endif
