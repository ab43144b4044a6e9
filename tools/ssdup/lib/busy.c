// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: who uses a block device, and whether two of them are one disk.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "dev.h"

#define MAX_DISKS	64
#define MAX_DEPTH	8

/* --- Who uses it --- */

static dev_t number_of(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISBLK(st.st_mode) ? st.st_rdev : 0;
}

/* In place: \040 and its like, of mountinfo. */
static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++, to++) {
		if (s[0] == '\\' && isdigit((unsigned char)s[1]) && s[2] && s[3]) {
			*to = (s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0');
			s += 3;
		} else {
			*to = *s;
		}
	}
	*to = '\0';
}

/* Some file systems have a number of their own: those are known by their source. */
void dev_each_mount(dev_t rdev, int (*fn)(void *arg, const char *mount, uint64_t id), void *arg)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	char mount[4096], source[4096];
	char *line = NULL, *dash;
	unsigned int ma, mi, id;
	size_t size = 0;
	int r = 0;

	while (f && !r && getline(&line, &size, f) > 0) {
		if (sscanf(line, "%u %*u %u:%u %*s %4095s", &id, &ma, &mi, mount) != 4)
			continue;
		dash = strstr(line, " - ");
		if (!dash || sscanf(dash, " - %*s %4095s", source) != 1)
			*source = '\0';
		unescape(source);
		if (makedev(ma, mi) != rdev && (*source != '/' || number_of(source) != rdev))
			continue;
		unescape(mount);
		r = fn(arg, mount, id);
	}
	free(line);
	if (f)
		fclose(f);
}

static int take_mount(void *arg, const char *mount, uint64_t id)
{
	*(char **)arg = xstrdup(mount);
	return 1;
}

static char *mounted_on(dev_t rdev)
{
	char *where = NULL;

	dev_each_mount(rdev, take_mount, &where);
	return where;
}

static bool is_swap(dev_t rdev)
{
	FILE *f = fopen("/proc/swaps", "re");
	char *line = NULL, path[4096];
	bool is = false;
	size_t size = 0;

	while (f && !is && getline(&line, &size, f) > 0) {
		if (*line != '/' || sscanf(line, "%4095s", path) != 1)
			continue;
		unescape(path);
		is = number_of(path) == rdev;
	}
	free(line);
	if (f)
		fclose(f);
	return is;
}

/* Call @fn for each entry of a folder in sysfs until it returns something else than 0. */
static int each_entry(dev_t rdev, const char *folder,
		      int (*fn)(void *arg, const char *path, const char *name), void *arg)
{
	char *path = dev_sysfs_path(rdev, folder), *entry;
	struct dirent *d;
	DIR *dir;
	int r = 0;

	dir = opendir(path);
	while (dir && !r && (d = readdir(dir))) {
		if (*d->d_name == '.')
			continue;
		entry = xprintf("%s/%s", path, d->d_name);
		r = fn(arg, entry, d->d_name);
		free(entry);
	}
	if (dir)
		closedir(dir);
	free(path);
	return r;
}

static dev_t entry_number(const char *path)
{
	char *text = folder_line(path, "dev");
	unsigned int ma, mi;
	dev_t rdev = 0;

	if (text && sscanf(text, "%u:%u", &ma, &mi) == 2)
		rdev = makedev(ma, mi);
	free(text);
	return rdev;
}

static int take_holder(void *arg, const char *path, const char *name)
{
	char *dm = folder_line(path, "dm/name");

	*(char **)arg = dm ? xprintf("%s (%s)", dm, name) : xstrdup(name);
	free(dm);
	return 1;
}

struct holders {
	bool	(*fn)(void *arg, dev_t holder, const char *dm_uuid);
	void	*arg;
};

static int look_at_holder(void *arg, const char *path, const char *name)
{
	char *uuid = folder_line(path, "dm/uuid");
	struct holders *h = arg;
	int r = h->fn(h->arg, entry_number(path), uuid ?: "");

	free(uuid);
	return r;
}

bool dev_each_holder(dev_t rdev, bool (*fn)(void *arg, dev_t holder, const char *dm_uuid),
		     void *arg)
{
	struct holders h = { fn, arg };

	return each_entry(rdev, "holders", look_at_holder, &h);
}

static int refuse_used(const struct ssdup_ctx *ctx, const char *path, dev_t rdev,
		       const char *or);

struct look {
	const struct ssdup_ctx *ctx;
	const char	*or;
	int		r;
};

static int look_at_partition(void *arg, const char *path, const char *name)
{
	struct look *look = arg;
	char *is = folder_line(path, "partition"), *node;

	if (is) {
		node = xprintf("/dev/%s", name);
		look->r = refuse_used(look->ctx, node, entry_number(path), look->or);
		free(node);
	}
	free(is);
	return look->r;
}

static int refuse_used(const struct ssdup_ctx *ctx, const char *path, dev_t rdev,
		       const char *or)
{
	struct look look = { ctx, or, EXIT_OK };
	char *who = mounted_on(rdev);
	int r;

	if (who) {
		r = fail(ctx, EXIT_REFUSED, path, "mounted on %s; unmount it, or %s", who, or);
		free(who);
		return r;
	}
	if (is_swap(rdev))
		return fail(ctx, EXIT_REFUSED, path,
			    "used as swap; \"swapoff %s\" first, or %s", path, or);
	each_entry(rdev, "holders", take_holder, &who);
	if (who) {
		r = fail(ctx, EXIT_REFUSED, path,
			 "in use by %s; remove that first, or %s", who, or);
		free(who);
		return r;
	}
	each_entry(rdev, ".", look_at_partition, &look);
	return look.r;
}

