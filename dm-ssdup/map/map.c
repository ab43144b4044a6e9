// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: which sectors of the device the log holds, and where.
 */
#include <linux/slab.h>

#include "base/wakeups.h"
#include "log/staging.h"
#include "map.h"

#define RANGES_MOST	16384U	/* of an HDD: they take 1 MiB */
#define RANGE_LEAST	13U	/* 4 MiB: a part of a disk that writers rarely share */

void ssdup_map_size(struct ssdup_map *map, u64 sectors)
{
	map->range_shift = RANGE_LEAST;
	while (sectors >> map->range_shift >= RANGES_MOST &&
	       1U << map->range_shift < EXTENT_MAX_SECTORS)
		map->range_shift++;
	map->nr_ranges = DIV_ROUND_UP_ULL(sectors, 1ULL << map->range_shift);
}

int ssdup_map_init(struct ssdup_map *map)
{
	u32 i;

	map->ranges = kvcalloc(map->nr_ranges, sizeof(*map->ranges), GFP_KERNEL);
	if (!map->ranges)
		return -ENOMEM;
	for (i = 0; i < map->nr_ranges; i++) {
		spin_lock_init(&map->ranges[i].lock);
		ssdup_extent_tree_init(&map->ranges[i].tree);
		ssdup_extent_tree_init(&map->ranges[i].clean);
	}
	return 0;
}

struct ssdup_held ssdup_sum_held(struct ssdup_map *map)
{
	s64 extents = stats_sum(&map->stats->extents), sectors = stats_sum(&map->stats->sectors);

	return (struct ssdup_held){ max(extents, 0LL), max(sectors, 0LL) };
}

bool ssdup_insert_among(struct ssdup_map *map, struct ssdup_range *r, struct ssdup_io *io)
{
	s64 nr = r->tree.nr, sectors = r->tree.sectors;
	struct extent_array *spare = NULL;
	const struct extent *split;

	lockdep_assert_held(&r->lock);
	if (ssdup_extent_overtaken(&r->tree, io->e))
		return false;
	split = ssdup_extent_splits(&r->tree, io->e);
	if (split) {
		spare = io->spare;
		io->spare = NULL;
		spare = spare ?: ssdup_take_node(map->log);
	}
	ssdup_publish(map->log, io);
	ssdup_extent_insert(&r->tree, io->e, spare ? spare->e : NULL);
	/* Not before: a drain leaves out what is not in a tree, and does not take the lock. */
	if (spare)
		llist_add(&spare->list, &segment_of(map->log, split->pos)->pieces);
	range_changed(r);
	map_counts(map, r->tree.nr - nr, r->tree.sectors - sectors);
	return true;
}

u32 ssdup_map_part(struct ssdup_map *map, u64 *start, u64 end, u64 seq)
{
	struct ssdup_range *r = range_of(map, *start);
	const struct extent *x;
	bool found = false;
	u32 sectors = 0;

	while (!found && *start < end) {
		spin_lock_irq(&r->lock);
		x = ssdup_extent_first(&r->tree, *start, end);
		if (x) {
			found = x->seq == seq;
			*start = max(*start, x->start);
			sectors = min(end, extent_end(x)) - *start;
		}
		spin_unlock_irq(&r->lock);
		if (!found)
			*start = x ? *start + sectors : end;
		cond_resched();
	}
	return found ? sectors : 0;
}

/* Look at the next extents of a range from *@start on, which is moved behind them. */
static const struct extent *look_for_lost(struct ssdup_range *r, u64 *start, bool *more)
{
	const struct extent *e = ssdup_extent_first(&r->tree, *start, U64_MAX);
	u32 seen;

	for (seen = 0; e && e->kind != SSDUP_KIND_LOST && seen < EXTENT_WALK; seen++) {
		*start = extent_end(e);
		e = ssdup_extent_next(e);
	}
	*more = e;
	return e && e->kind == SSDUP_KIND_LOST ? e : NULL;
}

