/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: the superblock of an SSD, read and written without the kernel module, by the
 * kernel's own code (dm-ssdup/core/log.c).
 */
#ifndef SSDUP_SUPER_H
#define SSDUP_SUPER_H

#include "dm-ssdup/core/log.h"

#include "tool.h"

#define UUID_TEXT	37

struct ssd_log {
	int		error[SSDUP_SUPER_COPIES];	/* of reading that copy: 0 or -errno */
	enum log_fault	copy_fault[SSDUP_SUPER_COPIES];
	struct log_super copy[SSDUP_SUPER_COPIES];
	enum log_fault	fault;		/* LOG_OK, LOG_BLANK, or why it is refused */
	bool		mend;		/* one copy is bad or old */
	u32		best;		/* the copy that counts, when @fault is LOG_OK */
};

/** ssd_super() - the superblock that counts; only when log->fault is LOG_OK */
static inline const struct log_super *ssd_super(const struct ssd_log *log)
{
	return &log->copy[log->best];
}

/**
 * ssd_log_read() - read both copies, and choose as the kernel does
 * @fd: of the SSD or an image of it, with O_DIRECT or without
 *
 * Return: 0 with @log filled in, -errno when no copy can be read.
 */
int ssd_log_read(int fd, struct ssd_log *log);

/**
 * ssd_log_write() - write both copies in the kernel's order, each made durable
 *
 * Return: 0 or -errno; copy 0 is written last, and decides what the SSD is.
 */
int ssd_log_write(int fd, const struct log_super *s);

/**
 * ssd_log_wipe() - zero everything in front of the first half: no log any more
 *
 * Return: 0 or -errno.
 */
int ssd_log_wipe(int fd);

/**
 * ssd_log_used() - may it hold anything?
 *
 * Looks at the pages that a clean suspend has counted, and at the first page of each half;
 * where neither says so and the suspend was none, at some 250 further pages of each half, as
 * the kernel does behind a gap. A damaged page of the log may have held something.
 *
 * Return: 1, 0 for certainly nothing, or -errno.
 */
int ssd_log_used(int fd, const struct log_super *s);

/** super_end_text() - how its last use has ended: "suspended cleanly", ... */
const char *super_end_text(const struct log_super *s);

/** transfer() - @len bytes at @offset; 0, -errno, or -EIO at the end of the device */
int transfer(int fd, void *buf, size_t len, uint64_t offset, bool write);

/** read_all() - the same, reading */
int read_all(int fd, void *buf, size_t len, uint64_t offset);

/** write_all() - the same, writing */
int write_all(int fd, const void *buf, size_t len, uint64_t offset);

/** uuid_text() - as 8-4-4-4-12 hex digits; returns @text */
const char *uuid_text(char text[UUID_TEXT], const u8 uuid[16]);

/** uuid_read() - false for what is none, and for the nil UUID, which no log has */
bool uuid_read(const char *text, u8 uuid[16]);

#endif
