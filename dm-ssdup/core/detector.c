// SPDX-License-Identifier: GPL-2.0-only
/* Decides how random a stream is: the share of its writes that need a seek. */
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "detector.h"

/*
 * Each stream is sorted, so sorting must be cheap. Samples are dealt to buckets by their
 * offset, which nearly sorts a random stream. A merge sort within each bucket bounds the
 * cost of any other stream. A link is the number of a sample plus one; 0 ends a list.
 */
#define BUCKETS		256U

/* Order by offset, then by length. */
static bool below(const struct stream_sample *x, const struct stream_sample *y)
{
	return x->start != y->start ? x->start < y->start : x->sectors < y->sectors;
}

static u32 merged(struct stream_sample *s, u32 a, u32 b)
{
	u32 head, *tail = &head;

	while (a && b) {
		u32 *low = below(&s[b - 1], &s[a - 1]) ? &b : &a;

		*tail = *low;
		tail = &s[*low - 1].next;
		*low = *tail;
	}
	*tail = a ?: b;
	return head;
}

/* Sort the first @nr of a list; *@rest is set to the remainder. */
static u32 sorted(struct stream_sample *s, u32 head, u32 nr, u32 *rest)
{
	u32 half;

	if (nr == 1) {
		*rest = s[head - 1].next;
		s[head - 1].next = 0;
		return head;
	}
	head = sorted(s, head, nr / 2, &half);
	return merged(s, head, sorted(s, half, nr - nr / 2, rest));
}

/* Sort a list of at least two; exactly two are the usual case. */
static u32 sorted_list(struct stream_sample *s, u32 head)
{
	u32 nr = 2, rest, next = s[head - 1].next, x = s[next - 1].next;

	if (!x) {
		if (!below(&s[next - 1], &s[head - 1]))
			return head;
		s[next - 1].next = head;
		s[head - 1].next = 0;
		return next;
	}
	for (; x; x = s[x - 1].next)
		nr++;
	return sorted(s, head, nr, &rest);
}

/* A sample belongs to bucket (start - *@low) >> result. */
static u32 bucket_shift(const struct stream_sample *s, u32 nr, u64 *low)
{
	u64 high = s[0].start;
	u32 i;

	*low = high;
	for (i = 1; i < nr; i++) {
		*low = min(*low, s[i].start);
		high = max(high, s[i].start);
	}
	return high == *low ? 0 : max(ilog2(high - *low) + 1, 8) - 8;
}

u32 ssdup_detector_random_percentage(struct stream_sample *s, u32 nr)
{
	u16 head[BUCKETS] = { 0 };
	u32 i, x, shift, sum = 0;
	u64 low, end;
	u16 *b;

	shift = bucket_shift(s, nr, &low);
	for (i = 0; i < nr; i++) {
		/* A late sampler may change it meanwhile, see stream.h: stay within head[]. */
		b = &head[((s[i].start - low) >> shift) % BUCKETS];
		s[i].next = *b;
		*b = i + 1;
	}

	/* The first sample has no lower neighbour and counts for nothing. */
	end = low;
	for (i = 0; i < BUCKETS; i++) {
		x = head[i];
		if (!x)
			continue;
		if (s[x - 1].next)
			x = sorted_list(s, x);
		do {
			sum += s[x - 1].start != end;
			end = s[x - 1].start + s[x - 1].sectors;
			x = s[x - 1].next;
		} while (x);
	}
	return div_u64((u64)sum * SSDUP_PCT_ONE + (nr - 1) / 2, nr - 1);
}
