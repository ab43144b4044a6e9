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

static int complain_sync(const struct ssdup_ctx *ctx, struct state *s, int r)
{
	bool degraded = !state_again(s) && state_degraded(s);

	return fail(ctx, degraded ? EXIT_DEGRADED : EXIT_FAILED, s->name,
		    "cannot write back the page cache: %s; see \"ssdup status %s\" and \"dmesg\"",
		    error_text(-r), s->name);
}

int cmd_sync(struct ssdup_ctx *ctx, int argc, char **argv)
{
	struct state s;
	int opt, r;

	while ((opt = next_option(ctx, argc, argv)) != OPT_END) {
		if (opt == OPT_STOP)
			return ctx->exit;
		ctx->quiet = true;
	}
	catch_signals();
	r = state_operand(ctx, argc, argv, &s);
	if (r)
		return r;
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
