/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: reserve a place in the log, and fill or abandon its entry.
 *
 * A place comes with an entry of a metadata page and the node of its extent. SSDUP_RING says
 * where pages are that are not complete and durable yet.
 */
#ifndef SSDUP_RESERVE_H
#define SSDUP_RESERVE_H

#include "base/errors.h"
#include "base/wakeups.h"
#include "nodes.h"

/** ssdup_put_write() - a write has put its extent into the tree, or abandoned its place */
static inline void ssdup_put_write(struct ssdup_log *log, struct ssdup_segment *seg)
{
	/* Fully ordered: either we see the seal, or settled() sees our zero. */
	if (atomic_dec_and_test(&seg->writes) &&
	    unlikely(atomic64_read(&seg->word) & LOG_WORD_SEALED))
		ssdup_last_write(log);
}

/** ssdup_ring_page() - the place of page @page of @seg in the ring; any context */
static inline struct ring_page *ssdup_ring_page(const struct ssdup_segment *seg, u32 page)
{
	return &seg->class->ring[(seg->base + page) % SSDUP_RING];
}

/** ssdup_io_class() - the class that a request has a place in, or wants one; any context */
static inline struct ssdup_class *ssdup_io_class(struct ssdup_log *log, const struct ssdup_io *io)
{
	return &log->class[io->class];
}

/**
 * ssdup_reserve() - reserve a place in the open segment of io->class
 * @io: has start and sectors, and receives segment, page, slot, pos and e, and perhaps a spare
 * node; segment->writes stays raised until ssdup_put_write(). After an error there is no spare node
 * @sectors: of data, 0 for a tombstone
 * @allowed: of LOG_WORD_KEPT and LOG_WORD_DRAIN, see ssdup_switch()
 *
 * Opens the next segment when this one is full.
 * Context: any; takes no lock unless it opens a segment.
 * Return: 0, or -SSDUP_ERR_NO_SEGMENT, _RING_FULL (this starts a commit), _NO_NODE, or _UNALIGNED.
 */
int ssdup_reserve(struct ssdup_log *log, struct ssdup_io *io, u32 sectors, u64 allowed);

/** ssdup_rest() - sectors of data that the open segment of @k has left; any context, a hint */
static inline u32 ssdup_rest(const struct ssdup_log *log, const struct ssdup_class *k)
{
	u64 word = atomic64_read(&READ_ONCE(k->open)->word);

	if (word & LOG_WORD_CLOSED || log_word_entries(word) >= log_segment_entries(&log->g))
		return 0;
	return log->g.data_sectors - log_word_sectors(word);
}

/*
 * Find the ring's place of entry @entry, which is not handed out yet. Return: the pointer to
 * the array of its node, or NULL when the ring is full.
 */
static __always_inline struct extent_array **ssdup_find_place(struct ssdup_segment *seg, u32 entry,
							      struct ssdup_io *io)
{
	u32 page = entry / SSDUP_PAGE_ENTRIES, slot = entry % SSDUP_PAGE_ENTRIES;
	u64 number = READ_ONCE(seg->base) + page;
	const struct ssdup_class *k = READ_ONCE(seg->class);
	struct ring_page *p;

	/*
	 * The place is free once its previous page has left the ring. Pairs with the
	 * release in retire_pages(), which clears the place first.
	 */
	if (unlikely(number >= smp_load_acquire(&k->ring_tail) + SSDUP_RING))
		return NULL;
	p = &k->ring[number % SSDUP_RING];
	io->page = p;
	io->slot = slot;
	return &p->array[slot / SSDUP_ARRAY_NODES];
}

/*
 * The pool's reserve is for inserts that split an extent, see ssdup_insert_among(). A write brings
 * its own node if @seg has more writes in flight than nodes in its share, or if part of the reserve
 * is in use. The shares of all segments together are no more than the reserve.
 */
static inline bool ssdup_has_spare(struct ssdup_log *log, const struct ssdup_segment *seg,
				   struct ssdup_io *io, u32 writes)
{
	if (likely(writes <= READ_ONCE(seg->spares) && mempool_is_saturated(&log->nodes)))
		return true;
	if (!io->spare)
		io->spare = ssdup_new_node(GFP_NOWAIT | __GFP_NOWARN);
	return io->spare;
}

/**
 * ssdup_try_reserve() - one try of ssdup_reserve()
 * @seg: the open segment as the caller last saw it. In rare cases it has since been freed and
 * opened for another class. That is harmless, because ssdup_insert() uses the segment's class
 * @allowed: what does not close the segment to the caller
 *
 * Gives the segment an array only after it has got an entry: until then the place in the ring
 * may turn out to be another segment's. Raises @seg->writes even if it fails.
 *
 * The log takes nothing that is not aligned to the logical block. One such entry would make all
 * later places of its segment unaligned, and a replay would refuse the log.
 *
 * Return: 0, -SSDUP_ERR_NO_SEGMENT when @seg is full or sealed, or as ssdup_reserve().
 */
