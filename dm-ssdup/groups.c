// SPDX-License-Identifier: GPL-2.0-only
#include "groups.h"
#include "mode.h"
#include "nodes.h"
#include "segments.h"
#include "segments_list.h"

#define AT_ONCE		64U	/* segments that are looked at while interrupts are off */

/* All that its writes have left is seen: pairs with the decrement in ssdup_put_write(). */
static bool settled(const struct ssdup_segment *h)
{
	return h->state == SEGMENT_SEALED && !atomic_read_acquire(&h->writes);
}

static void group_add(struct drain_group *g, struct ssdup_segment *h)
{
	if (!g->nr++)
		g->first = h;
	g->last = h->generation;
	g->sectors += log_word_sectors(atomic64_read(&h->word));
}

u64 ssdup_oldest_sealed(struct ssdup *c, struct ssdup_class *k, bool *empty)
{
	bool running = ssdup_mode(c) == MODE_RUNNING;
	struct ssdup_segment *h;
	u64 generation = U64_MAX;

	*empty = false;
	spin_lock_irq(&c->segments->lock);
	h = running ? k->to_drain :
		      list_first_entry_or_null(&k->sealed, struct ssdup_segment, list);
	if (h) {
		if (!running || h->state == SEGMENT_DRAINING || settled(h))
			generation = h->generation;
		*empty = settled(h) && !h->tried && !atomic64_read(&h->live);
	}
	spin_unlock_irq(&c->segments->lock);
	return generation;
}

static struct ssdup_segment *next_sealed(const struct ssdup_class *k, struct ssdup_segment *h)
{
	return list_is_last(&h->list, &k->sealed) ? NULL : list_next_entry(h, list);
}

/* Go on with a group from @h on. Return: what to go on with, or NULL when it is complete. */
static struct ssdup_segment *take_some(struct ssdup_class *k, u32 most, bool empty,
				       struct drain_group *g, struct ssdup_segment *h)
{
	u32 i;

	for (i = 0; h && i < AT_ONCE; i++, h = next_sealed(k, h)) {
		if (!g->nr && (h->state != SEGMENT_SEALED || h->tried))
			continue;
		if (g->nr == most || !settled(h) || (empty && atomic64_read(&h->live)))
			return NULL;
		h->state = SEGMENT_DRAINING;
		group_add(g, h);
	}
	return h;
}

bool ssdup_group_take(struct ssdup *c, struct ssdup_class *k, u32 most, bool empty,
		      struct drain_group *g)
{
	struct ssdup_segments *s = c->segments;
	struct ssdup_segment *h;

	*g = (struct drain_group){ };
	spin_lock_irq(&s->lock);
	h = take_some(k, most, empty, g, k->to_drain);
	spin_unlock_irq(&s->lock);
	/* Nobody else takes @h off the list: it is not written back, or the log is read-only. */
	while (h) {
		spin_lock_irq(&s->lock);
		h = take_some(k, most, empty, g, h);
		spin_unlock_irq(&s->lock);
	}
	return g->nr;
}

void ssdup_group_shrink(struct ssdup *c, struct drain_group *g, u32 keep)
{
	struct drain_group kept = { .flush_errors = g->flush_errors, .wrote = g->wrote };
	struct drain_group rest = { };
	struct ssdup_segment *h;

	for (h = group_first(g); h; h = group_next(g, h))
		group_add(kept.nr < keep ? &kept : &rest, h);
	ssdup_group_set(c, &rest, SEGMENT_SEALED);
	*g = kept;
}

/*
 * All segments before the first one to drain are written back. It is not itself, unless the log is
 * read-only, where segments are drained one by one and some stay.
 */
static void choose_to_drain(struct ssdup_class *k, const struct drain_group *g,
			    struct ssdup_segment *last, enum segment_state state)
{
	if (state == SEGMENT_WRITTEN_BACK && k->to_drain == g->first)
		k->to_drain = next_sealed(k, last);
	if (state == SEGMENT_SEALED &&
	    (!k->to_drain || g->first->generation < k->to_drain->generation))
		k->to_drain = g->first;
}

void ssdup_group_set(struct ssdup *c, const struct drain_group *g, enum segment_state state)
{
	struct ssdup_segments *s = c->segments;
	struct ssdup_segment *h = group_first(g), *last = h;
	u32 i;

	while (h) {
		spin_lock_irq(&s->lock);
		for (i = 0; h && i < AT_ONCE; i++, h = group_next(g, h)) {
			h->state = state;
			last = h;
		}
		if (!h)
			choose_to_drain(last->class, g, last, state);
		spin_unlock_irq(&s->lock);
	}
}

bool ssdup_group_all(struct ssdup *c, struct ssdup_class *k, bool written,
		     struct drain_group *g)
{
	struct drain_group all = { };
	struct ssdup_segment *h;

	*g = (struct drain_group){ };
	spin_lock_irq(&c->segments->lock);
	if (!list_empty(&k->sealed)) {
		all.first = list_first_entry(&k->sealed, struct ssdup_segment, list);
		all.last = list_last_entry(&k->sealed, struct ssdup_segment, list)->generation;
		all.nr = k->nr_sealed;
	}
	spin_unlock_irq(&c->segments->lock);
	for (h = group_first(&all); h; h = group_next(&all, h)) {
		/* Of a read-only log, the thread alone changes it. */
		if (written && (h->state != SEGMENT_WRITTEN_BACK || h->lost))
			break;
		group_add(g, h);
	}
	return g->nr;
}

static void free_segment(struct ssdup *c, struct ssdup_segment *h)
{
	struct ssdup_segments *s = c->segments;
	struct ssdup_class *k = h->class;

	/* A log that is read-only has entries that never became durable. */
	ssdup_take_spares_back(c, h, 0);
	list_del_init(&h->ring);
	if (k->to_drain == h)
		k->to_drain = next_sealed(k, h);
	WRITE_ONCE(k->nr_sealed, k->nr_sealed - 1);
	WRITE_ONCE(s->nr_sealed, s->nr_sealed - 1);
	/* Under the lock, so that the count agrees with the states. */
	stat_inc(c, STAT_FREES);
	ssdup_add_free(s, h, &s->stale);
	/* Another class may open it. */
	if (k->open == h)
		WRITE_ONCE(k->open, ssdup_no_segment(c));
}

void ssdup_group_freed(struct ssdup *c, const struct drain_group *g)
{
	struct ssdup_segments *s = c->segments;
	struct ssdup_segment *h = group_first(g), *next;
	u32 i;

	while (h) {
		spin_lock_irq(&s->lock);
		for (i = 0; h && i < AT_ONCE; i++, h = next) {
			next = group_next(g, h);
			free_segment(c, h);
		}
		ssdup_more_to_open(c);
		spin_unlock_irq(&s->lock);
	}
}
