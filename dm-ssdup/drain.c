// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: the drain of a half, a batch at a time.
 *
 * Two batches take turns: while one is written to the HDD, the next is read
 * from the SSD. A batch is taken from the map by drain_collect(); all its
 * pieces are read at once, into one buffer, in the order of the HDD; then its
 * runs are written, in that order and all at once, for the queue below to work
 * through.
 *
 * What the HDD refuses is written again in small blocks, and the blocks that it
 * still refuses are moved to the open half (pinned). What the SSD refuses is
 * read again in small blocks, and the rest is marked lost there. When the log is
 * read-only neither is possible: what cannot go home stays where it is, and
 * salvage.c says what becomes of the halves.
 */
#include <linux/kthread.h>

#include "ssdup.h"
#include "trace.h"

#define DRAIN_BYTES	(4U << 20)	/* of one batch's buffer */
#define DRAIN_PAGES	(DRAIN_BYTES >> PAGE_SHIFT)
#define DRAIN_SECTORS	(DRAIN_BYTES >> SECTOR_SHIFT)
#define DRAIN_RUN	2048U		/* sectors of one write */
#define DRAIN_BLOCK	8U		/* sectors that succeed or fail together */
#define DRAIN_BAD_MAX	64U		/* refused blocks of a half: the HDD is gone */

struct drain_io {
	struct drain_batch	*batch;
	bool			failed;
};

struct drain_batch {
	struct ssdup		*c;
	struct drain_plan	plan;
	struct drain_io		*io;		/* a piece when reading, a run when writing */
	struct page		*page[DRAIN_PAGES];
	struct page		*scratch;	/* one block, to read and write again */
	atomic_t		pending;
	struct completion	done;
};

struct ssdup_drainer {
	struct drain_batch	batch[2];
	struct drain_batch	*ahead;		/* being read, not yet written */
	struct ssdup_half	*half;		/* being drained */
	u64			from;		/* HDD sector to go on from */
	u64			fenced;		/* direct writes below this were waited for */
	u32			bad;		/* blocks refused by the HDD in this half */
	u32			left;		/* blocks that could neither go home nor move */
	bool			lost;		/* lost ones are among what could not move */
	u32			flush_errors;	/* of the HDD, when this half was begun */
};

/* --- Buffers --- */

static int batch_init(struct ssdup *c, struct drain_batch *b)
{
	u32 i;

	b->c = c;
	init_completion(&b->done);
	b->plan.max_sectors = DRAIN_SECTORS;
	b->plan.max_run = DRAIN_RUN;
	b->plan.pieces = kvcalloc(SSDUP_DRAIN_DEPTH_MAX, sizeof(*b->plan.pieces), GFP_KERNEL);
	b->plan.runs = kvcalloc(SSDUP_DRAIN_DEPTH_MAX, sizeof(*b->plan.runs), GFP_KERNEL);
	b->io = kvcalloc(SSDUP_DRAIN_DEPTH_MAX, sizeof(*b->io), GFP_KERNEL);
	b->scratch = alloc_page(GFP_KERNEL);
	if (!b->plan.pieces || !b->plan.runs || !b->io || !b->scratch)
		return -ENOMEM;
	for (i = 0; i < DRAIN_PAGES; i++) {
		b->page[i] = alloc_page(GFP_KERNEL);
		if (!b->page[i])
			return -ENOMEM;
	}
	return 0;
}

static void batch_exit(struct drain_batch *b)
{
	u32 i;

	for (i = 0; i < DRAIN_PAGES; i++)
		if (b->page[i])
			__free_page(b->page[i]);
	if (b->scratch)
		__free_page(b->scratch);
	kvfree(b->io);
	kvfree(b->plan.runs);
	kvfree(b->plan.pieces);
}

int ssdup_drainer_create(struct ssdup *c)
{
	c->drainer = kvzalloc(sizeof(*c->drainer), GFP_KERNEL);
	if (!c->drainer)
		return -ENOMEM;
	return batch_init(c, &c->drainer->batch[0]) ?: batch_init(c, &c->drainer->batch[1]);
}

void ssdup_drainer_destroy(struct ssdup *c)
{
	if (!c->drainer)
		return;
	batch_exit(&c->drainer->batch[0]);
	batch_exit(&c->drainer->batch[1]);
	kvfree(c->drainer);
}

/* --- Transfers --- */

