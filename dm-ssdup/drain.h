/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the drain of a half. Only the writeback thread drains.
 */
#ifndef SSDUP_DRAIN_H
#define SSDUP_DRAIN_H

#include "ssdup.h"

/** ssdup_drainer_create() - allocate the drain's buffers and arrays */
int ssdup_drainer_create(struct ssdup *c);
void ssdup_drainer_destroy(struct ssdup *c);

/**
 * ssdup_drain_turn() - drain one batch of the oldest sealed half, or free the half
 *
 * With @how->urgent it reads a batch of other halves during the flush that frees the half,
 * and writes that batch afterwards.
 *
 * Return: 0, or an error after which the half is tried again from its start. Also 0 after an
 * error if a drain was requested since the try began.
 */
int ssdup_drain_turn(struct ssdup *c, const struct pacing_out *how);

/** ssdup_drain_drop() - forget the half being drained and the batch being read */
void ssdup_drain_drop(struct ssdup *c);

/** ssdup_drain_anew() - forget the last error; later ones come from tries that begin after this */
void ssdup_drain_anew(struct ssdup *c);

/** ssdup_drain_moved() - number of extents ever that had to stay in the log; any context */
u64 ssdup_drain_moved(struct ssdup *c);

/** ssdup_drain_pinned() - number of those that the HDD refused; any context */
u64 ssdup_drain_pinned(struct ssdup *c);

/** ssdup_home_sectors() - number of dirty sectors that drains have written; any context */
u64 ssdup_home_sectors(struct ssdup *c);

#endif
