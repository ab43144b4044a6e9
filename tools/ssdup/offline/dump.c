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
	bool		begun;	/* headers were shown */
};

/* --- Superblock and record --- */

static const char *verdict_of(const struct log_file *l, enum ssd_part part, u32 copy)
{
	const struct ssd_copies *c = &l->log.part[part];

	return c->error[copy] ? "cannot be read" : ssdup_log_fault_text(c->copy_fault[copy]);
}

/* Is there anything to show, besides what is wrong with it? */
static bool shown(const struct log_file *l, enum ssd_part part, u32 copy)
{
	const void *raw = l->raw[part][copy];
	const struct ssdup_record *r = raw;
	const struct ssdup_super *s = raw;

	if (l->log.part[part].error[copy])
		return false;
	return part == PART_SUPER ? le64_to_cpu(s->magic) == SSDUP_SUPER_MAGIC :
	       le32_to_cpu(r->magic) == SSDUP_RECORD_MAGIC ||
	       le32_to_cpu(r->magic) == SSDUP_GUARDED_MAGIC;
}

static void dump_super(const struct dump *d, const struct ssdup_super *s)
{
	char uuid[UUID_TEXT];
	u32 i;

	fprintf(d->to, "  version %u, compat 0x%llx, ro_compat 0x%llx, incompat 0x%llx\n",
		le32_to_cpu(s->version), le64_to_cpu(s->compat), le64_to_cpu(s->ro_compat),
		le64_to_cpu(s->incompat));
	fprintf(d->to, "  pool %s, seq %llu\n", uuid_text(uuid, s->uuid), le64_to_cpu(s->seq));
	fprintf(d->to, "  ssd_sectors %llu, nr_ssds %u, ssd_index %u\n",
		le64_to_cpu(s->ssd_sectors), le16_to_cpu(s->nr_ssds), le16_to_cpu(s->ssd_index));
	fprintf(d->to, "  segment_start %llu, segment_sectors %u, nr_segments %u, meta_pages %u\n",
		le64_to_cpu(s->segment_start), le32_to_cpu(s->segment_sectors),
		le32_to_cpu(s->nr_segments), le32_to_cpu(s->meta_pages));
	for (i = 0; i < SSDUP_MAX_SSDS && s->ssd_segments[i]; i++)
		fprintf(d->to, "  SSD %u: %s, %u segments%s\n", i, uuid_text(uuid, s->member[i]),
			le32_to_cpu(s->ssd_segments[i]), ssd_state_text(s->ssd_state[i]));
}

static void dump_record(const struct dump *d, const struct ssdup_record *s)
{
	char uuid[UUID_TEXT], hdd[IDENTITY_TEXT], host[HOST_TEXT];
	u32 i, nr = min_t(u32, le16_to_cpu(s->nr_classes), SSDUP_MAX_CLASSES);

	fprintf(d->to, "  log %u, uuid %s\n", le16_to_cpu(s->log), uuid_text(uuid, s->uuid));
	fprintf(d->to, "  seq %llu, epoch %llu, flags 0x%x%s\n", le64_to_cpu(s->seq),
		le64_to_cpu(s->epoch), le32_to_cpu(s->flags),
		le32_to_cpu(s->flags) & SSDUP_RECORD_CLOSED ? " (suspended cleanly)" : "");
	fprintf(d->to, "  hdd_sectors %llu, block_sectors %u\n", le64_to_cpu(s->hdd_sectors),
		le32_to_cpu(s->block_sectors));
	fprintf(d->to, "  tail %llu, first %llu, live_segments %u, live_pages %llu\n",
		le64_to_cpu(s->tail[0]), le64_to_cpu(s->first), le32_to_cpu(s->live_segments),
		le64_to_cpu(s->live_pages));
	fprintf(d->to, "  hdd_id %s\n", identity_text(hdd, s->hdd_id));
	if (host_known(s->host))
		fprintf(d->to, "  host %s, %s\n", uuid_text(uuid, s->host),
			host_text(host, s->host_name));
	if (s->nr_ssds)
		fprintf(d->to, "  classes on %u SSDs, before generation %llu on %u\n",
			le16_to_cpu(s->nr_ssds), le64_to_cpu(s->era), le16_to_cpu(s->old_ssds));
	for (i = 1; i < nr; i++)
		fprintf(d->to, "  tail of class %u: %llu\n", i, le64_to_cpu(s->tail[i]));
}

