// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup exporter: all devices as text for Prometheus, from sysfs, without root.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "metrics.h"
#include "tab.h"
#include "tool.h"

#define LINE_TEXT	256

struct device {
	char	*dir;		/* its folder in sysfs */
	char	*labels;	/* device="burst",uuid="..." */
};

struct devices {
	const char	*sysfs;
	struct device	*device;
	unsigned int	nr;
};

/* The first line of a file; false when there is none. */
static bool read_line(const char *dir, const char *file, char line[LINE_TEXT])
{
	char *path = xprintf("%s/%s", dir, file);
	FILE *from = fopen(path, "re");
	bool there;

	free(path);
	line[0] = '\0';
	if (!from)
		return false;
	there = fgets(line, LINE_TEXT, from);
	fclose(from);
	line[strcspn(line, "\n")] = '\0';
	return there;
}

static bool read_number(const char *dir, const char *file, uint64_t *value)
{
	char line[LINE_TEXT], *end;

	if (!read_line(dir, file, line))
		return false;
	if (!strcmp(line, "ssd") || !strcmp(line, "hdd")) {
		*value = line[0] == 's';
		return true;
	}
	errno = 0;
	*value = strtoull(line, &end, 10);
	return !errno && end != line && !*end;
}

/* label="text" with what Prometheus wants escaped; free() it. */
static char *label(const char *name, const char *text)
{
	char *escaped = xalloc(2 * strlen(text) + 1), *to = escaped, *all;

	for (; *text; text++) {
		if (strchr("\\\"", *text))
			*to++ = '\\';
		*to++ = *text;
	}
	*to = '\0';
	all = xprintf("%s=\"%s\"", name, escaped);
	free(escaped);
	return all;
}

/* --- Devices --- */

static void add_device(struct devices *all, const char *block)
{
	char *dir = xprintf("%s/block/%s", all->sysfs, block);
	char name[LINE_TEXT], uuid[LINE_TEXT], *device, *log;
	struct device *d;

	/* The folder is there while the device is not suspended. */
	if (!read_line(dir, "ssdup/log_uuid", uuid) || !read_line(dir, "dm/name", name)) {
		free(dir);
		return;
	}
	all->device = xgrow(all->device, (all->nr + 1) * sizeof(*all->device));
	d = &all->device[all->nr++];
	device = label("device", name);
	log = label("uuid", uuid);
	d->dir = dir;
	d->labels = xprintf("%s,%s", device, log);
	free(device);
	free(log);
}

static int by_labels(const void *a, const void *b)
{
	return strcmp(((const struct device *)a)->labels, ((const struct device *)b)->labels);
}

static int find_devices(const struct ssdup_ctx *ctx, struct devices *all)
{
	char *path = xprintf("%s/block", all->sysfs);
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir) {
		fail(ctx, EXIT_FAILED, path, "%m");
		free(path);
		return EXIT_FAILED;
	}
	while ((entry = readdir(dir)))
		if (!strncmp(entry->d_name, "dm-", 3))
			add_device(all, entry->d_name);
	closedir(dir);
	free(path);
	if (all->nr)
		qsort(all->device, all->nr, sizeof(*all->device), by_labels);
	return EXIT_OK;
}

static void free_devices(struct devices *all)
{
	unsigned int i;

	for (i = 0; i < all->nr; i++) {
		free(all->device[i].dir);
		free(all->device[i].labels);
	}
	free(all->device);
}

/* --- Printing --- */

static void print_head(FILE *to, const char *name, const char *help)
{
	size_t length = strlen(name);
	bool counter = length > 6 && !strcmp(name + length - 6, "_total");

	fprintf(to, "# HELP %s %s\n", name, help);
	fprintf(to, "# TYPE %s %s\n", name, counter ? "counter" : "gauge");
}

static void print_value(FILE *to, enum metric_unit unit, unsigned long long value)
{
	switch (unit) {
	case PLAIN:
		fprintf(to, " %llu\n", value);
		break;
	case SECTORS:
		fprintf(to, " %llu\n", value * SECTOR_BYTES);
		break;
	case PAGES:
		fprintf(to, " %llu\n", value * METRIC_PAGE_BYTES);
		break;
	case PER_10000:
		fprintf(to, " %llu.%04llu\n", value / 10000, value % 10000);
		break;
	}
}

/* What has gone meanwhile, or what an older module has not, is left out. */
static void print_series(FILE *to, const struct metric *m, unsigned int i, const struct device *d)
{
	char *folder = xprintf("%s/ssdup", d->dir);
	uint64_t value, other = 0;
	bool there;

	there = read_number(folder, m->series[i].file, &value) &&
		(!m->series[i].op || read_number(folder, m->series[i].other, &other));
	free(folder);
	if (!there)
		return;
	if (m->series[i].op == '*')
		value *= other;
	else if (m->series[i].op == '-')
		value -= other < value ? other : value;
	fprintf(to, "%s{%s%s%s}", m->name, d->labels, m->series[i].label ? "," : "",
		m->series[i].label ?: "");
	print_value(to, m->unit, value);
}

