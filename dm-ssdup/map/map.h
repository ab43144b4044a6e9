/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: which sectors of the device the log holds, and where.
 *
 * The map has two trees of extents for each range of the HDD, see core/extent_map.h and
 * core/clean.h. The range's lock protects both. They overlap nowhere.
 *
 * The first has what the log holds and the HDD may not have. The other has what is clean, and the
 * claims of what is being copied: a write that is inserted into the first tree, or sent to the HDD,
 * takes its sectors out of the second one while it has the lock. What a drain or a relocation
 * writes is all in the first.
 *
 * An entry is published, or staged, before an extent that it replaces leaves the tree. A drain
 * looks at the extents of its group without the lock, and leaves out what is in no tree. So the
 * commit before it raises the tail has the entry of what is there instead, as it waits for the
 * stage.
 */
#ifndef SSDUP_MAP_H
#define SSDUP_MAP_H

#include "core/clean.h"
#include "log/nodes.h"
#include "log/reserve.h"

/* Aligned, so that writes to neighbouring ranges do not share a cache line. */
struct ssdup_range {
	spinlock_t		lock;		/* protects what follows */
	u8			phase;		/* index in direct[] for new writes */
	/*
	 * The number of extents, read without the lock. It is updated before the
	 * write that changed the tree is acknowledged, so a later read sees it.
	 * After a segment was freed it may become zero late.
	 */
	u32			held;
	atomic_t		direct[2];	/* writes in flight to the HDD, by phase */
	struct extent_tree	tree;
	struct extent_tree	clean;
	/* clean_bits() of what is clean, and perhaps more; read without the lock: a hint. */
	u64			where;
} ____cacheline_aligned_in_smp;

struct ssdup_map {
	struct ssdup		*c;
	struct ssdup_log	*log;
	struct ssdup_stats __percpu *stats;	/* of @c */
	struct ssdup_range	*ranges;
	u32			range_shift;	/* sectors */
	u32			nr_ranges;
	u64			lost;		/* sectors, ever; see ssdup_lose() */
};

/**
 * ssdup_map_size() - choose the size of ranges
 * @sectors: of the HDD
 *
 * 4 MiB, doubled until there are less than 16384.
 */
void ssdup_map_size(struct ssdup_map *map, u64 sectors);

/** ssdup_map_init() - make the ranges, which are empty. Return: 0 or -ENOMEM */
int ssdup_map_init(struct ssdup_map *map);

/** range_of() - the range of a sector; any context */
static inline struct ssdup_range *range_of(struct ssdup_map *map, u64 sector)
{
	return &map->ranges[sector >> map->range_shift];
}

/** range_holds() - does the range hold anything? any context, without a lock */
static inline bool range_holds(const struct ssdup_range *r)
{
	return READ_ONCE(r->held);
}

/**
 * range_may_be_clean() - may clean data serve a part of [@start, @end)? any context, without a lock
 *
 * It may be wrong either way. Then the HDD serves the read, as it can.
 */
static inline bool range_may_be_clean(const struct ssdup_map *map, const struct ssdup_range *r,
				      u64 start, u64 end)
{
	u64 where = READ_ONCE(r->where);

	return unlikely(where) && where & clean_bits(start, end, map->range_shift);
}

/* Call this after a complete change of the tree, for readers without the lock. */
static inline void range_changed(struct ssdup_range *r)
{
	WRITE_ONCE(r->held, r->tree.nr);
}

/** map_counts() - the map has @extents and @sectors more; any context */
static inline void map_counts(struct ssdup_map *map, s64 extents, s64 sectors)
{
	this_cpu_add(map->stats->extents, extents);
	this_cpu_add(map->stats->sectors, sectors);
}

/* What the map holds, about: writers change it meanwhile. */
struct ssdup_held {
	u64	extents;
	u64	sectors;
};

/** ssdup_sum_held() - sum up map_counts() of all CPUs; any context */
struct ssdup_held ssdup_sum_held(struct ssdup_map *map);

/** ssdup_sum_clean() - sectors of clean data, about; any context */
u64 ssdup_sum_clean(struct ssdup_map *map);

/** ssdup_cut_clean() - what is clean of [@start, @end) becomes stale; the lock of @r is held */
void ssdup_cut_clean(struct ssdup_map *map, struct ssdup_range *r, u64 start, u64 end);

/** ssdup_forget_part() - the same for what cannot be read; takes the lock, any context */
void ssdup_forget_part(struct ssdup_map *map, u64 start, u32 sectors);

/* The same where there is hardly ever any. */
static __always_inline void range_cut_clean(struct ssdup_map *map, struct ssdup_range *r,
					    u64 start, u32 sectors)
{
	if (unlikely(r->clean.nr))
		ssdup_cut_clean(map, r, start, start + sectors);
}

/**
 * ssdup_claim_add() - keep the place of a copy of what the HDD is about to return
 * @e: start and sectors, in one range, are filled in
 *
 * Context: any. Return: false, and nothing has changed, when a direct write to the range is in
 * flight, or a part of it is in either tree.
 */
bool ssdup_claim_add(struct ssdup_map *map, struct extent *e);

/**
 * ssdup_claim_fill() - the copy is at sector @pos of the SSD: the claim becomes clean
 * @start: of the claim, as it was, and its @sectors
 *
 * Context: any. Return: false when a part of it was cut: the claim stays.
 */
