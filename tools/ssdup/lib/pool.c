// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: the logs of an SSD: who uses them, one more, one less.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dev.h"
#include "host.h"
#include "pool.h"

#define SECTORS_PER_MB	2048U

/* --- Who uses them --- */

int members_read(const struct ssdup_ctx *ctx, dev_t ssd, struct members *m)
{
	char **names, **name;
	struct state s;
	unsigned int i;
	int r;

	*m = (struct members){ };
	r = all_names(ctx, &names);
	if (r)
		return r;
	for (name = names; *name; name++) {
		if (state_read(*name, &s))
			continue;
		for (i = 0; i < s.nr_ssds && s.ssds[i] != ssd; i++)
			;
		if (i < s.nr_ssds) {
			m->all = xmore(m->all, m->nr, sizeof(s));
			m->all[m->nr++] = s;
		} else {
			state_free(&s);
		}
	}
	names_free(names);
	return EXIT_OK;
}

void members_free(struct members *m)
{
	while (m->nr)
		state_free(&m->all[--m->nr]);
	free(m->all);
	m->all = NULL;
}

struct search {
	const struct members *m;
	bool		held;
};

/* A device that is just being made has its UUID, if it is made by this tool. */
static bool is_stranger(void *arg, dev_t holder, const char *dm_uuid)
{
	struct search *s = arg;
	unsigned int i;

	s->held = true;
	for (i = 0; i < s->m->nr; i++)
		if (s->m->all[i].rdev == holder)
			return false;
	return strncmp(dm_uuid, DM_UUID_PREFIX, strlen(DM_UUID_PREFIX));
}

bool members_alone(const struct members *m, dev_t ssd)
{
	struct search s = { .m = m };

	return !dev_each_holder(ssd, is_stranger, &s) && s.held;
}

const struct state *members_find(const struct members *m, const u8 uuid[16])
{
	unsigned int i;
	u8 has[16];

	for (i = 0; i < m->nr; i++)
		if (m->all[i].log_uuid && uuid_read(m->all[i].log_uuid, has) &&
		    !memcmp(has, uuid, sizeof(has)))
			return &m->all[i];
	return NULL;
}

/* --- While one of them runs: the kernel does it --- */

int pool_try(const struct members *m, const char *text, char **why)
{
	int r = -EBUSY;
	unsigned int i;

	*why = NULL;
	for (i = 0; i < m->nr; i++) {
		const struct state *s = &m->all[i];

		/* Others may be suspended, or have lost their disks. */
		if (s->suspended || s->v.mode)
			continue;
		free(*why);
		reason_mark();
		r = dmdev_message(s->name, text);
		*why = r ? reason_read(s->rdev) : NULL;
		if (r != -EROFS)
			break;
	}
	return r;
}

int pool_told(const struct ssdup_ctx *ctx, const char *ssd, int r, char *why)
{
	if (!r)
		return EXIT_OK;
	if (!why && r == -EBUSY)
		return fail(ctx, EXIT_REFUSED, ssd,
			    "all its devices are suspended or degraded: resume one, or remove all");
	fail(ctx, EXIT_REFUSED, ssd, "the kernel refuses: %s", why ?: strerror(-r));
	free(why);
	return r == -EIO ? EXIT_FAILED : EXIT_REFUSED;
}

int pool_ask(const struct ssdup_ctx *ctx, const char *ssd, const struct members *m,
	     const char *text)
{
	char *why;
	int r = pool_try(m, text, &why);

	return pool_told(ctx, ssd, r, why);
}

/* A table line with a key more; NULL if it has that already. free() it. */
static char *with_key(const char *params, const char *key, const char *value)
{
	char *word = xprintf(" %s ", key), *args;
	unsigned int nr = 0;
	int at = 0, behind = 0;

	args = strstr(params, word);
	free(word);
	if (args || sscanf(params, "%*s %*s%n", &at) < 0 || !at)
		return NULL;
	if (sscanf(params + at, "%u%n", &nr, &behind) < 1)
		behind = 0;
	return xprintf("%.*s %u%s %s %s", at, params, nr + 2, params + at + behind, key, value);
}

