/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the writeback thread, and who asks it for a drain.
 */
#ifndef SSDUP_WRITEBACK_H
#define SSDUP_WRITEBACK_H

#include "ssdup.h"

/** ssdup_writeback_create() - without a thread yet; destroy in any case. Return: 0 or -ENOMEM */
int ssdup_writeback_create(struct ssdup *c);
void ssdup_writeback_destroy(struct ssdup *c);

/** ssdup_writeback_prepare() - the thread, still asleep; context: preresume */
int ssdup_writeback_prepare(struct ssdup *c);

/** ssdup_writeback_start() - the thread runs, if there is one; context: resume */
void ssdup_writeback_start(struct ssdup *c);

/** ssdup_writeback_stop() - the thread ends at the next border of a batch, if there is one */
void ssdup_writeback_stop(struct ssdup *c);

/** ssdup_drain_start() - end a pause, and drain whatever the log holds now; any context */
void ssdup_drain_start(struct ssdup *c);

/** ssdup_drain_pause() - drain only for writes that wait; who waits for a drain is told */
void ssdup_drain_pause(struct ssdup *c);

/** ssdup_drain_state() - what the drain does or waits for; any context */
enum drain_state ssdup_drain_state(struct ssdup *c);

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
