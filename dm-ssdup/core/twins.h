/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: two SSDs that hold the same, and whether both still do. Pure.
 *
 * Each has a block that names both. When one fails, the other one's block says that it is *out*,
 * before anything is acknowledged that the failed one has not got. So:
 *
 *  - of two that are there, neither of which calls the other one out, each has everything;
 *  - one that is called out lacks data, whatever its own block says;
 *  - two that call each other out ran apart, and nobody can say which one is right;
 *  - one alone has everything if it calls the other one out. Else that one may have run alone.
 *
 * One that is to take the place of one that is out calls *itself* out. It may be filled: it is
 * written from some moment on, and when what was there before is gone, it has everything. Then the
 * other one's block names it, and after that its own does.
 */
#ifndef SSDUP_TWINS_H
#define SSDUP_TWINS_H

#include "codec.h"

#define TWINS_BEING_MADE	1U	/* twin_block::seq: nothing was acknowledged yet */

struct twin_block {
	u8	member[SSDUP_TWINS][16];	/* UUIDs of both */
	u32	index;				/* of the one that has it */
	u32	out;				/* a bit for each */
	u64	seq;
};

/* What is found in the place of one SSD of two. */
enum twin_there {
	TWIN_ABSENT,		/* the table names none */
	TWIN_BLANK,
	TWIN_DAMAGED,
	TWIN_THERE,
};

struct twin_found {
	enum twin_there		there;
	struct twin_block	block;	/* with TWIN_THERE */
};

enum twins_fault {
	TWINS_OK,
	TWINS_NEW,		/* no fault: nothing was acknowledged yet; both are to be made */
	TWINS_ALONE,		/* nothing is there, and one alone is named */
	TWINS_DAMAGED,
	TWINS_BLANK,		/* one is, and the other one does not call it out */
	TWINS_OTHER,		/* they are not of each other */
	TWINS_APART,		/* each calls the other one out */
	TWINS_PART,		/* one alone, which was not filled */
};

struct twins {
	struct twin_block	block;	/* that counts; its index is that of position 0 */
	u32			in;	/* a bit for each index: has everything, and is there */
	bool			mark;	/* the table says that the other one is out; it has to be
					 * called that before anything is written
					 */
	bool			mend;	/* one of those has an older block */
	bool			fills;	/* the other one may be filled; @block names it */
};

/**
 * ssdup_twins_match() - which of two SSDs that a table names has everything?
 * @found: at each position in the table
 * @t: set, with TWINS_OK; with TWINS_NEW @t->in alone
 */
enum twins_fault ssdup_twins_match(const struct twin_found found[SSDUP_TWINS], struct twins *t);

/** ssdup_twins_fault_text() - a few words, no full stop */
const char *ssdup_twins_fault_text(enum twins_fault fault);

/** ssdup_twin_encode() - @buf: SSDUP_BLOCK_BYTES */
void ssdup_twin_encode(const struct twin_block *b, void *buf);

/** ssdup_twin_decode() - @buf: SSDUP_BLOCK_BYTES. Return: TWIN_THERE, TWIN_BLANK or TWIN_DAMAGED */
enum twin_there ssdup_twin_decode(const void *buf, struct twin_block *b);

#endif
