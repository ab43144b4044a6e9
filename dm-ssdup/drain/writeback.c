// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: the writeback thread. It tells core/pacing.c what it sees, and drains by drain.c
 * when core/pacing.c says so.
 */
#include <linux/kthread.h>
#include <linux/slab.h>

#include "base/failure.h"
#include "base/wakeups.h"
#include "drain_internal.h"
#include "log/clean_list.h"
#include "log/guard.h"
#include "route/windows.h"

/* The pause after a failed drain, and between tries to write unwritable extents. */
#define RETRY_MS	5000U

#define RATE_NS		(50 * NSEC_PER_MSEC)	/* between looks at how fast the log fills */

struct ssdup_writeback {
	struct task_struct	*thread;	/* written by preresume and postsuspend */
};

int ssdup_writeback_create(struct ssdup_drainer *drainer)
{
	drainer->writeback = kzalloc(sizeof(*drainer->writeback), GFP_KERNEL);
	return drainer->writeback ? ssdup_drainer_create(drainer) : -ENOMEM;
}

void ssdup_writeback_destroy(struct ssdup_drainer *drainer)
{
	ssdup_drainer_destroy(drainer);
	kfree(drainer->writeback);
}

/* What the thread remembers from look to look. */
struct watch {
	u64		requests;	/* at the last look */
	u64		writes;		/* to the SSD */
	unsigned long	active;		/* jiffies when requests last changed */
	unsigned long	written;	/* jiffies when writes last changed */
	u32		took_ms;	/* time of the last batch */
	unsigned long	deferred_at;		/* jiffies when the next batch was first held off */
	unsigned long	refused_at;	/* jiffies when the HDD last refused an extent */
	bool		refused;	/* such an extent was not tried again yet */
	bool		deferring;
	bool		part;		/* a part of the log was full, and it is not empty yet */
	u64		waits;		/* of writes for space, before the last batch */
	u64		opened;		/* segments, ever, at the last look at the rate */
	u64		rate_since;	/* ns: time of that look */
	u64		rate;		/* ns for each segment that was opened */
	struct ssdup_class *class;	/* to be drained or sealed next */
};

static void look_at_class(struct ssdup_drainer *drainer, struct ssdup_class *k, bool retry,
			  struct pacing_class *p)
{
	u64 sealed = ssdup_oldest_sealed(drainer->log, k, &p->empty), asked = READ_ONCE(k->asked);
	bool closed = ssdup_salvages(drainer, k);
	bool leaves = class_leaves(drainer->log, k);

	/* What stays there is not tried all the time. */
	if (closed && ssdup_salvage_kept(drainer, k))
		sealed = U64_MAX;
	p->sealed = sealed == U64_MAX ? 0 : max(READ_ONCE(k->nr_sealed), 1U);
	p->asked = min(sealed, ssdup_open_generation(drainer->log, k)) <= asked ||
		   (leaves && (p->sealed || ssdup_open_dirty(k, true))) ||
		   (READ_ONCE(drainer->short_of_memory) && !ssdup_clean_segments(drainer->log));
	p->dirty = ssdup_open_dirty(k, retry || p->asked);
	/* A class that takes no more writes is given up as a whole; at once, if others do. */
	p->asked |= closed && p->sealed && ssdup_mode(drainer->c) == MODE_RUNNING;
	p->late = class_is_late(&drainer->c->set.classes, k->lifetime) && !closed && !leaves;
	p->empty &= p->late;
	p->full = !closed && ssdup_full_ssds(drainer->log) & BIT(k->ssd);
}

