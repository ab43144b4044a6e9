/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: what every request does, inline: its instructions are counted (see
 * Documentation/costs.rst), and what is rare is called from here.
 */
#ifndef SSDUP_HOT_H
#define SSDUP_HOT_H

#include "ssdup.h"

/* --- The stream --- */

/**
 * ssdup_stream_note() - sample one write, unless the sampling rests
 *
 * Context: map, any number of CPUs at once. Whoever fills the last place of a
 * window evaluates it. While it rests, no line is written that others write.
 * Return: the route of the current stream, to which this write belongs.
 */
static inline enum ssdup_route ssdup_stream_note(struct ssdup *c, u64 start, u32 sectors)
{
	struct stream_window *w = READ_ONCE(c->window_now);
	enum ssdup_route route = READ_ONCE(c->route);
	u32 i;

	if (unlikely(this_cpu_inc_return(c->stats->writes) % tuning.tick == 1))
		ssdup_meter_tick(c);
	if (!w) {
		if (unlikely(time_after_eq(jiffies, READ_ONCE(c->stream_due))))
			ssdup_stream_go_on(c);
		return route;
	}
	i = atomic_fetch_inc(&w->next);
	/*
	 * Whoever was held up here for a whole life of the window may find the
	 * length of the next one, and count a sample that it has not got: then
	 * one stream is judged by an older sample.
	 */
	if (unlikely(i >= READ_ONCE(w->length)))
		return route;
	WRITE_ONCE(w->s[i].start, start);
	WRITE_ONCE(w->s[i].sectors, sectors);
	/* Fully ordered: the evaluator sees every sample that was counted. */
	if (unlikely(atomic_inc_return(&w->filled) == READ_ONCE(w->length)))
		ssdup_stream_full(c, w);
	return route;
}

/* --- Policy balance; meter.c --- */

static inline bool ssdup_meter_rests(const struct disk_meter *d)
{
	return READ_ONCE(d->look) != tuning.look;
}

/* What a disk is expected to spend on a request, ns. */
static __always_inline u64 ssdup_price(const struct disk_meter *d, u32 sectors, bool placed)
{
	/* One that is not placed has it for nothing, which saves a multiplication. */
	const struct balance_work w = { .sectors = sectors, .requests = 1, .placed = 1 };
	const struct balance_cost cost = {
		.unit_ns = READ_ONCE(d->cost.unit_ns),
		.request_ns = READ_ONCE(d->cost.request_ns),
		.place_ns = placed ? READ_ONCE(d->cost.place_ns) : 0,
	};

	return balance_price(&cost, &w);
}

static __always_inline void ssdup_queue_add(struct disk_meter *d, u64 price)
{
	u64 before = atomic64_fetch_add(price, &d->queue);
	bool empty = !before;

	/* An empty one: a time of idleness ends, unless nobody keeps it; else a rest ends. */
	if (empty != ssdup_meter_rests(d))
		ssdup_meter_turn(d, before);
}

/* A write joins a disk's queue. */
static __always_inline void ssdup_meter_begin(struct disk_meter *d, const struct ssdup_io *io)
{
	if (unlikely(READ_ONCE(d->to_come) || io->place.front))
		ssdup_meter_front(d, io);
	ssdup_queue_add(d, io->price);
}

/** ssdup_meter_find() - fill in what is known of the place of a write, and its price at the HDD */
static __always_inline void ssdup_meter_find(struct ssdup *c, struct ssdup_io *io)
{
	const struct ssdup_meter *l = &c->meter;

	io->place = balance_find(&l->map, io->start, io->sectors, READ_ONCE(l->age),
				 READ_ONCE(l->loose));
	io->price = ssdup_price(&l->hdd, io->sectors, !io->place.follows);
}

/**
 * ssdup_meter_route() - policy balance: the way of a write that may take either
 * @io: its place and price will be filled in
 *
 * Return: the disk that is expected to end it first.
 */
static __always_inline enum ssdup_route ssdup_meter_route(struct ssdup *c, struct ssdup_io *io)
{
	const struct ssdup_meter *l = &c->meter;
	u64 hdd = atomic64_read(&l->hdd.queue), ssd = atomic64_read(&l->ssd.queue);
	struct balance_facts f;

	ssdup_meter_find(c, io);
	f.place = io->place;
	f.alone = !(hdd | ssd);
	f.ssd = ssdup_price(&l->ssd, io->sectors, false) + ssd;
	f.hdd = io->price + hdd + READ_ONCE(l->flush_price);
	if (unlikely(io->opf & REQ_FUA))
		f.hdd += READ_ONCE(l->flush_ns);
	if (unlikely(io->place.front) && !f.alone) {
		f.hdd += READ_ONCE(l->hdd.to_come);
		f.ssd += READ_ONCE(l->ssd.to_come);
	}
	if (balance_plain(&f))
		return SSDUP_ROUTE_HDD;
	f.keep = READ_ONCE(l->keep);
	/* A small write does not make a chunk whole. */
	f.promised = READ_ONCE(l->promised_part) * min(io->sectors, tuning.whole) / tuning.whole;
	return balance_choose(&f);
}

