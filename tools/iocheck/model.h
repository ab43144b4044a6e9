/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * iocheck: how a sector is stamped, and what may be found in it.
 */
#ifndef IOCHECK_MODEL_H
#define IOCHECK_MODEL_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SECTOR		512U
#define WORDS		(SECTOR / sizeof(uint64_t))

/* What is known of a sector. Sequence number 0: zeros. */
struct state {
	uint32_t now;		/* written last */
	uint32_t low;		/* no version older than this is left after a power cut */
	uint32_t high;		/* nor one newer than this */
	uint32_t flags;
};

#define ZERO_MAY_BE	1U	/* zeros may be there after a power cut */
#define NOW_UNSURE	2U	/* now is any of the versions between low and high */

struct model {
	uint64_t seq;		/* last one used; shared by processes */
	uint64_t sectors;
	struct state s[];
};

static struct model *model;

static void die(const char *what)
{
	fprintf(stderr, "iocheck: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* --- Stamps --- */

static uint64_t mix(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

static void stamp(uint64_t *w, uint64_t sector, uint32_t seq)
{
	uint64_t x = mix(sector << 32 ^ seq);
	size_t i;

	w[0] = sector;
	w[1] = seq;
	for (i = 2; i < WORDS; i++)
		w[i] = x += 0x9e3779b97f4a7c15ULL;
}

/* The sequence number that a sector's content is stamped with, 0 for zeros, -1 for neither. */
static int64_t stamped(const uint64_t *w, uint64_t sector)
{
	uint64_t want[WORDS] = { 0 };

	if (w[1])
		stamp(want, sector, w[1]);
	return memcmp(w, want, SECTOR) ? -1 : (int64_t)w[1];
}

/* --- Model --- */

static void open_model(const char *path, uint64_t sectors)
{
	size_t size = sizeof(*model) + sectors * sizeof(struct state);
	int m = open(path, O_RDWR | O_CREAT, 0600);

	if (m < 0 || ftruncate(m, size))
		die(path);
	model = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, m, 0);
	if (model == MAP_FAILED)
		die(path);
	model->sectors = sectors;
	close(m);
}

static uint32_t new_seq(void)
{
	return __atomic_add_fetch(&model->seq, 1, __ATOMIC_RELAXED);
}

/* A write is about to be sent. */
static void model_begin(uint64_t sector, uint64_t sectors, uint32_t seq)
{
	for (; sectors; sectors--, sector++) {
		if (seq > model->s[sector].high)
			model->s[sector].high = seq;
		if (!seq)
			model->s[sector].flags |= ZERO_MAY_BE;
	}
}

static void model_durable(struct state *s)
{
	if (s->flags & NOW_UNSURE)
		return;
	s->low = s->now;
	s->high = s->now;
	s->flags = s->now ? 0 : ZERO_MAY_BE;
}

/* It has ended. */
static void model_end(uint64_t sector, uint64_t sectors, uint32_t seq, bool failed, bool durable)
{
	struct state *s = &model->s[sector];

	for (; sectors; sectors--, s++) {
		if (failed) {
			s->flags |= NOW_UNSURE;
			continue;
		}
		s->now = seq;
		s->flags &= ~NOW_UNSURE;
		if (durable)
			model_durable(s);
	}
}

static void model_flushed(uint64_t start, uint64_t len)
{
	for (; len; len--, start++)
		model_durable(&model->s[start]);
}

static bool allowed(const struct state *s, int64_t found, bool recover)
{
	if (found < 0)
		return false;
	if (!recover && !(s->flags & NOW_UNSURE))
		return found == s->now;
	if (!found)
		return !s->low || (s->flags & ZERO_MAY_BE);
	return found >= s->low && found <= s->high;
}

#endif
