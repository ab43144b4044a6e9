// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup pool: an SSD comes, or goes.
 *
 * Each step leaves a pool that can be activated. One that comes has a superblock before the others
 * name it, and the others name it before any table does. One that goes is empty before the others
 * say that it is not used, and they say so before any table does without it. A table is made by
 * what the superblock says, so a boot in between finds what it needs.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "dm-ssdup/core/ssds.h"

#include "lib/dev.h"
#include "lib/pair.h"
#include "lib/tab.h"
#include "lib/wait.h"
#include "poolssd.h"

#define LOOK_MS		500U
#define PATIENCE_MS	30000U	/* with nothing left that an active log has */

/* --- What each step says --- */

static int ask(const struct ssdup_ctx *ctx, const struct pool *p, char *text)
{
	int r = pool_ask(ctx, p->ssd.path, &p->members, text);

	free(text);
	return r;
}

static char *state_message(u32 number, const char *state)
{
	return xprintf("ssd_state %u %s", number, state);
}

/* For a table. Numbers from the pool, as it is now. */
static char *names_of(const struct pool *p, const struct log_super *s, u32 number,
		      const struct dev *dev)
{
	struct ssd_set set = p->ssds;
	u32 i;

	set.dev[number] = dev ? *dev : (struct dev){ };
	set.io.nr = s->ssds.nr;
	set.mirrored = s->ssds.mirrors;
	for (i = 0; i < set.io.nr; i++)
		if (ssds_unused(&s->ssds, i))
			set.dev[i].path = NULL;
	return ssd_set_table(&set);
}

/* A table with other SSDs, which names its log where there are several; free() it. */
static char *with_ssds(const char *params, const char *names, const char *log)
{
	char *words = xstrdup(params), *save = NULL, *hdd, *key, *value, *args = xstrdup(""), *more;

	hdd = strtok_r(words, " ", &save);
	strtok_r(NULL, " ", &save);
	strtok_r(NULL, " ", &save);
	while ((key = strtok_r(NULL, " ", &save)) && (value = strtok_r(NULL, " ", &save))) {
		if (!strcmp(key, "ssd") || !strcmp(key, "mirror"))
			continue;
		if (!strcmp(key, "log"))
			log = NULL;
		more = xprintf("%s%s%s %s", args, *args ? " " : "", key, value);
		free(args);
		args = more;
	}
	if (log) {
		more = xprintf("%s%slog %s", args, *args ? " " : "", log);
		free(args);
		args = more;
	}
	more = table_line(hdd, names, args);
	free(args);
	free(words);
	return more;
}

int pool_reload(const struct ssdup_ctx *ctx, struct pool *p, char *names)
{
	const struct state *s;
	struct dmdev d;
	char *params;
	int r, code = EXIT_OK;

	members_free(&p->members);
	code = members_read(ctx, p->ssd.rdev, &p->members);
	for (s = p->members.all; s < p->members.all + p->members.nr; s++) {
		if (dmdev_table(s->name, &d))
			continue;
		params = with_ssds(d.params, names, ssd_several(&p->log) ? s->log_uuid : NULL);
		reason_mark();
		r = strcmp(params, d.params) ?
		    dmdev_reload(s->name, s->sectors, params, s->sectors, d.params) : 0;
		free(params);
		dmdev_free(&d);
		if (!r)
			continue;
		params = reason_read(s->rdev);
		code = fail(ctx, EXIT_FAILED, s->name, "%s: %s; remove it, and make it again",
			    r == -EUCLEAN ? "left suspended" : "cannot be reloaded with other SSDs",
			    params ?: strerror(-r));
		free(params);
	}
	free(names);
	return code;
}

static int write_pool(const struct ssdup_ctx *ctx, const struct pool *p, struct log_super *s)
{
	int r;

	s->pool_seq++;
	r = ssd_part_write(&p->ssds.io, PART_SUPER, s);
	return r ? fail(ctx, EXIT_FAILED, p->ssd.path, "cannot be written: %s", strerror(-r)) :
		   EXIT_OK;
}

/* --- One comes --- */

