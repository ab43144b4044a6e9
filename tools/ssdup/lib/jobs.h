/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: the jobs that "ssdup job" was told of: a file for each in /run/ssdup/jobs, with its
 * device, class, bytes, "waits" or "runs", and tenant. A boot forgets them, and the kernel
 * forgets the classes of its devices then too. Files are replaced as a whole, so anyone may read
 * them at any time. Whoever changes one holds the lock.
 */
#ifndef SSDUP_JOBS_H
#define SSDUP_JOBS_H

#include "tenants.h"
#include "tool.h"

/** jobs_word() - may a job, a tenant or a class have this name? */
bool jobs_word(const char *word);

/** job_parse() - read a file's line; false, and nothing to free, for anything else */
bool job_parse(struct job *job, const char *id, const char *line);

/**
 * jobs_read() - all jobs, sorted by tenant, class and id
 * @jobs: jobs_free() them
 */
void jobs_read(struct jobs *jobs);

void jobs_free(struct jobs *jobs);

/** jobs_find() - the job of that id, or NULL */
struct job *jobs_find(const struct jobs *jobs, const char *id);

/** jobs_forget() - free a job of the array and close the gap */
void jobs_forget(struct jobs *jobs, struct job *job);

/**
 * jobs_lock() - make the folder if need be, and keep everyone else from changing jobs
 *
 * Return: a descriptor to be closed, or -1 with the complaint made.
 */
int jobs_lock(const struct ssdup_ctx *ctx);

/** jobs_write() - the file of a job, new or old; 0 or -errno */
int jobs_write(const struct job *job);

/** jobs_remove() - take the file of a job away; 0 or -errno */
int jobs_remove(const char *id);

#endif
