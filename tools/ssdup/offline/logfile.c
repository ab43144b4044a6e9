// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: the superblock of a log that is read without the module.
 */
#include <stdlib.h>
#include <unistd.h>

#include "logfile.h"

static bool usable(enum log_fault fault)
{
	return fault == LOG_OK || fault == LOG_UNKNOWN_RO_COMPAT || fault == LOG_NO_UUID;
}

static bool too_short(const struct log_file *l)
{
	return l->ssd.sectors < SSDUP_SUPER_BYTES / SECTOR_BYTES;
}

bool log_has_magic(const struct log_file *l)
{
	const struct ssdup_super *s = (const void *)l->raw[0];

	return le64_to_cpu(s->magic) == SSDUP_SUPER_MAGIC;
}

static void read_copies(struct log_file *l)
{
	struct ssd_log *log = &l->super;
	u32 i;

	if (ssd_log_read(l->ssd.fd, log))
		log->fault = LOG_BAD_CRC;
	for (i = 0; i < SSDUP_SUPER_COPIES; i++)
		l->raw[i] = xpages(SSDUP_SUPER_BYTES);
	/* An image that is too short for a superblock has none, unless it begins with one. */
	if (too_short(l)) {
		if (pread(l->ssd.fd, l->raw[0], SSDUP_SUPER_BYTES, 0) < 0 || log_has_magic(l))
			return;
		*log = (struct ssd_log){
			.fault = LOG_NOT_OURS, .copy_fault = { LOG_NOT_OURS, LOG_NOT_OURS },
		};
		return;
	}
	for (i = 0; i < SSDUP_SUPER_COPIES; i++)
		disk_read(&l->ssd, l->raw[i], SSDUP_SUPER_SECTOR(i),
			  SSDUP_SUPER_BYTES / SECTOR_BYTES);
}

static const struct ssdup_super *raw(const struct log_file *l, u32 copy)
{
	return (const struct ssdup_super *)l->raw[copy];
}

/*
 * Of a copy that cannot be read or whose checksum is wrong nothing is known; one that
 * is refused under a right checksum must at least claim to be no newer than the one
 * that takes its place, and to be of the same log.
 */
bool super_replaces(const struct log_file *l, u32 copy)
{
	const struct log_super *good = &l->super.copy[!copy];

	if (l->super.copy_fault[!copy] != LOG_OK)
		return false;
	if (l->asked == (int)!copy)
		return true;
	switch (l->super.copy_fault[copy]) {
	case LOG_OK:
		return !memcmp(l->super.copy[copy].uuid, good->uuid, sizeof(good->uuid)) &&
		       (l->super.copy[copy].seq < good->seq ||
			(l->super.copy[copy].seq == good->seq && copy == 1));
	case LOG_BAD_CRC:
		return true;
	case LOG_BLANK:
	case LOG_NOT_OURS:
		return copy == 1;
	case LOG_BAD_GEOMETRY:
	case LOG_BAD_GENERATION:
		return !memcmp(raw(l, copy)->uuid, good->uuid, sizeof(good->uuid)) &&
		       le64_to_cpu(raw(l, copy)->seq) <= good->seq;
	default:
		return false;
	}
}

/* Reading is allowed where the kernel would not write. */
static int choose(struct log_file *l)
{
	if (l->asked != NO_COPY)
		return usable(l->super.copy_fault[l->asked]) ? l->asked : NO_COPY;
	if (l->super.fault == LOG_OK)
		return l->super.best;
	if (l->super.fault == LOG_BAD_GEOMETRY || l->super.fault == LOG_BAD_GENERATION)
		return super_replaces(l, 0) ? 1 : super_replaces(l, 1) ? 0 : NO_COPY;
	if (!usable(l->super.fault))
		return NO_COPY;
	if (!usable(l->super.copy_fault[0]) || !usable(l->super.copy_fault[1]))
		return usable(l->super.copy_fault[0]) ? 0 : 1;
	if (memcmp(l->super.copy[0].uuid, l->super.copy[1].uuid, sizeof(l->super.copy[0].uuid)))
		return NO_COPY;
	return l->super.copy[1].seq > l->super.copy[0].seq;
}

