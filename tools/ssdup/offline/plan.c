// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: what to write so that the kernel accepts a damaged log. Nothing here touches
 * data, nor a version of a page that counts, but for those that the kernel refuses the
 * log for: a repair that is interrupted can be begun again.
 */
#include <errno.h>
#include <stdlib.h>

#include "lib/pool.h"
#include "offline.h"

static struct repair *plan_step(struct plan *plan, enum repair_what what)
{
	struct repair *x;

	plan->all = xmore(plan->all, plan->nr, sizeof(*x));
	x = &plan->all[plan->nr++];
	*x = (struct repair){ .what = what };
	return x;
}

static struct repair *add_slot(struct plan *plan, enum repair_what what, u32 segment, u32 page,
			       u32 slot)
{
	struct repair *x = plan_step(plan, what);

	x->h.segment = segment;
	x->page = page;
	x->slot = slot;
	return x;
}

/* --- Pages --- */

/* Revisions beyond this were not counted up to, and start over. */
#define MAX_REV		(LOG_MAX_COUNT - 1)

/* An empty page for a place: behind it, the log goes on. */
static struct repair *add_page(struct plan *plan, const struct log_header *h, u32 page, u32 number,
			       u64 rev)
{
	struct repair *x = add_slot(plan, REPAIR_PAGE, h->segment, page, rev & 1);
	struct log_page_id id = {
		.generation = h->generation, .epoch = h->epoch, .rev = rev, .page = page,
		.segment = h->segment, .number = number,
	};

	memcpy(id.uuid, plan->l->s.uuid, sizeof(id.uuid));
	x->new = xpages(SSDUP_PAGE_BYTES);
	ssdup_log_page_begin(x->new, &id);
	return x;
}

/* What can still be said of an entry that is wrong: these sectors are not what they should be. */
static bool lost_range(const struct log_super *s, u64 generation, const struct log_entry *e)
{
	return e->sectors && log_within(e->sector, e->sectors, s->hdd_sectors) &&
	       e->seq >> SSDUP_SEQ_BITS == generation &&
	       !((e->sector | e->sectors) & (s->g.block_sectors - 1));
}

/* The newest version once more, without what is wrong in it. */
static void rewrite_page(struct plan *plan, const struct page_view *v)
{
	const struct ssdup_page *p = &v->slot[v->newest];
	const struct log_super *s = &plan->l->s;
	const struct log_header *h = &v->in->h;
	u64 rev = log_page_rev(p) < MAX_REV ? log_page_rev(p) + 1 : 2;
	u32 i, nr = le16_to_cpu(p->h.nr_entries);
	struct log_entry e;
	struct repair *x;

	if (rev == 2 && log_page_rev(p) != 1)
		add_slot(plan, REPAIR_SLOT_VOID, h->segment, v->page, 1);
	x = add_page(plan, h, v->page, log_page_number(p), rev);
	for (i = 0; i < nr; i++) {
		if (log_entry_decode(s, h->generation, &p->e[i], &e) == LOG_OK) {
			x->kept++;
		} else if (lost_range(s, h->generation, &e)) {
			e.kind = SSDUP_KIND_LOST;
			e.pos = to_log_pos(0);
			x->marked++;
		} else {
			x->dropped++;
			continue;
		}
		ssdup_log_page_add(x->new, &e);
	}
	ssdup_log_page_finish(x->new);
}

static bool entries_well(const struct plan *plan, const struct page_view *v)
{
	const struct ssdup_page *p = &v->slot[v->newest];
	struct log_entry e;
	u32 i;

	for (i = 0; i < le16_to_cpu(p->h.nr_entries); i++)
		if (log_entry_decode(&plan->l->s, v->in->h.generation, &p->e[i], &e) != LOG_OK)
			return false;
	return true;
}

/* Such a slot makes the kernel refuse the log, or hides that something is lost. */
static bool slot_wrong(const struct page_view *v, u32 slot)
{
	return v->error[slot] || v->damaged[slot] || v->misnumbered[slot] ||
	       v->fault[slot] == LOG_PAGE_BAD_COUNT;
}

