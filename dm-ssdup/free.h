/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: a half whose extents are all on the HDD becomes free. Only the writeback thread calls
 * this, but for ssdup_drop_extents(), which a failed recovery calls too.
 */
#ifndef SSDUP_FREE_H
#define SSDUP_FREE_H

#include "ssdup.h"

/**
 * ssdup_flush_home() - make what was written of a half durable on the HDD
 *
 * A flush of others that has failed since the first of the half was written counts too.
 *
 * Return: 0, or -errno: all of the half has to be written again.
 */
int ssdup_flush_home(struct ssdup *c, struct ssdup_half *h);

/** ssdup_forget_home() - nothing of @h is on the HDD for sure */
void ssdup_forget_home(struct ssdup *c, struct ssdup_half *h);

/**
 * ssdup_free_half() - make the oldest sealed half reusable; all it held is on the HDD or moved
 *
 * See ssdup.h for the order of things.
 *
 * Return: 0, or -errno: it is tried again, from its start unless half->drained.
 */
int ssdup_free_half(struct ssdup *c, struct ssdup_half *h);

/**
 * ssdup_free_end() - @halves are free by record: they can be opened when their reads have ended
 *
 * In a log that is read-only the open half may be among them; it stays, sealed and empty.
 */
void ssdup_free_end(struct ssdup *c, struct ssdup_half **halves, u32 nr);

/** ssdup_drop_extents() - take what @h holds out of the map */
void ssdup_drop_extents(struct ssdup *c, struct ssdup_half *h);

#endif
