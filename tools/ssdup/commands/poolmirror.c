// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup pool replace, for one of two SSDs that hold the same.
 *
 * The new one gets all that is written from some moment on. What was written before is drained, and
 * what is clean is forgotten: then it has everything. Until it has, the other one counts alone, as
 * while one is out. Each step may be cut short, and is done again when the same is said again.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/dev.h"
#include "lib/pair.h"
#include "lib/twins.h"
#include "lib/wait.h"
#include "poolssd.h"

#define LOOK_MS		500U
#define PATIENCE_MS	30000U	/* with nothing left that an active log has */

/* The only SSD whose mirror is not there, or -1. */
static int without_mirror(const struct pool *p)
{
	int number = -1;
	u32 i;

	for (i = 0; i < p->ssds.io.nr; i++) {
		if (!(p->ssds.mirrored & BIT(i)) || p->ssds.dev[ssd_mirror(i)].path)
			continue;
		if (number >= 0)
			return -1;
		number = i;
	}
	return number;
}

/* What stands on one of them, whether it is used or not. Return: its number, or -1 */
static int look_at(const struct pool *p, const char *name, struct twin_found *twin)
{
	const struct log_super *pool = ssd_pool(&p->log);
	int number = -1, fd;
	struct ssd_log log;
	struct ssds one;
	struct dev dev;

	if (dev_find_quietly(name, &dev))
		return -1;
	fd = dev_open(&dev, O_RDONLY);
	one = ssds_some(fd);
	if (fd >= 0 && !ssd_log_read(&one, &log, NULL) && log.part[PART_SUPER].fault == LOG_OK &&
	    !memcmp(ssd_pool(&log)->pool, pool->pool, sizeof(pool->pool))) {
		twin->there = ssd_twin_read(fd, ssd_pool(&log)->ssd_sectors, &twin->block);
		if (ssd_place(ssd_pool(&log), twin) != SSD_DISKS)
			number = ssd_pool(&log)->ssds.index;
	}
	if (fd >= 0)
		close(fd);
	dev_free(&dev);
	return number >= 0 && pool->ssds.mirrors & BIT(number) ? number : -1;
}

int pool_mirror_of(const struct pool *p, const char *old)
{
	struct twin_found twin;

	return strcmp(old, "-") ? look_at(p, old, &twin) : without_mirror(p);
}

static int ask(const struct ssdup_ctx *ctx, const struct pool *p, char *text)
{
	int r = pool_ask(ctx, p->ssd.path, &p->members, text);

	free(text);
	return r;
}

/* How many of their tables name it? */
static unsigned int named_by(const struct pool *p, const struct dev *dev)
{
	const struct state *s;
	unsigned int i, nr = 0;

	for (s = p->members.all; s < p->members.all + p->members.nr; s++) {
		for (i = 0; i < s->nr_ssds && s->ssds[i] != dev->rdev; i++)
			;
		nr += i < s->nr_ssds;
	}
	return nr;
}

/* The one that stays: what its block says, and which of the two it is. */
static int look_at_other(const struct ssdup_ctx *ctx, const struct pool *p, u32 number,
			 const char *old, struct twin_block *b)
{
	const struct dev *dev = &p->ssds.dev[number];
	struct twin_found twin;
	int fd = dev_open(dev, O_RDONLY);
	bool there;

	if (fd < 0)
		return fail(ctx, EXIT_FAILED, dev->path, "%s", strerror(-fd));
	there = ssd_twin_read(fd, dev->bytes / SECTOR_BYTES, b) == TWIN_THERE;
	close(fd);
	if (!there)
		return fail(ctx, EXIT_FAILED, dev->path, "says nothing of its mirror");
	if (!p->ssds.dev[ssd_mirror(number)].path)
		return EXIT_OK;
	if (look_at(p, old, &twin) < 0 || twin.there != TWIN_THERE)
		return fail(ctx, EXIT_REFUSED, old, "is not one of the two any more");
	b->index = !twin.block.index;
	return EXIT_OK;
}

/* One that still works goes first: two at most hold the same. @b: of the other one */
static int take_out(const struct ssdup_ctx *ctx, struct pool *p, u32 number, const char *old,
		    const struct twin_block *b)
{
	struct dev *mirror = &p->ssds.dev[ssd_mirror(number)];
	int r;

	if (b->out != BIT(!b->index)) {
		r = ask(ctx, p, xprintf("mirror %u out %u", number, !b->index));
		if (r)
			return r;
		note(ctx, "%s: is out", old);
	}
	if (!mirror->path)
		return EXIT_OK;
	if (b->index) {
		dev_free(&p->ssds.dev[number]);
		p->ssds.dev[number] = *mirror;
		mirror->path = NULL;
		p->ssd = *ssd_set_first(&p->ssds);
	}
	dev_free(mirror);
	return EXIT_OK;
}

