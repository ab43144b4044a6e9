/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: reads of data that both disks have.
 */
#ifndef SSDUP_READ_H
#define SSDUP_READ_H

#include "ssdup.h"

/**
 * ssdup_clean_refused() - the SSD has failed a read of clean data: the HDD serves it; any context
 *
 * The bio ends once more.
 */
void ssdup_clean_refused(struct ssdup *c, struct bio *bio, struct ssdup_io *io,
			 blk_status_t status);

/** ssdup_read_work() - send these reads to the HDD */
void ssdup_read_work(struct work_struct *work);

#endif
