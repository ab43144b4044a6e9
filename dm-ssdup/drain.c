// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: the drain of a half, a batch at a time. Documentation/design.rst draws its stages.
 *
 * Two batches take turns: while one is written to the HDD, the next is read from the SSD.
 * ssdup_plan_collect() takes a batch from the map. All its pieces are read at once into one
 * buffer, in the order of the HDD. Then its runs are submitted at once, in the same order.
 * When writes wait for the half, a last batch, of other halves, is read during the flush
 * that frees the half.
 *
 * faults.c handles I/O errors.
 */
#include <linux/kthread.h>

#include "batch.h"
#include "drain.h"
#include "faults.h"
#include "free.h"
#include "halves.h"
#include "hdd.h"
#include "map.h"
#include "meter.h"
#include "mode.h"
#include "salvage.h"
#include "trace.h"
#include "wake.h"

#define DRAIN_GENTLE_PIECES 4U		/* of a batch of one run's size, beside readers */
#define DRAIN_AHEAD_LOOKS 256U		/* at EXTENT_WALK extents each, while writes wait */

enum drain_stage {
	STAGE_CHOOSE,		/* no half is being drained */
	STAGE_READ,		/* a half was chosen, and no batch is in flight */
	STAGE_COPY,		/* a batch of the half is being read */
	STAGE_FREE,		/* the whole half is on the HDD, or has moved */
};

struct ssdup_drainer {
	enum drain_stage	stage;
	struct ssdup_half	*half;		/* being drained; not in STAGE_CHOOSE */
	struct drain_batch	batch[2];
	struct drain_batch	*ahead;		/* being read; in STAGE_COPY */
	u64			from;		/* HDD sector to continue at */
	u64			fenced;		/* ranges below this index are fenced */
	struct drain_faults	faults;
	u64			others;		/* highest seq to take from other halves; 0: none */
	spinlock_t		lock;		/* protects c->drain_error and anew */
	bool			anew;		/* a drain was requested since the try began */
	bool			wide;		/* take extents of other halves too */
	bool			taken;		/* the half is done: take only other halves' */
};

int ssdup_drainer_create(struct ssdup *c)
{
	c->drainer = kvzalloc(sizeof(*c->drainer), GFP_KERNEL);
	if (!c->drainer)
		return -ENOMEM;
	spin_lock_init(&c->drainer->lock);
	return ssdup_batch_init(c, &c->drainer->batch[0]) ?:
	       ssdup_batch_init(c, &c->drainer->batch[1]);
}

void ssdup_drainer_destroy(struct ssdup *c)
{
	if (!c->drainer)
		return;
	ssdup_batch_exit(&c->drainer->batch[0]);
	ssdup_batch_exit(&c->drainer->batch[1]);
	kvfree(c->drainer);
}

/* --- A batch from SSD to HDD --- */

/*
 * Mark the pieces of other halves as written, so that the drain of their half skips
 * them. That is valid as long as every flush of the HDD succeeds.
 */
static void mark_home(struct ssdup *c, struct drain_batch *b, const struct drain_run *run,
		      int flush_errors)
{
	const struct drain_piece *p;
	struct ssdup_range *r;
	struct ssdup_half *h;
	u64 from;
	bool all;
	u32 i;

	for (i = run->first; i < run->first + run->nr; i++) {
		p = &b->plan.pieces[i];
		if (!drain_of_other(c->drainer->half, p) || p->kind == SSDUP_KIND_NONE)
			continue;
		h = &c->half[p->half];
		if (!h->has_home) {
			h->has_home = true;
			h->flush_errors = flush_errors;
		}
		r = range_of(c, p->start);
		from = p->start;
		do {
			spin_lock_irq(&r->lock);
			all = ssdup_plan_home(&r->tree, p, &from);
			spin_unlock_irq(&r->lock);
			cond_resched();
		} while (!all);
		WRITE_ONCE(h->home, h->home + p->sectors);
	}
}

