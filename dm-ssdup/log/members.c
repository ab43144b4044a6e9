// SPDX-License-Identifier: GPL-2.0-only
/* Owns which SSDs a pool has: names another one, and lets one leave. */
#include <linux/slab.h>
#include <linux/uuid.h>

#include "base/failure.h"
#include "base/wakeups.h"
#include "core/ssds.h"
#include "internal.h"
#include "members.h"

static const char * const state_names[] = {
	[SSDUP_SSD_USED] = "used", [SSDUP_SSD_LEAVES] = "leaves", [SSDUP_SSD_UNUSED] = "unused",
};

/* Each SSD has to have it: a newer one on some of them would be right after an error, too. */
static int write_pool(struct ssdup_log *log, struct log_super *s)
{
	int r;

	ssdup_step(log->c, STEP_MEMBER_BEGIN);
	r = ssdup_write_copies(log, log->pool->page, s, false, STEP_MEMBER_BETWEEN);
	if (!r && !ssdup_whole(log->c))
		r = -EIO;
	if (!r)
		log->pool->ssds = s->ssds;
	ssdup_step(log->c, STEP_MEMBER_DONE);
	return r;
}

/* @s: a superblock of before, set to that of today; the pool is locked. Return: 0 or -errno */
static int begin(struct ssdup_log *log, struct log_super *s, const char **error)
{
	*error = "the log is read-only, or an SSD of it is";
	if (!ssdup_whole(log->c))
		return -EROFS;
	*error = "the table does not name all SSDs that are used: reload it";
	if (!ssdup_names_all(log))
		return -EINVAL;
	ssdup_pool_stamp(log, s);
	return 0;
}

/* --- Another one --- */

/* A log has one change of its numbers at a time, see ssdup_ssds_renumber(). */
static bool has_era(struct ssdup_pool *pool)
{
	const struct pool_user *user;

	for (user = pool->user; user < pool->user + SSDUP_MAX_LOGS; user++)
		if (user->log ? ssdup_segments_before_era(user->log) :
		    user->era && memchr(pool->owner, user - pool->user, pool->nr_segments))
			return true;
	return false;
}

/* @owner: for all segments, with those of the new SSD; set to what is not needed any more */
static int add(struct ssdup_log *log, struct log_super *s, u32 number, const u8 uuid[16],
	       u32 segments, u8 **owner, const char **error)
{
	struct ssdup_pool *pool = log->pool;
	u32 was = pool->nr_segments;
	u8 first[16];
	int r = begin(log, s, error);

	if (r)
		return r;
	generate_random_uuid(first);
	*error = "a table names the SSD that had this number: reload it";
	if (ssdup_pool_named(pool, number))
		return -EBUSY;
	*error = "a log holds data of before the last SSD came: drain it first";
	if (number == log_nr_ssds(&pool->ssds) && has_era(pool))
		return -EBUSY;
	*error = "the pool has no place for it";
	if (!ssdup_ssds_add(s, number, uuid, segments, first))
		return -EINVAL;
	*error = "the SSD cannot be written";
	r = write_pool(log, s);
	if (r)
		return r;
	pool->bdev[number] = NULL;
	memcpy(*owner, pool->owner, was);
	memset(*owner + was, POOL_NONE, s->g.nr_segments - was);
	swap(*owner, pool->owner);
	pool->nr_segments = s->g.nr_segments;
	return 0;
}

int ssdup_ssd_add(struct ssdup_log *log, const char *number, const char *uuid,
		  const char *segments, const char **error)
{
	struct log_super *s = kmalloc(sizeof(*s), GFP_KERNEL);
	/* Whoever holds the lock must not wait for memory. */
	u8 *owner = kvmalloc(SSDUP_MAX_SEGMENTS, GFP_KERNEL);
	u32 nr, more;
	uuid_t id;
	int r = -EINVAL;

	*error = "not a number of an SSD, its UUID and its segments";
	if (kstrtou32(number, 10, &nr) || kstrtou32(segments, 10, &more) ||
	    uuid_parse(uuid, &id) || strlen(uuid) != UUID_STRING_LEN)
		goto out;
	*error = "out of memory";
	r = -ENOMEM;
	if (!s || !owner)
		goto out;
	ssdup_super_copy(log, s);
	ssdup_pool_lock(log);
	r = add(log, s, nr, id.b, more, &owner, error);
	ssdup_pool_unlock(log);
out:
	kvfree(owner);
	kfree(s);
	return r;
}

