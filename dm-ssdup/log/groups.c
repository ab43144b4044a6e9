// SPDX-License-Identifier: GPL-2.0-only
/* Owns which sealed segments are drained and freed together. */
#include "groups.h"
#include "log_internal.h"

#define AT_ONCE		64U	/* segments that are looked at while interrupts are off */

static bool may_drain(const struct ssdup_segment *seg)
{
	return seg->state == SEGMENT_SEALED && segment_settled(seg);
}

static void group_add(struct drain_group *g, struct ssdup_segment *seg)
{
	struct drain_part *p = &g->part[seg->ssd];

	g->nr++;
	if (!p->nr++)
		p->first = seg;
	p->last = seg->generation;
	g->sectors += log_word_sectors(atomic64_read(&seg->word));
}

u64 ssdup_oldest_sealed(struct ssdup_log *log, struct ssdup_class *k, bool *empty)
{
	bool running = !class_closed(log, k);
	struct ssdup_segment *seg;
	u64 generation = U64_MAX;

	*empty = false;
	spin_lock_irq(&log->segments->lock);
	seg = running ? k->to_drain :
		      list_first_entry_or_null(&k->sealed, struct ssdup_segment, list);
	if (seg) {
		if (!running || seg->state == SEGMENT_DRAINING || may_drain(seg))
			generation = seg->generation;
		*empty = may_drain(seg) && !seg->tried && !atomic64_read(&seg->live);
	}
	spin_unlock_irq(&log->segments->lock);
	return generation;
}

static struct ssdup_segment *next_sealed(const struct ssdup_class *k, struct ssdup_segment *seg)
{
	return list_is_last(&seg->list, &k->sealed) ? NULL : list_next_entry(seg, list);
}

/* Go on with a part from @seg on. Return: what to go on with, or NULL when it is complete. */
static struct ssdup_segment *take_some(struct ssdup_class *k, u32 most, bool empty,
				       struct drain_group *g, struct ssdup_segment *seg)
{
	const struct drain_part *p = &g->part[k->ssd];
	u32 i;

	for (i = 0; seg && i < AT_ONCE; i++, seg = next_sealed(k, seg)) {
		if (!p->nr && (seg->state != SEGMENT_SEALED || seg->tried))
			continue;
		if (p->nr == most || !may_drain(seg) || (empty && atomic64_read(&seg->live)))
			return NULL;
		seg->state = SEGMENT_DRAINING;
		group_add(g, seg);
	}
	return seg;
}

static void take_part(struct ssdup_log *log, struct ssdup_class *k, u32 most, bool empty,
		      struct drain_group *g)
{
	struct ssdup_segments *s = log->segments;
	struct ssdup_segment *seg;

	spin_lock_irq(&s->lock);
	seg = take_some(k, most, empty, g, k->to_drain);
	spin_unlock_irq(&s->lock);
	/* Nobody else takes @seg off the list: it is not written back, or the class is closed. */
	while (seg) {
		spin_lock_irq(&s->lock);
		seg = take_some(k, most, empty, g, seg);
		spin_unlock_irq(&s->lock);
	}
}

/* The sealed segments of all classes of a lifetime. */
static u32 sealed_of(struct ssdup_log *log, u32 lifetime)
{
	struct ssdup_class *k;
	u32 nr = 0;

	for (k = log->class; k < class_end(log); k++)
		nr += k->lifetime == lifetime ? READ_ONCE(k->nr_sealed) : 0;
	return nr;
}

bool ssdup_group_take(struct ssdup_log *log, struct ssdup_class *k, u32 most, bool empty,
		      bool alone, struct drain_group *g)
{
	u32 sealed = sealed_of(log, k->lifetime), part;
	struct ssdup_class *x;

	*g = (struct drain_group){ };
	if (alone || log_nr_ssds(&log->ssds) == 1) {
		take_part(log, k, most, empty, g);
		return g->nr;
	}
	for (x = log->class; x < class_end(log); x++) {
		if (x->lifetime != k->lifetime || (x != k && class_closed(log, x)))
			continue;
		part = div_u64((u64)most * READ_ONCE(x->nr_sealed), max(sealed, 1U));
		take_part(log, x, clamp(part, 1U, most), empty, g);
	}
	return g->nr;
}

