/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: is the log on the SSDs that of the table?
 */
#ifndef SSDUP_CHECKS_H
#define SSDUP_CHECKS_H

#include "ssdup.h"

struct log_super;

/**
 * ssdup_check_super() - check, by reads alone, that these SSDs can be used with this HDD
 *
 * Context: the constructor. Blank SSDs are fine, and are formatted later.
 * Return: 0, or -errno with *error set.
 */
int ssdup_check_super(struct ssdup *c, char **error);

/**
 * ssdup_load_super() - read superblock and record, or make those of a new log, in memory
 * @mend: receives whether a copy has to be rewritten
 *
 * Context: preresume. Return: 0 or -errno; the reason is in the kernel log.
 */
int ssdup_load_super(struct ssdup *c, struct log_super *s, bool *mend);

/**
 * ssdup_check_size() - let the log have the size of a table that is longer: the HDD has grown
 * @s: superblock and record, as read; the epoch's record will have the size
 * @same_hdd: as its member block has said, or the log is empty
 *
 * Context: preresume. Return: 0, or -EINVAL after a message.
 */
int ssdup_check_size(struct ssdup *c, struct log_super *s, bool same_hdd);

#endif
