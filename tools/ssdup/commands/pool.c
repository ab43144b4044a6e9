// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup pool: SSDs that hold logs, the logs of one of them, and one of these forgotten; an SSD
 * more, or less.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <libsmartcols/libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "lib/dev.h"
#include "lib/host.h"
#include "lib/identity.h"
#include "lib/pool.h"
#include "lib/ssds.h"
#include "poolssd.h"

struct args {
	bool		json;
	bool		unsaved;
	bool		take_over;
	bool		force;
};

/* --- Tables --- */

struct column {
	const char	*name;
	bool		number;
};

static struct libscols_table *new_table(const char *name, const struct column *c, size_t nr,
					bool json)
{
	struct libscols_table *table = xgiven(scols_new_table());
	struct libscols_column *column;
	size_t i;

	scols_table_enable_json(table, json);
	scols_table_set_name(table, name);
	for (i = 0; i < nr; i++) {
		column = xgiven(scols_table_new_column(table, c[i].name, 0, c[i].number ?
						      SCOLS_FL_RIGHT : 0));
		if (c[i].number)
			scols_column_set_json_type(column, SCOLS_JSON_NUMBER);
	}
	return table;
}

static char *size_column(uint64_t bytes, bool json)
{
	char size[SIZE_TEXT];

	return json ? xprintf("%llu", (unsigned long long)bytes) :
		      xstrdup(format_size(size, bytes));
}

static char *count_column(uint64_t nr)
{
	return xprintf("%llu", (unsigned long long)nr);
}

/* --- SSDs --- */

struct found {
	char		*path;
	dev_t		rdev;
	struct ssd_log	log;
};

struct list {
	struct found	*all;
	unsigned int	nr;
	bool		denied;		/* some could not be opened */
};

static void look_for_pool(void *arg, const char *path)
{
	struct list *l = arg;
	struct dev dev;
	struct ssd_log log;
	struct ssds ssds;
	int fd;

	if (dev_find_quietly(path, &dev)) {
		l->denied |= access(path, R_OK) && errno == EACCES;
		return;
	}
	fd = dev_open(&dev, O_RDONLY);
	l->denied |= fd == -EACCES || fd == -EPERM;
	ssds = ssds_some(fd);
	if (fd >= 0 && !ssd_log_read(&ssds, &log, NULL) && log.part[PART_SUPER].fault == LOG_OK) {
		l->all = xmore(l->all, l->nr, sizeof(*l->all));
		l->all[l->nr++] = (struct found){ xstrdup(path), dev.rdev, log };
	}
	if (fd >= 0)
		close(fd);
	dev_free(&dev);
}

/* Another device takes its place: an array, or a multipath device. */
static bool hidden(const struct list *l, const struct found *f)
{
	const struct found *o;

	for (o = l->all; o < l->all + l->nr; o++)
		if (o != f && dev_lies_on(o->rdev, f->rdev))
			return true;
	return false;
}

static void add_pool(struct libscols_table *table, const struct found *f, const struct members *m,
		     bool json)
{
	struct libscols_line *line = xgiven(scols_table_new_line(table, NULL));
	const struct log_super *s = ssd_pool(&f->log);
	char uuid[UUID_TEXT];

	scols_line_refer_data(line, 0, xstrdup(f->path));
	scols_line_refer_data(line, 1, xstrdup(uuid_text(uuid, s->pool)));
	scols_line_refer_data(line, 2, count_column(pool_nr_logs(s)));
	scols_line_refer_data(line, 3, count_column(m->nr));
	scols_line_refer_data(line, 4, size_column((u64)s->g.nr_segments *
						   s->g.segment_sectors * SECTOR_BYTES, json));
	if (m->nr)
		scols_line_refer_data(line, 5,
				      size_column(m->all->v.pool_segments_free *
						  s->g.segment_sectors * SECTOR_BYTES, json));
}

