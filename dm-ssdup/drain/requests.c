// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: what users ask of the drain, and what they are told of it.
 */
#include "base/failure.h"
#include "base/wakeups.h"
#include "drain_internal.h"
#include "map/map.h"

/* Request a drain of all that a class holds now. Return: up to which generation. */
static u64 ask_for_drain(struct ssdup_drainer *drainer, struct ssdup_class *k)
{
	/* Do not ask for an empty segment: later writes to it would be drained at once. */
	u64 generation = ssdup_last_dirty(drainer->log, k);

	ssdup_ask_drain(drainer->log, k, generation);
	return generation;
}

void ssdup_drain_start(struct ssdup_drainer *drainer)
{
	struct ssdup_class *k;

	WRITE_ONCE(drainer->paused, false);
	for (k = drainer->log->class; k < class_end(drainer->log); k++)
		ask_for_drain(drainer, k);
}

void ssdup_drain_pause(struct ssdup_drainer *drainer)
{
	struct ssdup_class *k;

	WRITE_ONCE(drainer->paused, true);
	for (k = drainer->log->class; k < class_end(drainer->log); k++)
		WRITE_ONCE(k->asked, 0);
	ssdup_drain_told(drainer->c);
	/* A write that needs the drain of a class asks for it again. */
	ssdup_kick_waiting(drainer->c);
	ssdup_kick_writeback(drainer->c);
}

enum drain_state ssdup_drain_state(struct ssdup_drainer *drainer)
{
	enum drain_state state = READ_ONCE(drainer->drain_state);
	enum drain_state frees = READ_ONCE(drainer->free_state);
	bool off = READ_ONCE(drainer->paused) ||
		   READ_ONCE(drainer->c->set.drain) == SSDUP_DRAIN_MANUAL;

	/* The thread has nothing to do, or waits for the work that frees. */
	if (frees != DRAIN_IDLE &&
	    (state == DRAIN_IDLE || state == DRAIN_DEFERS || state == DRAIN_FREES))
		return frees;
	/* The thread sleeps because it must not drain what there is. */
	return state == DRAIN_IDLE && off && ssdup_sum_held(drainer->map).extents ? DRAIN_OFF :
	       state;
}

/* Up to which generation a drain of each class was asked for. */
struct asked {
	u64	generation[SSDUP_MAX_CLASSES];
};

static bool all_drained(struct ssdup_drainer *drainer, const struct asked *a)
{
	struct ssdup_class *k;

	for (k = drainer->log->class; k < class_end(drainer->log); k++)
		if (!ssdup_drained(drainer->log, k, a->generation[k->index]))
			return false;
	return true;
}

/* The same, but for what failed SSDs keep. */
static bool all_tried(struct ssdup_drainer *drainer, const struct asked *a)
{
	struct ssdup_class *k;

	for (k = drainer->log->class; k < class_end(drainer->log); k++)
		if (!ssdup_drained(drainer->log, k, a->generation[k->index]) &&
		    !ssdup_salvage_kept(drainer, k))
			return false;
	return true;
}

/* Has a pause taken it back? */
static bool called_off(struct ssdup_drainer *drainer, const struct asked *a)
{
	struct ssdup_class *k;

	for (k = drainer->log->class; k < class_end(drainer->log); k++)
		if (READ_ONCE(k->asked) < a->generation[k->index])
			return true;
	return false;
}

int ssdup_drain_errno(const struct ssdup_drainer *drainer)
{
	return READ_ONCE(drainer->drain_error) ?:
	       ssdup_salvage_keeps(drainer) ? ssdup_errno(-SSDUP_ERR_KEPT) : 0;
}

int ssdup_drain_all(struct ssdup_drainer *drainer)
{
	u64 relocated = READ_ONCE(drainer->relocated);
	struct ssdup_class *k;
	struct asked a;
	int r;

	/* What takes no commits any more can still be drained. */
	ssdup_commit(drainer->log);
	ssdup_drain_anew(drainer);
	atomic_inc(&drainer->nr_asking);
	for (k = drainer->log->class; k < class_end(drainer->log); k++)
		a.generation[k->index] = ask_for_drain(drainer, k);
	r = wait_event_interruptible(drainer->c->wake.done_wait,
				     all_tried(drainer, &a) || READ_ONCE(drainer->drain_error) ||
				     ssdup_mode(drainer->c) == MODE_LOG_FAILED ||
				     called_off(drainer, &a) ||
				     READ_ONCE(drainer->c->leaving));
	atomic_dec(&drainer->nr_asking);
	if (r)
		return -EINTR;
	if (READ_ONCE(drainer->c->leaving))
		return -EAGAIN;
	if (!all_drained(drainer, &a))
		return ssdup_drain_errno(drainer) ?: called_off(drainer, &a) ? -ECANCELED :
		       -EIO;
	/* For direct writes too. After the drain, because a disk is slow while it is flushed. */
	r = ssdup_flush_hdd(drainer) ?: ssdup_settle_guard(drainer->log);
	if (r)
		return r;
	return READ_ONCE(drainer->relocated) == relocated ? 0 : -EIO;
}
