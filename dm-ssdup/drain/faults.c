// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: I/O errors of a drain.
 *
 * A failed read or write is retried in small blocks. Those that the HDD refuses again move to the
 * open segment (unwritable). Those that the SSD refuses again are marked as lost there, and the
 * HDD keeps its old content. A closed class can do neither: the blocks stay where they are, and
 * salvage.c decides what becomes of the segments.
 */
#include <linux/kthread.h>

#include "base/failure.h"
#include "base/step.h"
#include "base/sync_io.h"
#include "core/retry.h"
#include "drain_internal.h"
#include "log/guard.h"

#define DRAIN_BLOCK_BYTES (DRAIN_BLOCK << SECTOR_SHIFT)	/* a page may be larger */
#define DRAIN_BAD_MAX	64U		/* failed blocks in a row; more: the HDD is gone */

void ssdup_faults_begin(struct drain_faults *f)
{
	f->unread = 0;
	f->left = 0;
	f->lost = false;
}

/* The part of a piece that is one block. */
static struct drain_piece block_of(const struct drain_piece *p, u32 at)
{
	struct drain_piece block = *p;

	block.start += at;
	block.pos += at;
	block.offset += at;
	block.sectors = min(DRAIN_BLOCK, p->sectors - at);
	return block;
}

/* Move a block to the open segment; in a closed class it stays where it is. */
static int move_block(struct ssdup_drainer *drainer, struct drain_faults *f,
		      const struct drain_piece *p, u8 kind, struct page *page)
{
	int r = ssdup_relocate(drainer, p, kind, page);

	if (!r && kind != SSDUP_KIND_LOST)
		stat_inc(drainer->c, STAT_UNWRITABLE);
	if (!r || !ssdup_piece_salvaged(drainer, p))
		return r;
	if (kind == SSDUP_KIND_LOST)
		f->lost = true;
	else
		f->left++;
	return 0;
}

enum disk_answer {
	DISK_ANSWERS,
	DISK_AWAY,	/* it has a transient error */
	DISK_SILENT,
};

/*
 * A disk that can read neither of two places is gone, and has no bad blocks. Overwrites the
 * scratch page.
 */
static enum disk_answer ask_disk(struct drain_batch *b, struct drive_user *disk, u64 one, u64 other)
{
	int r = ssdup_sync_io(disk, REQ_OP_READ, one, b->scratch, 0, DRAIN_BLOCK_BYTES), r2;

	if (!r)
		return DISK_ANSWERS;
	r2 = ssdup_sync_io(disk, REQ_OP_READ, other, b->scratch, 0, DRAIN_BLOCK_BYTES);
	if (!r2)
		return DISK_ANSWERS;
	return ssdup_is_transient(r) || ssdup_is_transient(r2) ? DISK_AWAY : DISK_SILENT;
}

/*
 * If the SSD that has @pos is gone, its blocks are not lost yet. Of several, the others' segments
 * can still be drained, each by itself.
 */
static bool ssd_answers(struct ssdup_drainer *drainer, struct drain_batch *b, u64 pos)
{
	static const char silent[] = "the SSD does not answer a drain's reads";
	struct ssdup_ssd *ssd = ssd_at(drainer->log, pos);
	enum disk_answer answer = ask_disk(b, &ssd->user, log_home(ssd->sectors, 0),
					   log_home(ssd->sectors, 1));

	if (answer == DISK_SILENT && drainer->c->nr_ssds > 1)
		ssdup_ssd_fail(drainer->c, ssd, silent);
	else if (answer == DISK_SILENT)
		ssdup_fail(drainer->c, MODE_LOG_FAILED, silent);
	return answer == DISK_ANSWERS;
}

/* If the HDD is gone, wait for it: moving what it refuses would fill the log. */
static bool hdd_answers(struct ssdup_drainer *drainer, struct drain_batch *b)
{
	struct drive_user *hdd = &drainer->c->hdd_user;
	u64 end = round_down(bdev_nr_sectors(hdd->bdev), DRAIN_BLOCK);

	return ask_disk(b, hdd, 0, max_t(u64, end, DRAIN_BLOCK) - DRAIN_BLOCK) == DISK_ANSWERS;
}

/* Does another failed block end the try? Many do not in a closed class, where none moves. */
static bool hdd_is_bad(struct ssdup_drainer *drainer, struct drain_faults *f, struct drain_batch *b,
		       const struct drain_piece *p)
{
	bool many = !(++f->bad % (DRAIN_BAD_MAX + 1));

	return (many && !ssdup_piece_salvaged(drainer, p)) || kthread_should_stop() ||
	       !hdd_answers(drainer, b);
}

/*
 * After a transient error a piece is not lost, and the try ends. But if the same piece ends
 * every try for RETRY_AWAY_MS, give it up, because it holds up all others.
 */
static bool only_away(struct drain_faults *f, const struct drain_piece *p, int error)
{
	unsigned long away = msecs_to_jiffies(RETRY_AWAY_MS);

	if (!ssdup_is_transient(error))
		return false;
	if (f->away_at != p->start || time_after(jiffies, f->away_last + 2 * away)) {
		f->away_at = p->start;
		f->away_since = jiffies;
	}
	f->away_last = jiffies;
	return time_before(jiffies, f->away_since + away);
}

