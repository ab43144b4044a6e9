// SPDX-License-Identifier: GPL-2.0-only
/*
 * Owns the pools: for each SSD in use, which logs there are, and which log has which segment.
 *
 * Each log has an array of all segments of its own, and opens those that it leased when it was
 * activated. So nothing of this is on the data path.
 */
#include <linux/slab.h>

#include "base/failure.h"
#include "core/pool.h"
#include "internal.h"

static DEFINE_MUTEX(pools_lock);
static LIST_HEAD(pools);

static struct ssdup_pool *pool_new(struct block_device *ssd)
{
	struct ssdup_pool *pool = kzalloc(sizeof(*pool), GFP_KERNEL);

	if (!pool)
		return NULL;
	pool->page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	if (!pool->page) {
		kfree(pool);
		return NULL;
	}
	pool->ssd = ssd;
	mutex_init(&pool->lock);
	mutex_init(&pool->meta.lock);
	list_add(&pool->list, &pools);
	return pool;
}

int ssdup_pool_get(struct ssdup_log *log)
{
	struct block_device *ssd = log->c->ssd->bdev;
	struct ssdup_pool *pool;

	mutex_lock(&pools_lock);
	list_for_each_entry(pool, &pools, list)
		if (pool->ssd == ssd)
			break;
	if (list_entry_is_head(pool, &pools, list))
		pool = pool_new(ssd);
	if (pool) {
		pool->tables++;
		log->pool = pool;
		log->meta = &pool->meta;
	}
	mutex_unlock(&pools_lock);
	return pool ? 0 : -ENOMEM;
}

void ssdup_pool_put(struct ssdup_log *log)
{
	struct ssdup_pool *pool = log->pool;
	bool last;

	if (!pool)
		return;
	ssdup_pool_release(log);
	mutex_lock(&pools_lock);
	last = !--pool->tables;
	if (last)
		list_del(&pool->list);
	mutex_unlock(&pools_lock);
	if (!last)
		return;
	kvfree(pool->owner);
	__free_page(pool->page);
	kfree(pool);
}

/* --- Leases --- */

u32 ssdup_pool_promised(const struct ssdup_pool *pool, u32 but)
{
	u32 i, nr = 0;

	/* Those that are active have theirs already. */
	for (i = 0; i < SSDUP_MAX_LOGS; i++)
		if (i != but && pool->logs & BIT_ULL(i) && !pool->user[i].log)
			nr += pool_promise(pool->user[i].nr_classes);
	return nr;
}

void ssdup_pool_give(struct ssdup_pool *pool, u32 segment, u32 owner)
{
	u32 was = pool->owner[segment];

	pool->owner[segment] = owner;
	WRITE_ONCE(pool->nr_free, pool->nr_free + (owner == POOL_FREE) - (was == POOL_FREE));
}

/* What @log has, but not its live segments, is everybody's. */
static void give_back(struct ssdup_pool *pool, struct ssdup_log *log)
{
	u32 i;

	for (i = 0; i < pool->nr_segments; i++)
		if (pool->owner[i] == log->number && log->segment[i].state == SEGMENT_FREE)
			ssdup_pool_give(pool, i, POOL_FREE);
}

void ssdup_pool_hold(struct ssdup_log *log, const struct log_header *live, u32 nr)
{
	struct ssdup_pool *pool = log->pool;
	u32 i;

	lockdep_assert_held(&pool->lock);
	for (i = 0; i < pool->nr_segments; i++)
		if (pool->owner[i] == log->number)
			ssdup_pool_give(pool, i, POOL_FREE);
	for (i = 0; i < nr; i++)
		ssdup_pool_give(pool, live[i].segment, log->number);
	pool->user[log->number].nr_classes = log->nr_classes;
}

static u32 wanted(const struct ssdup_log *log)
{
	u64 sectors = (u64)log->c->set.max_mb << (20 - SECTOR_SHIFT);
	u32 share = pool_share(log->g.nr_segments, hweight64(log->pool->logs));

	return sectors ? min_t(u64, div_u64(sectors, log->g.segment_sectors), log->g.nr_segments) :
			 share;
}

static void add(struct ssdup_log *log, u32 segment)
{
	ssdup_pool_give(log->pool, segment, log->number);
	__set_bit(segment, log->leased);
	log->nr_leased++;
}

static void lease(struct ssdup_log *log, u32 first, u32 live)
{
	struct ssdup_pool *pool = log->pool;
	u32 nr, i, at;

	nr = ssdup_pool_grant(pool->nr_free, ssdup_pool_promised(pool, log->number), live,
			      wanted(log), pool_promise(log->nr_classes));
	/* From behind the youngest on, so that the SSD is worn evenly. */
	for (i = 0; i < pool->nr_segments && nr; i++) {
		at = (first + i) % pool->nr_segments;
		if (pool->owner[at] != POOL_FREE)
			continue;
		add(log, at);
		nr--;
	}
}

