// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: superblock and record of a log that is read without the module.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "logfile.h"

static bool usable(enum log_fault fault)
{
	return fault == LOG_OK || fault == LOG_UNKNOWN_RO_COMPAT || fault == LOG_NO_UUID;
}

/* The one whose superblock counts. */
static const struct disk *counted(const struct log_file *l)
{
	u32 of = l->log.of[PART_SUPER];

	return of ? &l->more[of - 1] : &l->ssd;
}

static bool too_short(const struct log_file *l)
{
	return counted(l)->sectors < SSDUP_BLOCK_SECTORS;
}

bool log_has_magic(const struct log_file *l)
{
	const struct ssdup_super *s = (const void *)l->raw[PART_SUPER][0];

	return le64_to_cpu(s->magic) == SSDUP_SUPER_MAGIC;
}

static void read_raw(struct log_file *l, enum ssd_part part)
{
	u32 i, of = l->log.of[part];
	u64 sectors = l->ssds.nr > 1 ? l->ssds.sectors[of] : l->log.ssd_sectors;

	for (i = 0; i < SSDUP_COPIES; i++)
		disk_read(log_ssd(l, of), l->raw[part][i],
			  part_sector(sectors, l->log.number, part, i), SSDUP_BLOCK_SECTORS);
}

static void read_copies(struct log_file *l)
{
	struct ssd_copies *super = &l->log.part[PART_SUPER];
	u32 part, i;

	if (ssd_log_read(&l->ssds, &l->log, l->name)) {
		l->log.fault = LOG_BAD_CRC;
		super->fault = LOG_BAD_CRC;
	}
	for (part = 0; part < NR_PARTS; part++)
		for (i = 0; i < SSDUP_COPIES; i++)
			l->raw[part][i] = xpages(SSDUP_BLOCK_BYTES);
	/* An image that is too short for a superblock has none, unless it begins with one. */
	if (too_short(l)) {
		if (pread(counted(l)->fd, l->raw[0][0], SSDUP_BLOCK_BYTES, 0) < 0 ||
		    log_has_magic(l))
			return;
		l->log.fault = LOG_NOT_OURS;
		*super = (struct ssd_copies){
			.fault = LOG_NOT_OURS, .copy_fault = { LOG_NOT_OURS, LOG_NOT_OURS },
		};
		return;
	}
	read_raw(l, PART_SUPER);
	read_raw(l, PART_RECORD);
}

/* --- Which copy counts --- */

struct raw_copy {
	const u8	*uuid;
	u64		seq;
};

static struct raw_copy raw_copy(const struct log_file *l, enum ssd_part part, u32 copy)
{
	const void *raw = l->raw[part][copy];
	const struct ssdup_record *r = raw;
	const struct ssdup_super *s = raw;

	if (part == PART_SUPER)
		return (struct raw_copy){ s->uuid, le64_to_cpu(s->seq) };
	return (struct raw_copy){ r->uuid, le64_to_cpu(r->seq) };
}

static bool same_uuid(const struct log_file *l, enum ssd_part part)
{
	return !memcmp(raw_copy(l, part, 0).uuid, raw_copy(l, part, 1).uuid, 16);
}

/*
 * Of a copy that cannot be read or whose checksum is wrong nothing is known; one that
 * is refused under a right checksum must at least claim to be no newer than the one
 * that takes its place, and to be of the same log.
 */
bool copy_replaced(const struct log_file *l, enum ssd_part part, u32 copy)
{
	const struct ssd_copies *c = &l->log.part[part];
	u64 seq = raw_copy(l, part, copy).seq, good = raw_copy(l, part, !copy).seq;

	if (c->copy_fault[!copy] != LOG_OK)
		return false;
	if (l->asked == (int)!copy)
		return true;
	switch (c->copy_fault[copy]) {
	case LOG_OK:
		return same_uuid(l, part) && (seq < good || (seq == good && copy == 1));
	case LOG_BAD_CRC:
		return true;
	case LOG_BLANK:
	case LOG_NOT_OURS:
		return copy == 1 || part == PART_RECORD;
	case LOG_BAD_GEOMETRY:
	case LOG_BAD_GENERATION:
		return same_uuid(l, part) && seq <= good;
	default:
		return false;
	}
}

