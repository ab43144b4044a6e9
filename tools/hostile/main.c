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
 * The disks are modelled ones, for images the SSD is of 34 MiB. A case is a number,
 * printed when it fails: NR 1 and that number as SEED repeat it alone.
 */
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "case.h"
#include "dm.h"
#include "hostile.h"
#include "image.h"

#define TABLE		"policy all drain manual autocommit_ms 3600000"

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

static uint64_t home_sector(int fd, unsigned int copy)
{
	uint64_t bytes;

	if (ioctl(fd, BLKGETSIZE64, &bytes))
		fail("no size");
	bytes /= SECTOR;
	return copy ? (bytes / SSDUP_HOME_SECTORS - 1) * SSDUP_HOME_SECTORS : 0;
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
			forge_block(fd, home_sector(fd, copy) +
				    (super ? 0 : SSDUP_RECORD_PLACE(0)), at, value, bytes,
				    super ? image_repair_super : image_repair_record);
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t nr = 0, seed = 0;
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
	disks.classes = strcmp(argv[1], "images");
	snprintf(disks.table, sizeof(disks.table), "%s %s %u " TABLE "%s", disks.hdd, disks.ssd,
		 6 + 2 * disks.classes, disks.classes ? " classes a:late+b" : "");
	cases_begin();
	dm_open("hostile");
	if (argc == 5)
		r = starve(argv[4]);
	else
		r = !strcmp(argv[1], "words") ? words(nr, seed) : images(nr, seed);
	dm_close();
	return r;
}
