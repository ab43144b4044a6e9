// SPDX-License-Identifier: GPL-2.0-only
/*
 * Owns the buffers of the stage: which one is open, and what becomes of a buffer.
 *
 * A work item sends them, so that what others have written is not charged to the task that fills a
 * buffer. Who waits for the stage sends them, too: the work may have to wait for him.
 */
#include <linux/slab.h>

#include "base/hints.h"
#include "base/wakeups.h"
#include "core/retry.h"
#include "log_internal.h"
#include "reserve.h"
#include "staging.h"

/* --- Memory --- */

void ssdup_stage_copy(struct stage_buffer *b, u32 at, void *data, u32 bytes, bool write)
{
	u32 len;
	char *p;

	for (; bytes; bytes -= len, at += len, data += len) {
		len = min_t(u32, bytes, PAGE_SIZE - offset_in_page(at));
		p = page_address(b->page[at >> PAGE_SHIFT]) + offset_in_page(at);
		if (write)
			memcpy(p, data, len);
		else
			memcpy(data, p, len);
	}
}

static void copy_bio(struct stage_buffer *b, u32 at, struct bio *bio, bool write)
{
	struct bvec_iter iter;
	struct bio_vec bv;
	void *data;

	bio_for_each_segment(bv, bio, iter) {
		data = bvec_kmap_local(&bv);
		ssdup_stage_copy(b, at, data, bv.bv_len, write);
		kunmap_local(data);
		if (!write)
			flush_dcache_page(bv.bv_page);
		at += bv.bv_len;
	}
}

/* --- References --- */

/* All of it is on the SSD, or has another place, and nobody reads it. */
void ssdup_stage_put_ref(struct stage_buffer *b)
{
	if (!atomic_dec_and_test(&b->refs))
		return;
	memset(b->span, 0, sizeof(b->span));
	set_state(b, BUFFER_FREE);
}

static void put_writer(struct stage_buffer *b)
{
	if (!atomic_dec_and_test(&b->writers))
		return;
	set_state(b, BUFFER_READY);
	ssdup_stage_soon(b->log->c, true);
	ssdup_settled(b->log->c);
}

/* --- Room --- */

void ssdup_stage_awaited(struct ssdup_log *log)
{
	unsigned long now = jiffies, again = msecs_to_jiffies(STAGE_REST_MS);
	struct ssdup_stage *stage = log->stage;

	if (time_before(now, READ_ONCE(stage->awaited) + again))
		WRITE_ONCE(stage->rest_until, now + again);
	WRITE_ONCE(stage->awaited, now);
}

/* Close the open buffer; the lock is held. Return: it, and put_writer() comes; or NULL. */
static struct stage_buffer *close_open(struct ssdup_stage *stage)
{
	struct stage_buffer *b = stage->open;

	lockdep_assert_held(&stage->lock);
	WRITE_ONCE(stage->open, NULL);
	if (b)
		atomic_or(STAGE_CLOSED, &b->word);
	return b;
}

/* The last seq of a class, or less. */
static u64 last_seq(const struct ssdup_log *log, const struct ssdup_class *k)
{
	u64 seq = atomic64_read(&READ_ONCE(k->open)->seq);

	/* The segment may have been freed, and be another's. */
	return log_class(&log->classes, seq >> SSDUP_SEQ_BITS) == k->index ? seq : 0;
}

static void open_buffer(struct ssdup_log *log, struct stage_buffer *b)
{
	struct ssdup_stage *stage = log->stage;
	const struct ssdup_class *k;

	lockdep_assert_held(&stage->lock);
	WRITE_ONCE(b->turn, ++stage->turn);
	b->opened = jiffies;
	b->refused = false;
	b->failed = NULL;
	for (k = log->class; k < class_end(log); k++)
		WRITE_ONCE(b->since[k->index], last_seq(log, k));
	atomic_set(&b->word, 0);
	set_state(b, BUFFER_OPEN);
	/* Behind all that: who gets one of these, or finds it open, sees it. */
	smp_wmb();
	atomic_set(&b->refs, 1);
	atomic_set(&b->writers, 1);
	/* Pairs with the acquire in ssdup_stage_take(). */
	smp_store_release(&stage->open, b);
}

