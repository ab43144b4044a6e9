/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: what users and suspends ask of the drain, and what they are told of it.
 */
#ifndef SSDUP_REQUESTS_H
#define SSDUP_REQUESTS_H

#include "drainer.h"

/** ssdup_drain_start() - end a pause, and drain what the log holds now; any context */
void ssdup_drain_start(struct ssdup_drainer *drainer);

/** ssdup_drain_pause() - drain only for waiting writes; ssdup_drain_all() returns -ECANCELED */
void ssdup_drain_pause(struct ssdup_drainer *drainer);

/** ssdup_drain_state() - what the drain does or waits for; any context */
enum drain_state ssdup_drain_state(struct ssdup_drainer *drainer);

/**
 * ssdup_drain_all() - commit and drain everything written so far
 * @leaving: a suspend calls it; otherwise a suspend that begins meanwhile ends the wait
 *
 * Context: process, sleeps, interruptible.
 * Return: 0, -EINTR, -EAGAIN for a suspend, -ECANCELED for a pause, -EIO when part of the
 * log had to stay, or the error of a drain that was tried after the call.
 */
int ssdup_drain_all(struct ssdup_drainer *drainer, bool leaving);

#endif
