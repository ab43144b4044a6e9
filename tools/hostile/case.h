/* SPDX-License-Identifier: GPL-2.0-only */
/* hostile: what a case is made of. */
#ifndef HOSTILE_CASE_H
#define HOSTILE_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SECTOR		512U

/* The disks of a run, and what is known of them. */
struct disks {
	const char	*hdd;
	const char	*ssd;
	int		hdd_fd;
	int		ssd_fd;
	int		written_fd;	/* the model's count of bytes written to the SSD */
	uint64_t	hdd_sectors;
	uint64_t	ssd_sectors;
	char		table[256];	/* parameters of a plain table */
	bool		classes;	/* it names classes a and b */
};

extern struct disks disks;

/** fail() - say what is wrong, with the number of the case, and end the process */
void fail(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/** cases_begin() - open what cases look at; disks.hdd and disks.ssd are set */
void cases_begin(void);

/** buffer() - memory for direct I/O */
void *buffer(size_t bytes);

/** begin_case() - a number for messages, and its time limit */
void begin_case(uint64_t nr);

/** ssd_written() - bytes that the SSD was sent so far */
uint64_t ssd_written(void);

/** device_open() - the dm device, for direct I/O */
int device_open(void);

/* --- Stamps: whose sector, which version --- */

void stamp(void *sector, uint64_t lba, uint64_t version);

/** stamped() - is it a stamp of @lba, or zeros? */
bool stamped(const void *sector, uint64_t lba);

/** stamped_any() - is it a stamp of whatever sector? */
bool stamped_any(const void *sector);

/** fill_disks() - stamp half of the HDD; poison all of the SSD, but for its first MiB of zeros */
void fill_disks(void);

/** poisoned() - is it what fill_disks() left on the SSD? */
bool poisoned(const void *sector);

/** write_some() - @nr writes of random places and lengths, each with a version of its own */
void write_some(int fd, unsigned long long seed, unsigned int nr, unsigned int max_sectors);

/* --- What the kernel says --- */

/** log_skip() - what was said up to now does not count */
void log_skip(void);

/**
 * log_read() - what it has said since
 * @refusal: the text of the last refusal is copied here, or an empty string
 *
 * Ends the process when the kernel complained, or when a request went beyond the end
 * of a device.
 */
void log_read(char *refusal, size_t max);

#endif
