// SPDX-License-Identifier: GPL-2.0-only
/* Owns the guarded range: what the HDD shows of it, and what the device has there meanwhile. */
#include <linux/random.h>
#include <linux/slab.h>

#include "base/sync_io.h"
#include "base/wakeups.h"
#include "guard.h"
#include "internal.h"

#define GUARD_RETRY_MS	60000U	/* after an HDD has refused a change */

struct ssdup_guard {
	struct ssdup_log	*log;		/* constant */
	struct mutex		lock;		/* a change, and writes behind the guard */
	spinlock_t		copy_lock;	/* image and state, which change with both */
	enum guard_state	state;		/* read without a lock: a hint */
	atomic_t		inflight;	/* requests at the HDD that are in the range */
	struct bio_queue	bios;		/* that the work serves */
	unsigned long		retry_at;	/* jiffies; if the last change failed */
	bool			failed;
	struct guard_member	m;
	void			*image[SSDUP_GUARD_BLOCKS];	/* unless open: the device's data */
	void			*out[SSDUP_GUARD_BLOCKS];	/* what is written, or was read */
};

static struct drive_user *hdd_of(struct ssdup_log *log)
{
	return &log->c->drive[SSDUP_HDD];
}

static void set_state(struct ssdup_guard *g, enum guard_state state)
{
	spin_lock_irq(&g->copy_lock);
	WRITE_ONCE(g->state, state);
	spin_unlock_irq(&g->copy_lock);
	/* Pairs with the barrier in ssdup_guard_takes(). */
	smp_mb();
}

enum guard_state ssdup_guard_state(const struct ssdup_log *log)
{
	return READ_ONCE(log->guard->state);
}

/* --- What the HDD shows --- */

/* Write @nr blocks from @first on, as they are in out[]. */
static int write_out(struct ssdup_log *log, u32 first, u32 nr, blk_opf_t opf)
{
	int r = ssdup_sync_blocks(hdd_of(log), REQ_OP_WRITE | REQ_SYNC | opf,
				  first * SSDUP_GUARD_BLOCK, &log->guard->out[first], nr);

	/* It may be a flush that has failed. */
	if (r && opf & (REQ_PREFLUSH | REQ_FUA))
		ssdup_drive_lost(hdd_of(log));
	return r;
}

static int show(struct ssdup_log *log, u32 first, u32 nr, bool masked, blk_opf_t opf)
{
	struct ssdup_guard *g = log->guard;
	u32 i;

	memcpy(g->m.head, g->image[0], sizeof(g->m.head));
	for (i = first; i < first + nr; i++) {
		memcpy(g->out[i], g->image[i], GUARD_BLOCK_BYTES);
		ssdup_guard_cover(&g->m, i, g->out[i], masked);
	}
	return write_out(log, first, nr, opf);
}

/* All that was written before is durable first. */
#define GUARD_DURABLE	(REQ_PREFLUSH | REQ_FUA)

/* Read what the device has. Until the record is durable nothing has changed on the HDD. */
static int begin_closing(struct ssdup_log *log)
{
	struct ssdup_guard *g = log->guard;
	u32 i;
	int r;

	r = ssdup_sync_blocks(hdd_of(log), REQ_OP_READ | REQ_SYNC, 0, g->out, SSDUP_GUARD_BLOCKS);
	if (r)
		return r;
	spin_lock_irq(&g->copy_lock);
	for (i = 0; i < SSDUP_GUARD_BLOCKS; i++)
		memcpy(g->image[i], g->out[i], GUARD_BLOCK_BYTES);
	spin_unlock_irq(&g->copy_lock);
	g->m.epoch = get_random_u64() | 1;
	return ssdup_super_guard(log, GUARD_CHANGING, g->m.epoch, g->image[0]);
}

/* The range as a whole, and then its first block, which says that it is. */
static int end_change(struct ssdup_log *log, bool close)
{
	struct ssdup_guard *g = log->guard;
	int r = show(log, 0, SSDUP_GUARD_BLOCKS, close, 0);

	ssdup_step(log->c, STEP_GUARD_RANGE);
	if (r)
		return r;
	g->m.changing = false;
	if (close)
		return show(log, 0, 1, true, GUARD_DURABLE);
	memcpy(g->out[0], g->image[0], GUARD_BLOCK_BYTES);
	return write_out(log, 0, 1, GUARD_DURABLE);
}

/* Write a block as the device has it. If the HDD refuses it, it may have it all the same. */
static bool put_back(struct ssdup_log *log, u32 i)
{
	struct ssdup_guard *g = log->guard;

	memcpy(g->out[i], g->image[i], GUARD_BLOCK_BYTES);
	if (!write_out(log, i, 1, 0))
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
	bool ok = true;
	u32 i = SSDUP_GUARD_BLOCKS;

	while (i-- > 1)
		ok &= put_back(log, i);
	return ok && put_back(log, 0);
}