static void json_super(struct json *j, const struct ssdup_super *s)
{
	char uuid[UUID_TEXT];
	u32 i;

	json_number(j, "version", le32_to_cpu(s->version));
	json_number(j, "compat", le64_to_cpu(s->compat));
	json_number(j, "ro_compat", le64_to_cpu(s->ro_compat));
	json_number(j, "incompat", le64_to_cpu(s->incompat));
	json_text(j, "uuid", uuid_text(uuid, s->uuid));
	json_number(j, "seq", le64_to_cpu(s->seq));
	json_number(j, "ssd_sectors", le64_to_cpu(s->ssd_sectors));
	json_number(j, "segment_start", le64_to_cpu(s->segment_start));
	json_number(j, "segment_sectors", le32_to_cpu(s->segment_sectors));
	json_number(j, "nr_segments", le32_to_cpu(s->nr_segments));
	json_number(j, "meta_pages", le32_to_cpu(s->meta_pages));
	json_number(j, "nr_ssds", le16_to_cpu(s->nr_ssds));
	json_number(j, "ssd_index", le16_to_cpu(s->ssd_index));
	json_number(j, "made_ssds", le16_to_cpu(s->made_ssds));
	json_begin(j, "ssd_states", '[');
	for (i = 0; i < le16_to_cpu(s->nr_ssds) && i < SSDUP_MAX_SSDS; i++)
		json_number(j, NULL, s->ssd_state[i]);
	json_end(j, ']');
}

static void json_record(struct json *j, const struct ssdup_record *s)
{
	char uuid[UUID_TEXT], hdd[IDENTITY_TEXT], host[HOST_TEXT];
	bool active = host_known(s->host);
	u32 i, nr = min_t(u32, le16_to_cpu(s->nr_classes), SSDUP_MAX_CLASSES);

	json_number(j, "log", le16_to_cpu(s->log));
	json_number(j, "nr_classes", le16_to_cpu(s->nr_classes));
	json_number(j, "nr_ssds", le16_to_cpu(s->nr_ssds));
	json_number(j, "old_ssds", le16_to_cpu(s->old_ssds));
	json_number(j, "era", le64_to_cpu(s->era));
	json_text(j, "uuid", uuid_text(uuid, s->uuid));
	json_number(j, "seq", le64_to_cpu(s->seq));
	json_number(j, "epoch", le64_to_cpu(s->epoch));
	json_number(j, "flags", le32_to_cpu(s->flags));
	json_number(j, "hdd_sectors", le64_to_cpu(s->hdd_sectors));
	json_text(j, "hdd_id", identity_known(s->hdd_id) ? identity_text(hdd, s->hdd_id) : NULL);
	json_text(j, "host", active ? uuid_text(uuid, s->host) : NULL);
	json_text(j, "host_name", active ? host_text(host, s->host_name) : NULL);
	json_number(j, "block_sectors", le32_to_cpu(s->block_sectors));
	json_number(j, "tail", le64_to_cpu(s->tail[0]));
	json_begin(j, "tails", '[');
	for (i = 0; i < nr; i++)
		json_number(j, NULL, le64_to_cpu(s->tail[i]));
	json_end(j, ']');
	json_number(j, "first", le64_to_cpu(s->first));
	json_number(j, "live_segments", le32_to_cpu(s->live_segments));
	json_number(j, "live_pages", le64_to_cpu(s->live_pages));
}

