// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup detach: from a device with an SSD to one that is the bare HDD, while it is
 * in use.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "commands.h"
#include "lib/dev.h"
#include "lib/pool.h"
#include "lib/ssds.h"
#include "lib/wait.h"

#define DRAIN_ROUNDS	10	/* of drains, until nothing is written to the log any more */

static int set_policy(const struct state *s, const char *policy)
{
	char *message = xprintf("set policy %s", policy);
	int r = dmdev_message(s->name, message);

	free(message);
	return r;
}

/*
 * With the linear table loaded: hold the device up, and go on with that table if the
 * log is still empty, else with ours. Nothing here may need the device: it may be the
 * one that / lies on, so all of the program is kept in memory.
 */
static int switch_over(struct state *s)
{
	int r = dmdev_suspend(s->name, false, false);

	if (!r && (state_again(s) || s->v.dirty_sectors || s->v.extents || s->v.guard))
		r = -EAGAIN;
	/* Never resume with a table that leaves the log out while that holds something. */
	if ((r && dmdev_clear(s->name)) || dmdev_resume(s->name))
		return -EUCLEAN;
	return r;
}

/*
 * Put the linear table in the place of ours. Between the drain and the suspend
 * something may have been written to the log: then all is as before.
 *
 * Return: 0, -EAGAIN for that, -EUCLEAN when the device is left suspended, or -errno.
 */
static int replace(struct state *s)
{
	char number[DEV_NUMBER], *params = xprintf("%s 0", dev_number(number, s->hdd));
	int r = dmdev_load_pinned(s->name, s->sectors, "linear", params);

	free(params);
	if (r)
		return r;
	r = switch_over(s);
	munlockall();
	return r;
}

static int replace_failed(const struct ssdup_ctx *ctx, const struct state *s, int r)
{
	if (r == -EINTR)
		return EXIT_INTERRUPTED;
	if (r == -EUCLEAN)
		return fail(ctx, EXIT_FAILED, s->name,
			    "left suspended: \"dmsetup clear %s\", then \"dmsetup resume %s\"",
			    s->name, s->name);
	return fail(ctx, EXIT_FAILED, s->name, "its table cannot be replaced: %s", error_text(-r));
}

static int drain_and_replace(const struct ssdup_ctx *ctx, struct state *s)
{
	unsigned int i;
	int r;

	for (i = 0; i < DRAIN_ROUNDS; i++) {
		r = drain_and_wait(ctx, s, 0);
		if (r)
			return r;
		if (s->v.extents)
			continue;
		r = replace(s);
		if (!r)
			return EXIT_OK;
		if (r != -EAGAIN)
			return replace_failed(ctx, s, r);
	}
	return fail(ctx, EXIT_FAILED, s->name,
		    "the log does not get empty: something writes to it faster than it drains");
}

/* Make sure that it is still this log; others may be on the SSD. */
static int wipe_log(const struct ssdup_ctx *ctx, struct ssd_set *ssds, const char *uuid,
		    const struct members *others)
{
	int r = ssd_set_open(ctx, ssds, others->nr ? O_RDWR : O_RDWR | O_EXCL);
	const struct dev *dev = &ssds->dev[0];
	struct ssd_log log;
	u32 i;

	if (r)
		return r;
	r = ssd_log_read(&ssds->io, &log, uuid);

	if (!r && (log.fault != LOG_OK || (others->nr && !ssd_several(&log))))
		r = -EBUSY;
	if (r == -EBUSY)
		r = fail(ctx, EXIT_FAILED, dev->path,
			 "the log is not wiped: somebody uses the SSD, or it holds another log; see \"ssdup pool status %s\"",
			 dev->path);
	else if (!r && ssd_several(&log))
		r = pool_forget(ctx, dev->path, &ssds->io, others, &log, false);
	else
		for_each_disk(ssds, i)
			r = r ?: ssd_log_wipe(ssds->io.fd[i],
					      ssds->io.sectors[i % SSDUP_MAX_SSDS]);
	if (r < 0)
		r = fail(ctx, EXIT_FAILED, dev->path,
			 "the log cannot be wiped: %s; zero the first and the last MiB before you use it again",
			 error_text(-r));
	return r;
}

/* The log is nobody's now. */
static int wipe(const struct ssdup_ctx *ctx, dev_t ssd, const char *uuid)
{
	char number[DEV_NUMBER];
	const struct ssd_names names = { .of = { dev_number(number, ssd) }, .nr = 1 };
	struct members others;
	struct ssd_set ssds;
	struct dev *first;
	int lock = -1, r;

	r = ssd_set_find(ctx, &ssds, &names);
	if (!r) {
		first = ssd_set_first(&ssds);
		lock = dev_lock(first);
		if (lock < 0)
			r = fail(ctx, EXIT_FAILED, first->path, "%s", strerror(-lock));
	}
	r = r ?: members_read(ctx, ssd, &others);
	if (!r) {
		r = wipe_log(ctx, &ssds, uuid, &others);
		members_free(&others);
	}
	if (lock >= 0)
		close(lock);
	ssd_set_close(&ssds);
	return r;
}

static int detach(const struct ssdup_ctx *ctx, struct state *s, bool keep)
{
	dev_t hdd = s->hdd, ssd = s->ssd;
	char *name, *uuid, *policy;
	int r, wiped = EXIT_OK;

	if (s->suspended || !s->log_uuid || !s->policy || !hdd || !ssd)
		return fail(ctx, EXIT_FAILED, s->name, "suspended; \"dmsetup resume %s\" first",
			    s->name);
	/* Nothing new is to go to the log; what overlaps it still does. */
	r = set_policy(s, "none");
	if (r)
		return fail(ctx, EXIT_FAILED, s->name, "%s", error_text(-r));
	uuid = xstrdup(s->log_uuid);
	policy = xstrdup(s->policy);
	catch_signals();
	r = drain_and_replace(ctx, s);
	if (r)
		set_policy(s, policy);
	else if (!keep)
		wiped = wipe(ctx, ssd, uuid);
	free(uuid);
	free(policy);
	if (r == EXIT_INTERRUPTED)
		fail(ctx, r, s->name, "interrupted; the device is as it was");
	if (r)
		return r;
	name = dev_kernel_name(hdd);
	note(ctx, "%s: now a plain mapping of %s; take its line out of %s", s->name, name,
	     ctx->tab);
	free(name);
	return wiped;
}

int cmd_detach(struct ssdup_ctx *ctx, int argc, char **argv)
{
	bool keep = false;
	struct state s;
	int opt, r;

	while ((opt = next_option(ctx, argc, argv)) != OPT_END) {
		if (opt == OPT_STOP)
			return ctx->exit;
		if (opt == 'q')
			ctx->quiet = true;
		else
			keep = true;
	}
	r = state_operand(ctx, argc, argv, &s);
	if (r)
		return r;
	r = detach(ctx, &s, keep);
	state_free(&s);
	return r;
}
