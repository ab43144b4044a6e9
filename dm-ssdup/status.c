// SPDX-License-Identifier: GPL-2.0-only
/* Owns the status line and the messages of the target. */
#include <linux/sched/mm.h>

#include "args.h"
#include "base/failure.h"
#include "drain/drainer.h"
#include "log/clean_list.h"
#include "log/guard.h"
#include "log/members.h"
#include "log/log.h"
#include "map/map.h"
#include "route/router.h"
#include "status.h"

static u64 stat_sum(struct ssdup *c, enum ssdup_stat stat)
{
	/* A count from before clear_stats may be taken back after it: the sum may be negative. */
	return max_t(s64, stats_sum(&c->stats->count[stat]), 0);
}

static enum wait_cause wait_cause(struct ssdup *c)
{
	enum wait_cause cause = READ_ONCE(c->wake.cause);

	if (!atomic_read(&c->wake.nr_waiting))
		return WAIT_NONE;
	return cause == WAIT_SPACE && ssdup_drain_fails(c->drainer) ? WAIT_DRAIN_ERROR : cause;
}

/* Of the SSD that suffers most. */
static u64 interference(struct ssdup *c, enum load_kind kind)
{
	u32 most = 0;
	struct ssdup_ssd *ssd;

	for (ssd = first_ssd(c); ssd; ssd = next_ssd(c, ssd))
		most = max(most, ssdup_load_interference(ssd_load(ssd), kind));
	return most;
}

static u64 mirrors_out(struct ssdup *c)
{
	struct ssdup_ssd *ssd;
	u64 nr = 0;

	for (ssd = first_ssd(c); ssd; ssd = next_ssd(c, ssd))
		nr += ssd->mirrored && !ssdup_mirror_both(ssd->user.mirror);
	return nr;
}

void ssdup_fields(struct ssdup *c, u64 value[SSDUP_NR_FIELDS])
{
	static const enum ssdup_field counters[] = {
#define SSDUP_STAT(symbol, ...)	FIELD_##symbol,
#include "core/fields.h"
	};
	const struct ssdup_held held = ssdup_sum_held(c->map);
	int i;

	value[FIELD_MODE] = ssdup_mode(c);
	value[FIELD_SSDS_OUT] = hweight32(ssdup_ssds_out(c));
	value[FIELD_MIRRORS_OUT] = mirrors_out(c);
	value[FIELD_SEGMENTS] = ssdup_leased_segments(c->log);
	value[FIELD_SEGMENTS_FREE] = ssdup_free_segments(c->log) +
				     ssdup_discarding_segments(c->log);
	value[FIELD_SEGMENTS_SEALED] = ssdup_sealed_segments(c->log);
	value[FIELD_FILL] = ssdup_open_fill(c->log, c->log->class);
	value[FIELD_DIRTY] = held.sectors;
	value[FIELD_EXTENTS] = held.extents;
	value[FIELD_WAITING] = atomic_read(&c->wake.nr_waiting);
	value[FIELD_DRAIN_ERRNO] = -ssdup_drain_errno(c->drainer);
	for (i = 0; i < STAT_NR; i++)
		value[counters[i]] = stat_sum(c, i);
	value[FIELD_DRAIN_STATE] = ssdup_drain_state(c->drainer);
	value[FIELD_WAIT_CAUSE] = wait_cause(c);
	value[FIELD_FLUSHES_WAIT] = atomic_read(&c->flushes.nr) + ssdup_fuas_waiting(c->log);
	value[FIELD_LONGEST_WAIT] = ssdup_longest_wait(c->router);
	value[FIELD_SSD_WRITTEN] = ssdup_budget_written(c->router);
	value[FIELD_BUDGET_LEFT] = ssdup_budget_settle(c->router);
	value[FIELD_POOL_FREE] = ssdup_pool_free(c->log);
	value[FIELD_CLEAN_SEGMENTS] = ssdup_clean_segments(c->log);
	value[FIELD_CLEAN] = ssdup_sum_clean(c->map);
	value[FIELD_CLEAN_MAP] = ssdup_clean_bytes(c->log);
	value[FIELD_PROMOTED] = ssdup_copied(c->log);
	value[FIELD_GUARD] = ssdup_guard_state(c->log);
	value[FIELD_INTERFERENCE] = interference(c, LOAD_WRITES);
	value[FIELD_READ_INTERFERENCE] = interference(c, LOAD_READS);
}