static int plan_page(void *arg, const struct page_view *v)
{
	const struct segment_scan *x = v->in;
	struct plan *plan = arg;
	u32 slot;

	if (v->state == PAGE_BEHIND || (v->state == PAGE_VOID && v->page != x->end))
		return 0;
	for (slot = 0; slot < SSDUP_PAGE_SLOTS; slot++)
		if (slot_wrong(v, slot))
			add_slot(plan, REPAIR_SLOT_VOID, x->h.segment, v->page, slot);
	/* The pages behind it are good: an empty one leads to them. */
	if (v->state == PAGE_MISSING)
		ssdup_log_page_finish(add_page(plan, &x->h, v->page, x->base + v->page, 1)->new);
	else if (v->state != PAGE_VOID && !entries_well(plan, v))
		rewrite_page(plan, v);
	return 0;
}

/* --- Segments --- */

static void add_header(struct plan *plan, enum repair_what what, const struct log_header *h)
{
	plan_step(plan, what)->h = *h;
}

/* Where there are others, a segment that has nothing of this log may be theirs. */
static bool others_may_have(const struct plan *plan, u32 segment)
{
	return plan->owner && plan->owner[segment] != POOL_FREE &&
	       plan->owner[segment] != plan->l->s.log;
}

/* Only there the kernel looks for a generation. */
static bool on_its_ssd(const struct log_super *s, u32 segment, u64 generation)
{
	u32 first, ssd = log_class_ssd(s->classes.nr_ssds, log_class(&s->classes, generation));

	return ssdup_log_ssd_of(&s->ssds, segment, &first) == ssd;
}

/* A free segment for @h; rather one that looks like what is gone. */
static bool take_free(struct plan *plan, struct log_header *h)
{
	struct log_file *l = plan->l;
	u32 pass, i;

	for (pass = 0; pass < 2; pass++)
		for (i = 0; i < l->s.g.nr_segments; i++) {
			struct header_view *hv = &l->header[i];

			if (hv->state == HEADER_LIVE || hv->state == HEADER_REBUILT ||
			    (!pass && hv->fault == LOG_OK) || others_may_have(plan, i) ||
			    !on_its_ssd(&l->s, i, h->generation))
				continue;
			hv->state = HEADER_LIVE;
			h->segment = i;
			return true;
		}
	return false;
}

/* Empty pages, then the header that makes them count. False: there is no room for it. */
static bool fill_gap(struct plan *plan, const struct segment_gap *gap)
{
	u32 number = gap->base, end = gap->base + gap->pages, page;
	struct log_header h = { .generation = gap->generation, .epoch = gap->epoch };
	u32 step = log_class_step(&plan->l->s.classes, gap->generation);
	u64 nr = gap->nr;

	for (; nr; nr--, h.generation += step) {
		if (!take_free(plan, &h))
			return false;
		for (page = 0; page < plan->l->s.g.meta_pages && number != end; page++, number++)
			ssdup_log_page_finish(add_page(plan, &h, page, number, 1)->new);
		add_header(plan, REPAIR_HEADER, &h);
	}
	return true;
}

static bool plan_segments(struct plan *plan)
{
	struct log_file *l = plan->l;
	struct log_header h = { };
	size_t i;

	for (; h.segment < l->s.g.nr_segments; h.segment++) {
		if (l->header[h.segment].state == HEADER_VOID) {
			if (others_may_have(plan, h.segment))
				return false;
			add_header(plan, REPAIR_HEADER_VOID, &h);
		}
		if (l->header[h.segment].state == HEADER_REBUILT)
			add_header(plan, REPAIR_HEADER, &l->header[h.segment].h);
	}
	for (i = 0; i < l->nr_gaps; i++)
		if (!fill_gap(plan, &l->gaps[i]))
			return false;
	return true;
}

/* --- Superblock and record --- */

/* The last suspend has counted the pages, and not these. */
static bool miscounted(const struct log_file *l)
{
	u64 pages = 0, segments = 0;
	u32 i;

	for (i = 0; i < l->nr_segments; i++) {
		pages += l->segment[i].live;
		segments += !!l->segment[i].live;
	}
	return l->s.flags & SSDUP_RECORD_CLOSED &&
	       (pages != l->s.live_pages || segments != l->s.live_segments);
}

/* @bad: one of several SSDs has a copy that is not as the newest */
static void plan_copies(struct log_file *l, struct plan *plan, bool bad)
{
	bool changed = plan->nr || miscounted(l);
	struct repair *x;
	u32 part, other;

	for (part = 0; part < NR_PARTS && l->ssds.nr > 1; part++)
		if (part == PART_RECORD && changed)
			plan_step(plan, REPAIR_RECORD);
		else if (bad)
			plan_step(plan, REPAIR_PART)->part = part;
	for (part = 0; part < NR_PARTS && l->ssds.nr == 1; part++) {
		other = !l->from[part];
		/* What stands on the pages is not what the last suspend counted. */
		if (part == PART_RECORD && changed) {
			plan_step(plan, REPAIR_RECORD);
		} else if (l->log.part[part].copy_fault[other] != LOG_OK ||
			   memcmp(l->raw[part][0], l->raw[part][1], SSDUP_BLOCK_BYTES)) {
			x = plan_step(plan, REPAIR_COPY);
			x->part = part;
			x->copy = other;
		}
	}
}