bool ssdup_claim_fill(struct ssdup_map *map, struct extent *e, u64 start, u32 sectors, u64 pos);

/** ssdup_claim_drop() - there is no copy; @start as above, any context */
void ssdup_claim_drop(struct ssdup_map *map, struct extent *e, u64 start);

/**
 * ssdup_insert_among() - insert an extent that may overlap others, and publish its entry
 * @r: its range, whose lock is held
 *
 * Return: false, and nothing has changed, when a newer extent overlaps it.
 */
bool ssdup_insert_among(struct ssdup_map *map, struct ssdup_range *r, struct ssdup_io *io);

/* --- Accounts of classes, in a log that has some --- */

/**
 * ssdup_account_insert() - may the extent of a request be inserted? If so, account for that
 * @r: its range, whose lock is held
 *
 * Return: false when an extent of another class, or a newer one, overlaps it.
 */
bool ssdup_account_insert(struct ssdup_map *map, struct ssdup_range *r, const struct ssdup_io *io);

/** ssdup_map_replayed() - account for all that the trees hold after a replay; context: preresume */
void ssdup_map_replayed(struct ssdup_map *map);

/** ssdup_account_ssd() - sectors that the log has on an SSD, of several; any context, a hint */
u64 ssdup_account_ssd(struct ssdup_map *map, u32 ssd);

/** ssdup_account_sum() - sum up the counts of a lifetime, of all CPUs and SSDs; any context */
struct ssdup_class_stats ssdup_account_sum(struct ssdup_map *map, u32 lifetime);

/* --- Changes of the map --- */

/**
 * ssdup_insert() - put a write's extent into the tree, and publish its entry, unless it is staged
 * @io: has a place; io->e is complete except for its seq
 *
 * Under one range lock the extent gets the highest seq of its segment, is published and
 * inserted. Frees io->spare. Context: any.
 *
 * Return: false when a write to a younger segment, or of another class, has overtaken this one:
 * the caller has to give up the place. True after ssdup_put_write().
 */
static __always_inline bool ssdup_insert(struct ssdup_map *map, struct ssdup_io *io)
{
	struct extent *e = io->e;
	struct ssdup_range *r = range_of(map, e->start);
	struct extent_place place;
	unsigned long flags;

	spin_lock_irqsave(&r->lock, flags);
	e->seq = atomic64_inc_return(&io->segment->seq);
	if (unlikely(map->log->classes.nr > 1) && !ssdup_account_insert(map, r, io)) {
		spin_unlock_irqrestore(&r->lock, flags);
		return false;
	}
	if (likely(extent_find_place(&r->tree, e, &place))) {
		ssdup_publish(map->log, io);
		extent_insert_at(&r->tree, e, &place);
		if (!place.same) {
			range_changed(r);
			map_counts(map, 1, io->sectors);
		}
	} else if (!ssdup_insert_among(map, r, io)) {
		spin_unlock_irqrestore(&r->lock, flags);
		return false;
	}
	range_cut_clean(map, r, io->start, io->sectors);
	spin_unlock_irqrestore(&r->lock, flags);
	ssdup_free_spare(map->log, io);
	ssdup_put_write(map->log, io->segment);
	return true;
}

/**
 * ssdup_move() - insert a copy of a part of an extent, in another segment
 * @io: has the new place; io->e is the part; io->spare is freed
 * @seq: of the extent, which must hold the whole part
 *
 * Like ssdup_insert(), but the caller calls ssdup_put_write().
 * Return: false, and nothing has changed, when the extent does not hold the part any more.
 */
bool ssdup_move(struct ssdup_map *map, struct ssdup_io *io, u64 seq);

/**
 * ssdup_map_part() - find the first part of [*@start, @end) that the map has from a write
 * @start: set to where it begins, or to @end
 * @seq: of the write
 *
 * Context: process. Return: its length in sectors, or 0: there is none.
 */
u32 ssdup_map_part(struct ssdup_map *map, u64 *start, u64 end, u64 seq);

/**
 * ssdup_map_next_lost() - the next extent whose data is lost
 * @start: sector to look from, and then where it begins
 * @sectors: then its length
 *
 * Context: process. Return: false when there is none.
 */
bool ssdup_map_next_lost(struct ssdup_map *map, u64 *start, u32 *sectors);

/*
 * --- A segment leaves the log; process context ---
 *
 * Nobody writes to it, and the record with the tail behind it is durable. Reads may be in flight.
 */

/**
 * ssdup_lose() - what is in doubt of @seg becomes lost, see ssdup_extent_in_doubt()
 *
 * Return: sectors.
 */
u64 ssdup_lose(struct ssdup_map *map, struct ssdup_segment *seg);

/** ssdup_drop() - take the extents of @seg out of the map, and free them */
void ssdup_drop(struct ssdup_map *map, struct ssdup_segment *seg);

/**
 * ssdup_keep() - the data of @seg becomes clean, and the rest of its extents is dropped
 *
 * Return: bytes of memory that its extents take now; 0: there is no clean data.
 */
u64 ssdup_keep(struct ssdup_map *map, struct ssdup_segment *seg);

/** ssdup_forget() - take the clean extents of @seg out of the map, and free them */
void ssdup_forget(struct ssdup_map *map, struct ssdup_segment *seg);

#endif