/* Reading is allowed where the kernel would not write. */
static int choose(const struct log_file *l, enum ssd_part part)
{
	const struct ssd_copies *c = &l->log.part[part];

	if (c->fault == LOG_OK)
		return c->best;
	if (c->fault == LOG_BAD_GEOMETRY || c->fault == LOG_BAD_GENERATION)
		return copy_replaced(l, part, 0) ? 1 : copy_replaced(l, part, 1) ? 0 : NO_COPY;
	if (!usable(c->fault))
		return NO_COPY;
	if (!usable(c->copy_fault[0]) || !usable(c->copy_fault[1]))
		return usable(c->copy_fault[0]) ? 0 : 1;
	if (!same_uuid(l, part))
		return NO_COPY;
	return raw_copy(l, part, 1).seq > raw_copy(l, part, 0).seq;
}

static bool log_chosen(const struct log_file *l)
{
	return l->log.part[PART_RECORD].fault != LOG_ABSENT;
}

/* @asked is about the superblock, and about the record where the rules choose none. */
static int choose_or_ask(const struct log_file *l, enum ssd_part part)
{
	int from = part == PART_RECORD || l->asked == NO_COPY ? choose(l, part) : NO_COPY;

	if (from != NO_COPY || l->asked == NO_COPY)
		return from;
	return usable(l->log.part[part].copy_fault[l->asked]) ? l->asked : NO_COPY;
}

/*
 * Of several SSDs each has to be the one that it is taken for. So a copy that the user wants is for
 * a log on one SSD.
 */
static bool makes_a_pool(struct log_file *l, int from)
{
	struct ssd_copies *c = &l->log.part[PART_SUPER];
	u32 nr = log_nr_ssds(&c->copy[from].ssds);

	if (nr == 1 && l->ssds.nr == 1)
		return true;
	if (c->fault == LOG_OK && l->asked == NO_COPY && (nr == l->ssds.nr || l->ssds.some))
		return true;
	if (c->fault == LOG_OK || c->fault == LOG_OVERWRITTEN) {
		c->fault = LOG_SSD_MISSING;
		l->log.fault = c->fault;
	}
	return false;
}

void log_attach(const struct ssdup_ctx *ctx, struct log_file *l, const char *name, int asked)
{
	int from;
	u32 i;

	l->ctx = ctx;
	l->name = name;
	l->asked = asked;
	l->host = this_host();
	l->ssds.nr = max(l->ssds.nr, 1U);
	for (i = 0; i < l->ssds.nr; i++) {
		l->ssds.fd[i] = log_ssd(l, i)->fd;
		if (!log_ssd(l, i)->mirror)
			continue;
		l->ssds.fd[ssd_mirror(i)] = log_ssd(l, i)->mirror->fd;
		l->ssds.mirrors |= BIT(i);
	}
	ssdup_extent_tree_init(&l->map);
	read_copies(l);
	l->from[PART_RECORD] = NO_COPY;
	from = choose_or_ask(l, PART_SUPER);
	if (from != NO_COPY && !makes_a_pool(l, from))
		from = NO_COPY;
	l->from[PART_SUPER] = from;
	if (from == NO_COPY)
		return;
	ssd_log_choose(&l->ssds, &l->log, &l->log.part[PART_SUPER].copy[from], name);
	if (!log_chosen(l))
		return;
	read_raw(l, PART_RECORD);
	from = choose_or_ask(l, PART_RECORD);
	l->from[PART_RECORD] = from;
	l->known = from != NO_COPY;
	if (l->known)
		l->s = l->log.part[PART_RECORD].copy[from];
}

/* --- What is wrong with it --- */

bool log_ssd_short(struct log_file *l, u32 index)
{
	u64 sectors = l->ssds.nr > 1 ? l->ssds.sectors[index] : l->s.ssd_sectors;

	return l->ssds.fd[index] >= 0 && log_ssd(l, index)->sectors < sectors;
}

u32 log_block(const struct log_file *l)
{
	u32 block = max(l->ssd.block_sectors, l->hdd_block_sectors), i;

	for (i = 1; i < l->ssds.nr; i++)
		block = max(block, l->more[i - 1].block_sectors);
	return block;
}

static unsigned int fault_base(enum ssd_part part)
{
	return part == PART_SUPER ? FAULT_SUPER : FAULT_RECORD;
}