static int refuse_fault(struct log_file *l, enum log_fault fault)
{
	const char *path = l->ssd.path;

	switch (fault) {
	case LOG_UNKNOWN_VERSION:
	case LOG_UNKNOWN_INCOMPAT:
	case LOG_UNKNOWN_RO_COMPAT:
		return fail(l->ctx, EXIT_REFUSED, path, "%s: another ssdup is needed",
			    ssdup_log_fault_text(fault));
	case LOG_NO_UUID:
		return fail(l->ctx, EXIT_REFUSED, path,
			    "%s: its pages could be of any log; export takes what it holds",
			    ssdup_log_fault_text(LOG_NO_UUID));
	default:
		return EXIT_OK;
	}
}

/* As after a cut while a log was added or forgotten: then the newer one counts. */
static bool copies_disagree(const struct log_file *l)
{
	const struct ssd_copies *c = &l->log.part[PART_SUPER];

	return c->copy_fault[0] == LOG_OK && c->copy_fault[1] == LOG_OK &&
	       !memcmp(c->copy[0].pool, c->copy[1].pool, sizeof(c->copy[0].pool)) &&
	       c->copy[0].logs != c->copy[1].logs;
}

static int refuse(struct log_file *l)
{
	u32 part, i;
	int r;

	if (!l->known)
		return no_log(l);
	if (l->asked != NO_COPY && copies_disagree(l))
		return fail(l->ctx, EXIT_REFUSED, l->ssd.path,
			    "the copies of the superblock name other logs, and --copy could make one of them vanish; repair it without");
	for (part = 0; part < NR_PARTS; part++)
		for (i = 0; i < SSDUP_COPIES; i++) {
			r = refuse_fault(l, l->log.part[part].copy_fault[i]);
			if (r != EXIT_OK)
				return r;
		}
	for (i = 0; i < l->ssds.nr; i++)
		if (log_ssd_short(l, i))
			return fail(l->ctx, EXIT_LOST, log_ssd(l, i)->path,
				    "a part of the log is not there, and cannot be made; export takes the rest");
	return EXIT_OK;
}

int plan_make(struct log_file *l, struct plan *plan)
{
	bool bad_copies;
	int r;

	memset(plan, 0, sizeof(*plan));
	plan->l = l;
	super_findings(l);
	bad_copies = l->findings.of[SEV_REPAIRABLE];
	r = refuse(l);
	if (r != EXIT_OK)
		return r;
	l->visit = plan_page;
	l->visit_arg = plan;
	log_scan(l, true);
	l->visit = NULL;
	log_map(l);
	if (super_several(&l->s))
		plan->owner = pool_owners(&l->ssds, &l->log, &l->s);
	if (l->contradictory || !plan_segments(plan))
		return fail(l->ctx, EXIT_LOST, l->ssd.path,
			    "its headers and pages contradict each other%s; export takes what it holds",
			    plan->owner ? ", or a damaged one may be another log's" : "");
	plan_copies(l, plan, bad_copies);
	return EXIT_OK;
}

void plan_free(struct plan *plan)
{
	while (plan->nr)
		free(plan->all[--plan->nr].new);
	free(plan->all);
	free(plan->owner);
}

/* --- Doing it --- */

void plan_print(FILE *to, const struct plan *plan)
{
	const struct repair *x;
	size_t i;

	for (i = 0; i < plan->nr; i++) {
		x = &plan->all[i];
		switch (x->what) {
		case REPAIR_SLOT_VOID:
			fprintf(to, "zero segment %u page %u slot %u\n", x->h.segment, x->page,
				x->slot);
			break;
		case REPAIR_PAGE:
			fprintf(to, "write segment %u page %u slot %u: ", x->h.segment, x->page,
				x->slot);
			fprintf(to, "%u entries kept, %u marked as lost, %u dropped\n", x->kept,
				x->marked, x->dropped);
			break;
		case REPAIR_HEADER_VOID:
			fprintf(to, "zero the header and the pages of segment %u\n", x->h.segment);
			break;
		case REPAIR_HEADER:
			fprintf(to, "write the header of segment %u: generation %llu, epoch %llu\n",
				x->h.segment, x->h.generation, x->h.epoch);
			break;
		case REPAIR_COPY:
			fprintf(to, "write %s copy %u as copy %d is\n", part_name(x->part),
				x->copy, plan->l->from[x->part]);
			break;
		case REPAIR_PART:
			fprintf(to, "write both copies of the %s of each SSD as the newest is\n",
				part_name(x->part));
			break;
		case REPAIR_RECORD:
			fprintf(to, "write both copies of the record: not suspended cleanly\n");
			break;
		}
	}
}

