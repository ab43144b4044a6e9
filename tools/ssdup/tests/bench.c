// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench.h"

struct ssdup_ctx bench_ctx = { .command = "test", .quiet = true };
FILE *bench_null;

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	abort();
}

static int memory(u64 sectors)
{
	int fd = memfd_create("bench", MFD_CLOEXEC);

	must(fd >= 0 && !ftruncate(fd, sectors * SECTOR_BYTES), "memfd");
	return fd;
}

void bench_open(struct bench *b, u64 ssd_sectors, u64 hdd_sectors)
{
	u64 sector[SECTOR_BYTES / 8], at;
	u32 i;

	b->ssd = memory(ssd_sectors);
	b->hdd = memory(hdd_sectors);
	b->ssd_sectors = ssd_sectors;
	b->hdd_sectors = hdd_sectors;
	for (at = SSDUP_HEAD_SECTORS; at < ssd_sectors; at++) {
		for (i = 0; i < SECTOR_BYTES / 8; i++)
			sector[i] = at;
		bench_write(b, sector, at, 1);
	}
}

void bench_close(struct bench *b)
{
	close(b->ssd);
	close(b->hdd);
}

void bench_write(struct bench *b, const void *buf, u64 sector, u64 sectors)
{
	must(pwrite(b->ssd, buf, sectors * SECTOR_BYTES, sector * SECTOR_BYTES) ==
	     (ssize_t)(sectors * SECTOR_BYTES), "write");
}

void bench_read(struct bench *b, void *buf, u64 sector, u64 sectors)
{
	must(pread(b->ssd, buf, sectors * SECTOR_BYTES, sector * SECTOR_BYTES) ==
	     (ssize_t)(sectors * SECTOR_BYTES), "read");
}

void bench_log(struct bench *b, struct log_file *l, int asked)
{
	memset(l, 0, sizeof(*l));
	must(!disk_take(&l->ssd, "ssd", dup(b->ssd)), "disk");
	log_attach(&bench_ctx, l, asked);
}

void bench_hdd(struct bench *b, struct disk *d)
{
	must(!disk_take(d, "hdd", dup(b->hdd)), "disk");
}

void bench_silence(void)
{
	if (bench_null)
		return;
	bench_null = fopen("/dev/null", "w");
	must(bench_null, "/dev/null");
	stderr = bench_null;
}
