// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup remove: take a device away; its log stays.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "lib/dev.h"
#include "lib/ssds.h"
#include "lib/state.h"

/* Its users get errors instead of waiting for disks that do not answer. */
static int cut_off(const struct ssdup_ctx *ctx, const struct state *s)
{
	int r;

	r = dmdev_load(s->name, s->sectors, "error", "") ?: dmdev_suspend(s->name, true, true) ?:
	    dmdev_resume(s->name);
	if (r)
		return fail(ctx, EXIT_FAILED, s->name, "its table cannot be replaced: %s",
			    error_text(-r));
	r = dmdev_remove_later(s->name);
	if (r)
		return fail(ctx, EXIT_FAILED, s->name, "%s", error_text(-r));
	return EXIT_OK;
}

static int remove_busy(const struct ssdup_ctx *ctx, const struct state *s)
{
	struct dev dev = { .path = xprintf("/dev/mapper/%s", s->name), .rdev = s->rdev };
	int r;

	/* Says by whom. */
	r = dev_refuse_used(ctx, &dev, "--force") ?:
	    fail(ctx, EXIT_REFUSED, s->name, "in use; close what has it open, or --force");
	dev_free(&dev);
	return r;
}

/* The log as the removal has left it. */
static bool log_is_empty(const struct ssdup_ctx *ctx, const struct state *s)
{
	char number[DEV_NUMBER];
	const struct ssd_names names = { .of = { dev_number(number, s->ssd) }, .nr = 1 };
	struct ssd_set ssds;
	struct ssd_log log;
	bool empty;

	/* Nobody has asked for a disk that is gone. */
	if (!ssds_there(names.of[0]))
		return false;
	empty = !ssd_set_find(ctx, &ssds, &names) && !ssd_set_open(ctx, &ssds, O_RDONLY) &&
		!ssd_log_read(&ssds.io, &log, s->log_uuid) && log.fault == LOG_OK &&
		!ssd_log_used(&ssds.io, ssd_super(&log));
	ssd_set_close(&ssds);
	return empty;
}

static void say_removed(const struct ssdup_ctx *ctx, const struct state *s)
{
	char size[SIZE_TEXT];
	struct dmdev d;

	if (!dmdev_status(s->name, &d)) {
		note(ctx, "%s: cut off from its disks; it is removed when nobody uses it any more",
		     s->name);
		dmdev_free(&d);
	} else if (s->v.dirty_sectors && !log_is_empty(ctx, s)) {
		note(ctx, "%s: removed; its log holds up to %s that the HDD lacks", s->name,
		     format_size(size, s->v.dirty_sectors * SECTOR_BYTES));
	} else {
		note(ctx, "%s: removed; all of it is on the HDD", s->name);
	}
}

int cmd_remove(struct ssdup_ctx *ctx, int argc, char **argv)
{
	bool force = false;
	struct state s;
	int opt, r;

	while ((opt = next_option(ctx, argc, argv)) != OPT_END) {
		if (opt == OPT_STOP)
			return ctx->exit;
		if (opt == OPT_FORCE)
			force = true;
		else
			ctx->quiet = true;
	}
	r = state_operand(ctx, argc, argv, &s);
	if (r)
		return r;
	r = dmdev_remove(s.name);
	if (r == -EBUSY)
		r = force ? cut_off(ctx, &s) : remove_busy(ctx, &s);
	else if (r)
		r = fail(ctx, EXIT_FAILED, s.name, "cannot be removed: %s", error_text(-r));
	if (!r)
		say_removed(ctx, &s);
	state_free(&s);
	return r;
}
