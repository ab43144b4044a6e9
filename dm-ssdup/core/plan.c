// SPDX-License-Identifier: GPL-2.0-only
/* Decides which reads and which runs of writes make a batch of a drain. */
#include <linux/minmax.h>

#include "plan.h"

u32 ssdup_plan_take(struct drain_plan *plan, const struct extent *e, u64 from)
{
	struct drain_piece *p = &plan->pieces[plan->nr_pieces];
	u32 cut = from - e->start;
	u32 sectors = e->sectors - cut;
	bool data = e->kind == SSDUP_KIND_DATA;

	if (plan->nr_pieces == plan->max_pieces)
		return 0;

	/* Only data passes through the buffer. */
	if (data)
		sectors = min(sectors, plan->max_sectors - plan->sectors);
	else if (e->kind == SSDUP_KIND_ZERO)
		sectors = min(sectors, plan->max_sectors - plan->zeroes);
	if (!sectors)
		return 0;

	p->start = from;
	p->seq = e->seq;
	p->sectors = sectors;
	p->pos = e->pos + (data ? cut : 0);
	p->offset = data ? plan->sectors : 0;
	p->kind = e->kind;

	plan->nr_pieces++;
	if (data)
		plan->sectors += sectors;
	else if (e->kind == SSDUP_KIND_ZERO)
		plan->zeroes += sectors;
	return sectors;
}

void ssdup_plan_collect(struct drain_plan *plan, struct extent_order *o, const struct extent *e,
			u64 start)
{
	if (!extent_mapped(e) || e->start != start)
		return;
	o->from = max(o->from, start);
	/* Its rear may have been cut off where a part was taken already. */
	if (o->from < extent_end(e))
		o->from += ssdup_plan_take(plan, e, o->from);
	o->base = o->from < extent_end(e) ? start : o->from;
}

static bool run_takes(const struct drain_plan *plan, const struct drain_run *run,
		      const struct drain_piece *p)
{
	return run->kind == SSDUP_KIND_DATA && p->kind == SSDUP_KIND_DATA &&
	       run->start + run->sectors == p->start &&
	       run->sectors < plan->max_run &&
	       p->sectors <= plan->max_run - run->sectors;
}

void ssdup_plan_join(struct drain_plan *plan)
{
	struct drain_run *run = NULL;
	u32 i;

	plan->nr_runs = 0;
	for (i = 0; i < plan->nr_pieces; i++) {
		const struct drain_piece *p = &plan->pieces[i];

		if (run && run_takes(plan, run, p)) {
			run->sectors += p->sectors;
			run->nr++;
			continue;
		}

		run = &plan->runs[plan->nr_runs++];
		run->start = p->start;
		run->sectors = p->sectors;
		run->offset = p->offset;
		run->first = i;
		run->nr = 1;
		run->kind = p->kind;
	}
}

u32 ssdup_plan_cut(struct drain_plan *plan, u32 piece, u64 start, u32 sectors)
{
	struct drain_piece *p = &plan->pieces[piece];
	u32 at = start - p->start, end = at + sectors, rest = p->sectors - end;

	if (!rest) {
		p->sectors = at ?: p->sectors;
		p->kind = at ? p->kind : SSDUP_KIND_NONE;
		return piece;
	}

	if (at) {
		memmove(p + 1, p, (plan->nr_pieces - piece) * sizeof(*p));
		plan->nr_pieces++;
		p->sectors = at;
		p++;
		piece++;
	}
	p->start += end;
	p->pos += end;
	p->offset += end;
	p->sectors = rest;
	return piece;
}
