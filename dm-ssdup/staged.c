// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: writes that end in memory, and what becomes of those that the SSD refuses.
 */
#include <linux/delay.h>

#include "base/failure.h"
#include "base/trace.h"
#include "staged.h"
#include "write.h"

#define PLACES	3U	/* that are tried for a write, besides its own */

/* --- Writes --- */

/* Return: false, too, when the rest of the segment would be lost: see take_rest() in write.c. */
static bool reserve(struct ssdup_log *log, struct ssdup_io *io)
{
	u32 rest;

	if (ssdup_reserve_at_once(log, io))
		return true;
	rest = ssdup_rest(log, ssdup_io_class(log, io));
	if (rest && rest < io->sectors && rest >= io->sectors / 4)
		return false;
	return !ssdup_reserve(log, io, io->sectors, 0);
}

bool ssdup_write_staged(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	struct stage_room room;
	bool again;
	u64 pos;

	/* It may overlap what an SSD has that has failed. */
	if (class_closed(c->log, ssdup_io_class(c->log, io)) ||
	    !ssdup_stage_take(c->log, io->sectors, &room))
		return false;
	if (!reserve(c->log, io)) {
		ssdup_stage_put(&room);
		return false;
	}
	trace_ssdup_route(c, io, ROUTE_LOG);
	pos = ssdup_fill_extent(c->log, io, io->start, io->sectors, SSDUP_KIND_DATA);
	ssdup_stage_fill(&room, io, pos, bio);
	io->staged = true;
	ssdup_step(c, STEP_STAGE_COPIED);
	again = !ssdup_insert(c->map, io);
	io->staged = false;
	if (unlikely(again)) {
		ssdup_stage_empty(&room);
		ssdup_stage_put(&room);
		ssdup_log_again(c, bio, io);
		return true;
	}
	/* Its segment is not free before this is on the SSD. */
	room.buffer->record[room.nr].seq = io->e->seq;
	if (ssdup_windowed(c))
		ssdup_window_note(&c->router->windows->map, io->start, io->sectors, SSDUP_SSD);
	this_cpu_inc(c->stats->requests);
	count_request(c, io, STAT_WRITES_SSD, STAT_SECTORS_SSD, 1);
	ssdup_stage_put(&room);
	bio_endio(bio);
	return true;
}

/* --- What the SSD has refused --- */

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

	r = ssdup_reserve(c->log, &io, sectors, LOG_WORD_SPARE | LOG_WORD_KEPT);
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
