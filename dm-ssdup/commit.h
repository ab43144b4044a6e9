/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: from published entries to durable pages.
 */
#ifndef SSDUP_COMMIT_H
#define SSDUP_COMMIT_H

#include "ssdup.h"

int ssdup_commit_init(struct ssdup *c);
void ssdup_commit_exit(struct ssdup *c);

/**
 * ssdup_commit() - make every published entry durable, and the data before it
 *
 * Context: process, sleeps. Shares one round with whoever waits for the lock.
 * Return: 0 or -EIO; the device is then read-only as to its log.
 */
int ssdup_commit(struct ssdup *c);

void ssdup_autocommit_work(struct work_struct *work);

#endif
