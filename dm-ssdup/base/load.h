/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: how busy a drive is with the writes of logs, and with reads of them. Each CPU has sums
 * of its own; who ends a timed request looks at all of them when that is due.
 */
#ifndef SSDUP_LOAD_H
#define SSDUP_LOAD_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include "core/interference.h"

enum load_kind {
	LOAD_WRITES,
	LOAD_READS,	/* of logged data that somebody asks for */
	LOAD_KINDS
};

struct load_sums {
	struct ssd_load of[LOAD_KINDS];
};

struct ssdup_load {
	struct load_sums __percpu *sums;
	unsigned long		looking;	/* bit 0: who holds it has the rest */
	u64			look_at;	/* ns: the next look */
	struct interference	seen[LOAD_KINDS];
};

/** ssdup_load_create() - allocate the sums. Return: 0 or -ENOMEM; process context */
int ssdup_load_create(struct ssdup_load *l);
void ssdup_load_destroy(struct ssdup_load *l);

/** ssdup_load_begin() - a request begins; any context */
static __always_inline void ssdup_load_begin(struct ssdup_load *l, enum load_kind kind, u32 sectors)
{
	this_cpu_add(l->sums->of[kind].sectors, sectors);
}

/** ssdup_load_timed() - a request of @sectors took @ns, until @now; any context */
void ssdup_load_timed(struct ssdup_load *l, enum load_kind kind, u32 sectors, u64 ns, u64 now);

/** ssdup_load_end() - it ends, @ns after @sent; 0: it was not timed; any context */
static __always_inline void ssdup_load_end(struct ssdup_load *l, enum load_kind kind, u32 sectors,
					   u64 sent, u64 ns)
{
	if (ns)
		ssdup_load_timed(l, kind, sectors, ns, sent + ns);
	this_cpu_sub(l->sums->of[kind].sectors, sectors);
}

/** ssdup_load_read() - a read begins, of whatever kind; any context */
static __always_inline void ssdup_load_read(struct ssdup_load *l)
{
	this_cpu_inc(l->sums->of[LOAD_WRITES].others);
}

/** ssdup_load_interference() - R of the last second in 10000ths, see LOAD_NONE; any context */
u32 ssdup_load_interference(struct ssdup_load *l, enum load_kind kind);

/** ssdup_load_gain() - what reads alone would gain, see ssdup_interference_gain(); any context */
u32 ssdup_load_gain(struct ssdup_load *l);

#endif
