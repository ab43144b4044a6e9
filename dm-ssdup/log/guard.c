// SPDX-License-Identifier: GPL-2.0-only
/* Owns the guarded range: what the HDD shows of it, and what the device has there meanwhile. */
#include <linux/random.h>
#include <linux/slab.h>

#include "base/failure.h"
#include "base/sync_io.h"
#include "base/wakeups.h"
#include "guard.h"
#include "log_internal.h"
#include "super.h"

/* After an HDD has refused a change, each try may take long: for commits, and for requests. */
#define GUARD_RETRY_MS	60000U
#define GUARD_AGAIN_MS	1000U

struct ssdup_guard {
	struct ssdup_log	*log;		/* constant */
	struct mutex		lock;		/* a change, and writes behind the guard */
	spinlock_t		copy_lock;	/* image and state, which change with both */
	enum guard_state	state;		/* read without a lock: a hint */
	atomic_t		inflight;	/* requests at the HDD that are in the range */
	struct bio_queue	bios;		/* that the work serves */
	bool			failed;		/* the last change; at @failed_at, jiffies */
	bool			unsure;		/* closed, and the member block may say otherwise */
	bool			loaded;		/* the image is valid; both locks protect it */
	unsigned long		failed_at;
	struct guard_member	m;
	void			*image[SSDUP_GUARD_BLOCKS];	/* unless open: the device's data */
	void			*out[SSDUP_GUARD_BLOCKS];	/* what is written, or was read */
};

static struct drive_user *hdd_of(struct ssdup_log *log)
{
	return &log->c->hdd_user;
}

static void set_state(struct ssdup_guard *g, enum guard_state state)
{
	spin_lock_irq(&g->copy_lock);
	WRITE_ONCE(g->state, state);
	g->loaded = g->loaded && state != GUARD_OPEN;
	spin_unlock_irq(&g->copy_lock);
	/* Pairs with the barrier in ssdup_guard_enter(). */
	smp_mb();
}

enum guard_state ssdup_guard_state(const struct ssdup_log *log)
{
	return READ_ONCE(log->guard->state);
}

/* --- What the HDD shows --- */

/*
 * What was written before is durable. Not as a part of the next write: a lower layer may send that
 * although the flush in front of it has failed.
 */
static int flush(struct ssdup_log *log)
{
	int r = blkdev_issue_flush(log->c->hdd->bdev);

	if (r)
		ssdup_drive_lost(hdd_of(log));
	return r;
}

static int send_out(struct ssdup_log *log, u32 first, u32 nr, blk_opf_t fua)
{
	return ssdup_sync_blocks(hdd_of(log), REQ_OP_WRITE | REQ_SYNC | fua,
				 first * SSDUP_GUARD_BLOCK, &log->guard->out[first], nr);
}

/* Write @nr blocks from @first on, as they are in out[]; @fua: so that they are durable. */
static int write_out(struct ssdup_log *log, u32 first, u32 nr, bool fua)
{
	int r = send_out(log, first, nr, fua ? REQ_FUA : 0);

	/* If it takes them without, it may be a flush that has failed. */
	if (r && fua && !send_out(log, first, nr, 0))
		ssdup_drive_lost(hdd_of(log));
	return r;
}

static int show(struct ssdup_log *log, u32 first, u32 nr, bool masked, bool fua)
{
	struct ssdup_guard *g = log->guard;
	u32 i;

	memcpy(g->m.head, g->image[0], sizeof(g->m.head));
	for (i = first; i < first + nr; i++) {
		memcpy(g->out[i], g->image[i], GUARD_BLOCK_BYTES);
		ssdup_guard_cover(&g->m, i, g->out[i], masked);
	}
	return write_out(log, first, nr, fua);
}

/* One that says that the guard is changing has checksums: before the image changes it must go. */
static int show_closed(struct ssdup_log *log)
{
	struct ssdup_guard *g = log->guard;

	if (g->unsure) {
		g->m.changing = false;
		g->unsure = show(log, 0, 1, true, true);
	}
	return g->unsure ? -EIO : 0;
}

/*
 * A member block with checksums is of what is durable. The HDD may have refused some of the image,
 * or lost it with its cache: behind a closed member block old or new would do.
 */