static void dump_copy(const struct dump *d, enum ssd_part part, u32 copy)
{
	const void *raw = d->l->raw[part][copy];

	fprintf(d->to, "%s copy %u: %s%s\n", part_name(part), copy, verdict_of(d->l, part, copy),
		d->l->from[part] == (int)copy ? ", counts" : "");
	if (!shown(d->l, part, copy))
		return;
	if (part == PART_SUPER)
		dump_super(d, raw);
	else
		dump_record(d, raw);
}

static void json_copy(const struct dump *d, enum ssd_part part, u32 copy)
{
	const void *raw = d->l->raw[part][copy];
	struct json *j = d->j;

	json_begin(j, NULL, '{');
	json_number(j, "copy", copy);
	json_bool(j, "counts", d->l->from[part] == (int)copy);
	json_text(j, "verdict", verdict_of(d->l, part, copy));
	json_number(j, "fault", d->l->log.part[part].copy_fault[copy]);
	if (shown(d->l, part, copy) && part == PART_SUPER)
		json_super(j, raw);
	else if (shown(d->l, part, copy))
		json_record(j, raw);
	json_end(j, '}');
}

static void dump_copies(const struct dump *d)
{
	u32 part, i;

	for (part = 0; part < NR_PARTS; part++) {
		/* Without a superblock nobody knows whose record it is. */
		if (part == PART_RECORD && d->l->from[PART_SUPER] == NO_COPY)
			return;
		if (d->j)
			json_begin(d->j, part_name(part), '[');
		for (i = 0; i < SSDUP_COPIES; i++)
			if (d->j)
				json_copy(d, part, i);
			else
				dump_copy(d, part, i);
		if (d->j)
			json_end(d->j, ']');
	}
}

/* --- Headers --- */

static void dump_headers(const struct dump *d)
{
	static const char * const name[] = {
		[HEADER_FREE] = "free", [HEADER_LIVE] = "live",
		[HEADER_REBUILT] = "damaged, as its pages say", [HEADER_VOID] = "refused",
	};
	const struct header_view *hv;
	u32 i;

	if (d->j)
		json_begin(d->j, "headers", '[');
	for (i = 0; i < d->l->s.g.nr_segments; i++) {
		hv = &d->l->header[i];
		/* Those that say nothing would fill the screen. */
		if (hv->state == HEADER_NONE)
			continue;
		if (!d->j) {
			fprintf(d->to, "segment %u: %s", i, name[hv->state]);
			if (hv->error)
				fprintf(d->to, ", the header cannot be read");
			if (!hv->error || hv->state == HEADER_REBUILT)
				fprintf(d->to, ", generation %llu, epoch %llu",
					hv->h.generation, hv->h.epoch);
			if (d->l->s.classes.nr > 1 && hv->state == HEADER_LIVE)
				fprintf(d->to, ", class %u",
					log_class(&d->l->s.classes, hv->h.generation));
			fputc('\n', d->to);
			continue;
		}
		json_begin(d->j, NULL, '{');
		json_number(d->j, "segment", i);
		json_text(d->j, "state", name[hv->state]);
		json_number(d->j, "fault", hv->fault);
		json_number(d->j, "generation", hv->h.generation);
		json_number(d->j, "epoch", hv->h.epoch);
		json_end(d->j, '}');
	}
	if (d->j)
		json_end(d->j, ']');
}

/* --- Pages --- */

