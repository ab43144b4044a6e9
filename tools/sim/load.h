/* SPDX-License-Identifier: GPL-2.0-only */
/* sim: what writers and readers do. Places are those of tools/burst. */
#ifndef SIM_LOAD_H
#define SIM_LOAD_H

#include "tools/burst/order.h"

#define LOAD_JOBS	2

/* What is to be large in a figure of it. */
enum load_figure {
	LOAD_SPEED,	/* bytes a second that writers see */
	LOAD_BESIDE,	/* the same, of readers and of writers, apart */
	LOAD_COMMITS,	/* commits, and pages beside them, apart */
};

/**
 * struct load - what is done at once
 * @name: of it
 * @figure: what counts
 * @jobs: who writes; the first one counts, or commits
 * @rounds: how often, each beginning when the one before has ended
 * @gap_ms: from one to the next
 * @readers: processes that read the HDD in order meanwhile, 256 KiB at a time, from when the log is
 *	full; what was before is not counted
 * @ssd_readers: processes that read old data of the first SSD, 16 KiB at a time, and from LEARN_NS
 *	before anybody writes; only with several SSDs
 * @times: the sum of the sizes, in sizes of the SSD; 0: as the jobs say
 * @least: the check wants so much of the bare HDD, of each figure
 */
struct load {
	const char	*name;
	enum load_figure figure;
	struct job	jobs[LOAD_JOBS];
	u32		rounds;
	u32		gap_ms;
	u32		readers;
	u32		ssd_readers;
	u32		times;
	double		least[2];
};

extern const struct load loads[];
extern const u32 nr_loads;

#endif
