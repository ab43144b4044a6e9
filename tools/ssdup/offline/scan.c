// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: the pages of a log that is read without the module.
 *
 * A half ends as the kernel's replay ends it, at the first page with no version that
 * counts. Where the last suspend has counted more pages than that, or those behind the
 * gap show that it is not one of a power cut, they were promised, and are taken too. The
 * kernel refuses such a log.
 */
#include <errno.h>
#include <stdlib.h>

#include "lib/wait.h"
#include "logfile.h"

#define PAIR_BYTES	(SSDUP_PAGE_SLOTS * SSDUP_PAGE_BYTES)
#define PAIR_SECTORS	(PAIR_BYTES / SECTOR_BYTES)
#define CHUNK		64U		/* pages read at once */

struct scan {
	struct log_file	*l;
	bool		all;
	bool		again;		/* behind the gap, a second time */
	u32		half;
	u32		age;
	u32		order;
	u32		first;		/* page that the chunk starts with */
	u32		nr;		/* pages in it */
	char		*chunk;
	bool		ended;		/* the run from page 0 on is over */
	bool		read_out;	/* the SSD ends here */
	u32		promised;	/* pages of the half, as far as that is known */
	struct log_page_id want;
};

static bool clean(const struct log_file *l)
{
	return l->s.flags & SSDUP_SUPER_CLEAN;
}

/* --- Reading --- */

/* Behind a gap all pages are read twice: first to learn what it is. */
static void show(struct scan *sc, u32 page)
{
	const struct log_geometry *g = &sc->l->s.g;
	u64 pages = (u64)g->meta_pages * (1 + sc->all);
	u64 done = sc->half * pages + page + (sc->again ? g->meta_pages : 0);

	ticker_show(sc->l->ctx, &sc->l->ticker, sc->l->ssd.path,
		    "%u %% of the metadata looked at",
		    (unsigned int)(100 * done / (g->nr_halves * pages)));
}

static int read_chunk(struct scan *sc, u32 page, u32 nr)
{
	int r;

	show(sc, page);
	nr = min(nr, sc->l->s.g.meta_pages - page);
	r = disk_read(&sc->l->ssd, sc->chunk, ssdup_log_slot_sector(&sc->l->s.g, sc->half, page, 0),
		      nr * PAIR_SECTORS);
	sc->first = page;
	sc->nr = r ? 0 : nr;
	return r;
}

static void read_page(struct scan *sc, u32 page, struct page_view *v)
{
	char *to = sc->chunk;
	u32 slot;
	u64 at;
	int r;

	*v = (struct page_view){ .half = sc->half, .page = page, .newest = -1 };
	if (!sc->nr || page < sc->first || page - sc->first >= sc->nr) {
		/* What is bad further on is none of this page's business. */
		r = read_chunk(sc, page, CHUNK);
		if (r)
			r = read_chunk(sc, page, 1);
		for (slot = 0; slot < SSDUP_PAGE_SLOTS && r; slot++) {
			char *b = to + slot * SSDUP_PAGE_BYTES;

			memset(b, 0, SSDUP_PAGE_BYTES);
			at = ssdup_log_slot_sector(&sc->l->s.g, sc->half, page, slot);
			v->error[slot] = disk_read(&sc->l->ssd, b, at, SSDUP_PAGE_SECTORS);
			sc->read_out |= v->error[slot] == -ENXIO;
		}
	}
	if (sc->nr)
		to += (size_t)(page - sc->first) * PAIR_BYTES;
	v->slot = (const struct ssdup_page *)to;
}

/* --- One page --- */

static bool newer(const struct ssdup_page *a, const struct ssdup_page *b)
{
	if (log_page_epoch(a) != log_page_epoch(b))
		return log_page_epoch(a) > log_page_epoch(b);
	return log_page_rev(a) > log_page_rev(b);
}

/*
 * No power cut has been since the log was loaded, if its suspend was clean: a torn
 * page of this epoch is damage then, and if it is the newer one, something is lost.
 */
static bool newest_damaged(const struct log_file *l, const struct page_view *v, u32 slot)
{
	const struct ssdup_page *torn = &v->slot[slot], *other = &v->slot[!slot];

	return v->fault[slot] == LOG_BAD_CRC && !v->error[slot] && clean(l) && v->newest >= 0 &&
	       log_page_epoch(torn) == l->s.epoch &&
	       (log_page_epoch(other) < l->s.epoch || log_page_rev(torn) > log_page_rev(other));
}

static void judge(struct scan *sc, struct page_view *v)
{
	struct half_scan *h = &sc->l->half[sc->half];
	u32 slot;
	bool valid;

	sc->want.page = v->page;
	for (slot = 0; slot < SSDUP_PAGE_SLOTS; slot++) {
		v->fault[slot] = v->error[slot] ? LOG_BAD_CRC :
				 ssdup_log_page_check(&v->slot[slot], &sc->want);
		if (v->fault[slot] == LOG_OK &&
		    (v->newest < 0 || newer(&v->slot[slot], &v->slot[v->newest])))
			v->newest = slot;
	}
	for (slot = 0; slot < SSDUP_PAGE_SLOTS; slot++)
		v->damaged[slot] = newest_damaged(sc->l, v, slot);
	valid = v->newest >= 0 && log_page_epoch(&v->slot[v->newest]) >= h->epoch;
	if (!valid)
		sc->ended = true;
	if (!sc->ended)
		v->state = PAGE_LIVE;
	else if (v->page < sc->promised)
		v->state = valid ? PAGE_KEPT : PAGE_MISSING;
	else if (valid && v->page == h->end)
		/* The next one after those that were kept. */
		v->state = PAGE_KEPT;
	else
		v->state = valid ? PAGE_BEHIND : PAGE_VOID;
}

