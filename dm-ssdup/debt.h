/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: errors of flushes that somebody has to be told.
 *
 * An error of a flush has to reach somebody who relied on it. A file system commits its
 * journal with one bio that has data, PREFLUSH and FUA. Device mapper sends us an empty
 * FLUSH for it, throws away the status of that, and sends the data then. So each error
 * is owed twice: to the next FLUSH that ends, and to the next FUA write that comes. When
 * FLUSHes fail, as many FUA writes fail after them, for each may be the data of one. The
 * next table of the same device inherits what is still owed.
 */
#ifndef SSDUP_DEBT_H
#define SSDUP_DEBT_H

#include <linux/atomic.h>
#include <linux/types.h>

struct ssdup_debt {
	atomic_t	owed;		/* to whom */
	atomic_t	parts;		/* FUA writes that have to fail after FLUSHes did */
	bool		fua_paid;	/* one of them has, ever */
};

/** ssdup_owe() - a flush failed that somebody relied on, and who did was not told; any context */
void ssdup_owe(struct ssdup_debt *d);

/** ssdup_pay_flush() - do these FLUSHes, @nr that end together, have to fail? any context */
bool ssdup_pay_flush(struct ssdup_debt *d, u32 nr);

/** ssdup_pay_fua() - does a FUA write that comes now have to fail? any context */
bool ssdup_pay_fua(struct ssdup_debt *d);

/** ssdup_unpay_fua() - part of a FUA write goes to the next table, which may undo its error */
void ssdup_unpay_fua(struct ssdup_debt *d);

/** ssdup_inherit() - what @from, of an earlier table, owes is @d's now; context: preresume */
void ssdup_inherit(struct ssdup_debt *d, struct ssdup_debt *from);

#endif
