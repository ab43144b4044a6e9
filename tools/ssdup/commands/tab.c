// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup tab: ssduptab for scripts: its lines, whether both disks of one are there, and
 * which of them a device is whose udev event is being handled.
 */
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "commands.h"
#include "lib/dev.h"
#include "lib/json.h"
#include "lib/member.h"
#include "lib/ssds.h"
#include "lib/tab.h"
#include "lib/tabcheck.h"

struct args {
	bool	automatic;
	bool	initrd;
	bool	ready;
	bool	udev;
	bool	check;
	bool	json;
};

/* --- Lines --- */

static void print_field(const char *s, char end)
{
	char *text = tab_field(s);

	printf("%s%c", text, end);
	free(text);
}

static void print_entry(const struct tab_entry *e)
{
	char *args = xstrdup(e->args), *save = NULL, *key, *value;
	const char *comma = "";

	print_field(e->name, ' ');
	print_field(e->hdd, ' ');
	print_field(e->ssd, ' ');
	for (key = strtok_r(args, " ", &save); key; key = strtok_r(NULL, " ", &save)) {
		value = strtok_r(NULL, " ", &save);
		printf("%s%s=%s", comma, key, value ?: "");
		comma = ",";
	}
	printf("%s%s", e->noauto ? comma : "", e->noauto ? "noauto" : "");
	comma = e->noauto ? "," : comma;
	printf("%s%s", e->nofail ? comma : "", e->nofail ? "nofail" : "");
	comma = e->nofail ? "," : comma;
	printf("%s%s", e->initrd ? comma : "", e->initrd ? "x-initrd.attach" : "");
	comma = e->initrd ? "," : comma;
	puts(*comma ? "" : "-");
	free(args);
}

static void print_entry_json(struct json *j, const struct tab_entry *e)
{
	char *args = xstrdup(e->args), *save = NULL, *key;

	json_begin(j, NULL, '{');
	json_text(j, "name", e->name);
	json_text(j, "hdd", e->hdd);
	json_text(j, "ssd", e->ssd);
	json_begin(j, "keys", '{');
	for (key = strtok_r(args, " ", &save); key; key = strtok_r(NULL, " ", &save))
		json_text(j, key, strtok_r(NULL, " ", &save));
	json_end(j, '}');
	json_bool(j, "noauto", e->noauto);
	json_bool(j, "nofail", e->nofail);
	json_bool(j, "initrd", e->initrd);
	json_end(j, '}');
	free(args);
}

static bool missing(const struct tab_entry *e, const char *what, const char *spec)
{
	bool path = false;
	char *why = NULL;
	struct dev dev;
	int r = dev_find_quietly(spec, &dev);

	if (!r) {
		path = dev_is_path(dev.rdev);
		dev_free(&dev);
		/* The other SSDs of its log. */
		why = path ? NULL : ssd_set_missing(spec);
		if (!path && !why)
			return false;
	}
	printf("%s: the %s, %s, %s\n", e->name, what, spec, why ?:
	       path ? "is a path of a multipath device, which is not there" :
	       r == EXIT_REFUSED ? "is there twice" : "is not there");
	free(why);
	return true;
}

static int print_missing(const struct tab_entry *e)
{
	char *spec = member_spec(e->hdd, e->ssd);
	bool hdd = missing(e, "HDD", spec);

	free(spec);
	return missing(e, "SSD", e->ssd) || hdd ? EXIT_NOT_FOUND : EXIT_OK;
}

static int print_entries(struct ssdup_ctx *ctx, const struct tab *tab, const struct args *a,
			 char **names)
{
	struct json j = { .to = stdout };
	unsigned int i;
	int r = EXIT_OK, one;
	char **name;

	if (a->json)
		json_begin(&j, NULL, '[');
	for (name = names; *name; name++)
		if (!tab_find(tab, *name))
			r = fail(ctx, EXIT_NOT_FOUND, *name, "no such line in %s", ctx->tab);
	for (i = 0; i < tab->nr; i++) {
		const struct tab_entry *e = &tab->entry[i];

		if ((a->automatic && e->noauto) || (a->initrd && !e->initrd))
			continue;
		for (name = names; *name && strcmp(*name, e->name); name++)
			;
		if (*names && !*name)
			continue;
		one = a->ready ? print_missing(e) : EXIT_OK;
		if (a->json)
			print_entry_json(&j, e);
		else if (!a->ready)
			print_entry(e);
		r = r ?: one;
	}
	if (a->json)
		json_end(&j, ']');
	return r;
}

