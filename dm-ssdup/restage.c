// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: what becomes of writes of the stage that the SSD refuses.
 */
#include <linux/delay.h>

#include "base/failure.h"
#include "core/retry.h"
#include "log/nodes.h"
#include "map/map.h"
#include "restage.h"
#include "route/router.h"

#define PLACES	3U	/* that are tried for a write, besides its own */

/* Write a part of a write of the stage. @at: sectors in the buffer. Return: 0 or -errno. */
static int write_part(struct ssdup_log *log, struct stage_buffer *b, u32 at, u64 pos, u32 sectors,
		      u8 stream)
{
	u32 from = at << SECTOR_SHIFT, left = sectors << SECTOR_SHIFT, len;
	const struct ssdup_ssd *ssd = ssd_at(log, pos);
	int r;

	for (r = 0; left && !r; left -= len, from += len, pos += len >> SECTOR_SHIFT) {
		len = min_t(u32, left, PAGE_SIZE - offset_in_page(from));
		r = ssdup_log_io(log, REQ_OP_WRITE, pos, b->page[from >> PAGE_SHIFT],
				 offset_in_page(from), len, stream);
	}
	/* A flush may have failed since, and lost it. */
	return r ?: READ_ONCE(ssd->in_doubt) ? -EIO : 0;
}

/* A write has failed. Return: may it be tried again, at once or @away: at the same place? */
static bool try_again(struct ssdup *c, struct ssdup_ssd *ssd, int error, unsigned long until,
		      u32 *tries, bool *away)
{
	*away = ssdup_data_error(c->router, ssd, errno_to_blk_status(error));
	if (*away && time_before(jiffies, until)) {
		msleep(RETRY_PAUSE_MS);
		return true;
	}
	if (!*away && (*tries)++ < PLACES)
		return true;
	ssdup_ssd_fail(c, ssd, *away ? "the SSD takes no writes" :
		       "a write of data to the SSD failed in one place after the other");
	return false;
}

/* Move a part to another place. Return: as ssdup_reserve(), or the error of the write. */
static int move_part(struct ssdup *c, struct stage_buffer *b, u32 nr, u64 start, u32 sectors)
{
	const struct stage_record *rec = &b->record[nr];
	struct ssdup_io io = {
		.class = rec->segment->class->index, .start = start, .sectors = sectors,
	};
	u64 pos;
	int r;

	r = ssdup_reserve(c->log, &io, sectors, LOG_WORD_DRAIN | LOG_WORD_KEPT);
	if (r)
		return r;
	pos = ssdup_fill_extent(c->log, &io, start, sectors, SSDUP_KIND_DATA);
	r = write_part(c->log, b, b->span[nr].at + (start - rec->start), pos, sectors,
		       io.segment->class->stream);
	if (r || !ssdup_move(c->map, &io, rec->seq))
		ssdup_give_up(c->log, &io);
	ssdup_put_write(c->log, io.segment);
	ssdup_free_spare(c->log, &io);
	return r;
}

int ssdup_restage(struct ssdup_log *log, struct stage_buffer *b, u32 nr)
{
	const struct stage_record *rec = &b->record[nr];
	struct ssdup_ssd *ssd = ssd_of(log, rec->segment);
	u64 start = rec->start, behind = start + b->span[nr].sectors;
	const struct ssdup_class *k = rec->segment->class;
	struct ssdup *c = log->c;
	u32 tries = 0, sectors;
	bool away = true;
	int r;

	if (b->failed)
		ssdup_data_error(c->router, b->failed->ssd, b->failed->status);
	b->failed = NULL;
	/* Unless its entry was given up, when it was tried before. */
	while (rec->page && !class_closed(log, k)) {
		r = write_part(log, b, b->span[nr].at, b->span[nr].pos, b->span[nr].sectors,
			       k->stream);
		if (!r) {
			ssdup_stage_written(b, nr);
			return 0;
		}
		if (!try_again(c, ssd, r, b->until, &tries, &away) || !away)
			break;
	}
	ssdup_stage_give_up(b, nr);
	while (!class_closed(log, k)) {
		sectors = ssdup_map_part(c->map, &start, behind, rec->seq);
		if (!sectors) {
			ssdup_stage_moved(b, nr);
			return 0;
		}
		r = move_part(c, b, nr, start, sectors);
		if (r == -SSDUP_ERR_RING_FULL ||
		    (r == -SSDUP_ERR_NO_SEGMENT && ssdup_coming_segments(log, k->ssd) &&
		     time_before(jiffies, b->until)))
			return -EAGAIN;
		if (r == -SSDUP_ERR_NO_NODE && time_before(jiffies, b->until))
			msleep(RETRY_PAUSE_MS);
		else if (r == -SSDUP_ERR_NO_NODE || r == -SSDUP_ERR_NO_SEGMENT)
			ssdup_ssd_fail(c, ssd, "no place is left for a write that the SSD refused");
		else if (r)
			try_again(c, ssd, r, b->until, &tries, &away);
	}
	return -EIO;
}
