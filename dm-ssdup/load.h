/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: what the disks have to do and how fast they do it, for policy
 * balance. balance.c decides by what is measured here.
 *
 * Everything is statistics: no lock, and what two CPUs lose by writing one field
 * at once is a little truth about the last milliseconds.
 */
#ifndef SSDUP_LOAD_H
#define SSDUP_LOAD_H

#include <linux/atomic.h>

#include "balance.h"

struct ssdup;
struct ssdup_io;

/* One disk. */
struct disk_load {
	atomic64_t	queue;		/* ns, expected, of what is in flight */
	atomic64_t	ended;		/* work since the last look; see load.c */
	u64		looked;		/* ns: time of that look */
	u64		idle_since;	/* ns: when the queue ran empty */
	u64		idle;		/* ns of idleness since the look */
	unsigned long	looking;	/* bit 0 */
	bool		drained;	/* a drain took part since the look: learn nothing */
	struct balance_cost cost;
} ____cacheline_aligned_in_smp;

struct ssdup_load {
	struct disk_load	hdd;
	struct disk_load	ssd;
	struct balance_map	map;
	u64	promised;	/* sectors: the rest of chunks that the SSD has begun with */
	u32	age;	/* ticks: BALANCE_TICK writes each */
	u32	fill;		/* of the whole log, 1/10000 */
	u32	flushes;	/* of the HDD, ever */
	u32	flushes_seen;	/* at the end of the last window */
	u32	flush_rate;	/* in the last window */
	u64	flush_ns;	/* of a flush of the HDD */
	u64	drain_ns;	/* of BALANCE_UNIT sectors of a drain */
};

/** ssdup_load_init() - costs to begin with, until they are measured */
void ssdup_load_init(struct ssdup_load *l);

/**
 * ssdup_load_route() - policy balance: the way of a write that may take either
 *
 * Context: any. Return: the disk that is expected to end it first.
 */
enum ssdup_route ssdup_load_route(struct ssdup *c, const struct ssdup_io *io);

/** ssdup_load_bypass() - policy balance: the log is full; may the write go to the HDD? */
bool ssdup_load_bypass(struct ssdup *c, const struct ssdup_io *io);

/**
 * ssdup_load_begin() - a request is sent to a disk
 * @io: its price is filled in, 0 under other policies
 * @ssd: the disk
 * @write: it belongs to the runs of writes
 */
void ssdup_load_begin(struct ssdup *c, struct ssdup_io *io, bool ssd, bool write);

/** ssdup_load_end() - it has ended; for any request, also those without a price */
void ssdup_load_end(struct ssdup *c, struct ssdup_io *io, bool ssd);

/* A drain's write to the HDD, under way. */
struct load_drain {
	u64	begun;
	u64	price;
	u32	sectors;
	bool	alone;
};

/** ssdup_load_drain_begin() - the drain is about to write @sectors to the HDD; fills @b in */
void ssdup_load_drain_begin(struct ssdup *c, struct load_drain *b, u32 sectors);

/** ssdup_load_drain_end() - that write has ended; process context, the one drain */
void ssdup_load_drain_end(struct ssdup *c, const struct load_drain *b);

/** ssdup_load_flush() - the device is flushed; process context, one at a time */
void ssdup_load_flush(struct ssdup *c);

/** ssdup_load_flushed() - a flush of the HDD took so long; ns, one at a time */
void ssdup_load_flushed(struct ssdup *c, u64 ns);

/** ssdup_load_tick() - another BALANCE_TICK writes have come, more or less; any context */
void ssdup_load_tick(struct ssdup *c);

/** ssdup_load_window() - a window of writes is full; the one that evaluates it calls */
void ssdup_load_window(struct ssdup *c);

#endif
