/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: format a blank SSD, or replay its log.
 */
#ifndef SSDUP_RECOVERY_H
#define SSDUP_RECOVERY_H

#include "ssdup.h"

/**
 * ssdup_check_super() - check, by reads alone, that this SSD can be used with this HDD
 *
 * Context: the constructor. A blank SSD is fine, and is formatted later.
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
