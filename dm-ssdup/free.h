/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: free a half that is on the HDD. Only the writeback thread calls this, except that a
 * failed recovery calls ssdup_drop_extents() too.
 */
#ifndef SSDUP_FREE_H
#define SSDUP_FREE_H

#include "ssdup.h"

/**
 * ssdup_flush_home() - make a half that was written to the HDD durable there
 *
 * Return: 0, or -errno: the whole half must be written again. Also when any other flush has
 * failed since the first part of the half was written.
 */
int ssdup_flush_home(struct ssdup *c, struct ssdup_half *h);

/** ssdup_forget_home() - forget what drains of other halves wrote of @h */
void ssdup_forget_home(struct ssdup *c, struct ssdup_half *h);

/**
 * ssdup_free_half() - free the oldest sealed half, whose extents were all written or moved
 *
 * Return: 0, or -errno. The next try starts over unless half->drained is set.
 */
int ssdup_free_half(struct ssdup *c, struct ssdup_half *h);

/**
 * ssdup_free_end() - make @halves available, whose free record is durable
 *
 * Waits for reads of them. In a read-only log one may be the open half, which stays sealed.
 */
void ssdup_free_end(struct ssdup *c, struct ssdup_half **halves, u32 nr);

/** ssdup_drop_extents() - take the extents of @h out of the map */
void ssdup_drop_extents(struct ssdup *c, struct ssdup_half *h);

#endif
