// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: from published entries to durable pages.
 *
 * A commit goes through the ring of each class from its tail and writes every page that has more
 * resolved entries than its last durable version. It does so in rounds of a few pages. An entry is
 * published after its data was written, so a flush before the pages makes the data durable first.
 * That flush is a bio of its own, because a dm device below would drop the error of a PREFLUSH that
 * comes with data. The headers of segments that were opened since are written beside it; or behind
 * it, if a write with FUA may flush, too.
 *
 * A commit ends with the pages that were dirty when it began: what writers publish meanwhile is for
 * the next one. So it has at most the pages of all rings to write, and no class keeps up another's.
 *
 * A durable version of a page is never overwritten: revision R goes to slot R & 1, and R
 * grows only after a write has succeeded.
 *
 * After a failed round the log takes no more writes, see log.h, but data that is not durable
 * can still be read and drained.
 *
 * A FUA write to the log needs only a commit, and waits for the HDD only when that closes its
 * guard. Each commit ends the FUA writes that were queued when it began.
 */
#include "base/failure.h"
#include "base/wakeups.h"
#include "guard.h"
#include "internal.h"
#include "reserve.h"
#include "super.h"

/* A write of a round. */
struct commit_write {
	struct bio		*bio;
	u64			sector;
	struct ssdup_ssd	*ssd;
	struct page		*buf;		/* constant */
	struct commit_batch	*batch;		/* constant */
	struct ssdup_segment	*segment;
	struct ring_page	*p;		/* of a page */
	u32			resolved;
};

/* Pages or headers, which are written together. */
struct commit_batch {
	struct commit_write	write[LOG_COMMIT_PAGES];
	u32			nr;
	atomic_t		pending;
	struct completion	done;
	bool			failed;
};

/* The pages of a class that a commit has yet to look at, by their ring numbers. */
struct commit_span {
	u64			next;		/* or a later one, if that has left the ring */
	u64			end;		/* behind the last that was dirty at first */
};

struct ssdup_committer {
	struct mutex		lock;		/* one commit at a time */
	struct commit_batch	headers;
	struct commit_batch	pages;
	struct commit_span	span[SSDUP_MAX_CLASSES];
	u32			first;		/* class with which the next round begins */
	struct ssdup_segment	*segment[SSDUP_RING_SEGMENTS];	/* of a class, in its ring */
};

static void commit_end_io(struct bio *bio)
{
	struct commit_write *w = bio->bi_private;
	struct commit_batch *batch = w->batch;

	drive_ended(&w->ssd->user, bio->bi_status);
	if (bio->bi_status)
		WRITE_ONCE(batch->failed, true);
	if (atomic_dec_and_test(&batch->pending))
		complete(&batch->done);
}

static void batch_reset(struct commit_batch *batch)
{
	batch->nr = 0;
	batch->failed = false;
	reinit_completion(&batch->done);
}

static struct commit_write *batch_add(struct ssdup_log *log, struct commit_batch *batch,
				      struct ssdup_segment *seg, u64 pos)
{
	struct commit_write *w = &batch->write[batch->nr++];

	w->segment = seg;
	w->ssd = ssd_of(log, seg);
	w->sector = ssd_sector(w->ssd, pos);
	w->bio = bio_alloc_bioset(w->ssd->user.bdev, 1, REQ_OP_WRITE | SSDUP_META_FLAGS, GFP_NOIO,
				  &log->c->bs);
	w->bio->bi_iter.bi_sector = w->sector;
	w->bio->bi_end_io = commit_end_io;
	ssdup_set_stream(w->bio, seg->class->stream);
	w->bio->bi_private = w;
	__bio_add_page(w->bio, w->buf, SSDUP_BLOCK_BYTES, 0);
	return w;
}

static void batch_send(struct ssdup_log *log, struct commit_batch *batch, enum ssdup_step step)
{
	u32 i;

	atomic_set(&batch->pending, batch->nr + 1);
	for (i = 0; i < batch->nr; i++) {
		ssdup_step(log->c, step);
		submit_bio(batch->write[i].bio);
	}
}