static int pool_list(struct ssdup_ctx *ctx, const struct args *a)
{
	static const struct column columns[] = {
		{ "SSD" }, { "POOL" }, { "LOGS", true }, { "ACTIVE", true }, { "SIZE", true },
		{ "FREE", true },
	};
	struct libscols_table *table;
	struct list l = { };
	struct members m;
	unsigned int i;
	int r = EXIT_OK;

	dev_each(look_for_pool, &l);
	if (!l.nr && l.denied)
		return fail(ctx, EXIT_FAILED, NULL, "the disks cannot be looked at%s", root_hint());
	table = new_table("pools", columns, sizeof(columns) / sizeof(columns[0]), a->json);
	for (i = 0; i < l.nr && !r; i++) {
		if (hidden(&l, &l.all[i]))
			continue;
		r = members_read(ctx, l.all[i].rdev, &m);
		if (!r)
			add_pool(table, &l.all[i], &m, a->json);
		members_free(&m);
	}
	if (!r && (l.nr || a->json))
		scols_print_table(table);
	else if (!r)
		note(ctx, "There is no SSD with a log.");
	scols_unref_table(table);
	while (l.nr)
		free(l.all[--l.nr].path);
	free(l.all);
	return r;
}

/* --- The logs of one --- */

/* Does a device use it? */
static bool is_used(const struct ssdup_ctx *ctx, const char *ssd)
{
	struct members m;
	struct dev dev;
	bool used;

	if (dev_find_quietly(ssd, &dev))
		return false;
	used = dev.rdev && !members_read(ctx, dev.rdev, &m);
	if (used) {
		used = m.nr;
		members_free(&m);
	}
	dev_free(&dev);
	return used;
}

static int pool_open(const struct ssdup_ctx *ctx, struct pool *p, const char *ssd,
		     const char *name, int flags)
{
	struct ssd_names names = { .of = { ssd }, .nr = 1 };
	u32 i;
	int r;

	memset(p, 0, sizeof(*p));
	p->lock = -1;
	/* A device that runs has what counts, whatever has become of a mirror. */
	names.lost = is_used(ctx, ssd);
	r = ssd_set_find(ctx, &p->ssds, &names);
	if (r)
		return r;
	p->ssd = *ssd_set_first(&p->ssds);
	if (p->ssd.rdev && flags != O_RDONLY) {
		p->lock = dev_lock(&p->ssd);
		if (p->lock < 0)
			return fail(ctx, EXIT_FAILED, p->ssd.path, "%s", strerror(-p->lock));
	}
	if (p->ssd.rdev)
		r = members_read(ctx, p->ssd.rdev, &p->members);
	for_each_disk(&p->ssds, i)
		if (flags != O_RDONLY && !r &&
		    (!p->members.nr || !members_alone(&p->members, p->ssds.dev[i].rdev)))
			r = dev_refuse_used(ctx, &p->ssds.dev[i], "stop who uses it");
	r = r ?: ssd_set_open(ctx, &p->ssds, flags == O_RDONLY || p->members.nr ? flags :
									  flags | O_EXCL);
	if (r)
		return r;
	r = ssd_log_read(&p->ssds.io, &p->log, name);
	if (r)
		return fail(ctx, EXIT_LOST, p->ssd.path, "cannot be read: %s", strerror(-r));
	if (p->log.part[PART_SUPER].fault == LOG_OK)
		return EXIT_OK;
	if (p->log.fault == LOG_BLANK || p->log.fault == LOG_NOT_OURS)
		return fail(ctx, EXIT_NOT_FOUND, p->ssd.path, "holds no log");
	return fail(ctx, EXIT_LOST, p->ssd.path,
		    "holds a log that is refused: %s; see \"ssdup check\"",
		    ssdup_log_fault_text(p->log.fault));
}

static void pool_close(struct pool *p)
{
	if (p->lock >= 0)
		close(p->lock);
	members_free(&p->members);
	ssd_set_close(&p->ssds);
}

static char *state_of_log(const struct pool *p, const struct ssd_log *log,
			  const struct state *device)
{
	const struct log_super *s = ssd_super(log);
	char host[HOST_TEXT];

	if (log->fault != LOG_OK)
		return xstrdup("damaged");
	if (device)
		return xstrdup(device->suspended ? "suspended" : mode_words(device->v.mode));
	if (log_of_other_host(s, this_host()))
		return xprintf("on %s", host_text(host, s->host_name));
	return xstrdup(ssd_log_used(&p->ssds.io, s) ? "holds data" : "empty");
}

struct print {
	struct libscols_table *table;
	const struct pool *p;
	bool		json;
};

