// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: from published entries to durable pages.
 *
 * A commit goes through the ring of each class from its tail and writes every page that has more
 * resolved entries than its last durable version. It does so in rounds of a few pages, see round.h.
 * An entry is published after its data was written, so a flush before the pages makes the data
 * durable first.
 *
 * Before that it waits for what was staged when it began, see staging.h: that has ended, too.
 *
 * A commit ends with the pages that were dirty when it began: what writers publish meanwhile is for
 * the next one. So it has at most the pages of all rings to write, and no class keeps up another's.
 *
 * An SSD that fails in a round takes no more writes, see log.h, but its data that is not durable
 * can still be read and drained. The commit goes on without it.
 *
 * A FUA write to the log needs only a commit, and waits for the HDD only when that closes its
 * guard. Each commit ends the FUA writes that were queued when it began.
 */
#include "base/failure.h"
#include "base/owed_errors.h"
#include "base/wakeups.h"
#include "guard.h"
#include "log_internal.h"
#include "reserve.h"
#include "round.h"
#include "staging.h"

/* The pages of a class that a commit has yet to look at, by their ring numbers. */
struct commit_span {
	u64			next;		/* or a later one, if that has left the ring */
	u64			end;		/* behind the last that was dirty at first */
};

struct ssdup_committer {
	struct mutex		lock;		/* one commit at a time */
	struct commit_round	round;
	struct commit_span	span[SSDUP_MAX_CLASSES];
	u32			first;		/* class with which the next round begins */
};

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
	struct ssdup_segment **segments = log->committer->round.segment, *seg;
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
	struct ssdup_segment **segments = log->committer->round.segment, *seg;
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
	u64 end = min(span->end, seg->base + segment_pages(seg));
	u32 page, resolved;
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
		if (!ssdup_round_add(log, &log->committer->round, seg, page, resolved))
			return false;
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
	struct ssdup_segment **segments = log->committer->round.segment;
	u32 i, nr;

	if (span->next >= span->end || log->c->ssd[k->ssd].no_commits)
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

	log->committer->first = (first + 1) % log->classes.nr;
	for (i = 0; i < log->classes.nr; i++)
		if (!collect_class(log, &log->class[(first + i) % log->classes.nr]))
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

/* Those to an SSD that takes no pages any more have failed. */
static void end_fuas(struct ssdup_log *log, struct bio_list *bios)
{
	struct bio_list failed = BIO_EMPTY_LIST, good = BIO_EMPTY_LIST;
	const struct ssdup_io *io;
	struct bio *bio;

	if (bio_list_empty(bios))
		return;
	ssdup_step(log->c, STEP_FLUSH_END);
	while ((bio = bio_list_pop(bios))) {
		io = dm_per_bio_data(bio, sizeof(*io));
		bio_list_add(ssd_of(log, io->segment)->no_commits ? &failed : &good, bio);
	}
	bio_queue_end(&log->fuas, &failed, BLK_STS_IOERR);
	bio_queue_end(&log->fuas, &good, BLK_STS_OK);
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

/*
 * Entries of a class on an SSD that takes no pages any more. Return: does a commit fail for them?
 *
 * Until they were tried to be drained. Then what could be saved is on the HDD: somebody is told
 * once more that the rest is not durable, and FLUSHes of what others write succeed.
 */
static bool fails_for(struct ssdup_log *log, struct ssdup_class *k)
{
	if (ssdup_mode(log->c) != MODE_RUNNING || !READ_ONCE(k->kept))
		return true;
	if (k->told)
		return false;
	k->told = true;
	ssdup_owe(&log->c->debt);
	return true;
}

/* An SSD may have failed at any time: whatever was not written counts. */
static bool anything_left(struct ssdup_log *log)
{
	struct ssdup_class *k;
	bool left = false;

	for (k = log->class; k < class_end(log); k++)
		if ((READ_ONCE(log->c->ssd[k->ssd].no_commits) && dirty_span(log, k).end) ||
		    ssdup_stage_strands(log, k))
			left |= fails_for(log, k);
	return left;
}

static void dirty_spans(struct ssdup_log *log)
{
	struct ssdup_class *k;

	for (k = log->class; k < class_end(log); k++)
		log->committer->span[k->index] = dirty_span(log, k);
}

/* Write the pages that are dirty now. */
static void commit_pages(struct ssdup_log *log)
{
	struct ssdup_committer *committer = log->committer;
	bool all;
	int r;

	dirty_spans(log);
	do {
		r = 0;
		ssdup_round_begin(&committer->round);
		all = collect_round(log);
		if (committer->round.pages.nr) {
			/* Before the log has a durable page, see core/guard_block.h. */
			ssdup_guard_set(log, true, false);
			r = ssdup_round_write(log, &committer->round);
			stat_inc(log->c, STAT_COMMITS);
		}
		retire_all(log);
		/* An SSD has failed, and the others' pages may not have been written. */
		if (r)
			dirty_spans(log);
	} while ((r || !all) && ssds_commit(log));
}

int ssdup_commit(struct ssdup_log *log)
{
	struct bio_list fuas;
	bool left;

	ssdup_stage_settle(log);
	mutex_lock(&log->committer->lock);
	/* Before the dirty pages are found, so that the commit contains their entries. */
	fuas = bio_queue_take(&log->fuas);
	/* What the SSD has refused may need room, or may have been replaced by what is staged. */
	while (!ssdup_stage_again(log)) {
		commit_pages(log);
		schedule_timeout_uninterruptible(1);
		ssdup_stage_settle(log);
	}
	commit_pages(log);
	left = anything_left(log);
	mutex_unlock(&log->committer->lock);
	end_fuas(log, &fuas);
	return left ? -EIO : 0;
}

bool ssdup_committed(struct ssdup_log *log, struct ssdup_class *k)
{
	bool all;

	mutex_lock(&log->committer->lock);
	all = !(log->c->ssd[k->ssd].no_commits && dirty_span(log, k).end) &&
	      !ssdup_stage_strands(log, k);
	mutex_unlock(&log->committer->lock);
	return all;
}

int ssdup_commit_data(struct ssdup_log *log)
{
	mutex_lock(&log->committer->lock);
	ssdup_round_flush(log, &log->committer->round);
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
	struct ssdup_segment **segments = log->committer->round.segment, *seg;
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

/* After the autocommit time, or when the ring is full. */
static void autocommit_work(struct work_struct *work)
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

/* Commit, then end the FUA writes that wait. */
static void fua_work(struct work_struct *work)
{
	struct ssdup_log *log = container_of(work, struct ssdup_log, fuas.work);

	/* Another commit may have ended them. */
	if (atomic_read(&log->fuas.nr))
		ssdup_commit(log);
}

/* --- Life --- */

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
	INIT_DELAYED_WORK(&log->c->wake.autocommit, autocommit_work);
	INIT_WORK(&log->c->wake.guard_work, close_guard_work);
	bio_queue_init(&log->fuas, fua_work);
	return ssdup_round_create(&committer->round);
}

void ssdup_commit_destroy(struct ssdup_log *log)
{
	struct ssdup_committer *committer = log->committer;
	u32 i;

	if (committer)
		ssdup_round_destroy(&committer->round);
	kvfree(committer);
	for (i = 0; i < SSDUP_MAX_CLASSES; i++)
		kvfree(log->class[i].ring);
}
