// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: what to write so that the kernel accepts a damaged log. Nothing here touches
 * data, nor a version of a page that counts, but for those that the kernel refuses the
 * log for: a repair that is interrupted can be begun again.
 */
#include <errno.h>
#include <stdlib.h>

#include "offline.h"

static struct repair *plan_step(struct plan *plan, enum repair_what what)
{
	struct repair *x;

	plan->all = xmore(plan->all, plan->nr, sizeof(*x));
	x = &plan->all[plan->nr++];
	*x = (struct repair){ .what = what };
	return x;
}

static struct repair *add_slot(struct plan *plan, enum repair_what what, u32 half, u32 page,
			       u32 slot)
{
	struct repair *x = plan_step(plan, what);

	x->half = half;
	x->page = page;
	x->slot = slot;
	return x;
}

/* --- Pages --- */

/* Revisions beyond this were not counted up to, and start over. */
#define MAX_REV		(LOG_MAX_COUNT - 1)

/* An empty page for a place: behind it, the log goes on. */
static struct repair *add_page(struct plan *plan, u32 half, u32 page, u64 epoch, u64 rev)
{
	const struct log_super *s = &plan->l->s;
	struct log_page_id id = {
		.generation = s->generation[half], .epoch = epoch, .rev = rev, .page = page,
		.half = half,
	};
	struct repair *x = add_slot(plan, REPAIR_PAGE, half, page, rev & 1);

	memcpy(id.uuid, s->uuid, sizeof(id.uuid));
	x->new = xpages(SSDUP_PAGE_BYTES);
	ssdup_log_page_begin(x->new, &id);
	return x;
}

/* What can still be said of an entry that is wrong: these sectors are not what they should be. */
static bool lost_range(const struct log_super *s, const struct log_entry *e)
{
	return e->sectors && e->sector < s->hdd_sectors &&
	       e->sectors <= s->hdd_sectors - e->sector && e->seq && e->seq <= LOG_MAX_COUNT &&
	       !((e->sector | e->sectors) & (s->g.block_sectors - 1));
}

