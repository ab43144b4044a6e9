// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: metadata pages are read, and the newest version of each is chosen.
 */
#include <errno.h>

#include "lib/wait.h"
#include "pages.h"

/* --- Reading --- */

static void show(struct scan *sc)
{
	ticker_show(sc->l->ctx, &sc->l->ticker, sc->l->ssd.path,
		    "%u %% of the metadata looked at",
		    (unsigned int)min(100 * sc->done / sc->to_do, 100ULL));
}

static int read_chunk(struct scan *sc, u32 segment, u32 page, u32 nr)
{
	int r;

	show(sc);
	nr = min(nr, sc->l->s.g.meta_pages - page);
	r = log_read(sc->l, sc->chunk,
		     ssdup_log_slot_sector(&sc->l->s.g, segment, page, 0), nr * PAIR_SECTORS);
	sc->segment = segment;
	sc->first = page;
	sc->nr = r ? 0 : nr;
	return r;
}

static bool have_page(const struct scan *sc, u32 segment, u32 page)
{
	return sc->nr && segment == sc->segment && page >= sc->first &&
	       page - sc->first < sc->nr;
}

void scan_read(struct scan *sc, u32 segment, u32 page, struct page_view *v)
{
	char *to = sc->chunk;
	u32 slot, nr;
	u64 at;
	int r;

	*v = (struct page_view){ .page = page, .newest = -1 };
	if (!have_page(sc, segment, page)) {
		/* A segment without a header is mostly over after its first page. */
		nr = sc->l->header[segment].state == HEADER_NONE && !page && !sc->all ?
		     1 : SCAN_CHUNK;
		/* What is bad further on is none of this page's business. */
		r = read_chunk(sc, segment, page, nr);
		if (r)
			r = read_chunk(sc, segment, page, 1);
		for (slot = 0; slot < SSDUP_PAGE_SLOTS && r; slot++) {
			char *b = to + slot * SSDUP_PAGE_BYTES;

			memset(b, 0, SSDUP_PAGE_BYTES);
			at = ssdup_log_slot_sector(&sc->l->s.g, segment, page, slot);
			v->error[slot] = log_read(sc->l, b, at, SSDUP_PAGE_SECTORS);
			sc->read_out |= v->error[slot] == -ENXIO;
		}
	}
	if (sc->nr)
		to += (size_t)(page - sc->first) * PAIR_BYTES;
	v->slot = (const struct ssdup_page *)to;
}

/* --- One page --- */

/*
 * No power cut has been since the epoch began, if its suspend was clean: a torn page is damage
 * then, and if it is the newer one, something is lost.
 */
static bool newest_damaged(const struct log_file *l, const struct page_view *v, u32 slot)
{
	return v->fault[slot] == LOG_BAD_CRC && !v->error[slot] && v->newest >= 0 &&
	       scan_clean(l, v->in->h.epoch) &&
	       log_page_rev(&v->slot[slot]) > log_page_rev(&v->slot[!slot]);
}

void scan_judge(const struct log_file *l, struct page_view *v)
{
	struct log_page_id want = {
		.generation = v->in->h.generation, .epoch = v->in->h.epoch,
		.segment = v->in->h.segment, .page = v->page,
	};
	u32 slot;

	memcpy(want.uuid, l->s.uuid, sizeof(want.uuid));
	for (slot = 0; slot < SSDUP_PAGE_SLOTS; slot++) {
		v->fault[slot] = v->error[slot] ? LOG_BAD_CRC :
				 ssdup_log_page_check(&v->slot[slot], &want);
		v->misnumbered[slot] = v->fault[slot] == LOG_OK && v->in->based &&
				       log_page_number(&v->slot[slot]) != v->in->base + v->page;
		if (v->fault[slot] == LOG_OK && !v->misnumbered[slot] &&
		    (v->newest < 0 ||
		     log_page_rev(&v->slot[slot]) > log_page_rev(&v->slot[v->newest])))
			v->newest = slot;
	}
	for (slot = 0; slot < SSDUP_PAGE_SLOTS; slot++)
		v->damaged[slot] = newest_damaged(l, v, slot);
}
