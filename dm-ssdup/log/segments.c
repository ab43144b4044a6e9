// SPDX-License-Identifier: GPL-2.0-only
/* Owns the state of each segment: open, sealed or free. */
#include <linux/slab.h>

#include "base/failure.h"
#include "base/hints.h"
#include "base/trace.h"
#include "base/wakeups.h"
#include "core/clean.h"
#include "core/ssds.h"
#include "log_internal.h"

#define READY		4U	/* free at once when a log is loaded */

/* The SSDs have the same streams. */
static u32 streams_of(struct ssdup *c)
{
	u32 streams = U32_MAX;
	struct ssdup_ssd *ssd;

	for (ssd = first_ssd(c); ssd; ssd = next_ssd(c, ssd))
		streams = min3(streams, ssdup_max_streams(ssd->dev->bdev),
			       ssdup_max_streams((ssd->twin ?: ssd->dev)->bdev));
	return c->nr_ssds ? streams : 0;
}

int ssdup_segments_create(struct ssdup_log *log)
{
	struct ssdup_segments *s = kzalloc(sizeof(*s), GFP_KERNEL);
	u32 i, first, nr_ssds = log_nr_ssds(&log->ssds), streams = streams_of(log->c);

	log->segments = s;
	log->segment = kvcalloc(log->g.nr_segments + 1, sizeof(*log->segment), GFP_KERNEL);
	if (!s || !log->segment)
		return -ENOMEM;
	s->leased = bitmap_alloc(log->g.nr_segments, GFP_KERNEL);
	if (!s->leased)
		return -ENOMEM;
	bitmap_fill(s->leased, log->g.nr_segments);
	s->nr_leased = log->g.nr_segments;
	spin_lock_init(&s->lock);
	ssdup_space_init(log);
	INIT_LIST_HEAD(&s->clean);
	INIT_LIST_HEAD(&s->copies);
	INIT_LIST_HEAD(&s->pinned);
	for (i = 0; i < SSDUP_MAX_CLASSES; i++) {
		log->class[i].index = i;
		log->class[i].ssd = log_class_ssd(nr_ssds, i);
		log->class[i].lifetime = log_class_lifetime(nr_ssds, i);
		/* One lifetime is what the SSD takes all data for anyway. */
		if (log->classes.nr > nr_ssds && log->class[i].lifetime < streams)
			log->class[i].stream = log->class[i].lifetime + 1;
		log->class[i].open = ssdup_no_segment(log);
		INIT_LIST_HEAD(&log->class[i].sealed);
		INIT_LIST_HEAD(&log->class[i].in_ring);
	}
	for (i = 0; i <= log->g.nr_segments; i++) {
		log->segment[i].index = i;
		log->segment[i].ssd = ssdup_log_ssd_of(&log->ssds, i, &first);
		INIT_LIST_HEAD(&log->segment[i].list);
		INIT_LIST_HEAD(&log->segment[i].ring);
		atomic64_set(&log->segment[i].word, LOG_WORD_SEALED);
	}
	return 0;
}

void ssdup_segments_destroy(struct ssdup_log *log)
{
	if (log->segments)
		bitmap_free(log->segments->leased);
	kvfree(log->segment);
	kfree(log->segments);
}

void ssdup_last_write(struct ssdup_log *log)
{
	ssdup_settled(log->c);
	ssdup_kick_writeback(log->c);
}

