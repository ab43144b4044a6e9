// SPDX-License-Identifier: GPL-2.0-only
/* Owns a FLUSH of the device: a commit, beside a flush of the HDD. */
#include "base/owed_errors.h"
#include "base/step.h"
#include "drain/drainer.h"
#include "flush.h"
#include "log/log.h"
#include "route/windows.h"

void ssdup_flush_work(struct work_struct *work)
{
	struct ssdup *c = container_of(work, struct ssdup, flushes.work);
	struct bio_list bios = bio_queue_take(&c->flushes);
	struct hdd_flush hdd_flush;
	bool hdd, failed;

	if (bio_list_empty(&bios))
		return;
	/* Until it ends, and a while longer: what went to the HDD would have to be flushed next. */
	ssdup_window_flush(c->router, true);
	hdd = ssdup_hdd_flush_begin(c->drainer, &hdd_flush);
	if (ssdup_commit(c->log))
		ssdup_owe(&c->debt);
	/* If it fails, hdd_told() calls ssdup_owe(). */
	if (hdd)
		ssdup_hdd_flush_end(c->drainer, &hdd_flush);
	ssdup_window_flush(c->router, false);
	ssdup_step(c, STEP_FLUSH_END);
	failed = ssdup_pay_flush(&c->debt, bio_list_size(&bios));
	bio_queue_end(&c->flushes, &bios, failed ? BLK_STS_IOERR : BLK_STS_OK);
}