struct limits {
	const struct pool *p;
	u32	block;		/* of the logs: the smallest, in bytes */
	u32	lifetimes;	/* the most */
	bool	renumbered;	/* one has had more SSDs since it was last empty */
	bool	absent;		/* and it has no device, and may hold something */
};

static int look_at_log(void *arg, const struct ssd_log *log)
{
	const struct log_super *s = ssd_super(log);
	struct limits *l = arg;

	if (log->fault != LOG_OK)
		return 0;
	l->block = min(l->block, s->g.block_sectors * (u32)SECTOR_BYTES);
	l->lifetimes = max(l->lifetimes, s->classes.nr / s->classes.nr_ssds);
	l->renumbered |= s->classes.era;
	l->absent |= s->classes.era && !members_find(&l->p->members, s->uuid) &&
		     ssd_log_used(&l->p->ssds.io, s);
	return 0;
}

/* The lifetimes of a table's key "classes", with the one that has no name. */
static u32 lifetimes_of(const char *args)
{
	const char *names = args ? strstr(args, "classes ") : NULL;
	u32 nr = 1;

	if (!names)
		return nr;
	for (nr++, names += strlen("classes "); *names && *names != ' '; names++)
		nr += *names == '+';
	return nr;
}

/* A log that is empty takes them from its table. */
static void look_at_tables(const struct ssdup_ctx *ctx, struct limits *l)
{
	const struct members *m = &l->p->members;
	struct dmdev d;
	struct tab tab;
	unsigned int i;

	for (i = 0; i < m->nr; i++) {
		if (dmdev_table(m->all[i].name, &d))
			continue;
		l->lifetimes = max(l->lifetimes, lifetimes_of(d.params));
		dmdev_free(&d);
	}
	if (tab_read(ctx, &tab))
		return;
	for (i = 0; i < tab.nr; i++)
		l->lifetimes = max(l->lifetimes, lifetimes_of(tab.entry[i].args));
	tab_free(&tab);
}

static int refuse_contents(const struct ssdup_ctx *ctx, const struct pool *p,
			   const struct dev *dev, int fd, bool force)
{
	struct ssds one = ssds_some(fd);
	struct ssd_log log;
	bool ours;
	char *what;
	int r = ssd_log_read(&one, &log, NULL);

	if (r)
		return fail(ctx, EXIT_LOST, dev->path, "cannot be read: %s", strerror(-r));
	ours = log.part[PART_SUPER].fault == LOG_OK &&
	       !memcmp(ssd_pool(&log)->pool, ssd_pool(&p->log)->pool, 16);
	/* It was one, or was to become one, and the others do not name it. */
	if (ours)
		return EXIT_OK;
	if (ssd_holds_log(&log))
		return fail(ctx, EXIT_REFUSED, dev->path,
			    "holds a log of its own; \"ssdup detach\" takes it away");
	if (force)
		return EXIT_OK;
	ssd_blank_read(fd, &log);
	what = dev_signature(dev);
	r = what || log.fault != LOG_BLANK ?
	    fail(ctx, EXIT_REFUSED, dev->path, "holds %s; give another SSD, or --force",
		 what ?: "something unknown in its first or last MiB") : EXIT_OK;
	free(what);
	return r;
}

static int refuse_new(const struct ssdup_ctx *ctx, const struct pool *p, const struct dev *dev,
		      const struct limits *l)
{
	u32 i;
	int r;

	if (p->ssd.rdev && !dev->rdev)
		return fail(ctx, EXIT_REFUSED, dev->path, "not a block device");
	r = (dev->rdev ? dev_refuse_used(ctx, dev, "give another disk") : EXIT_OK) ?:
	    dev_refuse_path(ctx, dev);
	for_each_disk(&p->ssds, i)
		r = r ?: dev_refuse_same(ctx, &p->ssds.dev[i], dev, false);
	for (i = 0; i < p->members.nr && !r; i++)
		if (p->members.all[i].hdd == dev->rdev)
			r = fail(ctx, EXIT_REFUSED, dev->path, "is the HDD of %s",
				 p->members.all[i].name);
	if (!r && dev->block > l->block)
		r = fail(ctx, EXIT_REFUSED, dev->path,
			 "has blocks of %u bytes, and a log has blocks of %u", dev->block,
			 l->block);
	return r;
}