static int show_anew(struct ssdup_log *log)
{
	return show_closed(log) ?: show(log, 0, SSDUP_GUARD_BLOCKS, true, true);
}

static int write_record(struct ssdup_log *log, enum guard_state state)
{
	return ssdup_super_guard(log, state, log->guard->m.epoch, log->guard->image[0]);
}

/*
 * Read what the device has, and make that durable: not by a flush, for the HDD's cache may hold
 * much else. Until the record is durable nothing has changed on the HDD.
 */
static int begin_closing(struct ssdup_log *log)
{
	struct ssdup_guard *g = log->guard;
	u32 i;
	int r;

	r = ssdup_sync_blocks(hdd_of(log), REQ_OP_READ | REQ_SYNC, 0, g->out, SSDUP_GUARD_BLOCKS);
	r = r ?: write_out(log, 0, SSDUP_GUARD_BLOCKS, true);
	if (r)
		return r;
	spin_lock_irq(&g->copy_lock);
	for (i = 0; i < SSDUP_GUARD_BLOCKS; i++)
		memcpy(g->image[i], g->out[i], GUARD_BLOCK_BYTES);
	g->loaded = true;
	spin_unlock_irq(&g->copy_lock);
	g->m.hdd_sectors = ssdup_super(log)->hdd_sectors;
	g->m.epoch = get_random_u64() | 1;
	return 0;
}

/* The range as a whole, and then its first block, which says that it is. */
static int end_change(struct ssdup_log *log, bool close)
{
	struct ssdup_guard *g = log->guard;
	int r = show(log, 0, SSDUP_GUARD_BLOCKS, close, true);

	ssdup_step(log->c, STEP_GUARD_RANGE);
	if (r)
		return r;
	g->m.changing = false;
	if (close)
		return show(log, 0, 1, true, true);
	memcpy(g->out[0], g->image[0], GUARD_BLOCK_BYTES);
	return write_out(log, 0, 1, true);
}

/* Write a block as the device has it. If the HDD refuses it, it may have it all the same. */
static bool put_back(struct ssdup_log *log, u32 i, bool fua)
{
	struct ssdup_guard *g = log->guard;

	memcpy(g->out[i], g->image[i], GUARD_BLOCK_BYTES);
	if (!write_out(log, i, 1, fua))
		return true;
	return !ssdup_sync_blocks(hdd_of(log), REQ_OP_READ, i * SSDUP_GUARD_BLOCK, &g->out[i], 1) &&
	       !memcmp(g->out[i], g->image[i], GUARD_BLOCK_BYTES);
}

/*
 * The HDD has refused a part of a change, which a member block says is under way, if there is one.
 * Return: does the HDD have what the device has? The first block goes last.
 */
static bool take_back(struct ssdup_log *log)
{
	u32 i;

	for (i = SSDUP_GUARD_BLOCKS - 1; i; i--)
		if (!put_back(log, i, false))
			return false;
	return !flush(log) && put_back(log, 0, true);
}

/*
 * core/guard_block.h has the order. Once the HDD has it all, the record comes late at worst: it
 * says that the guard is changing. After an error the guard is as it was, or open, or the change
 * can be begun again.
 */
static int change(struct ssdup_log *log, enum guard_state to)
{
	struct ssdup_guard *g = log->guard;
	enum guard_state from = g->state;
	int r;
	u32 i;

	ssdup_step(log->c, STEP_GUARD_BEGIN);
	set_state(g, GUARD_CHANGING);
	wait_event(log->c->wake.settle_wait, !atomic_read(&g->inflight));
	r = from == GUARD_OPEN ? begin_closing(log) : from == GUARD_CLOSED ? show_anew(log) : 0;
	r = r ?: write_record(log, GUARD_CHANGING);
	if (r) {
		set_state(g, from);
		return r;
	}
	ssdup_step(log->c, STEP_GUARD_RECORD);
	for (i = 0; i < SSDUP_GUARD_BLOCKS; i++)
		g->m.crc[i] = ssdup_guard_crc(i, g->image[i]);
	g->m.changing = true;
	r = show(log, 0, 1, from != GUARD_OPEN, true);
	ssdup_step(log->c, STEP_GUARD_MEMBER);
	/* Either member block tells the truth, until something is written behind it. */
	if (r && from == GUARD_CLOSED) {
		g->m.changing = false;
		g->unsure = true;
		set_state(g, GUARD_CLOSED);
		return r;
	}
	r = r ?: end_change(log, to == GUARD_CLOSED);
	if (r) {
		if (take_back(log))
			set_state(g, GUARD_OPEN);
		return r;
	}
	ssdup_step(log->c, STEP_GUARD_SHOWN);
	set_state(g, to);
	r = write_record(log, to);
	ssdup_step(log->c, STEP_GUARD_DONE);
	return r;
}

