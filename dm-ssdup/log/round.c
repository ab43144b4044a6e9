// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: a round of a commit.
 *
 * The flush is a bio of its own, because a dm device below would drop the error of a PREFLUSH that
 * comes with data. The headers of segments that were opened since are written beside it; or behind
 * it, if a write with FUA may flush, too.
 *
 * A durable version of a page is never overwritten: revision R goes to slot R & 1, and R
 * grows only after a write has succeeded.
 */
#include "base/hints.h"
#include "core/retry.h"
#include "reserve.h"
#include "round.h"
#include "staging.h"
#include "super.h"

static void commit_end_io(struct bio *bio)
{
	struct commit_write *w = bio->bi_private;
	struct commit_batch *batch = w->batch;

	drive_ended(&w->ssd->user, bio->bi_status);
	if (atomic_dec_and_test(&batch->pending))
		complete(&batch->done);
}

static void batch_reset(struct commit_batch *batch)
{
	batch->nr = 0;
	reinit_completion(&batch->done);
}

static struct commit_write *batch_add(struct ssdup_log *log, struct commit_batch *batch,
				      struct ssdup_segment *seg, u64 pos)
{
	struct commit_write *w = &batch->write[batch->nr++];

	w->segment = seg;
	w->written = false;
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
		drive_submit(&batch->write[i].ssd->user, batch->write[i].bio);
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
	for (i = 0; i < batch->nr; i++) {
		w = &batch->write[i];
		r = blk_status_to_errno(w->bio->bi_status);
		if (retry)
			r = ssdup_meta_again(log, r, w->ssd, w->sector, w->buf, end);
		if (r)
			ssdup_meta_failed(w->ssd, false, "a metadata write to the SSD failed");
		w->written = !r;
		ok &= !r;
	}
	return ok;
}

static void batch_free(struct commit_batch *batch)
{
	u32 i;

	for (i = 0; i < batch->nr; i++)
		bio_put(batch->write[i].bio);
}

static void add_header(struct ssdup_log *log, struct commit_round *round, struct ssdup_segment *seg)
{
	struct log_header header = {
		.generation = seg->generation,
		.epoch = ssdup_super(log)->epoch,
		.segment = seg->index,
	};
	struct commit_write *w = batch_add(log, &round->headers, seg,
					   log_segment_sector(&log->g, seg->index));

	ssdup_log_header_encode(ssdup_super(log), &header, page_address(w->buf));
}

/* Copy the published entries of a page. One published meanwhile may be missing. */
static void add_page(struct ssdup_log *log, struct commit_round *round, struct ssdup_segment *seg,
		     u32 page, u32 resolved)
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
	struct commit_write *w = batch_add(log, &round->pages, seg, pos);
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

bool ssdup_round_add(struct ssdup_log *log, struct commit_round *round, struct ssdup_segment *seg,
		     u32 page, u32 resolved)
{
	u32 nr = round->headers.nr;

	if (round->pages.nr == LOG_COMMIT_PAGES)
		return false;
	if (!seg->header && (!nr || round->headers.write[nr - 1].segment != seg))
		add_header(log, round, seg);
	add_page(log, round, seg, page, resolved);
	return true;
}

void ssdup_round_begin(struct commit_round *round)
{
	batch_reset(&round->headers);
	batch_reset(&round->pages);
}

/*
 * Before a flush, and behind the last look at the pages that it is for: note which writes have
 * ended. Return: the SSDs that have them.
 */
static u32 note_writes(struct ssdup_log *log, struct commit_round *round)
{
	struct ssdup_segment **segments = round->segment, *seg;
	u32 i, nr, ssds = 0;
	struct ssdup_class *k;

	for (k = log->class; k < class_end(log); k++) {
		nr = ssdup_segments_in_ring(log, k, segments);
		for (i = 0; i < nr; i++) {
			seg = segments[i];
			ssds |= BIT(seg->ssd);
			seg->ended = ssdup_stage_bound(log, k, atomic64_read(&seg->seq));
			seg->ended = max(seg->ended, seg->generation << SSDUP_SEQ_BITS);
		}
	}
	return ssds;
}

