// SPDX-License-Identifier: GPL-2.0-only
/*
 * Owns the pools: for each SSD in use, which logs there are, and which log has which segment.
 *
 * Each log has an array of all segments of its own, and opens those that it leased when it was
 * activated. So nothing of this is on the data path.
 */
#include <linux/slab.h>

#include "base/failure.h"
#include "core/ssds.h"
#include "log_internal.h"

static DEFINE_MUTEX(pools_lock);
static LIST_HEAD(pools);

static void pool_free(struct ssdup_pool *pool)
{
	if (!pool)
		return;
	kvfree(pool->owner);
	if (pool->page)
		__free_page(pool->page);
	kfree(pool);
}

static struct ssdup_pool *pool_new(void)
{
	struct ssdup_pool *pool = kzalloc(sizeof(*pool), GFP_KERNEL);

	if (!pool)
		return NULL;
	pool->page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	if (!pool->page) {
		pool_free(pool);
		return NULL;
	}
	INIT_LIST_HEAD(&pool->tables);
	mutex_init(&pool->lock);
	return pool;
}

bool ssdup_has_ssd(const struct ssdup *c, const struct block_device *bdev)
{
	u32 i;

	for (i = 0; i < c->nr_ssds; i++)
		if ((c->ssd[i].dev && c->ssd[i].dev->bdev == bdev) ||
		    (c->ssd[i].twin && c->ssd[i].twin->bdev == bdev))
			return true;
	return false;
}

bool ssdup_shares_ssds(const struct ssdup *a, const struct ssdup *b)
{
	u32 i;

	for (i = 0; i < a->nr_ssds; i++)
		if ((a->ssd[i].dev && ssdup_has_ssd(b, a->ssd[i].dev->bdev)) ||
		    (a->ssd[i].twin && ssdup_has_ssd(b, a->ssd[i].twin->bdev)))
			return true;
	return false;
}

/* That of any table that names one of the same SSDs. */
static struct ssdup_pool *pool_of(const struct ssdup *c)
{
	struct ssdup_pool *pool;
	struct ssdup_log *log;

	list_for_each_entry(pool, &pools, list)
		list_for_each_entry(log, &pool->tables, in_pool)
			if (ssdup_shares_ssds(log->c, c))
				return pool;
	return NULL;
}

int ssdup_pool_get(struct ssdup_log *log, const char **why)
{
	struct ssdup_pool *new, *pool;
	int r = ssdup_meta_create(log, why);

	if (r)
		return r;
	/* Whoever holds the lock must not wait for memory: a resume waits for it. */
	new = pool_new();
	if (!new)
		return -ENOMEM;
	mutex_lock(&pools_lock);
	pool = pool_of(log->c);
	if (!pool) {
		pool = new;
		new = NULL;
		list_add(&pool->list, &pools);
	}
	list_add(&log->in_pool, &pool->tables);
	mutex_unlock(&pools_lock);
	log->pool = pool;
	pool_free(new);
	return 0;
}

/* What @log has, but not its live segments, is everybody's. */
static void give_back(struct ssdup_pool *pool, struct ssdup_log *log)
{
	u32 i;

	for (i = 0; i < pool->nr_segments; i++)
		if (pool->owner[i] == log->number && log->segment[i].state == SEGMENT_FREE)
			ssdup_pool_give(pool, i, POOL_FREE);
}

/*
 * What a read-only log has freed, reads may still point into, and its tail may not be durable. The
 * table that took the log after this one has its own idea of what is free.
 */
static void release(struct ssdup_log *log)
{
	struct ssdup_pool *pool = log->pool;

	mutex_lock(&pool->lock);
	if (pool->user[log->number].log == log) {
		pool->user[log->number].log = NULL;
		if (!log->c->read_only && ssdup_whole(log->c))
			give_back(pool, log);
	}
	mutex_unlock(&pool->lock);
}

static void leave_pool(struct ssdup_log *log, struct ssdup_pool *pool)
{
	bool last;

	release(log);
	mutex_lock(&pools_lock);
	list_del(&log->in_pool);
	last = list_empty(&pool->tables);
	if (last)
		list_del(&pool->list);
	mutex_unlock(&pools_lock);
	if (last)
		pool_free(pool);
}