/* The lock is held. */
static int try_change(struct ssdup_log *log, enum guard_state to)
{
	struct ssdup_guard *g = log->guard;
	int r = change(log, to);

	g->failed = r;
	g->failed_at = jiffies;
	if (r)
		DMWARN_LIMIT("%s: cannot %s the guard of the HDD (%d)", log->c->name,
			     to == GUARD_CLOSED ? "close" : "open", r);
	return r;
}

static bool failed_within(const struct ssdup_guard *g, u32 ms)
{
	return g->failed && time_before(jiffies, g->failed_at + msecs_to_jiffies(ms));
}

static bool wanted(const struct ssdup_log *log)
{
	return log->c->set.guard && bdev_nr_sectors(log->c->hdd->bdev) >= SSDUP_GUARD_SECTORS;
}

int ssdup_guard_set(struct ssdup_log *log, bool holds, bool asked)
{
	enum guard_state to = holds && wanted(log) ? GUARD_CLOSED : GUARD_OPEN;
	struct ssdup_guard *g = log->guard;
	int r = 0;

	if (READ_ONCE(g->state) == to)
		return 0;
	mutex_lock(&g->lock);
	if (g->state != to && (asked || !failed_within(g, GUARD_RETRY_MS)))
		r = try_change(log, to);
	mutex_unlock(&g->lock);
	return r;
}

/* --- The device's data in the range --- */

static void copy_part(struct ssdup_guard *g, u32 at, void *p, u32 bytes, bool out)
{
	u32 len;

	for (; bytes; bytes -= len, at += len, p += len) {
		void *image = g->image[at / GUARD_BLOCK_BYTES] + at % GUARD_BLOCK_BYTES;

		len = min(bytes, GUARD_BLOCK_BYTES - at % GUARD_BLOCK_BYTES);
		if (out)
			memcpy(p, image, len);
		else
			memcpy(image, p, len);
	}
}

static void zero_part(struct ssdup_guard *g, u32 sector, u32 sectors)
{
	while (sectors--)
		copy_part(g, sector++ << SECTOR_SHIFT, page_address(ZERO_PAGE(0)),
			  SSDUP_SECTOR_BYTES, false);
}

static u32 part_of(const struct ssdup_log *log, const struct bio *bio)
{
	return guard_part(log, bio->bi_iter.bi_sector, bio_sectors(bio));
}

/* Copy what of a request is in the range. The copy lock is held. */
static void copy_bio(struct ssdup_guard *g, struct bio *bio, bool out)
{
	u32 at = bio->bi_iter.bi_sector << SECTOR_SHIFT, len;
	u32 left = part_of(g->log, bio) << SECTOR_SHIFT;
	struct bvec_iter iter;
	struct bio_vec bv;
	void *p;

	if (!bio_has_data(bio)) {
		zero_part(g, bio->bi_iter.bi_sector, left >> SECTOR_SHIFT);
		return;
	}
	bio_for_each_segment(bv, bio, iter) {
		len = min_t(u32, bv.bv_len, left);
		p = bvec_kmap_local(&bv);
		copy_part(g, at, p, len, out);
		kunmap_local(p);
		at += len;
		left -= len;
	}
}

