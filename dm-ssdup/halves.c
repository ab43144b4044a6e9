// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: the halves of the log.
 */
#include <linux/slab.h>

#include "halves.h"
#include "mode.h"
#include "trace.h"
#include "wake.h"

struct ssdup_halves {
	spinlock_t		lock;		/* these, and part of struct ssdup_half */
	struct list_head	sealed;		/* oldest first */
	struct list_head	free;		/* next to open first */
	bool			full_told;	/* an event was sent since a half was last freed */
};

int ssdup_halves_create(struct ssdup *c)
{
	u32 i;

	c->halves = kzalloc(sizeof(*c->halves), GFP_KERNEL);
	if (!c->halves)
		return -ENOMEM;
	spin_lock_init(&c->halves->lock);
	INIT_LIST_HEAD(&c->halves->sealed);
	INIT_LIST_HEAD(&c->halves->free);
	for (i = 0; i < SSDUP_MAX_HALVES; i++)
		INIT_LIST_HEAD(&c->half[i].list);
	return 0;
}

void ssdup_halves_destroy(struct ssdup *c)
{
	kfree(c->halves);
}

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

static void open_half(struct ssdup *c, struct ssdup_half *h, u64 base, u64 word)
{
	lockdep_assert_held(&c->halves->lock);
	h->state = HALF_OPEN;
	WRITE_ONCE(h->base, base);
	h->pages_done = DIV_ROUND_UP(log_word_entries(word), (u32)SSDUP_PAGE_ENTRIES);
	h->relocated = 0;
	h->drained = false;
	h->tried = false;
	h->lost = false;
	h->has_home = false;
	WRITE_ONCE(h->home, 0);
	/*
	 * A writer may have read c->open long ago, and reserve as soon as the
	 * word is unsealed. It must find the new base. Pairs with the acquire in
	 * ssdup_try_reserve().
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

	spin_lock_irqsave(&c->halves->lock, flags);
	if (c->open != from) {
		spin_unlock_irqrestore(&c->halves->lock, flags);
		return true;
	}
	next = list_first_entry_or_null(&c->halves->free, struct ssdup_half, list);
	/* A read-only log hands out nothing, see salvage.c. */
	if (!next || ssdup_mode(c) != MODE_RUNNING) {
		WRITE_ONCE(c->wait_cause, WAIT_SPACE);
		tell = !next && !c->halves->full_told;
		c->halves->full_told |= tell;
		spin_unlock_irqrestore(&c->halves->lock, flags);
		if (tell)
			ssdup_event(c);
		return false;
	}
	/*
	 * Fully ordered: a writer that reserved before the seal has raised
	 * from->writes. See halves.h why the next half opens only when they have ended.
	 */
	trace_ssdup_step(c, STEP_SEAL_BEGIN);
	atomic64_fetch_or(LOG_WORD_SEALED, &from->word);
	if (atomic_read(&from->writes)) {
		WRITE_ONCE(c->wait_cause, WAIT_SEAL);
		spin_unlock_irqrestore(&c->halves->lock, flags);
		return false;
	}
	from->state = HALF_SEALED;
	list_move_tail(&from->list, &c->halves->sealed);
	list_del_init(&next->list);
	/* Under the lock, because without it the half may be freed meanwhile. */
	trace_ssdup_seal(c, from);
	trace_ssdup_step(c, STEP_SEAL_BETWEEN);
	open_half(c, next, from->base + half_pages(from), 0);
	spin_unlock_irqrestore(&c->halves->lock, flags);

	stat_inc(c, STAT_SEALS);
	trace_ssdup_step(c, STEP_SEAL_DONE);
	ssdup_kick_writeback(c);
	return true;
}

