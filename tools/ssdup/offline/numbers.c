// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: which pages a log must have had.
 *
 * The pages that a class has in an epoch are numbered from 0, on from segment to segment. A page
 * with a high number shows that those far enough in front of it were durable, see
 * log_page_outlives(). So a page that is gone is damage, or what a power cut leaves behind.
 */
#include "pages.h"

/* A run of missing pages may lie at the end of a segment, and in segments that are gone. */
struct numbers {
	struct log_file	*l;
	u64		next;		/* number of the next page */
	bool		begun;		/* @next is known */
	bool		whole;		/* no segment of the epoch was freed */
	s64		last;		/* segment that has the page before, or -1 */
	u32		from;		/* behind @last: the first segment without pages, */
	size_t		gaps;		/* and the first gap */
};

/* --- What is there --- */

static bool entries_well(const struct log_file *l, const struct page_view *v)
{
	const struct ssdup_page *p = &v->slot[v->newest];
	struct log_entry e;
	u32 i;

	for (i = 0; i < le16_to_cpu(p->h.nr_entries); i++)
		if (log_entry_decode(&l->s, v->in->h.generation, &p->e[i], &e) != LOG_OK)
			return false;
	return true;
}

/* Pages with lower numbers than this were durable. */
static u64 proven_by(const struct log_file *l, const struct page_view *v)
{
	const struct ssdup_page *p = &v->slot[v->newest];
	u64 number = log_page_number(p);

	/* A repair writes a page with wrong entries once more, which is the second time. */
	if (log_page_rev(p) > 1 || scan_clean(l, v->in->h.epoch) || !entries_well(l, v))
		return number;
	return number < LOG_COMMIT_PAGES ? 0 : number - LOG_COMMIT_PAGES + 1;
}

static void survey(struct scan *sc, struct segment_scan *x)
{
	struct page_view v;
	u32 page;

	sc->read_out = false;
	for (page = 0; page < sc->l->s.g.meta_pages && !sc->read_out; page++) {
		scan_read(sc, x->h.segment, page, &v);
		v.in = x;
		scan_judge(sc->l, &v);
		if (v.newest < 0)
			continue;
		if (!x->based) {
			x->base = log_page_number(&v.slot[v.newest]) - page;
			x->based = true;
		}
		x->top = page + 1;
		x->proven = max(x->proven, proven_by(sc->l, &v));
	}
	sc->done += sc->l->s.g.meta_pages;
}

/* Do pages of segment @j count on from those of @i? */
static bool same_numbers(const struct log_file *l, u32 i, u32 j)
{
	return l->segment[i].class == l->segment[j].class &&
	       l->segment[i].h.epoch == l->segment[j].h.epoch;
}

/* The generation with which a class began in the present epoch, or the lowest that is not free. */
static u64 class_begin(const struct log_file *l, u32 class)
{
	const struct log_super *s = &l->s;

	return ssdup_log_class_from(&s->classes, class, max(s->first, s->tail[class]));
}

/* What a segment proves holds for its class in its epoch. */
static void share_proofs(struct log_file *l)
{
	u32 i, first, j;
	u64 proven;

	for (first = 0; first < l->nr_segments; first = i) {
		proven = 0;
		for (i = first; i < l->nr_segments && same_numbers(l, first, i); i++)
			proven = max(proven, l->segment[i].proven);
		for (j = first; j < i; j++)
			l->segment[j].proven = proven;
	}
}

/* --- What is not --- */

/* An epoch that began, as the record says, before an earlier one had ended. */
static void wrong_first(struct log_file *l, u32 i)
{
	struct finding f = finding(FAULT_HEADER_GENERATION);

	f.segment = l->segment[i].h.segment;
	snprintf(f.text, sizeof(f.text), "its epoch began with generation %llu",
		 class_begin(l, l->segment[i].class));
	found(&l->findings, &f);
	l->contradictory = true;
}

static bool pages_follow(const struct log_file *l, u32 i)
{
	u32 first = i;

	for (; i < l->nr_segments && same_numbers(l, first, i); i++)
		if (l->segment[i].based)
			return true;
	return false;
}

/* Generations that are missing in front of segment @i. */
static void find_gap(struct numbers *n, u32 i)
{
	struct log_file *l = n->l;
	const struct segment_scan *x = &l->segment[i], *before = i ? x - 1 : NULL;
	const struct log_header *h = &x->h;
	u32 step = log_class_step(&l->s.classes, h->generation);
	u64 expected;

	/* Of another epoch than the present one it is not known where it began. */
	if (i && same_numbers(l, i - 1, i))
		expected = before->h.generation + step;
	else if (h->epoch == l->s.epoch)
		expected = class_begin(l, x->class);
	else
		return;
	if (h->generation <= expected || !pages_follow(l, i))
		return;
	if (i && before->class == x->class && expected <= before->h.generation) {
		wrong_first(l, i);
		return;
	}
	l->gaps = xmore(l->gaps, l->nr_gaps, sizeof(*l->gaps));
	l->gaps[l->nr_gaps++] = (struct segment_gap){
		.generation = expected, .nr = (h->generation - expected) / step,
		.epoch = h->epoch,
	};
}