/* Its part in the range was served. Return: that was all of it, and it has ended. */
static bool end_part(struct ssdup_log *log, struct bio *bio, int r)
{
	u32 part = part_of(log, bio);

	if (!r && part < bio_sectors(bio)) {
		bio_advance(bio, part << SECTOR_SHIFT);
		return false;
	}
	bio->bi_status = errno_to_blk_status(r);
	bio_endio(bio);
	return true;
}

/*
 * The HDD gets what has changed, and the record a head that does not fit in the member block. If
 * the SSD takes no record any more the log will be given up, and the head with the guard.
 */
static int write_behind(struct ssdup_log *log, u64 sector, u32 sectors, bool fua)
{
	u32 first = sector / SSDUP_GUARD_BLOCK,
	    last = (sector + sectors - 1) / SSDUP_GUARD_BLOCK;
	struct ssdup_guard *g = log->guard;
	int r = 0;

	if (!sector) {
		memcpy(g->m.head, g->image[0], sizeof(g->m.head));
		ssdup_member_encode(&g->m, g->out[0]);
		if (g->m.covered < SSDUP_SECTOR_BYTES && write_record(log, GUARD_CLOSED) &&
		    ssdup_mode(log->c) == MODE_RUNNING)
			r = -EIO;
	}
	return r ?: show(log, first, last + 1 - first, true, fua);
}

static int serve(struct ssdup_log *log, struct bio *bio)
{
	struct ssdup_guard *g = log->guard;

	spin_lock_irq(&g->copy_lock);
	copy_bio(g, bio, bio_op(bio) == REQ_OP_READ);
	spin_unlock_irq(&g->copy_lock);
	if (bio_op(bio) == REQ_OP_READ)
		return 0;
	return write_behind(log, bio->bi_iter.bi_sector, part_of(log, bio), bio->bi_opf & REQ_FUA);
}

/* A change that has failed is tried again. The lock is held. Return: closed if it surely is. */
static enum guard_state settle(struct ssdup_log *log)
{
	if (log->guard->state == GUARD_CHANGING && !failed_within(log->guard, GUARD_AGAIN_MS))
		try_change(log, wanted(log) ? GUARD_CLOSED : GUARD_OPEN);
	if (log->guard->state == GUARD_CLOSED && show_closed(log))
		return GUARD_CHANGING;
	return log->guard->state;
}

static void serve_or_send(struct ssdup_log *log, struct bio *bio)
{
	struct ssdup_io *io = dm_per_bio_data(bio, sizeof(*io));
	enum guard_state state;
	int r = -EIO;

	mutex_lock(&log->guard->lock);
	state = settle(log);
	if (state == GUARD_CLOSED)
		r = serve(log, bio);
	mutex_unlock(&log->guard->lock);
	if (!(state == GUARD_OPEN ? ssdup_guard_takes(log, bio, io) : end_part(log, bio, r)))
		submit_bio_noacct(bio);
}

static void guard_work(struct work_struct *work)
{
	struct ssdup_guard *g = container_of(work, struct ssdup_guard, bios.work);
	struct bio_list bios = bio_queue_take(&g->bios);
	struct bio *bio;

	while ((bio = bio_list_pop(&bios))) {
		atomic_dec(&g->bios.nr);
		serve_or_send(g->log, bio);
		cond_resched();
	}
}

/* Most reads need not wait for the work. */
static bool serve_read(struct ssdup_guard *g, struct bio *bio)
{
	unsigned long flags;
	bool served;

	if (bio_op(bio) != REQ_OP_READ)
		return false;
	spin_lock_irqsave(&g->copy_lock, flags);
	served = g->loaded;
	if (served)
		copy_bio(g, bio, true);
	spin_unlock_irqrestore(&g->copy_lock, flags);
	return served;
}

bool ssdup_guard_takes(struct ssdup_log *log, struct bio *bio, struct ssdup_io *io)
{
	struct ssdup_guard *g = log->guard;

	if (ssdup_guard_enter(log)) {
		io->guarded = true;
		return false;
	}
	if (serve_read(g, bio))
		return end_part(log, bio, 0);
	/* A work item, which may block, will send it, and nobody polls for it. */
	bio->bi_opf &= ~(REQ_NOWAIT | REQ_POLLED);
	bio_queue_add(&g->bios, log->c->wake.wq, bio);
	return true;
}