void ssdup_group_shrink(struct ssdup_log *log, struct drain_group *g, u32 keep)
{
	struct drain_group kept = { .hdd = g->hdd, .wrote = g->wrote };
	struct drain_group rest = { };
	struct ssdup_segment *seg;
	u64 most;

	for (seg = group_first(g); seg; seg = group_next(g, seg)) {
		most = DIV_ROUND_UP_ULL((u64)keep * g->part[seg->ssd].nr, g->nr);
		group_add(kept.part[seg->ssd].nr < most ? &kept : &rest, seg);
	}
	ssdup_group_set(log, &rest, SEGMENT_SEALED);
	*g = kept;
}

/*
 * All segments before the first one to drain are written back. It is not itself, unless the class
 * is closed, where segments are drained one by one and some stay.
 */
static void choose_to_drain(struct ssdup_class *k, const struct drain_part *p,
			    struct ssdup_segment *last, enum segment_state state)
{
	if (state == SEGMENT_WRITTEN_BACK && k->to_drain == p->first)
		k->to_drain = next_sealed(k, last);
	if (state == SEGMENT_SEALED &&
	    (!k->to_drain || p->first->generation < k->to_drain->generation))
		k->to_drain = p->first;
}

static void part_set(struct ssdup_log *log, const struct drain_part *p, enum segment_state state)
{
	struct ssdup_segments *s = log->segments;
	struct ssdup_segment *seg = p->first, *last = seg;
	u32 i;

	while (seg) {
		spin_lock_irq(&s->lock);
		for (i = 0; seg && i < AT_ONCE; i++, seg = part_next(p, seg)) {
			seg->state = state;
			last = seg;
		}
		if (!seg)
			choose_to_drain(last->class, p, last, state);
		spin_unlock_irq(&s->lock);
	}
}

void ssdup_group_set(struct ssdup_log *log, const struct drain_group *g, enum segment_state state)
{
	const struct drain_part *p;

	for (p = g->part; p < g->part + SSDUP_MAX_SSDS; p++)
		if (p->nr)
			part_set(log, p, state);
}

bool ssdup_group_all(struct ssdup_log *log, struct ssdup_class *k, bool written,
		     struct drain_group *g)
{
	struct drain_part all = { };
	struct ssdup_segment *seg;

	*g = (struct drain_group){ };
	spin_lock_irq(&log->segments->lock);
	if (!list_empty(&k->sealed)) {
		all.first = list_first_entry(&k->sealed, struct ssdup_segment, list);
		all.last = list_last_entry(&k->sealed, struct ssdup_segment, list)->generation;
	}
	spin_unlock_irq(&log->segments->lock);
	for (seg = all.first; seg; seg = part_next(&all, seg)) {
		/* Of a closed class, the thread alone changes it. */
		if (written && (seg->state != SEGMENT_WRITTEN_BACK || seg->lost))
			break;
		group_add(g, seg);
	}
	return g->nr;
}

static void free_segment(struct ssdup_log *log, struct ssdup_segment *seg)
{
	struct ssdup_segments *s = log->segments;
	struct ssdup_class *k = seg->class;

	/* A closed class has entries that never became durable. */
	ssdup_take_spares_back(log, seg, 0);
	list_del_init(&seg->ring);
	if (k->to_drain == seg)
		k->to_drain = next_sealed(k, seg);
	k->freed++;
	WRITE_ONCE(k->nr_sealed, k->nr_sealed - 1);
	WRITE_ONCE(s->nr_sealed, s->nr_sealed - 1);
	/* Under the lock, so that the count agrees with the states. */
	stat_inc(log->c, STAT_FREES);
	ssdup_space_coming(log, seg);
	if (seg->kept)
		ssdup_add_clean(s, seg);
	else
		ssdup_add_forgotten(log, seg);
	/* Another class may open it. */
	if (k->open == seg)
		WRITE_ONCE(k->open, ssdup_no_segment(log));
}

void ssdup_group_freed(struct ssdup_log *log, const struct drain_group *g)
{
	struct ssdup_segments *s = log->segments;
	struct ssdup_segment *seg = group_first(g), *next;
	u32 i;

	while (seg) {
		spin_lock_irq(&s->lock);
		for (i = 0; seg && i < AT_ONCE; i++, seg = next) {
			next = group_next(g, seg);
			free_segment(log, seg);
		}
		ssdup_more_to_open(log);
		spin_unlock_irq(&s->lock);
	}
}
