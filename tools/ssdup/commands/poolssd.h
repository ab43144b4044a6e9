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
