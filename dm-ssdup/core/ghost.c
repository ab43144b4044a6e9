// SPDX-License-Identifier: GPL-2.0-only
/* Decides which reads of the HDD are worth a copy. */
#include <linux/compiler.h>
#include <linux/minmax.h>

#include "ghost.h"

/* A word: age, and a tag, which is never zero. */
#define AGE_BITS	10U
#define AGE_MASK	((1U << AGE_BITS) - 1)
#define GOLDEN		0x9e3779b97f4a7c15ULL

/* A ghost that has seen so many parts of the table noted since is older than all others. */
#define AGES_A_TABLE	256U

u32 ssdup_ghosts_nr(u64 sectors)
{
	u64 nr = sectors / GHOST_PART / GHOST_BLOCK;

	/* 256 MiB of memory are for 10 TiB of log. */
	return max(min(nr, 1ULL << 26) / GHOST_BUCKET, 1ULL) * GHOST_BUCKET;
}

static u32 now(const struct ghosts *g)
{
	u32 noted = READ_ONCE(g->noted);

	return noted / max(g->nr / AGES_A_TABLE, 1U) & AGE_MASK;
}

/* The bucket of a block, and its tag. */
static u32 *find_bucket(struct ghosts *g, u64 block, u32 *tag)
{
	u64 hash = block * GOLDEN;

	hash ^= hash >> 32;
	hash *= GOLDEN;
	*tag = (u32)hash >> AGE_BITS ?: 1;
	return g->word + (u32)((hash >> 32) * (g->nr / GHOST_BUCKET) >> 32) * GHOST_BUCKET;
}

static u32 *find_ghost(u32 *bucket, u32 tag)
{
	u32 i;

	for (i = 0; i < GHOST_BUCKET; i++)
		if (READ_ONCE(bucket[i]) >> AGE_BITS == tag)
			return bucket + i;
	return NULL;
}

/* The word that gives way: an empty one, or the oldest. */
static u32 *find_oldest(u32 *bucket, u32 age)
{
	u32 i, word, old, most = 0, at = 0;

	for (i = 0; i < GHOST_BUCKET; i++) {
		word = READ_ONCE(bucket[i]);
		old = word ? (age - word) & AGE_MASK : AGE_MASK + 1;
		if (old > most) {
			most = old;
			at = i;
		}
	}
	return bucket + at;
}

static bool is_known(struct ghosts *g, u64 block)
{
	u32 tag, *bucket = find_bucket(g, block, &tag);

	return find_ghost(bucket, tag);
}

static void note(struct ghosts *g, u64 block)
{
	u32 age = now(g), tag, *bucket = find_bucket(g, block, &tag);
	u32 *ghost = find_ghost(bucket, tag), word = tag << AGE_BITS | age;

	if (!ghost) {
		ghost = find_oldest(bucket, age);
		WRITE_ONCE(g->noted, READ_ONCE(g->noted) + 1);
	}
	/* A line that has it already is not written. */
	if (READ_ONCE(*ghost) != word)
		WRITE_ONCE(*ghost, word);
}

bool ssdup_ghosts_run(struct ghost_runs *r, u64 start, u32 sectors)
{
	u32 i, at, before;

	for (i = 0; i < GHOST_READERS; i++) {
		if (READ_ONCE(r->end[i]) != start)
			continue;
		before = READ_ONCE(r->length[i]);
		WRITE_ONCE(r->end[i], start + sectors);
		WRITE_ONCE(r->length[i], before + sectors);
		return before >= GHOST_RUN;
	}
	at = READ_ONCE(r->at);
	WRITE_ONCE(r->at, at + 1);
	at %= GHOST_READERS;
	WRITE_ONCE(r->end[at], start + sectors);
	WRITE_ONCE(r->length[at], sectors);
	return false;
}

static bool is_small(u32 sectors, bool run)
{
	return !run && sectors <= GHOST_LONGEST;
}

bool ssdup_ghosts_worth(struct ghosts *g, u64 start, u32 sectors, bool meta, bool run)
{
	u64 last = (start + sectors - 1) / GHOST_BLOCK, block;

	if (!is_small(sectors, run))
		return false;
	for (block = start / GHOST_BLOCK; !meta && block <= last; block++)
		if (!is_known(g, block))
			return false;
	return true;
}

void ssdup_ghosts_note(struct ghosts *g, u64 start, u32 sectors, bool run)
{
	u64 last = (start + sectors - 1) / GHOST_BLOCK, block;

	for (block = start / GHOST_BLOCK; is_small(sectors, run) && block <= last; block++)
		note(g, block);
}

bool ssdup_copy_wanted(const struct copy_facts *f)
{
	if (!f->worth || f->writes || !f->room)
		return false;
	/* Writes have the first half of each day of the budget for themselves. */
	return f->left > 0 && f->budget_left >= f->budget / 2 && f->queue <= COPY_QUEUE_NS;
}
