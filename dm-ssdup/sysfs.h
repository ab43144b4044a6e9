/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: /sys/block/dm-N/ssdup.
 */
#ifndef SSDUP_SYSFS_H
#define SSDUP_SYSFS_H

#include "ssdup.h"

/** ssdup_sysfs_add() - make /sys/block/dm-N/ssdup, or take it over; context: resume */
int ssdup_sysfs_add(struct ssdup *c);

/** ssdup_sysfs_remove() - unless another table has it; waits for readers; context: destruction */
void ssdup_sysfs_remove(struct ssdup *c);

#endif
