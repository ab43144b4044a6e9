// SPDX-License-Identifier: GPL-2.0-only
/* Owns what is known of how busy the drives are. */
#include <linux/bitops.h>
#include <linux/minmax.h>
#include <linux/timekeeping.h>

#include "load.h"

int ssdup_load_create(struct ssdup_load *l)
{
	l->sums = alloc_percpu(struct ssd_load);
	return l->sums ? 0 : -ENOMEM;
}

void ssdup_load_destroy(struct ssdup_load *l)
{
	free_percpu(l->sums);
}

static struct ssd_load sum(const struct ssdup_load *l)
{
	const struct ssd_load *each;
	struct ssd_load all = { };
	u32 size;
	int cpu;

	for_each_possible_cpu(cpu) {
		each = per_cpu_ptr(l->sums, cpu);
		all.sectors += READ_ONCE(each->sectors);
		all.reads += READ_ONCE(each->reads);
		for (size = 0; size < LOAD_SIZES; size++) {
			all.timed[size].ns += READ_ONCE(each->timed[size].ns);
			all.timed[size].nr += READ_ONCE(each->timed[size].nr);
		}
	}
	/* A write that has ended elsewhere may be seen without its begin. */
	all.sectors = max_t(s64, all.sectors, 0);
	return all;
}

/* One at a time: whoever finds that another one looks need not wait. */
static void look_if_due(struct ssdup_load *l, u64 now)
{
	struct ssd_load all;

	if (now < READ_ONCE(l->look_at) || test_and_set_bit_lock(0, &l->looking))
		return;
	/* Another one may have looked since, at a later time. */
	if (now >= l->look_at) {
		all = sum(l);
		ssdup_interference_look(&l->seen, &all, now);
		WRITE_ONCE(l->look_at, now + LOAD_LOOK);
	}
	clear_bit_unlock(0, &l->looking);
}

void ssdup_load_timed(struct ssdup_load *l, u32 sectors, u64 ns, u64 now)
{
	struct load_timed __percpu *timed = &l->sums->timed[ssdup_load_size(sectors)];

	this_cpu_add(timed->ns, ns);
	this_cpu_inc(timed->nr);
	look_if_due(l, now);
}

u32 ssdup_load_interference(struct ssdup_load *l)
{
	look_if_due(l, ktime_get_ns());
	return ssdup_interference(&l->seen);
}
