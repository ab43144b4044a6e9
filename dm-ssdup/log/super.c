// SPDX-License-Identifier: GPL-2.0-only
/* Owns the superblock and the record of the log, in memory and on the SSD. */
#include <linux/slab.h>
#include <linux/utsname.h>

#include "base/errors.h"
#include "base/failure.h"
#include "base/sync_io.h"
#include "core/retry.h"
#include "core/ssds.h"
#include "blank.h"
#include "log_internal.h"
#include "super.h"

struct ssdup_superblock {
	struct mutex		lock;		/* protects these, also while they are written */
	struct log_super	super;		/* UUIDs and epoch are constant after resume */
	struct log_super	copy[SSDUP_COPIES];	/* while they are read */
	struct log_super	of_ssd[SSDUP_MAX_SSDS];	/* the same */
	struct log_super	other;		/* another log's record, the same */
	struct log_super	found;		/* see ssdup_super_blank() */
	u8			uuid[16];	/* as the constructor has read it; zero: blank */
	struct page		*page;
	bool			epoch_begun;	/* metadata pages may be written */
	bool			mend;		/* a copy of the superblock is bad or old */
};

int ssdup_super_create(struct ssdup_log *log)
{
	struct ssdup_superblock *s = kvzalloc(sizeof(*s), GFP_KERNEL);

	log->superblock = s;
	if (!s)
		return -ENOMEM;
	mutex_init(&s->lock);
	s->page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	return s->page ? 0 : -ENOMEM;
}

void ssdup_super_destroy(struct ssdup_log *log)
{
	struct ssdup_superblock *s = log->superblock;

	if (s && s->page)
		__free_page(s->page);
	kvfree(s);
}

const struct log_super *ssdup_super(const struct ssdup_log *log)
{
	return &log->superblock->super;
}

void ssdup_super_copy(struct ssdup_log *log, struct log_super *s)
{
	mutex_lock(&log->superblock->lock);
	*s = log->superblock->super;
	mutex_unlock(&log->superblock->lock);
}

struct log_super *ssdup_super_blank(struct ssdup_log *log)
{
	memset(&log->superblock->found, 0, sizeof(log->superblock->found));
	return &log->superblock->found;
}

void ssdup_super_found(struct ssdup_log *log, const struct log_super *s)
{
	log->number = s->log;
	memcpy(log->superblock->uuid, s->uuid, sizeof(log->superblock->uuid));
	log->g = s->g;
	log->ssds = s->ssds;
}

/* Those that leave may have begun to do so since, or stay. */
static bool same_unused(const struct log_ssds *a, const struct log_ssds *b)
{
	bool same = true;
	u32 i;

	for (i = 0; i < SSDUP_MAX_SSDS; i++)
		same &= ssds_unused(a, i) == ssds_unused(b, i);
	return same;
}

/* Nobody else may have that number. */
bool ssdup_super_same(const struct ssdup_log *log, const struct log_super *s)
{
	return !memcmp(&log->g, &s->g, sizeof(log->g)) && log->number == s->log &&
	       log->ssds.nr == s->ssds.nr && log->ssds.mirrors == s->ssds.mirrors &&
	       same_unused(&log->ssds, &s->ssds) &&
	       !memcmp(log->ssds.segments, s->ssds.segments, sizeof(s->ssds.segments)) &&
	       (!memchr_inv(log->superblock->uuid, 0, sizeof(s->uuid)) ||
		!memcmp(log->superblock->uuid, s->uuid, sizeof(s->uuid)));
}

bool ssdup_super_classes(struct ssdup_log *log, const struct log_super *s)
{
	if (!log->class[s->classes.nr - 1].ring)
		return false;
	log->classes = s->classes;
	return true;
}

void ssdup_super_take(struct ssdup_log *log, const struct log_super *super, bool mend)
{
	log->g = super->g;
	log->superblock->super = *super;
	log->superblock->mend = mend;
}

static u64 block_sector(const struct log_super *s, u64 ssd_sectors, bool record, u32 copy)
{
	return record ? log_record_sector(ssd_sectors, s->log, copy) : log_home(ssd_sectors, copy);
}