/* Return: false when it is closed, or has no room. */
static bool take_from(struct stage_buffer *b, u32 sectors, struct stage_room *room)
{
	int word;
	u32 next;

	/* It may be closed and sent meanwhile, and even be open again. */
	if (!atomic_inc_not_zero(&b->writers))
		return false;
	word = atomic_read(&b->word);
	do {
		if (unlikely(!stage_take(word, sectors, &next))) {
			put_writer(b);
			return false;
		}
	} while (!atomic_try_cmpxchg(&b->word, &word, next));
	room->buffer = b;
	room->nr = stage_records(word);
	room->at = stage_sectors(word);
	return true;
}

/* Close @full, unless it was closed meanwhile. */
static noinline void close_full(struct ssdup_stage *stage, struct stage_buffer *full)
{
	struct stage_buffer *closed = NULL;
	unsigned long flags;

	spin_lock_irqsave(&stage->lock, flags);
	if (stage->open == full)
		closed = close_open(stage);
	spin_unlock_irqrestore(&stage->lock, flags);
	if (closed)
		put_writer(closed);
}

/* Open one that is free, unless one is open. Return: is one open? */
static noinline bool open_next(struct ssdup_log *log)
{
	struct ssdup_stage *stage = log->stage;
	struct stage_buffer *b;
	unsigned long flags;

	spin_lock_irqsave(&stage->lock, flags);
	for (b = stage->buffer; !stage->open && b < stage_end(stage); b++)
		if (state_of(b) == BUFFER_FREE)
			open_buffer(log, b);
	b = stage->open;
	spin_unlock_irqrestore(&stage->lock, flags);
	if (b)
		ssdup_stage_soon(log->c, false);
	return b;
}

bool ssdup_stage_take(struct ssdup_log *log, u32 sectors, struct stage_room *room)
{
	struct stage_buffer *b;

	do {
		/* Pairs with the release in open_buffer(). */
		b = smp_load_acquire(&log->stage->open);
		if (likely(b) && take_from(b, sectors, room))
			return true;
		if (b)
			close_full(log->stage, b);
	} while (open_next(log));
	return false;
}

void ssdup_stage_fill(const struct stage_room *room, const struct ssdup_io *io, u64 pos,
		      struct bio *bio)
{
	struct stage_buffer *b = room->buffer;

	b->record[room->nr] = (struct stage_record){
		.segment = io->segment, .page = io->page, .slot = io->slot, .start = io->start,
	};
	copy_bio(b, room->at << SECTOR_SHIFT, bio, true);
	/* Before its extent has a seq, and before the segment has one write less. */
	atomic_inc(&io->segment->staged);
	b->span[room->nr].pos = pos;
	b->span[room->nr].at = room->at;
	/* Pairs with the acquire in ssdup_stage_find(). */
	smp_store_release(&b->span[room->nr].sectors, io->sectors);
}

void ssdup_stage_leave(struct ssdup_log *log, struct ssdup_segment *seg, int sub)
{
	int left = atomic_sub_return(sub, &seg->staged);

	/* Fully ordered, as in ssdup_put_write(). */
	if (!(left & (STAGE_STRANDED_ONE - 1)) && atomic64_read(&seg->word) & LOG_WORD_SEALED)
		ssdup_last_write(log);
}

void ssdup_stage_empty(const struct stage_room *room)
{
	struct stage_buffer *b = room->buffer;

	WRITE_ONCE(b->span[room->nr].sectors, 0);
	ssdup_stage_leave(b->log, b->record[room->nr].segment, 1);
}

