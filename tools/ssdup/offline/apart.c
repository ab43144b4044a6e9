// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: an SSD and its mirror that ran apart, each without the other one. Nobody can say which one
 * is right, but what each has alone can be told. Nothing is written.
 */
#include <stdlib.h>

#include "offline.h"

struct side {
	struct log_file	l;
	struct side	*other;
	struct ssdup_page *there;	/* both slots of a page, as the other one has it */
	u32		entries;	/* that the other one has not got */
	u64		sectors;	/* of them */
	u64		last;		/* generation: of the segment that was opened last */
};

/* The page as the other one has it. Return: a bit for each slot that is of this segment */
static u32 read_there(struct side *s, const struct page_view *v)
{
	u64 place = ssdup_log_slot_sector(&s->l.s.g, v->in->h.segment, v->page, 0);
	struct log_page_id id = { .page = v->page, .segment = v->in->h.segment };
	u32 slot, there = 0;

	if (log_read(&s->other->l, s->there, place, SSDUP_PAGE_SLOTS * SSDUP_PAGE_SECTORS))
		return 0;
	memcpy(id.uuid, s->l.s.uuid, sizeof(id.uuid));
	id.generation = v->in->h.generation;
	for (slot = 0; slot < SSDUP_PAGE_SLOTS; slot++) {
		id.epoch = le64_to_cpu(s->there[slot].h.epoch);
		if (ssdup_log_page_check(&s->there[slot], &id) == LOG_OK)
			there |= BIT(slot);
	}
	return there;
}

/* After they parted both may have filled the same page, with other writes. */
static bool has_too(const struct side *s, u32 there, u32 i, const struct ssdup_entry *e)
{
	u32 slot;

	for (slot = 0; slot < SSDUP_PAGE_SLOTS; slot++)
		if (there & BIT(slot) && i < le16_to_cpu(s->there[slot].h.nr_entries) &&
		    !memcmp(&s->there[slot].e[i], e, sizeof(*e)))
			return true;
	return false;
}

static int look_at_page(void *arg, const struct page_view *v)
{
	const struct ssdup_page *p;
	struct side *s = arg;
	struct log_entry e;
	u32 i, nr, there;

	if (v->state != PAGE_LIVE)
		return 0;
	p = &v->slot[v->newest];
	nr = min_t(u32, le16_to_cpu(p->h.nr_entries), SSDUP_PAGE_ENTRIES);
	there = read_there(s, v);
	for (i = 0; i < nr; i++) {
		if (has_too(s, there, i, &p->e[i]) ||
		    log_entry_decode(&s->l.s, v->in->h.generation, &p->e[i], &e) != LOG_OK)
			continue;
		s->entries++;
		s->sectors += e.sectors;
	}
	return 0;
}

static void look_at_side(struct side *s)
{
	u32 i;

	s->last = log_highest(&s->l.s);
	s->l.visit = look_at_page;
	s->l.visit_arg = s;
	check_log(&s->l, false, false);
	s->l.visit = NULL;
	for (i = 0; i < s->l.s.g.nr_segments; i++)
		if (s->l.header[i].state == HEADER_FREE || s->l.header[i].state == HEADER_LIVE)
			s->last = max(s->last, (u64)s->l.header[i].h.generation);
}

static void say_side(const struct side *s)
{
	char all[SIZE_TEXT], alone[SIZE_TEXT];

	printf("%s: activated %llu times, opened its last segment as number %llu\n",
	       s->l.ssd.path, s->l.s.epoch, s->last);
	printf("%s: %s to write back; writes that the other one has not got: %u, of %s\n",
	       s->l.ssd.path, format_size(all, s->l.map.sectors * SECTOR_BYTES), s->entries,
	       format_size(alone, s->sectors * SECTOR_BYTES));
}

static int open_side(const struct ssdup_ctx *ctx, struct side *s, const char *path,
		     const char *name)
{
	const struct ssd_names names = { .of = { path }, .nr = 1, .lost = true };
	int r = log_open(ctx, &s->l, &names, name, DISK_READ, NO_COPY);

	if (r)
		return r;
	s->there = xpages(SSDUP_PAGE_SLOTS * sizeof(*s->there));
	if (s->l.known)
		return EXIT_OK;
	r = no_log(&s->l);
	log_close(&s->l);
	free(s->there);
	return r;
}

static void close_side(struct side *s)
{
	log_close(&s->l);
	free(s->there);
}

static void compare(struct side *a, struct side *b)
{
	const struct side *more = NULL;

	a->other = b;
	b->other = a;
	look_at_side(a);
	look_at_side(b);
	printf("%s and %s hold the same log, and ran apart: each calls the other one out\n",
	       a->l.ssd.path, b->l.ssd.path);
	say_side(a);
	say_side(b);
	if (a->last != b->last)
		more = a->last > b->last ? a : b;
	else if (a->sectors != b->sectors)
		more = a->sectors > b->sectors ? a : b;
	printf("%s has more. With --lost-ssd the one that is named is used\n",
	       more ? more->l.ssd.path : "neither");
}

int check_apart(const struct ssdup_ctx *ctx, char *path[SSDUP_TWINS], const char *name)
{
	struct side *side = xalloc(SSDUP_TWINS * sizeof(*side));
	int r = open_side(ctx, &side[0], path[0], name);

	if (!r) {
		r = open_side(ctx, &side[1], path[1], name);
		if (!r) {
			compare(&side[0], &side[1]);
			close_side(&side[1]);
		}
		close_side(&side[0]);
	}
	free(side);
	return r ?: EXIT_REFUSED;
}
