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
	enum ssdup_drain	drain;		/* the key */
	enum ssdup_route	route;		/* of the current stream */
	bool	patient;	/* writes can go past the log: no need to hurry for them */
	bool	reads;		/* somebody has read within PACING_SEEN_MS */
	bool	writes;		/* or written to the SSD */
	bool	paused;		/* message: drain pause */
	bool	asked;		/* message: flush, drain start; a suspend that flushes */
	bool	waiters;	/* writes wait for log space */
	bool	sealed;		/* a sealed half waits to be drained */
	bool	spare;		/* a free half could receive instead of the open one */
	bool	dirty;		/* the open half holds something */
	u32	fill;		/* of the open half, 1/10000 */
	u32	hdd_inflight;	/* foreground requests at the HDD now */
	u32	quiet_ms;	/* since the last foreground request ended or began */
	u32	held_ms;	/* how long this batch has been held off already */
	u32	took_ms;	/* the batch before it */
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
	/* With whom the batch shares the disks: */
	bool			wide;		/* on its way, take what other halves hold too */
	bool			gentle;		/* a small batch: somebody reads */
	bool			spread;		/* short reads: somebody writes to the SSD */
	bool			urgent;		/* writes wait, and do not use the HDD meanwhile */
};

#define PACING_IDLE_MS		500U	/* quiet for so long: drain the receiving half too */
#define PACING_QUIET_MS		20U	/* quiet for so long: the HDD is not needed */
#define PACING_HOLD_MS		200U	/* longest hold of a batch while the open half is empty */
#define PACING_PATIENCE_MS 1000U	/* longest hold of a patient drain, however full */
#define PACING_URGENT		7500U	/* open half this full (1/10000): no holding off */
#define PACING_POLL_MS		10U
#define PACING_SEEN_MS		100U	/* no read, or write, for so long: nobody does */
#define PACING_GENTLE		2U	/* readers have the HDD so many times as long as a drain */

/**
 * ssdup_pacing_decide() - may the drain go on?
 *
 * A log that has failed is not drained. One that is read-only is drained without another half
 * to receive: instead of sealing, a batch. Else, in this order:
 *  - writers that wait are served at once, whatever the key; so is who asked,
 *    but beside readers the HDD is theirs for most of the time, except with drain eager:
 *    small batches, each held off for PACING_GENTLE times what the one before took, at
 *    most PACING_PATIENCE_MS; asked with nothing sealed seals the open half, if it is
 *    dirty and another can receive;
 *  - paused or manual: sleep;
 *  - a sealed half: drained at once with drain eager, when the open half is
 *    urgently full, or when the HDD is quiet (nothing in flight for
 *    PACING_QUIET_MS); else it is held off while the HDD serves others -
 *    the route is the HDD, or foreground requests are in flight there - for at
 *    most PACING_HOLD_MS * (1 - fill / urgent), so that the share of the drain
 *    grows with the need for it; a route of SSD with nothing in flight at the HDD
 *    drains at once;
 *  - nothing sealed, the open half dirty and quiet for PACING_IDLE_MS with a
 *    spare: seal. Not yet that long: hold until then.
 *  - else sleep.
 *
 * A batch's reads from the SSD are short and come one by one where others write there; not with
 * drain eager, and not when writes wait. With nobody in need of the half's space the arm passes
 * over the disk once for all halves.
 */
struct pacing_out ssdup_pacing_decide(const struct pacing_in *in);

#endif
