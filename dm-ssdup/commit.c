// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: from published entries to durable pages.
 *
 * A commit goes through the ring from its tail and writes every page that has
 * more resolved entries than its last durable version. The data of an entry
 * was written before the entry was published, so a flush between taking the
 * snapshot and writing the pages makes it durable first. It is a flush of its own: of
 * a PREFLUSH in front of data a dm device below throws the error away.
 *
 * The version of a page that is durable is never written over: revision R goes
 * to slot R & 1, and R grows only when a write succeeded.
 *
 * A round that failed is the last one of a table. The SSD may have dropped data
 * with the flush that failed; the next flush would find nothing to do, and the
 * pages after it would speak of data that are not there. What was not durable
 * then can be read, and brought home, until the table is loaded anew. A write of
 * the superblock may flush too, on an SSD without FUA, so the same goes for one that
 * failed, and no round is under way beside it.
 */
#include "away.h"
#include "commit.h"
#include "flush.h"
#include "halves.h"
#include "mode.h"
#include "reserve.h"
#include "super.h"
#include "trace.h"
#include "wake.h"

/* A page in the course of one round. */
struct commit_page {
	struct bio		*bio;
	u64			sector;
	struct ring_page	*p;
	u32			resolved;
};

struct commit_round {
	struct commit_page	page[SSDUP_COMMIT_PAGES];
	u32			nr;
	atomic_t		pending;
	struct completion	done;
	bool			failed;
};

static void page_end_io(struct bio *bio)
{
	struct commit_round *round = bio->bi_private;

	if (bio->bi_status)
		WRITE_ONCE(round->failed, true);
	if (atomic_dec_and_test(&round->pending))
		complete(&round->done);
}

/* Copy what is published of a page; what is published meanwhile may be in or not. */
static void snapshot(struct ssdup *c, struct commit_round *round, struct ssdup_half *h,
		     u32 page, u32 resolved)
{
	struct page *buf = c->commit_page[round->nr];
	struct commit_page *cp = &round->page[round->nr++];
	struct ring_page *p = ring_page(c, h, page);
	struct ssdup_page *out = page_address(buf);
	struct log_page_id id = {
		.generation = h->generation,
		.epoch = c->super.epoch,
		.rev = p->rev + 1,
		.page = page,
		.half = h->index,
	};
	u32 i;

	memcpy(id.uuid, c->super.uuid, sizeof(id.uuid));
	ssdup_log_page_begin(out, &id);
	if (resolved == SSDUP_PAGE_ENTRIES && !READ_ONCE(p->holes))
		ssdup_log_page_append(out, p->e, SSDUP_PAGE_ENTRIES);
	else
		for (i = 0; i < SSDUP_PAGE_ENTRIES; i++)
			/* Pairs with the release in ssdup_publish(). */
			if (smp_load_acquire(&p->e[i].kind) != SSDUP_KIND_NONE)
				ssdup_log_page_append(out, &p->e[i], 1);
	ssdup_log_page_finish(out);

	cp->p = p;
	cp->resolved = resolved;
	cp->bio = bio_alloc_bioset(c->ssd->bdev, 1, REQ_OP_WRITE | SSDUP_META_FLAGS, GFP_NOIO,
				   &c->bs);
	cp->bio->bi_iter.bi_sector = ssdup_log_slot_sector(&c->g, h->index, page, id.rev & 1);
	cp->sector = cp->bio->bi_iter.bi_sector;
	cp->bio->bi_end_io = page_end_io;
	cp->bio->bi_private = round;
	__bio_add_page(cp->bio, buf, SSDUP_PAGE_BYTES, 0);
}

/* Pages were refused: those that may be are written again. Return: are all durable? */
static bool write_again(struct ssdup *c, struct commit_round *round)
{
	unsigned long end = jiffies + msecs_to_jiffies(RETRY_AWAY_MS);
	int r = 0;
	u32 i;

	for (i = 0; i < round->nr && !r; i++)
		r = ssdup_meta_again(c, blk_status_to_errno(round->page[i].bio->bi_status),
				     round->page[i].sector, c->commit_page[i], end);
	return !r;
}

/* Write the pages of a round, after the data that they speak of. */
static int write_round(struct ssdup *c, struct commit_round *round)
{
	bool flush = false;
	u32 i;

	mutex_lock(&c->ssd_lock);
	if (c->commit_failed) {
		round->failed = true;
		goto out;
	}
	trace_ssdup_step(c, STEP_COMMIT_FLUSH);
	if (blkdev_issue_flush(c->ssd->bdev)) {
		round->failed = true;
		flush = true;
		goto out;
	}
	trace_ssdup_step(c, STEP_COMMIT_FLUSHED);
	atomic_set(&round->pending, round->nr);
	for (i = 0; i < round->nr; i++) {
		trace_ssdup_step(c, STEP_COMMIT_PAGE);
		submit_bio(round->page[i].bio);
	}
	trace_ssdup_step(c, STEP_COMMIT_SENT);
	wait_for_completion_io(&round->done);
	if (round->failed)
		round->failed = !write_again(c, round);
	trace_ssdup_step(c, STEP_COMMIT_DONE);
out:
	if (round->failed)
		ssdup_commits_end(c, flush);
	mutex_unlock(&c->ssd_lock);
	for (i = 0; i < round->nr; i++) {
		if (!round->failed) {
			round->page[i].p->rev++;
			round->page[i].p->durable = round->page[i].resolved;
		}
		bio_put(round->page[i].bio);
	}
	if (round->failed) {
		stat_inc(c, STAT_SSD_ERRORS);
		ssdup_fail(c, MODE_LOG_READ_ONLY, "a metadata write to the SSD failed");
		return -EIO;
	}
	stat_add(c, STAT_PAGES, round->nr);
	return 0;
}