/* A flush of these SSDs has succeeded: what had ended before is durable. */
static void note_flushed(struct ssdup_log *log, struct commit_round *round, u32 ssds)
{
	struct ssdup_segment **segments = round->segment, *seg;
	struct ssdup_class *k;
	u32 i, nr;

	for (k = log->class; k < class_end(log); k++) {
		nr = ssdup_segments_in_ring(log, k, segments);
		for (i = 0; i < nr; i++) {
			seg = segments[i];
			/* It may be noted once more, and be bounded by what was staged since. */
			if (ssds & BIT(seg->ssd) && seg->ended > seg->durable)
				WRITE_ONCE(seg->durable, seg->ended);
		}
	}
}

/* Is no write with FUA a flush? */
static bool no_flushes(struct ssdup *c)
{
	struct ssdup_ssd *ssd;

	for (ssd = first_ssd(c); ssd; ssd = next_ssd(c, ssd))
		if (!ssdup_fua_is_no_flush(ssd))
			return false;
	return true;
}

static u32 batch_ssds(const struct commit_batch *batch)
{
	u32 i, ssds = 0;

	for (i = 0; i < batch->nr; i++)
		ssds |= BIT(batch->write[i].segment->ssd);
	return ssds;
}

/*
 * Flush the data beside the headers, then write the pages that refer to both. After an error, what
 * was not written and is not on the SSD that failed is for another round.
 */
static bool send_round(struct ssdup_log *log, struct commit_round *round)
{
	/* If a header may be a flush that fails, ours might succeed on an empty cache. */
	bool beside = no_flushes(log->c), ok;
	u32 ssds, failed;

	/* One may have failed for another log since the pages were collected. */
	if (batch_ssds(&round->pages) & ~ssds_commit(log))
		return false;
	ssdup_step(log->c, STEP_COMMIT_FLUSH);
	ssds = note_writes(log, round) & ssds_commit(log);
	if (beside)
		batch_send(log, &round->headers, STEP_COMMIT_HEADER);
	failed = ssdup_meta_flush(log, ssds);
	/* All that use the SSD are to be told of a flush that failed: no time for retries. */
	ok = !beside || batch_wait(log, &round->headers, !failed);
	note_flushed(log, round, ssds & ~failed & ~ssdup_ssds_in_doubt(log));
	if (failed)
		return false;
	if (!beside) {
		batch_send(log, &round->headers, STEP_COMMIT_HEADER);
		ok = batch_wait(log, &round->headers, true);
	}
	if (!ok)
		return false;
	ssdup_step(log->c, STEP_COMMIT_FLUSHED);
	batch_send(log, &round->pages, STEP_COMMIT_PAGE);
	ssdup_step(log->c, STEP_COMMIT_SENT);
	ok = batch_wait(log, &round->pages, true);
	ssdup_step(log->c, STEP_COMMIT_DONE);
	return ok;
}

int ssdup_round_write(struct ssdup_log *log, struct commit_round *round)
{
	bool ok = !ssdup_meta_begin(log) && send_round(log, round);
	const struct commit_write *w;
	u32 i;

	ssdup_meta_wrote(log, round->headers.nr + round->pages.nr);
	ssdup_meta_end(log);
	for (i = 0; i < round->headers.nr; i++)
		if (round->headers.write[i].written)
			round->headers.write[i].segment->header = true;
	for (i = 0; i < round->pages.nr; i++) {
		w = &round->pages.write[i];
		if (!w->written)
			continue;
		w->p->rev++;
		w->p->durable = w->resolved;
	}
	batch_free(&round->headers);
	batch_free(&round->pages);
	if (!ok) {
		stat_inc(log->c, STAT_SSD_ERRORS);
		return -EIO;
	}
	return 0;
}

void ssdup_round_flush(struct ssdup_log *log, struct commit_round *round)
{
	note_writes(log, round);
	note_flushed(log, round, ssdup_flush_rest(log));
}

/* --- Life --- */

static int batch_create(struct commit_batch *batch)
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

int ssdup_round_create(struct commit_round *round)
{
	return batch_create(&round->headers) ?: batch_create(&round->pages);
}

void ssdup_round_destroy(struct commit_round *round)
{
	batch_destroy(&round->headers);
	batch_destroy(&round->pages);
}