void ssdup_pool_put(struct ssdup_log *log)
{
	if (log->pool)
		leave_pool(log, log->pool);
	ssdup_meta_destroy(log);
}

/* --- Leases --- */

static bool names(const struct ssdup *c, u32 ssd)
{
	return ssd < c->nr_ssds && ssd_used(&c->ssd[ssd]);
}

/* Free segments of an SSD that logs other than @but must be able to lease. */
static u32 reserved(const struct ssdup_pool *pool, u32 but, u32 ssd)
{
	u32 i, nr = 0;

	/* Those that are active have theirs already, unless the SSD has come since. */
	for (i = 0; i < SSDUP_MAX_LOGS; i++)
		if (i != but && pool->logs & BIT_ULL(i) &&
		    (!pool->user[i].log || !names(pool->user[i].log->c, ssd)))
			nr += lease_least(pool->user[i].lifetimes);
	return nr;
}

/* Count the free segments of each SSD. */
static void count_free(const struct ssdup_pool *pool, u32 nr[SSDUP_MAX_SSDS])
{
	u32 i, first;

	memset(nr, 0, SSDUP_MAX_SSDS * sizeof(*nr));
	for (i = 0; i < pool->nr_segments; i++)
		if (pool->owner[i] == POOL_FREE)
			nr[ssdup_log_ssd_of(&pool->ssds, i, &first)]++;
}

bool ssdup_pool_has_room(const struct ssdup_pool *pool, u32 number)
{
	u32 nr_free[SSDUP_MAX_SSDS], i;

	count_free(pool, nr_free);
	for (i = 0; i < log_nr_ssds(&pool->ssds); i++)
		if (!ssds_unused(&pool->ssds, i) &&
		    nr_free[i] < reserved(pool, number, i) + lease_least(1))
			return false;
	return true;
}

bool ssdup_names_all(const struct ssdup_log *log)
{
	const struct log_ssds *ssds = &log->pool->ssds;
	u32 i;

	for (i = 0; i < log_nr_ssds(ssds); i++)
		if (!ssds_unused(ssds, i) && !names(log->c, i))
			return false;
	return true;
}

bool ssdup_pool_named(const struct ssdup_pool *pool, u32 number)
{
	const struct ssdup_log *log;
	bool named = false;

	mutex_lock(&pools_lock);
	list_for_each_entry(log, &pool->tables, in_pool)
		named |= number < log->c->nr_ssds && log->c->ssd[number].dev;
	mutex_unlock(&pools_lock);
	return named;
}

void ssdup_pool_give(struct ssdup_pool *pool, u32 segment, u32 owner)
{
	u32 was = pool->owner[segment], first;

	if (owner == POOL_FREE &&
	    ssds_unused(&pool->ssds, ssdup_log_ssd_of(&pool->ssds, segment, &first)))
		owner = POOL_NONE;
	pool->owner[segment] = owner;
	WRITE_ONCE(pool->nr_free, pool->nr_free + (owner == POOL_FREE) - (was == POOL_FREE));
}

/* The live segments are the log's, and no others. */
static void note_live(struct ssdup_log *log, const struct log_header *live, u32 nr)
{
	struct ssdup_pool *pool = log->pool;
	u32 i;

	for (i = 0; i < pool->nr_segments; i++)
		if (pool->owner[i] == log->number)
			ssdup_pool_give(pool, i, POOL_FREE);
	for (i = 0; i < nr; i++)
		ssdup_pool_give(pool, live[i].segment, log->number);
}

static u32 wanted(const struct ssdup_log *log)
{
	u64 sectors = (u64)log->c->set.max_mb << (20 - SECTOR_SHIFT);
	u32 all = ssdup_ssds_segments(&log->ssds, &log->g);

	return sectors ? min_t(u64, div_u64(sectors, log->g.segment_sectors), all) :
			 pool_share(all, hweight64(log->pool->logs));
}

