// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup job: a job gets a device, a class for what it writes, and its tenant's share of room.
 * Prologs and epilogs call it, of Slurm by examples/burst_buffer.lua.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "lib/classes.h"
#include "lib/dev.h"
#include "lib/jobs.h"
#include "lib/state.h"

struct wish {
	const char	*id;
	const char	*tenant;
	const char	*class;		/* CLASS_DEFAULT, or "auto" */
	uint64_t	bytes;
	uint64_t	most;		/* of all jobs of the tenant */
	bool		start, end;
};

/* --- Classes of a device --- */

struct names {
	const char	**name;
	unsigned int	nr;
};

/* CLASS_DEFAULT first, as in sysfs; a log without classes has nothing else. */
static void read_classes(const struct state *s, struct names *all)
{
	FILE *f = classes_of(s->rdev);
	struct class_line k;

	*all = (struct names){ };
	while (f && classes_next(f, &k)) {
		all->name = xmore(all->name, all->nr, sizeof(*all->name));
		all->name[all->nr++] = xstrdup(k.name);
	}
	if (f)
		fclose(f);
	if (!all->nr) {
		all->name = xmore(all->name, 0, sizeof(*all->name));
		all->name[all->nr++] = xstrdup(CLASS_DEFAULT);
	}
}

static void free_classes(struct names *all)
{
	while (all->nr)
		free((char *)all->name[--all->nr]);
	free(all->name);
}

static int send_class(const struct ssdup_ctx *ctx, const char *device, const char *class)
{
	char *message = xprintf("class %s", class);
	int r = dmdev_message(device, message);

	free(message);
	return r ? fail(ctx, EXIT_FAILED, device, "cannot set class %s: %s", class,
			strerror(-r)) : EXIT_OK;
}

/* --- A new job --- */

/* Whichever of the devices the job gets, it can have what it asks for. */
static int check_device(const struct ssdup_ctx *ctx, const struct wish *w, const char *name)
{
	struct names classes;
	unsigned int i = 0;
	struct state s;
	int r;

	r = state_read(name, &s);
	if (r)
		return state_complain(ctx, name, r);
	read_classes(&s, &classes);
	if (strcmp(w->class, "auto")) {
		while (i < classes.nr && strcmp(classes.name[i], w->class))
			i++;
		if (i == classes.nr)
			r = fail(ctx, EXIT_USAGE, "--class", "%s has no class \"%s\"", name,
				 w->class);
	}
	free_classes(&classes);
	state_free(&s);
	return r;
}

/* A class of the tenant's own, so not CLASS_DEFAULT if there are others. */
static char *own_class(const struct jobs *jobs, const char *device, const char *tenant)
{
	struct names classes;
	struct state s;
	char *class;
	bool some;

	if (state_read(device, &s))
		return xstrdup(CLASS_DEFAULT);
	read_classes(&s, &classes);
	some = classes.nr > 1;
	class = xstrdup(tenant_class(jobs, device, classes.name + some, classes.nr - some, tenant));
	free_classes(&classes);
	state_free(&s);
	return class;
}

static int add_job(const struct ssdup_ctx *ctx, const struct wish *w, struct jobs *jobs,
		   char **devices, unsigned int nr)
{
	struct job *before = jobs_find(jobs, w->id);
	char granted[SIZE_TEXT], most[SIZE_TEXT];
	uint64_t used;
	struct job job;
	unsigned int i;
	int r;

	for (i = 0; i < nr; i++) {
		r = check_device(ctx, w, devices[i]);
		if (r)
			return r;
	}
	/* Asked again, it may get another one. */
	if (before)
		jobs_forget(jobs, before);
	used = tenant_bytes(jobs, w->tenant);
	if (used > w->most || w->bytes > w->most - used)
		return fail(ctx, EXIT_REFUSED, w->tenant, "granted %s of %s already",
			    format_size(granted, used), format_size(most, w->most));
	job = (struct job){
		.id = (char *)w->id,
		.device = (char *)tenant_device(jobs, (const char *const *)devices, nr, w->tenant),
		.tenant = (char *)w->tenant,
		.bytes = w->bytes,
	};
	job.class = strcmp(w->class, "auto") ? xstrdup(w->class) :
					       own_class(jobs, job.device, w->tenant);
	r = jobs_write(&job);
	if (r)
		r = fail(ctx, EXIT_FAILED, w->id, "cannot note the job: %s", strerror(-r));
	else
		printf("%s %s\n", job.device, job.class);
	free(job.class);
	return r;
}

