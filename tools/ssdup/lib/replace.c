// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "replace.h"
#include "wait.h"
#include "words.h"

#define DRAIN_ROUNDS	10	/* of drains, until nothing is written to the log any more */

static int set_policy(const struct state *s, const char *policy)
{
	char *message = xprintf("set policy %s", policy);
	int r = dmdev_message(s->name, message);

	free(message);
	return r;
}

/*
 * With the new table loaded: hold the device up, and go on with that table if the
 * log is still empty, else with ours. Nothing here may need the device: it may be the
 * one that / lies on, so all of the program is kept in memory.
 */
static int switch_over(struct state *s, const struct table *old)
{
	int r = dmdev_suspend(s->name, false, false);

	if (!r && (state_again(s) || s->v.dirty_sectors || s->v.extents || s->v.guard))
		r = -EAGAIN;
	if (r) {
		/* Never resume with a table that leaves the log out while that holds something. */
		if (dmdev_clear(s->name))
			return -EUCLEAN;
		return dmdev_resume(s->name) ?: r;
	}
	r = dmdev_resume(s->name);
	if (r && (dmdev_load(s->name, old->sectors, old->target, old->params) ||
		  dmdev_resume(s->name)))
		return -EUCLEAN;
	return r;
}

/* Return: 0, -EAGAIN when the log is not empty, or as drain_and_replace() */
static int replace(struct state *s, const struct table *old, const struct table *new)
{
	int r = dmdev_load_pinned(s->name, new->sectors, new->target, new->params);

	if (r)
		return r;
	r = switch_over(s, old);
	munlockall();
	return r;
}

static int drain_until_empty(const struct ssdup_ctx *ctx, struct state *s, const struct table *old,
			     const struct table *new)
{
	unsigned int i;
	int r;

	for (i = 0; i < DRAIN_ROUNDS; i++) {
		r = drain_and_wait(ctx, s, 0);
		if (r)
			return r;
		if (s->v.extents)
			continue;
		r = replace(s, old, new);
		if (r != -EAGAIN)
			return r;
	}
	return fail(ctx, EXIT_FAILED, s->name,
		    "the log does not get empty: something writes to it faster than it drains");
}

int drain_and_replace(const struct ssdup_ctx *ctx, struct state *s, const struct table *old,
		      const struct table *new)
{
	const char *policy = policy_word(s->v.policy);
	/* Nothing new is to go to the log; what overlaps it still does. */
	int r = set_policy(s, "none");

	if (r)
		return fail(ctx, EXIT_FAILED, s->name, "%s", error_text(-r));
	catch_signals();
	r = drain_until_empty(ctx, s, old, new);
	if (r)
		set_policy(s, policy);
	return r == -EINTR ? EXIT_INTERRUPTED : r;
}
