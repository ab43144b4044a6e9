// SPDX-License-Identifier: GPL-2.0-only
/* A hard disk's command queue and write cache, and what its arm does next. */
#include <linux/kernel.h>
#include <linux/math64.h>
#include "hdd_queue.h"

/* One candidate for the arm: a command, or the start of a run of the cache. */
struct hdd_choice {
	struct hdd_op *op;
	struct cache_run *run;
	u64 cost;
};

void hdd_queue_init(struct hdd_queue *q, const struct hdd_queue_params *p)
{
	q->p = *p;
	INIT_LIST_HEAD(&q->queue);
	INIT_LIST_HEAD(&q->waiting);
	INIT_LIST_HEAD(&q->flushes);
	INIT_LIST_HEAD(&q->done);
	q->active = NULL;
	q->active_lba = 0;
	q->active_sectors = 0;
	q->active_write = false;
	q->busy = false;
	q->busy_until = 0;
	q->bus_free = 0;
	q->stats = (struct hdd_stats){ 0 };
}

/* The interface moves one command's data at a time. */
static void hdd_queue_over_bus(struct hdd_queue *q, struct hdd_op *op, u64 now)
{
	u64 transfer = div_u64(op->sectors * 512 * 1000 * 1000, q->p.bus_kbps);

	q->bus_free = max(q->bus_free, now + q->p.command_us * 1000ULL) + transfer;
	op->done = q->bus_free;
	list_add_tail(&op->node, &q->done);
}

static bool hdd_queue_cache_takes(struct hdd_queue *q, const struct hdd_op *op)
{
	/* A flush ends when the cache is empty: what comes later has to wait. */
	if (!list_empty(&q->flushes))
		return false;
	if (q->cache.sectors && q->cache.sectors + op->sectors > q->p.cache_sectors)
		return false;
	return cache_model_insert(&q->cache, op->lba, op->sectors);
}

static void hdd_queue_admit(struct hdd_queue *q, u64 now)
{
	struct hdd_op *op, *next;

	list_for_each_entry_safe(op, next, &q->waiting, node) {
		if (!hdd_queue_cache_takes(q, op))
			break;
		list_del(&op->node);
		hdd_queue_over_bus(q, op, now);
	}
}

static bool hdd_queue_clean(const struct hdd_queue *q)
{
	return !q->cache.sectors && !(q->busy && !q->active);
}

void hdd_queue_submit(struct hdd_queue *q, struct hdd_op *op, u64 now)
{
	op->arrived = now;
	switch (op->kind) {
	case HDD_OP_READ:
		if (q->cache.sectors && cache_model_covers(&q->cache, op->lba, op->sectors)) {
			q->stats.cache_hits++;
			hdd_queue_over_bus(q, op, now);
		} else {
			list_add_tail(&op->node, &q->queue);
		}
		break;
	case HDD_OP_WRITE:
		if (!q->p.cache_sectors)
			list_add_tail(&op->node, &q->queue);
		else if (list_empty(&q->waiting) && hdd_queue_cache_takes(q, op))
			hdd_queue_over_bus(q, op, now);
		else
			list_add_tail(&op->node, &q->waiting);
		break;
	case HDD_OP_WRITE_THROUGH:
		list_add_tail(&op->node, &q->queue);
		break;
	case HDD_OP_FLUSH:
		op->sectors = 0;
		if (hdd_queue_clean(q))
			hdd_queue_over_bus(q, op, now);
		else
			list_add_tail(&op->node, &q->flushes);
		break;
	}
}

/* Upwards from the arm, then from the lowest sector on. */
static u64 hdd_upwards(const struct hdd_queue *q, u64 lba)
{
	return lba - q->model.head_lba;
}

/* How far an order puts a command back: the smallest comes first. */
static u64 hdd_rank(const struct hdd_queue *q, const struct hdd_op *op, u64 cost)
{
	switch (q->p.order) {
	case HDD_ORDER_ELEVATOR:
		return hdd_upwards(q, op->lba);
	case HDD_ORDER_ARRIVAL:
		return op->arrived;
	default:
		return cost;
	}
}

static bool hdd_has_read(const struct hdd_queue *q)
{
	const struct hdd_op *op;

	list_for_each_entry(op, &q->queue, node)
		if (op->kind == HDD_OP_READ)
			return true;
	return false;
}

static void hdd_choose_op(struct hdd_queue *q, u64 now, struct hdd_choice *best)
{
	bool reads = q->p.reads_first && hdd_has_read(q);
	u64 ns, rank, first = U64_MAX;
	struct hdd_cost cost;
	struct hdd_op *op;

	list_for_each_entry(op, &q->queue, node) {
		if (reads && op->kind != HDD_OP_READ)
			continue;
		ns = hdd_position(&q->model, op->lba, op->kind == HDD_OP_READ, now, &cost);
		rank = hdd_rank(q, op, ns);
		if (!best->op || rank < first) {
			best->op = op;
			best->run = NULL;
			best->cost = ns;
			first = rank;
		}
		if (!rank)
			return;
	}
}

static u64 hdd_choose_run(struct hdd_queue *q, struct cache_run *run, u64 now,
			  struct hdd_choice *best)
{
	struct hdd_cost cost;
	u64 ns = hdd_position(&q->model, run->lba, false, now, &cost);

