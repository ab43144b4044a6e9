// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: the headers of the segments of a log that is read without the module.
 *
 * Pages repeat what the header says, and are only written when it is durable. So where a header
 * is damaged they tell what it was.
 */
#include <stdlib.h>

#include "dm-ssdup/core/lease.h"
#include "pages.h"

/* --- What a segment without a header was --- */

/* By a page of it: the newest generation that the log may have had. */
static bool tell_by_page(const struct log_file *l, const struct page_view *v, u32 segment,
			 struct log_header *h)
{
	struct log_page_id id = { .segment = segment, .page = v->page };
	bool told = false;
	u32 slot;

	memcpy(id.uuid, l->s.uuid, sizeof(id.uuid));
	for (slot = 0; slot < SSDUP_PAGE_SLOTS; slot++) {
		id.generation = le64_to_cpu(v->slot[slot].h.generation);
		id.epoch = le64_to_cpu(v->slot[slot].h.epoch);
		if (v->error[slot] || ssdup_log_page_check(&v->slot[slot], &id) != LOG_OK ||
		    !generation_possible(&l->s, id.generation) || id.epoch > l->s.epoch ||
		    (told && id.generation < h->generation))
			continue;
		h->generation = id.generation;
		h->epoch = id.epoch;
		h->segment = segment;
		told = true;
	}
	return told;
}

/* The first page from @page on that is not in a hole of an image. */
static u32 next_page(const struct scan *sc, u32 segment, u32 page, u32 nr)
{
	u64 first, data;
	const struct disk *d = log_disk(sc->l, ssdup_log_slot_sector(&sc->l->s.g, segment, 0, 0),
					&first);

	if (!d)
		return nr;
	data = disk_next_data(d, first + (u64)page * PAIR_SECTORS);
	return min((data - first) / PAIR_SECTORS, (u64)nr);
}

/* All pages are looked at where a header of the log once was, or if the user wants it. */
static bool tell_by_pages(struct scan *sc, u32 segment, struct header_view *hv)
{
	u32 page, nr = sc->all || hv->fault != LOG_HEADER_STALE ? sc->l->s.g.meta_pages : 1;
	struct page_view v;
	bool told = false;

	sc->read_out = false;
	for (page = next_page(sc, segment, 0, nr); page < nr && !told && !sc->read_out;
	     page = next_page(sc, segment, page + 1, nr)) {
		scan_read(sc, segment, page, &v);
		told = tell_by_page(sc->l, &v, segment, &hv->h);
	}
	sc->done += page;
	return told;
}

/* --- Reading them --- */

/* Whoever has a valid header there had the segment last. */
static bool of_another_log(const struct log_file *l, u32 segment, const void *block)
{
	const struct ssdup_header *d = block;

	return memcmp(d->uuid, l->s.uuid, sizeof(d->uuid)) &&
	       ssdup_pool_header(l->s.pool, le16_to_cpu(d->log), segment, block);
}

static void header_finding(struct log_file *l, u32 segment, unsigned int number)
{
	const struct header_view *hv = &l->header[segment];
	struct finding f = finding(number);

	f.segment = segment;
	if (!hv->error || hv->state == HEADER_REBUILT)
		snprintf(f.text, sizeof(f.text), "generation %llu, epoch %llu",
			 hv->h.generation, hv->h.epoch);
	found(&l->findings, &f);
}

static void read_header(struct scan *sc, u32 segment, void *block)
{
	struct header_view *hv = &sc->l->header[segment];
	const struct log_super *s = &sc->l->s;

	hv->error = log_read(sc->l, block, log_segment_sector(&s->g, segment),
			     SSDUP_BLOCK_SECTORS);
	/* What is not there is not damaged: the size of the SSD has a finding of its own. */
	if (hv->error == -ENXIO) {
		hv->error = 0;
		hv->fault = LOG_HEADER_STALE;
		return;
	}
	hv->fault = hv->error ? LOG_BAD_CRC :
		    ssdup_log_header_decode(block, s, segment, &hv->h);
	if (super_several(s) && of_another_log(sc->l, segment, block))
		return;
	if (hv->fault == LOG_OK)
		hv->state = log_live(s, hv->h.generation) ? HEADER_LIVE : HEADER_FREE;
	else if (tell_by_pages(sc, segment, hv))
		hv->state = HEADER_REBUILT;
	else if (hv->error || hv->fault == LOG_BAD_GENERATION || hv->fault == LOG_EPOCH)
		hv->state = HEADER_VOID;
}

/* --- Which of them count --- */

static int compare(u64 a, u64 b)
{
	return a < b ? -1 : a > b;
}

