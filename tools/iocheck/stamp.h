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

/* stamp_make() - what the sector holds when write @seq of @writer is in it */
static inline void stamp_make(struct stamp *s, uint64_t sector, uint64_t seq, uint64_t writer)
{
	uint64_t x;
	unsigned int i;

	s->sector = sector;
	s->seq = seq;
	s->writer = writer;
	s->check = mix(mix(mix(sector) + seq) + writer);
	for (i = 0, x = s->check; i < STAMP_FILL; i++)
		s->fill[i] = x += 0x9e3779b97f4a7c15ULL;
}

/*
 * stamp_read() - whose is this?
 *
 * Return: the sequence number, with *@writer filled in; 0 for zeros; -1 for
 * what is neither zeros nor, from first to last byte, a stamp of this sector.
 */
static inline int64_t stamp_read(const struct stamp *s, uint64_t sector, uint64_t *writer)
{
	static const struct stamp zeros;
	struct stamp want;

	*writer = 0;
	if (!s->seq)
		return memcmp(s, &zeros, SECTOR) ? -1 : 0;
	stamp_make(&want, sector, s->seq, s->writer);
	*writer = s->writer;
	return memcmp(s, &want, SECTOR) ? -1 : (int64_t)s->seq;
}

#endif
