/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: when the log is drained, and how much of it at once (SSDUP+ section 2.4). Pure.
 */
#ifndef SSDUP_PACING_H
#define SSDUP_PACING_H

#include <linux/bits.h>

#include "types.h"

/* What pacing looks at. The last of these are of the class that ssdup_pacing_class() has chosen. */
struct pacing_in {
	enum ssdup_mode		mode;
	enum ssdup_drain	drain;		/* the key of the table */
	enum ssdup_disk	route;		/* of the current stream */
	bool	patient;	/* whoever needs space says so: a full part is drained when quiet */
	bool	reads;		/* somebody reads the HDD, or did not long ago */
	bool	writes;		/* a write to the SSD came within PACING_SEEN_MS */
	bool	paused;		/* message: drain pause */
	bool	asked;		/* message: drain, drain start */
	bool	waiters;	/* writes wait for a drain: for log space, or they asked for it */
	bool	all_open;	/* all that the log holds is in open segments */
	bool	sealed;		/* there is a segment to drain */
	bool	part;		/* a part of the log is full, see ssdup_part() */
	bool	dirty;		/* the open segment holds something */
	bool	late;		/* the class is drained for want of space, or when asked for */
	bool	empty;		/* it is late, and its first segment has at most discards */
	bool	guarded;	/* the guard of the HDD is closed */
	u32	fill;		/* of the last part of the log, 1/10000 */
	u32	hdd_inflight;	/* foreground requests at the HDD now */
	u32	quiet_ms;	/* since the last foreground request ended or began */
	u32	deferred_ms;	/* how long this batch has been deferred already */
	u32	took_ms;	/* duration of the batch before it */
};

enum pacing_action {
	PACING_SLEEP,		/* nothing to do until woken, or for wait_ms unless that is 0 */
	PACING_DEFER,		/* look again after wait_ms */
	PACING_SEAL,		/* seal the open segment, then look again */
	PACING_DRAIN,		/* one batch */
	PACING_OPEN,		/* open the guard */
};

struct pacing_out {
	enum pacing_action	action;
	u32			wait_ms;
	/* How the batch shares the disks: */
	bool			gentle;		/* a small batch, beside readers */
	bool			spread;		/* short reads, beside writers to the SSD */
	/* The group is freed only if writers want its space still. Of the caller. */
	bool			lazy;
};

#define PACING_WAIT_MS		250U	/* within this, a drain brings space to who waits */
#define PACING_IDLE_MS		500U	/* after this quiet time, drain all of the log */
#define PACING_GUARD_MS	    30000U	/* after this quiet time, open the guard of an empty log */
#define PACING_QUIET_MS		20U	/* after this quiet time, the HDD is free for the drain */
#define PACING_DEFER_MS		200U	/* longest delay of a batch while the last part is empty */
#define PACING_PATIENCE_MS 1000U	/* longest delay of a gentle batch */
#define PACING_URGENT		7500U	/* fill of the last part (1/10000) that ends all holds */
#define PACING_POLL_MS		10U
#define PACING_SEEN_MS		100U	/* how long a write counts as recent */
#define PACING_IDLE_GROUP_NS	300000000000ULL	/* what an interruption may lose */
#define PACING_GENTLE		2U	/* delay of a gentle batch, in durations of the last one */

/**
 * ssdup_pacing_decide() - may the drain go on?
 *
 * A failed log is not drained. A read-only one opens no other segment: it drains a batch where
 * another log would seal. The first rule that fits decides:
 *  - The log is empty, and the guard of the HDD is closed: open it after PACING_GUARD_MS of quiet,
 *    whatever the key. Closing it costs flushes of the HDD, which a burst has to wait for.
 *  - The segment is empty but for discards: drain at once, for nothing has to be written.
 *  - Writes wait and a segment is sealed: drain at once, whatever the key.
 *  - Writes wait and no segment is sealed, but an open one holds something: seal that. Otherwise
 *    nothing would ever become free. So while writes wait, something is being freed if it can be.
 *  - A drain was asked for and a segment is sealed: drain. Unless the key is eager, readers keep
 *    the HDD for most of the time: batches are small, and each is held off for PACING_GENTLE
 *    times the duration of the one before, at most PACING_PATIENCE_MS.
 *  - A drain was asked for, and the open segment is dirty: seal.
 *  - The drain is paused or manual: sleep.
 *  - The class is late, and no part of the log is full: sleep.
 *  - A segment is sealed, with drain eager: drain at once.
 *  - A part of the log is full: drain at once when the device was quiet for PACING_QUIET_MS. Else a
 *    patient drain waits. Another one drains at once when the last part is urgently full or, with
 *    nothing in flight at the HDD, the route is the SSD. Else defer the batch for at most
 *    PACING_DEFER_MS * (1 - fill / urgent), since a fuller log needs the drain more.
 *  - The log holds anything: after PACING_IDLE_MS of quiet seal the open segment, and drain.
 *  - Else sleep.
 *
 * While others write to the SSD, a batch's reads are short and come one by one; except with
 * drain eager, or when writes wait.
 */
struct pacing_out ssdup_pacing_decide(const struct pacing_in *in);

/* What the choice of a class depends on. */
struct pacing_class {
	u32	sealed;		/* segments; 0: none, or the first cannot be drained yet */
	bool	dirty;		/* the open segment holds something */
	bool	asked;		/* a drain of the class was asked for */
	bool	late;
	bool	empty;		/* it is late, and its first segment has at most discards */
	bool	full;		/* a write has found no free segment on its SSD */
};

/**
 * ssdup_pacing_class() - which class is drained, or sealed, next
 * @k: all classes, @nr of them
 * @wanted: writes wait for space, or a part of the log is in use
 *
 * One that can free a segment without writing comes first, then one that was asked for, then one
 * that has sealed segments, the more the better. Late ones come after the others, and without need
 * after all else. But while SSDs are full and that is wanted, theirs come before those of others.
 */
u32 ssdup_pacing_class(const struct pacing_class *k, u32 nr, bool wanted);

/* What the size of a drain group depends on. */
struct pacing_group {
	u32	part;		/* segments of a part of the log */
	bool	waiters;	/* writes wait for space, or did since the last group */
	bool	writes;		/* somebody writes to the log, or may soon */
	u64	full_ns;	/* expected time until the log is full */
	u64	quiet_ns;	/* how long nobody has used the device; U64_MAX: drain it all */
	u64	segment_ns;	/* expected time to drain and free a segment */
};

/**
 * ssdup_pacing_group() - how many of the oldest segments are drained together
 *
 * One pass over the HDD is cheapest for as many as possible. But none of them is free before all
 * are. So while writes wait, it is as few as PACING_WAIT_MS has time for; while somebody writes,
 * no more than the time until the log is full allows, and at most a part; else as many as take
 * as long as it has been quiet, since the next burst may come as soon: a quiet of any length sees
 * most of what it has time for free. Never more than take PACING_IDLE_GROUP_NS.
 *
 * Return: at least 1; there may be fewer.
 */
u32 ssdup_pacing_group(const struct pacing_group *g);

#endif