bool ssdup_map_next_lost(struct ssdup_map *map, u64 *start, u32 *sectors)
{
	const struct extent *e = NULL;
	struct ssdup_range *r;
	bool more;
	u64 i;

	for (i = *start >> map->range_shift; i < map->nr_ranges; i++) {
		r = &map->ranges[i];
		for (more = range_holds(r); more && !e; cond_resched()) {
			spin_lock_irq(&r->lock);
			e = look_for_lost(r, start, &more);
			if (e) {
				*start = e->start;
				*sectors = e->sectors;
			}
			spin_unlock_irq(&r->lock);
		}
		if (e)
			return true;
	}
	return false;
}

/* --- Accounts of classes --- */

/*
 * @sectors of @e enter or leave the map. segment->live is what a drain would have to write to the
 * HDD, which discards are not. The thread is kicked when it becomes zero.
 */
static void account_extent(struct ssdup_map *map, const struct extent *e, s64 sectors)
{
	struct ssdup_segment *seg = segment_of(map->log, e->pos);

	this_cpu_add(map->stats->class[extent_class(e, &map->log->classes)].sectors, sectors);
	/* A drain has nothing to write of it. */
	if (e->kind == SSDUP_KIND_DISCARD)
		return;
	if (!atomic64_add_return(sectors, &seg->live) && sectors < 0)
		ssdup_kick_writeback(map->c);
}

/* What an insert of @e takes from others. Return: sectors. */
static u64 count_replaced(struct ssdup_map *map, const struct ssdup_range *r,
			  const struct extent *e)
{
	u64 end = extent_end(e), sectors, sum = 0;
	const struct extent *x;

	for (x = ssdup_extent_first(&r->tree, e->start, end); x && x->start < end;
	     x = ssdup_extent_next(x)) {
		sectors = min(extent_end(x), end) - max(x->start, e->start);
		account_extent(map, x, -(s64)sectors);
		sum += sectors;
	}
	account_extent(map, e, e->sectors);
	return sum;
}

bool ssdup_account_insert(struct ssdup_map *map, struct ssdup_range *r, const struct ssdup_io *io)
{
	const struct extent *e = io->e;
	u32 own = extent_class(e, &map->log->classes), class = own;
	u64 replaced;
	u32 span;

	span = ssdup_extent_class_span(&r->tree, e->start, extent_end(e), &map->log->classes,
				       &class);
	if (span != e->sectors || class != own || ssdup_extent_overtaken(&r->tree, e))
		return false;
	replaced = count_replaced(map, r, e);
	this_cpu_add(map->stats->class[own].replaced, replaced);
	if (e->kind == SSDUP_KIND_DATA)
		this_cpu_add(map->stats->class[own].written, io->sectors);
	return true;
}

static void account_range(struct ssdup_map *map, const struct ssdup_range *r)
{
	const struct extent *x;

	for (x = ssdup_extent_first(&r->tree, 0, U64_MAX); x; x = ssdup_extent_next(x))
		account_extent(map, x, x->sectors);
}

void ssdup_map_replayed(struct ssdup_map *map)
{
	struct ssdup_range *r;

	for (r = map->ranges; r < map->ranges + map->nr_ranges; r++) {
		range_changed(r);
		if (map->log->classes.nr > 1)
			account_range(map, r);
		map_counts(map, r->tree.nr, r->tree.sectors);
	}
}

struct ssdup_class_stats ssdup_account_sum(struct ssdup_map *map, u32 lifetime)
{
	struct ssdup_class_stats __percpu *stats;
	struct ssdup_class_stats sum = { };
	const struct ssdup_class *k;

	for (k = map->log->class; k < class_end(map->log); k++) {
		stats = &map->stats->class[k->index];
		if (k->lifetime != lifetime)
			continue;
		sum.sectors += stats_sum(&stats->sectors);
		sum.written += stats_sum(&stats->written);
		sum.drained += stats_sum(&stats->drained);
		sum.replaced += stats_sum(&stats->replaced);
	}
	return sum;
}

u64 ssdup_account_ssd(struct ssdup_map *map, u32 ssd)
{
	const struct ssdup_class *k;
	u64 sectors = 0;

	for (k = map->log->class; k < class_end(map->log); k++)
		if (k->ssd == ssd)
			sectors += stats_sum(&map->stats->class[k->index].sectors);
	return sectors;
}

/* --- A block is relocated --- */

