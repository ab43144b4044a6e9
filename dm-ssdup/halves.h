/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the halves of the log: which one is open, which are sealed, which are free.
 *
 * A half is free, then open, then sealed, then free again. One is open at any time. The next
 * half opens when no write to the sealed one is in flight: otherwise, of two concurrent
 * writes, the one in the older half could end last and get the higher seq.
 *
 * If no half is free, writers get the rest of the open one in portions as the drain proceeds.
 * The gate says how far they may go now.
 */
#ifndef SSDUP_HALVES_H
#define SSDUP_HALVES_H

#include "ssdup.h"

/** ssdup_halves_create() - make empty lists; context: the constructor. Return: 0 or -ENOMEM */
int ssdup_halves_create(struct ssdup *c);
void ssdup_halves_destroy(struct ssdup *c);

/**
 * ssdup_halves_begin() - give each half its role
 * @found: what was replayed of each half
 * @generation: of each half
 *
 * Page 0 of the open half gets ring number 0. Context: preresume.
 */
void ssdup_halves_begin(struct ssdup *c, const struct ssdup_replay_half *found,
			const struct ssdup_replay_roles *roles, const u64 *generation);

/** half_pages() - number of metadata pages with entries handed out; any context */
static inline u32 half_pages(const struct ssdup_half *h)
{
	u32 entries = log_word_entries(atomic64_read(&h->word));

	return DIV_ROUND_UP(entries, (u32)SSDUP_PAGE_ENTRIES);
}

/**
 * ssdup_switch() - seal @from if it is still open, and open the next free half
 *
 * Return: false when no half is free, when the log is not writable, or when writes
 * to @from are in flight. In the last case @from is sealed, and the first call after
 * those writes have ended opens the next half.
 */
bool ssdup_switch(struct ssdup *c, struct ssdup_half *from);

/**
 * ssdup_open_generation() - the generation of the open half; any context
 */
u64 ssdup_open_generation(struct ssdup *c);

/**
 * ssdup_halves_in_use() - list the sealed halves, oldest first, then the open one
 * @halves: room for SSDUP_MAX_HALVES
 *
 * Their pages are in the ring in this order. Context: any. Return: how many.
 */
u32 ssdup_halves_in_use(struct ssdup *c, struct ssdup_half **halves);

/**
 * ssdup_oldest_sealed() - the half that is drained next
 * @generation: receives its generation, or U64_MAX
 *
 * Context: process. Return: the half, or NULL when none is sealed.
 */
struct ssdup_half *ssdup_oldest_sealed(struct ssdup *c, u64 *generation);

/**
 * ssdup_open_dirty() - does the open half hold anything?
 * @relocated: count entries that a drain has moved there too
 */
bool ssdup_open_dirty(struct ssdup *c, bool relocated);

/** ssdup_last_dirty() - the youngest generation that may hold extents; any context */
u64 ssdup_last_dirty(struct ssdup *c);

/** ssdup_drained() - is every generation up to @generation free or empty? process context */
bool ssdup_drained(struct ssdup *c, u64 generation);

/** ssdup_seal_for_good() - seal the open half of a log that is now read-only; process context */
struct ssdup_half *ssdup_seal_for_good(struct ssdup *c);

/**
 * ssdup_halves_freed() - put @halves, whose free record is durable, on the free list
 * @generation: new generations, by index of the half
 *
 * In a read-only log one may be the open half, which stays sealed.
 * Context: process, between ssdup_commit_lock() and ssdup_commit_unlock().
 */
void ssdup_halves_freed(struct ssdup *c, struct ssdup_half **halves, u32 nr,
			const u64 *generation);

/** ssdup_count_halves() - number of halves in @state */
u32 ssdup_count_halves(struct ssdup *c, enum half_state state);

/** ssdup_fill() - fill of the open half, 1/10000 of what writers may use */
u32 ssdup_fill(struct ssdup *c);

/** ssdup_log_fill() - fill of the whole log, 1/10000; any context, without a lock */
u32 ssdup_log_fill(struct ssdup *c);

/* --- Writes and reads in flight --- */

/** ssdup_last_write() - the last write in flight to a sealed half has ended; any context */
void ssdup_last_write(struct ssdup *c);

/** ssdup_put_write() - a write has put its extent into the tree, or abandoned its place */
static inline void ssdup_put_write(struct ssdup *c, struct ssdup_half *h)
{
	/* Fully ordered: either we see the seal, or ssdup_switch() sees our zero. */
	if (atomic_dec_and_test(&h->writes) &&
	    unlikely(atomic64_read(&h->word) & LOG_WORD_SEALED))
		ssdup_last_write(c);
}

/** ssdup_put_read() - a read that pointed into the half has ended */
void ssdup_put_read(struct ssdup *c, struct ssdup_half *h);

/* --- The end of the last half --- */

/**
 * ssdup_set_gate() - reset how far writers may go in the open half
 *
 * To c->limits if another half is free, else to ssdup_log_limits_free(). Called after every
 * change of the open half or the free ones. Context: the lock in halves.c is held.
 */
void ssdup_set_gate(struct ssdup *c);

/** ssdup_rationed() - does the gate close part of the open half? any context; a hint */
static inline bool ssdup_rationed(const struct ssdup *c)
{
	return READ_ONCE(c->gate.sectors) < c->limits.sectors ||
	       READ_ONCE(c->gate.entries) < c->limits.entries;
}

/**
 * ssdup_ration() - raise the gate by what the passed time allows
 * @left: estimated ns until another half is free
 *
 * Context: process.
 */
void ssdup_ration(struct ssdup *c, u64 left);

/**
 * ssdup_ration_wait() - when will ssdup_ration() let a write pass?
 * @sectors: its data, 0 for a tombstone
 * @left: estimated ns until another half is free
 *
 * Context: process.
 * Return: ns, U64_MAX when it has to wait for another half.
 */
u64 ssdup_ration_wait(struct ssdup *c, u32 sectors, u64 left);

/** ssdup_ration_anew() - forget the time that has passed so far; any context */
static inline void ssdup_ration_anew(struct ssdup *c)
{
	WRITE_ONCE(c->rationed, ktime_get_ns());
}

#endif
