// SPDX-License-Identifier: GPL-2.0-only
/* Decides what a write costs each disk, and which disk takes it. */
#include "balance.h"

/* --- Costs --- */

#define COST_MAX	BIT(30)		/* ns of any part: a second */
#define SCALE		16		/* work is counted in sixteenths of a unit */

static u32 corrected(u32 part, s64 error, u32 x, u64 norm)
{
	/* Nothing overflows: |error| is below 2^40, x below 2^20. */
	s64 step = div64_s64(error * SCALE / tuning.cost_step * (s64)x, (s64)norm);

	return clamp_t(s64, part + step, 0, COST_MAX);
}

bool ssdup_balance_learn(struct balance_cost *cost, const struct balance_work *w, u64 busy_ns)
{
	u32 x[3] = {
		min(w->sectors / (BALANCE_UNIT / SCALE), 1U << 18),
		min(w->requests, 1U << 14) * SCALE,
		min(w->placed, 1U << 14) * SCALE,
	};
	u64 norm = (u64)x[0] * x[0] + (u64)x[1] * x[1] + (u64)x[2] * x[2];
	u64 price = balance_price(cost, w), after;
	s64 error = min(busy_ns, 1ULL << 38) - min(price, 1ULL << 38);

	if (!norm)
		return false;
	cost->unit_ns = corrected(cost->unit_ns, error, x[0], norm);
	cost->request_ns = corrected(cost->request_ns, error, x[1], norm);
	cost->place_ns = corrected(cost->place_ns, error, x[2], norm);
	after = balance_price(cost, w);
	return max(price, after) - min(price, after) <= price / tuning.cost_steady;
}

/* --- Choice --- */

/* The SSD's queue at which balance_choose() begins to prefer the HDD for a write; ns. */
static u64 wait_of(const struct balance_cost *hdd, const struct balance_cost *ssd, u32 keep,
		   u64 price, u32 sectors)
{
	const struct balance_work w = { .sectors = sectors, .requests = 1, .placed = 1 };
	u64 arm = balance_price(hdd, &w), stay = arm * tuning.stay * BALANCE_ONE;
	u64 most = div_u64(stay + keep - 1, keep);

	if (arm < balance_due(price, sectors))
		return 0;
	return most - min(most, balance_price(ssd, &w));
}

u64 ssdup_balance_small_wait(const struct balance_cost *hdd, const struct balance_cost *ssd,
			     u32 keep, u64 price)
{
	/* The wait is linear in the length, so its minimum is at one of the ends. */
	return min(wait_of(hdd, ssd, keep, price, 1),
		   wait_of(hdd, ssd, keep, price, tuning.small));
}
