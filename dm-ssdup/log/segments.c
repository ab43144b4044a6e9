// SPDX-License-Identifier: GPL-2.0-only
#include <linux/slab.h>

#include "base/failure.h"
#include "base/trace.h"
#include "base/wakeups.h"
#include "nodes.h"
#include "segments.h"
#include "segments_list.h"

#define READY		4U	/* free at once when a log is loaded */

int ssdup_segments_create(struct ssdup *c)
{
	struct ssdup_segments *s = kzalloc(sizeof(*s), GFP_KERNEL);
	u32 i;

	c->segments = s;
	c->segment = kvcalloc(c->g.nr_segments + 1, sizeof(*c->segment), GFP_KERNEL);
	if (!s || !c->segment)
		return -ENOMEM;
	spin_lock_init(&s->lock);
	INIT_LIST_HEAD(&s->free);
	INIT_LIST_HEAD(&s->stale);
	for (i = 0; i < SSDUP_MAX_CLASSES; i++) {
		c->class[i].index = i;
		/* One class is what the SSD takes all data for anyway. */
		if (c->nr_classes > 1 && i < ssdup_max_streams(c->ssd->bdev))
			c->class[i].stream = i + 1;
		c->class[i].open = ssdup_no_segment(c);
		INIT_LIST_HEAD(&c->class[i].sealed);
		INIT_LIST_HEAD(&c->class[i].in_ring);
	}
	for (i = 0; i <= c->g.nr_segments; i++) {
		c->segment[i].index = i;
		INIT_LIST_HEAD(&c->segment[i].list);
		INIT_LIST_HEAD(&c->segment[i].ring);
		atomic64_set(&c->segment[i].word, LOG_WORD_SEALED);
	}
	return 0;
}

void ssdup_segments_destroy(struct ssdup *c)
{
	kvfree(c->segment);
	kfree(c->segments);
}

void ssdup_last_write(struct ssdup *c)
{
	ssdup_settled(c);
	ssdup_kick_writeback(c);
}

void ssdup_put_read(struct ssdup *c, struct ssdup_segment *seg)
{
	if (atomic_dec_and_test(&seg->reads))
		ssdup_settled(c);
}

static void add_sealed(struct ssdup_segments *s, struct ssdup_segment *seg)
{
	seg->state = SEGMENT_SEALED;
	list_move_tail(&seg->list, &seg->class->sealed);
	if (!seg->class->to_drain)
		seg->class->to_drain = seg;
	WRITE_ONCE(seg->class->nr_sealed, seg->class->nr_sealed + 1);
	WRITE_ONCE(s->nr_sealed, s->nr_sealed + 1);
}

/* Fully ordered: a writer that reserved before this has raised seg->writes. */
static void seal_segment(struct ssdup *c, struct ssdup_segment *seg)
{
	u64 word;

	lockdep_assert_held(&c->segments->lock);
	word = atomic64_fetch_or(LOG_WORD_SEALED, &seg->word);
	if (seg->state != SEGMENT_OPEN)
		return;
	WRITE_ONCE(c->segments->written, c->segments->written + log_word_sectors(word));
	seg->class->number = seg->base + segment_pages(seg);
	add_sealed(c->segments, seg);
	stat_inc(c, STAT_SEALS);
	trace_ssdup_seal(c, seg);
}

static void promise_spares(struct ssdup *c, struct ssdup_class *k, struct ssdup_segment *seg)
{
	struct ssdup_segment *x;

	/* A sealed segment gets no new writes, so it needs no more than it has. */
	list_for_each_entry(x, &k->in_ring, ring)
		if (x->state != SEGMENT_OPEN)
			ssdup_take_spares_back(c, x, atomic_read(&x->writes));
	ssdup_promise_spares(c, seg);
}

