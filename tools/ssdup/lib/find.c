// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: find a block device by what people call it.
 */
#include <blkid/blkid.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "dev.h"
#include "super.h"
#include "twins.h"

/* --- By the UUID of a log --- */

/* Return: the place of the SSD among those of the log, or -1. @seq: see twin_seq() */
static int is_log(const char *path, const char *uuid, u64 *seq)
{
	struct dev dev = { .path = (char *)path };
	struct ssd_log log;
	int fd = dev_open(&dev, O_RDONLY), index = -1;
	struct ssds ssds = ssds_some(fd);
	struct twin_found twin = { TWIN_BLANK };

	if (fd < 0)
		return index;
	if (!ssd_log_read(&ssds, &log, uuid) && log.fault == LOG_OK) {
		twin.there = ssd_twin_read(fd, log.ssd_sectors, &twin.block);
		index = ssd_place(ssd_super(&log), &twin);
	}
	close(fd);
	*seq = twin_seq(&twin);
	return index == SSD_DISKS || twin_is_part(&twin) ? -1 : index;
}

/*
 * One of two devices that show the same log: the one on top, as an array is of its members;
 * either, if they are one disk on two paths. NULL: they are two disks.
 */
static const char *one_of(const char *a, const char *b)
{
	struct stat st_a, st_b;

	if (stat(a, &st_a) || stat(b, &st_b))
		return NULL;
	if (dev_lies_on(st_b.st_rdev, st_a.st_rdev))
		return b;
	return dev_lies_on(st_a.st_rdev, st_b.st_rdev) ||
	       dev_two_paths(st_a.st_rdev, st_b.st_rdev) ? a : NULL;
}

char *dev_choose(char **found, unsigned int nr, char **twice)
{
	const char *best = NULL, *one;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		one = best ? one_of(best, found[i]) : found[i];
		best = one ?: best;
	}
	/* Members of an array are two disks for each other, but not for the array. */
	for (i = 0; i < nr; i++)
		if (found[i] != best && !one_of(best, found[i])) {
			*twice = xprintf("%s and %s", best, found[i]);
			return NULL;
		}
	return best ? xstrdup(best) : NULL;
}

void dev_each(void (*fn)(void *arg, const char *path), void *arg)
{
	DIR *dir = opendir("/sys/class/block");
	struct dirent *d;
	char *path;

	while (dir && (d = readdir(dir))) {
		if (*d->d_name == '.' || !strncmp(d->d_name, "ram", 3))
			continue;
		path = xprintf("/dev/%s", d->d_name);
		fn(arg, path);
		free(path);
	}
	if (dir)
		closedir(dir);
}

struct search {
	const char	*uuid;
	int		index;		/* of those found; -1: none yet */
	u64		seq;		/* the same */
	char		**found;
	unsigned int	nr;
};

/* Any SSD of the log will do: it finds the others. */
static void look_for_log(void *arg, const char *path)
{
	struct search *s = arg;
	u64 seq;
	int index = is_log(path, s->uuid, &seq);

	if (index < 0 || (s->nr && seq < s->seq) ||
	    (s->nr && seq == s->seq && index != s->index))
		return;
	/* One that another one has taken the place of does not know that. */
	while (seq > s->seq && s->nr)
		free(s->found[--s->nr]);
	s->index = index;
	s->seq = seq;
	s->found = xmore(s->found, s->nr, sizeof(*s->found));
	s->found[s->nr++] = xstrdup(path);
}

/* Where udev does not run, or runs without our rules, all devices are looked at. */
static char *find_log(const char *text, char **twice)
{
	struct search s = { .uuid = text, .index = -1 };
	u8 uuid[16];
	char *path;

	if (!uuid_read(text, uuid))
		return NULL;
	dev_each(look_for_log, &s);
	path = dev_choose(s.found, s.nr, twice);
	while (s.nr)
		free(s.found[--s.nr]);
	free(s.found);
	return path;
}

/* --- By any name --- */

static char *by_id(const char *prefix, const char *name)
{
	char *path = xprintf("/dev/disk/by-id/%s%s", prefix, name);

	if (!strchr(name, '/') && !access(path, F_OK))
		return path;
	free(path);
	return NULL;
}

char *dev_by_id(dev_t rdev)
{
	static const char folder[] = "/dev/disk/by-id";
	char *best = NULL, *path;
	struct dirent *d;
	struct stat st;
	DIR *dir = opendir(folder);

	/* The first in the order of names: the same each time. */
	while (dir && (d = readdir(dir))) {
		path = xprintf("%s/%s", folder, d->d_name);
		if (*d->d_name != '.' && !stat(path, &st) && S_ISBLK(st.st_mode) &&
		    st.st_rdev == rdev && (!best || strcmp(path, best) < 0)) {
			free(best);
			best = path;
		} else {
			free(path);
		}
	}
	if (dir)
		closedir(dir);
	return best;
}