static void batch_put(struct drain_batch *b)
{
	if (atomic_dec_and_test(&b->pending))
		complete(&b->done);
}

static void batch_begin(struct drain_batch *b)
{
	reinit_completion(&b->done);
	atomic_set(&b->pending, 1);
}

static void batch_wait(struct drain_batch *b)
{
	batch_put(b);
	wait_for_completion_io(&b->done);
}

static void drain_end_io(struct bio *bio)
{
	struct drain_io *io = bio->bi_private;

	if (bio->bi_status)
		WRITE_ONCE(io->failed, true);
	/* First, for with the last one of a batch the thread may end, and the bioset. */
	bio_put(bio);
	batch_put(io->batch);
}

/* Move @sectors between a disk and the buffer, in as many bios as that takes. */
static void drain_transfer(struct drain_batch *b, struct drain_io *io,
			   struct block_device *bdev, blk_opf_t opf, u64 sector,
			   u32 offset, u32 sectors)
{
	u32 at = offset << SECTOR_SHIFT, left = sectors << SECTOR_SHIFT, len;
	struct bio *bio;

	io->batch = b;
	io->failed = false;
	while (left) {
		bio = bio_alloc_bioset(bdev, bio_max_segs(left / PAGE_SIZE + 2), opf,
				       GFP_NOIO, &b->c->bs);
		bio->bi_iter.bi_sector = sector;
		bio->bi_end_io = drain_end_io;
		bio->bi_private = io;
		while (left) {
			len = min_t(u32, left, PAGE_SIZE - offset_in_page(at));
			if (bio_add_page(bio, b->page[at >> PAGE_SHIFT], len,
					 offset_in_page(at)) != len)
				break;
			at += len;
			left -= len;
		}
		sector += bio_sectors(bio);
		atomic_inc(&b->pending);
		submit_bio(bio);
	}
}

static u64 piece_sector(struct ssdup *c, const struct ssdup_half *h,
			const struct drain_piece *p)
{
	return log_data_sector(&c->g, h->index, p->pos);
}

static void batch_read(struct ssdup *c, struct drain_batch *b, const struct ssdup_half *h)
{
	const struct drain_piece *p;
	struct blk_plug plug;
	u32 i;

	batch_begin(b);
	blk_start_plug(&plug);
	for (i = 0; i < b->plan.nr_pieces; i++) {
		p = &b->plan.pieces[i];
		if (p->kind == SSDUP_KIND_DATA)
			drain_transfer(b, &b->io[i], c->ssd->bdev, REQ_OP_READ,
				       piece_sector(c, h, p), p->offset, p->sectors);
	}
	blk_finish_plug(&plug);
	trace_ssdup_step(c, STEP_DRAIN_READ);
	stat_add(c, STAT_DRAIN_PIECES, b->plan.nr_pieces);
}

static void batch_write(struct ssdup *c, struct drain_batch *b)
{
	const struct drain_run *run;
	struct blk_plug plug;
	u32 i;

	batch_begin(b);
	blk_start_plug(&plug);
	for (i = 0; i < b->plan.nr_runs; i++) {
		run = &b->plan.runs[i];
		if (run->kind != SSDUP_KIND_DATA)
			continue;
		trace_ssdup_step(c, STEP_DRAIN_WRITE);
		drain_transfer(b, &b->io[i], c->hdd->bdev, REQ_OP_WRITE,
			       run->start, run->offset, run->sectors);
	}
	blk_finish_plug(&plug);
	trace_ssdup_step(c, STEP_DRAIN_SENT);
	batch_wait(b);
	trace_ssdup_step(c, STEP_DRAIN_WRITTEN);
	stat_add(c, STAT_DRAIN_RUNS, b->plan.nr_runs);
}

/* --- Faults --- */

/* Copy one block between the batch's buffer and its scratch page. */
static void copy_block(struct drain_batch *b, u32 offset, u32 sectors, bool to_buffer)
{
	u32 at = offset << SECTOR_SHIFT, left = sectors << SECTOR_SHIFT, done = 0, len;
	char *scratch = page_address(b->scratch);
	struct page *page;

	while (done < left) {
		page = b->page[(at + done) >> PAGE_SHIFT];
		len = min_t(u32, left - done, PAGE_SIZE - offset_in_page(at + done));
		if (to_buffer)
			memcpy_to_page(page, offset_in_page(at + done), scratch + done, len);
		else
			memcpy_from_page(scratch + done, page, offset_in_page(at + done), len);
		done += len;
	}
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
	int r = ssdup_carry(c, p, d->half->index, kind, page);

	if (!r || ssdup_mode(c) != MODE_LOG_READ_ONLY)
		return r;
	if (kind == SSDUP_KIND_LOST)
		d->lost = true;
	else
		d->left++;
	return 0;
}

