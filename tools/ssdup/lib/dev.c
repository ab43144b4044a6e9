// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: facts about a block device, from sysfs.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "dev.h"

const char *dev_number(char text[DEV_NUMBER], dev_t rdev)
{
	snprintf(text, DEV_NUMBER, "%u:%u", major(rdev), minor(rdev));
	return text;
}

char *folder_line(const char *folder, const char *file)
{
	char line[512], *path = xprintf("%s/%s", folder, file), *text = NULL;
	FILE *f = fopen(path, "re");

	free(path);
	if (!f)
		return NULL;
	if (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		text = xstrdup(line);
	}
	fclose(f);
	return text;
}

static const char *sysfs = "/sys";

void dev_sysfs_at(const char *folder)
{
	sysfs = folder;
}

char *dev_sysfs_path(dev_t rdev, const char *file)
{
	char number[DEV_NUMBER];

	return xprintf("%s/dev/block/%s/%s", sysfs, dev_number(number, rdev), file);
}

char *dev_sysfs_read(dev_t rdev, const char *file)
{
	char *folder = dev_sysfs_path(rdev, ""), *text = folder_line(folder, file);

	free(folder);
	return text;
}

uint64_t dev_sectors(dev_t rdev)
{
	char *text = dev_sysfs_read(rdev, "size");
	uint64_t sectors = text ? strtoull(text, NULL, 10) : 0;

	free(text);
	return sectors;
}

char *dev_queue_read(dev_t rdev, const char *file)
{
	char *disk = xprintf("../queue/%s", file), *text = dev_sysfs_read(rdev, disk + 3);

	text = text ?: dev_sysfs_read(rdev, disk);
	free(disk);
	return text;
}

bool dev_known(dev_t rdev)
{
	char *path = dev_sysfs_path(rdev, "");
	bool known = !access(path, F_OK);

	free(path);
	return known;
}

char *dev_kernel_name(dev_t rdev)
{
	char number[DEV_NUMBER], target[512], *path;
	ssize_t n;

	path = xprintf("%s/dev/block/%s", sysfs, dev_number(number, rdev));
	n = readlink(path, target, sizeof(target) - 1);
	free(path);
	if (n <= 0)
		return xstrdup("?");
	target[n] = '\0';
	return xstrdup(strrchr(target, '/') ? strrchr(target, '/') + 1 : target);
}

int dev_open(const struct dev *dev, int flags)
{
	int fd = open(dev->path, flags | O_DIRECT | O_CLOEXEC);

	if (fd < 0 && errno == EINVAL)
		fd = open(dev->path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int dev_lock(const struct dev *dev)
{
	int fd = open(dev->path, O_RDONLY | O_CLOEXEC), r;

	if (fd < 0)
		return -errno;
	if (!flock(fd, LOCK_EX))
		return fd;
	r = -errno;
	close(fd);
	return r;
}

void dev_free(struct dev *dev)
{
	free(dev->path);
	dev->path = NULL;
}