/* @nr: free segments of each SSD that the log gets; they become zero */
static void lease(struct ssdup_log *log, struct ssds_walk w, u32 nr[SSDUP_MAX_SSDS])
{
	struct ssdup_pool *pool = log->pool;
	u32 i, at, ssd;

	while (ssdup_ssds_next(&w, &at)) {
		ssd = log->segment[at].ssd;
		if (!nr[ssd] || pool->owner[at] != POOL_FREE)
			continue;
		ssdup_pool_give(pool, at, log->number);
		nr[ssd]--;
	}
	for (i = 0; i < log->g.nr_segments; i++)
		__assign_bit(i, log->segments->leased, pool->owner[i] == log->number);
}

/* How many free segments of each SSD the log gets. Return: the sum. */
static u32 grant(struct ssdup_log *log, const struct log_header *live, u32 nr_live,
		 u32 more[SSDUP_MAX_SSDS])
{
	struct ssdup_pool *pool = log->pool;
	u32 least = lease_least(log_lifetimes(log));
	u32 nr_free[SSDUP_MAX_SSDS], has[SSDUP_MAX_SSDS] = { }, i, sum = 0;
	u64 want = wanted(log);

	count_free(pool, nr_free);
	for (i = 0; i < nr_live; i++)
		has[log->segment[live[i].segment].ssd]++;
	for (i = 0; i < log_nr_ssds(&log->ssds); i++) {
		more[i] = 0;
		if (ssds_unused(&log->ssds, i))
			continue;
		more[i] = ssdup_pool_grant(nr_free[i], reserved(pool, log->number, i), has[i],
					   ssdup_ssds_part(&log->ssds, &log->g, i, want), least);
		sum += more[i];
		if (more[i] < least)
			DMWARN("%s: only %u segments of SSD %u are free, and it needs %u%s",
			       log->c->name, more[i], i, least,
			       has[i] + more[i] > ssdup_drain_segments(log) ?
			       "" : ": it takes no writes");
	}
	return sum;
}

void ssdup_pool_claim(struct ssdup_log *log, const struct log_header *live, u32 nr)
{
	struct ssdup_pool *pool = log->pool;
	u32 more[SSDUP_MAX_SSDS];

	lockdep_assert_held(&pool->lock);
	ssdup_meta_claim(log);
	pool->user[log->number].log = log;
	pool->user[log->number].lifetimes = log_lifetimes(log);
	pool->user[log->number].era = log->classes.era;
	note_live(log, live, nr);
	if (log->c->read_only)
		return;
	WRITE_ONCE(log->segments->nr_leased, nr + grant(log, live, nr, more));
	lease(log, ssdup_ssds_walk(&log->ssds, &log->g, live, nr), more);
}