static __always_inline int ssdup_try_reserve(struct ssdup_log *log, struct ssdup_segment *seg,
					     struct ssdup_io *io, u32 sectors, u64 allowed)
{
	struct extent_array **array, *fresh = NULL;
	u32 writes = atomic_inc_return(&seg->writes);
	u64 word, next;
	int r = -SSDUP_ERR_NO_SEGMENT;

	if (unlikely(!log_aligned(&log->g, io->start | io->sectors)))
		return -SSDUP_ERR_UNALIGNED;
	/* Read the word before seg->spares, which is set before the word is unsealed. */
	word = atomic64_read_acquire(&seg->word);
	while (log_word_reserve(word & ~allowed, &log->g, sectors, &next)) {
		/* Only for an open segment: a sealed one has no share, the next may have. */
		if (unlikely(!ssdup_has_spare(log, seg, io, writes))) {
			r = -SSDUP_ERR_NO_NODE;
			break;
		}
		array = ssdup_find_place(seg, log_word_entries(word), io);
		if (unlikely(!array)) {
			r = -SSDUP_ERR_RING_FULL;
			break;
		}
		/*
		 * Another CPU may have got this entry, and a commit may be clearing its
		 * page. Then the exchange below fails, and what is read here is not used.
		 */
		if (unlikely(!data_race(READ_ONCE(*array))) && !fresh) {
			fresh = ssdup_new_array(log);
			if (!fresh) {
				r = -SSDUP_ERR_NO_NODE;
				break;
			}
		}
		next |= word & allowed;
		if (likely(atomic64_try_cmpxchg(&seg->word, (s64 *)&word, next))) {
			if (unlikely(fresh))
				ssdup_lend(log, seg, array, fresh);
			io->segment = seg;
			io->pos = to_log_pos(log_word_sectors(word));
			io->e = &READ_ONCE(*array)->e[io->slot % SSDUP_ARRAY_NODES];
			return 0;
		}
	}
	if (unlikely(fresh))
		mempool_free(fresh, &log->arrays);
	return r;
}

/** ssdup_reserve_at_once() - one try. Return: false when the caller must call ssdup_reserve() */
static __always_inline bool ssdup_reserve_at_once(struct ssdup_log *log, struct ssdup_io *io)
{
	struct ssdup_segment *seg = READ_ONCE(ssdup_io_class(log, io)->open);

	if (likely(!ssdup_try_reserve(log, seg, io, io->sectors, 0)))
		return true;
	ssdup_put_write(log, seg);
	ssdup_free_spare(log, io);
	return false;
}

/* --- From there to a durable page --- */

/** ssdup_expect_commit() - after the autocommit time, or @now; any context */
void ssdup_expect_commit(struct ssdup_log *log, bool now);

/* An entry was resolved: make sure that a commit follows. */
static __always_inline void ssdup_commit_in_time(struct ssdup_log *log, const struct ssdup_class *k,
						 const struct ring_page *p, u32 resolved)
{
	/* If a write waits for the ring, this may be the last entry of its tail. */
	bool now = READ_ONCE(k->ring_full) ||
		   (resolved == SSDUP_PAGE_ENTRIES &&
		    (p - k->ring - READ_ONCE(k->ring_tail)) % SSDUP_RING >= SSDUP_RING / 4);

	if (unlikely(now || !READ_ONCE(log->c->wake.autocommit_armed)))
		ssdup_expect_commit(log, now);
}

/* An entry of @page was filled or abandoned. */
static __always_inline void ssdup_resolve(struct ssdup_log *log, const struct ssdup_segment *seg,
					  struct ring_page *page)
{
	/*
	 * Fully ordered: either the commit counts this entry and finds it filled,
	 * or ssdup_commit_in_time() schedules another commit.
	 */
	ssdup_commit_in_time(log, seg->class, page, atomic_inc_return(&page->resolved));
}

/** ssdup_give_up() - abandon a reserved entry, which stays empty; any context */
void ssdup_give_up(struct ssdup_log *log, const struct ssdup_io *io);

/* Fill a reserved entry: under the range's lock, before the insert. The stage publishes its own. */
static __always_inline void ssdup_publish(struct ssdup_log *log, const struct ssdup_io *io)
{
	struct ssdup_entry *entry = &io->page->e[io->slot];
	const struct extent *e = io->e;

	log_entry_encode(entry, e->start, e->seq, e->sectors, io->pos);
	if (io->staged)
		return;
	/* Pairs with the acquire in add_page(). */
	smp_store_release(&entry->kind, e->kind);
	ssdup_resolve(log, io->segment, io->page);
}

/**
 * ssdup_fill_extent() - fill the extent of a place in the log, but for its seq; any context
 *
 * Nobody else looks at it before it is inserted.
 * Return: where data goes on the SSD, in sectors.
 */
static __always_inline u64 ssdup_fill_extent(struct ssdup_log *log, struct ssdup_io *io, u64 start,
					     u32 sectors, u8 kind)
{
	struct extent *e = io->e;
	u64 pos;

	/* An entry without data has none. */
	if (kind != SSDUP_KIND_DATA)
		io->pos = to_log_pos(0);
	pos = log_data_sector(&log->g, io->segment->index, io->pos);
	e->start = start;
	e->sectors = sectors;
	e->kind = kind;
	e->pos = pos;
	return pos;
}

#endif
