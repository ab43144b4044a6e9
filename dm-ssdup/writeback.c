// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: the writeback thread. When is core/pacing.c's to say; how is drain.c's
 * to do; here is what the one is told and the other is made to do.
 */
#include <linux/kthread.h>

#include "batch.h"
#include "commit.h"
#include "drain.h"
#include "halves.h"
#include "hdd.h"
#include "mode.h"
#include "requests.h"
#include "wake.h"
#include "writeback.h"

/* After a drain that failed, and between tries of extents that are pinned. */
#define RETRY_MS	5000U
#define PINNED_RETRY_MS	60000U

/* What the thread keeps between two looks. */
struct watch {
	u64		requests;	/* seen at the last look */
	u64		reads;		/* of them */
	u64		writes;		/* of them, to the SSD */
	unsigned long	active;		/* jiffies when requests last changed */
	unsigned long	read;		/* when reads did */
	unsigned long	written;	/* and when writes did */
	u32		took_ms;	/* the last batch */
	unsigned long	held;		/* jiffies since when this batch is held off */
	unsigned long	pinned_at;	/* jiffies when a drain last moved something pinned */
	bool		pinned;		/* and it was not tried again since */
	bool		holding;
};

/* The generation that is drained next; ~0 when nothing is sealed. */
static u64 oldest_sealed(struct ssdup *c)
{
	struct ssdup_half *h;
	u64 generation = U64_MAX;

	spin_lock_irq(&c->half_lock);
	h = list_first_entry_or_null(&c->sealed, struct ssdup_half, list);
	if (h)
		generation = h->generation;
	spin_unlock_irq(&c->half_lock);
	return generation;
}

/* Does the open half hold more than what a drain put there itself? */
static bool open_dirty(struct ssdup *c, bool count_relocated)
{
	struct ssdup_half *h = READ_ONCE(c->open);

	return log_word_entries(atomic64_read(&h->word)) > (count_relocated ? 0 : h->relocated);
}

static void look(struct ssdup *c, struct watch *w, struct pacing_in *in)
{
	unsigned long now = jiffies;
	u64 sealed = oldest_sealed(c);
	u64 asked = READ_ONCE(c->asked);
	bool retry = w->pinned &&
		     time_after(now, w->pinned_at + msecs_to_jiffies(PINNED_RETRY_MS));
	bool spare = ssdup_count_halves(c, HALF_FREE);
	struct ssdup_requests s = ssdup_sum_requests(c);

	if (s.all != w->requests) {
		w->requests = s.all;
		w->active = now;
	}
	if (s.reads != w->reads) {
		w->reads = s.reads;
		w->read = now;
	}
	if (s.writes != w->writes) {
		w->writes = s.writes;
		w->written = now;
	}
	if (!w->holding)
		w->held = now;
	in->mode = ssdup_mode(c);
	in->drain = READ_ONCE(c->set.drain);
	in->route = READ_ONCE(c->route);
	in->patient = READ_ONCE(c->set.policy) == SSDUP_POLICY_BALANCE;
	in->paused = READ_ONCE(c->paused);
	in->sealed = sealed != U64_MAX;
	in->asked = (in->sealed ? sealed : ssdup_open_generation(c)) <= asked;
	in->asked |= READ_ONCE(c->short_of_memory);
	in->waiters = atomic_read(&c->nr_waiting);
	in->reads = time_before(now, w->read + msecs_to_jiffies(PACING_SEEN_MS));
	in->writes = time_before(now, w->written + msecs_to_jiffies(PACING_SEEN_MS));
	in->took_ms = w->took_ms;
	in->spare = spare;
	in->dirty = open_dirty(c, retry || in->asked);
	in->fill = ssdup_fill(c);
	in->hdd_inflight = s.hdd_inflight;
	in->quiet_ms = in->hdd_inflight ? 0 : jiffies_to_msecs(now - w->active);
	in->held_ms = jiffies_to_msecs(now - w->held);
}

static void wait_kick(struct ssdup *c, long timeout)
{
	wait_event_interruptible_timeout(c->wb_wait,
					 READ_ONCE(c->wb_kick) || kthread_should_stop(),
					 timeout);
}

static void seal(struct ssdup *c, struct watch *w)
{
	struct ssdup_half *h = READ_ONCE(c->open);

	w->pinned = false;
	drain_does(c, DRAIN_SEALS);
	if (!ssdup_switch(c, h))
		wait_event_timeout(c->settle_wait, !atomic_read(&h->writes), HZ);
}

/* Return: is @r an error that counts? Who asked since the try began gets one of his own. */
static bool tell_error(struct ssdup *c, int r)
{
	bool anew, changed;

	spin_lock_irq(&c->half_lock);
	anew = r && c->drain_anew;
	changed = !anew && r != c->drain_error;
	if (changed)
		WRITE_ONCE(c->drain_error, r);
	spin_unlock_irq(&c->half_lock);
	if (changed) {
		ssdup_drain_told(c);
		ssdup_kick_waiting(c);
	}
	return r && !anew;
}

static void drain_batch(struct ssdup *c, struct watch *w, const struct pacing_out *how)
{
	ktime_t begun = ktime_get();
	u64 pinned = c->pinned;
	u32 wait;
	int r;

	drain_does(c, DRAIN_COPIES);
	r = ssdup_drain_turn(c, how);
	w->took_ms = ktime_ms_delta(ktime_get(), begun);
	if (kthread_should_stop())
		return;
	if (pinned != c->pinned) {
		w->pinned = true;
		w->pinned_at = jiffies;
	}
	if (!tell_error(c, r) || ssdup_mode(c) == MODE_LOG_FAILED)
		return;
	/* What a read-only log keeps will not go soon. */
	wait = r == -EROFS ? PINNED_RETRY_MS : RETRY_MS;
	DMERR_LIMIT("%s: a drain failed (%d), next try in %u ms",
		    dm_device_name(c->md), r, wait);
	drain_does(c, DRAIN_RETRY);
	/* A flush, which clears the error, does not wait for that. */
	wait_event_interruptible_timeout(c->wb_wait,
					 !READ_ONCE(c->drain_error) || kthread_should_stop(),
					 msecs_to_jiffies(wait));
}

