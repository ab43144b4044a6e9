// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: the drain of a half, a batch at a time.
 *
 * Two batches take turns: while one is written to the HDD, the next is read
 * from the SSD. A batch is taken from the map by ssdup_plan_collect(); all its
 * pieces are read at once, into one buffer, in the order of the HDD; then its
 * runs are written, in that order and all at once, for the queue below to work
 * through. When writes wait for the half, a last batch, of other halves, is read beside the
 * flush that frees it.
 *
 * What the HDD refuses is written again in small blocks, and the blocks that it
 * still refuses are moved to the open half (pinned). What the SSD refuses is
 * read again in small blocks; those that it still refuses are marked lost there,
 * and the HDD keeps what it has in their place. When the log is
 * read-only neither is possible: what cannot go home stays where it is, and
 * salvage.c says what becomes of the halves.
 */
#include <linux/kthread.h>

#include "away.h"
#include "batch.h"
#include "calls.h"
#include "halves.h"
#include "map.h"
#include "meter.h"
#include "mode.h"
#include "super.h"
#include "trace.h"

#define DRAIN_BLOCK_BYTES (DRAIN_BLOCK << SECTOR_SHIFT)	/* a page may be larger */
#define DRAIN_BAD_MAX	64U		/* refused blocks of a half: the HDD is gone */
#define DRAIN_GENTLE_PIECES 4U		/* of a batch beside readers, and as much as one run */
#define DRAIN_AHEAD_LOOKS 256U		/* at EXTENT_WALK extents each, while writes wait */

struct ssdup_drainer {
	struct drain_batch	batch[2];
	struct drain_batch	*ahead;		/* being read, not yet written */
	struct ssdup_half	*half;		/* being drained */
	u64			from;		/* HDD sector to go on from */
	u64			fenced;		/* direct writes below this were waited for */
	u32			bad;		/* blocks refused by the HDD in this half */
	u32			unread;		/* blocks that the SSD refused in this half */
	u64			away_at;	/* HDD sector of the piece that it did not give, */
	unsigned long		away_since;	/* jiffies: at first, */
	unsigned long		away_last;	/* and the last time */
	u32			left;		/* blocks that could neither go home nor move */
	bool			lost;		/* lost ones are among what could not move */
	u64			others;		/* seq up to which other halves' extents go along */
	bool			wide;		/* they do, in ranges begun from now on */
	bool			taken;		/* all of the half was: only others' go along */
};

int ssdup_drainer_create(struct ssdup *c)
{
	c->drainer = kvzalloc(sizeof(*c->drainer), GFP_KERNEL);
	if (!c->drainer)
		return -ENOMEM;
	return ssdup_batch_init(c, &c->drainer->batch[0]) ?:
	       ssdup_batch_init(c, &c->drainer->batch[1]);
}

void ssdup_drainer_destroy(struct ssdup *c)
{
	if (!c->drainer)
		return;
	ssdup_batch_exit(&c->drainer->batch[0]);
	ssdup_batch_exit(&c->drainer->batch[1]);
	kvfree(c->drainer);
}

/* --- Faults --- */

