// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dev.h"
#include "jobs.h"

static const char *jobs_folder(void)
{
	return getenv("SSDUP_JOBS") ?: "/run/ssdup/jobs";
}

static char *job_path(const char *id)
{
	return xprintf("%s/%s", jobs_folder(), id);
}

bool jobs_word(const char *word)
{
	const char *c;

	for (c = word; isgraph((unsigned char)*c) && *c != '/'; c++)
		;
	return *word && !*c && *word != '.' && c - word < 128;
}

/* --- Reading --- */

static void job_free(struct job *job)
{
	free(job->id);
	free(job->device);
	free(job->class);
	free(job->tenant);
}

bool job_parse(struct job *job, const char *id, const char *line)
{
	unsigned long long bytes = 0;
	char state[8] = "";
	int end = 0;

	*job = (struct job){ .id = xstrdup(id) };
	if (sscanf(line, "%ms %ms %llu %7s %ms%n", &job->device, &job->class, &bytes, state,
		   &job->tenant, &end) == 5 && !line[end] && jobs_word(job->class) &&
	    jobs_word(job->tenant)) {
		job->bytes = bytes;
		job->runs = !strcmp(state, "runs");
		return true;
	}
	job_free(job);
	return false;
}

static int by_tenant(const void *a, const void *b)
{
	const struct job *x = a, *y = b;
	int r = strcmp(x->tenant, y->tenant) ?: strcmp(x->class, y->class);

	return r ?: strcmp(x->id, y->id);
}

void jobs_read(struct jobs *jobs)
{
	DIR *dir = opendir(jobs_folder());
	struct dirent *entry;
	struct job job;
	char *line;

	*jobs = (struct jobs){ };
	while (dir && (entry = readdir(dir))) {
		line = jobs_word(entry->d_name) ? folder_line(jobs_folder(), entry->d_name) : NULL;
		if (line && job_parse(&job, entry->d_name, line)) {
			jobs->job = xmore(jobs->job, jobs->nr, sizeof(*jobs->job));
			jobs->job[jobs->nr++] = job;
		}
		free(line);
	}
	if (dir)
		closedir(dir);
	if (jobs->nr)
		qsort(jobs->job, jobs->nr, sizeof(*jobs->job), by_tenant);
}

void jobs_free(struct jobs *jobs)
{
	while (jobs->nr)
		job_free(&jobs->job[--jobs->nr]);
	free(jobs->job);
}

struct job *jobs_find(const struct jobs *jobs, const char *id)
{
	unsigned int i;

	for (i = 0; i < jobs->nr; i++)
		if (!strcmp(jobs->job[i].id, id))
			return &jobs->job[i];
	return NULL;
}

void jobs_forget(struct jobs *jobs, struct job *job)
{
	job_free(job);
	memmove(job, job + 1, (char *)(jobs->job + jobs->nr) - (char *)(job + 1));
	jobs->nr--;
}

/* --- Changing --- */

int jobs_lock(const struct ssdup_ctx *ctx)
{
	char *parent = xstrdup(jobs_folder()), *slash = strrchr(parent, '/');
	int fd;

	if (slash && slash > parent) {
		*slash = '\0';
		mkdir(parent, 0755);
	}
	free(parent);
	mkdir(jobs_folder(), 0755);
	fd = open(jobs_folder(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0 && !flock(fd, LOCK_EX))
		return fd;
	fail(ctx, EXIT_FAILED, jobs_folder(), "cannot open and lock it: %m%s", root_hint());
	if (fd >= 0)
		close(fd);
	return -1;
}

int jobs_write(const struct job *job)
{
	/* No job has such a name, so half a file is not read. */
	char *draft = job_path(".draft"), *path = job_path(job->id);
	FILE *f = fopen(draft, "we");
	int r = 0;

	if (f)
		fprintf(f, "%s %s %llu %s %s\n", job->device, job->class,
			(unsigned long long)job->bytes, job->runs ? "runs" : "waits", job->tenant);
	/* Else what could not be written would be noticed by nobody. */
	if (!f || fchmod(fileno(f), 0644) || fflush(f) || rename(draft, path))
		r = -errno;
	if (f)
		fclose(f);
	free(draft);
	free(path);
	return r;
}

int jobs_remove(const char *id)
{
	char *path = job_path(id);
	int r = unlink(path) ? -errno : 0;

	free(path);
	return r;
}
