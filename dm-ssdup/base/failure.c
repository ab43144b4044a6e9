// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: failure modes.
 *
 * running -> log read-only -> log failed. Each change is logged once. Only loading
 * the table again undoes it.
 */
#include "failure.h"
#include "wakeups.h"

static const char * const mode_names[] = {
#define SSDUP_MODE(symbol, words)	\
	[MODE_##symbol] = words,
#include "core/states.h"
};

void ssdup_fail(struct ssdup *c, enum ssdup_mode mode, const char *why)
{
	enum ssdup_mode now = ssdup_mode(c);

	do {
		if (now >= mode)
			return;
	} while (!try_cmpxchg(&c->mode, &now, mode));

	WRITE_ONCE(c->log_shut, true);
	DMERR("%s: %s: %s", c->name, mode_names[mode], why);
	ssdup_event(c);
	ssdup_kick_waiting(c);
	ssdup_kick_writeback(c);
	ssdup_kick_clean(c);
	ssdup_drain_told(c);
}