/* Class by class. Of two with one generation, the one of the later epoch comes first. */
static int by_generation(const void *a, const void *b)
{
	const struct segment_scan *x = a, *y = b;

	return compare(x->class, y->class) ?: compare(x->h.generation, y->h.generation) ?:
	       compare(y->h.epoch, x->h.epoch) ?: compare(x->h.segment, y->h.segment);
}

static struct header_view *header_of(struct log_file *l, u32 i)
{
	return &l->header[l->segment[i].h.segment];
}

/* Those in one of two states, class by class in the order of their generations. */
static void collect(struct log_file *l, enum header_state a, enum header_state b)
{
	u32 i, nr = 0;

	for (i = 0; i < l->s.g.nr_segments; i++)
		if (l->header[i].state == a || l->header[i].state == b) {
			l->segment = xmore(l->segment, nr, sizeof(*l->segment));
			l->segment[nr++] = (struct segment_scan){
				.h = l->header[i].h,
				.class = log_class(&l->s.classes, l->header[i].h.generation),
			};
		}
	l->nr_segments = nr;
	if (nr)
		qsort(l->segment, nr, sizeof(*l->segment), by_generation);
}

/* Valid headers that contradict each other: pages may say what they were. */
static void refuse_headers(struct scan *sc)
{
	const struct log_header *last = NULL, *h;
	struct log_file *l = sc->l;
	struct header_view *hv;
	u32 i;

	for (i = 0; i < l->nr_segments; i++) {
		h = &l->segment[i].h;
		if (!i || l->segment[i].class != l->segment[i - 1].class)
			last = NULL;
		if (!last || (h->generation != last->generation && h->epoch >= last->epoch)) {
			last = h;
			continue;
		}
		hv = header_of(l, i);
		hv->fault = h->generation == last->generation ? LOG_BAD_GENERATION : LOG_EPOCH;
		hv->state = tell_by_pages(sc, h->segment, hv) ? HEADER_REBUILT : HEADER_VOID;
	}
}

/* What its pages say contradicts the other headers. */
static void refuse_one(struct header_view *hv, bool twice)
{
	hv->fault = twice ? LOG_BAD_GENERATION : LOG_EPOCH;
	hv->state = HEADER_VOID;
}

/* A segment that pages tell of must fit between those that have headers. */
static void refuse_rebuilt(struct log_file *l)
{
	const struct log_header none = { }, end = { .epoch = U64_MAX };
	struct log_header before = none, behind = end, *h;
	const struct segment_scan *x = l->segment;
	struct header_view *hv;
	u32 i;

	for (i = l->nr_segments; i-- > 0;) {
		h = &l->segment[i].h;
		hv = header_of(l, i);
		if (i + 1 < l->nr_segments && x[i].class != x[i + 1].class)
			behind = end;
		if (hv->state == HEADER_LIVE)
			behind = *h;
		else if (h->generation == behind.generation || h->epoch > behind.epoch)
			refuse_one(hv, h->generation == behind.generation);
	}
	for (i = 0; i < l->nr_segments; i++) {
		h = &l->segment[i].h;
		hv = header_of(l, i);
		if (i && x[i].class != x[i - 1].class)
			before = none;
		if (hv->state == HEADER_REBUILT &&
		    (h->generation == before.generation || h->epoch < before.epoch))
			refuse_one(hv, h->generation == before.generation);
		if (hv->state != HEADER_VOID)
			before = *h;
	}
}

static void header_findings(struct log_file *l)
{
	struct header_view *hv;
	u32 segment;

	for (segment = 0; segment < l->s.g.nr_segments; segment++) {
		hv = &l->header[segment];
		if (hv->state == HEADER_REBUILT) {
			header_finding(l, segment, FAULT_HEADER_DAMAGED);
			continue;
		}
		if (hv->state != HEADER_VOID)
			continue;
		header_finding(l, segment, hv->error ? FAULT_HEADER_UNREADABLE :
			       FAULT_HEADER + hv->fault);
	}
}

void scan_headers(struct scan *sc)
{
	void *block = xpages(SSDUP_BLOCK_BYTES);
	struct log_file *l = sc->l;
	u32 segment;

	l->header = xalloc(l->s.g.nr_segments * sizeof(*l->header));
	for (segment = 0; segment < l->s.g.nr_segments; segment++)
		read_header(sc, segment, block);
	free(block);
	collect(l, HEADER_LIVE, HEADER_LIVE);
	refuse_headers(sc);
	collect(l, HEADER_LIVE, HEADER_REBUILT);
	refuse_rebuilt(l);
	collect(l, HEADER_LIVE, HEADER_REBUILT);
	header_findings(l);
}
