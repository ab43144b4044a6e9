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

/* The superblock of one SSD. Return: is it one of several? */
static bool is_one_of_several(const struct dev *dev, struct log_super *s)
{
	int fd = dev_open(dev, O_RDONLY);
	struct ssds ssds = ssds_some(fd);
	struct ssd_log log;
	bool is;

	if (fd < 0)
		return false;
	is = !ssd_log_read(&ssds, &log, NULL) && log.part[PART_SUPER].fault == LOG_OK &&
	     ssd_pool(&log)->ssds.nr > 1;
	if (is)
		*s = *ssd_pool(&log);
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
	u32		index;
	char		**found;
	unsigned int	nr;
};

static void look_for_ssd(void *arg, const char *path)
{
	struct search *search = arg;
	struct log_super s;
	struct dev dev;

	if (dev_find_quietly(path, &dev))
		return;
	if (is_one_of_several(&dev, &s) && same_pool(&s, search->pool) &&
	    s.ssds.index == search->index) {
		search->found = xmore(search->found, search->nr, sizeof(*search->found));
		search->found[search->nr++] = xstrdup(path);
	}
	dev_free(&dev);
}

/* Return: NULL, or why it is not there; free() it. */
static char *find_other(const struct log_super *pool, u32 index, struct dev *dev, bool lost)
{
	struct search search = { .pool = pool, .index = index };
	char uuid[UUID_TEXT], *path, *twice = NULL, *why = NULL;

	dev_each(look_for_ssd, &search);
	path = dev_choose(search.found, search.nr, &twice);
	if (twice)
		why = xprintf("number %u of its log is on two disks, %s; take the copy out", index,
			      twice);
	else if ((!path || dev_find_quietly(path, dev)) && !lost)
		why = xprintf("is one of %u SSDs of a log; number %u (%s) is not there, or damaged",
			      pool->ssds.nr, index, uuid_text(uuid, pool->ssds.uuid[index]));
	while (search.nr)
		free(search.found[--search.nr]);
	free(search.found);
	free(twice);
	free(path);
	return why;
}

/* --- All of them --- */

/* Those that were named, in the places that they have. Return: is one of them no SSD of the log? */
static bool to_their_places(struct ssd_set *set, const struct log_super *pool)
{
	struct dev dev[SSDUP_MAX_SSDS] = { };
	struct log_super s;
	u32 i;

	for_each_there(set, i) {
		if (!is_one_of_several(&set->dev[i], &s) || !same_pool(&s, pool) ||
		    s.ssds.index >= pool->ssds.nr || dev[s.ssds.index].path)
			return true;
		dev[s.ssds.index] = set->dev[i];
	}
	/* One that is not used has nothing to say. */
	for (i = 0; i < pool->ssds.nr; i++)
		if (ssds_unused(&pool->ssds, i))
			dev_free(&dev[i]);
	memcpy(set->dev, dev, sizeof(dev));
	set->io.nr = pool->ssds.nr;
	return false;
}

/* What the newest of them says, or zero. */
static struct log_super newest(const struct ssd_set *set)
{
	struct log_super pool = { }, s;
	u32 i;

	for_each_there(set, i)
		if (is_one_of_several(&set->dev[i], &s) && !ssds_being_made(&s) &&
		    s.pool_seq > pool.pool_seq)
			pool = s;
	return pool;
}

/*
 * The newest says which there are. One that has left does not know of those that came since, but
 * the others do. Others than these are refused when all are looked at.
 */
static char *complete(struct ssd_set *set, bool lost)
{
	struct log_super pool = newest(set);
	char *why = NULL;
	u64 seq;
	u32 i;

	do {
		seq = pool.pool_seq;
		if (!seq || to_their_places(set, &pool))
			return NULL;
		set->io.some = false;
		for (i = 0; i < set->io.nr && !why; i++) {
			if (ssds_unused(&pool.ssds, i))
				continue;
			if (!set->dev[i].path)
				why = find_other(&pool, i, &set->dev[i], lost);
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
	for (i = 0; i < SSDUP_MAX_SSDS; i++)
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
	}
	why = names->alone ? NULL : complete(set, names->lost);
	r = why ? fail(ctx, EXIT_NOT_FOUND, names->of[0], "%s", why) : EXIT_OK;
	free(why);
	return r;
}

int ssd_set_open(const struct ssdup_ctx *ctx, struct ssd_set *set, int flags)
{
	u32 i;

	for (i = 0; i < set->io.nr; i++) {
		if (!set->dev[i].path)
			continue;
		set->io.fd[i] = dev_open(&set->dev[i], flags);
		if (set->io.fd[i] < 0)
			return fail(ctx, EXIT_FAILED, set->dev[i].path, "%s",
				    strerror(-set->io.fd[i]));
	}
	return EXIT_OK;
}

void ssd_set_close(struct ssd_set *set)
{
	u32 i;

	for (i = 0; i < SSDUP_MAX_SSDS; i++) {
		if (set->io.fd[i] >= 0)
			close(set->io.fd[i]);
		set->io.fd[i] = -1;
		dev_free(&set->dev[i]);
	}
}

bool ssd_of_pool(const char *name, const u8 pool[16])
{
	struct log_super s;
	struct dev dev;
	bool is;

	if (dev_find_quietly(name, &dev))
		return false;
	is = is_one_of_several(&dev, &s) && !memcmp(s.pool, pool, sizeof(s.pool));
	dev_free(&dev);
	return is;
}

char *ssd_set_missing(const char *name)
{
	struct ssd_set set;
	char *why;

	set_begin(&set);
	if (dev_find_quietly(name, &set.dev[0]))
		return NULL;
	set.io.nr = 1;
	why = complete(&set, false);
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
