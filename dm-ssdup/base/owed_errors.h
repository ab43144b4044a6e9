/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: flush errors that a later request has to report.
 *
 * A file system commits its journal with one bio that has data, PREFLUSH and FUA. Device
 * mapper first sends an empty FLUSH, drops its status, and then sends the data as a FUA
 * write. So each flush error is reported twice: by the next FLUSH that ends, and by the
 * next FUA write that comes. After failed FLUSHes as many FUA writes fail, because each
 * may be the data of one. The next table of the device inherits what is still owed.
 *
 * Of a write that waits, device mapper may have sent a part before, which may be lost meanwhile.
 * When it ends at last, a FLUSH that follows must not succeed for it. So the debt is made again.
 */
#ifndef SSDUP_OWED_ERRORS_H
#define SSDUP_OWED_ERRORS_H

#include <linux/atomic.h>
#include <linux/types.h>

struct ssdup_debt {
	atomic_t	owed;		/* OWED_TO_* */
	atomic_t	parts;		/* FUA writes that have to fail after FLUSHes did */
	bool		fua_paid;	/* a FUA write has failed for this */
	u64		lost;		/* ms: when data was lost last; 0: never; a hint */
};

/** ssdup_owe() - let later requests report a flush that failed; any context */
void ssdup_owe(struct ssdup_debt *debt);

/** ssdup_owe_loss() - the same: data that had ended was lost; any context */
void ssdup_owe_loss(struct ssdup_debt *debt);

/** ssdup_owe_part() - a write goes on that has waited since @since, ms; any context */
void ssdup_owe_part(struct ssdup_debt *debt, u64 since);

/** ssdup_pay_flush() - must @nr FLUSHes, which end together, fail? any context */
bool ssdup_pay_flush(struct ssdup_debt *debt, u32 nr);

/** ssdup_pay_fua() - must a FUA write that comes now fail? any context */
bool ssdup_pay_fua(struct ssdup_debt *debt);

/** ssdup_unpay_fua() - a requeued FUA write may have failed in part: owe its error again */
void ssdup_unpay_fua(struct ssdup_debt *debt);

/** ssdup_inherit() - move what @from, of an earlier table, owes to @debt; context: preresume */
void ssdup_inherit(struct ssdup_debt *debt, struct ssdup_debt *from);

#endif
