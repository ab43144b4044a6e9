// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup dump: print what stands on an SSD, see offline/dump.c.
 */
#include <getopt.h>
#include <string.h>

#include "commands.h"
#include "offline/offline.h"

static int take_part(struct ssdup_ctx *ctx, const char *name, unsigned int *parts)
{
	if (!strcmp(name, "superblock"))
		*parts |= DUMP_SUPER;
	else if (!strcmp(name, "headers"))
		*parts |= DUMP_HEADERS;
	else if (!strcmp(name, "pages"))
		*parts |= DUMP_PAGES;
	else if (!strcmp(name, "extents"))
		*parts |= DUMP_EXTENTS;
	else
		return bad_usage(ctx, "neither superblock, headers, pages nor extents: %s", name);
	return EXIT_OK;
}

int cmd_dump(struct ssdup_ctx *ctx, int argc, char **argv)
{
	unsigned int parts = 0, more = 0;
	struct ssd_names ssds = { };
	const char *log = NULL;
	bool json = false;
	int opt, i, r, copy = NO_COPY;
	struct log_file l;

	while ((opt = next_option(ctx, argc, argv))) {
		if (opt == OPT_STOP)
			return ctx->exit;
		ssds.lost |= opt == OPT_LOST_SSD;
		if (opt == OPT_LOG && !parse_log_name(ctx, &log))
			return ctx->exit;
		if (opt == OPT_COPY && !parse_copy(ctx, &copy))
			return ctx->exit;
		if (opt == OPT_SSD && !take_ssd(ctx, &ssds))
			return ctx->exit;
		json |= opt == OPT_JSON;
		if (opt == OPT_ENTRIES)
			more |= DUMP_ENTRIES | DUMP_PAGES;
		if (opt == OPT_FULL)
			more |= DUMP_FULL;
	}
	if (!operands(ctx, argc, argv, !ssds.nr, 4 + !ssds.nr))
		return ctx->exit;
	if (!ssds.nr)
		ssd_names_add(&ssds, argv[optind++]);
	for (i = optind; i < argc; i++) {
		r = take_part(ctx, argv[i], &parts);
		if (r != EXIT_OK)
			return r;
	}
	r = log_open(ctx, &l, &ssds, log, DISK_READ, copy);
	if (r != EXIT_OK)
		return r;
	dump_log(&l, stdout, (parts ? parts : DUMP_ALL) | more, json);
	if (!l.known)
		r = no_log(&l);
	log_close(&l);
	return r;
}