void ssdup_halves_begin(struct ssdup *c, const struct ssdup_replay_half *found,
			const struct ssdup_replay_roles *roles, const u64 *generation)
{
	const struct ssdup_replay_half *open = &found[roles->open];
	struct ssdup_half *h;
	u32 i;

	/* No write comes yet, but a status request may. */
	spin_lock_irq(&c->halves->lock);
	for (i = 0; i < c->g.nr_halves; i++) {
		h = &c->half[i];
		h->generation = generation[i];
		h->state = HALF_FREE;
		h->pages_done = found[i].pages;
		atomic64_set(&h->word, LOG_WORD_SEALED |
			     log_word(found[i].pages * SSDUP_PAGE_ENTRIES, found[i].data_end));
	}
	for (i = 0; i < roles->nr_sealed; i++) {
		h = &c->half[roles->sealed[i]];
		h->state = HALF_SEALED;
		list_add_tail(&h->list, &c->halves->sealed);
	}
	for (i = 0; i < roles->nr_free; i++)
		list_add_tail(&c->half[roles->free[i]].list, &c->halves->free);
	open_half(c, &c->half[roles->open], 0,
		  log_word(open->pages * SSDUP_PAGE_ENTRIES, open->data_end));
	spin_unlock_irq(&c->halves->lock);
}

struct ssdup_half *ssdup_seal_for_good(struct ssdup *c)
{
	struct ssdup_half *h;

	/* Under the lock: a later ssdup_switch() sees the mode, and opens no half. */
	spin_lock_irq(&c->halves->lock);
	h = c->open;
	atomic64_fetch_or(LOG_WORD_SEALED, &h->word);
	spin_unlock_irq(&c->halves->lock);
	return h;
}

u64 ssdup_open_generation(struct ssdup *c)
{
	unsigned long flags;
	u64 generation;

	spin_lock_irqsave(&c->halves->lock, flags);
	generation = c->open->generation;
	spin_unlock_irqrestore(&c->halves->lock, flags);
	return generation;
}

u32 ssdup_halves_in_use(struct ssdup *c, struct ssdup_half **halves)
{
	struct ssdup_half *h;
	unsigned long flags;
	u32 nr = 0;

	spin_lock_irqsave(&c->halves->lock, flags);
	list_for_each_entry(h, &c->halves->sealed, list)
		halves[nr++] = h;
	halves[nr++] = c->open;
	spin_unlock_irqrestore(&c->halves->lock, flags);
	return nr;
}

struct ssdup_half *ssdup_oldest_sealed(struct ssdup *c, u64 *generation)
{
	struct ssdup_half *h;

	spin_lock_irq(&c->halves->lock);
	h = list_first_entry_or_null(&c->halves->sealed, struct ssdup_half, list);
	*generation = h ? h->generation : U64_MAX;
	spin_unlock_irq(&c->halves->lock);
	return h;
}

bool ssdup_open_dirty(struct ssdup *c, bool relocated)
{
	struct ssdup_half *h = READ_ONCE(c->open);

	return log_word_entries(atomic64_read(&h->word)) > (relocated ? 0 : h->relocated);
}

u64 ssdup_last_dirty(struct ssdup *c)
{
	unsigned long flags;
	u64 generation;

	/* Under the lock: a switch in between would hide the half that it seals. */
	spin_lock_irqsave(&c->halves->lock, flags);
	generation = c->open->generation - !ssdup_open_dirty(c, true);
	spin_unlock_irqrestore(&c->halves->lock, flags);
	return generation;
}

bool ssdup_drained(struct ssdup *c, u64 generation)
{
	struct ssdup_half *h;
	bool drained;

	spin_lock_irq(&c->halves->lock);
	h = list_first_entry_or_null(&c->halves->sealed, struct ssdup_half, list) ?: c->open;
	drained = h->generation > generation || (h == c->open && !ssdup_open_dirty(c, true));
	spin_unlock_irq(&c->halves->lock);
	return drained;
}

