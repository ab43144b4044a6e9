// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: a log whose superblock and record are gone. Each header repeats what they said when the
 * segment was opened. So the newest ones say all but how far the log was drained since.
 */
#include <stdlib.h>

#include "lib/wait.h"
#include "offline.h"

/* No segment is smaller, and the first one begins behind the first home. */
#define STEP	SSDUP_MIN_SEGMENT_SECTORS

/* Superblock and record as they were when the segment at @sector was opened. */
static bool header_says(const void *block, u64 sector, u64 ssd_sectors, struct log_super *s,
			struct log_header *h)
{
	const struct ssdup_header *d = block;
	u32 segment = le32_to_cpu(d->segment), sectors = le32_to_cpu(d->segment_sectors), i;
	struct log_geometry g;

	if (le32_to_cpu(d->magic) != SSDUP_HEADER_MAGIC || !is_power_of_2(sectors) ||
	    le16_to_cpu(d->log) >= SSDUP_MAX_LOGS ||
	    !ssdup_log_layout(&g, ssd_sectors, sectors, le32_to_cpu(d->block_sectors)))
		return false;
	/* It may have been made when the SSD was smaller. */
	g.nr_segments = le32_to_cpu(d->nr_segments);
	if (segment >= g.nr_segments || log_segment_sector(&g, segment) != sector)
		return false;
	ssdup_log_super_fresh(s, d->pool, d->uuid, &g, le64_to_cpu(d->hdd_sectors), ssd_sectors);
	s->log = le16_to_cpu(d->log);
	s->logs = BIT_ULL(s->log);
	s->pool_seq = 1;
	s->seq = 1;
	s->epoch = le64_to_cpu(d->epoch);
	s->first = le64_to_cpu(d->first);
	s->classes.nr = le16_to_cpu(d->nr_classes);
	for (i = 0; i < SSDUP_MAX_CLASSES; i++)
		s->tail[i] = i < s->classes.nr ? le64_to_cpu(d->tail[i]) : 0;
	memcpy(s->hdd_id, d->hdd_id, sizeof(s->hdd_id));
	return s->classes.nr <= SSDUP_MAX_CLASSES && log_would_be(s) == LOG_OK &&
	       ssdup_log_header_decode(block, s, segment, h) == LOG_OK;
}

static struct found_log *log_of(struct found_logs *logs, const struct log_super *s)
{
	struct found_log *x;

	for (x = logs->all; x < logs->all + logs->nr; x++)
		if (x->s.log == s->log && !memcmp(x->s.pool, s->pool, sizeof(s->pool)) &&
		    !memcmp(x->s.uuid, s->uuid, sizeof(s->uuid)))
			return x;
	logs->all = xmore(logs->all, logs->nr, sizeof(*x));
	x = &logs->all[logs->nr++];
	*x = (struct found_log){ .s = *s };
	return x;
}

static void take_header(struct found_logs *logs, const struct log_super *s,
			const struct log_header *h)
{
	struct found_log *x = log_of(logs, s);
	u32 i;

	x->segments++;
	if (h->generation > x->last.generation)
		x->last = *h;
	if (s->epoch < x->s.epoch)
		return;
	if (s->epoch > x->s.epoch)
		x->s = *s;
	for (i = 0; i < s->classes.nr; i++)
		x->s.tail[i] = max(x->s.tail[i], s->tail[i]);
}

/* A superblock of the pool that a record belongs to, as one is left or a header says it. */
static bool pool_of(const struct found_logs *logs, const struct log_super *named,
		    const struct ssdup_record *d, struct log_super *s)
{
	const struct found_log *x;

	if (named) {
		*s = *named;
		return true;
	}
	for (x = logs->all; x < logs->all + logs->nr; x++)
		if (!memcmp(x->s.pool, d->pool, sizeof(d->pool))) {
			*s = x->s;
			return true;
		}
	return false;
}

/* A copy of the record that is left says all, also of a log that has no segments. */
static void take_record(struct found_logs *logs, const struct log_super *named, u32 number,
			const void *block)
{
	struct found_log *x;
	struct log_super s;

	if (!pool_of(logs, named, block, &s))
		return;
	s.log = number;
	s.logs = BIT_ULL(number);
	if (ssdup_log_record_decode(block, &s) != LOG_OK || log_would_be(&s) != LOG_OK)
		return;
	x = log_of(logs, &s);
	if (x->recorded && s.seq <= x->s.seq)
		return;
	x->s = s;
	x->recorded = true;
}

void find_logs(struct log_file *l, const struct log_super *named, struct found_logs *logs)
{
	u64 sectors = named ? named->ssd_sectors : l->ssd.sectors;
	void *block = xpages(SSDUP_BLOCK_BYTES);
	u64 end = log_home(l->ssd.sectors, 1), at;
	struct log_header h;
	struct log_super s;
	u32 i;

	*logs = (struct found_logs){ };
	ticker_begin(&l->ticker);
	for (at = SSDUP_HOME_SECTORS; at < end; at += STEP) {
		at = round_up(min_t(u64, disk_next_data(&l->ssd, at), end), STEP);
		if (disk_read(&l->ssd, block, at, SSDUP_BLOCK_SECTORS))
			continue;
		if (header_says(block, at, sectors, &s, &h))
			take_header(logs, &s, &h);
		ticker_show(l->ctx, &l->ticker, l->ssd.path, "%llu %% of the SSD looked at",
			    100 * at / end);
	}
	ticker_end(&l->ticker);
	for (i = 0; i < SSDUP_COPIES * SSDUP_MAX_LOGS; i++) {
		at = log_record_sector(sectors, i / SSDUP_COPIES, i % SSDUP_COPIES);
		if (disk_read(&l->ssd, block, at, SSDUP_BLOCK_SECTORS))
			continue;
		take_record(logs, named, i / SSDUP_COPIES, block);
	}
	/* No header says what the HDD shows: the member block does, if there is one. */
	for (i = 0; i < logs->nr; i++)
		if (!logs->all[i].recorded)
			logs->all[i].s.guard = GUARD_CHANGING;
	free(block);
}
