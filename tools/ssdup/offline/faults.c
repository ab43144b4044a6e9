// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "faults.h"

static const struct kind {
	unsigned int	number;
	enum severity	severity;
	const char	*name;
	const char	*text;
} kinds[] = {
	{ FAULT_SUPER_BLANK, SEV_REPAIRABLE, "super-blank", "blank" },
	{ FAULT_SUPER_FOREIGN, SEV_REPAIRABLE, "super-foreign", "not a dm-ssdup superblock" },
	{ FAULT_SUPER_CRC, SEV_REPAIRABLE, "super-crc", "checksum mismatch" },
	{ FAULT_SUPER_VERSION, SEV_REFUSED, "super-version", "unknown format version" },
	{ FAULT_SUPER_INCOMPAT, SEV_REFUSED, "super-incompat", "unknown incompatible feature" },
	{ FAULT_SUPER_RO_COMPAT, SEV_REFUSED, "super-ro-compat",
	  "unknown feature that forbids writing" },
	{ FAULT_SUPER_GEOMETRY, SEV_REPAIRABLE, "super-geometry", "impossible geometry" },
	{ FAULT_SUPER_GENERATION, SEV_REPAIRABLE, "super-generation",
	  "generation zero, used twice or out of range" },
	{ FAULT_HDD_SIZE, SEV_REFUSED, "hdd-size", "made for a larger HDD" },
	{ FAULT_SSD_SIZE, SEV_LOST, "ssd-size", "made for a larger SSD" },
	{ FAULT_BLOCK_SIZE, SEV_REFUSED, "block-size", "made for smaller logical blocks" },
	{ FAULT_TWO_LOGS, SEV_LOST, "super-two-logs", "the copies are of two logs" },
	{ FAULT_SUPER_UUID, SEV_REFUSED, "super-uuid", "the UUID is nil" },
	{ FAULT_SUPER_UNREADABLE, SEV_REPAIRABLE, "super-unreadable", "cannot be read" },
	{ FAULT_SUPER_BEHIND, SEV_REPAIRABLE, "super-behind", "older than the other copy" },
	{ FAULT_SUPER_UNLIKE, SEV_REPAIRABLE, "super-unlike",
	  "not the same as the other copy, though both are of one write" },
	{ FAULT_SUPER_COMPAT, SEV_NOTE, "super-compat", "unknown feature that does not matter" },
	{ FAULT_HDD_OTHER, SEV_REFUSED, "hdd-other", "made for another HDD" },
	{ FAULT_SUPER_LOGS, SEV_REFUSED, "super-logs",
	  "the SSD holds several logs" },
	{ FAULT_PAGE_TORN, SEV_NOTE, "page-torn",
	  "a write that was torn, as by a power cut; the other version counts" },
	{ FAULT_PAGE_COUNT, SEV_LOST, "page-count", "page with too many entries" },
	{ FAULT_PAGES_MISSING, SEV_LOST, "pages-missing",
	  "pages that the last suspend counted are damaged" },
	{ FAULT_PAGE_NUMBER, SEV_LOST, "page-number",
	  "page with a number that its place cannot have" },
	{ FAULT_PAGE_UNREADABLE, SEV_REPAIRABLE, "page-unreadable", "cannot be read" },
	{ FAULT_PAGE_DAMAGED, SEV_LOST, "page-damaged",
	  "the newest version is damaged, and an older one takes its place" },
	{ FAULT_PAGES_BEHIND, SEV_NOTE, "pages-behind",
	  "pages behind the end of the segment, as a power cut leaves them" },
	{ FAULT_PAGES_MORE, SEV_REPAIRABLE, "pages-more",
	  "more pages than the last suspend counted" },
	{ FAULT_PAGES_GAP, SEV_LOST, "pages-gap",
	  "pages that were durable are damaged, and others behind them are not" },
	{ FAULT_ENTRY_KIND, SEV_LOST, "entry-kind", "entry of unknown kind or flags" },
	{ FAULT_ENTRY_EMPTY, SEV_LOST, "entry-empty",
	  "entry without sectors, or of another generation" },
	{ FAULT_ENTRY_HDD, SEV_LOST, "entry-outside-hdd", "entry outside the HDD" },
	{ FAULT_ENTRY_LOG, SEV_LOST, "entry-outside-log", "entry outside the log" },
	{ FAULT_ENTRY_UNALIGNED, SEV_LOST, "entry-unaligned",
	  "entry not aligned to the block size" },
	{ FAULT_ENTRY_SHARED, SEV_LOST, "entry-shared", "two entries have one place in the log" },
	{ FAULT_RANGE_LOST, SEV_NOTE, "range-lost",
	  "marked as lost: an I/O error until it is written again" },
	{ FAULT_DATA_UNREADABLE, SEV_LOST, "data-unreadable", "the SSD cannot read the data" },
	{ FAULT_RECORD_FOREIGN, SEV_REPAIRABLE, "record-foreign", "no record of this pool" },
	{ FAULT_RECORD_CRC, SEV_REPAIRABLE, "record-crc", "checksum mismatch" },
	{ FAULT_RECORD_GEOMETRY, SEV_REPAIRABLE, "record-geometry", "impossible geometry" },
	{ FAULT_RECORD_GENERATION, SEV_REPAIRABLE, "record-generation",
	  "generation zero or out of range" },
	{ FAULT_RECORD_TWO_LOGS, SEV_LOST, "record-two-logs", "the copies are of two logs" },
	{ FAULT_RECORD_UUID, SEV_REFUSED, "record-uuid", "the UUID is nil" },
	{ FAULT_RECORD_UNREADABLE, SEV_REPAIRABLE, "record-unreadable", "cannot be read" },
	{ FAULT_RECORD_BEHIND, SEV_REPAIRABLE, "record-behind", "older than the other copy" },
	{ FAULT_RECORD_UNLIKE, SEV_REPAIRABLE, "record-unlike",
	  "not the same as the other copy, though both are of one write" },
	{ FAULT_RECORD_MISSING, SEV_LOST, "record-missing", "no copy is valid" },
	{ FAULT_HOST_OTHER, SEV_REFUSED, "host-other",
	  "active on another host, or was when that went down" },
	{ FAULT_HEADER_GENERATION, SEV_LOST, "header-generation",
	  "generation zero, used twice or out of range" },
	{ FAULT_HEADER_EPOCH, SEV_LOST, "header-epoch",
	  "of an epoch yet to come, or of one that had ended" },
	{ FAULT_HEADER_UNREADABLE, SEV_REPAIRABLE, "header-unreadable", "cannot be read" },
	{ FAULT_HEADER_DAMAGED, SEV_REPAIRABLE, "header-damaged",
	  "the header is damaged; the segment's pages say what it was" },
	{ FAULT_SEGMENT_GAP, SEV_LOST, "segment-gap",
	  "segments that were durable are damaged, and others behind them are not" },
};

