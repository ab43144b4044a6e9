// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup upgrade: from a log of format 1 to one of the present format, see offline/upgrade.c.
 */
#include <errno.h>
#include <getopt.h>

#include "commands.h"
#include "lib/pair.h"
#include "lib/wait.h"
#include "offline/offline.h"

struct args {
	const char	*hdd;
	const char	*ssd;
	unsigned int	segment_mb;
	bool		dry_run;
	bool		yes;
};

/* --- What keeps it from being converted --- */

/* The UUID of a log whose upgrade was interrupted when the first block was blank. */
static bool interrupted_upgrade(struct log_file *l, char uuid[UUID_TEXT])
{
	const struct ssd_copies *super = &l->log.part[PART_SUPER];

	if (super->fault != LOG_BLANK)
		return false;
	if (super->copy_fault[1] == LOG_FORMAT_1) {
		uuid_text(uuid, super->copy[1].uuid);
		return true;
	}
	if (super->copy_fault[1] != LOG_OK)
		return false;
	ssd_record_read(l->ssd.fd, &l->log, &super->copy[1]);
	if (l->log.part[PART_RECORD].fault != LOG_OK)
		return false;
	uuid_text(uuid, ssd_super(&l->log)->uuid);
	return true;
}

static int nothing_to_convert(struct log_file *l, const char *hdd)
{
	const char *path = l->ssd.path;
	char uuid[UUID_TEXT];

	if (l->known) {
		note(l->ctx, "%s: a log of format %u already", path, SSDUP_VERSION);
		return EXIT_OK;
	}
	if (!interrupted_upgrade(l, uuid))
		return no_log(l);
	return fail(l->ctx, EXIT_NOT_FOUND, path,
		    "no log: the first block is blank. If an upgrade was interrupted, all is on the HDD, and \"ssdup format %s %s --uuid %s\" ends it",
		    hdd, path, uuid);
}

static int refuse_damaged(const struct log_file *l, const struct f1_fault *fault, int r)
{
	static const char mend[] =
		"nothing was written; mend it with \"ssdup repair\" of the version that wrote it";
	const char *path = l->ssd.path;

	if (r == -EFBIG)
		return fail(l->ctx, EXIT_REFUSED, path,
			    "a log behind the first 32 TiB; drain it with the module that wrote it");
	if (r != -EINVAL)
		return fail(l->ctx, EXIT_LOST, path, "cannot be read: %s; nothing was written",
			    strerror(-r));
	switch (fault->fault) {
	case LOG_UNKNOWN_INCOMPAT:
	case LOG_UNKNOWN_RO_COMPAT:
		return fail(l->ctx, EXIT_REFUSED, path, "%s: another ssdup is needed",
			    f1_fault_text(fault->fault));
	case LOG_PAGE_BAD_COUNT:
	case LOG_ENTRY_KIND:
	case LOG_ENTRY_EMPTY:
	case LOG_ENTRY_OUTSIDE_HDD:
	case LOG_ENTRY_OUTSIDE_LOG:
	case LOG_ENTRY_UNALIGNED:
	case LOG_EPOCH:
	case LOG_PAGES_MISSING:
	case LOG_PAGES_GAP:
		return fail(l->ctx, EXIT_LOST, path, "damaged: %s (fault %d, half %u, page %u); %s",
			    f1_fault_text(fault->fault), fault->fault, fault->half, fault->page,
			    mend);
	default:
		return fail(l->ctx, EXIT_LOST, path, "damaged: %s (fault %d); %s",
			    f1_fault_text(fault->fault), fault->fault, mend);
	}
}

static int refuse_misfit(const struct log_file *l, const struct f1_log *old,
			 const struct disk *hdd)
{
	u32 block = max(l->ssd.block_sectors, hdd->block_sectors);

	if (disk_same(&l->ssd, hdd))
		return fail(l->ctx, EXIT_REFUSED, hdd->path, "the same as the SSD");
	if (hdd->sectors != old->hdd_sectors)
		return fail(l->ctx, EXIT_REFUSED, hdd->path,
			    "%llu sectors, the log was made for an HDD of %llu",
			    (u64)hdd->sectors, old->hdd_sectors);
	if (l->ssd.sectors < old->ssd_sectors)
		return fail(l->ctx, EXIT_LOST, l->ssd.path,
			    "%llu sectors, the log was made for an SSD of %llu",
			    (u64)l->ssd.sectors, old->ssd_sectors);
	if (block > old->block_sectors)
		return fail(l->ctx, EXIT_REFUSED, l->ssd.path, "%s",
			    ssdup_log_fault_text(LOG_BLOCK_SIZE));
	return EXIT_OK;
}

/* --- Doing it --- */

