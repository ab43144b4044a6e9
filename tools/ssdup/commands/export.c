// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup export: what a log has not yet written back, to the HDD or an image of it, see
 * offline/export.c.
 */
#include <errno.h>
#include <getopt.h>
#include <unistd.h>

#include "commands.h"
#include "lib/member.h"
#include "lib/wait.h"
#include "offline/offline.h"

struct args {
	const char	*hdd;		/* or an image of it */
	struct ssd_names ssds;
	const char	*log;
	int		copy;
	bool		clear;
	bool		force;
	bool		other_hdd;
	bool		take_over;
	bool		unsaved;
	bool		written;	/* somebody has written to the HDD since */
};

static int refuse_other_hdd(const struct log_file *l, const struct disk *to, bool other)
{
	char log[IDENTITY_TEXT], text[IDENTITY_TEXT];
	u8 id[SSDUP_HDD_ID_BYTES];

	dev_identity(&to->dev, id);
	identity_text(log, l->s.hdd_id);
	if (identity_other(l->s.hdd_id, id) && !other)
		return fail(l->ctx, EXIT_REFUSED, to->path,
			    "is %s, and the log is for %s; --other-hdd writes to it all the same",
			    identity_text(text, id), log);
	if (identity_known(l->s.hdd_id) && !identity_known(id) && to->block)
		warn(l->ctx, to->path, "does not say which disk it is; the log is for %s", log);
	return EXIT_OK;
}

static bool blank(const unsigned char *range)
{
	return !memchr_inv(range, 0, MEMBER_BYTES);
}

/* Is it the HDD as the log left it? *@behind: it was masked, and @member is plain now. */
static int refuse_written(const struct log_file *l, const struct disk *to, bool written,
			  struct member *member, bool *behind)
{
	enum guard_state state;
	enum log_fault fault;
	char uuid[UUID_TEXT];

	fault = ssdup_guard_judge(&l->s, member->fault, &member->m, !l->map.nr, &state);
	*behind = fault == LOG_OK && state != GUARD_OPEN;
	if (*behind) {
		member_plain(member, l->s.guard_epoch ? l->s.head : NULL);
		fault = member->bad ? LOG_HDD_WRITTEN : LOG_OK;
	}
	/* A new image. */
	if (fault == LOG_OK || (!to->block && blank(member->range)))
		return EXIT_OK;
	if (fault == LOG_HDD_OTHER)
		return fail(l->ctx, EXIT_REFUSED, to->path, "is the HDD of log %s, not of this one",
			    uuid_text(uuid, member->m.uuid));
	if (written && member->fault == LOG_NOT_OURS)
		return EXIT_OK;
	return fail(l->ctx, EXIT_REFUSED, to->path,
		    "is not as the log left it: somebody has written to it since, or it is a copy; %s",
		    member->fault == LOG_NOT_OURS ? "--hdd-was-written writes over that" :
		    "see \"ssdup release\"");
}

static int fits(struct log_file *l, struct disk *to, bool force)
{
	const struct ssdup_ctx *ctx = l->ctx;
	u32 i;

	for (i = 0; i < l->ssds.nr; i++)
		if (disk_same(log_ssd(l, i), to))
			return fail(ctx, EXIT_REFUSED, to->path, "the same as the SSD");
	/* It may have grown. */
	if (to->sectors >= l->s.hdd_sectors)
		return EXIT_OK;
	if (force && !ssdup_extent_first(&l->map, to->sectors, U64_MAX))
		return EXIT_OK;
	return fail(ctx, EXIT_REFUSED, to->path,
		    "%llu sectors, the log was made for an HDD of %llu%s",
		    (u64)to->sectors, l->s.hdd_sectors,
		    force ? ", and has something behind the end of this one" :
		    "; --force takes it all the same");
}

/* May the log be cleared? */
static int refuse_clear(const struct log_file *l, bool whole, const struct args *a)
{
	enum log_fault fault;
	u32 i;

	if (!whole && !a->unsaved)
		return fail(l->ctx, EXIT_LOST, l->ssd.path,
			    "not cleared, as something is lost; --discard-unsaved does it all the same");
	for (i = 0; i < NR_PARTS; i++) {
		fault = l->log.part[i].copy_fault[l->from[i]];
		if (fault != LOG_OK)
			return fail(l->ctx, EXIT_REFUSED, l->ssd.path, "not cleared: %s",
				    ssdup_log_fault_text(fault));
	}
	return EXIT_OK;
}

/* The log is empty, and its HDD a disk of its own. */
static int clear(struct log_file *l, struct disk *to, struct member *member, bool whole)
{
	int r = member ? export_opens(l) : 0;

	r = r ?: member ? member_release(to->fd, member) : 0;
	r = r ?: export_clear(l);
	if (r)
		return fail(l->ctx, EXIT_FAILED, l->ssd.path, "cannot be cleared: %s",
			    strerror(-r));
	note(l->ctx, "%s: the log is empty", l->ssd.path);
	return whole ? EXIT_OK : EXIT_LOST;
}