void ssdup_halves_freed(struct ssdup *c, struct ssdup_half **halves, u32 nr,
			const u64 *generation)
{
	struct ssdup_half *h;
	u32 i;

	spin_lock_irq(&c->halves->lock);
	/* Under the lock, so that the count agrees with the states. */
	stat_add(c, STAT_FREES, nr);
	for (i = 0; i < nr; i++) {
		h = halves[i];
		h->generation = generation[h->index];
		if (h == c->open) {
			/* The log is read-only, so the open half stays sealed. */
			h->pages_done = 0;
			atomic64_set(&h->word, LOG_WORD_SEALED);
			continue;
		}
		h->state = HALF_FREE;
		list_move_tail(&h->list, &c->halves->free);
	}
	ssdup_set_gate(c);
	c->halves->full_told = false;
	spin_unlock_irq(&c->halves->lock);
}

u32 ssdup_count_halves(struct ssdup *c, enum half_state state)
{
	unsigned long flags;
	u32 i, nr = 0;

	spin_lock_irqsave(&c->halves->lock, flags);
	for (i = 0; i < c->g.nr_halves; i++)
		nr += c->half[i].state == state;
	spin_unlock_irqrestore(&c->halves->lock, flags);
	return nr;
}

u32 ssdup_fill(struct ssdup *c)
{
	struct ssdup_half *open = READ_ONCE(c->open);

	return open ? ssdup_log_word_fill(atomic64_read(&open->word), &c->limits) : 0;
}

u32 ssdup_log_fill(struct ssdup *c)
{
	u32 halves = 0, i;

	for (i = 0; i < c->g.nr_halves; i++)
		halves += READ_ONCE(c->half[i].state) == HALF_SEALED;
	return (halves * SSDUP_PCT_ONE + ssdup_fill(c)) / c->g.nr_halves;
}

/* --- The end of the last half --- */

static void set_gate(struct ssdup *c, const struct log_limits *limits)
{
	WRITE_ONCE(c->gate.entries, limits->entries);
	WRITE_ONCE(c->gate.sectors, limits->sectors);
}

void ssdup_set_gate(struct ssdup *c)
{
	struct log_limits limits = c->limits;
	u64 word = atomic64_read(&c->open->word);

	lockdep_assert_held(&c->halves->lock);
	if (list_empty(&c->halves->free)) {
		limits = ssdup_log_limits_free(&c->limits);
		/* Replayed entries, and those that a drain moved, may lie beyond these limits. */
		limits.entries = clamp(log_word_entries(word), limits.entries,
				       c->limits.entries);
		limits.sectors = clamp_t(u64, log_word_sectors(word), limits.sectors,
					 c->limits.sectors);
	}
	set_gate(c, &limits);
	WRITE_ONCE(c->rationed, ktime_get_ns());
}

void ssdup_ration(struct ssdup *c, u64 left)
{
	u64 now = ktime_get_ns(), since = READ_ONCE(c->rationed), passed = now - min(now, since);
	struct log_limits gate;

	spin_lock_irq(&c->halves->lock);
	gate = c->gate;
	/* @left counts from now, but the ration from c->rationed. */
	passed = ssdup_log_ration(&gate, &c->limits, passed, left + passed);
	if (ssdup_rationed(c) && passed) {
		set_gate(c, &gate);
		WRITE_ONCE(c->rationed, since + passed);
	}
	spin_unlock_irq(&c->halves->lock);
}

u64 ssdup_ration_wait(struct ssdup *c, u32 sectors, u64 left)
{
	u64 now = ktime_get_ns(), since, passed, wait, word;
	struct log_limits gate;

	spin_lock_irq(&c->halves->lock);
	gate = c->gate;
	since = READ_ONCE(c->rationed);
	word = atomic64_read(&c->open->word);
	spin_unlock_irq(&c->halves->lock);
	passed = now - min(now, since);
	wait = ssdup_log_ration_wait(&gate, &c->limits, word, sectors, left + passed);
	return wait == U64_MAX ? wait : wait - min(wait, passed);
}
