// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: free a half that is on the HDD. ssdup.h has the order of the steps.
 */
#include "commit.h"
#include "free.h"
#include "halves.h"
#include "hdd.h"
#include "map.h"
#include "meter.h"
#include "mode.h"
#include "nodes.h"
#include "super.h"
#include "trace.h"
#include "wake.h"

static void drop_range(struct ssdup *c, struct ssdup_half *h, struct ssdup_range *r)
{
	struct extent_list unused;
	s64 nr, sectors;
	u64 from = 0;
	bool all;

	do {
		unused.head = NULL;
		spin_lock_irq(&r->lock);
		nr = r->tree.nr;
		sectors = r->tree.sectors;
		all = ssdup_extent_drop_half(&r->tree, h->index, &from, &unused);
		range_changed(r);
		nr -= r->tree.nr;
		sectors -= r->tree.sectors;
		spin_unlock_irq(&r->lock);
		atomic64_sub(nr, &c->extents);
		atomic64_sub(sectors, &c->dirty_sectors);
		ssdup_free_nodes(c, &unused);
		cond_resched();
	} while (!all);
}

void ssdup_forget_home(struct ssdup *c, struct ssdup_half *h)
{
	struct ssdup_range *r;
	u64 from;
	bool all;
	u32 i;

	h->has_home = false;
	WRITE_ONCE(h->home, 0);
	for (i = 0; i < c->nr_ranges; i++) {
		r = &c->ranges[i];
		from = 0;
		do {
			spin_lock_irq(&r->lock);
			all = ssdup_plan_forget(&r->tree, h->index, &from);
			spin_unlock_irq(&r->lock);
			cond_resched();
		} while (!all);
	}
}

int ssdup_flush_home(struct ssdup *c, struct ssdup_half *h)
{
	struct meter_home meter;
	int r;

	trace_ssdup_step(c, STEP_FREE_FLUSH);
	ssdup_meter_home_begin(c, &meter);
	r = ssdup_flush_drained(c);
	ssdup_meter_home_end(c, &meter);
	/* If another flush failed and the HDD dropped its cache, ours succeeds all the same. */
	if (!h->drained && ssdup_hdd_flush_errors(c) != h->flush_errors)
		r = -EIO;
	if (r) {
		/* The HDD may have dropped any of it: write the whole half again. */
		h->drained = false;
		if (h->has_home)
			ssdup_forget_home(c, h);
	}
	return r;
}

void ssdup_drop_extents(struct ssdup *c, struct ssdup_half *h)
{
	u32 i;

	for (i = 0; i < c->nr_ranges; i++)
		if (range_holds(&c->ranges[i]))
			drop_range(c, h, &c->ranges[i]);
	ssdup_free_arrays(c, h);
}

void ssdup_free_end(struct ssdup *c, struct ssdup_half **halves, u32 nr)
{
	u32 i;

	trace_ssdup_step(c, STEP_FREE_DROP);
	for (i = 0; i < nr; i++) {
		ssdup_drop_extents(c, halves[i]);
		WRITE_ONCE(halves[i]->home, 0);
	}
	WRITE_ONCE(c->pass_home, 0);
	trace_ssdup_step(c, STEP_FREE_DROPPED);
	drain_does(c, DRAIN_READS);
	/* In a log that is read-only no half is opened again. */
	for (i = 0; i < nr && ssdup_mode(c) == MODE_RUNNING; i++)
		wait_event(c->settle_wait, !atomic_read(&halves[i]->reads));

	/* No commit may use the halves while their state is reset. */
	ssdup_commit_lock(c);
	ssdup_meter_nothing_due(c);
	ssdup_halves_freed(c, halves, nr, ssdup_super(c)->generation);
	ssdup_commit_unlock(c);
	trace_ssdup_step(c, STEP_FREE_DONE);
	WRITE_ONCE(c->short_of_memory, false);
	ssdup_event(c);
	ssdup_kick_waiting(c);
	ssdup_drain_told(c);
}

int ssdup_free_half(struct ssdup *c, struct ssdup_half *h)
{
	int r;

	trace_ssdup_step(c, STEP_FREE_BEGIN);
	drain_does(c, DRAIN_FREES);
	ssdup_meter_due(c, 0);
	r = ssdup_commit(c);
	if (r)
		return r;
	r = ssdup_flush_home(c, h);
	if (r)
		return r;
	h->drained = true;
	trace_ssdup_step(c, STEP_FREE_RECORD);
	r = ssdup_free_record(c, &h, 1);
	if (r)
		return r;
	/* The commit has made all pages of the sealed half durable. */
	WARN_ON_ONCE(h->pages_done != half_pages(h));
	trace_ssdup_free(c, h);
	ssdup_free_end(c, &h, 1);
	return 0;
}
