/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Disks in memory for the tests of what reads a log without the module: an SSD whose
 * data sectors say where they stand, and an HDD of zeros.
 */
#ifndef SSDUP_BENCH_H
#define SSDUP_BENCH_H

#include "offline/offline.h"

struct bench {
	int		ssd;
	int		hdd;
	const char	*name;		/* of the log that is looked at; NULL: the only one */
	u64		ssd_sectors;
	u64		hdd_sectors;
};

/** bench_open() - make both, of these sizes in sectors; no log is on the SSD */
void bench_open(struct bench *b, u64 ssd_sectors, u64 hdd_sectors);

void bench_close(struct bench *b);

/** bench_write(), bench_read() - sectors of the SSD */
void bench_write(struct bench *b, const void *buf, u64 sector, u64 sectors);
void bench_read(struct bench *b, void *buf, u64 sector, u64 sectors);

/** bench_cut() - make the SSD shorter */
void bench_cut(struct bench *b, u64 bytes);

/** bench_log() - look at the SSD as log_open() does; log_close() it */
void bench_log(struct bench *b, struct log_file *l, int asked);

/** bench_hdd() - the HDD as a disk; disk_close() it */
void bench_hdd(struct bench *b, struct disk *d);

/** bench_exported() - does the HDD have each sector of the map from where it stands? */
bool bench_exported(struct bench *b, struct log_file *l);

/** bench_silence() - complaints and notes go nowhere from now on */
void bench_silence(void);

extern struct ssdup_ctx bench_ctx;
extern FILE *bench_null;

#endif
