/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the steps of everything that must survive a power cut, as the
 * tracepoint ssdup_step tells them. Each stands before or between writes and
 * flushes, so that a test can cut the power there: tools/disks does, by name.
 * What each means is told in Documentation/testing.rst. Numbers may change,
 * names do not.
 */
#ifndef SSDUP_STEP_H
#define SSDUP_STEP_H

#include <linux/build_bug.h>
#include <linux/kernel.h>

enum ssdup_step {
	STEP_FORMAT_BEGIN,	/* the SSD is blank */
	STEP_FORMAT_BETWEEN,	/* copy 1 of the superblock is durable, copy 0 blank */
	STEP_FORMAT_DONE,
	STEP_LOAD_SUPER,	/* superblock read */
	STEP_REPLAY_HALF,	/* before a half is read */
	STEP_REPLAY_DONE,
	STEP_MEND,		/* before a bad or old copy is written anew */
	STEP_EPOCH_BEGIN,	/* before the new epoch's superblock */
	STEP_EPOCH_BETWEEN,
	STEP_EPOCH_DONE,
	STEP_COMMIT_FLUSH,	/* before the data of several pages are flushed */
	STEP_COMMIT_FLUSHED,
	STEP_COMMIT_PAGE,	/* before a page is sent */
	STEP_COMMIT_SENT,	/* all pages of the round are under way */
	STEP_COMMIT_DONE,	/* they are durable, and nobody was told */
	STEP_HDD_FLUSH,
	STEP_HDD_FLUSHED,
	STEP_FLUSH_END,		/* before FLUSH and FUA bios end */
	STEP_SEAL_BEGIN,
	STEP_SEAL_BETWEEN,	/* one half sealed, the next not open */
	STEP_SEAL_DONE,
	STEP_DRAIN_BEGIN,	/* of a half */
	STEP_DRAIN_FENCE,	/* before direct writes to a range are waited for */
	STEP_DRAIN_READ,	/* a batch's reads are under way */
	STEP_DRAIN_HAVE,	/* they have ended, the HDD was not written yet */
	STEP_DRAIN_WRITE,	/* before a run is sent to the HDD */
	STEP_DRAIN_SENT,	/* all runs of the batch are under way */
	STEP_DRAIN_WRITTEN,
	STEP_MARK_WRITE,	/* before a discard or zeroes are sent to the HDD */
	STEP_MARK_WRITTEN,
	STEP_REWRITE_BLOCK,	/* before a block of a refused run is tried by itself */
	STEP_CARRY_WRITE,	/* before a pinned block's data are written to the open half */
	STEP_CARRY_WRITTEN,	/* before its extent moves */
	STEP_CARRY_DONE,
	STEP_FREE_BEGIN,	/* all runs written or moved, before the commit */
	STEP_FREE_FLUSH,	/* before the HDD's flush */
	STEP_FREE_RECORD,	/* before the superblock that frees the half */
	STEP_FREE_BETWEEN,
	STEP_FREE_DROP,		/* the record is durable, the extents are in the map */
	STEP_FREE_DROPPED,
	STEP_FREE_DONE,		/* the half can be opened */
	STEP_SUSPEND_COMMIT,	/* before the last commit */
	STEP_SUSPEND_FLUSH,	/* before the last flush of the HDD */
	STEP_SUSPEND_CLEAN,	/* before the clean flag is written */
	STEP_SUSPEND_BETWEEN,
	STEP_SUSPEND_DONE,
	STEP_NR
};

/** ssdup_step_name() - a step as the tracepoint prints it; @step is below STEP_NR */
static inline const char *ssdup_step_name(unsigned int step)
{
	static const char * const names[] = {
		[STEP_FORMAT_BEGIN]	= "format_begin",
		[STEP_FORMAT_BETWEEN]	= "format_between",
		[STEP_FORMAT_DONE]	= "format_done",
		[STEP_LOAD_SUPER]	= "load_super",
		[STEP_REPLAY_HALF]	= "replay_half",
		[STEP_REPLAY_DONE]	= "replay_done",
		[STEP_MEND]		= "mend",
		[STEP_EPOCH_BEGIN]	= "epoch_begin",
		[STEP_EPOCH_BETWEEN]	= "epoch_between",
		[STEP_EPOCH_DONE]	= "epoch_done",
		[STEP_COMMIT_FLUSH]	= "commit_flush",
		[STEP_COMMIT_FLUSHED]	= "commit_flushed",
		[STEP_COMMIT_PAGE]	= "commit_page",
		[STEP_COMMIT_SENT]	= "commit_sent",
		[STEP_COMMIT_DONE]	= "commit_done",
		[STEP_HDD_FLUSH]	= "hdd_flush",
		[STEP_HDD_FLUSHED]	= "hdd_flushed",
		[STEP_FLUSH_END]	= "flush_end",
		[STEP_SEAL_BEGIN]	= "seal_begin",
		[STEP_SEAL_BETWEEN]	= "seal_between",
		[STEP_SEAL_DONE]	= "seal_done",
		[STEP_DRAIN_BEGIN]	= "drain_begin",
		[STEP_DRAIN_FENCE]	= "drain_fence",
		[STEP_DRAIN_READ]	= "drain_read",
		[STEP_DRAIN_HAVE]	= "drain_have",
		[STEP_DRAIN_WRITE]	= "drain_write",
		[STEP_DRAIN_SENT]	= "drain_sent",
		[STEP_DRAIN_WRITTEN]	= "drain_written",
		[STEP_MARK_WRITE]	= "mark_write",
		[STEP_MARK_WRITTEN]	= "mark_written",
		[STEP_REWRITE_BLOCK]	= "rewrite_block",
		[STEP_CARRY_WRITE]	= "carry_write",
		[STEP_CARRY_WRITTEN]	= "carry_written",
		[STEP_CARRY_DONE]	= "carry_done",
		[STEP_FREE_BEGIN]	= "free_begin",
		[STEP_FREE_FLUSH]	= "free_flush",
		[STEP_FREE_RECORD]	= "free_record",
		[STEP_FREE_BETWEEN]	= "free_between",
		[STEP_FREE_DROP]	= "free_drop",
		[STEP_FREE_DROPPED]	= "free_dropped",
		[STEP_FREE_DONE]	= "free_done",
		[STEP_SUSPEND_COMMIT]	= "suspend_commit",
		[STEP_SUSPEND_FLUSH]	= "suspend_flush",
		[STEP_SUSPEND_CLEAN]	= "suspend_clean",
		[STEP_SUSPEND_BETWEEN]	= "suspend_between",
		[STEP_SUSPEND_DONE]	= "suspend_done",
	};

	static_assert(ARRAY_SIZE(names) == STEP_NR);
	return names[step];
}

#endif
