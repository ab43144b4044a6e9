/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: the logs of an SSD: who uses them, one more, one less.
 *
 * While a device of the SSD runs, the kernel alone writes the superblock: it is asked by a message
 * to one of these devices. Else the same blocks are written here, with the SSD in exclusive use.
 */
#ifndef SSDUP_POOL_H
#define SSDUP_POOL_H

#include "dm-ssdup/core/lease.h"

#include "state.h"
#include "super.h"

/** pool_nr_logs() - the logs of an SSD, active or not */
static inline unsigned int pool_nr_logs(const struct log_super *pool)
{
	return __builtin_popcountll(pool->logs);
}

/* The devices that have a log on an SSD. */
struct members {
	struct state	*all;
	unsigned int	nr;
};

/** members_read() - find those of an SSD. Return: EXIT_OK, or a code with the complaint made */
int members_read(const struct ssdup_ctx *ctx, dev_t ssd, struct members *m);

void members_free(struct members *m);

/** members_alone() - is the SSD in use by our devices, also by new ones, and by nobody else? */
bool members_alone(const struct members *m, dev_t ssd);

/** members_find() - the device with that log, or NULL */
const struct state *members_find(const struct members *m, const u8 uuid[16]);

/**
 * pool_try() - send a message to any of the devices
 * @why: set to what the kernel says of an error, or NULL; free() it
 *
 * Return: 0 or -errno; -EBUSY without a word: all are suspended or degraded.
 */
int pool_try(const struct members *m, const char *text, char **why);

/** pool_told() - make a complaint of that; it frees @why. Return: an exit code */
int pool_told(const struct ssdup_ctx *ctx, const char *ssd, int r, char *why);

/** pool_ask() - both */
int pool_ask(const struct ssdup_ctx *ctx, const char *ssd, const struct members *m,
	     const char *text);

/**
 * pool_add() - one more log
 * @m: who uses the SSDs; nobody: @ssds are open for writing, and nobody else has them
 * @log: what the SSD holds
 * @new: UUID, size and identity of the HDD, and block size
 *
 * Where running devices have all of the SSD, those without max_mb are reloaded and leave an equal
 * part.
 *
 * Return: EXIT_OK, or an exit code with the complaint made and nothing added.
 */
int pool_add(const struct ssdup_ctx *ctx, const char *ssd, const struct ssds *ssds,
	     const struct members *m, const struct ssd_log *log, const struct log_super *new);

/**
 * pool_forget() - one log less, which is not the only one and not active
 * @log: what the SSD holds, with that log chosen
 * @force: whatever it holds that its HDD lacks
 *
 * Return: EXIT_OK, or an exit code with the complaint made.
 */
int pool_forget(const struct ssdup_ctx *ctx, const char *ssd, const struct ssds *ssds,
		const struct members *m, const struct ssd_log *log, bool force);

/**
 * pool_owners() - whose each segment is, as the kernel sees it, see core/lease.h; free() it
 * @pool: the superblock that counts
 */
u8 *pool_owners(const struct ssds *ssds, const struct ssd_log *log, const struct log_super *pool);

/** pool_refuse_host() - refuse an SSD of which another host has a log active */
int pool_refuse_host(const struct ssdup_ctx *ctx, const char *ssd, const struct ssds *ssds,
		     const struct ssd_log *log, const struct log_super *pool,
		     const u8 host[SSDUP_HOST_BYTES]);

#endif
