// SPDX-License-Identifier: GPL-2.0-only
/* Owns the failed flushes that somebody who relied on them has not been told of yet. */
#include <linux/compiler.h>
#include <linux/ktime.h>
#include <linux/timekeeping.h>

#include "owed_errors.h"

#define OWED_TO_FLUSH	1
#define OWED_TO_FUA	2

void ssdup_owe(struct ssdup_debt *debt)
{
	atomic_or(OWED_TO_FLUSH | OWED_TO_FUA, &debt->owed);
}

void ssdup_owe_loss(struct ssdup_debt *debt)
{
	WRITE_ONCE(debt->lost, ktime_to_ms(ktime_get()));
	ssdup_owe(debt);
}

void ssdup_owe_part(struct ssdup_debt *debt, u64 since)
{
	if (since <= READ_ONCE(debt->lost))
		ssdup_owe(debt);
}

static bool pay_debt(struct ssdup_debt *debt, int whom)
{
	return atomic_read(&debt->owed) & whom && atomic_fetch_andnot(whom, &debt->owed) & whom;
}

bool ssdup_pay_flush(struct ssdup_debt *debt, u32 nr)
{
	if (!pay_debt(debt, OWED_TO_FLUSH))
		return false;
	/* Before they end: the data of each may come then. */
	atomic_add(nr, &debt->parts);
	pay_debt(debt, OWED_TO_FUA);
	return true;
}

bool ssdup_pay_fua(struct ssdup_debt *debt)
{
	bool fails = pay_debt(debt, OWED_TO_FUA);

	if (!fails && atomic_read(&debt->parts))
		fails = atomic_dec_if_positive(&debt->parts) >= 0;
	if (fails)
		WRITE_ONCE(debt->fua_paid, true);
	return fails;
}

void ssdup_unpay_fua(struct ssdup_debt *debt)
{
	if (READ_ONCE(debt->fua_paid))
		atomic_or(OWED_TO_FUA, &debt->owed);
}

void ssdup_inherit(struct ssdup_debt *debt, struct ssdup_debt *from)
{
	atomic_or(atomic_xchg(&from->owed, 0), &debt->owed);
	atomic_add(atomic_xchg(&from->parts, 0), &debt->parts);
}
