// SPDX-License-Identifier: GPL-2.0-only
/* The contents of a modelled disk. */
#include <linux/bits.h>
#include <linux/blkdev.h>
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include "store.h"
#include "cache_model.h"

#define STORE_BLOCK_BYTES	(STORE_BLOCK_SECTORS * SECTOR_SIZE)
#define STORE_ALL		GENMASK(STORE_BLOCK_SECTORS - 1, 0)

/*
 * Writes come from writeback too, so memory is never waited for: a request that
 * finds none goes back to the block layer, which tries again.
 */
#define STORE_GFP		(GFP_ATOMIC | __GFP_NOWARN)

/* Pages kept for reuse by each CPU. */
#define STORE_SPARES		2048

/**
 * struct store_spares - pages for reuse
 * @first: list through the pages
 * @nr: how many
 */
struct store_spares {
	void **first;
	unsigned int nr;
};

/**
 * struct store_block - 4 KiB of the disk
 * @now: its content; NULL for zeroes
 * @old: what the medium holds instead in the sectors of @dirty; NULL for zeroes
 * @dirty: a bit for each sector that is not on the medium
 */
struct store_block {
	void *now;
	void *old;
	u8 dirty;
};

/**
 * struct store_chunk - 512 KiB of the disk
 * @lock: protects the blocks
 * @blocks: in address order
 */
struct store_chunk {
	spinlock_t lock; /* of the blocks */
	struct store_block blocks[STORE_CHUNK_BLOCKS];
};

/*
 * Under emulation a repeated string instruction counts once for each step, so
 * copying by words costs an eighth of what the byte version does that memcpy()
 * prefers on recent processors.
 */
static void store_copy(void *to, const void *from, size_t bytes)
{
#ifdef CONFIG_X86_64
	unsigned long words = bytes / 8;

	asm volatile("rep movsq" : "+D" (to), "+S" (from), "+c" (words) : : "memory");
#else
	memcpy(to, from, bytes);
#endif
}

/* What is no page on kernels with larger ones is a part of one there. */
static void *store_block_new(gfp_t gfp)
{
	if (PAGE_SIZE == STORE_BLOCK_BYTES)
		return (void *)__get_free_page(gfp);
	return kmalloc(STORE_BLOCK_BYTES, gfp);
}

static void store_block_gone(void *page)
{
	if (PAGE_SIZE == STORE_BLOCK_BYTES)
		free_page((unsigned long)page);
	else
		kfree(page);
}

/*
 * A block that is rewritten needs a page and sets one free soon after. Going
 * round the page allocator for that saves its zeroing of every page, which under
 * emulation costs more than the copy. The list runs through the pages' first
 * words.
 */
static void *store_alloc(struct store *st)
{
	struct store_spares *s;
	unsigned long flags;
	void **page;

	/* A completion that interrupts this one takes from the same list. */
	local_irq_save(flags);
	s = this_cpu_ptr(st->spares);
	page = s->first;
	if (page) {
		s->first = *page;
		s->nr--;
	}
	local_irq_restore(flags);
	return page ?: store_block_new(STORE_GFP);
}

static void *store_alloc_zeroes(struct store *st)
{
	void *page = store_alloc(st);

	if (page)
		memset(page, 0, STORE_BLOCK_BYTES);
	return page;
}

static void store_free(struct store *st, void *page)
{
	struct store_spares *s;
	unsigned long flags;

	if (!page)
		return;
	local_irq_save(flags);
	s = this_cpu_ptr(st->spares);
	if (s->nr < STORE_SPARES) {
		*(void **)page = s->first;
		s->first = page;
		s->nr++;
		page = NULL;
	}
	local_irq_restore(flags);
	if (page)
		store_block_gone(page);
}

/* Under emulation a fresh page costs as much as what is copied into it. */
static int store_prepare(struct store *st, u64 sectors)
{
	u64 blocks = sectors / STORE_BLOCK_SECTORS;

	while (blocks--) {
		void **page = store_block_new(GFP_KERNEL);
		struct store_spares *s;

		if (!page)
			return -ENOMEM;
		s = get_cpu_ptr(st->spares);
		*page = s->first;
		s->first = page;
		s->nr++;
		put_cpu_ptr(st->spares);
		cond_resched();
	}
	return 0;
}

int store_init(struct store *st, u64 sectors, u64 ready)
{
	st->sectors = sectors;
	st->nr_chunks = DIV_ROUND_UP_ULL(sectors, STORE_CHUNK_SECTORS);
	st->chunks = kvcalloc(st->nr_chunks, sizeof(*st->chunks), GFP_KERNEL);
	st->spares = alloc_percpu(struct store_spares);
	return st->chunks && st->spares ? store_prepare(st, min(ready, sectors)) : -ENOMEM;
}