static int write_slot(struct plan *plan, const struct repair *x, const void *content)
{
	return log_write(plan->l, content,
			 ssdup_log_slot_sector(&plan->l->s.g, x->h.segment, x->page, x->slot),
			 SSDUP_PAGE_SECTORS);
}

static int write_header(struct log_file *l, const struct repair *x)
{
	/* With all pages: they would show that there was a header. */
	u32 sectors = x->what == REPAIR_HEADER ? SSDUP_BLOCK_SECTORS : l->s.g.data_start;
	void *block = xpages((size_t)sectors * SECTOR_BYTES);
	int r;

	if (x->what == REPAIR_HEADER)
		ssdup_log_header_encode(&l->s, &x->h, block);
	r = log_write(l, block, log_segment_sector(&l->s.g, x->h.segment), sectors);
	free(block);
	return r;
}

static int write_record(struct log_file *l)
{
	const struct ssd_copies *c = &l->log.part[PART_RECORD];
	struct log_super s = l->s;
	u32 i;

	/* Above both, so that none of the two wins over what is written now. */
	for (i = 0; i < SSDUP_COPIES; i++)
		if (c->copy_fault[i] == LOG_OK)
			s.seq = max(s.seq, c->copy[i].seq);
	s.seq++;
	s.flags &= ~SSDUP_RECORD_CLOSED;
	return ssdup_log_super_spent(&s) ? -ERANGE : ssd_part_write(&l->ssds, PART_RECORD, &s);
}

/* What takes the place of a home may have left marks there. */
static int write_part(struct log_file *l, enum ssd_part part)
{
	u32 copy, i;
	int r = 0;

	for (copy = 0; copy < SSDUP_COPIES && part == PART_SUPER; copy++)
		for (i = 0; i < l->ssds.nr && !r; i++)
			if (l->ssds.fd[i] >= 0)
				r = ssd_home_tidy(l->ssds.fd[i], l->ssds.sectors[i], copy);
	return r ?: ssd_part_write(&l->ssds, part, part == PART_SUPER ?
				   &l->log.part[part].copy[l->from[part]] : &l->s);
}

static int apply(struct plan *plan, const struct repair *x)
{
	struct log_file *l = plan->l;
	void *zeros;
	int r;

	switch (x->what) {
	case REPAIR_SLOT_VOID:
		zeros = xpages(SSDUP_PAGE_BYTES);
		r = write_slot(plan, x, zeros);
		free(zeros);
		return r;
	case REPAIR_PAGE:
		return write_slot(plan, x, x->new);
	case REPAIR_HEADER_VOID:
	case REPAIR_HEADER:
		return write_header(l, x);
	case REPAIR_COPY:
		r = x->part == PART_SUPER ?
		    ssd_home_tidy(l->ssd.fd, l->log.ssd_sectors, x->copy) : 0;
		return r ?: disk_write(&l->ssd, l->raw[x->part][l->from[x->part]],
				  part_sector(l->log.ssd_sectors, l->s.log, x->part, x->copy),
				  SSDUP_BLOCK_SECTORS);
	case REPAIR_PART:
		return write_part(l, x->part);
	default:
		return write_record(l);
	}
}

static int sync_all(struct log_file *l)
{
	int r = 0;
	u32 i;

	for (i = 0; i < l->ssds.nr && !r; i++)
		r = l->ssds.fd[i] < 0 ? 0 : disk_sync(log_ssd(l, i));
	return r;
}

int plan_apply(struct plan *plan)
{
	size_t i;
	int r;

	for (i = 0; i < plan->nr; i++) {
		/* A header counts on its pages, and the record on all of them. */
		r = plan->all[i].what >= REPAIR_HEADER ? sync_all(plan->l) : 0;
		r = r ?: apply(plan, &plan->all[i]);
		if (r)
			return r;
	}
	return sync_all(plan->l);
}
