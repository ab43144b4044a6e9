/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: what the disks refuse of a half that is being drained. Only the writeback thread
 * calls this.
 */
#ifndef SSDUP_FAULTS_H
#define SSDUP_FAULTS_H

#include "batch.h"

struct drain_faults {
	struct ssdup_half	*half;		/* being drained */
	u32			bad;		/* blocks refused by the HDD in this half */
	u32			unread;		/* blocks that the SSD refused in this half */
	u32			left;		/* blocks that could neither go home nor move */
	bool			lost;		/* lost ones are among what could not move */
	u64			away_at;	/* HDD sector of the piece that it did not give, */
	unsigned long		away_since;	/* jiffies: at first, */
	unsigned long		away_last;	/* and the last time */
};

/** ssdup_faults_begin() - of @h nothing was refused yet */
void ssdup_faults_begin(struct drain_faults *f, struct ssdup_half *h);

/**
 * ssdup_faults_reread() - the reads of a batch have ended: take what failed out of the plan
 *
 * What the SSD gives when it is asked once more stays in. Of the half being drained the rest is
 * marked as lost; what other halves hold is left to their turn.
 *
 * Return: 0, or -errno when the batch must not be written.
 */
int ssdup_faults_reread(struct ssdup *c, struct drain_faults *f, struct drain_batch *b);

/**
 * ssdup_faults_run() - the HDD has refused a run, or has none to take: it was lost before
 *
 * Blocks that the HDD refuses once more move to the open half. What other halves hold is left to
 * their turn.
 *
 * Return: 0, or -errno when the half cannot be freed for now.
 */
int ssdup_faults_run(struct ssdup *c, struct drain_faults *f, struct drain_batch *b,
		     const struct drain_run *run);

#endif
