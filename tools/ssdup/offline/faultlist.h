/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: X-macro table of what may be wrong with a log, also for the manual page. Define
 * FINDING_KIND(symbol, number, severity, name, words), then include this. Numbers keep their
 * meaning.
 */
FINDING_KIND(SUPER_BLANK, 101, REPAIRABLE, "super-blank", "blank")
FINDING_KIND(SUPER_FOREIGN, 102, REPAIRABLE, "super-foreign", "not a dm-ssdup superblock")
FINDING_KIND(SUPER_CRC, 103, REPAIRABLE, "super-crc", "checksum mismatch")
FINDING_KIND(SUPER_VERSION, 104, REFUSED, "super-version", "unknown format version")
FINDING_KIND(SUPER_INCOMPAT, 105, REFUSED, "super-incompat", "unknown incompatible feature")
FINDING_KIND(SUPER_RO_COMPAT, 106, REFUSED, "super-ro-compat",
	     "unknown feature that forbids writing")
FINDING_KIND(SUPER_GEOMETRY, 107, REPAIRABLE, "super-geometry", "impossible geometry")
FINDING_KIND(SUPER_GENERATION, 108, REPAIRABLE, "super-generation",
	     "generation zero, used twice or out of range")
FINDING_KIND(HDD_SIZE, 109, REFUSED, "hdd-size", "made for a larger HDD")
FINDING_KIND(SSD_SIZE, 110, LOST, "ssd-size", "made for a larger SSD")
FINDING_KIND(BLOCK_SIZE, 111, REFUSED, "block-size", "made for smaller logical blocks")
FINDING_KIND(TWO_LOGS, 121, LOST, "super-two-logs", "the copies are of two logs")
FINDING_KIND(SUPER_UUID, 122, REFUSED, "super-uuid", "the UUID is nil")
FINDING_KIND(SUPER_UNREADABLE, 130, REPAIRABLE, "super-unreadable", "cannot be read")
FINDING_KIND(SUPER_BEHIND, 131, REPAIRABLE, "super-behind", "older than the other copy")
FINDING_KIND(SUPER_UNLIKE, 132, REPAIRABLE, "super-unlike",
	     "not the same as the other copy, though both are of one write")
FINDING_KIND(SUPER_COMPAT, 133, NOTE, "super-compat", "unknown feature that does not matter")
FINDING_KIND(HDD_OTHER, 140, REFUSED, "hdd-other", "made for another HDD")
FINDING_KIND(SUPER_LOGS, 142, REFUSED, "super-logs", "the SSD holds several logs")
FINDING_KIND(SSD_BEHIND, 143, REPAIRABLE, "ssd-behind",
	     "an SSD has damaged or older copies; the next start mends them")
FINDING_KIND(SSD_LOST, 144, LOST, "ssd-lost", "an SSD is not there, nor what it has of the log")
FINDING_KIND(SSD_MISSING, 146, REFUSED, "ssd-missing", "an SSD of the log is missing")
FINDING_KIND(SSD_BLANK, 147, LOST, "ssd-blank", "an SSD of the log is blank")
FINDING_KIND(SSD_FOREIGN, 148, REFUSED, "ssd-foreign", "an SSD is not one of the log")
FINDING_KIND(PAGE_TORN, 203, NOTE, "page-torn",
	     "a write that was torn, as by a power cut; the other version counts")
FINDING_KIND(PAGE_COUNT, 213, LOST, "page-count", "page with too many entries")
FINDING_KIND(PAGES_MISSING, 220, LOST, "pages-missing",
	     "pages that the last suspend counted are damaged")
FINDING_KIND(PAGE_NUMBER, 229, LOST, "page-number", "page with a number that its place cannot have")
FINDING_KIND(PAGE_UNREADABLE, 230, REPAIRABLE, "page-unreadable", "cannot be read")
FINDING_KIND(PAGE_DAMAGED, 231, LOST, "page-damaged",
	     "the newest version is damaged, and an older one takes its place")
FINDING_KIND(PAGES_BEHIND, 232, NOTE, "pages-behind",
	     "pages behind the end of the segment, as a power cut leaves them")
FINDING_KIND(PAGES_MORE, 233, REPAIRABLE, "pages-more", "more pages than the last suspend counted")
FINDING_KIND(PAGES_GAP, 234, LOST, "pages-gap",
	     "pages that were durable are damaged, and others behind them are not")
FINDING_KIND(ENTRY_KIND, 314, LOST, "entry-kind", "entry of unknown kind or flags")
FINDING_KIND(ENTRY_EMPTY, 315, LOST, "entry-empty",
	     "entry without sectors, or of another generation")
FINDING_KIND(ENTRY_HDD, 316, LOST, "entry-outside-hdd", "entry outside the HDD")
FINDING_KIND(ENTRY_LOG, 317, LOST, "entry-outside-log", "entry outside the log")
FINDING_KIND(ENTRY_UNALIGNED, 318, LOST, "entry-unaligned", "entry not aligned to the block size")
FINDING_KIND(ENTRY_SHARED, 330, LOST, "entry-shared", "two entries have one place in the log")
FINDING_KIND(RANGE_LOST, 331, NOTE, "range-lost",
	     "marked as lost: an I/O error until it is written again")
FINDING_KIND(DATA_UNREADABLE, 401, LOST, "data-unreadable", "the SSD cannot read the data")
FINDING_KIND(RECORD_FOREIGN, 502, REPAIRABLE, "record-foreign", "no record of this pool")
FINDING_KIND(RECORD_CRC, 503, REPAIRABLE, "record-crc", "checksum mismatch")
FINDING_KIND(RECORD_GEOMETRY, 507, REPAIRABLE, "record-geometry", "impossible geometry")
FINDING_KIND(RECORD_GENERATION, 508, REPAIRABLE, "record-generation",
	     "generation zero or out of range")
FINDING_KIND(RECORD_TWO_LOGS, 521, LOST, "record-two-logs", "the copies are of two logs")
FINDING_KIND(RECORD_UUID, 522, REFUSED, "record-uuid", "the UUID is nil")
FINDING_KIND(RECORD_UNREADABLE, 530, REPAIRABLE, "record-unreadable", "cannot be read")
FINDING_KIND(RECORD_BEHIND, 531, REPAIRABLE, "record-behind", "older than the other copy")
FINDING_KIND(RECORD_UNLIKE, 532, REPAIRABLE, "record-unlike",
	     "not the same as the other copy, though both are of one write")
FINDING_KIND(RECORD_MISSING, 536, LOST, "record-missing", "no copy is valid")
FINDING_KIND(HOST_OTHER, 541, REFUSED, "host-other",
	     "active on another host, or was when that went down")
FINDING_KIND(HEADER_GENERATION, 608, LOST, "header-generation",
	     "generation zero, used twice or out of range")
FINDING_KIND(HEADER_EPOCH, 619, LOST, "header-epoch",
	     "of an epoch yet to come, or of one that had ended")
FINDING_KIND(HEADER_UNREADABLE, 630, REPAIRABLE, "header-unreadable", "cannot be read")
FINDING_KIND(HEADER_DAMAGED, 631, REPAIRABLE, "header-damaged",
	     "the header is damaged; the segment's pages say what it was")
FINDING_KIND(SEGMENT_GAP, 637, LOST, "segment-gap",
	     "segments that were durable are damaged, and others behind them are not")
#undef FINDING_KIND
