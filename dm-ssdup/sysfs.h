/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: /sys/block/dm-N/ssdup.
 */
#ifndef SSDUP_SYSFS_H
#define SSDUP_SYSFS_H

#include "ssdup.h"

/** ssdup_sysfs_add() - create /sys/block/dm-N/ssdup, or take it over; context: resume */
int ssdup_sysfs_add(struct ssdup *c);

/** ssdup_sysfs_remove() - remove the folder if @c owns it; waits for its readers and writers */
void ssdup_sysfs_remove(struct ssdup *c);

#endif