/* The place for it: that of an unused one, if it is large enough; or the next one. */
static u32 choose_number(const struct log_super *s, const struct dev *dev, u32 *segments)
{
	struct log_geometry g = s->g;
	u32 i;

	g.nr_segments = 0;
	*segments = ssdup_log_ssd_room(&g, dev->bytes / SECTOR_BYTES);
	for (i = 0; i < s->ssds.nr; i++)
		if (s->ssds.nr > 1 && s->ssds.state[i] == SSDUP_SSD_UNUSED &&
		    s->ssds.segments[i] <= *segments)
			return i;
	*segments = ssdup_log_ssd_room(&s->g, dev->bytes / SECTOR_BYTES);
	return log_nr_ssds(&s->ssds);
}

/* Headers and pages of the time when it was in the pool must not be taken for those of today. */
static int wipe_heads(int fd, const struct log_super *s, const struct dev *dev)
{
	u64 end = log_home(dev->bytes / SECTOR_BYTES, 1), at;
	void *head = xpages(LOG_HEAD_BYTES);
	const struct ssdup_header *h = head;
	int r = 0;

	for (at = s->g.segment_start; at + s->g.segment_sectors <= end && !r;
	     at += s->g.segment_sectors) {
		r = read_all(fd, head, LOG_HEAD_BYTES, at * SECTOR_BYTES);
		if (r || le32_to_cpu(h->magic) != SSDUP_HEADER_MAGIC)
			continue;
		memset(head, 0, LOG_HEAD_BYTES);
		r = write_all(fd, head, LOG_HEAD_BYTES, at * SECTOR_BYTES);
	}
	free(head);
	return r;
}

int pool_ssd_wipe(const struct pool *p, const struct dev *dev, int fd)
{
	return ssd_log_wipe(fd, 0) ?: dev_wipe_signatures(dev) ?:
	       wipe_heads(fd, ssd_pool(&p->log), dev);
}

/* Its superblock is older than those of the others, so nobody takes it for theirs. */
static int write_new(const struct ssdup_ctx *ctx, const struct pool *p,
		     const struct log_super *new, u32 number, const struct dev *dev, int fd)
{
	struct log_super s = *new;
	struct ssds one = { .nr = number + 1 };
	int r = pool_ssd_wipe(p, dev, fd);

	s.pool_seq = SSDS_BEING_MADE + 1;
	s.ssd_sectors = dev->bytes / SECTOR_BYTES;
	memset(one.fd, -1, sizeof(one.fd));
	one.fd[number] = fd;
	one.sectors[number] = s.ssd_sectors;
	r = r ?: ssd_part_write(&one, PART_SUPER, &s);
	return r ? fail(ctx, EXIT_FAILED, dev->path, "cannot be written: %s", strerror(-r)) :
		   EXIT_OK;
}

/* From now on. The kernel says so, or the tool where no device runs. */
static int use(const struct ssdup_ctx *ctx, struct pool *p, struct log_super *s, u32 number)
{
	ssdup_ssds_set(s, number, SSDUP_SSD_USED);
	return p->members.nr ? ask(ctx, p, state_message(number, "used")) : write_pool(ctx, p, s);
}

static int name_it(const struct ssdup_ctx *ctx, struct pool *p, struct log_super *s, u32 number,
		   u32 segments)
{
	char uuid[UUID_TEXT];
	int r;

	if (p->members.nr) {
		uuid_text(uuid, s->ssds.uuid[number]);
		r = ask(ctx, p, xprintf("ssd_add %u %s %u", number, uuid, segments));
		if (r)
			return r;
	}
	return use(ctx, p, s, number);
}

int pool_ssd_fits(const struct ssdup_ctx *ctx, const struct pool *p, const struct dev *dev, int fd,
		  bool force)
{
	struct limits l = { .p = p, .block = SSDUP_PAGE_BYTES };

	ssd_each_log(&p->ssds.io, &p->log, ssd_pool(&p->log), look_at_log, &l);
	return refuse_new(ctx, p, dev, &l) ?: refuse_contents(ctx, p, dev, fd, force);
}

