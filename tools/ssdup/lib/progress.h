/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: how far a drain is, how fast, and how long it will take. Pure: times come
 * in as milliseconds of any clock that only goes forward.
 */
#ifndef SSDUP_PROGRESS_H
#define SSDUP_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "tool.h"

#define RATE_SAMPLES	16U

/* Bytes a second over the last few seconds, from a counter. */
struct rate {
	uint64_t	ms[RATE_SAMPLES];
	uint64_t	value[RATE_SAMPLES];
	unsigned int	nr;		/* samples there were */
};

/** rate_add() - the counter is @value; one that goes back begins anew */
void rate_add(struct rate *r, uint64_t ms, uint64_t value);

/** rate_now() - units a second; 0 while there is nothing to tell */
uint64_t rate_now(const struct rate *r);

struct progress {
	uint64_t	all;	/* bytes; the most that was left, or 0 when not begun */
	uint64_t	left;
	struct rate	rate;
};

/**
 * progress_update() - so much is left now
 * @done: a counter of bytes brought home
 */
void progress_update(struct progress *p, uint64_t ms, uint64_t left, uint64_t done);

/* When to say how far it is: not of what takes a moment, and not all the time. */
struct ticker {
	uint64_t	begin;		/* ms */
	uint64_t	shown;		/* ms; 0: not yet */
	bool		terminal;	/* one line that changes, else a line now and then */
};

#define TICKER_FIRST_MS		2000U
#define TICKER_BAR_MS		300U
#define TICKER_LINE_MS		10000U

/** ticker_due() - is it time to say something? Then it is taken as said */
bool ticker_due(struct ticker *t, uint64_t ms);

/**
 * progress_line() - "[####----]  45 %  1.2 GiB left, 150.3 MiB/s, 8 s"
 * @columns: the line is no longer; a narrow one has no bar, or less words
 *
 * Return: @text.
 */
const char *progress_line(char *text, size_t size, unsigned int columns,
			  const struct progress *p);

#endif
