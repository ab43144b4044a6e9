/* SPDX-License-Identifier: GPL-2.0-only */
/* burst: the places that processes write, in order. */
#ifndef BURST_ORDER_H
#define BURST_ORDER_H

#include "util.h"

enum pattern {
	CONTIGUOUS,	/* a segment each, in order */
	STRIDED,	/* all processes in turn, through the whole area */
	RANDOM,		/* a segment each, every place at most once in random order */
	MIXED,		/* first half of the processes contiguous, the others random */
	UNIFORM,	/* any place of the area, drawn anew for each request */
	ZIPF,		/* the same, some places far more often than others */
	HPIO,		/* region i of process p is the (i * procs + p)th of the file */
	TILE,		/* rows of a tile each, out of a matrix of tiles */
	PATTERNS
};

extern const char * const pattern_names[PATTERNS];

/**
 * struct job - processes that write the same way
 * @pattern: which way
 * @procs: how many
 * @request: bytes of a request
 * @size: bytes of all processes together
 * @span: bytes of the area that RANDOM, UNIFORM and ZIPF choose from
 * @offset: where the area begins, in bytes
 * @spacing: HPIO: bytes between regions
 * @tiles_x: TILE: tiles side by side
 * @theta: ZIPF: exponent, in 1/100
 * @seed: decides the random order, and nothing else
 * @stamp: in every sector, beside its number
 * @reads: how many in a hundred requests read instead
 * @fsync: fdatasync() after that many writes of a process; 0: never
 * @jitter_us: mean of a wait before each request, exponentially distributed
 * @ms: stop after that time, begin again at the end until then; 0: each request once
 * @array: bytes that a process writes in a row before others may read them; 0: nobody does
 * @staged: processes that one more reads from, each array as soon as it is there
 * @think_ms: a process computes for so long before each array
 */
struct job {
	enum pattern	pattern;
	u32		procs;
	u32		request;
	u64		size;
	u64		span;
	u64		offset;
	u64		spacing;
	u32		tiles_x;
	u32		theta;
	u64		seed;
	u64		stamp;
	u32		reads;
	u32		fsync;
	u32		jitter_us;
	u32		ms;
	u64		array;
	u32		staged;
	u32		think_ms;
};

/* A generator of its own for each process and purpose; never 0. */
u64 next_random(u64 *state);
u64 random_start(const struct job *job, u32 proc);

/**
 * requests_each() - how many requests a process makes
 * @job: the job
 */
u32 requests_each(const struct job *job);

/* How many processes read what others have written. */
static inline u32 nr_readers(const struct job *job)
{
	return job->array ? (job->procs + job->staged - 1) / job->staged : 0;
}

/**
 * job_fault() - what does not fit together in a job
 * @job: the job; @span is set if it was not given
 *
 * Return: a text, or NULL.
 */
const char *job_fault(struct job *job);

/**
 * make_order() - where a process writes
 * @job: the job
 * @proc: number of the process
 *
 * Return: requests_each() places in bytes, in order; to be freed.
 */
u64 *make_order(const struct job *job, u32 proc);

/**
 * area_end() - the end of the last place that any process may write
 * @job: the job
 *
 * Return: bytes.
 */
u64 area_end(const struct job *job);

/* The head of every sector. */
struct head {
	u64	lba;
	u64	stamp;
};

#endif /* BURST_ORDER_H */
