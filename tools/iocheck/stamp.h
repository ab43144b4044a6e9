/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a sector is stamped, by iocheck and by cuts: where it belongs, which
 * write it is of and who wrote it, a checksum of that, and up to its end numbers
 * made of the checksum, so that no part of a sector can be of another write.
 */
#ifndef IOCHECK_STAMP_H
#define IOCHECK_STAMP_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define SECTOR		512U
#define STAMP_FILL	60U
#define STAMP_STEP	0x9e3779b97f4a7c15ULL

struct stamp {
	uint64_t sector;
	uint64_t seq;		/* of the write, from 1 */
	uint64_t writer;
	uint64_t check;
	uint64_t fill[STAMP_FILL];
};

_Static_assert(sizeof(struct stamp) == SECTOR, "a stamp is a sector");

static inline uint64_t mix(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

static inline uint64_t stamp_check(uint64_t sector, uint64_t seq, uint64_t writer)
{
	return mix(mix(mix(sector) + seq) + writer);
}

/*
 * Millions of sectors are stamped and read in emulated machines, which take a loop's
 * steps one by one and the C library's comparison by vectors for many: hence no loop is
 * left, and numbers are compared as they are made.
 */

/* stamp_make() - what the sector holds when write @seq of @writer is in it */
static inline void stamp_make(struct stamp *s, uint64_t sector, uint64_t seq, uint64_t writer)
{
	uint64_t x = stamp_check(sector, seq, writer);
	unsigned int i;

	s->sector = sector;
	s->seq = seq;
	s->writer = writer;
	s->check = x;
#pragma GCC unroll 60
	for (i = 0; i < STAMP_FILL; i++)
		s->fill[i] = x += STAMP_STEP;
}

/* stamp_wrong() - bits in which the numbers after @x are not what they were made to be */
static inline uint64_t stamp_wrong(const struct stamp *s, uint64_t x)
{
	uint64_t wrong = 0;
	unsigned int i;

#pragma GCC unroll 60
	for (i = 0; i < STAMP_FILL; i++)
		wrong |= s->fill[i] ^ (x += STAMP_STEP);
	return wrong;
}

static inline bool stamp_is_zeros(const struct stamp *s)
{
	uint64_t found = s->sector | s->seq | s->writer | s->check;
	unsigned int i;

#pragma GCC unroll 60
	for (i = 0; i < STAMP_FILL; i++)
		found |= s->fill[i];
	return !found;
}

/*
 * stamp_read() - whose is this?
 *
 * Return: the sequence number, with *@writer filled in; 0 for zeros; -1 for
 * what is neither zeros nor, from first to last byte, a stamp of this sector.
 */
static inline int64_t stamp_read(const struct stamp *s, uint64_t sector, uint64_t *writer)
{
	*writer = 0;
	if (!s->seq)
		return stamp_is_zeros(s) ? 0 : -1;
	*writer = s->writer;
	if (s->sector != sector || s->check != stamp_check(sector, s->seq, s->writer) ||
	    stamp_wrong(s, s->check))
		return -1;
	return s->seq;
}

#endif
