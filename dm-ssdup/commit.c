// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: from published entries to durable pages.
 *
 * A commit goes through the ring from its tail and writes every page that has more
 * resolved entries than its last durable version. An entry is published after its data
 * was written, so a flush between the snapshot and the pages makes the data durable
 * first. That flush is a bio of its own, because a dm device below would drop the error
 * of a PREFLUSH that comes with data.
 *
 * A durable version of a page is never overwritten: revision R goes to slot R & 1, and R
 * grows only after a write has succeeded.
 *
 * After a failed round the log takes no more writes until the table is loaded again, see
 * meta.h. Until then data that is not durable can still be read and drained.
 *
 * A FUA write to the log needs only a commit and never waits for the HDD. Each commit ends
 * the FUA writes that were queued when it began.
 */
#include "bioq.h"
#include "commit.h"
#include "halves.h"
#include "meta.h"
#include "mode.h"
#include "reserve.h"
#include "super.h"
#include "trace.h"
#include "wake.h"

/* A page in one round of a commit. */
struct commit_page {
	struct bio		*bio;
	u64			sector;
	struct ring_page	*p;
	u32			resolved;
};

struct commit_round {
	struct commit_page	page[LOG_COMMIT_PAGES];
	u32			nr;
	atomic_t		pending;
	struct completion	done;
	bool			failed;
};

struct ssdup_committer {
	struct ssdup		*c;
	struct mutex		lock;		/* one commit at a time */
	struct commit_round	round;
	struct page		*page[LOG_COMMIT_PAGES];
	struct bio_queue	fuas;		/* writes whose data is logged */
};

static void page_end_io(struct bio *bio)
{
	struct commit_round *round = bio->bi_private;

	if (bio->bi_status)
		WRITE_ONCE(round->failed, true);
	if (atomic_dec_and_test(&round->pending))
		complete(&round->done);
}

