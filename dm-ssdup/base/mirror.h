/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: two SSDs that hold the same.
 *
 * What is sent to an SSD with a mirror goes to both, and ends when both have ended. One that fails
 * a write or a flush is *out*: the other one's block says so, and then the request has succeeded.
 * So whoever relies on a request that has ended finds what it wrote on each SSD that is not out,
 * and nobody above needs to know that there are two. When the last one fails, so does the request.
 *
 * After a power cut the two may differ, but only in requests that had not ended. Before the log is
 * used, ssdup_mirror_even() makes them equal. See core/twins.h.
 *
 * All devices that use the SSDs share one of these: who is out is so for all.
 */
#ifndef SSDUP_MIRROR_H
#define SSDUP_MIRROR_H

#include <linux/bio.h>

#include "drives.h"

/* A device that uses an SSD with a mirror. */
struct mirror_user {
	struct list_head	list;	/* by mirror->queue_lock */
	u32			named;	/* index of the SSD that its table names first */
	bool			both;	/* it names the other one, too */
	/* One is out; or @why is NULL: the last one has lost its cache. Context: atomic. */
	void			(*tell)(struct mirror_user *user, const char *why);
};

/** ssdup_mirror_new() - was nothing ever acknowledged? Then both are to be made. */
bool ssdup_mirror_new(struct ssdup_mirror *m);

/** ssdup_mirror_both() - has each of them everything? any context, a hint */
bool ssdup_mirror_both(const struct ssdup_mirror *m);

/** ssdup_mirror_member() - one of them alone, by its index; NULL if it is not there */
struct drive_user *ssdup_mirror_member(struct ssdup_mirror *m, u32 index);

/** ssdup_mirror_start() - what stands there before anything is written. 0 or -errno; sleeps */
int ssdup_mirror_start(struct ssdup_mirror *m, const struct mirror_user *mu);

/** ssdup_mirror_made() - new ones are complete. Return: 0 or -errno; sleeps */
int ssdup_mirror_made(struct ssdup_mirror *m);

/**
 * ssdup_mirror_fill() - from now on one that is not whole gets all that is written, too
 * @why: set if it does not
 *
 * All devices have to name it. Context: process, sleeps. Return: a number above 0 that is another
 * one with each filling, also when it was begun before; or -errno.
 */
int ssdup_mirror_fill(struct ssdup_mirror *m, const char **why);

/** ssdup_mirror_stop() - it gets nothing any more; any context */
void ssdup_mirror_stop(struct ssdup_mirror *m);

/** ssdup_mirror_filling() - the number, or 0 if none is filled, also because it failed */
u32 ssdup_mirror_filling(const struct ssdup_mirror *m);

/**
 * ssdup_mirror_whole() - one that is filled has everything that is to be read
 *
 * The other one's block names it. Its own comes after that, by ssdup_mirror_named(): until then it
 * is not used without the other one. Context: process, sleeps. Return: 0, or -EIO if it has failed.
 */
int ssdup_mirror_whole(struct ssdup_mirror *m);

/** ssdup_mirror_named() - its own block says so, too; 0, also if one is out for that, or -errno */
int ssdup_mirror_named(struct ssdup_mirror *m);

/** ssdup_mirror_out() - call one of them out, by a word of the user; 0 or -errno; sleeps */
int ssdup_mirror_out(struct ssdup_mirror *m, u32 index);

/** ssdup_mirror_even() - let both have @bytes that were read from @sector on; 0 or -errno */
int ssdup_mirror_even(struct ssdup_mirror *m, u64 sector, const void *data, u32 bytes);

#endif
