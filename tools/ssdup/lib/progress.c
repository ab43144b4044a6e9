// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: progress.
 */
#include <stdio.h>
#include <string.h>

#include "progress.h"

#define RATE_MS		5000U	/* what a rate looks back over, at least */
#define LEAST_BAR	10U
#define MOST_BAR	50U

void rate_add(struct rate *r, uint64_t ms, uint64_t value)
{
	unsigned int last = (r->nr - 1) % RATE_SAMPLES;

	if (r->nr && (value < r->value[last] || ms < r->ms[last]))
		r->nr = 0;
	/* Looks that follow closely would push out what the rate looks back to. */
	if (r->nr > 1 && ms - r->ms[(r->nr - 2) % RATE_SAMPLES] < RATE_MS / (RATE_SAMPLES - 2))
		r->nr--;
	r->ms[r->nr % RATE_SAMPLES] = ms;
	r->value[r->nr % RATE_SAMPLES] = value;
	r->nr++;
	/* The number of samples counts up to twice their room, then stays near it. */
	if (r->nr == 3 * RATE_SAMPLES)
		r->nr -= RATE_SAMPLES;
}

uint64_t rate_now(const struct rate *r)
{
	unsigned int have = r->nr < RATE_SAMPLES ? r->nr : RATE_SAMPLES;
	unsigned int last, first, i;

	if (have < 2)
		return 0;
	last = (r->nr - 1) % RATE_SAMPLES;
	/* The youngest sample that is old enough, else the oldest. */
	for (i = 1; i < have - 1; i++)
		if (r->ms[last] - r->ms[(r->nr - 1 - i) % RATE_SAMPLES] >= RATE_MS)
			break;
	first = (r->nr - 1 - i) % RATE_SAMPLES;
	if (r->ms[last] == r->ms[first])
		return 0;
	return (__uint128_t)(r->value[last] - r->value[first]) * 1000 /
	       (r->ms[last] - r->ms[first]);
}

bool ticker_due(struct ticker *t, uint64_t ms)
{
	uint64_t wait = t->terminal ? TICKER_BAR_MS : TICKER_LINE_MS;

	if (ms - t->begin < TICKER_FIRST_MS || (t->shown && ms - t->shown < wait))
		return false;
	t->shown = ms;
	return true;
}

void progress_update(struct progress *p, uint64_t ms, uint64_t left, uint64_t done)
{
	p->left = left;
	if (left > p->all)
		p->all = left;
	rate_add(&p->rate, ms, done);
}

/* Of what there was, in hundredths; 100 only when nothing is left. */
static unsigned int percent(const struct progress *p)
{
	if (!p->left)
		return 100;
	return (__uint128_t)(p->all - p->left) * 100 / p->all;
}

static void put_bar(char *bar, unsigned int width, unsigned int share)
{
	unsigned int full = width * share / 100;

	memset(bar, '#', full);
	memset(bar + full, '-', width - full);
	bar[width] = '\0';
}

const char *progress_line(char *text, size_t size, unsigned int columns,
			  const struct progress *p)
{
	char left[SIZE_TEXT], speed[SIZE_TEXT], eta[SIZE_TEXT], words[128], bar[MOST_BAR + 1];
	uint64_t rate = rate_now(&p->rate);
	unsigned int share = percent(p), len, width;

	format_size(left, p->left);
	snprintf(words, sizeof(words), "%3u %%  %s left", share, left);
	len = strlen(words);
	if (rate) {
		format_size(speed, rate);
		format_time(eta, (p->left + rate - 1) / rate);
		if (len + strlen(speed) + 4 < columns)
			len += snprintf(words + len, sizeof(words) - len, ", %s/s", speed);
		if (p->left && len + strlen(eta) + 2 < columns)
			len += snprintf(words + len, sizeof(words) - len, ", %s", eta);
	}
	/* A width that stays, whatever the words are, keeps the bar still. */
	width = columns > 50 + LEAST_BAR ? columns - 50 : 0;
	if (width > MOST_BAR)
		width = MOST_BAR;
	if (width && len + width + 3 < columns) {
		put_bar(bar, width, share);
		snprintf(text, size, "[%s] %s", bar, words);
	} else {
		snprintf(text, size, "%.*s", (int)columns, words);
	}
	return text;
}
