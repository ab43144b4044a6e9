// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: the pages of a log that is read without the module.
 *
 * A segment ends as the kernel's replay ends it, at the first page with no version that counts.
 * Where later pages show that this one was durable, the ones behind it were promised, and are
 * taken too. The kernel refuses such a log.
 */
#include <errno.h>
#include <stdlib.h>

#include "lib/wait.h"
#include "pages.h"

struct segment_run {
	struct scan		*sc;
	struct segment_scan	*x;
	bool			ended;	/* the segment is over */
};

/* --- One page --- */

/* Must the segment have had this page? */
static bool promised(const struct segment_scan *x, u32 page)
{
	if (page >= x->top)
		return page < x->top + x->lost;
	return (u64)x->base + page < x->proven;
}

static void place(struct segment_run *run, struct page_view *v)
{
	struct segment_scan *x = run->x;

	if (v->newest < 0 && !promised(x, v->page))
		run->ended = true;
	if (run->ended)
		v->state = v->newest >= 0 ? PAGE_BEHIND : PAGE_VOID;
	else if (v->newest < 0)
		v->state = PAGE_MISSING;
	else
		v->state = x->missing ? PAGE_KEPT : PAGE_LIVE;
}

static void page_finding(struct log_file *l, const struct page_view *v, u32 slot, u32 number,
			 enum severity severity)
{
	struct finding f = finding(number);

	f.severity = severity;
	f.segment = v->in->h.segment;
	f.page = v->page;
	f.slot = slot;
	if (number == FAULT_PAGE_UNREADABLE && v->newest >= 0)
		snprintf(f.text, sizeof(f.text), "the other version counts");
	if (number == FAULT_PAGE_NUMBER)
		snprintf(f.text, sizeof(f.text), "%u instead of %u",
			 log_page_number(&v->slot[slot]), v->in->base + v->page);
	found(&l->findings, &f);
}

static void slot_findings(struct log_file *l, const struct page_view *v)
{
	u32 slot;

	for (slot = 0; slot < SSDUP_PAGE_SLOTS; slot++) {
		if (v->error[slot])
			page_finding(l, v, slot, FAULT_PAGE_UNREADABLE,
				     v->newest >= 0 ? SEV_REPAIRABLE : SEV_LOST);
		else if (v->fault[slot] == LOG_PAGE_BAD_COUNT)
			page_finding(l, v, slot, FAULT_PAGE_COUNT, SEV_LOST);
		else if (v->misnumbered[slot])
			page_finding(l, v, slot, FAULT_PAGE_NUMBER, SEV_LOST);
		else if (v->damaged[slot])
			page_finding(l, v, slot, FAULT_PAGE_DAMAGED, SEV_LOST);
		else if (v->fault[slot] == LOG_BAD_CRC && v->newest >= 0)
			page_finding(l, v, slot, FAULT_PAGE_TORN, SEV_NOTE);
	}
}

/* --- Entries --- */

static void entry_finding(struct log_file *l, const struct page_view *v, u32 i,
			  enum log_fault fault, const struct log_entry *e)
{
	struct finding f = finding(FAULT_ENTRY + fault);

	f.segment = v->in->h.segment;
	f.page = v->page;
	f.slot = v->newest;
	f.entry = i;
	if (e->sectors && log_within(e->sector, e->sectors, l->s.hdd_sectors)) {
		f.start = e->sector;
		f.sectors = e->sectors;
	}
	found(&l->findings, &f);
}

static void take_entries(struct log_file *l, struct segment_scan *x, const struct page_view *v)
{
	const struct ssdup_page *p = &v->slot[v->newest];
	u32 i, nr = le16_to_cpu(p->h.nr_entries);
	enum log_fault fault;
	struct log_entry e;
	struct log_item item;
	struct finding f;

	for (i = 0; i < nr; i++) {
		fault = log_entry_decode(&l->s, x->h.generation, &p->e[i], &e);
		if (fault != LOG_OK) {
			entry_finding(l, v, i, fault, &e);
			continue;
		}
		item = (struct log_item){
			.sector = e.sector, .seq = e.seq, .sectors = e.sectors, .kind = e.kind,
			.pos = e.kind == SSDUP_KIND_DATA ?
			       log_data_sector(&l->s.g, x->h.segment, e.pos) :
			       log_segment_sector(&l->s.g, x->h.segment),
		};
		log_item_add(l, &item);
		if (e.kind != SSDUP_KIND_LOST)
			continue;
		f = finding(FAULT_RANGE_LOST);
		f.segment = x->h.segment;
		f.start = e.sector;
		f.sectors = e.sectors;
		found(&l->findings, &f);
	}
	x->entries += nr;
}

