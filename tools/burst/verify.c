// SPDX-License-Identifier: GPL-2.0-only
/* burst: reading back. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "verify.h"

#define READ_SECTORS	2048

/* A byte for each sector of the area that some process wrote. */
static char *written_sectors(const struct job *job, u64 first, u64 sectors)
{
	u32 proc, i, n = requests_each(job);
	char *map = alloc(sectors);

	for (proc = 0; proc < job->procs; proc++) {
		u64 *order = make_order(job, proc);

		for (i = 0; i < n; i++)
			memset(map + order[i] / SECTOR - first, 1, job->request / SECTOR);
		free(order);
	}
	return map;
}

u64 count_wrong(const struct job *job, const char *buf, u64 lba, u32 sectors)
{
	u64 wrong = 0;
	u32 i;

	for (i = 0; i < sectors; i++) {
		const struct head *h = (const struct head *)(buf + i * SECTOR);

		if (h->lba != lba + i || h->stamp != job->stamp)
			wrong++;
	}
	return wrong;
}

u64 run_verify(const struct job *job, const char *path)
{
	u64 first = job->offset / SECTOR, end = area_end(job) / SECTOR, at = first;
	u64 wrong = 0, good = 0;
	char *map = written_sectors(job, first, end - first);
	char *buf = alloc(READ_SECTORS * SECTOR);
	int fd = open(path, O_RDONLY | O_DIRECT);

	if (fd < 0)
		die(strerror(errno), path);
	while (at < end) {
		u32 n = 0;

		while (n < READ_SECTORS && at + n < end && map[at + n - first])
			n++;
		if (!n) {
			at++;
			continue;
		}
		if (pread(fd, buf, n * SECTOR, at * SECTOR) != (ssize_t)n * SECTOR)
			die(strerror(errno ?: EIO), path);
		wrong += count_wrong(job, buf, at, n);
		good += n;
		at += n;
	}
	free(map);
	free(buf);
	close(fd);
	printf("{\"verified\":%llu,\"wrong_sectors\":%llu}\n", good * SECTOR, wrong);
	return wrong;
}
