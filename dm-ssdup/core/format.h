/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the on-disk format of the SSD. Shared by the kernel and the tools.
 *
 *	sector 0	superblock, copy 0	(4 KiB; all but the first 512 bytes is zero)
 *	sector 128	superblock, copy 1
 *	sector 2048	half 0: metadata area, data area
 *	...		half 1, ...
 *
 * A disk writes a 512-byte sector whole, and a superblock fits in one. So a power cut
 * leaves each copy either old or new. Every change writes both copies, one after the other.
 *
 * A half's metadata area is an array of pages with two 4 KiB slots each. Page
 * N is written to slot 2N or 2N + 1, in turn: a page that a FLUSH closes early
 * is written again, with more entries, to the slot that does not hold the
 * durable version. The newer one has the higher @epoch (one per activation of
 * the device) or, in the same epoch, the higher @rev (one per write of the page).
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

#define SSDUP_SUPER_MAGIC	0x53534455502d4c31ULL	/* "SSDUP-L1" */
#define SSDUP_PAGE_MAGIC	0x53444c50U		/* "SDLP" */
#define SSDUP_VERSION		1

#define SSDUP_SUPER_COPIES	2
#define SSDUP_SUPER_SECTOR(copy) ((copy) * 128U)
#define SSDUP_SUPER_BYTES	4096U
#define SSDUP_HEAD_SECTORS	2048U	/* before the first half */

#define SSDUP_MIN_HALVES	2
#define SSDUP_MAX_HALVES	16
#define SSDUP_MAX_SSDS		4	/* the format has room for so many; one is used */

#define SSDUP_PAGE_BYTES	4096U
#define SSDUP_PAGE_SECTORS	(SSDUP_PAGE_BYTES / 512U)
#define SSDUP_PAGE_SLOTS	2U

/* Feature bits. A log with an unknown incompat bit is refused, one with ro_compat is read-only. */
#define SSDUP_COMPAT_PAGES	0x1ULL	/* a clean suspend counts the pages of each half */
#define SSDUP_COMPAT_KNOWN	SSDUP_COMPAT_PAGES
#define SSDUP_RO_COMPAT_KNOWN	0ULL
#define SSDUP_INCOMPAT_KNOWN	0ULL

/* struct ssdup_super_half::state; only the pages tell whether a half is free or sealed. */
#define SSDUP_HALF_UNUSED	0U	/* element of the array beyond this log's halves */
#define SSDUP_HALF_IN_USE	1U	/* pages of this generation, if any, are live */

/* struct ssdup_super::flags */
#define SSDUP_SUPER_CLEAN	0x1U	/* the last suspend committed everything; pages is right */

/*
 * Freeing a half raises its @generation to a number that no half ever had. Pages of
 * other generations are ignored.
 */
struct ssdup_super_half {
	__le64	generation;
	__le32	state;
	__le32	pages;			/* live metadata pages; valid only while clean */
} __packed;

struct ssdup_super {
	__le64	magic;
	__le32	crc;
	__le32	version;
	__le64	compat;
	__le64	ro_compat;
	__le64	incompat;
	__u8	uuid[16];
	__le64	seq;			/* of superblock writes */
	__le64	epoch;			/* of activations */
	__le64	hdd_sectors;
	__le64	ssd_sectors;
	__le64	half_start;		/* first half */
	__le64	half_stride;		/* from half to half */
	__le32	meta_pages;		/* of a half */
	__le32	data_sectors;		/* of a half */
	__le32	block_sectors;		/* data is aligned to this */
	__le32	flags;
	__le16	nr_halves;
	__le16	nr_ssds;
	__le16	ssd_index;		/* of this SSD, below nr_ssds */
	__le16	reserved0;
	__le64	lift_start;		/* lift area; none while zero */
	__le64	lift_sectors;
	__u8	peer_uuid[SSDUP_MAX_SSDS - 1][16];	/* other SSDs; none while zero */
	__u8	reserved1[64];
	struct ssdup_super_half half[SSDUP_MAX_HALVES];
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
 * One extent of the HDD's address space. Of two entries that overlap, the one with
 * the higher @seq is newer. With equal @seq, the overlap was moved from the older half,
 * which could not be drained, to the younger one: both say the same, and the younger
 * half's entry counts.
 */
struct ssdup_entry {
	__le64	sector;
	__le64	seq;
	__le32	sectors;
	__le32	pos;			/* in the half's data area; 0 unless DATA */
	__le32	data_crc;
	__u8	kind;
	__u8	flags;
	__le16	reserved;
} __packed;

struct ssdup_page_header {
	__le32	magic;
	__le32	crc;
	__u8	uuid[16];
	__le64	generation;
	__le64	epoch;
	__le64	rev;
	__le32	page;			/* number within the half */
	__le16	half;
	__le16	nr_entries;
	__u8	reserved[8];
} __packed;

#define SSDUP_PAGE_ENTRIES \
	((SSDUP_PAGE_BYTES - sizeof(struct ssdup_page_header)) / sizeof(struct ssdup_entry))

struct ssdup_page {
	struct ssdup_page_header h;
	struct ssdup_entry e[SSDUP_PAGE_ENTRIES];
} __packed;

static_assert(sizeof(struct ssdup_super_half) == 16, "superblock half record");
static_assert(sizeof(struct ssdup_super) == 512, "a superblock is one sector");
static_assert(sizeof(struct ssdup_entry) == 32, "log entry");
static_assert(sizeof(struct ssdup_page_header) == 64, "page header");
static_assert(sizeof(struct ssdup_page) == SSDUP_PAGE_BYTES, "metadata page");

#endif
