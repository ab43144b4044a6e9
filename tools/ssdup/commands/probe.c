// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup probe: is there a log, and whose? For udev, so it reads no more than a few
 * blocks (of each segment after a crash), and says nothing of
 * what is no log.
 */
#include <getopt.h>

#include "commands.h"
#include "lib/member.h"
#include "offline/offline.h"

static void each_log(const struct log_file *l, int (*fn)(void *arg, const struct ssd_log *log),
		     void *arg)
{
	ssd_each_log(&l->ssds, &l->log, ssd_pool(&l->log), fn, arg);
}

static bool is_pool(const struct log_file *l)
{
	return l->log.part[PART_SUPER].fault == LOG_OK && ssd_pool(&l->log)->logs != LOG_FIRST;
}

static void export_uuid(const u8 *bytes)
{
	char uuid[UUID_TEXT];

	uuid_text(uuid, bytes);
	printf("ID_FS_UUID=%s\nID_FS_UUID_ENC=%s\nID_FS_VERSION=%u\n", uuid, uuid, SSDUP_VERSION);
}

static int print_uuid(void *arg, const struct ssd_log *log)
{
	char uuid[UUID_TEXT];

	if (log->fault == LOG_OK)
		printf(" %s", uuid_text(uuid, ssd_super(log)->uuid));
	return 0;
}

/* udev takes 1024 bytes for names of links at a time: those of 16 logs. */
static int print_link(void *arg, const struct ssd_log *log)
{
	unsigned int *nr = arg;
	char uuid[UUID_TEXT];

	if (log->fault != LOG_OK)
		return 0;
	if (!(*nr % 16))
		printf("\nSSDUP_LOG_LINKS_%u=", *nr / 16);
	printf(" disk/by-uuid/%s", uuid_text(uuid, ssd_super(log)->uuid));
	++*nr;
	return 0;
}

static void export_pool(const struct log_file *l)
{
	unsigned int nr = 0;

	export_uuid(ssd_pool(&l->log)->pool);
	printf("SSDUP_LOGS=");
	each_log(l, print_uuid, NULL);
	each_log(l, print_link, &nr);
	putchar('\n');
}

static void export_log_alone(const struct log_file *l)
{
	const u8 *bytes = l->known ? l->s.uuid : ssd_uuid(&l->log);
	char text[IDENTITY_TEXT];

	if (bytes) {
		export_uuid(bytes);
		printf("SSDUP_LOGS=%s\n", uuid_text(text, bytes));
	}
	if (l->known)
		printf("SSDUP_CLEAN=%d\nSSDUP_HDD_SECTORS=%llu\nSSDUP_DIRTY=%d\n",
		       !!(l->s.flags & SSDUP_RECORD_CLOSED), l->s.hdd_sectors,
		       ssd_log_used(&l->ssds, &l->s) != 0);
	if (l->known && identity_known(l->s.hdd_id))
		printf("SSDUP_HDD_ID=%s\n", identity_text(text, l->s.hdd_id));
}

static void probe_export(const struct log_file *l)
{
	enum ssd_part part = l->log.part[PART_SUPER].fault == LOG_OK ? PART_RECORD : PART_SUPER;
	char uuid[UUID_TEXT];

	printf("ID_FS_TYPE=ssdup\nID_FS_USAGE=other\n");
	if (l->log.part[PART_SUPER].fault == LOG_OK && ssd_pool(&l->log)->ssds.nr > 1)
		printf("SSDUP_POOL=%s\n", uuid_text(uuid, ssd_pool(&l->log)->pool));
	if (is_pool(l))
		export_pool(l);
	else
		export_log_alone(l);
	if (l->log.fault != LOG_OK && l->log.fault != LOG_SEVERAL)
		printf("SSDUP_FAULT=E%03u\n",
		       (part == PART_SUPER ? FAULT_SUPER : FAULT_RECORD) + l->log.fault);
}

static int say_log(void *arg, const struct ssd_log *log)
{
	const struct log_file *l = arg;
	const struct log_super *s = ssd_super(log);
	char uuid[UUID_TEXT], hdd[IDENTITY_TEXT];

	if (log->fault != LOG_OK) {
		printf("%s: log %u, which is damaged\n", l->ssd.path, log->number);
		return 0;
	}
	printf("%s: log %s for an HDD of %llu sectors (%s), %s, %s\n", l->ssd.path,
	       uuid_text(uuid, s->uuid), s->hdd_sectors, identity_text(hdd, s->hdd_id),
	       super_end_text(s),
	       ssd_log_used(&l->ssds, s) ? "may hold data that the HDD lacks" : "empty");
	return 0;
}

static void probe_words(struct log_file *l)
{
	if (l->log.part[PART_SUPER].fault == LOG_OK && (l->known || is_pool(l)))
		each_log(l, say_log, l);
	else
		printf("%s: a log that cannot be used: %s\n", l->ssd.path,
		       ssdup_log_fault_text(l->log.fault));
}

/* An HDD whose log is not empty. Return: EXIT_NOT_FOUND when it is none. */
static int probe_member(const struct ssdup_ctx *ctx, const char *spec, bool export)
{
	char log[UUID_TEXT], pool[UUID_TEXT];
	struct member member;
	struct dev dev;
	int r = EXIT_NOT_FOUND;

	/* Who looks for a log next complains. */
	if (dev_find_quietly(spec, &dev))
		return r;
	member_of(&dev, &member);
	if (member.fault == LOG_OK) {
		uuid_text(log, member.m.uuid);
		uuid_text(pool, member.m.pool);
		if (export)
			printf("ID_FS_TYPE=ssdup_hdd\nID_FS_USAGE=other\n"
			       "SSDUP_MEMBER=%s\nSSDUP_POOL=%s\n", log, pool);
		else
			printf("%s: the HDD of log %s (pool %s), which has newer data\n",
			       dev.path, log, pool);
		r = EXIT_OK;
	}
	member_free(&member);
	dev_free(&dev);
	return r;
}

int cmd_probe(struct ssdup_ctx *ctx, int argc, char **argv)
{
	struct ssd_names ssds = { };
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
	r = probe_member(ctx, argv[optind], export);
	if (r != EXIT_NOT_FOUND)
		return r;
	ssd_names_add(&ssds, argv[optind]);
	r = log_open(ctx, &l, &ssds, NULL, DISK_PROBE, NO_COPY);
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
