/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the drain of a half. Only the writeback thread drains.
 */
#ifndef SSDUP_DRAIN_H
#define SSDUP_DRAIN_H

#include "ssdup.h"

/** ssdup_drainer_create() - buffers and arrays of the drain */
int ssdup_drainer_create(struct ssdup *c);
void ssdup_drainer_destroy(struct ssdup *c);

/**
 * ssdup_drain_turn() - drain one batch of the oldest sealed half; frees it after the last
 *
 * With @how->urgent a batch of other halves is read beside the flush that frees it, and written
 * then.
 *
 * Return: 0, or an error after which the half is tried again from its start.
 */
int ssdup_drain_turn(struct ssdup *c, const struct pacing_out *how);

/** ssdup_drain_drop() - forget the half being drained, and what was already read of it */
void ssdup_drain_drop(struct ssdup *c);

#endif
