/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * iocheck: what may be found in a sector.
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

#include "stamp.h"

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
