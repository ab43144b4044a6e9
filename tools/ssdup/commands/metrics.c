// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup metrics: all devices as text for Prometheus, from sysfs, without root.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "commands.h"
#include "lib/classes.h"
#include "lib/dev.h"
#include "lib/jobs.h"
#include "lib/metrics.h"
#include "lib/state.h"
#include "lib/tab.h"
#include "lib/tool.h"
#include "lib/wear.h"

struct device {
	char	*dir;		/* our folder of it in sysfs */
	char	*name;
	char	*labels;	/* device="burst",uuid="...",pool="..." */
};

struct devices {
	const char	*sysfs;
	struct device	*device;
	unsigned int	nr;
};

static bool read_number(const struct device *d, const char *file, uint64_t *value)
{
	char *line = folder_line(d->dir, file), *end;
	bool is = false;

	if (line) {
		errno = 0;
		*value = strtoull(line, &end, 10);
		is = !errno && end != line && !*end;
	}
	free(line);
	return is;
}

/* label="text" with what Prometheus wants escaped, empty for NULL; free() it. */
static char *metric_label(const char *name, const char *text)
{
	char *escaped = xalloc(text ? 2 * strlen(text) + 1 : 1), *to = escaped, *all;

	for (; text && *text; text++) {
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
	char *dir = xprintf("%s/block/%s/ssdup", all->sysfs, block);
	char *name = folder_line(dir, "../dm/name"), *uuid = folder_line(dir, "log_uuid");
	char *pool_uuid = folder_line(dir, "pool_uuid");
	char *device = metric_label("device", name), *log = metric_label("uuid", uuid);
	char *pool = metric_label("pool", pool_uuid);

	/* The folder is there once the device was resumed. */
	if (name && uuid) {
		all->device = xmore(all->device, all->nr, sizeof(*all->device));
		all->device[all->nr++] = (struct device){
			dir, xstrdup(name), xprintf("%s,%s,%s", device, log, pool),
		};
	} else {
		free(dir);
	}
	free(name);
	free(uuid);
	free(pool_uuid);
	free(device);
	free(log);
	free(pool);
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
		free(all->device[i].name);
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

/* What is known of the fields, and the words of those whose numbers have some. */
static void print_field_head(FILE *to, const struct metric *m)
{
	const struct field *field = &fields[m->field[0]], *other = &fields[m->field[1]];
	const char *(*words)(uint64_t value) = NULL;
	char *help, *more;
	unsigned int i;

	help = m->nr == 1 ? xprintf("%s: %s", field->name, field->text) :
	       xprintf("%s: %s; %s: %s", field->name, field->text, other->name, other->text);
	if (m->field[0] == FIELD_MODE)
		words = mode_words;
	else if (m->field[0] == FIELD_DRAIN_STATE)
		words = drain_words;
	else if (m->field[0] == FIELD_WAIT_CAUSE)
		words = wait_words;
	for (i = 0; words && *words(i) != '?'; i++) {
		more = xprintf("%s; %u %s", help, i, words(i));
		free(help);
		help = more;
	}
	print_head(to, m->name, help);
	free(help);
}

static void print_value(FILE *to, unsigned int unit, unsigned long long value)
{
	switch (unit) {
	case PER_10000:
		fprintf(to, " %llu.%04llu\n", value / 10000, value % 10000);
		break;
	case MILLISECONDS:
		fprintf(to, " %llu.%03llu\n", value / 1000, value % 1000);
		break;
	case SECTORS:
		fprintf(to, " %llu\n", value * SECTOR_BYTES);
		break;
	default:
		fprintf(to, " %llu\n", value);
	}
}

/* What has gone meanwhile, or what an older module has not, is left out. */
static void print_series(FILE *to, const struct metric *m, unsigned int i, const struct device *d)
{
	const struct field *field = &fields[m->field[i]];
	uint64_t value;

	if (!read_number(d, field->name, &value))
		return;
	fprintf(to, "%s{%s", m->name, d->labels);
	if (m->label)
		fprintf(to, ",%s=\"%s\"", m->label, m->value[i]);
	fputc('}', to);
	print_value(to, field->unit, value);
}

static void print_fields(FILE *to, const struct devices *all)
{
	const struct metric *m;
	unsigned int d, i;

	for (m = metrics; m < metrics + nr_metrics; m++) {
		print_field_head(to, m);
		for (d = 0; d < all->nr; d++)
			for (i = 0; i < m->nr; i++)
				print_series(to, m, i, &all->device[d]);
	}
}

/* Of a segment, which is no field, and of all segments of the log. */
static void print_size(FILE *to, const struct devices *all, const char *name, const char *help,
		       bool whole)
{
	uint64_t sectors, segments = 1;
	const struct device *d;

	print_head(to, name, help);
	for (d = all->device; d < all->device + all->nr; d++)
		if (read_number(d, "segment_sectors", &sectors) &&
		    (!whole || read_number(d, "segments", &segments))) {
			fprintf(to, "%s{%s}", name, d->labels);
			print_value(to, SECTORS, sectors * segments);
		}
}

/* One number of each class of each device that has several. */
static void print_class(FILE *to, const struct devices *all, const char *name, const char *help,
			unsigned int number)
{
	const struct device *d;
	struct class_line k;
	FILE *f;

	print_head(to, name, help);
	for (d = all->device; d < all->device + all->nr; d++) {
		f = classes_open(d->dir);
		while (f && classes_next(f, &k)) {
			fprintf(to, "%s{%s,class=\"%s\",drained=\"%s\"}", name, d->labels, k.name,
				k.late);
			print_value(to, SECTORS, k.sectors[number]);
		}
		if (f)
			fclose(f);
	}
}

static void print_classes(FILE *to, const struct devices *all)
{
	print_class(to, all, "ssdup_class_held_bytes", "What the log holds of a class.", 0);
	print_class(to, all, "ssdup_class_written_bytes_total",
		    "What was written to the log of a class.", 1);
	print_class(to, all, "ssdup_class_drained_bytes_total",
		    "What was drained of a class to the HDD.", 2);
	print_class(to, all, "ssdup_class_replaced_bytes_total",
		    "What was overwritten or discarded of a class while the log held it.", 3);
}

/* The kernel's name of a disk, as in iostat and node_exporter: sda for 8:0. */
/* Call @fn for each disk of a device, with "hdd", "ssd", "ssd1", ..., and its number, "8:16". */
static void each_disk(const struct device *d, const char *role,
		      void (*fn)(void *arg, const char *name, const char *number), void *arg)
{
	char *file = xprintf("%s_dev", role), *numbers = folder_line(d->dir, file);
	char *save = NULL, *number, *name, *mirror, *more;
	unsigned int nr = 0;

	for (number = numbers ? strtok_r(numbers, " ", &save) : NULL; number;
	     number = strtok_r(NULL, " ", &save)) {
		name = nr ? xprintf("%s%u", role, nr) : xstrdup(role);
		mirror = strchr(number, '+');
		if (mirror)
			*mirror++ = '\0';
		/* One that is not used is a dash. */
		if (strcmp(number, "-"))
			fn(arg, name, number);
		if (mirror && strcmp(mirror, "-")) {
			more = xprintf("%s_mirror", name);
			fn(arg, more, mirror);
			free(more);
		}
		free(name);
		nr++;
	}
	free(numbers);
	free(file);
}

struct names {
	const struct devices *all;
	char		*text;
};

static void add_name(void *arg, const char *name, const char *number)
{
	struct names *n = arg;
	char *path = xprintf("%s/dev/block/%s", n->all->sysfs, number), *at, *more;

	at = realpath(path, NULL);
	more = xprintf("%s%s%s", n->text ?: "", n->text ? "," : "",
		       at ? strrchr(at, '/') + 1 : "");
	free(n->text);
	free(path);
	free(at);
	n->text = more;
}

static char *disk_label(const struct devices *all, const struct device *d, const char *role)
{
	struct names n = { all };
	char *label;

	each_disk(d, role, add_name, &n);
	label = metric_label(role, n.text);
	free(n.text);
	return label;
}

static void print_info(FILE *to, const struct devices *all)
{
	static const char * const words[] = { "policy", "drain" };
	char *line, *hdd, *ssd, *word;
	unsigned int i, w;

	print_head(to, "ssdup_info", "1 for each device; what it is made of and how it is set.");
	for (i = 0; i < all->nr; i++) {
		hdd = disk_label(all, &all->device[i], "hdd");
		ssd = disk_label(all, &all->device[i], "ssd");
		fprintf(to, "ssdup_info{%s,%s,%s", all->device[i].labels, hdd, ssd);
		for (w = 0; w < sizeof(words) / sizeof(words[0]); w++) {
			line = folder_line(all->device[i].dir, words[w]);
			word = metric_label(words[w], line);
			fprintf(to, ",%s", word);
			free(line);
			free(word);
		}
		fprintf(to, "} 1\n");
		free(hdd);
		free(ssd);
	}
}

/* The table goes on naming a disk that was pulled; the system knows it no more. */
struct present {
	FILE		*to;
	const struct devices *all;
	const struct device *device;
};

static void print_one_present(void *arg, const char *name, const char *number)
{
	const struct present *p = arg;
	char *path = xprintf("%s/dev/block/%s", p->all->sysfs, number);

	fprintf(p->to, "ssdup_disk_present{%s,disk=\"%s\"} %d\n", p->device->labels, name,
		!access(path, F_OK));
	free(path);
}

static void print_present(FILE *to, const struct devices *all)
{
	struct present p = { to, all };
	unsigned int i;

	print_head(to, "ssdup_disk_present", "1 while the disk is there, 0 when it is gone.");
	for (i = 0; i < all->nr; i++) {
		p.device = &all->device[i];
		each_disk(p.device, "hdd", print_one_present, &p);
		each_disk(p.device, "ssd", print_one_present, &p);
	}
}

static void print_configured(FILE *to, const struct ssdup_ctx *ctx)
{
	unsigned int i;
	struct tab tab;
	char *name;
	int r = tab_read(ctx, &tab);

	if (r) {
		warn(ctx, ctx->tab, "%s; ssdup_configured is left out", strerror(-r));
		return;
	}
	print_head(to, "ssdup_configured", "1 for each device of ssduptab that is made at boot.");
	for (i = 0; i < tab.nr; i++) {
		if (tab.entry[i].noauto)
			continue;
		name = metric_label("device", tab.entry[i].name);
		fprintf(to, "ssdup_configured{%s} 1\n", name);
		free(name);
	}
	tab_free(&tab);
}

/* What jobs were granted, for each tenant and class: numbers of jobs, or bytes. */
static void print_tenants(FILE *to, const struct devices *all, const struct jobs *jobs,
			  const char *name, const char *help, bool bytes)
{
	const struct device *d;
	struct tenant t;
	unsigned int at;
	char *label;

	print_head(to, name, help);
	for (d = all->device; d < all->device + all->nr; d++) {
		for (at = 0; tenant_next(jobs, d->name, &at, &t);) {
			label = metric_label("tenant", t.name);
			fprintf(to, "%s{%s,%s,class=\"%s\"} %llu\n", name, d->labels, label,
				t.class, bytes ? (unsigned long long)t.bytes : t.jobs);
			free(label);
		}
	}
}

/* --- Wear --- */

struct worn {
	FILE		*to;
	const struct device *device;
	bool		written;	/* which of the two */
};

static void print_one_wear(void *arg, const char *disk, const struct wear *w)
{
	const struct worn *worn = arg;
	char *label = metric_label("ssd", disk);

	if (worn->written && w->has_written)
		fprintf(worn->to, "ssdup_ssd_life_written_bytes_total{%s,%s} %llu\n",
			worn->device->labels, label, (unsigned long long)w->written);
	else if (!worn->written && w->has_used)
		fprintf(worn->to, "ssdup_ssd_life_used_ratio{%s,%s} %u.%02u\n",
			worn->device->labels, label, w->used / 100, w->used % 100);
	free(label);
}

static void print_disk_wear(void *arg, const char *name, const char *number)
{
	unsigned int ma, mi;

	if (sscanf(number, "%u:%u", &ma, &mi) == 2)
		wear_each(makedev(ma, mi), print_one_wear, arg);
}

static void print_worn(FILE *to, const struct devices *all, const char *name, const char *help,
		       bool written)
{
	const struct device *d;
	struct worn worn;

	print_head(to, name, help);
	for (d = all->device; d < all->device + all->nr; d++) {
		worn = (struct worn){ to, d, written };
		each_disk(d, "ssd", print_disk_wear, &worn);
	}
}

static void print_wear(FILE *to, const struct ssdup_ctx *ctx, const struct devices *all)
{
	print_worn(to, all, "ssdup_ssd_life_used_ratio",
		   "The part of its rated life that the SSD has used, by its own account.", false);
	print_worn(to, all, "ssdup_ssd_life_written_bytes_total",
		   "What was written to the SSD in its life, by its own account.", true);
}

/* --- All of them --- */

static void print_all(FILE *to, const struct ssdup_ctx *ctx, const struct devices *all)
{
	struct jobs jobs;

	print_head(to, "ssdup_devices", "Devices that were resumed.");
	fprintf(to, "ssdup_devices %u\n", all->nr);
	print_configured(to, ctx);
	print_info(to, all);
	print_present(to, all);
	print_size(to, all, "ssdup_log_size_bytes", "Size of the log.", true);
	print_size(to, all, "ssdup_segment_size_bytes", "Size of a segment.", false);
	print_classes(to, all);
	print_fields(to, all);
	jobs_read(&jobs);
	print_tenants(to, all, &jobs, "ssdup_tenant_jobs", "Jobs that were granted room.", false);
	print_tenants(to, all, &jobs, "ssdup_tenant_granted_bytes", "Room that they were granted.",
		      true);
	jobs_free(&jobs);
}

typedef void (*print_fn)(FILE *to, const struct ssdup_ctx *ctx, const struct devices *all);

/* Whoever reads @path sees all of it, old or new. The new one's name has no .prom at its end. */
static int print_to(const char *path, const struct ssdup_ctx *ctx, const struct devices *all,
		    print_fn print)
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
		print(to, ctx, all);
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

int cmd_metrics(struct ssdup_ctx *ctx, int argc, char **argv)
{
	struct devices all = { .sysfs = "/sys" };
	const char *output = NULL;
	print_fn print = print_all;
	int r;

	while ((r = next_option(ctx, argc, argv)) != OPT_END) {
		if (r == OPT_STOP)
			return ctx->exit;
		if (r == 'o')
			output = optarg;
		else if (r == OPT_WEAR)
			print = print_wear;
		else
			all.sysfs = optarg;
	}
	if (!operands(ctx, argc, argv, 0, 0))
		return ctx->exit;
	dev_sysfs_at(all.sysfs);
	r = find_devices(ctx, &all);
	if (!r && output)
		r = print_to(output, ctx, &all, print);
	else if (!r)
		print(stdout, ctx, &all);
	free_devices(&all);
	return r;
}