/* --- In an udev rule: the environment is what udev knows so far --- */

static bool is_env(const char *variable, const char *value)
{
	const char *is = getenv(variable);

	return is && !strcmp(is, value);
}

/* Of words with blanks between them. */
static bool is_in_env(const char *variable, const char *word)
{
	const char *words = getenv(variable), *p;
	size_t len = strlen(word);

	for (p = words; len && p && (p = strstr(p, word)); p += len)
		if ((p == words || p[-1] == ' ') && (!p[len] || p[len] == ' '))
			return true;
	return false;
}

static bool has_link(const char *path)
{
	return is_env("DEVNAME", path) || is_in_env("DEVLINKS", path);
}

static bool has_id(const char *prefix, const char *id)
{
	char *path = xprintf("/dev/disk/by-id/%s%s", prefix, id);
	bool has = has_link(path);

	free(path);
	return has;
}

/* A path of other making, such as another name of the same node. */
static bool is_node(const char *path)
{
	char number[DEV_NUMBER], *event;
	struct dev dev;
	bool is;

	if (dev_find_quietly(path, &dev))
		return false;
	event = xprintf("%s:%s", getenv("MAJOR") ?: "", getenv("MINOR") ?: "");
	is = dev.rdev && !strcmp(dev_number(number, dev.rdev), event);
	free(event);
	dev_free(&dev);
	return is;
}

static bool is_event(const char *spec)
{
	static const char *const tags[][2] = {
		{ "UUID=", "ID_FS_UUID" }, { "LABEL=", "ID_FS_LABEL" },
		{ "PARTUUID=", "ID_PART_ENTRY_UUID" }, { "PARTLABEL=", "ID_PART_ENTRY_NAME" },
	};
	size_t i, len;

	if (*spec == '/')
		return has_link(spec) || is_node(spec);
	/* An SSD may hold several logs. */
	if (spec_uuid(spec) && is_in_env("SSDUP_LOGS", spec_uuid(spec)))
		return true;
	for (i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
		len = strlen(tags[i][0]);
		if (!strncmp(spec, tags[i][0], len))
			return is_env(tags[i][1], spec + len);
	}
	if (!strncmp(spec, "ID=", 3))
		return has_id("", spec + 3);
	if (!strncmp(spec, "WWN=", 4))
		return has_id("wwn-", spec + 4) || has_id("nvme-", spec + 4);
	return false;
}

/* Its file system is masked while its log is not empty, and so is the name of that. */
static bool is_member_of(const struct tab_entry *e)
{
	const char *uuid = spec_uuid(e->ssd);

	return uuid && is_env("SSDUP_MEMBER", uuid);
}

/*
 * Links that tell of the contents must not lead to an HDD that is out of date, unless
 * that is how the tab finds it.
 */
static bool stale(const char *link, const char *named)
{
	return strcmp(link, named) && (!strncmp(link, "/dev/disk/by-uuid/", 18) ||
				       !strncmp(link, "/dev/disk/by-label/", 19));
}

static void print_links(const char *named)
{
	char *links = xstrdup(getenv("DEVLINKS") ?: ""), *save = NULL, *link;
	const char *space = "";

	printf("SSDUP_LINKS=");
	for (link = strtok_r(links, " ", &save); link; link = strtok_r(NULL, " ", &save)) {
		if (stale(link, named) || strncmp(link, "/dev/", 5))
			continue;
		printf("%s%s", space, link + 5);
		space = " ";
	}
	putchar('\n');
	free(links);
}

/* Nobody reads what a program says to udev. */
static void tell_kernel_log(const struct ssdup_ctx *ctx, const struct tab_fault *f)
{
	int fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	char *text;

	text = xprintf("<4>ssdup: %s line %u: %s; no device is made, its HDD (%s) is hidden\n",
		       ctx->tab, f->line, f->why, getenv("DEVNAME") ?: f->hdd);
	if (fd >= 0) {
		if (write(fd, text, strlen(text)) < 0)
			warn(ctx, "/dev/kmsg", "cannot be written");
		close(fd);
	}
	free(text);
}

