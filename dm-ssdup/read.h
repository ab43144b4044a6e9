/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: reads.
 */
#ifndef SSDUP_READ_H
#define SSDUP_READ_H

#include "ssdup.h"

/**
 * ssdup_map_read() - send a read to where its first sectors are; the rest comes as another bio
 *
 * Context: the map function. Return: DM_MAPIO_*.
 */
int ssdup_map_read(struct ssdup *c, struct bio *bio, struct ssdup_io *io);

/**
 * ssdup_end_read() - a read ends, of either disk
 * @status: may be changed
 *
 * If the SSD has failed to read clean data, the HDD serves it, and the bio ends once more.
 * Context: any. Return: DM_ENDIO_*.
 */
int ssdup_end_read(struct ssdup *c, struct bio *bio, struct ssdup_io *io, blk_status_t *status);

/** ssdup_uncount_read() - it failed for want of a tag: its submitter tries again; any context */
void ssdup_uncount_read(struct ssdup *c, const struct ssdup_io *io);

/** ssdup_read_work() - send to the HDD what the SSD has failed to read of clean data */
void ssdup_read_work(struct work_struct *work);

#endif
