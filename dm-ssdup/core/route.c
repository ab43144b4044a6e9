// SPDX-License-Identifier: GPL-2.0-only
#include "route.h"

enum write_way ssdup_route_way(const struct route_facts *f)
{
	if (f->route == SSDUP_HDD && !f->overlaps)
		return WRITE_TO_HDD;

	if (!f->log_writable)
		return f->overlaps ? WRITE_FAILS : WRITE_TO_HDD;

	if (f->space && !f->queue && !f->shut)
		return WRITE_TO_LOG;

	if (!f->overlaps &&
	    (f->leaving || f->no_memory || f->shut || f->full == SSDUP_FULL_BYPASS))
		return WRITE_TO_HDD;

	return f->leaving && f->stuck && !f->shut ? WRITE_FAILS : WRITE_WAITS;
}