void ssdup_guard_left(struct ssdup_log *log)
{
	if (atomic_dec_and_test(&log->guard->inflight))
		ssdup_settled(log->c);
}

/* --- Drains --- */

bool ssdup_guard_enter(struct ssdup_log *log)
{
	struct ssdup_guard *g = log->guard;

	atomic_inc(&g->inflight);
	/* Pairs with the barrier in set_state(): a change sees the count, or we see the change. */
	smp_mb__after_atomic();
	if (READ_ONCE(g->state) == GUARD_OPEN)
		return true;
	ssdup_guard_left(log);
	return false;
}

static int send_pages(struct ssdup_log *log, blk_opf_t opf, u64 sector, struct page **pages,
		      u32 at, u32 bytes)
{
	u32 len;
	int r;

	for (r = 0; bytes && !r; bytes -= len, at += len, sector += len >> SECTOR_SHIFT) {
		len = min_t(u32, bytes, PAGE_SIZE - offset_in_page(at));
		r = ssdup_sync_io(hdd_of(log), opf, sector, pages[at >> PAGE_SHIFT],
				  offset_in_page(at), len);
	}
	return r;
}

static void copy_pages(struct ssdup_guard *g, u64 sector, struct page **pages, u32 at, u32 bytes)
{
	u32 to = sector << SECTOR_SHIFT, len;
	void *p;

	spin_lock_irq(&g->copy_lock);
	for (; bytes; bytes -= len, at += len, to += len) {
		len = min_t(u32, bytes, PAGE_SIZE - offset_in_page(at));
		p = kmap_local_page(pages[at >> PAGE_SHIFT]);
		copy_part(g, to, p + offset_in_page(at), len, false);
		kunmap_local(p);
	}
	spin_unlock_irq(&g->copy_lock);
}

static int write_part(struct ssdup_log *log, blk_opf_t opf, u64 sector, struct page **pages,
		      u32 at, u32 bytes)
{
	struct ssdup_guard *g = log->guard;
	enum guard_state state;
	int r = -EIO;

	mutex_lock(&g->lock);
	state = settle(log);
	if (state == GUARD_OPEN) {
		r = send_pages(log, opf, sector, pages, at, bytes);
	} else if (state == GUARD_CLOSED) {
		copy_pages(g, sector, pages, at, bytes);
		r = write_behind(log, sector, bytes >> SECTOR_SHIFT, false);
	}
	mutex_unlock(&g->lock);
	return r;
}

int ssdup_hdd_write(struct ssdup_log *log, blk_opf_t opf, u64 sector, struct page **pages,
		    u32 at, u32 bytes)
{
	u32 part = guard_part(log, sector, bytes >> SECTOR_SHIFT), len = part << SECTOR_SHIFT;
	int r = part ? write_part(log, opf, sector, pages, at, len) : 0;

	return r ?: send_pages(log, opf, sector + part, pages, at + len, bytes - len);
}

int ssdup_hdd_discard(struct ssdup_log *log, u64 sector, u64 sectors)
{
	struct ssdup_guard *g = log->guard;
	u32 part = guard_part(log, sector, sectors);
	enum guard_state state;
	int r = 0;

	if (part) {
		mutex_lock(&g->lock);
		state = settle(log);
		if (state == GUARD_OPEN) {
			r = ssdup_sync_range(hdd_of(log), REQ_OP_DISCARD, sector, part);
		} else if (state == GUARD_CLOSED) {
			/* What the HDD is to show there is not what a discard leaves. */
			spin_lock_irq(&g->copy_lock);
			zero_part(g, sector, part);
			spin_unlock_irq(&g->copy_lock);
			r = write_behind(log, sector, part, false);
		} else {
			r = -EIO;
		}
		mutex_unlock(&g->lock);
	}
	if (!r && part < sectors)
		r = ssdup_sync_range(hdd_of(log), REQ_OP_DISCARD, sector + part, sectors - part);
	return r;
}

/* --- Life --- */

