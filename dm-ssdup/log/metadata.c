// SPDX-License-Identifier: GPL-2.0-only
/* Owns flushes of the SSDs and durable writes to them, and after an error the end of both. */
#include <linux/delay.h>
#include <linux/slab.h>

#include "base/failure.h"
#include "base/owed_errors.h"
#include "base/sync_io.h"
#include "base/wakeups.h"
#include "core/retry.h"
#include "log_internal.h"

struct ssdup_metadata {
	struct ssdup_drive	*locks[SSDUP_MAX_SSDS];	/* of the SSDs, as they are locked */
	u32			nr_locks;
	bool			claimed;	/* this table may have written to the log */
	u64			written;	/* sectors, ever; read without the lock */
};

/* If it does not, an error may be that of a flush, which drops data, and the next one succeeds. */
bool ssdup_fua_is_no_flush(const struct ssdup_ssd *ssd)
{
	return drive_fua_is_no_flush(ssd->user.bdev) &&
	       (!ssd->twin || drive_fua_is_no_flush(ssd->twin->bdev));
}

/* Only the first error: a drain may write back all dirty data, and then FLUSHes succeed. */
static void end_commits(struct ssdup_ssd *ssd, bool owe, const char *why)
{
	if (ssd->no_commits)
		return;
	if (owe)
		ssdup_owe(&ssd->c->debt);
	ssdup_ssd_fail(ssd->c, ssd, why);
	/* Whose commit leaves it out sees that it is out: pairs with salvages_now(). */
	smp_wmb();
	WRITE_ONCE(ssd->no_commits, true);
}

/* What the SSD has dropped may have been this log's. */
static void ssd_lost(struct ssdup_ssd *ssd)
{
	struct ssdup_log *log = ssd->c->log;

	/* A table that was not resumed yet has written nothing. */
	if (!log->metadata->claimed)
		return;
	WRITE_ONCE(ssd->in_doubt, true);
	WRITE_ONCE(log->in_doubt, true);
	end_commits(ssd, true, "a flush of the SSD failed for another log");
}

static void ssd_told(struct drive_user *user, bool lost)
{
	/* The other one may have it. */
	if (lost && !user->mirror)
		ssd_lost(container_of(user, struct ssdup_ssd, user));
}

static void mirror_told(struct mirror_user *mu, const char *why)
{
	struct ssdup_ssd *ssd = container_of(mu, struct ssdup_ssd, in_mirror);

	/* A table that was not resumed yet has written nothing, and tells nobody. */
	if (!ssd->c->log->metadata->claimed)
		return;
	if (!why) {
		ssd_lost(ssd);
		return;
	}
	DMERR("%s: SSD %u: one of two that hold the same is out: %s", ssd->c->name,
	      (u32)(ssd - ssd->c->ssd), why);
	ssdup_event(ssd->c);
}

/* By their addresses: another table may name partitions of the same drives in another order. */
static void add_lock(struct ssdup_metadata *meta, struct ssdup_drive *drive)
{
	u32 nr = meta->nr_locks++;

	while (nr && meta->locks[nr - 1] > drive) {
		meta->locks[nr] = meta->locks[nr - 1];
		nr--;
	}
	meta->locks[nr] = drive;
}

int ssdup_meta_create(struct ssdup_log *log, const char **why)
{
	struct ssdup_metadata *meta = kzalloc(sizeof(*meta), GFP_KERNEL);
	struct drive_user *member;
	struct ssdup_ssd *ssd;
	const char *text;
	int r = 0;
	u32 i;

	log->metadata = meta;
	if (!meta)
		return -ENOMEM;
	for (ssd = log->c->ssd; ssd < ssd_end(log->c) && !r; ssd++) {
		if (!ssd->dev)
			continue;
		r = ssdup_drive_get(&ssd->user, ssd->dev->bdev, ssd_told);
		if (!r)
			add_lock(meta, ssd->user.drive);
		if (!r && ssd->mirrored) {
			ssd->in_mirror.tell = mirror_told;
			r = ssdup_mirror_get(&ssd->user, &ssd->in_mirror,
					     ssd->twin ? ssd->twin->bdev : NULL, &text);
			*why = r ? text : NULL;
		}
		for (i = 0; i < SSDUP_TWINS && !r && ssd->twin; i++) {
			member = ssdup_mirror_member(ssd->user.mirror, i);
			if (member && member->drive != ssd->user.drive)
				add_lock(meta, member->drive);
		}
	}
	return r;
}

void ssdup_meta_destroy(struct ssdup_log *log)
{
	kfree(log->metadata);
}

/* --- One at a time --- */

static void lock_drives(struct ssdup_metadata *meta)
{
	u32 i;

	for (i = 0; i < meta->nr_locks; i++)
		mutex_lock_nested(&meta->locks[i]->lock, i);
}

static void unlock_drives(struct ssdup_metadata *meta)
{
	u32 i;

	for (i = meta->nr_locks; i-- > 0; )
		mutex_unlock(&meta->locks[i]->lock);
}

void ssdup_meta_claim(struct ssdup_log *log)
{
	lock_drives(log->metadata);
	log->metadata->claimed = true;
	unlock_drives(log->metadata);
}

