/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: the SSDs of a log. Each says which ones there are, so one of them finds the others.
 */
#ifndef SSDUP_SSDS_SET_H
#define SSDUP_SSDS_SET_H

#include "dev.h"
#include "super.h"

/* What the user calls them. */
struct ssd_names {
	const char	*of[SSDUP_MAX_SSDS];
	const char	*mirror[SSDUP_MAX_SSDS];	/* of a new log; NULL: it has none */
	unsigned int	nr;
	bool		alone;		/* others of their log are not looked for */
	bool		lost;		/* and those that are not there are done without */
};

/** ssd_names_add() - one more. Return: false when there are as many as a log can have */
bool ssd_names_add(struct ssd_names *names, const char *name);

/** take_ssd() - optarg of --ssd; false with the complaint made and ctx->exit set */
bool take_ssd(struct ssdup_ctx *ctx, struct ssd_names *names);

/** take_mirror() - optarg of --mirror, of the SSD that was named last; likewise */
bool take_mirror(struct ssdup_ctx *ctx, struct ssd_names *names);

/** parse_copy() - optarg of --copy; false with the complaint made and ctx->exit set */
bool parse_copy(struct ssdup_ctx *ctx, int *copy);

/** parse_log_name() - optarg of --log; likewise */
bool parse_log_name(struct ssdup_ctx *ctx, const char **name);

struct ssd_set {
	/*
	 * No path: it is not used, or not there. Of an SSD with a mirror, the one that has
	 * everything; in the place of its mirror, the other one if it has everything, too.
	 */
	struct dev	dev[SSD_DISKS];
	u32		mirrored;	/* a bit for each SSD that has a mirror, there or not */
	u32		apart;		/* the same: which ran without it, and it without that */
	struct dev	given_up[SSDUP_MAX_SSDS];	/* by a word: the other one of these */
	struct ssds	io;		/* how many, and their descriptors */
};

/** ssd_set_next() - the number of the first one from @i on that is there; io.nr: none is */
static inline u32 ssd_set_next(const struct ssd_set *set, u32 i)
{
	while (i < set->io.nr && !set->dev[i].path)
		i++;
	return i;
}

#define for_each_there(set, i) \
	for ((i) = ssd_set_next(set, 0); (i) < (set)->io.nr; (i) = ssd_set_next(set, (i) + 1))

/** ssd_disk_next() - the same with mirrors; SSD_DISKS: none is */
static inline u32 ssd_disk_next(const struct ssd_set *set, u32 i)
{
	while (i < SSD_DISKS && !set->dev[i].path)
		i++;
	return i;
}

#define for_each_disk(set, i) \
	for ((i) = ssd_disk_next(set, 0); (i) < SSD_DISKS; (i) = ssd_disk_next(set, (i) + 1))

/** ssd_set_first() - the first one that is there */
static inline struct dev *ssd_set_first(struct ssd_set *set)
{
	u32 i = ssd_set_next(set, 0);

	return &set->dev[i < set->io.nr ? i : 0];
}

/**
 * ssd_set_find() - find those that are named, and the others of their log, as @names wants
 *
 * Those of a log come in its order, in whatever order they were named. Nothing is open afterwards.
 * ssd_set_close() it, whatever is returned.
 *
 * Return: EXIT_OK, or an exit code with the complaint made: one is not there, or there twice.
 */
int ssd_set_find(const struct ssdup_ctx *ctx, struct ssd_set *set, const struct ssd_names *names);

/** ssd_set_table() - all of them as in a table, "A ssd B mirror C"; free() it */
char *ssd_set_table(const struct ssd_set *set);

/** table_line() - a table: an HDD, ssd_set_table(), and other keys and values; free() it */
char *table_line(const char *hdd, const char *ssds, const char *args);

/** ssd_set_open() - open all that are there; EXIT_OK, or an exit code with the complaint made */
int ssd_set_open(const struct ssdup_ctx *ctx, struct ssd_set *set, int flags);

void ssd_set_close(struct ssd_set *set);

/**
 * ssd_set_apart() - did one of the SSDs and its mirror run apart, each without the other one?
 * @path: set to the names of both, free() them
 */
bool ssd_set_apart(const struct ssd_names *names, char *path[SSDUP_TWINS]);

/** ssd_of_pool() - is what @name stands for one of several SSDs of that pool? */
bool ssd_of_pool(const char *name, const u8 pool[16]);

/** ssds_there() - are all SSDs of the log there that @name is on? */
bool ssds_there(const char *name);

/** ssd_set_missing() - is an SSD of the log that @name is on not there? free() what is returned */
char *ssd_set_missing(const char *name);

#endif
