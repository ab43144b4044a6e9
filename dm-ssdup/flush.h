/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: FLUSH: a commit and a flush of the HDD, side by side.
 */
#ifndef SSDUP_FLUSH_H
#define SSDUP_FLUSH_H

#include "ssdup.h"

int ssdup_flush_create(struct ssdup *c);

/** ssdup_queue_flush() - end a FLUSH after a commit and a flush of the HDD */
void ssdup_queue_flush(struct ssdup *c, struct bio *bio);

/** ssdup_queued_flushes() - number of FLUSHes that have not ended yet; any context */
u32 ssdup_queued_flushes(struct ssdup *c);

#endif
