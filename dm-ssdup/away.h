/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: what the SSD refuses, and an SSD that is away for a moment.
 */
#ifndef SSDUP_AWAY_H
#define SSDUP_AWAY_H

#include "ssdup.h"

int ssdup_away_create(struct ssdup *c);
void ssdup_away_destroy(struct ssdup *c);

/**
 * ssdup_data_error() - a write of data to the SSD failed with @status; any context
 *
 * Counts it, and shuts the log for a moment, or gives it up after too many.
 * Return: true when the SSD is away for the moment.
 */
bool ssdup_data_error(struct ssdup *c, blk_status_t status);

/**
 * ssdup_refused() - the SSD has refused a write, which is to be routed again
 * @io: io->route may change
 *
 * Context: any.
 */
void ssdup_refused(struct ssdup *c, struct ssdup_io *io, blk_status_t status);

/** ssdup_renew() - make a bio as it came, that has come back from below; process context */
void ssdup_renew(struct ssdup *c, struct bio *bio, const struct ssdup_io *io);

/** ssdup_look_for_ssd() - open a log that was shut, when its time is over; ssdup_wait_work() */
void ssdup_look_for_ssd(struct ssdup *c);

#endif
