/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: all tuned constants of policy balance. Pure.
 *
 * The compiler folds them, since they stand in one const struct. scripts/bench/sweep changes one
 * at a time and runs the bench.
 */
#ifndef SSDUP_TUNING_H
#define SSDUP_TUNING_H

#include <linux/compiler.h>
#include <linux/types.h>

struct balance_tuning {
	/* How often something is looked at. */
	u32	tick;		/* writes, from one tick to the next */
	u32	window;		/* ticks, from one window to the next */
	u32	look;		/* requests of a disk, from one look at it to the next */
	u32	rest;		/* the same, for a disk at rest */
	u32	pass;		/* streams skipped for each one evaluated, when quiet */

	/* Which writes are sequential. */
	u32	recent;		/* ticks within which a write may follow another one */
	u32	soon;		/* ticks within which others still write the chunk before a front */
	u32	small;		/* sectors: writes up to this are alike, and no fronts */

	/* Which disk takes a write. */
	u32	stay;		/* factor by which another disk must be cheaper to get a chunk */
	u32	has;		/* the same, for scattered writes to a chunk of the HDD */
	u32	run;		/* factor on the SSD's price for a sequential write */
	u32	fill;		/* what a full log adds to the factor on the SSD's price */
	u32	fresh;		/* weight of promises, against the SSD, for a new chunk */
	u32	roomless;	/* the same, when nearly all is promised */
	u32	begun;		/* the same, for scattered writes to a chunk of the HDD */
	u32	whole;		/* sectors: for a shorter write, promises count less */
	u32	forget;		/* windows after which little is left of a promise */

	/* What room on the SSD costs. */
	u32	dearest;	/* price with thrift 100, in transfers of the HDD; 1/256 */
	u32	patience;	/* prices that a write must end sooner by at the SSD */
	u32	ample;		/* with 1/(1 + ample) of the budget left the price is a transfer */

	/* What a request costs. */
	u32	cost_step;	/* part of an error that is corrected at once: 1/8 */
	u32	cost_steady;	/* part of a price that is too little to correct: 1/64 */
	u32	flush_step;	/* part of a flush's time that is learnt at once: 1/4 */
	u32	flush_share;	/* flushes in a window that cost each direct write a flush */

	/* What a drain costs. */
	u32	drain_step;	/* part of a drain's cost that is learnt at once: 1/4 */
	u32	drain_least;	/* part of its time that a drain costs at least: 1/8 */

	/* Assumed until measured. */
	u32	hdd_unit_ns;
	u32	hdd_request_ns;
	u32	hdd_place_ns;
	u32	ssd_unit_ns;
	u32	ssd_request_ns;
	u32	flush_ns;	/* of a FLUSH of the HDD */
	u32	sync_ns;	/* of a flush that frees segments */
};

/*
 * A comment says where a number comes from, and how much throughput a workload of the bench
 * loses without the rule (scripts/bench/sweep --values off). Two runs of the same code differ by
 * 2 %, strided writes and bursts with a gap by 6 %. No percentage: no more than that, or not
 * measured.
 */
static const struct balance_tuning tuning __maybe_unused = {
	/* Sixteen writes share the cost of a tick: the fill, the promises, the window. */
	.tick = 16,
	.window = 8,
	/* A look costs two clock reads and a step of learning, which 32 requests share. */
	.look = 32,
	/* A burst with a gap 11 %. */
	.rest = 256,
	/* What a sort of 128 samples costs is shared by 512 writes. */
	.pass = 3,

	/* 1024 writes: some rounds of a hundred writers. 48 writes: three rounds of 16. */
	.recent = 64,
	.soon = 3,
	/* 16 KiB: a front of 4 KiB would announce a thousand writes of its price. fsync 32 %. */
	.small = 32,

	/* Found with mixed and strided writers. Mixed 22 %, contiguous 8 %. */
	.stay = 12,
	/* The same. A burst with a gap 12 %. */
	.has = 3,
	/* The HDD gets the sequential writes. Mixed 15 %. */
	.run = 2,
	/* A full log doubles the price. Mixed 4 %, and its longest wait is 19 times as long. */
	.fill = 1,
	/* The SSD begins no more chunks than the log has room for. Strided 9 %, mixed 4 %. */
	.fresh = 4,
	/* For strided writers that run ahead. Strided 7 %; longest wait of mixed as for fill. */
	.roomless = 8,
	/* Found like stay. Longest wait of strided: 13 times as long; but mixed gains 8 %. */
	.begun = 60,
	/* 256 KiB. Without it a log half full sends one small write in six to the HDD. */
	.whole = 512,
	.forget = 128,

	/* At 100 the price is above a transfer: sequential writes are not worth it any more. */
	.dearest = 300,
	/* An HDD with little to do gets the writes that it can take. */
	.patience = 8,
	/* One ninth of a day, 2 h 40 min of earning, is left to the scattered writes. */
	.ample = 8,

	/* The prices follow a new load within some 300 requests. */
	.cost_step = 8,
	.cost_steady = 64,
	.flush_step = 4,
	/* At a flush for every four writes, each direct write pays for one. fsync 11 %. */
	.flush_share = 32,

	.drain_step = 4,
	/* The cost of requests is a guess, and could leave nothing for the drain. */
	.drain_least = 8,

	/* A hard disk of 170 MB/s and an SSD of 450 MB/s. */
	.hdd_unit_ns = 1500000,
	.hdd_request_ns = 20000,
	.hdd_place_ns = 1000000,
	.ssd_unit_ns = 580000,
	.ssd_request_ns = 10000,
	.flush_ns = 10000000,
	.sync_ns = 500000000,
};

#endif
