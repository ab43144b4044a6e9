// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: the drain of a log that the SSD does not write to any more.
 *
 * Nothing can be moved, and a half may not be freed for long, or never. So each
 * half, the open one too, is brought home for itself, and what cannot go home
 * stays in it and holds up no other. Any order will do for that: the map says
 * of each sector which half has the newest of it, no sector is in two, and in
 * this mode nothing is added to it. To that end the open half is sealed for
 * good, with no other opened.
 *
 * When everything is home, one record frees all halves at once. No commit has
 * to come first: no entry, durable or not, is needed any more. Otherwise those
 * in front of the first one that keeps something are freed in the usual way.
 * What is home and not freed stays in the map, and writes over it still fail:
 * a replay would undo them.
 */
#include "free.h"
#include "halves.h"
#include "salvage.h"
#include "super.h"
#include "trace.h"

static void seal_for_good(struct ssdup *c)
{
	struct ssdup_half *h;

	/* Who takes the lock after us sees the mode too, and opens no other half. */
	spin_lock_irq(&c->half_lock);
	h = c->open;
	atomic64_fetch_or(LOG_WORD_SEALED, &h->word);
	spin_unlock_irq(&c->half_lock);
	drain_does(c, DRAIN_SEALS);
	wait_event(c->settle_wait, !atomic_read(&h->writes));
	drain_does(c, DRAIN_COPIES);
}

/* Halves that are not free, oldest first, the open one last. */
static u32 halves_in_use(struct ssdup *c, struct ssdup_half **halves)
{
	struct ssdup_half *h;
	u32 nr = 0;

	spin_lock_irq(&c->half_lock);
	list_for_each_entry(h, &c->sealed, list)
		halves[nr++] = h;
	halves[nr++] = c->open;
	spin_unlock_irq(&c->half_lock);
	return nr;
}

struct ssdup_half *ssdup_salvage_next(struct ssdup *c)
{
	struct ssdup_half *halves[SSDUP_MAX_HALVES];
	u32 i, nr;

	seal_for_good(c);
	nr = halves_in_use(c, halves);
	/* All of them are one try. It begins anew for who has asked since. */
	if (READ_ONCE(c->drain_anew)) {
		WRITE_ONCE(c->drain_anew, false);
		for (i = 0; i < nr; i++)
			halves[i]->tried = false;
	}
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
	DMINFO("%s: the log is empty, all of it is on the HDD", dm_device_name(c->md));
	ssdup_free_end(c, halves, nr);
	return 0;
}

int ssdup_salvage_end(struct ssdup *c)
{
	struct ssdup_half *halves[SSDUP_MAX_HALVES];
	u32 i, nr = halves_in_use(c, halves), free;

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