void ssdup_stage_put(const struct stage_room *room)
{
	struct stage_buffer *b = room->buffer;
	u32 word = atomic_read(&b->word);

	/* Nobody else may come for long. */
	if (stage_sectors(word) == STAGE_SECTORS || stage_records(word) == STAGE_RECORDS)
		close_full(b->log->stage, b);
	put_writer(b);
}

/* --- Readers --- */

bool ssdup_stage_get(struct ssdup_log *log, u64 pos, struct stage_room *room)
{
	struct ssdup_stage *stage = log->stage;
	struct stage_buffer *b;
	u32 nr, found;

	for (b = stage->buffer; b < stage_end(stage); b++) {
		if (!atomic_inc_not_zero(&b->refs))
			continue;
		nr = stage_records(atomic_read(&b->word));
		found = ssdup_stage_find(b->span, nr, pos);
		if (found < nr) {
			*room = (struct stage_room){ b, found, b->span[found].at };
			return true;
		}
		ssdup_stage_put_ref(b);
	}
	return false;
}

void ssdup_stage_put_read(const struct stage_room *room)
{
	ssdup_stage_put_ref(room->buffer);
}

bool ssdup_stage_has(struct ssdup_log *log, u64 pos)
{
	struct stage_room room;

	if (!ssdup_stage_get(log, pos, &room))
		return false;
	ssdup_stage_put_read(&room);
	return true;
}

void ssdup_stage_read(const struct stage_room *room, u64 pos, struct bio *bio)
{
	u32 skip = pos - room->buffer->span[room->nr].pos;

	copy_bio(room->buffer, (room->at + skip) << SECTOR_SHIFT, bio, false);
}

/* --- To the SSD --- */

void ssdup_stage_publish(struct stage_buffer *b, u32 nr)
{
	const struct stage_record *r = &b->record[nr];

	/* Pairs with the acquire in add_page(). */
	smp_store_release(&r->page->e[r->slot].kind, SSDUP_KIND_DATA);
	ssdup_resolve(b->log, r->segment, r->page);
}

/* Who waits for this may free all of it: he takes the lock once more. */
void ssdup_stage_finish(struct stage_buffer *b, enum buffer_state state)
{
	struct ssdup_log *log = b->log;
	unsigned long flags;

	spin_lock_irqsave(&log->stage->lock, flags);
	set_state(b, state);
	if (state == BUFFER_DONE)
		ssdup_stage_put_ref(b);
	ssdup_settled(log->c);
	spin_unlock_irqrestore(&log->stage->lock, flags);
}

/* All requests of a buffer have ended. Any context. */
static void buffer_ended(struct stage_buffer *b)
{
	u32 i, nr = stage_records(atomic_read(&b->word)), same = 0;
	struct ssdup_segment *seg = NULL;

	if (unlikely(READ_ONCE(b->refused))) {
		b->until = jiffies + msecs_to_jiffies(RETRY_AWAY_MS);
		ssdup_commit_soon(b->log->c, true);
		ssdup_stage_finish(b, BUFFER_REFUSED);
		return;
	}
	for (i = 0; i < nr; i++) {
		if (!b->span[i].sectors)
			continue;
		ssdup_stage_publish(b, i);
		/* A reader may keep the buffer until its place is another write's. */
		WRITE_ONCE(b->span[i].sectors, 0);
		if (seg && seg != b->record[i].segment) {
			ssdup_stage_leave(b->log, seg, same);
			same = 0;
		}
		seg = b->record[i].segment;
		same++;
	}
	if (seg)
		ssdup_stage_leave(b->log, seg, same);
	ssdup_stage_finish(b, BUFFER_DONE);
}

static void request_ended(struct stage_buffer *b)
{
	if (atomic_dec_and_test(&b->left))
		buffer_ended(b);
}

