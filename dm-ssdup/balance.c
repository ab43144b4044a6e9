// SPDX-License-Identifier: GPL-2.0-only
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "balance.h"

/* --- Costs --- */

#define COST_MAX	BIT(30)		/* ns of any part: a second */
#define COST_STEP	8		/* a step takes a part of the error: 1/8 */
#define SCALE		16		/* work is counted in sixteenths of a unit */

u64 balance_price(const struct balance_cost *cost, const struct balance_work *w)
{
	u64 ns = div_u64((u64)cost->unit_ns * w->sectors, BALANCE_UNIT);

	return ns + (u64)cost->request_ns * w->requests + (u64)cost->place_ns * w->placed + 1;
}

static u32 corrected(u32 part, s64 error, u32 x, u64 norm)
{
	/* Written so that nothing overflows: |error| is below 2^40, x below 2^20. */
	s64 step = div64_s64(error * SCALE / COST_STEP * (s64)x, (s64)norm);

	return clamp_t(s64, part + step, 0, COST_MAX);
}

void balance_learn(struct balance_cost *cost, const struct balance_work *w, u64 busy_ns)
{
	u32 x[3] = {
		min(w->sectors / (BALANCE_UNIT / SCALE), 1U << 18),
		min(w->requests, 1U << 14) * SCALE,
		min(w->placed, 1U << 14) * SCALE,
	};
	u64 norm = (u64)x[0] * x[0] + (u64)x[1] * x[1] + (u64)x[2] * x[2];
	s64 error = min(busy_ns, 1ULL << 38) - min(balance_price(cost, w), 1ULL << 38);

	if (!norm)
		return;
	cost->unit_ns = corrected(cost->unit_ns, error, x[0], norm);
	cost->request_ns = corrected(cost->request_ns, error, x[1], norm);
	cost->place_ns = corrected(cost->place_ns, error, x[2], norm);
}

/* --- Chunks: tag 32 bits, age 10, end in the chunk 14, route 1, in use 1 --- */

#define CHUNK_SECTORS	((u32)BIT(BALANCE_CHUNK_SHIFT))
#define CHUNK_USED	BIT_ULL(0)
#define CHUNK_SSD	BIT_ULL(1)
#define CHUNK_END(w)	((u32)((w) >> 2) & 0x3fff)
#define CHUNK_AGE(w)	((u32)((w) >> 16) % BALANCE_AGES)
#define CHUNK_TAG(w)	((u32)((w) >> 32))
#define CHUNK_NEAR	4U	/* lengths of a write: so far from the end is near */
#define CHUNK_SOON	3U	/* ticks: one of a run that comes out of order */
#define CHUNK_RECENT	64U	/* ticks: exactly where another ended, among a thousand writers */

/* What is known of a chunk; 0: nothing. */
static u64 chunk_word(const struct balance_map *m, u64 chunk)
{
	u64 w = READ_ONCE(m->chunk[chunk % BALANCE_CHUNKS]);

	return w & CHUNK_USED && CHUNK_TAG(w) == (u32)chunk ? w : 0;
}

static bool within(u64 w, u32 age, u32 ticks)
{
	return w && (age - CHUNK_AGE(w)) % BALANCE_AGES <= ticks;
}

static enum balance_last way(u64 w)
{
	if (!w)
		return BALANCE_NOWHERE;
	return w & CHUNK_SSD ? BALANCE_SSD : BALANCE_HDD;
}

struct balance_place balance_find(const struct balance_map *m, u64 start, u32 sectors, u32 age,
				  bool loose)
{
	u64 chunk = start >> BALANCE_CHUNK_SHIFT;
	u32 at = start & (CHUNK_SECTORS - 1);
	u64 w = chunk_word(m, chunk), before;
	struct balance_place place = { .last = way(w) };
	u32 end = CHUNK_END(w), gap = end > at ? end - at : at - end;

	if (loose && within(w, age, CHUNK_SOON) && gap <= CHUNK_NEAR * sectors)
		place.follows = true;
	else if (!gap)
		place.follows = within(w, age, CHUNK_RECENT);
	if (place.follows || !chunk || (at && !loose))
		return place;
	before = chunk_word(m, chunk - 1);
	if ((loose && within(before, age, CHUNK_SOON)) ||
	    (!at && CHUNK_END(before) == CHUNK_SECTORS && within(before, age, CHUNK_RECENT))) {
		place.last = way(before);
		place.follows = true;
	}
	return place;
}

void balance_note(struct balance_map *m, u64 start, u32 sectors, u32 age,
		  enum ssdup_route route)
{
	u64 last = start + sectors - 1;
	u64 chunk = last >> BALANCE_CHUNK_SHIFT;
	u32 end = (last & (CHUNK_SECTORS - 1)) + 1;
	u64 w = CHUNK_USED | (u64)end << 2 | (u64)(age % BALANCE_AGES) << 16 |
		(u64)(u32)chunk << 32;

	if (route == SSDUP_ROUTE_SSD)
		w |= CHUNK_SSD;
	WRITE_ONCE(m->chunk[chunk % BALANCE_CHUNKS], w);
}

/* --- Choice --- */

enum ssdup_route balance_choose(const struct balance_facts *f)
{
	const u32 one = SSDUP_PCT_ONE;
	u32 promised = min(f->promised, one);
	u32 stay = BALANCE_STAY * one + (BALANCE_STAY_MAX - BALANCE_STAY) * promised;
	u64 hdd = f->hdd_queue + f->hdd_price;
	u64 ssd = f->ssd_queue + f->ssd_price;

	/* Of two writes the one that the HDD likes better goes there. */
	if (f->place.follows)
		ssd += ssd / 2;
	ssd += div_u64(ssd * (f->place.follows ? BALANCE_KEEP : 1) * f->fill, one);

	if (f->place.last == BALANCE_HDD)
		ssd = div_u64(ssd * stay, one);
	else if (f->place.last == BALANCE_SSD)
		hdd = div_u64(hdd * stay, one);
	else
		ssd += div_u64(ssd * BALANCE_SPARE * div_u64((u64)promised * promised, one), one);
	return hdd <= ssd ? SSDUP_ROUTE_HDD : SSDUP_ROUTE_SSD;
}
