// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: the drain of a group of segments, a batch at a time. Documentation/design.rst draws
 * its stages.
 *
 * Three batches take turns: while two are written to the HDD, the next is read from the SSD. So the
 * HDD has the second one when it is done with the first, and does not lose a turn of its disk
 * between them. When a group was copied, a work item flushes the HDD and frees it. Meanwhile the
 * next group is copied, so the HDD does not wait for its own flush. faults.c handles I/O errors.
 */
#include <linux/kthread.h>

#include "base/trace.h"
#include "base/wakeups.h"
#include "drain_internal.h"
#include "log/guard.h"
#include "map/map.h"

#define DRAIN_ASSUMED_NS 6000U		/* for each sector: 80 MB/s, until it is measured */
#define DRAIN_GENTLE_PIECES 4U		/* of a batch of one run's size, beside readers */

enum drain_stage {
	STAGE_CHOOSE,		/* no group is being copied */
	STAGE_READ,		/* a group was chosen, and no batch is in flight */
	STAGE_COPY,		/* a batch of the group is being read */
	STAGE_FREE,		/* the whole group is on the HDD, or has moved */
};

struct ssdup_copier {
	struct ssdup_drainer	*drainer;
	enum drain_stage	stage;
	struct ssdup_class	*class;		/* of the next group */
	bool			empty;		/* the next group is of empty segments */
	bool			salvages;	/* the group is of a closed class */
	struct drain_group	group;		/* being copied; not in STAGE_CHOOSE */
	struct extent_order	order;		/* its extents that were not taken yet */
	struct drain_batch	batch[DRAIN_BATCHES];
	u32			turn;		/* the batch to be read next */
	struct drain_batch	*ahead;		/* being read; in STAGE_COPY */
	struct drain_batch	*behind;	/* being written; in STAGE_COPY, or NULL */
	u64			fenced;		/* ranges below this index are fenced */
	bool			again;		/* this is not the first pass */
	struct drain_faults	faults;
	u64			chosen;		/* ns: when it was */
	struct work_struct	free_work;	/* the next four belong to it while it is queued */
	struct drain_group	freed;		/* the group that it frees */
	u64			since;		/* ns: when it was chosen, or one before was free */
	u64			freed_at;	/* ns: when the last one was free */
	int			free_error;	/* of the last one */
	spinlock_t		lock;		/* protects drain_error and anew of the drainer */
};

/* A moving average of what it takes to drain and free a segment. */
static void learn_time(struct ssdup_drainer *drainer, u64 ns)
{
	u64 before = drainer->segment_ns;

	WRITE_ONCE(drainer->segment_ns, before - before / 4 + ns / 4);
}

static void free_work(struct work_struct *work)
{
	struct ssdup_copier *copier = container_of(work, struct ssdup_copier, free_work);
	struct ssdup_drainer *drainer = copier->drainer;
	u64 copied = copier->freed.copied, size = drainer->log->g.data_sectors;
	int r = ssdup_free_group(drainer, &copier->freed);
	u64 now = ktime_get_ns();

	/* While groups follow each other, from one to the next; a short one says little. */
	if (!r && copied >= size / 4)
		learn_time(drainer, mul_u64_u64_div_u64(now - copier->since, size, copied));
	copier->freed_at = now;

	if (r && !copier->freed.durable)
		ssdup_group_set(drainer->log, &copier->freed, SEGMENT_SEALED);
	WRITE_ONCE(copier->free_error, r);
	ssdup_window_pass(drainer->router, WINDOW_PASS_FREES, false);
	WRITE_ONCE(drainer->free_state, DRAIN_IDLE);
	ssdup_kick_writeback(drainer->c);
}

