// SPDX-License-Identifier: GPL-2.0-only
/* Owns when the mirrors of a log's SSDs begin. */
#include "log_internal.h"

int ssdup_mirrors_start(struct ssdup_log *log, bool *mend)
{
	struct ssdup_ssd *ssd;
	int r = 0;

	for (ssd = first_ssd(log->c); ssd && !r; ssd = next_ssd(log->c, ssd)) {
		if (!ssd->mirrored)
			continue;
		*mend |= ssdup_mirror_new(ssd->user.mirror);
		r = ssdup_mirror_start(ssd->user.mirror, &ssd->in_mirror);
	}
	return r;
}

int ssdup_mirrors_made(struct ssdup_log *log)
{
	struct ssdup_ssd *ssd;
	int r = 0;

	for (ssd = first_ssd(log->c); ssd && !r; ssd = next_ssd(log->c, ssd))
		r = ssd->mirrored ? ssdup_mirror_made(ssd->user.mirror) : 0;
	return r;
}