/* It calls itself out: nobody takes it for one that has everything. @b: of the other one */
static int prepare(const struct ssdup_ctx *ctx, const struct pool *p, const struct twin_block *b,
		   const struct dev *dev, int fd)
{
	struct twin_block new = *b;
	int r;

	new.index = !b->index;
	new.out = BIT(new.index);
	log_new_uuid(new.member[new.index]);
	r = pool_ssd_wipe(p, dev, fd) ?: ssd_twin_write(fd, dev->bytes / SECTOR_BYTES, &new);
	return r ? fail(ctx, EXIT_FAILED, dev->path, "cannot be written: %s", strerror(-r)) :
		   EXIT_OK;
}

static int reload(const struct ssdup_ctx *ctx, struct pool *p, u32 number, const struct dev *dev)
{
	struct dev *mirror = &p->ssds.dev[ssd_mirror(number)];
	char *names;

	*mirror = *dev;
	names = ssd_set_table(&p->ssds);
	mirror->path = NULL;
	return pool_reload(ctx, p, names);
}

/* Is it to be filled in the place of the other one of @b, or was it? */
static bool takes_place(const struct twin_found *twin, const struct twin_block *b)
{
	return twin->there == TWIN_THERE && twin->block.index != b->index &&
	       !memcmp(twin->block.member[b->index], b->member[b->index], sizeof(b->member[0]));
}

/* Is it one of the two that hold the same now? */
static bool is_used(const struct pool *p, u32 number, const char *name)
{
	struct dev dev;
	bool is;

	if (dev_find_quietly(name, &dev))
		return false;
	is = dev.rdev == p->ssds.dev[number].rdev ||
	     dev.rdev == p->ssds.dev[ssd_mirror(number)].rdev;
	dev_free(&dev);
	return is;
}

/* @whole: set if there is nothing left to do */
static int begin(const struct ssdup_ctx *ctx, struct pool *p, u32 number, const char *old,
		 struct dev *dev, int fd, bool force, bool *whole)
{
	unsigned int named = named_by(p, dev);
	struct twin_found twin;
	struct twin_block b;
	char *holds = NULL;
	bool begun;
	int r;

	twin.there = ssd_twin_read(fd, dev->bytes / SECTOR_BYTES, &twin.block);
	r = look_at_other(ctx, p, number, old, &b);
	if (r)
		return r;
	begun = takes_place(&twin, &b) && twin_is_part(&twin);
	*whole = named && takes_place(&twin, &b) && !b.out && !twin.block.out &&
		 !memcmp(twin.block.member, b.member, sizeof(b.member));
	if (!*whole && p->ssds.dev[ssd_mirror(number)].path && !is_used(p, number, old))
		return fail(ctx, EXIT_REFUSED, old, "is not one of the two any more");
	if (*whole || (named && begun))
		return *whole || named == p->members.nr ? EXIT_OK : reload(ctx, p, number, dev);
	if (named)
		return fail(ctx, EXIT_REFUSED, dev->path,
			    "is named by a table, and is out: remove the devices, and make them again");
	/* Nobody relies on what one has that was to be filled, unless it became something else. */
	holds = begun ? dev_signature(dev) : NULL;
	r = pool_ssd_fits(ctx, p, dev, fd, force || (begun && !holds));
	free(holds);
	if (!r && dev->bytes != p->ssds.dev[number].bytes)
		r = fail(ctx, EXIT_REFUSED, dev->path, "not of the size of %s",
			 p->ssds.dev[number].path);
	return r ?: take_out(ctx, p, number, old, &b) ?: prepare(ctx, p, &b, dev, fd) ?:
	       reload(ctx, p, number, dev);
}

/* Each device, whatever came meanwhile: what it has now is on one SSD alone. */
static int fill(const struct ssdup_ctx *ctx, struct pool *p, u32 number)
{
	char *text = xprintf("mirror %u %s", number, "fill"), *why;
	struct members one;
	unsigned int i;
	int r, code;

	members_free(&p->members);
	code = members_read(ctx, p->ssds.dev[number].rdev, &p->members);
	for (i = 0; i < p->members.nr && !code; i++) {
		one = (struct members){ .all = &p->members.all[i], .nr = 1 };
		r = pool_try(&one, text, &why);
		code = pool_told(ctx, p->members.all[i].name, r, why);
	}
	free(text);
	return code;
}