void store_exit(struct store *st)
{
	unsigned long i;
	unsigned int b;
	void **page;
	int cpu;

	for (i = 0; st->chunks && i < st->nr_chunks; i++) {
		struct store_chunk *chunk = st->chunks[i];

		if (!chunk)
			continue;
		for (b = 0; b < STORE_CHUNK_BLOCKS; b++) {
			store_block_gone(chunk->blocks[b].now);
			store_block_gone(chunk->blocks[b].old);
		}
		kfree(chunk);
		cond_resched();
	}
	kvfree(st->chunks);
	st->chunks = NULL;
	for_each_possible_cpu(cpu)
		while (st->spares && (page = per_cpu_ptr(st->spares, cpu)->first)) {
			per_cpu_ptr(st->spares, cpu)->first = *page;
			store_block_gone(page);
		}
	free_percpu(st->spares);
	st->spares = NULL;
}

static struct store_chunk *store_chunk_get(struct store *st, u64 sector)
{
	struct store_chunk **slot = &st->chunks[sector / STORE_CHUNK_SECTORS];
	struct store_chunk *chunk = READ_ONCE(*slot), *other;

	if (likely(chunk))
		return chunk;
	chunk = kzalloc(sizeof(*chunk), STORE_GFP);
	if (!chunk)
		return NULL;
	spin_lock_init(&chunk->lock);
	other = cmpxchg(slot, NULL, chunk);
	if (!other)
		return chunk;
	kfree(chunk);
	return other;
}

/* The part of an extent that lies in its first block. */
static unsigned int store_part(u64 sector, u64 sectors, u8 *mask)
{
	unsigned int first = sector % STORE_BLOCK_SECTORS;
	unsigned int n = min_t(u64, sectors, STORE_BLOCK_SECTORS - first);

	*mask = GENMASK(first + n - 1, first);
	return n;
}

static struct store_block *store_block_of(struct store_chunk *chunk, u64 sector)
{
	return &chunk->blocks[(sector / STORE_BLOCK_SECTORS) % STORE_CHUNK_BLOCKS];
}

/* Copy the sectors of a mask; a missing source block reads as zeroes. */
static void store_copy_mask(void *to, const void *from, u8 mask)
{
	unsigned int s;

	for (s = 0; s < STORE_BLOCK_SECTORS; s++) {
		if (!(mask & BIT(s)))
			continue;
		if (from)
			store_copy(to + s * SECTOR_SIZE, from + s * SECTOR_SIZE, SECTOR_SIZE);
		else
			memset(to + s * SECTOR_SIZE, 0, SECTOR_SIZE);
	}
}

/*
 * Make a block's sectors of @mask ready to be overwritten: the medium's content
 * of those that are on the medium is put aside.
 */
static int store_block_open(struct store *st, struct store_block *b, u8 mask, bool zero)
{
	u8 newly = mask & ~b->dirty;

	if (!b->dirty && (b->now || !zero)) {
		void *fresh = zero && mask == STORE_ALL ? NULL : store_alloc(st);

		if (!fresh && !(zero && mask == STORE_ALL))
			return -ENOMEM;
		if (mask != STORE_ALL)
			store_copy_mask(fresh, b->now, ~mask);
		b->old = b->now;
		b->now = fresh;
	} else if (b->dirty) {
		if (newly && !b->old && b->now) {
			b->old = store_alloc_zeroes(st);
			if (!b->old)
				return -ENOMEM;
		}
		if (newly && b->old)
			store_copy_mask(b->old, b->now, newly);
		if (!b->now && !zero) {
			b->now = store_alloc_zeroes(st);
			if (!b->now)
				return -ENOMEM;
		}
	}
	b->dirty |= mask;
	return 0;
}

int store_write(struct store *st, u64 sector, const void *data, unsigned int sectors)
{
	while (sectors) {
		struct store_chunk *chunk = store_chunk_get(st, sector);
		struct store_block *b;
		unsigned int n;
		u8 mask;
		int r;

		if (!chunk)
			return -ENOMEM;
		n = store_part(sector, sectors, &mask);
		b = store_block_of(chunk, sector);
		spin_lock_bh(&chunk->lock);
		r = store_block_open(st, b, mask, false);
		if (!r)
			store_copy(b->now + (sector % STORE_BLOCK_SECTORS) * SECTOR_SIZE,
				   data, n * SECTOR_SIZE);
		spin_unlock_bh(&chunk->lock);
		if (r)
			return r;
		sector += n;
		data += n * SECTOR_SIZE;
		sectors -= n;
	}
	return 0;
}