static int reload(const struct state *s, const char *params, const char *old)
{
	return dmdev_reload(s->name, s->sectors, params, s->sectors, old);
}

static int reload_failed(const struct ssdup_ctx *ctx, const struct state *s, int r)
{
	if (r == -EUCLEAN)
		return fail(ctx, EXIT_FAILED, s->name,
			    "left suspended: see the kernel log, then \"dmsetup resume %s\"",
			    s->name);
	return fail(ctx, EXIT_FAILED, s->name, "cannot be reloaded to leave room: %s",
		    strerror(-r));
}

/* It would end what a log that is read-only has in memory alone, or begin a drain. */
static int refuse_reload(const struct ssdup_ctx *ctx, const struct state *s)
{
	return fail(ctx, EXIT_REFUSED, s->name,
		    "would have to be reloaded to leave room on the SSD, and it is %s: reload or remove it first",
		    s->v.mode ? mode_words(s->v.mode) : "read-only");
}

/* Its log keeps no more free segments than that. *@was: its table until now, free() it */
static int cut_down(const struct ssdup_ctx *ctx, const struct state *s, const char *mb,
		    char **was)
{
	char *params;
	struct dmdev d;
	int r = EXIT_OK;

	if (s->suspended || dmdev_table(s->name, &d))
		return EXIT_OK;
	params = with_key(d.params, "max_mb", mb);
	if (params && (s->v.mode || s->read_only)) {
		r = refuse_reload(ctx, s);
	} else if (params) {
		r = reload(s, params, d.params);
		if (r)
			r = reload_failed(ctx, s, r);
		else
			*was = xstrdup(d.params);
	}
	free(params);
	dmdev_free(&d);
	return r;
}

/* An equal part is less now, for there is one log more. It has to be named, too. */
static int as_before(const struct ssdup_ctx *ctx, const struct state *s, const char *was)
{
	char *params = with_key(was, "log", s->log_uuid);
	int r = reload(s, params ?: was, params ?: was);

	free(params);
	return r ? reload_failed(ctx, s, r) : EXIT_OK;
}

/* With all of the SSD in use: those whose tables do not say how much they take leave a part. */
static int ask_for_room(const struct ssdup_ctx *ctx, const char *ssd, const struct members *m,
			const struct log_super *pool, const char *text, const char *undo)
{
	const struct state *s = m->all;
	uint64_t all = (u64)pool->g.nr_segments * pool->g.segment_sectors;
	uint64_t mb = all / (pool_nr_logs(pool) + 1) / SECTORS_PER_MB;
	char **was = xalloc(m->nr * sizeof(*was)), *why = NULL;
	char *most = xprintf("%llu", (unsigned long long)(mb ?: 1));
	int r = EXIT_OK, back;
	unsigned int i;

	for (i = 0; i < m->nr && !r; i++)
		r = cut_down(ctx, &s[i], most, &was[i]);
	free(most);
	if (!r) {
		r = pool_try(m, text, &why);
		r = pool_told(ctx, ssd, r, why);
	}
	for (i = 0; i < m->nr; i++) {
		back = was[i] ? as_before(ctx, &s[i], was[i]) : EXIT_OK;
		if (back && !r) {
			pool_try(m, undo, &why);
			free(why);
		}
		r = r ?: back;
		free(was[i]);
	}
	free(was);
	return r;
}