/* A piece of another half than the one being drained: no harm if it stays. */
static bool of_other(struct ssdup *c, const struct drain_piece *p)
{
	return p->half != c->drainer->half->index;
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
static int move_block(struct ssdup *c, const struct drain_piece *p, u8 kind, struct page *page)
{
	struct ssdup_drainer *d = c->drainer;
	int r = ssdup_relocate(c, p, d->half->index, kind, page);

	if (!r || ssdup_mode(c) != MODE_LOG_READ_ONLY)
		return r;
	if (kind == SSDUP_KIND_LOST)
		d->lost = true;
	else
		d->left++;
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
	return ssdup_away(r) || ssdup_away(r2) ? -EAGAIN : -EIO;
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
static bool hdd_is_bad(struct ssdup *c, struct drain_batch *b)
{
	bool many = ++c->drainer->bad > DRAIN_BAD_MAX;

	return (many && ssdup_mode(c) == MODE_RUNNING) || kthread_should_stop() ||
	       !hdd_answers(c, b);
}

/*
 * What the SSD does not give for the moment is not lost; but a piece that is the first to fail
 * so for longer than the SSD may be away for, try after try, holds up all others.
 */
static bool only_away(struct ssdup *c, const struct drain_piece *p, int error)
{
	struct ssdup_drainer *d = c->drainer;
	unsigned long away = msecs_to_jiffies(RETRY_AWAY_MS);

	if (!ssdup_away(error))
		return false;
	if (d->away_at != p->start || time_after(jiffies, d->away_last + 2 * away)) {
		d->away_at = p->start;
		d->away_since = jiffies;
	}
	d->away_last = jiffies;
	return time_before(jiffies, d->away_since + away);
}

/* The SSD refused to read a part of @p, of the search for what it refuses. */
static int refused(struct ssdup *c, struct drain_batch *b, const struct drain_piece *p,
		   u32 sectors, int error)
{
	stat_inc(c, STAT_SSD_ERRORS);
	/* Each that counts is a block that leaves the half, so that the next try gets further. */
	if (sectors <= DRAIN_BLOCK)
		c->drainer->unread++;
	return only_away(c, p, error) || kthread_should_stop() || !ssd_answers(c, b) ? -EIO : 0;
}

/*
 * The SSD cannot read a part of a piece: mark it as lost. In a log that is read-only it is not
 * marked, and not given up: the next try may read it.
 */
static int lose(struct ssdup *c, const struct drain_piece *p, const struct drain_part *part)
{
	u32 blocks = DIV_ROUND_UP(part->sectors, DRAIN_BLOCK);
	struct drain_piece lost = *p;
	int r;

	lost.start += part->at;
	lost.sectors = part->sectors;
	r = ssdup_relocate(c, &lost, c->drainer->half->index, SSDUP_KIND_LOST, NULL);
	if (!r) {
		stat_add(c, STAT_LOST, blocks);
		DMERR_LIMIT("%s: sectors %llu + %u are lost: the SSD cannot read them",
			    dm_device_name(c->md), lost.start, lost.sectors);
	} else if (ssdup_mode(c) == MODE_LOG_READ_ONLY) {
		c->drainer->left += blocks;
		DMERR_LIMIT("%s: sectors %llu + %u stay in the log: the SSD cannot read them",
			    dm_device_name(c->md), lost.start, lost.sectors);
		r = 0;
	}
	return r;
}

/* Too much of the half is unreadable for one try: what is known by now, or the rest, is @part. */
static int give_up(struct ssdup *c, struct drain_search *s, struct drain_part *part,
		   const struct drain_piece *p)
{
	*part = s->bad;
	if (ssdup_mode(c) == MODE_RUNNING) {
		/* It leaves the half: the next try gets further. */
		return (part->sectors ? lose(c, p, part) : 0) ?: -EIO;
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
static int reread_piece(struct ssdup *c, struct drain_batch *b, u32 piece)
{
	const struct drain_piece p = b->plan.pieces[piece];
	struct drain_search s;
	struct drain_part part;
	u32 done = 0;
	int error, r;

	ssdup_plan_search_begin(&s, p.sectors);
	while (s.next.sectors) {
		if (c->drainer->unread >= DRAIN_UNREAD_MAX) {
			r = give_up(c, &s, &part, &p);
		} else {
			error = ssdup_batch_reread(c, b, &p, &s.next);
			r = error ? refused(c, b, &p, s.next.sectors, error) : 0;
			if (!r && !ssdup_plan_search_next(&s, error, &part))
				continue;
		}
		r = r ?: lose(c, &p, &part);
		if (r)
			return r;
		part.at -= done;
		done += part.at + part.sectors;
		piece = ssdup_plan_cut(&b->plan, piece, &part);
	}
	return 0;
}

/* The HDD refused a run: write its pieces block by block, and move what it keeps refusing. */
static int rewrite_run(struct ssdup *c, struct drain_batch *b, const struct drain_run *run)
{
	struct drain_piece block;
	u32 i, at;
	int r;

	for (i = run->first; i < run->first + run->nr; i++) {
		const struct drain_piece *p = &b->plan.pieces[i];

		if (of_other(c, p))
			continue;
		for (at = 0; at < p->sectors; at += DRAIN_BLOCK) {
			block = block_of(p, at);
			ssdup_batch_copy(b, block.offset, block.sectors);
			trace_ssdup_step(c, STEP_REWRITE_BLOCK);
			if (!ssdup_sync_io(c->hdd->bdev, drain_write_opf(c), block.start,
					   b->scratch, 0, block.sectors << SECTOR_SHIFT))
				continue;
			stat_inc(c, STAT_HDD_ERRORS);
			if (hdd_is_bad(c, b))
				return -EIO;
			ssdup_batch_copy(b, block.offset, block.sectors);
			r = move_block(c, &block, SSDUP_KIND_DATA, b->scratch);
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

/* --- Pieces without data --- */

static int drain_mark(struct ssdup *c, struct drain_batch *b, const struct drain_run *run,
		      bool *failed)
{
	const struct drain_piece *p = &b->plan.pieces[run->first];
	int r = 0;

	trace_ssdup_step(c, STEP_MARK_WRITE);
	switch (run->kind) {
	case SSDUP_KIND_ZERO:
		/* Who zeroed may have asked to keep the space there; the log does not know. */
		r = blkdev_issue_zeroout(c->hdd->bdev, run->start, run->sectors, GFP_NOIO,
					 BLKDEV_ZERO_NOUNMAP);
		break;
	case SSDUP_KIND_DISCARD:
		if (bdev_max_discard_sectors(c->hdd->bdev))
			r = blkdev_issue_discard(c->hdd->bdev, run->start, run->sectors, GFP_NOIO);
		if (r == -EOPNOTSUPP)
			r = 0;
		break;
	case SSDUP_KIND_LOST:
		return move_block(c, p, SSDUP_KIND_LOST, NULL);
	}
	trace_ssdup_step(c, STEP_MARK_WRITTEN);
	*failed = r;
	if (r && of_other(c, p))
		return 0;
	if (r) {
		stat_inc(c, STAT_HDD_ERRORS);
		/* Zeroes come in many pieces, each of which takes an entry when it moves. */
		if (run->kind == SSDUP_KIND_ZERO && hdd_is_bad(c, b))
			return -EIO;
		if (ssdup_mode(c) == MODE_RUNNING)
			stat_inc(c, STAT_PINNED);
		return move_block(c, p, run->kind, NULL);
	}
	return 0;
}

/* --- A batch from SSD to HDD --- */

/* What could not be read must not be written. */
static int reread_batch(struct ssdup *c, struct drain_batch *b)
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
		if (of_other(c, p)) {
			p->kind = SSDUP_KIND_NONE;
			continue;
		}
		r = reread_piece(c, b, i);
		if (r)
			return r;
	}
	if (changed)
		ssdup_plan_join(&b->plan);
	return 0;
}

/*
 * Pieces of other halves are on the HDD: when their half's turn comes, they need
 * not be written once more. That holds while every flush of the HDD succeeds.
 */
static void mark_home(struct ssdup *c, struct drain_batch *b, const struct drain_run *run,
		      int flush_errors)
{
	const struct drain_piece *p;
	struct ssdup_range *r;
	struct ssdup_half *h;
	u64 from;
	bool all;
	u32 i;

	for (i = run->first; i < run->first + run->nr; i++) {
		p = &b->plan.pieces[i];
		if (!of_other(c, p) || p->kind == SSDUP_KIND_NONE)
			continue;
		h = &c->half[p->half];
		if (!h->has_home) {
			h->has_home = true;
			h->flush_errors = flush_errors;
		}
		r = range_of(c, p->start);
		from = p->start;
		do {
			spin_lock_irq(&r->lock);
			all = ssdup_plan_home(&r->tree, p, &from);
			spin_unlock_irq(&r->lock);
			cond_resched();
		} while (!all);
		WRITE_ONCE(h->home, h->home + p->sectors);
	}
}

/* Of a run, what the half holds that is drained: what leaves the log with it. */
static u32 own_sectors(struct ssdup *c, struct drain_batch *b, const struct drain_run *run)
{
	const struct drain_piece *p = &b->plan.pieces[run->first];
	u32 sectors = 0, i;

	for (i = 0; i < run->nr; i++)
		if (!of_other(c, &p[i]) && p[i].kind != SSDUP_KIND_NONE)
			sectors += p[i].sectors;
	return sectors;
}

/* What was overwritten since counts as left: who asks gets a later time rather than an earlier. */
static void tell_due(struct ssdup *c, const struct ssdup_half *h)
{
	u64 all = log_word_sectors(atomic64_read(&h->word)), home = h->home + c->pass_home;

	ssdup_meter_due(c, all - min(all, home));
}

/* While it is written, @next is read, if there is one; not if this fails before. */
static int batch_finish(struct ssdup *c, struct drain_batch *b, struct drain_batch *next,
			bool spread)
{
	int r, flush_errors;
	u32 i;

	ssdup_batch_wait(b);
	trace_ssdup_step(c, STEP_DRAIN_HAVE);
	r = reread_batch(c, b);
	if (r)
		return r;
	flush_errors = atomic_read(&c->hdd_flush_errors);
	ssdup_batch_write_begin(c, b);
	if (next)
		ssdup_batch_read(c, next, spread);
	c->drainer->ahead = next;
	ssdup_batch_write_end(c, b);
	for (i = 0; i < b->plan.nr_runs; i++) {
		const struct drain_run *run = &b->plan.runs[i];

		r = 0;
		if (run->kind == SSDUP_KIND_NONE)
			continue;
		if (run->kind != SSDUP_KIND_DATA)
			r = drain_mark(c, b, run, &b->io[i].failed);
		else if (b->io[i].failed)
			r = rewrite_run(c, b, run);
		if (r)
			return r;
		if (!b->io[i].failed)
			mark_home(c, b, run, flush_errors);
		stat_add(c, STAT_DRAINED_SECTORS, run->sectors);
		WRITE_ONCE(c->pass_home, c->pass_home + own_sectors(c, b, run));
	}
	return 0;
}

/*
 * Wait for the direct writes to a range that were sent off before now. Later
 * ones looked for overlaps while everything that the sealed half holds there
 * was in the tree already.
 */
static void fence_range(struct ssdup *c, struct ssdup_range *r)
{
	u8 old;

	trace_ssdup_step(c, STEP_DRAIN_FENCE);
	spin_lock_irq(&r->lock);
	/* What is in the tree by now has lower ones: it may be taken from any half. */
	c->drainer->others = c->drainer->wide ? atomic64_read(&c->seq) : 0;
	old = r->phase;
	r->phase ^= 1;
	spin_unlock_irq(&r->lock);
	drain_does(c, DRAIN_FENCE);
	wait_event(c->settle_wait, !atomic_read(&r->direct[old]));
	drain_does(c, DRAIN_COPIES);
}

static bool has_direct(struct ssdup_range *r)
{
	return atomic_read(&r->direct[0]) || atomic_read(&r->direct[1]);
}

/*
 * Take the next batch of the half from the map. What goes ahead of its own half's turn, while
 * writes wait, is not worth a long search, nor a wait for direct writes.
 */
static void batch_collect(struct ssdup *c, struct drain_batch *b, bool gentle)
{
	struct ssdup_drainer *d = c->drainer;
	u64 size = 1ULL << c->range_shift;
	u32 looks = d->taken ? DRAIN_AHEAD_LOOKS : U32_MAX;
	struct ssdup_range *r;
	u64 index;
	bool all;

	b->plan.nr_pieces = 0;
	b->plan.nr_runs = 0;
	b->plan.sectors = 0;
	b->plan.zeroes = 0;
	b->plan.max_pieces = READ_ONCE(c->set.drain_depth);
	b->plan.max_sectors = DRAIN_SECTORS;
	/* The HDD is as long about them. */
	b->plan.max_zeroes = DRAIN_SECTORS;
	b->plan.others_only = d->taken;
	if (gentle) {
		b->plan.max_pieces = min(b->plan.max_pieces, DRAIN_GENTLE_PIECES);
		b->plan.max_sectors = DRAIN_RUN;
		b->plan.max_zeroes = DRAIN_RUN;
	}
	while (looks && !plan_full(&b->plan) &&
	       (index = d->from >> c->range_shift) < c->nr_ranges) {
		r = &c->ranges[index];
		all = true;
		if (range_holds(r) && !(d->taken && has_direct(r))) {
			looks--;
			if (d->fenced <= index) {
				fence_range(c, r);
				d->fenced = index + 1;
			}
			spin_lock_irq(&r->lock);
			all = ssdup_plan_collect(&r->tree, d->half->index, d->others, &d->from,
						 &b->plan);
			spin_unlock_irq(&r->lock);
		}
		if (all)
			d->from = (index + 1) * size;
		cond_resched();
	}
	ssdup_plan_join(&b->plan);
	if (b->plan.nr_pieces)
		trace_ssdup_drain(c, d->half, &b->plan);
}

/* --- A half --- */

static int drain_begin(struct ssdup *c)
{
	struct ssdup_drainer *d = c->drainer;

	if (ssdup_mode(c) == MODE_RUNNING) {
		WRITE_ONCE(c->drain_anew, false);
		spin_lock_irq(&c->half_lock);
		d->half = list_first_entry_or_null(&c->sealed, struct ssdup_half, list);
		spin_unlock_irq(&c->half_lock);
	} else {
		d->half = ssdup_salvage_next(c);
	}
	if (!d->half)
		return -ENOENT;
	d->from = 0;
	WRITE_ONCE(c->pass_home, 0);
	d->fenced = 0;
	d->bad = 0;
	d->unread = 0;
	d->left = 0;
	d->lost = false;
	d->taken = false;
	tell_due(c, d->half);
	trace_ssdup_step(c, STEP_DRAIN_BEGIN);
	if (d->half->has_home && atomic_read(&c->hdd_flush_errors) != d->half->flush_errors)
		ssdup_forget_home(c, d->half);
	if (!d->half->has_home)
		d->half->flush_errors = atomic_read(&c->hdd_flush_errors);
	return 0;
}

static int finish_half(struct ssdup *c)
{
	struct ssdup_drainer *d = c->drainer;

	if (ssdup_mode(c) == MODE_RUNNING)
		return ssdup_free_half(c, d->half);
	return ssdup_salvage_home(c, d->half, d->left, d->lost);
}

/*
 * The HDD does nothing else while it is flushed for a half, and then those who waited for that
 * half have the SSD. So what the HDD can do next is read meanwhile: of other halves, and marked
 * as home there.
 *
 * Only what the freed half held leaves the map. What is taken here, or what replaces it, stays
 * in the log, so that no direct write gets there before.
 */
static int finish_half_ahead(struct ssdup *c)
{
	struct ssdup_drainer *d = c->drainer;
	struct drain_batch *b = &d->batch[0];
	int r;

	d->from = 0;
	d->fenced = 0;
	d->wide = true;
	d->taken = true;
	batch_collect(c, b, false);
	ssdup_batch_read(c, b, false);
	r = finish_half(c);
	if (r || kthread_should_stop()) {
		ssdup_batch_wait(b);
		return r;
	}
	drain_does(c, DRAIN_COPIES);
	return batch_finish(c, b, NULL, false);
}

int ssdup_drain_step(struct ssdup *c, const struct pacing_out *how)
{
	struct ssdup_drainer *d = c->drainer;
	struct drain_batch *now, *next;
	bool running;
	int r = 0;

	if (!d->half && drain_begin(c))
		return ssdup_mode(c) == MODE_RUNNING ? 0 : ssdup_salvage_end(c);
	/* In a log that is read-only each half goes home for itself. */
	running = ssdup_mode(c) == MODE_RUNNING;
	d->wide = how->wide && running;

	now = d->ahead;
	next = now == &d->batch[0] ? &d->batch[1] : &d->batch[0];
	if (!d->half->drained)
		batch_collect(c, next, how->gentle);
	if (d->half->drained || !next->plan.nr_pieces)
		next = NULL;
	d->ahead = NULL;
	if (now) {
		r = batch_finish(c, now, next, how->spread);
		if (!r)
			tell_due(c, d->half);
	} else if (next) {
		ssdup_batch_read(c, next, how->spread);
		d->ahead = next;
	}
	if (!r && !d->ahead)
		r = how->urgent && running ? finish_half_ahead(c) : finish_half(c);
	if (r || !d->ahead) {
		if (d->ahead)
			ssdup_batch_wait(d->ahead);
		d->ahead = NULL;
		d->half = NULL;
	}
	return r;
}

void ssdup_drain_finish(struct ssdup *c)
{
	struct ssdup_drainer *d = c->drainer;

	if (d->ahead)
		ssdup_batch_wait(d->ahead);
	d->ahead = NULL;
	d->half = NULL;
}
