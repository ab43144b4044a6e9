// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup repair: make a damaged log one that the kernel accepts, and say what is lost.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "lib/pool.h"
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
	const char	*uuid[SSDUP_MAX_LOGS];	/* of logs to be found */
	unsigned int	nr_uuids;
	bool		unsure;		/* what was found is older than what is gone */
	u64		found;		/* numbers of the logs that were, a bit each */
	struct log_super *named;	/* a superblock that is left, or NULL */
	u64		damaged;	/* logs that it names, and whose records are gone */
};

static int other_hdd(const struct log_file *l, const struct args *a)
{
	return fail(l->ctx, EXIT_REFUSED, a->hdd,
		    "not the HDD of the log on %s: nothing was written", l->ssd.path);
}

/* --- The log has lost its homes --- */

static int add_damaged(void *arg, const struct ssd_log *log)
{
	if (log->part[PART_RECORD].fault != LOG_OK)
		*(u64 *)arg |= BIT_ULL(log->number);
	return 0;
}

/* Logs that a superblock names, and whose records are gone. */
static u64 damaged(const struct log_file *l, const struct log_super *s)
{
	u64 which = 0;

	ssd_each_log(&l->ssds, &l->log, s, add_damaged, &which);
	return which;
}

/* Whoever has one is not to be found by headers, which say less. */
static int refuse_homes(const struct log_file *l, struct args *a)
{
	const struct ssd_copies *super = &l->log.part[PART_SUPER];
	const char *path = l->ssd.path;
	const struct ssd_names ssds = { .of = { path }, .nr = 1 };
	struct log_file again;
	enum log_fault fault;
	bool known;
	u32 i;

	if (l->from[PART_SUPER] != NO_COPY) {
		a->named = xalloc(sizeof(*a->named));
		*a->named = super->copy[l->from[PART_SUPER]];
		a->damaged = damaged(l, a->named);
		if (!a->damaged)
			return fail(l->ctx, EXIT_REFUSED, path,
				    "has superblock and record: repair it without --scan");
	}
	for (i = 0; i < SSDUP_COPIES; i++) {
		fault = super->copy_fault[i];
		if (fault == LOG_UNKNOWN_VERSION || fault == LOG_UNKNOWN_INCOMPAT ||
		    fault == LOG_UNKNOWN_RO_COMPAT)
			return fail(l->ctx, EXIT_REFUSED, path, "%s: another ssdup is needed",
				    ssdup_log_fault_text(fault));
		if (log_open(l->ctx, &again, &ssds, NULL, DISK_PROBE, i) != EXIT_OK)
			continue;
		known = again.known ||
			(!a->named && again.from[PART_SUPER] != NO_COPY &&
			 damaged(l, &super->copy[i]) != super->copy[i].logs);
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

static bool is_asked(const struct found_log *x, const struct args *a)
{
	unsigned int i;
	u8 uuid[16];

	for (i = 0; i < a->nr_uuids; i++)
		if (uuid_read(a->uuid[i], uuid) && !memcmp(x->s.uuid, uuid, sizeof(uuid)))
			return true;
	return false;
}

static bool same_pool(const struct found_log *x, const struct found_log *y)
{
	return !memcmp(x->s.pool, y->s.pool, sizeof(x->s.pool));
}

/* Logs that were on the SSD at one time: with those that are asked for, or the only ones. */
static int choose_pool(const struct log_file *l, const struct found_logs *logs,
		       const struct args *a, const struct found_log **of)
{
	const struct found_log *x, *any = logs->all;
	unsigned int asked = 0;

	for (x = logs->all; x < logs->all + logs->nr; x++) {
		say_found(l, x);
		if (!is_asked(x, a))
			continue;
		if (asked++ && !same_pool(x, any))
			return fail(l->ctx, EXIT_REFUSED, l->ssd.path,
				    "these logs were not there at the same time");
		any = x;
	}
	if (!logs->nr || asked < a->nr_uuids)
		return fail(l->ctx, EXIT_NOT_FOUND, l->ssd.path,
			    "no segment has a header of %s log", a->nr_uuids ? "that" : "a");
	for (x = logs->all; x < logs->all + logs->nr && !asked; x++)
		if (!same_pool(x, any))
			return fail(l->ctx, EXIT_REFUSED, l->ssd.path,
				    "%zu logs were here, not at one time: say with --uuid which it is",
				    logs->nr);
	*of = any;
	return EXIT_OK;
}

/* Of two with one number the first was forgotten, and its record written over. */
static unsigned int rank(const struct found_log *x, const struct args *a)
{
	return is_asked(x, a) ? 2 : x->recorded;
}

/* The log that has had a number; NULL: none, or *@twice */
static struct found_log *choose_number(const struct found_logs *logs, const struct found_log *of,
				       u32 number, const struct args *a, bool *twice)
{
	struct found_log *x, *best = NULL;

	*twice = false;
	for (x = logs->all; x < logs->all + logs->nr; x++) {
		if (x->s.log != number || !same_pool(x, of))
			continue;
		if (best && rank(x, a) <= rank(best, a)) {
			*twice |= rank(x, a) == rank(best, a);
			continue;
		}
		best = x;
		*twice = false;
	}
	return best;
}

/* All logs of the pool come back, or the segments of those that do not would be given away. */
static int choose(const struct log_file *l, const struct found_logs *logs, struct args *a)
{
	const struct found_log *of = NULL;
	int r = choose_pool(l, logs, a, &of);
	struct found_log *x;
	bool twice;
	u32 i;

	for (i = 0; i < SSDUP_MAX_LOGS && !r; i++) {
		x = choose_number(logs, of, i, a, &twice);
		if (twice)
			return fail(l->ctx, EXIT_REFUSED, l->ssd.path,
				    "two logs have had number %u: say with --uuid which it is", i);
		if (!x)
			continue;
		x->taken = true;
		a->found |= BIT_ULL(i);
	}
	return r;
}

static void warn_unsure(const struct log_file *l, const struct found_log *x)
{
	char uuid[UUID_TEXT];

	warn(l->ctx, l->ssd.path,
	     "log %s: the record is gone: what was drained after segment %u was opened, the last one, counts as not drained, and hides what was written to the HDD since then; nor is it known which machine has the log",
	     uuid_text(uuid, x->s.uuid), x->last.segment);
}

/* Is the HDD that was named that of one of them? */
static bool for_hdd(const struct log_file *l, const struct found_logs *logs)
{
	const struct found_log *x;

	for (x = logs->all; x < logs->all + logs->nr; x++)
		if (x->taken && l->hdd_sectors >= x->s.hdd_sectors &&
		    !identity_other(x->s.hdd_id, l->hdd_id))
			return true;
	return false;
}

static int refuse_found(struct log_file *l, const struct found_logs *logs, struct args *a)
{
	const struct found_log *x;
	char *what;
	int r = EXIT_OK;

	if (a->hdd && !for_hdd(l, logs))
		return other_hdd(l, a);
	l->known = true;
	for (x = logs->all; x < logs->all + logs->nr && !r; x++) {
		if (!x->taken)
			continue;
		l->s = x->s;
		r = refuse_elsewhere(l);
		if (r || x->recorded)
			continue;
		a->unsure = true;
		warn_unsure(l, x);
	}
	if (r)
		return r;
	what = dev_signature(&l->ssd.dev);
	if (what)
		warn(l->ctx, l->ssd.path, "holds %s, which will be overwritten", what);
	free(what);
	if (!a->dry_run && !a->yes && !confirmed())
		return fail(l->ctx, EXIT_REFUSED, l->ssd.path, "left as it was");
	return EXIT_OK;
}

/* What has taken their places is not to be found there any more. */
static int write_homes(const struct log_file *l, const struct found_logs *logs,
		       const struct args *a)
{
	const struct found_log *x;
	struct log_super s = { };
	int r = 0;

	for (x = logs->all; x < logs->all + logs->nr && !r; x++) {
		/* Where the superblock is left, so are the others. */
		if (!x->taken || (a->named && !(a->damaged & BIT_ULL(x->s.log))))
			continue;
		if (!s.logs && !a->named)
			r = ssd_home_tidy(l->ssd.fd, x->s.ssd_sectors, 0) ?:
			    ssd_home_tidy(l->ssd.fd, x->s.ssd_sectors, 1);
		s = x->s;
		s.logs = a->found;
		s.seq++;
		r = r ?: ssdup_log_super_spent(&s) ? -ERANGE :
		    ssd_part_write(&l->ssds, PART_RECORD, &s);
	}
	if (!a->named)
		r = r ?: ssd_part_write(&l->ssds, PART_SUPER, &s);
	return r ? fail(l->ctx, EXIT_LOST, l->ssd.path, "cannot be written: %s", strerror(-r)) :
		   EXIT_OK;
}

/* Those that the superblock does not name are older, or were forgotten. */
static void leave_out(struct found_logs *logs, const struct log_super *s)
{
	struct found_log *from = logs->all, *to = from;

	for (; from < logs->all + logs->nr; from++)
		if (!memcmp(from->s.pool, s->pool, sizeof(s->pool)) &&
		    s->logs & BIT_ULL(from->s.log))
			*to++ = *from;
	logs->nr = to - logs->all;
}

/* Return: EXIT_OK with superblock and records written, or an exit code */
static int scan(struct log_file *l, struct args *a)
{
	struct found_logs logs;
	int r = refuse_homes(l, a);

	if (r)
		return r;
	find_logs(l, a->named, &logs);
	if (a->named)
		leave_out(&logs, a->named);
	r = choose(l, &logs, a) ?: refuse_found(l, &logs, a);
	if (!r && a->dry_run)
		r = a->unsure ? EXIT_DEGRADED : EXIT_FAULTS;
	if (!r)
		r = write_homes(l, &logs, a);
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
	const struct ssd_names ssds = { .of = { path }, .nr = 1 };
	struct log_file again;
	int r, verdict;

	r = log_open(l->ctx, &again, &ssds, l->name, DISK_READ, NO_COPY);
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

	/* A gap is filled with a segment that none of them has. */
	if (r == EXIT_OK && super_several(&l->s) && l->host)
		r = pool_refuse_host(l->ctx, l->ssd.path, &l->ssds, &l->log, &l->s, l->host);
	if (r == EXIT_OK)
		r = apply(l, &plan, a);
	plan_free(&plan);
	return r;
}

/* --- The command --- */

static int with_log(struct ssdup_ctx *ctx, struct args *a,
		    int (*fn)(struct log_file *l, struct args *a))
{
	const struct ssd_names ssds = { .of = { a->ssd }, .nr = 1 };
	struct log_file l;
	int r = log_open(ctx, &l, &ssds, a->log, a->dry_run ? DISK_READ : DISK_WRITE, a->copy);

	if (r != EXIT_OK)
		return r;
	if (l.known && l.s.ssds.mirrors)
		r = fail(ctx, EXIT_REFUSED, a->ssd,
			 "has a mirror: the other one is its repair. Name that to \"ssdup check\", and if it is well, to \"ssdup create\", with --lost-ssd");
	else if (a->scan && l.ssds.nr > 1)
		r = fail(ctx, EXIT_REFUSED, a->ssd,
			 "its log is on %u SSDs: --scan finds logs that were on one", l.ssds.nr);
	if (a->take_over)
		l.host = NULL;
	if (a->hdd && r == EXIT_OK)
		r = log_given(&l, a->hdd);
	if (r == EXIT_OK)
		r = fn(&l, a);
	log_close(&l);
	return r;
}

/* No device is made before all of it is repaired. Return: a descriptor, or -1 for an image */
static int lock_ssd(const char *ssd)
{
	struct dev dev;
	int lock = -1;

	if (dev_find_quietly(ssd, &dev))
		return -1;
	if (dev.rdev)
		lock = dev_lock(&dev);
	dev_free(&dev);
	return lock;
}

static bool take_uuid(struct ssdup_ctx *ctx, struct args *a)
{
	unsigned int i;
	u8 uuid[16];

	if (!uuid_read(optarg, uuid) || a->nr_uuids == SSDUP_MAX_LOGS) {
		bad_usage(ctx, "--uuid: not a UUID that a log can have: %s", optarg);
		return false;
	}
	for (i = 0; i < a->nr_uuids; i++)
		if (!strcasecmp(a->uuid[i], optarg))
			return true;
	a->uuid[a->nr_uuids++] = optarg;
	return true;
}

/* What --scan has found, one by one. */
static int repair_found(struct ssdup_ctx *ctx, struct args *a)
{
	char name[4];
	int r, worst = EXIT_OK;
	u32 i;

	a->log = name;
	/* It is that of one of them, which was looked at. */
	a->hdd = NULL;
	for (i = 0; i < SSDUP_MAX_LOGS; i++) {
		if (a->damaged & ~a->found & BIT_ULL(i)) {
			worst = worse(worst, EXIT_LOST);
			warn(ctx, a->ssd, "log %u: no segment has a header of it: it is lost", i);
		}
		if (!(a->found & BIT_ULL(i)))
			continue;
		snprintf(name, sizeof(name), "%u", i);
		r = with_log(ctx, a, repair);
		worst = worse(worst, r);
	}
	return worst;
}

int cmd_repair(struct ssdup_ctx *ctx, int argc, char **argv)
{
	struct args a = { .copy = NO_COPY };
	int opt, lock, r = EXIT_OK;

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
		if (opt == OPT_UUID && !take_uuid(ctx, &a))
			return ctx->exit;
	}
	if (!operands(ctx, argc, argv, !a.ssd, !a.ssd))
		return ctx->exit;
	if (a.nr_uuids && !a.scan)
		return bad_usage(ctx, "--uuid goes with --scan");
	if (a.log && a.scan)
		return bad_usage(ctx, "--log is for a log with a superblock: not with --scan");
	if (a.scan && a.copy != NO_COPY)
		return bad_usage(ctx, "--scan is for a log without any copy: not with --copy");
	a.ssd = a.ssd ?: argv[optind];
	lock = lock_ssd(a.ssd);
	if (a.scan)
		r = with_log(ctx, &a, scan) ?: repair_found(ctx, &a);
	else
		r = with_log(ctx, &a, repair);
	if (lock >= 0)
		close(lock);
	free(a.named);
	return r == EXIT_OK && a.unsure ? EXIT_DEGRADED : r;
}