/* The kernel's name of a disk, as in iostat and node_exporter: sda for 8:0. */
static char *disk_label(const struct devices *all, const struct device *d, const char *role)
{
	char number[LINE_TEXT], *file = xprintf("ssdup/%s_dev", role), *path, *name;

	read_line(d->dir, file, number);
	free(file);
	path = xprintf("%s/dev/block/%s", all->sysfs, number);
	name = realpath(path, NULL);
	free(path);
	path = label(role, name ? strrchr(name, '/') + 1 : "");
	free(name);
	return path;
}

static void print_info(FILE *to, const struct devices *all)
{
	static const char * const words[] = { "policy", "full", "drain" };
	char line[LINE_TEXT], *folder, *hdd, *ssd, *word;
	unsigned int i, w;

	print_head(to, "ssdup_info", "1 for each device; what it is made of and how it is set.");
	for (i = 0; i < all->nr; i++) {
		folder = xprintf("%s/ssdup", all->device[i].dir);
		hdd = disk_label(all, &all->device[i], "hdd");
		ssd = disk_label(all, &all->device[i], "ssd");
		fprintf(to, "ssdup_info{%s,%s,%s", all->device[i].labels, hdd, ssd);
		for (w = 0; w < sizeof(words) / sizeof(words[0]); w++) {
			read_line(folder, words[w], line);
			word = label(words[w], line);
			fprintf(to, ",%s", word);
			free(word);
		}
		fprintf(to, "} 1\n");
		free(folder);
		free(hdd);
		free(ssd);
	}
}

static void print_configured(FILE *to, const struct ssdup_ctx *ctx)
{
	unsigned int i;
	struct tab tab;
	char *name;

	if (tab_read(ctx, &tab))
		return;
	print_head(to, "ssdup_configured", "1 for each device of ssduptab that is made at boot.");
	for (i = 0; i < tab.nr; i++) {
		if (tab.entry[i].noauto)
			continue;
		name = label("device", tab.entry[i].name);
		fprintf(to, "ssdup_configured{%s} 1\n", name);
		free(name);
	}
	tab_free(&tab);
}

static void print_all(FILE *to, const struct ssdup_ctx *ctx, const struct devices *all)
{
	unsigned int m, s, d;

	print_head(to, "ssdup_devices", "Devices that are not suspended.");
	fprintf(to, "ssdup_devices %u\n", all->nr);
	print_configured(to, ctx);
	print_info(to, all);
	for (m = 0; m < nr_metrics; m++) {
		print_head(to, metrics[m].name, metrics[m].help);
		for (d = 0; d < all->nr; d++)
			for (s = 0; s < METRIC_SERIES && metrics[m].series[s].file; s++)
				print_series(to, &metrics[m], s, &all->device[d]);
	}
}

/* Whoever reads @path sees all of it, old or new. The new one's name has no .prom at its end. */
static int print_to(const char *path, const struct ssdup_ctx *ctx, const struct devices *all)
{
	int fd, r = EXIT_OK;
	FILE *to = NULL;
	struct stat st;
	char *draft;

	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return fail(ctx, EXIT_REFUSED, path, "not a file that can be replaced");
	draft = xprintf("%s.XXXXXX", path);
	fd = mkstemp(draft);
	if (fd < 0) {
		fail(ctx, EXIT_FAILED, path, "cannot make a file beside it: %m");
		free(draft);
		return EXIT_FAILED;
	}
	if (!fchmod(fd, 0644))
		to = fdopen(fd, "w");
	if (to)
		print_all(to, ctx, all);
	if (!to || ferror(to) || fflush(to) || rename(draft, path)) {
		r = fail(ctx, EXIT_FAILED, path, "cannot write it: %m; it was left as it was");
		unlink(draft);
	}
	if (to)
		fclose(to);
	else
		close(fd);
	free(draft);
	return r;
}

int cmd_exporter(struct ssdup_ctx *ctx, int argc, char **argv)
{
	static const struct option_spec options[] = {
		{ 'o', "output", "FILE", "write to FILE, which is never seen half written" },
		{ 256, "sysfs", "DIR", "where sysfs is mounted (default: /sys)" },
		{ }
	};
	static const struct usage usage = {
		.synopsis = "[--output FILE]",
		.about = "Print state and statistics of all devices as text for Prometheus.\n"
			 "Needs no privileges. For node_exporter, FILE is one in the folder of its\n"
			 "textfile collector, and its name ends in .prom.",
		.options = options,
	};
	struct devices all = { .sysfs = "/sys" };
	const char *output = NULL;
	int r;

	while ((r = next_option(ctx, &usage, argc, argv)) != OPT_END) {
		if (r == OPT_STOP)
			return ctx->exit;
		if (r == 'o')
			output = optarg;
		else
			all.sysfs = optarg;
	}
	if (!operands(ctx, argc, argv, 0, 0))
		return ctx->exit;
	r = find_devices(ctx, &all);
	if (!r && output)
		r = print_to(output, ctx, &all);
	else if (!r)
		print_all(stdout, ctx, &all);
	free_devices(&all);
	return r;
}
