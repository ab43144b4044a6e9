// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: what stands on an SSD, as it is.
 */
#include "offline.h"

static const char * const kind_name[SSDUP_KIND_MAX + 1] = {
	[SSDUP_KIND_NONE]	= "none",
	[SSDUP_KIND_DATA]	= "data",
	[SSDUP_KIND_DISCARD]	= "discard",
	[SSDUP_KIND_ZERO]	= "zero",
	[SSDUP_KIND_LOST]	= "lost",
};

static const char * const state_name[] = {
	[PAGE_LIVE]	= "live",
	[PAGE_KEPT]	= "kept",
	[PAGE_MISSING]	= "missing",
	[PAGE_BEHIND]	= "behind",
	[PAGE_VOID]	= "void",
};

struct dump {
	struct log_file	*l;
	FILE		*to;
	unsigned int	parts;
	struct json	*j;	/* NULL: text */
};

/* --- Superblock --- */

static void dump_copy(const struct dump *d, u32 copy)
{
	const struct ssdup_super *s = (const void *)d->l->raw[copy];
	bool used = d->l->from == (int)copy;
	char uuid[UUID_TEXT];
	u32 i;

	fprintf(d->to, "superblock copy %u: %s%s\n", copy,
		d->l->super.error[copy] ? "cannot be read" :
		ssdup_log_fault_text(d->l->super.copy_fault[copy]), used ? ", counts" : "");
	if (d->l->super.error[copy] || le64_to_cpu(s->magic) != SSDUP_SUPER_MAGIC)
		return;
	fprintf(d->to, "  version %u, compat 0x%llx, ro_compat 0x%llx, incompat 0x%llx\n",
		le32_to_cpu(s->version), le64_to_cpu(s->compat), le64_to_cpu(s->ro_compat),
		le64_to_cpu(s->incompat));
	fprintf(d->to, "  uuid %s\n", uuid_text(uuid, s->uuid));
	fprintf(d->to, "  seq %llu, epoch %llu, flags 0x%x%s\n", le64_to_cpu(s->seq),
		le64_to_cpu(s->epoch), le32_to_cpu(s->flags),
		le32_to_cpu(s->flags) & SSDUP_SUPER_CLEAN ? " (suspended cleanly)" : "");
	fprintf(d->to, "  hdd_sectors %llu, ssd_sectors %llu, block_sectors %u\n",
		le64_to_cpu(s->hdd_sectors), le64_to_cpu(s->ssd_sectors),
		le32_to_cpu(s->block_sectors));
	fprintf(d->to, "  half_start %llu, half_stride %llu, meta_pages %u, data_sectors %u\n",
		le64_to_cpu(s->half_start), le64_to_cpu(s->half_stride),
		le32_to_cpu(s->meta_pages), le32_to_cpu(s->data_sectors));
	fprintf(d->to, "  nr_halves %u, nr_ssds %u, ssd_index %u\n", le16_to_cpu(s->nr_halves),
		le16_to_cpu(s->nr_ssds), le16_to_cpu(s->ssd_index));
	for (i = 0; i < min_t(u32, le16_to_cpu(s->nr_halves), SSDUP_MAX_HALVES); i++)
		fprintf(d->to, "  half %u: generation %llu, state %u, pages %u\n", i,
			le64_to_cpu(s->half[i].generation), le32_to_cpu(s->half[i].state),
			le32_to_cpu(s->half[i].pages));
}