/*
 * Read both copies that an SSD has, and pick one. Return: 0, or the error of the read of the one
 * that counts.
 */
static int read_copies(struct ssdup_log *log, struct ssdup_ssd *ssd, bool record,
		       struct log_super *s, bool *mend, enum log_fault *fault)
{
	struct page *page = log->superblock->page;
	struct log_super *copy = log->superblock->copy;
	enum log_fault f[SSDUP_COPIES];
	u64 sectors = record ? ssd->sectors : bdev_nr_sectors(ssd->user.bdev);
	int r[SSDUP_COPIES];
	u32 i, best;
	bool old;

	for (i = 0; i < SSDUP_COPIES; i++) {
		copy[i] = *s;
		/* The SSD may have grown since. */
		if (!record && i && f[0] == LOG_OK)
			sectors = copy[0].ssd_sectors;
		r[i] = ssdup_sync_io(&ssd->user, REQ_OP_READ | REQ_SYNC | REQ_META,
				     block_sector(s, sectors, record, i), page, 0,
				     SSDUP_BLOCK_BYTES);
		f[i] = r[i] ? LOG_BAD_CRC :
		       record ? ssdup_log_record_decode(page_address(page), &copy[i]) :
				ssdup_log_super_decode(page_address(page), &copy[i]);
	}
	if (!record && f[1] == LOG_OK && !log_at_home(&copy[1], sectors))
		f[1] = LOG_NOT_OURS;
	/* What was left of making a pool, while copy 0 is of another try, or of another log. */
	if (!record && f[0] == LOG_OK && f[1] == LOG_OK && ssds_being_made(&copy[1]))
		f[1] = LOG_BAD_CRC;
	*fault = ssdup_log_pick(record, f, copy, &best, &old);
	*mend |= old;
	if (*fault != LOG_OK)
		return r[best];
	*s = copy[best];
	return 0;
}

/* The newest of all SSDs; each one that has none, or an older one, gets it with the next write. */
static int read_record(struct ssdup_log *log, struct log_super *s, bool *mend,
		       enum log_fault *fault, u32 *which)
{
	struct log_super *one = log->superblock->of_ssd;
	enum log_fault f;
	struct ssdup_ssd *ssd;
	bool any = false;
	int r = 0, error;

	*fault = LOG_NO_RECORD;
	for (ssd = first_ssd(log->c); ssd; ssd = next_ssd(log->c, ssd)) {
		*one = *s;
		error = read_copies(log, ssd, true, one, mend, &f);
		if (f == LOG_OK && any && memcmp(one->uuid, s->uuid, sizeof(s->uuid)))
			f = LOG_TWO_LOGS;
		if (f == LOG_NO_RECORD) {
			*mend = true;
			r = r ?: error;
			continue;
		}
		if (f != LOG_OK) {
			*fault = f;
			*which = ssd - log->c->ssd;
			return error;
		}
		*mend |= any && one->seq != s->seq;
		if (!any || one->seq > s->seq)
			*s = *one;
		any = true;
		*fault = LOG_OK;
	}
	return any ? 0 : r;
}

enum log_fault ssdup_record_read(struct ssdup_log *log, struct log_super *s)
{
	enum log_fault fault;
	bool mend = false;
	u32 which;

	read_record(log, s, &mend, &fault, &which);
	return fault;
}

/* Naming makes none: a stale table must not give an HDD an empty log. */
static enum log_fault choose_log(struct ssdup_log *log, struct log_super *s)
{
	const u8 *uuid = log->c->set.log;
	enum log_fault fault, absent = LOG_ABSENT;
	u32 i;

	if (!memchr_inv(uuid, 0, sizeof(s->uuid)))
		return hweight64(s->logs) == 1 ? LOG_OK : LOG_SEVERAL;
	for (i = 0; i < SSDUP_MAX_LOGS; i++) {
		if (!(s->logs & BIT_ULL(i)))
			continue;
		s->log = i;
		fault = ssdup_record_read(log, s);
		if (fault == LOG_OK && !memcmp(s->uuid, uuid, sizeof(s->uuid)))
			return LOG_OK;
		/* It may be the one whose record is damaged. */
		absent = fault == LOG_OK ? absent : fault;
	}
	return absent;
}

