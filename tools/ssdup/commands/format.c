// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup format: an empty log on an SSD.
 */
#include <getopt.h>
#include <string.h>

#include "commands.h"
#include "lib/member.h"
#include "lib/pair.h"

struct args {
	const char		*hdd;
	struct ssd_names	ssds;
	struct give_up		give_up;
	struct log_options	log;
};

static int take_option(struct ssdup_ctx *ctx, struct args *a, int opt)
{
	uint64_t value;

	switch (opt) {
	case OPT_HDD:
		a->hdd = optarg;
		break;
	case OPT_SSD:
		if (!take_ssd(ctx, &a->ssds))
			return ctx->exit;
		break;
	case OPT_MIRROR:
		if (!take_mirror(ctx, &a->ssds))
			return ctx->exit;
		break;
	case OPT_BLOCK:
		if (parse_size(optarg, &value) || value < 512 || value > 4096 ||
		    value & (value - 1))
			return bad_usage(ctx, "--block-size: not 512, 1K, 2K or 4K: %s", optarg);
		a->log.block = value;
		break;
	case OPT_UUID:
		if (!uuid_read(optarg, a->log.uuid))
			return bad_usage(ctx, "--uuid: not a UUID that a log can have: %s", optarg);
		a->log.old_uuid = true;
		break;
	case OPT_NO_DISCARD:
		a->log.no_discard = true;
		break;
	case OPT_VOLATILE:
		a->give_up.memory = true;
		break;
	case OPT_FORCE:
		a->give_up.other = true;
		break;
	case OPT_UNSAVED:
		a->give_up.unsaved = true;
		break;
	case OPT_TAKE_OVER:
		a->give_up.host = true;
		break;
	case 'q':
		ctx->quiet = true;
		break;
	}
	return EXIT_OK;
}

static void say_format(const struct ssdup_ctx *ctx, const struct pair *p)
{
	const struct log_super *s = ssd_super(&p->log);
	bool others = p->ssds.io.nr > 1 || p->ssds.mirrored;
	char uuid[UUID_TEXT], size[SIZE_TEXT];

	note(ctx, "%s%s: an empty log, UUID %s: %u segments of %s, blocks of %u bytes", p->ssd.path,
	     others ? " and others" : "", uuid_text(uuid, s->uuid), s->g.nr_segments,
	     format_size(size, s->g.segment_sectors * SECTOR_BYTES),
	     (unsigned int)(s->g.block_sectors * SECTOR_BYTES));
}

int cmd_format(struct ssdup_ctx *ctx, int argc, char **argv)
{
	struct args a = { };
	struct pair p;
	int opt, r;

	while ((opt = next_option(ctx, argc, argv)) != OPT_END) {
		if (opt == OPT_STOP)
			return ctx->exit;
		r = take_option(ctx, &a, opt);
		if (r)
			return r;
	}
	if (!disk_operands(ctx, argc, argv, &a.hdd, &a.ssds.of[0], false))
		return ctx->exit;
	a.ssds.nr = max(a.ssds.nr, 1U);
	a.ssds.alone = true;
	if (!a.log.old_uuid)
		log_new_uuid(a.log.uuid);
	r = pair_open(ctx, &p, a.hdd, &a.ssds, NULL, true, &a.give_up);
	if (!r)
		r = pair_refuse_hdd(ctx, &p, &a.give_up) ?:
		    pair_refuse_contents(ctx, &p, &a.give_up) ?:
		    member_refuse(ctx, &p.hdd, NULL);
	if (!r)
		r = pair_format(ctx, &p, &a.log);
	if (!r)
		say_format(ctx, &p);
	pair_close(&p);
	return r;
}