int store_zero(struct store *st, u64 sector, u64 sectors)
{
	while (sectors) {
		struct store_chunk *chunk = READ_ONCE(st->chunks[sector / STORE_CHUNK_SECTORS]);
		struct store_block *b;
		u64 n;
		u8 mask;
		int r;

		if (!chunk) {
			n = STORE_CHUNK_SECTORS - sector % STORE_CHUNK_SECTORS;
			n = min(n, sectors);
		} else {
			n = store_part(sector, sectors, &mask);
			b = store_block_of(chunk, sector);
			spin_lock_bh(&chunk->lock);
			r = store_block_open(st, b, mask, true);
			if (!r && b->now)
				store_copy_mask(b->now, NULL, mask);
			spin_unlock_bh(&chunk->lock);
			if (r)
				return r;
		}
		sector += n;
		sectors -= n;
	}
	return 0;
}

void store_read(struct store *st, u64 sector, void *data, unsigned int sectors)
{
	while (sectors) {
		struct store_chunk *chunk = READ_ONCE(st->chunks[sector / STORE_CHUNK_SECTORS]);
		unsigned int n;
		u8 mask;
		void *from = NULL;

		n = store_part(sector, sectors, &mask);
		if (chunk) {
			spin_lock_bh(&chunk->lock);
			from = store_block_of(chunk, sector)->now;
			if (from)
				store_copy(data, from + (sector % STORE_BLOCK_SECTORS) *
					   SECTOR_SIZE, n * SECTOR_SIZE);
			spin_unlock_bh(&chunk->lock);
		}
		if (!from)
			memset(data, 0, n * SECTOR_SIZE);
		sector += n;
		data += n * SECTOR_SIZE;
		sectors -= n;
	}
}

static void store_block_settle(struct store *st, struct store_block *b, u8 mask)
{
	if (!b->dirty)
		return;
	b->dirty &= ~mask;
	if (!b->dirty && b->old) {
		store_free(st, b->old);
		b->old = NULL;
	}
}

void store_settle(struct store *st, u64 sector, u64 sectors)
{
	u64 end = sector + sectors;

	while (sector < end) {
		u64 in_chunk = min(end, round_down(sector, STORE_CHUNK_SECTORS) +
				   STORE_CHUNK_SECTORS);
		struct store_chunk *chunk = READ_ONCE(st->chunks[sector / STORE_CHUNK_SECTORS]);

		if (!chunk) {
			sector = in_chunk;
			continue;
		}
		spin_lock_bh(&chunk->lock);
		while (sector < in_chunk) {
			u8 mask;
			unsigned int n = store_part(sector, in_chunk - sector, &mask);

			store_block_settle(st, store_block_of(chunk, sector), mask);
			sector += n;
		}
		spin_unlock_bh(&chunk->lock);
	}
}

static void store_block_cut(struct store *st, struct store_block *b, u64 sector, u64 seed)
{
	u8 kept = ~b->dirty;
	unsigned int s;

	for (s = 0; s < STORE_BLOCK_SECTORS; s++)
		if (powercut_survives(seed, sector + s))
			kept |= BIT(s);
	if (b->old) {
		store_copy_mask(b->old, b->now, kept);
		swap(b->old, b->now);
	} else if (b->now) {
		store_copy_mask(b->now, NULL, ~kept);
	}
	store_free(st, b->old);
	b->old = NULL;
	b->dirty = 0;
}

void store_power_cut(struct store *st, u64 seed)
{
	unsigned long i;
	unsigned int n;

	for (i = 0; i < st->nr_chunks; i++) {
		struct store_chunk *chunk = st->chunks[i];

		if (!chunk)
			continue;
		spin_lock_bh(&chunk->lock);
		for (n = 0; n < STORE_CHUNK_BLOCKS; n++) {
			u64 sector = i * (u64)STORE_CHUNK_SECTORS + n * STORE_BLOCK_SECTORS;

			if (chunk->blocks[n].dirty)
				store_block_cut(st, &chunk->blocks[n], sector, seed);
		}
		spin_unlock_bh(&chunk->lock);
		cond_resched();
	}
}

void store_erase(struct store *st)
{
	struct store_block *b;
	unsigned long i;
	unsigned int n;

	for (i = 0; i < st->nr_chunks; i++)
		for (n = 0; st->chunks[i] && n < STORE_CHUNK_BLOCKS; n++) {
			b = &st->chunks[i]->blocks[n];
			store_free(st, b->now);
			store_free(st, b->old);
			memset(b, 0, sizeof(*b));
		}
}
