/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Logs made by the kernel's encoders on disks in memory, of any geometry.
 */
#ifndef SSDUP_MAKER_H
#define SSDUP_MAKER_H

#include "bench.h"

struct maker {
	struct bench		b;
	struct log_super	s;
	u64			seq;
	u32			pos[SSDUP_MAX_HALVES];
	u32			count[SSDUP_MAX_HALVES];	/* pages, for a clean suspend */
};

/** maker_begin() - disks, and a log without pages that is nowhere yet; @stride: of a half */
void maker_begin(struct maker *m, u32 halves, u32 block_sectors, u64 stride);

/**
 * maker_page() - write a version of a page, with @nr new entries
 * @rev: slot is @rev & 1
 * @kinds: of the entries, in turn, from SSDUP_KIND_DATA on
 */
void maker_page(struct maker *m, u32 half, u32 page, u64 rev, u32 nr, u32 kinds);

/** maker_supers() - write both copies of the superblock */
void maker_supers(struct maker *m, bool clean);

/**
 * maker_usual() - half 0 with two full pages and one that was written twice, half 1
 * with one page; suspended cleanly
 */
void maker_usual(struct maker *m, u32 halves, u32 block_sectors);

void maker_end(struct maker *m);

/** maker_slot(), maker_put_slot() - a slot as it is, and with a right checksum as it should be */
void maker_slot(struct maker *m, u32 half, u32 page, u32 slot, struct ssdup_page *p);
void maker_put_slot(struct maker *m, u32 half, u32 page, u32 slot, struct ssdup_page *p);

/** maker_spoil() - invert a byte of the SSD */
void maker_spoil(struct maker *m, u64 byte);

/** maker_forge() - set a field of the superblock, in copies of which bits are in @copies */
void maker_forge(struct maker *m, u32 copies, size_t at, u32 bytes, u64 value);

#endif
