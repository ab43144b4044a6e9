// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup list: all devices, one a line.
 */
#include <getopt.h>

#include "commands.h"
#include "lib/list.h"
#include "lib/state.h"

int cmd_list(struct ssdup_ctx *ctx, int argc, char **argv)
{
	const char *columns = NULL;
	bool json = false;
	char **names;
	int opt, r;

	while ((opt = next_option(ctx, argc, argv)) != OPT_END) {
		if (opt == OPT_STOP)
			return ctx->exit;
		if (opt == 'o')
			columns = optarg;
		else
			json = true;
	}
	if (optind < argc)
		return list_devices(ctx, argv + optind, columns, json);
	r = all_names(ctx, &names);
	if (r)
		return r;
	r = list_devices(ctx, names, columns, json);
	names_free(names);
	return r;
}
