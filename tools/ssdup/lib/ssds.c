// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: the SSDs of a log: found, and opened.
 */
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dm-ssdup/core/ssds.h"

#include "ssds.h"
#include "twins.h"

bool ssd_names_add(struct ssd_names *names, const char *name)
{
	if (names->nr == SSDUP_MAX_SSDS)
		return false;
	names->of[names->nr++] = name;
	return true;
}

bool take_ssd(struct ssdup_ctx *ctx, struct ssd_names *names)
{
	if (!ssd_names_add(names, optarg))
		bad_usage(ctx, "a log is on %u SSDs at most", SSDUP_MAX_SSDS);
	return !ctx->exit;
}

bool take_mirror(struct ssdup_ctx *ctx, struct ssd_names *names)
{
	if (!names->nr || names->mirror[names->nr - 1])
		bad_usage(ctx, "--mirror stands behind the --ssd that it is the mirror of");
	else
		names->mirror[names->nr - 1] = optarg;
	return !ctx->exit;
}

bool parse_log_name(struct ssdup_ctx *ctx, const char **name)
{
	if (!log_name_valid(optarg)) {
		bad_usage(ctx, "--log: neither the UUID of a log nor a number up to %u: %s",
			  SSDUP_MAX_LOGS - 1, optarg);
		return false;
	}
	*name = optarg;
	return true;
}

bool parse_copy(struct ssdup_ctx *ctx, int *copy)
{
	uint64_t value;

	if (parse_number(optarg, 0, 1, &value)) {
		bad_usage(ctx, "--copy: neither 0 nor 1: %s", optarg);
		return false;
	}
	*copy = value;
	return true;
}

/*
 * The superblock of one SSD. Return: are there others?
 * @twin: of one with a mirror: which of the two it is
 */
static bool is_one_of_several(const struct dev *dev, struct log_super *s, struct twin_found *twin)
{
	int fd = dev_open(dev, O_RDONLY);
	struct ssds ssds = ssds_some(fd);
	struct ssd_log log;
	bool is;

	if (fd < 0)
		return false;
	is = !ssd_log_read(&ssds, &log, NULL) && log.part[PART_SUPER].fault == LOG_OK &&
	     (ssd_pool(&log)->ssds.nr > 1 || ssd_pool(&log)->ssds.mirrors);
	if (is)
		*s = *ssd_pool(&log);
	if (is)
		twin->there = ssd_twin_read(fd, s->ssd_sectors, &twin->block);
	close(fd);
	return is;
}

static bool same_pool(const struct log_super *a, const struct log_super *b)
{
	return !memcmp(a->pool, b->pool, sizeof(a->pool)) &&
	       !memcmp(a->ssds.uuid[a->ssds.index], b->ssds.uuid[a->ssds.index], 16);
}

/* --- Looking for those that nobody named --- */

struct search {
	const struct log_super *pool;
	u32		ssd;
	const u8	*uuid;		/* of one of two that hold the same; NULL: the newest */
	u32		place;		/* of those found, see struct ssd_set */
	u64		seq;		/* of them, see twin_seq() */
	char		**found;
	unsigned int	nr;
};

static void forget_found(struct search *search)
{
	while (search->nr)
		free(search->found[--search->nr]);
}

/* Is it what is looked for? */
static bool is_wanted(struct search *search, const struct log_super *s,
		      const struct twin_found *twin)
{
	u32 place = ssd_place(s, twin);
	u64 seq = twin_seq(twin);

	if (!same_pool(s, search->pool) || s->ssds.index != search->ssd || place == SSD_DISKS)
		return false;
	if (search->uuid)
		return !memcmp(twin->block.member[twin->block.index], search->uuid, 16);
	if (twin_is_part(twin) || seq < search->seq ||
	    (search->nr && seq == search->seq && place != search->place))
		return false;
	/* One that another one has taken the place of does not know that. */
	if (seq > search->seq)
		forget_found(search);
	search->seq = seq;
	search->place = place;
	return true;
}