static void stage_end_io(struct bio *bio)
{
	struct stage_part *part = bio->bi_private;
	struct stage_buffer *b = part->buffer;

	drive_ended(&part->ssd->user, bio->bi_status);
	ssdup_load_end(ssd_load(part->ssd), LOAD_WRITES, part->sectors, part->sent,
		       bio->bi_status ? 0 : ktime_get_ns() - part->sent);
	part->status = bio->bi_status;
	if (bio->bi_status)
		WRITE_ONCE(b->failed, part);
	/* What a flush has lost since may be of this one. */
	if (bio->bi_status || READ_ONCE(part->ssd->in_doubt))
		WRITE_ONCE(b->refused, true);
	bio_put(bio);
	request_ended(b);
}

static void add_write(struct bio *bio, struct stage_buffer *b, const struct stage_span *span)
{
	u32 at = span->at << SECTOR_SHIFT, left = span->sectors << SECTOR_SHIFT, len;

	for (; left; left -= len, at += len) {
		len = min_t(u32, left, PAGE_SIZE - offset_in_page(at));
		__bio_add_page(bio, b->page[at >> PAGE_SHIFT], len, offset_in_page(at));
	}
}

/* Send @nr writes that follow on each other. */
static void send_part(struct stage_buffer *b, struct stage_part *part, const u8 *order, u32 nr)
{
	struct ssdup_segment *seg = b->record[order[0]].segment;
	const struct stage_span *first = &b->span[order[0]];
	u32 i, vecs = 0, sectors = 0;
	struct bio *bio;

	for (i = 0; i < nr; i++) {
		sectors += b->span[order[i]].sectors;
		vecs += b->span[order[i]].sectors / PAGE_SECTORS + 2;
	}
	*part = (struct stage_part){
		.buffer = b, .ssd = ssd_of(b->log, seg), .sectors = sectors, .sent = ktime_get_ns(),
	};
	bio = bio_alloc_bioset(part->ssd->user.bdev, min(vecs, STAGE_PAGES + nr),
			       REQ_OP_WRITE | REQ_SYNC | REQ_IDLE, GFP_NOIO, &b->log->c->bs);
	bio->bi_iter.bi_sector = ssd_sector(part->ssd, first->pos);
	bio->bi_end_io = stage_end_io;
	bio->bi_private = part;
	ssdup_set_stream(bio, seg->class->stream);
	for (i = 0; i < nr; i++)
		add_write(bio, b, &b->span[order[i]]);
	ssdup_load_begin(ssd_load(part->ssd), LOAD_WRITES, sectors);
	ssdup_step(b->log->c, STEP_STAGE_SEND);
	drive_submit(&part->ssd->user, bio);
}

static void send_buffer(struct stage_buffer *b)
{
	u32 i, nr, joined, parts = 0;
	u8 order[STAGE_RECORDS];
	struct blk_plug plug;

	nr = ssdup_stage_order(b->span, stage_records(atomic_read(&b->word)), order);
	atomic_set(&b->left, 1);
	blk_start_plug(&plug);
	for (i = 0; i < nr; i += joined) {
		joined = ssdup_stage_joined(b->span, order + i, nr - i);
		/* It has lost what it had, and is not read any more. */
		if (READ_ONCE(ssd_of(b->log, b->record[order[i]].segment)->in_doubt)) {
			WRITE_ONCE(b->refused, true);
			continue;
		}
		atomic_inc(&b->left);
		send_part(b, &b->part[parts++], order + i, joined);
	}
	blk_finish_plug(&plug);
	request_ended(b);
}

static void send_ready(struct ssdup_stage *stage)
{
	struct stage_buffer *b;

	for (b = stage->buffer; b < stage_end(stage); b++)
		if (state_of(b) == BUFFER_READY &&
		    cmpxchg(&b->state, BUFFER_READY, BUFFER_SENT) == BUFFER_READY)
			send_buffer(b);
}

/* Send what is full, or has waited for a tick. */
static void stage_work(struct work_struct *work)
{
	struct ssdup *c = container_of(to_delayed_work(work), struct ssdup, wake.stage_work);
	struct ssdup_stage *stage = c->log->stage;
	struct stage_buffer *b, *closed = NULL;

	spin_lock_irq(&stage->lock);
	b = stage->open;
	if (b && time_before(b->opened, jiffies))
		closed = close_open(stage);
	spin_unlock_irq(&stage->lock);
	if (closed)
		put_writer(closed);
	else if (b)
		ssdup_stage_soon(c, false);
	send_ready(stage);
}

