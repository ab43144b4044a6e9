// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: wear, by smartmontools or nvme-cli. ATA has it twice: in the statistics, which mean the
 * same for each disk, and in attributes, whose names smartctl has from its data base.
 */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "dev.h"
#include "run.h"
#include "wear.h"

#define MIB		1048576ULL
#define NVME_UNIT	512000ULL	/* of data_units_written */
#define GB		1000000000ULL	/* of gigabytes_processed */
#define BLOCKS		0		/* logical blocks of the disk */
#define MAX_DISKS	64
#define NONE		UINT64_MAX

enum rank { UNKNOWN, BY_BLOCKS, BY_ATTRIBUTE, BY_STATISTIC };

struct scan {
	enum rank	used_rank, written_rank;
	uint64_t	used, written;
	uint64_t	unit;		/* of @written, in bytes */
	uint64_t	block;		/* logical block of the disk */
	/* of the row of a table that is read; NONE: not there */
	const char	*name;
	uint64_t	value, raw;
};

static struct json_object *member(struct json_object *o, const char *name)
{
	struct json_object *found = NULL;

	json_object_object_get_ex(o, name, &found);
	return found;
}

/* 1234, "1,234" of nvme-cli 2, or "12.5": what stands in front of the point counts. */
static uint64_t number(struct json_object *o)
{
	const char *text = json_object_get_string(o);
	uint64_t n = 0;

	if (!text || json_object_is_type(o, json_type_object) ||
	    json_object_is_type(o, json_type_array))
		return NONE;
	for (; *text && *text != '.'; text++)
		if (*text >= '0' && *text <= '9')
			n = 10 * n + (*text - '0');
	return n;
}

static void take_used(struct scan *s, enum rank by, uint64_t used)
{
	if (by <= s->used_rank || used > 255)
		return;
	s->used_rank = by;
	s->used = used;
}

static void take_written(struct scan *s, enum rank by, uint64_t written, uint64_t unit)
{
	if (by <= s->written_rank || written == NONE)
		return;
	s->written_rank = by;
	s->written = written;
	s->unit = unit;
}

/* Per cent that are left, as the normalized value of an attribute. */
static void take_left(struct scan *s)
{
	static const char *const names[] = {
		"Percent_Lifetime_Remain", "Percent_Life_Remaining", "Remaining_Lifetime_Perc",
		"SSD_Life_Left", "Media_Wearout_Indicator", "Wear_Leveling_Count",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(s->name, names[i]) && s->value <= 100)
			take_used(s, BY_ATTRIBUTE, 100 - s->value);
}

/* The raw value of one. Total_LBAs_Written of some disks counts 32 MiB, and they say so too. */
static void take_host_writes(struct scan *s)
{
	static const struct {
		const char	*name;
		uint64_t	unit;
	} names[] = {
		{ "Host_Writes_32MiB", 32 * MIB },
		{ "Host_Writes_GiB", 1024 * MIB },
		{ "Lifetime_Writes_GiB", 1024 * MIB },
		{ "Total_LBAs_Written", BLOCKS },
		{ "Total_Host_Sector_Write", BLOCKS },
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(s->name, names[i].name))
			take_written(s, names[i].unit == BLOCKS ? BY_BLOCKS : BY_ATTRIBUTE, s->raw,
				     names[i].unit);
}

static void take_statistic(struct scan *s)
{
	if (!strcmp(s->name, "Percentage Used Endurance Indicator"))
		take_used(s, BY_STATISTIC, s->value);
	else if (!strcmp(s->name, "Logical Sectors Written"))
		take_written(s, BY_STATISTIC, s->value, BLOCKS);
}

static size_t length(struct json_object *o)
{
	return json_object_is_type(o, json_type_array) ? json_object_array_length(o) : 0;
}

static void take_table(struct scan *s, struct json_object *table, bool statistic)
{
	struct json_object *row;
	size_t i;

	for (i = 0; i < length(table); i++) {
		row = json_object_array_get_idx(table, i);
		s->name = json_object_get_string(member(row, "name")) ?: "";
		s->value = number(member(row, "value"));
		s->raw = number(member(member(row, "raw"), "value"));
		if (statistic) {
			take_statistic(s);
		} else {
			take_left(s);
			take_host_writes(s);
		}
	}
}

static void take_all(struct scan *s, struct json_object *o)
{
	struct json_object *pages = member(member(o, "ata_device_statistics"), "pages");
	struct json_object *scsi = member(member(o, "scsi_error_counter_log"), "write");
	struct json_object *nvme = member(o, "nvme_smart_health_information_log");
	uint64_t block = number(member(o, "logical_block_size"));
	size_t i;

	take_table(s, member(member(o, "ata_smart_attributes"), "table"), false);
	for (i = 0; i < length(pages); i++)
		take_table(s, member(json_object_array_get_idx(pages, i), "table"), true);
	/* nvme-cli has these at the top */
	nvme = nvme ?: o;
	take_used(s, BY_STATISTIC, number(member(nvme, "percentage_used")));
	take_used(s, BY_STATISTIC, number(member(nvme, "percent_used")));
	take_used(s, BY_STATISTIC, number(member(member(o, "endurance_used"), "current_percent")));
	take_used(s, BY_STATISTIC, number(member(o, "scsi_percentage_used_endurance_indicator")));
	take_written(s, BY_STATISTIC, number(member(nvme, "data_units_written")), NVME_UNIT);
	take_written(s, BY_STATISTIC, number(member(scsi, "gigabytes_processed")), GB);
	if (block != NONE)
		s->block = block;
}

/* All of @text as JSON, or NULL. */
static struct json_object *parse(const char *text)
{
	struct json_tokener *tok = json_tokener_new();
	struct json_object *o = NULL;

	if (!tok)
		return NULL;
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT);
	o = json_tokener_parse_ex(tok, text, strlen(text) + 1);
	json_tokener_free(tok);
	return o;
}

bool wear_parse(struct wear *w, const char *json)
{
	struct scan s = { .block = 512 };
	struct json_object *o = parse(json);

	*w = (struct wear){ };
	if (!o)
		return false;
	take_all(&s, o);
	json_object_put(o);
	w->has_used = s.used_rank;
	w->used = s.used;
	w->has_written = s.written_rank;
	w->written = s.written * (s.unit == BLOCKS ? s.block : s.unit);
	return w->has_used || w->has_written;
}

/* --- Asking --- */

static bool ask(struct wear *w, const char *const argv[])
{
	char *json = run_output(argv);
	bool known = json && wear_parse(w, json);

	free(json);
	return known;
}

bool wear_read(struct wear *w, const char *name)
{
	char *path = xprintf("/dev/%s", name);
	const char *const smartctl[] = { "smartctl", "-j", "-i", "-A", "-l", "devstat", "-l",
					 "ssd", path, NULL };
	const char *const nvme[] = { "nvme", "smart-log", "-o", "json", path, NULL };
	bool known = ask(w, smartctl) || (!strncmp(name, "nvme", 4) && ask(w, nvme));

	free(path);
	return known;
}

void wear_each(dev_t ssd, void (*fn)(void *arg, const char *disk, const struct wear *w),
	       void *arg)
{
	dev_t disk[MAX_DISKS];
	unsigned int nr = dev_disks(ssd, disk, MAX_DISKS), i;
	struct wear w;
	char *name;

	for (i = 0; i < nr; i++) {
		name = dev_kernel_name(disk[i]);
		if (*name != '?' && wear_read(&w, name))
			fn(arg, name, &w);
		free(name);
	}
}
