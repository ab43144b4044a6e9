/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: from published entries to durable pages.
 */
#ifndef SSDUP_COMMIT_H
#define SSDUP_COMMIT_H

#include "ssdup.h"

/** ssdup_commit_create() - the ring too; context: the constructor. Return: 0 or -ENOMEM */
int ssdup_commit_create(struct ssdup *c);
void ssdup_commit_destroy(struct ssdup *c);

/**
 * ssdup_commit() - make every published entry durable, and the data before it
 *
 * Context: process, sleeps. Shares one round with whoever waits for the lock.
 * Return: 0 or -EIO; the device is then read-only as to its log.
 */
int ssdup_commit(struct ssdup *c);

/** ssdup_autocommit_work() - a commit that comes by itself */
void ssdup_autocommit_work(struct work_struct *work);

/** ssdup_commit_lock() - no commit is looking at any half until ssdup_commit_unlock() */
void ssdup_commit_lock(struct ssdup *c);
void ssdup_commit_unlock(struct ssdup *c);

/** ssdup_queue_fua() - a FUA write whose extent is published: it is done after the next commit */
void ssdup_queue_fua(struct ssdup *c, struct bio *bio);

/** ssdup_queued_fuas() - how many of them wait or are under way; any context */
u32 ssdup_queued_fuas(struct ssdup *c);

#endif