/* Copy the published entries of a page. One published meanwhile may be missing. */
static void snapshot(struct ssdup *c, struct commit_round *round, struct ssdup_half *h,
		     u32 page, u32 resolved)
{
	struct page *buf = c->committer->page[round->nr];
	struct commit_page *cp = &round->page[round->nr++];
	struct ring_page *p = ssdup_ring_page(c, h, page);
	struct ssdup_page *out = page_address(buf);
	struct log_page_id id = {
		.generation = h->generation,
		.epoch = ssdup_super(c)->epoch,
		.rev = p->rev + 1,
		.page = page,
		.half = h->index,
	};
	u32 i;

	memcpy(id.uuid, ssdup_super(c)->uuid, sizeof(id.uuid));
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

/* Retry failed pages where that is safe. Return: are all durable? */
static bool write_again(struct ssdup *c, struct commit_round *round)
{
	unsigned long end = jiffies + msecs_to_jiffies(RETRY_AWAY_MS);
	int r = 0;
	u32 i;

	for (i = 0; i < round->nr && !r; i++)
		r = ssdup_meta_again(c, blk_status_to_errno(round->page[i].bio->bi_status),
				     round->page[i].sector, c->committer->page[i], end);
	return !r;
}

/* Write the pages of a round, after a flush of the data that they refer to. */
static int write_round(struct ssdup *c, struct commit_round *round)
{
	bool flush = false;
	u32 i;

	if (ssdup_meta_begin(c)) {
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
	ssdup_meta_end(c, round->failed ? -EIO : 0, flush);
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

/* How many entries page @page of @h will have in the end; 0 if more may be handed out. */
static u32 page_target(struct ssdup_half *h, u32 page)
{
	u64 word = atomic64_read(&h->word);
	u32 left = log_word_entries(word) - page * SSDUP_PAGE_ENTRIES;

	if (left >= SSDUP_PAGE_ENTRIES)
		return SSDUP_PAGE_ENTRIES;
	return word & LOG_WORD_SEALED ? left : 0;
}

/* Remove durable and complete pages from the ring, from its tail on. */
static void retire_pages(struct ssdup *c, struct ssdup_half **halves, u32 nr)
{
	struct ssdup_half *h;
	struct ring_page *p;
	u32 i;

	for (i = 0; i < nr; i++) {
		h = halves[i];
		while (h->pages_done < half_pages(h)) {
			p = ssdup_ring_page(c, h, h->pages_done);
			if (!p->durable || p->durable != page_target(h, h->pages_done))
				return;
			memset(p, 0, sizeof(*p));
			h->pages_done++;
			WRITE_ONCE(c->ring_full, false);
			/* Pairs with the acquire in ssdup_find_place(). */
			smp_store_release(&c->ring_tail, h->base + h->pages_done);
		}
	}
}

static bool page_dirty(const struct ring_page *p)
{
	return atomic_read(&p->resolved) != p->durable;
}

/*
 * Take @h's dirty pages, as many as a round can hold. An empty page that was never
 * written is taken too if a later page is dirty, because replay stops at a gap.
 *
 * Return: false when there may be more.
 */
static bool collect_half(struct ssdup *c, struct ssdup_half *h, struct commit_round *round)
{
	u32 end = half_pages(h), page, resolved;
	struct ring_page *p;

	while (end > h->pages_done && !page_dirty(ssdup_ring_page(c, h, end - 1)))
		end--;
	for (page = h->pages_done; page < end; page++) {
		p = ssdup_ring_page(c, h, page);
		resolved = atomic_read(&p->resolved);
		/* Pairs with the atomic_inc_return() in ssdup_resolve(). */
		smp_rmb();
		if (resolved == p->durable && p->rev)
			continue;
		if (round->nr == LOG_COMMIT_PAGES)
			return false;
		snapshot(c, round, h, page, resolved);
	}
	return true;
}

static void end_fuas(struct ssdup *c, struct bio_list *bios, int error)
{
	if (bio_list_empty(bios))
		return;
	trace_ssdup_step(c, STEP_FLUSH_END);
	bio_queue_end(&c->committer->fuas, bios, error ? BLK_STS_IOERR : BLK_STS_OK);
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
	mutex_lock(&c->committer->lock);
	/* Before the first snapshot, so that the round contains their entries. */
	fuas = bio_queue_take(&c->committer->fuas);
	tail = c->ring_tail;
	round = &c->committer->round;
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
		/* Even if nothing was written: a half may have been sealed since. */
		retire_pages(c, halves, nr);
	} while (!r && !all);
	moved = c->ring_tail != tail;
	mutex_unlock(&c->committer->lock);
	end_fuas(c, &fuas, r);
	if (moved)
		ssdup_kick_waiting(c);
	return r;
}

void ssdup_commit_lock(struct ssdup *c)
{
	mutex_lock(&c->committer->lock);
}

void ssdup_commit_unlock(struct ssdup *c)
{
	mutex_unlock(&c->committer->lock);
}

void ssdup_autocommit_work(struct work_struct *work)
{
	struct ssdup *c = container_of(to_delayed_work(work), struct ssdup, autocommit);

	WRITE_ONCE(c->autocommit_armed, false);
	/*
	 * The commit sees entries published before this; later ones arm it again.
	 * Pairs with the atomic_inc_return() in ssdup_resolve().
	 */
	smp_mb();
	ssdup_commit(c);
	/* The open half is not empty: the thread drains it when the device is idle. */
	ssdup_kick_writeback(c);
}

/* --- FUA writes --- */

void ssdup_queue_fua(struct ssdup *c, struct bio *bio)
{
	bio_queue_add(&c->committer->fuas, c->wq, bio);
}

u32 ssdup_queued_fuas(struct ssdup *c)
{
	return atomic_read(&c->committer->fuas.nr);
}

static void do_fuas(struct work_struct *work)
{
	struct ssdup_committer *m = container_of(work, struct ssdup_committer, fuas.work);

	/* Another commit may have ended them. */
	if (!bio_queue_empty(&m->fuas))
		ssdup_commit(m->c);
}

/* --- Life --- */

int ssdup_commit_create(struct ssdup *c)
{
	struct ssdup_committer *m;
	u32 i;

	m = kvzalloc(sizeof(*m), GFP_KERNEL);
	c->committer = m;
	c->ring = kvcalloc(SSDUP_RING, sizeof(*c->ring), GFP_KERNEL);
	if (!m || !c->ring)
		return -ENOMEM;
	m->c = c;
	mutex_init(&m->lock);
	init_completion(&m->round.done);
	bio_queue_init(&m->fuas, do_fuas);
	for (i = 0; i < LOG_COMMIT_PAGES; i++) {
		m->page[i] = alloc_page(GFP_KERNEL);
		if (!m->page[i])
			return -ENOMEM;
	}
	return 0;
}

void ssdup_commit_destroy(struct ssdup *c)
{
	struct ssdup_committer *m = c->committer;
	u32 i;

	for (i = 0; m && i < LOG_COMMIT_PAGES; i++)
		if (m->page[i])
			__free_page(m->page[i]);
	kvfree(m);
	kvfree(c->ring);
}