int ssdup_meta_begin(struct ssdup_log *log)
{
	lock_drives(log->metadata);
	return ssds_commit(log) ? 0 : -EIO;
}

void ssdup_meta_end(struct ssdup_log *log)
{
	unlock_drives(log->metadata);
}

void ssdup_meta_failed(struct ssdup_ssd *ssd, bool flush, const char *why)
{
	lockdep_assert_held(&ssd->user.drive->lock);
	flush |= !ssdup_fua_is_no_flush(ssd);
	end_commits(ssd, flush, why);
	/* Before others get the lock: their flush would succeed. A mirror has told them. */
	if (flush && !ssd->user.mirror)
		ssdup_drive_lost(&ssd->user);
}

void ssdup_meta_wrote(struct ssdup_log *log, u32 blocks)
{
	struct ssdup_metadata *meta = log->metadata;

	lockdep_assert_held(&meta->locks[0]->lock);
	WRITE_ONCE(meta->written, meta->written + blocks * SSDUP_BLOCK_SECTORS);
}

u64 ssdup_meta_written(const struct ssdup_log *log)
{
	return READ_ONCE(log->metadata->written);
}

int ssdup_meta_again(struct ssdup_log *log, int error, struct ssdup_ssd *ssd, u64 sector,
		     struct page *page, unsigned long end)
{
	if (!error || !ssdup_fua_is_no_flush(ssd))
		return error;
	while (error && ssdup_is_transient(error) && time_before(jiffies, end)) {
		stat_inc(log->c, STAT_SSD_ERRORS);
		msleep(RETRY_PAUSE_MS);
		error = ssdup_sync_io(&ssd->user, REQ_OP_WRITE | SSDUP_META_FLAGS, sector, page, 0,
				      SSDUP_PAGE_BYTES);
	}
	return error;
}

/* --- Flushes --- */

struct flushes {
	atomic_t		pending;
	struct completion	done;
};

static void flush_ended(struct flushes *f)
{
	if (atomic_dec_and_test(&f->pending))
		complete(&f->done);
}

static void flush_end_io(struct bio *bio)
{
	flush_ended(bio->bi_private);
}

static void flush_begin(struct ssdup_ssd *ssd, struct flushes *f)
{
	ssd->flush = bio_alloc_bioset(ssd->user.bdev, 0, REQ_OP_WRITE | REQ_SYNC | REQ_PREFLUSH,
				      GFP_NOIO, &ssd->c->bs);
	ssd->flush->bi_end_io = flush_end_io;
	ssd->flush->bi_private = f;
	atomic_inc(&f->pending);
	drive_submit(&ssd->user, ssd->flush);
}

/* Return: has it failed? */
static bool flush_result(struct ssdup_ssd *ssd)
{
	bool failed = ssd->flush->bi_status;

	bio_put(ssd->flush);
	if (failed)
		ssdup_meta_failed(ssd, true, "a flush of the SSD failed");
	return failed;
}

u32 ssdup_meta_flush(struct ssdup_log *log, u32 ssds)
{
	struct flushes f = { .pending = ATOMIC_INIT(1) };
	struct ssdup *c = log->c;
	u32 i, failed = 0;

	init_completion(&f.done);
	for (i = 0; i < c->nr_ssds; i++)
		if (ssds & BIT(i))
			flush_begin(&c->ssd[i], &f);
	flush_ended(&f);
	wait_for_completion_io(&f.done);
	for (i = 0; i < c->nr_ssds; i++)
		if (ssds & BIT(i) && flush_result(&c->ssd[i]))
			failed |= BIT(i);
	return failed;
}

u32 ssdup_ssds_in_doubt(const struct ssdup_log *log)
{
	u32 i, ssds = 0;

	for (i = 0; i < log->c->nr_ssds; i++)
		if (READ_ONCE(log->c->ssd[i].in_doubt))
			ssds |= BIT(i);
	return ssds;
}

u32 ssdup_flush_rest(struct ssdup_log *log)
{
	u32 ssds, failed;

	ssdup_meta_begin(log);
	/* The next one of these would succeed, and say nothing of what was lost. */
	ssds = (BIT(log->c->nr_ssds) - 1) & ~(ssdup_ssds_in_doubt(log) | log->c->ssds_unused);
	failed = ssdup_meta_flush(log, ssds);
	ssdup_meta_end(log);
	if (failed)
		stat_inc(log->c, STAT_SSD_ERRORS);
	return ssds & ~failed;
}

int ssdup_flush_ssd(struct ssdup_log *log)
{
	u32 flushed = ssds_commit(log) ? ssdup_flush_rest(log) : 0, all = ssds_commit(log);

	return all && (flushed & all) == all ? 0 : -EIO;
}

/* --- Places in the log --- */

int ssdup_log_io(struct ssdup_log *log, blk_opf_t opf, u64 pos, struct page *page,
		 unsigned int offset, unsigned int bytes, u8 stream)
{
	struct ssdup_ssd *ssd = ssd_at(log, pos);

	return ssdup_sync_stream(&ssd->user, opf, ssd_sector(ssd, pos), page, offset, bytes,
				 stream);
}
