// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "dm.h"

#define MAX_BYTES	(128U << 10)

static int control = -1;
static char node[64], folder[128], dm_name[DM_NAME_LEN];
static union {
	struct dm_ioctl	h;
	char		b[MAX_BYTES];
} *buf;

static void *begin(size_t payload)
{
	memset(buf, 0, sizeof(buf->h) + payload + 64);
	buf->h.version[0] = DM_VERSION_MAJOR;
	buf->h.data_size = MAX_BYTES;
	buf->h.data_start = sizeof(buf->h);
	memcpy(buf->h.name, dm_name, sizeof(dm_name));
	return buf->b + sizeof(buf->h);
}

static int call(unsigned long request)
{
	return ioctl(control, request, buf) ? -errno : 0;
}

static int plain(unsigned long request, unsigned int flags)
{
	begin(0);
	buf->h.flags = flags;
	return call(request);
}

void dm_open(const char *name)
{
	int r;

	buf = buf ?: calloc(1, sizeof(*buf));
	if (control < 0)
		control = open("/dev/mapper/control", O_RDWR | O_CLOEXEC);
	snprintf(dm_name, sizeof(dm_name), "%s", name);
	if (!buf || control < 0) {
		perror("/dev/mapper/control");
		exit(2);
	}
	r = plain(DM_DEV_CREATE, 0);
	if (r) {
		fprintf(stderr, "hostile: cannot create %s: %s\n", name, strerror(-r));
		exit(2);
	}
	snprintf(node, sizeof(node), "/dev/dm-%u", minor(buf->h.dev));
	snprintf(folder, sizeof(folder), "/sys/block/dm-%u/ssdup", minor(buf->h.dev));
}

const char *dm_node(void)
{
	return node;
}

const char *dm_folder(void)
{
	return folder;
}

int dm_load(const char *type, unsigned long long sectors, const char *params)
{
	size_t len = strlen(params);
	struct dm_target_spec *spec;

	if (len + sizeof(*spec) + sizeof(buf->h) + 64 > MAX_BYTES)
		return -E2BIG;
	spec = begin(sizeof(*spec) + len);
	buf->h.target_count = 1;
	spec->length = sectors;
	snprintf(spec->target_type, sizeof(spec->target_type), "%s", type);
	memcpy(spec + 1, params, len + 1);
	spec->next = (sizeof(*spec) + len + 8) & ~7UL;
	return call(DM_TABLE_LOAD);
}

int dm_clear(void)
{
	return plain(DM_TABLE_CLEAR, 0);
}

int dm_suspend(void)
{
	return plain(DM_DEV_SUSPEND, DM_SUSPEND_FLAG);
}

int dm_resume(void)
{
	return plain(DM_DEV_SUSPEND, 0);
}

int dm_message(const char *text, size_t len)
{
	struct dm_target_msg *msg = begin(sizeof(*msg) + len + 1);

	memcpy(msg->message, text, len);
	return call(DM_TARGET_MSG);
}

int dm_table(char *params, size_t max)
{
	struct dm_target_spec *spec = begin(0);
	int r;

	buf->h.flags = DM_STATUS_TABLE_FLAG;
	r = call(DM_TABLE_STATUS);
	if (!r)
		snprintf(params, max, "%s", (char *)(spec + 1));
	return r;
}

void dm_idle(unsigned long long sectors)
{
	int r;

	dm_clear();
	r = dm_load("error", sectors, "");
	if (!r)
		r = dm_resume();
	if (r) {
		fprintf(stderr, "hostile: cannot let go of the target: %s\n", strerror(-r));
		exit(1);
	}
}

void dm_close(void)
{
	plain(DM_DEV_REMOVE, 0);
}
