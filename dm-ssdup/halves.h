/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the halves of the log: which one is open, which are sealed, which are free.
 *
 * A half is free, then open, then sealed, then free again. One is open at any time. Nothing
 * is handed out of the next half while writes to the sealed one are in flight: of two writes
 * in flight at once, the one in the older half must not become the newer of the two.
 *
 * When the open half is the last one, writers get the end of it in portions, as the drain
 * proceeds: the gate says how far they may go for now.
 */
#ifndef SSDUP_HALVES_H
#define SSDUP_HALVES_H

#include "ssdup.h"

/** ssdup_halves_create() - all of them nowhere; context: the constructor. Return: 0 or -ENOMEM */
int ssdup_halves_create(struct ssdup *c);
void ssdup_halves_destroy(struct ssdup *c);

/**
 * ssdup_halves_begin() - give each half its role
 * @found: what was replayed of each
 * @generation: of each
 *
 * Ring numbers start where the open half's pages do. Context: preresume.
 */
void ssdup_halves_begin(struct ssdup *c, const struct ssdup_replay_half *found,
			const struct ssdup_replay_roles *roles, const u64 *generation);

/** half_pages() - metadata pages that have an entry handed out; any context */
static inline u32 half_pages(const struct ssdup_half *h)
{
	u32 entries = log_word_entries(atomic64_read(&h->word));

	return DIV_ROUND_UP(entries, (u32)SSDUP_PAGE_ENTRIES);
}

/**
 * ssdup_switch() - seal @from if it is still open, and open the next free half
 *
 * Return: false when no half is free, when the log is not writable, or when writes
 * to @from are in flight: it hands out nothing then, and whoever comes after the
 * last of them switches.
 */
bool ssdup_switch(struct ssdup *c, struct ssdup_half *from);

/**
 * ssdup_open_generation() - the generation of the half that receives now
 *
 * Taken from the open half without a lock it might be that of a later life.
 */
u64 ssdup_open_generation(struct ssdup *c);

/**
 * ssdup_halves_in_use() - sealed halves, oldest first, then the open one: the ring's order
 * @halves: SSDUP_MAX_HALVES of them
 *
 * Context: any. Return: how many.
 */
u32 ssdup_halves_in_use(struct ssdup *c, struct ssdup_half **halves);

/**
 * ssdup_oldest_sealed() - the half that is drained next
 * @generation: receives its generation, U64_MAX when no half is sealed
 *
 * Context: process. Return: it, or NULL.
 */
struct ssdup_half *ssdup_oldest_sealed(struct ssdup *c, u64 *generation);

/**
 * ssdup_open_dirty() - does the open half hold anything?
 * @relocated: what a drain has moved there counts too
 */
bool ssdup_open_dirty(struct ssdup *c, bool relocated);

/** ssdup_last_dirty() - the youngest generation that may hold something; any context */
u64 ssdup_last_dirty(struct ssdup *c);

/** ssdup_drained() - is every generation up to @generation free or empty? process context */
bool ssdup_drained(struct ssdup *c, u64 generation);

/** ssdup_seal_for_good() - nothing more is handed out, now or later; the mode says so too */
struct ssdup_half *ssdup_seal_for_good(struct ssdup *c);

/**
 * ssdup_halves_freed() - @halves, whose record of that is durable, begin their next life
 * @generation: of each half, by its index
 *
 * In a log that is read-only the open half may be among them; it stays, sealed and empty.
 * Context: process, between ssdup_commit_lock() and ssdup_commit_unlock().
 */
void ssdup_halves_freed(struct ssdup *c, struct ssdup_half **halves, u32 nr,
			const u64 *generation);

/** ssdup_count_halves() - how many halves are in @state */
u32 ssdup_count_halves(struct ssdup *c, enum half_state state);

/** ssdup_fill() - fill of the open half, 1/10000 of what writers may use */
u32 ssdup_fill(struct ssdup *c);

/** ssdup_log_fill() - fill of the whole log, 1/10000; any context, without a lock */
u32 ssdup_log_fill(struct ssdup *c);

/* --- Writes and reads in flight --- */

/** ssdup_last_write() - the last write in flight to a sealed half has ended; any context */
void ssdup_last_write(struct ssdup *c);

/** ssdup_put_write() - the write's extent is in its tree, or it gave up its place */
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
 * ssdup_set_gate() - how far writers may go in the open half, as long as nobody waits
 *
 * All of it while another half is free; else ssdup_log_limits_free().
 * Context: the halves' lock; after every change of the open half or the free ones.
 */
void ssdup_set_gate(struct ssdup *c);

/** ssdup_rationed() - is less than all of the open half handed out? any context; a hint */
static inline bool ssdup_rationed(const struct ssdup *c)
{
	return READ_ONCE(c->gate.sectors) < c->limits.sectors ||
	       READ_ONCE(c->gate.entries) < c->limits.entries;
}

/**
 * ssdup_ration() - raise the gate, as time passes
 * @left: ns until another half is free, as far as is known
 *
 * Context: process.
 */
void ssdup_ration(struct ssdup *c, u64 left);

/**
 * ssdup_ration_wait() - when will ssdup_ration() have enough for a write?
 * @sectors: of data that it takes, 0 for a tombstone
 * @left: ns until another half is free, as far as is known
 *
 * Context: process.
 * Return: ns, U64_MAX when it has to wait for another half.
 */
u64 ssdup_ration_wait(struct ssdup *c, u32 sectors, u64 left);

/** ssdup_ration_anew() - the time that has passed so far does not count; any context */
static inline void ssdup_ration_anew(struct ssdup *c)
{
	WRITE_ONCE(c->rationed, ktime_get_ns());
}

#endif