/* Choose the class that is drained or sealed next, unless a group is being copied. */
static void look_at_classes(struct ssdup_drainer *drainer, struct watch *w, struct pacing_in *in,
			    bool retry)
{
	u32 sealed = ssdup_sealed_segments(drainer->log),
		     freeing = min(sealed, ssdup_drain_freeing(drainer));
	bool part = sealed >= ssdup_part(drainer->log), still = sealed -
		    freeing >= ssdup_part(drainer->log);
	struct ssdup_class *copied = ssdup_drain_class(drainer), *k;
	struct pacing_class p[SSDUP_MAX_CLASSES];
	u32 next;

	for (k = drainer->log->class; k < class_end(drainer->log); k++)
		look_at_class(drainer, k, retry, &p[k->index]);
	next = ssdup_pacing_class(p, drainer->log->classes.nr, in->waiters || still);
	w->class = copied ?: &drainer->log->class[next];
	in->late = p[w->class->index].late;
	in->sealed = p[w->class->index].sealed || ssdup_drain_failed(drainer);
	/* What was asked for comes when the group is done. */
	in->asked = p[w->class->index].asked || p[next].asked;
	in->dirty = p[w->class->index].dirty;
	in->all_open = !sealed || (p[next].full && !p[next].sealed);
	/* A group of empty segments stays one until it is free, also when drains are paused. */
	if (!copied)
		in->empty = p[next].empty;
	/* A late class gives no more back than is needed, but a group that was begun goes on. */
	w->part = in->sealed && !in->late && (w->part || part);
	in->part = in->late ? still || copied : w->part;
}

static void look_at_device(struct ssdup_drainer *drainer, struct watch *w, struct pacing_in *in)
{
	unsigned long now = jiffies;
	bool retry = w->refused &&
		     time_after(now, w->refused_at + msecs_to_jiffies(UNWRITABLE_RETRY_MS));
	struct ssdup_requests s = ssdup_sum_requests(drainer);

	if (s.all != w->requests) {
		w->requests = s.all;
		w->active = now;
	}
	if (s.writes != w->writes) {
		w->writes = s.writes;
		w->written = now;
	}
	if (!w->deferring)
		w->deferred_at = now;
	in->mode = ssdup_mode(drainer->c);
	in->drain = READ_ONCE(drainer->c->set.drain);
	in->route = READ_ONCE(drainer->router->route);
	in->patient = ssdup_windowed(drainer->c);
	in->paused = READ_ONCE(drainer->paused);
	/* Others wait for a commit, memory or the SSD. A group that was begun for them goes on. */
	if (ssdup_windowed(drainer->c))
		in->waiters = ssdup_window_wants_pass(drainer->router) ||
			      (in->waiters && ssdup_drain_copies(drainer));
	else
		in->waiters = atomic_read(&drainer->c->wake.nr_waiting) &&
			      ssdup_full_ssds(drainer->log);
	look_at_classes(drainer, w, in, retry);
	/* One that overlaps two classes has asked for a drain. */
	in->waiters |= in->asked && drainer->log->classes.nr > 1 &&
		       atomic_read(&drainer->c->wake.nr_waiting);
	in->reads = ssdup_window_reads(drainer->router);
	in->writes = time_before(now, w->written + msecs_to_jiffies(PACING_SEEN_MS));
	in->took_ms = w->took_ms;
	in->guarded = ssdup_guard_state(drainer->log) != GUARD_OPEN;
	in->fill = ssdup_part_fill(drainer->log);
	in->hdd_inflight = s.hdd_inflight;
	/* Who waits for a window uses the device. */
	if (atomic_read(&drainer->c->wake.nr_waiting))
		w->active = now;
	in->quiet_ms = in->hdd_inflight ? 0 : jiffies_to_msecs(now - w->active);
	in->deferred_ms = jiffies_to_msecs(now - w->deferred_at);
}

/* Note how fast segments are opened. */
static void look_at_rate(struct ssdup_drainer *drainer, struct watch *w)
{
	u64 now = ktime_get_ns(), opened = ssdup_segments_opened(drainer->log);

	if (now - w->rate_since < RATE_NS)
		return;
	w->rate = opened > w->opened ? div64_u64(now - w->rate_since, opened - w->opened) : 0;
	w->rate_since = now;
	w->opened = opened;
}

