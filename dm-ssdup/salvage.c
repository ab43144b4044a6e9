// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: the drain of a read-only log.
 *
 * Extents cannot move, and a half may never become free. So each half, the open one too,
 * is drained alone, and what cannot be written to the HDD stays in it without delaying the
 * others. They may be drained in any order: the map has each sector once, and nothing is
 * added to it, because the open half is sealed for good.
 *
 * When everything is on the HDD, one record frees all halves at once. No commit has to
 * come first, because no entry is needed any more. Otherwise the halves before the first
 * one that keeps extents are freed in the usual way. Extents of a half that is written but
 * not freed stay in the map, and writes over them still fail: a replay would undo them.
 */
#include "free.h"
#include "halves.h"
#include "salvage.h"
#include "super.h"
#include "trace.h"

struct ssdup_half *ssdup_salvage_next(struct ssdup *c, bool anew)
{
	struct ssdup_half *halves[SSDUP_MAX_HALVES], *open = ssdup_seal_for_good(c);
	u32 i, nr;

	drain_does(c, DRAIN_SEALS);
	wait_event(c->settle_wait, !atomic_read(&open->writes));
	drain_does(c, DRAIN_COPIES);
	nr = ssdup_halves_in_use(c, halves);
	/* All halves together are one try. A new request begins another one. */
	for (i = 0; i < nr && anew; i++)
		halves[i]->tried = false;
	for (i = 0; i < nr; i++)
		if (!halves[i]->drained && !halves[i]->tried)
			return halves[i];
	return NULL;
}

int ssdup_salvage_home(struct ssdup *c, struct ssdup_half *h, u32 left, bool lost)
{
	int r;

	drain_does(c, DRAIN_FREES);
	r = ssdup_flush_home(c, h);
	if (r)
		return r;
	h->tried = true;
	h->drained = !left;
	h->lost = lost;
	return 0;
}

static int free_all(struct ssdup *c, struct ssdup_half **halves, u32 nr)
{
	int r;

	drain_does(c, DRAIN_FREES);
	trace_ssdup_step(c, STEP_FREE_RECORD);
	r = ssdup_free_record(c, halves, nr);
	if (r)
		return r;
	ssdup_free_end(c, halves, nr);
	DMINFO("%s: the log is empty, all of it is on the HDD", dm_device_name(c->md));
	return 0;
}

int ssdup_salvage_end(struct ssdup *c)
{
	struct ssdup_half *halves[SSDUP_MAX_HALVES];
	u32 i, nr = ssdup_halves_in_use(c, halves), free;

	for (free = 0; free < nr; free++)
		if (!halves[free]->drained || halves[free]->lost)
			break;
	for (i = 0; i < nr; i++)
		halves[i]->tried = false;
	if (free == nr) {
		if (!free_all(c, halves, nr))
			return 0;
		DMWARN_LIMIT("%s: all of the log is on the HDD, but the SSD takes no record of it",
			     dm_device_name(c->md));
	} else {
		for (i = 0; i < free; i++)
			if (ssdup_free_half(c, halves[i]))
				break;
	}
	return -EROFS;
}
