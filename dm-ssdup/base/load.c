// SPDX-License-Identifier: GPL-2.0-only
/* Owns what is known of how busy the drives are. */
#include <linux/bitops.h>
#include <linux/minmax.h>
#include <linux/timekeeping.h>

#include "load.h"

int ssdup_load_create(struct ssdup_load *l)
{
	l->sums = alloc_percpu(struct load_sums);
	return l->sums ? 0 : -ENOMEM;
}

void ssdup_load_destroy(struct ssdup_load *l)
{
	free_percpu(l->sums);
}

static struct ssd_load sum(const struct ssdup_load *l, enum load_kind kind)
{
	const struct ssd_load *each;
	struct ssd_load all = { };
	u32 size;
	int cpu;

	for_each_possible_cpu(cpu) {
		each = &per_cpu_ptr(l->sums, cpu)->of[kind];
		all.sectors += READ_ONCE(each->sectors);
		all.others += READ_ONCE(each->others);
		for (size = 0; size < LOAD_SIZES; size++) {
			all.timed[size].ns += READ_ONCE(each->timed[size].ns);
			all.timed[size].nr += READ_ONCE(each->timed[size].nr);
		}
	}
	/* One that has ended elsewhere may be seen without its begin. */
	all.sectors = max_t(s64, all.sectors, 0);
	return all;
}

/* One at a time: whoever finds that another one looks need not wait. */
static void look_if_due(struct ssdup_load *l, u64 now)
{
	struct ssd_load writes, reads;
	u32 size;

	if (now < READ_ONCE(l->look_at) || test_and_set_bit_lock(0, &l->looking))
		return;
	/* Another one may have looked since, at a later time. */
	if (now >= l->look_at) {
		writes = sum(l, LOAD_WRITES);
		reads = sum(l, LOAD_READS);
		for (size = 0; size < LOAD_SIZES; size++)
			reads.others += writes.timed[size].nr;
		ssdup_interference_look(&l->seen[LOAD_WRITES], &writes, now);
		ssdup_interference_look(&l->seen[LOAD_READS], &reads, now);
		WRITE_ONCE(l->look_at, now + LOAD_LOOK);
	}
	clear_bit_unlock(0, &l->looking);
}

void ssdup_load_timed(struct ssdup_load *l, enum load_kind kind, u32 sectors, u64 ns, u64 now)
{
	struct load_timed __percpu *timed = &l->sums->of[kind].timed[ssdup_load_size(sectors)];

	this_cpu_add(timed->ns, ns);
	this_cpu_inc(timed->nr);
	look_if_due(l, now);
}

u32 ssdup_load_interference(struct ssdup_load *l, enum load_kind kind)
{
	look_if_due(l, ktime_get_ns());
	return ssdup_interference(&l->seen[kind]);
}

u32 ssdup_load_gain(struct ssdup_load *l)
{
	look_if_due(l, ktime_get_ns());
	return ssdup_interference_gain(&l->seen[LOAD_READS], &l->seen[LOAD_WRITES]);
}
