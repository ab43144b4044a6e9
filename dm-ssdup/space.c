// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: places in the log, and how an extent gets from there to the map.
 */
#include "ssdup.h"
#include "trace.h"

void ssdup_put_write(struct ssdup *c, struct ssdup_half *h)
{
	if (atomic_dec_and_test(&h->writes) && wq_has_sleeper(&c->wb_wait))
		wake_up(&c->wb_wait);
}

void ssdup_put_read(struct ssdup *c, struct ssdup_half *h)
{
	if (atomic_dec_and_test(&h->reads) && wq_has_sleeper(&c->wb_wait))
		wake_up(&c->wb_wait);
}

void ssdup_open_half(struct ssdup *c, struct ssdup_half *h, u64 base, u64 word)
{
	h->state = HALF_OPEN;
	h->base = base;
	h->pages_done = DIV_ROUND_UP(log_word_entries(word), (u32)SSDUP_PAGE_ENTRIES);
	h->carried = 0;
	h->drained = false;
	/*
	 * A writer that still holds @h from an earlier life may reserve from
	 * here on: it must find the base of this life.
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

	spin_lock_irqsave(&c->half_lock, flags);
	if (c->open != from) {
		spin_unlock_irqrestore(&c->half_lock, flags);
		return true;
	}
	next = list_first_entry_or_null(&c->free, struct ssdup_half, list);
	if (!next) {
		spin_unlock_irqrestore(&c->half_lock, flags);
		return false;
	}
	/* Fully ordered: whoever reserved before has raised from->writes before. */
	atomic64_fetch_or(LOG_WORD_SEALED, &from->word);
	from->state = HALF_SEALED;
	list_move_tail(&from->list, &c->sealed);
	list_del_init(&next->list);
	ssdup_open_half(c, next, from->base + half_pages(from), 0);
	spin_unlock_irqrestore(&c->half_lock, flags);

	stat_inc(c, STAT_SEALS);
	trace_ssdup_seal(c, from);
	ssdup_kick_writeback(c);
	return true;
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

void ssdup_publish(struct ssdup *c, const struct ssdup_half *h, u32 entry,
		   const struct extent *e)
{
	struct ring_page *p = ring_page(c, h, entry / SSDUP_PAGE_ENTRIES);
	struct log_entry *le = &p->e[entry % SSDUP_PAGE_ENTRIES];

	if (e) {
		le->sector = e->start;
		le->seq = e->seq;
		le->sectors = e->sectors;
		le->pos = e->pos;
		/* Pairs with the acquire of the committer's snapshot. */
		smp_store_release(&le->kind, e->kind);
	}
	/* A committer that counts this one finds its entry filled. */
	smp_mb__before_atomic();
	atomic_inc(&p->resolved);

	if (READ_ONCE(c->ring_full)) {
		/* This entry may be the last of the page at its tail. */
		mod_delayed_work(c->wq, &c->autocommit, 0);
	} else if (!READ_ONCE(c->autocommit_armed)) {
		WRITE_ONCE(c->autocommit_armed, true);
		queue_delayed_work(c->wq, &c->autocommit,
				   msecs_to_jiffies(READ_ONCE(c->set.autocommit_ms)));
	}
}

void ssdup_free_nodes(struct ssdup *c, struct extent_list *list)
{
	struct extent *e;

	while ((e = extent_pop(list)))
		mempool_free(e, &c->nodes);
}

bool ssdup_insert(struct ssdup *c, struct extent *e, struct extent_list *spares,
		  const struct ssdup_half *h, u32 entry, bool newest)
{
	struct ssdup_range *r = range_of(c, e->start);
	struct extent_list unused = { NULL };
	unsigned long flags;
	s64 nr, sectors;
	u32 need = 0;

	spin_lock_irqsave(&r->lock, flags);
	if (newest) {
		e->seq = atomic64_inc_return(&c->seq);
	} else {
		struct extent *s;

		need = extent_spares(&r->tree, e);
		for (s = spares->head; s && need; s = s->next)
			need--;
	}
	if (!need) {
		nr = r->tree.nr;
		sectors = r->tree.sectors;
		ssdup_publish(c, h, entry, e);
		extent_insert(&r->tree, e, spares, &unused);
		nr = r->tree.nr - nr;
		sectors = r->tree.sectors - sectors;
		range_changed(r);
	}
	spin_unlock_irqrestore(&r->lock, flags);
	if (need)
		return false;

	atomic64_add(nr, &c->extents);
	atomic64_add(sectors, &c->dirty_sectors);
	ssdup_free_nodes(c, &unused);
	return true;
}