bool ssdup_move(struct ssdup_map *map, struct ssdup_io *io, u64 seq)
{
	struct extent *e = io->e;
	struct ssdup_range *r = range_of(map, e->start);
	const struct extent *x;
	unsigned long flags;
	bool held;

	spin_lock_irqsave(&r->lock, flags);
	x = ssdup_extent_first(&r->tree, e->start, extent_end(e));
	held = x && x->seq == seq && x->start <= e->start && extent_end(x) >= extent_end(e);
	if (held) {
		e->seq = atomic64_inc_return(&io->segment->seq);
		if (map->log->classes.nr > 1)
			count_replaced(map, r, e);
		ssdup_insert_among(map, r, io);
	}
	spin_unlock_irqrestore(&r->lock, flags);
	ssdup_free_spare(map->log, io);
	return held;
}

/* --- What is clean --- */

static void clean_counts(struct ssdup_map *map, s64 sectors)
{
	this_cpu_add(map->stats->clean, sectors);
}

u64 ssdup_sum_clean(struct ssdup_map *map)
{
	return max_t(s64, stats_sum(&map->stats->clean), 0);
}

/* Call this after extents have left the tree of what is clean. */
static void clean_left(struct ssdup_map *map, struct ssdup_range *r, u32 sectors)
{
	clean_counts(map, -(s64)sectors);
	if (!r->clean.nr)
		WRITE_ONCE(r->where, 0);
}

void ssdup_cut_clean(struct ssdup_map *map, struct ssdup_range *r, u64 start, u64 end)
{
	lockdep_assert_held(&r->lock);
	clean_left(map, r, ssdup_extent_forget(&r->clean, start, end));
}

void ssdup_forget_part(struct ssdup_map *map, u64 start, u32 sectors)
{
	struct ssdup_range *r = range_of(map, start);
	unsigned long flags;

	spin_lock_irqsave(&r->lock, flags);
	ssdup_cut_clean(map, r, start, start + sectors);
	spin_unlock_irqrestore(&r->lock, flags);
}

static void mark_clean(struct ssdup_map *map, struct ssdup_range *r, const struct extent *e)
{
	WRITE_ONCE(r->where, r->where | clean_bits(e->start, extent_end(e), map->range_shift));
}

static void forget_extent(struct ssdup_map *map, struct ssdup_range *r, struct extent *e)
{
	ssdup_extent_remove(&r->clean, e);
	clean_left(map, r, e->sectors);
}

/* --- What is being copied --- */

bool ssdup_claim_add(struct ssdup_map *map, struct extent *e)
{
	struct ssdup_range *r = range_of(map, e->start);
	unsigned long flags;
	bool held;

	e->kind = SSDUP_KIND_NONE;
	e->pos = 0;
	e->seq = 0;
	spin_lock_irqsave(&r->lock, flags);
	/* A direct write in flight has cut what was clean, and would not cut this. */
	held = !atomic_read(&r->direct[0]) && !atomic_read(&r->direct[1]) &&
	       !ssdup_extent_first(&r->tree, e->start, extent_end(e)) &&
	       !ssdup_extent_first(&r->clean, e->start, extent_end(e));
	if (held) {
		extent_insert_alone(&r->clean, e);
		clean_counts(map, e->sectors);
	}
	spin_unlock_irqrestore(&r->lock, flags);
	return held;
}

bool ssdup_claim_fill(struct ssdup_map *map, struct extent *e, u64 start, u32 sectors, u64 pos)
{
	struct ssdup_range *r = range_of(map, start);
	unsigned long flags;
	bool whole;

	spin_lock_irqsave(&r->lock, flags);
	whole = extent_mapped(e) && e->start == start && e->sectors == sectors;
	if (whole) {
		e->kind = SSDUP_KIND_DATA;
		e->pos = pos;
		mark_clean(map, r, e);
	}
	spin_unlock_irqrestore(&r->lock, flags);
	return whole;
}

void ssdup_claim_drop(struct ssdup_map *map, struct extent *e, u64 start)
{
	struct ssdup_range *r = range_of(map, start);
	unsigned long flags;

	spin_lock_irqsave(&r->lock, flags);
	if (extent_mapped(e))
		forget_extent(map, r, e);
	spin_unlock_irqrestore(&r->lock, flags);
}

/* --- A segment leaves the log --- */