/* A disk that can read neither of two places is gone: its blocks are not bad. Uses the scratch. */
static bool answers(struct drain_batch *b, struct block_device *bdev, u64 one, u64 other)
{
	return !ssdup_sync_io(bdev, REQ_OP_READ, one, b->scratch, 0, PAGE_SIZE) ||
	       !ssdup_sync_io(bdev, REQ_OP_READ, other, b->scratch, 0, PAGE_SIZE);
}

/* An SSD that is gone has lost nothing yet. */
static bool ssd_answers(struct ssdup *c, struct drain_batch *b)
{
	bool yes = answers(b, c->ssd->bdev, SSDUP_SUPER_SECTOR(0), SSDUP_SUPER_SECTOR(1));

	if (!yes)
		ssdup_fail(c, MODE_LOG_FAILED, "the SSD does not answer a drain's reads");
	return yes;
}

/* An HDD that is gone is waited for; moving what it refuses would fill the log. */
static bool hdd_answers(struct ssdup *c, struct drain_batch *b)
{
	u64 end = round_down(bdev_nr_sectors(c->hdd->bdev), PAGE_SECTORS);

	return answers(b, c->hdd->bdev, 0, max_t(u64, end, PAGE_SECTORS) - PAGE_SECTORS);
}

/* The SSD refused a piece: read it block by block, and mark what it keeps refusing. */
static int reread_piece(struct ssdup *c, struct drain_batch *b, struct drain_piece *p)
{
	struct ssdup_half *h = c->drainer->half;
	struct drain_piece block;
	u32 at;
	int r;

	for (at = 0; at < p->sectors; at += DRAIN_BLOCK) {
		block = block_of(p, at);
		if (!ssdup_sync_io(c->ssd->bdev, REQ_OP_READ, piece_sector(c, h, &block),
				   b->scratch, 0, block.sectors << SECTOR_SHIFT)) {
			copy_block(b, block.offset, block.sectors, true);
			continue;
		}
		stat_inc(c, STAT_SSD_ERRORS);
		if (kthread_should_stop() || !ssd_answers(c, b))
			return -EIO;
		r = ssdup_carry(c, &block, h->index, SSDUP_KIND_LOST, NULL);
		if (!r) {
			stat_inc(c, STAT_LOST);
			DMERR("%s: sectors %llu + %u are lost: the SSD cannot read them",
			      dm_device_name(c->md), block.start, block.sectors);
		} else if (ssdup_mode(c) == MODE_LOG_READ_ONLY) {
			/* Not marked, not given up: the next try may read it. */
			c->drainer->left++;
		} else {
			return r;
		}
		/* The HDD's old content is as good as any; reads get an error. */
		memset(page_address(b->scratch), 0, PAGE_SIZE);
		copy_block(b, block.offset, block.sectors, true);
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

		for (at = 0; at < p->sectors; at += DRAIN_BLOCK) {
			block = block_of(p, at);
			copy_block(b, block.offset, block.sectors, false);
			trace_ssdup_step(c, STEP_REWRITE_BLOCK);
			if (!ssdup_sync_io(c->hdd->bdev, REQ_OP_WRITE, block.start,
					   b->scratch, 0, block.sectors << SECTOR_SHIFT))
				continue;
			stat_inc(c, STAT_HDD_ERRORS);
			if (++c->drainer->bad > DRAIN_BAD_MAX || kthread_should_stop() ||
			    !hdd_answers(c, b))
				return -EIO;
			copy_block(b, block.offset, block.sectors, false);
			r = move_block(c, &block, SSDUP_KIND_DATA, b->scratch);
			if (r)
				return r;
			if (ssdup_mode(c) == MODE_RUNNING)
				stat_inc(c, STAT_PINNED);
			DMWARN("%s: the HDD refuses sectors %llu + %u, they stay in the log",
			       dm_device_name(c->md), block.start, block.sectors);
		}
	}
	return 0;
}

/* --- Pieces without data --- */