/* What the next group may be. */
static struct pacing_group group_size(struct ssdup_drainer *drainer, const struct watch *w,
				      const struct pacing_in *in)
{
	u32 free = ssdup_free_segments(drainer->log);
	/* Blocks that move take the last segments, and only a group as a whole gives some back. */
	bool last = ssdup_drain_short(drainer->log);

	return (struct pacing_group){
		.part = last ? 1 : ssdup_part(drainer->log),
		.waiters = last || in->waiters || w->waits != ssdup_nr_waits(drainer->router) ||
			   (in->asked && atomic_read(&drainer->c->wake.nr_waiting)),
		/* Who uses the HDD now may write soon; and what is late may never be drained. */
		.writes = in->writes || in->late || in->quiet_ms < PACING_SEEN_MS,
		.full_ns = w->rate * (free - min(free, ssdup_drain_segments_of_all(drainer->log))),
		.quiet_ns = in->asked ? U64_MAX : (u64)in->quiet_ms * NSEC_PER_MSEC,
		.segment_ns = READ_ONCE(drainer->segment_ns),
	};
}

static void wait_kick(struct ssdup_drainer *drainer, long timeout)
{
	struct ssdup_wakeups *wake = &drainer->c->wake;

	wait_event_interruptible_timeout(wake->wb_wait,
					 READ_ONCE(wake->wb_kick) || kthread_should_stop(),
					 timeout);
}

static void seal_class(struct ssdup_drainer *drainer, struct watch *w)
{
	struct ssdup_segment *seg = READ_ONCE(w->class->open);

	w->refused = false;
	drain_does(drainer, DRAIN_SEALS);
	ssdup_seal(drainer->log, w->class, false);
	ssdup_stage_soon(drainer->c, true);
	wait_event_timeout(drainer->c->wake.settle_wait, segment_settled(seg), HZ);
}

/* A bit for each SSD that has closed classes, which can be drained. */
static u32 closed_ssds(const struct ssdup_drainer *drainer)
{
	switch (ssdup_mode(drainer->c)) {
	case MODE_RUNNING:
		return ssdup_ssds_out(drainer->c);
	case MODE_LOG_READ_ONLY:
		return BIT(drainer->c->nr_ssds) - 1;
	default:
		return 0;
	}
}

static bool newly_closed(const struct ssdup_drainer *drainer)
{
	return closed_ssds(drainer) & ~drainer->closed;
}

static void drain_batch(struct ssdup_drainer *drainer, struct watch *w, const struct pacing_in *in,
			const struct pacing_out *how)
{
	struct pacing_group size = group_size(drainer, w, in);
	ktime_t begun = ktime_get();
	u64 unwritable = drainer->unwritable;
	u32 wait;
	int r;

	drain_does(drainer, DRAIN_COPIES);
	w->waits = ssdup_nr_waits(drainer->router);
	r = ssdup_drain_turn(drainer, how, &size, w->class, in->empty);
	w->took_ms = ktime_ms_delta(ktime_get(), begun);
	if (kthread_should_stop())
		return;
	if (unwritable != drainer->unwritable) {
		w->refused = true;
		w->refused_at = jiffies;
	}
	/* In another mode, or without an SSD, there is something else to do, at once. */
	if (!r || ssdup_mode(drainer->c) != in->mode || newly_closed(drainer))
		return;
	/* What stays in a read-only log is unlikely to be written soon. */
	wait = r == -SSDUP_ERR_KEPT || r == -SSDUP_ERR_SPENT ? UNWRITABLE_RETRY_MS : RETRY_MS;
	DMERR_LIMIT("%s: a drain failed (%d), next try in %u ms", drainer->c->name,
		    ssdup_errno(r), wait);
	drain_does(drainer, DRAIN_RETRY);
	ssdup_window_pass(drainer->router, WINDOW_PASS_COPIES, false);
	/* ssdup_drain_all() clears the error, and so ends the pause. */
	wait_event_interruptible_timeout(drainer->c->wake.wb_wait,
					 !READ_ONCE(drainer->drain_error) ||
					 newly_closed(drainer) || kthread_should_stop(),
					 msecs_to_jiffies(wait));
}