int ssdup_drainer_create(struct ssdup_drainer *drainer)
{
	struct ssdup_copier *copier = kvzalloc(sizeof(*copier), GFP_KERNEL);
	u32 i;
	int r = 0;

	drainer->copier = copier;
	if (!copier)
		return -ENOMEM;
	copier->drainer = drainer;
	drainer->segment_ns = (u64)DRAIN_ASSUMED_NS * drainer->log->g.data_sectors;
	spin_lock_init(&copier->lock);
	INIT_WORK(&copier->free_work, free_work);
	for (i = 0; i < DRAIN_BATCHES && !r; i++)
		r = ssdup_batch_init(drainer, &copier->batch[i]);
	return r;
}

void ssdup_drainer_destroy(struct ssdup_drainer *drainer)
{
	u32 i;

	if (!drainer->copier)
		return;
	for (i = 0; i < DRAIN_BATCHES; i++)
		ssdup_batch_exit(&drainer->copier->batch[i]);
	kvfree(drainer->copier);
}

/* --- A batch from SSD to HDD --- */

/* Wait for the batch that is being written, if there is one. */
static int batch_finish(struct ssdup_drainer *drainer)
{
	struct ssdup_copier *copier = drainer->copier;
	struct ssdup_class_stats __percpu *stats;
	struct drain_batch *b = copier->behind;
	const struct drain_run *run;
	bool failed;
	int r;
	u32 i;

	if (!b)
		return 0;
	stats = &drainer->stats->class[group_first(&copier->group)->class->index];
	copier->behind = NULL;
	ssdup_batch_write_end(drainer, b);
	for (i = 0; i < b->plan.nr_runs; i++) {
		run = &b->plan.runs[i];
		if (run->kind == SSDUP_KIND_NONE)
			continue;
		failed = run->kind == SSDUP_KIND_DATA ? b->io[i].status != BLK_STS_OK :
							ssdup_batch_tombstone(drainer, run);
		if (!failed)
			copier->faults.bad = 0;
		r = failed ? ssdup_faults_run(drainer, &copier->faults, b, run) : 0;
		if (r)
			return r;
		stat_add(drainer->c, STAT_DRAINED_SECTORS, run->sectors);
		this_cpu_add(stats->drained, run->sectors);
		copier->group.copied += run->sectors;
	}
	return 0;
}

/* Is a part of @b behind the guard? A change of that waits for it. */
static bool batch_guarded(struct ssdup_drainer *drainer, const struct drain_batch *b)
{
	u32 i;

	for (i = 0; i < b->plan.nr_runs; i++)
		if (guard_part(drainer->log, b->plan.runs[i].start, b->plan.runs[i].sectors))
			return true;
	return false;
}

/*
 * Begin to write @b, and to read @next unless it is NULL, and wait for the writes of the batch
 * before. After a failed read of @b do none of that. One that is behind the guard is written alone:
 * what else happens until it has ended could wait for a change of the guard, and that for it.
 */
static int batch_write(struct ssdup_drainer *drainer, struct drain_batch *b,
		       struct drain_batch *next, bool spread)
{
	struct ssdup_copier *copier = drainer->copier;
	bool alone;
	int r;

	ssdup_batch_wait(b);
	ssdup_step(drainer->c, STEP_DRAIN_HAVE);
	r = ssdup_faults_reread(drainer, &copier->faults, b);
	alone = batch_guarded(drainer, b);
	if (!r && alone)
		r = batch_finish(drainer);
	if (r)
		return r;
	copier->group.wrote = true;
	ssdup_batch_write_begin(drainer, b);
	if (next)
		ssdup_batch_read(drainer, next, spread);
	copier->ahead = next;
	r = batch_finish(drainer);
	copier->behind = b;
	return !r && alone ? batch_finish(drainer) : r;
}

/*
 * Wait for the direct writes to a range that have begun. Later ones look for overlaps when
 * all extents of the sealed segments are in the tree.
 */
