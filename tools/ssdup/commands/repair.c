// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup repair: make a damaged log one that the kernel accepts, and say what is lost.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "offline/offline.h"

struct args {
	const char	*hdd;
	const char	*ssd;
	const char	*log;
	int		copy;
	bool		dry_run;
	bool		yes;
	bool		take_over;
	bool		scan;
	const char	*uuid;		/* of the log to be found */
	bool		unsure;		/* what was found is older than what is gone */
};

static int other_hdd(const struct log_file *l, const struct args *a)
{
	return fail(l->ctx, EXIT_REFUSED, a->hdd,
		    "not the HDD of the log on %s: nothing was written", l->ssd.path);
}

/* --- The log has lost its homes --- */

static int several_logs(const struct log_file *l)
{
	return fail(l->ctx, EXIT_REFUSED, l->ssd.path, "%s", fault_text(FAULT_SUPER_LOGS));
}

/* Whoever has one is not to be found by headers, which say less. */
static int refuse_homes(const struct log_file *l)
{
	const struct ssd_copies *super = &l->log.part[PART_SUPER];
	const char *path = l->ssd.path;
	struct log_file again;
	enum log_fault fault;
	bool known;
	u32 i;

	if (l->known)
		return fail(l->ctx, EXIT_REFUSED, path,
			    "has superblock and record: repair it without --scan");
	/* What --scan writes has one log. */
	for (i = 0; i < SSDUP_COPIES; i++)
		if (super->copy_fault[i] == LOG_OK && super->copy[i].logs != LOG_FIRST)
			return several_logs(l);
	for (i = 0; i < SSDUP_COPIES; i++) {
		fault = super->copy_fault[i];
		if (fault == LOG_UNKNOWN_VERSION || fault == LOG_UNKNOWN_INCOMPAT ||
		    fault == LOG_UNKNOWN_RO_COMPAT)
			return fail(l->ctx, EXIT_REFUSED, path, "%s: another ssdup is needed",
				    ssdup_log_fault_text(fault));
		if (log_open(l->ctx, &again, path, NULL, DISK_PROBE, i) != EXIT_OK)
			continue;
		known = again.known;
		log_close(&again);
		if (known)
			return fail(l->ctx, EXIT_REFUSED, path,
				    "copy %u looks well: repair it with --copy %u", i, i);
	}
	return EXIT_OK;
}

static void say_found(const struct log_file *l, const struct found_log *x)
{
	char uuid[UUID_TEXT], size[SIZE_TEXT], hdd[IDENTITY_TEXT];

	printf("%s: log %s of %u segments of %s, %u of them opened, epoch %llu\n", l->ssd.path,
	       uuid_text(uuid, x->s.uuid), x->s.g.nr_segments,
	       format_size(size, x->s.g.segment_sectors * SECTOR_BYTES), x->segments, x->s.epoch);
	printf("%s: made for the HDD %s, of %llu sectors\n", l->ssd.path,
	       identity_text(hdd, x->s.hdd_id), x->s.hdd_sectors);
}

static int choose(const struct log_file *l, const struct found_logs *logs, const u8 *uuid,
		  struct found_log **chosen)
{
	struct found_log *x;

	*chosen = NULL;
	if (logs->several)
		return several_logs(l);
	for (x = logs->all; x < logs->all + logs->nr; x++) {
		say_found(l, x);
		if (!uuid || !memcmp(x->s.uuid, uuid, sizeof(x->s.uuid)))
			*chosen = x;
	}
	if (!*chosen)
		return fail(l->ctx, EXIT_NOT_FOUND, l->ssd.path,
			    "no segment has a header of %s log", uuid ? "that" : "a");
	if (!uuid && logs->nr > 1)
		return fail(l->ctx, EXIT_REFUSED, l->ssd.path,
			    "%zu logs were here: say with --uuid which one it is", logs->nr);
	return EXIT_OK;
}

static int refuse_found(struct log_file *l, const struct found_log *x, const struct args *a)
{
	char *what;
	int r;

	l->known = true;
	l->s = x->s;
	r = refuse_elsewhere(l);
	if (r)
		return r;
	if (a->hdd &&
	    (l->hdd_sectors != x->s.hdd_sectors || identity_other(x->s.hdd_id, l->hdd_id)))
		return other_hdd(l, a);
	if (!x->recorded)
		warn(l->ctx, l->ssd.path,
		     "the record is gone: what was drained after segment %u was opened, the last one, counts as not drained, and hides what was written to the HDD since then; nor is it known which machine has the log",
		     x->last.segment);
	what = dev_signature(&l->ssd.dev);
	if (what)
		warn(l->ctx, l->ssd.path, "holds %s, which will be overwritten", what);
	free(what);
	if (a->dry_run)
		return EXIT_OK;
	if (!a->yes && !confirmed())
		return fail(l->ctx, EXIT_REFUSED, l->ssd.path, "left as it was");
	return EXIT_OK;
}

/* What has taken their places is not to be found there any more. */
static int write_homes(const struct log_file *l, struct log_super *s)
{
	int r;

	s->seq++;
	r = ssdup_log_super_spent(s) ? -ERANGE :
	    ssd_home_tidy(l->ssd.fd, s->ssd_sectors, 0) ?:
	    ssd_home_tidy(l->ssd.fd, s->ssd_sectors, 1) ?: ssd_log_write(l->ssd.fd, s);
	return r ? fail(l->ctx, EXIT_LOST, l->ssd.path, "cannot be written: %s", strerror(-r)) :
		   EXIT_OK;
}

