// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: the halves of the log.
 */
#include "halves.h"
#include "mode.h"
#include "trace.h"
#include "wake.h"

void ssdup_halves_init(struct ssdup *c)
{
	u32 i;

	INIT_LIST_HEAD(&c->sealed);
	INIT_LIST_HEAD(&c->free);
	spin_lock_init(&c->half_lock);
	for (i = 0; i < SSDUP_MAX_HALVES; i++) {
		c->half[i].index = i;
		INIT_LIST_HEAD(&c->half[i].list);
	}
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

void ssdup_open_half(struct ssdup *c, struct ssdup_half *h, u64 base, u64 word)
{
	lockdep_assert_held(&c->half_lock);
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

struct ssdup_half *ssdup_seal_for_good(struct ssdup *c)
{
	struct ssdup_half *h;

	/* Who takes the lock after us sees the mode too, and opens no other half. */
	spin_lock_irq(&c->half_lock);
	h = c->open;
	atomic64_fetch_or(LOG_WORD_SEALED, &h->word);
	spin_unlock_irq(&c->half_lock);
	return h;
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

u32 ssdup_halves_in_use(struct ssdup *c, struct ssdup_half **halves)
{
	struct ssdup_half *h;
	unsigned long flags;
	u32 nr = 0;

	spin_lock_irqsave(&c->half_lock, flags);
	list_for_each_entry(h, &c->sealed, list)
		halves[nr++] = h;
	halves[nr++] = c->open;
	spin_unlock_irqrestore(&c->half_lock, flags);
	return nr;
}

struct ssdup_half *ssdup_oldest_sealed(struct ssdup *c, u64 *generation)
{
	struct ssdup_half *h;

	spin_lock_irq(&c->half_lock);
	h = list_first_entry_or_null(&c->sealed, struct ssdup_half, list);
	*generation = h ? h->generation : U64_MAX;
	spin_unlock_irq(&c->half_lock);
	return h;
}

void ssdup_halves_freed(struct ssdup *c, struct ssdup_half **halves, u32 nr,
			const u64 *generation)
{
	struct ssdup_half *h;
	u32 i;

	spin_lock_irq(&c->half_lock);
	/* Under the lock: who finds the half free finds it counted, and the other way round. */
	stat_add(c, STAT_FREES, nr);
	for (i = 0; i < nr; i++) {
		h = halves[i];
		h->generation = generation[h->index];
		if (h == c->open) {
			/* The log is read-only: nothing will be logged in it any more. */
			h->pages_done = 0;
			atomic64_set(&h->word, LOG_WORD_SEALED);
			continue;
		}
		h->state = HALF_FREE;
		list_move_tail(&h->list, &c->free);
	}
	ssdup_set_gate(c);
	c->full_told = false;
	spin_unlock_irq(&c->half_lock);
}

u32 ssdup_count_halves(struct ssdup *c, enum half_state state)
{
	unsigned long flags;
	u32 i, nr = 0;

	spin_lock_irqsave(&c->half_lock, flags);
	for (i = 0; i < c->g.nr_halves; i++)
		nr += c->half[i].state == state;
	spin_unlock_irqrestore(&c->half_lock, flags);
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

void ssdup_ration(struct ssdup *c, u64 left)
{
	u64 now = ktime_get_ns(), since = READ_ONCE(c->rationed), passed = now - min(now, since);
	struct log_limits gate;

	spin_lock_irq(&c->half_lock);
	gate = c->gate;
	/* From then on: what is left begins with what has passed. */
	passed = ssdup_log_ration(&gate, &c->limits, passed, left + passed);
	if (ssdup_rationed(c) && passed) {
		set_gate(c, &gate);
		WRITE_ONCE(c->rationed, since + passed);
	}
	spin_unlock_irq(&c->half_lock);
}

u64 ssdup_ration_wait(struct ssdup *c, u32 sectors, u64 left)
{
	u64 now = ktime_get_ns(), since, passed, wait, word;
	struct log_limits gate;

	spin_lock_irq(&c->half_lock);
	gate = c->gate;
	since = READ_ONCE(c->rationed);
	word = atomic64_read(&c->open->word);
	spin_unlock_irq(&c->half_lock);
	passed = now - min(now, since);
	wait = ssdup_log_ration_wait(&gate, &c->limits, word, sectors, left + passed);
	return wait == U64_MAX ? wait : wait - min(wait, passed);
}