static void say_plan(const struct log_file *l, const struct disk *hdd, const struct f1_log *old,
		     const struct log_super *new)
{
	char uuid[UUID_TEXT], size[SIZE_TEXT], segment[SIZE_TEXT];

	printf("%s: log %s of format 1, %u extents\n", l->ssd.path, uuid_text(uuid, old->uuid),
	       l->map.nr);
	printf("write %s to %s\n", format_size(size, l->map.sectors * SECTOR_BYTES), hdd->path);
	printf("then write an empty log to %s: %u segments of %s\n", l->ssd.path,
	       new->g.nr_segments,
	       format_size(segment, new->g.segment_sectors * SECTOR_BYTES));
}

static int broken_off(const struct log_file *l, const struct disk *hdd, int r)
{
	switch (r) {
	case -EINTR:
		return fail(l->ctx, EXIT_INTERRUPTED, hdd->path,
			    "interrupted; the log has not changed, begin again");
	case -EBADMSG:
		return fail(l->ctx, EXIT_LOST, l->ssd.path,
			    "cannot read all of its data; the log has not changed");
	default:
		return fail(l->ctx, EXIT_FAILED, hdd->path,
			    "cannot be written: %s; the log has not changed", strerror(-r));
	}
}

static int convert(struct log_file *l, struct disk *hdd, const struct log_super *new)
{
	struct export_result res;
	char size[SIZE_TEXT];
	struct ssd_log log;
	int r;

	catch_signals();
	r = upgrade_drain(l, hdd, &res);
	if (r)
		return broken_off(l, hdd, r);
	note(l->ctx, "%s: %s written", hdd->path, format_size(size, res.sectors * SECTOR_BYTES));
	r = upgrade_format(l, new) ?: ssd_log_read(l->ssd.fd, &log);
	if (!r && (log.fault != LOG_OK || log.mend))
		r = -EIO;
	if (r)
		return fail(l->ctx, EXIT_FAILED, l->ssd.path,
			    "all is on %s, but the new log cannot be written: %s; begin again",
			    hdd->path, strerror(-r));
	note(l->ctx, "%s: an empty log of format %u", l->ssd.path, SSDUP_VERSION);
	return res.known ? EXIT_DEGRADED : EXIT_OK;
}

static int upgrade_to(struct log_file *l, struct disk *hdd, const struct args *a)
{
	struct log_options o = { .segment_mb = a->segment_mb, .old_uuid = true };
	struct f1_fault fault;
	struct log_super new;
	struct f1_log old;
	int r;

	r = upgrade_read(l, &old, &fault);
	if (r)
		return refuse_damaged(l, &fault, r);
	r = refuse_misfit(l, &old, hdd);
	if (r != EXIT_OK)
		return r;
	memcpy(o.uuid, old.uuid, sizeof(o.uuid));
	r = pair_new_log(l->ctx, &hdd->dev, &l->ssd.dev, &o, &new);
	if (r != EXIT_OK)
		return r;
	if (!l->ctx->quiet || !a->yes)
		say_plan(l, hdd, &old, &new);
	if (a->dry_run)
		return EXIT_OK;
	if (!a->yes && !confirmed())
		return fail(l->ctx, EXIT_REFUSED, l->ssd.path, "left as it was");
	return convert(l, hdd, &new);
}

static int upgrade(struct log_file *l, const struct args *a)
{
	struct disk hdd;
	int r;

	if (l->log.part[PART_SUPER].fault != LOG_FORMAT_1)
		return nothing_to_convert(l, a->hdd);
	r = disk_open(l->ctx, &hdd, a->hdd, a->dry_run ? DISK_READ : DISK_FILL);
	if (r != EXIT_OK)
		return r;
	r = upgrade_to(l, &hdd, a);
	disk_close(&hdd);
	return r;
}

int cmd_upgrade(struct ssdup_ctx *ctx, int argc, char **argv)
{
	struct args a = { };
	struct log_file l;
	uint64_t value;
	int opt, r;

	while ((opt = next_option(ctx, argc, argv))) {
		if (opt == OPT_STOP)
			return ctx->exit;
		if (opt == OPT_SEGMENT) {
			if (parse_number(optarg, 1, 256, &value) || value & (value - 1))
				return bad_usage(ctx,
						 "--segment-mb: not a power of two from 1 to 256: %s",
						 optarg);
			a.segment_mb = value;
		}
		if (opt == OPT_HDD)
			a.hdd = optarg;
		if (opt == OPT_SSD)
			a.ssd = optarg;
		a.dry_run |= opt == 'n';
		a.yes |= opt == 'y';
		ctx->quiet |= opt == 'q';
	}
	if (!disk_operands(ctx, argc, argv, &a.hdd, &a.ssd, false))
		return ctx->exit;
	r = log_open(ctx, &l, a.ssd, a.dry_run ? DISK_READ : DISK_WRITE, NO_COPY);
	if (r != EXIT_OK)
		return r;
	r = upgrade(&l, &a);
	log_close(&l);
	return r;
}
