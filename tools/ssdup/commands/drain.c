// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup drain, ssdup sync: everything to the HDD, and waiting for that.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "lib/wait.h"

/* --- drain --- */

enum { OPT_BELOW = 256 };

static const struct option_spec drain_options[] = {
	{ OPT_BELOW, "wait-below", "SIZE", "return as soon as no more than SIZE is dirty" },
	{ 'q', "quiet", NULL, "no progress bar, and nothing said when all is well" },
	{ }
};

static const struct usage drain_usage = {
	.synopsis = "NAME [--wait-below SIZE] [--quiet]",
	.about = "Write back what the log holds, and wait until it is on the HDD.",
	.options = drain_options,
	.more = "^C ends the wait (exit code 7); the drain itself goes on.\n"
		"SIZE is dirty data as \"ssdup status\" shows it, like 512M or 10GiB; it goes down by\n"
		"a half of the log at a time.",
};

static int drain(const struct ssdup_ctx *ctx, struct state *s, uint64_t below)
{
	uint64_t begin = now_ms(), bytes = state_bytes_left(s);
	char size[SIZE_TEXT], time[SIZE_TEXT];
	int r;

	catch_signals();
	r = drain_and_wait(ctx, s, below);
	if (r == EXIT_INTERRUPTED)
		return fail(ctx, r, s->name, "interrupted with %s left; it goes on without us",
			    format_size(size, state_bytes_left(s)));
	if (r)
		return r;
	format_time(time, (now_ms() - begin + 999) / 1000);
	if (below)
		note(ctx, "%s: no more than %s left", s->name,
		     format_size(size, s->v.dirty_sectors * SECTOR_BYTES));
	else
		note(ctx, "%s: %s written back in %s; all that was written before is on the HDD",
		     s->name, format_size(size, bytes), time);
	return r;
}

int cmd_drain(struct ssdup_ctx *ctx, int argc, char **argv)
{
	uint64_t below = 0;
	struct state s;
	int opt, r;

	while ((opt = next_option(ctx, &drain_usage, argc, argv)) != OPT_END) {
		if (opt == OPT_STOP)
			return ctx->exit;
		if (opt == 'q')
			ctx->quiet = true;
		else if (parse_size(optarg, &below))
			return bad_usage(ctx, "--wait-below: not a size: %s", optarg);
	}
	if (!operands(ctx, argc, argv, 1, 1))
		return ctx->exit;
	r = state_read(argv[optind], &s);
	if (r)
		return state_complain(ctx, argv[optind], r);
	r = drain(ctx, &s, below);
	state_free(&s);
	return r;
}

/* --- sync --- */

static const struct option_spec sync_options[] = {
	{ 'q', "quiet", NULL, "no progress bar" },
	{ }
};

static const struct usage sync_usage = {
	.synopsis = "NAME [--quiet]",
	.about = "Return when everything written so far is on the HDD, that is: written back\n"
		 "from the page cache, from the log, and the HDD's cache flushed.",
	.options = sync_options,
	.more = "The exit code is the answer: 0, it is there; anything else, it is not. With 8 a\n"
		"disk has failed, and \"ssdup status\" says more. Nothing is printed when all is well,\n"
		"but for a bar on a terminal.",
};

static int complain_sync(const struct ssdup_ctx *ctx, struct state *s, int r)
{
	bool degraded = !state_again(s) && state_degraded(s);

	return fail(ctx, degraded ? EXIT_DEGRADED : EXIT_FAILED, s->name,
		    "cannot write back the page cache: %s; see \"ssdup status %s\" and \"dmesg\"",
		    strerror(-r), s->name);
}

int cmd_sync(struct ssdup_ctx *ctx, int argc, char **argv)
{
	struct state s;
	int opt, r;

	while ((opt = next_option(ctx, &sync_usage, argc, argv)) != OPT_END) {
		if (opt == OPT_STOP)
			return ctx->exit;
		ctx->quiet = true;
	}
	if (!operands(ctx, argc, argv, 1, 1))
		return ctx->exit;
	catch_signals();
	r = state_read(argv[optind], &s);
	if (r)
		return state_complain(ctx, argv[optind], r);
	/* Nothing is written to a device that is suspended, and we would wait for it. */
	r = s.suspended ? -EBUSY : sync_device(&s);
	if (r == -EBUSY)
		r = fail(ctx, EXIT_FAILED, s.name, "the device is suspended; resume it first");
	else if (r)
		r = complain_sync(ctx, &s, r);
	else
		r = drain_and_wait(ctx, &s, 0);
	if (r == EXIT_INTERRUPTED)
		fail(ctx, r, s.name, "interrupted: not all of it is on the HDD yet");
	state_free(&s);
	return r;
}
