// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: the status of a device, by device mapper's ioctl or, without the right to
 * that, by /sys/block/dm-N/ssdup.
 */
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "dev.h"
#include "state.h"

void state_free(struct state *s)
{
	free(s->name);
	free(s->log_uuid);
	free(s->policy);
	memset(s, 0, sizeof(*s));
}

static uint64_t sysfs_number(dev_t rdev, const char *file)
{
	char *text = dev_sysfs_read(rdev, file);
	uint64_t value = text ? strtoull(text, NULL, 10) : 0;

	free(text);
	return value;
}

static dev_t disk_number(const char *text)
{
	unsigned int ma, mi;

	return text && sscanf(text, "%u:%u", &ma, &mi) == 2 ? makedev(ma, mi) : 0;
}

static void add_ssd(struct state *s, const char *number)
{
	dev_t ssd = disk_number(number);

	if (!ssd || s->nr_ssds == 2 * SSDUP_MAX_SSDS)
		return;
	s->ssds[s->nr_ssds++] = ssd;
	s->ssd = s->ssds[0];
}

/* What the table says and the status does not. */
static void read_table(const char *name, struct state *s)
{
	char *save = NULL, *word, *value;
	struct dmdev d;

	if (dmdev_table(name, &d))
		return;
	word = dmdev_is_ssdup(&d) ? strtok_r(d.params, " ", &save) : NULL;
	s->hdd = disk_number(word);
	word = word ? strtok_r(NULL, " ", &save) : NULL;
	/* One that is not used is a dash. */
	add_ssd(s, word);
	/* The number of keys and values, and these. */
	word = word ? strtok_r(NULL, " ", &save) : NULL;
	while (word && (word = strtok_r(NULL, " ", &save))) {
		value = strtok_r(NULL, " ", &save);
		if (!strcmp(word, "ssd") || !strcmp(word, "mirror"))
			add_ssd(s, value);
	}
	dmdev_free(&d);
}

/* The same of the folder in sysfs. */
static void read_folder(struct state *s)
{
	s->segment_sectors = sysfs_number(s->rdev, "ssdup/segment_sectors");
	s->log_uuid = dev_sysfs_read(s->rdev, "ssdup/log_uuid");
	s->policy = dev_sysfs_read(s->rdev, "ssdup/policy");
}

static int read_dm(const char *name, struct state *s)
{
	struct dmdev d;
	int r;

	r = dmdev_status(name, &d);
	if (r)
		return r;
	if (!dmdev_is_ssdup(&d)) {
		dmdev_free(&d);
		return -EMEDIUMTYPE;
	}
	s->name = xstrdup(d.name);
	s->rdev = d.rdev;
	s->sectors = d.length;
	s->suspended = d.suspended;
	s->read_only = d.read_only;
	s->open_count = d.open_count;
	r = state_parse(s, d.params) ? 0 : -EPROTO;
	dmdev_free(&d);
	if (r) {
		state_free(s);
		return r;
	}
	read_table(name, s);
	read_folder(s);
	return 0;
}

char *state_read_lost(struct state *s)
{
	char *answer = NULL;

	if (s->suspended || dmdev_ask(s->name, "lost_ranges", &answer))
		return NULL;
	s->lost = strcmp(answer, "none");
	if (s->lost)
		return answer;
	free(answer);
	return NULL;
}

/* --- Without root --- */

/* Call @fn for each device mapper device in sysfs until it says true. */
static bool each_dm(bool (*fn)(void *arg, dev_t rdev, const char *name), void *arg)
{
	DIR *dir = opendir("/sys/block");
	char *folder, *number, *name;
	struct dirent *d;
	bool done = false;
	dev_t rdev;

	while (dir && !done && (d = readdir(dir))) {
		if (strncmp(d->d_name, "dm-", 3))
			continue;
		folder = xprintf("/sys/block/%s", d->d_name);
		number = folder_line(folder, "dev");
		name = folder_line(folder, "dm/name");
		rdev = disk_number(number);
		if (rdev && name)
			done = fn(arg, rdev, name);
		free(number);
		free(name);
		free(folder);
	}
	if (dir)
		closedir(dir);
	return done;
}

struct wanted {
	const char	*name;
	dev_t		rdev;
};

static bool is_wanted(void *arg, dev_t rdev, const char *name)
{
	struct wanted *w = arg;

	if (strcmp(w->name, name))
		return false;
	w->rdev = rdev;
	return true;
}

static void read_fields(struct state *s)
{
	uint64_t *v = (uint64_t *)&s->v;
	char *path, *text;
	unsigned int i;

	for (i = 0; i < SSDUP_NR_FIELDS; i++) {
		path = xprintf("ssdup/%s", fields[i].name);
		text = dev_sysfs_read(s->rdev, path);
		free(path);
		v[i] = text ? strtoull(text, NULL, 10) : 0;
		free(text);
	}
}

