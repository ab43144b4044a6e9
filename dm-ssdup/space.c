// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: places in the log, and how an extent gets from there to the map.
 */
#include "ssdup.h"
#include "trace.h"

void ssdup_put_write(struct ssdup *c, struct ssdup_half *h)
{
	/* Fully ordered: either we see the seal, or ssdup_switch() sees our zero. */
	if (!atomic_dec_and_test(&h->writes) ||
	    !(atomic64_read(&h->word) & LOG_WORD_SEALED))
		return;
	ssdup_settled(c);
	ssdup_kick_waiting(c);
	ssdup_kick_writeback(c);
}

void ssdup_put_read(struct ssdup *c, struct ssdup_half *h)
{
	if (atomic_dec_and_test(&h->reads))
		ssdup_settled(c);
}

void ssdup_open_half(struct ssdup *c, struct ssdup_half *h, u64 base, u64 word)
{
	lockdep_assert_held(&c->half_lock);
	h->state = HALF_OPEN;
	WRITE_ONCE(h->base, base);
	h->pages_done = DIV_ROUND_UP(log_word_entries(word), (u32)SSDUP_PAGE_ENTRIES);
	h->carried = 0;
	h->drained = false;
	h->tried = false;
	h->lost = false;
	h->has_home = false;
	WRITE_ONCE(h->home, 0);
	/*
	 * A writer that still holds @h from an earlier life may reserve from
	 * here on: it must find the base of this life. Pairs with the acquire
	 * in ssdup_reserve().
	 */
	smp_wmb();
	atomic64_set(&h->word, word);
	WRITE_ONCE(c->open, h);
	trace_ssdup_open(c, h);
}

bool ssdup_switch(struct ssdup *c, struct ssdup_half *from)
{
	struct ssdup_half *next;
	unsigned long flags;
	bool tell;

	spin_lock_irqsave(&c->half_lock, flags);
	if (c->open != from) {
		spin_unlock_irqrestore(&c->half_lock, flags);
		return true;
	}
	next = list_first_entry_or_null(&c->free, struct ssdup_half, list);
	/* Once the log is read-only nothing is handed out any more, see salvage.c. */
	if (!next || ssdup_mode(c) != MODE_RUNNING) {
		WRITE_ONCE(c->wait_cause, WAIT_SPACE);
		tell = !next && !c->full_told;
		c->full_told |= tell;
		spin_unlock_irqrestore(&c->half_lock, flags);
		if (tell)
			ssdup_event(c);
		return false;
	}
	/*
	 * Fully ordered: whoever reserved before has raised from->writes before.
	 * Nothing is handed out of the next half until those have ended: of two
	 * writes in flight at once, the one in the older half must not become the
	 * newer of the two.
	 */
	trace_ssdup_step(c, STEP_SEAL_BEGIN);
	atomic64_fetch_or(LOG_WORD_SEALED, &from->word);
	if (atomic_read(&from->writes)) {
		WRITE_ONCE(c->wait_cause, WAIT_SEAL);
		spin_unlock_irqrestore(&c->half_lock, flags);
		return false;
	}
	from->state = HALF_SEALED;
	list_move_tail(&from->list, &c->sealed);
	list_del_init(&next->list);
	/* Without the lock it might be drained and free already. */
	trace_ssdup_seal(c, from);
	trace_ssdup_step(c, STEP_SEAL_BETWEEN);
	ssdup_open_half(c, next, from->base + half_pages(from), 0);
	spin_unlock_irqrestore(&c->half_lock, flags);

	stat_inc(c, STAT_SEALS);
	trace_ssdup_step(c, STEP_SEAL_DONE);
	ssdup_kick_writeback(c);
	return true;
}

u64 ssdup_open_generation(struct ssdup *c)
{
	unsigned long flags;
	u64 generation;

	spin_lock_irqsave(&c->half_lock, flags);
	generation = c->open->generation;
	spin_unlock_irqrestore(&c->half_lock, flags);
	return generation;
}

/* The ring number of an entry's page has its place once all before it left the ring. */
static bool ring_has_room(struct ssdup *c, const struct ssdup_half *h, u64 word)
{
	u64 number = READ_ONCE(h->base) + log_word_entries(word) / SSDUP_PAGE_ENTRIES;

	/* Pairs with the release in commit.c: the place was cleared before. */
	return number < smp_load_acquire(&c->ring_tail) + SSDUP_RING;
}

bool ssdup_reserve(struct ssdup *c, struct ssdup_io *io, u32 sectors,
		   const struct log_limits *limits)
{
	struct ssdup_half *h;
	u64 word, next;

	/* Each turn gets a place, gives up, or finds another half open. */
	for (;;) {
		h = READ_ONCE(c->open);
		atomic_inc(&h->writes);
		word = atomic64_read_acquire(&h->word);
		do {
			if (!log_word_reserve(word, limits, sectors, &next))
				break;
			if (!ring_has_room(c, h, word)) {
				ssdup_put_write(c, h);
				WRITE_ONCE(c->ring_full, true);
				WRITE_ONCE(c->wait_cause, WAIT_COMMIT);
				/* Pairs with the barrier in ssdup_publish(). */
				smp_mb();
				mod_delayed_work(c->wq, &c->autocommit, 0);
				return false;
			}
			if (atomic64_try_cmpxchg(&h->word, (s64 *)&word, next)) {
				io->half = h;
				io->entry = log_word_entries(word);
				io->pos = to_log_pos(log_word_sectors(word));
				return true;
			}
		} while (1);
		ssdup_put_write(c, h);
		if (!ssdup_switch(c, h))
			return false;
	}
}

