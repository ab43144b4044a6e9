// SPDX-License-Identifier: GPL-2.0-only
/* Decides how much reads and writes of an SSD disturb each other. */
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "interference.h"

#define STEP	8	/* part of the difference that an average learns at once: 1/8 */

u32 ssdup_load_size(u32 sectors)
{
	return min(ilog2(max(sectors, 8U)) - 3, (int)LOAD_SIZES - 1);
}

/* --- What a write takes, by what is in flight --- */

/*
 * Times are known at powers of two, and lie on a line between them. @part is how far @sectors is
 * on the way to the next one, of 256.
 */
static u32 place(u64 sectors, u32 *part)
{
	u32 at = min(ilog2(sectors), (int)LOAD_DEPTHS - 2);

	*part = min((sectors << 8 >> at) - 256, 256ULL);
	return at;
}

static u32 between(u32 low, u32 high, u32 part)
{
	return ((u64)low * (256 - part) + (u64)high * part) >> 8;
}

/* With more in flight than was ever seen, a write takes longer in proportion; with less, not. */
static u32 expected(const u32 ns[LOAD_DEPTHS], u64 sectors)
{
	u32 part, at = place(sectors, &part), i;

	if (ns[at] && ns[at + 1])
		return between(ns[at], ns[at + 1], part);
	for (i = at + 1; i < LOAD_DEPTHS; i++)
		if (ns[i])
			return ns[i];
	for (i = at; i > 0 && !ns[i]; i--)
		;
	return min_t(u64, ns[i] * sectors >> i, U32_MAX);
}

static void correct(u32 *ns, s64 by, u32 part)
{
	*ns = clamp_t(s64, *ns + div_s64(by * part, STEP * 256), 1, U32_MAX);
}

static void learn(u32 ns[LOAD_DEPTHS], u64 sectors, u32 took)
{
	u32 part, at = place(sectors, &part);
	s64 by;

	/* Until more is known, rather too much is expected than too little. */
	if (!ns[at])
		ns[at] = max(took, 1U);
	if (!ns[at + 1])
		ns[at + 1] = clamp_t(u64, div64_u64((u64)took << (at + 1), sectors), 1, U32_MAX);
	by = (s64)took - between(ns[at], ns[at + 1], part);
	correct(&ns[at], by, 256 - part);
	correct(&ns[at + 1], by, part);
}

/* --- Spans --- */

/*
 * R of a span that ends, in 10000ths, below 100; and what the span shows is learnt.
 * @rate: sectors a second, as so many are in flight for so long
 */
static s32 end_span(struct interference *i, const struct ssd_load *load, u64 *rate)
{
	u64 sectors = div_u64(i->sectors, i->looks), ns, nr, took = 0, usual = 0, all = 0;
	bool beside = load->others != i->then.others;
	u32 size, each, known;

	for (size = 0; size < LOAD_SIZES; size++) {
		ns = load->timed[size].ns - i->then.timed[size].ns;
		nr = load->timed[size].nr - i->then.timed[size].nr;
		/* A write may have been added to one of them so far. */
		if (!nr || !ns)
			continue;
		each = min_t(u64, div64_u64(ns, nr), U32_MAX);
		known = beside ? expected(i->ns[size], sectors) : 0;
		if (!beside && !i->others_before)
			learn(i->ns[size], sectors, each);
		all += nr;
		took += nr * each;
		usual += nr * (known ?: each);
	}
	if (!usual)
		return LOAD_NONE;
	*rate = mul_u64_u64_div_u64(sectors * all, LOAD_SECOND, took);
	return min(mul_u64_u64_div_u64(took, LOAD_NONE, usual), 100ULL * LOAD_NONE);
}

static void average(u64 *rate, u64 now, u32 spans)
{
	WRITE_ONCE(*rate, div_u64(*rate * (LOAD_SPANS - spans) + now * spans, LOAD_SPANS));
}

void ssdup_interference_look(struct interference *i, const struct ssd_load *load, u64 now)
{
	u64 passed = now - i->begun;
	s32 r = i->r, now_r = LOAD_NONE, spans;
	u64 rate = 0;

	if (load->sectors) {
		i->sectors += load->sectors;
		i->looks++;
	}
	if (passed < LOAD_SPAN)
		return;
	/* Who writes seldom, or waits for long, makes long spans. */
	spans = min_t(u64, div_u64(passed, LOAD_SPAN), LOAD_SPANS);
	if (i->looks) {
		now_r = end_span(i, load, &rate);
		r += (now_r - (s32)LOAD_NONE - r) * spans / (s32)LOAD_SPANS;
	}
	if (spans == LOAD_SPANS && !load->sectors)
		r = 0;
	WRITE_ONCE(i->r, r);
	average(&i->rate, rate, spans);
	average(&i->alone, div_u64(rate * now_r, LOAD_NONE), spans);
	i->others_before = load->others != i->then.others;
	i->then = *load;
	i->begun = now;
	i->sectors = 0;
	i->looks = 0;
}

u32 ssdup_interference(const struct interference *i)
{
	return max(READ_ONCE(i->r), 0) + LOAD_NONE;
}

u32 ssdup_interference_gain(const struct interference *reads, const struct interference *writes)
{
	u64 both = READ_ONCE(reads->rate) + READ_ONCE(writes->rate);

	if (!both)
		return 0;
	return min_t(u64, mul_u64_u64_div_u64(READ_ONCE(reads->alone), LOAD_NONE, both), U32_MAX);
}