/* Whatever is wrong with the line, the log of its HDD may hold newer data. */
static int print_faulty(const struct ssdup_ctx *ctx, const struct tab *tab)
{
	const struct tab_fault *f;

	for (f = tab->fault; f < tab->fault + tab->faults; f++) {
		if (!f->hdd || !is_event(f->hdd))
			continue;
		puts("SSDUP_ROLE=hdd");
		print_links(f->hdd);
		tell_kernel_log(ctx, f);
		return EXIT_OK;
	}
	return EXIT_NOT_FOUND;
}

/* Or one of the SSDs of a log, of which the line names another one. */
static bool is_ssd_event(const char *spec)
{
	u8 pool[16];

	return is_event(spec) ||
	       (uuid_read(getenv("SSDUP_POOL") ?: "", pool) && ssd_of_pool(spec, pool));
}

/* All devices that it has a log for; false for none. */
static bool print_ssd(const struct tab *tab)
{
	const struct tab_entry *e, *end = tab->entry + tab->nr;
	bool is = false, automatic = false;

	for (e = tab->entry; e < end; e++) {
		if (!is_ssd_event(e->ssd))
			continue;
		is = true;
		automatic |= !e->noauto;
	}
	if (!is)
		return false;
	printf("SSDUP_ROLE=ssd\nSSDUP_NAME=");
	for (e = tab->entry; e < end; e++)
		if (is_ssd_event(e->ssd) && e->noauto != automatic)
			printf("%s ", e->name);
	printf("\nSSDUP_AUTO=%d\n", automatic);
	return true;
}

static int print_event(const struct ssdup_ctx *ctx, const struct tab *tab)
{
	const struct tab_entry *e;
	unsigned int i;

	/* The disk is multipathd's. */
	if (*(getenv("DM_MULTIPATH_DEVICE_PATH") ?: "0") != '0')
		return EXIT_NOT_FOUND;
	/* The rule has it from the whole disk. */
	if (is_env("DEVTYPE", "partition") && is_env("SSDUP_ROLE", "hdd")) {
		puts("SSDUP_ROLE=hdd-part");
		print_links("");
		return EXIT_OK;
	}
	for (i = 0; i < tab->nr; i++) {
		e = &tab->entry[i];
		if (!is_event(e->hdd) && !is_member_of(e))
			continue;
		printf("SSDUP_ROLE=hdd\nSSDUP_NAME=%s\n", e->name);
		print_links(e->hdd);
		printf("SSDUP_AUTO=%d\n", !e->noauto);
		return EXIT_OK;
	}
	return print_ssd(tab) ? EXIT_OK : print_faulty(ctx, tab);
}

int cmd_tab(struct ssdup_ctx *ctx, int argc, char **argv)
{
	struct args a = { };
	struct tab tab;
	int opt, r;

	while ((opt = next_option(ctx, argc, argv)) > OPT_END) {
		a.automatic |= opt == OPT_AUTO;
		a.initrd |= opt == OPT_INITRD;
		a.ready |= opt == OPT_READY;
		a.udev |= opt == OPT_UDEV;
		a.check |= opt == OPT_CHECK;
		a.json |= opt == OPT_JSON;
	}
	if (opt == OPT_STOP || !operands(ctx, argc, argv, 0, a.udev || a.check ? 0 : -1))
		return ctx->exit;
	if (a.json && (a.ready || a.udev))
		return bad_usage(ctx, "--json: not with --%s", a.ready ? "ready" : "udev");
	r = tab_read(ctx, &tab);
	if (r)
		return fail(ctx, EXIT_FAILED, ctx->tab, "%s", strerror(-r));
	if (a.check)
		r = tab_check(ctx, &tab, a.json);
	else
		r = a.udev ? print_event(ctx, &tab) :
			     print_entries(ctx, &tab, &a, argv + optind);
	tab_free(&tab);
	return r;
}
