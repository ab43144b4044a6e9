/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: format a blank SSD, or replay its log.
 */
#ifndef SSDUP_RECOVERY_H
#define SSDUP_RECOVERY_H

#include "ssdup.h"

/**
 * ssdup_check_super() - may this SSD be used with this HDD? Reads only.
 *
 * Context: the constructor. An all-zero first block is fine: it will be formatted.
 * Return: 0, or -errno with *error set.
 */
int ssdup_check_super(struct ssdup *c, char **error);

/**
 * ssdup_recover() - format a blank SSD, else replay its log
 *
 * Context: preresume, before the first bio; once in the life of a table.
 * Return: 0 or -errno; the reason is in the kernel log.
 */
int ssdup_recover(struct ssdup *c);

#endif
