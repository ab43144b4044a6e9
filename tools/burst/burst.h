/* SPDX-License-Identifier: GPL-2.0-only */
/* burst: what its files share. */
#ifndef BURST_H
#define BURST_H

#include <stdbool.h>
#include <stddef.h>

typedef unsigned int u32;
typedef unsigned long long u64;

#define SECTOR		512

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
 * @link: bytes a second that a link lets through which all processes share; 0: there is none
 * @ms: stop after that time, begin again at the end until then; 0: each request once
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
	u64		link;
	u32		ms;
};

/* A generator of its own for each process and purpose; never 0. */
u64 next_random(u64 *state);
u64 random_start(const struct job *job, u32 proc);

/**
 * requests_each() - how many requests a process makes
 * @job: the job
 */
u32 requests_each(const struct job *job);

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

void *alloc(size_t bytes);
void die(const char *what, const char *which) __attribute__((noreturn));
u64 now_ns(void);

/* Latencies by size, 32 steps for each power of two: 3 % apart at most. */
#define HIST_STEPS	32
#define HIST_SLOTS	(HIST_STEPS * 40)

/* Time is cut in slices for the course of latency and speed. */
#define COURSE_SLICES	4096

/**
 * struct outcome - what happened, of all processes and of all runs added up
 * @runs: number of runs
 * @start_ns: begin of the first run, by CLOCK_MONOTONIC; slices count from here
 * @run_ns: begin of this one
 * @end_ns: end of the last one
 * @ns: time of all runs
 * @link_ns: when the link has let through what waits for it
 * @error: the first error of any process
 * @bytes: [0] written, [1] read
 * @requests: their number
 * @longest_ns: the longest of them
 * @hist: their latencies
 * @slice_bytes: written and read in each slice of time
 * @slice_longest_ns: the longest request that ended in it
 */
struct outcome {
	u64	runs;
	u64	start_ns;
	u64	run_ns;
	u64	end_ns;
	u64	ns;
	u64	link_ns;
	int	error;
	u64	bytes[2];
	u64	requests[2];
	u64	longest_ns[2];
	u32	hist[2][HIST_SLOTS];
	u64	slice_bytes[COURSE_SLICES];
	u64	slice_longest_ns[COURSE_SLICES];
};

/**
 * outcome_add() - note a request that ended; from any process
 * @out: shared by all of them
 * @read: it was a read
 * @bytes: its length
 * @begin: when it began
 * @end: when it ended
 * @slice_ns: length of a slice
 */
void outcome_add(struct outcome *out, bool read, u32 bytes, u64 begin, u64 end, u64 slice_ns);

/**
 * outcome_report() - print the line that is the result, as JSON
 * @out: what happened
 * @job: the (first) job
 * @slice_ms: print the course too, in slices of that length; 0: do not
 */
void outcome_report(const struct outcome *out, const struct job *job, u32 slice_ms);

/**
 * run_verify() - read back what a job wrote
 * @job: the job
 * @path: device
 *
 * Return: sectors that do not hold what the job wrote; their number is printed.
 */
u64 run_verify(const struct job *job, const char *path);

/* The head of every sector. */
struct head {
	u64	lba;
	u64	stamp;
};

#endif /* BURST_H */
