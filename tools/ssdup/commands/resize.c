// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup resize: a device takes the size that its HDD has got, while it is in use.
 *
 * The kernel takes a longer table, and writes the new size into the log's record before the device
 * has it. So a power cut leaves the old size, or the new one.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "lib/dev.h"
#include "lib/wait.h"

#define DRAIN_ROUNDS	10	/* for a log without a guard */

static int refused(const struct ssdup_ctx *ctx, const struct state *s, int r)
{
	char *why = reason_read(s->rdev);

	if (r == -EUCLEAN)
		r = fail(ctx, EXIT_FAILED, s->name,
			 "left suspended: see the kernel log, then \"dmsetup resume %s\"", s->name);
	else
		r = fail(ctx, EXIT_FAILED, s->name, "keeps its size: %s", why ?: error_text(-r));
	free(why);
	return r;
}

static int reload(const struct state *s, uint64_t sectors)
{
	struct dmdev d;
	int r = dmdev_table(s->name, &d);

	if (!r) {
		r = dmdev_reload(s->name, sectors, d.params, s->sectors, d.params);
		dmdev_free(&d);
	}
	return r;
}

/*
 * A log that is empty takes any size, and so does one that guards its HDD. Without a guard what is
 * written between the drain and the reload is refused, and drained once more.
 */
static int drain_and_reload(const struct ssdup_ctx *ctx, struct state *s, uint64_t sectors)
{
	char size[SIZE_TEXT];
	unsigned int i;
	int r = 0;

	catch_signals();
	for (i = 0; i < DRAIN_ROUNDS; i++) {
		r = drain_and_wait(ctx, s, 0);
		if (r == EXIT_INTERRUPTED)
			fail(ctx, r, s->name, "interrupted; the device has its old size");
		if (r)
			return r;
		reason_mark();
		r = reload(s, sectors);
		if (!r || r == -EUCLEAN || state_again(s) || !s->v.extents)
			break;
	}
	if (r)
		return refused(ctx, s, r);
	note(ctx, "%s: now has %s; what is on it has yet to grow", s->name,
	     format_size(size, sectors * SECTOR_BYTES));
	return EXIT_OK;
}

static int resize(const struct ssdup_ctx *ctx, struct state *s)
{
	uint64_t sectors = dev_sectors(s->hdd);
	char size[SIZE_TEXT];

	if (s->suspended)
		return fail(ctx, EXIT_FAILED, s->name, "suspended; \"dmsetup resume %s\" first",
			    s->name);
	if (s->v.mode || s->read_only)
		return fail(ctx, EXIT_REFUSED, s->name, "cannot grow while it is %s",
			    s->v.mode ? mode_words(s->v.mode) : "read-only");
	if (!sectors)
		return fail(ctx, EXIT_FAILED, s->name, "its HDD is gone");
	if (sectors > s->sectors)
		return drain_and_reload(ctx, s, sectors);
	if (sectors == s->sectors) {
		note(ctx, "%s: has the size of its HDD", s->name);
		return EXIT_OK;
	}
	return fail(ctx, EXIT_REFUSED, s->name,
		    "its HDD has %s less than the device, which cannot shrink: give the HDD its old size back",
		    format_size(size, (s->sectors - sectors) * SECTOR_BYTES));
}

int cmd_resize(struct ssdup_ctx *ctx, int argc, char **argv)
{
	struct state s;
	int opt, r;

	while ((opt = next_option(ctx, argc, argv)) != OPT_END) {
		if (opt == OPT_STOP)
			return ctx->exit;
		ctx->quiet = true;
	}
	r = state_operand(ctx, argc, argv, &s);
	if (r)
		return r;
	r = resize(ctx, &s);
	state_free(&s);
	return r;
}
