// SPDX-License-Identifier: GPL-2.0-only
/* Decides which SSD of a log gets new data. */
#include <linux/math64.h>
#include <linux/minmax.h>

#include "spread.h"

#define STEP	8	/* part of the difference that an average learns at once: 1/8 */

u64 ssdup_spread_learn(u64 average, u64 ns, u32 in_flight)
{
	ns = div_u64(ns * SPREAD_UNIT, max(in_flight, 1U));
	return max(average ? average - average / STEP + ns / STEP : ns, 1ULL);
}

/* Are the speeds of all that may be chosen known? */
static bool all_known(const struct spread_ssd *ssd, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (!ssd[i].out && !ssd[i].ns)
			return false;
	return true;
}

u32 ssdup_spread(const struct spread_ssd *ssd, u32 nr, u32 turn, u32 sectors)
{
	bool known = all_known(ssd, nr);
	u32 best = nr, i, at;
	u64 ends, earliest = 0;

	for (i = 0; i < nr; i++) {
		at = (turn + i) % nr;
		if (ssd[at].out)
			continue;
		ends = ((u64)ssd[at].in_flight + sectors) * (known ? ssd[at].ns : 1);
		if (best < nr && ends >= earliest - earliest / SPREAD_EARLIER)
			continue;
		earliest = ends;
		best = at;
	}
	return best < nr ? best : turn % nr;
}
