// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: extents that a drain cannot bring home move on to the open half.
 *
 * They keep their seq, so that whatever is newer stays newer, on disk as in the
 * map; the old copy's entry says the same of the same sectors, until its half
 * is freed. Their places come from the reserve that writers leave.
 */
#include "ssdup.h"

/* Enough nodes for the pieces that @e may fall into beside newer extents. */
static bool insert_moved(struct ssdup *c, struct extent *e, const struct ssdup_half *h, u32 entry)
{
	struct extent_list spares = { NULL };
	struct extent *spare;
	bool inserted;

	while (!(inserted = ssdup_insert(c, e, &spares, h, entry, false))) {
		spare = mempool_alloc(&c->nodes, GFP_NOWAIT);
		if (!spare)
			break;
		extent_push(&spares, spare);
	}
	ssdup_free_nodes(c, &spares);
	return inserted;
}

int ssdup_carry(struct ssdup *c, const struct drain_piece *p, u8 kind, struct page *page)
{
	struct log_limits all = log_limits_all(&c->g);
	struct ssdup_io io = { };
	struct extent *e;
	int r = -ENOMEM;

	if (ssdup_mode(c) != MODE_RUNNING)
		return -EROFS;
	e = mempool_alloc(&c->nodes, GFP_NOWAIT);
	if (!e)
		return -ENOMEM;
	if (!ssdup_reserve(c, &io, kind == SSDUP_KIND_DATA ? p->sectors : 0, &all)) {
		mempool_free(e, &c->nodes);
		return -ENOSPC;
	}
	if (kind == SSDUP_KIND_DATA) {
		r = ssdup_sync_io(c->ssd->bdev, REQ_OP_WRITE,
				  log_data_sector(&c->g, io.half->index, io.pos),
				  page, p->sectors << SECTOR_SHIFT);
		if (r) {
			ssdup_fail(c, MODE_LOG_READ_ONLY, "a data write to the SSD failed");
			goto give_up;
		}
	}
	e->start = p->start;
	e->sectors = p->sectors;
	e->seq = p->seq;
	e->half = io.half->index;
	e->kind = kind;
	e->pos = kind == SSDUP_KIND_DATA ? io.pos : to_log_pos(0);
	if (!insert_moved(c, e, io.half, io.entry)) {
		r = -ENOMEM;
		goto give_up;
	}
	io.half->carried++;
	ssdup_put_write(c, io.half);
	return 0;

give_up:
	ssdup_publish(c, io.half, io.entry, NULL);
	ssdup_put_write(c, io.half);
	mempool_free(e, &c->nodes);
	return r;
}
