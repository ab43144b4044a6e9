/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: writes that the SSD refuses, and an SSD that is away for a while.
 */
#ifndef SSDUP_REFUSALS_H
#define SSDUP_REFUSALS_H

#include "router.h"

int ssdup_away_create(struct ssdup_router *router);

/**
 * ssdup_data_error() - count a failed data write to the SSD; any context
 *
 * A transient error shuts the log for a while. Too many others make it read-only.
 * Return: true when the error was transient.
 */
bool ssdup_data_error(struct ssdup_router *router, blk_status_t status);

/**
 * ssdup_refused() - prepare a write that the SSD refused for another route
 * @io: io->route may change
 *
 * Context: any.
 */
void ssdup_refused(struct ssdup_router *router, struct ssdup_io *io, blk_status_t status);

/** ssdup_renew() - restore a failed bio, to submit it again; process context */
void ssdup_renew(struct ssdup_router *router, struct bio *bio, const struct ssdup_io *io);

/** ssdup_look_for_ssd() - reopen a shut log when its pause is over; for ssdup_wait_work() */
void ssdup_look_for_ssd(struct ssdup_router *router);

#endif
