/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: what the steps of a scan share, see log_scan(): headers.c finds out which segments are
 * live, numbers.c which of their pages must have been there, pages.c reads pages, and scan.c takes
 * them.
 */
#ifndef SSDUP_PAGES_H
#define SSDUP_PAGES_H

#include "logfile.h"

#define PAIR_BYTES	(SSDUP_PAGE_SLOTS * SSDUP_PAGE_BYTES)
#define PAIR_SECTORS	(PAIR_BYTES / SECTOR_BYTES)
#define SCAN_CHUNK	64U		/* pages read at once */

struct scan {
	struct log_file	*l;
	bool		all;
	char		*chunk;		/* pages that were read at once: */
	u32		segment;
	u32		first;		/* the first of them */
	u32		nr;
	bool		read_out;	/* the SSD ends here */
	u64		done;		/* pages looked at, for the ticker */
	u64		to_do;
};

/** scan_read() - both slots of a page of @segment; v->slot and v->error are filled in */
void scan_read(struct scan *sc, u32 segment, u32 page, struct page_view *v);

/** scan_clean() - was this epoch ended by a clean suspend, and not by a power cut? */
static inline bool scan_clean(const struct log_file *l, u64 epoch)
{
	return l->s.flags & SSDUP_RECORD_CLOSED && epoch == l->s.epoch;
}

/** scan_judge() - check both slots by the header in v->in, and choose the newest */
void scan_judge(const struct log_file *l, struct page_view *v);

/** scan_headers() - fill in l->header and, with nothing but headers, l->segment */
void scan_headers(struct scan *sc);

/** scan_numbers() - fill in the numbers of pages in l->segment, and l->gaps */
void scan_numbers(struct scan *sc);

#endif