/* The extent is in the tree of what is dirty, and is about to leave it. */
static void account_leaving(struct ssdup_map *map, const struct extent *e)
{
	map_counts(map, -1, -(s64)e->sectors);
	if (map->log->classes.nr > 1)
		account_extent(map, e, -(s64)e->sectors);
}

static void drop_extent(struct ssdup_map *map, struct ssdup_range *r, struct extent *e)
{
	account_leaving(map, e);
	ssdup_extent_remove(&r->tree, e);
	range_changed(r);
}

static void keep_extent(struct ssdup_map *map, struct ssdup_range *r, struct extent *e)
{
	if (e->kind != SSDUP_KIND_DATA) {
		drop_extent(map, r, e);
		return;
	}
	account_leaving(map, e);
	ssdup_extent_hand(&r->tree, &r->clean, e);
	range_changed(r);
	clean_counts(map, e->sectors);
	mark_clean(map, r, e);
}

typedef void extent_fn(struct ssdup_map *map, struct ssdup_range *r, struct extent *e);

static void visit_extent(struct ssdup_map *map, struct extent *e, extent_fn *fn)
{
	/* A write may trim it meanwhile, but not move it to another range. */
	struct ssdup_range *r = range_of(map, data_race(READ_ONCE(e->start)));

	spin_lock_irq(&r->lock);
	if (extent_mapped(e))
		fn(map, r, e);
	spin_unlock_irq(&r->lock);
}

static void visit_arrays(struct ssdup_map *map, const struct llist_head *arrays, extent_fn *fn)
{
	struct extent_array *a;
	u32 i;

	llist_for_each_entry(a, arrays->first, list) {
		for (i = 0; i < a->nr; i++)
			/* A write may remove one meanwhile; none comes back. */
			if (data_race(extent_mapped(&a->e[i])))
				visit_extent(map, &a->e[i], fn);
		cond_resched();
	}
}

/* Call @fn for each extent of @seg that is in a tree, under the lock of its range. */
static void visit_extents(struct ssdup_map *map, struct ssdup_segment *seg, extent_fn *fn)
{
	visit_arrays(map, &seg->arrays, fn);
	visit_arrays(map, &seg->ordered, fn);
	/*
	 * Splitting an extent of @seg adds a piece: look again until all of them are out. Whoever
	 * has removed an extent that was found unmapped may have split it before. Pairs with the
	 * release in extent_unmap().
	 */
	smp_rmb();
	while (!llist_empty(&seg->pieces)) {
		struct llist_node *pieces = llist_del_all(&seg->pieces), *last = pieces;
		struct llist_head list = { .first = pieces };

		visit_arrays(map, &list, fn);
		while (last->next)
			last = last->next;
		llist_add_batch(pieces, last, &seg->ordered);
	}
}

static void lose_extent(struct ssdup_map *map, struct ssdup_range *r, struct extent *e)
{
	struct ssdup_segment *seg = segment_of(map->log, e->pos);

	if (e->kind != SSDUP_KIND_DATA || !ssdup_extent_in_doubt(map->log, seg, e))
		return;
	e->kind = SSDUP_KIND_LOST;
	/* In blocks, as what the SSD cannot read. */
	stat_add(map->c, STAT_LOST, DIV_ROUND_UP(e->sectors, SSDUP_BLOCK_SECTORS));
	map->lost += e->sectors;
}

u64 ssdup_lose(struct ssdup_map *map, struct ssdup_segment *seg)
{
	u64 before = map->lost;

	visit_extents(map, seg, lose_extent);
	return map->lost - before;
}

void ssdup_drop(struct ssdup_map *map, struct ssdup_segment *seg)
{
	visit_extents(map, seg, drop_extent);
	ssdup_stage_forget(map->log, seg);
	ssdup_free_arrays(map->log, seg);
}

u64 ssdup_keep(struct ssdup_map *map, struct ssdup_segment *seg)
{
	visit_extents(map, seg, keep_extent);
	return ssdup_trim_arrays(map->log, seg);
}

void ssdup_forget(struct ssdup_map *map, struct ssdup_segment *seg)
{
	visit_extents(map, seg, forget_extent);
	ssdup_free_arrays(map->log, seg);
}