void ssdup_pool_lease(struct ssdup_log *log, const struct log_header *live, u32 nr)
{
	struct ssdup_pool *pool = log->pool;
	u32 i;

	mutex_lock(&pool->lock);
	log->flush_errors = READ_ONCE(pool->meta.flush_errors);
	pool->user[log->number].log = log;
	bitmap_zero(log->leased, pool->nr_segments);
	log->nr_leased = 0;
	for (i = 0; i < nr; i++)
		add(log, live[i].segment);
	lease(log, nr ? live[nr - 1].segment + 1 : 0, nr);
	mutex_unlock(&pool->lock);
	if (log->nr_leased < nr + pool_promise(log->nr_classes))
		DMWARN("%s: only %u segments are free for this log, and a drain may need %u",
		       dm_device_name(log->c->md), log->nr_leased - nr,
		       pool_promise(log->nr_classes));
}

/*
 * What a read-only log has freed, reads may still point into, and its tail may not be durable. The
 * table that took the log after this one has its own idea of what is free.
 */
void ssdup_pool_release(struct ssdup_log *log)
{
	struct ssdup_pool *pool = log->pool;

	mutex_lock(&pool->lock);
	if (pool->user[log->number].log == log) {
		pool->user[log->number].log = NULL;
		if (ssdup_mode(log->c) == MODE_RUNNING)
			give_back(pool, log);
	}
	mutex_unlock(&pool->lock);
}

void ssdup_pool_lock(struct ssdup_log *log)
{
	mutex_lock(&log->pool->lock);
}

void ssdup_pool_unlock(struct ssdup_log *log)
{
	mutex_unlock(&log->pool->lock);
}

/* --- Which logs there are --- */

static bool any_active(const struct ssdup_pool *pool)
{
	u32 i;

	for (i = 0; i < SSDUP_MAX_LOGS; i++)
		if (pool->user[i].log)
			return true;
	return false;
}

/* Nobody has changed the SSD since it was read, if a log is active; else anybody may have. */
static int begin(struct ssdup_pool *pool, const struct log_super *s)
{
	kvfree(pool->owner);
	pool->owner = kvmalloc(s->g.nr_segments, GFP_KERNEL);
	if (!pool->owner)
		return -ENOMEM;
	memset(pool->owner, POOL_FREE, s->g.nr_segments);
	pool->nr_segments = s->g.nr_segments;
	WRITE_ONCE(pool->nr_free, pool->nr_segments);
	pool->seq = s->pool_seq;
	WRITE_ONCE(pool->logs, s->logs);
	memset(pool->user, 0, sizeof(pool->user));
	pool->scanned = hweight64(s->logs) == 1;
	return 0;
}

int ssdup_pool_open(struct ssdup_log *log, const struct log_super *s)
{
	struct ssdup_pool *pool = log->pool;
	int r = 0;

	lockdep_assert_held(&pool->lock);
	if (!any_active(pool))
		r = begin(pool, s);
	if (r)
		return r;
	memcpy(pool->user[s->log].uuid, s->uuid, sizeof(s->uuid));
	return pool->scanned ? 0 : 1;
}

void ssdup_pool_scanned(struct ssdup_log *log, const struct pool_log *logs)
{
	struct ssdup_pool *pool = log->pool;
	u32 i;

	for (i = 0; i < SSDUP_MAX_LOGS; i++) {
		pool->user[i].nr_classes = logs[i].fault == LOG_OK ? logs[i].s.nr_classes :
								     SSDUP_MAX_CLASSES;
		if (logs[i].fault == LOG_OK)
			memcpy(pool->user[i].uuid, logs[i].s.uuid, sizeof(pool->user[i].uuid));
	}
	pool->scanned = true;
}

void ssdup_pool_found(struct ssdup_log *log, const struct pool_log *logs, u32 segment,
		      const void *head)
{
	struct ssdup_pool *pool = log->pool;

	ssdup_pool_give(pool, segment, !head ? POOL_UNCLEAR :
		  ssdup_pool_owner(logs->s.pool, logs, pool->logs, segment, head));
}

bool ssdup_pool_may_hold(const struct ssdup_log *log, u32 segment)
{
	const struct ssdup_pool *pool = log->pool;

	/* Until there is another log, all of them are its own. */
	return pool->logs == BIT_ULL(log->number) || pool->owner[segment] == log->number ||
	       pool->owner[segment] == POOL_UNCLEAR;
}

bool ssdup_pool_alone(const struct ssdup_log *log)
{
	return READ_ONCE(log->pool->logs) == BIT_ULL(log->number);
}

void ssdup_pool_stamp(struct ssdup_log *log, struct log_super *s)
{
	lockdep_assert_held(&log->pool->lock);
	s->pool_seq = ++log->pool->seq;
	s->logs = log->pool->logs;
}

struct ssdup_pool_status ssdup_pool_status(const struct ssdup_log *log)
{
	const struct ssdup_pool *pool = log->pool;

	return (struct ssdup_pool_status){
		.logs = hweight64(READ_ONCE(pool->logs)),
		.free = READ_ONCE(pool->nr_free),
	};
}