/* The sectors of a run that belong to the half being drained. */
static u32 own_sectors(struct ssdup *c, struct drain_batch *b, const struct drain_run *run)
{
	const struct drain_piece *p = &b->plan.pieces[run->first];
	u32 sectors = 0, i;

	for (i = 0; i < run->nr; i++)
		if (!drain_of_other(c->drainer->half, &p[i]) && p[i].kind != SSDUP_KIND_NONE)
			sectors += p[i].sectors;
	return sectors;
}

/* Overwritten sectors count as left, so the estimate is rather too late than too early. */
static void tell_due(struct ssdup *c, const struct ssdup_half *h)
{
	u64 all = log_word_sectors(atomic64_read(&h->word)), home = h->home + c->pass_home;

	ssdup_meter_due(c, all - min(all, home));
}

/* Write @b, and read @next meanwhile unless it is NULL. After a failed read of @b do neither. */
static int batch_finish(struct ssdup *c, struct drain_batch *b, struct drain_batch *next,
			bool spread)
{
	struct ssdup_drainer *d = c->drainer;
	int r, flush_errors;
	bool failed;
	u32 i;

	ssdup_batch_wait(b);
	trace_ssdup_step(c, STEP_DRAIN_HAVE);
	r = ssdup_faults_reread(c, &d->faults, b);
	if (r)
		return r;
	flush_errors = ssdup_hdd_flush_errors(c);
	ssdup_batch_write_begin(c, b);
	if (next)
		ssdup_batch_read(c, next, spread);
	d->ahead = next;
	ssdup_batch_write_end(c, b);
	for (i = 0; i < b->plan.nr_runs; i++) {
		const struct drain_run *run = &b->plan.runs[i];

		if (run->kind == SSDUP_KIND_NONE)
			continue;
		failed = run->kind == SSDUP_KIND_DATA ? b->io[i].failed :
							ssdup_batch_mark(c, run);
		r = failed ? ssdup_faults_run(c, &d->faults, b, run) : 0;
		if (r)
			return r;
		if (!failed)
			mark_home(c, b, run, flush_errors);
		stat_add(c, STAT_DRAINED_SECTORS, run->sectors);
		WRITE_ONCE(c->pass_home, c->pass_home + own_sectors(c, b, run));
	}
	return 0;
}

/*
 * Wait for the direct writes to a range that have begun. Later ones look for overlaps when
 * all extents of the sealed half are in the tree.
 */
static void fence_range(struct ssdup *c, struct ssdup_range *r)
{
	bool wide;
	u8 old;

	trace_ssdup_step(c, STEP_DRAIN_FENCE);
	spin_lock_irq(&r->lock);
	/* Extents up to this seq are in the tree: they may be taken from any half. */
	wide = c->drainer->wide && ssdup_mode(c) == MODE_RUNNING;
	c->drainer->others = wide ? atomic64_read(&c->seq) : 0;
	old = r->phase;
	r->phase ^= 1;
	spin_unlock_irq(&r->lock);
	drain_does(c, DRAIN_FENCE);
	wait_event(c->settle_wait, !atomic_read(&r->direct[old]));
	drain_does(c, DRAIN_COPIES);
}

static bool has_direct(struct ssdup_range *r)
{
	return atomic_read(&r->direct[0]) || atomic_read(&r->direct[1]);
}

/*
 * Take the next batch from the map. With d->taken it holds only extents of other halves,
 * which are not worth a long search or a wait for direct writes. Return: is there one?
 */