/* What one SSD says of the pool. Return: 0 or -errno */
static int read_ssd(struct ssdup_log *log, struct ssdup_ssd *ssd, struct log_super *s, bool *mend,
		    enum log_fault *fault)
{
	int r;

	memset(s, 0, sizeof(*s));
	r = read_copies(log, ssd, false, s, mend, fault);
	if (*fault == LOG_BLANK) {
		r = ssdup_ssd_blank(ssd, log->superblock->page);
		if (r <= 0)
			*fault = LOG_NOT_OURS;
		return min(r, 0);
	}
	/* The first one is looked at with the HDD. */
	if (*fault == LOG_OK && ssd != first_ssd(log->c) &&
	    bdev_nr_sectors(ssd->user.bdev) < s->ssd_sectors)
		*fault = LOG_OTHER_SSD_SIZE;
	return r;
}

/* Those behind the last one that the table names are not used, or it would be refused. */
static void take_states(struct ssdup *c, const struct log_ssds *ssds)
{
	u32 unused = 0, leave = 0, i;

	for (i = 0; i < ssds->nr; i++) {
		c->ssd[i].c = c;
		unused |= ssds->state[i] == SSDUP_SSD_UNUSED ? BIT(i) : 0;
		leave |= ssds->state[i] == SSDUP_SSD_LEAVES ? BIT(i) : 0;
	}
	c->nr_ssds = ssds->nr;
	c->ssds_unused = unused;
	WRITE_ONCE(c->ssds_leave, leave);
}

/* The superblock that all SSDs agree on, as the first one has it. Return: 0 or -errno */
static int read_pool(struct ssdup_log *log, struct log_super *s, bool *mend, enum log_fault *fault,
		     u32 *which)
{
	struct log_super *of_ssd = log->superblock->of_ssd;
	struct ssd_found found[SSDUP_MAX_SSDS];
	struct ssdup_ssd *ssd;
	bool old[SSDUP_MAX_SSDS] = { };
	struct ssdup *c = log->c;
	int r[SSDUP_MAX_SSDS];
	u32 i;

	for (i = 0; i < c->nr_ssds; i++) {
		found[i].s = &of_ssd[i];
		found[i].fault = LOG_SSD_MISSING;
		r[i] = 0;
		if (c->ssd[i].dev)
			r[i] = read_ssd(log, &c->ssd[i], &of_ssd[i], &old[i], &found[i].fault);
	}
	*fault = ssdup_ssds_match(found, c->nr_ssds, which);
	for (i = 0; i < c->nr_ssds; i++) {
		if (found[i].fault != LOG_OK)
			continue;
		if (*fault == LOG_SSD_MISSING)
			*s = of_ssd[i];
		/* It is made anew: with another UUID, copies would seem to be of two. */
		if (*fault == LOG_BLANK)
			memcpy(s->pool, of_ssd[i].pool, sizeof(s->pool));
	}
	if (*fault != LOG_OK)
		return *which < c->nr_ssds ? r[*which] : 0;
	*s = of_ssd[*which];
	take_states(c, &s->ssds);
	if ((s->ssds.mirrors ^ ssds_mirrored(c)) & ~c->ssds_unused) {
		*fault = LOG_MIRROR;
		return 0;
	}
	for (ssd = first_ssd(c); ssd; ssd = next_ssd(c, ssd)) {
		i = ssd - c->ssd;
		ssd->sectors = of_ssd[i].ssd_sectors;
		*mend |= old[i] || of_ssd[i].pool_seq != s->pool_seq;
	}
	s->ssd_sectors = first_ssd(c)->sectors;
	s->ssds.index = first_ssd(c) - c->ssd;
	return 0;
}