static void open_segment(struct ssdup *c, struct ssdup_class *k, struct ssdup_segment *seg)
{
	struct ssdup_segments *s = c->segments;
	u64 word = 0;

	lockdep_assert_held(&s->lock);
	/* What a drain opens of the last ones it needs for itself. */
	if (s->nr_free <= ssdup_spare(c))
		word = LOG_WORD_SPARE;
	else if (s->nr_free <= ssdup_spare(c) + READ_ONCE(s->throttled))
		word = LOG_WORD_THROTTLED;
	list_del_init(&seg->list);
	WRITE_ONCE(s->nr_free, s->nr_free - 1);
	WRITE_ONCE(s->opened, s->opened + 1);
	promise_spares(c, k, seg);
	list_add_tail(&seg->ring, &k->in_ring);
	seg->state = SEGMENT_OPEN;
	WRITE_ONCE(seg->class, k);
	seg->generation = k->next;
	k->next += c->nr_classes;
	atomic64_set(&seg->seq, seg->generation << SSDUP_SEQ_BITS);
	WRITE_ONCE(seg->base, k->number);
	seg->pages_done = 0;
	seg->header = false;
	seg->relocated = 0;
	atomic64_set(&seg->live, 0);
	seg->tried = false;
	seg->lost = false;
	/*
	 * A writer may have read open long ago, perhaps of another class, and reserve
	 * as soon as the word is unsealed. It must find the new class, base and spares. Pairs
	 * with the acquire in ssdup_try_reserve().
	 */
	smp_wmb();
	atomic64_set(&seg->word, word);
	WRITE_ONCE(k->open, seg);
	trace_ssdup_open(c, seg);
}

bool ssdup_switch(struct ssdup *c, struct ssdup_class *k, struct ssdup_segment *from, u64 allowed)
{
	struct ssdup_segments *s = c->segments;
	struct ssdup_segment *next;
	unsigned long flags;
	bool tell, much, spent;

	spin_lock_irqsave(&s->lock, flags);
	if (k->open != from) {
		spin_unlock_irqrestore(&s->lock, flags);
		return true;
	}
	next = s->nr_free > (allowed & LOG_WORD_SPARE ? 0 : ssdup_spare(c)) ?
	       list_first_entry(list_empty(&s->free) ? &s->stale : &s->free,
				struct ssdup_segment, list) : NULL;
	if (atomic64_read(&from->word) & LOG_WORD_THROTTLED & ~allowed)
		next = NULL;
	/* Headers of higher generations are refused. */
	spent = k->next > LOG_MAX_GENERATION;
	/* A read-only log hands out nothing, see salvage.c. */
	if (!next || spent || ssdup_mode(c) != MODE_RUNNING) {
		WRITE_ONCE(c->wait_cause, WAIT_SPACE);
		tell = !next && !s->full;
		if (tell) {
			WRITE_ONCE(s->full, true);
			WRITE_ONCE(c->scarce, true);
		}
		spin_unlock_irqrestore(&s->lock, flags);
		if (tell) {
			ssdup_event(c);
			ssdup_kick_writeback(c);
		}
		if (spent)
			ssdup_fail(c, MODE_LOG_READ_ONLY, "the counters of the log are used up");
		return false;
	}
	/* It was free when the caller looked, and is open anew: an empty one is never sealed. */
	if (from->state == SEGMENT_OPEN && !log_word_entries(atomic64_read(&from->word))) {
		spin_unlock_irqrestore(&s->lock, flags);
		return true;
	}
	trace_ssdup_step(c, STEP_SEAL_BEGIN);
	seal_segment(c, from);
	trace_ssdup_step(c, STEP_SEAL_BETWEEN);
	open_segment(c, k, next);
	/* The last page of a segment is complete without being full. */
	much = k->number - READ_ONCE(k->ring_tail) >= SSDUP_RING / 4;
	spin_unlock_irqrestore(&s->lock, flags);

	trace_ssdup_step(c, STEP_SEAL_DONE);
	if (much)
		ssdup_commit_soon(c, true);
	ssdup_kick_writeback(c);
	return true;
}

void ssdup_seal(struct ssdup *c, struct ssdup_class *k, bool empty)
{
	/* Under the lock: a later ssdup_switch() sees the mode. */
	spin_lock_irq(&c->segments->lock);
	if (empty || ssdup_open_dirty(k, true))
		seal_segment(c, k->open);
	spin_unlock_irq(&c->segments->lock);
}

void ssdup_segments_begin(struct ssdup *c, const struct log_header *live, const u32 *pages, u32 nr,
			  u64 next)
{
	struct ssdup_segments *s = c->segments;
	struct ssdup_segment *seg;
	struct ssdup_class *k;
	u32 i, first = 0;

	/* No write comes yet, but a status request may. */
	spin_lock_irq(&s->lock);
	for (k = c->class; k < class_end(c); k++)
		k->next = log_class_from(c->nr_classes, k->index, next);
	for (i = 0; i < nr; i++) {
		seg = &c->segment[live[i].segment];
		seg->generation = live[i].generation;
		seg->class = &c->class[log_class(c->nr_classes, seg->generation)];
		seg->header = true;
		seg->pages_done = pages[i];
		atomic64_set(&seg->word, LOG_WORD_SEALED |
			     log_word(pages[i] * SSDUP_PAGE_ENTRIES,
				      pages[i] ? c->g.data_sectors : 0));
		add_sealed(s, seg);
		first = seg->index + 1;
	}
	/*
	 * Go on behind the youngest, so that the SSD is worn evenly. It is not known which were
	 * discarded. The first stay ready until others are, and in a new log, which may have
	 * taken the SSD by mistake, all of them.
	 */
	for (i = 0; i < c->g.nr_segments; i++) {
		seg = &c->segment[(first + i) % c->g.nr_segments];
		if (list_empty(&seg->list))
			ssdup_add_free(s, seg,
				       next > 1 && s->nr_free >= READY ? &s->stale : &s->free);
	}
	spin_unlock_irq(&s->lock);
}

