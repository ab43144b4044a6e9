/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: what room on the SSD costs, for policy balance. Pure.
 *
 * The price is a time: so long a write waits for the HDD before the SSD may have it, see
 * window.h. So the HDD gets what it can do in that time, and each byte that wears the SSD has
 * saved somebody a wait.
 *
 * The price follows what is left of an account. The account earns the budget evenly over the day,
 * and holds at most a day's. A full account means no price. With nothing left, no write goes to
 * the SSD but those over what the log holds. So what is left goes to the writes that gain most, and
 * the price settles where the use is what the account earns.
 */
#ifndef SSDUP_ALLOWANCE_H
#define SSDUP_ALLOWANCE_H

#include <linux/bits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>

#define ALLOWANCE_DAY	86400000000000ULL	/* ns */
#define PRICE_NEVER	BIT_ULL(41)		/* a price that no write is worth; ns */
#define PRICE_TRANSFER	1500000U	/* of 256 KiB by an HDD of 170 MB/s; ns */
#define PRICE_AMPLE	8U	/* with a ninth of the budget left, the price is a transfer */

/* What the SSD may get; sectors. All zero: new. */
struct allowance {
	s64	left;		/* below 0: more was used than earned */
	u64	then;		/* ns: until when it has earned; 0: it is new */
	u64	used;		/* all that was written until then */
};

/**
 * ssdup_allowance_update() - earn for the time that has passed, and pay for what was written
 * @a: the account; a new one begins empty, so that a restart gains nothing
 * @day: sectors of the budget; 0: none, and the account begins anew with the next one
 * @now: ns, of a clock that never goes back
 * @used: sectors written so far, of data and metadata; it may seem less for a moment
 */
void ssdup_allowance_update(struct allowance *a, u64 day, u64 now, u64 used);

/**
 * ssdup_allowance_price() - how long a write waits for the HDD rather than use the SSD
 * @day: sectors of the budget, 0: none
 * @left: of the account
 *
 * Return: ns, PRICE_NEVER when nothing is left.
 */
u64 ssdup_allowance_price(u64 day, s64 left);

#endif
