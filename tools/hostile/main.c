// SPDX-License-Identifier: GPL-2.0-only
/*
 * hostile: what nobody in his right mind does to a device of dm-ssdup.
 *
 *	hostile images HDD SSD NR SEED	activate NR spoiled images of the SSD
 *	hostile classes HDD SSD NR SEED	the same, of a log with classes
 *	hostile words HDD SSD NR SEED	tables, messages and sysfs files, NR of each
 *	hostile starve HDD SSD MODEL	tables while allocations fail, see starve.c; MODEL is
 *					iocheck's, of what is written in between
 *	hostile forge SSD WHAT AT BYTES VALUE	a field, with a right checksum; WHAT is super or
 *					record (both copies), super0, super1, record0, record1,
 *					or header and the number of a segment
 *
 * The disks are modelled ones, for images the SSD is of 33 MiB. A case is a number,
 * printed when it fails: NR 1 and that number as SEED repeat it alone.
 */
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "dm.h"
#include "hostile.h"
#include "image.h"

#define POISON		0xa5
#define CASE_SECONDS	60
#define TABLE		"policy all drain manual autocommit_ms 3600000"

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

static void *buffer(size_t bytes)
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
		memset(b, at ? POISON : 0, 1 << 20);
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

/* --- Command line --- */

static int open_disk(const char *path, uint64_t *sectors)
{
	int fd = open(path, O_RDWR | O_DIRECT | O_CLOEXEC);
	uint64_t bytes;

	if (fd < 0 || ioctl(fd, BLKGETSIZE64, &bytes)) {
		perror(path);
		exit(2);
	}
	*sectors = bytes / SECTOR;
	return fd;
}

/* Where the header of a segment is, by the first copy of the superblock. */
static uint64_t header_sector(int fd, unsigned int segment)
{
	struct ssdup_super *s = buffer(SSDUP_BLOCK_BYTES);
	uint64_t sector;

	if (pread(fd, s, SSDUP_BLOCK_BYTES, 0) != SSDUP_BLOCK_BYTES)
		fail("no superblock");
	sector = le64toh(s->segment_start) + (uint64_t)segment * le32toh(s->segment_sectors);
	free(s);
	return sector;
}

/* Set a field of the structure in a block of which 512 bytes are used. */
static void forge_block(int fd, uint64_t sector, unsigned int at, uint64_t value,
			unsigned int bytes, void (*repair)(struct image *im, unsigned int which))
{
	struct image *im = buffer(sizeof(*im));
	char *block = buffer(SSDUP_BLOCK_BYTES);
	off_t place = sector * SECTOR;
	unsigned char *b = repair == image_repair_super ? im->super[0].b :
			   repair == image_repair_record ? im->record[0].b : im->header[0].b;

	if (at + bytes > SECTOR || bytes > sizeof(value))
		fail("no such field");
	if (pread(fd, block, SSDUP_BLOCK_BYTES, place) != SSDUP_BLOCK_BYTES)
		fail("a block cannot be read: %s", strerror(errno));
	memcpy(b, block, SECTOR);
	memcpy(b + at, &value, bytes);
	repair(im, 0);
	memcpy(block, b, SECTOR);
	if (pwrite(fd, block, SSDUP_BLOCK_BYTES, place) != SSDUP_BLOCK_BYTES)
		fail("a block cannot be written: %s", strerror(errno));
	free(block);
	free(im);
}

static int forge(char **argv)
{
	unsigned int at = strtoul(argv[2], NULL, 0), bytes = strtoul(argv[3], NULL, 0), copy, nr;
	uint64_t value = strtoull(argv[4], NULL, 0), sectors;
	int fd = open_disk(argv[0], &sectors);
	const char *what = argv[1];
	bool super = !strncmp(what, "super", 5);

	if (sscanf(what, "header%u", &nr) == 1) {
		forge_block(fd, header_sector(fd, nr), at, value, bytes, image_repair_header);
		return 0;
	}
	if (!super && strncmp(what, "record", 6))
		fail("nothing is called %s", what);
	what += super ? 5 : 6;
	for (copy = 0; copy < SSDUP_COPIES; copy++)
		if (!*what || *what == (char)('0' + copy))
			forge_block(fd, super ? SSDUP_SUPER_SECTOR(copy) :
				    SSDUP_RECORD_SECTOR(0, copy), at, value, bytes,
				    super ? image_repair_super : image_repair_record);
	return 0;
}

int main(int argc, char **argv)
{
	char path[128];
	uint64_t nr = 0, seed = 0;
	bool image;
	int r;

	if (argc == 7 && !strcmp(argv[1], "forge"))
		return forge(argv + 2);
	if (argc != 6 && !(argc == 5 && !strcmp(argv[1], "starve"))) {
		fprintf(stderr, "usage: hostile images|classes|words HDD SSD NR SEED\n"
			"       hostile starve HDD SSD MODEL\n"
			"       hostile forge SSD WHAT AT BYTES VALUE\n");
		return 2;
	}
	disks.hdd = argv[2];
	disks.ssd = argv[3];
	if (argc == 6) {
		nr = strtoull(argv[4], NULL, 0);
		seed = strtoull(argv[5], NULL, 0);
	}
	disks.hdd_fd = open_disk(disks.hdd, &disks.hdd_sectors);
	disks.ssd_fd = open_disk(disks.ssd, &disks.ssd_sectors);
	snprintf(path, sizeof(path), "/sys/block/%s/model/bytes_written",
		 strrchr(disks.ssd, '/') + 1);
	disks.written_fd = open(path, O_RDONLY | O_CLOEXEC);
	disks.classes = strcmp(argv[1], "images");
	image = !disks.classes || !strcmp(argv[1], "classes");
	snprintf(disks.table, sizeof(disks.table), "%s %s %u " TABLE "%s%s", disks.hdd, disks.ssd,
		 6 + 2 * image + 2 * disks.classes, image ? " segment_mb 1" : "",
		 disks.classes ? " classes a:late+b" : "");
	kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (disks.written_fd < 0 || kmsg < 0) {
		perror("hostile");
		return 2;
	}
	signal(SIGALRM, out_of_time);
	dm_open("hostile");
	if (argc == 5)
		r = starve(argv[4]);
	else
		r = !strcmp(argv[1], "words") ? words(nr, seed) : images(nr, seed);
	dm_close();
	return r;
}
