// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: what the disks refuse of a half that is being drained.
 *
 * What the HDD refuses is written again in small blocks, and the blocks that it
 * still refuses are moved to the open half (pinned). What the SSD refuses is
 * read again in small blocks; those that it still refuses are marked lost there,
 * and the HDD keeps what it has in their place. When the log is
 * read-only neither is possible: what cannot go home stays where it is, and
 * salvage.c says what becomes of the halves.
 */
#include <linux/kthread.h>

#include "batch.h"
#include "faults.h"
#include "meta.h"
#include "mode.h"
#include "relocate.h"
#include "trace.h"

#define DRAIN_BLOCK_BYTES (DRAIN_BLOCK << SECTOR_SHIFT)	/* a page may be larger */
#define DRAIN_BAD_MAX	64U		/* refused blocks of a half: the HDD is gone */

void ssdup_faults_begin(struct drain_faults *f, struct ssdup_half *h)
{
	f->half = h;
	f->bad = 0;
	f->unread = 0;
	f->left = 0;
	f->lost = false;
}

/* The part of a piece that is one block. */
static struct drain_piece block_of(const struct drain_piece *p, u32 at)
{
	struct drain_piece block = *p;

	block.start += at;
	block.pos = log_pos_add(p->pos, at);
	block.offset += at;
	block.sectors = min(DRAIN_BLOCK, p->sectors - at);
	return block;
}

/* Move a block to the open half; in a log that is read-only it stays where it is. */
static int move_block(struct ssdup *c, struct drain_faults *f, const struct drain_piece *p,
		      u8 kind, struct page *page)
{
	int r = ssdup_relocate(c, &f->moved, p, f->half->index, kind, page);

	if (!r || ssdup_mode(c) != MODE_LOG_READ_ONLY)
		return r;
	if (kind == SSDUP_KIND_LOST)
		f->lost = true;
	else
		f->left++;
	return 0;
}

/*
 * A disk that can read neither of two places is gone: its blocks are not bad. Uses the scratch.
 * Return: 0 when it answers, -EAGAIN when it is away for the moment, else -EIO.
 */
static int answers(struct drain_batch *b, struct block_device *bdev, u64 one, u64 other)
{
	int r = ssdup_sync_io(bdev, REQ_OP_READ, one, b->scratch, 0, DRAIN_BLOCK_BYTES), r2;

	if (!r)
		return 0;
	r2 = ssdup_sync_io(bdev, REQ_OP_READ, other, b->scratch, 0, DRAIN_BLOCK_BYTES);
	if (!r2)
		return 0;
	return ssdup_passes(r) || ssdup_passes(r2) ? -EAGAIN : -EIO;
}

/* An SSD that is gone has lost nothing yet. */
static bool ssd_answers(struct ssdup *c, struct drain_batch *b)
{
	int r = answers(b, c->ssd->bdev, SSDUP_SUPER_SECTOR(0), SSDUP_SUPER_SECTOR(1));

	if (r == -EIO)
		ssdup_fail(c, MODE_LOG_FAILED, "the SSD does not answer a drain's reads");
	return !r;
}

/* An HDD that is gone is waited for; moving what it refuses would fill the log. */
static bool hdd_answers(struct ssdup *c, struct drain_batch *b)
{
	u64 end = round_down(bdev_nr_sectors(c->hdd->bdev), DRAIN_BLOCK);

	return !answers(b, c->hdd->bdev, 0, max_t(u64, end, DRAIN_BLOCK) - DRAIN_BLOCK);
}

/* The HDD refused another block: does the try end? In a read-only log nothing moves, or ends. */
static bool hdd_is_bad(struct ssdup *c, struct drain_faults *f, struct drain_batch *b)
{
	bool many = ++f->bad > DRAIN_BAD_MAX;

	return (many && ssdup_mode(c) == MODE_RUNNING) || kthread_should_stop() ||
	       !hdd_answers(c, b);
}

/*
 * What the SSD does not give for the moment is not lost; but a piece that is the first to fail
 * so for longer than the SSD may be away for, try after try, holds up all others.
 */
static bool only_away(struct drain_faults *f, const struct drain_piece *p, int error)
{
	unsigned long away = msecs_to_jiffies(RETRY_AWAY_MS);

	if (!ssdup_passes(error))
		return false;
	if (f->away_at != p->start || time_after(jiffies, f->away_last + 2 * away)) {
		f->away_at = p->start;
		f->away_since = jiffies;
	}
	f->away_last = jiffies;
	return time_before(jiffies, f->away_since + away);
}

/* The SSD refused to read a part of @p, of the search for what it refuses. */
static int refused(struct ssdup *c, struct drain_faults *f, struct drain_batch *b,
		   const struct drain_piece *p, u32 sectors, int error)
{
	stat_inc(c, STAT_SSD_ERRORS);
	/* Each that counts is a block that leaves the half, so that the next try gets further. */
	if (sectors <= DRAIN_BLOCK)
		f->unread++;
	return only_away(f, p, error) || kthread_should_stop() || !ssd_answers(c, b) ? -EIO : 0;
}

/*
 * The SSD cannot read a part of a piece: mark it as lost. In a log that is read-only it is not
 * marked, and not given up: the next try may read it.
 */