void ssdup_status(struct dm_target *ti, status_type_t type, unsigned int flags, char *result,
		  unsigned int maxlen)
{
	struct ssdup *c = ti->private;
	static const char * const names[] = {
#define SSDUP_FIELD(symbol, name, ...)	\
	[FIELD_##symbol] = #name,
#define SSDUP_STAT(symbol, name, ...)	\
	[FIELD_##symbol] = #name,
#include "core/fields.h"
	};
	u64 value[SSDUP_NR_FIELDS];
	unsigned int sz = 0, i;

	switch (type) {
	case STATUSTYPE_INFO:
		ssdup_fields(c, value);
		for (i = 0; i < SSDUP_NR_FIELDS; i++)
			DMEMIT("%s%s %llu", i ? " " : "", names[i], value[i]);
		break;
	case STATUSTYPE_TABLE:
		DMEMIT("%s %s", c->hdd->name, ssd_name(c->ssd));
		if (sz < maxlen)
			ssdup_emit_args(c, result + sz, maxlen - sz);
		break;
	case STATUSTYPE_IMA:
		DMEMIT_TARGET_NAME_VERSION(ti->type);
		DMEMIT(",hdd=%s", c->hdd->name);
		for (i = 0; i < c->nr_ssds; i++)
			DMEMIT(",ssd=%s", ssd_name(&c->ssd[i]));
		DMEMIT(";");
		break;
	}
}

/* --- Messages --- */

static int msg_drain_all(struct ssdup *c, char **argv, char *result, unsigned int maxlen)
{
	return ssdup_drain_all(c->drainer);
}

static int msg_commit(struct ssdup *c, char **argv, char *result, unsigned int maxlen)
{
	return ssdup_commit(c->log) ?: ssdup_flush_hdd(c->drainer);
}

static int msg_drain(struct ssdup *c, char **argv, char *result, unsigned int maxlen)
{
	if (!strcmp(argv[1], "start")) {
		ssdup_drain_start(c->drainer);
	} else if (!strcmp(argv[1], "pause")) {
		ssdup_drain_pause(c->drainer);
	} else {
		DMERR("%s: message drain: not start or pause", c->name);
		return -EINVAL;
	}
	return 0;
}

static int msg_forget(struct ssdup *c, char **argv, char *result, unsigned int maxlen)
{
	ssdup_clean_forget(c->drainer);
	return 0;
}

static int msg_set(struct ssdup *c, char **argv, char *result, unsigned int maxlen)
{
	const char *error;
	int r = ssdup_set(c, argv[1], argv[2], &error);

	if (r)
		DMERR("%s: message set %.64s: %s", c->name, argv[1], error);
	return r;
}

static int msg_clear_stats(struct ssdup *c, char **argv, char *result, unsigned int maxlen)
{
	int cpu, i;

	/* A counter that another CPU raises right now may survive. */
	for_each_possible_cpu(cpu)
		for (i = 0; i < STAT_NR; i++)
			WRITE_ONCE(per_cpu_ptr(c->stats, cpu)->count[i], 0);
	ssdup_wait_clear(c->router);
	return 0;
}

/* Print a line "sector sectors" for each lost range, or "none". */
static int msg_lost_ranges(struct ssdup *c, char **argv, char *result, unsigned int maxlen)
{
	unsigned int sz = 0;
	u32 sectors;
	u64 at;

	for (at = 0; sz < maxlen && ssdup_map_next_lost(c->map, &at, &sectors); at += sectors)
		DMEMIT("%s%llu %u", sz ? "\n" : "", at, sectors);
	if (!sz)
		DMEMIT("none");
	return 1;
}

static int set_class(struct ssdup *c, const char *name, const char *start, const char *len)
{
	const char *error;
	int r = ssdup_class_message(c->router, name, start, len, &error);

	if (r)
		DMERR("%s: message class %.64s: %s", c->name, name, error);
	return r;
}

static int msg_class(struct ssdup *c, char **argv, char *result, unsigned int maxlen)
{
	return set_class(c, argv[1], NULL, NULL);
}

static int msg_class_range(struct ssdup *c, char **argv, char *result, unsigned int maxlen)
{
	return set_class(c, argv[1], argv[2], argv[3]);
}

static int told(struct ssdup *c, const char *message, int r, const char *error)
{
	if (r)
		DMERR("%s: message %s: %s", c->name, message, error);
	return r;
}

static int msg_log_add(struct ssdup *c, char **argv, char *result, unsigned int maxlen)
{
	const char *error;
	int r = ssdup_log_add(c->log, argv[1], argv[2], argv[3], &error);

	return told(c, argv[0], r, error);
}

static int msg_log_forget(struct ssdup *c, char **argv, char *result, unsigned int maxlen)
{
	const char *error;
	int r = ssdup_log_forget(c->log, argv[1], false, &error);

	return told(c, argv[0], r, error);
}

static int msg_log_forget_all(struct ssdup *c, char **argv, char *result, unsigned int maxlen)
{
	const char *error = "not force";
	int r = -EINVAL;

	if (!strcmp(argv[2], "force"))
		r = ssdup_log_forget(c->log, argv[1], true, &error);
	return told(c, argv[0], r, error);
}

static int msg_ssd_add(struct ssdup *c, char **argv, char *result, unsigned int maxlen)
{
	const char *error;
	int r = ssdup_pool_add_ssd(c->log, argv[1], argv[2], argv[3], &error);

	return told(c, argv[0], r, error);
}

static int msg_ssd_state(struct ssdup *c, char **argv, char *result, unsigned int maxlen)
{
	const char *error;
	int r = ssdup_pool_ssd_state(c->log, argv[1], argv[2], &error);

	return told(c, argv[0], r, error);
}

/* Print the sectors that the log has on an SSD of several. */
static int msg_ssd_left(struct ssdup *c, char **argv, char *result, unsigned int maxlen)
{
	unsigned int sz = 0;
	u32 ssd;

	if (kstrtou32(argv[1], 10, &ssd) || ssd >= log_nr_ssds(&c->log->ssds))
		return told(c, argv[0], -EINVAL, "no such SSD");
	DMEMIT("%llu", ssdup_account_ssd(c->map, ssd));
	return 1;
}

/* With "left", print the sectors of segments that are on one of two SSDs alone. */
static int msg_mirror(struct ssdup *c, char **argv, char *result, unsigned int maxlen)
{
	const char *error = "not fill, left or whole";
	unsigned int sz = 0;
	int r = -EINVAL;

	if (!strcmp(argv[2], "left")) {
		DMEMIT("%llu",
		       (u64)ssdup_mirror_left(c->log, argv[1]) * c->log->g.segment_sectors);
		return 1;
	}
	if (!strcmp(argv[2], "fill"))
		r = ssdup_mirror_fills(c->log, argv[1], &error);
	else if (!strcmp(argv[2], "whole"))
		r = ssdup_mirror_filled(c->log, argv[1], &error);
	return told(c, argv[0], r, error);
}

static int msg_mirror_out(struct ssdup *c, char **argv, char *result, unsigned int maxlen)
{
	const char *error = "not out";
	int r = -EINVAL;

	if (!strcmp(argv[2], "out"))
		r = ssdup_mirror_leaves(c->log, argv[1], argv[3], &error);
	return told(c, argv[0], r, error);
}

/* Of two of the same name, the number of arguments says which. */
static const struct {
	const char	*name;
	unsigned int	argc;
	int		(*fn)(struct ssdup *c, char **argv, char *result, unsigned int maxlen);
	bool		writes;
} messages[] = {
	{ "drain",		1, msg_drain_all, true },
	{ "commit",		1, msg_commit },
	{ "drain",		2, msg_drain, true },
	{ "forget",		1, msg_forget },
	{ "set",		3, msg_set },
	{ "clear_stats",	1, msg_clear_stats },
	{ "lost_ranges",	1, msg_lost_ranges },
	{ "class",		2, msg_class },
	{ "class",		4, msg_class_range },
	{ "log_add",		4, msg_log_add, true },
	{ "log_forget",		2, msg_log_forget, true },
	{ "log_forget",		3, msg_log_forget_all, true },
	{ "ssd_add",		4, msg_ssd_add, true },
	{ "ssd_state",		3, msg_ssd_state, true },
	{ "ssd_left",		2, msg_ssd_left },
	{ "mirror",		3, msg_mirror, true },
	{ "mirror",		4, msg_mirror_out, true },
};

static int do_message(struct ssdup *c, unsigned int argc, char **argv, char *result,
		      unsigned int maxlen)
{
	u32 i, takes = 0;

	/*
	 * The thread may exist and sleep when the resume of another target has failed. A message
	 * that waited for it would hold the table, and so block the next resume.
	 */
	if (!READ_ONCE(c->active)) {
		DMERR("%s: messages need a device that is resumed", c->name);
		return -EBUSY;
	}
	for (i = 0; i < ARRAY_SIZE(messages); i++) {
		if (!argc || strcmp(messages[i].name, argv[0]))
			continue;
		takes = messages[i].argc;
		if (argc != takes)
			continue;
		if (messages[i].writes && c->read_only) {
			DMERR("%s: message %s: the table is read-only", c->name, argv[0]);
			return -EROFS;
		}
		return messages[i].fn(c, argv, result, maxlen);
	}
	if (takes)
		DMERR("%s: message %s: takes %u arguments", c->name, argv[0],
		      takes - 1);
	else
		DMERR("%s: unknown message %.64s", c->name, argc ? argv[0] : "");
	return -EINVAL;
}

/* The core holds the table meanwhile, which a suspend waits for: then no I/O of the device ends. */
int ssdup_message(struct dm_target *ti, unsigned int argc, char **argv, char *result,
		  unsigned int maxlen)
{
	unsigned int noio = memalloc_noio_save();
	int r = do_message(ti->private, argc, argv, result, maxlen);

	memalloc_noio_restore(noio);
	return r;
}
