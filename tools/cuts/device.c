// SPDX-License-Identifier: GPL-2.0-only
/* cuts: the device under test, by ioctl: a case would else spend its time in dmsetup. */
#include <errno.h>
#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "device.h"
#include "util.h"

#define NAME	"cut"

bool write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : write(fd, text, strlen(text));

	if (fd >= 0)
		close(fd);
	return n >= 0;
}

bool read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	return n >= 0;
}

struct request {
	struct dm_ioctl dm;
	union {
		struct dm_target_spec spec;
		struct dm_target_msg msg;
	};
	char text[400];
};

static bool dm(unsigned long command, struct request *rq, uint32_t flags)
{
	static int control = -1;

	if (control < 0)
		control = open("/dev/mapper/control", O_RDWR | O_CLOEXEC);
	if (control < 0)
		die("/dev/mapper/control");
	rq->dm.version[0] = DM_VERSION_MAJOR;
	rq->dm.data_size = sizeof(*rq);
	rq->dm.data_start = sizeof(rq->dm);
	rq->dm.flags = flags;
	snprintf(rq->dm.name, sizeof(rq->dm.name), "%s", NAME);
	return !ioctl(control, command, rq);
}

static bool load(const char *target, const char *arguments)
{
	struct request rq = { .dm.target_count = 1 };

	rq.spec.length = HDD_SECTORS;
	snprintf(rq.spec.target_type, sizeof(rq.spec.target_type), "%s", target);
	snprintf((char *)&rq + sizeof(rq.dm) + sizeof(rq.spec),
		 sizeof(rq) - sizeof(rq.dm) - sizeof(rq.spec), "%s", arguments);
	return dm(DM_TABLE_LOAD, &rq, 0);
}

static bool resume(uint32_t flags)
{
	struct request rq = { };

	return dm(DM_DEV_SUSPEND, &rq, flags);
}

static bool hook(struct device *d, const char *what)
{
	char command[256];

	snprintf(command, sizeof(command), "%s %s", d->hook, what);
	return !system(command);
}

bool device_up(struct device *d)
{
	struct request rq = { };

	if (d->subject == SUBJECT_HOOK)
		return hook(d, "up");
	if (!dm(DM_DEV_CREATE, &rq, 0))
		die("DM_DEV_CREATE");
	d->minor = minor(rq.dm.dev);
	snprintf(d->path, sizeof(d->path), "/dev/dm-%d", d->minor);
	return load("ssdup", d->table) && resume(0);
}

bool device_down(struct device *d)
{
	struct request rq;
	int i;

	if (d->subject == SUBJECT_HOOK)
		return hook(d, "down");
	/* Somebody may be looking at it for a moment. */
	for (i = 0; i < 100; i++) {
		memset(&rq, 0, sizeof(rq));
		if (dm(DM_DEV_REMOVE, &rq, 0) || errno == ENXIO)
			return true;
		usleep(10000);
	}
	return false;
}

void device_fail(struct device *d)
{
	if (d->subject != SUBJECT_HOOK && load("error", "") && resume(DM_SUSPEND_FLAG))
		resume(0);
}

bool device_reload(struct device *d, bool noflush)
{
	bool ok;

	ok = load("ssdup", d->table) && resume(DM_SUSPEND_FLAG | (noflush ? DM_NOFLUSH_FLAG : 0));
	ok &= resume(0);
	/* Suspended still: whoever waits gets an error, as by dmsetup remove --force. */
	if (!ok && load("error", ""))
		resume(0);
	return ok;
}

bool device_message(struct device *d, const char *message)
{
	struct request rq = { };

	(void)d;
	snprintf((char *)&rq + sizeof(rq.dm) + sizeof(rq.msg),
		 sizeof(rq) - sizeof(rq.dm) - sizeof(rq.msg), "%s", message);
	return dm(DM_TARGET_MSG, &rq, 0);
}

bool device_knob(struct device *d, const char *file, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/block/dm-%d/ssdup/%s", d->minor, file);
	return write_file(path, value);
}

bool kernel_complained(void)
{
	char text[32];

	read_file("/proc/sys/kernel/tainted", text, sizeof(text));
	return strtoul(text, NULL, 10) & (1 << 9 | 1 << 7);
}
