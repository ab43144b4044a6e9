// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup tab --check: what would go wrong with a line of ssduptab at the next boot, said as
 * "findmnt --verify" does for fstab. Nothing is written.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host.h"
#include "identity.h"
#include "json.h"
#include "keys.h"
#include "ssds.h"
#include "tabcheck.h"

struct side {
	const char	*what;		/* "HDD" or "SSD" */
	const char	*spec;
	struct dev	dev;
	bool		there;		/* it is a block device, and @dev is it */
	bool		read;		/* @log is what it holds */
	struct ssd_log	log;
};

struct line {
	const struct tab_entry *e;
	struct side		hdd;
	struct side		ssd;
	u8			hdd_id[SSDUP_HDD_ID_BYTES];	/* all zero: unknown */
	struct ssdup_settings	set;
};

struct check {
	unsigned int	errors;
	unsigned int	warnings;
	bool		quiet;		/* they are only counted */
	struct json	*json;		/* for programs; NULL: for people */
	const char	*name;		/* of the line that was complained about last */
};

/* --- Saying it --- */

static void __attribute__((format(printf, 4, 5)))
say(struct check *c, const struct tab_entry *e, bool error, const char *fmt, ...)
{
	char *text = NULL;
	va_list args;

	error ? c->errors++ : c->warnings++;
	if (c->quiet)
		return;
	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		abort();
	va_end(args);
	if (c->json) {
		json_begin(c->json, NULL, '{');
		json_text(c->json, "name", e->name);
		json_number(c->json, "line", e->line);
		json_text(c->json, "severity", error ? "error" : "warning");
		json_text(c->json, "text", text);
		json_end(c->json, '}');
	} else {
		if (c->name != e->name)
			printf("%s\n", e->name);
		c->name = e->name;
		printf("   [%c] %s\n", error ? 'E' : 'W', text);
	}
	free(text);
}

/* --- Keys --- */

static void check_keys(struct check *c, struct line *l)
{
	char *args = xstrdup(l->e->args), *save = NULL, *key, *fault;
	const char *why;

	ssdup_settings_preset(&l->set);
	for (key = strtok_r(args, " ", &save); key; key = strtok_r(NULL, " ", &save)) {
		fault = key_fault(&l->set, key, strtok_r(NULL, " ", &save) ?: "");
		if (fault)
			say(c, l->e, true, "%s", fault);
		free(fault);
	}
	why = ssdup_settings_conflict(&l->set);
	if (why)
		say(c, l->e, true, "%s", why);
	free(args);
}

/* --- Disks --- */

