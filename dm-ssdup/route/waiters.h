/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: writes that wait for a place in the log. Each class has its own list, as it has its own
 * ring and open segment, so no class waits behind another. Tasks take turns, see core/turns.h.
 *
 * A map function must not sleep: the write that a drain waits for may be on the same task's
 * list of bios to submit. So a write that finds no place joins a list, and a work item
 * tries the lists again when something has changed.
 *
 * c->nr_waiting counts the writes on all lists and those being tried.
 */
#ifndef SSDUP_WAITERS_H
#define SSDUP_WAITERS_H

#include "router.h"

/** ssdup_wait_create() - make empty lists; context: the constructor. Return: 0 or -ENOMEM */
int ssdup_wait_create(struct ssdup_router *router);

/** ssdup_wait_add() - add a write to its class's list, at its turn; any context */
void ssdup_wait_add(struct ssdup_router *router, struct bio *bio, struct ssdup_io *io);

/** ssdup_wait_queue() - do others of its class wait, so that a new write queues? Any context */
bool ssdup_wait_queue(const struct ssdup_router *router, const struct ssdup_io *io);

/**
 * ssdup_wait_pop() - take a write; it still counts; process context
 * @skip: a bit for each class to pass over
 *
 * Return: the one whose turn is the earliest, or NULL.
 */
struct bio *ssdup_wait_pop(struct ssdup_router *router, u32 skip);

/**
 * ssdup_wait_again() - put popped writes back; process context
 * @kept: the last that was popped first; empty afterwards
 */
void ssdup_wait_again(struct ssdup_router *router, struct bio_list *kept);

/** ssdup_wait_done() - a popped write does not wait any more; process context */
void ssdup_wait_done(struct ssdup_router *router, const struct ssdup_io *io);

/** ssdup_waits() - how often a write has begun to wait for a free segment; any context */
u64 ssdup_waits(const struct ssdup_router *router);

/** ssdup_longest_wait() - the longest time that a write has waited, ms; any context */
u32 ssdup_longest_wait(const struct ssdup_router *router);

/** ssdup_wait_clear() - forget the longest wait; any context */
void ssdup_wait_clear(struct ssdup_router *router);

#endif
