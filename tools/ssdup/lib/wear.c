// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: wear, by smartmontools or nvme-cli. ATA has it twice: in the statistics, which mean the
 * same for each disk, and in attributes, whose names smartctl has from its data base.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dev.h"
#include "jsonread.h"
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
	char		name[64];
	uint64_t	value, raw;
};

/* "1234", "1,234" of nvme-cli 2, or "12.5": what stands in front of the point counts. */
static uint64_t number(const char *text)
{
	uint64_t n = 0;

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

#define ATTRIBUTES	"ata_smart_attributes.table[]"
#define STATISTICS	"ata_device_statistics.pages[].table[]"

/* @column: of a row, "" at its end, where all columns are known in whatever order they stood */
static void take_column(struct scan *s, const char *column, const char *text, bool statistic)
{
	if (!*column && !text) {
		if (statistic) {
			take_statistic(s);
		} else {
			take_left(s);
			take_host_writes(s);
		}
		*s->name = '\0';
		s->value = NONE;
		s->raw = NONE;
	} else if (!strcmp(column, ".name") && text) {
		snprintf(s->name, sizeof(s->name), "%s", text);
	} else if (!strcmp(column, ".value") && text) {
		s->value = number(text);
	} else if (!strcmp(column, ".raw.value") && text) {
		s->raw = number(text);
	}
}

static void take(void *arg, const char *path, const char *text)
{
	const char *nvme = "nvme_smart_health_information_log.";
	struct scan *s = arg;

	if (!strncmp(path, ATTRIBUTES, strlen(ATTRIBUTES))) {
		take_column(s, path + strlen(ATTRIBUTES), text, false);
		return;
	}
	if (!strncmp(path, STATISTICS, strlen(STATISTICS))) {
		take_column(s, path + strlen(STATISTICS), text, true);
		return;
	}
	if (!text)
		return;
	/* nvme-cli has these at the top */
	if (!strncmp(path, nvme, strlen(nvme)))
		path += strlen(nvme);
	if (!strcmp(path, "percentage_used") || !strcmp(path, "percent_used") ||
	    !strcmp(path, "endurance_used.current_percent") ||
	    !strcmp(path, "scsi_percentage_used_endurance_indicator"))
		take_used(s, BY_STATISTIC, number(text));
	else if (!strcmp(path, "data_units_written"))
		take_written(s, BY_STATISTIC, number(text), NVME_UNIT);
	else if (!strcmp(path, "scsi_error_counter_log.write.gigabytes_processed"))
		take_written(s, BY_STATISTIC, number(text), GB);
	else if (!strcmp(path, "logical_block_size"))
		s->block = number(text);
}

bool wear_parse(struct wear *w, const char *json)
{
	struct scan s = { .block = 512, .value = NONE, .raw = NONE };

	*w = (struct wear){ };
	if (!json_read(json, take, &s))
		return false;
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