int dev_refuse_used(const struct ssdup_ctx *ctx, const struct dev *dev, const char *or)
{
	int r, fd;

	if (!dev->rdev)
		return EXIT_OK;
	r = refuse_used(ctx, dev->path, dev->rdev, or);
	if (r)
		return r;
	fd = open(dev->path, O_RDONLY | O_EXCL | O_CLOEXEC);
	if (fd >= 0) {
		close(fd);
		return EXIT_OK;
	}
	if (errno != EBUSY)
		return fail(ctx, EXIT_FAILED, dev->path, "%s", strerror(errno));
	return fail(ctx, EXIT_REFUSED, dev->path,
		    "in use; \"lsof %s\" and \"dmsetup ls --tree\" may say by whom", dev->path);
}

/* --- Whether two are one --- */

struct disks {
	dev_t		disk[MAX_DISKS];
	unsigned int	nr;
	unsigned int	depth;
};

static void add_disks(struct disks *disks, dev_t rdev);

static int add_slave(void *arg, const char *path, const char *name)
{
	add_disks(arg, entry_number(path));
	return 0;
}

/* The number of the disk that @rdev is a partition of, or @rdev. */
static dev_t whole_disk(dev_t rdev)
{
	char *is = dev_sysfs_read(rdev, "partition"), *path;

	if (!is)
		return rdev;
	free(is);
	path = dev_sysfs_path(rdev, "..");
	rdev = entry_number(path) ?: rdev;
	free(path);
	return rdev;
}

/* The disks that a device consists of, at the bottom. */
static void add_disks(struct disks *disks, dev_t rdev)
{
	unsigned int before = disks->nr;

	if (!rdev || disks->depth == MAX_DEPTH)
		return;
	rdev = whole_disk(rdev);
	disks->depth++;
	each_entry(rdev, "slaves", add_slave, disks);
	disks->depth--;
	if (disks->nr == before && disks->nr < MAX_DISKS)
		disks->disk[disks->nr++] = rdev;
}

unsigned int dev_disks(dev_t rdev, dev_t *disk, unsigned int most)
{
	struct disks disks = { .nr = 0 };

	add_disks(&disks, rdev);
	if (disks.nr < most)
		most = disks.nr;
	memcpy(disk, disks.disk, most * sizeof(*disk));
	return most;
}

struct below {
	dev_t		wanted;
	unsigned int	depth;
};

static int look_below(void *arg, const char *path, const char *name)
{
	struct below *b = arg;
	dev_t rdev = entry_number(path);
	int r;

	if (rdev && rdev == b->wanted)
		return 1;
	if (!rdev || b->depth == MAX_DEPTH)
		return 0;
	b->depth++;
	r = each_entry(whole_disk(rdev), "slaves", look_below, b);
	b->depth--;
	return r;
}

bool dev_lies_on(dev_t rdev, dev_t below)
{
	struct below b = { .wanted = below };

	return each_entry(whole_disk(rdev), "slaves", look_below, &b);
}

char *dev_wwn(dev_t disk)
{
	return dev_sysfs_read(disk, "wwid") ?: dev_sysfs_read(disk, "device/wwid");
}

/* One disk may be seen by two paths. */
static bool same_disk(dev_t a, dev_t b)
{
	char *wa, *wb;
	bool same;

	if (a == b)
		return true;
	wa = dev_wwn(a);
	wb = dev_wwn(b);
	same = wa && wb && *wa && !strcmp(wa, wb);
	free(wa);
	free(wb);
	return same;
}

static uint64_t place(dev_t rdev, const char *file)
{
	char *text = dev_sysfs_read(rdev, file);
	uint64_t value = text ? strtoull(text, NULL, 10) : 0;

	free(text);
	return value;
}

/* What is written to one changes the other. */
bool dev_two_paths(dev_t a, dev_t b)
{
	return a && b && whole_disk(a) != whole_disk(b) &&
	       same_disk(whole_disk(a), whole_disk(b)) &&
	       place(a, "start") == place(b, "start") && place(a, "size") == place(b, "size");
}

int dev_refuse_same(const struct ssdup_ctx *ctx, const struct dev *hdd, const struct dev *ssd,
		    bool force)
{
	struct disks a = { .nr = 0 }, b = { .nr = 0 };
	unsigned int i, j;
	char *name;
	int r;

	if (hdd->rdev == ssd->rdev && (hdd->rdev || !strcmp(hdd->path, ssd->path)))
		return fail(ctx, EXIT_REFUSED, ssd->path,
			    "the same device as the HDD (%s); give another SSD", hdd->path);
	if (dev_two_paths(hdd->rdev, ssd->rdev))
		return fail(ctx, EXIT_REFUSED, ssd->path,
			    "the same as the HDD (%s) on another path, by its WWN; give another SSD",
			    hdd->path);
	add_disks(&a, hdd->rdev);
	add_disks(&b, ssd->rdev);
	for (i = 0; i < a.nr; i++) {
		for (j = 0; j < b.nr && !same_disk(a.disk[i], b.disk[j]); j++)
			;
		if (j == b.nr)
			continue;
		name = dev_kernel_name(b.disk[j]);
		if (force) {
			warn(ctx, ssd->path, "on the same disk (%s) as %s: no burst will be faster",
			     name, hdd->path);
			r = EXIT_OK;
		} else {
			r = fail(ctx, EXIT_REFUSED, ssd->path,
				 "on the same disk (%s) as %s; give an SSD of its own, or --force",
				 name, hdd->path);
		}
		free(name);
		return r;
	}
	return EXIT_OK;
}
