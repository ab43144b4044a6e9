/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Logs made by the kernel's encoders on disks in memory, of any geometry.
 */
#ifndef SSDUP_MAKER_H
#define SSDUP_MAKER_H

#include "bench.h"

#define MAKER_SEGMENTS	SSDUP_MIN_SEGMENTS
#define MAKER_SECTORS	4096U		/* of a segment: four metadata pages */
#define MAKER_FIRST	5U		/* generation of the first segment */

struct maker_segment {
	struct log_header	h;
	u32			base;	/* number of its first page */
	u32			pos;
	u32			count;	/* pages, for a clean suspend */
	u32			seq;
};

struct maker {
	struct bench		b;
	struct log_super	s;
	u64			nr;	/* entries so far */
	struct maker_segment	segment[MAKER_SEGMENTS];
};

/** maker_begin() - disks, and a log without segments that is nowhere yet */
void maker_begin(struct maker *m, u32 segment_sectors, u32 block_sectors);

/** maker_open() - write the header of a segment of the present epoch; @base: see above */
void maker_open(struct maker *m, u32 segment, u64 generation, u32 base);

/**
 * maker_page() - write a version of a page, with @nr new entries
 * @rev: slot is @rev & 1
 * @kinds: of the entries, in turn, from SSDUP_KIND_DATA on
 */
void maker_page(struct maker *m, u32 segment, u32 page, u64 rev, u32 nr, u32 kinds);

/** maker_supers() - write both copies of superblock and record */
void maker_supers(struct maker *m, bool clean);

/**
 * maker_usual() - segment 0 with two full pages and one that was written twice, segment 1
 * with one page; suspended cleanly
 */
void maker_usual(struct maker *m, u32 segment_sectors, u32 block_sectors);

void maker_end(struct maker *m);

/** maker_slot(), maker_put_slot() - a slot as it is, and with a right checksum as it should be */
void maker_slot(struct maker *m, u32 segment, u32 page, u32 slot, struct ssdup_page *p);
void maker_put_slot(struct maker *m, u32 segment, u32 page, u32 slot, struct ssdup_page *p);

/** maker_blank() - zeros, from that sector of the SSD on */
void maker_blank(struct maker *m, u64 sector, u32 sectors);

/** maker_spoil() - invert a byte of the SSD */
void maker_spoil(struct maker *m, u64 byte);

/**
 * maker_forge() - set a field in one or both copies of superblock or record
 * @copies: bits
 */
void maker_forge(struct maker *m, enum ssd_part part, u32 copies, size_t at, u32 bytes, u64 value);

/** maker_forge_header() - the same in the header of a segment */
void maker_forge_header(struct maker *m, u32 segment, size_t at, u32 bytes, u64 value);

#endif
