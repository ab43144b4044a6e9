// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup sync: wait until what was written is on the HDD.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "lib/wait.h"

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
