/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: replay the log.
 */
#ifndef SSDUP_RECOVERY_H
#define SSDUP_RECOVERY_H

#include "ssdup.h"

/**
 * ssdup_recover() - replay the log; one that is new is empty
 *
 * Context: preresume, before the first bio; once in the life of a table.
 * Return: 0 or -errno; the reason is in the kernel log.
 */
int ssdup_recover(struct ssdup *c);

#endif
