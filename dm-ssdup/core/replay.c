// SPDX-License-Identifier: GPL-2.0-only
/* Decides which segments and pages a log still has, and what is damage. */
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "replay.h"

static int by_generation(const void *a, const void *b)
{
	const struct log_header *x = a, *y = b;

	if (x->generation == y->generation)
		return 0;
	return x->generation < y->generation ? -1 : 1;
}

enum log_fault ssdup_replay_live(const struct log_super *s, struct log_header *h, u32 *nr,
				 u64 *next)
{
	u32 all = *nr, i, live = 0;

	*next = log_highest(s);
	for (i = 0; i < all; i++) {
		*next = max(*next, h[i].generation + 1);
		if (log_live(s, h[i].generation))
			h[live++] = h[i];
	}
	*nr = live;
	sort(h, live, sizeof(*h), by_generation, NULL);
	for (i = 1; i < live; i++)
		if (h[i].generation == h[i - 1].generation)
			return LOG_BAD_GENERATION;
	return LOG_OK;
}

void ssdup_replay_begin(struct ssdup_replay *rp, const struct log_super *s,
			const struct replay_ops *ops, void *ctx)
{
	*rp = (struct ssdup_replay){ .s = s, .ops = ops, .ctx = ctx };
}

/*
 * Find the newest valid version of a page, or NULL. Stale and torn slots are ignored, since a
 * power cut leaves such. A wrong count under a right crc is a fault.
 */
static enum log_fault newest_slot(const struct ssdup_page *slots, const struct log_page_id *want,
				  const struct ssdup_page **newest)
{
	enum log_fault fault, wrong = LOG_OK;
	u32 slot;

	*newest = NULL;
	for (slot = 0; slot < SSDUP_PAGE_SLOTS; slot++) {
		fault = ssdup_log_page_check(&slots[slot], want);
		if (fault == LOG_PAGE_BAD_COUNT)
			wrong = fault;
		if (fault == LOG_OK &&
		    (!*newest || log_page_rev(&slots[slot]) > log_page_rev(*newest)))
			*newest = &slots[slot];
	}
	return wrong;
}

static int refuse(struct ssdup_replay *rp, enum log_fault fault)
{
	rp->fault.fault = fault;
	return -EINVAL;
}

/* Check all entries of a page before any is handed over. */
static int replay_page(struct ssdup_replay *rp, const struct log_header *h,
		       const struct ssdup_page *p)
{
	u32 i, nr = le16_to_cpu(p->h.nr_entries);
	struct log_entry e;
	enum log_fault fault;

	for (i = 0; i < nr; i++) {
		fault = log_entry_decode(rp->s, h->generation, &p->e[i], &e);
		if (fault != LOG_OK) {
			rp->fault.entry = i;
			return refuse(rp, fault);
		}
	}
	return nr ? rp->ops->entries(rp->ctx, h->segment, p->e, nr) : 0;
}

/*
 * The number of the epoch's first page, when @number is that of the first one found. Live
 * segments before it in the epoch are empty: their pages are gone, and each had one at least.
 */
static enum log_fault begin_numbers(const struct log_super *s, struct replay_chain *rc,
				    u32 number)
{
	rc->numbered = true;
	rc->number = rc->whole ? 0 : number - rc->empty;
	/* More pages than those segments have room for: another segment is gone. */
	return rc->whole && number > (u64)rc->empty * s->g.meta_pages ? LOG_SEGMENT_GAP : LOG_OK;
}

/* Note the number of a valid page. Does it show that another one is gone? */
static enum log_fault note_number(const struct log_super *s, struct replay_chain *rc,
				  const struct ssdup_page *p)
{
	u32 number = log_page_number(p);

	if (rc->lost || (!rc->numbered && begin_numbers(s, rc, number) != LOG_OK))
		return LOG_SEGMENT_GAP;
	if (number != rc->number && !rc->missing) {
		rc->missing = true;
		rc->gap = rc->number;
	}
	if (rc->missing && log_page_outlives(p, rc->gap))
		return LOG_PAGES_GAP;
	rc->number = number + 1;
	return LOG_OK;
}