/*
 * core/guard.h has the order. Once the HDD has it all, the record comes late at worst: the log is
 * empty. After an error the guard is as it was, or open, or the change can be begun again.
 */
static int change(struct ssdup_log *log, enum guard_state to)
{
	struct ssdup_guard *g = log->guard;
	enum guard_state from = g->state;
	int r = 0;
	u32 i;

	ssdup_step(log->c, STEP_GUARD_BEGIN);
	set_state(g, GUARD_CHANGING);
	wait_event(log->c->wake.settle_wait, !atomic_read(&g->inflight));
	if (from == GUARD_OPEN)
		r = begin_closing(log);
	if (r) {
		set_state(g, GUARD_OPEN);
		return r;
	}
	ssdup_step(log->c, STEP_GUARD_RECORD);
	for (i = 0; i < SSDUP_GUARD_BLOCKS; i++)
		g->m.crc[i] = ssdup_guard_crc(i, g->image[i]);
	g->m.changing = true;
	r = show(log, 0, 1, from != GUARD_OPEN, GUARD_DURABLE);
	ssdup_step(log->c, STEP_GUARD_MEMBER);
	/* Either member block tells the truth, but of a range that is all masked. */
	if (r && from == GUARD_CLOSED) {
		set_state(g, GUARD_CLOSED);
		return r;
	}
	r = r ?: end_change(log, to == GUARD_CLOSED);
	if (r) {
		ssdup_super_guard(log, GUARD_CHANGING, g->m.epoch, g->image[0]);
		if (take_back(log))
			set_state(g, GUARD_OPEN);
		return r;
	}
	ssdup_step(log->c, STEP_GUARD_SHOWN);
	set_state(g, to);
	r = ssdup_super_guard(log, to, g->m.epoch, g->image[0]);
	ssdup_step(log->c, STEP_GUARD_DONE);
	return r;
}

/* The lock is held. */
static void try_change(struct ssdup_log *log, enum guard_state to)
{
	struct ssdup_guard *g = log->guard;
	int r = change(log, to);

	g->failed = r;
	if (!r)
		return;
	g->retry_at = jiffies + msecs_to_jiffies(GUARD_RETRY_MS);
	DMWARN_LIMIT("%s: cannot %s the guard of the HDD (%d)", dm_device_name(log->c->md),
		     to == GUARD_CLOSED ? "close" : "open", r);
}

static bool wanted(const struct ssdup_log *log)
{
	return log->c->set.guard && bdev_nr_sectors(log->c->hdd->bdev) >= SSDUP_GUARD_SECTORS;
}