/* Wait for a batch, and @retry what failed where that is safe. Return: is all of it durable? */
static bool batch_wait(struct ssdup_log *log, struct commit_batch *batch, bool retry)
{
	unsigned long end;
	struct commit_write *w;
	bool ok = true;
	int r;
	u32 i;

	if (!atomic_dec_and_test(&batch->pending))
		wait_for_completion_io(&batch->done);
	end = jiffies + msecs_to_jiffies(RETRY_AWAY_MS);
	for (i = 0; i < batch->nr && batch->failed; i++) {
		w = &batch->write[i];
		r = blk_status_to_errno(w->bio->bi_status);
		if (retry)
			r = ssdup_meta_again(log, r, w->ssd, w->sector, w->buf, end);
		if (r)
			ssdup_meta_failed(log, w->ssd, false);
		ok &= !r;
	}
	batch->failed = false;
	return ok;
}

static void batch_free(struct commit_batch *batch)
{
	u32 i;

	for (i = 0; i < batch->nr; i++)
		bio_put(batch->write[i].bio);
}

static void add_header(struct ssdup_log *log, struct ssdup_segment *seg)
{
	struct log_header header = {
		.generation = seg->generation,
		.epoch = ssdup_super(log)->epoch,
		.segment = seg->index,
	};
	struct commit_write *w = batch_add(log, &log->committer->headers, seg,
					   log_segment_sector(&log->g, seg->index));

	ssdup_log_header_encode(ssdup_super(log), &header, page_address(w->buf));
}

/* Copy the published entries of a page. One published meanwhile may be missing. */
static void add_page(struct ssdup_log *log, struct ssdup_segment *seg, u32 page, u32 resolved)
{
	struct ring_page *p = ssdup_ring_page(seg, page);
	struct log_page_id id = {
		.generation = seg->generation,
		.epoch = ssdup_super(log)->epoch,
		.rev = p->rev + 1,
		.page = page,
		.segment = seg->index,
		.number = seg->base + page,
	};
	u64 pos = ssdup_log_slot_sector(&log->g, seg->index, page, id.rev & 1);
	struct commit_write *w = batch_add(log, &log->committer->pages, seg, pos);
	struct ssdup_page *out = page_address(w->buf);
	u32 i;

	memcpy(id.uuid, ssdup_super(log)->uuid, sizeof(id.uuid));
	ssdup_log_page_begin(out, &id);
	if (resolved == SSDUP_PAGE_ENTRIES && !READ_ONCE(p->holes))
		ssdup_log_page_append(out, p->e, SSDUP_PAGE_ENTRIES);
	else
		for (i = 0; i < SSDUP_PAGE_ENTRIES; i++)
			/* Pairs with the release in ssdup_publish(). */
			if (smp_load_acquire(&p->e[i].kind) != SSDUP_KIND_NONE)
				ssdup_log_page_append(out, &p->e[i], 1);
	ssdup_log_page_finish(out);
	w->p = p;
	w->resolved = resolved;
}

/*
 * Before a flush, and behind the last look at the pages that it is for: note which writes have
 * ended. Return: the SSDs that have them.
 */
static u32 note_writes(struct ssdup_log *log)
{
	struct ssdup_segment **segments = log->committer->segment, *seg;
	u32 i, nr, ssds = 0;
	struct ssdup_class *k;

	for (k = log->class; k < class_end(log); k++) {
		nr = ssdup_segments_in_ring(log, k, segments);
		for (i = 0; i < nr; i++) {
			seg = segments[i];
			ssds |= BIT(seg->ssd);
			seg->ended = atomic64_read(&seg->seq);
		}
	}
	return ssds;
}

/* A flush of these SSDs has succeeded: what had ended before is durable. */
static void note_flushed(struct ssdup_log *log, u32 ssds)
{
	struct ssdup_segment **segments = log->committer->segment, *seg;
	struct ssdup_class *k;
	u32 i, nr;

	for (k = log->class; k < class_end(log); k++) {
		nr = ssdup_segments_in_ring(log, k, segments);
		for (i = 0; i < nr; i++) {
			seg = segments[i];
			if (ssds & BIT(seg->ssd))
				WRITE_ONCE(seg->durable, seg->ended);
		}
	}
}

/* Is no write with FUA a flush? */
static bool no_flushes(const struct ssdup *c)
{
	u32 i;

	for (i = 0; i < c->nr_ssds; i++)
		if (!ssdup_fua_is_no_flush(&c->ssd[i]))
			return false;
	return true;
}