/* --- One segment --- */

static void take_page(struct log_file *l, struct segment_scan *x, const struct page_view *v)
{
	switch (v->state) {
	case PAGE_LIVE:
		x->live++;
		break;
	case PAGE_KEPT:
		break;
	case PAGE_MISSING:
		x->missing++;
		x->end = v->page + 1;
		slot_findings(l, v);
		return;
	case PAGE_BEHIND:
		x->behind++;
		return;
	case PAGE_VOID:
		/* The kernel looks at the page that ends the segment. */
		if (v->page == x->end)
			slot_findings(l, v);
		return;
	}
	x->end = v->page + 1;
	slot_findings(l, v);
	take_entries(l, x, v);
}

static void segment_findings(struct log_file *l, const struct segment_scan *x)
{
	struct finding f;

	if (x->missing) {
		f = finding(scan_clean(l, x->h.epoch) ? FAULT_PAGES_MISSING : FAULT_PAGES_GAP);
		f.page = x->live;
		snprintf(f.text, sizeof(f.text), "%u of %u pages, up to %llu writes", x->missing,
			 x->end, (u64)x->missing * SSDUP_PAGE_ENTRIES);
	} else if (x->behind) {
		f = finding(FAULT_PAGES_BEHIND);
		f.page = x->end;
		snprintf(f.text, sizeof(f.text), "%u of them", x->behind);
	} else {
		return;
	}
	f.segment = x->h.segment;
	found(&l->findings, &f);
}

static int take_segment(struct scan *sc, struct segment_scan *x)
{
	struct segment_run run = { .sc = sc, .x = x };
	struct log_file *l = sc->l;
	struct page_view v;
	int r = 0;
	u32 page;

	sc->read_out = false;
	for (page = 0; page < l->s.g.meta_pages && !sc->read_out && !r; page++) {
		scan_read(sc, x->h.segment, page, &v);
		v.in = x;
		scan_judge(l, &v);
		place(&run, &v);
		take_page(l, x, &v);
		if (l->visit)
			r = l->visit(l->visit_arg, &v);
	}
	sc->done += l->s.g.meta_pages;
	segment_findings(l, x);
	return r;
}

/* --- All of them --- */

static void gap_findings(struct log_file *l)
{
	const struct segment_gap *gap;
	struct finding f;

	for (gap = l->gaps; gap < l->gaps + l->nr_gaps; gap++) {
		f = finding(FAULT_SEGMENT_GAP);
		snprintf(f.text, sizeof(f.text),
			 "%llu from generation %llu on, %u pages, up to %llu writes", gap->nr,
			 gap->generation, gap->pages, (u64)gap->pages * SSDUP_PAGE_ENTRIES);
		found(&l->findings, &f);
	}
}

/* Is there what the last suspend has counted, and nothing else? */
static void count_findings(struct log_file *l)
{
	u64 pages = 0, missing = 0, segments = 0;
	struct finding f;
	size_t i;

	if (!(l->s.flags & SSDUP_RECORD_CLOSED))
		return;
	for (i = 0; i < l->nr_segments; i++) {
		pages += l->segment[i].end - l->segment[i].missing;
		missing += l->segment[i].missing;
		segments += !!l->segment[i].end;
	}
	for (i = 0; i < l->nr_gaps; i++)
		missing += l->gaps[i].pages;
	if (pages + missing < l->s.live_pages) {
		f = finding(FAULT_PAGES_MISSING);
		snprintf(f.text, sizeof(f.text), "%llu of %llu pages at the end of segments",
			 l->s.live_pages - pages - missing, l->s.live_pages);
	} else if (pages > l->s.live_pages || (!missing && segments != l->s.live_segments)) {
		f = finding(FAULT_PAGES_MORE);
		snprintf(f.text, sizeof(f.text),
			 "%llu in %llu segments, the suspend counted %llu in %u", pages, segments,
			 l->s.live_pages, l->s.live_segments);
	} else {
		return;
	}
	found(&l->findings, &f);
}

