/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the on-disk format of the SSD, version 3. Shared by the kernel and the tools.
 *
 * The SSD is laid out so; of several, each is:
 *
 *	sector 0	the first home: copy 0 of
 *	  + 0		the pool's superblock (4 KiB; all but the first 512 bytes is zero)
 *	  + 8		of an SSD with a mirror: which of the two has everything (the same)
 *	  + 1024	the records of up to 64 logs (4 KiB each; 512 bytes used)
 *	sector 2048	segment 0: header, metadata pages, data
 *	...		segment 1, ...
 *	the last MiB	the second home: copy 1 of the same, in the same places
 *
 * What people do to a disk by mistake is done to its beginning: mkfs, mkswap, a partition table,
 * zeros. Some of that writes to the last 64 KiB, too, where a home holds nothing.
 *
 * A disk writes a 512-byte sector whole, and a superblock, a record and a header each fit in
 * one. So a power cut leaves each copy either old or new. Every change of a superblock or a
 * record writes both copies, one after the other.
 *
 * A segment begins with a header of 4 KiB (512 bytes used): whose it is, and its generation. It
 * repeats what superblock and record said when the segment was opened, so that the log can be
 * found when both homes are gone.
 * The segments of a log with a generation below the log's tail are free, whatever they hold.
 * Raising the tail frees segments, in the order in which they were opened. All logs of an SSD
 * share its segments: see core/lease.h.
 *
 * A header is followed by metadata pages with two 4 KiB slots each. Page N is written to slot
 * 2N or 2N + 1, in turn: a page that a FLUSH closes early is written again, with more entries,
 * to the slot that does not hold the durable version. The newer one has the higher @rev.
 *
 * Every number is little endian, every unit of length or place is a sector of
 * 512 bytes, every checksum is crc32c (seed ~0, not inverted at the end) over
 * the structure with its crc field zero.
 */
#ifndef SSDUP_FORMAT_H
#define SSDUP_FORMAT_H

#ifdef __KERNEL__
#include <linux/build_bug.h>
#else
#include <assert.h>
#endif
#include <linux/types.h>

#define SSDUP_SUPER_MAGIC	0x53534455502d4c31ULL	/* "SSDUP-L1"; every version has it */
#define SSDUP_RECORD_MAGIC	0x53444c52U		/* "SDLR" */
#define SSDUP_GUARDED_MAGIC	0x53444c47U		/* "SDLG": of a record with a guard */
#define SSDUP_HEADER_MAGIC	0x53444c48U		/* "SDLH" */
#define SSDUP_PAGE_MAGIC	0x53444c50U		/* "SDLP" */
#define SSDUP_VERSION		3

#define SSDUP_COPIES		2U		/* of a superblock and of a record */
#define SSDUP_BLOCK_BYTES	4096U		/* of a superblock, record or header */
#define SSDUP_BLOCK_SECTORS	(SSDUP_BLOCK_BYTES / 512U)
#define SSDUP_HOME_SECTORS	2048U		/* of a home; the second one begins at a multiple */
#define SSDUP_TWIN_PLACE	SSDUP_BLOCK_SECTORS	/* within a home */
#define SSDUP_RECORD_PLACE(log)	(1024U + (log) * SSDUP_BLOCK_SECTORS)	/* within a home */

/* The format has room for so many. */
#define SSDUP_MAX_LOGS		64
#define SSDUP_MAX_SSDS		8
#define SSDUP_MAX_CLASSES	8
#define SSDUP_HDD_ID_BYTES	128
#define SSDUP_HOST_BYTES	16
#define SSDUP_HOST_NAME_BYTES	64

#define SSDUP_MIN_SEGMENTS	32U
#define SSDUP_MAX_SEGMENTS	1048576U
#define SSDUP_MIN_SEGMENT_SECTORS 512U		/* 256 KiB */
#define SSDUP_MAX_SEGMENT_SECTORS 524288U	/* 256 MiB */

#define SSDUP_PAGE_BYTES	4096U
#define SSDUP_PAGE_SECTORS	(SSDUP_PAGE_BYTES / 512U)
#define SSDUP_PAGE_SLOTS	2U

/* Feature bits. A log with an unknown incompat bit is refused, one with ro_compat is read-only. */
#define SSDUP_COMPAT_KNOWN	0ULL
#define SSDUP_RO_COMPAT_KNOWN	0ULL
#define SSDUP_INCOMPAT_LOGS	0x1ULL	/* there are others than log 0: @logs says which */
#define SSDUP_INCOMPAT_SSDS	0x2ULL	/* there are others than this SSD */
#define SSDUP_INCOMPAT_MOVES	0x4ULL	/* SSDs have come or gone since the pool was made */
#define SSDUP_INCOMPAT_MIRRORS	0x8ULL	/* some SSDs have a mirror: @ssd_mirrors says which */
#define SSDUP_INCOMPAT_KNOWN	(SSDUP_INCOMPAT_LOGS | SSDUP_INCOMPAT_SSDS | \
				 SSDUP_INCOMPAT_MOVES | SSDUP_INCOMPAT_MIRRORS)