static bool batch_collect(struct ssdup *c, struct drain_batch *b, bool gentle)
{
	struct ssdup_drainer *d = c->drainer;
	u64 size = 1ULL << c->range_shift;
	u32 looks = d->taken ? DRAIN_AHEAD_LOOKS : U32_MAX;
	struct ssdup_range *r;
	u64 index;
	bool all;

	b->plan.nr_pieces = 0;
	b->plan.nr_runs = 0;
	b->plan.sectors = 0;
	b->plan.zeroes = 0;
	b->plan.max_pieces = READ_ONCE(c->set.drain_depth);
	b->plan.max_sectors = DRAIN_SECTORS;
	/* The HDD takes as long to zero a sector as to write it. */
	b->plan.max_zeroes = DRAIN_SECTORS;
	b->plan.others_only = d->taken;
	if (gentle) {
		b->plan.max_pieces = min(b->plan.max_pieces, DRAIN_GENTLE_PIECES);
		b->plan.max_sectors = DRAIN_RUN;
		b->plan.max_zeroes = DRAIN_RUN;
	}
	while (looks && !plan_full(&b->plan) &&
	       (index = d->from >> c->range_shift) < c->nr_ranges) {
		r = &c->ranges[index];
		all = true;
		if (range_holds(r) && !(d->taken && has_direct(r))) {
			looks--;
			if (d->fenced <= index) {
				fence_range(c, r);
				d->fenced = index + 1;
			}
			spin_lock_irq(&r->lock);
			all = ssdup_plan_collect(&r->tree, d->half->index, d->others, &d->from,
						 &b->plan);
			spin_unlock_irq(&r->lock);
		}
		if (all)
			d->from = (index + 1) * size;
		cond_resched();
	}
	ssdup_plan_join(&b->plan);
	if (b->plan.nr_pieces)
		trace_ssdup_drain(c, d->half, &b->plan);
	return b->plan.nr_pieces;
}

/* --- Stages --- */

/* Return: 1, or 0 when there is nothing to drain. */
static int choose_half(struct ssdup *c, const struct pacing_out *how)
{
	struct ssdup_drainer *d = c->drainer;
	bool anew = READ_ONCE(d->anew);
	u64 generation;

	if (anew)
		WRITE_ONCE(d->anew, false);
	if (ssdup_mode(c) == MODE_RUNNING)
		d->half = ssdup_oldest_sealed(c, &generation);
	else
		d->half = ssdup_salvage_next(c, anew);
	if (!d->half)
		return ssdup_mode(c) == MODE_RUNNING ? 0 : ssdup_salvage_end(c);
	d->from = 0;
	WRITE_ONCE(c->pass_home, 0);
	d->fenced = 0;
	ssdup_faults_begin(&d->faults, d->half);
	d->taken = false;
	tell_due(c, d->half);
	trace_ssdup_step(c, STEP_DRAIN_BEGIN);
	if (d->half->has_home && ssdup_hdd_flush_errors(c) != d->half->flush_errors)
		ssdup_forget_home(c, d->half);
	if (!d->half->has_home)
		d->half->flush_errors = ssdup_hdd_flush_errors(c);
	return 1;
}

/* Return: 1, or 0 when all of the half is on the HDD already. */
static int read_first(struct ssdup *c, const struct pacing_out *how)
{
	struct ssdup_drainer *d = c->drainer;

	if (d->half->drained || !batch_collect(c, &d->batch[0], how->gentle))
		return 0;
	d->ahead = &d->batch[0];
	ssdup_batch_read(c, d->ahead, how->spread);
	return 1;
}

/* Return: 1 while another batch is being read, or 0 when this was the last one. */
static int copy_batch(struct ssdup *c, const struct pacing_out *how)
{
	struct ssdup_drainer *d = c->drainer;
	struct drain_batch *now = d->ahead;
	struct drain_batch *next = now == &d->batch[0] ? &d->batch[1] : &d->batch[0];
	int r;

	if (!batch_collect(c, next, how->gentle))
		next = NULL;
	d->ahead = NULL;
	r = batch_finish(c, now, next, how->spread);
	if (r)
		return r;
	tell_due(c, d->half);
	return !!next;
}

static int finish_half(struct ssdup *c)
{
	struct ssdup_drainer *d = c->drainer;

	if (ssdup_mode(c) != MODE_RUNNING)
		return ssdup_salvage_home(c, d->half, d->faults.left, d->faults.lost);
	return ssdup_free_half(c, d->half);
}

/*
 * The flush that frees a half keeps the HDD busy. Writes that wait for the half keep the SSD
 * busy afterwards. So during the flush read a batch of other halves, for the HDD to write next.
 *
 * Only extents of the freed half leave the map. The batch's extents, or what replaces them,
 * stay in the log, so no direct write can overtake the batch.
 */