/* An image is looked at; the HDD stays one of the log until that is empty. */
static int leave(const struct log_file *l, struct disk *to, struct member *member, bool whole)
{
	int r = member && !to->block ? member_release(to->fd, member) : 0;

	if (r)
		return fail(l->ctx, EXIT_FAILED, to->path, "cannot be written: %s", strerror(-r));
	if (member && to->block)
		note(l->ctx, "%s: stays the HDD of the log, and shows only that; see --clear",
		     to->path);
	return whole ? EXIT_OK : EXIT_LOST;
}

static int broken_off(const struct log_file *l, const struct disk *to,
		      const struct export_result *res, int r)
{
	char done[SIZE_TEXT], all[SIZE_TEXT];

	switch (r) {
	case -EINTR:
		return fail(l->ctx, EXIT_INTERRUPTED, to->path,
			    "interrupted; the log has not changed, begin again");
	case -ENOSPC:
	case -EDQUOT:
		return fail(l->ctx, EXIT_FAILED, to->path,
			    "no room left where it lies, after %s of %s: %s; make room and begin again, the log has not changed",
			    format_size(done, res->sectors * SECTOR_BYTES),
			    format_size(all, l->map.sectors * SECTOR_BYTES), strerror(-r));
	default:
		return fail(l->ctx, EXIT_FAILED, to->path,
			    "cannot be written: %s; the log has not changed", strerror(-r));
	}
}

static int export(struct log_file *l, struct disk *to, struct member *member, const struct args *a)
{
	struct export_result res;
	char size[SIZE_TEXT];
	bool whole;
	size_t i;
	int r;

	for (i = 0; i < l->findings.nr; i++)
		if (l->findings.all[i].severity == SEV_LOST)
			finding_print(stdout, &l->findings.all[i]);
	catch_signals();
	r = export_log(l, to, member, &res);
	if (r)
		return broken_off(l, to, &res, r);
	whole = !l->findings.of[SEV_LOST] && !res.lost && !res.known;
	note(l->ctx, "%s: %s written%s", to->path, format_size(size, res.sectors * SECTOR_BYTES),
	     whole ? "" : ", not all of what the log should hold");
	if (!a->clear)
		return leave(l, to, member, whole);
	return refuse_clear(l, whole, a) ?: clear(l, to, member, whole);
}

/* Somebody who wants a new image is not looking for a device. */
static int refuse_no_image(const struct log_file *l, const char *to)
{
	if (strchr(to, '=') || !strncmp(to, "/dev/", 5) || !access(to, F_OK) || errno != ENOENT)
		return EXIT_OK;
	return fail(l->ctx, EXIT_NOT_FOUND, to,
		    "no such file; \"truncate -s %llu %s\" makes an image as large as the HDD",
		    l->s.hdd_sectors * SECTOR_BYTES, to);
}

static int export_to(struct log_file *l, const struct args *a)
{
	struct member member = { };
	struct disk to;
	bool behind;
	int r;

	if (!l->known)
		return no_log(l);
	if (a->take_over)
		l->host = NULL;
	r = refuse_elsewhere(l) ?: refuse_no_image(l, a->hdd);
	if (r != EXIT_OK)
		return r;
	check_log(l, true, false);
	r = disk_open(l->ctx, &to, a->hdd, DISK_FILL);
	if (r != EXIT_OK)
		return r;
	r = member_read(to.fd, &member);
	if (r)
		r = fail(l->ctx, EXIT_FAILED, to.path, "cannot be read: %s", strerror(-r));
	r = r ?: fits(l, &to, a->force) ?: refuse_other_hdd(l, &to, a->other_hdd) ?:
	    refuse_written(l, &to, a->written, &member, &behind);
	if (r == EXIT_OK)
		r = export(l, &to, behind ? &member : NULL, a);
	member_free(&member);
	disk_close(&to);
	return r;
}

int cmd_export(struct ssdup_ctx *ctx, int argc, char **argv)
{
	struct args a = { .copy = NO_COPY };
	struct log_file l;
	int opt, r;

	while ((opt = next_option(ctx, argc, argv))) {
		if (opt == OPT_STOP)
			return ctx->exit;
		if (opt == OPT_HDD)
			a.hdd = optarg;
		if (opt == OPT_SSD && !take_ssd(ctx, &a.ssds))
			return ctx->exit;
		a.ssds.lost |= opt == OPT_LOST_SSD;
		if (opt == OPT_LOG && !parse_log_name(ctx, &a.log))
			return ctx->exit;
		if (opt == OPT_COPY && !parse_copy(ctx, &a.copy))
			return ctx->exit;
		a.clear |= opt == OPT_CLEAR;
		a.force |= opt == OPT_FORCE;
		a.other_hdd |= opt == OPT_OTHER_HDD;
		a.take_over |= opt == OPT_TAKE_OVER;
		a.unsaved |= opt == OPT_UNSAVED;
		a.written |= opt == OPT_WRITTEN;
		ctx->quiet |= opt == 'q';
	}
	if (!disk_operands(ctx, argc, argv, &a.hdd, &a.ssds.of[0], false))
		return ctx->exit;
	a.ssds.nr = max(a.ssds.nr, 1U);
	r = log_open(ctx, &l, &a.ssds, a.log, a.clear ? DISK_WRITE : DISK_READ_ALONE, a.copy);
	if (r != EXIT_OK)
		return r;
	r = export_to(&l, &a);
	log_close(&l);
	return r;
}
