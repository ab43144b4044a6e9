// SPDX-License-Identifier: GPL-2.0-only
/* Decides which SSD of a log gets new data. */
#include <linux/compiler.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "spread.h"

void ssdup_spread_learn(struct spread_speed *s, u64 ns, u32 in_flight, u64 now)
{
	/* What was measured before says little. */
	if (now >= READ_ONCE(s->retry))
		WRITE_ONCE(s->ns, 0);
	ssdup_window_learn(&s->ns, div_u64(ns * WINDOW_UNIT, max(in_flight, 1U)));
	WRITE_ONCE(s->retry, now + ns * WINDOW_RETRY);
}

bool ssdup_spread_apart(u64 *until, u32 r, u64 now)
{
	if (r >= SPREAD_APART)
		WRITE_ONCE(*until, now + SPREAD_APART_NS);
	return now < READ_ONCE(*until);
}

static bool may_have(const struct spread_ssd *ssd, bool apart)
{
	return !ssd->out && (apart || !ssd->apart);
}

/* Are all SSDs that take writes left to their readers? */
static bool all_apart(const struct spread_ssd *ssd, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (may_have(&ssd[i], false))
			return false;
	return true;
}

/* Are the speeds of all that may be chosen known? */
static bool all_known(const struct spread_ssd *ssd, u32 nr, bool apart)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (may_have(&ssd[i], apart) && !ssd[i].speed.ns)
			return false;
	return true;
}

u32 ssdup_spread(const struct spread_ssd *ssd, u32 nr, u32 turn, u32 sectors, u64 now)
{
	bool apart = all_apart(ssd, nr), known = all_known(ssd, nr, apart);
	u32 best = nr, i, at;
	u64 ends, earliest = 0;

	for (i = 0; i < nr; i++) {
		at = (turn + i) % nr;
		if (!may_have(&ssd[at], apart))
			continue;
		if (!ssd[at].in_flight && now >= ssd[at].speed.retry)
			return at;
		ends = ((u64)ssd[at].in_flight + sectors) * (known ? ssd[at].speed.ns : 1);
		if (best < nr && ends >= earliest - earliest / SPREAD_EARLIER)
			continue;
		earliest = ends;
		best = at;
	}
	return best < nr ? best : turn % nr;
}