static int free_half(struct ssdup *c, const struct pacing_out *how)
{
	struct ssdup_drainer *d = c->drainer;
	struct drain_batch *b = &d->batch[0];
	int r;

	/* A read-only log drains each half alone. */
	if (!how->urgent || ssdup_mode(c) != MODE_RUNNING)
		return finish_half(c);

	d->from = 0;
	d->fenced = 0;
	d->wide = true;
	d->taken = true;
	batch_collect(c, b, false);
	ssdup_batch_read(c, b, false);
	r = finish_half(c);
	if (r || kthread_should_stop()) {
		ssdup_batch_wait(b);
		return r;
	}
	drain_does(c, DRAIN_COPIES);
	return batch_finish(c, b, NULL, false);
}

/* After an error the next stage is STAGE_CHOOSE. */
static const struct {
	int			(*run)(struct ssdup *c, const struct pacing_out *how);
	enum drain_stage	more;		/* next when run() returns 1 */
	enum drain_stage	done;		/* next when run() returns 0 */
} stages[] = {
	[STAGE_CHOOSE]	= { choose_half,	STAGE_READ,	STAGE_CHOOSE },
	[STAGE_READ]	= { read_first,		STAGE_COPY,	STAGE_FREE },
	[STAGE_COPY]	= { copy_batch,		STAGE_COPY,	STAGE_FREE },
	[STAGE_FREE]	= { free_half,		STAGE_CHOOSE,	STAGE_CHOOSE },
};

void ssdup_drain_drop(struct ssdup *c)
{
	struct ssdup_drainer *d = c->drainer;

	if (d->ahead)
		ssdup_batch_wait(d->ahead);
	d->ahead = NULL;
	d->stage = STAGE_CHOOSE;
}

static int turn(struct ssdup *c, const struct pacing_out *how)
{
	struct ssdup_drainer *d = c->drainer;
	int r;

	d->wide = how->wide;
	do {
		r = stages[d->stage].run(c, how);
		if (r < 0) {
			ssdup_drain_drop(c);
			return r;
		}
		d->stage = r ? stages[d->stage].more : stages[d->stage].done;
	} while (d->stage == STAGE_READ || d->stage == STAGE_FREE);
	return 0;
}

/* Return: is @r an error? Not if a drain was requested since the try began: that one retries. */
static bool tell_error(struct ssdup *c, int r)
{
	struct ssdup_drainer *d = c->drainer;
	bool anew, changed;

	spin_lock(&d->lock);
	anew = r && d->anew;
	changed = !anew && r != c->drain_error;
	if (changed)
		WRITE_ONCE(c->drain_error, r);
	spin_unlock(&d->lock);
	if (changed) {
		ssdup_drain_told(c);
		ssdup_kick_waiting(c);
	}
	return r && !anew;
}

int ssdup_drain_turn(struct ssdup *c, const struct pacing_out *how)
{
	int r = turn(c, how);

	return !kthread_should_stop() && tell_error(c, r) ? r : 0;
}

/* --- For others --- */

void ssdup_drain_anew(struct ssdup *c)
{
	struct ssdup_drainer *d = c->drainer;

	spin_lock(&d->lock);
	WRITE_ONCE(d->anew, true);
	WRITE_ONCE(c->drain_error, 0);
	spin_unlock(&d->lock);
}

u64 ssdup_drain_moved(struct ssdup *c)
{
	return READ_ONCE(c->drainer->faults.moved.all);
}

u64 ssdup_drain_pinned(struct ssdup *c)
{
	return READ_ONCE(c->drainer->faults.moved.pinned);
}

u64 ssdup_home_sectors(struct ssdup *c)
{
	u64 sectors = READ_ONCE(c->pass_home);
	u32 i;

	for (i = 0; i < c->g.nr_halves; i++)
		sectors += READ_ONCE(c->half[i].home);
	return min_t(u64, sectors, atomic64_read(&c->dirty_sectors));
}