	if (ns < best->cost) {
		best->op = NULL;
		best->run = run;
		best->cost = ns;
	}
	return ns;
}

/*
 * The runs of the cache near the arm, as many above it as below; with another order than the
 * nearest first, the next one above. A run that starts where the arm is costs nothing and ends
 * the search.
 */
static void hdd_choose_destage(struct hdd_queue *q, u64 now, struct hdd_choice *best)
{
	struct cache_run *from = cache_model_find(&q->cache, q->model.head_lba);
	struct cache_run *run;
	u32 i;

	if (!from)
		from = cache_model_find(&q->cache, 0);
	if (q->p.order != HDD_ORDER_NEAREST) {
		if (from)
			hdd_choose_run(q, from, now, best);
		return;
	}
	for (run = from, i = 0; run && i < q->p.window; run = cache_model_next(run), i++)
		if (!hdd_choose_run(q, run, now, best))
			return;
	run = from ? cache_model_prev(from) : NULL;
	for (i = 0; run && i < q->p.window; run = cache_model_prev(run), i++)
		hdd_choose_run(q, run, now, best);
}

static u64 hdd_waited(const struct list_head *list, u64 now)
{
	u64 arrived;

	if (list_empty(list))
		return 0;
	arrived = list_first_entry(list, struct hdd_op, node)->arrived;
	/* The arm's clock is that of its last access, which may lie before it. */
	return now > arrived ? now - arrived : 0;
}

/* Does the arm write the cache though nobody waits for that? @op is to be served next, or NULL. */
static bool hdd_may_destage(const struct hdd_queue *q, const struct hdd_op *op)
{
	switch (q->p.destage) {
	case HDD_DESTAGE_AT_ONCE:
		return !op || op->kind != HDD_OP_READ || !q->p.reads_first;
	case HDD_DESTAGE_FULL:
		return false;
	default:
		return !op;
	}
}

/*
 * Commands come before the cache, which nobody waits for, unless writers or a
 * flush do, or the disk writes its cache at once. Shortest positioning first
 * starves whoever is far away; so whoever has waited too long comes first.
 */
static bool hdd_choose(struct hdd_queue *q, u64 now, struct hdd_choice *best)
{
	u64 age = q->p.age_ms * 1000ULL * 1000;
	u64 for_cache = max(hdd_waited(&q->waiting, now), hdd_waited(&q->flushes, now));
	u64 for_arm = hdd_waited(&q->queue, now);
	bool wanted = !list_empty(&q->waiting) || !list_empty(&q->flushes);

	*best = (struct hdd_choice){ .cost = U64_MAX };
	if (for_arm >= age && for_arm >= for_cache) {
		best->op = list_first_entry(&q->queue, struct hdd_op, node);
		return true;
	}
	if (for_cache < age || !q->cache.sectors)
		hdd_choose_op(q, now, best);
	if (q->cache.sectors && (wanted || hdd_may_destage(q, best->op)))
		hdd_choose_destage(q, now, best);
	return best->op || best->run;
}

bool hdd_queue_start(struct hdd_queue *q, u64 now)
{
	struct hdd_choice choice;
	struct hdd_cost cost;
	bool read = false;

	if (q->busy)
		return true;
	if (!hdd_choose(q, now, &choice))
		return false;

	q->active = choice.op;
	if (choice.op) {
		list_del(&choice.op->node);
		read = choice.op->kind == HDD_OP_READ;
		q->active_lba = choice.op->lba;
		q->active_sectors = choice.op->sectors;
	} else {
		q->active_lba = choice.run->lba;
		q->active_sectors = min_t(u64, choice.run->end - choice.run->lba,
					  q->p.slice_sectors);
	}
	q->active_write = !read;
	if (!read)
		cache_model_remove(&q->cache, q->active_lba, q->active_sectors);
	q->busy = true;
	q->busy_until = hdd_access(&q->model, q->active_lba, q->active_sectors, read, now, &cost);
	q->stats.accesses++;
	q->stats.seeks += cost.seek != 0;
	q->stats.busy_ns += q->busy_until - now;
	q->stats.seek_ns += cost.seek;
	q->stats.rotate_ns += cost.rotate;
	return true;
}

void hdd_queue_finish(struct hdd_queue *q, u64 now)
{
	struct hdd_op *op, *next;

	q->busy = false;
	if (q->active) {
		/* Its data crossed the interface while the arm worked. */
		q->active->done = now;
		list_add_tail(&q->active->node, &q->done);
		q->active = NULL;
	}
	if (hdd_queue_clean(q)) {
		list_for_each_entry_safe(op, next, &q->flushes, node) {
			list_del(&op->node);
			hdd_queue_over_bus(q, op, now);
		}
	}
	hdd_queue_admit(q, now);
}

void hdd_queue_reset(struct hdd_queue *q)
{
	cache_model_remove(&q->cache, 0, U64_MAX);
	list_splice_tail_init(&q->queue, &q->done);
	list_splice_tail_init(&q->waiting, &q->done);
	list_splice_tail_init(&q->flushes, &q->done);
	if (q->active)
		list_add_tail(&q->active->node, &q->done);
	q->active = NULL;
	q->busy = false;
	q->bus_free = 0;
}
