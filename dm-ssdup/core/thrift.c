// SPDX-License-Identifier: GPL-2.0-only
/* Decides what room on the SSD costs, and keeps the account of its budget. */
#include "thrift.h"

void ssdup_thrift_update(struct thrift_account *a, u64 day, u64 now, u64 used)
{
	u64 passed = now - a->then, earned;

	a->left -= used - a->used;
	a->used = used;
	if (!day || !a->then) {
		a->left = 0;
		a->then = day ? now : 0;
		return;
	}
	earned = mul_u64_u64_div_u64(day, min(passed, THRIFT_DAY), THRIFT_DAY);
	a->left = min_t(s64, a->left + earned, day);
	/* It may have been less than a sector's time, which counts the next time, too. */
	if (!earned)
		return;
	/* Rounded up: it never earns too much. */
	a->then = passed > THRIFT_DAY ? now :
		  min(now, a->then + mul_u64_u64_div_u64(earned, THRIFT_DAY, day) + 1);
}

/* With next to nothing left, the product would be too large for mul_u64_u64_div_u64(). */
static u64 by_budget(u64 day, u64 left)
{
	if (div64_u64(day - left, left) >= THRIFT_NEVER * THRIFT_AMPLE / THRIFT_TRANSFER)
		return THRIFT_NEVER;
	return mul_u64_u64_div_u64(THRIFT_TRANSFER, day - left, left * THRIFT_AMPLE);
}

u64 ssdup_thrift_price(u32 thrift, u64 day, s64 left)
{
	u64 by_hand = div_u64((u64)THRIFT_TRANSFER * THRIFT_DEAREST * thrift, 100);

	if (!day)
		return by_hand;
	if (left <= 0)
		return THRIFT_NEVER;
	if (left >= day)
		return by_hand;
	return max(by_hand, by_budget(day, left));
}
