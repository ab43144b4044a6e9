/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: when a half is drained (SSDUP+ section 2.4). Pure.
 */
#ifndef SSDUP_PACING_H
#define SSDUP_PACING_H

#include "types.h"

/* What pacing looks at. */
struct pacing_in {
	enum ssdup_mode		mode;
	enum ssdup_drain	drain;		/* the key of the table */
	enum ssdup_disk	route;		/* of the current stream */
	bool	patient;	/* writes can bypass the log, so a full log stops none */
	bool	reads;		/* a read came within PACING_SEEN_MS */
	bool	writes;		/* a write to the SSD came within PACING_SEEN_MS */
	bool	paused;		/* message: drain pause */
	bool	asked;		/* message: flush, drain start; a suspend that flushes */
	bool	waiters;	/* writes wait for log space */
	bool	sealed;		/* there is a half to drain */
	bool	spare;		/* a free half can replace the open one */
	bool	dirty;		/* the open half holds something */
	u32	fill;		/* of the open half, 1/10000 */
	u32	hdd_inflight;	/* foreground requests at the HDD now */
	u32	quiet_ms;	/* since the last foreground request ended or began */
	u32	held_ms;	/* how long this batch has been held off already */
	u32	took_ms;	/* duration of the batch before it */
};

enum pacing_action {
	PACING_SLEEP,		/* nothing to do until woken */
	PACING_HOLD,		/* look again after wait_ms */
	PACING_SEAL,		/* seal the open half, then look again */
	PACING_DRAIN,		/* one batch */
};

struct pacing_out {
	enum pacing_action	action;
	u32			wait_ms;
	/* How the batch shares the disks: */
	bool			wide;		/* take what other halves hold near it, too */
	bool			gentle;		/* a small batch, beside readers */
	bool			spread;		/* short reads, beside writers to the SSD */
	bool			urgent;		/* writes wait, and leave the HDD to the drain */
};

#define PACING_IDLE_MS		500U	/* after this quiet time, drain the open half, too */
#define PACING_QUIET_MS		20U	/* after this quiet time, the HDD is free for the drain */
#define PACING_HOLD_MS		200U	/* longest hold of a batch while the open half is empty */
#define PACING_PATIENCE_MS 1000U	/* longest hold of a patient drain */
#define PACING_URGENT		7500U	/* fill of the open half (1/10000) that ends all holds */
#define PACING_POLL_MS		10U
#define PACING_SEEN_MS		100U	/* how long a read or write counts as recent */
#define PACING_GENTLE		2U	/* hold of a gentle batch, in durations of the one before */

/**
 * ssdup_pacing_decide() - may the drain go on?
 *
 * A failed log is not drained. A read-only one opens no other half: it drains a batch where
 * another log would seal. The first rule that fits decides:
 *  - Writes wait for space and a half is sealed: drain at once, whatever the key.
 *  - A drain was asked for and a half is sealed: drain. Unless the key is eager, readers keep
 *    the HDD for most of the time: batches are small, and each is held off for PACING_GENTLE
 *    times the duration of the one before, at most PACING_PATIENCE_MS.
 *  - A drain was asked for, the open half is dirty, and there is a spare: seal.
 *  - The drain is paused or manual: sleep.
 *  - A half is sealed: drain at once with drain eager, when the open half is urgently full (not
 *    if patient), or when nothing is in flight at the HDD and the route is the SSD or the
 *    device was quiet for PACING_QUIET_MS. Else hold the batch off for at most
 *    PACING_HOLD_MS * (1 - fill / urgent), since a fuller log needs the drain more; if patient,
 *    for PACING_PATIENCE_MS.
 *  - The open half is dirty, and there is a spare: seal after PACING_IDLE_MS of quiet.
 *  - Else sleep.
 *
 * While others write to the SSD, a batch's reads are short and come one by one; except with
 * drain eager, or when writes wait. When nobody needs the half's space soon, one pass over the
 * HDD drains all halves.
 */
struct pacing_out ssdup_pacing_decide(const struct pacing_in *in);

#endif