static int add_new(const struct ssdup_ctx *ctx, struct pool *p, const struct dev *dev, int fd,
		   bool force)
{
	struct limits l = { .p = p, .block = SSDUP_PAGE_BYTES, .lifetimes = 1 };
	struct log_super s = *ssd_pool(&p->log);
	u32 segments, number = choose_number(&s, dev, &segments), i;
	char size[SIZE_TEXT];
	bool more = number == log_nr_ssds(&s.ssds);
	u8 uuid[16], first[16];
	int r;

	ssd_each_log(&p->ssds.io, &p->log, &s, look_at_log, &l);
	look_at_tables(ctx, &l);
	r = pool_ssd_fits(ctx, p, dev, fd, force);
	if (r)
		return r;
	log_new_uuid(uuid);
	log_new_uuid(first);
	if (more && l.absent)
		return fail(ctx, EXIT_REFUSED, p->ssd.path,
			    "a log without a device holds data of before the last SSD came: make its device, and drain it; see \"ssdup pool status\"");
	if (more && l.lifetimes * (number + 1) > SSDUP_MAX_CLASSES)
		return fail(ctx, EXIT_REFUSED, p->ssd.path,
			    "a log has %u classes, so it can be on %u SSDs at most", l.lifetimes,
			    SSDUP_MAX_CLASSES / l.lifetimes);
	if (!ssdup_ssds_add(&s, number, uuid, segments, first))
		return fail(ctx, EXIT_REFUSED, dev->path,
			    number == SSDUP_MAX_SSDS ? "the pool has as many SSDs as it can have" :
						       "too small for the pool");
	/* What they have of before the last one came has to go first. */
	for (i = 0; more && i < p->members.nr && l.renumbered && !r; i++)
		r = drain_and_wait(ctx, &p->members.all[i], 0);
	if (r)
		return r;
	r = write_new(ctx, p, &s, number, dev, fd) ?:
	    name_it(ctx, p, &s, number, segments);
	if (r)
		return r;
	r = pool_reload(ctx, p, names_of(p, &s, number, dev));
	if (!r)
		note(ctx, "%s: is SSD %u now, with %s", dev->path, number,
		     format_size(size, (u64)s.ssds.segments[number] * s.g.segment_sectors *
				       SECTOR_BYTES));
	return r;
}

/* Return: the number of an SSD that the pool names, or -1 */
static int number_of(const struct pool *p, int fd)
{
	const struct log_super *pool = ssd_pool(&p->log), *s;
	struct ssds one = ssds_some(fd);
	struct ssd_log log;

	if (ssd_log_read(&one, &log, NULL) || log.part[PART_SUPER].fault != LOG_OK)
		return -1;
	s = ssd_pool(&log);
	if (memcmp(s->pool, pool->pool, sizeof(s->pool)) || s->ssds.nr < 2 ||
	    s->ssds.index >= pool->ssds.nr ||
	    memcmp(s->ssds.uuid[s->ssds.index], pool->ssds.uuid[s->ssds.index], 16))
		return -1;
	return s->ssds.index;
}

/*
 * What the user means; close what is in *@fd, and dev_free() it. *@number: see number_of(). Return:
 * EXIT_OK, or an exit code with the complaint made.
 */
static int open_ssd(const struct ssdup_ctx *ctx, const struct pool *p, const char *name,
		    struct dev *dev, int *fd, int *number)
{
	int r = dev_find(ctx, name, dev);

	if (r)
		return r;
	*fd = dev_open(dev, O_RDWR);
	if (*fd < 0) {
		r = fail(ctx, EXIT_FAILED, dev->path, "%s", strerror(-*fd));
		dev_free(dev);
		return r;
	}
	*number = number_of(p, *fd);
	return EXIT_OK;
}

/* It leaves, or was not quite added: it is used from now on. */
static int use_again(const struct ssdup_ctx *ctx, struct pool *p, u32 number,
		     const struct dev *dev)
{
	struct log_super s = *ssd_pool(&p->log);
	int r;

	if (s.ssds.state[number] == SSDUP_SSD_USED && !p->members.nr)
		return fail(ctx, EXIT_REFUSED, dev->path, "is an SSD of the pool already");
	r = use(ctx, p, &s, number);
	if (r)
		return r;
	r = pool_reload(ctx, p, names_of(p, &s, number, dev));
	if (!r)
		note(ctx, "%s: is SSD %u", dev->path, number);
	return r;
}