static void page_finding(struct log_file *l, const struct page_view *v, u32 slot, u32 number,
			 enum severity severity)
{
	struct finding f = finding(number);

	f.severity = severity;
	f.half = v->half;
	f.page = v->page;
	f.slot = slot;
	if (number == FAULT_PAGE_UNREADABLE && v->newest >= 0)
		snprintf(f.text, sizeof(f.text), "the other version counts");
	if (number == FAULT_PAGE_EPOCH)
		snprintf(f.text, sizeof(f.text), "epoch %llu, the superblock's is %llu",
			 log_page_epoch(&v->slot[slot]), l->s.epoch);
	found(&l->findings, &f);
}

static void slot_findings(struct scan *sc, const struct page_view *v)
{
	struct log_file *l = sc->l;
	u32 slot;

	for (slot = 0; slot < SSDUP_PAGE_SLOTS; slot++) {
		if (v->error[slot])
			page_finding(l, v, slot, FAULT_PAGE_UNREADABLE,
				     v->newest >= 0 ? SEV_REPAIRABLE : SEV_LOST);
		else if (v->fault[slot] == LOG_PAGE_BAD_COUNT || v->fault[slot] == LOG_PAGE_EPOCH)
			page_finding(l, v, slot, FAULT_PAGE + v->fault[slot], SEV_LOST);
		else if (v->damaged[slot])
			page_finding(l, v, slot, FAULT_PAGE_DAMAGED, SEV_LOST);
		else if (v->fault[slot] == LOG_BAD_CRC && v->newest >= 0)
			page_finding(l, v, slot, FAULT_PAGE_TORN, SEV_NOTE);
	}
}

/* --- Entries --- */

static void entry_finding(struct scan *sc, const struct page_view *v, u32 i,
			  enum log_fault fault, const struct log_entry *e)
{
	struct finding f = finding(FAULT_ENTRY + fault);

	f.half = v->half;
	f.page = v->page;
	f.slot = v->newest;
	f.entry = i;
	if (e->sectors && e->sector < sc->l->s.hdd_sectors &&
	    e->sectors <= sc->l->s.hdd_sectors - e->sector) {
		f.start = e->sector;
		f.sectors = e->sectors;
	}
	found(&sc->l->findings, &f);
}

static void take_entries(struct scan *sc, const struct page_view *v)
{
	const struct ssdup_page *p = &v->slot[v->newest];
	u32 i, nr = le16_to_cpu(p->h.nr_entries);
	enum log_fault fault;
	struct log_entry e;
	struct log_item item;
	struct finding f;

	for (i = 0; i < nr; i++) {
		fault = log_entry_decode(&sc->l->s, &p->e[i], &e);
		if (fault != LOG_OK) {
			entry_finding(sc, v, i, fault, &e);
			continue;
		}
		item = (struct log_item){
			.sector = e.sector, .seq = e.seq, .sectors = e.sectors,
			.pos = from_log_pos(e.pos), .order = sc->order++,
			.half = v->half, .age = sc->age, .kind = e.kind,
		};
		log_item_add(sc->l, &item);
		if (e.kind != SSDUP_KIND_LOST)
			continue;
		f = finding(FAULT_RANGE_LOST);
		f.half = v->half;
		f.start = e.sector;
		f.sectors = e.sectors;
		found(&sc->l->findings, &f);
	}
	sc->l->half[v->half].entries += nr;
}

/* --- One half --- */

static void take_page(struct scan *sc, const struct page_view *v)
{
	struct half_scan *h = &sc->l->half[sc->half];

	switch (v->state) {
	case PAGE_LIVE:
		h->live++;
		break;
	case PAGE_KEPT:
		break;
	case PAGE_MISSING:
		h->missing++;
		slot_findings(sc, v);
		return;
	case PAGE_BEHIND:
		h->behind++;
		return;
	case PAGE_VOID:
		/* The kernel looks at the page that ends the half. */
		if (v->page == h->end)
			slot_findings(sc, v);
		return;
	}
	h->end = v->page + 1;
	h->epoch = log_page_epoch(&v->slot[v->newest]);
	slot_findings(sc, v);
	take_entries(sc, v);
}