/* No log has had pages of these numbers. */
static void contradiction(struct log_file *l, u32 i)
{
	struct finding f = finding(FAULT_PAGE_NUMBER);

	f.segment = l->segment[i].h.segment;
	snprintf(f.text, sizeof(f.text), "its pages begin with number %u", l->segment[i].base);
	found(&l->findings, &f);
	l->contradictory = true;
}

/* Room for missing pages in the segments that are gone, or have none. */
static u64 room_between(const struct numbers *n, u32 i)
{
	u64 nr = i - n->from;
	size_t g;

	for (g = n->gaps; g < n->l->nr_gaps; g++)
		nr += min(n->l->gaps[g].nr, (u64)n->l->s.g.nr_segments);
	return nr * n->l->s.g.meta_pages;
}

static u32 hand_out(struct numbers *n, u64 *missing, u64 room, u32 *base)
{
	u32 nr = min(*missing, room);

	*base = n->next;
	n->next += nr;
	*missing -= nr;
	return nr;
}

/*
 * @missing pages in front of segment @i. Where segments are gone, nothing says that the one
 * before them has lost any; but if it has room for them, and nothing else has.
 */
static void place_missing(struct numbers *n, u32 i, u64 missing)
{
	u32 meta = n->l->s.g.meta_pages, at = n->from, unused;
	u64 between = room_between(n, i), here = 0;
	struct log_file *l = n->l;
	struct segment_gap *gap;
	size_t g;

	if (n->last >= 0) {
		here = meta - l->segment[n->last].top;
		if (n->gaps < l->nr_gaps)
			here = min(here, missing - min(missing, between));
		l->segment[n->last].lost = hand_out(n, &missing, here, &unused);
	}
	/* Both lists are in the order of generations. */
	for (g = n->gaps; g < l->nr_gaps || at < i;) {
		gap = &l->gaps[g];
		if (g == l->nr_gaps ||
		    (at < i && l->segment[at].h.generation < gap->generation)) {
			l->segment[at].lost = hand_out(n, &missing, meta, &l->segment[at].base);
			at++;
			continue;
		}
		gap->pages = hand_out(n, &missing, min(gap->nr, (u64)l->s.g.nr_segments) * meta,
				      &gap->base);
		g++;
	}
	if (missing)
		contradiction(l, i);
}

static void begin_epoch(struct numbers *n, u32 i)
{
	const struct segment_scan *x = &n->l->segment[i];
	const struct log_super *s = &n->l->s;
	const struct log_header *h = &x->h;

	n->last = -1;
	n->from = i;
	n->gaps = n->l->nr_gaps;
	n->begun = false;
	/* A generation between the tail and this one is of another epoch, or it is gone. */
	n->whole = h->generation > ssdup_log_class_from(&s->classes, x->class, s->tail[x->class]) ||
		   (h->epoch == s->epoch &&
		    h->generation == ssdup_log_class_from(&s->classes, x->class, s->first));
}

/* Add segments in front of the first one of the epoch, which are gone with all that they had. */
static bool add_first_gap(struct numbers *n, u64 nr)
{
	struct log_file *l = n->l;
	const struct segment_scan *x = &l->segment[n->from], *before = n->from ? x - 1 : NULL;
	const struct log_header *h = &x->h;
	u64 lowest, span = nr * log_class_step(&l->s.classes, h->generation);

	lowest = before && before->class == x->class ? before->h.generation + 1 :
						       l->s.tail[x->class];
	if (h->epoch == l->s.epoch)
		lowest = max(lowest, l->s.first);
	if (h->generation < lowest || h->generation - lowest < span || n->gaps < l->nr_gaps)
		return false;
	l->gaps = xmore(l->gaps, l->nr_gaps, sizeof(*l->gaps));
	l->gaps[l->nr_gaps++] = (struct segment_gap){
		.generation = h->generation - span, .nr = nr, .epoch = h->epoch,
	};
	return true;
}

/* Segment @i has the first page of the epoch that is there: what was the very first one? */
static void begin_numbers(struct numbers *n, u32 i)
{
	u32 empty = i - n->from, meta = n->l->s.g.meta_pages, base = n->l->segment[i].base;
	u64 room = room_between(n, i);

	n->begun = true;
	n->next = n->whole ? 0 : base - min(base, empty);
	if (n->whole ? base > room && !add_first_gap(n, DIV_ROUND_UP(base - room, meta)) :
		       base < empty)
		contradiction(n->l, i);
}

static void look_at(struct numbers *n, u32 i)
{
	struct log_file *l = n->l;
	struct segment_scan *x = &l->segment[i];
	u64 until;

	if (!i || !same_numbers(l, i - 1, i))
		begin_epoch(n, i);
	find_gap(n, i);
	if (!x->based)
		return;
	if (!n->begun)
		begin_numbers(n, i);
	until = min((u64)x->base, x->proven);
	if (x->base < n->next)
		contradiction(l, i);
	else if (until > n->next)
		place_missing(n, i, until - n->next);
	n->last = i;
	n->from = i + 1;
	n->gaps = l->nr_gaps;
	n->next = (u64)x->base + x->top;
}

void scan_numbers(struct scan *sc)
{
	struct numbers n = { .l = sc->l };
	u32 i;

	for (i = 0; i < sc->l->nr_segments; i++)
		survey(sc, &sc->l->segment[i]);
	share_proofs(sc->l);
	for (i = 0; i < sc->l->nr_segments; i++)
		look_at(&n, i);
}
