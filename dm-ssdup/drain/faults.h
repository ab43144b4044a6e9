/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: I/O errors of a drain. Only the writeback thread calls this.
 */
#ifndef SSDUP_FAULTS_H
#define SSDUP_FAULTS_H

#include "batch.h"
#include "drainer.h"
#include "relocate.h"

struct drain_faults {
	u32			bad;		/* blocks refused by the HDD, in a row */
	u32			unread;		/* blocks that the SSD refused in this group */
	u32			left;		/* blocks that could be neither written nor moved */
	bool			lost;		/* some extents that could not move are lost */
	u64			away_at;	/* HDD sector of the last piece that ended a try */
	unsigned long		away_since;	/* jiffies: when it first did */
	unsigned long		away_last;	/* jiffies: when it last did */
};

/** ssdup_faults_begin() - begin a try to drain a group */
void ssdup_faults_begin(struct drain_faults *f);

/**
 * ssdup_faults_reread() - retry the failed reads of a batch; bad blocks are lost
 *
 * Return: 0, or -errno when the batch must not be written.
 */
int ssdup_faults_reread(struct ssdup_drainer *drainer, struct drain_faults *f,
			struct drain_batch *b);

/**
 * ssdup_faults_run() - handle a run that the HDD refused, or that is lost
 *
 * Blocks that the HDD refuses again, and lost runs, move to the open segment.
 *
 * Return: 0, or -errno when the group cannot be freed for now.
 */
int ssdup_faults_run(struct ssdup_drainer *drainer, struct drain_faults *f, struct drain_batch *b,
		     const struct drain_run *run);

#endif