int log_scan(struct log_file *l, bool all)
{
	u32 i, meta = l->s.g.meta_pages;
	struct scan sc = {
		.l = l, .all = all,
		.chunk = xpages((size_t)min(SCAN_CHUNK, meta) * PAIR_BYTES),
		.to_do = (u64)l->s.g.nr_segments * ((all ? meta : 1) + 2 * meta),
	};
	int r = 0;

	ticker_begin(&l->ticker);
	scan_headers(&sc);
	sc.done = sc.to_do - (u64)l->nr_segments * 2 * meta;
	scan_numbers(&sc);
	for (i = 0; i < l->nr_segments && !r; i++)
		r = take_segment(&sc, &l->segment[i]);
	gap_findings(l);
	count_findings(l);
	ticker_end(&l->ticker);
	free(sc.chunk);
	return r;
}

/* --- What the kernel says --- */

struct verdict {
	struct log_file	*l;
	struct ssdup_page *slots;
};

static int verdict_page(void *ctx, u32 segment, u32 page, const struct ssdup_page **slots)
{
	struct verdict *v = ctx;

	*slots = v->slots;
	return log_read(v->l, v->slots,
			 ssdup_log_slot_sector(&v->l->s.g, segment, page, 0), PAIR_SECTORS);
}

static int verdict_entries(void *ctx, u32 segment, const struct ssdup_entry *e, u32 nr)
{
	return 0;
}

/* A header as the kernel judges it. What cannot be read is zero. Return: as below */
static int verdict_header(struct log_file *l, u32 segment, void *head, struct log_header *h)
{
	u64 sector = log_segment_sector(&l->s.g, segment);
	int r, header = 0, slots = 0;
	enum log_fault fault;
	u32 at;

	for (at = 0; at < LOG_HEAD_BYTES; at += SSDUP_BLOCK_BYTES) {
		r = log_read(l, head + at, sector + at / SECTOR_BYTES, SSDUP_BLOCK_SECTORS);
		if (!r)
			continue;
		memset(head + at, 0, SSDUP_BLOCK_BYTES);
		*(at ? &slots : &header) = r;
	}
	fault = ssdup_log_head_decode(head, &l->s, segment, h);
	return header && (slots || fault != LOG_HEADER_STALE) ? header : (int)fault;
}

/* All valid headers. Return: LOG_OK or why not; < 0 for -errno */
static int verdict_headers(struct log_file *l, struct log_header *h, u32 *nr)
{
	void *head = xpages(LOG_HEAD_BYTES);
	int r = LOG_OK;
	u32 i;

	for (i = 0; i < l->s.g.nr_segments && r == LOG_OK; i++) {
		if (!segment_exists(&l->s, i))
			continue;
		r = verdict_header(l, i, head, &h[*nr]);
		*nr += r == LOG_OK;
		if (r == LOG_HEADER_STALE || r == LOG_BAD_CRC)
			r = LOG_OK;
	}
	free(head);
	return r;
}

static int verdict_pages(struct log_file *l, const struct log_header *h, u32 nr)
{
	static const struct replay_ops ops = { verdict_page, verdict_entries };
	struct verdict v = { .l = l, .slots = xpages(PAIR_BYTES) };
	struct ssdup_replay rp;
	u32 i, pages;
	int r = 0;

	ssdup_replay_begin(&rp, &l->s, &ops, &v);
	for (i = 0; i < nr && !r; i++)
		r = ssdup_replay_segment(&rp, &h[i], &pages);
	r = r ?: ssdup_replay_end(&rp);
	free(v.slots);
	return r == -EINVAL && rp.fault.fault != LOG_OK ? (int)rp.fault.fault : r;
}

int log_accepts(struct log_file *l)
{
	u64 hdd = l->hdd_sectors ? l->hdd_sectors : l->s.hdd_sectors, next;
	struct log_header *h;
	enum log_fault fits;
	u32 nr = 0, i;
	int r;

	if (l->log.fault != LOG_OK)
		return l->log.fault;
	if (l->ssds.some && l->ssds.nr > 1)
		return LOG_SSD_MISSING;
	for (i = 0; i < l->ssds.nr; i++)
		if (log_ssd_short(l, i))
			return LOG_OTHER_SSD_SIZE;
	fits = ssdup_log_super_fits(&l->s, hdd, l->s.ssd_sectors, log_block(l), l->host);
	if (fits != LOG_OK)
		return fits;
	h = xalloc(l->s.g.nr_segments * sizeof(*h));
	r = verdict_headers(l, h, &nr);
	if (!r)
		r = ssdup_replay_live(&l->s, h, &nr, &next);
	r = r ?: verdict_pages(l, h, nr);
	free(h);
	return r;
}