static const char *slot_text(const struct page_view *v, u32 slot)
{
	if (v->error[slot])
		return "unreadable";
	if (v->misnumbered[slot])
		return "of another number";
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

static void dump_entries(const struct dump *d, const struct page_view *v)
{
	const struct ssdup_page *p = &v->slot[v->newest];
	u32 i, nr = min_t(u32, le16_to_cpu(p->h.nr_entries), SSDUP_PAGE_ENTRIES);
	enum log_fault fault;
	struct log_entry e;

	if (d->j)
		json_begin(d->j, "entries", '[');
	for (i = 0; i < nr; i++) {
		fault = log_entry_decode(&d->l->s, v->in->h.generation, &p->e[i], &e);
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
			fprintf(d->to, ", number %u, rev %llu, %u entries", log_page_number(p),
				log_page_rev(p), le16_to_cpu(p->h.nr_entries));
		fputc('\n', d->to);
		return;
	}
	json_begin(d->j, NULL, '{');
	json_text(d->j, "verdict", slot_text(v, slot));
	if (!v->error[slot] && v->fault[slot] != LOG_PAGE_STALE) {
		json_number(d->j, "number", log_page_number(p));
		json_number(d->j, "rev", log_page_rev(p));
		json_number(d->j, "nr_entries", le16_to_cpu(p->h.nr_entries));
	}
	json_end(d->j, '}');
}

/* All headers have been read before the first page is shown. */
static void begin_pages(struct dump *d)
{
	if (d->begun)
		return;
	d->begun = true;
	if (d->parts & DUMP_HEADERS)
		dump_headers(d);
	if (d->j && d->parts & DUMP_PAGES)
		json_begin(d->j, "pages", '[');
}

/* Those with nothing of this log in them would fill the screen. */
static int dump_page(void *arg, const struct page_view *v)
{
	struct dump *d = arg;

	begin_pages(d);
	if (v->state == PAGE_VOID && v->fault[0] == LOG_PAGE_STALE &&
	    v->fault[1] == LOG_PAGE_STALE)
		return 0;
	if (!d->j)
		fprintf(d->to, "segment %u page %u: %s\n", v->in->h.segment, v->page,
			state_name[v->state]);
	if (d->j) {
		json_begin(d->j, NULL, '{');
		json_number(d->j, "segment", v->in->h.segment);
		json_number(d->j, "page", v->page);
		json_text(d->j, "state", state_name[v->state]);
		json_begin(d->j, "slots", '[');
	}
	dump_slot(d, v, 0);
	dump_slot(d, v, 1);
	if (d->j)
		json_end(d->j, ']');
	if (d->parts & DUMP_ENTRIES && v->newest >= 0)
		dump_entries(d, v);
	if (d->j)
		json_end(d->j, '}');
	return 0;
}

static void dump_segments(struct dump *d)
{
	if (d->parts & DUMP_PAGES) {
		d->l->visit = dump_page;
		d->l->visit_arg = d;
	}
	log_scan(d->l, d->parts & DUMP_FULL);
	d->l->visit = NULL;
	begin_pages(d);
	if (d->j && d->parts & DUMP_PAGES)
		json_end(d->j, ']');
}

/* --- Extents --- */

static void dump_extents(const struct dump *d)
{
	const struct extent *e;

	if (d->j)
		json_begin(d->j, "extents", '[');
	for (e = ssdup_extent_first(&d->l->map, 0, U64_MAX); e; e = ssdup_extent_next(e)) {
		u32 segment = log_segment_of(&d->l->s.g, e->pos);

		if (!d->j) {
			fprintf(d->to, "extent %llu + %u: %s, segment %u, seq %llu", e->start,
				e->sectors, kind_text(e->kind), segment, (u64)e->seq);
			if (e->kind == SSDUP_KIND_DATA)
				fprintf(d->to, ", at SSD sector %llu", (u64)e->pos);
			fputc('\n', d->to);
			continue;
		}
		json_begin(d->j, NULL, '{');
		json_number(d->j, "sector", e->start);
		json_number(d->j, "sectors", e->sectors);
		json_text(d->j, "kind", kind_text(e->kind));
		json_number(d->j, "segment", segment);
		json_number(d->j, "seq", e->seq);
		if (e->kind == SSDUP_KIND_DATA)
			json_number(d->j, "ssd_sector", e->pos);
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
		dump_copies(&d);
	if (l->known && parts & (DUMP_HEADERS | DUMP_PAGES | DUMP_EXTENTS))
		dump_segments(&d);
	if (l->known && parts & DUMP_EXTENTS) {
		log_map(l);
		dump_extents(&d);
	}
	if (json)
		json_end(&j, '}');
}
