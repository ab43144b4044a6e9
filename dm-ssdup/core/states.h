/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: X-macro tables of what has a name: policies, numbers of the status line, faults.
 * Define any of SSDUP_POLICY(symbol, name), SSDUP_MODE(symbol, words),
 * SSDUP_DRAIN_STATE(symbol, words, what is waited for), SSDUP_WAIT_CAUSE(same) and
 * SSDUP_FAULT(symbol, number, words), then include this. The numbers of faults keep their meaning.
 */
#ifndef SSDUP_POLICY
#define SSDUP_POLICY(...)
#endif
#ifndef SSDUP_MODE
#define SSDUP_MODE(...)
#endif
#ifndef SSDUP_DRAIN_STATE
#define SSDUP_DRAIN_STATE(...)
#endif
#ifndef SSDUP_WAIT_CAUSE
#define SSDUP_WAIT_CAUSE(...)
#endif
#ifndef SSDUP_FAULT
#define SSDUP_FAULT(...)
#endif

/* Where a write goes that overlaps nothing in the log. */
SSDUP_POLICY(ADAPTIVE, "adaptive")
SSDUP_POLICY(WATERMARK, "watermark")
SSDUP_POLICY(ALL, "all")
SSDUP_POLICY(NONE, "none")
SSDUP_POLICY(BALANCE, "balance")

/* Modes only go up. Read-only: the SSD refused a write. Failed: it refused reads, too. */
SSDUP_MODE(RUNNING, "running")
SSDUP_MODE(LOG_READ_ONLY, "log read-only")
SSDUP_MODE(LOG_FAILED, "log failed")

/* What the writeback thread does or waits for. */
SSDUP_DRAIN_STATE(IDLE, "nothing to do", "a full part of the log")
SSDUP_DRAIN_STATE(OFF, "off (paused, or manual)",
		  "a message drain, set drain, or writes that wait for space")
SSDUP_DRAIN_STATE(DEFERS, "waits until the HDD is quiet",
		  "a quiet HDD, or the end of its time; with nothing sealed, an idle device")
SSDUP_DRAIN_STATE(SEALS, "seals a segment", "nothing")
SSDUP_DRAIN_STATE(COPIES, "copies to the HDD", "the disks, for a batch")
SSDUP_DRAIN_STATE(FENCE, "waits for direct writes", "those in flight to the range that it takes")
SSDUP_DRAIN_STATE(FREES, "frees segments", "a commit, a flush of the HDD, the record with the tail")
SSDUP_DRAIN_STATE(RETRY, "failed, will try again",
		  "5 s (60 s when drain_errno is 30), or a message drain")
SSDUP_DRAIN_STATE(STOPPED, "stopped",
		  "another table (mode 2, or the table is read-only), or a resume")

/* Why the first of the waiting writes waits. */
SSDUP_WAIT_CAUSE(NONE, "nothing", "no write waits")
SSDUP_WAIT_CAUSE(SPACE, "a free segment",
		 "a clean one to be forgotten, or a drain; either begins at once")
SSDUP_WAIT_CAUSE(COMMIT, "a commit",
		 "the SSD, or a write in flight to the first of 128 metadata pages")
SSDUP_WAIT_CAUSE(MEMORY, "memory", "memory; it is tried again every 20 ms")
SSDUP_WAIT_CAUSE(DRAIN_ERROR, "a free segment, and the last drain failed",
		 "a drain that goes well, or a suspend")
SSDUP_WAIT_CAUSE(SSD, "the SSD", "an SSD that is away; it is tried again every 250 ms for a minute")

/* What is wrong with the log. A stale header or page is no error: the log does not have it. */
SSDUP_FAULT(OK, 0, "no fault")
SSDUP_FAULT(BLANK, 1, "blank")
SSDUP_FAULT(NOT_OURS, 2, "not a dm-ssdup superblock")
SSDUP_FAULT(BAD_CRC, 3, "checksum mismatch")
SSDUP_FAULT(UNKNOWN_VERSION, 4, "unknown format version")
SSDUP_FAULT(UNKNOWN_INCOMPAT, 5, "unknown incompatible feature")
SSDUP_FAULT(UNKNOWN_RO_COMPAT, 6, "unknown feature that forbids writing")
SSDUP_FAULT(BAD_GEOMETRY, 7, "impossible geometry")
SSDUP_FAULT(BAD_GENERATION, 8, "generation zero, used twice or out of range")
SSDUP_FAULT(OTHER_HDD_SIZE, 9, "made for a larger HDD")
SSDUP_FAULT(OTHER_SSD_SIZE, 10, "made for a larger SSD")
SSDUP_FAULT(BLOCK_SIZE, 11, "made for smaller logical blocks")
SSDUP_FAULT(PAGE_STALE, 12, "page of another log, generation, epoch or place")
SSDUP_FAULT(PAGE_BAD_COUNT, 13, "page with too many entries")
SSDUP_FAULT(ENTRY_KIND, 14, "entry of unknown kind or flags")
SSDUP_FAULT(ENTRY_EMPTY, 15, "entry without sectors, or of another generation")
SSDUP_FAULT(ENTRY_OUTSIDE_HDD, 16, "entry outside the HDD")
SSDUP_FAULT(ENTRY_OUTSIDE_LOG, 17, "entry outside the log")
SSDUP_FAULT(ENTRY_UNALIGNED, 18, "entry not aligned to the block size")
SSDUP_FAULT(EPOCH, 19, "header of an epoch yet to come")
SSDUP_FAULT(PAGES_MISSING, 20, "not the pages that the last suspend counted")
SSDUP_FAULT(TWO_LOGS, 21, "copies of the superblock or the record are of two logs")
SSDUP_FAULT(NO_UUID, 22, "the UUID is nil")
/* The numbers between belong to the tool; 35 was another format. None is used again. */
SSDUP_FAULT(PAGES_GAP, 34, "a page that was durable is damaged")
SSDUP_FAULT(NO_RECORD, 36, "without a valid record of the log")
SSDUP_FAULT(SEGMENT_GAP, 37, "a segment's header that was durable is damaged")
SSDUP_FAULT(HEADER_STALE, 38, "header of another log or segment")
SSDUP_FAULT(OVERWRITTEN, 39, "overwritten at the beginning of the SSD, but not at its end")
SSDUP_FAULT(OTHER_HOST, 41, "active on another host, or was when that went down")
SSDUP_FAULT(SEVERAL, 42, "one of several on the SSD, of which the table names none")
SSDUP_FAULT(ABSENT, 43, "not on the SSD")
SSDUP_FAULT(HDD_WRITTEN, 44, "not the HDD as the log left it: somebody has written to it since")
SSDUP_FAULT(HDD_OTHER, 45, "of another HDD: this one is a member of another log")
SSDUP_FAULT(SSD_MISSING, 46, "on several SSDs, of which one is missing")
SSDUP_FAULT(SSD_BLANK, 47, "on others of the SSDs, and this one is blank")
SSDUP_FAULT(SSD_FOREIGN, 48, "of other SSDs than this one")
SSDUP_FAULT(SSD_PLACE, 49, "on several SSDs, of which this one has another place in the table")

SSDUP_FAULT(MIRROR, 50, "on an SSD with a mirror and the table names none, or the other way round")

#undef SSDUP_POLICY
#undef SSDUP_MODE
#undef SSDUP_DRAIN_STATE
#undef SSDUP_WAIT_CAUSE
#undef SSDUP_FAULT
