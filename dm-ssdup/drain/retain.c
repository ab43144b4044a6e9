// SPDX-License-Identifier: GPL-2.0-only
/* Owns when clean segments are kept and forgotten, also for the memory that their map takes. */
#include <linux/mm.h>

#include "base/failure.h"
#include "base/step.h"
#include "base/wakeups.h"
#include "core/clean.h"
#include "drainer.h"
#include "log/clean_list.h"
#include "log/log.h"
#include "map/map.h"

#define MEMORY_PART	256U	/* of the RAM: 4 KiB blocks of 5 GiB take 64 of 16384 MiB */
#define CLEAN_ERRORS	16	/* a few bad sectors are no reason to give up, a bad SSD is */

/* Bytes of memory that the map of clean segments may take. */
static u64 memory_limit(void)
{
	return ((u64)totalram_pages() << PAGE_SHIFT) / MEMORY_PART;
}

static struct clean_facts look(struct ssdup_drainer *drainer)
{
	struct ssdup_log *log = drainer->log;

	return (struct clean_facts){
		.segments = ssdup_leased_segments(log),
		.percent = READ_ONCE(drainer->c->set.clean),
		.for_drain = ssdup_drain_segments_of_all(log),
		.ready = ssdup_ready_segments(log),
		.clean = ssdup_clean_segments(log),
		.copies = ssdup_copies_segments(log),
		.bytes = ssdup_clean_bytes(log),
		.limit = memory_limit(),
		.barred = !ssdup_whole(drainer->c) ||
			  READ_ONCE(drainer->c->leaving) ||
			  atomic_read(&drainer->clean.errors) >= CLEAN_ERRORS,
		.refill = READ_ONCE(drainer->clean.refill),
		.short_of_memory = READ_ONCE(drainer->short_of_memory),
		.waiters = atomic_read(&drainer->c->wake.nr_waiting) &&
			   ssdup_full_ssds(log),
	};
}

u32 ssdup_clean_most(struct ssdup_drainer *drainer, u32 nr)
{
	const struct clean_facts f = look(drainer);

	return ssdup_clean_keep(&f, nr);
}

/* @most_copies: see ssdup_clean_take(). Return: was there one? */
static bool forget_one(struct ssdup_drainer *drainer, u32 most_copies)
{
	struct ssdup_segment *seg;

	lockdep_assert_held(&drainer->clean.lock);
	seg = ssdup_clean_take(drainer->log, most_copies);
	if (seg) {
		ssdup_step(drainer->c, STEP_CLEAN_FORGET);
		ssdup_forget(drainer->map, seg);
		ssdup_clean_forgotten(drainer->log, seg);
	}
	return seg;
}

static bool forget_oldest(struct ssdup_drainer *drainer, u32 most_copies)
{
	bool forgot;

	mutex_lock(&drainer->clean.lock);
	forgot = forget_one(drainer, most_copies);
	mutex_unlock(&drainer->clean.lock);
	return forgot;
}

/* Copies under way are of before. */
static void forget_claims(struct drain_clean *clean)
{
	lockdep_assert_held(&clean->lock);
	WRITE_ONCE(clean->forgets, clean->forgets + 1);
}

bool ssdup_copies_doubted(const struct ssdup_drainer *drainer)
{
	return atomic_read(&drainer->clean.doubts) != READ_ONCE(drainer->clean.doubts_settled);
}

void ssdup_copies_doubt(struct ssdup_drainer *drainer)
{
	atomic_inc(&drainer->clean.doubts);
	ssdup_kick_clean(drainer->c);
}

/* All copies go, in turns. Return: has one gone now? */
static bool settle_doubts(struct ssdup_drainer *drainer)
{
	struct drain_clean *clean = &drainer->clean;
	int doubts = atomic_read(&clean->doubts);
	bool forgot;

	if (doubts == clean->doubts_settled)
		return false;
	mutex_lock(&clean->lock);
	forget_claims(clean);
	/* If there are none, their extents have left the map, too: the lock was held for that. */
	forgot = ssdup_copies_segments(drainer->log) && forget_one(drainer, 0);
	if (!forgot)
		WRITE_ONCE(clean->doubts_settled, doubts);
	mutex_unlock(&clean->lock);
	return forgot;
}

static void tell_freed(struct ssdup_drainer *drainer)
{
	ssdup_kick_waiting(drainer->c);
	ssdup_discard_soon(drainer);
}

/*
 * One segment a turn, since other works wait behind this one: a commit should not wait for many
 * times the 3 ms that it takes.
 */