int ssdup_super_read(struct ssdup_log *log, struct log_super *s, bool *mend, enum log_fault *fault,
		     u32 *which)
{
	int r;

	*mend = false;
	r = read_pool(log, s, mend, fault, which);
	if (*fault == LOG_OK)
		*fault = choose_log(log, s);
	if (*fault == LOG_OK)
		r = read_record(log, s, mend, fault, which);
	if (*fault == LOG_BLANK)
		return 1;
	return *fault == LOG_OK ? 0 : r ?: -EINVAL;
}

/* A commit may run between the copies, so a FUA write waits for one copy at most. */
int ssdup_write_block(struct ssdup_log *log, struct ssdup_ssd *ssd, struct page *page, u64 sector)
{
	int r;

	ssdup_meta_begin(log);
	r = ssdup_sync_io(&ssd->user, REQ_OP_WRITE | SSDUP_META_FLAGS, sector, page, 0,
			  SSDUP_BLOCK_BYTES);
	ssdup_meta_wrote(log, 1);
	r = ssdup_meta_again(log, r, ssd, sector, page, jiffies + msecs_to_jiffies(RETRY_AWAY_MS));
	if (r)
		ssdup_meta_failed(ssd, false, "a write of the log's record to the SSD failed");
	ssdup_meta_end(log);
	return r;
}

/*
 * One of the copies, to each SSD that gets commits; to all, if none does: a record that only frees
 * refers to no data. The newest counts, so one SSD will do. Return: 0, or -EIO when none takes it.
 */
static int write_to_all(struct ssdup_log *log, struct page *page, struct log_super *s, bool record,
			u32 copy)
{
	struct ssdup *c = log->c;
	u32 commit = ssds_commit(log), i;
	struct ssdup_ssd *ssd;
	bool taken = false;

	for (ssd = first_ssd(c); ssd; ssd = next_ssd(c, ssd)) {
		i = ssd - c->ssd;
		if (commit && !(commit & BIT(i)))
			continue;
		if (ssd != first_ssd(c))
			ssdup_step(c, STEP_SSDS_BETWEEN);
		s->ssd_sectors = ssd->sectors;
		s->ssds.index = i;
		if (record)
			ssdup_log_record_encode(s, page_address(page));
		else
			ssdup_log_super_encode(s, page_address(page));
		if (!ssdup_write_block(log, ssd, page,
				       block_sector(s, s->ssd_sectors, record, copy)))
			taken = true;
		else
			stat_inc(c, STAT_SSD_ERRORS);
	}
	s->ssd_sectors = first_ssd(c)->sectors;
	s->ssds.index = first_ssd(c) - c->ssd;
	return taken ? 0 : -EIO;
}

/* Without copy 0 of the superblock, an SSD with copy 1 would be one that was overwritten. */
int ssdup_write_copies(struct ssdup_log *log, struct page *page, struct log_super *s, bool record,
		       enum ssdup_step between)
{
	int r = write_to_all(log, page, s, record, record);

	if (!r) {
		ssdup_step(log->c, between);
		r = write_to_all(log, page, s, record, !record);
	}
	return r;
}

static int write_record(struct ssdup_log *log, enum ssdup_step between)
{
	struct ssdup_superblock *s = log->superblock;

	lockdep_assert_held(&s->lock);
	s->super.seq++;
	if (ssdup_log_super_spent(&s->super)) {
		ssdup_fail(log->c, MODE_LOG_READ_ONLY, "the counters of the log are used up");
		return -SSDUP_ERR_SPENT;
	}
	return ssdup_write_copies(log, s->page, &s->super, true, between);
}

/* Blank SSDs may be two paths to one, which has only the last superblock then. 0 or -errno */
static int are_apart(struct ssdup_log *log)
{
	struct ssdup_superblock *s = log->superblock;
	struct ssdup *c = log->c;
	u32 i;
	int r;

	for (i = 0; i < c->nr_ssds; i++) {
		r = ssdup_sync_io(&c->ssd[i].user, REQ_OP_READ | REQ_SYNC | REQ_META, 0, s->page, 0,
				  SSDUP_BLOCK_BYTES);
		if (r)
			return r;
		if (ssdup_log_super_decode(page_address(s->page), &s->copy[0]) != LOG_OK ||
		    s->copy[0].ssds.index != i) {
			DMERR("%s: two of the SSDs are one", c->name);
			return -EBUSY;
		}
	}
	return 0;
}

