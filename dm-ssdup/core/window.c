// SPDX-License-Identifier: GPL-2.0-only
/* Chooses which disk gets which write, and when: a window for each disk. */
#include <linux/math64.h>
#include <linux/minmax.h>

#include "allowance.h"
#include "pacing.h"
#include "window.h"

#define STEP	8	/* part of the difference that an average learns at once: 1/8 */

/* --- Which writes are sequential --- */

static u32 slot_of(u64 key)
{
	return key * 0x9e3779b97f4a7c15ULL >> (64 - WINDOW_ENDS_BITS);
}

/* Tells an area from others of its slot. */
static u32 area_tag(u64 area)
{
	return (area + 1) << 1;
}

void ssdup_window_note(struct window_map *m, u64 start, u32 sectors, enum ssdup_disk disk)
{
	struct window_end *end = &m->end[slot_of(start + sectors)];
	u64 area = start / WINDOW_AREA;
	bool ssd = disk == SSDUP_SSD;

	WRITE_ONCE(m->written, READ_ONCE(m->written) + sectors);
	WRITE_ONCE(end->sector, (start + sectors) << 1 | ssd);
	WRITE_ONCE(end->written, READ_ONCE(m->written));
	WRITE_ONCE(m->area[slot_of(area)], area_tag(area) | ssd);
}

/* What goes on with no other write: which disk got the last one of its area? */
static enum window_kind kind_near(const struct window_map *m, u64 area)
{
	u32 last = READ_ONCE(m->area[slot_of(area)]);

	if ((last & ~1U) != area_tag(area))
		return WINDOW_SCATTERED;
	return last & 1 ? WINDOW_SSD_NEAR : WINDOW_HDD_NEAR;
}

enum window_kind ssdup_window_kind(struct window_map *m, u64 start, u32 sectors)
{
	struct window_end *end = &m->end[slot_of(start)];
	u64 sector = READ_ONCE(end->sector);

	if (!sector || sector >> 1 != start ||
	    READ_ONCE(m->written) - READ_ONCE(end->written) > WINDOW_RECENT)
		return kind_near(m, start / WINDOW_AREA);
	WRITE_ONCE(end->sector, 0);
	if (start / WINDOW_AREA != (start - sectors) / WINDOW_AREA)
		return WINDOW_SEQUENTIAL;
	return sector & 1 ? WINDOW_SSD_RUN : WINDOW_HDD_RUN;
}

/* --- What was learnt of the disks --- */

/* What goes on with no other write. */
#define SCATTERED_KINDS	(BIT(WINDOW_HDD_NEAR) | BIT(WINDOW_SCATTERED) | BIT(WINDOW_SSD_NEAR))

static enum window_use use_of_hdd(enum window_kind kind)
{
	return BIT(kind) & SCATTERED_KINDS ? WINDOW_USE_SCATTERED : WINDOW_USE_RUNS;
}

void ssdup_window_learn(u64 *average, u64 ns)
{
	u64 before = READ_ONCE(*average);

	WRITE_ONCE(*average, max(before ? before - before / STEP + ns / STEP : ns, 1ULL));
}

/* It falls at once: what took longer may have woken the SSD up, or met reads there. */
static void learn_alone(u64 *alone, u64 ns)
{
	u64 before = READ_ONCE(*alone);

	if (before && ns > before)
		ssdup_window_learn(alone, min(ns, 2 * before));
	else
		WRITE_ONCE(*alone, ns);
}

/* Once the SSD's time for a unit is known. */
static void fit_window(struct window_speed *s)
{
	u64 alone = READ_ONCE(s->alone);
	u64 work = min_t(u64, alone + alone / WINDOW_AHEAD, WINDOW_QUEUE);

	WRITE_ONCE(s->window, div64_u64(work * WINDOW_UNIT, READ_ONCE(s->ns[WINDOW_USE_SSD])));
}

void ssdup_window_ended(struct window_speed *s, enum ssdup_disk disk, enum window_kind kind,
			u64 ns, u32 sectors, u32 beside, u64 now)
{
	enum window_use use = disk == SSDUP_SSD ? WINDOW_USE_SSD : use_of_hdd(kind);

	ssdup_window_learn(&s->ns[use], div_u64(ns * WINDOW_UNIT, beside));
	WRITE_ONCE(s->retry[use], now + ns * WINDOW_RETRY);
	if (disk == SSDUP_HDD)
		return;
	if (beside == sectors)
		learn_alone(&s->alone, ns);
	fit_window(s);
}

