// SPDX-License-Identifier: GPL-2.0-only
/* Owns which logs the SSD holds: finds them, adds one, forgets one. */
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/uuid.h>

#include "base/failure.h"
#include "log_internal.h"
#include "super.h"

/* --- Which segments the others have --- */

/* A bad block may be a page. Return: 0, or -errno when the header cannot be read */
static int read_head(struct ssdup_log *log, u32 segment, struct page *head)
{
	u64 pos = log_segment_sector(&log->g, segment);
	u32 at;
	int r, header = 0;

	if (!ssdup_log_io(log, REQ_OP_READ | REQ_META, pos, head, 0, LOG_HEAD_BYTES, 0))
		return 0;
	for (at = 0; at < LOG_HEAD_BYTES; at += SSDUP_BLOCK_BYTES) {
		r = ssdup_log_io(log, REQ_OP_READ | REQ_META, pos + (at >> SECTOR_SHIFT), head, at,
				 SSDUP_BLOCK_BYTES, 0);
		if (r)
			memset(page_address(head) + at, 0, SSDUP_BLOCK_BYTES);
		header = at ? header : r;
	}
	return header;
}

static struct page *head_new(void)
{
	return alloc_pages(GFP_KERNEL, get_order(LOG_HEAD_BYTES));
}

static void head_free(struct page *head)
{
	if (head)
		__free_pages(head, get_order(LOG_HEAD_BYTES));
}

/* What a power cut has left on one of two SSDs; no log is active yet. Return: 0 or -errno */
static int even_head(struct ssdup_log *log, u32 segment, const struct page *head)
{
	const struct ssdup_ssd *ssd = ssd_of(log, &log->segment[segment]);
	u64 pos = log_segment_sector(&log->g, segment);

	if (!ssd->user.mirror || log->c->read_only)
		return 0;
	return ssdup_mirror_even(ssd->user.mirror, ssd_sector(ssd, pos), page_address(head),
				 LOG_HEAD_BYTES);
}

static void scan_heads(struct ssdup_log *log, const struct pool_log *logs, struct page *head)
{
	int r;
	u32 i;

	for (i = 0; i < log->g.nr_segments; i++) {
		if (log->c->ssds_unused & BIT(log->segment[i].ssd))
			continue;
		r = read_head(log, i, head) ?: even_head(log, i, head);
		ssdup_pool_found(log, logs, i, r ? NULL : page_address(head));
	}
}

int ssdup_scan_logs(struct ssdup_log *log, const struct log_super *super)
{
	struct pool_log *logs = kvcalloc(SSDUP_MAX_LOGS, sizeof(*logs), GFP_KERNEL);
	struct page *head = head_new();
	int r = -ENOMEM;
	u32 i;

	if (!logs || !head)
		goto out;
	for (i = 0; i < SSDUP_MAX_LOGS; i++) {
		logs[i].s = *super;
		logs[i].s.log = i;
		if (super->logs & BIT_ULL(i))
			logs[i].fault = ssdup_record_read(log, &logs[i].s);
		if (logs[i].fault != LOG_OK)
			DMWARN("%s: log %u: %s (fault %d): what it may have is held back",
			       log->c->name, i, ssdup_log_fault_text(logs[i].fault),
			       logs[i].fault);
	}
	scan_heads(log, logs, head);
	ssdup_pool_scanned(log, logs);
	r = 0;
out:
	head_free(head);
	kvfree(logs);
	return r;
}

/* --- Adding one, and forgetting one --- */

static const char names_all[] = "the table does not name all SSDs that are used: reload it";

static u32 number_of(const struct ssdup_pool *pool, const u8 uuid[16])
{
	u32 i;

	for (i = 0; i < SSDUP_MAX_LOGS; i++)
		if (pool->logs & BIT_ULL(i) &&
		    !memcmp(pool->user[i].uuid, uuid, sizeof(pool->user[i].uuid)))
			break;
	return i;
}