int ssdup_guard_create(struct ssdup_log *log)
{
	struct ssdup_guard *g = kzalloc(sizeof(*g), GFP_KERNEL);
	u32 i;

	log->guard = g;
	if (!g)
		return -ENOMEM;
	g->log = log;
	mutex_init(&g->lock);
	spin_lock_init(&g->copy_lock);
	bio_queue_init(&g->bios, guard_work);
	for (i = 0; i < SSDUP_GUARD_BLOCKS; i++) {
		g->image[i] = kmalloc(GUARD_BLOCK_BYTES, GFP_KERNEL);
		g->out[i] = kmalloc(GUARD_BLOCK_BYTES, GFP_KERNEL);
		if (!g->image[i] || !g->out[i])
			return -ENOMEM;
	}
	return 0;
}

void ssdup_guard_destroy(struct ssdup_log *log)
{
	u32 i;

	for (i = 0; log->guard && i < SSDUP_GUARD_BLOCKS; i++) {
		kfree(log->guard->image[i]);
		kfree(log->guard->out[i]);
	}
	kfree(log->guard);
}

static enum log_fault look(struct ssdup_log *log, const struct log_super *s, bool empty,
			   enum guard_state *state)
{
	struct ssdup_guard *g = log->guard;
	enum log_fault found = ssdup_member_decode(g->image[0], &g->m), fault;
	u32 i;

	fault = ssdup_guard_judge(s, found, &g->m, empty, state);
	if (fault == LOG_OK && *state != GUARD_OPEN) {
		memcpy(g->m.head, guard_head(s, &g->m), sizeof(g->m.head));
		if (g->m.covered < SSDUP_SECTOR_BYTES && !s->guard_epoch)
			DMERR("%s: all but %u bytes of the first sector are lost with the record",
			      log->c->name, g->m.covered);
		for (i = 0; i < SSDUP_GUARD_BLOCKS; i++) {
			if (ssdup_guard_uncover(&g->m, i, g->image[i]))
				continue;
			DMERR("%s: sectors %u + %u of the HDD are neither plain nor masked",
			      log->c->name, i * SSDUP_GUARD_BLOCK,
			      SSDUP_GUARD_BLOCK);
			fault = LOG_HDD_WRITTEN;
		}
	}
	/* Its own file system may have been used, and the user knows: then the log goes over it. */
	if (fault == LOG_HDD_WRITTEN && found == LOG_NOT_OURS &&
	    (log->c->set.override & SSDUP_OVERRIDE_HDD)) {
		DMWARN("%s: the HDD was written to since; the log's data goes over that",
		       log->c->name);
		fault = LOG_OK;
	}
	return fault;
}

int ssdup_guard_load(struct ssdup_log *log, const struct log_super *s, bool empty)
{
	struct ssdup_guard *g = log->guard;
	enum guard_state state = GUARD_OPEN;
	enum log_fault fault = LOG_OK;
	int r;

	if (bdev_nr_sectors(log->c->hdd->bdev) < SSDUP_GUARD_SECTORS)
		return 0;
	r = ssdup_sync_blocks(hdd_of(log), REQ_OP_READ | REQ_SYNC, 0, g->image,
			      SSDUP_GUARD_BLOCKS);
	if (!r)
		fault = look(log, s, empty, &state);
	memcpy(g->m.uuid, s->uuid, sizeof(g->m.uuid));
	memcpy(g->m.pool, s->pool, sizeof(g->m.pool));
	/* Nothing was masked. */
	if (r && s->guard == GUARD_OPEN)
		r = 0;
	if (fault != LOG_OK) {
		DMERR("%s: log refused: %s (fault %d)%s", log->c->name,
		      ssdup_log_fault_text(fault), fault,
		      fault == LOG_HDD_WRITTEN ? "; see override" : "");
		r = -EINVAL;
	} else if (r) {
		DMERR("%s: cannot read the first sectors of the HDD (%d)", log->c->name, r);
	}
	g->loaded = state != GUARD_OPEN;
	/* Without a guard nothing is counted. */
	log->guarded = wanted(log) || state != GUARD_OPEN ? SSDUP_GUARD_SECTORS : 0;
	/* A read-only table finishes no change. */
	set_state(g, state != GUARD_OPEN && log->c->read_only ? GUARD_CLOSED : state);
	return r;
}