void ssdup_put_read(struct ssdup_log *log, struct ssdup_segment *seg)
{
	/* Fully ordered: either we see the state, or ssdup_add_forgotten() sees our zero. */
	if (atomic_dec_and_test(&seg->reads) &&
	    unlikely(READ_ONCE(seg->state) == SEGMENT_FORGOTTEN))
		ssdup_kick_clean(log->c);
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
static void seal_segment(struct ssdup_log *log, struct ssdup_segment *seg)
{
	u64 word;

	lockdep_assert_held(&log->segments->lock);
	word = atomic64_fetch_or(LOG_WORD_SEALED, &seg->word);
	if (seg->state != SEGMENT_OPEN)
		return;
	WRITE_ONCE(log->segments->written, log->segments->written + log_word_sectors(word));
	seg->class->number = seg->base + segment_pages(seg);
	add_sealed(log->segments, seg);
	stat_inc(log->c, STAT_SEALS);
	trace_ssdup_seal(log->c, seg);
}

static void share_spares(struct ssdup_log *log, struct ssdup_class *k, struct ssdup_segment *seg)
{
	struct ssdup_segment *x;

	/* A sealed segment gets no new writes, so it needs no more than it has. */
	list_for_each_entry(x, &k->in_ring, ring)
		if (x->state != SEGMENT_OPEN)
			ssdup_take_spares_back(log, x, atomic_read(&x->writes));
	ssdup_share_spares(log, seg);
}

static void open_segment(struct ssdup_log *log, struct ssdup_class *k, struct ssdup_segment *seg,
			 bool kept)
{
	struct ssdup_segments *s = log->segments;
	u64 word = ssdup_space_closed(log, k->ssd, kept);

	lockdep_assert_held(&s->lock);
	ssdup_space_remove(log, seg);
	WRITE_ONCE(s->opened, s->opened + 1);
	share_spares(log, k, seg);
	list_add_tail(&seg->ring, &k->in_ring);
	seg->state = SEGMENT_OPEN;
	k->freed = 0;
	WRITE_ONCE(seg->class, k);
	seg->generation = k->next;
	k->next += log->classes.nr;
	atomic64_set(&seg->seq, seg->generation << SSDUP_SEQ_BITS);
	seg->ended = seg->generation << SSDUP_SEQ_BITS;
	WRITE_ONCE(seg->durable, seg->ended);
	WRITE_ONCE(seg->base, k->number);
	seg->pages_done = 0;
	seg->header = false;
	seg->relocated = 0;
	atomic64_set(&seg->live, 0);
	seg->tried = false;
	seg->lost = false;
	WRITE_ONCE(seg->copies, false);
	seg->alone = false;
	/*
	 * A writer may have read open long ago, perhaps of another class, and reserve
	 * as soon as the word is unsealed. It must find the new class, base and spares. Pairs
	 * with the acquire in ssdup_try_reserve().
	 */
	smp_wmb();
	atomic64_set(&seg->word, word);
	WRITE_ONCE(k->open, seg);
	trace_ssdup_open(log->c, seg);
}

/* Must a clean segment be forgotten soon? */
static bool clean_in_the_way(struct ssdup_log *log)
{
	struct ssdup_segments *s = log->segments;

	lockdep_assert_held(&s->lock);
	return unlikely(s->nr_clean) &&
	       ssdup_ready_segments(log) <
	       ssdup_clean_low(ssdup_leased_segments(log), ssdup_drain_segments_of_all(log));
}

bool ssdup_switch(struct ssdup_log *log, struct ssdup_class *k, struct ssdup_segment *from,
		  u64 allowed)
{
	struct ssdup_segments *s = log->segments;
	struct ssdup_segment *next;
	unsigned long flags;
	bool tell, much, spent, clean, shared;

	spin_lock_irqsave(&s->lock, flags);
	if (k->open != from) {
		spin_unlock_irqrestore(&s->lock, flags);
		return true;
	}
	next = ssdup_space_next(log, k->ssd, allowed);
	clean = !next && s->space[k->ssd].coming;
	/* Headers of higher generations are refused. */
	spent = k->next > LOG_MAX_GENERATION;
	/*
	 * What overlaps data on an SSD that leaves goes there. But it has to become empty: for each
	 * segment two were freed before.
	 */
	if (class_leaves(log, k) && k->freed < 2 && !(allowed & LOG_WORD_DRAIN))
		next = NULL;
	/* A closed class hands out nothing, see salvage.c. */
	if (!next || spent || class_closed(log, k)) {
		ssdup_note_cause(log->c, WAIT_SPACE);
		tell = !next && !clean && ssdup_space_full(log, k->ssd);
		spin_unlock_irqrestore(&s->lock, flags);
		if (clean)
			ssdup_kick_clean(log->c);
		if (tell) {
			ssdup_event(log->c);
			ssdup_kick_writeback(log->c);
		}
		if (spent)
			ssdup_fail(log->c, MODE_LOG_READ_ONLY,
				   "the counters of the log are used up");
		return false;
	}
	/* It was free when the caller looked, and is open anew: an empty one is never sealed. */
	if (from->state == SEGMENT_OPEN && !log_word_entries(atomic64_read(&from->word))) {
		spin_unlock_irqrestore(&s->lock, flags);
		return true;
	}
	ssdup_step(log->c, STEP_SEAL_BEGIN);
	seal_segment(log, from);
	ssdup_step(log->c, STEP_SEAL_BETWEEN);
	/* Who flushes has filled one. The next one is for all, as a group may have no more. */
	shared = atomic64_read(&from->word) & LOG_WORD_KEPT;
	open_segment(log, k, next, !shared);
	if (shared)
		ssdup_space_not_full(log, k->ssd);
	/* The last page of a segment is complete without being full. */
	much = k->number - READ_ONCE(k->ring_tail) >= SSDUP_RING / 4;
	clean = clean_in_the_way(log);
	spin_unlock_irqrestore(&s->lock, flags);

	ssdup_step(log->c, STEP_SEAL_DONE);
	if (much)
		ssdup_commit_soon(log->c, true);
	if (clean)
		ssdup_kick_clean(log->c);
	if (shared)
		ssdup_kick_waiting(log->c);
	ssdup_kick_writeback(log->c);
	return true;
}

void ssdup_seal(struct ssdup_log *log, struct ssdup_class *k, bool empty)
{
	/* Under the lock: a later ssdup_switch() sees the mode. */
	spin_lock_irq(&log->segments->lock);
	if (empty || ssdup_open_dirty(k, true))
		seal_segment(log, k->open);
	spin_unlock_irq(&log->segments->lock);
}

/*
 * Nothing is there, and nobody gets anything there any more: no other segment is opened, see
 * ssdup_switch(). An open one is closed, and not sealed: an empty one has no header.
 */
static bool shut_class(struct ssdup_class *k)
{
	u64 word = atomic64_read(&k->open->word);

	if (k->open->state == SEGMENT_OPEN && !log_word_entries(word))
		word = atomic64_fetch_or(LOG_WORD_DRAIN, &k->open->word);
	if (!list_empty(&k->sealed) || (k->open->state == SEGMENT_OPEN && log_word_entries(word)))
		return false;
	k->freed = 0;
	return true;
}

bool ssdup_segments_leave(struct ssdup_log *log, u32 ssd)
{
	struct ssdup_class *k;
	bool empty;

	spin_lock_irq(&log->segments->lock);
	/* Until then nobody knows what it has. */
	empty = log->segments->begun;
	for (k = log->class; k < class_end(log) && empty; k++)
		empty = k->ssd != ssd || shut_class(k);
	spin_unlock_irq(&log->segments->lock);
	if (!empty)
		ssdup_kick_writeback(log->c);
	return empty;
}

void ssdup_segments_stay(struct ssdup_log *log)
{
	spin_lock_irq(&log->segments->lock);
	ssdup_more_to_open(log);
	spin_unlock_irq(&log->segments->lock);
}

void ssdup_segments_alone(struct ssdup_log *log, u32 ssd)
{
	u32 i;

	for (i = 0; i < log->g.nr_segments; i++) {
		if (log->segment[i].ssd != ssd)
			continue;
		spin_lock_irq(&log->segments->lock);
		/* A free one loses that when it is opened. */
		log->segment[i].alone = true;
		spin_unlock_irq(&log->segments->lock);
		cond_resched();
	}
}

/* Of an empty one nothing was written. */
static bool is_alone(const struct ssdup_segment *seg)
{
	return seg->alone && seg->state != SEGMENT_FREE &&
	       (seg->state != SEGMENT_OPEN || log_word_entries(atomic64_read(&seg->word)));
}

u32 ssdup_segments_left_alone(struct ssdup_log *log, u32 ssd)
{
	u32 i, nr = 0;

	/* None becomes so while they are counted. */
	for (i = 0; i < log->g.nr_segments; i++) {
		if (log->segment[i].ssd != ssd)
			continue;
		spin_lock_irq(&log->segments->lock);
		nr += is_alone(&log->segment[i]);
		spin_unlock_irq(&log->segments->lock);
		cond_resched();
	}
	return nr;
}

bool ssdup_segments_before_era(struct ssdup_log *log)
{
	const struct ssdup_segment *seg;
	struct ssdup_class *k;
	bool any;

	spin_lock_irq(&log->segments->lock);
	any = !log->segments->begun;
	for (k = log->class; k < class_end(log) && !any; k++) {
		seg = list_first_entry_or_null(&k->sealed, struct ssdup_segment, list);
		any = seg && seg->generation < log->classes.era;
	}
	spin_unlock_irq(&log->segments->lock);
	return any;
}

void ssdup_segments_begin(struct ssdup_log *log, const struct log_header *live, const u32 *pages,
			  u32 nr, u64 next)
{
	struct ssds_walk w = ssdup_ssds_walk(&log->ssds, &log->g, live, nr);
	struct ssdup_segments *s = log->segments;
	struct ssdup_segment *seg;
	struct ssdup_class *k;
	u32 i;

	/* No write comes yet, but a status request may, or a message to another log of the pool. */
	spin_lock_irq(&s->lock);
	s->begun = true;
	for (k = log->class; k < class_end(log); k++)
		k->next = ssdup_log_class_from(&log->classes, k->index, next);
	for (i = 0; i < nr; i++) {
		seg = &log->segment[live[i].segment];
		seg->generation = live[i].generation;
		seg->class = &log->class[log_class(&log->classes, seg->generation)];
		seg->header = true;
		seg->durable = U64_MAX;
		seg->pages_done = pages[i];
		atomic64_set(&seg->word, LOG_WORD_SEALED |
			     log_word(pages[i] * SSDUP_PAGE_ENTRIES,
				      pages[i] ? log->g.data_sectors : 0));
		add_sealed(s, seg);
	}
	/*
	 * It is not known which were discarded. The first stay ready until others are, and in a new
	 * log, which may have taken the SSD by mistake, all of them.
	 */
	while (ssdup_ssds_next(&w, &i)) {
		seg = &log->segment[i];
		if (test_bit(i, s->leased) && list_empty(&seg->list))
			ssdup_add_free(log, seg,
				       next > 1 && s->space[seg->ssd].nr_free >= READY);
	}
	spin_unlock_irq(&s->lock);
}

u64 ssdup_open_generation(struct ssdup_log *log, struct ssdup_class *k)
{
	struct ssdup_segments *s = log->segments;
	unsigned long flags;
	u64 generation;

	spin_lock_irqsave(&s->lock, flags);
	generation = k->open->state == SEGMENT_OPEN ? k->open->generation : k->next;
	spin_unlock_irqrestore(&s->lock, flags);
	return generation;
}

u64 ssdup_segments_opened(struct ssdup_log *log)
{
	return READ_ONCE(log->segments->opened);
}

u32 ssdup_segments_in_ring(struct ssdup_log *log, struct ssdup_class *k,
			   struct ssdup_segment **segments)
{
	struct ssdup_segments *s = log->segments;
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

void ssdup_left_ring(struct ssdup_log *log, struct ssdup_segment *seg)
{
	spin_lock_irq(&log->segments->lock);
	ssdup_take_spares_back(log, seg, 0);
	list_del_init(&seg->ring);
	WRITE_ONCE(seg->durable, U64_MAX);
	spin_unlock_irq(&log->segments->lock);
}

/* --- Facts --- */

bool ssdup_open_dirty(const struct ssdup_class *k, bool relocated)
{
	struct ssdup_segment *seg = READ_ONCE(k->open);
	u64 word = atomic64_read(&seg->word);

	return !(word & LOG_WORD_SEALED) &&
	       log_word_entries(word) > (relocated ? 0 : READ_ONCE(seg->relocated));
}

u64 ssdup_last_dirty(struct ssdup_log *log, struct ssdup_class *k)
{
	struct ssdup_segments *s = log->segments;
	unsigned long flags;
	u64 generation;

	/* Under the lock: a switch in between would hide the segment that it seals. */
	spin_lock_irqsave(&s->lock, flags);
	generation = k->next - 1;
	if (k->open->state == SEGMENT_OPEN && !ssdup_open_dirty(k, true))
		generation -= log->classes.nr;
	spin_unlock_irqrestore(&s->lock, flags);
	return generation;
}

bool ssdup_drained(struct ssdup_log *log, struct ssdup_class *k, u64 generation)
{
	struct ssdup_segments *s = log->segments;
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

void ssdup_ask_drain(struct ssdup_log *log, struct ssdup_class *k, u64 generation)
{
	u64 asked = READ_ONCE(k->asked);

	/* Never lower what another process has asked for meanwhile. */
	while (asked < generation && !try_cmpxchg(&k->asked, &asked, generation))
		;
	ssdup_kick_writeback(log->c);
}

bool ssdup_log_spent(struct ssdup_log *log)
{
	struct ssdup_segments *s = log->segments;
	struct ssdup_class *k;
	unsigned long flags;
	bool spent;

	if (!ssdup_segments_full(log))
		return false;
	spin_lock_irqsave(&s->lock, flags);
	spent = ssdup_segments_full(log) && ssdup_space_spent(log) && !s->nr_sealed &&
		!s->nr_clean && !s->in_hand && !s->nr_pinned;
	for (k = log->class; k < class_end(log) && spent; k++)
		spent = !ssdup_open_dirty(k, false);
	spin_unlock_irqrestore(&s->lock, flags);
	return spent;
}

u32 ssdup_sealed_segments(struct ssdup_log *log)
{
	return READ_ONCE(log->segments->nr_sealed);
}

u32 ssdup_part(const struct ssdup_log *log)
{
	return max(ssdup_leased_segments(log) / LOG_PARTS, 1U);
}

u32 ssdup_open_fill(const struct ssdup_log *log, const struct ssdup_class *k)
{
	u64 word = atomic64_read(&READ_ONCE(k->open)->word);

	return word & LOG_WORD_SEALED ? 0 : ssdup_log_word_fill(word, &log->g);
}

u64 ssdup_log_written(struct ssdup_log *log)
{
	u64 written = READ_ONCE(log->segments->written), word;
	const struct ssdup_class *k;

	for (k = log->class; k < class_end(log); k++) {
		word = atomic64_read(&READ_ONCE(k->open)->word);
		written += word & LOG_WORD_SEALED ? 0 : log_word_sectors(word);
	}
	return written;
}

/* Segments in use, as 1/10000 of one. */
static u64 segments_used(struct ssdup_log *log)
{
	u64 fill = (u64)ssdup_sealed_segments(log) * SSDUP_PCT_ONE;
	const struct ssdup_class *k;

	for (k = log->class; k < class_end(log); k++)
		fill += ssdup_open_fill(log, k);
	return fill;
}

u32 ssdup_part_fill(struct ssdup_log *log)
{
	u64 part = ssdup_part(log), leased = ssdup_leased_segments(log);
	u64 others = (leased - min(part, leased)) * SSDUP_PCT_ONE;
	u64 in_use = segments_used(log);

	return min(div_u64(in_use - min(in_use, others), part), SSDUP_PCT_ONE);
}