static void look_for_ssd(void *arg, const char *path)
{
	struct search *search = arg;
	struct twin_found twin;
	struct log_super s;
	struct dev dev;

	if (dev_find_quietly(path, &dev))
		return;
	if (is_one_of_several(&dev, &s, &twin) && is_wanted(search, &s, &twin)) {
		search->found = xmore(search->found, search->nr, sizeof(*search->found));
		search->found[search->nr++] = xstrdup(path);
	}
	dev_free(&dev);
}

/*
 * Return: NULL, with no path in @dev if it is not there; or that it is there twice, free() it.
 * @place: set to that of @dev, unless it is looked for by its UUID
 */
static char *find_other(const struct log_super *pool, u32 ssd, const u8 *uuid, struct dev *dev,
			u32 *place)
{
	struct search search = { .pool = pool, .ssd = ssd, .uuid = uuid };
	char *path, *twice = NULL, *why = NULL;

	memset(dev, 0, sizeof(*dev));
	dev_each(look_for_ssd, &search);
	path = dev_choose(search.found, search.nr, &twice);
	if (twice)
		why = xprintf("number %u of its log is on two disks, %s; take the copy out", ssd,
			      twice);
	else if (path)
		dev_find_quietly(path, dev);
	*place = search.place;
	forget_found(&search);
	free(search.found);
	free(twice);
	free(path);
	return why;
}

/* --- All of them --- */

/* Those that were named, in the places that they have. Return: is one of them no SSD of the log? */
static bool to_their_places(struct ssd_set *set, const struct log_super *pool)
{
	struct dev dev[SSD_DISKS] = { };
	struct twin_found twin;
	struct log_super s;
	u32 i, place;

	for_each_disk(set, i) {
		if (!is_one_of_several(&set->dev[i], &s, &twin) || !same_pool(&s, pool) ||
		    s.ssds.index >= pool->ssds.nr)
			return true;
		place = ssd_place(&s, &twin);
		if (place == SSD_DISKS || dev[place].path)
			return true;
		dev[place] = set->dev[i];
	}
	/* One that is not used has nothing to say. */
	for (i = 0; i < pool->ssds.nr; i++)
		if (ssds_unused(&pool->ssds, i))
			dev_free(&dev[i]);
	memcpy(set->dev, dev, sizeof(dev));
	set->io.nr = pool->ssds.nr;
	set->mirrored = pool->ssds.mirrors;
	return false;
}

/* What stands on one of two that hold the same. */
static struct twin_found twin_of(const struct dev *dev)
{
	struct twin_found twin = { TWIN_ABSENT };
	struct log_super s;

	if (dev->path)
		is_one_of_several(dev, &s, &twin);
	return twin;
}

/* The other one of two, which one of them names. @have: index of that. As find_ssd() */
static char *find_partner(struct ssd_set *set, const struct log_super *pool, u32 ssd, u32 have)
{
	struct dev *mine = &set->dev[have ? ssd_mirror(ssd) : ssd], other;
	struct twin_found twin = twin_of(mine), its;
	u32 place;
	char *why = find_other(pool, ssd, twin.block.member[!have], &other, &place);

	if (why || !other.path)
		return why;
	its = twin_of(&other);
	if (!memcmp(its.block.member[have], twin.block.member[have], 16)) {
		set->dev[have ? ssd : ssd_mirror(ssd)] = other;
		return NULL;
	}
	/* It names another one in this place: this one was not filled yet, or was replaced. */
	if (twin_is_part(&twin)) {
		dev_free(mine);
		set->dev[have ? ssd : ssd_mirror(ssd)] = other;
		return find_partner(set, pool, ssd, !have);
	}
	dev_free(&other);
	return xstrdup("is not of its log any more: another one has taken its place");
}

