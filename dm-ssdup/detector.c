// SPDX-License-Identifier: GPL-2.0-only
#include <linux/math64.h>
#include <linux/sort.h>

#include "detector.h"

/* By offset, then by length: a strict weak ordering of the whole sample. */
static int sample_cmp(const void *a, const void *b)
{
	const struct stream_sample *x = a;
	const struct stream_sample *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->sectors != y->sectors)
		return x->sectors < y->sectors ? -1 : 1;
	return 0;
}

u32 detector_random_percentage(struct stream_sample *samples, u32 nr)
{
	u32 sum = 0;
	u32 i;

	sort(samples, nr, sizeof(*samples), sample_cmp, NULL);

	for (i = 1; i < nr; i++)
		sum += samples[i].start - samples[i - 1].start != samples[i - 1].sectors;

	return div_u64((u64)sum * SSDUP_PCT_ONE + (nr - 1) / 2, nr - 1);
}