static int ask_to_add(const struct ssdup_ctx *ctx, const char *ssd, const struct members *m,
		      const struct log_super *pool, const struct log_super *new)
{
	char uuid[UUID_TEXT], *text, *undo, *why = NULL;
	int r = -ENOSPC;

	if (pool_nr_logs(pool) == SSDUP_MAX_LOGS)
		return fail(ctx, EXIT_REFUSED, ssd, "has as many logs as it can have");
	text = xprintf("log_add %s %llu %u", uuid_text(uuid, new->uuid), new->hdd_sectors,
		       new->g.block_sectors);
	undo = xprintf("log_forget %s", uuid);
	/* Unless a part is free: the new log would get what others happened to leave. */
	if (m->all->v.pool_segments_free >= pool_share(pool->g.nr_segments, pool_nr_logs(pool) + 1))
		r = pool_try(m, text, &why);
	if (r == -ENOSPC) {
		free(why);
		r = ask_for_room(ctx, ssd, m, pool, text, undo);
	} else {
		r = pool_told(ctx, ssd, r, why);
	}
	free(text);
	free(undo);
	return r;
}

static int ask_to_forget(const struct ssdup_ctx *ctx, const char *ssd, const struct members *m,
			 const struct log_super *s, bool force)
{
	char uuid[UUID_TEXT], *text, *why;
	int r;

	text = xprintf("log_forget %s%s", uuid_text(uuid, s->uuid), force ? " force" : "");
	r = pool_try(m, text, &why);
	free(text);
	return pool_told(ctx, ssd, r, why);
}

/* --- While none does: as the kernel does it --- */

static int take_record(void *arg, const struct ssd_log *log)
{
	struct pool_log *logs = arg;

	logs[log->number].fault = log->part[PART_RECORD].fault;
	if (log->part[PART_RECORD].fault == LOG_OK)
		logs[log->number].s = *ssd_super(log);
	return 0;
}

static void find_owners(const struct ssds *ssds, const struct log_super *s,
			const struct pool_log *logs, u8 *owner)
{
	void *head = xpages(LOG_HEAD_BYTES);
	u32 i;

	for (i = 0; i < s->g.nr_segments; i++)
		owner[i] = !segment_exists(s, i) ? POOL_NONE :
			   ssds_read(ssds, s, head, LOG_HEAD_BYTES,
				     log_segment_sector(&s->g, i)) ? POOL_UNCLEAR :
			   ssdup_pool_owner(s->pool, logs, s->logs, i, head);
	free(head);
}

u8 *pool_owners(const struct ssds *ssds, const struct ssd_log *log, const struct log_super *pool)
{
	struct pool_log *logs = xalloc(SSDUP_MAX_LOGS * sizeof(*logs));
	u8 *owner = xalloc(pool->g.nr_segments);

	ssd_each_log(ssds, log, pool, take_record, logs);
	find_owners(ssds, pool, logs, owner);
	free(logs);
	return owner;
}

static u32 owned(const struct ssd_log *log, const u8 *owner, u32 by)
{
	u32 i, nr = 0;

	for (i = 0; i < ssd_pool(log)->g.nr_segments; i++)
		nr += owner[i] == by;
	return nr;
}

static int add_promise(void *arg, const struct ssd_log *log)
{
	u32 nr_ssds = log_nr_ssds(&ssd_pool(log)->ssds);
	const struct log_classes *k = &ssd_super(log)->classes;

	*(u32 *)arg += lease_least(log->fault == LOG_OK ? k->nr / k->nr_ssds :
							   SSDUP_MAX_CLASSES / nr_ssds);
	return 0;
}

/* Each log can be written to and emptied, the new one too, on each SSD. */
static bool has_room(const struct ssds *ssds, const struct ssd_log *log, const u8 *owner)
{
	const struct log_super *s = ssd_pool(log);
	u32 need = lease_least(1), nr_free[SSDUP_MAX_SSDS] = { }, i, first;
	bool room = true;

	ssd_each_log(ssds, log, s, add_promise, &need);
	for (i = 0; i < s->g.nr_segments; i++)
		if (owner[i] == POOL_FREE)
			nr_free[ssdup_log_ssd_of(&s->ssds, i, &first)]++;
	for (i = 0; i < log_nr_ssds(&s->ssds); i++)
		room &= nr_free[i] >= need || s->ssds.state[i] == SSDUP_SSD_UNUSED;
	return room;
}