void ssdup_clean_work(struct work_struct *work)
{
	struct ssdup *c = container_of(work, struct ssdup, wake.clean_work);
	struct ssdup_drainer *drainer = c->drainer;
	bool forgot = settle_doubts(drainer);
	struct clean_facts f = look(drainer);

	f.refill = ssdup_clean_refill(&f);
	WRITE_ONCE(drainer->clean.refill, f.refill);
	if (!forgot && ssdup_clean_excess(&f))
		forgot = forget_oldest(drainer, ssdup_clean_most_copies(&f));
	/* If what it gave back is not enough, who needs more says so. */
	if (forgot)
		WRITE_ONCE(drainer->short_of_memory, false);
	if (ssdup_clean_unpin(c->log) || forgot)
		tell_freed(drainer);
	if (forgot)
		ssdup_kick_clean(c);
}

void ssdup_clean_forget(struct ssdup_drainer *drainer)
{
	bool active = READ_ONCE(drainer->c->active);

	mutex_lock(&drainer->clean.lock);
	forget_claims(&drainer->clean);
	mutex_unlock(&drainer->clean.lock);
	while (forget_oldest(drainer, 0)) {
		/* There may be thousands, and a write waits for one. */
		if (active)
			tell_freed(drainer);
		cond_resched();
	}
	if (ssdup_clean_unpin(drainer->log) && active)
		tell_freed(drainer);
}

void ssdup_clean_error(struct ssdup_drainer *drainer, blk_status_t status)
{
	/* An SSD behind a network that is away for a while has lost nothing. */
	if (ssdup_is_transient(blk_status_to_errno(status)))
		return;
	if (atomic_inc_return(&drainer->clean.errors) != CLEAN_ERRORS)
		return;
	DMWARN("%s: too many errors of the SSD with clean data: none is kept", drainer->c->name);
	ssdup_kick_clean(drainer->c);
}

/* --- Copies of what was read --- */

bool ssdup_copies_room(struct ssdup_drainer *drainer)
{
	const struct clean_facts f = look(drainer);

	return !f.barred && !ssdup_copies_doubted(drainer) && f.bytes < f.limit &&
	       (ssdup_copies_filling(drainer->log) || ssdup_clean_may_open(&f));
}

/*
 * What is left there of a header, and of the first page, would belong to a live segment for a
 * repair that knows only older headers. It is not made durable at once, as little as the header of
 * a segment that is opened for writes: and a flush that came with it and failed would be one that
 * the log does not know of.
 */
static int blank_head(struct ssdup_drainer *drainer, const struct ssdup_segment *seg)
{
	u64 pos = log_segment_sector(&drainer->log->g, seg->index);
	u32 i = LOG_HEAD_BYTES / SSDUP_BLOCK_BYTES;
	int r = 0;

	/* The header goes last: without it a page would look like one of a damaged segment. */
	while (i-- && !r)
		r = ssdup_log_io(drainer->log, REQ_OP_WRITE, pos + i * SSDUP_BLOCK_SECTORS,
				 ZERO_PAGE(0), 0, SSDUP_BLOCK_BYTES, 0);
	return r;
}

static bool open_for_copies(struct ssdup_drainer *drainer)
{
	const struct clean_facts f = look(drainer);
	struct ssdup_segment *seg;
	int r;

	seg = ssdup_clean_may_open(&f) ? ssdup_copies_take(drainer->log) : NULL;
	if (!seg)
		return false;
	r = blank_head(drainer, seg);
	if (r) {
		ssdup_clean_forgotten(drainer->log, seg);
		tell_freed(drainer);
		stat_inc(drainer->c, STAT_SSD_ERRORS);
		ssdup_clean_error(drainer, errno_to_blk_status(r));
		return false;
	}
	ssdup_copies_begin(drainer->log, seg);
	/* It may be one too many. */
	ssdup_kick_clean(drainer->c);
	return true;
}

struct ssdup_segment *ssdup_copies_reserve(struct ssdup_drainer *drainer, u32 sectors, u64 *pos)
{
	struct ssdup_segment *seg = ssdup_copies_place(drainer->log, sectors, pos);

	if (!seg && open_for_copies(drainer))
		seg = ssdup_copies_place(drainer->log, sectors, pos);
	return seg;
}

u32 ssdup_copies_epoch(const struct ssdup_drainer *drainer)
{
	return READ_ONCE(drainer->clean.forgets);
}

bool ssdup_copies_publish(struct ssdup_drainer *drainer, struct ssdup_segment *seg,
			  struct extent_array *claim, const struct clean_copy *copy)
{
	struct drain_clean *clean = &drainer->clean;
	bool kept;

	mutex_lock(&clean->lock);
	kept = copy->since == clean->forgets && READ_ONCE(seg->state) == SEGMENT_CLEAN &&
	       ssdup_claim_fill(drainer->map, claim->e, copy->start, copy->sectors, copy->pos);
	if (kept)
		ssdup_copies_add(drainer->log, seg, claim);
	mutex_unlock(&clean->lock);
	return kept;
}