static void fence_range(struct ssdup_drainer *drainer, struct ssdup_range *r)
{
	u8 old;

	ssdup_step(drainer->c, STEP_DRAIN_FENCE);
	spin_lock_irq(&r->lock);
	old = r->phase;
	r->phase ^= 1;
	spin_unlock_irq(&r->lock);
	drain_does(drainer, DRAIN_FENCE);
	wait_event(drainer->c->wake.settle_wait, !atomic_read(&r->direct[old]));
	drain_does(drainer, DRAIN_COPIES);
}

/*
 * Writes have split extents of the group, which may not have been taken yet: put the rear parts
 * in order too. Return: were there any?
 */
static bool add_pieces(struct ssdup_drainer *drainer)
{
	struct ssdup_copier *copier = drainer->copier;
	struct extent_array *a, *next;
	struct ssdup_segment *seg;
	bool any = false;

	for (seg = group_first(&copier->group); seg; seg = group_next(&copier->group, seg)) {
		llist_for_each_entry_safe(a, next, llist_del_all(&seg->pieces), list) {
			ssdup_order_add(&copier->order, a);
			llist_add(&a->list, &seg->ordered);
			any = true;
			cond_resched();
		}
	}
	return any;
}

/* Put the group in order from where the arm is; what was split off since comes in another pass. */
static void order_group(struct ssdup_drainer *drainer)
{
	struct ssdup_copier *copier = drainer->copier;
	struct extent_array *a;
	struct ssdup_segment *seg;

	copier->order.arrays = RB_ROOT_CACHED;
	for (seg = group_first(&copier->group); seg; seg = group_next(&copier->group, seg)) {
		llist_for_each_entry(a, seg->arrays.first, list) {
			ssdup_order_add(&copier->order, a);
			cond_resched();
		}
		llist_for_each_entry(a, seg->ordered.first, list) {
			ssdup_order_add(&copier->order, a);
			cond_resched();
		}
	}
}

/* The next extent of the group, or NULL when all were taken. */
static struct extent *next_extent(struct ssdup_drainer *drainer, u64 *start)
{
	struct ssdup_copier *copier = drainer->copier;
	struct extent *e;

	while (!(e = ssdup_order_next(&copier->order, start))) {
		/* Another pass, for what was split off before it was taken. */
		ssdup_order_begin(&copier->order);
		if (!add_pieces(drainer))
			break;
		copier->fenced = 0;
		copier->again = true;
	}
	return e;
}

/* Take the next batch from the map. Return: it, or NULL when there is none. */
static struct drain_batch *batch_collect(struct ssdup_drainer *drainer, bool gentle)
{
	struct ssdup_copier *copier = drainer->copier;
	struct drain_batch *b = &copier->batch[copier->turn];
	struct ssdup_range *r;
	struct extent *e;
	u64 start, index;

	b->plan.nr_pieces = 0;
	b->plan.nr_runs = 0;
	b->plan.sectors = 0;
	b->plan.zeroes = 0;
	b->plan.max_pieces = DRAIN_PIECES;
	b->plan.max_sectors = DRAIN_SECTORS;
	if (gentle) {
		b->plan.max_pieces = DRAIN_GENTLE_PIECES;
		b->plan.max_sectors = DRAIN_RUN;
	}
	while (!plan_full(&b->plan) && (e = next_extent(drainer, &start))) {
		index = start >> drainer->map->range_shift;
		r = &drainer->map->ranges[index];
		if (copier->fenced <= index) {
			fence_range(drainer, r);
			copier->fenced = index + 1;
		}
		spin_lock_irq(&r->lock);
		ssdup_plan_collect(&b->plan, &copier->order, e, start);
		spin_unlock_irq(&r->lock);
		cond_resched();
	}
	if (!b->plan.nr_pieces)
		return NULL;
	ssdup_plan_join(&b->plan);
	trace_ssdup_drain(drainer->c, group_first(&copier->group), &b->plan);
	copier->turn = (copier->turn + 1) % DRAIN_BATCHES;
	return b;
}

/* --- Stages --- */

