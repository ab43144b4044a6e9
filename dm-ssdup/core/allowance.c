// SPDX-License-Identifier: GPL-2.0-only
/* Decides what room on the SSD costs, and keeps the account of its budget. */
#include "allowance.h"

void ssdup_allowance_update(struct allowance *a, u64 day, u64 now, u64 used)
{
	u64 passed = now - a->then, earned;

	a->left -= used - a->used;
	a->used = used;
	if (!day || !a->then) {
		a->left = 0;
		a->then = day ? now : 0;
		return;
	}
	earned = mul_u64_u64_div_u64(day, min(passed, ALLOWANCE_DAY), ALLOWANCE_DAY);
	a->left = min_t(s64, a->left + earned, day);
	/* It may have been less than a sector's time, which counts the next time, too. */
	if (!earned)
		return;
	/* Rounded up: it never earns too much. */
	a->then = passed > ALLOWANCE_DAY ? now :
		  min(now, a->then + mul_u64_u64_div_u64(earned, ALLOWANCE_DAY, day) + 1);
}

u64 ssdup_allowance_price(u64 day, s64 left)
{
	if (!day)
		return 0;
	if (left <= 0)
		return PRICE_NEVER;
	if (left >= day)
		return 0;
	/* With next to nothing left, the product would be too large for mul_u64_u64_div_u64(). */
	if (div64_u64(day - left, left) >= PRICE_NEVER * PRICE_AMPLE / PRICE_TRANSFER)
		return PRICE_NEVER;
	return mul_u64_u64_div_u64(PRICE_TRANSFER, day - left, left * PRICE_AMPLE);
}
