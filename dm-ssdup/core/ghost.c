// SPDX-License-Identifier: GPL-2.0-only
/* Decides what a read cache would do with a read of the HDD. */
#include <linux/compiler.h>
#include <linux/minmax.h>

#include "ghost.h"

/* A word: age, whether it was copied, and a tag, which is never zero. */
#define AGE_BITS	10U
#define AGE_MASK	((1U << AGE_BITS) - 1)
#define COPIED		(AGE_MASK + 1)
#define TAG_SHIFT	(AGE_BITS + 1)
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
	*tag = (u32)hash >> TAG_SHIFT ?: 1;
	return g->word + (u32)((hash >> 32) * (g->nr / GHOST_BUCKET) >> 32) * GHOST_BUCKET;
}

static u32 *find_ghost(u32 *bucket, u32 tag)
{
	u32 i;

	for (i = 0; i < GHOST_BUCKET; i++)
		if (READ_ONCE(bucket[i]) >> TAG_SHIFT == tag)
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

static enum ghost_verdict look(struct ghosts *g, u64 block)
{
	u32 tag, *bucket = find_bucket(g, block, &tag), *ghost = find_ghost(bucket, tag);

	if (!ghost)
		return GHOST_NOTE;
	return READ_ONCE(*ghost) & COPIED ? GHOST_HIT : GHOST_COPY;
}

static void note(struct ghosts *g, u64 block, u32 copied)
{
	u32 age = now(g), tag, *bucket = find_bucket(g, block, &tag);
	u32 *ghost = find_ghost(bucket, tag), word = tag << TAG_SHIFT | copied | age;

	if (ghost) {
		word |= READ_ONCE(*ghost) & COPIED;
	} else {
		ghost = find_oldest(bucket, age);
		WRITE_ONCE(g->noted, READ_ONCE(g->noted) + 1);
	}
	/* A line that has it already is not written. */
	if (READ_ONCE(*ghost) != word)
		WRITE_ONCE(*ghost, word);
}

enum ghost_verdict ssdup_ghosts_look(struct ghosts *g, u64 start, u32 sectors, bool meta, bool run)
{
	u64 last = (start + sectors - 1) / GHOST_BLOCK, block;
	enum ghost_verdict verdict = GHOST_HIT;

	if (run || sectors > GHOST_LONGEST)
		return GHOST_NONE;
	for (block = start / GHOST_BLOCK; block <= last; block++)
		verdict = min(verdict, look(g, block));
	return meta && verdict == GHOST_NOTE ? GHOST_COPY : verdict;
}

enum ghost_verdict ssdup_ghosts_read(struct ghosts *g, u64 start, u32 sectors, bool meta,
				     bool run)
{
	enum ghost_verdict verdict = ssdup_ghosts_look(g, start, sectors, meta, run);
	u64 last = (start + sectors - 1) / GHOST_BLOCK, block;

	if (verdict == GHOST_NONE)
		return verdict;
	for (block = start / GHOST_BLOCK; block <= last; block++)
		note(g, block, verdict >= GHOST_COPY ? COPIED : 0);
	return verdict;
}

bool ssdup_copy_wanted(const struct copy_facts *f)
{
	if (f->verdict < GHOST_COPY || f->writes || !f->room)
		return false;
	/* Writes have the first half of each day of the budget for themselves. */
	return f->left > 0 && f->budget_left >= f->budget / 2 && f->queue <= COPY_QUEUE_NS;
}
