/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: the member block of an HDD, and what the device has behind it, without the module
 * (dm-ssdup/core/guard_block.h).
 */
#ifndef SSDUP_MEMBER_H
#define SSDUP_MEMBER_H

#include "dm-ssdup/core/guard_block.h"

#include "dev.h"

#define MEMBER_BYTES	(SSDUP_GUARD_SECTORS * SECTOR_BYTES)

/* An HDD, or an image of one. */
struct member {
	enum log_fault		fault;	/* LOG_OK; LOG_NOT_OURS: it has no member block */
	struct guard_member	m;	/* if LOG_OK */
	unsigned char		*range;	/* MEMBER_BYTES, as the HDD shows it; member_free() */
	unsigned int		bad;	/* blocks that are neither masked nor plain */
};

/** member_read() - read the range; 0 or -errno. An HDD that is smaller has no member block. */
int member_read(int fd, struct member *member);

/** member_of() - the same of a device; LOG_NOT_OURS also when it cannot be read */
void member_of(const struct dev *dev, struct member *member);

void member_free(struct member *member);

/**
 * member_plain() - make the range what the device has
 * @head: its first sector, if the log's record has it; NULL: as far as the member block has it
 *
 * member->bad blocks stay as they are.
 */
void member_plain(struct member *member, const unsigned char *head);

/**
 * member_cover() - write the range, which is plain, behind a closed member block
 *
 * If it was changing, the range must be as it was read: what is new comes with another call. A
 * power cut leaves old or new, a block at a time. Return: 0 or -errno.
 */
int member_cover(int fd, struct member *member);

/**
 * member_release() - write the range, which is plain, in the kernel's order
 *
 * The HDD has all of it already, masked. A power cut leaves one of which this may be done again.
 * Return: 0 or -errno.
 */
int member_release(int fd, struct member *member);

/**
 * member_spec() - a name of the HDD of a line of ssduptab by which it is found; free() it
 *
 * Its file system is masked while its log is not empty, and with that its UUID and label. Then udev
 * has a link by the log, which the line names as the SSD.
 */
char *member_spec(const char *hdd, const char *ssd);

/** member_refuse() - refuse an HDD that is a member of another log than @uuid (NULL: of any) */
int member_refuse(const struct ssdup_ctx *ctx, const struct dev *hdd, const unsigned char *uuid);

#endif