int pool_ssd_add(const struct ssdup_ctx *ctx, struct pool *p, const char *new, bool force)
{
	struct dev dev;
	int fd, number, r = open_ssd(ctx, p, new, &dev, &fd, &number);

	if (r)
		return r;
	/* What an unused one has of the pool may be of long ago. */
	r = number < 0 || ssds_unused(&ssd_pool(&p->log)->ssds, number) ?
	    add_new(ctx, p, &dev, fd, force) : use_again(ctx, p, number, &dev);
	close(fd);
	dev_free(&dev);
	return r;
}

/* --- One goes --- */

/* A line that names it would not find the log any more. */
static int refuse_named(const struct ssdup_ctx *ctx, const struct dev *dev)
{
	struct tab tab;
	struct dev named;
	unsigned int i;
	int r = EXIT_OK;

	if (tab_read(ctx, &tab))
		return EXIT_OK;
	for (i = 0; i < tab.nr && !r; i++) {
		if (spec_uuid(tab.entry[i].ssd) || dev_find_quietly(tab.entry[i].ssd, &named))
			continue;
		if (named.rdev == dev->rdev)
			r = fail(ctx, EXIT_REFUSED, dev->path,
				 "is named in line %u of %s: put UUID= of the log there",
				 tab.entry[i].line, ctx->tab);
		dev_free(&named);
	}
	tab_free(&tab);
	return r;
}

u64 pool_bytes_left(const struct pool *p, char *text)
{
	char *answer;
	u64 sectors = 0;
	unsigned int i;

	for (i = 0; i < p->members.nr; i++) {
		if (dmdev_ask(p->members.all[i].name, text, &answer))
			continue;
		sectors += strtoull(answer, NULL, 10);
		free(answer);
	}
	free(text);
	return sectors * SECTOR_BYTES;
}

/* Bytes that the logs have there. */
static u64 left_on(const struct pool *p, u32 number)
{
	return pool_bytes_left(p, xprintf("ssd_left %u", number));
}

/* Until the kernel says that nothing is there. */
static int wait_until_empty(const struct ssdup_ctx *ctx, const struct pool *p, u32 number,
			    const char *path)
{
	bool bar = !ctx->quiet && isatty(STDERR_FILENO);
	char *text = state_message(number, "unused"), *why = NULL, size[SIZE_TEXT], eta[SIZE_TEXT];
	u64 first = left_on(p, number), left = first, rate;
	u64 since = now_ms();
	struct progress progress = { };
	struct ticker ticker;
	int r;

	catch_signals();
	ticker_begin(&ticker);
	while ((r = pool_try(&p->members, text, &why)) == -EBUSY && !interrupted() &&
	       now_ms() - since < PATIENCE_MS) {
		free(why);
		why = NULL;
		left = left_on(p, number);
		since = left ? now_ms() : since;
		progress_update(&progress, now_ms(), left, first > left ? first - left : 0);
		rate = rate_now(&progress.rate);
		if (bar)
			bar_show(&progress);
		else
			ticker_show(ctx, &ticker, path, "%s left, %s", format_size(size, left),
				    rate ? format_time(eta, left / rate) : "no rate known yet");
		usleep(LOOK_MS * 1000);
	}
	if (bar)
		bar_clear();
	ticker_end(&ticker);
	free(text);
	if (r == -EBUSY && !interrupted()) {
		free(why);
		return fail(ctx, EXIT_REFUSED, path,
			    "a log that is not active has something there: make its device, and say this again; see \"ssdup pool status\"");
	}
	if (r == -EBUSY) {
		free(why);
		return fail(ctx, EXIT_INTERRUPTED, path,
			    "interrupted with %s left. It goes on; \"ssdup pool add\" lets it stay",
			    format_size(size, left));
	}
	return pool_told(ctx, path, r, why);
}