/* Return: EXIT_OK with superblock and record written, or an exit code */
static int scan(struct log_file *l, struct args *a)
{
	u8 bytes[sizeof(l->s.uuid)], *uuid = a->uuid ? bytes : NULL;
	struct found_logs logs;
	struct found_log *x;
	int r;

	if (uuid && !uuid_read(a->uuid, uuid))
		return fail(l->ctx, EXIT_USAGE, a->uuid, "--uuid: not a UUID that a log can have");
	r = refuse_homes(l);
	if (r)
		return r;
	find_logs(l, &logs);
	r = choose(l, &logs, uuid, &x) ?: refuse_found(l, x, a);
	if (!r && a->dry_run)
		r = x->recorded ? EXIT_FAULTS : EXIT_DEGRADED;
	if (!r) {
		a->unsure = !x->recorded;
		r = write_homes(l, &x->s);
	}
	free(logs.all);
	return r;
}

/* --- The log has faults --- */

/* Not what repair mends: the disks do not fit, or two entries claim one place. */
static int nothing_to_do(struct log_file *l)
{
	int code = findings_exit(&l->findings);

	if (code == EXIT_OK)
		printf("%s: nothing to repair\n", l->ssd.path);
	else
		fail(l->ctx, code, l->ssd.path, "nothing of this can be repaired");
	return code;
}

static int outcome(struct log_file *l, const char *path, bool lost)
{
	struct log_file again;
	int r, verdict;

	r = log_open(l->ctx, &again, path, l->name, DISK_READ, NO_COPY);
	if (r != EXIT_OK)
		return r;
	again.host = l->host;
	verdict = check_log(&again, false, false);
	log_close(&again);
	if (verdict != LOG_OK)
		return fail(l->ctx, EXIT_LOST, path, "still refused: %s",
			    verdict < 0 ? "it cannot be read" : ssdup_log_fault_text(verdict));
	printf("%s: repaired%s\n", path, lost ? ", and something is lost: see above" : "");
	return lost ? EXIT_DEGRADED : EXIT_OK;
}

static int apply(struct log_file *l, struct plan *plan, const struct args *a)
{
	bool lost = l->findings.of[SEV_LOST];
	size_t i;
	int r;

	for (i = 0; i < l->findings.nr; i++)
		finding_print(stdout, &l->findings.all[i]);
	if (identity_other(l->s.hdd_id, l->hdd_id))
		return other_hdd(l, a);
	r = refuse_elsewhere(l);
	if (r)
		return r;
	if (!plan->nr)
		return nothing_to_do(l);
	plan_print(stdout, plan);
	if (a->dry_run)
		return lost ? EXIT_DEGRADED : EXIT_FAULTS;
	if (!a->yes && !confirmed())
		return fail(l->ctx, EXIT_REFUSED, l->ssd.path, "left as it was");
	r = plan_apply(plan);
	if (r)
		return fail(l->ctx, EXIT_LOST, l->ssd.path, "cannot be written: %s", strerror(-r));
	return outcome(l, l->ssd.path, lost);
}

static int repair(struct log_file *l, struct args *a)
{
	struct plan plan = { };
	int r = plan_make(l, &plan);

	if (r == EXIT_OK)
		r = apply(l, &plan, a);
	plan_free(&plan);
	return r;
}

/* --- The command --- */

static int with_log(struct ssdup_ctx *ctx, struct args *a,
		    int (*fn)(struct log_file *l, struct args *a))
{
	struct log_file l;
	int r = log_open(ctx, &l, a->ssd, a->log, a->dry_run ? DISK_READ : DISK_WRITE, a->copy);

	if (r != EXIT_OK)
		return r;
	if (a->take_over)
		l.host = NULL;
	if (a->hdd)
		r = log_given(&l, a->hdd);
	if (r == EXIT_OK)
		r = fn(&l, a);
	log_close(&l);
	return r;
}

int cmd_repair(struct ssdup_ctx *ctx, int argc, char **argv)
{
	struct args a = { .copy = NO_COPY };
	int opt, r = EXIT_OK;

	while ((opt = next_option(ctx, argc, argv))) {
		if (opt == OPT_STOP)
			return ctx->exit;
		if (opt == OPT_LOG && !parse_log_name(ctx, &a.log))
			return ctx->exit;
		if (opt == OPT_COPY && !parse_copy(ctx, &a.copy))
			return ctx->exit;
		if (opt == OPT_HDD)
			a.hdd = optarg;
		if (opt == OPT_SSD)
			a.ssd = optarg;
		a.dry_run |= opt == 'n';
		a.yes |= opt == 'y';
		a.take_over |= opt == OPT_TAKE_OVER;
		a.scan |= opt == OPT_SCAN;
		if (opt == OPT_UUID)
			a.uuid = optarg;
	}
	if (!operands(ctx, argc, argv, !a.ssd, !a.ssd))
		return ctx->exit;
	if (a.uuid && !a.scan)
		return bad_usage(ctx, "--uuid goes with --scan");
	if (a.log && a.scan)
		return bad_usage(ctx, "--log is for a log with a superblock: not with --scan");
	if (a.scan && a.copy != NO_COPY)
		return bad_usage(ctx, "--scan is for a log without any copy: not with --copy");
	a.ssd = a.ssd ?: argv[optind];
	if (a.scan)
		r = with_log(ctx, &a, scan);
	r = r ?: with_log(ctx, &a, repair);
	return r == EXIT_OK && a.unsure ? EXIT_DEGRADED : r;
}
