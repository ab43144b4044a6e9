// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup release: an HDD without its SSD.
 */
#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "commands.h"
#include "lib/member.h"
#include "lib/super.h"
#include "offline/disk.h"

static int released(const struct ssdup_ctx *ctx, const struct disk *hdd,
		    const struct member *member)
{
	int r = EXIT_OK;

	if (member->m.covered < SSDUP_SECTOR_BYTES) {
		warn(ctx, hdd->path, "bytes %u to %llu were on the SSD only: they are zeros",
		     member->m.covered, SECTOR_BYTES - 1);
		r = EXIT_LOST;
	}
	if (member->bad) {
		warn(ctx, hdd->path,
		     "%u of the first 32 blocks of 4 KiB are not as they were left: they stay as they are",
		     member->bad);
		r = EXIT_LOST;
	}
	note(ctx, "%s: a disk of its own again, as the last drain left it; now check it (fsck)",
	     hdd->path);
	return r;
}

static int release_hdd(const struct ssdup_ctx *ctx, struct disk *hdd, bool unsaved, bool force)
{
	char log[UUID_TEXT], pool[UUID_TEXT];
	struct member member;
	int r = member_read(hdd->fd, &member);

	if (!r && member.fault == LOG_OK)
		member_plain(&member, NULL);
	if (r) {
		r = fail(ctx, EXIT_FAILED, hdd->path, "cannot be read: %s", strerror(-r));
	} else if (member.fault == LOG_NOT_OURS) {
		r = fail(ctx, EXIT_NOT_FOUND, hdd->path,
			 "is no HDD of a log that holds anything");
	} else if (member.fault != LOG_OK) {
		r = fail(ctx, EXIT_LOST, hdd->path, "has a member block that cannot be read: %s",
			 ssdup_log_fault_text(member.fault));
	} else if (!unsaved) {
		r = fail(ctx, EXIT_REFUSED, hdd->path,
			 "its newest data is in log %s, on an SSD of pool %s; if that SSD is lost, give the data up with --discard-unsaved",
			 uuid_text(log, member.m.uuid), uuid_text(pool, member.m.pool));
	} else if (member.bad && !force) {
		r = fail(ctx, EXIT_LOST, hdd->path,
			 "%u of the first 32 blocks of 4 KiB are not as they were left, and may be masked (epoch %llx); --force leaves them as they are",
			 member.bad, member.m.epoch);
	} else {
		r = member_release(hdd->fd, &member);
		r = r ? fail(ctx, EXIT_FAILED, hdd->path,
			     "cannot be written: %s; do it again", strerror(-r)) :
			released(ctx, hdd, &member);
	}
	member_free(&member);
	return r;
}

int cmd_release(struct ssdup_ctx *ctx, int argc, char **argv)
{
	bool unsaved = false, force = false;
	struct disk hdd;
	int opt, r;

	while ((opt = next_option(ctx, argc, argv))) {
		if (opt == OPT_STOP)
			return ctx->exit;
		unsaved |= opt == OPT_UNSAVED;
		force |= opt == OPT_FORCE;
		ctx->quiet |= opt == 'q';
	}
	if (!operands(ctx, argc, argv, 1, 1))
		return ctx->exit;
	r = disk_open(ctx, &hdd, argv[optind], DISK_WRITE);
	if (r != EXIT_OK)
		return r;
	r = release_hdd(ctx, &hdd, unsaved, force);
	disk_close(&hdd);
	return r;
}