static const struct kind *kind_of(unsigned int number)
{
	static const struct kind none = { 0, SEV_LOST, "unknown", "unknown fault" };
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].number == number)
			return &kinds[i];
	return &none;
}

const char *fault_name(unsigned int number)
{
	return kind_of(number)->name;
}

const char *fault_text(unsigned int number)
{
	return kind_of(number)->text;
}

enum severity fault_severity(unsigned int number)
{
	return kind_of(number)->severity;
}

const char *severity_name(enum severity severity)
{
	static const char * const name[NR_SEVERITIES] = {
		[SEV_NOTE]	= "note",
		[SEV_REPAIRABLE] = "repairable",
		[SEV_REFUSED]	= "refused",
		[SEV_LOST]	= "lost",
	};

	return name[severity];
}

struct finding finding(unsigned int number)
{
	return (struct finding){
		.number = number, .severity = fault_severity(number),
		.copy = -1, .segment = -1, .page = -1, .slot = -1, .entry = -1,
	};
}

void found(struct findings *list, const struct finding *f)
{
	list->of[f->severity]++;
	if (list->nr == MAX_FINDINGS) {
		list->more++;
		return;
	}
	list->all = xmore(list->all, list->nr, sizeof(*f));
	list->all[list->nr++] = *f;
}

void findings_free(struct findings *list)
{
	free(list->all);
	memset(list, 0, sizeof(*list));
}

int findings_exit(const struct findings *list)
{
	if (list->of[SEV_LOST])
		return EXIT_LOST;
	if (list->of[SEV_REFUSED])
		return EXIT_REFUSED;
	return list->of[SEV_REPAIRABLE] ? EXIT_FAULTS : EXIT_OK;
}

void finding_print(FILE *to, const struct finding *f)
{
	fprintf(to, "E%03u %s (%s):", f->number, fault_name(f->number),
		severity_name(f->severity));
	if (f->copy >= 0)
		fprintf(to, " %s copy %d:", part_name(f->part), f->copy);
	if (f->segment >= 0)
		fprintf(to, " segment %lld", (long long)f->segment);
	if (f->page >= 0)
		fprintf(to, " page %lld", (long long)f->page);
	if (f->slot >= 0)
		fprintf(to, " slot %d", f->slot);
	if (f->entry >= 0)
		fprintf(to, " entry %d", f->entry);
	fprintf(to, "%s %s", f->segment >= 0 ? ":" : "", fault_text(f->number));
	if (f->text[0])
		fprintf(to, "; %s", f->text);
	if (f->sectors)
		fprintf(to, "; HDD sectors %llu + %llu", (unsigned long long)f->start,
			(unsigned long long)f->sectors);
	fputc('\n', to);
}

static void json_place(struct json *j, const char *key, int64_t value)
{
	if (value >= 0)
		json_number(j, key, value);
}

void finding_json(struct json *j, const struct finding *f)
{
	char text[256];

	json_begin(j, NULL, '{');
	snprintf(text, sizeof(text), "E%03u", f->number);
	json_text(j, "number", text);
	json_text(j, "name", fault_name(f->number));
	json_text(j, "severity", severity_name(f->severity));
	if (f->copy >= 0)
		json_text(j, "part", part_name(f->part));
	json_place(j, "copy", f->copy);
	json_place(j, "segment", f->segment);
	json_place(j, "page", f->page);
	json_place(j, "slot", f->slot);
	json_place(j, "entry", f->entry);
	if (f->sectors) {
		json_number(j, "sector", f->start);
		json_number(j, "sectors", f->sectors);
	}
	snprintf(text, sizeof(text), "%s%s%s", fault_text(f->number), f->text[0] ? "; " : "",
		 f->text);
	json_text(j, "text", text);
	json_end(j, '}');
}