/* --- One that is known --- */

static int start_job(const struct ssdup_ctx *ctx, const struct wish *w, struct jobs *jobs)
{
	struct job *job = jobs_find(jobs, w->id);
	int r;

	if (!job)
		return fail(ctx, EXIT_NOT_FOUND, w->id, "no such job");
	job->runs = true;
	r = send_class(ctx, job->device, tenant_epoch(jobs, job->device));
	if (r)
		return r;
	r = jobs_write(job);
	return r ? fail(ctx, EXIT_FAILED, w->id, "cannot note the start: %s", strerror(-r)) :
		   EXIT_OK;
}

/* The tenant has its room back, even if the device has gone meanwhile. */
static int end_job(const struct ssdup_ctx *ctx, const struct wish *w, struct jobs *jobs)
{
	struct job *job = jobs_find(jobs, w->id);
	struct state s;
	char *device;
	int r;

	if (!job)
		return EXIT_OK;
	r = jobs_remove(w->id);
	if (r)
		return fail(ctx, EXIT_FAILED, w->id, "cannot forget the job: %s", strerror(-r));
	device = xstrdup(job->device);
	jobs_forget(jobs, job);
	if (!state_read(device, &s)) {
		r = send_class(ctx, device, tenant_epoch(jobs, device));
		state_free(&s);
	}
	free(device);
	return r;
}

/* --- Command line --- */

static int take_size(struct ssdup_ctx *ctx, const char *option, uint64_t *bytes)
{
	return parse_size(optarg, bytes) ?
	       bad_usage(ctx, "%s: not a size: %s", option, optarg) : EXIT_OK;
}

static int take_option(struct ssdup_ctx *ctx, struct wish *w, int opt)
{
	switch (opt) {
	case OPT_TENANT:
		w->tenant = optarg;
		return jobs_word(optarg) ? EXIT_OK :
		       bad_usage(ctx, "--tenant: not a name: %s", optarg);
	case OPT_CLASS:
		w->class = optarg;
		return EXIT_OK;
	case OPT_SIZE:
		return take_size(ctx, "--size", &w->bytes);
	case OPT_MAX:
		return take_size(ctx, "--max", &w->most);
	case OPT_START:
		w->start = true;
		return EXIT_OK;
	default:
		w->end = true;
		return EXIT_OK;
	}
}

/* ID, and the names of devices behind it, for a job that is new. */
static int check_words(struct ssdup_ctx *ctx, const struct wish *w, char **names, int nr)
{
	if (!jobs_word(w->id))
		return bad_usage(ctx, "not the id of a job: %s", w->id);
	if (w->start || w->end)
		return !nr && w->start != w->end && !w->tenant ? EXIT_OK :
		       bad_usage(ctx, "--start and --end take nothing but the id of a job");
	if (!nr || !w->tenant)
		return bad_usage(ctx, "a new job needs the name of a device, and --tenant");
	if (w->bytes > w->most)
		return bad_usage(ctx, "--size: more than --max");
	while (nr--)
		if (!jobs_word(names[nr]))
			return bad_usage(ctx, "not the name of a device: %s", names[nr]);
	return EXIT_OK;
}

int cmd_job(struct ssdup_ctx *ctx, int argc, char **argv)
{
	struct wish w = { .class = CLASS_DEFAULT, .most = UINT64_MAX };
	struct jobs jobs;
	int opt, r, lock;

	while ((opt = next_option(ctx, argc, argv)) != OPT_END) {
		if (opt == OPT_STOP)
			return ctx->exit;
		r = take_option(ctx, &w, opt);
		if (r)
			return r;
	}
	if (!operands(ctx, argc, argv, 1, -1))
		return ctx->exit;
	w.id = argv[optind++];
	r = check_words(ctx, &w, argv + optind, argc - optind);
	if (r)
		return r;
	lock = jobs_lock(ctx);
	if (lock < 0)
		return EXIT_FAILED;
	jobs_read(&jobs);
	if (w.start)
		r = start_job(ctx, &w, &jobs);
	else if (w.end)
		r = end_job(ctx, &w, &jobs);
	else
		r = add_job(ctx, &w, &jobs, argv + optind, argc - optind);
	jobs_free(&jobs);
	close(lock);
	return r;
}