static int read_sysfs(const char *name, struct state *s)
{
	struct wanted w = { name, 0 };
	char *text, *word, *save;

	if (!each_dm(is_wanted, &w))
		return -ENXIO;
	s->rdev = w.rdev;
	text = dev_sysfs_read(s->rdev, "ssdup/mode");
	if (!text)
		return sysfs_number(s->rdev, "dm/suspended") ? -EACCES : -EMEDIUMTYPE;
	free(text);
	s->name = xstrdup(name);
	s->suspended = sysfs_number(s->rdev, "dm/suspended");
	s->sectors = sysfs_number(s->rdev, "size");
	s->open_count = -1;
	read_fields(s);
	text = dev_sysfs_read(s->rdev, "ssdup/hdd_dev");
	s->hdd = disk_number(text);
	free(text);
	text = dev_sysfs_read(s->rdev, "ssdup/ssd_dev");
	for (word = text ? strtok_r(text, " +", &save) : NULL; word;
	     word = strtok_r(NULL, " +", &save))
		add_ssd(s, word);
	free(text);
	read_folder(s);
	return 0;
}

/* --- Either --- */

static bool no_right(int r)
{
	return r == -EACCES || r == -EPERM;
}

int state_read(const char *name, struct state *s)
{
	unsigned int i;
	int r;

	memset(s, 0, sizeof(*s));
	r = read_dm(name, s);
	if (no_right(r))
		r = read_sysfs(name, s);
	if (!r) {
		s->hdd_gone = s->hdd && !dev_known(s->hdd);
		for (i = 0; i < s->nr_ssds; i++)
			s->ssd_gone |= !dev_known(s->ssds[i]);
	}
	return r;
}

int state_again(struct state *s)
{
	struct state fresh;
	int r = state_read(s->name, &fresh);

	if (r)
		return r;
	fresh.lost = s->lost;
	state_free(s);
	*s = fresh;
	return 0;
}

/* Its table is another one now, its UUID is not. */
static bool was_detached(const char *name)
{
	struct dmdev d;
	bool was;

	if (dmdev_status(name, &d))
		return false;
	was = !strncmp(d.uuid, DM_UUID_PREFIX, strlen(DM_UUID_PREFIX));
	dmdev_free(&d);
	return was;
}

int state_complain(const struct ssdup_ctx *ctx, const char *name, int r)
{
	switch (r) {
	case -ENODEV:
		return fail(ctx, EXIT_NOT_FOUND, name,
			    "device mapper is not there; \"modprobe dm-ssdup\" loads it");
	case -ENXIO:
		return fail(ctx, EXIT_NOT_FOUND, name,
			    "no such device; \"ssdup status\" lists those there are");
	case -EMEDIUMTYPE:
		if (was_detached(name))
			return fail(ctx, EXIT_NOT_FOUND, name,
				    "not a device of dm-ssdup any more, but its HDD alone; \"dmsetup remove %s\" takes it away",
				    name);
		return fail(ctx, EXIT_NOT_FOUND, name, "not a device of dm-ssdup");
	case -EPROTO:
		return fail(ctx, EXIT_FAILED, name,
			    "its status cannot be understood: is the module older than this tool?");
	case -EACCES:
	case -EPERM:
		return fail(ctx, EXIT_FAILED, name, "%s%s", strerror(-r),
			    root_hint());
	default:
		return fail(ctx, EXIT_FAILED, name, "its status cannot be read: %s",
			    strerror(-r));
	}
}

int state_operand(struct ssdup_ctx *ctx, int argc, char **argv, struct state *s)
{
	int r;

	if (!operands(ctx, argc, argv, 1, 1))
		return ctx->exit;
	r = state_read(argv[optind], s);
	return r ? state_complain(ctx, argv[optind], r) : EXIT_OK;
}

struct list {
	char		**name;
	unsigned int	nr;
};

static void add_name(struct list *l, const char *name)
{
	l->name = xgrow(l->name, (l->nr + 2) * sizeof(*l->name));
	l->name[l->nr++] = xstrdup(name);
	l->name[l->nr] = NULL;
}

static bool add_ours(void *arg, dev_t rdev, const char *name)
{
	char *mode = dev_sysfs_read(rdev, "ssdup/mode");

	if (mode)
		add_name(arg, name);
	free(mode);
	return false;
}

static int by_name(const void *a, const void *b)
{
	return strverscmp(*(char * const *)a, *(char * const *)b);
}

int state_names(char ***names)
{
	struct list l = { .name = xalloc(sizeof(*l.name)) };
	struct dmdev d;
	char **all;
	unsigned int i;
	int r = dmdev_names(&all);

	if (no_right(r)) {
		each_dm(add_ours, &l);
	} else if (r) {
		free(l.name);
		/* Without the driver there is no device. */
		if (r != -ENODEV && r != -ENXIO && r != -ENOENT)
			return r;
		l.name = xalloc(sizeof(*l.name));
	} else {
		for (i = 0; all[i]; i++) {
			if (dmdev_status(all[i], &d))
				continue;
			if (dmdev_is_ssdup(&d))
				add_name(&l, all[i]);
			dmdev_free(&d);
		}
		names_free(all);
	}
	qsort(l.name, l.nr, sizeof(*l.name), by_name);
	*names = l.name;
	return 0;
}

int all_names(const struct ssdup_ctx *ctx, char ***names)
{
	int r = state_names(names);

	return r ? fail(ctx, EXIT_FAILED, NULL, "cannot list the devices: %s%s", strerror(-r),
			root_hint()) : EXIT_OK;
}

void names_free(char **names)
{
	unsigned int i;

	for (i = 0; names[i]; i++)
		free(names[i]);
	free(names);
}
