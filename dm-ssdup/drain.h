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
 * Return: 0, or an error after which the half is tried again from its start. An error is not told
 * when somebody has asked since the try began.
 */
int ssdup_drain_turn(struct ssdup *c, const struct pacing_out *how);

/** ssdup_drain_drop() - forget the half being drained, and what was already read of it */
void ssdup_drain_drop(struct ssdup *c);

/** ssdup_drain_anew() - forget the last error: who asks now is told of tries that begin later */
void ssdup_drain_anew(struct ssdup *c);

/** ssdup_drain_moved() - extents that had to stay in the log, ever; any context */
u64 ssdup_drain_moved(struct ssdup *c);

/** ssdup_drain_pinned() - those of them that the HDD refused; any context */
u64 ssdup_drain_pinned(struct ssdup *c);

/** ssdup_home_sectors() - dirty sectors that drains have copied already; any context */
u64 ssdup_home_sectors(struct ssdup *c);

#endif