/* Headers of an earlier log with that UUID would pass for those of a new one. */
static int was_here(struct ssdup_log *log, const u8 uuid[16])
{
	struct page *head = head_new();
	const struct ssdup_header *d;
	int found = 0;
	u32 i;

	if (!head)
		return -ENOMEM;
	d = page_address(head);
	for (i = 0; i < log->g.nr_segments && !found; i++)
		found = !(log->c->ssds_unused & BIT(log->segment[i].ssd)) &&
			!read_head(log, i, head) &&
			le32_to_cpu(d->magic) == SSDUP_HEADER_MAGIC &&
			!memcmp(d->uuid, uuid, sizeof(d->uuid));
	head_free(head);
	return found;
}

/* Nor do its pages, in segments that others had since: the new one's generations are others. */
static void new_record(struct log_super *s, u32 number, const u8 uuid[16], u64 hdd_sectors,
		       u32 block_sectors)
{
	s->log = number;
	memcpy(s->uuid, uuid, sizeof(s->uuid));
	s->seq = 1;
	s->epoch = 1;
	s->hdd_sectors = hdd_sectors;
	s->g.block_sectors = block_sectors;
	s->first = 1 + get_random_u64() % (LOG_MAX_GENERATION / 2);
	ssdup_log_classes(s, 1, s->first);
	s->flags = SSDUP_RECORD_CLOSED;
	s->live_segments = 0;
	s->live_pages = 0;
	memset(s->hdd_id, 0, sizeof(s->hdd_id));
}

static int write_logs(struct ssdup_log *log, struct log_super *s, u64 logs)
{
	struct ssdup_pool *pool = log->pool;
	int r;

	ssdup_pool_stamp(log, s);
	s->logs = logs;
	r = ssdup_write_copies(log, pool->page, s, false, STEP_LOGS_BETWEEN);
	/* After an error nobody knows what the SSD says: no number is given out twice. */
	WRITE_ONCE(pool->logs, r ? pool->logs | logs : logs);
	return r;
}

/* The bit in the superblock comes last: without it nobody looks at the record. */
static int write_log(struct ssdup_log *log, struct log_super *s)
{
	struct ssdup_pool *pool = log->pool;
	int r;

	ssdup_step(log->c, STEP_ADD_BEGIN);
	r = ssdup_write_copies(log, pool->page, s, true, STEP_ADD_BETWEEN);
	ssdup_step(log->c, STEP_ADD_RECORD);
	/* Each SSD has to have it: another log with this number may have left one there. */
	if (!r && !ssdup_whole(log->c))
		r = -EIO;
	r = r ?: write_logs(log, s, pool->logs | BIT_ULL(s->log));
	ssdup_step(log->c, STEP_ADD_DONE);
	return r;
}

/* @s: the superblock */
static int add_log(struct ssdup_log *log, struct log_super *s, const u8 uuid[16], u64 hdd_sectors,
		   u32 block_sectors, const char **error)
{
	struct ssdup_pool *pool = log->pool;
	u32 number = pool->logs == U64_MAX ? SSDUP_MAX_LOGS : __ffs64(~pool->logs);

	*error = "the log is read-only, or an SSD of it is";
	if (!ssdup_whole(log->c))
		return -EROFS;
	*error = names_all;
	if (!ssdup_names_all(log))
		return -EINVAL;
	*error = "the SSD has as many logs as it can have";
	if (number == SSDUP_MAX_LOGS)
		return -ENOSPC;
	*error = "a log of the SSD has that UUID";
	if (number_of(pool, uuid) < SSDUP_MAX_LOGS)
		return -EEXIST;
	*error = "no segments are free for another log: reload a table with a smaller max_mb";
	if (!ssdup_pool_has_room(pool, number))
		return -ENOSPC;
	new_record(s, number, uuid, hdd_sectors, block_sectors);
	*error = "the SSD cannot be written";
	pool->user[number].lifetimes = 1;
	memcpy(pool->user[number].uuid, uuid, sizeof(pool->user[number].uuid));
	return write_log(log, s);
}