static int lose(struct ssdup *c, struct drain_faults *f, const struct drain_piece *p,
		const struct drain_part *part)
{
	u32 blocks = DIV_ROUND_UP(part->sectors, DRAIN_BLOCK);
	struct drain_piece lost = *p;
	int r;

	lost.start += part->at;
	lost.sectors = part->sectors;
	r = ssdup_relocate(c, &f->moved, &lost, f->half->index, SSDUP_KIND_LOST, NULL);
	if (!r) {
		stat_add(c, STAT_LOST, blocks);
		DMERR_LIMIT("%s: sectors %llu + %u are lost: the SSD cannot read them",
			    dm_device_name(c->md), lost.start, lost.sectors);
	} else if (ssdup_mode(c) == MODE_LOG_READ_ONLY) {
		f->left += blocks;
		DMERR_LIMIT("%s: sectors %llu + %u stay in the log: the SSD cannot read them",
			    dm_device_name(c->md), lost.start, lost.sectors);
		r = 0;
	}
	return r;
}

/* Too much of the half is unreadable for one try: what is known by now, or the rest, is @part. */
static int give_up(struct ssdup *c, struct drain_faults *f, struct drain_search *s,
		   struct drain_part *part, const struct drain_piece *p)
{
	*part = s->bad;
	if (ssdup_mode(c) == MODE_RUNNING) {
		/* It leaves the half: the next try gets further. */
		return (part->sectors ? lose(c, f, p, part) : 0) ?: -EIO;
	}
	if (!part->sectors)
		part->at = s->next.at;
	part->sectors = s->sectors - part->at;
	s->next.sectors = 0;
	return 0;
}

/*
 * The SSD refused a piece: find out what it keeps refusing, and take that out of the plan. The
 * HDD keeps what it has there, which may be the last copy of it.
 */
static int reread_piece(struct ssdup *c, struct drain_faults *f, struct drain_batch *b,
			u32 piece)
{
	const struct drain_piece p = b->plan.pieces[piece];
	struct drain_search s;
	struct drain_part part;
	u32 done = 0;
	int error, r;

	ssdup_plan_search_begin(&s, p.sectors);
	while (s.next.sectors) {
		if (f->unread >= DRAIN_UNREAD_MAX) {
			r = give_up(c, f, &s, &part, &p);
		} else {
			error = ssdup_batch_reread(c, b, &p, &s.next);
			r = error ? refused(c, f, b, &p, s.next.sectors, error) : 0;
			if (!r && !ssdup_plan_search_next(&s, error, &part))
				continue;
		}
		r = r ?: lose(c, f, &p, &part);
		if (r)
			return r;
		part.at -= done;
		done += part.at + part.sectors;
		piece = ssdup_plan_cut(&b->plan, piece, &part);
	}
	return 0;
}

/* The HDD refused a run: write its pieces block by block, and move what it keeps refusing. */
static int rewrite_run(struct ssdup *c, struct drain_faults *f, struct drain_batch *b,
		       const struct drain_run *run)
{
	struct drain_piece block;
	u32 i, at;
	int r;

	for (i = run->first; i < run->first + run->nr; i++) {
		const struct drain_piece *p = &b->plan.pieces[i];

		if (drain_of_other(f->half, p))
			continue;
		for (at = 0; at < p->sectors; at += DRAIN_BLOCK) {
			block = block_of(p, at);
			ssdup_batch_copy(b, block.offset, block.sectors);
			trace_ssdup_step(c, STEP_REWRITE_BLOCK);
			if (!ssdup_sync_io(c->hdd->bdev, drain_write_opf(c), block.start,
					   b->scratch, 0, block.sectors << SECTOR_SHIFT))
				continue;
			stat_inc(c, STAT_HDD_ERRORS);
			if (hdd_is_bad(c, f, b))
				return -EIO;
			ssdup_batch_copy(b, block.offset, block.sectors);
			r = move_block(c, f, &block, SSDUP_KIND_DATA, b->scratch);
			if (r)
				return r;
			if (ssdup_mode(c) == MODE_RUNNING)
				stat_inc(c, STAT_PINNED);
			DMWARN_LIMIT("%s: the HDD refuses sectors %llu + %u, they stay in the log",
				     dm_device_name(c->md), block.start, block.sectors);
		}
	}
	return 0;
}

/* The HDD refused a discard or zeroes, or the piece was lost before: it moves. */
static int move_mark(struct ssdup *c, struct drain_faults *f, struct drain_batch *b,
		     const struct drain_run *run)
{
	const struct drain_piece *p = &b->plan.pieces[run->first];

	if (run->kind != SSDUP_KIND_LOST) {
		if (drain_of_other(f->half, p))
			return 0;
		stat_inc(c, STAT_HDD_ERRORS);
		/* Zeroes come in many pieces, each of which takes an entry when it moves. */
		if (run->kind == SSDUP_KIND_ZERO && hdd_is_bad(c, f, b))
			return -EIO;
		if (ssdup_mode(c) == MODE_RUNNING)
			stat_inc(c, STAT_PINNED);
	}
	return move_block(c, f, p, run->kind, NULL);
}

int ssdup_faults_run(struct ssdup *c, struct drain_faults *f, struct drain_batch *b,
		     const struct drain_run *run)
{
	return run->kind == SSDUP_KIND_DATA ? rewrite_run(c, f, b, run) :
					      move_mark(c, f, b, run);
}

int ssdup_faults_reread(struct ssdup *c, struct drain_faults *f, struct drain_batch *b)
{
	struct drain_piece *p;
	bool changed = false;
	u32 i;
	int r;

	/* From the last one on: a cut moves those behind it, and io[] stays. */
	for (i = b->plan.nr_pieces; i-- > 0; ) {
		p = &b->plan.pieces[i];
		if (p->kind != SSDUP_KIND_DATA || !b->io[i].failed)
			continue;
		changed = true;
		if (drain_of_other(f->half, p)) {
			p->kind = SSDUP_KIND_NONE;
			continue;
		}
		r = reread_piece(c, f, b, i);
		if (r)
			return r;
	}
	if (changed)
		ssdup_plan_join(&b->plan);
	return 0;
}