/**
 * ssdup_balance() - policy balance: the same, with less effort for small writes
 *
 * As long as little waits at the SSD it takes all small writes, and only one in
 * tuning.tick is looked at, which speaks for the others: they have no price, and are
 * not noted.
 */
static __always_inline enum ssdup_route ssdup_balance(struct ssdup *c, struct ssdup_io *io)
{
	const struct ssdup_meter *l = &c->meter;

	if (io->sectors <= READ_ONCE(l->small) && balance_near_ssd(&l->map, io->start))
		return SSDUP_ROUTE_SSD;
	return ssdup_meter_route(c, io);
}

/** ssdup_meter_write() - a write is sent to a disk; if it was looked at it joins the queue there */
static __always_inline void ssdup_meter_write(struct ssdup *c, struct ssdup_io *io,
					      enum ssdup_route route)
{
	struct ssdup_meter *l = &c->meter;

	if (!io->price)
		return;
	if (route == SSDUP_ROUTE_HDD)
		ssdup_meter_begin(&l->hdd, io);
	else
		ssdup_meter_logged(c, io);
	balance_note(&l->map, io->start, io->sectors, READ_ONCE(l->age), route);
}

/** ssdup_meter_read() - a read is sent to a disk; under policy balance it gets a price */
static __always_inline void ssdup_meter_read(struct ssdup *c, struct ssdup_io *io,
					     enum ssdup_route route)
{
	bool hdd = route == SSDUP_ROUTE_HDD;
	struct disk_meter *d = hdd ? &c->meter.hdd : &c->meter.ssd;

	if (READ_ONCE(c->set.policy) != SSDUP_POLICY_BALANCE)
		return;
	io->place.follows = false;
	io->price = ssdup_price(d, io->sectors, hdd);
	ssdup_queue_add(d, io->price);
}

/**
 * ssdup_meter_end() - a request to a disk has ended; for any, also those without a price
 * @arm: the disk has one, to be placed for what does not follow
 */
static __always_inline void ssdup_meter_end(struct disk_meter *d, struct ssdup_io *io, bool arm)
{
	u64 work, ended;

	if (!io->price)
		return;
	if (ssdup_meter_rests(d)) {
		atomic64_sub(io->price, &d->queue);
		work = BALANCE_SUM_REQUEST;
	} else {
		if (!atomic64_sub_return(io->price, &d->queue))
			ssdup_meter_empty(d);
		work = balance_summand(io->sectors, arm && !io->place.follows, io->times);
	}
	ended = atomic64_add_return(work, &d->ended);
	if (unlikely(balance_sum_requests(ended) >= READ_ONCE(d->look)))
		ssdup_meter_look(d);
}

/* --- A place in the log --- */

/*
 * The reserve of c->nodes is for inserts that split an extent, see
 * ssdup_insert_among().
 * It is enough for as many writes in flight as it has nodes. Writes beyond that, and
 * those that come while part of it is in use, bring their own.
 */
static inline bool ssdup_has_spare(struct ssdup *c, struct ssdup_io *io, int writes)
{
	if (likely(writes <= SSDUP_NODES_RESERVED && ssdup_pool_full(&c->nodes)))
		return true;
	return io->nodes.head || ssdup_bring_spare(io);
}

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

/* --- From there to the map --- */

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

/**
 * ssdup_insert() - put the extent of a write in its tree
 * @io: its place, published under the same lock; io->e is complete but for its seq,
 * which it gets here: the highest
 *
 * Context: any. Frees io->nodes, and ends with ssdup_put_write().
 */
static __always_inline void ssdup_insert(struct ssdup *c, struct ssdup_io *io)
{
	struct extent *e = io->e;
	struct ssdup_range *r = range_of(c, e->start);
	struct extent *old;
	unsigned long flags;

	spin_lock_irqsave(&r->lock, flags);
	e->lent = true;
	e->seq = atomic64_inc_return(&c->seq);
	ssdup_publish(c, io);
	if (unlikely(!extent_insert_alone(&r->tree, e, &old))) {
		ssdup_insert_among(c, r, io);
		spin_unlock_irqrestore(&r->lock, flags);
	} else if (old) {
		if (!old->lent)
			extent_push(&io->nodes, old);
		spin_unlock_irqrestore(&r->lock, flags);
	} else {
		range_changed(r);
		spin_unlock_irqrestore(&r->lock, flags);
		atomic64_inc(&c->extents);
		atomic64_add(io->sectors, &c->dirty_sectors);
	}
	if (unlikely(io->nodes.head))
		ssdup_free_nodes(c, &io->nodes);
	ssdup_put_write(c, io->half);
}

#endif
