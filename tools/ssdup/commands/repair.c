// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup repair: make a damaged log one that the kernel accepts, and say what is lost.
 */
#include <getopt.h>
#include <stdio.h>

#include "commands.h"
#include "offline/offline.h"

struct args {
	const char	*hdd;
	const char	*ssd;
	int		copy;
	bool		dry_run;
	bool		yes;
	bool		take_over;
};

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

	r = log_open(l->ctx, &again, path, DISK_READ, NO_COPY);
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

static int repair(struct log_file *l, struct plan *plan, const struct args *a)
{
	bool lost = l->findings.of[SEV_LOST];
	size_t i;
	int r;

	for (i = 0; i < l->findings.nr; i++)
		finding_print(stdout, &l->findings.all[i]);
	if (identity_other(l->s.hdd_id, l->hdd_id))
		return fail(l->ctx, EXIT_REFUSED, a->hdd,
			    "not the HDD of the log on %s: nothing was written", l->ssd.path);
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

int cmd_repair(struct ssdup_ctx *ctx, int argc, char **argv)
{
	struct args a = { .copy = NO_COPY };
	struct log_file l;
	struct plan plan;
	int opt, r;

	while ((opt = next_option(ctx, argc, argv))) {
		if (opt == OPT_STOP)
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
	}
	if (!operands(ctx, argc, argv, !a.ssd, !a.ssd))
		return ctx->exit;
	r = log_open(ctx, &l, a.ssd ?: argv[optind], a.dry_run ? DISK_READ : DISK_WRITE, a.copy);
	if (r != EXIT_OK)
		return r;
	memset(&plan, 0, sizeof(plan));
	if (a.take_over)
		l.host = NULL;
	if (a.hdd)
		r = log_given(&l, a.hdd);
	r = r ?: plan_make(&l, &plan);
	if (r == EXIT_OK)
		r = repair(&l, &plan, &a);
	plan_free(&plan);
	log_close(&l);
	return r;
}
