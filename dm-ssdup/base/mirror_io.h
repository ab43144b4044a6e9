/* SPDX-License-Identifier: GPL-2.0-only */
/* dm-ssdup: requests to an SSD, which may have a mirror. */
#ifndef SSDUP_MIRROR_IO_H
#define SSDUP_MIRROR_IO_H

#include "mirror.h"

/**
 * ssdup_mirror_get() - find the mirror of two SSDs, or make it; reads alone
 * @user: of the SSD; gets the mirror
 * @other: NULL: the table names none
 * @why: set to a text if it is refused
 *
 * Context: process, sleeps. Return: 0 or -errno.
 */
int ssdup_mirror_get(struct drive_user *user, struct mirror_user *mu, struct block_device *other,
		     const char **why);

/** ssdup_mirror_put() - nothing of @user is in flight any more; it may have no mirror */
void ssdup_mirror_put(struct drive_user *user, struct mirror_user *mu);

/** ssdup_mirror_submit() - send a bio for the SSD to both, or to one of them; any context */
void ssdup_mirror_submit(struct ssdup_mirror *m, struct bio *bio);

/** drive_submit() - send a bio whose bi_bdev is that of @user; any context */
static __always_inline void drive_submit(struct drive_user *user, struct bio *bio)
{
	if (unlikely(user->mirror))
		ssdup_mirror_submit(user->mirror, bio);
	else
		submit_bio(bio);
}

#endif