void ssdup_pool_unclaim(struct ssdup_log *log, const struct log_header *live, u32 nr)
{
	struct ssdup_pool *pool = log->pool;

	mutex_lock(&pool->lock);
	if (pool->user[log->number].log == log) {
		pool->user[log->number].log = NULL;
		note_live(log, live, nr);
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

static bool is_path(const struct ssdup_ssd *ssd, const struct dm_dev *dev)
{
	return dev && (ssd->dev->bdev == dev->bdev || (ssd->twin && ssd->twin->bdev == dev->bdev));
}

/*
 * Is each SSD the one that the active logs use, by the same path? They may not use one yet, or not
 * any more. Of two that hold the same a table may name either first, and another mirror than those
 * that run with it: base/mirror_io.c sees to it that the one that they have in common has all.
 */
static bool same_ssds(const struct ssdup_pool *pool, struct ssdup *c)
{
	const struct pool_user *user;
	struct ssdup_ssd *ssd, *theirs;

	for (ssd = first_ssd(c); ssd; ssd = next_ssd(c, ssd)) {
		for (user = pool->user; user < pool->user + SSDUP_MAX_LOGS; user++) {
			theirs = user->log ? &user->log->c->ssd[ssd - c->ssd] : NULL;
			if (theirs && theirs < ssd_end(user->log->c) && ssd_used(theirs) &&
			    !is_path(ssd, theirs->dev) && !is_path(ssd, theirs->twin))
				return false;
		}
	}
	return true;
}

/* What the superblock says, or is to say. But for which SSD it is of. */
static bool same_pool(const struct ssdup_pool *pool, const struct log_super *s)
{
	struct log_ssds ssds = s->ssds;

	ssds.index = pool->ssds.index;
	return s->logs == pool->logs && !memcmp(s->pool, pool->uuid, sizeof(pool->uuid)) &&
	       !memcmp(&ssds, &pool->ssds, sizeof(ssds));
}

/* Nobody has changed the SSD since it was read, if a log is active; else anybody may have. */
static int begin(struct ssdup_pool *pool, const struct log_super *s)
{
	u32 i;

	pool->ssds = s->ssds;
	kvfree(pool->owner);
	pool->nr_segments = 0;
	pool->owner = kvmalloc(s->g.nr_segments, GFP_KERNEL);
	if (!pool->owner)
		return -ENOMEM;
	memset(pool->owner, POOL_NONE, s->g.nr_segments);
	pool->nr_segments = s->g.nr_segments;
	WRITE_ONCE(pool->nr_free, 0);
	for (i = 0; i < pool->nr_segments; i++)
		ssdup_pool_give(pool, i, POOL_FREE);
	pool->seq = s->pool_seq;
	WRITE_ONCE(pool->logs, s->logs);
	memset(pool->user, 0, sizeof(pool->user));
	pool->scanned = hweight64(s->logs) == 1;
	return 0;
}

/* Two paths to one SSD, or a copy of it: neither would know what the other one leases. */
static bool elsewhere(const struct ssdup_pool *pool, const u8 uuid[16])
{
	const struct ssdup_pool *other;

	lockdep_assert_held(&pools_lock);
	list_for_each_entry(other, &pools, list)
		if (other != pool && !memcmp(other->uuid, uuid, sizeof(other->uuid)))
			return true;
	return false;
}

static int name_pool(struct ssdup_pool *pool, const u8 uuid[16])
{
	int r = 0;

	mutex_lock(&pools_lock);
	if (elsewhere(pool, uuid))
		r = -EBUSY;
	else
		memcpy(pool->uuid, uuid, sizeof(pool->uuid));
	mutex_unlock(&pools_lock);
	return r;
}

int ssdup_pool_open(struct ssdup_log *log, const struct log_super *s)
{
	struct ssdup_pool *pool = log->pool;
	int r;

	lockdep_assert_held(&pool->lock);
	if (any_active(pool))
		r = same_pool(pool, s) && same_ssds(pool, log->c) ? 0 : -EINVAL;
	else
		r = name_pool(pool, s->pool) ?: begin(pool, s);
	if (r) {
		DMERR("%s: %s", log->c->name, r == -EBUSY ?
		      "the SSD is in use as another device" :
		      "the SSD has changed since its logs are in use");
		return r;
	}
	memcpy(pool->user[s->log].uuid, s->uuid, sizeof(s->uuid));
	return pool->scanned ? 0 : 1;
}

void ssdup_pool_scanned(struct ssdup_log *log, const struct pool_log *logs)
{
	struct ssdup_pool *pool = log->pool;
	u32 i;

	for (i = 0; i < SSDUP_MAX_LOGS; i++) {
		pool->user[i].lifetimes = logs[i].fault == LOG_OK ?
					  logs[i].s.classes.nr / logs[i].s.classes.nr_ssds :
					  SSDUP_MAX_CLASSES / log_nr_ssds(&pool->ssds);
		pool->user[i].era = logs[i].fault != LOG_OK || logs[i].s.classes.era;
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

	if (log->c->ssds_unused & BIT(log->segment[segment].ssd))
		return false;
	/* Until there is another log, all of them are its own. */
	return pool->logs == BIT_ULL(log->number) || pool->owner[segment] == log->number ||
	       pool->owner[segment] == POOL_UNCLEAR;
}

bool ssdup_pool_absent(struct ssdup_log *log, u32 number)
{
	struct ssdup_pool *pool = log->pool;
	bool absent;

	mutex_lock(&pool->lock);
	absent = pool->logs & BIT_ULL(number) && !pool->user[number].log;
	mutex_unlock(&pool->lock);
	return absent;
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
	s->ssds = log->pool->ssds;
	s->g.nr_segments = log->pool->nr_segments;
}

u32 ssdup_pool_free(const struct ssdup_log *log)
{
	return READ_ONCE(log->pool->nr_free);
}