static void compat_finding(struct log_file *l, u32 copy)
{
	const struct ssdup_super *s = (const void *)l->raw[PART_SUPER][copy];
	u64 compat = le64_to_cpu(s->compat) & ~SSDUP_COMPAT_KNOWN;
	struct finding f = finding(FAULT_SUPER_COMPAT);

	if (!compat || !usable(l->log.part[PART_SUPER].copy_fault[copy]))
		return;
	f.copy = copy;
	snprintf(f.text, sizeof(f.text), "bits 0x%llx", compat);
	found(&l->findings, &f);
}

static void copy_finding(struct log_file *l, enum ssd_part part, u32 copy)
{
	const struct ssdup_super *s = (const void *)l->raw[part][copy];
	const struct ssd_copies *c = &l->log.part[part];
	struct finding f = finding(fault_base(part) + c->copy_fault[copy]);

	if (c->copy_fault[copy] == LOG_OK)
		return;
	f.part = part;
	f.copy = copy;
	if (c->error[copy])
		f.number = fault_base(part) + 30;
	if (c->copy_fault[copy] == LOG_UNKNOWN_VERSION)
		snprintf(f.text, sizeof(f.text), "version %u, this program knows %u",
			 le32_to_cpu(s->version), SSDUP_VERSION);
	if (c->copy_fault[copy] == LOG_UNKNOWN_INCOMPAT)
		snprintf(f.text, sizeof(f.text), "bits 0x%llx",
			 le64_to_cpu(s->incompat) & ~SSDUP_INCOMPAT_KNOWN);
	if (c->copy_fault[copy] == LOG_UNKNOWN_RO_COMPAT)
		snprintf(f.text, sizeof(f.text), "bits 0x%llx",
			 le64_to_cpu(s->ro_compat) & ~SSDUP_RO_COMPAT_KNOWN);
	if (f.severity == SEV_REPAIRABLE && !copy_replaced(l, part, copy)) {
		f.severity = SEV_LOST;
		if (c->copy_fault[!copy] == LOG_OK)
			snprintf(f.text, sizeof(f.text),
				 "copy %u looks well: see --copy of repair and export", !copy);
	}
	found(&l->findings, &f);
}

static void pair_finding(struct log_file *l, enum ssd_part part)
{
	const struct ssd_copies *c = &l->log.part[part];
	u64 a = raw_copy(l, part, 0).seq, b = raw_copy(l, part, 1).seq;
	struct finding f;

	if (c->copy_fault[0] != LOG_OK || c->copy_fault[1] != LOG_OK)
		return;
	if (!same_uuid(l, part)) {
		f = finding(fault_base(part) + LOG_TWO_LOGS);
		snprintf(f.text, sizeof(f.text), "choose one: see --copy of repair and export");
	} else if (a != b) {
		f = finding(fault_base(part) + 31);
		f.copy = a > b;
		snprintf(f.text, sizeof(f.text), "seq %llu and %llu", a, b);
	} else if (memcmp(l->raw[part][0], l->raw[part][1], SSDUP_BLOCK_BYTES)) {
		f = finding(fault_base(part) + 32);
		f.copy = 1;
	} else {
		return;
	}
	f.part = part;
	found(&l->findings, &f);
}

bool log_elsewhere(const struct log_file *l)
{
	return l->known && l->host && log_of_other_host(&l->s, l->host);
}

int refuse_elsewhere(const struct log_file *l)
{
	char host[HOST_TEXT];

	if (!log_elsewhere(l))
		return EXIT_OK;
	return fail(l->ctx, EXIT_REFUSED, l->ssd.path,
		    "the log is active on %s, or was when that went down; when it is certain to be down, say --take-over",
		    host_text(host, l->s.host_name));
}

static void several_finding(struct log_file *l)
{
	struct finding f = finding(FAULT_SUPER_LOGS);

	if (l->name)
		snprintf(f.text, sizeof(f.text), "none is called %s", l->name);
	else
		snprintf(f.text, sizeof(f.text), "choose one with --log");
	found(&l->findings, &f);
}

static void host_finding(struct log_file *l)
{
	struct finding f = finding(FAULT_HOST_OTHER);

	if (!log_elsewhere(l))
		return;
	host_text(f.text, l->s.host_name);
	found(&l->findings, &f);
}