static void json_halves(struct json *j, const struct ssdup_super *s)
{
	u32 i;

	json_begin(j, "halves", '[');
	for (i = 0; i < min_t(u32, le16_to_cpu(s->nr_halves), SSDUP_MAX_HALVES); i++) {
		json_begin(j, NULL, '{');
		json_number(j, "generation", le64_to_cpu(s->half[i].generation));
		json_number(j, "state", le32_to_cpu(s->half[i].state));
		json_number(j, "pages", le32_to_cpu(s->half[i].pages));
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void json_copy(const struct dump *d, u32 copy)
{
	const struct ssdup_super *s = (const void *)d->l->raw[copy];
	struct json *j = d->j;
	char uuid[UUID_TEXT];

	json_begin(j, NULL, '{');
	json_number(j, "copy", copy);
	json_bool(j, "counts", d->l->from == (int)copy);
	json_text(j, "verdict", d->l->super.error[copy] ? "cannot be read" :
		  ssdup_log_fault_text(d->l->super.copy_fault[copy]));
	json_number(j, "fault", d->l->super.copy_fault[copy]);
	if (!d->l->super.error[copy] && le64_to_cpu(s->magic) == SSDUP_SUPER_MAGIC) {
		json_number(j, "version", le32_to_cpu(s->version));
		json_number(j, "compat", le64_to_cpu(s->compat));
		json_number(j, "ro_compat", le64_to_cpu(s->ro_compat));
		json_number(j, "incompat", le64_to_cpu(s->incompat));
		json_text(j, "uuid", uuid_text(uuid, s->uuid));
		json_number(j, "seq", le64_to_cpu(s->seq));
		json_number(j, "epoch", le64_to_cpu(s->epoch));
		json_number(j, "flags", le32_to_cpu(s->flags));
		json_number(j, "hdd_sectors", le64_to_cpu(s->hdd_sectors));
		json_number(j, "ssd_sectors", le64_to_cpu(s->ssd_sectors));
		json_number(j, "block_sectors", le32_to_cpu(s->block_sectors));
		json_number(j, "half_start", le64_to_cpu(s->half_start));
		json_number(j, "half_stride", le64_to_cpu(s->half_stride));
		json_number(j, "meta_pages", le32_to_cpu(s->meta_pages));
		json_number(j, "data_sectors", le32_to_cpu(s->data_sectors));
		json_number(j, "nr_halves", le16_to_cpu(s->nr_halves));
		json_halves(j, s);
	}
	json_end(j, '}');
}

static void dump_supers(const struct dump *d)
{
	u32 i;

	if (d->j)
		json_begin(d->j, "superblock", '[');
	for (i = 0; i < SSDUP_SUPER_COPIES; i++)
		if (d->j)
			json_copy(d, i);
		else
			dump_copy(d, i);
	if (d->j)
		json_end(d->j, ']');
}

/* --- Pages --- */

static const char *slot_text(const struct page_view *v, u32 slot)
{
	if (v->error[slot])
		return "unreadable";
	switch (v->fault[slot]) {
	case LOG_OK:
		return v->newest == (int)slot ? "counts" : "older";
	case LOG_PAGE_STALE:
		return "stale";
	case LOG_BAD_CRC:
		return "torn";
	default:
		return ssdup_log_fault_text(v->fault[slot]);
	}
}

static const char *kind_text(u8 kind)
{
	return kind <= SSDUP_KIND_MAX ? kind_name[kind] : "unknown";
}

static void dump_entries(const struct dump *d, const struct ssdup_page *p)
{
	u32 i, nr = min_t(u32, le16_to_cpu(p->h.nr_entries), SSDUP_PAGE_ENTRIES);
	enum log_fault fault;
	struct log_entry e;

	if (d->j)
		json_begin(d->j, "entries", '[');
	for (i = 0; i < nr; i++) {
		fault = log_entry_decode(&d->l->s, &p->e[i], &e);
		if (!d->j) {
			fprintf(d->to, "    entry %u: sector %llu + %u, %s, pos %u, seq %llu%s%s\n",
				i, e.sector, e.sectors, kind_text(e.kind), from_log_pos(e.pos),
				e.seq, fault == LOG_OK ? "" : ": ",
				fault == LOG_OK ? "" : ssdup_log_fault_text(fault));
			continue;
		}
		json_begin(d->j, NULL, '{');
		json_number(d->j, "sector", e.sector);
		json_number(d->j, "sectors", e.sectors);
		json_text(d->j, "kind", kind_text(e.kind));
		json_number(d->j, "pos", from_log_pos(e.pos));
		json_number(d->j, "seq", e.seq);
		json_number(d->j, "fault", fault);
		json_end(d->j, '}');
	}
	if (d->j)
		json_end(d->j, ']');
}

static void dump_slot(const struct dump *d, const struct page_view *v, u32 slot)
{
	const struct ssdup_page *p = &v->slot[slot];

	if (!d->j) {
		fprintf(d->to, "  slot %u: %s", slot, slot_text(v, slot));
		if (!v->error[slot] && v->fault[slot] != LOG_PAGE_STALE)
			fprintf(d->to, ", epoch %llu, rev %llu, %u entries", log_page_epoch(p),
				log_page_rev(p), le16_to_cpu(p->h.nr_entries));
		fputc('\n', d->to);
		return;
	}
	json_begin(d->j, NULL, '{');
	json_text(d->j, "verdict", slot_text(v, slot));
	if (!v->error[slot] && v->fault[slot] != LOG_PAGE_STALE) {
		json_number(d->j, "epoch", log_page_epoch(p));
		json_number(d->j, "rev", log_page_rev(p));
		json_number(d->j, "nr_entries", le16_to_cpu(p->h.nr_entries));
	}
	json_end(d->j, '}');
}

/* Those with nothing of this log in them would fill the screen. */
static int dump_page(void *arg, const struct page_view *v)
{
	const struct dump *d = arg;

	if (v->state == PAGE_VOID && v->fault[0] == LOG_PAGE_STALE &&
	    v->fault[1] == LOG_PAGE_STALE)
		return 0;
	if (!d->j)
		fprintf(d->to, "half %u page %u: %s\n", v->half, v->page, state_name[v->state]);
	if (d->j) {
		json_begin(d->j, NULL, '{');
		json_number(d->j, "half", v->half);
		json_number(d->j, "page", v->page);
		json_text(d->j, "state", state_name[v->state]);
		json_begin(d->j, "slots", '[');
	}
	dump_slot(d, v, 0);
	dump_slot(d, v, 1);
	if (d->j)
		json_end(d->j, ']');
	if (d->parts & DUMP_ENTRIES && v->newest >= 0)
		dump_entries(d, &v->slot[v->newest]);
	if (d->j)
		json_end(d->j, '}');
	return 0;
}

static void dump_pages(struct dump *d)
{
	if (d->j)
		json_begin(d->j, "pages", '[');
	d->l->visit = dump_page;
	d->l->visit_arg = d;
	log_scan(d->l, true);
	d->l->visit = NULL;
	if (d->j)
		json_end(d->j, ']');
}

/* --- Extents --- */

static void dump_extents(const struct dump *d)
{
	const struct extent *e;

	if (d->j)
		json_begin(d->j, "extents", '[');
	for (e = ssdup_extent_first(&d->l->map, 0, U64_MAX); e; e = ssdup_extent_next(e)) {
		u64 at = ssdup_log_data_sector(&d->l->s.g, e->half, e->pos);

		if (!d->j) {
			fprintf(d->to, "extent %llu + %u: %s, half %u, seq %llu", e->start,
				e->sectors, kind_text(e->kind), e->half, e->seq);
			if (e->kind == SSDUP_KIND_DATA)
				fprintf(d->to, ", at SSD sector %llu", at);
			fputc('\n', d->to);
			continue;
		}
		json_begin(d->j, NULL, '{');
		json_number(d->j, "sector", e->start);
		json_number(d->j, "sectors", e->sectors);
		json_text(d->j, "kind", kind_text(e->kind));
		json_number(d->j, "half", e->half);
		json_number(d->j, "seq", e->seq);
		if (e->kind == SSDUP_KIND_DATA)
			json_number(d->j, "ssd_sector", at);
		json_end(d->j, '}');
	}
	if (d->j)
		json_end(d->j, ']');
}

/* --- All of it --- */

void dump_log(struct log_file *l, FILE *to, unsigned int parts, bool json)
{
	struct json j = { .to = to };
	struct dump d = { .l = l, .to = to, .parts = parts, .j = json ? &j : NULL };

	if (json)
		json_begin(&j, NULL, '{');
	if (parts & DUMP_SUPER)
		dump_supers(&d);
	if (l->from != NO_COPY && parts & DUMP_PAGES)
		dump_pages(&d);
	else if (l->from != NO_COPY && parts & DUMP_EXTENTS)
		log_scan(l, true);
	if (l->from != NO_COPY && parts & DUMP_EXTENTS) {
		log_map(l);
		dump_extents(&d);
	}
	if (json)
		json_end(&j, '}');
}