void log_attach(const struct ssdup_ctx *ctx, struct log_file *l, int asked)
{
	l->ctx = ctx;
	l->asked = asked;
	ssdup_extent_tree_init(&l->map);
	read_copies(l);
	l->from = choose(l);
	if (l->from != NO_COPY)
		l->s = l->super.copy[l->from];
}

int log_open(const struct ssdup_ctx *ctx, struct log_file *l, const char *path,
	     enum disk_use use, int asked)
{
	int r;

	memset(l, 0, sizeof(*l));
	r = disk_open(ctx, &l->ssd, path, use);
	if (r == EXIT_OK)
		log_attach(ctx, l, asked);
	return r;
}

void log_close(struct log_file *l)
{
	u32 i;

	for (i = 0; i < SSDUP_SUPER_COPIES; i++)
		free(l->raw[i]);
	while (l->nr_blocks)
		free(l->blocks[--l->nr_blocks]);
	free(l->blocks);
	free(l->items);
	findings_free(&l->findings);
	disk_close(&l->ssd);
}

int log_given(struct log_file *l, const char *hdd)
{
	struct disk d;
	int r = disk_open(l->ctx, &d, hdd, DISK_PROBE);

	if (r != EXIT_OK)
		return r;
	if (disk_same(&d, &l->ssd))
		r = fail(l->ctx, EXIT_REFUSED, hdd, "the same as the SSD");
	l->hdd_sectors = d.sectors;
	l->hdd_block_sectors = d.block_sectors;
	disk_close(&d);
	return r;
}

/* --- What is wrong with it --- */

static void copy_findings(struct log_file *l, u32 copy)
{
	struct finding f = finding(FAULT_SUPER + l->super.copy_fault[copy]);
	u64 compat = le64_to_cpu(raw(l, copy)->compat) & ~SSDUP_COMPAT_KNOWN;

	f.copy = copy;
	if (usable(l->super.copy_fault[copy]) && compat) {
		struct finding c = finding(FAULT_SUPER_COMPAT);

		c.copy = copy;
		snprintf(c.text, sizeof(c.text), "bits 0x%llx", compat);
		found(&l->findings, &c);
	}
	if (l->super.copy_fault[copy] == LOG_OK)
		return;
	if (l->super.error[copy])
		f.number = FAULT_SUPER_UNREADABLE;
	if (l->super.copy_fault[copy] == LOG_NEWER_VERSION)
		snprintf(f.text, sizeof(f.text), "version %u, this program knows %u",
			 le32_to_cpu(raw(l, copy)->version), SSDUP_VERSION);
	if (l->super.copy_fault[copy] == LOG_UNKNOWN_INCOMPAT)
		snprintf(f.text, sizeof(f.text), "bits 0x%llx",
			 le64_to_cpu(raw(l, copy)->incompat) & ~SSDUP_INCOMPAT_KNOWN);
	if (l->super.copy_fault[copy] == LOG_UNKNOWN_RO_COMPAT)
		snprintf(f.text, sizeof(f.text), "bits 0x%llx",
			 le64_to_cpu(raw(l, copy)->ro_compat) & ~SSDUP_RO_COMPAT_KNOWN);
	if (f.severity == SEV_REPAIRABLE && !super_replaces(l, copy)) {
		f.severity = SEV_LOST;
		if (l->super.copy_fault[!copy] == LOG_OK)
			snprintf(f.text, sizeof(f.text),
				 "copy %u looks well: see --copy of repair and export", !copy);
	}
	found(&l->findings, &f);
}

static void pair_findings(struct log_file *l)
{
	const struct log_super *a = &l->super.copy[0], *b = &l->super.copy[1];
	struct finding f;

	if (l->super.copy_fault[0] != LOG_OK || l->super.copy_fault[1] != LOG_OK)
		return;
	if (memcmp(a->uuid, b->uuid, sizeof(a->uuid))) {
		f = finding(FAULT_TWO_LOGS);
		snprintf(f.text, sizeof(f.text), "choose one: see --copy of repair and export");
	} else if (a->seq != b->seq) {
		f = finding(FAULT_SUPER_BEHIND);
		f.copy = a->seq > b->seq;
		snprintf(f.text, sizeof(f.text), "seq %llu and %llu", a->seq, b->seq);
	} else if (memcmp(l->raw[0], l->raw[1], SSDUP_SUPER_BYTES)) {
		f = finding(FAULT_SUPER_UNLIKE);
		f.copy = 1;
	} else {
		return;
	}
	found(&l->findings, &f);
}

