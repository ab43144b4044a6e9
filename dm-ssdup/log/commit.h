/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: from published entries to durable pages.
 */
#ifndef SSDUP_COMMIT_H
#define SSDUP_COMMIT_H

#include "log.h"

/** ssdup_commit_create() - also makes the ring; context: the constructor. Return: 0 or -ENOMEM */
int ssdup_commit_create(struct ssdup_log *log);
void ssdup_commit_destroy(struct ssdup_log *log);

/**
 * ssdup_commit() - make every entry that was published before, and its data, durable
 *
 * Context: process, sleeps.
 * Return: 0, or -EIO after which the log is read-only.
 */
int ssdup_commit(struct ssdup_log *log);

/** ssdup_autocommit_work() - commit after the autocommit time, or when the ring is full */
void ssdup_autocommit_work(struct work_struct *work);

/** ssdup_commit_lock() - no commit is looking at any segment until ssdup_commit_unlock() */
void ssdup_commit_lock(struct ssdup_log *log);
void ssdup_commit_unlock(struct ssdup_log *log);

/** ssdup_fua_work() - commit, then end the FUA writes in log->fuas */
void ssdup_fua_work(struct work_struct *work);

#endif