u64 ssdup_open_generation(struct ssdup *c, struct ssdup_class *k)
{
	struct ssdup_segments *s = c->segments;
	unsigned long flags;
	u64 generation;

	spin_lock_irqsave(&s->lock, flags);
	generation = k->open->state == SEGMENT_OPEN ? k->open->generation : k->next;
	spin_unlock_irqrestore(&s->lock, flags);
	return generation;
}

u64 ssdup_segments_opened(struct ssdup *c)
{
	return READ_ONCE(c->segments->opened);
}

u32 ssdup_segments_in_ring(struct ssdup *c, struct ssdup_class *k,
			   struct ssdup_segment **segments)
{
	struct ssdup_segments *s = c->segments;
	struct ssdup_segment *seg;
	u32 nr = 0;

	spin_lock_irq(&s->lock);
	list_for_each_entry(seg, &k->in_ring, ring) {
		if (WARN_ON_ONCE(nr == SSDUP_RING_SEGMENTS))
			break;
		segments[nr++] = seg;
	}
	spin_unlock_irq(&s->lock);
	return nr;
}

void ssdup_left_ring(struct ssdup *c, struct ssdup_segment *seg)
{
	spin_lock_irq(&c->segments->lock);
	ssdup_take_spares_back(c, seg, 0);
	list_del_init(&seg->ring);
	spin_unlock_irq(&c->segments->lock);
}

/* Let writers have the rest of the open segments, by what is free now. */
static void let_writers_have(struct ssdup *c)
{
	struct ssdup_segments *s = c->segments;
	bool throttled = s->nr_free < ssdup_spare(c) + READ_ONCE(s->throttled);
	struct ssdup_class *k;
	u64 word;

	lockdep_assert_held(&s->lock);
	for (k = c->class; k < class_end(c); k++) {
		word = atomic64_read(&k->open->word);
		if (!throttled)
			atomic64_andnot(LOG_WORD_THROTTLED, &k->open->word);
		else if (word & LOG_WORD_SPARE)
			atomic64_or(LOG_WORD_THROTTLED, &k->open->word);
		if (s->nr_free > ssdup_spare(c))
			atomic64_andnot(LOG_WORD_SPARE, &k->open->word);
	}
}

void ssdup_more_to_open(struct ssdup *c)
{
	struct ssdup_segments *s = c->segments;

	WRITE_ONCE(s->full, false);
	WRITE_ONCE(c->scarce, c->scarce && s->nr_sealed >= ssdup_part(c));
	let_writers_have(c);
}

void ssdup_segments_throttle(struct ssdup *c, u32 nr)
{
	struct ssdup_segments *s = c->segments;
	unsigned long flags;

	if (nr == READ_ONCE(s->throttled))
		return;
	spin_lock_irqsave(&s->lock, flags);
	WRITE_ONCE(s->throttled, nr);
	let_writers_have(c);
	spin_unlock_irqrestore(&s->lock, flags);
}

/* --- Discards --- */

u32 ssdup_discard_begin(struct ssdup *c, u32 most, struct list_head *batch)
{
	struct ssdup_segments *s = c->segments;
	struct ssdup_segment *seg, *next;
	u32 nr = 0, first = 0;

	spin_lock_irq(&s->lock);
	/* Reads may still point into what a read-only log has freed. */
	most = ssdup_mode(c) == MODE_RUNNING ?
	       min(most, (s->nr_free - min(s->nr_free, ssdup_spare(c))) / 2) : 0;
	list_for_each_entry_safe(seg, next, &s->stale, list) {
		if (!nr)
			first = seg->index;
		if (nr == most || seg->index != first + nr)
			break;
		list_move_tail(&seg->list, batch);
		nr++;
	}
	WRITE_ONCE(s->discarding, nr);
	WRITE_ONCE(s->nr_free, s->nr_free - nr);
	spin_unlock_irq(&s->lock);
	return nr;
}

