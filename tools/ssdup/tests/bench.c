// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench.h"

#define CHUNK	1024U

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
	static u64 stamps[CHUNK][SECTOR_BYTES / 8];
	u64 at;
	u32 i, j;

	b->ssd = memory(ssd_sectors);
	b->hdd = memory(hdd_sectors);
	b->ssd_sectors = ssd_sectors;
	b->hdd_sectors = hdd_sectors;
	for (at = SSDUP_HOME_SECTORS; at < ssd_sectors; at += CHUNK) {
		for (i = 0; i < CHUNK; i++)
			for (j = 0; j < SECTOR_BYTES / 8; j++)
				stamps[i][j] = at + i;
		bench_write(b, stamps, at, min_t(u64, CHUNK, ssd_sectors - at));
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

void bench_cut(struct bench *b, u64 bytes)
{
	must(!ftruncate(b->ssd, bytes), "truncate");
}

void bench_log(struct bench *b, struct log_file *l, int asked)
{
	memset(l, 0, sizeof(*l));
	must(!disk_take(&l->ssd, "ssd", dup(b->ssd)), "disk");
	log_attach(&bench_ctx, l, b->name, asked);
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

bool bench_exported(struct bench *b, struct log_file *l)
{
	const struct extent *e;
	u64 at, want;
	u32 i;

	for (e = ssdup_extent_first(&l->map, 0, U64_MAX); e; e = ssdup_extent_next(e))
		for (i = 0; i < e->sectors && e->kind != SSDUP_KIND_LOST; i++) {
			want = e->kind == SSDUP_KIND_DATA ?
			       e->pos + i : 0;
			must(pread(b->hdd, &at, sizeof(at), (e->start + i) * SECTOR_BYTES) ==
			     sizeof(at), "read");
			if (at != want)
				return false;
		}
	return true;
}
