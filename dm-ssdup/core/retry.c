// SPDX-License-Identifier: GPL-2.0-only
/* Decides what follows when the SSD has refused a write. */
#include "retry.h"

bool ssdup_retry_count(struct retry_errors *e, u64 now)
{
	bool full = e->nr == RETRY_ERRORS;
	u64 oldest = e->at[e->next];

	e->at[e->next] = now;
	e->next = (e->next + 1) % RETRY_ERRORS;
	if (!full) {
		e->nr++;
		return false;
	}
	return now < oldest || now - oldest < RETRY_ERRORS_NS;
}

enum retry_way ssdup_retry_decide(const struct retry_facts *f)
{
	if (f->away)
		return f->ms < RETRY_AWAY_MS ? RETRY_LOG : RETRY_NEVER;
	if (f->errors >= RETRY_PLACES_MAX)
		return RETRY_NEVER;
	return f->errors < RETRY_PLACES ? RETRY_LOG : RETRY_HDD;
}
