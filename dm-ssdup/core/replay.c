// SPDX-License-Identifier: GPL-2.0-only
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "replay.h"

static bool page_newer(const struct ssdup_page *a, const struct ssdup_page *b)
{
	if (log_page_epoch(a) != log_page_epoch(b))
		return log_page_epoch(a) > log_page_epoch(b);
	return log_page_rev(a) > log_page_rev(b);
}

/*
 * Find the newest valid version of a page, or NULL. Stale and torn slots are ignored, since a
 * power cut leaves such. A wrong count or epoch under a right crc is a fault.
 */
static enum log_fault newest_slot(const struct ssdup_page *slots, const struct log_page_id *want,
				  const struct ssdup_page **newest)
{
	enum log_fault wrong = LOG_OK;
	u32 slot;

	*newest = NULL;
	for (slot = 0; slot < SSDUP_PAGE_SLOTS; slot++) {
		enum log_fault fault = ssdup_log_page_check(&slots[slot], want);

		if (fault == LOG_PAGE_BAD_COUNT || fault == LOG_PAGE_EPOCH)
			wrong = fault;
		if (fault == LOG_OK && (!*newest || page_newer(&slots[slot], *newest)))
			*newest = &slots[slot];
	}
	return wrong;
}

/* Check all entries of a page before any is handed over. */
static int replay_page(const struct log_super *s, const struct ssdup_page *p,
		       const struct replay_ops *ops, void *ctx,
		       struct ssdup_replay_half *res, struct replay_fault *fault)
{
	u32 i, nr = le16_to_cpu(p->h.nr_entries), data_end = res->data_end;
	u64 max_seq = res->max_seq;
	struct log_entry e;
	enum log_fault f;

	for (i = 0; i < nr; i++) {
		f = log_entry_decode(s, &p->e[i], &e);
		if (f != LOG_OK) {
			fault->entry = i;
			fault->fault = f;
			return -EINVAL;
		}
		max_seq = max(max_seq, e.seq);
		if (e.kind == SSDUP_KIND_DATA)
			data_end = max(data_end, from_log_pos(e.pos) + e.sectors);
	}
	res->entries += nr;
	res->max_seq = max_seq;
	res->data_end = data_end;
	return nr ? ops->entries(ctx, fault->half, p->e, nr) : 0;
}

/*
 * The half ends at page @gap: is that damage? Pages behind the gap that are unreadable or
 * invalid prove nothing, since a power cut may leave such.
 */
static bool gap_is_damage(const struct log_super *s, struct log_page_id *want, u32 gap,
			  u64 epoch, const struct replay_ops *ops, void *ctx)
{
	const struct ssdup_page *slots, *p;

	for (want->page = gap + 1; want->page < s->g.meta_pages;
	     want->page = replay_look_on(gap, want->page)) {
		if (ops->read_page(ctx, want->half, want->page, &slots))
			continue;
		newest_slot(slots, want, &p);
		if (p && log_page_outlives(p, gap, epoch))
			return true;
	}
	return false;
}

int ssdup_replay_half(const struct log_super *s, u32 half, const struct replay_ops *ops,
		      void *ctx, struct ssdup_replay_half *res, struct replay_fault *fault)
{
	struct log_page_id want = {
		.generation = s->generation[half], .epoch = s->epoch, .half = half,
	};
	const struct ssdup_page *slots, *p;
	u64 epoch = 0;
	int ret;

	memcpy(want.uuid, s->uuid, sizeof(want.uuid));
	memset(res, 0, sizeof(*res));
	memset(fault, 0, sizeof(*fault));
	fault->half = half;

	for (; res->pages < s->g.meta_pages; res->pages++) {
		want.page = res->pages;
		fault->page = res->pages;
		fault->entry = 0;

		ret = ops->read_page(ctx, half, want.page, &slots);
		if (ret)
			return ret;

		fault->fault = newest_slot(slots, &want, &p);
		if (fault->fault != LOG_OK)
			return -EINVAL;
		if (!p || log_page_epoch(p) < epoch)
			break;

		ret = replay_page(s, p, ops, ctx, res, fault);
		if (ret)
			return ret;
		epoch = log_page_epoch(p);
	}

	if (s->flags & SSDUP_SUPER_CLEAN) {
		if (res->pages != s->pages[half])
			fault->fault = LOG_PAGES_MISSING;
	} else if (gap_is_damage(s, &want, res->pages, epoch, ops, ctx)) {
		fault->fault = LOG_PAGES_GAP;
	}
	return fault->fault == LOG_OK ? 0 : -EINVAL;
}

/* Insertion sort of at most SSDUP_MAX_HALVES numbers of halves by generation. */
static void add_by_generation(const struct log_super *s, u32 *halves, u32 *nr, u32 half)
{
	u32 i;

	for (i = *nr; i && s->generation[halves[i - 1]] > s->generation[half]; i--)
		halves[i] = halves[i - 1];
	halves[i] = half;
	++*nr;
}

void ssdup_replay_roles(struct log_super *s, const struct ssdup_replay_half *found,
			struct ssdup_replay_roles *roles)
{
	u32 half, i;
	u64 youngest;

	memset(roles, 0, sizeof(*roles));
	for (half = 0; half < s->g.nr_halves; half++) {
		if (found[half].pages)
			add_by_generation(s, roles->sealed, &roles->nr_sealed, half);
		else
			add_by_generation(s, roles->free, &roles->nr_free, half);
	}

	if (!roles->nr_sealed) {
		roles->open = roles->free[0];
		roles->nr_free--;
		memmove(roles->free, roles->free + 1, roles->nr_free * sizeof(roles->free[0]));
		return;
	}

	roles->open = roles->sealed[--roles->nr_sealed];
	youngest = s->generation[roles->open];

	/*
	 * Halves that are too old come first in the list. Each gets the highest
	 * generation in turn and moves to the end.
	 */
	for (i = 0; i < roles->nr_free && s->generation[roles->free[0]] < youngest; i++) {
		half = roles->free[0];
		s->generation[half] = ssdup_log_next_generation(s);
		memmove(roles->free, roles->free + 1,
			(roles->nr_free - 1) * sizeof(roles->free[0]));
		roles->free[roles->nr_free - 1] = half;
	}
}