/*
 * It comes behind the record: an SSD with a blank first block is not formatted yet. Several SSDs
 * get a new one twice, see core/ssds.h.
 */
static int write_super(struct ssdup_log *log, enum ssdup_step between)
{
	struct ssdup_superblock *s = log->superblock;
	bool twice;
	int r;

	lockdep_assert_held(&s->lock);
	ssdup_pool_lock(log);
	do {
		ssdup_pool_stamp(log, &s->super);
		twice = s->super.ssds.nr > 1 && s->super.pool_seq == SSDS_BEING_MADE;
		r = ssdup_write_copies(log, s->page, &s->super, false, between);
		if (!r && twice)
			r = are_apart(log);
	} while (!r && twice);
	ssdup_pool_unlock(log);
	return r;
}

/* The log says who has it, until a suspend closes it. */
static void name_host(struct ssdup_log *log, struct log_super *s)
{
	const u8 *host = log->c->set.host;

	memcpy(s->host, host, sizeof(s->host));
	memset(s->host_name, 0, sizeof(s->host_name));
	if (memchr_inv(host, 0, sizeof(s->host)))
		strscpy(s->host_name, init_utsname()->nodename, sizeof(s->host_name));
}

/* While it was suspended the SSD was free for others. A damaged record is no sign of them. */
static bool used_since(struct ssdup_log *log)
{
	struct ssdup_superblock *s = log->superblock;
	struct ssdup_ssd *ssd = first_ssd(log->c);
	struct log_super *now = &s->copy[0];
	enum log_fault fault;

	*now = s->super;
	if (ssdup_sync_io(&ssd->user, REQ_OP_READ | REQ_SYNC | REQ_META,
			  log_record_sector(ssd->sectors, now->log, 0), s->page, 0,
			  SSDUP_BLOCK_BYTES))
		return false;
	fault = ssdup_log_record_decode(page_address(s->page), now);
	return fault == LOG_NOT_OURS ||
	       (fault == LOG_OK && (now->seq > s->super.seq ||
				    memcmp(now->uuid, s->super.uuid, sizeof(now->uuid))));
}

/* Logs of one SSD share its segments, so they must be active on one host. */
static bool others_elsewhere(struct ssdup_log *log)
{
	struct log_super *other = &log->superblock->other;
	u32 i;

	for (i = 0; i < SSDUP_MAX_LOGS; i++) {
		/* Who has it active here need not say which host this is. */
		if (!ssdup_pool_absent(log, i))
			continue;
		*other = log->superblock->super;
		other->log = i;
		/* One that is damaged names nobody, and must not hold the others up. */
		if (ssdup_record_read(log, other) == LOG_OK &&
		    log_of_other_host(other, log->c->set.host))
			return true;
	}
	return false;
}

/* The second home moves to the new end of an SSD that has grown; others would miss it. */
static bool move_homes(struct ssdup_log *log)
{
	struct ssdup_ssd *ssd;
	bool moved = false;
	u64 sectors;

	for (ssd = first_ssd(log->c); ssd; ssd = next_ssd(log->c, ssd)) {
		sectors = bdev_nr_sectors(ssd->user.bdev);
		if (log_home(ssd->sectors, 1) == log_home(sectors, 1))
			continue;
		ssd->sectors = sectors;
		moved = true;
	}
	return moved;
}

