// SPDX-License-Identifier: GPL-2.0-only
/* Chooses which disk gets which write, and when: a window for each disk. */
#include <linux/math64.h>
#include <linux/minmax.h>

#include "thrift.h"
#include "window.h"

#define STEP	8	/* part of the difference that an average learns at once: 1/8 */

/* --- Which writes are sequential --- */

static u32 slot_of(u64 key)
{
	return key * 0x9e3779b97f4a7c15ULL >> (64 - WINDOW_ENDS_BITS);
}

/* How an area of WINDOW_NEAR sectors is told from others of its slot. */
static u32 area_tag(u64 area)
{
	return (area + 1) << 1;
}

void ssdup_window_note(struct window_map *m, u64 start, u32 sectors, enum ssdup_disk disk)
{
	struct window_end *end = &m->end[slot_of(start + sectors)];
	u64 area = start / WINDOW_NEAR;
	bool ssd = disk == SSDUP_SSD;

	WRITE_ONCE(m->written, READ_ONCE(m->written) + sectors);
	WRITE_ONCE(end->sector, (start + sectors) << 1 | ssd);
	WRITE_ONCE(end->written, READ_ONCE(m->written));
	WRITE_ONCE(m->area[slot_of(area)], area_tag(area) | ssd);
}

/* What goes on with no other write: which disk got the last one nearby? */
static enum window_kind kind_near(const struct window_map *m, u64 area)
{
	u32 last = READ_ONCE(m->area[slot_of(area)]);

	if ((last & ~1U) != area_tag(area))
		return WINDOW_SCATTERED;
	return last & 1 ? WINDOW_SSD_RUN : WINDOW_HDD_NEAR;
}

enum window_kind ssdup_window_kind(struct window_map *m, u64 start, u32 sectors)
{
	struct window_end *end = &m->end[slot_of(start)];
	u64 sector = READ_ONCE(end->sector);

	if (!sector || sector >> 1 != start ||
	    READ_ONCE(m->written) - READ_ONCE(end->written) > WINDOW_RECENT)
		return kind_near(m, start / WINDOW_NEAR);
	WRITE_ONCE(end->sector, 0);
	if (start / WINDOW_CHUNK != (start - sectors) / WINDOW_CHUNK)
		return WINDOW_SEQUENTIAL;
	return sector & 1 ? WINDOW_SSD_RUN : WINDOW_HDD_RUN;
}

/* --- What was learnt of the disks --- */

static enum window_use use_of_hdd(enum window_kind kind)
{
	return kind == WINDOW_SCATTERED || kind == WINDOW_HDD_NEAR ? WINDOW_USE_SCATTERED :
								     WINDOW_USE_RUNS;
}

void ssdup_window_ended(struct window_speed *s, enum ssdup_disk disk, enum window_kind kind,
			u64 ns, u32 beside, u64 now)
{
	enum window_use use = disk == SSDUP_SSD ? WINDOW_USE_SSD : use_of_hdd(kind);
	u64 before = READ_ONCE(s->ns[use]), unit = div_u64(ns * WINDOW_UNIT, beside);

	WRITE_ONCE(s->ns[use], max(before ? before - before / STEP + unit / STEP : unit, 1ULL));
	WRITE_ONCE(s->retry[use], now + ns * WINDOW_RETRY);
}

/* --- The choice --- */

static u64 takes(const struct window_facts *f, enum window_use use)
{
	return READ_ONCE(f->speed->ns[use]);
}

/* May a disk be tried that has nothing to do? */
static bool tries(const struct window_facts *f, enum window_use use, u32 in_flight)
{
	return !in_flight && f->now >= READ_ONCE(f->speed->retry[use]);
}

/* Is one disk worth a write, though the other one takes @other for it? 0: not known */
static bool worth(const struct window_facts *f, enum window_use use, u32 in_flight, u64 other)
{
	u64 ns = takes(f, use);

	return tries(f, use, in_flight) || !other || (ns && ns <= WINDOW_GAIN * other);
}

static bool hdd_worth(const struct window_facts *f, enum window_kind kind)
{
	return worth(f, use_of_hdd(kind), f->hdd, takes(f, WINDOW_USE_SSD));
}

static bool ssd_worth(const struct window_facts *f, enum window_kind kind)
{
	return worth(f, WINDOW_USE_SSD, f->ssd, takes(f, use_of_hdd(kind)));
}

