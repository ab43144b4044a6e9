/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the disks of a table: an HDD, and one SSD or several.
 */
#ifndef SSDUP_DISKS_H
#define SSDUP_DISKS_H

#include "ssdup.h"

/** ssdup_get_disks() - open the first two words of a table; the constructor. -errno, *error set */
int ssdup_get_disks(struct ssdup *c, struct dm_arg_set *as, char **error);
void ssdup_put_disks(struct ssdup *c);

/** ssdup_table_ssd() - open another SSD, by the key ssd; the constructor. -errno with *error set */
int ssdup_table_ssd(struct ssdup *c, const char *name, char **error);

/** ssdup_table_mirror() - the same, by the key mirror: of the SSD that was opened last */
int ssdup_table_mirror(struct ssdup *c, const char *name, char **error);

/**
 * ssdup_shares_disk() - would two devices write to the same HDD, or to the same log?
 *
 * SSDs may hold logs of several devices. Which one a table is for is known later.
 */
bool ssdup_shares_disk(const struct ssdup *a, const struct ssdup *b);

#endif
