/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the way of a write, a discard, or zeroes.
 */
#ifndef SSDUP_WRITE_H
#define SSDUP_WRITE_H

#include "core/route.h"
#include "ssdup.h"

/**
 * ssdup_map_write() - send a write to its disk, let it end in memory, or let it wait
 * @io: has its sectors, in one range and of one class
 *
 * Context: the map function. Return: DM_MAPIO_*.
 */
int ssdup_map_write(struct ssdup *c, struct bio *bio, struct ssdup_io *io);

/** ssdup_map_discard() - the same for a discard, or zeroes */
int ssdup_map_discard(struct ssdup *c, struct bio *bio, struct ssdup_io *io);

/**
 * ssdup_route_write() - choose a route, and take what it needs: the range's count, or a place
 * @io: route is the disk that it is meant for
 * @waited: not the map function
 *
 * Context: any. Return: how to send it.
 */
enum route_action ssdup_route_write(struct ssdup *c, struct bio *bio, struct ssdup_io *io,
				    bool waited);

/** ssdup_send_write() - send it so; context: any. Return: DM_MAPIO_*. */
int ssdup_send_write(struct ssdup *c, struct bio *bio, struct ssdup_io *io,
		     enum route_action action);

/** ssdup_tries_all() - is there no choice for windows to make, or no time to wait for one? */
bool ssdup_tries_all(struct ssdup *c);

/** ssdup_end_direct() - a write to the HDD ends, or a request without data; any context */
void ssdup_end_direct(struct ssdup *c, struct ssdup_io *io, blk_status_t status);

/** ssdup_end_logged() - a write to the log ends; any context. Return: DM_ENDIO_*. */
int ssdup_end_logged(struct ssdup *c, struct bio *bio, struct ssdup_io *io, blk_status_t status);

#endif
