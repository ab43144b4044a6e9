/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: every number that policy balance was tuned by. Pure.
 *
 * The compiler folds them, as they stand in one constant. scripts/bench/sweep changes one at a
 * time and measures what becomes of the bench; Documentation/sensitivity.rst has its tables.
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
	u32	rest;		/* the same, of a disk at rest */
	u32	pass;		/* streams that are not evaluated for one that is, when quiet */

	/* Which write goes on where another ended. */
	u32	recent;		/* ticks: exactly there, with many writers */
	u32	soon;		/* ticks: out of order */
	u32	near;		/* lengths of the write: so far from there, out of order */
	u32	loose;		/* 1/10000: streams of a lower percentage are out of order */
	u32	small;		/* sectors: writes up to this are alike, and no fronts */
	u32	come;		/* windows, after which few are expected behind a front */

	/* Which disk takes a write. */
	u32	stay;		/* times better must the other disk be to get a chunk */
	u32	has;		/* the same, for scattered writes to a chunk of the HDD */
	u32	run;		/* times dearer is the SSD for a write that goes on */
	u32	fill;		/* times dearer does a full log make the SSD, besides */
	u32	fresh;		/* weight of promises, against the SSD, for a new chunk */
	u32	roomless;	/* the same, when nearly all is promised */
	u32	begun;		/* the same, for scattered writes to a chunk of the HDD */
	u32	whole;		/* sectors: a shorter write heeds promises the less */
	u32	forget;		/* windows, after which little is left of a promise */

	/* What a request costs. */
	u32	cost_step;	/* part of an error that is corrected at once: 1/8 */
	u32	cost_steady;	/* part of a price that is no error: 1/64 */
	u32	flush_step;	/* part of a flush's time that is learnt at once: 1/4 */
	u32	flush_share;	/* flushes in a window that cost each direct write a flush */

	/* What a drain costs. */
	u32	drain_step;	/* part of a drain's cost that is learnt at once: 1/4 */
	u32	drain_least;	/* part of its time that a drain costs at least: 1/8 */
	u32	drain_full;	/* sectors: a shorter drain tells less */
	u32	bypass;		/* times a drain's cost may a write past a full log cost */

	/* What is assumed until it is measured. */
	u32	hdd_unit_ns;
	u32	hdd_request_ns;
	u32	hdd_place_ns;
	u32	ssd_unit_ns;
	u32	ssd_request_ns;
	u32	flush_ns;	/* of a FLUSH of the HDD */
	u32	home_ns;	/* of one that frees a half */
};

/*
 * Where each comes from, and what the bench's writers lose without its rule: MB/s, in short runs
 * on its SATA disks. What is not said was not measured.
 */
static const struct balance_tuning tuning __maybe_unused = {
	/* Sixteen writes share what is worked out once: the fill, what is promised, the window. */
	.tick = 16,
	.window = 8,
	/* A look costs two clock reads and a step of learning, which 32 requests share. */
	.look = 32,
	.rest = 256,
	.pass = 3,

	/* 1024 writes: a round of a hundred writers or so. 48 writes: a few rounds of 16. */
	.recent = 64,
	.soon = 3,
	/* For writers that share a run. Mixed 3 %, in one run. */
	.near = 4,
	/* Half of the neighbours of a stream do not follow each other. Scarce log 4 %. */
	.loose = 5000,
	/* 16 KiB: a front of 4 KiB would announce a thousand writes of its price. fsync 26 %. */
	.small = 32,
	.come = 8,

	/* Found with mixed and strided writers. Mixed 13 %, scarce log 8 %, contiguous 5 %. */
	.stay = 12,
	/* The same. Scarce log 2 %; mixed wins 3 %. */
	.has = 3,
	/* Of two writes the HDD gets the one that goes on. Mixed 10 %, scarce log 5 %. */
	.run = 2,
	/* A full log is twice as dear. The longest wait of mixed grows by 22 %. */
	.fill = 1,
	/* The SSD begins no more chunks than it has room for. Mixed, scarce log 4 %. */
	.fresh = 4,
	/* For strided writers that run ahead. Strided 5 %. */
	.roomless = 8,
	/* Found as stay was. Random 3 %; but mixed wins 7 %. */
	.begun = 60,
	/* 256 KiB, which balance was tuned with. The longest wait of 4 KiB writes grows. */
	.whole = 512,
	.forget = 128,

	/* An eighth: the prices follow another load within some 300 requests. */
	.cost_step = 8,
	.cost_steady = 64,
	.flush_step = 4,
	/* One flush for four writes: each direct write pays for a whole one. fsync 32 %. */
	.flush_share = 32,

	.drain_step = 4,
	/* What requests have cost is a guess, and may leave nothing for the drain. */
	.drain_least = 8,
	/* 1 MiB: a batch of one small write says nothing about one of 4 MiB. */
	.drain_full = 2048,
	/* For scattered 4 KiB writes at a full log, which no workload of the sweep has. */
	.bypass = 2,

	/* A hard disk of 170 MB/s and an SSD of 450, until requests have told. */
	.hdd_unit_ns = 1500000,
	.hdd_request_ns = 20000,
	.hdd_place_ns = 1000000,
	.ssd_unit_ns = 580000,
	.ssd_request_ns = 10000,
	.flush_ns = 10000000,
	.home_ns = 500000000,
};

#endif
