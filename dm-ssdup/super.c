// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: the superblock.
 */
#include <linux/slab.h>

#include "halves.h"
#include "meta.h"
#include "mode.h"
#include "super.h"
#include "trace.h"

struct ssdup_superblock {
	struct mutex		lock;		/* protects these, also while they are written */
	struct log_super	super;		/* uuid and epoch are constant after resume */
	struct page		*page;
	bool			epoch_begun;	/* metadata pages may be written */
};

int ssdup_super_create(struct ssdup *c)
{
	struct ssdup_superblock *s = kzalloc(sizeof(*s), GFP_KERNEL);

	c->superblock = s;
	if (!s)
		return -ENOMEM;
	mutex_init(&s->lock);
	s->page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	return s->page ? 0 : -ENOMEM;
}

void ssdup_super_destroy(struct ssdup *c)
{
	struct ssdup_superblock *s = c->superblock;

	if (s && s->page)
		__free_page(s->page);
	kfree(s);
}

const struct log_super *ssdup_super(const struct ssdup *c)
{
	return &c->superblock->super;
}

void ssdup_super_take(struct ssdup *c, const struct log_super *super)
{
	c->superblock->super = *super;
}

static int read_super(struct ssdup *c, u32 copy, enum log_fault *fault, struct log_super *s,
		      struct page *page)
{
	int r = ssdup_sync_io(c->ssd->bdev, REQ_OP_READ | REQ_SYNC | REQ_META,
			      SSDUP_SUPER_SECTOR(copy), page, 0, SSDUP_SUPER_BYTES);

	*fault = r ? LOG_BAD_CRC : ssdup_log_super_decode(page_address(page), s);
	return r;
}

int ssdup_super_read(struct ssdup *c, struct log_super *s, bool *mend, enum log_fault *fault)
{
	struct log_super copy[SSDUP_SUPER_COPIES];
	enum log_fault f[SSDUP_SUPER_COPIES];
	struct page *page;
	int r[SSDUP_SUPER_COPIES];
	u32 i, best;

	page = alloc_page(GFP_KERNEL);
	if (!page)
		return -ENOMEM;
	for (i = 0; i < SSDUP_SUPER_COPIES; i++)
		r[i] = read_super(c, i, &f[i], &copy[i], page);
	__free_page(page);

	*fault = ssdup_log_super_pick(f, copy, &best, mend);
	if (*fault == LOG_OK)
		*s = copy[best];
	if (*fault == LOG_BLANK)
		return 1;
	return *fault == LOG_OK ? 0 : r[best] ?: -EINVAL;
}

/* A commit may run between the copies, so a FUA write waits for one copy at most. */
static int write_copy(struct ssdup *c, unsigned int copy)
{
	struct ssdup_superblock *s = c->superblock;
	int r;

	ssdup_meta_begin(c);
	r = ssdup_sync_io(c->ssd->bdev, REQ_OP_WRITE | SSDUP_META_FLAGS,
			  SSDUP_SUPER_SECTOR(copy), s->page, 0, SSDUP_SUPER_BYTES);
	r = ssdup_meta_again(c, r, SSDUP_SUPER_SECTOR(copy), s->page,
			     jiffies + msecs_to_jiffies(RETRY_AWAY_MS));
	ssdup_meta_end(c, r, false);
	return r;
}

/* Write both copies durably; @between is the step between the two. */
static int write_super(struct ssdup *c, enum ssdup_step between)
{
	struct ssdup_superblock *s = c->superblock;
	unsigned int copy;
	int r = 0;

	lockdep_assert_held(&s->lock);
	s->super.seq++;
	if (ssdup_log_super_spent(&s->super)) {
		ssdup_fail(c, MODE_LOG_READ_ONLY, "the counters of the log are used up");
		return -EROFS;
	}
	ssdup_log_super_encode(&s->super, page_address(s->page));
	for (copy = 0; copy < SSDUP_SUPER_COPIES && !r; copy++) {
		if (copy)
			trace_ssdup_step(c, between);
		/* The first copy last: an SSD with a blank first block is not formatted yet. */
		r = write_copy(c, SSDUP_SUPER_COPIES - 1 - copy);
	}
	if (r) {
		stat_inc(c, STAT_SSD_ERRORS);
		ssdup_fail(c, MODE_LOG_READ_ONLY, "a superblock write to the SSD failed");
	}
	return r;
}

int ssdup_begin_epoch(struct ssdup *c)
{
	struct ssdup_superblock *s = c->superblock;
	bool again = s->epoch_begun;
	bool blank = !s->super.seq;
	int r;

	/* The log takes no more writes; reads still work. */
	if (again && ssdup_mode(c) != MODE_RUNNING)
		return 0;
	mutex_lock(&s->lock);
	if (!again)
		s->super.epoch++;
	s->super.flags &= ~SSDUP_SUPER_CLEAN;
	trace_ssdup_step(c, blank ? STEP_FORMAT_BEGIN : STEP_EPOCH_BEGIN);
	/* What was replayed, or blanked, may still be in the SSD's cache. */
	r = ssdup_flush_ssd(c) ?:
	    write_super(c, blank ? STEP_FORMAT_BETWEEN : STEP_EPOCH_BETWEEN);
	trace_ssdup_step(c, blank ? STEP_FORMAT_DONE : STEP_EPOCH_DONE);
	if (!r)
		s->epoch_begun = true;
	mutex_unlock(&s->lock);
	if (again)
		return 0;
	/* The counters are used up: the log is read-only. */
	if (r == -EROFS)
		return 0;
	if (r)
		DMERR("%s: cannot write the superblock (%d)", dm_device_name(c->md), r);
	return r;
}

int ssdup_free_record(struct ssdup *c, struct ssdup_half **halves, u32 nr)
{
	struct ssdup_superblock *s = c->superblock;
	u32 i;
	int r;

	mutex_lock(&s->lock);
	for (i = 0; i < nr; i++)
		s->super.generation[halves[i]->index] = ssdup_log_next_generation(&s->super);
	r = write_super(c, STEP_FREE_BETWEEN);
	mutex_unlock(&s->lock);
	return r;
}

void ssdup_write_clean(struct ssdup *c)
{
	struct ssdup_superblock *s = c->superblock;
	struct ssdup_half *h;
	bool void_pages;
	u32 i;

	mutex_lock(&s->lock);
	for (i = 0; i < c->g.nr_halves; i++) {
		h = &c->half[i];
		/* This writes free records that failed before: their pages are void. */
		void_pages = h->state == HALF_FREE || h->generation != s->super.generation[i];
		s->super.pages[i] = void_pages ? 0 : half_pages(h);
	}
	trace_ssdup_step(c, STEP_SUSPEND_CLEAN);
	s->super.flags |= SSDUP_SUPER_CLEAN;
	write_super(c, STEP_SUSPEND_BETWEEN);
	s->super.flags &= ~SSDUP_SUPER_CLEAN;
	mutex_unlock(&s->lock);
	trace_ssdup_step(c, STEP_SUSPEND_DONE);
}
