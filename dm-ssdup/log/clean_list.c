// SPDX-License-Identifier: GPL-2.0-only
/* Owns the lists of segments that are clean, or get copies, and of those that wait for reads. */
#include "base/failure.h"
#include "clean_list.h"
#include "log_internal.h"
#include "nodes.h"

/* It is free, unless reads that found its data are in flight. Return: is it? */
static bool free_unless_read(struct ssdup_log *log, struct ssdup_segment *seg)
{
	lockdep_assert_held(&log->segments->lock);
	WRITE_ONCE(seg->state, SEGMENT_FORGOTTEN);
	/* Pairs with the decrement in ssdup_put_read(). */
	smp_mb();
	if (atomic_read(&seg->reads))
		return false;
	ssdup_add_free(log, seg, true);
	return true;
}

void ssdup_add_forgotten(struct ssdup_log *log, struct ssdup_segment *seg)
{
	struct ssdup_segments *s = log->segments;

	if (free_unless_read(log, seg))
		return;
	list_move_tail(&seg->list, &s->pinned);
	WRITE_ONCE(s->nr_pinned, s->nr_pinned + 1);
}

void ssdup_add_clean(struct ssdup_segments *s, struct ssdup_segment *seg)
{
	lockdep_assert_held(&s->lock);
	seg->state = SEGMENT_CLEAN;
	list_move_tail(&seg->list, &s->clean);
	WRITE_ONCE(s->nr_clean, s->nr_clean + 1);
	WRITE_ONCE(s->clean_bytes, s->clean_bytes + seg->kept);
}

struct ssdup_segment *ssdup_clean_take(struct ssdup_log *log, u32 most_copies)
{
	struct ssdup_segments *s = log->segments;
	struct list_head *list = &s->clean;
	struct ssdup_segment *seg;

	spin_lock_irq(&s->lock);
	if (s->nr_copies > most_copies || list_empty(list))
		list = &s->copies;
	seg = list_first_entry_or_null(list, struct ssdup_segment, list);
	if (seg) {
		list_del_init(&seg->list);
		if (seg == s->filling)
			WRITE_ONCE(s->filling, NULL);
		if (list == &s->copies)
			WRITE_ONCE(s->nr_copies, s->nr_copies - 1);
		WRITE_ONCE(s->nr_clean, s->nr_clean - 1);
		WRITE_ONCE(s->in_hand, s->in_hand + 1);
		WRITE_ONCE(s->clean_bytes, s->clean_bytes - seg->kept);
		seg->kept = 0;
	}
	spin_unlock_irq(&s->lock);
	return seg;
}

void ssdup_clean_forgotten(struct ssdup_log *log, struct ssdup_segment *seg)
{
	struct ssdup_segments *s = log->segments;

	spin_lock_irq(&s->lock);
	WRITE_ONCE(s->in_hand, s->in_hand - 1);
	ssdup_add_forgotten(log, seg);
	ssdup_more_to_open(log);
	spin_unlock_irq(&s->lock);
}

bool ssdup_clean_unpin(struct ssdup_log *log)
{
	struct ssdup_segments *s = log->segments;
	struct ssdup_segment *seg, *next;
	u32 was;
	bool any;

	spin_lock_irq(&s->lock);
	was = s->nr_pinned;
	/* Each has reads in flight, so there are no more of them than of those. */
	list_for_each_entry_safe(seg, next, &s->pinned, list)
		if (free_unless_read(log, seg))
			WRITE_ONCE(s->nr_pinned, s->nr_pinned - 1);
	any = s->nr_pinned != was;
	if (any)
		ssdup_more_to_open(log);
	spin_unlock_irq(&s->lock);
	return any;
}

u32 ssdup_clean_segments(struct ssdup_log *log)
{
	return READ_ONCE(log->segments->nr_clean);
}

u64 ssdup_clean_bytes(struct ssdup_log *log)
{
	return READ_ONCE(log->segments->clean_bytes);
}

/* --- Copies of what was read --- */

/* The first sector of its data on the SSD. */
static u64 data_sector(const struct ssdup_log *log, const struct ssdup_segment *seg)
{
	return log_segment_sector(&log->g, seg->index) + log->g.data_start;
}

struct ssdup_segment *ssdup_copies_take(struct ssdup_log *log)
{
	struct ssdup_segments *s = log->segments;
	struct ssdup_segment *seg = NULL;

	spin_lock_irq(&s->lock);
	/* A read-only log hands out nothing, see salvage.c. */
	if (ssdup_whole(log->c))
		seg = ssdup_space_for_copies(log);
	if (seg) {
		ssdup_space_remove(log, seg);
		ssdup_space_coming(log, seg);
		WRITE_ONCE(s->in_hand, s->in_hand + 1);
	}
	spin_unlock_irq(&s->lock);
	return seg;
}

void ssdup_copies_begin(struct ssdup_log *log, struct ssdup_segment *seg)
{
	struct ssdup_segments *s = log->segments;

	spin_lock_irq(&s->lock);
	WRITE_ONCE(s->in_hand, s->in_hand - 1);
	seg->state = SEGMENT_CLEAN;
	/* Before a range has a copy that is there, under its lock. */
	WRITE_ONCE(seg->nth, s->copied - data_sector(log, seg));
	WRITE_ONCE(seg->copies, true);
	seg->alone = false;
	list_add_tail(&seg->list, &s->copies);
	WRITE_ONCE(s->nr_copies, s->nr_copies + 1);
	WRITE_ONCE(s->nr_clean, s->nr_clean + 1);
	WRITE_ONCE(s->filling, seg);
	s->filled = 0;
	spin_unlock_irq(&s->lock);
}

struct ssdup_segment *ssdup_copies_place(struct ssdup_log *log, u32 sectors, u64 *pos)
{
	struct ssdup_segments *s = log->segments;
	struct ssdup_segment *seg;

	spin_lock_irq(&s->lock);
	seg = s->filling;
	if (seg && s->filled + sectors > log->g.data_sectors) {
		WRITE_ONCE(s->filling, NULL);
		seg = NULL;
	}
	if (seg) {
		*pos = data_sector(log, seg) + s->filled;
		s->filled += sectors;
		WRITE_ONCE(s->copied, s->copied + sectors);
		atomic_inc(&seg->reads);
	}
	spin_unlock_irq(&s->lock);
	return seg;
}

void ssdup_copies_add(struct ssdup_log *log, struct ssdup_segment *seg, struct extent_array *node)
{
	struct ssdup_segments *s = log->segments;
	u64 bytes = ssdup_add_node(seg, node);

	spin_lock_irq(&s->lock);
	seg->kept += bytes;
	WRITE_ONCE(s->clean_bytes, s->clean_bytes + bytes);
	spin_unlock_irq(&s->lock);
}

bool ssdup_copies_filling(struct ssdup_log *log)
{
	return READ_ONCE(log->segments->filling);
}

u32 ssdup_copies_segments(struct ssdup_log *log)
{
	return READ_ONCE(log->segments->nr_copies);
}

u64 ssdup_copied(const struct ssdup_log *log)
{
	return READ_ONCE(log->segments->copied);
}

void ssdup_copies_flushed(struct ssdup_log *log, u64 sectors)
{
	/* Who sees this also sees doubts that were there before. Pairs with the acquire below. */
	smp_store_release(&log->segments->durable, sectors);
}

bool ssdup_copy_durable(const struct ssdup_log *log, const struct ssdup_segment *seg, u64 pos)
{
	/* Pairs with the release above. */
	return pos + READ_ONCE(seg->nth) < smp_load_acquire(&log->segments->durable);
}