/* --- Commits --- */

/* Is anything in the stage that was opened up to @turn, and was not refused? */
static bool is_busy(struct ssdup_stage *stage, u64 turn, bool ready)
{
	enum buffer_state state;
	struct stage_buffer *b;

	for (b = stage->buffer; b < stage_end(stage); b++) {
		state = state_of(b);
		if (state >= BUFFER_OPEN && state <= BUFFER_SENT && READ_ONCE(b->turn) <= turn &&
		    (!ready || state == BUFFER_READY))
			return true;
	}
	return false;
}

void ssdup_stage_settle(struct ssdup_log *log)
{
	struct ssdup_stage *stage = log->stage;
	struct stage_buffer *closed;
	u64 turn;

	spin_lock_irq(&stage->lock);
	closed = close_open(stage);
	turn = stage->turn;
	spin_unlock_irq(&stage->lock);
	if (closed)
		put_writer(closed);
	while (is_busy(stage, turn, false)) {
		send_ready(stage);
		wait_event(log->c->wake.settle_wait,
			   !is_busy(stage, turn, false) || is_busy(stage, turn, true));
	}
	/* See ssdup_stage_finish(). */
	spin_lock_irq(&stage->lock);
	spin_unlock_irq(&stage->lock);
}

u64 ssdup_stage_bound(struct ssdup_log *log, const struct ssdup_class *k, u64 seq)
{
	struct ssdup_stage *stage = log->stage;
	enum buffer_state state;
	struct stage_buffer *b;

	/* A write of @seq or before is counted by its buffer: pairs with its atomic_inc(). */
	smp_rmb();
	for (b = stage->buffer; b < stage_end(stage); b++) {
		state = state_of(b);
		if (state >= BUFFER_OPEN && state <= BUFFER_REFUSED)
			seq = min(seq, READ_ONCE(b->since[k->index]));
	}
	return seq;
}

/* --- Life --- */

static int create_buffer(struct ssdup_log *log, struct stage_buffer *b)
{
	u32 i;

	b->log = log;
	for (i = 0; i < STAGE_PAGES; i++) {
		b->page[i] = alloc_page(GFP_KERNEL);
		if (!b->page[i])
			return -ENOMEM;
	}
	return 0;
}

int ssdup_stage_create(struct ssdup_log *log,
		       int (*restage)(struct ssdup_log *log, struct stage_buffer *b, u32 nr))
{
	struct ssdup_stage *stage = kzalloc(sizeof(*stage), GFP_KERNEL);
	u32 i, nr = STAGE_BUFFERS * used_ssds(log->c);
	int r = 0;

	log->stage = stage;
	INIT_DELAYED_WORK(&log->c->wake.stage_work, stage_work);
	if (!stage)
		return -ENOMEM;
	stage->restage = restage;
	spin_lock_init(&stage->lock);
	stage->rest_until = jiffies;
	stage->awaited = jiffies - msecs_to_jiffies(STAGE_REST_MS);
	stage->buffer = kvcalloc(nr, sizeof(*stage->buffer), GFP_KERNEL);
	if (!stage->buffer)
		return -ENOMEM;
	stage->nr = nr;
	for (i = 0; i < nr && !r; i++)
		r = create_buffer(log, &stage->buffer[i]);
	return r;
}

void ssdup_stage_destroy(struct ssdup_log *log)
{
	struct ssdup_stage *stage = log->stage;
	struct stage_buffer *b;
	u32 i;

	if (!stage)
		return;
	for (b = stage->buffer; b < stage_end(stage); b++)
		for (i = 0; i < STAGE_PAGES; i++)
			if (b->page[i])
				__free_page(b->page[i]);
	kvfree(stage->buffer);
	kfree(stage);
}