/* The newest version once more, without what is wrong in it. */
static void rewrite_page(struct plan *plan, const struct page_view *v)
{
	const struct ssdup_page *p = &v->slot[v->newest];
	const struct log_super *s = &plan->l->s;
	u64 rev = log_page_rev(p) < MAX_REV ? log_page_rev(p) + 1 : 2;
	u32 i, nr = le16_to_cpu(p->h.nr_entries);
	struct log_entry e;
	struct repair *x;

	if (rev == 2 && log_page_rev(p) != 1)
		add_slot(plan, REPAIR_SLOT_VOID, v->half, v->page, 1);
	x = add_page(plan, v->half, v->page, log_page_epoch(p), rev);
	for (i = 0; i < nr; i++) {
		if (log_entry_decode(s, &p->e[i], &e) == LOG_OK) {
			x->kept++;
		} else if (lost_range(s, &e)) {
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
		if (log_entry_decode(&plan->l->s, &p->e[i], &e) != LOG_OK)
			return false;
	return true;
}

/* The pages behind these are good: empty ones lead to them. */
static void fill_holes(struct plan *plan, const struct page_view *v)
{
	size_t i;

	for (i = 0; i < plan->nr_holes; i++)
		ssdup_log_page_finish(add_page(plan, v->half, plan->holes[i],
					       log_page_epoch(&v->slot[v->newest]), 1)->new);
	plan->nr_holes = 0;
}

static void add_hole(struct plan *plan, u32 page)
{
	plan->holes = xmore(plan->holes, plan->nr_holes, sizeof(*plan->holes));
	plan->holes[plan->nr_holes++] = page;
}

/* Such a slot makes the kernel refuse the log, or hides that something is lost. */
static bool slot_wrong(const struct page_view *v, u32 slot)
{
	return v->error[slot] || v->damaged[slot] || v->fault[slot] == LOG_PAGE_BAD_COUNT ||
	       v->fault[slot] == LOG_PAGE_EPOCH;
}

static int plan_page(void *arg, const struct page_view *v)
{
	struct plan *plan = arg;
	const struct half_scan *h = &plan->l->half[v->half];
	u32 slot;

	if (!v->page)
		plan->nr_holes = 0;
	if (v->state == PAGE_BEHIND || (v->state == PAGE_VOID && v->page != h->end))
		return 0;
	for (slot = 0; slot < SSDUP_PAGE_SLOTS; slot++)
		if (slot_wrong(v, slot))
			add_slot(plan, REPAIR_SLOT_VOID, v->half, v->page, slot);
	if (v->state == PAGE_MISSING)
		add_hole(plan, v->page);
	if (v->state == PAGE_KEPT)
		fill_holes(plan, v);
	if ((v->state == PAGE_KEPT || v->state == PAGE_LIVE) && !entries_well(plan, v))
		rewrite_page(plan, v);
	return 0;
}

/* --- Superblock --- */

/* The last suspend has counted the pages, and not these. */
static bool miscounted(const struct log_file *l)
{
	u32 half;

	for (half = 0; half < l->s.g.nr_halves && l->s.flags & SSDUP_SUPER_CLEAN; half++)
		if (l->half[half].live != l->s.pages[half])
			return true;
	return false;
}

static void plan_super(struct log_file *l, struct plan *plan)
{
	u32 other = !l->from;
	enum log_fault fault = l->super.copy_fault[other];
	bool differs = fault != LOG_OK || memcmp(l->raw[0], l->raw[1], SSDUP_SUPER_BYTES);

	/* What stands on the pages is not what the last suspend counted. */
	if (plan->nr || miscounted(l))
		plan_step(plan, REPAIR_SUPER);
	else if (differs)
		plan_step(plan, REPAIR_COPY)->copy = other;
}

static int refuse(struct log_file *l)
{
	const char *path = l->ssd.path;
	u32 i;

	if (l->from == NO_COPY)
		return no_log(l);
	for (i = 0; i < SSDUP_SUPER_COPIES; i++)
		switch (l->super.copy_fault[i]) {
		case LOG_NEWER_VERSION:
		case LOG_UNKNOWN_INCOMPAT:
		case LOG_UNKNOWN_RO_COMPAT:
			return fail(l->ctx, EXIT_REFUSED, path, "%s: a newer ssdup is needed",
				    ssdup_log_fault_text(l->super.copy_fault[i]));
		case LOG_NO_UUID:
			return fail(l->ctx, EXIT_REFUSED, path,
				    "%s: its pages could be of any log; export takes what it holds",
				    ssdup_log_fault_text(LOG_NO_UUID));
		default:
			break;
		}
	if (l->ssd.sectors < l->s.ssd_sectors)
		return fail(l->ctx, EXIT_LOST, path,
			    "a part of the log is not there, and cannot be made; export takes the rest");
	return EXIT_OK;
}

int plan_make(struct log_file *l, struct plan *plan)
{
	int r;

	memset(plan, 0, sizeof(*plan));
	plan->l = l;
	super_findings(l);
	r = refuse(l);
	if (r != EXIT_OK)
		return r;
	l->visit = plan_page;
	l->visit_arg = plan;
	log_scan(l, true);
	l->visit = NULL;
	log_map(l);
	plan_super(l, plan);
	return EXIT_OK;
}

void plan_free(struct plan *plan)
{
	while (plan->nr)
		free(plan->all[--plan->nr].new);
	free(plan->all);
	free(plan->holes);
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
			fprintf(to, "zero half %u page %u slot %u\n", x->half, x->page, x->slot);
			break;
		case REPAIR_PAGE:
			fprintf(to, "write half %u page %u slot %u: ", x->half, x->page, x->slot);
			fprintf(to, "%u entries kept, %u marked as lost, %u dropped\n", x->kept,
				x->marked, x->dropped);
			break;
		case REPAIR_COPY:
			fprintf(to, "write superblock copy %u as copy %d is\n", x->copy,
				plan->l->from);
			break;
		case REPAIR_SUPER:
			fprintf(to, "write both copies of the superblock: not suspended cleanly\n");
			break;
		}
	}
}

static int write_slot(struct plan *plan, const struct repair *x, const void *content)
{
	return disk_write(&plan->l->ssd, content,
			  ssdup_log_slot_sector(&plan->l->s.g, x->half, x->page, x->slot),
			  SSDUP_PAGE_SECTORS);
}

static int write_super(struct log_file *l)
{
	struct log_super s = l->s;
	u32 i;

	/* Above both, so that none of the two wins over what is written now. */
	for (i = 0; i < SSDUP_SUPER_COPIES; i++)
		if (l->super.copy_fault[i] == LOG_OK)
			s.seq = max(s.seq, l->super.copy[i].seq);
	s.seq++;
	s.flags &= ~SSDUP_SUPER_CLEAN;
	return ssdup_log_super_spent(&s) ? -ERANGE : ssd_log_write(l->ssd.fd, &s);
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
	case REPAIR_COPY:
		return disk_write(&l->ssd, l->raw[l->from], SSDUP_SUPER_SECTOR(x->copy),
				  SSDUP_SUPER_BYTES / SECTOR_BYTES);
	default:
		return write_super(l);
	}
}

int plan_apply(struct plan *plan)
{
	size_t i;
	int r;

	for (i = 0; i < plan->nr; i++) {
		/* The superblock stands at the end, and counts on the pages. */
		r = plan->all[i].what >= REPAIR_COPY ? disk_sync(&plan->l->ssd) : 0;
		r = r ?: apply(plan, &plan->all[i]);
		if (r)
			return r;
	}
	return disk_sync(&plan->l->ssd);
}