/* Wait until the last group is free. Return: 0 or -errno. */
static int await_free(struct ssdup_drainer *drainer)
{
	struct ssdup_copier *copier = drainer->copier;
	int r;

	drain_does(drainer, DRAIN_FREES);
	flush_work(&copier->free_work);
	drain_does(drainer, DRAIN_COPIES);
	r = copier->free_error;
	copier->free_error = 0;
	return r;
}

/* Return: 1, or 0 when there is nothing to drain. */
static int choose_group(struct ssdup_drainer *drainer, const struct pacing_out *how,
			const struct pacing_group *size)
{
	struct ssdup_copier *copier = drainer->copier;
	bool anew = READ_ONCE(drainer->anew), found;
	int r;

	/* Once: when an SSD of the group fails, it is dropped. */
	copier->salvages = ssdup_salvages(drainer, copier->class);
	/* It has failed since the thread looked: ssdup_salvage_begin() comes first. */
	if (!copier->salvages && class_closed(drainer->log, copier->class))
		return 0;

	/*
	 * A group that was begun before the request may fail: that is not its error. And no salvage
	 * begins beside a free of another class.
	 */
	if (anew || copier->salvages || READ_ONCE(copier->free_error)) {
		r = await_free(drainer);
		if (r)
			return r;
	}
	if (anew) {
		ssdup_salvage_anew(drainer);
		WRITE_ONCE(drainer->anew, false);
	}
	if (copier->salvages)
		found = ssdup_salvage_next(drainer, &copier->group);
	else
		found = ssdup_group_take(drainer->log, copier->class, ssdup_pacing_group(size),
					 copier->empty,
					 class_leaves(drainer->log, copier->class), &copier->group);
	if (!found)
		return copier->salvages ? ssdup_salvage_end(drainer) : 0;
	copier->group.hdd = drive_now(&drainer->c->hdd_user);
	copier->fenced = 0;
	copier->chosen = ktime_get_ns();
	ssdup_faults_begin(&copier->faults);
	copier->again = false;
	ssdup_order_begin(&copier->order);
	order_group(drainer);
	add_pieces(drainer);
	ssdup_step(drainer->c, STEP_DRAIN_BEGIN);
	return 1;
}

/* Has an SSD of the group failed since it was chosen? Then it is copied in another way. */
static bool salvages_now(struct ssdup_drainer *drainer)
{
	struct ssdup_copier *copier = drainer->copier;
	u32 ssd;

	/* After a commit that has left one out. Pairs with the barrier in end_commits(). */
	smp_rmb();
	for (ssd = 0; ssd < drainer->c->nr_ssds && !copier->salvages; ssd++)
		if (copier->group.part[ssd].nr &&
		    class_closed(drainer->log, copier->group.part[ssd].first->class))
			return true;
	return false;
}

/* Only what a flush has made durable leaves the SSD, which may lose the rest. */
static int make_durable(struct ssdup_drainer *drainer)
{
	const struct drain_group *g = &drainer->copier->group;
	struct ssdup_segment *seg;

	for (seg = group_first(g); seg; seg = group_next(g, seg))
		/* Of a closed class, ssdup_salvage_begin() has done what it can. */
		if (!segment_durable(seg) && !drainer->copier->salvages) {
			ssdup_commit(drainer->log);
			break;
		}
	return salvages_now(drainer) ? -SSDUP_ERR_DOUBT : 0;
}

/* Return: 1, or 0 when nothing of the group is left in the map. */
static int read_first(struct ssdup_drainer *drainer, const struct pacing_out *how,
		      const struct pacing_group *size)
{
	struct ssdup_copier *copier = drainer->copier;
	int r = make_durable(drainer);

	if (r)
		return r;
	copier->ahead = batch_collect(drainer, how->gentle);
	if (!copier->ahead)
		return 0;
	ssdup_batch_read(drainer, copier->ahead, how->spread);
	return 1;
}

