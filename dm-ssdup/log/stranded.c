// SPDX-License-Identifier: GPL-2.0-only
/*
 * Owns what the SSD has refused of the stage: until it has another place, or is drained.
 * But for ssdup_stage_forget() and ssdup_stage_strands(), who calls this has committer->lock.
 */
#include "log_internal.h"
#include "reserve.h"
#include "staging.h"

void ssdup_stage_written(struct stage_buffer *b, u32 nr)
{
	ssdup_stage_publish(b, nr);
	ssdup_stage_moved(b, nr);
}

void ssdup_stage_give_up(struct stage_buffer *b, u32 nr)
{
	struct stage_record *r = &b->record[nr];

	if (!r->page)
		return;
	WRITE_ONCE(r->page->holes, true);
	ssdup_resolve(b->log, r->segment, r->page);
	r->page = NULL;
	b->log->stage->gave_up = true;
}

void ssdup_stage_moved(struct stage_buffer *b, u32 nr)
{
	WRITE_ONCE(b->span[nr].sectors, 0);
	ssdup_stage_leave(b->log, b->record[nr].segment, 1);
}

/* Return: false: not all of it has a place yet. */
static bool restage(struct ssdup_log *log, struct stage_buffer *b)
{
	u32 i, nr = stage_records(atomic_read(&b->word)), stranded = 0;
	bool again = false;
	int r;

	for (i = 0; i < nr; i++) {
		if (!b->span[i].sectors)
			continue;
		/* One that waits for room in the ring may wait for the next ones. */
		r = log->stage->restage(log, b, i);
		again |= r == -EAGAIN;
		stranded += r != 0;
	}
	if (again)
		return false;
	if (!stranded) {
		ssdup_stage_finish(b, BUFFER_DONE);
		return true;
	}
	spin_lock_irq(&log->stage->lock);
	set_state(b, BUFFER_STRANDED);
	for (i = 0; i < nr; i++)
		if (b->span[i].sectors)
			ssdup_stage_leave(log, b->record[i].segment, 1 - (int)STAGE_STRANDED_ONE);
	spin_unlock_irq(&log->stage->lock);
	return true;
}

bool ssdup_stage_again(struct ssdup_log *log)
{
	struct ssdup_stage *stage = log->stage;
	struct stage_buffer *b;
	bool all = true;

	stage->gave_up = false;
	for (b = stage->buffer; b < stage_end(stage); b++)
		if (state_of(b) == BUFFER_REFUSED)
			all &= restage(log, b);
	return all && !stage->gave_up;
}

bool ssdup_stage_strands(struct ssdup_log *log, const struct ssdup_class *k)
{
	struct ssdup_stage *stage = log->stage;
	struct stage_buffer *b;
	bool strands = false;
	u32 i;

	spin_lock_irq(&stage->lock);
	for (b = stage->buffer; b < stage_end(stage); b++)
		for (i = 0; i < STAGE_RECORDS && state_of(b) == BUFFER_STRANDED; i++)
			strands |= b->span[i].sectors && b->record[i].segment->class == k;
	spin_unlock_irq(&stage->lock);
	return strands;
}

static bool forget_in(struct stage_buffer *b, struct ssdup_segment *seg)
{
	bool left = false;
	u32 i;

	for (i = 0; i < STAGE_RECORDS; i++) {
		if (!b->span[i].sectors)
			continue;
		if (b->record[i].segment == seg) {
			WRITE_ONCE(b->span[i].sectors, 0);
			atomic_sub(STAGE_STRANDED_ONE, &seg->staged);
		} else {
			left = true;
		}
	}
	return left;
}

void ssdup_stage_forget(struct ssdup_log *log, struct ssdup_segment *seg)
{
	struct ssdup_stage *stage = log->stage;
	struct stage_buffer *b;

	if (!segment_staged(seg))
		return;
	spin_lock_irq(&stage->lock);
	for (b = stage->buffer; b < stage_end(stage); b++)
		if (state_of(b) == BUFFER_STRANDED && !forget_in(b, seg)) {
			set_state(b, BUFFER_DONE);
			ssdup_stage_put_ref(b);
		}
	spin_unlock_irq(&stage->lock);
}