/* One of two that hold the same, or both. @named: a bit for each of them. As find_ssd() */
static char *find_twins(struct ssd_set *set, const struct log_super *pool, u32 ssd, u32 named,
			const struct ssd_names *names)
{
	struct dev *both[SSDUP_TWINS] = { &set->dev[ssd], &set->dev[ssd_mirror(ssd)] }, any;
	struct twin_found found[SSDUP_TWINS];
	char *why = NULL;
	u32 place;
	int which;

	if (!both[0]->path && !both[1]->path) {
		why = find_other(pool, ssd, NULL, &any, &place);
		if (why || !any.path)
			return why;
		set->dev[place] = any;
	}
	if (!both[0]->path || !both[1]->path)
		why = find_partner(set, pool, ssd, both[0]->path ? 0 : 1);
	if (why)
		return why;
	found[0] = twin_of(both[0]);
	found[1] = twin_of(both[1]);
	why = twins_choose(found, named, names->lost, &which);
	set->apart |= which == TWINS_RAN_APART ? BIT(ssd) : 0;
	if (why || which == TWINS_BOTH)
		return why;
	/* The other one is not used. */
	any = *both[which];
	both[which]->path = NULL;
	if (twins_ran_apart(found))
		set->given_up[ssd] = *both[!which];
	else
		dev_free(both[!which]);
	both[0]->path = NULL;
	both[1]->path = NULL;
	set->dev[ssd] = any;
	return NULL;
}

/* It is to be there, with its mirror. Return: NULL, or why it is not; free() it. */
static char *find_ssd(struct ssd_set *set, const struct log_super *pool, u32 ssd, u32 named,
		      const struct ssd_names *names)
{
	char uuid[UUID_TEXT], *why = NULL;
	u32 place;

	if (set->mirrored & BIT(ssd))
		why = find_twins(set, pool, ssd, named, names);
	else if (!set->dev[ssd].path)
		why = find_other(pool, ssd, NULL, &set->dev[ssd], &place);
	if (why || set->dev[ssd].path || names->lost)
		return why;
	return xprintf("is one of %u SSDs of a log; number %u (%s) is not there, or damaged",
		       pool->ssds.nr, ssd, uuid_text(uuid, pool->ssds.uuid[ssd]));
}

/* What the newest of them says, or zero. */
static struct log_super newest(const struct ssd_set *set)
{
	struct log_super pool = { }, s;
	struct twin_found twin;
	u32 i;

	for_each_disk(set, i)
		if (is_one_of_several(&set->dev[i], &s, &twin) && !ssds_being_made(&s) &&
		    s.pool_seq > pool.pool_seq)
			pool = s;
	return pool;
}

/*
 * The newest says which there are. One that has left does not know of those that came since, but
 * the others do. Others than these are refused when all are looked at.
 */
static char *complete(struct ssd_set *set, const struct ssd_names *names)
{
	struct log_super pool = newest(set);
	char *why = NULL;
	u32 i, named;
	u64 seq;

	do {
		seq = pool.pool_seq;
		if (!seq || to_their_places(set, &pool))
			return NULL;
		set->io.some = false;
		for (i = 0; i < set->io.nr && !why; i++) {
			if (ssds_unused(&pool.ssds, i))
				continue;
			/* What the tool has found by a UUID nobody has chosen. */
			named = (set->dev[i].path ? BIT(0) : 0) |
				(set->dev[ssd_mirror(i)].path ? BIT(1) : 0);
			named = names->nr && !spec_uuid(names->of[0]) ? named : 0;
			why = find_ssd(set, &pool, i, named, names);
			set->io.some |= !set->dev[i].path;
		}
		pool = newest(set);
	} while (!why && pool.pool_seq > seq);
	return why;
}

static void set_begin(struct ssd_set *set)
{
	u32 i;

	memset(set, 0, sizeof(*set));
	for (i = 0; i < SSD_DISKS; i++)
		set->io.fd[i] = -1;
}

int ssd_set_find(const struct ssdup_ctx *ctx, struct ssd_set *set, const struct ssd_names *names)
{
	char *why;
	u32 i;
	int r;

	set_begin(set);
	for (i = 0; i < names->nr; i++) {
		r = dev_find(ctx, names->of[i], &set->dev[i]);
		if (r)
			return r;
		set->io.nr++;
		if (!names->mirror[i])
			continue;
		set->mirrored |= BIT(i);
		r = dev_find(ctx, names->mirror[i], &set->dev[ssd_mirror(i)]);
		if (r)
			return r;
	}
	why = names->alone ? NULL : complete(set, names);
	r = why ? fail(ctx, EXIT_NOT_FOUND, names->of[0], "%s", why) : EXIT_OK;
	free(why);
	return r;
}