/* Return: 1 while another batch is being read, or 0 when this was the last one. */
static int copy_batch(struct ssdup_drainer *drainer, const struct pacing_out *how,
		      const struct pacing_group *size)
{
	struct ssdup_copier *copier = drainer->copier;
	struct drain_batch *now = copier->ahead, *next = batch_collect(drainer, how->gentle);
	int r;

	copier->ahead = NULL;
	r = batch_write(drainer, now, next, how->spread);
	/* The thread may rest before the next turn, unless writers wait for this pass. */
	if (!r && !(next && how->lazy))
		r = batch_finish(drainer);
	return r ?: !!next;
}

/* Hand the group over to the work item. A closed class frees none by itself. */
static int hand_over_group(struct ssdup_drainer *drainer, const struct pacing_out *how,
			   const struct pacing_group *size)
{
	struct ssdup_copier *copier = drainer->copier;
	int r = await_free(drainer);

	if (copier->salvages)
		return ssdup_salvage_written(drainer, &copier->group, copier->faults.left,
					     copier->faults.lost);
	if (salvages_now(drainer))
		return -SSDUP_ERR_DOUBT;
	if (r)
		return r;
	ssdup_group_set(drainer->log, &copier->group, SEGMENT_WRITTEN_BACK);
	copier->freed = copier->group;
	copier->since = max(copier->chosen, copier->freed_at);
	ssdup_window_pass(drainer->router, WINDOW_PASS_FREES, true);
	WRITE_ONCE(drainer->free_state, DRAIN_FREES);
	queue_work(drainer->c->wake.wq, &copier->free_work);
	return 0;
}

/* After an error the next stage is STAGE_CHOOSE. */
static const struct {
	int			(*run)(struct ssdup_drainer *drainer, const struct pacing_out *how,
				       const struct pacing_group *size);
	enum drain_stage	more;		/* next when run() returns 1 */
	enum drain_stage	done;		/* next when run() returns 0 */
} stages[] = {
	[STAGE_CHOOSE]	= { choose_group,	STAGE_READ,	STAGE_CHOOSE },
	[STAGE_READ]	= { read_first,		STAGE_COPY,	STAGE_FREE },
	[STAGE_COPY]	= { copy_batch,		STAGE_COPY,	STAGE_FREE },
	[STAGE_FREE]	= { hand_over_group,	STAGE_CHOOSE,	STAGE_CHOOSE },
};

/* Forget the group being copied. */
static void drop_group(struct ssdup_drainer *drainer)
{
	struct ssdup_copier *copier = drainer->copier;

	if (copier->ahead)
		ssdup_batch_wait(copier->ahead);
	if (copier->behind)
		ssdup_batch_write_end(drainer, copier->behind);
	copier->ahead = NULL;
	copier->behind = NULL;
	if (copier->stage != STAGE_CHOOSE)
		ssdup_group_set(drainer->log, &copier->group, SEGMENT_SEALED);
	copier->stage = STAGE_CHOOSE;
}

void ssdup_drain_drop(struct ssdup_drainer *drainer)
{
	drop_group(drainer);
	flush_work(&drainer->copier->free_work);
}

/*
 * Space is wanted, but the group was chosen when it was not. Let so many segments go that the
 * rest is free in time: what is copied of the rest need not be copied again.
 */
static void shrink_group(struct ssdup_drainer *drainer, const struct pacing_group *size)
{
	struct ssdup_copier *copier = drainer->copier;
	u64 all = copier->group.sectors, left = all - min(all, copier->group.copied);
	u64 wanted = (u64)ssdup_pacing_group(size) * drainer->log->g.data_sectors;
	u32 keep, nr;

	if (!size->waiters || copier->stage != STAGE_COPY || copier->again || left <= wanted ||
	    copier->salvages)
		return;
	nr = copier->group.nr;
	keep = max(div64_u64(wanted * nr, left), 1ULL);
	if (keep >= nr)
		return;
	ssdup_group_shrink(drainer->log, &copier->group, keep);
	/* Each part keeps one. */
	if (copier->group.nr == nr)
		return;
	/* What is copied is counted anew, too. */
	copier->chosen = ktime_get_ns();
	copier->group.sectors = mul_u64_u64_div_u64(copier->group.sectors, left, all);
	order_group(drainer);
}

