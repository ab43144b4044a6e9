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
#define FINDING_KIND(symbol, number, severity, ...)	{ number, SEV_##severity, __VA_ARGS__ },
#include "faultlist.h"
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
