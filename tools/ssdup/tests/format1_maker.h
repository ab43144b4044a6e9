/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Logs of format 1, on disks in memory, and what the HDD must hold when they were drained.
 */
#ifndef SSDUP_FORMAT1_MAKER_H
#define SSDUP_FORMAT1_MAKER_H

#include "bench.h"

#define F1_HDD_SECTORS	16384U

struct f1_note {
	u64	seq;
	u64	generation;
	u32	sector;
	u32	sectors;
	u64	pos;		/* SSD sector */
	u8	kind;
};

struct f1_maker {
	struct bench	b;
	struct f1_log	f;
	u64		seq;
	u64		random;
	u32		pos[F1_MAX_HALVES];
	u32		count[F1_MAX_HALVES];	/* pages */
	struct f1_note	*note;		/* entries that count */
	size_t		nr;
	u64		*hdd;		/* what each sector of the HDD must hold in the end */
};

/** f1_begin() - disks, and a log without pages that is nowhere yet */
void f1_begin(struct f1_maker *m, u64 seed, u32 halves, u32 block_sectors);

/** f1_below() - a random number */
u32 f1_below(struct f1_maker *m, u32 n);

/**
 * f1_page() - write a version of a page, with @nr random entries
 * @counts: they are of the log; else a replay must not find them
 */
void f1_page(struct f1_maker *m, u32 half, u32 page, u64 rev, u32 nr, bool counts);

/** f1_supers() - write both copies of the superblock */
void f1_supers(struct f1_maker *m, bool clean);

/** f1_random() - a log as the module may have left it, by m->random, and its superblocks */
void f1_random(struct f1_maker *m);

/** f1_expect() - work out m->hdd; what was there before stays where nothing was written */
void f1_expect(struct f1_maker *m);

/** f1_drained() - does the HDD hold that? */
bool f1_drained(struct f1_maker *m);

/** f1_fix_page(), f1_fix_super() - make a checksum right */
void f1_fix_page(struct f1_page *p);
void f1_fix_super(struct f1_super *s);

void f1_end(struct f1_maker *m);

#endif
