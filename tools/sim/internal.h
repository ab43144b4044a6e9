/* SPDX-License-Identifier: GPL-2.0-only */
/* sim: what the files of the buffer share. */
#ifndef SIM_INTERNAL_H
#define SIM_INTERNAL_H

#include <linux/kernel.h>
#include "core/interference.h"
#include "core/pacing.h"
#include "core/spread.h"
#include "core/stage.h"
#include "strategy.h"

struct place {
	u64		lba;
	u32		sectors;
	u32		ssd;		/* that has it in the log */
};

struct segment {
	struct place	*places;
	u32		nr;
	u32		room;		/* for more places, in memory */
	u32		sectors;
	u32		in_flight;
	u32		ssd;
	bool		sealed;
};

struct writer {
	struct buffer	*b;
	const struct job *job;
	u64		*order;		/* bytes */
	u32		nr;
	u32		at;
	u64		random;
	bool		commits;	/* the next request is a flush */
	bool		counts;
	void		(*ended)(struct writer *w);	/* its request has */
	void		(*flushed)(struct writer *w);	/* its flush has ended */
	/* Its request. */
	struct sim_io	io;
	struct writer	*next;		/* in a list of those that wait */
	u64		born;
	u64		turn;		/* sectors, see route/waiters.c */
	u64		next_turn;
	enum window_kind kind;
	u32		beside;		/* sectors at its disk when it was sent, with its own */
	bool		timed;
	bool		met_pass;	/* at the HDD, and a pass of the drain too */
	struct segment	*segment;	/* NULL: it is at the HDD */
};

/* Small writes in memory, which have ended. They go to the SSD together. */
struct stage {
	struct buffer	*b;
	u32		sectors;	/* that it has */
	u32		nr;		/* parts: what follows on each other in the log is one */
	u32		left;		/* of these, in flight */
	u64		turn;		/* how often it was filled */
	bool		awaited;	/* by a flush */
	struct segment	*segment[STAGE_RECORDS];
	struct sim_io	io[STAGE_RECORDS];
};

struct reader {
	struct buffer	*b;
	u64		random;
	struct sim_io	io;
};

/* A list of writers, the next one first. */
struct queue {
	struct writer	*first;
	struct writer	**end;
};

#define BATCHES		3U

struct batch {
	struct buffer	*b;
	struct place	*pieces;	/* in the order of the HDD */
	struct sim_io	*io;
	u32		nr;
	u32		left;		/* requests in flight */
	bool		read;		/* they have been read */
};

struct buffer {
	struct clock	clock;
	const struct load *load;
	const struct strategy *strategy;
	struct sim_hdd	hdd;
	bool		cached;		/* it has a volatile cache */
	struct sim_ssd	ssd[SSDUP_MAX_SSDS];
	struct spread_ssd spread[SSDUP_MAX_SSDS];
	struct ssd_load	load_of[2][SSDUP_MAX_SSDS];	/* of writes, and of reads, of each SSD */
	struct interference *seen[2];
	u64		apart_until[SSDUP_MAX_SSDS];
	u64		look_at;	/* ns: the next look at the reads */
	struct segment	*open[SSDUP_MAX_SSDS];	/* of each SSD, or NULL */
	struct sim_ssds	ssds;
	u32		spread_turn;
	struct writer	*writers;
	u32		nr_writers;
	struct reader	*readers;
	u32		live;
	u32		round;
	bool		over;		/* nobody will write any more */
	u64		stop;		/* ns: when all end; 0: when all is written */
	u64		began;		/* the round */
	u64		spent;		/* ns: in all rounds that have ended */
	u64		active;		/* ns: when a request last came or ended */
	void		(*look)(struct buffer *b);	/* something has changed: buffer_look() */
	bool		armed;	/* an event will come when it has been quiet long enough */

	/* The choice. */
	struct window_map map;
	struct window_speed speed;
	struct queue	waiting[WINDOW_KINDS];
	u64		turn_now;	/* the latest that was served */
	u32		at_hdd;		/* sectors in flight, of writes from above */
	u32		at_ssd;
	u64		flushed;	/* ns: when a flush last came; 0: never */
	u64		rests;		/* ns: nothing is staged until then */

	/* The log: a ring. */
	struct segment	*log;
	u32		nr_segments;
	u32		segment_sectors;
	u32		oldest;
	u32		nr_used;	/* from the oldest on, the open ones too */

