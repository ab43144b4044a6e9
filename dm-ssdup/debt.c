// SPDX-License-Identifier: GPL-2.0-only
#include <linux/compiler.h>

#include "debt.h"

#define OWED_TO_FLUSH	1
#define OWED_TO_FUA	2

void ssdup_owe(struct ssdup_debt *d)
{
	atomic_or(OWED_TO_FLUSH | OWED_TO_FUA, &d->owed);
}

static bool pay(struct ssdup_debt *d, int whom)
{
	return atomic_read(&d->owed) & whom && atomic_fetch_andnot(whom, &d->owed) & whom;
}

bool ssdup_pay_flush(struct ssdup_debt *d, u32 nr)
{
	if (!pay(d, OWED_TO_FLUSH))
		return false;
	/* Before they end: the data of each may come then. */
	atomic_add(nr, &d->parts);
	pay(d, OWED_TO_FUA);
	return true;
}

bool ssdup_pay_fua(struct ssdup_debt *d)
{
	bool fails = pay(d, OWED_TO_FUA);

	if (!fails && atomic_read(&d->parts))
		fails = atomic_dec_if_positive(&d->parts) >= 0;
	if (fails)
		WRITE_ONCE(d->fua_paid, true);
	return fails;
}

void ssdup_unpay_fua(struct ssdup_debt *d)
{
	if (READ_ONCE(d->fua_paid))
		atomic_or(OWED_TO_FUA, &d->owed);
}

void ssdup_inherit(struct ssdup_debt *d, struct ssdup_debt *from)
{
	atomic_or(atomic_xchg(&from->owed, 0), &d->owed);
	atomic_add(atomic_xchg(&from->parts, 0), &d->parts);
}