/* Flush the data beside the headers, then write the pages that refer to both. */
static bool send_round(struct ssdup_log *log)
{
	struct ssdup_committer *committer = log->committer;
	/* If a header may be a flush that fails, ours might succeed on an empty cache. */
	bool beside = no_flushes(log->c), ok;
	u32 ssds, failed;

	ssdup_step(log->c, STEP_COMMIT_FLUSH);
	ssds = note_writes(log);
	if (beside)
		batch_send(log, &committer->headers, STEP_COMMIT_HEADER);
	failed = ssdup_meta_flush(log, ssds);
	/* All that use the SSD are to be told of a flush that failed: no time for retries. */
	ok = !beside || batch_wait(log, &committer->headers, !failed);
	note_flushed(log, ssds & ~failed & ~ssdup_ssds_in_doubt(log));
	if (failed || ssdup_in_doubt(log))
		return false;
	if (!beside) {
		batch_send(log, &committer->headers, STEP_COMMIT_HEADER);
		ok = batch_wait(log, &committer->headers, true);
	}
	if (!ok)
		return false;
	ssdup_step(log->c, STEP_COMMIT_FLUSHED);
	batch_send(log, &committer->pages, STEP_COMMIT_PAGE);
	ssdup_step(log->c, STEP_COMMIT_SENT);
	ok = batch_wait(log, &committer->pages, true);
	ssdup_step(log->c, STEP_COMMIT_DONE);
	return ok;
}

static int write_round(struct ssdup_log *log)
{
	struct ssdup_committer *committer = log->committer;
	bool ok = !ssdup_meta_begin(log) && send_round(log);
	u32 i;

	ssdup_meta_wrote(log, committer->headers.nr + committer->pages.nr);
	ssdup_meta_end(log);
	for (i = 0; i < committer->headers.nr && ok; i++)
		committer->headers.write[i].segment->header = true;
	for (i = 0; i < committer->pages.nr && ok; i++) {
		committer->pages.write[i].p->rev++;
		committer->pages.write[i].p->durable = committer->pages.write[i].resolved;
	}
	batch_free(&committer->headers);
	batch_free(&committer->pages);
	if (!ok) {
		stat_inc(log->c, STAT_SSD_ERRORS);
		ssdup_fail(log->c, MODE_LOG_READ_ONLY, "a metadata write to the SSD failed");
		return -EIO;
	}
	stat_add(log->c, STAT_PAGES, committer->pages.nr);
	return 0;
}

/* How many entries page @page of @seg will have in the end; 0 if more may be handed out. */
static u32 page_target(struct ssdup_segment *seg, u32 page)
{
	u64 word = atomic64_read(&seg->word);
	u32 left = log_word_entries(word) - page * SSDUP_PAGE_ENTRIES;

	if (left >= SSDUP_PAGE_ENTRIES)
		return SSDUP_PAGE_ENTRIES;
	return word & LOG_WORD_SEALED ? left : 0;
}

/* Remove durable and complete pages from the ring, from its tail on. */
static void retire_pages(struct ssdup_log *log, struct ssdup_class *k)
{
	struct ssdup_segment **segments = log->committer->segment, *seg;
	u32 i, nr = ssdup_segments_in_ring(log, k, segments);
	struct ring_page *p;

	for (i = 0; i < nr; i++) {
		seg = segments[i];
		while (seg->pages_done < segment_pages(seg)) {
			p = ssdup_ring_page(seg, seg->pages_done);
			if (!p->durable || p->durable != page_target(seg, seg->pages_done))
				return;
			memset(p, 0, sizeof(*p));
			seg->pages_done++;
			WRITE_ONCE(k->ring_full, false);
			/* Pairs with the acquire in ssdup_find_place(). */
			smp_store_release(&k->ring_tail, seg->base + seg->pages_done);
		}
		/* An open segment gets more pages; a later one may have some already. */
		if (!(atomic64_read(&seg->word) & LOG_WORD_SEALED) ||
		    seg->pages_done < segment_pages(seg))
			return;
		ssdup_left_ring(log, seg);
	}
}

static bool page_dirty(const struct ring_page *p)
{
	return atomic_read(&p->resolved) != p->durable;
}

/* Where the last dirty page of a segment ends; pages_done if there is none. */
static u32 dirty_end(struct ssdup_segment *seg)
{
	u32 end = segment_pages(seg);

	while (end > seg->pages_done && !page_dirty(ssdup_ring_page(seg, end - 1)))
		end--;
	return end;
}

/* What a commit that begins now has to write of a class. */
static struct commit_span dirty_span(struct ssdup_log *log, struct ssdup_class *k)
{
	struct ssdup_segment **segments = log->committer->segment, *seg;
	u32 nr = ssdup_segments_in_ring(log, k, segments), end;

	while (nr) {
		seg = segments[--nr];
		end = dirty_end(seg);
		if (end > seg->pages_done)
			return (struct commit_span){ .end = seg->base + end };
	}
	return (struct commit_span){ };
}

