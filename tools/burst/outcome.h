/* SPDX-License-Identifier: GPL-2.0-only */
/* burst: what a run took, and the line that reports it. */
#ifndef BURST_OUTCOME_H
#define BURST_OUTCOME_H

#include "order.h"

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
 * @error: the first error of any process
 * @bytes: [0] written, [1] read
 * @requests: their number
 * @longest_ns: the longest of them
 * @sum_ns: what all of them took together
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
	int	error;
	u64	bytes[2];
	u64	requests[2];
	u64	longest_ns[2];
	u64	sum_ns;
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

#endif /* BURST_OUTCOME_H */