/* --- The choice --- */

/* What a kind of writes finds. */
struct view {
	enum window_use	use;	/* of the HDD */
	u64	hdd;		/* ns that it takes for that; 0: not known */
	u64	ssd;
	bool	out;		/* others have the HDD to themselves */
};

static __always_inline struct view look(const struct window_facts *f, enum window_kind kind)
{
	enum window_use use = use_of_hdd(kind);

	return (struct view){
		.use = use,
		.hdd = READ_ONCE(f->speed->ns[use]),
		.ssd = READ_ONCE(f->speed->ns[WINDOW_USE_SSD]),
		/* Without a budget there is no other disk. */
		.out = (f->pass || (f->kept && f->room)) &&
		       !(f->room && f->price >= PRICE_NEVER),
	};
}

/* Has the time come to try a disk that has nothing to do? */
static __always_inline bool tries(const struct window_facts *f, enum window_use use, u32 in_flight)
{
	return !in_flight && f->now >= READ_ONCE(f->speed->retry[use]);
}

static __always_inline u32 ssd_window(const struct window_facts *f)
{
	return max(READ_ONCE(f->speed->window), WINDOW_SSD);
}

/* Does a disk that takes @ns add to one that takes @other, as far as is known? */
static __always_inline bool adds(u64 ns, u64 other)
{
	return !other || (ns && ns <= WINDOW_GAIN * other);
}

/* Is the HDD worth a write? */
static __always_inline bool hdd_worth(const struct window_facts *f, const struct view *v)
{
	return adds(v->hdd, v->ssd) || tries(f, v->use, f->hdd);
}

static __always_inline bool ssd_worth(const struct window_facts *f, const struct view *v)
{
	return adds(v->ssd, v->hdd) || tries(f, WINDOW_USE_SSD, f->ssd);
}

/* Is the HDD quicker, as far as is known? */
static __always_inline bool hdd_quicker(const struct view *v)
{
	return v->hdd && v->hdd < v->ssd;
}

/* Is the HDD idle, and quicker, or has to be tried? */
static __always_inline bool hdd_first(const struct window_facts *f, const struct view *v)
{
	return !f->hdd && !v->out && v->ssd && (hdd_quicker(v) || tries(f, v->use, f->hdd));
}

/* With the log full: does the HDD get such a write at once? */
static bool goes_direct(const struct window_facts *f, enum window_kind kind, const struct view *v)
{
	return kind != WINDOW_REWRITE && !f->flushes && (f->cached || hdd_quicker(v));
}

/* Such a write is for the HDD while it may end there in time, by what has waited and is there. */
static noinline bool ends_in_time(const struct window_facts *f, enum window_kind kind,
				  const struct view *v)
{
	u64 ns = v->hdd ?: READ_ONCE(f->speed->ns[WINDOW_USE_RUNS]), waits = f->price;

	if (waits >= PRICE_NEVER)
		return true;
	/* The HDD is somebody else's meanwhile, or has to be tried with one write first. */
	if (f->kept || (!ns && f->hdd))
		return false;
	if (ns > PRICE_TRANSFER)
		waits = div64_u64(waits * PRICE_TRANSFER, ns);
	ns = div_u64(ns * (f->hdd + WINDOW_UNIT), WINDOW_UNIT);
	return (f->first ? f->first[kind].waited : 0) * 1000000ULL + ns <= waits;
}

/* Is a write for the HDD, since the SSD has a price? */
static __always_inline bool spares_ssd(const struct window_facts *f, enum window_kind kind,
				       const struct view *v)
{
	return unlikely(f->price) && kind != WINDOW_REWRITE && ends_in_time(f, kind, v);
}

static __always_inline bool hdd_takes(const struct window_facts *f, enum window_kind kind,
				      const struct view *v)
{
	if (kind == WINDOW_REWRITE || v->out)
		return false;
	/* With the log full there is no window beside a reader. */
	if (f->hdd >= WINDOW_HDD && (f->room || !f->kept))
		return false;
	if (!f->room)
		return goes_direct(f, kind, v);
	if (spares_ssd(f, kind, v))
		return true;
	if (!hdd_worth(f, v))
		return false;
	if (hdd_first(f, v) || !ssd_worth(f, v))
		return true;
	return kind == WINDOW_HDD_RUN ? f->ssd : kind < WINDOW_SSD_NEAR && f->ssd >= ssd_window(f);
}