/* Read a block of @p again. Return: 0, 1 when it cannot be read, or -EIO when the try ends. */
static int reread_block(struct ssdup_drainer *drainer, struct drain_faults *f,
			struct drain_batch *b, const struct drain_piece *p,
			const struct drain_piece *block)
{
	int error;

	/* Too many: a closed class keeps the rest as it is. Else the next try gets further. */
	if (f->unread == DRAIN_UNREAD_MAX)
		return ssdup_piece_salvaged(drainer, p) ? 1 : -EIO;
	error = ssdup_batch_reread(b, block);
	if (!error)
		return 0;
	stat_inc(drainer->c, STAT_SSD_ERRORS);
	f->unread++;
	if (kthread_should_stop())
		return -EIO;
	/* It stays in the log, and is in nobody's way. */
	if (drainer->c->nr_ssds > 1 && ssdup_piece_salvaged(drainer, p))
		return 1;
	return only_away(f, p, error) || !ssd_answers(drainer, b, p->pos) ? -EIO : 1;
}

/*
 * The SSD cannot read this: mark it as lost. A read-only log keeps it as it is, and the next
 * try may read it.
 */
static int lose_block(struct ssdup_drainer *drainer, struct drain_faults *f,
		      const struct drain_piece *bad)
{
	u32 blocks = DIV_ROUND_UP(bad->sectors, DRAIN_BLOCK);
	int r = ssdup_relocate(drainer, bad, SSDUP_KIND_LOST, NULL);

	if (!r) {
		stat_add(drainer->c, STAT_LOST, blocks);
		DMERR_LIMIT("%s: sectors %llu + %u are lost: the SSD cannot read them",
			    drainer->c->name, bad->start, bad->sectors);
	} else if (ssdup_piece_salvaged(drainer, bad)) {
		f->left += blocks;
		DMERR_LIMIT("%s: sectors %llu + %u stay in the log: the SSD cannot read them",
			    drainer->c->name, bad->start, bad->sectors);
		r = 0;
	}
	return r;
}

/*
 * A read of a piece failed: read it again block by block, and take the stretches that cannot
 * be read out of the plan. The HDD keeps its old content there, which may be the last copy.
 */
static int reread_piece(struct ssdup_drainer *drainer, struct drain_faults *f,
			struct drain_batch *b, u32 piece)
{
	const struct drain_piece p = b->plan.pieces[piece];
	struct drain_piece block, bad = { };
	u32 at;
	int r;

	for (at = 0; at < p.sectors; at += block.sectors) {
		block = block_of(&p, at);
		r = reread_block(drainer, f, b, &p, &block);
		if (r > 0) {
			if (!bad.sectors)
				bad = block;
			else
				bad.sectors += block.sectors;
			if (at + block.sectors < p.sectors)
				continue;
		}
		if (bad.sectors) {
			r = lose_block(drainer, f, &bad) ?: r;
			piece = ssdup_plan_cut(&b->plan, piece, bad.start, bad.sectors);
			bad.sectors = 0;
		}
		if (r < 0)
			return r;
	}
	return 0;
}

/* A write of a run failed: write its pieces block by block, and move the blocks that fail. */
static int rewrite_run(struct ssdup_drainer *drainer, struct drain_faults *f, struct drain_batch *b,
		       const struct drain_run *run)
{
	struct drain_piece block;
	u32 i, at;
	int r;

	for (i = run->first; i < run->first + run->nr; i++) {
		const struct drain_piece *p = &b->plan.pieces[i];

		for (at = 0; at < p->sectors; at += DRAIN_BLOCK) {
			block = block_of(p, at);
			ssdup_batch_copy(b, block.offset, block.sectors);
			ssdup_step(drainer->c, STEP_REWRITE_BLOCK);
			if (!ssdup_hdd_write(drainer->log, drain_write_opf(drainer), block.start,
					     &b->scratch, 0, block.sectors << SECTOR_SHIFT)) {
				f->bad = 0;
				continue;
			}
			stat_inc(drainer->c, STAT_HDD_ERRORS);
			if (hdd_is_bad(drainer, f, b, p))
				return -EIO;
			ssdup_batch_copy(b, block.offset, block.sectors);
			r = move_block(drainer, f, &block, SSDUP_KIND_DATA, b->scratch);
			if (r)
				return r;
			DMWARN_LIMIT("%s: the HDD refuses sectors %llu + %u, they stay in the log",
				     drainer->c->name, block.start, block.sectors);
		}
	}
	return 0;
}

/* Move a tombstone: a discard or zeroes that the HDD refused, or a lost piece. */
static int move_tombstone(struct ssdup_drainer *drainer, struct drain_faults *f,
			  struct drain_batch *b, const struct drain_run *run)
{
	const struct drain_piece *p = &b->plan.pieces[run->first];

	if (run->kind != SSDUP_KIND_LOST) {
		stat_inc(drainer->c, STAT_HDD_ERRORS);
		/* Zeroes may have many pieces, and each takes an entry when it moves. */
		if (run->kind == SSDUP_KIND_ZERO && hdd_is_bad(drainer, f, b, p))
			return -EIO;
	}
	return move_block(drainer, f, p, run->kind, NULL);
}

int ssdup_faults_run(struct ssdup_drainer *drainer, struct drain_faults *f, struct drain_batch *b,
		     const struct drain_run *run)
{
	return run->kind == SSDUP_KIND_DATA ? rewrite_run(drainer, f, b, run) :
					      move_tombstone(drainer, f, b, run);
}

int ssdup_faults_reread(struct ssdup_drainer *drainer, struct drain_faults *f,
			struct drain_batch *b)
{
	struct drain_piece *p;
	bool changed = false;
	u32 i;
	int r;

	/* Backwards: a cut moves the pieces behind it, but not their io[]. */
	for (i = b->plan.nr_pieces; i-- > 0; ) {
		p = &b->plan.pieces[i];
		if (p->kind != SSDUP_KIND_DATA || !b->io[i].status)
			continue;
		changed = true;
		r = reread_piece(drainer, f, b, i);
		if (r)
			return r;
	}
	if (changed)
		ssdup_plan_join(&b->plan);
	return 0;
}
