/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: writes that wait for a place in the log, in the order in which they came.
 *
 * A map function must not sleep: it could hold back, on its task's list of bios not yet
 * submitted, the very write that a drain waits for. So a write that finds no place joins
 * this list, and a work tries the list again when something has changed.
 *
 * c->nr_waiting counts those on the list and the one that is being tried.
 */
#ifndef SSDUP_WAIT_H
#define SSDUP_WAIT_H

#include "ssdup.h"

/** ssdup_wait_create() - nothing waits; context: the constructor. Return: 0 or -ENOMEM */
int ssdup_wait_create(struct ssdup *c);
void ssdup_wait_destroy(struct ssdup *c);

/** ssdup_wait_stop() - the timer has ended; context: process, nothing waits any more */
void ssdup_wait_stop(struct ssdup *c);

/** ssdup_wait_add() - a write waits, behind the others; any context */
void ssdup_wait_add(struct ssdup *c, struct bio *bio);

/** ssdup_wait_pop() - the first one, or NULL; it still counts; process context */
struct bio *ssdup_wait_pop(struct ssdup *c);

/** ssdup_wait_again() - @bios, which were popped, are the first ones again; process context */
void ssdup_wait_again(struct ssdup *c, struct bio_list *bios);

/** ssdup_wait_done() - a popped one waits no more; any context */
static inline void ssdup_wait_done(struct ssdup *c)
{
	atomic_dec(&c->nr_waiting);
}

/**
 * ssdup_wait_ration() - kick those that wait when ssdup_ration() has enough for the first
 * @sectors: of data that it takes, 0 for a tombstone
 * @left: ns until another half is free: a guess, so call again when it has changed
 *
 * Context: process.
 */
void ssdup_wait_ration(struct ssdup *c, u32 sectors, u64 left);

#endif