/* Disks are numbered in the order in which they are found. */
static bool is_unstable(const char *spec)
{
	static const char *const names[] = {
		"/dev/sd", "/dev/hd", "/dev/vd", "/dev/xvd", "/dev/nvme", "/dev/loop", "/dev/dm-",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		/* Not a volume group that is called so: /dev/VG/LV */
		if (!strncmp(spec, names[i], strlen(names[i])) &&
		    !strchr(spec + strlen("/dev/"), '/'))
			return true;
	/* MAJOR:MINOR */
	return *spec >= '0' && *spec <= '9';
}

/* The device has what its HDD holds, and so it has these names too. */
static bool is_of_contents(const char *spec)
{
	static const char *const names[] = {
		"UUID=", "LABEL=", "/dev/disk/by-uuid/", "/dev/disk/by-label/",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(spec, names[i], strlen(names[i])))
			return true;
	return false;
}

static void check_spec(struct check *c, const struct tab_entry *e, const struct side *s, bool hdd)
{
	if (is_unstable(s->spec))
		say(c, e, false,
		    "the %s, %s, may have another name after a boot: take one of /dev/disk/by-id",
		    s->what, s->spec);
	/* Of the SSD that is the log, which is there once. */
	if (hdd && is_of_contents(s->spec))
		say(c, e, false,
		    "the HDD, %s, is named by what it holds, and the device holds that too: take a name of /dev/disk/by-id",
		    s->spec);
}

/* @name: of the log, @hdd_id: of the HDD that it is for; or all zero */
static void read_log(struct check *c, const struct tab_entry *e, struct side *s, const char *name,
		     const u8 *hdd_id)
{
	int fd = dev_open(&s->dev, O_RDONLY);
	struct ssds ssds = ssds_some(fd);
	int r = fd < 0 ? fd : ssd_log_read_for(&ssds, &s->log, name, hdd_id);

	if (!r)
		ssd_blank_read(fd, &s->log);
	if (fd >= 0)
		close(fd);
	s->read = !r;
	if (r)
		say(c, e, false, "the %s, %s, cannot be read: %s%s", s->what, s->spec,
		    strerror(-r), r == -EACCES || r == -EPERM ? root_hint() : "");
}

static void check_side(struct check *c, const struct tab_entry *e, struct side *s)
{
	bool needed = !e->nofail && !e->noauto;
	char *why;

	switch (dev_find_quietly(s->spec, &s->dev)) {
	case EXIT_OK:
		break;
	case EXIT_NOT_FOUND:
		say(c, e, needed, "the %s, %s, is not there", s->what, s->spec);
		return;
	case EXIT_REFUSED:
		say(c, e, true, "the %s, %s, is there twice", s->what, s->spec);
		return;
	default:
		say(c, e, true, "the %s, %s, is no block device, or cannot be looked at", s->what,
		    s->spec);
		return;
	}
	if (!s->dev.rdev) {
		say(c, e, true, "the %s, %s, is no block device", s->what, s->spec);
		dev_free(&s->dev);
		return;
	}
	if (dev_is_path(s->dev.rdev)) {
		say(c, e, true,
		    "the %s, %s, is a path of a multipath device: name that, as below /dev/disk/by-id/dm-uuid-mpath-*",
		    s->what, s->spec);
		dev_free(&s->dev);
		return;
	}
	why = ssd_set_missing(s->spec);
	if (why)
		say(c, e, needed, "the %s, %s, %s", s->what, s->spec, why);
	free(why);
	s->there = true;
}

/* By the key "log". */
static bool named_log(const struct line *l)
{
	return memchr_inv(l->set.log, 0, sizeof(l->set.log));
}

/* The kernel does not look. */
static void check_hdd_id(struct check *c, const struct line *l)
{
	const u8 *wanted = ssd_super(&l->ssd.log)->hdd_id;
	char log[IDENTITY_TEXT], text[IDENTITY_TEXT];

	if (identity_other(wanted, l->hdd_id))
		say(c, l->e, true, "the HDD, %s, is %s, and the log on %s is for %s", l->hdd.spec,
		    identity_text(text, l->hdd_id), l->ssd.spec, identity_text(log, wanted));
}

static void check_host(struct check *c, const struct line *l)
{
	const u8 *host = host_known(l->set.host) ? l->set.host : this_host();
	const struct log_super *s = ssd_super(&l->ssd.log);
	char text[HOST_TEXT];

	if ((l->set.override & SSDUP_OVERRIDE_HOST) || !log_of_other_host(s, host))
		return;
	say(c, l->e, true, "the log on %s is active on %s, or was when that went down",
	    l->ssd.spec, host_text(text, s->host_name));
}

/* Nothing but the size tells that the log is for this HDD. */
static bool unsure(const struct line *l)
{
	return !named_log(l) && !spec_uuid(l->ssd.spec) && l->ssd.read &&
	       l->ssd.log.fault == LOG_OK && l->hdd.there &&
	       !(identity_known(l->hdd_id) && identity_known(ssd_super(&l->ssd.log)->hdd_id));
}

static void say_unsure(struct check *c, const struct line *l)
{
	say(c, l->e, true,
	    "the SSD, %s, serves several HDDs, or has done so, and nothing says that its log is for %s: name it by UUID= or log=",
	    l->ssd.spec, l->hdd.spec);
}

static void check_ssd_log(struct check *c, const struct line *l)
{
	const struct log_super *s = ssd_super(&l->ssd.log);
	enum log_fault fault = l->ssd.log.fault;
	unsigned int block;

	if (fault == LOG_BLANK) {
		say(c, l->e, false,
		    "the SSD, %s, is blank: a log is written to it at the next boot", l->ssd.spec);
		return;
	}
	if (fault != LOG_OK) {
		say(c, l->e, true, "the SSD, %s, holds no log that can be used: %s (fault %d)",
		    l->ssd.spec, ssdup_log_fault_text(fault), fault);
		return;
	}
	check_host(c, l);
	if (unsure(l) && ssd_pool(&l->ssd.log)->logs != LOG_FIRST)
		say_unsure(c, l);
	if (!l->hdd.there)
		return;
	block = l->hdd.dev.block > l->ssd.dev.block ? l->hdd.dev.block : l->ssd.dev.block;
	fault = ssdup_log_super_fits(s, l->hdd.dev.bytes / SECTOR_BYTES,
				     l->ssd.dev.bytes / SECTOR_BYTES,
				     block / SECTOR_BYTES, NULL);
	if (fault != LOG_OK)
		say(c, l->e, true, "the SSD, %s, holds a log that is %s (fault %d)", l->ssd.spec,
		    ssdup_log_fault_text(fault), fault);
	check_hdd_id(c, l);
}

static void read_logs(struct check *c, struct line *l)
{
	const char *name = spec_uuid(l->ssd.spec);
	char uuid[UUID_TEXT];

	if (l->hdd.there) {
		dev_identity(&l->hdd.dev, l->hdd_id);
		read_log(c, l->e, &l->hdd, NULL, l->hdd_id);
	}
	if (named_log(l))
		name = uuid_text(uuid, l->set.log);
	if (l->ssd.there)
		read_log(c, l->e, &l->ssd, name, l->hdd_id);
}

static void check_disks(struct check *c, struct line *l)
{
	enum log_fault fault;

	check_spec(c, l->e, &l->hdd, true);
	check_spec(c, l->e, &l->ssd, false);
	check_side(c, l->e, &l->hdd);
	check_side(c, l->e, &l->ssd);
	read_logs(c, l);
	fault = l->hdd.log.fault;
	if (l->hdd.read && fault != LOG_BLANK && fault != LOG_NOT_OURS &&
	    fault != LOG_OVERWRITTEN)
		say(c, l->e, true, "the HDD, %s, holds a log: is it the SSD?", l->hdd.spec);
	if (l->ssd.read)
		check_ssd_log(c, l);
	if (l->hdd.there && l->ssd.there && l->hdd.dev.rdev == l->ssd.dev.rdev)
		say(c, l->e, true, "HDD and SSD are the same device");
}

/* --- Lines --- */

static bool same_side(const struct side *a, const struct side *b)
{
	return !strcmp(a->spec, b->spec) ||
	       (a->there && b->there && a->dev.rdev == b->dev.rdev);
}

/* Of one SSD. */
static bool other_log(const struct line *a, const struct line *b)
{
	if (a->ssd.read && b->ssd.read && a->ssd.log.fault == LOG_OK &&
	    b->ssd.log.fault == LOG_OK)
		return memcmp(ssd_super(&a->ssd.log)->uuid, ssd_super(&b->ssd.log)->uuid, 16);
	return named_log(a) && named_log(b) && memcmp(a->set.log, b->set.log, sizeof(a->set.log));
}

/* A disk has one place in the whole table, but an SSD may hold several logs. */
static void check_twice(struct check *c, const struct line *all, const struct line *l)
{
	const struct side *mine[] = { &l->hdd, &l->ssd };
	const struct line *o;
	size_t i;

	for (o = all; o < l; o++) {
		if (unsure(l) && !strcmp(l->ssd.spec, o->ssd.spec))
			say_unsure(c, l);
		for (i = 0; i < 2; i++) {
			if (same_side(mine[i], &o->hdd))
				say(c, l->e, true, "the %s, %s, is the HDD of %s too",
				    mine[i]->what, mine[i]->spec, o->e->name);
			if (same_side(mine[i], &o->ssd) &&
			    (mine[i] == &l->hdd || !other_log(l, o)))
				say(c, l->e, true, "the %s, %s, is the SSD of %s too",
				    mine[i]->what, mine[i]->spec, o->e->name);
		}
	}
}

static const char *plural(unsigned int nr)
{
	return nr == 1 ? "" : "s";
}

static void look(struct check *c, const struct tab *tab)
{
	struct line *all = xalloc((tab->nr + 1) * sizeof(*all)), *l;

	for (l = all; l < all + tab->nr; l++) {
		l->e = &tab->entry[l - all];
		l->hdd = (struct side){ .what = "HDD", .spec = l->e->hdd };
		l->ssd = (struct side){ .what = "SSD", .spec = l->e->ssd };
		check_keys(c, l);
		check_disks(c, l);
		check_twice(c, all, l);
	}
	while (l > all) {
		l--;
		dev_free(&l->hdd.dev);
		dev_free(&l->ssd.dev);
	}
	free(all);
}

void tab_count(const struct tab *tab, unsigned int *errors, unsigned int *warnings)
{
	struct check c = { .quiet = true };

	look(&c, tab);
	*errors = c.errors;
	*warnings = c.warnings;
}

static void say_faults(struct json *j, const struct tab *tab)
{
	const struct tab_fault *f;

	for (f = tab->fault; f < tab->fault + tab->faults; f++) {
		json_begin(j, NULL, '{');
		json_text(j, "name", NULL);
		json_number(j, "line", f->line);
		json_text(j, "severity", "parse error");
		json_text(j, "text", f->why);
		json_end(j, '}');
	}
}

static void look_for_programs(struct check *c, const struct tab *tab)
{
	struct json j = { .to = stdout };

	c->json = &j;
	json_begin(&j, NULL, '{');
	json_begin(&j, "findings", '[');
	say_faults(&j, tab);
	look(c, tab);
	json_end(&j, ']');
	json_number(&j, "parse_errors", tab->faults);
	json_number(&j, "errors", c->errors);
	json_number(&j, "warnings", c->warnings);
	json_end(&j, '}');
}

int tab_check(const struct ssdup_ctx *ctx, const struct tab *tab, bool json)
{
	struct check c = { };

	if (access(ctx->tab, F_OK))
		return fail(ctx, EXIT_FAILED, ctx->tab, "%s", strerror(errno));
	if (json) {
		look_for_programs(&c, tab);
		return c.errors || tab->faults ? EXIT_FAILED : EXIT_OK;
	}
	look(&c, tab);
	if (!c.errors && !c.warnings && !tab->faults)
		printf("Success, no errors or warnings detected\n");
	else
		printf("%s%u parse error%s, %u error%s, %u warning%s\n", c.name ? "\n" : "",
		       tab->faults, plural(tab->faults), c.errors, plural(c.errors), c.warnings,
		       plural(c.warnings));
	return c.errors || tab->faults ? EXIT_FAILED : EXIT_OK;
}
