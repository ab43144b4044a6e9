/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: a log of format 1, whose space was divided into halves. It is only read, so that
 * "ssdup upgrade" can bring it to the HDD.
 */
#ifndef SSDUP_FORMAT1_H
#define SSDUP_FORMAT1_H

#include "logfile.h"

#define F1_VERSION		1
#define F1_MIN_HALVES		2U
#define F1_MAX_HALVES		16U
#define F1_COMPAT_PAGES		0x1ULL	/* a clean suspend counts the pages of each half */
#define F1_CLEAN		0x1U	/* the last suspend committed everything; pages is right */

/*
 * On the SSD. Both copies of the superblock are where they still are, and the first half begins
 * where the first segment does now. A half consists of metadata pages with two slots each, and
 * data. Entries are as they still are, but for their seq, which counts the whole log's writes.
 */
struct f1_super {
	__le64	magic;
	__le32	crc;
	__le32	version;
	__le64	compat;
	__le64	ro_compat;
	__le64	incompat;
	__u8	uuid[16];
	__le64	seq;
	__le64	epoch;
	__le64	hdd_sectors;
	__le64	ssd_sectors;
	__le64	half_start;
	__le64	half_stride;		/* from half to half */
	__le32	meta_pages;		/* of a half */
	__le32	data_sectors;		/* of a half */
	__le32	block_sectors;
	__le32	flags;
	__le16	nr_halves;
	__le16	nr_ssds;
	__le16	ssd_index;
	__u8	reserved[130];
	struct {
		__le64	generation;
		__le32	state;		/* 1: a half of this log */
		__le32	pages;		/* live ones, while clean */
	} __packed half[F1_MAX_HALVES];
} __packed;

struct f1_page {
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
	struct ssdup_entry e[SSDUP_PAGE_ENTRIES];
} __packed;

/* The superblock that counts. */
struct f1_log {
	u8	uuid[16];
	u64	seq;
	u64	epoch;
	u64	hdd_sectors;
	u64	ssd_sectors;
	u64	half_start;
	u64	half_stride;
	u32	meta_pages;
	u32	data_sectors;
	u32	block_sectors;
	u32	nr_halves;
	u32	flags;
	u64	generation[F1_MAX_HALVES];
	u32	pages[F1_MAX_HALVES];
};

/* What is wrong with it; half and page mean nothing where @fault is of the superblock. */
struct f1_fault {
	enum log_fault	fault;
	u32		half;
	u32		page;
};

/** f1_slot_sector() - SSD sector of a slot of a metadata page */
u64 f1_slot_sector(const struct f1_log *f, u32 half, u32 page, u32 slot);

/** f1_data_sector() - SSD sector of a position in a half's data area */
u64 f1_data_sector(const struct f1_log *f, u32 half, u32 pos);

/** f1_fault_text() - a few words, no full stop */
const char *f1_fault_text(enum log_fault fault);

/**
 * f1_read() - read and check the superblock, as the kernel did
 *
 * Return: LOG_OK, LOG_UNKNOWN_VERSION for another format, LOG_BLANK, or why the kernel refused it.
 */
enum log_fault f1_read(struct disk *ssd, struct f1_log *f);

/**
 * f1_replay() - read all halves, as the kernel did
 * @l: its ssd is open; entries are added to its items
 *
 * Return: 0, -EINVAL with @fault set for a log that the kernel refused, or -errno.
 */
int f1_replay(struct log_file *l, const struct f1_log *f, struct f1_fault *fault);

#endif
