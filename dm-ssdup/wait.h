/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: writes that wait for a place in the log, in the order in which they came.
 *
 * A map function must not sleep: the write that a drain waits for may be on the same task's
 * list of bios to submit. So a write that finds no place joins this list, and a work item
 * tries the list again when something has changed.
 *
 * c->nr_waiting counts the writes on the list and those being tried.
 */
#ifndef SSDUP_WAIT_H
#define SSDUP_WAIT_H

#include "ssdup.h"

/** ssdup_wait_create() - make an empty list; context: the constructor. Return: 0 or -ENOMEM */
int ssdup_wait_create(struct ssdup *c);
void ssdup_wait_destroy(struct ssdup *c);

/** ssdup_wait_stop() - stop the timer; context: process, no write waits any more */
void ssdup_wait_stop(struct ssdup *c);

/** ssdup_wait_add() - add a write at the end of the list; any context */
void ssdup_wait_add(struct ssdup *c, struct bio *bio);

/** ssdup_wait_pop() - take the first write, or NULL; it still counts; process context */
struct bio *ssdup_wait_pop(struct ssdup *c);

/** ssdup_wait_again() - put popped writes back at the head of the list; process context */
void ssdup_wait_again(struct ssdup *c, struct bio_list *bios);

/** ssdup_wait_done() - a popped write does not wait any more; any context */
static inline void ssdup_wait_done(struct ssdup *c)
{
	atomic_dec(&c->nr_waiting);
}

/**
 * ssdup_wait_ration() - try the list again when ssdup_ration() may let the first write pass
 * @sectors: its data, 0 for a tombstone
 * @left: estimated ns until another half is free; call again when the estimate changes
 *
 * Context: process.
 */
void ssdup_wait_ration(struct ssdup *c, u32 sectors, u64 left);

#endif