static void disk_findings(struct log_file *l)
{
	char log[IDENTITY_TEXT], given[IDENTITY_TEXT];
	u64 hdd = l->hdd_sectors ? l->hdd_sectors : l->s.hdd_sectors;
	u32 block = log_block(l), i;
	struct finding f;

	if (hdd < l->s.hdd_sectors) {
		f = finding(FAULT_HDD_SIZE);
		snprintf(f.text, sizeof(f.text), "%llu sectors, this one has %llu",
			 l->s.hdd_sectors, hdd);
		found(&l->findings, &f);
	}
	if (identity_other(l->s.hdd_id, l->hdd_id)) {
		f = finding(FAULT_HDD_OTHER);
		snprintf(f.text, sizeof(f.text), "%s, this one is %s",
			 identity_text(log, l->s.hdd_id), identity_text(given, l->hdd_id));
		found(&l->findings, &f);
	}
	for (i = 0; i < l->ssds.nr; i++) {
		if (!log_ssd_short(l, i))
			continue;
		f = finding(FAULT_SSD_SIZE);
		snprintf(f.text, sizeof(f.text), "%llu sectors, this one has %llu",
			 l->ssds.nr > 1 ? l->ssds.sectors[i] : l->s.ssd_sectors,
			 (u64)log_ssd(l, i)->sectors);
		found(&l->findings, &f);
	}
	if (block > l->s.g.block_sectors) {
		f = finding(FAULT_BLOCK_SIZE);
		snprintf(f.text, sizeof(f.text), "%u bytes, the disks have %u",
			 l->s.g.block_sectors * 512, block * 512);
		found(&l->findings, &f);
	}
}

static bool ours(const struct log_file *l, u32 copy)
{
	const struct ssd_copies *c = &l->log.part[PART_SUPER];

	return c->error[copy] || (c->copy_fault[copy] != LOG_BLANK &&
				  c->copy_fault[copy] != LOG_NOT_OURS);
}

/* They do not make a pool. */
static void pool_finding(struct log_file *l)
{
	enum log_fault fault = l->log.part[PART_SUPER].fault;
	struct finding f;

	if (fault < LOG_SSD_MISSING)
		return;
	f = finding(fault == LOG_SSD_MISSING ? FAULT_SSD_MISSING :
		    fault == LOG_SSD_BLANK ? FAULT_SSD_BLANK : FAULT_SSD_FOREIGN);
	snprintf(f.text, sizeof(f.text), "%s", log_ssd(l, l->log.of[PART_SUPER])->path);
	found(&l->findings, &f);
}

static void lost_finding(struct log_file *l, u32 ssd)
{
	struct finding f = finding(FAULT_SSD_LOST);
	char uuid[UUID_TEXT];

	snprintf(f.text, sizeof(f.text), "number %u, %s", ssd,
		 uuid_text(uuid, l->s.ssds.uuid[ssd]));
	found(&l->findings, &f);
}

/* The newest copies count, and others of the SSDs may lack them. */
static void behind_finding(struct log_file *l, u32 ssd)
{
	struct ssds one = ssds_some(l->ssds.fd[ssd]);
	struct finding f = finding(FAULT_SSD_BEHIND);
	struct ssd_log log;
	char number[4];

	snprintf(number, sizeof(number), "%u", l->log.number);
	if (!ssd_log_read(&one, &log, number) && log.fault == LOG_OK && !log.mend &&
	    ssd_super(&log)->seq == l->s.seq && ssd_super(&log)->pool_seq == l->s.pool_seq)
		return;
	snprintf(f.text, sizeof(f.text), "%s", log_ssd(l, ssd)->path);
	found(&l->findings, &f);
}

void super_findings(struct log_file *l)
{
	u32 part, copy, i;

	pool_finding(l);
	/* A disk that never had a log has lost none. */
	if (!ours(l, 0) && !ours(l, 1))
		return;
	for (part = 0; part < NR_PARTS; part++) {
		/* A record belongs to a superblock. */
		if (part == PART_RECORD && l->from[PART_SUPER] == NO_COPY)
			return;
		if (part == PART_RECORD && !log_chosen(l)) {
			several_finding(l);
			return;
		}
		for (copy = 0; copy < SSDUP_COPIES; copy++) {
			if (part == PART_SUPER)
				compat_finding(l, copy);
			copy_finding(l, part, copy);
		}
		pair_finding(l, part);
	}
	for (i = 0; i < l->ssds.nr && l->known && l->ssds.nr > 1; i++)
		if (l->s.ssds.state[i] == SSDUP_SSD_UNUSED)
			continue;
		else if (l->ssds.fd[i] < 0)
			lost_finding(l, i);
		else if (i != l->log.of[PART_SUPER] || i != l->log.of[PART_RECORD])
			behind_finding(l, i);
	if (l->known) {
		disk_findings(l);
		host_finding(l);
	}
}

