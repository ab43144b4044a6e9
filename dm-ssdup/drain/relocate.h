/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: move extents that a drain cannot write to the HDD to the open segment.
 */
#ifndef SSDUP_RELOCATE_H
#define SSDUP_RELOCATE_H

#include "drainer.h"

/**
 * ssdup_relocate() - move a piece to the open segment
 * @p: the piece; for kind DATA at most a page long
 * @kind: the new kind of the piece; for DATA @page has the content
 *
 * Context: the writeback thread.
 * Return: 0, or -errno when the group cannot be freed for now.
 */
int ssdup_relocate(struct ssdup_drainer *drainer, const struct drain_piece *p, u8 kind,
		   struct page *page);

#endif