/* Others have the HDD to themselves. */
static bool hdd_is_out(const struct window_facts *f)
{
	/* Without a budget there is no other disk. */
	if (f->room && f->price >= THRIFT_NEVER)
		return false;
	return (f->kept && f->room) || f->pass;
}

/* Is the HDD quicker, as far as is known? */
static bool hdd_quicker(const struct window_facts *f, enum window_kind kind)
{
	u64 ns = takes(f, use_of_hdd(kind));

	return ns && ns < takes(f, WINDOW_USE_SSD);
}

/* Is the HDD idle, and quicker, or has to be tried? */
static bool hdd_first(const struct window_facts *f, enum window_kind kind)
{
	return !hdd_is_out(f) && takes(f, WINDOW_USE_SSD) && !f->hdd &&
	       (tries(f, use_of_hdd(kind), f->hdd) || hdd_quicker(f, kind));
}

/* With the log full: does the HDD get such a write at once? */
static bool goes_direct(const struct window_facts *f, enum window_kind kind)
{
	return kind != WINDOW_REWRITE && !f->blocks && (f->cached || hdd_quicker(f, kind));
}

/*
 * Is a write for the HDD, since the SSD has a price? So it is while it may end there in time, by
 * what it has waited and what is in flight.
 */
static bool spares_ssd(const struct window_facts *f, enum window_kind kind)
{
	u64 ns = takes(f, use_of_hdd(kind)) ?: takes(f, WINDOW_USE_RUNS), waits = f->price;

	if (likely(!waits) || kind == WINDOW_REWRITE)
		return false;
	if (waits >= THRIFT_NEVER)
		return true;
	/* The HDD is somebody else's meanwhile, or has to be tried with one write first. */
	if (f->kept || (!ns && f->hdd))
		return false;
	if (ns > THRIFT_TRANSFER)
		waits = div64_u64(waits * THRIFT_TRANSFER, ns);
	ns = div_u64(ns * (f->hdd + WINDOW_UNIT), WINDOW_UNIT);
	return (f->waited ? f->waited[kind] : 0) * 1000000ULL + ns <= waits;
}

static bool hdd_takes(const struct window_facts *f, enum window_kind kind)
{
	const u32 window = f->room ? WINDOW_HDD : WINDOW_FULL;

	if (kind == WINDOW_REWRITE || hdd_is_out(f) || f->hdd >= window)
		return false;
	if (!f->room)
		return goes_direct(f, kind);
	if (spares_ssd(f, kind))
		return true;
	if (!hdd_worth(f, kind))
		return false;
	if (hdd_first(f, kind) || !ssd_worth(f, kind))
		return true;
	return kind == WINDOW_HDD_RUN ? f->ssd : kind != WINDOW_SSD_RUN && f->ssd >= WINDOW_SSD;
}

static bool ssd_takes(const struct window_facts *f, enum window_kind kind)
{
	if (!f->room || spares_ssd(f, kind))
		return false;
	if (f->kept || kind == WINDOW_REWRITE)
		return true;
	if (!hdd_is_out(f) && !ssd_worth(f, kind))
		return false;
	switch (kind) {
	case WINDOW_HDD_RUN:
		return !f->ssd && !hdd_first(f, kind);
	case WINDOW_SSD_RUN:
		return f->ssd < WINDOW_SSD;
	default:
		return f->ssd < WINDOW_SSD && !hdd_first(f, kind);
	}
}

bool ssdup_window_choose(const struct window_facts *f, struct window_choice *c)
{
	int kind;

	c->disk = SSDUP_HDD;
	for (kind = 0; kind < WINDOW_KINDS; kind++) {
		c->kind = kind;
		if (f->waiting & BIT(kind) && hdd_takes(f, kind))
			return true;
	}
	c->disk = SSDUP_SSD;
	while (kind--) {
		c->kind = kind;
		if (f->waiting & BIT(kind) && ssd_takes(f, kind))
			return true;
	}
	return false;
}

bool ssdup_window_drains(const struct window_facts *f)
{
	int kind;

	for (kind = 0; kind < WINDOW_KINDS; kind++)
		if (f->waiting & BIT(kind) && !goes_direct(f, kind))
			return true;
	return false;
}