/* --- Its state --- */

/* Is nothing on it, and will nothing be? It leaves, so no log opens a segment there. */
static bool is_empty(struct ssdup_pool *pool, u32 ssd)
{
	const struct pool_user *user;
	u32 i, owner, first;

	for (user = pool->user; user < pool->user + SSDUP_MAX_LOGS; user++)
		if (user->log && !ssdup_segments_leave(user->log, ssd))
			return false;
	/* What an active log has leased is free, or it would not be empty. */
	for (i = 0; i < pool->nr_segments; i++) {
		owner = pool->owner[i];
		if (ssdup_log_ssd_of(&pool->ssds, i, &first) == ssd && owner != POOL_FREE &&
		    owner != POOL_NONE && (owner == POOL_UNCLEAR || !pool->user[owner].log))
			return false;
	}
	return true;
}

static void tell_logs(struct ssdup_pool *pool, u32 ssd, bool leaves)
{
	const struct pool_user *user;
	struct ssdup *c;

	for (user = pool->user; user < pool->user + SSDUP_MAX_LOGS; user++) {
		if (!user->log || ssd >= log_nr_ssds(&user->log->ssds))
			continue;
		c = user->log->c;
		WRITE_ONCE(c->ssds_leave, (c->ssds_leave & ~BIT(ssd)) | (leaves ? BIT(ssd) : 0));
		ssdup_segments_stay(user->log);
		ssdup_kick_writeback(c);
		ssdup_kick_waiting(c);
	}
}

/* Has each active log another SSD for new data? Its table may be older than that. */
static bool have_others(const struct ssdup_pool *pool, u32 ssd)
{
	const struct pool_user *user;
	const struct ssdup *c;

	for (user = pool->user; user < pool->user + SSDUP_MAX_LOGS; user++) {
		c = user->log ? user->log->c : NULL;
		if (c && !((BIT(c->nr_ssds) - 1) &
			   ~(c->ssds_unused | READ_ONCE(c->ssds_leave) | BIT(ssd))))
			return false;
	}
	return true;
}

/* Free segments of one that is not used are nobody's. */
static void give_anew(struct ssdup_pool *pool, u32 ssd)
{
	u32 i, first;

	for (i = 0; i < pool->nr_segments; i++)
		if (ssdup_log_ssd_of(&pool->ssds, i, &first) == ssd &&
		    (pool->owner[i] == POOL_FREE || pool->owner[i] == POOL_NONE))
			ssdup_pool_give(pool, i, POOL_FREE);
}

static int set_state(struct ssdup_log *log, struct log_super *s, u32 ssd, u8 state,
		     const char **error)
{
	struct ssdup_pool *pool = log->pool;
	int r = begin(log, s, error);

	if (r)
		return r;
	*error = "no such SSD, or the last one that is used, or it does not leave yet";
	if (!ssdup_ssds_set(s, ssd, state))
		return -EINVAL;
	*error = "the table of a log has no other SSD: reload it";
	if (state == SSDUP_SSD_LEAVES && !have_others(pool, ssd))
		return -EINVAL;
	*error = "a log has something on the SSD";
	if (state == SSDUP_SSD_UNUSED && pool->ssds.state[ssd] != state && !is_empty(pool, ssd))
		return -EBUSY;
	*error = "the SSD cannot be written";
	r = write_pool(log, s);
	if (r)
		return r;
	/* Tables that run with it go on as if it were leaving. */
	if (state != SSDUP_SSD_UNUSED)
		tell_logs(pool, ssd, state == SSDUP_SSD_LEAVES);
	give_anew(pool, ssd);
	return 0;
}

int ssdup_ssd_state(struct ssdup_log *log, const char *number, const char *state,
		    const char **error)
{
	struct log_super *s = kmalloc(sizeof(*s), GFP_KERNEL);
	int r, to = match_string(state_names, ARRAY_SIZE(state_names), state);
	u32 ssd;

	*error = "out of memory";
	if (!s)
		return -ENOMEM;
	*error = "not a number of an SSD, and used, leaves or unused";
	r = -EINVAL;
	if (!kstrtou32(number, 10, &ssd) && to >= 0) {
		ssdup_super_copy(log, s);
		ssdup_pool_lock(log);
		r = set_state(log, s, ssd, to, error);
		ssdup_pool_unlock(log);
	}
	kfree(s);
	return r;
}