/* How many entries page @page of @h will have resolved in the end; 0 while that is open. */
static u32 page_target(struct ssdup_half *h, u32 page)
{
	u64 word = atomic64_read(&h->word);
	u32 left = log_word_entries(word) - page * SSDUP_PAGE_ENTRIES;

	if (left >= SSDUP_PAGE_ENTRIES)
		return SSDUP_PAGE_ENTRIES;
	return word & LOG_WORD_SEALED ? left : 0;
}

/* Pages that are durable and complete leave the ring, from its tail on. */
static void retire_pages(struct ssdup *c, struct ssdup_half **halves, u32 nr)
{
	struct ssdup_half *h;
	struct ring_page *p;
	u32 i;

	for (i = 0; i < nr; i++) {
		h = halves[i];
		while (h->pages_done < half_pages(h)) {
			p = ring_page(c, h, h->pages_done);
			if (!p->durable || p->durable != page_target(h, h->pages_done))
				return;
			memset(p, 0, sizeof(*p));
			h->pages_done++;
			WRITE_ONCE(c->ring_full, false);
			/* Pairs with the acquire in ring_has_room(). */
			smp_store_release(&c->ring_tail, h->base + h->pages_done);
		}
	}
}

static bool page_dirty(const struct ring_page *p)
{
	return atomic_read(&p->resolved) != p->durable;
}

/*
 * Take up to a round of @h's dirty pages. A page that was never written goes
 * along, be it empty, when a later one is dirty: replay stops at a gap.
 *
 * Return: false when there may be more.
 */
static bool collect_half(struct ssdup *c, struct ssdup_half *h, struct commit_round *round)
{
	u32 end = half_pages(h), page, resolved;
	struct ring_page *p;

	while (end > h->pages_done && !page_dirty(ring_page(c, h, end - 1)))
		end--;
	for (page = h->pages_done; page < end; page++) {
		p = ring_page(c, h, page);
		resolved = atomic_read(&p->resolved);
		/* Pairs with the barrier before resolved is raised. */
		smp_rmb();
		if (resolved == p->durable && p->rev)
			continue;
		if (round->nr == SSDUP_COMMIT_PAGES)
			return false;
		snapshot(c, round, h, page, resolved);
	}
	return true;
}

int ssdup_commit(struct ssdup *c)
{
	struct ssdup_half *halves[SSDUP_MAX_HALVES];
	struct commit_round *round;
	struct bio_list fuas;
	bool all, moved;
	u64 tail;
	u32 nr, i;
	int r = 0;

	if (atomic64_read(&c->seq) > LOG_LAST_SEQ)
		ssdup_fail(c, MODE_LOG_READ_ONLY, "the counters of the log are used up");
	mutex_lock(&c->commit_lock);
	/* Before the first snapshot, so that it has their entries. */
	fuas = ssdup_take_fuas(c);
	tail = c->ring_tail;
	round = c->round;
	do {
		round->nr = 0;
		round->failed = false;
		reinit_completion(&round->done);
		nr = ssdup_halves_in_use(c, halves);
		for (i = 0, all = true; i < nr && all; i++)
			all = collect_half(c, halves[i], round);
		if (round->nr) {
			r = write_round(c, round);
			stat_inc(c, STAT_COMMITS);
		}
		/* Even with nothing to write: a half may have been sealed since. */
		retire_pages(c, halves, nr);
	} while (!r && !all);
	moved = c->ring_tail != tail;
	mutex_unlock(&c->commit_lock);
	ssdup_end_fuas(c, &fuas, r);
	if (moved)
		ssdup_kick_waiting(c);
	return r;
}

int ssdup_commit_init(struct ssdup *c)
{
	u32 i;

	c->ring = kvcalloc(SSDUP_RING, sizeof(*c->ring), GFP_KERNEL);
	c->round = kvzalloc(sizeof(*c->round), GFP_KERNEL);
	c->super_page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	if (!c->ring || !c->round || !c->super_page)
		return -ENOMEM;
	init_completion(&c->round->done);
	for (i = 0; i < SSDUP_COMMIT_PAGES; i++) {
		c->commit_page[i] = alloc_page(GFP_KERNEL);
		if (!c->commit_page[i])
			return -ENOMEM;
	}
	return 0;
}

void ssdup_commit_exit(struct ssdup *c)
{
	u32 i;

	for (i = 0; i < SSDUP_COMMIT_PAGES; i++)
		if (c->commit_page[i])
			__free_page(c->commit_page[i]);
	if (c->super_page)
		__free_page(c->super_page);
	kvfree(c->round);
	kvfree(c->ring);
}

void ssdup_autocommit_work(struct work_struct *work)
{
	struct ssdup *c = container_of(to_delayed_work(work), struct ssdup, autocommit);

	WRITE_ONCE(c->autocommit_armed, false);
	/*
	 * Entries published before this are seen by the commit, later ones arm
	 * it again. Pairs with the atomic_inc_return() in ssdup_publish().
	 */
	smp_mb();
	ssdup_commit(c);
	/* The open half holds something: the thread watches for an idle device. */
	ssdup_kick_writeback(c);
}