/* One that is not used is a dash. */
static const char *ssd_number(char text[DEV_NUMBER], const struct dev *ssd)
{
	return ssd->path ? dev_number(text, ssd->rdev) : "-";
}

char *ssd_set_table(const struct ssd_set *set)
{
	char ssd[DEV_NUMBER], *all = xstrdup(""), *more;
	bool mirror;
	u32 i;

	/* In their order; the first one has no key. */
	for (i = 0; i < set->io.nr; i++) {
		mirror = set->mirrored & BIT(i) && set->dev[i].path;
		more = xprintf("%s%s%s%s", all, i ? " ssd " : "", ssd_number(ssd, &set->dev[i]),
			       mirror ? " mirror " : "");
		free(all);
		all = more;
		if (!mirror)
			continue;
		more = xprintf("%s%s", all, ssd_number(ssd, &set->dev[ssd_mirror(i)]));
		free(all);
		all = more;
	}
	return all;
}

static unsigned int nr_words(const char *text)
{
	unsigned int nr = *text != '\0';

	for (; *text; text++)
		nr += *text == ' ';
	return nr;
}

char *table_line(const char *hdd, const char *ssds, const char *args)
{
	unsigned int nr = nr_words(ssds) - 1 + nr_words(args);
	const char *more = strchrnul(ssds, ' ');

	if (!nr)
		return xprintf("%s %s", hdd, ssds);
	return xprintf("%s %.*s %u%s%s%s", hdd, (int)(more - ssds), ssds, nr, more,
		       *args ? " " : "", args);
}

int ssd_set_open(const struct ssdup_ctx *ctx, struct ssd_set *set, int flags)
{
	u32 i;

	for_each_disk(set, i) {
		set->io.fd[i] = dev_open(&set->dev[i], flags);
		if (set->io.fd[i] < 0)
			return fail(ctx, EXIT_FAILED, set->dev[i].path, "%s",
				    strerror(-set->io.fd[i]));
		if (i >= SSDUP_MAX_SSDS)
			set->io.mirrors |= BIT(i - SSDUP_MAX_SSDS);
	}
	return EXIT_OK;
}

void ssd_set_close(struct ssd_set *set)
{
	u32 i;

	for (i = 0; i < SSD_DISKS; i++) {
		if (set->io.fd[i] >= 0)
			close(set->io.fd[i]);
		set->io.fd[i] = -1;
		dev_free(&set->dev[i]);
	}
	for (i = 0; i < SSDUP_MAX_SSDS; i++)
		dev_free(&set->given_up[i]);
}

bool ssd_set_apart(const struct ssd_names *names, char *path[SSDUP_TWINS])
{
	struct ssd_set set;
	u32 i, ssd;
	bool apart;

	set_begin(&set);
	for (i = 0; i < names->nr && !dev_find_quietly(names->of[i], &set.dev[i]); i++)
		set.io.nr++;
	free(complete(&set, names));
	apart = set.apart;
	if (apart) {
		ssd = __builtin_ctz(set.apart);
		path[0] = xstrdup(set.dev[ssd].path);
		path[1] = xstrdup(set.dev[ssd_mirror(ssd)].path);
	}
	ssd_set_close(&set);
	return apart;
}

bool ssd_of_pool(const char *name, const u8 pool[16])
{
	struct twin_found twin;
	struct log_super s;
	struct dev dev;
	bool is;

	if (dev_find_quietly(name, &dev))
		return false;
	is = is_one_of_several(&dev, &s, &twin) && !memcmp(s.pool, pool, sizeof(s.pool));
	dev_free(&dev);
	return is;
}

char *ssd_set_missing(const char *name)
{
	const struct ssd_names names = { };
	struct ssd_set set;
	char *why;

	set_begin(&set);
	if (dev_find_quietly(name, &set.dev[0]))
		return NULL;
	set.io.nr = 1;
	why = complete(&set, &names);
	ssd_set_close(&set);
	return why;
}

bool ssds_there(const char *name)
{
	char *why = ssd_set_missing(name);
	struct dev dev;
	bool there;

	there = !why && !dev_find_quietly(name, &dev);
	if (there)
		dev_free(&dev);
	free(why);
	return there;
}
