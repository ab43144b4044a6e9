/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: what room on the SSD costs, for policy balance. Pure.
 *
 * The price is a time: so long a write waits for the HDD before the SSD may have it, see
 * window.h. So the HDD gets what it can do in that time, and each byte that wears the SSD has
 * saved somebody a wait.
 *
 * The key thrift sets the price by hand, in transfers of an HDD. The key ssd_budget makes it follow
 * what is left of an account. The account earns the budget evenly over the day, and holds at most a
 * day's. A full account adds nothing to the price. With nothing left, no write goes to the SSD but
 * those over what the log holds. So what is left goes to the writes that gain most, and the price
 * settles where the use is what the account earns.
 */
#ifndef SSDUP_THRIFT_H
#define SSDUP_THRIFT_H

#include <linux/bits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>

#define THRIFT_DAY	86400000000000ULL	/* ns */
#define THRIFT_NEVER	BIT_ULL(41)		/* a price that no write is worth; ns */
#define THRIFT_TRANSFER	1500000U	/* of 256 KiB by an HDD of 170 MB/s; ns */
#define THRIFT_DEAREST	64U	/* the price with thrift 100, in transfers */
#define THRIFT_AMPLE	8U	/* with a ninth of the budget left, the price is a transfer */

/* What the SSD may get; sectors. All zero: new. */
struct thrift_account {
	s64	left;		/* below 0: more was used than earned */
	u64	then;		/* ns: until when it has earned; 0: it is new */
	u64	used;		/* all that was written until then */
};

/**
 * ssdup_thrift_update() - earn for the time that has passed, and pay for what was written
 * @a: the account; a new one begins empty, so that a restart gains nothing
 * @day: sectors of the budget; 0: none, and the account begins anew with the next one
 * @now: ns, of a clock that never goes back
 * @used: sectors written so far, of data and metadata; it may seem less for a moment
 */
void ssdup_thrift_update(struct thrift_account *a, u64 day, u64 now, u64 used);

/**
 * ssdup_thrift_price() - how long a write waits for the HDD rather than use the SSD
 * @thrift: the key
 * @day: sectors of the budget, 0: none
 * @left: of the account
 *
 * Return: ns, THRIFT_NEVER when nothing is left; the dearer one of thrift and budget.
 */
u64 ssdup_thrift_price(u32 thrift, u64 day, s64 left);

#endif
