// SPDX-License-Identifier: GPL-2.0-only
/* Owns which SSDs a pool has: names another one, lets one leave, or fills another mirror of one. */
#include <linux/slab.h>
#include <linux/uuid.h>

#include "base/failure.h"
#include "base/sync_io.h"
#include "base/wakeups.h"
#include "core/ssds.h"
#include "log_internal.h"
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
	memcpy(*owner, pool->owner, was);
	memset(*owner + was, POOL_NONE, s->g.nr_segments - was);
	swap(*owner, pool->owner);
	pool->nr_segments = s->g.nr_segments;
	return 0;
}

int ssdup_pool_add_ssd(struct ssdup_log *log, const char *number, const char *uuid,
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

/* Has a log something there that is not active, or perhaps one? */
static bool is_held(const struct ssdup_pool *pool, u32 ssd)
{
	u32 i, owner, first;

	for (i = 0; i < pool->nr_segments; i++) {
		owner = pool->owner[i];
		if (ssdup_log_ssd_of(&pool->ssds, i, &first) == ssd && owner != POOL_FREE &&
		    owner != POOL_NONE && (owner == POOL_UNCLEAR || !pool->user[owner].log))
			return true;
	}
	return false;
}

/* Is nothing on it, and will nothing be? It leaves, so no log opens a segment there. */
static bool is_empty(struct ssdup_pool *pool, u32 ssd)
{
	const struct pool_user *user;

	for (user = pool->user; user < pool->user + SSDUP_MAX_LOGS; user++)
		if (user->log && !ssdup_segments_leave(user->log, ssd))
			return false;
	/* What an active log has leased is free, or it would not be empty. */
	return !is_held(pool, ssd);
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

int ssdup_pool_ssd_state(struct ssdup_log *log, const char *number, const char *state,
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

/* --- Another mirror --- */

/*
 * It gets all writes from some moment on. What segments held then is on one SSD alone, and has to
 * go: it is written back as ever. When no log has such a segment any more, and homes were written
 * since, the new one has all that anybody will read.
 */

/* @number: text. Return: NULL for none with a mirror */
static struct ssdup_ssd *mirrored_ssd(struct ssdup_log *log, const char *number,
				      const char **error)
{
	struct ssdup_ssd *ssd;
	u32 i;

	*error = "not the number of an SSD with a mirror";
	if (kstrtou32(number, 10, &i) || i >= log->c->nr_ssds)
		return NULL;
	ssd = &log->c->ssd[i];
	return ssd->mirrored && ssd_used(ssd) ? ssd : NULL;
}

/* Logs that are not active, or not any more, do not write their records themselves. */
static int copy_absent(struct ssdup_log *log, struct ssdup_ssd *ssd)
{
	struct ssdup_pool *pool = log->pool;
	u32 i, copy;
	u64 sector;
	int r = 0;

	for (i = 0; i < SSDUP_MAX_LOGS; i++) {
		if (!(pool->logs & BIT_ULL(i)) || pool->user[i].log)
			continue;
		for (copy = 0; copy < SSDUP_COPIES && !r; copy++) {
			sector = log_record_sector(ssd->sectors, i, copy);
			r = ssdup_sync_io(&ssd->user, REQ_OP_READ | REQ_SYNC | REQ_META, sector,
					  pool->page, 0, SSDUP_BLOCK_BYTES) ?:
			    ssdup_write_block(log, ssd, pool->page, sector);
		}
	}
	return r;
}

/* All but the records of active logs, which these write. @s: as of begin(). 0 or -errno */
static int write_homes(struct ssdup_log *log, struct ssdup_ssd *ssd, struct log_super *s,
		       const char **error)
{
	int r = begin(log, s, error);

	if (r)
		return r;
	*error = "the SSD cannot be read or written";
	return copy_absent(log, ssd) ?: write_pool(log, s);
}

/* The pool is locked. Return: the number of the filling, or -errno */
static int begin_filling(struct ssdup_log *log, struct ssdup_ssd *ssd, struct log_super *s,
			 const char **error)
{
	u32 was = ssdup_mirror_filling(ssd->user.mirror);
	int number = ssdup_mirror_fill(ssd->user.mirror, error), r;

	if (number < 0 || was)
		return number;
	r = write_homes(log, ssd, s, error);
	if (!r && ssdup_mirror_filling(ssd->user.mirror) == number)
		return number;
	ssdup_mirror_stop(ssd->user.mirror);
	return r ?: -EIO;
}

int ssdup_mirror_fills(struct ssdup_log *log, const char *number, const char **error)
{
	struct ssdup_ssd *ssd = mirrored_ssd(log, number, error);
	struct log_super *s = ssd ? kmalloc(sizeof(*s), GFP_KERNEL) : NULL;
	int filling;

	if (!s)
		return ssd ? -ENOMEM : -EINVAL;
	ssdup_super_copy(log, s);
	ssdup_pool_lock(log);
	filling = begin_filling(log, ssd, s, error);
	ssdup_pool_unlock(log);
	kfree(s);
	if (filling < 0 || filling == ssd->marked)
		return min(filling, 0);
	ssdup_segments_alone(log, ssd - log->c->ssd);
	*error = "the record of the log cannot be written";
	if (ssdup_record_again(log))
		return -EIO;
	ssdup_pool_lock(log);
	ssd->marked = filling;
	ssdup_pool_unlock(log);
	return 0;
}

u32 ssdup_mirror_left(struct ssdup_log *log, const char *number)
{
	const char *error;
	struct ssdup_ssd *ssd = mirrored_ssd(log, number, &error);

	return ssd ? ssdup_segments_left_alone(log, ssd - log->c->ssd) : 0;
}

/* Is something of an active log on one SSD alone, or has one not looked yet? */
static bool any_alone(const struct ssdup_pool *pool, u32 ssd, u32 filling)
{
	const struct pool_user *user;

	for (user = pool->user; user < pool->user + SSDUP_MAX_LOGS; user++)
		if (user->log && (user->log->c->ssd[ssd].marked != filling ||
				  ssdup_segments_left_alone(user->log, ssd)))
			return true;
	return false;
}

/* The pool is locked. Return: 0 or -errno */
static int count_it(struct ssdup_log *log, struct ssdup_ssd *ssd, struct log_super *s,
		    const char **error)
{
	struct ssdup_mirror *m = ssd->user.mirror;
	u32 i = ssd - log->c->ssd, filling = ssdup_mirror_filling(m);
	int r;

	*error = "the new SSD is not filled, or has failed";
	if (!filling)
		return -EIO;
	*error = "a log has something on the other SSD alone";
	if (any_alone(log->pool, i, filling))
		return -EBUSY;
	*error = "a log that is not active has something on the other SSD alone";
	if (is_held(log->pool, i))
		return -EBUSY;
	/* Logs that were active when it began may have gone since. */
	r = write_homes(log, ssd, s, error);
	if (r)
		return r;
	ssdup_step(log->c, STEP_MEMBER_BEGIN);
	r = ssdup_mirror_whole(m);
	ssdup_step(log->c, STEP_MEMBER_BETWEEN);
	r = r ?: ssdup_mirror_named(m);
	ssdup_step(log->c, STEP_MEMBER_DONE);
	return r;
}

int ssdup_mirror_filled(struct ssdup_log *log, const char *number, const char **error)
{
	struct ssdup_ssd *ssd = mirrored_ssd(log, number, error);
	struct log_super *s = ssd ? kmalloc(sizeof(*s), GFP_KERNEL) : NULL;
	int r;

	if (!s)
		return ssd ? -ENOMEM : -EINVAL;
	ssdup_super_copy(log, s);
	ssdup_pool_lock(log);
	r = count_it(log, ssd, s, error);
	ssdup_pool_unlock(log);
	kfree(s);
	return r;
}

int ssdup_mirror_leaves(struct ssdup_log *log, const char *number, const char *index,
			const char **error)
{
	struct ssdup_ssd *ssd = mirrored_ssd(log, number, error);
	u32 i;

	if (!ssd)
		return -EINVAL;
	*error = "not 0 or 1, or the last one of the two";
	return kstrtou32(index, 10, &i) ? -EINVAL : ssdup_mirror_out(ssd->user.mirror, i);
}
