// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: move extents that a drain cannot write to the HDD to the open segment.
 *
 * Only sectors that their extent still holds are moved, a fragment at a time and under the lock
 * of their range. So a moved fragment is the newest copy. Its place is one that writers leave.
 */
#include "base/step.h"
#include "drain_internal.h"
#include "log/nodes.h"
#include "log/reserve.h"
#include "map/map.h"
#include "route/router.h"

/* Reserve a place. Retry while the ring is full, or clean segments are being forgotten. */
static int reserve(struct ssdup_drainer *drainer, struct ssdup_io *io, u32 sectors)
{
	const struct ssdup_class *k = &drainer->log->class[io->class];
	int r;

	while ((r = ssdup_reserve(drainer->log, io, sectors, LOG_WORD_DRAIN | LOG_WORD_KEPT)) ==
	       -SSDUP_ERR_RING_FULL ||
	       (r == -SSDUP_ERR_NO_SEGMENT && ssdup_coming_segments(drainer->log, k->ssd) &&
		!READ_ONCE(drainer->c->leaving))) {
		if (class_closed(drainer->log, k))
			return -SSDUP_ERR_NO_SEGMENT;
		ssdup_commit(drainer->log);
		schedule_timeout_uninterruptible(1);
	}
	return r;
}

static int write_part(struct ssdup_drainer *drainer, const struct ssdup_class *k, u64 pos,
		      struct page *page, u32 at, u32 sectors)
{
	int r = ssdup_log_io(drainer->log, REQ_OP_WRITE, pos, page, at << SECTOR_SHIFT,
			     sectors << SECTOR_SHIFT, k->stream);

	if (!r)
		return 0;
	/* The drain fails, and its next try takes another place. */
	ssdup_data_error(drainer->router, &drainer->c->ssd[k->ssd], errno_to_blk_status(r));
	return -EIO;
}

static int relocate_part(struct ssdup_drainer *drainer, const struct drain_piece *p, u8 kind,
			 struct page *page, u32 at, u32 sectors)
{
	bool data = kind == SSDUP_KIND_DATA, moved = false;
	struct ssdup_io io = {
		.class = piece_class(drainer, p)->index,
		.start = p->start + at,
		.sectors = sectors,
	};
	u64 pos;
	int r;

	r = reserve(drainer, &io, data ? sectors : 0);
	if (r)
		return r;
	ssdup_step(drainer->c, STEP_RELOCATE_WRITE);
	pos = ssdup_fill_extent(drainer->log, &io, io.start, sectors, kind);
	r = data ? write_part(drainer, io.segment->class, pos, page, at, sectors) : 0;
	if (!r) {
		ssdup_step(drainer->c, STEP_RELOCATE_WRITTEN);
		moved = ssdup_move(drainer->map, &io, p->seq);
	}
	ssdup_step(drainer->c, STEP_RELOCATE_DONE);
	if (moved) {
		WRITE_ONCE(io.segment->relocated, io.segment->relocated + 1);
		WRITE_ONCE(drainer->relocated, drainer->relocated + 1);
		drainer->unwritable += kind != SSDUP_KIND_LOST;
	} else {
		ssdup_give_up(drainer->log, &io);
	}
	ssdup_put_write(drainer->log, io.segment);
	ssdup_free_spare(drainer->log, &io);
	return r;
}

int ssdup_relocate(struct ssdup_drainer *drainer, const struct drain_piece *p, u8 kind,
		   struct page *page)
{
	u64 start = p->start, end = start + p->sectors;
	u32 sectors;
	int r;

	if (class_closed(drainer->log, piece_class(drainer, p)))
		return -SSDUP_ERR_LOG_CLOSED;
	while ((sectors = ssdup_map_part(drainer->map, &start, end, p->seq))) {
		r = relocate_part(drainer, p, kind, page, start - p->start, sectors);
		if (r)
			return r;
	}
	return 0;
}
