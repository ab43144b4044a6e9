/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: what room on the SSD costs, for policy balance. Pure.
 *
 * Balance sends each write to the disk that ends it sooner. With a price, the SSD gets only the
 * writes that gain most by it, for each byte that wears it. The price is a time: what a write of
 * BALANCE_UNIT sectors has to save. A write saves time in two ways, and balance_spares() wants
 * both to be worth the price:
 *
 *  - The HDD does not do it. All that the write costs the HDD counts, so scattered and short
 *    writes are worth more than sequential ones. What the drain will cost does not count, because
 *    it comes when nobody writes, and a fuller log makes the SSD dearer in any case.
 *  - It ends sooner. That has to be worth several prices: an HDD with little to do shall take a
 *    write although the SSD would end it a little earlier.
 *
 * The key thrift sets the price by hand, in transfers of the HDD. The key ssd_budget makes it
 * follow what is left of an account. The account earns the budget evenly over the day, and holds
 * at most a day's. A full account adds nothing to the price. With a ninth left, sequential writes
 * are not worth the price any more, and with nothing left, no write is. So what is left goes to
 * the writes that gain most, and the price settles where the use is what the account earns.
 */
#ifndef SSDUP_THRIFT_H
#define SSDUP_THRIFT_H

#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>

#include "tuning.h"

#define THRIFT_DAY	86400000000000ULL	/* ns */
#define THRIFT_NEVER	BIT_ULL(41)		/* a price that no write is worth; ns */

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
 * ssdup_thrift_price() - what BALANCE_UNIT sectors on the SSD cost
 * @thrift: the key
 * @day: sectors of the budget, 0: none
 * @left: of the account
 * @unit_ns: what a transfer of BALANCE_UNIT sectors takes the HDD
 *
 * Return: ns, THRIFT_NEVER when nothing is left; the dearer one of thrift and budget.
 */
u64 ssdup_thrift_price(u32 thrift, u64 day, s64 left, u32 unit_ns);

#endif