/* An entry was resolved: see to it that a commit comes, in time. */
static void commit_in_time(struct ssdup *c, const struct ssdup_half *h, u32 page, u32 resolved)
{
	/*
	 * At once when somebody waits for the tail of the ring, for this may have
	 * been its last entry, and when much of the ring is in use.
	 */
	if (READ_ONCE(c->ring_full) ||
	    (resolved == SSDUP_PAGE_ENTRIES &&
	     h->base + page - READ_ONCE(c->ring_tail) >= SSDUP_RING / 4)) {
		mod_delayed_work(c->wq, &c->autocommit, 0);
	} else if (!READ_ONCE(c->autocommit_armed)) {
		WRITE_ONCE(c->autocommit_armed, true);
		queue_delayed_work(c->wq, &c->autocommit,
				   msecs_to_jiffies(READ_ONCE(c->set.autocommit_ms)));
	}
}

void ssdup_publish(struct ssdup *c, const struct ssdup_half *h, u32 entry,
		   const struct extent *e)
{
	u32 page = entry / SSDUP_PAGE_ENTRIES;
	struct ring_page *p = ring_page(c, h, page);
	struct log_entry *le = &p->e[entry % SSDUP_PAGE_ENTRIES];

	if (e) {
		le->sector = e->start;
		le->seq = e->seq;
		le->sectors = e->sectors;
		le->pos = e->pos;
		/* Pairs with the acquire of the committer's snapshot. */
		smp_store_release(&le->kind, e->kind);
	}
	/*
	 * Fully ordered: a committer that counts this one finds its entry
	 * filled, and one that does not is seen by commit_in_time() to be done.
	 */
	commit_in_time(c, h, page, atomic_inc_return(&p->resolved));
}

void ssdup_free_nodes(struct ssdup *c, struct extent_list *list)
{
	struct extent *e;

	while ((e = extent_pop(list)))
		mempool_free(e, &c->nodes);
}

/* What an insert leaves to be done without the lock. */
struct insert_rest {
	struct extent_list	unused;
	s64			nr;
	s64			sectors;
};

static void insert_locked(struct ssdup *c, struct ssdup_range *r, struct extent *e,
			  struct extent_list *spares, const struct ssdup_half *h, u32 entry,
			  struct insert_rest *rest)
{
	s64 nr = r->tree.nr, sectors = r->tree.sectors;

	lockdep_assert_held(&r->lock);
	rest->unused.head = NULL;
	ssdup_publish(c, h, entry, e);
	extent_insert(&r->tree, e, spares, &rest->unused);
	range_changed(r);
	rest->nr = r->tree.nr - nr;
	rest->sectors = r->tree.sectors - sectors;
}

static void insert_finish(struct ssdup *c, struct insert_rest *rest)
{
	atomic64_add(rest->nr, &c->extents);
	atomic64_add(rest->sectors, &c->dirty_sectors);
	ssdup_free_nodes(c, &rest->unused);
}

void ssdup_insert(struct ssdup *c, struct extent *e, struct extent_list *spares,
		  const struct ssdup_half *h, u32 entry)
{
	struct ssdup_range *r = range_of(c, e->start);
	struct insert_rest rest;
	unsigned long flags;
	u64 seq;

	spin_lock_irqsave(&r->lock, flags);
	seq = atomic64_inc_return(&c->seq);
	e->seq = seq;
	insert_locked(c, r, e, spares, h, entry, &rest);
	spin_unlock_irqrestore(&r->lock, flags);
	insert_finish(c, &rest);
	if (unlikely(seq > LOG_LAST_SEQ))
		ssdup_fail(c, MODE_LOG_READ_ONLY, "the counters of the log are used up");
}

bool ssdup_move(struct ssdup *c, struct extent *e, struct extent_list *spares,
		const struct ssdup_half *h, u32 entry, u8 from)
{
	struct ssdup_range *r = range_of(c, e->start);
	struct insert_rest rest;
	const struct extent *x;
	unsigned long flags;
	bool held;

	spin_lock_irqsave(&r->lock, flags);
	x = extent_first(&r->tree, e->start, extent_end(e));
	held = x && x->half == from && x->seq == e->seq && x->start <= e->start &&
	       extent_end(x) >= extent_end(e);
	if (held)
		insert_locked(c, r, e, spares, h, entry, &rest);
	spin_unlock_irqrestore(&r->lock, flags);
	if (held)
		insert_finish(c, &rest);
	return held;
}
