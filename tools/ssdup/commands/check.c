// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup check: what is wrong with a log. Nothing is written.
 */
#include <getopt.h>

#include "commands.h"
#include "offline/offline.h"

struct args {
	const char	*hdd;
	struct ssd_names ssds;
	const char	*log;
	int		copy;
	bool		json;
	bool		full;
	bool		data;
};

/* --- Saying it --- */

static const char *verdict_text(int verdict)
{
	return verdict < 0 ? "it cannot be read" : ssdup_log_fault_text(verdict);
}

static void say_findings(struct log_file *l, int verdict)
{
	const struct findings *all = &l->findings;
	char uuid[UUID_TEXT], size[SIZE_TEXT], hdd[IDENTITY_TEXT];
	size_t i;

	if (l->known && !l->ctx->quiet) {
		printf("%s: log %s of %u segments, %s\n", l->ssd.path, uuid_text(uuid, l->s.uuid),
		       l->s.g.nr_segments, super_end_text(&l->s));
		printf("%s: %u extents, %s to write back to an HDD of %llu sectors\n", l->ssd.path,
		       l->map.nr, format_size(size, l->map.sectors * SECTOR_BYTES),
		       l->s.hdd_sectors);
		printf("%s: made for the HDD %s\n", l->ssd.path,
		       identity_text(hdd, l->s.hdd_id));
	}
	for (i = 0; i < all->nr; i++)
		finding_print(stdout, &all->all[i]);
	if (all->more)
		printf("... and %zu more\n", all->more);
	if (!l->known || l->ctx->quiet)
		return;
	if (verdict == LOG_OK)
		printf("%s: dm-ssdup accepts it\n", l->ssd.path);
	else
		printf("%s: dm-ssdup refuses it: %s\n", l->ssd.path, verdict_text(verdict));
}

static void say_json(struct log_file *l, int verdict, int code)
{
	struct json j = { .to = stdout };
	char uuid[UUID_TEXT], hdd[IDENTITY_TEXT];
	size_t i;

	json_begin(&j, NULL, '{');
	json_text(&j, "ssd", l->ssd.path);
	json_number(&j, "exit", code);
	json_bool(&j, "accepted", l->known && verdict == LOG_OK);
	if (l->known) {
		json_text(&j, "uuid", uuid_text(uuid, l->s.uuid));
		json_bool(&j, "clean", l->s.flags & SSDUP_RECORD_CLOSED);
		json_number(&j, "hdd_sectors", l->s.hdd_sectors);
		json_text(&j, "hdd_id", identity_known(l->s.hdd_id) ?
			  identity_text(hdd, l->s.hdd_id) : NULL);
		json_number(&j, "extents", l->map.nr);
		json_number(&j, "dirty_sectors", l->map.sectors);
	}
	for (i = 0; i < NR_SEVERITIES; i++)
		json_number(&j, severity_name(i), l->findings.of[i]);
	json_begin(&j, "faults", '[');
	for (i = 0; i < l->findings.nr; i++)
		finding_json(&j, &l->findings.all[i]);
	json_end(&j, ']');
	json_end(&j, '}');
}

/* --- The command --- */

static int check(struct log_file *l, const struct args *a)
{
	int verdict, code;

	verdict = check_log(l, a->full, a->data);
	code = findings_exit(&l->findings);
	if (!l->known)
		code = no_log(l);
	else if (verdict != LOG_OK && code == EXIT_OK)
		code = EXIT_LOST;
	if (a->json)
		say_json(l, verdict, code);
	else
		say_findings(l, verdict);
	return code;
}

int cmd_check(struct ssdup_ctx *ctx, int argc, char **argv)
{
	struct args a = { .copy = NO_COPY };
	char *apart[SSDUP_TWINS];
	struct log_file l;
	int opt, r;

	while ((opt = next_option(ctx, argc, argv))) {
		if (opt == OPT_STOP)
			return ctx->exit;
		a.json |= opt == OPT_JSON;
		a.full |= opt == OPT_FULL;
		a.data |= opt == OPT_DATA;
		ctx->quiet |= opt == 'q';
		if (opt == OPT_HDD)
			a.hdd = optarg;
		if (opt == OPT_SSD && !take_ssd(ctx, &a.ssds))
			return ctx->exit;
		a.ssds.lost |= opt == OPT_LOST_SSD;
		if (opt == OPT_LOG && !parse_log_name(ctx, &a.log))
			return ctx->exit;
		if (opt == OPT_COPY && !parse_copy(ctx, &a.copy))
			return ctx->exit;
	}
	if (!disk_operands(ctx, argc, argv, &a.hdd, &a.ssds.of[0], true))
		return ctx->exit;
	a.ssds.nr = max(a.ssds.nr, 1U);
	if (!a.json && ssd_set_apart(&a.ssds, apart)) {
		r = check_apart(ctx, apart, a.log ?: spec_uuid(a.ssds.of[0]));
		free(apart[0]);
		free(apart[1]);
		return r;
	}
	r = log_open(ctx, &l, &a.ssds, a.log, DISK_READ, a.copy);
	if (r != EXIT_OK)
		return r;
	if (a.hdd)
		r = log_given(&l, a.hdd);
	if (r == EXIT_OK)
		r = check(&l, &a);
	log_close(&l);
	return r;
}
