// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: writes that the SSD refuses, and an SSD that is away for a while.
 *
 * No page refers to the place of a data write that fails. So it is routed again, see core/retry.h;
 * one that has ended in memory gets another place, see restage.c. An SSD behind a network may
 * refuse requests for a while. Until it recovers the log is shut: writes go to the HDD, or wait if
 * the log holds older data for the same sectors.
 */
#include <linux/slab.h>

#include "base/failure.h"
#include "base/wakeups.h"
#include "core/retry.h"
#include "log/log.h"
#include "router.h"

struct ssdup_away {
	unsigned long		until;		/* jiffies: when to try the log again; a hint */
	spinlock_t		lock;		/* protects errors */
	struct retry_errors	errors[SSDUP_MAX_SSDS];	/* of data writes to each SSD */
};

int ssdup_away_create(struct ssdup_router *router)
{
	router->away = kzalloc(sizeof(*router->away), GFP_KERNEL);
	if (!router->away)
		return -ENOMEM;
	spin_lock_init(&router->away->lock);
	return 0;
}

/* --- Data --- */

static void shut_log(struct ssdup_router *router)
{
	unsigned long pause = msecs_to_jiffies(RETRY_PAUSE_MS);
	unsigned long last = READ_ONCE(router->away->until);

	WRITE_ONCE(router->away->until, jiffies + pause);
	/* Warn only at the first of a series of tries. */
	if (!last || time_after(jiffies, last + msecs_to_jiffies(RETRY_AWAY_MS)))
		DMWARN_LIMIT("%s: the SSD takes no writes for the moment", router->c->name);
	WRITE_ONCE(router->c->log_shut, true);
	/* Even if nothing waits: the work also reopens the log. */
	ssdup_kick_waiting_in(router->c, pause);
}

void ssdup_look_for_ssd(struct ssdup_router *router)
{
	long left = READ_ONCE(router->away->until) - jiffies;

	if (!READ_ONCE(router->c->log_shut) || ssdup_mode(router->c) != MODE_RUNNING)
		return;
	if (left > 0) {
		ssdup_kick_waiting_in(router->c, left);
		return;
	}
	WRITE_ONCE(router->c->log_shut, false);
	/* Pairs with the exchange in ssdup_fail(), which shuts the log for good. */
	smp_mb();
	if (ssdup_mode(router->c) != MODE_RUNNING)
		WRITE_ONCE(router->c->log_shut, true);
}

bool ssdup_data_error(struct ssdup_router *router, struct ssdup_ssd *ssd, blk_status_t status)
{
	unsigned long flags;
	bool many;

	stat_inc(router->c, STAT_SSD_ERRORS);
	if (ssdup_is_transient(blk_status_to_errno(status))) {
		shut_log(router);
		return true;
	}
	spin_lock_irqsave(&router->away->lock, flags);
	many = ssdup_retry_count(&router->away->errors[ssd - router->c->ssd], ktime_get_ns());
	spin_unlock_irqrestore(&router->away->lock, flags);
	if (many)
		ssdup_ssd_fail(router->c, ssd, "too many writes of data to the SSD failed");
	return false;
}

void ssdup_refused(struct ssdup_router *router, struct ssdup_io *io, blk_status_t status)
{
	struct ssdup_ssd *ssd = ssd_of(router->log, io->segment);
	struct retry_facts f = { .away = ssdup_data_error(router, ssd, status) };

	if (!io->refused) {
		io->refused = true;
		io->refused_at = jiffies;
		io->errors = 0;
	}
	io->errors += !f.away;
	f.errors = io->errors;
	f.ms = jiffies_to_msecs(jiffies - io->refused_at);
	switch (ssdup_retry_decide(&f)) {
	case RETRY_LOG:
		break;
	case RETRY_HDD:
		io->route = SSDUP_HDD;
		break;
	case RETRY_NEVER:
		/* Another SSD begins anew. */
		io->refused = false;
		ssdup_ssd_fail(router->c, ssd, f.away ? "the SSD takes no writes" :
			       "a write of data to the SSD failed in one place after the other");
		break;
	}
}

void ssdup_renew(struct ssdup_router *router, struct bio *bio, const struct ssdup_io *io)
{
	bio_end_io_t *end_io = bio->bi_end_io;
	unsigned short ioprio = bio->bi_ioprio;
	void *private = bio->bi_private;

	/*
	 * Lower devices may have changed the device and the flags. Write hints are lost. Who polls
	 * must not look for it in a queue where it is not.
	 */
	bio_reset(bio, first_ssd(router->c)->dev->bdev, io->opf & ~(REQ_NOWAIT | REQ_POLLED));
	WRITE_ONCE(bio->bi_cookie, BLK_QC_T_NONE);
	bio_set_flag(bio, BIO_CLONED);
	bio->bi_iter = io->iter;
	bio->bi_end_io = end_io;
	bio->bi_private = private;
	bio->bi_ioprio = ioprio;
}
