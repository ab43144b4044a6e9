// SPDX-License-Identifier: GPL-2.0-only
/* Decides from which random percentage on a stream goes to the SSD. */
#include <linux/minmax.h>
#include <linux/string.h>

#include "threshold.h"

void ssdup_threshold_init(struct threshold *t)
{
	memset(t, 0, sizeof(*t));
	t->value = THRESHOLD_START;
}

/* Index of the first entry that is not below @percentage. */
static u32 lower_bound(const struct threshold *t, u32 percentage)
{
	u32 lo = 0, hi = t->nr;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (t->sorted[mid] < percentage)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void list_forget_oldest(struct threshold *t)
{
	u16 percentage = t->arrival[t->oldest];
	u32 at = lower_bound(t, percentage);

	t->nr--;
	t->sum -= percentage;
	memmove(&t->sorted[at], &t->sorted[at + 1], (t->nr - at) * sizeof(t->sorted[0]));
	t->oldest = (t->oldest + 1) % THRESHOLD_LIST;
}

static void list_insert(struct threshold *t, u32 percentage)
{
	u32 at;

	if (t->nr == THRESHOLD_LIST)
		list_forget_oldest(t);

	at = lower_bound(t, percentage);
	memmove(&t->sorted[at + 1], &t->sorted[at], (t->nr - at) * sizeof(t->sorted[0]));
	t->sorted[at] = percentage;
	t->arrival[(t->oldest + t->nr) % THRESHOLD_LIST] = percentage;
	t->nr++;
	t->sum += percentage;
}

/*
 * PercentList[round((1 - avgper) * (n - 1))]. With avgper = sum / n the index
 * is the fraction (n - sum) * (n - 1) / n, here in units of 1/10000; nothing is
 * rounded before the end. Exactly one half rounds up.
 */
static u32 list_threshold(const struct threshold *t)
{
	u32 one = t->nr * SSDUP_PCT_ONE;

	if (t->nr < 2)
		return THRESHOLD_START;

	return t->sorted[((one - t->sum) * (t->nr - 1) + one / 2) / one];
}

/* Compare this stream with the threshold in force. Return: has the pattern changed? */
static bool pattern_changed(struct threshold *t, u32 percentage)
{
	u32 i, far = 0;

	t->far[t->recent_next] = percentage > t->value + THRESHOLD_FAR;
	t->recent_next = (t->recent_next + 1) % THRESHOLD_RECENT;
	t->nr_recent = min(t->nr_recent + 1, THRESHOLD_RECENT);

	for (i = 0; i < t->nr_recent; i++)
		far += t->far[i];

	return far > THRESHOLD_CHANGED;
}

u32 ssdup_threshold_update(struct threshold *t, u32 percentage)
{
	percentage = min(percentage, SSDUP_PCT_ONE);

	/*
	 * The change test starts over as well: else the next far stream would empty the list
	 * again, and a load that is all random would never get a threshold of its own.
	 */
	if (pattern_changed(t, percentage))
		ssdup_threshold_init(t);

	list_insert(t, percentage);
	t->value = list_threshold(t);
	return t->value;
}
