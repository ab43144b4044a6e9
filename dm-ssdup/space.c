// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: places in the log, and how an extent gets from there to the map.
 */
#include "hot.h"
#include "trace.h"

#define RATION_NS	200000ULL	/* what may go on sooner goes on together */

void ssdup_last_write(struct ssdup *c)
{
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
	ssdup_set_gate(c);
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

/* --- The last half --- */

static void set_gate(struct ssdup *c, const struct log_limits *limits)
{
	WRITE_ONCE(c->gate.entries, limits->entries);
	WRITE_ONCE(c->gate.sectors, limits->sectors);
}

void ssdup_set_gate(struct ssdup *c)
{
	struct log_limits limits = c->limits;
	u64 word = atomic64_read(&c->open->word);

	lockdep_assert_held(&c->half_lock);
	if (list_empty(&c->free)) {
		limits = ssdup_log_limits_free(&c->limits);
		/* What was replayed may go further, and a drain's moves further still. */
		limits.entries = clamp(log_word_entries(word), limits.entries,
				       c->limits.entries);
		limits.sectors = clamp_t(u64, log_word_sectors(word), limits.sectors,
					 c->limits.sectors);
	}
	set_gate(c, &limits);
	WRITE_ONCE(c->rationed, ktime_get_ns());
}

void ssdup_ration(struct ssdup *c)
{
	u64 now = ktime_get_ns(), since = READ_ONCE(c->rationed), passed = now - min(now, since);
	struct log_limits gate;

	spin_lock_irq(&c->half_lock);
	gate = c->gate;
	/* From then on: what is left begins with what has passed. */
	passed = ssdup_log_ration(&gate, &c->limits, passed, ssdup_meter_left(c) + passed);
	if (ssdup_rationed(c) && passed) {
		set_gate(c, &gate);
		WRITE_ONCE(c->rationed, since + passed);
	}
	spin_unlock_irq(&c->half_lock);
}

enum hrtimer_restart ssdup_ration_timer(struct hrtimer *timer)
{
	ssdup_kick_waiting(container_of(timer, struct ssdup, ration_timer));
	return HRTIMER_NORESTART;
}

void ssdup_await_ration(struct ssdup *c, u32 sectors)
{
	u64 now = ktime_get_ns(), since, passed, wait, word;
	struct log_limits gate;

	spin_lock_irq(&c->half_lock);
	gate = c->gate;
	since = READ_ONCE(c->rationed);
	word = atomic64_read(&c->open->word);
	spin_unlock_irq(&c->half_lock);
	passed = now - min(now, since);
	wait = ssdup_log_ration_wait(&gate, &c->limits, word, sectors,
				     ssdup_meter_left(c) + passed);
	/* It has to wait for another half, and who frees that one kicks. */
	if (wait == U64_MAX)
		return;
	wait = max(wait - min(wait, passed), RATION_NS);
	hrtimer_start(&c->ration_timer, ns_to_ktime(wait), HRTIMER_MODE_REL);
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

/* --- Places --- */

static int no_place(struct ssdup *c, struct ssdup_half *h, int error)
{
	ssdup_put_write(c, h);
	if (error == -ENOMEM) {
		WRITE_ONCE(c->wait_cause, WAIT_MEMORY);
		return error;
	}
	WRITE_ONCE(c->ring_full, true);
	WRITE_ONCE(c->wait_cause, WAIT_COMMIT);
	/* Pairs with the barrier in ssdup_publish(). */
	smp_mb();
	mod_delayed_work(c->wq, &c->autocommit, 0);
	return error;
}

int ssdup_reserve(struct ssdup *c, struct ssdup_io *io, u32 sectors,
		  const struct log_limits *limits)
{
	struct ssdup_half *h;
	bool rationed;
	int r;

	/* Each turn gets a place, gives up, or finds another half open. */
	for (;;) {
		/* Before the try: if it fails for that, then not for the half. */
		rationed = limits == &c->gate && ssdup_rationed(c);
		h = READ_ONCE(c->open);
		r = ssdup_try_reserve(c, h, io, sectors, limits);
		if (!r)
			return 0;
		if (r != -ENOSPC)
			return no_place(c, h, r);
		ssdup_put_write(c, h);
		if (rationed && READ_ONCE(c->open) == h) {
			WRITE_ONCE(c->wait_cause, WAIT_SPACE);
			return -ENOSPC;
		}
		if (!ssdup_switch(c, h))
			return -ENOSPC;
	}
}

/* --- From there to the map --- */

void ssdup_give_up(struct ssdup *c, const struct ssdup_io *io)
{
	WRITE_ONCE(io->page->holes, true);
	ssdup_resolve(c, io->page);
}

void ssdup_insert_among(struct ssdup *c, struct ssdup_range *r, struct ssdup_io *io)
{
	s64 nr = r->tree.nr, sectors = r->tree.sectors;
	struct extent_list spares = io->nodes;
	struct extent *e;

	lockdep_assert_held(&r->lock);
	io->nodes.head = NULL;
	if (!spares.head && ssdup_extent_spares(&r->tree, io->e)) {
		/* Does not fail, see ssdup_has_spare(). */
		e = mempool_alloc(&c->nodes, GFP_NOWAIT | __GFP_NOWARN);
		e->lent = false;
		extent_push(&spares, e);
	}
	ssdup_extent_insert(&r->tree, io->e, &spares, &io->nodes);
	while ((e = extent_pop(&spares)))
		extent_push(&io->nodes, e);
	range_changed(r);
	atomic64_add(r->tree.nr - nr, &c->extents);
	atomic64_add(r->tree.sectors - sectors, &c->dirty_sectors);
}

bool ssdup_move(struct ssdup *c, struct ssdup_io *io, u8 from)
{
	struct extent *e = io->e;
	struct ssdup_range *r = range_of(c, e->start);
	const struct extent *x;
	unsigned long flags;
	bool held;

	spin_lock_irqsave(&r->lock, flags);
	x = ssdup_extent_first(&r->tree, e->start, extent_end(e));
	held = x && x->half == from && x->seq == e->seq && x->start <= e->start &&
	       extent_end(x) >= extent_end(e);
	if (held) {
		e->lent = true;
		ssdup_publish(c, io);
		ssdup_insert_among(c, r, io);
	}
	spin_unlock_irqrestore(&r->lock, flags);
	ssdup_free_nodes(c, &io->nodes);
	return held;
}
