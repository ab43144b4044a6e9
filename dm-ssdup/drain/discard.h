/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: discards of free segments on the SSD. An SSD that fails one gets the next one an hour
 * later.
 */
#ifndef SSDUP_DISCARD_H
#define SSDUP_DISCARD_H

#include "drainer.h"

/** ssdup_discard_work() - discard a batch, then rest */
void ssdup_discard_work(struct work_struct *work);

/** ssdup_discard_soon() - discard what is free, after the rest if it rests; any context */
void ssdup_discard_soon(struct ssdup_drainer *drainer);

#endif
