// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: how many requests there have been, and how many are at the HDD.
 */
#include "requests.h"

struct ssdup_requests ssdup_sum_requests(struct ssdup *c)
{
	u64 begun = 0, ended = 0;
	struct ssdup_requests s = { };
	int cpu;

	/* Sum ended first: a request that ends between the sums counts as in flight. */
	for_each_possible_cpu(cpu)
		ended += READ_ONCE(per_cpu_ptr(c->stats, cpu)->hdd_ended);
	for_each_possible_cpu(cpu) {
		const struct ssdup_stats *st = per_cpu_ptr(c->stats, cpu);

		begun += READ_ONCE(st->hdd_begun);
		s.all += READ_ONCE(st->requests);
		/* When a user clears these, that looks like a read and a write. */
		s.reads += READ_ONCE(st->count[STAT_READS_HDD]);
		s.reads += READ_ONCE(st->count[STAT_READS_SSD]);
		s.writes += READ_ONCE(st->count[STAT_WRITES_SSD]);
	}
	s.all += ended;
	s.hdd_inflight = begun - ended;
	return s;
}
