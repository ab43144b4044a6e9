// SPDX-License-Identifier: GPL-2.0-only
/*
 * sim: the loads. What the check wants of each is a little less than what it got on the pairs of
 * "scripts/bench/sim --check".
 */
#include "load.h"

#define KIB	1024ULL
#define MIB	(1024 * KIB)
#define GIB	(1024 * MIB)

#define JOB(_pattern, _procs, _request, _size, ...) {			\
	.pattern = _pattern, .procs = _procs, .request = _request, .size = _size,	\
	.jitter_us = 20, ## __VA_ARGS__ }

const struct load loads[] = {
	{ "contiguous", .least = { 1.8 },
	  .jobs = { JOB(CONTIGUOUS, 16, 256 * KIB, GIB) } },
	{ "random", .least = { 1.2 },
	  .jobs = { JOB(RANDOM, 16, 256 * KIB, GIB) } },
	{ "mixed", .least = { 1.65 },
	  .jobs = { JOB(MIXED, 16, 256 * KIB, GIB) } },
	{ "strided", .least = { 0.97 },
	  .jobs = { JOB(STRIDED, 16, 256 * KIB, GIB) } },
	{ "one", .least = { 0.85 },
	  .jobs = { JOB(CONTIGUOUS, 1, 256 * KIB, GIB) } },
	{ "one-random", .least = { 1.6 },
	  .jobs = { JOB(RANDOM, 1, 256 * KIB, GIB) } },
	{ "many", .least = { 1.35 },
	  .jobs = { JOB(MIXED, 64, 256 * KIB, GIB) } },
	{ "pieces", .least = { 0.4 },
	  .jobs = { JOB(STRIDED, 16, 47008 / 512 * 512, GIB / 2) } },
	{ "small", .least = { 18 },
	  .jobs = { JOB(RANDOM, 16, 4 * KIB, 32 * MIB, .span = GIB / 2) } },
	{ "single", .least = { 9 },
	  .jobs = { JOB(RANDOM, 1, 4 * KIB, 32 * MIB, .span = GIB / 2) } },
	{ "small-many", .least = { 14 },
	  .jobs = { JOB(RANDOM, 32, 4 * KIB, 64 * MIB, .span = GIB / 2) } },
	{ "small-beside", LOAD_BESIDE, .least = { 0, 0 },
	  .jobs = { JOB(RANDOM, 4, 4 * KIB, 64 * MIB, .span = GIB / 2, .ms = 2000),
		    JOB(MIXED, 16, 256 * KIB, 2 * GIB, .span = 4 * GIB, .offset = 2 * GIB,
			.ms = 2000) } },
	{ "pages", .least = { 6 },
	  .jobs = { JOB(RANDOM, 16, 16 * KIB, GIB / 4, .span = GIB) } },
	{ "full", .least = { 2.4 },
	  .jobs = { JOB(RANDOM, 16, 16 * KIB, 2 * GIB, .span = 8 * GIB, .ms = 20000) } },
	{ "gaps", .least = { 2.75 },
	  .jobs = { JOB(MIXED, 16, 256 * KIB, GIB / 4) }, .rounds = 4, .gap_ms = 2000 },
	{ "long", .least = { 0.83 },
	  .jobs = { JOB(RANDOM, 16, 256 * KIB, 0) }, .times = 8 },
	{ "reader", LOAD_BESIDE, .readers = 4, .least = { 0.95, 0.95 },
	  .jobs = { JOB(RANDOM, 16, 256 * KIB, 4 * GIB, .ms = 10000) } },
	{ "analytics", LOAD_BESIDE, .ssd_readers = 16,
	  .jobs = { JOB(RANDOM, 16, 256 * KIB, 4 * GIB, .ms = 5000) } },
	{ "commits", LOAD_COMMITS, .least = { 0.45, 22 },
	  .jobs = { JOB(RANDOM, 4, 4 * KIB, 16 * MIB, .span = GIB, .fsync = 1, .ms = 2000),
		    JOB(RANDOM, 16, 4 * KIB, 256 * MIB, .span = GIB, .offset = 2 * GIB,
			.ms = 2000) } },
	{ "database", LOAD_COMMITS, .least = { 6, 3.4 },
	  .jobs = { JOB(CONTIGUOUS, 1, 8 * KIB, 64 * MIB, .fsync = 1, .ms = 20000),
		    JOB(RANDOM, 8, 16 * KIB, 2 * GIB, .span = 4 * GIB, .offset = GIB,
			.ms = 20000) } },
};

const u32 nr_loads = sizeof(loads) / sizeof(loads[0]);