/* Take pages of @seg, as many as a round can hold. Return: false: there may be more. */
static bool collect_segment(struct ssdup_log *log, struct ssdup_segment *seg,
			    struct commit_span *span)
{
	struct commit_batch *pages = &log->committer->pages;
	u64 end = min(span->end, seg->base + segment_pages(seg));
	u32 page, resolved, before = pages->nr;
	struct ring_page *p;

	span->next = max(span->next, seg->base + seg->pages_done);
	for (; span->next < end; span->next++) {
		page = span->next - seg->base;
		p = ssdup_ring_page(seg, page);
		resolved = atomic_read(&p->resolved);
		/* Pairs with the atomic_inc_return() in ssdup_resolve(). */
		smp_rmb();
		if (resolved == p->durable && p->rev)
			continue;
		if (pages->nr == LOG_COMMIT_PAGES)
			return false;
		if (pages->nr == before && !seg->header)
			add_header(log, seg);
		add_page(log, seg, page, resolved);
	}
	return true;
}

/*
 * Take dirty pages of a class in the order of its ring. In front of a dirty page, those that were
 * never written are taken too, because a replay stops at a gap. Return: false: there may be more.
 */
static bool collect_class(struct ssdup_log *log, struct ssdup_class *k)
{
	struct commit_span *span = &log->committer->span[k->index];
	struct ssdup_segment **segments = log->committer->segment;
	u32 i, nr;

	if (span->next >= span->end)
		return true;
	nr = ssdup_segments_in_ring(log, k, segments);
	for (i = 0; i < nr; i++)
		if (!collect_segment(log, segments[i], span))
			return false;
	return true;
}

/* The same of all classes: another one comes first each time. */
static bool collect_round(struct ssdup_log *log)
{
	u32 i, first = log->committer->first;

	log->committer->first = (first + 1) % log->nr_classes;
	for (i = 0; i < log->nr_classes; i++)
		if (!collect_class(log, &log->class[(first + i) % log->nr_classes]))
			return false;
	return true;
}

/* It changes when pages leave a ring. */
static u64 ring_tails(struct ssdup_log *log)
{
	struct ssdup_class *k;
	u64 sum = 0;

	for (k = log->class; k < class_end(log); k++)
		sum += k->ring_tail;
	return sum;
}

static void end_fuas(struct ssdup_log *log, struct bio_list *bios, int error)
{
	if (bio_list_empty(bios))
		return;
	ssdup_step(log->c, STEP_FLUSH_END);
	bio_queue_end(&log->fuas, bios, error ? BLK_STS_IOERR : BLK_STS_OK);
}

/* Retire what is complete, also if nothing was written: a segment may have been sealed since. */
static void retire_all(struct ssdup_log *log)
{
	u64 before = ring_tails(log);
	struct ssdup_class *k;

	for (k = log->class; k < class_end(log); k++)
		retire_pages(log, k);
	/* Now, and not when the commit has ended: there is room in a ring. */
	if (ring_tails(log) != before)
		ssdup_kick_waiting(log->c);
}

int ssdup_commit(struct ssdup_log *log)
{
	struct ssdup_committer *committer = log->committer;
	struct ssdup_class *k;
	struct bio_list fuas;
	bool all;
	int r = 0;

	mutex_lock(&committer->lock);
	/* Before the dirty pages are found, so that the commit contains their entries. */
	fuas = bio_queue_take(&log->fuas);
	for (k = log->class; k < class_end(log); k++)
		committer->span[k->index] = dirty_span(log, k);
	do {
		batch_reset(&committer->headers);
		batch_reset(&committer->pages);
		all = collect_round(log);
		if (committer->pages.nr) {
			/* Before the log has a durable page, see core/guard.h. */
			ssdup_guard_set(log, true, false);
			r = write_round(log);
			stat_inc(log->c, STAT_COMMITS);
		}
		retire_all(log);
	} while (!r && !all);
	mutex_unlock(&committer->lock);
	end_fuas(log, &fuas, r);
	return r;
}

int ssdup_commit_data(struct ssdup_log *log)
{
	mutex_lock(&log->committer->lock);
	note_writes(log);
	note_flushed(log, ssdup_flush_rest(log));
	mutex_unlock(&log->committer->lock);
	return ssdup_in_doubt(log) ? -EIO : 0;
}

void ssdup_commit_lock(struct ssdup_log *log)
{
	mutex_lock(&log->committer->lock);
}