static __always_inline bool ssd_takes(const struct window_facts *f, enum window_kind kind,
				      const struct view *v)
{
	if (!f->room || spares_ssd(f, kind, v))
		return false;
	if (f->kept || kind == WINDOW_REWRITE)
		return true;
	if (!v->out && !ssd_worth(f, v))
		return false;
	switch (kind) {
	case WINDOW_HDD_RUN:
		return !f->ssd && !hdd_first(f, v);
	case WINDOW_SSD_NEAR:
	case WINDOW_SSD_RUN:
		return f->ssd < ssd_window(f);
	default:
		return f->ssd < ssd_window(f) && !hdd_first(f, v);
	}
}

bool ssdup_window_takes(const struct window_facts *f, enum window_kind kind, enum ssdup_disk *disk)
{
	struct view v = look(f, kind);

	*disk = hdd_takes(f, kind, &v) ? SSDUP_HDD : SSDUP_SSD;
	return *disk == SSDUP_HDD || ssd_takes(f, kind, &v);
}

/* Of these the SSD takes the lowest place. */
#define ALIKE	(SCATTERED_KINDS | BIT(WINDOW_SSD_RUN))

/* Is the first write of a kind for the SSD, rather than that of one that suits it less? */
static bool suits_ssd(const struct window_facts *f, u32 kind, u32 other)
{
	return !(BIT(kind) & ALIKE && BIT(other) & ALIKE) ||
	       f->first[kind].turn.start < f->first[other].turn.start;
}

/* Of the first writes of @kinds, the one that waits longest, if PACING_WAIT_MS or more. */
static u32 overdue(const struct window_facts *f, u32 kinds)
{
	u32 kind, oldest = WINDOW_KINDS;

	for (kind = 0; kind < WINDOW_KINDS; kind++)
		if (f->waiting & kinds & BIT(kind) && f->first[kind].waited >= PACING_WAIT_MS &&
		    (oldest == WINDOW_KINDS || f->first[kind].waited > f->first[oldest].waited))
			oldest = kind;
	return oldest;
}

bool ssdup_window_choose(const struct window_facts *f, struct window_choice *c)
{
	u32 kind, hdd = WINDOW_KINDS, ssd = WINDOW_KINDS;
	enum ssdup_disk disk;

	if (f->room && f->price < PRICE_NEVER)
		ssd = overdue(f, WINDOW_ALL);
	if (ssd < WINDOW_KINDS) {
		*c = (struct window_choice){ SSDUP_SSD, ssd };
		return true;
	}
	for (kind = 0; kind < WINDOW_KINDS; kind++) {
		if (!(f->waiting & BIT(kind)) || !ssdup_window_takes(f, kind, &disk))
			continue;
		if (disk == SSDUP_SSD && (ssd == WINDOW_KINDS || suits_ssd(f, kind, ssd)))
			ssd = kind;
		/* With the log full all have their turns there. */
		if (disk == SSDUP_HDD &&
		    (hdd == WINDOW_KINDS ||
		     (!f->room && ssdup_window_before(f->first[kind].turn, f->first[hdd].turn))))
			hdd = kind;
	}
	/* The HDD chooses first. */
	if (hdd == WINDOW_KINDS) {
		*c = (struct window_choice){ SSDUP_SSD, ssd };
		return ssd < WINDOW_KINDS;
	}
	kind = overdue(f, WINDOW_ALL & ~BIT(WINDOW_REWRITE));
	*c = (struct window_choice){ SSDUP_HDD, kind < WINDOW_KINDS ? kind : hdd };
	return true;
}

enum window_kind ssdup_window_earliest(const struct window_facts *f)
{
	u32 kind, earliest = WINDOW_KINDS;

	for (kind = 0; kind < WINDOW_KINDS; kind++)
		if (f->waiting & BIT(kind) &&
		    (earliest == WINDOW_KINDS ||
		     ssdup_window_before(f->first[kind].turn, f->first[earliest].turn)))
			earliest = kind;
	return earliest;
}

bool ssdup_window_drains(const struct window_facts *f)
{
	struct view v;
	u32 kind;

	for (kind = 0; kind < WINDOW_KINDS; kind++) {
		if (!(f->waiting & BIT(kind)))
			continue;
		v = look(f, kind);
		if (!goes_direct(f, kind, &v))
			return true;
	}
	return false;
}