static int add_log(void *arg, const struct ssd_log *log)
{
	const struct print *to = arg;
	const struct pool *p = to->p;
	const struct log_super *s = ssd_super(log);
	const struct state *device = log->fault == LOG_OK ?
				     members_find(&p->members, s->uuid) : NULL;
	struct libscols_line *line = xgiven(scols_table_new_line(to->table, NULL));
	char uuid[UUID_TEXT], hdd[IDENTITY_TEXT];

	scols_line_refer_data(line, 0, count_column(log->number));
	scols_line_refer_data(line, 2, state_of_log(p, log, device));
	if (log->fault != LOG_OK)
		return 0;
	scols_line_refer_data(line, 1, xstrdup(uuid_text(uuid, s->uuid)));
	if (device) {
		scols_line_refer_data(line, 3, xstrdup(device->name));
		scols_line_refer_data(line, 6, size_column(state_log_bytes(device), to->json));
		scols_line_refer_data(line, 7, size_column(state_dirty_bytes(device), to->json));
	}
	if (identity_known(s->hdd_id))
		scols_line_refer_data(line, 4, xstrdup(identity_text(hdd, s->hdd_id)));
	scols_line_refer_data(line, 5, size_column(s->hdd_sectors * SECTOR_BYTES, to->json));
	return 0;
}

/* Those of a pool whose SSDs have come or gone. */
static void say_ssds(const struct ssdup_ctx *ctx, const struct pool *p, bool json)
{
	const struct log_super *s = ssd_pool(&p->log);
	const char *path;
	u32 i;

	for (i = 0; i < s->ssds.nr && s->ssds.made && !json; i++) {
		path = i < p->ssds.io.nr ? p->ssds.dev[i].path : NULL;
		note(ctx, "SSD %u: %s%s", i, path ?: "not there", ssd_state_text(s->ssds.state[i]));
	}
}

static int pool_status(struct ssdup_ctx *ctx, const char *ssd, const struct args *a)
{
	static const struct column columns[] = {
		{ "LOG", true }, { "UUID" }, { "STATE" }, { "DEVICE" }, { "HDD" },
		{ "HDD-SIZE", true }, { "SIZE", true }, { "DIRTY", true },
	};
	struct pool p;
	struct print to = { .p = &p, .json = a->json };
	int r = pool_open(ctx, &p, ssd, NULL, O_RDONLY);

	to.table = new_table("logs", columns, sizeof(columns) / sizeof(columns[0]), a->json);
	if (!r) {
		ssd_each_log(&p.ssds.io, &p.log, ssd_pool(&p.log), add_log, &to);
		scols_print_table(to.table);
		say_ssds(ctx, &p, a->json);
	}
	scols_unref_table(to.table);
	pool_close(&p);
	return r;
}

/* --- One log less --- */

static int refuse_forget(const struct ssdup_ctx *ctx, const struct pool *p, const char *name,
			 bool take_over)
{
	const struct state *device;

	if (p->log.fault == LOG_ABSENT)
		return fail(ctx, EXIT_NOT_FOUND, p->ssd.path,
			    "holds no log that is called %s; \"ssdup pool status %s\" lists them",
			    name, p->ssd.path);
	if (!ssd_several(&p->log))
		return fail(ctx, EXIT_REFUSED, p->ssd.path,
			    "holds no other log; \"ssdup detach\" takes the last one away");
	device = p->log.fault == LOG_OK ?
		 members_find(&p->members, ssd_super(&p->log)->uuid) : NULL;
	if (device)
		return fail(ctx, EXIT_REFUSED, p->ssd.path,
			    "log %u is active, as %s; \"ssdup detach %s\" empties it and takes it away",
			    p->log.number, device->name, device->name);
	if (p->log.fault != LOG_OK && p->members.nr)
		return fail(ctx, EXIT_REFUSED, p->ssd.path,
			    "log %u is damaged: while others are active it cannot be named; remove their devices first",
			    p->log.number);
	return p->members.nr || take_over ? EXIT_OK :
	       pool_refuse_host(ctx, p->ssd.path, &p->ssds.io, &p->log, ssd_pool(&p->log),
				this_host());
}

static int forget(struct ssdup_ctx *ctx, const char *ssd, const char *name, const struct args *a)
{
	struct pool p;
	int r;

	if (!log_name_valid(name))
		return bad_usage(ctx, "neither the UUID of a log nor its number: %s", name);
	r = pool_open(ctx, &p, ssd, name, O_RDWR) ?: refuse_forget(ctx, &p, name, a->take_over) ?:
	    pool_forget(ctx, p.ssd.path, &p.ssds.io, &p.members, &p.log, a->unsaved);
	if (!r)
		note(ctx, "%s: log %u is forgotten%s", p.ssd.path, p.log.number, a->unsaved ?
		     "; \"ssdup release\" makes its HDD a disk of its own" : "");
	pool_close(&p);
	return r;
}

