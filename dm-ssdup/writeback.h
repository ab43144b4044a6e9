/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the writeback thread, and who asks it for a drain.
 */
#ifndef SSDUP_WRITEBACK_H
#define SSDUP_WRITEBACK_H

#include "ssdup.h"

/** ssdup_writeback_create() - the thread, still asleep; context: preresume */
int ssdup_writeback_create(struct ssdup *c);

/** ssdup_writeback_start() - context: resume, when no target can fail any more */
void ssdup_writeback_start(struct ssdup *c);

/** ssdup_writeback_stop() - ends at the next border of a batch */
void ssdup_writeback_stop(struct ssdup *c);

/**
 * ssdup_ask() - drain whatever the log holds now
 *
 * Context: any. Return: all generations up to this one are to be drained.
 */
u64 ssdup_ask(struct ssdup *c);

/**
 * ssdup_drain_all() - commit and drain everything written so far
 * @leaving: called by a suspend; else a suspend that begins meanwhile ends the wait
 *
 * Context: process, sleeps, interruptible.
 * Return: 0, -EINTR, -EAGAIN for a suspend, -ECANCELED for a pause, or the error
 * that keeps the log from being drained, of a try that began after the call; -EIO when
 * part of it had to stay.
 */
int ssdup_drain_all(struct ssdup *c, bool leaving);

#endif
