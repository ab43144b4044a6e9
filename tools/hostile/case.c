// SPDX-License-Identifier: GPL-2.0-only
/*
 * A case: its number and time limit, the stamps on its disks, and what the kernel says meanwhile.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "case.h"
#include "dm.h"
#include "image.h"

#define POISON		0xa5
#define CASE_SECONDS	60

struct disks disks;
static uint64_t now;
static int kmsg = -1;

void fail(const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "hostile: case %llu: ", (unsigned long long)now);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

static void out_of_time(int sig)
{
	static const char text[] = "hostile: a case hangs\n";

	(void)sig;
	if (write(2, text, sizeof(text) - 1) > 0)
		dprintf(2, "hostile: case %llu\n", (unsigned long long)now);
	_exit(3);
}

void begin_case(uint64_t nr)
{
	now = nr;
	alarm(CASE_SECONDS);
}

uint64_t ssd_written(void)
{
	char text[32] = "";

	if (pread(disks.written_fd, text, sizeof(text) - 1, 0) <= 0)
		fail("no count of bytes written");
	return strtoull(text, NULL, 10);
}

int device_open(void)
{
	int fd = open(dm_node(), O_RDWR | O_DIRECT | O_CLOEXEC);

	if (fd < 0)
		fail("%s: %s", dm_node(), strerror(errno));
	return fd;
}

/* --- Stamps --- */

void stamp(void *sector, uint64_t lba, uint64_t version)
{
	unsigned long long state = lba << 32 ^ version;
	uint64_t *w = sector;
	size_t i;

	w[0] = lba;
	w[1] = version;
	for (i = 2; i < SECTOR / sizeof(*w); i++)
		w[i] = image_random(&state);
}

bool stamped_any(const void *sector)
{
	uint64_t want[SECTOR / sizeof(uint64_t)];
	const uint64_t *w = sector;

	if (!w[1])
		return false;
	stamp(want, w[0], w[1]);
	return !memcmp(sector, want, SECTOR);
}

static bool is_all(const void *sector, unsigned char byte)
{
	const unsigned char *b = sector;

	return *b == byte && !memcmp(b, b + 1, SECTOR - 1);
}

bool stamped(const void *sector, uint64_t lba)
{
	return is_all(sector, 0) || (*(const uint64_t *)sector == lba && stamped_any(sector));
}

bool poisoned(const void *sector)
{
	return is_all(sector, POISON);
}

void *buffer(size_t bytes)
{
	void *b;

	if (posix_memalign(&b, 4096, bytes))
		fail("memory");
	return b;
}

void fill_disks(void)
{
	char *b = buffer(1 << 20);
	uint64_t at, i;

	for (at = 0; at < disks.hdd_sectors; at += 2048) {
		memset(b, 0, 1 << 20);
		for (i = 0; i < 2048; i++)
			if (i & 64)
				stamp(b + i * SECTOR, at + i, 1);
		if (pwrite(disks.hdd_fd, b, 1 << 20, at * SECTOR) != 1 << 20)
			fail("cannot fill the HDD");
	}
	for (at = 0; at < disks.ssd_sectors; at += 2048) {
		/* Zeros in both homes: it is blank. */
		memset(b, at && at + 2048 < disks.ssd_sectors ? POISON : 0, 1 << 20);
		if (pwrite(disks.ssd_fd, b, 1 << 20, at * SECTOR) != 1 << 20)
			fail("cannot fill the SSD");
	}
	free(b);
}

void write_some(int fd, unsigned long long seed, unsigned int nr, unsigned int max_sectors)
{
	static uint64_t version = 1;
	char *b = buffer(max_sectors * SECTOR);
	uint64_t at, len, i;

	while (nr--) {
		len = 1 + image_random(&seed) % max_sectors;
		at = image_random(&seed) % (disks.hdd_sectors - len);
		version++;
		for (i = 0; i < len; i++)
			stamp(b + i * SECTOR, at + i, version);
		if (pwrite(fd, b, len * SECTOR, at * SECTOR) != (ssize_t)(len * SECTOR) &&
		    errno != EIO)
			fail("a write failed: %s", strerror(errno));
	}
	free(b);
}

/* --- What the kernel says --- */

void log_skip(void)
{
	lseek(kmsg, 0, SEEK_END);
}

static bool complaint(const char *line)
{
	static const char * const texts[] = {
		"beyond end of device", "BUG:", "WARNING:", "KASAN", "Oops", "UBSAN", "INFO: ",
		"general protection", "possible recursive", "circular locking",
	};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (strstr(line, texts[i]))
			return true;
	return false;
}

void log_read(char *refusal, size_t max)
{
	char line[2048], *text;
	ssize_t n;

	*refusal = '\0';
	while ((n = read(kmsg, line, sizeof(line) - 1)) > 0 || errno == EPIPE) {
		if (n <= 0)
			continue;
		line[n] = '\0';
		line[strcspn(line, "\n")] = '\0';
		if (complaint(line))
			fail("the kernel: %s", line);
		text = strstr(line, "ssd: log ");
		text = text ?: strstr(line, "log refused: ");
		if (text)
			snprintf(refusal, max, "%s", text);
	}
}

void cases_begin(void)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/block/%s/model/bytes_written",
		 strrchr(disks.ssd, '/') + 1);
	disks.written_fd = open(path, O_RDONLY | O_CLOEXEC);
	kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (disks.written_fd < 0 || kmsg < 0) {
		perror("hostile");
		exit(2);
	}
	signal(SIGALRM, out_of_time);
}