static bool ours(const struct log_file *l, u32 copy)
{
	return l->super.error[copy] || (l->super.copy_fault[copy] != LOG_BLANK &&
					l->super.copy_fault[copy] != LOG_NOT_OURS);
}

void super_findings(struct log_file *l)
{
	u64 hdd = l->hdd_sectors ? l->hdd_sectors : l->s.hdd_sectors;
	u32 block = max(l->ssd.block_sectors, l->hdd_block_sectors);
	struct finding f;

	/* A disk that never had a log has lost none. */
	if (!ours(l, 0) && !ours(l, 1))
		return;
	copy_findings(l, 0);
	copy_findings(l, 1);
	pair_findings(l);
	if (l->from == NO_COPY)
		return;
	if (hdd != l->s.hdd_sectors) {
		f = finding(FAULT_HDD_SIZE);
		snprintf(f.text, sizeof(f.text), "%llu sectors, this one has %llu",
			 l->s.hdd_sectors, hdd);
		found(&l->findings, &f);
	}
	if (l->ssd.sectors < l->s.ssd_sectors) {
		f = finding(FAULT_SSD_SIZE);
		snprintf(f.text, sizeof(f.text), "%llu sectors, this one has %llu",
			 l->s.ssd_sectors, (u64)l->ssd.sectors);
		found(&l->findings, &f);
	}
	if (block > l->s.g.block_sectors) {
		f = finding(FAULT_BLOCK_SIZE);
		snprintf(f.text, sizeof(f.text), "%u bytes, the disks have %u",
			 l->s.g.block_sectors * 512, block * 512);
		found(&l->findings, &f);
	}
}

int no_log(const struct log_file *l)
{
	const struct ssdup_ctx *ctx = l->ctx;
	const char *path = l->ssd.path;
	bool other = l->super.copy_fault[1] == LOG_OK;

	if (l->asked != NO_COPY)
		return fail(ctx, EXIT_LOST, path, "copy %d of the superblock: %s", l->asked,
			    l->super.error[l->asked] ? "cannot be read" :
			    ssdup_log_fault_text(l->super.copy_fault[l->asked]));
	switch (l->super.fault) {
	case LOG_BLANK:
		return fail(ctx, EXIT_NOT_FOUND, path, "no log: the first block is blank%s",
			    other ? "; a log that was given up can be read with --copy 1" : "");
	case LOG_NOT_OURS:
		if (too_short(l))
			return fail(ctx, EXIT_NOT_FOUND, path, "no log: too small for one");
		return fail(ctx, EXIT_NOT_FOUND, path, "no dm-ssdup log: %s%s",
			    ssdup_log_fault_text(l->super.fault), other ?
			    "; where one was overwritten, it can be read with --copy 1" : "");
	case LOG_NEWER_VERSION:
	case LOG_UNKNOWN_INCOMPAT:
		return fail(ctx, EXIT_REFUSED, path, "%s: a newer ssdup is needed",
			    ssdup_log_fault_text(l->super.fault));
	case LOG_TWO_LOGS:
		return fail(ctx, EXIT_LOST, path, "%s: choose with --copy 0 or --copy 1",
			    ssdup_log_fault_text(l->super.fault));
	default:
		return fail(ctx, EXIT_LOST, path, "no usable superblock: %s; %s",
			    l->ssd.sectors < SSDUP_SUPER_SECTOR(SSDUP_SUPER_COPIES) ?
			    "too small for one" : l->super.error[0] ?
			    "cannot be read" : ssdup_log_fault_text(l->super.fault),
			    other || l->super.copy_fault[0] == LOG_OK ?
			    "one copy looks well, see --copy" :
			    "without one nothing of the log can be found");
	}
}

bool parse_copy(struct ssdup_ctx *ctx, int *copy)
{
	uint64_t value;

	if (parse_number(optarg, 0, 1, &value)) {
		bad_usage(ctx, "--copy: neither 0 nor 1: %s", optarg);
		return false;
	}
	*copy = value;
	return true;
}
