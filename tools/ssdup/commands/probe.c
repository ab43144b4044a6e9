// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup probe: is there a log, and whose? For udev, so it reads no more than a few
 * blocks (of each segment after a crash), and says nothing of
 * what is no log.
 */
#include <getopt.h>

#include "commands.h"
#include "offline/offline.h"

static void probe_export(const struct log_file *l)
{
	enum ssd_part part = l->log.part[PART_SUPER].fault == LOG_OK ? PART_RECORD : PART_SUPER;
	const u8 *bytes = l->known ? l->s.uuid : ssd_uuid(&l->log);
	char uuid[UUID_TEXT], hdd[IDENTITY_TEXT];

	printf("ID_FS_TYPE=ssdup\nID_FS_USAGE=other\n");
	if (bytes) {
		uuid_text(uuid, bytes);
		printf("ID_FS_UUID=%s\nID_FS_UUID_ENC=%s\nID_FS_VERSION=%u\n", uuid, uuid,
		       SSDUP_VERSION);
	}
	if (l->known)
		printf("SSDUP_CLEAN=%d\nSSDUP_HDD_SECTORS=%llu\nSSDUP_DIRTY=%d\n",
		       !!(l->s.flags & SSDUP_RECORD_CLEAN), l->s.hdd_sectors,
		       ssd_log_used(l->ssd.fd, &l->s) != 0);
	if (l->known && identity_known(l->s.hdd_id))
		printf("SSDUP_HDD_ID=%s\n", identity_text(hdd, l->s.hdd_id));
	if (l->log.fault != LOG_OK)
		printf("SSDUP_FAULT=E%03u\n",
		       (part == PART_SUPER ? FAULT_SUPER : FAULT_RECORD) + l->log.fault);
}

static void probe_words(const struct log_file *l)
{
	char uuid[UUID_TEXT], hdd[IDENTITY_TEXT];

	if (!l->known) {
		printf("%s: a log that cannot be used: %s\n", l->ssd.path,
		       ssdup_log_fault_text(l->log.fault));
		return;
	}
	printf("%s: log %s for an HDD of %llu sectors (%s), %s, %s\n", l->ssd.path,
	       uuid_text(uuid, l->s.uuid), l->s.hdd_sectors, identity_text(hdd, l->s.hdd_id),
	       super_end_text(&l->s),
	       ssd_log_used(l->ssd.fd, &l->s) ? "may hold data that the HDD lacks" : "empty");
}

int cmd_probe(struct ssdup_ctx *ctx, int argc, char **argv)
{
	bool export = false;
	struct log_file l;
	int opt, r;

	while ((opt = next_option(ctx, argc, argv))) {
		if (opt == OPT_STOP)
			return ctx->exit;
		export |= opt == OPT_EXPORT;
	}
	if (!operands(ctx, argc, argv, 1, 1))
		return ctx->exit;
	r = log_open(ctx, &l, argv[optind], DISK_PROBE, NO_COPY);
	if (r != EXIT_OK)
		return r;
	if (!l.known && !log_has_magic(&l))
		r = EXIT_NOT_FOUND;
	else if (export)
		probe_export(&l);
	else
		probe_words(&l);
	if (r == EXIT_NOT_FOUND && !export)
		r = no_log(&l);
	log_close(&l);
	return r;
}
