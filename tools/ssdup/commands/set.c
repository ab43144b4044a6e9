// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup set: change keys of a device that runs.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "lib/keys.h"
#include "lib/state.h"

static int set_key(const struct ssdup_ctx *ctx, const struct state *s, const char *word)
{
	const char *equals = strchr(word, '=');
	char *message, *reason;
	int r;

	message = xprintf("set %.*s %s", (int)(equals - word), word, equals + 1);
	reason_mark();
	r = dmdev_message(s->name, message);
	free(message);
	if (!r)
		return EXIT_OK;
	reason = reason_read(s->rdev);
	if (r == -EBUSY && s->suspended)
		r = fail(ctx, EXIT_FAILED, s->name, "suspended; \"dmsetup resume %s\" first",
			 s->name);
	else
		r = fail(ctx, r == -EINVAL ? EXIT_USAGE : EXIT_FAILED, word, "%s",
			 reason ?: error_text(-r));
	free(reason);
	return r;
}

int cmd_set(struct ssdup_ctx *ctx, int argc, char **argv)
{
	char *fault, *key;
	struct state s;
	int i, r;

	if (next_option(ctx, argc, argv) == OPT_STOP ||
	    !operands(ctx, argc, argv, 2, -1))
		return ctx->exit;
	for (i = optind + 1; i < argc; i++) {
		const char *equals = strchr(argv[i], '=');

		if (!equals || equals == argv[i] || !equals[1] ||
		    argv[i][strcspn(argv[i], " \t\n\\")])
			return bad_usage(ctx, "not KEY=VALUE: %s", argv[i]);
		key = xprintf("%.*s", (int)(equals - argv[i]), argv[i]);
		fault = key_fault_running(key, equals + 1);
		free(key);
		if (fault)
			return bad_usage(ctx, "%s", fault);
	}
	r = state_read(argv[optind], &s);
	if (r)
		return state_complain(ctx, argv[optind], r);
	for (i = optind + 1; i < argc && !r; i++)
		r = set_key(ctx, &s, argv[i]);
	state_free(&s);
	return r;
}