static int writeback_thread(void *arg)
{
	struct ssdup_drainer *drainer = arg;
	/* Extents that were refused before a suspend are tried again after it. */
	struct watch w = {
		.active = jiffies, .written = jiffies,
		.refused = drainer->unwritable, .refused_at = jiffies,
	};
	struct pacing_in in = { };
	struct pacing_out out;
	u64 since;

	while (!kthread_should_stop()) {
		/* Before the look, so that a kick during the look causes another one. */
		WRITE_ONCE(drainer->c->wake.wb_kick, false);
		/* Pairs with the barrier in ssdup_kick_writeback(). */
		smp_mb();
		if (newly_closed(drainer)) {
			ssdup_drain_drop(drainer);
			ssdup_salvage_begin(drainer, closed_ssds(drainer));
		}
		look_at_device(drainer, &w, &in);
		look_at_rate(drainer, &w);
		out = ssdup_pacing_decide(&in);
		/* By windows, nothing but its writers wants this pass. */
		out.lazy = in.waiters && ssdup_windowed(drainer->c);
		w.deferring = out.action == PACING_DEFER;
		if (out.action != PACING_DRAIN) {
			ssdup_drain_rest(drainer);
			ssdup_window_pass(drainer->router, WINDOW_PASS_COPIES, false);
		}
		since = ktime_get_ns();
		switch (out.action) {
		case PACING_SLEEP:
			drain_does(drainer,
				   in.mode == MODE_LOG_FAILED ? DRAIN_STOPPED : DRAIN_IDLE);
			/* Nothing kicks the thread for unwritable extents. */
			if (w.refused || ssdup_salvage_keeps(drainer))
				out.wait_ms = UNWRITABLE_RETRY_MS;
			wait_kick(drainer, out.wait_ms ? msecs_to_jiffies(out.wait_ms) + 1 :
							 MAX_SCHEDULE_TIMEOUT);
			break;
		case PACING_DEFER:
			drain_does(drainer, DRAIN_DEFERS);
			/* If a part is to be drained, the holds are short: ignore kicks. */
			if (in.part && !in.patient)
				schedule_timeout_interruptible(msecs_to_jiffies(out.wait_ms) + 1);
			else
				wait_kick(drainer, msecs_to_jiffies(out.wait_ms) + 1);
			break;
		case PACING_SEAL:
			seal_class(drainer, &w);
			break;
		case PACING_OPEN:
			ssdup_settle_guard(drainer->log);
			/* If it stays closed, not at once again. */
			w.active = jiffies;
			break;
		case PACING_DRAIN:
			ssdup_window_pass(drainer->router, WINDOW_PASS_COPIES, true);
			drain_batch(drainer, &w, &in, &out);
			break;
		}
		if (out.action == PACING_SLEEP || out.action == PACING_DEFER)
			ssdup_drain_rested(drainer, ktime_get_ns() - since);
	}
	ssdup_window_pass(drainer->router, WINDOW_PASS_COPIES, false);
	ssdup_drain_drop(drainer);
	drain_does(drainer, DRAIN_STOPPED);
	return 0;
}

int ssdup_writeback_prepare(struct ssdup_drainer *drainer)
{
	struct ssdup_writeback *wb = drainer->writeback;
	struct task_struct *thread;

	/* It exists if another target of the table failed at the last preresume. */
	if (wb->thread)
		return 0;
	thread = kthread_create(writeback_thread, drainer, "ssdup-wb/%s",
				dm_device_name(drainer->c->md));
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	wb->thread = thread;
	return 0;
}

void ssdup_writeback_start(struct ssdup_drainer *drainer)
{
	atomic_set(&drainer->clean.errors, 0);
	if (drainer->writeback->thread)
		wake_up_process(drainer->writeback->thread);
}

void ssdup_writeback_stop(struct ssdup_drainer *drainer)
{
	if (!drainer->writeback->thread)
		return;
	kthread_stop(drainer->writeback->thread);
	drainer->writeback->thread = NULL;
}