/* struct ssdup_super::ssd_state */
#define SSDUP_SSD_USED		0U
#define SSDUP_SSD_LEAVES	1U	/* it takes no new data, and is being emptied */
#define SSDUP_SSD_UNUSED	2U	/* no log has anything there: it need not be there itself */
#define SSDUP_SSD_STATES	3U

/*
 * The pool, as each of its SSDs has it. It changes only when the pool does.
 *
 * Segment numbers run on from one SSD to the next: those of SSD 1 begin where those of SSD 0 end.
 * A new pool of several SSDs is written twice to each. After the first time, with a @seq of 1, it
 * holds no log yet, and is made anew. So none of them is blank once a log may hold data.
 *
 * An SSD that is added gets the next number, or that of an unused one whose segments it has room
 * for. Numbers, and those of segments, never change: so what a log holds stays where it is.
 */
struct ssdup_super {
	__le64	magic;
	__le32	crc;
	__le32	version;
	__le64	compat;
	__le64	ro_compat;
	__le64	incompat;
	__u8	uuid[16];		/* of the pool */
	__le64	seq;			/* of superblock writes */
	__le64	ssd_sectors;		/* of this SSD */
	__le64	segment_start;		/* first segment, on each SSD */
	__le32	segment_sectors;	/* of a segment; a power of two */
	__le32	nr_segments;		/* of all SSDs */
	__le32	meta_pages;		/* of a segment */
	__le16	nr_ssds;
	__le16	ssd_index;		/* of this SSD, below nr_ssds */
	__u8	member[SSDUP_MAX_SSDS][16];	/* UUIDs of the SSDs; zero with one */
	__le64	logs;			/* which there are, a bit each; 0: only number 0 */
	__le32	ssd_segments[SSDUP_MAX_SSDS];	/* on each; zero with one SSD */
	/* With SSDUP_INCOMPAT_MOVES, else zero: */
	__le16	made_ssds;		/* nr_ssds when the pool was made */
	__u8	ssd_state[SSDUP_MAX_SSDS];
	__u8	ssd_mirrors;		/* with SSDUP_INCOMPAT_MIRRORS, else zero: a bit for each */
	__u8	reserved[237];
} __packed;

/*
 * Of an SSD with a mirror: all else that is on the one is on the other, in the same place. An SSD
 * that fails is out: the other one says so before anything counts that the first has not got.
 */
#define SSDUP_TWIN_MAGIC	0x4e49575450554453ULL	/* "SDUPTWIN", as bytes */
#define SSDUP_TWINS		2U

struct ssdup_twin {
	__le64	magic;
	__le32	crc;
	__le16	index;			/* of this one, 0 or 1 */
	__le16	out;			/* a bit for each one that does not have everything */
	__le64	seq;			/* of changes; 1: they are being made */
	__u8	member[SSDUP_TWINS][16];	/* UUIDs of both */
	__u8	reserved[456];
} __packed;

/* struct ssdup_record::flags */
#define SSDUP_RECORD_CLOSED	0x1U	/* the last suspend committed all; live_* are right */

/*
 * A log: the segments of one HDD. A segment is free if its generation is below the tail of its
 * class.
 */
struct ssdup_record {
	__le32	magic;
	__le32	crc;
	__u8	pool[16];		/* UUID of the pool */
	__u8	uuid[16];		/* of the log; headers and pages repeat it */
	__le16	log;			/* number of the record */
	__le16	nr_classes;
	__le32	flags;
	__le64	seq;			/* of record writes */
	__le64	epoch;			/* of activations */
	__le64	hdd_sectors;
	__le64	first;			/* lowest generation that this epoch may open */
	__le32	block_sectors;		/* data is aligned to this */
	__le32	live_segments;		/* with pages, while closed */
	__le64	live_pages;		/* in them, while closed */
	__le64	tail[SSDUP_MAX_CLASSES];
	__u8	hdd_id[SSDUP_HDD_ID_BYTES];	/* text; zero behind it; all zero: unknown */
	__u8	host[SSDUP_HOST_BYTES];	/* that has the log active; zero: none, or not known */
	__u8	host_name[SSDUP_HOST_NAME_BYTES];	/* text for people; zero behind it */
	/* While the magic is SSDUP_GUARDED_MAGIC; older code knows no such record. */
	__le64	guard_epoch;		/* of struct ssdup_member */
	__le32	head_crc;		/* of the HDD's first sector, which follows the record */
	__u8	guard_closed;		/* 0: it was being closed, and may still be open */
	__u8	reserved1[3];
	/* With SSDUP_INCOMPAT_MOVES, else zero; see struct log_classes: */
	__le16	nr_ssds;		/* that the classes are on; 0: made_ssds of the pool */
	__le16	old_ssds;		/* the same, of generations below @era */
	__le64	era;
	__u8	reserved[116];
} __packed;

/*
 * The member block: the first sector of an HDD whose log is not empty. It takes the place of what
 * the device has there; all else in the first 128 KiB is masked with a stream that the epoch
 * gives. So nobody takes the HDD for a file system that is out of date. See core/guard_block.h.
 *
 * Where a partition table would be, it is zero.
 */