static int drain_mark(struct ssdup *c, const struct drain_run *run,
		      const struct drain_piece *p)
{
	int r = 0;

	trace_ssdup_step(c, STEP_MARK_WRITE);
	switch (run->kind) {
	case SSDUP_KIND_ZERO:
		r = blkdev_issue_zeroout(c->hdd->bdev, run->start, run->sectors, GFP_NOIO, 0);
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
	if (r) {
		stat_inc(c, STAT_HDD_ERRORS);
		if (ssdup_mode(c) == MODE_RUNNING)
			stat_inc(c, STAT_PINNED);
		return move_block(c, p, run->kind, NULL);
	}
	return 0;
}

/* --- A batch from SSD to HDD --- */

static int batch_finish(struct ssdup *c, struct drain_batch *b)
{
	u32 i;
	int r;

	batch_wait(b);
	trace_ssdup_step(c, STEP_DRAIN_HAVE);
	for (i = 0; i < b->plan.nr_pieces; i++)
		if (b->plan.pieces[i].kind == SSDUP_KIND_DATA && b->io[i].failed) {
			r = reread_piece(c, b, &b->plan.pieces[i]);
			if (r)
				return r;
		}

	batch_write(c, b);
	for (i = 0; i < b->plan.nr_runs; i++) {
		const struct drain_run *run = &b->plan.runs[i];

		r = 0;
		if (run->kind != SSDUP_KIND_DATA)
			r = drain_mark(c, run, &b->plan.pieces[run->first]);
		else if (b->io[i].failed)
			r = rewrite_run(c, b, run);
		if (r)
			return r;
		stat_add(c, STAT_DRAINED_SECTORS, run->sectors);
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
	old = r->phase;
	r->phase ^= 1;
	spin_unlock_irq(&r->lock);
	drain_does(c, DRAIN_FENCE);
	wait_event(c->settle_wait, !atomic_read(&r->direct[old]));
	drain_does(c, DRAIN_COPIES);
}

/* Take the next batch of the half from the map. */
static void batch_collect(struct ssdup *c, struct drain_batch *b)
{
	struct ssdup_drainer *d = c->drainer;
	u64 size = 1ULL << c->range_shift;
	struct ssdup_range *r;
	u64 index;
	bool all;

	b->plan.nr_pieces = 0;
	b->plan.nr_runs = 0;
	b->plan.sectors = 0;
	b->plan.max_pieces = READ_ONCE(c->set.drain_depth);
	while (!drain_full(&b->plan) && (index = d->from >> c->range_shift) < c->nr_ranges) {
		r = &c->ranges[index];
		all = true;
		if (range_holds(r)) {
			if (d->fenced <= index) {
				fence_range(c, r);
				d->fenced = index + 1;
			}
			spin_lock_irq(&r->lock);
			all = drain_collect(&r->tree, d->half->index, &d->from, &b->plan);
			spin_unlock_irq(&r->lock);
		}
		if (all)
			d->from = (index + 1) * size;
		cond_resched();
	}
	drain_join(&b->plan);
	if (b->plan.nr_pieces)
		trace_ssdup_drain(c, d->half, &b->plan);
}

/* --- A half --- */

static void drop_range(struct ssdup *c, struct ssdup_half *h, struct ssdup_range *r)
{
	struct extent_list unused;
	s64 nr, sectors;
	u64 from = 0;
	bool all;

	do {
		unused.head = NULL;
		spin_lock_irq(&r->lock);
		nr = r->tree.nr;
		sectors = r->tree.sectors;
		all = extent_drop_half(&r->tree, h->index, &from, &unused);
		range_changed(r);
		nr -= r->tree.nr;
		sectors -= r->tree.sectors;
		spin_unlock_irq(&r->lock);
		atomic64_sub(nr, &c->extents);
		atomic64_sub(sectors, &c->dirty_sectors);
		ssdup_free_nodes(c, &unused);
		cond_resched();
	} while (!all);
}

void ssdup_drop_extents(struct ssdup *c, struct ssdup_half *h)
{
	u32 i;

	for (i = 0; i < c->nr_ranges; i++)
		if (range_holds(&c->ranges[i]))
			drop_range(c, h, &c->ranges[i]);
}

int ssdup_free_half(struct ssdup *c, struct ssdup_half *h)
{
	int r;

	trace_ssdup_step(c, STEP_FREE_BEGIN);
	drain_does(c, DRAIN_FREES);
	r = ssdup_commit(c);
	if (r)
		return r;
	trace_ssdup_step(c, STEP_FREE_FLUSH);
	r = blkdev_issue_flush(c->hdd->bdev);
	/* After a flush that failed for somebody else a later one finds nothing to do. */
	if (!h->drained && READ_ONCE(c->hdd_flush_errors) != c->drainer->flush_errors)
		r = -EIO;
	if (r) {
		/* Nobody knows what the HDD has dropped: all of it again. */
		stat_inc(c, STAT_HDD_ERRORS);
		h->drained = false;
		return r;
	}
	h->drained = true;
	trace_ssdup_step(c, STEP_FREE_RECORD);
	mutex_lock(&c->super_lock);
	c->super.generation[h->index] = log_next_generation(&c->super);
	r = ssdup_write_super(c, STEP_FREE_BETWEEN);
	mutex_unlock(&c->super_lock);
	if (r)
		return r;

	trace_ssdup_free(c, h);
	trace_ssdup_step(c, STEP_FREE_DROP);
	ssdup_drop_extents(c, h);
	trace_ssdup_step(c, STEP_FREE_DROPPED);
	drain_does(c, DRAIN_READS);
	wait_event(c->settle_wait, !atomic_read(&h->reads));

	/* No commit may still look at the half when its next life begins. */
	mutex_lock(&c->commit_lock);
	WARN_ON_ONCE(h->pages_done != half_pages(h));
	mutex_lock(&c->super_lock);
	h->generation = c->super.generation[h->index];
	mutex_unlock(&c->super_lock);
	spin_lock_irq(&c->half_lock);
	h->state = HALF_FREE;
	list_move_tail(&h->list, &c->free);
	spin_unlock_irq(&c->half_lock);
	mutex_unlock(&c->commit_lock);
	trace_ssdup_step(c, STEP_FREE_DONE);
	stat_inc(c, STAT_FREES);
	WRITE_ONCE(c->short_of_memory, false);
	ssdup_event(c);
	ssdup_kick_waiting(c);
	wake_up_all(&c->done_wait);
	return 0;
}

static int drain_begin(struct ssdup *c)
{
	struct ssdup_drainer *d = c->drainer;

	if (ssdup_mode(c) == MODE_RUNNING) {
		spin_lock_irq(&c->half_lock);
		d->half = list_first_entry_or_null(&c->sealed, struct ssdup_half, list);
		spin_unlock_irq(&c->half_lock);
	} else {
		d->half = ssdup_salvage_next(c);
	}
	if (!d->half)
		return -ENOENT;
	d->from = 0;
	d->fenced = 0;
	d->bad = 0;
	d->left = 0;
	d->lost = false;
	d->flush_errors = READ_ONCE(c->hdd_flush_errors);
	trace_ssdup_step(c, STEP_DRAIN_BEGIN);
	return 0;
}

static int finish_half(struct ssdup *c)
{
	struct ssdup_drainer *d = c->drainer;

	if (ssdup_mode(c) == MODE_RUNNING)
		return ssdup_free_half(c, d->half);
	return ssdup_salvage_home(c, d->half, d->left, d->lost, d->flush_errors);
}

int ssdup_drain_step(struct ssdup *c)
{
	struct ssdup_drainer *d = c->drainer;
	struct drain_batch *now, *next;
	int r;

	if (!d->half && drain_begin(c))
		return ssdup_mode(c) == MODE_RUNNING ? 0 : ssdup_salvage_end(c);

	now = d->ahead;
	next = now == &d->batch[0] ? &d->batch[1] : &d->batch[0];
	if (!d->half->drained)
		batch_collect(c, next);
	if (!d->half->drained && next->plan.nr_pieces) {
		batch_read(c, next, d->half);
		d->ahead = next;
	} else {
		d->ahead = NULL;
	}
	r = now ? batch_finish(c, now) : 0;
	if (!r && !d->ahead)
		r = finish_half(c);
	if (r || !d->ahead) {
		if (d->ahead)
			batch_wait(d->ahead);
		d->ahead = NULL;
		d->half = NULL;
	}
	return r;
}

void ssdup_drain_finish(struct ssdup *c)
{
	struct ssdup_drainer *d = c->drainer;

	if (d->ahead)
		batch_wait(d->ahead);
	d->ahead = NULL;
	d->half = NULL;
}