/* --- An SSD more, or less --- */

static int refuse_degraded(const struct ssdup_ctx *ctx, const struct pool *p)
{
	const struct state *s;

	for (s = p->members.all; s < p->members.all + p->members.nr; s++)
		if (s->suspended || s->v.mode || s->v.ssds_out || s->read_only)
			return fail(ctx, EXIT_REFUSED, s->name,
				    "is %s: its table cannot be changed",
				    s->suspended ? "suspended" : s->v.mode ? mode_words(s->v.mode) :
				    s->v.ssds_out ? "without an SSD that failed" : "read-only");
	return EXIT_OK;
}

static int refuse_old(const struct ssdup_ctx *ctx, const struct pool *p, const char *old)
{
	struct dev dev;
	int r;

	if (!strcmp(old, "-"))
		return fail(ctx, EXIT_REFUSED, p->ssd.path,
			    "no mirror is missing, or several are: name the one that goes");
	r = dev_find(ctx, old, &dev);
	dev_free(&dev);
	return r;
}

/* @new, @old: or NULL */
static int change_ssds(struct ssdup_ctx *ctx, const char *ssd, const char *new, const char *old,
		       const struct args *a)
{
	struct pool p;
	int r = pool_open(ctx, &p, ssd, NULL, O_RDWR) ?: refuse_degraded(ctx, &p), number;

	number = !r && new && old ? pool_mirror_of(&p, old) : -1;
	if (number >= 0) {
		r = pool_mirror_replace(ctx, &p, number, old, new, a->force);
		pool_close(&p);
		return r;
	}
	/* Before anything is added for it. */
	if (!r && new && old)
		r = refuse_old(ctx, &p, old);
	if (!r && !p.members.nr && !a->take_over)
		r = pool_refuse_host(ctx, p.ssd.path, &p.ssds.io, &p.log, ssd_pool(&p.log),
				     this_host());
	if (!r && new)
		r = pool_ssd_add(ctx, &p, new, a->force);
	/* The set of SSDs is another one now. */
	if (!r && new && old) {
		pool_close(&p);
		r = pool_open(ctx, &p, ssd, NULL, O_RDWR);
	}
	if (!r && old)
		r = pool_ssd_remove(ctx, &p, old);
	pool_close(&p);
	return r;
}

/* --- The command --- */

int cmd_pool(struct ssdup_ctx *ctx, int argc, char **argv)
{
	struct args a = { };
	const char *what;
	int opt;

	while ((opt = next_option(ctx, argc, argv))) {
		if (opt == OPT_STOP)
			return ctx->exit;
		a.json |= opt == OPT_JSON;
		a.unsaved |= opt == OPT_UNSAVED;
		a.take_over |= opt == OPT_TAKE_OVER;
		a.force |= opt == OPT_FORCE;
		ctx->quiet |= opt == 'q';
	}
	if (!operands(ctx, argc, argv, 1, 4))
		return ctx->exit;
	what = argv[optind];
	if (!strcmp(what, "list"))
		return operands(ctx, argc, argv, 1, 1) ? pool_list(ctx, &a) : ctx->exit;
	if (!strcmp(what, "status"))
		return operands(ctx, argc, argv, 2, 2) ?
		       pool_status(ctx, argv[optind + 1], &a) : ctx->exit;
	if (!strcmp(what, "forget"))
		return operands(ctx, argc, argv, 3, 3) ?
		       forget(ctx, argv[optind + 1], argv[optind + 2], &a) : ctx->exit;
	if (!strcmp(what, "add"))
		return operands(ctx, argc, argv, 3, 3) ?
		       change_ssds(ctx, argv[optind + 1], argv[optind + 2], NULL, &a) : ctx->exit;
	if (!strcmp(what, "remove"))
		return operands(ctx, argc, argv, 3, 3) ?
		       change_ssds(ctx, argv[optind + 1], NULL, argv[optind + 2], &a) : ctx->exit;
	if (!strcmp(what, "replace"))
		return operands(ctx, argc, argv, 4, 4) ?
		       change_ssds(ctx, argv[optind + 1], argv[optind + 3], argv[optind + 2], &a) :
		       ctx->exit;
	return bad_usage(ctx, "neither list, status, forget, add, remove nor replace: %s", what);
}