#define SSDUP_GUARD_SECTORS	256U
#define SSDUP_GUARD_BLOCK	8U	/* sectors: each such part of the range has a checksum */
#define SSDUP_GUARD_BLOCKS	(SSDUP_GUARD_SECTORS / SSDUP_GUARD_BLOCK)
#define SSDUP_SECTOR_BYTES	512U
#define SSDUP_MEMBER_MAGIC	0x4444485055445353ULL	/* "SSDUPHDD", as bytes */
#define SSDUP_MEMBER_VERSION	1
#define SSDUP_MEMBER_BODY	374U

/* struct ssdup_member::flags */
#define SSDUP_MEMBER_CHANGING	0x1U	/* each other sector may be masked or not */

struct ssdup_member {
	__le64	magic;
	__le32	crc;
	__le16	version;
	__le16	flags;
	__u8	uuid[16];		/* of the log */
	__u8	pool[16];		/* UUID of the SSD's pool */
	__le64	epoch;			/* random, another one each time */
	__le64	hdd_sectors;
	__le16	covered;		/* so many bytes of the sector are packed in @body */
	__u8	reserved[6];
	__u8	body[SSDUP_MEMBER_BODY];	/* while changing, checksums come first */
	__u8	table[66];		/* zero */
} __packed;

/* At the start of a segment. Written with FUA before the segment's first page. */
struct ssdup_header {
	__le32	magic;
	__le32	crc;
	__u8	pool[16];		/* UUID of the pool */
	__u8	uuid[16];		/* of the log */
	__le64	generation;		/* counts the segments that the log has opened */
	__le64	epoch;			/* in which it was opened */
	__le32	segment;		/* its number */
	__le16	log;
	__le16	class;
	/* Of superblock and record, as they were then; for repair alone: */
	__le64	hdd_sectors;
	__le64	first;
	__le32	segment_sectors;
	__le32	nr_segments;
	__le32	block_sectors;
	__le16	nr_classes;
	__u8	reserved1[2];
	__le64	tail[SSDUP_MAX_CLASSES];
	__u8	hdd_id[SSDUP_HDD_ID_BYTES];
	__u8	reserved[224];
} __packed;

/* struct ssdup_entry::kind */
#define SSDUP_KIND_NONE		0U	/* never on disk */
#define SSDUP_KIND_DATA		1U	/* the range's data is in the log at @pos */
#define SSDUP_KIND_DISCARD	2U	/* discarded; reads as zeros while logged */
#define SSDUP_KIND_ZERO		3U	/* the range reads as zeros */
#define SSDUP_KIND_LOST		4U	/* cannot be read back: EIO until rewritten */
#define SSDUP_KIND_MAX		4U

/*
 * struct ssdup_entry::flags. Reserved for checksums of data, which are not computed
 * yet. So an entry that claims to have one was not written by this code.
 */
#define SSDUP_ENTRY_CRC		0x1U	/* @data_crc is valid */
#define SSDUP_ENTRY_FLAGS_KNOWN	0x0U

/*
 * One extent of the HDD's address space. Of two entries that overlap, the one with the higher
 * @seq is newer. Its upper part is the generation of the segment: so a younger segment's entry
 * is always the newer one.
 */
#define SSDUP_SEQ_BITS		20	/* lower part: counts writes that ended in the segment */

struct ssdup_entry {
	__le64	sector;
	__le64	seq;
	__le32	sectors;
	__le32	pos;			/* in the segment's data area; 0 unless DATA */
	__le32	data_crc;
	__u8	kind;
	__u8	flags;
	__le16	reserved;
} __packed;

struct ssdup_page_header {
	__le32	magic;
	__le32	crc;
	__u8	uuid[16];		/* of the log */
	__le64	generation;
	__le64	epoch;
	__le64	rev;
	__le32	page;			/* number within the segment */
	__le32	segment;
	__le32	number;			/* within the epoch: counts on from segment to segment */
	__le16	nr_entries;
	__u8	reserved[2];
} __packed;

#define SSDUP_PAGE_ENTRIES \
	((SSDUP_PAGE_BYTES - sizeof(struct ssdup_page_header)) / sizeof(struct ssdup_entry))

struct ssdup_page {
	struct ssdup_page_header h;
	struct ssdup_entry e[SSDUP_PAGE_ENTRIES];
} __packed;

static_assert(sizeof(struct ssdup_super) == 512, "a superblock is one sector");
static_assert(sizeof(struct ssdup_record) == 512, "a log's record is one sector");
static_assert(sizeof(struct ssdup_twin) == 512, "a twin is one sector");
static_assert(sizeof(struct ssdup_member) == SSDUP_SECTOR_BYTES, "a member block is one sector");
static_assert(sizeof(struct ssdup_header) == 512, "a segment's header is one sector");
static_assert(sizeof(struct ssdup_entry) == 32, "log entry");
static_assert(sizeof(struct ssdup_page_header) == 64, "page header");
static_assert(sizeof(struct ssdup_page) == SSDUP_PAGE_BYTES, "metadata page");

#endif