static int wrote(const struct ssdup_ctx *ctx, const char *ssd, int r)
{
	return r ? fail(ctx, EXIT_FAILED, ssd, "cannot be written: %s", strerror(-r)) : EXIT_OK;
}

/* The record first: without its bit in the superblock nobody looks at it. */
static int add(const struct ssdup_ctx *ctx, const char *ssd, const struct ssds *ssds,
	       const struct ssd_log *log, const struct log_super *new)
{
	const struct log_super *pool = ssd_pool(log);
	u8 *owner = pool_owners(ssds, log, ssd_pool(log));
	bool room = has_room(ssds, log, owner);
	struct log_super s = *new;
	int r;

	free(owner);
	if (!~pool->logs)
		return fail(ctx, EXIT_REFUSED, ssd, "has as many logs as it can have");
	if (!room)
		return fail(ctx, EXIT_REFUSED, ssd,
			    "has no room for another log: make a device of it (\"ssdup create\"), and drain that first");
	s.log = ilog2(~pool->logs & -~pool->logs);
	s.pool_seq = pool->pool_seq + 1;
	s.logs = pool->logs | BIT_ULL(s.log);
	r = log_would_be(&s) == LOG_OK ? ssd_log_write(ssds, &s) : -EINVAL;
	return wrote(ctx, ssd, r);
}

static int forget(const struct ssdup_ctx *ctx, const char *ssd, const struct ssds *ssds,
		  const struct ssd_log *log, bool force)
{
	u8 *owner = pool_owners(ssds, log, ssd_pool(log));
	bool holds = owned(log, owner, log->number) || owned(log, owner, POOL_UNCLEAR);
	struct log_super s = *ssd_pool(log);

	free(owner);
	if (s.logs == BIT_ULL(log->number))
		return fail(ctx, EXIT_REFUSED, ssd, "has no other log");
	if (holds && !force)
		return fail(ctx, EXIT_REFUSED, ssd,
			    "log %u holds data that its HDD lacks, or may do so, because something on the SSD is damaged: drain it, or give it up with --discard-unsaved",
			    log->number);
	s.pool_seq++;
	s.logs &= ~BIT_ULL(log->number);
	return wrote(ctx, ssd, ssd_part_write(ssds, PART_SUPER, &s));
}

/* --- Either --- */

int pool_add(const struct ssdup_ctx *ctx, const char *ssd, const struct ssds *ssds,
	     const struct members *m, const struct ssd_log *log, const struct log_super *new)
{
	return m->nr ? ask_to_add(ctx, ssd, m, ssd_pool(log), new) : add(ctx, ssd, ssds, log, new);
}

int pool_forget(const struct ssdup_ctx *ctx, const char *ssd, const struct ssds *ssds,
		const struct members *m, const struct ssd_log *log, bool force)
{
	return m->nr ? ask_to_forget(ctx, ssd, m, ssd_super(log), force) :
		       forget(ctx, ssd, ssds, log, force);
}

struct host_look {
	const struct ssdup_ctx *ctx;
	const char	*ssd;
	const u8	*host;
};

static int refuse_host(void *arg, const struct ssd_log *log)
{
	const struct host_look *look = arg;
	const struct log_super *s = ssd_super(log);
	char text[HOST_TEXT];

	if (log->part[PART_RECORD].fault != LOG_OK || !log_of_other_host(s, look->host))
		return EXIT_OK;
	return fail(look->ctx, EXIT_REFUSED, look->ssd,
		    "log %u is active on %s, or was when that went down; when it is certain to be down, say --take-over",
		    log->number, host_text(text, s->host_name));
}

int pool_refuse_host(const struct ssdup_ctx *ctx, const char *ssd, const struct ssds *ssds,
		     const struct ssd_log *log, const struct log_super *pool,
		     const u8 host[SSDUP_HOST_BYTES])
{
	struct host_look look = { ctx, ssd, host };

	return ssd_each_log(ssds, log, pool, refuse_host, &look);
}
