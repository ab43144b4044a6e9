// SPDX-License-Identifier: GPL-2.0-only
/* Decides when a drain goes on, of which class, and how large a group is. */
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "pacing.h"

static struct pacing_out pacing(enum pacing_action action, u32 wait_ms)
{
	return (struct pacing_out){ .action = action, .wait_ms = wait_ms };
}

/* A drain was asked for, and no write waits for its space. */
static struct pacing_out pace_asked(const struct pacing_in *in)
{
	u32 most = min(in->took_ms, PACING_PATIENCE_MS / PACING_GENTLE) * PACING_GENTLE;

	if (!in->reads || in->drain == SSDUP_DRAIN_EAGER)
		return pacing(PACING_DRAIN, 0);

	if (in->deferred_ms < most)
		return pacing(PACING_DEFER, min(most - in->deferred_ms, PACING_POLL_MS));

	return (struct pacing_out){ .action = PACING_DRAIN, .gentle = true };
}

/* A part is full, and neither a write nor a message waits for its drain. */
static struct pacing_out pace_part(const struct pacing_in *in)
{
	u32 most;

	if (!in->hdd_inflight && in->quiet_ms >= PACING_QUIET_MS)
		return pacing(PACING_DRAIN, 0);
	if (in->patient)
		return pacing(PACING_DEFER, PACING_QUIET_MS);

	if (in->fill >= PACING_URGENT || (!in->hdd_inflight && in->route == SSDUP_SSD))
		return pacing(PACING_DRAIN, 0);

	/* A fuller last part shortens the most and gives the drain more of the HDD. */
	most = PACING_DEFER_MS * (PACING_URGENT - in->fill) / PACING_URGENT;
	if (in->deferred_ms >= most)
		return pacing(PACING_DRAIN, 0);

	return pacing(PACING_DEFER, min(most - in->deferred_ms, PACING_POLL_MS));
}

/* The log is empty. */
static struct pacing_out pace_guard(const struct pacing_in *in)
{
	if (in->hdd_inflight || in->quiet_ms < PACING_GUARD_MS)
		return pacing(PACING_SLEEP, PACING_GUARD_MS - in->quiet_ms);
	return pacing(PACING_OPEN, 0);
}

/* An idle device empties its whole log. */
static struct pacing_out pace_idle(const struct pacing_in *in)
{
	if (!in->dirty && !in->sealed)
		return pacing(PACING_SLEEP, 0);

	/* The quiet begins when the last request ends. */
	if (in->hdd_inflight)
		return pacing(PACING_DEFER, PACING_IDLE_MS);

	if (in->quiet_ms >= PACING_IDLE_MS)
		return pacing(in->dirty ? PACING_SEAL : PACING_DRAIN, 0);

	return pacing(PACING_DEFER, PACING_IDLE_MS - in->quiet_ms);
}

static struct pacing_out pace(const struct pacing_in *in)
{
	if (in->guarded && !in->sealed && !in->dirty && !in->empty)
		return pace_guard(in);

	if (in->empty || (in->waiters && in->sealed))
		return pacing(PACING_DRAIN, 0);

	if (in->waiters && in->all_open && in->dirty)
		return pacing(PACING_SEAL, 0);

	if (in->asked && in->sealed)
		return pace_asked(in);

	if (in->asked && in->dirty)
		return pacing(PACING_SEAL, 0);

	if (in->paused || in->drain == SSDUP_DRAIN_MANUAL)
		return pacing(PACING_SLEEP, 0);

	/* What is late may never have to be drained. */
	if (in->late && !(in->sealed && in->part))
		return pacing(PACING_SLEEP, 0);

	if (in->sealed && in->drain == SSDUP_DRAIN_EAGER)
		return pacing(PACING_DRAIN, 0);

	return in->sealed && in->part ? pace_part(in) : pace_idle(in);
}

struct pacing_out ssdup_pacing_decide(const struct pacing_in *in)
{
	struct pacing_out out;

	if (in->mode == MODE_LOG_FAILED)
		return pacing(PACING_SLEEP, 0);

	out = pace(in);
	out.spread = out.action == PACING_DRAIN && in->writes && !in->waiters &&
		     in->drain != SSDUP_DRAIN_EAGER;
	if (out.action == PACING_SEAL && in->mode == MODE_LOG_READ_ONLY)
		out.action = PACING_DRAIN;
	return out;
}

#define FULL_FIRST	8U	/* more than any need() */

/* How much a class needs a drain. */
static u32 need(const struct pacing_class *k, bool wanted)
{
	if (k->empty)
		return 7;
	if (k->asked && (k->sealed || k->dirty))
		return k->late ? 5 : 6;
	if (k->sealed && (wanted || !k->late))
		return k->late ? 3 : 4;
	return k->sealed || k->dirty ? 1 + !k->late : 0;
}

u32 ssdup_pacing_class(const struct pacing_class *k, u32 nr, bool wanted)
{
	u32 i, best = 0, most = 0, n;
	bool full = false;

	for (i = 0; i < nr; i++)
		full |= k[i].full;
	for (i = 0; i < nr; i++) {
		/* Who waits wants space on an SSD that has none. */
		n = need(&k[i], wanted && (!full || k[i].full));
		n += wanted && k[i].full && n ? FULL_FIRST : 0;
		if (n > most || (n == most && k[i].sealed > k[best].sealed)) {
			most = n;
			best = i;
		}
	}
	return best;
}

u32 ssdup_pacing_group(const struct pacing_group *g)
{
	bool busy = g->waiters || g->writes;
	u64 time = PACING_WAIT_MS * NSEC_PER_MSEC;

	if (!g->waiters)
		time = max(time, g->writes ? g->full_ns : min(g->quiet_ns, PACING_IDLE_GROUP_NS));
	return clamp_t(u64, div64_u64(time, max(g->segment_ns, 1ULL)), 1,
		       busy ? max(g->part, 1U) : U32_MAX);
}