static int run_stages(struct ssdup_drainer *drainer, const struct pacing_out *how,
		      const struct pacing_group *size)
{
	struct ssdup_copier *copier = drainer->copier;
	int r;

	shrink_group(drainer, size);
	do {
		r = stages[copier->stage].run(drainer, how, size);
		if (r < 0) {
			/* No error of the drain, if an SSD of the group has failed. */
			if (copier->stage != STAGE_CHOOSE && salvages_now(drainer))
				r = -SSDUP_ERR_DOUBT;
			drop_group(drainer);
			return r;
		}
		copier->stage = r ? stages[copier->stage].more : stages[copier->stage].done;
		/* A flush keeps all writes from the HDD: not before its space is wanted. */
		if (copier->stage == STAGE_FREE && how->lazy &&
		    !ssdup_window_wants_pass(drainer->router))
			break;
	} while (copier->stage == STAGE_READ || copier->stage == STAGE_FREE);
	return 0;
}

bool ssdup_drain_failed(struct ssdup_drainer *drainer)
{
	return READ_ONCE(drainer->copier->free_error);
}

/* Return: is @r an error? Not if a drain was requested since the try began: that one retries. */
static bool tell_error(struct ssdup_drainer *drainer, int r)
{
	struct ssdup_copier *copier = drainer->copier;
	int shown = ssdup_errno(r);
	bool anew, changed;

	spin_lock(&copier->lock);
	anew = r && drainer->anew;
	changed = !anew && shown != drainer->drain_error;
	if (changed)
		WRITE_ONCE(drainer->drain_error, shown);
	spin_unlock(&copier->lock);
	if (changed) {
		ssdup_drain_told(drainer->c);
		ssdup_kick_waiting(drainer->c);
	}
	return r && !anew;
}

int ssdup_drain_turn(struct ssdup_drainer *drainer, const struct pacing_out *how,
		     const struct pacing_group *size, struct ssdup_class *class, bool empty)
{
	int r;

	drainer->copier->class = class;
	drainer->copier->empty = empty;
	r = run_stages(drainer, how, size);
	/* The group is copied once more, and it is no error yet. */
	if (r == -SSDUP_ERR_DOUBT)
		return 0;
	return !kthread_should_stop() && tell_error(drainer, r) ? r : 0;
}

void ssdup_drain_rest(struct ssdup_drainer *drainer)
{
	int r = batch_finish(drainer);

	if (!r)
		return;
	drop_group(drainer);
	tell_error(drainer, r);
}

/* --- For others --- */

u32 ssdup_drain_freeing(const struct ssdup_drainer *drainer)
{
	return READ_ONCE(drainer->free_state) == DRAIN_IDLE ? 0 : drainer->copier->freed.nr;
}

struct ssdup_class *ssdup_drain_class(struct ssdup_drainer *drainer)
{
	struct ssdup_copier *copier = drainer->copier;

	return copier->stage == STAGE_CHOOSE ? NULL : group_first(&copier->group)->class;
}

bool ssdup_drain_copies(const struct ssdup_drainer *drainer)
{
	return drainer->copier->stage == STAGE_COPY;
}

void ssdup_drain_rested(struct ssdup_drainer *drainer, u64 ns)
{
	drainer->copier->chosen += ns;
}

void ssdup_drain_anew(struct ssdup_drainer *drainer)
{
	struct ssdup_copier *copier = drainer->copier;

	spin_lock(&copier->lock);
	WRITE_ONCE(drainer->anew, true);
	WRITE_ONCE(drainer->drain_error, 0);
	spin_unlock(&copier->lock);
}
