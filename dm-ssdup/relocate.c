// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: move extents that a drain cannot write to the HDD to the open half.
 *
 * They keep their seq, so that newer extents stay newer, on disk and in the map. Only
 * sectors that the drained half still holds are moved, a fragment at a time. An entry in
 * a younger half must not cover sectors that a half in between has overwritten: that half
 * is freed first. Places come from the reserve that writers leave.
 */
#include "away.h"
#include "commit.h"
#include "halves.h"
#include "map.h"
#include "meta.h"
#include "mode.h"
#include "nodes.h"
#include "relocate.h"
#include "reserve.h"
#include "trace.h"

/* Find the first part of @p, from @at on, that @half holds in one extent. */
static bool next_part(struct ssdup *c, const struct drain_piece *p, u8 half, u32 *at, u32 *sectors)
{
	struct ssdup_range *r = range_of(c, p->start);
	u64 end = p->start + p->sectors, from;
	const struct extent *x;
	bool found;
	u32 seen;

	do {
		found = false;
		from = p->start + *at;
		spin_lock_irq(&r->lock);
		x = ssdup_extent_first(&r->tree, from, end);
		for (seen = 0; x && x->start < end && seen < EXTENT_WALK; seen++) {
			found = x->half == half && x->seq == p->seq;
			if (found)
				break;
			x = ssdup_extent_next(x);
		}
		if (x && x->start >= end)
			x = NULL;
		if (x) {
			from = max(from, x->start);
			*at = from - p->start;
			*sectors = min(end, extent_end(x)) - from;
		}
		spin_unlock_irq(&r->lock);
		cond_resched();
	} while (x && !found);
	return found;
}

/* Reserve a place. Retry while the ring is full or a sealed half has writes in flight. */
static int reserve(struct ssdup *c, struct ssdup_io *io, u32 sectors)
{
	struct log_limits all = ssdup_log_limits_all(&c->g);
	struct ssdup_half *h;
	u64 word, next;
	int r;

	for (;;) {
		h = READ_ONCE(c->open);
		r = ssdup_reserve(c, io, sectors, &all);
		if (!r)
			return 0;
		if (r == -ENOMEM)
			return r;
		if (ssdup_mode(c) != MODE_RUNNING)
			return -ENOSPC;
		word = atomic64_read(&h->word);
		if (h != READ_ONCE(c->open))
			continue;
		if (word & LOG_WORD_SEALED) {
			wait_event_timeout(c->settle_wait, !atomic_read(&h->writes), HZ);
			continue;
		}
		if (!log_word_reserve(word, &all, sectors, &next) || ssdup_commit(c))
			return -ENOSPC;
		schedule_timeout_uninterruptible(1);
	}
}

static int write_part(struct ssdup *c, const struct ssdup_io *io, struct page *page,
		      u32 at, u32 sectors)
{
	int r = ssdup_sync_io(c->ssd->bdev, REQ_OP_WRITE,
			      ssdup_log_data_sector(&c->g, io->half->index, io->pos),
			      page, at << SECTOR_SHIFT, sectors << SECTOR_SHIFT);

	if (!r)
		return 0;
	/* The drain fails, and its next try takes another place. */
	ssdup_data_error(c, errno_to_blk_status(r));
	return -EIO;
}

static int relocate_part(struct ssdup *c, struct ssdup_relocated *count,
			 const struct drain_piece *p, u8 from, u8 kind, struct page *page,
			 u32 at, u32 sectors)
{
	bool data = kind == SSDUP_KIND_DATA, moved = false;
	struct ssdup_io io = { };
	struct extent *e;
	int r;

	r = reserve(c, &io, data ? sectors : 0);
	if (r)
		return r;
	e = io.e;
	trace_ssdup_step(c, STEP_CARRY_WRITE);
	r = data ? write_part(c, &io, page, at, sectors) : 0;
	if (!r) {
		trace_ssdup_step(c, STEP_CARRY_WRITTEN);
		e->start = p->start + at;
		e->sectors = sectors;
		e->seq = p->seq;
		e->half = io.half->index;
		e->kind = kind;
		e->home = false;
		e->pos = data ? io.pos : to_log_pos(0);
		moved = ssdup_move(c, &io, from);
	}
	trace_ssdup_step(c, STEP_CARRY_DONE);
	if (moved) {
		io.half->relocated++;
		WRITE_ONCE(count->all, count->all + 1);
		if (kind != SSDUP_KIND_LOST)
			count->pinned++;
	} else {
		ssdup_give_up(c, &io);
	}
	ssdup_put_write(c, io.half);
	ssdup_free_nodes(c, &io.nodes);
	return r;
}

int ssdup_relocate(struct ssdup *c, struct ssdup_relocated *moved, const struct drain_piece *p,
		   u8 from, u8 kind, struct page *page)
{
	u32 at = 0, sectors;
	int r;

	if (ssdup_mode(c) != MODE_RUNNING)
		return -EROFS;
	while (next_part(c, p, from, &at, &sectors)) {
		r = relocate_part(c, moved, p, from, kind, page, at, sectors);
		if (r)
			return r;
	}
	return 0;
}