void ssdup_commit_unlock(struct ssdup_log *log)
{
	mutex_unlock(&log->committer->lock);
}

/* Of a segment with pages in the ring: the last one is written while it still gets entries. */
static bool page_written(struct ssdup_segment *seg)
{
	u32 page;

	for (page = seg->pages_done; page < segment_pages(seg); page++)
		if (ssdup_ring_page(seg, page)->rev)
			return true;
	return false;
}

/* Has a live segment a page that is durable? */
static bool pages_durable(struct ssdup_log *log)
{
	struct ssdup_segment **segments = log->committer->segment, *seg;
	struct ssdup_class *k;
	u32 i, nr;

	for (i = 0; i < log->g.nr_segments; i++) {
		seg = &log->segment[i];
		if (seg->state != SEGMENT_FREE && seg->state <= SEGMENT_WRITTEN_BACK &&
		    seg->pages_done)
			return true;
	}
	for (k = log->class; k < class_end(log); k++) {
		nr = ssdup_segments_in_ring(log, k, segments);
		for (i = 0; i < nr; i++)
			if (page_written(segments[i]))
				return true;
	}
	return false;
}

int ssdup_settle_guard(struct ssdup_log *log)
{
	int r;

	mutex_lock(&log->committer->lock);
	r = ssdup_guard_set(log, pages_durable(log), true);
	mutex_unlock(&log->committer->lock);
	return r;
}

static void close_guard_work(struct work_struct *work)
{
	struct ssdup *c = container_of(work, struct ssdup, wake.guard_work);

	mutex_lock(&c->log->committer->lock);
	ssdup_guard_set(c->log, true, false);
	mutex_unlock(&c->log->committer->lock);
}

void ssdup_autocommit_work(struct work_struct *work)
{
	struct ssdup *c = container_of(to_delayed_work(work), struct ssdup, wake.autocommit);

	WRITE_ONCE(c->wake.autocommit_armed, false);
	/*
	 * The commit sees entries published before this; later ones arm it again.
	 * Pairs with the atomic_inc_return() in ssdup_resolve().
	 */
	smp_mb();
	ssdup_commit(c->log);
	/* The open segment is not empty: the thread drains it when the device is idle. */
	ssdup_kick_writeback(c);
}

void ssdup_fua_work(struct work_struct *work)
{
	struct ssdup_log *log = container_of(work, struct ssdup_log, fuas.work);

	/* Another commit may have ended them. */
	if (atomic_read(&log->fuas.nr))
		ssdup_commit(log);
}

/* --- Life --- */

static int batch_create(struct ssdup_log *log, struct commit_batch *batch)
{
	u32 i;

	init_completion(&batch->done);
	for (i = 0; i < LOG_COMMIT_PAGES; i++) {
		batch->write[i].batch = batch;
		batch->write[i].buf = alloc_page(GFP_KERNEL);
		if (!batch->write[i].buf)
			return -ENOMEM;
	}
	return 0;
}

static void batch_destroy(struct commit_batch *batch)
{
	u32 i;

	for (i = 0; i < LOG_COMMIT_PAGES; i++)
		if (batch->write[i].buf)
			__free_page(batch->write[i].buf);
}

int ssdup_commit_create(struct ssdup_log *log)
{
	struct ssdup_committer *committer;
	struct ssdup_class *k;

	committer = kvzalloc(sizeof(*committer), GFP_KERNEL);
	log->committer = committer;
	if (!committer)
		return -ENOMEM;
	for (k = log->class; k < class_end(log); k++) {
		k->ring = kvcalloc(SSDUP_RING, sizeof(*k->ring), GFP_KERNEL);
		if (!k->ring)
			return -ENOMEM;
	}
	mutex_init(&committer->lock);
	INIT_DELAYED_WORK(&log->c->wake.autocommit, ssdup_autocommit_work);
	INIT_WORK(&log->c->wake.guard_work, close_guard_work);
	bio_queue_init(&log->fuas, ssdup_fua_work);
	return batch_create(log, &committer->headers) ?: batch_create(log, &committer->pages);
}

void ssdup_commit_destroy(struct ssdup_log *log)
{
	struct ssdup_committer *committer = log->committer;
	u32 i;

	if (committer) {
		batch_destroy(&committer->headers);
		batch_destroy(&committer->pages);
	}
	kvfree(committer);
	for (i = 0; i < SSDUP_MAX_CLASSES; i++)
		kvfree(log->class[i].ring);
}
