// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup drain: write back what the log holds, and wait.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "lib/wait.h"

static int drain(const struct ssdup_ctx *ctx, struct state *s, uint64_t below)
{
	uint64_t begin = now_ms(), bytes = state_dirty_bytes(s);
	char size[SIZE_TEXT], time[SIZE_TEXT];
	int r;

	catch_signals();
	r = drain_and_wait(ctx, s, below);
	if (r == EXIT_INTERRUPTED)
		return fail(ctx, r, s->name, "interrupted with %s left; it goes on without us",
			    format_size(size, state_dirty_bytes(s)));
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

	while ((opt = next_option(ctx, argc, argv)) != OPT_END) {
		if (opt == OPT_STOP)
			return ctx->exit;
		if (opt == 'q')
			ctx->quiet = true;
		else if (parse_size(optarg, &below))
			return bad_usage(ctx, "--wait-below: not a size: %s", optarg);
	}
	r = state_operand(ctx, argc, argv, &s);
	if (r)
		return r;
	r = drain(ctx, &s, below);
	state_free(&s);
	return r;
}
