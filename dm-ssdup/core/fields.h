/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: X-macro table of the status line's fields. Each is also a file in
 * sysfs. Define any of SSDUP_FIELD(symbol, name, unit, text), SSDUP_STAT(same) for counters, and
 * SSDUP_FILE(name, text) for files in sysfs that are no fields, and SSDUP_RULES_FILE(same) for
 * those that can be written; then include this. The status line has the name of each, and a plain
 * number.
 *
 * Units: SECTORS of 512 bytes, PER_10000, MILLISECONDS, and PLAIN for all else.
 */
#ifndef SSDUP_FIELD
#define SSDUP_FIELD(...)
#endif
#ifndef SSDUP_STAT
#define SSDUP_STAT(...)
#endif
#ifndef SSDUP_FILE
#define SSDUP_FILE(...)
#endif
#ifndef SSDUP_RULES_FILE
#define SSDUP_RULES_FILE(...)
#endif

SSDUP_FIELD(MODE, mode, PLAIN, "how far the device has failed")
SSDUP_FIELD(SEGMENTS, segments, PLAIN, "segments of the log")
SSDUP_FIELD(SEGMENTS_FREE, segments_free, PLAIN, "free segments, clean ones included")
SSDUP_FIELD(SEGMENTS_SEALED, segments_sealed, PLAIN,
	    "segments that are drained, or wait for it")
SSDUP_FIELD(FILL, open_fill_1e4, PER_10000,
	    "how full the open segment is, metadata or data, the fuller")
SSDUP_FIELD(DIRTY, dirty_sectors, SECTORS, "data that the log holds and the HDD has not")
SSDUP_FIELD(EXTENTS, extents, PLAIN, "extents in the map")
SSDUP_FIELD(WAITING, waiting_writes, PLAIN, "writes that wait for space in the log or for memory")
SSDUP_FIELD(DRAIN_ERRNO, drain_errno, PLAIN,
	    "0, or the error number with which the last step of a drain failed")
SSDUP_FIELD(DRAIN_STATE, drain_state, PLAIN, "what the drain does or waits for")
SSDUP_FIELD(WAIT_CAUSE, wait_cause, PLAIN, "why the first of the waiting writes waits")
SSDUP_FIELD(FLUSHES_WAIT, waiting_flushes, PLAIN,
	    "FLUSHes, and FUA writes whose data is logged, that wait for a commit or the HDD")
SSDUP_FIELD(LONGEST_WAIT, longest_wait_ms, MILLISECONDS,
	    "longest wait of a write for space in the log")
SSDUP_FIELD(SSD_WRITTEN, ssd_written_sectors, SECTORS,
	    "written to the SSD since the table was loaded")
SSDUP_FIELD(BUDGET_LEFT, ssd_left_sectors, SECTORS, "what the account of ssd_budget has left")
SSDUP_FIELD(POOL_FREE, pool_segments_free, PLAIN, "segments of the SSD that no log has")
SSDUP_FIELD(CLEAN_SEGMENTS, clean_segments, PLAIN, "free segments whose data is still read")
SSDUP_FIELD(CLEAN, clean_sectors, SECTORS, "clean data")
SSDUP_FIELD(CLEAN_MAP, clean_map_bytes, PLAIN, "memory of the map of clean data")
SSDUP_FIELD(PROMOTED, promoted_sectors, SECTORS,
	    "what was copied from the HDD since the table was loaded, see promote")
SSDUP_FIELD(GUARD, guard, PLAIN,
	    "what the HDD shows first: 0 the device's data, 1 both, 2 a member block")
SSDUP_FIELD(INTERFERENCE, ssd_interference_1e4, PER_10000,
	    "how many times as long writes to the SSD took because it was read, in the last second")
SSDUP_FIELD(SSDS_OUT, ssds_out, PLAIN,
	    "SSDs of several that take no writes any more, since they failed")
SSDUP_FIELD(READ_INTERFERENCE, ssd_read_interference_1e4, PER_10000,
	    "how many times as long reads of the log took because of writes, in the last second")
SSDUP_FIELD(MIRRORS_OUT, mirrors_out, PLAIN,
	    "SSDs with a mirror of which one of the two is out: new data has one copy there")

/* Counted per CPU, since the table was loaded or the message clear_stats was sent. */
SSDUP_STAT(WRITES_HDD, writes_hdd, PLAIN, "writes, discards and write-zeroes sent to the HDD")
SSDUP_STAT(WRITES_SSD, writes_ssd, PLAIN, "writes, discards and write-zeroes sent to the log")
SSDUP_STAT(SECTORS_HDD, write_sectors_hdd, SECTORS, "data written straight to the HDD")
SSDUP_STAT(SECTORS_SSD, write_sectors_ssd, SECTORS, "data written to the log")
SSDUP_STAT(READS_HDD, reads_hdd, PLAIN, "reads from the HDD")
SSDUP_STAT(READS_SSD, reads_ssd, PLAIN, "reads from the SSD")
SSDUP_STAT(FLUSHES, flushes, PLAIN, "FLUSH requests")
SSDUP_STAT(WAITED, waited_writes, PLAIN,
	   "writes that waited for space or memory, or were tried again after an SSD error")
SSDUP_STAT(COMMITS, commits, PLAIN, "rounds of metadata writes")
SSDUP_STAT(SEALS, seals, PLAIN, "segments sealed")
SSDUP_STAT(FREES, frees, PLAIN, "segments freed")
SSDUP_STAT(DRAINED_SECTORS, drained_sectors, SECTORS,
	   "data that drains brought to the HDD, discards and zeroes included")
SSDUP_STAT(SSD_ERRORS, ssd_errors, PLAIN, "reads and writes that the SSD failed")
SSDUP_STAT(HDD_ERRORS, hdd_errors, PLAIN, "writes of drains, and flushes, that the HDD failed")
SSDUP_STAT(UNWRITABLE, unwritable_extents, PLAIN,
	   "blocks relocated to the open segment because the HDD refused them")
SSDUP_STAT(LOST, lost_extents, PLAIN,
	   "blocks that are lost: the SSD does not give them back, or a flush of it failed")
SSDUP_STAT(READS_CLEAN, reads_clean, PLAIN, "of the reads from the SSD, those of clean data")
SSDUP_STAT(READS_PROMOTED, reads_promoted, PLAIN,
	   "of the reads of clean data, those of copies of what was read")

SSDUP_FILE(hdd_dev, "major:minor of the HDD")
SSDUP_FILE(ssd_dev, "major:minor of the SSD, or of each, + of its mirror")
SSDUP_FILE(log_uuid, "the UUID of the log on the SSD")
SSDUP_FILE(pool_uuid, "the UUID that all logs of the SSD share")
SSDUP_FILE(segment_sectors, "size of a segment")
SSDUP_FILE(classes,
	   "of each class: name, soon or late, sectors held, written, drained, replaced")
SSDUP_RULES_FILE(class_cgroups, "of each cgroup whose data has a class: number, class; writable")

#undef SSDUP_FIELD
#undef SSDUP_STAT
#undef SSDUP_FILE
#undef SSDUP_RULES_FILE