int ssdup_begin_epoch(struct ssdup_log *log)
{
	struct ssdup_superblock *s = log->superblock;
	bool again = s->epoch_begun, blank = !s->super.pool_seq;
	int r;

	/* The log takes no more writes; reads still work. */
	if (again && ssdup_mode(log->c) != MODE_RUNNING)
		return 0;
	mutex_lock(&s->lock);
	if (again && used_since(log)) {
		mutex_unlock(&s->lock);
		DMERR("%s: somebody has used the log since the suspend", log->c->name);
		return -EBUSY;
	}
	if (!(log->c->set.override & SSDUP_OVERRIDE_HOST) && others_elsewhere(log)) {
		mutex_unlock(&s->lock);
		DMERR("%s: another host has a log of the SSD active, or had; see override",
		      log->c->name);
		return -EBUSY;
	}
	if (!again)
		s->super.epoch++;
	s->super.flags &= ~SSDUP_RECORD_CLOSED;
	name_host(log, &s->super);
	if (!again && ssdup_pool_alone(log))
		s->mend |= move_homes(log);
	ssdup_step(log->c, blank ? STEP_FORMAT_BEGIN : STEP_EPOCH_BEGIN);
	/* What was replayed, or blanked, may still be in the SSD's cache. */
	r = ssdup_mirrors_start(log, &s->mend) ?: ssdup_flush_ssd(log) ?:
	    write_record(log, STEP_EPOCH_BETWEEN);
	if (!r && (blank || s->mend)) {
		ssdup_step(log->c, STEP_FORMAT_RECORD);
		r = write_super(log, STEP_FORMAT_BETWEEN);
	}
	r = r ?: ssdup_mirrors_made(log);
	/* An SSD that has lost what was replayed is no member of a new table. */
	if (!r && !again && !ssdup_whole(log->c))
		r = -EIO;
	ssdup_step(log->c, blank ? STEP_FORMAT_DONE : STEP_EPOCH_DONE);
	if (!r) {
		s->epoch_begun = true;
		s->mend = false;
	}
	mutex_unlock(&s->lock);
	/* With its counters used up the log is read-only. */
	if (again || r == -SSDUP_ERR_SPENT)
		return 0;
	if (r)
		DMERR("%s: cannot write the record of the log (%d)", log->c->name, r);
	return r;
}

int ssdup_raise_tails(struct ssdup_log *log, const struct drain_group *g)
{
	struct ssdup_superblock *s = log->superblock;
	const struct drain_part *p;
	u64 *tail;
	int r;

	mutex_lock(&s->lock);
	for (p = g->part; p < g->part + SSDUP_MAX_SSDS; p++) {
		if (!p->nr)
			continue;
		tail = &s->super.tail[p->first->class->index];
		/* A header that is made meanwhile reads it without the lock. */
		WRITE_ONCE(*tail, max(*tail, p->last + 1));
	}
	r = write_record(log, STEP_FREE_BETWEEN);
	mutex_unlock(&s->lock);
	return r;
}

int ssdup_record_again(struct ssdup_log *log)
{
	int r;

	mutex_lock(&log->superblock->lock);
	r = write_record(log, STEP_MEMBER_BETWEEN);
	mutex_unlock(&log->superblock->lock);
	return r;
}

int ssdup_super_guard(struct ssdup_log *log, enum guard_state state, u64 epoch, const void *head)
{
	struct ssdup_superblock *s = log->superblock;
	int r;

	mutex_lock(&s->lock);
	s->super.guard = state;
	s->super.guard_epoch = epoch;
	memcpy(s->super.head, head, sizeof(s->super.head));
	r = write_record(log, STEP_GUARD_BETWEEN);
	mutex_unlock(&s->lock);
	return r;
}

void ssdup_write_closed(struct ssdup_log *log)
{
	struct ssdup_superblock *s = log->superblock;
	struct ssdup_segment *seg;
	u32 i;

	mutex_lock(&s->lock);
	s->super.live_segments = 0;
	s->super.live_pages = 0;
	for (i = 0; i < log->g.nr_segments; i++) {
		seg = &log->segment[i];
		/* A tail that could not be written before is written now. */
		if (seg->state == SEGMENT_FREE || !log_live(&s->super, seg->generation) ||
		    !segment_pages(seg))
			continue;
		s->super.live_segments++;
		s->super.live_pages += segment_pages(seg);
	}
	ssdup_step(log->c, STEP_SUSPEND_CLOSED);
	s->super.flags |= SSDUP_RECORD_CLOSED;
	write_record(log, STEP_SUSPEND_BETWEEN);
	s->super.flags &= ~SSDUP_RECORD_CLOSED;
	mutex_unlock(&s->lock);
	ssdup_step(log->c, STEP_SUSPEND_DONE);
}