/*
 * The segment ends at page @gap: is that damage? Pages behind the gap that are unreadable or
 * invalid prove nothing, since a power cut may leave such.
 */
static bool gap_is_damage(struct ssdup_replay *rp, const struct replay_chain *rc,
			  struct log_page_id *want, u32 gap)
{
	const struct ssdup_page *slots, *p;
	u32 number;

	for (want->page = gap + 1; want->page < rp->s->g.meta_pages;
	     want->page = replay_look_on(gap, want->page)) {
		if (rp->ops->read_page(rp->ctx, want->segment, want->page, &slots))
			continue;
		newest_slot(slots, want, &p);
		if (!p)
			continue;
		number = rc->missing ? rc->gap : log_page_number(p) - (want->page - gap);
		if (rc->lost || log_page_outlives(p, number))
			return true;
	}
	return false;
}

/* Is a generation of the class missing between its last segment and @h? */
static enum log_fault note_header(const struct log_super *s, struct replay_chain *rc, u32 class,
				  const struct log_header *h)
{
	u64 first = ssdup_log_class_from(&s->classes, class, s->first);
	u64 tail = ssdup_log_class_from(&s->classes, class, s->tail[class]);
	u64 expected = rc->generation + log_class_step(&s->classes, rc->generation);

	if (h->epoch < rc->epoch)
		return LOG_EPOCH;
	if (h->epoch > rc->epoch || !rc->generation) {
		rc->lost = false;
		rc->missing = false;
		rc->numbered = false;
		rc->empty = 0;
		/* If a generation between the tail and this one was of the epoch, it is gone. */
		rc->whole = h->generation > tail ||
			    (h->epoch == s->epoch && h->generation == first);
		/* Only of the present epoch is it known where it began. */
		expected = h->epoch == s->epoch ? max(first, tail) : h->generation;
	}
	rc->lost |= h->generation > expected;
	rc->epoch = h->epoch;
	rc->generation = h->generation;
	return LOG_OK;
}

int ssdup_replay_segment(struct ssdup_replay *rp, const struct log_header *h, u32 *pages)
{
	u32 class = log_class(&rp->s->classes, h->generation);
	struct replay_chain *rc = &rp->chain[class];
	struct log_page_id want = {
		.generation = h->generation, .epoch = h->epoch, .segment = h->segment,
	};
	const struct ssdup_page *slots, *p;
	enum log_fault fault;
	int ret;

	*pages = 0;
	memcpy(want.uuid, rp->s->uuid, sizeof(want.uuid));
	rp->fault = (struct replay_fault){ .segment = h->segment };
	fault = note_header(rp->s, rc, class, h);
	if (fault != LOG_OK)
		return refuse(rp, fault);

	for (; *pages < rp->s->g.meta_pages; ++*pages) {
		want.page = *pages;
		rp->fault.page = *pages;
		ret = rp->ops->read_page(rp->ctx, h->segment, want.page, &slots);
		if (ret)
			return ret;
		fault = newest_slot(slots, &want, &p);
		if (fault == LOG_OK && !p)
			break;
		if (fault == LOG_OK)
			fault = note_number(rp->s, rc, p);
		if (fault != LOG_OK)
			return refuse(rp, fault);
		ret = replay_page(rp, h, p);
		if (ret)
			return ret;
	}
	rp->segments += !!*pages;
	rp->pages += *pages;
	rc->empty += !*pages;
	/* A clean log is compared with its counts instead. */
	if (!(rp->s->flags & SSDUP_RECORD_CLOSED) && gap_is_damage(rp, rc, &want, *pages))
		return refuse(rp, rc->lost ? LOG_SEGMENT_GAP : LOG_PAGES_GAP);
	return 0;
}

int ssdup_replay_end(struct ssdup_replay *rp)
{
	const struct log_super *s = rp->s;

	if (!(s->flags & SSDUP_RECORD_CLOSED) ||
	    (s->live_segments == rp->segments && s->live_pages == rp->pages))
		return 0;
	rp->fault = (struct replay_fault){ .fault = LOG_PAGES_MISSING };
	return -EINVAL;
}