/* --- Why there is none --- */

static int no_super(const struct log_file *l)
{
	const struct ssd_copies *c = &l->log.part[PART_SUPER];
	bool other = c->copy_fault[1] == LOG_OK;
	const struct ssdup_ctx *ctx = l->ctx;
	const char *path = counted(l)->path;

	switch (c->fault) {
	case LOG_BLANK:
		return fail(ctx, EXIT_NOT_FOUND, path, "no log: the first block is blank");
	case LOG_NOT_OURS:
		if (too_short(l))
			return fail(ctx, EXIT_NOT_FOUND, path, "no log: too small for one");
		return fail(ctx, EXIT_NOT_FOUND, path, "no dm-ssdup log: %s",
			    ssdup_log_fault_text(c->fault));
	case LOG_OVERWRITTEN:
		return fail(ctx, EXIT_REFUSED, path,
			    "a log, %s: check, export and repair take it with --copy 1",
			    ssdup_log_fault_text(c->fault));
	case LOG_UNKNOWN_VERSION:
		return fail(ctx, EXIT_REFUSED, path, "%s: another ssdup is needed",
			    ssdup_log_fault_text(c->fault));
	case LOG_UNKNOWN_INCOMPAT:
		return fail(ctx, EXIT_REFUSED, path, "%s: a newer ssdup is needed",
			    ssdup_log_fault_text(c->fault));
	case LOG_SSD_MISSING:
	case LOG_SSD_BLANK:
	case LOG_SSD_FOREIGN:
	case LOG_SSD_PLACE:
		return fail(ctx, EXIT_REFUSED, path, "holds a log that is %s",
			    ssdup_log_fault_text(c->fault));
	case LOG_TWO_LOGS:
		return fail(ctx, EXIT_LOST, path, "%s: choose with --copy 0 or --copy 1",
			    ssdup_log_fault_text(c->fault));
	default:
		return fail(ctx, EXIT_LOST, path, "no usable superblock: %s; %s",
			    l->ssd.sectors < 2 * SSDUP_HOME_SECTORS ?
			    "too small for one" : c->error[0] ?
			    "cannot be read" : ssdup_log_fault_text(c->fault),
			    other || c->copy_fault[0] == LOG_OK ?
			    "one copy looks well, see --copy" :
			    "\"ssdup repair --scan\" may find the log");
	}
}

int no_log(const struct log_file *l)
{
	const struct ssd_copies *super = &l->log.part[PART_SUPER];
	const struct ssd_copies *record = &l->log.part[PART_RECORD];

	if (l->from[PART_SUPER] != NO_COPY && !log_chosen(l))
		return l->name ?
		       fail(l->ctx, EXIT_NOT_FOUND, l->ssd.path,
			    "holds no log that is called %s; \"ssdup pool status %s\" lists them",
			    l->name, l->ssd.path) :
		       fail(l->ctx, EXIT_REFUSED, l->ssd.path,
			    "holds several logs: say with --log which one; \"ssdup pool status %s\" lists them",
			    l->ssd.path);
	if (l->from[PART_SUPER] != NO_COPY)
		return fail(l->ctx, EXIT_LOST, l->ssd.path, "no usable record of the log: %s; %s",
			    ssdup_log_fault_text(record->fault),
			    usable(record->copy_fault[0]) || usable(record->copy_fault[1]) ?
			    "one copy looks well, see --copy" :
			    "\"ssdup repair --scan\" may find the log");
	if (l->asked == NO_COPY || super->fault >= LOG_SSD_MISSING)
		return no_super(l);
	return fail(l->ctx, EXIT_LOST, l->ssd.path, "copy %d of the superblock: %s", l->asked,
		    super->error[l->asked] ? "cannot be read" :
		    ssdup_log_fault_text(super->copy_fault[l->asked]));
}
