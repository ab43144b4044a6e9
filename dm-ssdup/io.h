/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: map and end bios.
 */
#ifndef SSDUP_IO_H
#define SSDUP_IO_H

#include "ssdup.h"

int ssdup_map_bio(struct dm_target *ti, struct bio *bio);
int ssdup_end_io(struct dm_target *ti, struct bio *bio, blk_status_t *status);

#endif
