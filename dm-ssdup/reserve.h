/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: a place in the log: handed out, and filled or given up.
 *
 * A place comes with an entry of a metadata page and the node of its extent. Pages that are
 * not complete and durable yet live in a ring, see struct ring_page.
 */
#ifndef SSDUP_RESERVE_H
#define SSDUP_RESERVE_H

#include "nodes.h"
#include "wake.h"

/** ssdup_ring_page() - where page @page of @h has its place in the ring; any context */
static inline struct ring_page *ssdup_ring_page(struct ssdup *c, const struct ssdup_half *h,
						u32 page)
{
	return &c->ring[(h->base + page) % SSDUP_RING];
}

/**
 * ssdup_reserve() - a place in the open half
 * @io: half, page, slot, pos and e are filled in, and nodes gets one perhaps; half->writes
 * stays raised until ssdup_put_write()
 * @sectors: of data, 0 for a tombstone
 * @limits: the gate, writers' or all
 *
 * Opens the next half when this one is full and another is free.
 * Context: any; lock-free but for that switch.
 * Return: 0, -ENOSPC, -EAGAIN when the ring is full (a commit is then started), or
 * -ENOMEM.
 */
int ssdup_reserve(struct ssdup *c, struct ssdup_io *io, u32 sectors,
		  const struct log_limits *limits);

/*
 * The ring's place of entry number @entry, which is not handed out yet; NULL when the
 * ring is full. Return: where the array of its node is, or will be.
 */
static __always_inline struct extent_array **ssdup_find_place(struct ssdup *c,
							      struct ssdup_half *h, u32 entry,
							      struct ssdup_io *io)
{
	u32 page = entry / SSDUP_PAGE_ENTRIES, slot = entry % SSDUP_PAGE_ENTRIES;
	u64 number = READ_ONCE(h->base) + page;
	struct ring_page *p;

	/*
	 * A page has its place in the ring once all before it have left. Pairs
	 * with the release in commit.c: the place was cleared before.
	 */
	if (unlikely(number >= smp_load_acquire(&c->ring_tail) + SSDUP_RING))
		return NULL;
	p = &c->ring[number % SSDUP_RING];
	io->page = p;
	io->slot = slot;
	BUILD_BUG_ON(SSDUP_PAGE_ARRAYS != 2);
	return &p->array[slot >= SSDUP_ARRAY_NODES];
}

/**
 * ssdup_try_reserve() - one try of ssdup_reserve()
 * @h: the open half, as far as the caller knows
 *
 * An array is lent by who got an entry of it, never before: an entry that is not
 * handed out may turn out to be another half's, and so may its place in the ring.
 *
 * Return: 0, -ENOSPC when it is full or another one is open, or as ssdup_reserve();
 * @h->writes is raised in any case.
 */
static __always_inline int ssdup_try_reserve(struct ssdup *c, struct ssdup_half *h,
					     struct ssdup_io *io, u32 sectors,
					     const struct log_limits *limits)
{
	/* The gate moves meanwhile: a hint. */
	const struct log_limits most = {
		.entries = READ_ONCE(limits->entries),
		.sectors = READ_ONCE(limits->sectors),
	};
	struct extent_array **array, *fresh = NULL;
	u64 word, next;
	int r = -ENOSPC;
	u32 node;

	if (unlikely(!ssdup_has_spare(c, io, atomic_inc_return(&h->writes))))
		return -ENOMEM;
	word = atomic64_read_acquire(&h->word);
	while (log_word_reserve(word, &most, sectors, &next)) {
		array = ssdup_find_place(c, h, log_word_entries(word), io);
		if (unlikely(!array)) {
			r = -EAGAIN;
			break;
		}
		/*
		 * Somebody else may have got this entry, and all of its page may be
		 * durable and cleared just now. Then whatever is seen here does not
		 * count, for the exchange below fails.
		 */
		if (unlikely(!data_race(READ_ONCE(*array))) && !fresh) {
			fresh = ssdup_new_array(c);
			if (!fresh) {
				r = -ENOMEM;
				break;
			}
		}
		if (likely(atomic64_try_cmpxchg(&h->word, (s64 *)&word, next))) {
			if (unlikely(fresh))
				ssdup_lend(c, h, array, fresh);
			io->half = h;
			io->pos = to_log_pos(log_word_sectors(word));
			node = io->slot < SSDUP_ARRAY_NODES ? io->slot :
			       io->slot - SSDUP_ARRAY_NODES;
			io->e = &READ_ONCE(*array)->e[node];
			return 0;
		}
	}
	if (unlikely(fresh))
		mempool_free(fresh, &c->arrays);
	return r;
}

/* --- From there to a durable page --- */

/* An entry was resolved: see to it that a commit comes, in time. */
static __always_inline void ssdup_commit_in_time(struct ssdup *c, const struct ring_page *p,
						 u32 resolved)
{
	/*
	 * At once when somebody waits for the tail of the ring, for this may have
	 * been its last entry, and when much of the ring is in use.
	 */
	bool now = READ_ONCE(c->ring_full) ||
		   (resolved == SSDUP_PAGE_ENTRIES &&
		    (p - c->ring - READ_ONCE(c->ring_tail)) % SSDUP_RING >= SSDUP_RING / 4);

	if (unlikely(now || !READ_ONCE(c->autocommit_armed)))
		ssdup_commit_soon(c, now);
}

/* An entry was filled, or given up. */
static __always_inline void ssdup_resolve(struct ssdup *c, struct ring_page *p)
{
	/*
	 * Fully ordered: a committer that counts this one finds its entry
	 * filled, and one that does not is seen by ssdup_commit_in_time() to be done.
	 */
	ssdup_commit_in_time(c, p, atomic_inc_return(&p->resolved));
}

/** ssdup_give_up() - a handed-out entry stays empty; any context */
void ssdup_give_up(struct ssdup *c, const struct ssdup_io *io);

/*
 * Fill a handed-out entry. For what changes the map: under the range's lock,
 * before the insert.
 */
static __always_inline void ssdup_publish(struct ssdup *c, const struct ssdup_io *io)
{
	struct ssdup_entry *d = &io->page->e[io->slot];
	const struct extent *e = io->e;

	log_entry_encode(d, e->start, e->seq, e->sectors, e->pos);
	/* Pairs with the acquire of the committer's snapshot. */
	smp_store_release(&d->kind, e->kind);
	ssdup_resolve(c, io->page);
}

#endif