static struct log_super *super_copy(struct ssdup_log *log, const char **error)
{
	struct log_super *s = kmalloc(sizeof(*s), GFP_KERNEL);

	*error = "out of memory";
	if (s)
		ssdup_super_copy(log, s);
	return s;
}

int ssdup_log_add(struct ssdup_log *log, const char *uuid, const char *hdd_sectors,
		  const char *block_sectors, const char **error)
{
	struct log_super *s;
	uuid_t id;
	u64 hdd;
	u32 block;
	int r;

	*error = "not a UUID, sectors of an HDD, sectors of a block";
	if (uuid_parse(uuid, &id) || uuid_is_null(&id) || strlen(uuid) != UUID_STRING_LEN ||
	    kstrtou64(hdd_sectors, 10, &hdd) || kstrtou32(block_sectors, 10, &block) ||
	    !is_power_of_2(block) || block > SSDUP_PAGE_SECTORS || !hdd || hdd >> 54 || hdd % block)
		return -EINVAL;
	r = was_here(log, id.b);
	*error = r < 0 ? "out of memory" : "a log with that UUID was on the SSD before";
	if (r)
		return r < 0 ? r : -EEXIST;
	s = super_copy(log, error);
	if (!s)
		return -ENOMEM;
	ssdup_pool_lock(log);
	r = add_log(log, s, id.b, hdd, block, error);
	ssdup_pool_unlock(log);
	kfree(s);
	return r;
}

static bool holds_any(const struct ssdup_pool *pool, u32 number)
{
	return memchr(pool->owner, number, pool->nr_segments);
}

static int forget_log(struct ssdup_log *log, struct log_super *s, const u8 uuid[16], bool force,
		      const char **error)
{
	struct ssdup_pool *pool = log->pool;
	u32 number = number_of(pool, uuid), i;
	int r;

	*error = "the log is read-only, or an SSD of it is";
	if (!ssdup_whole(log->c))
		return -EROFS;
	*error = names_all;
	if (!ssdup_names_all(log))
		return -EINVAL;
	*error = "no log of the SSD has that UUID";
	if (number == SSDUP_MAX_LOGS)
		return -ENOENT;
	*error = "the log is active, or the last one";
	if (pool->user[number].log || pool->logs == BIT_ULL(number))
		return -EBUSY;
	*error = "the log holds data that its HDD lacks, or may do so: drain it, or say force";
	if ((holds_any(pool, number) || holds_any(pool, POOL_UNCLEAR)) && !force)
		return -ENOTEMPTY;
	*error = "the SSD cannot be written";
	ssdup_step(log->c, STEP_FORGET_BEGIN);
	r = write_logs(log, s, pool->logs & ~BIT_ULL(number));
	if (r)
		return r;
	ssdup_step(log->c, STEP_FORGET_DONE);
	memset(&pool->user[number], 0, sizeof(pool->user[number]));
	for (i = 0; i < pool->nr_segments; i++)
		if (pool->owner[i] == number)
			ssdup_pool_give(pool, i, POOL_FREE);
	return 0;
}

int ssdup_log_forget(struct ssdup_log *log, const char *uuid, bool force, const char **error)
{
	struct log_super *s;
	uuid_t id;
	int r;

	*error = "not a UUID";
	if (uuid_parse(uuid, &id) || uuid_is_null(&id) || strlen(uuid) != UUID_STRING_LEN)
		return -EINVAL;
	s = super_copy(log, error);
	if (!s)
		return -ENOMEM;
	ssdup_pool_lock(log);
	r = forget_log(log, s, id.b, force, error);
	ssdup_pool_unlock(log);
	kfree(s);
	return r;
}
