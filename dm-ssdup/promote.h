/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: what the HDD is read for again and again is copied to the SSD.
 *
 * core/ghost.h decides which reads. Such a read takes a slot, and its sectors a claim in the tree
 * of what is clean, before the HDD is read. The HDD is read into the slot, and the reader gets a
 * copy of that: its own buffer may change under it. Then a work writes what the slots have to the
 * segment for copies, and the claims that are still whole become clean extents.
 *
 * So nothing is read that nobody has asked for, and no reader waits for the SSD.
 */
#ifndef SSDUP_PROMOTE_H
#define SSDUP_PROMOTE_H

#include "ssdup.h"

/**
 * ssdup_promote_prepare() - get the memory that copies need, before the key promote is set
 *
 * Context: from preresume on, one at a time; sleeps. Return: 0 or -ENOMEM.
 */
int ssdup_promote_prepare(struct ssdup *c);

/** ssdup_promote_stop() - wait for copies under way, before all go; no request is in flight */
void ssdup_promote_stop(struct ssdup *c);
void ssdup_promote_destroy(struct ssdup *c);

/** ssdup_promote_begins() - a read begins, of the HDD or not; any context */
void ssdup_promote_begins(struct ssdup *c, struct ssdup_io *io);

/** ssdup_promote_ended() - a read of the HDD has ended, without an error; any context */
void ssdup_promote_ended(struct ssdup *c, const struct ssdup_io *io);

/**
 * ssdup_promote_read() - read from the HDD, and for a copy if it is worth one
 *
 * Context: the map function. Return: DM_MAPIO_*.
 */
int ssdup_promote_read(struct ssdup *c, struct bio *bio, struct ssdup_io *io);

/** ssdup_promote_settle() - the account of copies begins, or ends, with the key; any context */
void ssdup_promote_settle(struct ssdup *c);

#endif