void ssdup_guard_set(struct ssdup_log *log, bool holds)
{
	enum guard_state to = holds && wanted(log) ? GUARD_CLOSED : GUARD_OPEN;
	struct ssdup_guard *g = log->guard;

	if (READ_ONCE(g->state) == to)
		return;
	mutex_lock(&g->lock);
	if (g->state != to && !(g->failed && time_before(jiffies, g->retry_at)))
		try_change(log, to);
	mutex_unlock(&g->lock);
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

/* The copy lock is held. */
static void copy_bio(struct ssdup_guard *g, struct bio *bio, bool out)
{
	u32 at = bio->bi_iter.bi_sector << SECTOR_SHIFT;
	struct bvec_iter iter;
	struct bio_vec bv;
	void *p;

	if (!bio_has_data(bio)) {
		zero_part(g, bio->bi_iter.bi_sector, bio_sectors(bio));
		return;
	}
	bio_for_each_segment(bv, bio, iter) {
		p = bvec_kmap_local(&bv);
		copy_part(g, at, p, bv.bv_len, out);
		kunmap_local(p);
		at += bv.bv_len;
	}
}

/* The HDD gets what has changed, and the record a head that does not fit in the member block. */
static int write_behind(struct ssdup_log *log, u64 sector, u32 sectors, blk_opf_t opf)
{
	u32 first = sector / SSDUP_GUARD_BLOCK,
	    last = (sector + sectors - 1) / SSDUP_GUARD_BLOCK;
	struct ssdup_guard *g = log->guard;
	int r = 0;

	if (!sector) {
		memcpy(g->m.head, g->image[0], sizeof(g->m.head));
		ssdup_member_encode(&g->m, g->out[0]);
		if (g->m.covered < SSDUP_SECTOR_BYTES)
			r = ssdup_super_guard(log, GUARD_CLOSED, g->m.epoch, g->image[0]);
	}
	return r ?: show(log, first, last + 1 - first, true, opf);
}

static int serve(struct ssdup_log *log, struct bio *bio)
{
	struct ssdup_guard *g = log->guard;

	spin_lock_irq(&g->copy_lock);
	copy_bio(g, bio, bio_op(bio) == REQ_OP_READ);
	spin_unlock_irq(&g->copy_lock);
	if (bio_op(bio) == REQ_OP_READ)
		return 0;
	return write_behind(log, bio->bi_iter.bi_sector, bio_sectors(bio), bio->bi_opf & REQ_FUA);
}

/* A change that has failed is tried again. The lock is held. Return: the state. */
static enum guard_state settle(struct ssdup_log *log)
{
	if (log->guard->state == GUARD_CHANGING)
		try_change(log, wanted(log) ? GUARD_CLOSED : GUARD_OPEN);
	return log->guard->state;
}

static void serve_or_send(struct ssdup_log *log, struct bio *bio)
{
	struct ssdup_io *io = dm_per_bio_data(bio, sizeof(*io));
	enum guard_state state;
	int r = -EIO;

	mutex_lock(&log->guard->lock);
	state = settle(log);
	if (state == GUARD_CLOSED || (state != GUARD_OPEN && bio_op(bio) == REQ_OP_READ))
		r = serve(log, bio);
	mutex_unlock(&log->guard->lock);
	if (state != GUARD_OPEN) {
		bio->bi_status = errno_to_blk_status(r);
		bio_endio(bio);
	} else if (!ssdup_guard_takes(log, bio, io)) {
		submit_bio_noacct(bio);
	}
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
	served = g->state == GUARD_CLOSED;
	if (served)
		copy_bio(g, bio, true);
	spin_unlock_irqrestore(&g->copy_lock, flags);
	return served;
}

bool ssdup_guard_takes(struct ssdup_log *log, struct bio *bio, struct ssdup_io *io)
{
	struct ssdup_guard *g = log->guard;

	atomic_inc(&g->inflight);
	/* Pairs with the barrier in set_state(): a change sees the count, or we see the change. */
	smp_mb__after_atomic();
	if (READ_ONCE(g->state) == GUARD_OPEN) {
		io->guarded = true;
		return false;
	}
	ssdup_guard_left(log);
	if (serve_read(g, bio)) {
		bio_endio(bio);
		return true;
	}
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

static int write_part(struct ssdup_log *log, blk_opf_t opf, u64 sector, struct page *page,
		      u32 offset, u32 bytes)
{
	struct ssdup_guard *g = log->guard;
	enum guard_state state;
	int r = -EIO;
	void *p;

	mutex_lock(&g->lock);
	state = settle(log);
	if (state == GUARD_OPEN) {
		r = ssdup_sync_io(hdd_of(log), opf, sector, page, offset, bytes);
	} else if (state == GUARD_CLOSED) {
		p = kmap_local_page(page);
		spin_lock_irq(&g->copy_lock);
		copy_part(g, sector << SECTOR_SHIFT, p + offset, bytes, false);
		spin_unlock_irq(&g->copy_lock);
		kunmap_local(p);
		r = write_behind(log, sector, bytes >> SECTOR_SHIFT, 0);
	}
	mutex_unlock(&g->lock);
	return r;
}

int ssdup_hdd_write(struct ssdup_log *log, blk_opf_t opf, u64 sector, struct page *page,
		    u32 offset, u32 bytes)
{
	u32 part = guard_part(sector, bytes >> SECTOR_SHIFT), len = part << SECTOR_SHIFT;
	int r = part ? write_part(log, opf, sector, page, offset, len) : 0;

	if (!r && len < bytes)
		r = ssdup_sync_io(hdd_of(log), opf, sector + part, page, offset + len,
				  bytes - len);
	return r;
}

int ssdup_hdd_discard(struct ssdup_log *log, u64 sector, u64 sectors)
{
	struct ssdup_guard *g = log->guard;
	u32 part = guard_part(sector, sectors);
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
			r = write_behind(log, sector, part, 0);
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
		for (i = 0; i < SSDUP_GUARD_BLOCKS; i++)
			ssdup_guard_uncover(&g->m, i, g->image[i]);
	}
	/* Its own file system may have been used, and the user knows: then the log goes over it. */
	if (fault == LOG_HDD_WRITTEN && found == LOG_NOT_OURS && log->c->set.hdd_written) {
		DMWARN("%s: the HDD was written to since; the log's data goes over that",
		       dm_device_name(log->c->md));
		fault = LOG_OK;
	}
	if (*state == GUARD_OPEN)
		g->m = (struct guard_member){ };
	memcpy(g->m.uuid, s->uuid, sizeof(g->m.uuid));
	memcpy(g->m.pool, s->pool, sizeof(g->m.pool));
	g->m.hdd_sectors = s->hdd_sectors;
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
	/* Nothing was masked. */
	if (r && s->guard == GUARD_OPEN)
		r = 0;
	if (fault != LOG_OK) {
		DMERR("%s: log refused: %s (fault %d)%s", dm_device_name(log->c->md),
		      ssdup_log_fault_text(fault), fault,
		      fault == LOG_HDD_WRITTEN ? "; see hdd_written" : "");
		r = -EINVAL;
	} else if (r) {
		DMERR("%s: cannot read the first sectors of the HDD (%d)",
		      dm_device_name(log->c->md), r);
	}
	/* A read-only table finishes no change. */
	set_state(g, state != GUARD_OPEN && log->c->read_only ? GUARD_CLOSED : state);
	return r;
}