	/* What is staged. */
	struct stage	stage[STAGE_BUFFERS];
	struct stage	*filling;	/* NULL: none */

	/* The drain. */
	u32		copying;	/* segments of the group */
	u32		freeing;	/* of the one before, which a flush frees */
	bool		copied;		/* the group is on the HDD, and not free yet */
	struct place	*order;
	u32		nr_order;
	u32		taken;
	struct batch	batch[BATCHES];
	u32		turn;		/* the one that is written next */
	u64		chosen;		/* ns: when the group was */
	u64		group_bytes;
	u64		freeing_bytes;	/* of the one before */
	u64		since;		/* ns: when that was chosen, or one before was free */
	u64		freed_at;	/* ns: when the last one was free */
	double		rate;
	struct sim_io	free_io;

	/* Flushes from above. */
	bool		hdd_dirty;
	bool		flush_waits;	/* for what was staged when it began */
	u32		flush_staged;	/* buffers of that in flight */
	struct queue	flush[2];	/* being served, and those that came since */
	u32		flush_left;
	struct sim_io	flush_io[2];

	/* What came of it. */
	u64		bytes;
	u64		logged;
	u64		reads;
	u64		beside;
	u64		commits;
	double		*waits;
	u32		nr_waits;
	u32		room_waits;
};

static inline void *room_for(void *array, u32 nr, u32 *room, size_t size)
{
	if (nr < *room)
		return array;
	*room = max(2 * *room, 64U);
	array = realloc(array, *room * size);
	if (!array)
		abort();
	return array;
}

static inline void *zeroed(size_t nr, size_t size)
{
	void *p = calloc(nr ?: 1, size);

	if (!p)
		abort();
	return p;
}

static inline void queue_add(struct queue *q, struct writer *w)
{
	if (!q->first)
		q->end = &q->first;
	w->next = NULL;
	*q->end = w;
	q->end = &w->next;
}

static inline struct window_turn turn_of(const struct writer *w)
{
	return (struct window_turn){ w->turn, w->born / 1000000, w->io.op.lba };
}

static inline void queue_add_in_order(struct queue *q, struct writer *w)
{
	struct writer **at = &q->first;

	while (*at && !ssdup_window_before(turn_of(w), turn_of(*at)))
		at = &(*at)->next;
	w->next = *at;
	*at = w;
	if (!w->next)
		q->end = &w->next;
}

static inline void queue_remove(struct queue *q, struct writer *w)
{
	struct writer **at = &q->first;

	while (*at != w)
		at = &(*at)->next;
	*at = w->next;
	if (!*at)
		q->end = at;
}

static inline struct writer *queue_pop(struct queue *q)
{
	struct writer *w = q->first;

	queue_remove(q, w);
	return w;
}

/** buffer_look() - send what can be sent now, and begin a pass if there is a reason */
void buffer_look(struct buffer *b);

/** buffer_take() - a write has come: it waits until it is sent */
void buffer_take(struct buffer *b, struct writer *w);

/** stage_has_room() - for a write of @sectors; if need be, by sending a buffer */
bool stage_has_room(struct buffer *b, u32 sectors);

/** stage_add() - a write goes there, if there was room; its place in the log */
void stage_add(struct buffer *b, struct segment *segment, u64 lba, u32 sectors);

/** stage_send() - send what is staged, as far as it is not in flight */
void stage_send(struct buffer *b);

/** stage_await() - the same. Return: how many buffers are in flight, which a flush waits for */
u32 stage_await(struct buffer *b);

/** buffer_timed() - one of a kind took @ns, of which @sectors are in flight no more */
void buffer_timed(struct buffer *b, bool read, u32 ssd, u32 sectors, u64 ns);

/** buffer_flush() - a flush has come */
void buffer_flush(struct buffer *b, struct writer *w);

/** buffer_passes() - has the drain the HDD now? */
static inline bool buffer_passes(const struct buffer *b)
{
	return (b->copying && !b->copied) || b->freeing;
}

/** drain_init() - and drain_exit(): the memory of batches */
void drain_init(struct buffer *b);
void drain_exit(struct buffer *b);

/** drain_begin() - begin a pass, unless there is one */
void drain_begin(struct buffer *b);

#endif
