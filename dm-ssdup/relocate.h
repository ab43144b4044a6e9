/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: extents that a drain cannot bring home move on to the open half.
 */
#ifndef SSDUP_RELOCATE_H
#define SSDUP_RELOCATE_H

#include "ssdup.h"

/**
 * ssdup_relocate() - move a piece to the open half
 * @p: the piece; when its kind is to be DATA, at most a page long
 * @from: the half that is being drained
 * @kind: DATA with its content in @page, or what the piece has become
 *
 * Context: the writeback thread.
 * Return: 0, or -errno when the half cannot be freed for now.
 */
int ssdup_relocate(struct ssdup *c, const struct drain_piece *p, u8 from, u8 kind,
		   struct page *page);

#endif