static u64 left_alone(const struct pool *p, u32 number)
{
	return pool_bytes_left(p, xprintf("mirror %u left", number));
}

/* All that they have of before. */
static int drain_all(const struct ssdup_ctx *ctx, struct pool *p)
{
	unsigned int i;
	int r = EXIT_OK;

	for (i = 0; i < p->members.nr && !r; i++) {
		r = drain_and_wait(ctx, &p->members.all[i], 0);
		if (!r)
			dmdev_message(p->members.all[i].name, "forget");
	}
	return r;
}

/* Until the kernel says that the new one has everything. */
static int wait_until_whole(const struct ssdup_ctx *ctx, struct pool *p, u32 number,
			    const char *path)
{
	char *text = xprintf("mirror %u whole", number), *why = NULL, size[SIZE_TEXT];
	u64 left, since = now_ms();
	int r, code = EXIT_OK;

	do {
		code = fill(ctx, p, number);
		left = left_alone(p, number);
		since = left ? now_ms() : since;
		if (!code && left)
			note(ctx, "%s: lacks segments of %s, which are written back",
			     path, format_size(size, left));
		code = code ?: drain_all(ctx, p);
		if (code)
			break;
		free(why);
		r = pool_try(&p->members, text, &why);
		if (r == -EBUSY)
			usleep(LOOK_MS * 1000);
	} while (r == -EBUSY && !interrupted() && now_ms() - since < PATIENCE_MS);
	free(text);
	if (!code && r == -EBUSY && !interrupted()) {
		free(why);
		return fail(ctx, EXIT_REFUSED, path,
			    "a log that is not active has something on the other SSD alone: make its device, and say this again; see \"ssdup pool status\"");
	}
	if (code == EXIT_INTERRUPTED || (!code && r == -EBUSY)) {
		free(why);
		return fail(ctx, EXIT_INTERRUPTED, path,
			    "interrupted with segments of %s left; say the same again to go on",
			    format_size(size, left_alone(p, number)));
	}
	if (code)
		free(why);
	return code ?: pool_told(ctx, path, r, why);
}

/* What it had must not be taken for the log, and it may be used for something else. */
static void wipe_old(const struct ssdup_ctx *ctx, const struct pool *p, const char *old,
		     const struct dev *new)
{
	struct twin_found twin;
	struct dev dev;
	int fd, r;

	if (!strcmp(old, "-") || look_at(p, old, &twin) < 0 || dev_find_quietly(old, &dev))
		return;
	/* It may be the new one. */
	if (dev.rdev == new->rdev) {
		dev_free(&dev);
		return;
	}
	fd = dev_open(&dev, O_RDWR | O_EXCL);
	r = fd < 0 ? fd : ssd_log_wipe(fd, dev.bytes / SECTOR_BYTES);
	if (r)
		warn(ctx, dev.path, "its log cannot be wiped: %s", strerror(-r));
	if (fd >= 0)
		close(fd);
	dev_free(&dev);
}

int pool_mirror_replace(const struct ssdup_ctx *ctx, struct pool *p, u32 number, const char *old,
			const char *new, bool force)
{
	u64 since = now_ms();
	char took[SIZE_TEXT];
	bool whole = false;
	struct dev dev;
	int fd, r;

	if (!p->members.nr)
		return fail(ctx, EXIT_REFUSED, p->ssd.path,
			    "no device of its logs runs: make them (\"ssdup create\"), and say this again");
	r = dev_find(ctx, new, &dev);
	if (r)
		return r;
	fd = dev_open(&dev, O_RDWR);
	r = fd < 0 ? fail(ctx, EXIT_FAILED, dev.path, "%s", strerror(-fd)) :
	    begin(ctx, p, number, old, &dev, fd, force, &whole);
	if (fd >= 0)
		close(fd);
	if (!r && !whole) {
		/* It may take hours, and others need not wait for that. */
		close(p->lock);
		p->lock = -1;
		catch_signals();
		r = wait_until_whole(ctx, p, number, dev.path);
	}
	if (!r) {
		wipe_old(ctx, p, old, &dev);
		note(ctx, "%s: holds the same as %s now; that took %s", dev.path,
		     p->ssds.dev[number].path,
		     format_time(took, (now_ms() - since + 999) / 1000));
	}
	dev_free(&dev);
	return r;
}