/* 8:1 -> /dev/sda1 */
static char *by_number(const char *spec)
{
	unsigned int ma, mi;
	char *name, *path, end;

	if (sscanf(spec, "%u:%u%c", &ma, &mi, &end) != 2)
		return NULL;
	name = dev_kernel_name(makedev(ma, mi));
	path = *name == '?' ? NULL : xprintf("/dev/%s", name);
	free(name);
	return path;
}

static char *resolve(const char *spec, char **twice)
{
	const char *equals = strchr(spec, '=');
	char *path, *tag;

	if (*spec == '/' || *spec == '.')
		return xstrdup(spec);
	if (!equals)
		return by_number(spec) ?: xstrdup(spec);
	if (!strncmp(spec, "ID=", 3))
		return by_id("", equals + 1);
	if (!strncmp(spec, "WWN=", 4))
		return by_id(strncmp(equals + 1, "eui.", 4) &&
			     strncmp(equals + 1, "uuid.", 5) ? "wwn-" : "nvme-", equals + 1);
	if (!strncmp(spec, "UUID=", 5)) {
		path = find_log(equals + 1, twice);
		if (path || *twice)
			return path;
	}
	tag = xprintf("%.*s", (int)(equals - spec), spec);
	path = blkid_evaluate_tag(tag, equals + 1, NULL);
	free(tag);
	return path;
}

static int measure_dev(struct dev *dev)
{
	struct stat st;
	int fd, r = 0;
	char *rotational;

	if (stat(dev->path, &st))
		return -errno;
	if (S_ISREG(st.st_mode)) {
		dev->bytes = st.st_size;
		dev->block = SECTOR_BYTES;
		return 0;
	}
	if (!S_ISBLK(st.st_mode))
		return -ENOTBLK;
	dev->rdev = st.st_rdev;
	fd = open(dev->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (ioctl(fd, BLKGETSIZE64, &dev->bytes) || ioctl(fd, BLKSSZGET, &dev->block))
		r = -errno;
	close(fd);
	rotational = dev_queue_read(dev->rdev, "rotational");
	dev->rotational = rotational && *rotational == '1';
	free(rotational);
	return r;
}

/* *@twice: both names, where that is -ENOTUNIQ; free() it. */
static int find(const char *spec, struct dev *dev, char **twice)
{
	int r;

	*twice = NULL;
	memset(dev, 0, sizeof(*dev));
	dev->path = resolve(spec, twice);
	if (!dev->path)
		return *twice ? -ENOTUNIQ : -ENOENT;
	r = measure_dev(dev);
	if (r)
		dev_free(dev);
	return r;
}

static int exit_code(int r)
{
	if (r == -ENOTUNIQ)
		return EXIT_REFUSED;
	return r == -ENOENT || r == -ENXIO || r == -ENODEV || r == -ENOMEDIUM ?
	       EXIT_NOT_FOUND : EXIT_FAILED;
}

int dev_find_quietly(const char *spec, struct dev *dev)
{
	char *twice;
	int r = find(spec, dev, &twice);

	free(twice);
	return r ? exit_code(r) : EXIT_OK;
}

int dev_find(const struct ssdup_ctx *ctx, const char *spec, struct dev *dev)
{
	char *twice;
	int r = find(spec, dev, &twice);

	switch (r) {
	case 0:
		return EXIT_OK;
	case -ENOTUNIQ:
		r = fail(ctx, EXIT_REFUSED, spec,
			 "this log is on two disks, %s; take the copy out, or give a path", twice);
		free(twice);
		return r;
	case -ENOTBLK:
		return fail(ctx, EXIT_REFUSED, spec, "neither a block device nor an image");
	case -EACCES:
	case -EPERM:
		return fail(ctx, EXIT_FAILED, spec, "%s%s", strerror(-r), root_hint());
	case -ENOENT:
		if (!strchr(spec, '=') && strncmp(spec, "/dev/", 5))
			return fail(ctx, EXIT_NOT_FOUND, spec, "no such file or device");
		return fail(ctx, EXIT_NOT_FOUND, spec,
			    "no such device; \"lsblk\" and /dev/disk/ show what there is");
	default:
		return fail(ctx, exit_code(r), spec, "%s", strerror(-r));
	}
}