/* While no device runs, only an SSD that is empty can go. */
static int leave_offline(const struct ssdup_ctx *ctx, struct pool *p, u32 number,
			 const struct dev *dev)
{
	u8 *owner = pool_owners(&p->ssds.io, &p->log, ssd_pool(&p->log));
	struct log_super s = *ssd_pool(&p->log);
	bool empty = true;
	u32 i, first;

	for (i = 0; i < s.g.nr_segments; i++)
		empty &= ssdup_log_ssd_of(&s.ssds, i, &first) != number || owner[i] == POOL_FREE;
	free(owner);
	if (!empty)
		return fail(ctx, EXIT_REFUSED, dev->path,
			    "holds data that its HDD lacks: make the devices (\"ssdup create\"), and say this again");
	if (!ssdup_ssds_set(&s, number, SSDUP_SSD_LEAVES) ||
	    !ssdup_ssds_set(&s, number, SSDUP_SSD_UNUSED))
		return fail(ctx, EXIT_REFUSED, dev->path, "is the last SSD of the pool");
	return write_pool(ctx, p, &s);
}

static int let_it_leave(const struct ssdup_ctx *ctx, struct pool *p, u32 number,
			const struct dev *dev)
{
	struct log_super s = *ssd_pool(&p->log);
	u64 begin = now_ms(), bytes;
	char size[SIZE_TEXT], took[SIZE_TEXT];
	int r;

	if (s.ssds.state[number] == SSDUP_SSD_USED &&
	    !ssdup_ssds_set(&s, number, SSDUP_SSD_LEAVES))
		return fail(ctx, EXIT_REFUSED, dev->path, "is the last SSD of the pool");
	r = ask(ctx, p, state_message(number, "leaves"));
	if (r)
		return r;
	ssdup_ssds_set(&s, number, SSDUP_SSD_UNUSED);
	bytes = left_on(p, number);
	note(ctx, "%s: leaves; %s are to be written back first", dev->path,
	     format_size(size, bytes));
	/* It may take hours, and others need not wait for that. */
	close(p->lock);
	p->lock = -1;
	r = wait_until_empty(ctx, p, number, dev->path);
	if (r)
		return r;
	p->lock = dev_lock(&p->ssd);
	if (p->lock < 0)
		return fail(ctx, EXIT_FAILED, p->ssd.path, "%s", strerror(-p->lock));
	r = pool_reload(ctx, p, names_of(p, &s, number, NULL));
	if (!r)
		note(ctx, "%s: %s written back in %s", dev->path, format_size(size, bytes),
		     format_time(took, (now_ms() - begin + 999) / 1000));
	return r;
}

int pool_ssd_remove(const struct ssdup_ctx *ctx, struct pool *p, const char *old)
{
	const struct log_super *s = ssd_pool(&p->log);
	struct dev dev;
	int fd, number, r = open_ssd(ctx, p, old, &dev, &fd, &number);

	if (r)
		return r;
	if (number < 0)
		r = fail(ctx, EXIT_NOT_FOUND, dev.path, "is no SSD of this pool, or its only one");
	if (!r && s->ssds.mirrors & BIT(number))
		r = fail(ctx, EXIT_REFUSED, dev.path,
			 "is one of two that hold the same: \"ssdup pool replace\" replaces it");
	r = r ?: refuse_named(ctx, &dev);
	if (!r && !ssds_unused(&s->ssds, number))
		r = p->members.nr ? let_it_leave(ctx, p, number, &dev) :
				    leave_offline(ctx, p, number, &dev);
	else if (!r)
		r = pool_reload(ctx, p, names_of(p, s, number, NULL));
	if (!r && dev.rdev)
		r = dev_refuse_used(ctx, &dev, "say this again");
	if (!r) {
		r = ssd_log_wipe(fd, dev.bytes / SECTOR_BYTES);
		r = r ? fail(ctx, EXIT_FAILED, dev.path,
			     "is not in use any more, but cannot be wiped: %s", strerror(-r)) :
			EXIT_OK;
	}
	if (!r)
		note(ctx, "%s: is no SSD of the pool any more", dev.path);
	close(fd);
	dev_free(&dev);
	return r;
}
