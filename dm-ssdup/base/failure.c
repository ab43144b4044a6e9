// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: failure modes.
 *
 * running -> log read-only -> log failed. Each change is logged once. Only loading
 * the table again undoes it. Of several SSDs one after the other may fail before that. What an
 * error of the SSD means, others decide: route/refusals.c for data, log/metadata.c for the rest.
 */
#include "failure.h"
#include "wakeups.h"

static const char * const mode_names[] = {
#define SSDUP_MODE(symbol, words)	\
	[MODE_##symbol] = words,
#include "core/states.h"
};

static void tell_all(struct ssdup *c)
{
	ssdup_event(c);
	ssdup_kick_waiting(c);
	ssdup_kick_writeback(c);
	ssdup_kick_clean(c);
	ssdup_drain_told(c);
}

void ssdup_fail(struct ssdup *c, enum ssdup_mode mode, const char *why)
{
	enum ssdup_mode now = ssdup_mode(c);

	do {
		if (now >= mode)
			return;
	} while (!try_cmpxchg(&c->mode, &now, mode));

	WRITE_ONCE(c->log_shut, true);
	DMERR("%s: %s: %s", c->name, mode_names[mode], why);
	tell_all(c);
}

void ssdup_ssd_fail(struct ssdup *c, struct ssdup_ssd *ssd, const char *why)
{
	u32 i = ssd - c->ssd;

	if (test_and_set_bit(i, &c->ssds_out))
		return;
	if (ssdup_ssds_shut(c) == BIT(c->nr_ssds) - 1) {
		ssdup_fail(c, MODE_LOG_READ_ONLY, why);
		return;
	}
	DMERR("%s: SSD %u, %s, takes no writes any more: %s", c->name, i, ssd->dev->name, why);
	tell_all(c);
}