static void half_findings(struct scan *sc)
{
	struct log_file *l = sc->l;
	struct half_scan *h = &l->half[sc->half];
	u32 said = l->s.pages[sc->half], lost = max(h->missing, 1U);
	bool missing = clean(l) && h->live < said;
	struct finding f;

	if (missing || h->live < sc->promised) {
		f = finding(missing ? FAULT_PAGES_MISSING : FAULT_PAGES_GAP);
		f.page = h->live;
		snprintf(f.text, sizeof(f.text), "%u of %u pages, up to %llu writes", lost,
			 missing ? said : h->end, (u64)lost * SSDUP_PAGE_ENTRIES);
	} else if (clean(l) && h->live > said) {
		f = finding(FAULT_PAGES_MORE);
		snprintf(f.text, sizeof(f.text), "%u, the suspend counted %u", h->live, said);
	} else if (h->behind) {
		f = finding(FAULT_PAGES_BEHIND);
		f.page = h->end;
		snprintf(f.text, sizeof(f.text), "%u of them", h->behind);
	} else {
		return;
	}
	f.half = sc->half;
	found(&l->findings, &f);
}

/*
 * Where the half ends at @gap, how many pages it must have had: up to the last one that
 * nobody writes before the page at the gap is durable. Looks at all of them, or only at
 * those that the kernel looks at.
 */
static u32 proven(struct scan *sc, u32 gap, bool all)
{
	struct log_file *l = sc->l;
	struct half_scan before = l->half[sc->half];
	struct page_view v;
	u32 page, nr = 0;

	for (page = gap + 1; page < l->s.g.meta_pages && !sc->read_out;
	     page = all ? page + 1 : replay_look_on(gap, page)) {
		read_page(sc, page, &v);
		judge(sc, &v);
		if (v.newest >= 0 &&
		    log_page_outlives(&v.slot[v.newest], gap, before.epoch))
			nr = page + 1;
	}
	sc->read_out = false;
	return nr;
}

static int scan_half(struct scan *sc, bool all)
{
	struct log_file *l = sc->l;
	struct page_view v;
	int r = 0;
	u32 page;

	memcpy(sc->want.uuid, l->s.uuid, sizeof(sc->want.uuid));
	sc->want.generation = l->s.generation[sc->half];
	sc->want.epoch = l->s.epoch;
	sc->want.half = sc->half;
	if (clean(l))
		sc->promised = min(l->s.pages[sc->half], l->s.g.meta_pages);
	for (page = 0; page < l->s.g.meta_pages && !sc->read_out && !r; page++) {
		bool ended = sc->ended;

		read_page(sc, page, &v);
		judge(sc, &v);
		if (sc->ended && !ended && (all || !clean(l))) {
			sc->promised = max(sc->promised, proven(sc, page, all));
			sc->again = all;
			read_page(sc, page, &v);
			judge(sc, &v);
		}
		take_page(sc, &v);
		if (l->visit)
			r = l->visit(l->visit_arg, &v);
		if (sc->ended && !all && page + 1 >= sc->promised && v.state != PAGE_KEPT)
			break;
	}
	half_findings(sc);
	return r;
}

int log_scan(struct log_file *l, bool all)
{
	char *chunk = xpages((size_t)min(CHUNK, l->s.g.meta_pages) * PAIR_BYTES);
	u32 half, other;
	int r = 0;

	memset(l->half, 0, sizeof(l->half));
	ticker_begin(&l->ticker);
	for (half = 0; half < l->s.g.nr_halves && !r; half++) {
		struct scan sc = { .l = l, .half = half, .chunk = chunk, .all = all };

		for (other = 0; other < l->s.g.nr_halves; other++)
			sc.age += l->s.generation[other] < l->s.generation[half];
		r = scan_half(&sc, all);
	}
	ticker_end(&l->ticker);
	free(chunk);
	return r;
}

/* --- What the kernel says --- */

struct verdict {
	struct log_file	*l;
	struct ssdup_page *slots;
};

static int verdict_page(void *ctx, u32 half, u32 page, const struct ssdup_page **slots)
{
	struct verdict *v = ctx;

	*slots = v->slots;
	return disk_read(&v->l->ssd, v->slots, ssdup_log_slot_sector(&v->l->s.g, half, page, 0),
			 PAIR_SECTORS);
}

static int verdict_entries(void *ctx, u32 half, const struct ssdup_entry *e, u32 nr)
{
	return 0;
}

int log_accepts(struct log_file *l)
{
	static const struct replay_ops ops = { verdict_page, verdict_entries };
	u64 hdd = l->hdd_sectors ? l->hdd_sectors : l->s.hdd_sectors;
	struct verdict v = { .l = l };
	struct ssdup_replay_half res;
	struct replay_fault fault;
	enum log_fault fits;
	u32 half;
	int r = 0;

	if (l->super.fault != LOG_OK)
		return l->super.fault;
	fits = ssdup_log_super_fits(&l->s, hdd, l->ssd.sectors,
				    max(l->ssd.block_sectors, l->hdd_block_sectors));
	if (fits != LOG_OK)
		return fits;
	v.slots = xpages(PAIR_BYTES);
	for (half = 0; half < l->s.g.nr_halves && !r; half++)
		r = ssdup_replay_half(&l->s, half, &ops, &v, &res, &fault);
	free(v.slots);
	return r == -EINVAL && fault.fault != LOG_OK ? (int)fault.fault : r;
}
