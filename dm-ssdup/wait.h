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

/** ssdup_wait_add() - add a write at the end of the list; any context */
void ssdup_wait_add(struct ssdup *c, struct bio *bio, struct ssdup_io *io);

/** ssdup_wait_pop() - take the first write, or NULL; it still counts; process context */
struct bio *ssdup_wait_pop(struct ssdup *c);

/** ssdup_wait_again() - put popped writes back at the head of the list; process context */
void ssdup_wait_again(struct ssdup *c, struct bio_list *bios);

/** ssdup_wait_done() - a popped write does not wait any more; any context */
void ssdup_wait_done(struct ssdup *c, const struct ssdup_io *io);

/** ssdup_waits() - how often a write has begun to wait for a free segment; any context */
u64 ssdup_waits(const struct ssdup *c);

/** ssdup_longest_wait() - the longest time that a write has waited, ms; any context */
u32 ssdup_longest_wait(const struct ssdup *c);

/** ssdup_wait_clear() - forget the longest wait; any context */
void ssdup_wait_clear(struct ssdup *c);

#endif