static int writeback_thread(void *arg)
{
	struct ssdup *c = arg;
	/* What was pinned before a suspend is tried again after it. */
	struct watch w = {
		.active = jiffies, .read = jiffies, .written = jiffies,
		.pinned = c->pinned, .pinned_at = jiffies,
	};
	struct pacing_in in = { };
	struct pacing_out out;

	while (!kthread_should_stop()) {
		/* Before the look: a kick during it makes for another one. */
		WRITE_ONCE(c->wb_kick, false);
		/* Pairs with the barrier in wq_has_sleeper(). */
		smp_mb();
		look(c, &w, &in);
		out = ssdup_pacing_decide(&in);
		w.holding = out.action == PACING_HOLD;
		switch (out.action) {
		case PACING_SLEEP:
			drain_does(c, in.mode == MODE_LOG_FAILED ? DRAIN_STOPPED : DRAIN_IDLE);
			/* Nobody kicks for extents that are pinned. */
			wait_kick(c, w.pinned ? msecs_to_jiffies(PINNED_RETRY_MS) + 1 :
						MAX_SCHEDULE_TIMEOUT);
			break;
		case PACING_HOLD:
			drain_does(c, DRAIN_HELD_OFF);
			/* With a half to drain the holds are short, and the clock decides. */
			if (in.sealed)
				schedule_timeout_interruptible(msecs_to_jiffies(out.wait_ms) + 1);
			else
				wait_kick(c, msecs_to_jiffies(out.wait_ms) + 1);
			break;
		case PACING_SEAL:
			seal(c, &w);
			break;
		case PACING_DRAIN:
			drain_batch(c, &w, &out);
			break;
		}
	}
	ssdup_drain_drop(c);
	drain_does(c, DRAIN_STOPPED);
	return 0;
}

int ssdup_writeback_create(struct ssdup *c)
{
	struct task_struct *thread;

	/* There already, when another target of the table failed the last time. */
	if (c->thread)
		return 0;
	thread = kthread_create(writeback_thread, c, "ssdup-wb/%s", dm_device_name(c->md));
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	WRITE_ONCE(c->thread, thread);
	return 0;
}

void ssdup_writeback_start(struct ssdup *c)
{
	wake_up_process(c->thread);
}

void ssdup_writeback_stop(struct ssdup *c)
{
	if (!c->thread)
		return;
	kthread_stop(c->thread);
	WRITE_ONCE(c->thread, NULL);
}

/* All generations up to @generation are on the HDD. */
static bool drained(struct ssdup *c, u64 generation)
{
	struct ssdup_half *h;
	bool drained;

	/* One look at both: a switch between two would hide the half it seals. */
	spin_lock_irq(&c->half_lock);
	h = list_first_entry_or_null(&c->sealed, struct ssdup_half, list) ?: c->open;
	drained = h->generation > generation || (h == c->open && !open_dirty(c, true));
	spin_unlock_irq(&c->half_lock);
	return drained;
}

u64 ssdup_ask(struct ssdup *c)
{
	u64 generation, asked = READ_ONCE(c->asked);
	unsigned long flags;

	/*
	 * An empty half is not asked for: what is written to it later would be
	 * drained at once. One look at both: a switch between two would hide the
	 * half it seals.
	 */
	spin_lock_irqsave(&c->half_lock, flags);
	generation = c->open->generation - !open_dirty(c, true);
	spin_unlock_irqrestore(&c->half_lock, flags);
	/* Never back to less than somebody else has asked for meanwhile. */
	while (asked < generation && !try_cmpxchg(&c->asked, &asked, generation))
		;
	ssdup_kick_writeback(c);
	return generation;
}

int ssdup_drain_all(struct ssdup *c, bool leaving)
{
	u64 relocated = READ_ONCE(c->relocated);
	u64 generation;
	int r;

	r = ssdup_commit(c);
	/* What cannot become durable on the SSD any more can still be brought home. */
	if (r && ssdup_mode(c) != MODE_LOG_READ_ONLY)
		return r;
	spin_lock_irq(&c->half_lock);
	WRITE_ONCE(c->drain_anew, true);
	WRITE_ONCE(c->drain_error, 0);
	spin_unlock_irq(&c->half_lock);
	atomic_inc(&c->nr_asking);
	generation = ssdup_ask(c);
	r = wait_event_interruptible(c->done_wait,
				     drained(c, generation) || READ_ONCE(c->drain_error) ||
				     ssdup_mode(c) == MODE_LOG_FAILED ||
				     READ_ONCE(c->asked) < generation ||
				     READ_ONCE(c->leaving) != leaving);
	atomic_dec(&c->nr_asking);
	if (r)
		return -EINTR;
	if (READ_ONCE(c->leaving) != leaving)
		return -EAGAIN;
	if (!drained(c, generation))
		return READ_ONCE(c->drain_error) ?:
		       READ_ONCE(c->asked) < generation ? -ECANCELED : -EIO;
	/* Direct writes too. After the drain: a disk that empties its cache has no choice. */
	r = ssdup_flush_hdd(c);
	if (r)
		return r;
	return READ_ONCE(c->relocated) == relocated ? 0 : -EIO;
}
