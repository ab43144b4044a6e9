/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: X-macro table of the steps between which a power cut must do no harm. Define
 * SSDUP_STEP(symbol, name, where) and include this. Numbers may change, names do not.
 */
#ifndef SSDUP_STEP
#define SSDUP_STEP(...)
#endif

SSDUP_STEP(FORMAT_BEGIN, "format_begin", "the SSD is blank: before the log's record is written")
SSDUP_STEP(FORMAT_RECORD, "format_record", "the record is durable, the superblock is blank")
SSDUP_STEP(FORMAT_BETWEEN, "format_between", "copy 0 of the superblock is durable, copy 1 blank")
SSDUP_STEP(FORMAT_DONE, "format_done", "both copies are durable")
SSDUP_STEP(LOAD_SUPER, "load_super", "the superblock was read")
SSDUP_STEP(LOAD_HEADERS, "load_headers", "before the headers of the segments are read")
SSDUP_STEP(REPLAY_SEGMENT, "replay_segment", "before the pages of a segment are read")
SSDUP_STEP(REPLAY_DONE, "replay_done", "the map is complete")
SSDUP_STEP(MEND, "mend", "a copy of superblock or record is bad or old: before both are written")
SSDUP_STEP(EPOCH_BEGIN, "epoch_begin", "before the record with the new epoch is written")
SSDUP_STEP(EPOCH_BETWEEN, "epoch_between", "between the two copies of that record")
SSDUP_STEP(EPOCH_DONE, "epoch_done", "both copies are durable")
SSDUP_STEP(COMMIT_FLUSH, "commit_flush", "before the data of a commit are flushed")
SSDUP_STEP(COMMIT_HEADER, "commit_header", "before each header of a segment is sent")
SSDUP_STEP(COMMIT_FLUSHED, "commit_flushed",
	   "data and headers are durable, and no page was sent")
SSDUP_STEP(COMMIT_PAGE, "commit_page", "before each metadata page is sent")
SSDUP_STEP(COMMIT_SENT, "commit_sent", "all pages of a round are under way")
SSDUP_STEP(COMMIT_DONE, "commit_done", "the pages are durable, and nobody was told")
SSDUP_STEP(HDD_FLUSH, "hdd_flush", "before the HDD is flushed for a FLUSH, a suspend or a message")
SSDUP_STEP(HDD_FLUSHED, "hdd_flushed", "the HDD was flushed")
SSDUP_STEP(FLUSH_END, "flush_end", "before FLUSH and FUA bios end")
SSDUP_STEP(SEAL_BEGIN, "seal_begin", "before the open segment is sealed")
SSDUP_STEP(SEAL_BETWEEN, "seal_between", "the segment is sealed, and the next one is not open")
SSDUP_STEP(SEAL_DONE, "seal_done", "the next one is open")
SSDUP_STEP(DRAIN_BEGIN, "drain_begin", "before a group of segments is drained")
SSDUP_STEP(DRAIN_FENCE, "drain_fence", "before direct writes to a range are waited for")
SSDUP_STEP(DRAIN_READ, "drain_read", "the reads of a batch are under way")
SSDUP_STEP(DRAIN_HAVE, "drain_have", "the reads have ended, nothing was written to the HDD")
SSDUP_STEP(DRAIN_WRITE, "drain_write", "before a run is sent to the HDD")
SSDUP_STEP(DRAIN_SENT, "drain_sent", "all runs of the batch are under way")
SSDUP_STEP(DRAIN_WRITTEN, "drain_written", "the runs have ended")
SSDUP_STEP(TOMBSTONE_WRITE, "tombstone_write", "before a discard or zeroes are sent to the HDD")
SSDUP_STEP(TOMBSTONE_WRITTEN, "tombstone_written", "the discard or the zeroes have ended")
SSDUP_STEP(REWRITE_BLOCK, "rewrite_block", "before a block of a refused run is tried by itself")
SSDUP_STEP(RELOCATE_WRITE, "relocate_write",
	   "before an unwritable block is written to the open segment")
SSDUP_STEP(RELOCATE_WRITTEN, "relocate_written", "before its extent moves there")
SSDUP_STEP(RELOCATE_DONE, "relocate_done", "its entry waits for a commit")
SSDUP_STEP(FREE_BEGIN, "free_begin",
	   "all runs of a group are written or relocated: before the commit")
SSDUP_STEP(FREE_FLUSH, "free_flush", "before the flush of the HDD")
SSDUP_STEP(FREE_TAIL, "free_tail", "before the record with the higher tail is written")
SSDUP_STEP(FREE_BETWEEN, "free_between", "between the two copies of that record")
SSDUP_STEP(FREE_DROP, "free_drop", "the tail is durable, and the extents are still in the map")
SSDUP_STEP(FREE_DROPPED, "free_dropped", "the extents have left the map, or are clean")
SSDUP_STEP(FREE_DONE, "free_done", "the segments are free or clean, or wait for reads")
SSDUP_STEP(CLEAN_FORGET, "clean_forget", "before the extents of a clean segment are forgotten")
SSDUP_STEP(DISCARD_BEGIN, "discard_begin", "before free segments are discarded on the SSD")
SSDUP_STEP(DISCARD_DONE, "discard_done", "they are, and cannot be opened yet")
SSDUP_STEP(SUSPEND_COMMIT, "suspend_commit", "before the last commit")
SSDUP_STEP(SUSPEND_FLUSH, "suspend_flush", "before the last flush of the HDD")
SSDUP_STEP(SUSPEND_CLEAN, "suspend_clean", "before the record with the clean flag is written")
SSDUP_STEP(SUSPEND_BETWEEN, "suspend_between", "between the two copies of that record")
SSDUP_STEP(SUSPEND_DONE, "suspend_done", "both copies are durable")

SSDUP_STEP(ADD_BEGIN, "add_begin", "before the record of another log is written")
SSDUP_STEP(ADD_BETWEEN, "add_between", "between the two copies of that record")
SSDUP_STEP(ADD_RECORD, "add_record", "the record is durable, and the superblock does not know it")
SSDUP_STEP(ADD_DONE, "add_done", "the superblock knows the log")
SSDUP_STEP(LOGS_BETWEEN, "logs_between", "copy 0 of a superblock with other logs is durable")
SSDUP_STEP(FORGET_BEGIN, "forget_begin", "before the superblock without a log is written")
SSDUP_STEP(FORGET_DONE, "forget_done", "it is durable, and the segments are not free yet")

#undef SSDUP_STEP
