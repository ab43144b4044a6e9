/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The contents of a disk's volatile write cache, by address only: which runs of
 * sectors were acknowledged and are not on the medium. And what a power cut
 * leaves of them.
 *
 * Nodes come from an array given at the start, so nothing allocates. Callers
 * serialise. Addresses and lengths are 512-byte sectors.
 */
#ifndef SSDUP_CACHE_MODEL_H
#define SSDUP_CACHE_MODEL_H

#include <linux/types.h>
#include <linux/rbtree.h>

/**
 * struct cache_run - neighbouring sectors in the cache
 * @node: in &cache_model.runs, or @node.rb_left chains the free ones
 * @lba: first sector
 * @end: sector after the last
 */
struct cache_run {
	struct rb_node node;
	u64 lba;
	u64 end;
};

/**
 * struct cache_model - disjoint runs, no two of them touching, in address order
 * @runs: tree of &struct cache_run
 * @free: unused runs
 * @nr_runs: runs in the tree
 * @max_runs: runs in all
 * @sectors: sectors in the tree
 */
struct cache_model {
	struct rb_root runs;
	struct cache_run *free;
	u32 nr_runs;
	u32 max_runs;
	u64 sectors;
};

/**
 * cache_model_init() - an empty cache
 * @c: cache
 * @runs: array of @nr runs, owned by the caller, to live as long as @c
 * @nr: how many there are
 */
void cache_model_init(struct cache_model *c, struct cache_run *runs, u32 nr);

/**
 * cache_model_find() - first run that ends behind an address
 * @c: cache
 * @lba: address
 *
 * Return: the run that holds @lba, else the next one, else NULL.
 */
struct cache_run *cache_model_find(const struct cache_model *c, u64 lba);

/**
 * cache_model_next() - the run above
 * @run: run in the tree
 *
 * Return: next run or NULL.
 */
struct cache_run *cache_model_next(const struct cache_run *run);

/**
 * cache_model_prev() - the run below
 * @run: run in the tree
 *
 * Return: previous run or NULL.
 */
struct cache_run *cache_model_prev(const struct cache_run *run);

/**
 * cache_model_covers() - is all of an extent in the cache
 * @c: cache
 * @lba: first sector
 * @sectors: length
 *
 * Return: true if a read of it needs no medium.
 */
bool cache_model_covers(const struct cache_model *c, u64 lba, u64 sectors);

/**
 * cache_model_insert() - add an extent, joining what it overlaps or touches
 * @c: cache
 * @lba: first sector
 * @sectors: length, at least 1
 *
 * Return: false if it would need a run and none is free; nothing changed then.
 */
bool cache_model_insert(struct cache_model *c, u64 lba, u64 sectors);

/**
 * cache_model_remove() - take an extent out, wherever it is held
 * @c: cache
 * @lba: first sector
 * @sectors: length
 *
 * Cutting a hole into a run needs a run; if none is free, the run is left whole,
 * which costs a needless destage later and is otherwise harmless.
 */
void cache_model_remove(struct cache_model *c, u64 lba, u64 sectors);

/**
 * struct cache_fifo_entry - one write in arrival order
 * @lba: first sector
 * @sectors: length
 */
struct cache_fifo_entry {
	u64 lba;
	u64 sectors;
};

/**
 * struct cache_fifo - a cache that destages in arrival order
 * @ring: entries
 * @size: entries in @ring, a power of two
 * @head: number of entries ever added
 * @tail: number of entries ever removed
 * @sectors: sum of the lengths held
 */
struct cache_fifo {
	struct cache_fifo_entry *ring;
	u32 size;
	u64 head;
	u64 tail;
	u64 sectors;
};

/**
 * cache_fifo_full() - must an entry leave before the next comes
 * @f: cache
 * @limit: sectors it may hold
 *
 * Return: true if there is no room in the ring or more than @limit is held.
 */
bool cache_fifo_full(const struct cache_fifo *f, u64 limit);

/**
 * cache_fifo_push() - add a write; cache_fifo_full() must be false
 * @f: cache
 * @lba: first sector
 * @sectors: length
 */
void cache_fifo_push(struct cache_fifo *f, u64 lba, u64 sectors);

/**
 * cache_fifo_pop() - take the oldest write out
 * @f: cache
 * @entry: filled in
 *
 * Return: false if there was none.
 */
bool cache_fifo_pop(struct cache_fifo *f, struct cache_fifo_entry *entry);

#define POWERCUT_LOSES_ALL	U64_MAX	/* a seed with which nothing survives */

/**
 * powercut_survives() - does a sector that was in the cache reach the medium
 * @seed: the cut
 * @sector: address
 *
 * The seed also chooses how likely it is, from none to all, and whether
 * neighbours share their fate (1, 8, 64 or 512 sectors): torn writes as well as
 * whole writes out of order come up often. The same seed gives the same answer.
 *
 * Return: true if the new content is on the medium, false if the old one is.
 */
bool powercut_survives(u64 seed, u64 sector);

/**
 * powercut_seed() - a seed for one of several disks that lose power together
 * @seed: the cut; POWERCUT_LOSES_ALL is for all disks
 * @disk: number of the disk
 *
 * Return: seed for powercut_survives().
 */
u64 powercut_seed(u64 seed, u32 disk);

#endif /* SSDUP_CACHE_MODEL_H */