void ssdup_discard_end(struct ssdup *c, struct list_head *batch)
{
	struct ssdup_segments *s = c->segments;

	spin_lock_irq(&s->lock);
	list_splice_tail(batch, &s->free);
	WRITE_ONCE(s->nr_free, s->nr_free + s->discarding);
	WRITE_ONCE(s->discarding, 0);
	ssdup_more_to_open(c);
	spin_unlock_irq(&s->lock);
}

/* --- Facts --- */

bool ssdup_open_dirty(const struct ssdup_class *k, bool relocated)
{
	struct ssdup_segment *seg = READ_ONCE(k->open);
	u64 word = atomic64_read(&seg->word);

	return !(word & LOG_WORD_SEALED) &&
	       log_word_entries(word) > (relocated ? 0 : READ_ONCE(seg->relocated));
}

u64 ssdup_last_dirty(struct ssdup *c, struct ssdup_class *k)
{
	struct ssdup_segments *s = c->segments;
	unsigned long flags;
	u64 generation;

	/* Under the lock: a switch in between would hide the segment that it seals. */
	spin_lock_irqsave(&s->lock, flags);
	generation = k->next - 1;
	if (k->open->state == SEGMENT_OPEN && !ssdup_open_dirty(k, true))
		generation -= c->nr_classes;
	spin_unlock_irqrestore(&s->lock, flags);
	return generation;
}

bool ssdup_drained(struct ssdup *c, struct ssdup_class *k, u64 generation)
{
	struct ssdup_segments *s = c->segments;
	struct ssdup_segment *seg;
	bool drained;

	spin_lock_irq(&s->lock);
	seg = list_first_entry_or_null(&k->sealed, struct ssdup_segment, list);
	if (seg)
		drained = seg->generation > generation;
	else
		drained = !ssdup_open_dirty(k, true) || k->open->generation > generation;
	spin_unlock_irq(&s->lock);
	return drained;
}

void ssdup_ask_drain(struct ssdup *c, struct ssdup_class *k, u64 generation)
{
	u64 asked = READ_ONCE(k->asked);

	/* Never lower what another process has asked for meanwhile. */
	while (asked < generation && !try_cmpxchg(&k->asked, &asked, generation))
		;
	ssdup_kick_writeback(c);
}

bool ssdup_segments_full(struct ssdup *c)
{
	return READ_ONCE(c->segments->full);
}

u32 ssdup_free_segments(struct ssdup *c)
{
	return READ_ONCE(c->segments->nr_free);
}

u32 ssdup_discarding_segments(struct ssdup *c)
{
	return READ_ONCE(c->segments->discarding);
}

u32 ssdup_sealed_segments(struct ssdup *c)
{
	return READ_ONCE(c->segments->nr_sealed);
}

u32 ssdup_part(const struct ssdup *c)
{
	return max(c->g.nr_segments / READ_ONCE(c->set.halves), 1U);
}

u32 ssdup_open_fill(const struct ssdup *c, const struct ssdup_class *k)
{
	u64 word = atomic64_read(&READ_ONCE(k->open)->word);

	return word & LOG_WORD_SEALED ? 0 : ssdup_log_word_fill(word, &c->g);
}

u64 ssdup_log_written(struct ssdup *c)
{
	u64 written = READ_ONCE(c->segments->written), word;
	const struct ssdup_class *k;

	for (k = c->class; k < class_end(c); k++) {
		word = atomic64_read(&READ_ONCE(k->open)->word);
		written += word & LOG_WORD_SEALED ? 0 : log_word_sectors(word);
	}
	return written;
}

/* Segments in use, as 1/10000 of one. */
static u64 segments_used(struct ssdup *c)
{
	u64 fill = (u64)ssdup_sealed_segments(c) * SSDUP_PCT_ONE;
	const struct ssdup_class *k;

	for (k = c->class; k < class_end(c); k++)
		fill += ssdup_open_fill(c, k);
	return fill;
}

u32 ssdup_part_fill(struct ssdup *c)
{
	u64 part = ssdup_part(c), others = (c->g.nr_segments - part) * SSDUP_PCT_ONE;
	u64 in_use = segments_used(c);

	return min(div_u64(in_use - min(in_use, others), part), SSDUP_PCT_ONE);
}

u32 ssdup_log_fill(struct ssdup *c)
{
	return min(div_u64(segments_used(c), c->g.nr_segments - ssdup_spare(c)), SSDUP_PCT_ONE);
}
