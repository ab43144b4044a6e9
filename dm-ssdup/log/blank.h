/* SPDX-License-Identifier: GPL-2.0-only */
/* dm-ssdup: is an SSD blank? */
#ifndef SSDUP_BLANK_H
#define SSDUP_BLANK_H

#include "ssdup.h"

/**
 * ssdup_ssd_blank() - is nothing in its homes but records? Of one with a mirror, on both
 * @page: to read to, if memory is short
 *
 * Context: process, sleeps. Return: 1, 0 or -errno.
 */
int ssdup_ssd_blank(struct ssdup_ssd *ssd, struct page *page);

#endif
