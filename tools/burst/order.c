// SPDX-License-Identifier: GPL-2.0-only
/* burst: who writes where, in which order. */
#include <math.h>
#include <stdlib.h>
#include "order.h"

const char * const pattern_names[PATTERNS] = {
	[CONTIGUOUS]	= "contiguous",
	[STRIDED]	= "strided",
	[RANDOM]	= "random",
	[MIXED]		= "mixed",
	[UNIFORM]	= "uniform",
	[ZIPF]		= "zipf",
	[HPIO]		= "hpio",
	[TILE]		= "tile",
};

/* xorshift64*: any generator would do, as long as a seed repeats it. */
u64 next_random(u64 *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 2685821657736338717ULL;
}

u64 random_start(const struct job *job, u32 proc)
{
	return (job->seed + 1) * 0x9e3779b97f4a7c15ULL + proc;
}

u32 requests_each(const struct job *job)
{
	return job->size / job->procs / job->request;
}

static bool chosen_from_span(const struct job *job)
{
	return job->pattern == RANDOM || job->pattern == UNIFORM || job->pattern == ZIPF;
}

const char *job_fault(struct job *job)
{
	if (!job->span)
		job->span = job->size;
	if (!job->procs || !job->request || job->request % SECTOR || job->offset % SECTOR ||
	    job->spacing % SECTOR || !requests_each(job))
		return "procs, request (sectors) and size do not fit together";
	if (chosen_from_span(job) && job->span / job->procs / job->request == 0)
		return "span is too small";
	if (job->pattern == RANDOM && job->span < job->size)
		return "span is smaller than size";
	if (job->pattern == TILE && (!job->tiles_x || job->procs % job->tiles_x))
		return "tiles-x does not divide procs";
	if (job->reads > 100)
		return "reads is more than 100 per cent";
	if (!job->array != !job->staged || job->staged > job->procs ||
	    (job->think_ms && !job->array))
		return "array and staged go together, and think with them";
	if (job->array && (job->array % job->request || job->size / job->procs % job->array ||
			   job->ms || job->reads))
		return "request, size, ms or reads do not fit to array";
	return NULL;
}

/* The first @n of the places of a segment in random order. */
static void shuffled(const struct job *job, u32 proc, u64 *order, u32 n, u32 places)
{
	u64 state = random_start(job, proc), swap, *all = alloc(places * sizeof(*all));
	u32 i, j;

	for (i = 0; i < places; i++)
		all[i] = (u64)proc * places + i;
	for (i = places - 1; i > 0; i--) {
		j = next_random(&state) % (i + 1);
		swap = all[i];
		all[i] = all[j];
		all[j] = swap;
	}
	for (i = 0; i < n; i++)
		order[i] = all[i];
	free(all);
}

/*
 * A rank by Zipf's law out of @n, approximated by its continuous form: the
 * inverse of the distribution whose density falls with x^-theta.
 */
static u64 zipf_rank(const struct job *job, u64 n, u64 *state)
{
	double u = (next_random(state) >> 11) / 9007199254740992.0;
	double power = 1 - job->theta / 100.0;

	if (job->theta == 100)
		return pow(n, u) - 1;
	return pow(u * (pow(n, power) - 1) + 1, 1 / power) - 1;
}

/* Popular places are scattered; not quite a permutation, which does no harm. */
static u64 scattered(u64 rank, u64 n)
{
	return rank * 0x9e3779b97f4a7c15ULL % n;
}

static void drawn(const struct job *job, u32 proc, u64 *order, u32 n)
{
	u64 state = random_start(job, proc), places = job->span / job->request;
	u32 i;

	for (i = 0; i < n; i++)
		order[i] = job->pattern == ZIPF ?
			   scattered(zipf_rank(job, places, &state), places) :
			   next_random(&state) % places;
}

/* Number of the request's place, in units of a request. */
static u64 regular(const struct job *job, u32 proc, u32 i, u32 n)
{
	switch (job->pattern) {
	case STRIDED:
	case HPIO:
		return (u64)i * job->procs + proc;
	case TILE:	/* row i of tile (x, y); n rows a tile */
		return ((u64)(proc / job->tiles_x) * n + i) * job->tiles_x + proc % job->tiles_x;
	default:
		return (u64)proc * n + i;
	}
}

u64 *make_order(const struct job *job, u32 proc)
{
	u32 n = requests_each(job), i;
	u64 *order = alloc(n * sizeof(*order));

	if (job->pattern == RANDOM)
		shuffled(job, proc, order, n, job->span / job->procs / job->request);
	else if (job->pattern == MIXED && proc >= job->procs / 2)
		shuffled(job, proc, order, n, n);
	else if (job->pattern == UNIFORM || job->pattern == ZIPF)
		drawn(job, proc, order, n);
	else
		for (i = 0; i < n; i++)
			order[i] = regular(job, proc, i, n);
	for (i = 0; i < n; i++)
		order[i] = job->offset + order[i] * (job->request +
			   (job->pattern == HPIO ? job->spacing : 0));
	return order;
}

u64 area_end(const struct job *job)
{
	u64 places = (u64)requests_each(job) * job->procs;

	if (chosen_from_span(job))
		return job->offset + job->span;
	if (job->pattern == HPIO)
		return job->offset + places * (job->request + job->spacing);
	return job->offset + places * job->request;
}
