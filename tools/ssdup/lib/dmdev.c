// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: device mapper.
 */
#include <errno.h>
#include <fcntl.h>
#include <libdevmapper.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "dmdev.h"

static void say_nothing(int level, const char *file, int line, int err, const char *fmt, ...)
{
}

void dmdev_dont_wait(void)
{
	dm_udev_set_sync_support(0);
}

void dmdev_prepare(void)
{
	dm_log_with_errno_init(say_nothing);
}

/* A task for the device of that name; NULL when device mapper is not to be had. */
static struct dm_task *task(int type, const char *name)
{
	struct dm_task *t = dm_task_create(type);

	if (t && name && !dm_task_set_name(t, name)) {
		dm_task_destroy(t);
		t = NULL;
	}
	return t;
}

/* Why there is no task. */
static int no_task(void)
{
	int fd = open("/dev/mapper/control", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return errno == ENOENT || errno == ENXIO ? -ENODEV : -errno;
	close(fd);
	return -ENODEV;
}

static int run_task(struct dm_task *t)
{
	if (!t)
		return no_task();
	if (dm_task_run(t))
		return 0;
	return -(dm_task_get_errno(t) ?: EIO);
}

static int finish(struct dm_task *t, int r)
{
	if (t)
		dm_task_destroy(t);
	return r;
}

static int plain(int type, const char *name)
{
	struct dm_task *t = task(type, name);

	return finish(t, run_task(t));
}

/* --- Looking --- */

static int read_device(int type, const char *name, struct dmdev *d)
{
	struct dm_task *t = task(type, name);
	char *target = NULL, *params = NULL;
	uint64_t start, length;
	struct dm_info info;
	void *next = NULL;
	int r;

	memset(d, 0, sizeof(*d));
	if (t)
		dm_task_no_flush(t);
	r = run_task(t);
	if (!r && (!dm_task_get_info(t, &info) || !info.exists))
		r = -ENXIO;
	if (r)
		return finish(t, r);
	d->name = xstrdup(dm_task_get_name(t));
	d->uuid = xstrdup(dm_task_get_uuid(t) ?: "");
	d->rdev = makedev(info.major, info.minor);
	d->suspended = info.suspended;
	d->read_only = info.read_only;
	d->open_count = info.open_count;
	do {
		next = dm_get_next_target(t, next, &start, &length, &target, &params);
		if (!target)
			break;
		if (!d->nr_targets++) {
			d->start = start;
			d->length = length;
			d->target = xstrdup(target);
			d->params = xstrdup(params ?: "");
		}
	} while (next);
	return finish(t, 0);
}

int dmdev_status(const char *name, struct dmdev *d)
{
	return read_device(DM_DEVICE_STATUS, name, d);
}

int dmdev_table(const char *name, struct dmdev *d)
{
	return read_device(DM_DEVICE_TABLE, name, d);
}

void dmdev_free(struct dmdev *d)
{
	free(d->name);
	free(d->uuid);
	free(d->target);
	free(d->params);
	memset(d, 0, sizeof(*d));
}

bool dmdev_is_ssdup(const struct dmdev *d)
{
	return d->nr_targets == 1 && !strcmp(d->target, "ssdup");
}

int dmdev_names(char ***names)
{
	struct dm_task *t = task(DM_DEVICE_LIST, NULL);
	struct dm_names *n;
	unsigned int nr = 0, next = 0;
	int r = run_task(t);

	if (r)
		return finish(t, r);
	*names = xalloc(sizeof(**names));
	n = dm_task_get_names(t);
	if (!n || !n->dev)
		return finish(t, 0);
	do {
		n = (void *)n + next;
		*names = xgrow(*names, (nr + 2) * sizeof(**names));
		(*names)[nr++] = xstrdup(n->name);
		(*names)[nr] = NULL;
		next = n->next;
	} while (next);
	return finish(t, 0);
}

/* --- Changing --- */

/* Tasks that make uevents: wait until udev is done with them. */
static int run_and_wait(struct dm_task *t)
{
	uint32_t cookie = 0;
	int r;

	if (!t)
		return no_task();
	if (!dm_task_set_cookie(t, &cookie, 0))
		return finish(t, -EIO);
	r = run_task(t);
	dm_udev_wait(cookie);
	return finish(t, r);
}

int dmdev_create(const char *name, const char *uuid)
{
	struct dm_task *t = task(DM_DEVICE_CREATE, name);

	if (t && *uuid && !dm_task_set_uuid(t, uuid))
		return finish(t, -EINVAL);
	return finish(t, run_task(t));
}

int dmdev_load(const char *name, uint64_t sectors, const char *target, const char *params)
{
	struct dm_task *t = task(DM_DEVICE_RELOAD, name);

	if (t && !dm_task_add_target(t, 0, sectors, target, params))
		return finish(t, -ENOMEM);
	return finish(t, run_task(t));
}

int dmdev_clear(const char *name)
{
	return plain(DM_DEVICE_CLEAR, name);
}

int dmdev_load_pinned(const char *name, uint64_t sectors, const char *target, const char *params)
{
	int r = dmdev_load(name, sectors, target, params);

	if (!r && mlockall(MCL_CURRENT | MCL_FUTURE)) {
		r = -errno;
		dmdev_clear(name);
	}
	return r;
}

int dmdev_suspend(const char *name, bool nolock, bool noflush)
{
	struct dm_task *t = task(DM_DEVICE_SUSPEND, name);

	if (t && nolock)
		dm_task_skip_lockfs(t);
	if (t && noflush)
		dm_task_no_flush(t);
	return finish(t, run_task(t));
}

int dmdev_resume(const char *name)
{
	return run_and_wait(task(DM_DEVICE_RESUME, name));
}

int dmdev_swap(const char *name)
{
	struct dm_task *t = task(DM_DEVICE_RESUME, name);

	if (t)
		dm_task_skip_lockfs(t);
	return run_and_wait(t);
}

int dmdev_reload(const char *name, uint64_t sectors, const char *params, uint64_t old_sectors,
		 const char *old)
{
	int r = dmdev_load_pinned(name, sectors, "ssdup", params);

	if (r)
		return r;
	r = dmdev_swap(name);
	if (r && (dmdev_load(name, old_sectors, "ssdup", old) || dmdev_swap(name)))
		r = -EUCLEAN;
	munlockall();
	return r;
}

int dmdev_remove(const char *name)
{
	struct dm_task *t = task(DM_DEVICE_REMOVE, name);

	if (t)
		dm_task_retry_remove(t);
	return run_and_wait(t);
}

int dmdev_remove_later(const char *name)
{
	struct dm_task *t = task(DM_DEVICE_REMOVE, name);

	if (t)
		dm_task_deferred_remove(t);
	return run_and_wait(t);
}

int dmdev_ask(const char *name, const char *text, char **answer)
{
	struct dm_task *t = task(DM_DEVICE_TARGET_MSG, name);
	int r;

	if (t && (!dm_task_set_sector(t, 0) || !dm_task_set_message(t, text)))
		return finish(t, -ENOMEM);
	r = run_task(t);
	if (!r && answer)
		*answer = xstrdup(dm_task_get_message_response(t) ?: "");
	return finish(t, r);
}

int dmdev_message(const char *name, const char *text)
{
	return dmdev_ask(name, text, NULL);
}
