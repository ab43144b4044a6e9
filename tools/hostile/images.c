// SPDX-License-Identifier: GPL-2.0-only
/*
 * Images of an SSD, spoiled, and activated one after the other. Each is refused by
 * name, and then nothing was written; or it is accepted, and then every sector is
 * some version of itself, a flush works, and it is accepted again. Where something
 * has been given a right checksum, sectors may be those of others, but never
 * anything else than what stands in a data area or on the HDD.
 */
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
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

#define META_BYTES	(IMAGE_PAGES * SSDUP_PAGE_SLOTS * SSDUP_PAGE_BYTES)
#define THOROUGH	16U	/* one image of so many is written to, drained and loaded again */
#define MAX_TEXTS	32

/* As it is left by a power cut, and by a suspend. */
static struct image *base[2], *im;
static char *hdd_was, *ssd_was, *content, *expected;
static struct {
	char		text[64];
	unsigned int	nr;
} texts[MAX_TEXTS];

static void *memory(size_t bytes)
{
	void *b;

	if (posix_memalign(&b, 4096, bytes))
		fail("memory");
	memset(b, 0, bytes);
	return b;
}

static void must(bool ok, const char *what)
{
	if (!ok)
		fail("%s: %s", what, strerror(errno));
}

static void transfer(int fd, void *b, size_t bytes, uint64_t sector, bool write)
{
	ssize_t n = write ? pwrite(fd, b, bytes, sector * SECTOR) :
			    pread(fd, b, bytes, sector * SECTOR);

	must(n == (ssize_t)bytes, write ? "a disk cannot be written" : "a disk cannot be read");
}

/* --- Images and the SSD --- */

/* A block of which 512 bytes are used. */
static void block_transfer(void *b, uint64_t sector, bool write)
{
	static unsigned char *block;

	block = block ?: memory(SSDUP_BLOCK_BYTES);
	memset(block, 0, SSDUP_BLOCK_BYTES);
	if (write)
		memcpy(block, b, SECTOR);
	transfer(disks.ssd_fd, block, SSDUP_BLOCK_BYTES, sector, write);
	memcpy(b, block, SECTOR);
}

static void segment_transfer(struct image *i, unsigned int segment, bool write)
{
	uint64_t sector = SSDUP_HOME_SECTORS + segment * IMAGE_SEGMENT_SECTORS;
	static unsigned char *meta;

	meta = meta ?: memory(META_BYTES);
	block_transfer(i->header[segment].b, sector, write);
	memcpy(meta, i->slot[segment], META_BYTES);
	transfer(disks.ssd_fd, meta, META_BYTES, sector + SSDUP_BLOCK_SECTORS, write);
	memcpy(i->slot[segment], meta, META_BYTES);
}

static void image_transfer(struct image *i, bool write)
{
	unsigned int copy, segment;

	for (copy = 0; copy < SSDUP_COPIES; copy++) {
		block_transfer(i->super[copy].b, IMAGE_HOME(copy), write);
		block_transfer(i->record[copy].b, IMAGE_HOME(copy) + SSDUP_RECORD_PLACE(0), write);
	}
	for (segment = 0; segment < IMAGE_SEGMENTS; segment++)
		segment_transfer(i, segment, write);
}

static void say(const char *message)
{
	int r = dm_message(message, strlen(message));

	if (r)
		fail("message %s: %s", message, strerror(-r));
}

/* Segments that have a header, and pages that were written. */
static void count_used(const struct image *i, unsigned int *headers, unsigned int *pages)
{
	const struct ssdup_page *p = (const struct ssdup_page *)i->slot;
	unsigned int k;

	*headers = 0;
	*pages = 0;
	for (k = 0; k < IMAGE_SEGMENTS; k++)
		*headers += i->header[k].h.magic == htole32(SSDUP_HEADER_MAGIC);
	for (k = 0; k < IMAGE_SEGMENTS * IMAGE_PAGES * SSDUP_PAGE_SLOTS; k++)
		*pages += p[k].h.magic == htole32(SSDUP_PAGE_MAGIC);
}

/*
 * A log with several segments in use, in turn of each class, and entries of every kind that a
 * user can make.
 */
static void make_base(void)
{
	static const char * const class[] = { "class a", "class default", "class b" };
	unsigned int i, headers, pages;
	uint64_t range[2];
	int fd;

	fill_disks();
	if (dm_load("ssdup", disks.hdd_sectors, disks.table) || dm_resume())
		fail("no device");
	fd = device_open();
	for (i = 0; i < 10; i++) {
		if (disks.classes)
			say(class[i % 3]);
		write_some(fd, i, 95, 12);
		range[0] = (i * 190 + 17) * SECTOR;
		range[1] = 31 * SECTOR;
		must(!ioctl(fd, i & 1 ? BLKDISCARD : BLKZEROOUT, range), "discard or zeroout");
		if (i & 1)
			say("commit");
	}
	close(fd);
	for (i = 0; i < 2; i++)
		base[i] = memory(sizeof(*base[i]));
	im = memory(sizeof(*im));
	image_transfer(base[0], false);
	image_set_dirty(base[0]);
	must(!dm_suspend(), "suspend");
	image_transfer(base[1], false);
	count_used(base[0], &headers, &pages);
	if (headers < 4 || pages < 2 * headers - 1)
		fail("%u segments with %u pages: the log is not as full as it should be", headers,
		     pages);
	must(!dm_resume(), "resume");
	expected = memory(disks.hdd_sectors * SECTOR);
	fd = device_open();
	transfer(fd, expected, disks.hdd_sectors * SECTOR, 0, false);
	close(fd);
	dm_idle(disks.hdd_sectors);

	hdd_was = memory(disks.hdd_sectors * SECTOR);
	ssd_was = memory(disks.ssd_sectors * SECTOR);
	content = memory(disks.hdd_sectors * SECTOR);
	transfer(disks.hdd_fd, hdd_was, disks.hdd_sectors * SECTOR, 0, false);
	transfer(disks.ssd_fd, ssd_was, disks.ssd_sectors * SECTOR, 0, false);
}

static void restore_disks(void)
{
	transfer(disks.hdd_fd, hdd_was, disks.hdd_sectors * SECTOR, 0, true);
	transfer(disks.ssd_fd, ssd_was, disks.ssd_sectors * SECTOR, 0, true);
}

/* --- Verdicts --- */

static void count(const char *text)
{
	unsigned int i;
	size_t len = strcspn(text, "(");

	if (len >= sizeof(texts[0].text))
		len = sizeof(texts[0].text) - 1;
	for (i = 0; i < MAX_TEXTS - 1 && texts[i].nr; i++)
		if (!strncmp(texts[i].text, text, len) && !texts[i].text[len])
			break;
	memcpy(texts[i].text, text, len);
	texts[i].nr++;
}

/* A superblock that was forged may say that the data areas are elsewhere. */
static bool moved_areas(void)
{
	const size_t from = offsetof(struct ssdup_super, segment_start);
	const size_t to = offsetof(struct ssdup_super, nr_ssds);
	unsigned int copy;

	for (copy = 0; copy < SSDUP_COPIES; copy++)
		if (memcmp(im->super[copy].b + from, base[0]->super[copy].b + from, to - from))
			return true;
	return false;
}

static void check_sector(const char *b, uint64_t lba, bool forged)
{
	const unsigned long long *w = (const unsigned long long *)b;

	/* What is the newest, mostly; that needs no computing. */
	if (!memcmp(b, expected + lba * SECTOR, SECTOR) || stamped(b, lba))
		return;
	if (!forged)
		fail("sector %llu is no version of itself", (unsigned long long)lba);
	if (!stamped_any(b) && !poisoned(b) && !moved_areas())
		fail("sector %llu is from outside the data areas: %llx %llx %llx",
		     (unsigned long long)lba, w[0], w[1], w[2]);
}

/* Only a forged entry says that something is lost. */
static void check_content(int fd, bool forged)
{
	const uint64_t step = 512;
	uint64_t at, i, len;
	ssize_t n;

	for (at = 0; at < disks.hdd_sectors; at += step) {
		len = step;
		n = pread(fd, content, step * SECTOR, at * SECTOR);
		for (i = 0; i < step && n < 0; i++) {
			must(forged && errno == EIO, "a read failed");
			/* Sector by sector, those that can be read. */
			if (pread(fd, content + i * SECTOR, SECTOR, (at + i) * SECTOR) != SECTOR)
				memset(content + i * SECTOR, 0, SECTOR);
			errno = EIO;
		}
		for (i = 0; i < len; i++)
			check_sector(content + i * SECTOR, at + i, forged);
	}
}

/* Return: whether it was accepted, as it has to be when @what says what it is. */
static bool activate(const char *what)
{
	uint64_t before = ssd_written();
	char refusal[256];
	int r;

	r = dm_load("ssdup", disks.hdd_sectors, disks.table);
	if (!r)
		r = dm_resume();
	log_read(refusal, sizeof(refusal));
	if (!r)
		return true;
	if (what)
		fail("%s is refused: %s", what, refusal);
	if (!*refusal)
		fail("refused without a reason (%s)", strerror(-r));
	if (ssd_written() != before)
		fail("refused (%s), and %llu bytes were written", refusal,
		     (unsigned long long)(ssd_written() - before));
	count(refusal);
	return false;
}

/* Written to, drained as far as it goes, and what was left there is accepted again. */
static void use(uint64_t seed, bool forged)
{
	char refusal[256];
	int r, fd = device_open();

	write_some(fd, seed, 20, 32);
	r = fsync(fd) ? -errno : dm_message("drain", 5);
	if (r && !(forged && r == -EIO))
		fail("drain: %s", strerror(-r));
	check_content(fd, forged);
	write_some(fd, seed + 1, 20, 32);
	close(fd);
	log_read(refusal, sizeof(refusal));
	dm_idle(disks.hdd_sectors);
	activate("what this code left");
	fd = device_open();
	check_content(fd, forged);
	close(fd);
}

static bool one(uint64_t nr)
{
	bool forged, accepted, thorough = nr % THOROUGH == 0;
	char refusal[256];
	int fd;

	begin_case(nr);
	*im = *base[nr & 1];
	forged = image_mutate(im, nr);
	image_transfer(im, true);
	accepted = activate(NULL);
	if (accepted) {
		fd = device_open();
		check_content(fd, forged);
		close(fd);
		if (thorough)
			use(nr, forged);
	}
	dm_idle(disks.hdd_sectors);
	log_read(refusal, sizeof(refusal));
	if (accepted && thorough)
		restore_disks();
	return accepted;
}

int images(uint64_t nr, uint64_t seed)
{
	uint64_t i, accepted = 0;

	if (disks.ssd_sectors != IMAGE_SSD_SECTORS)
		fail("the SSD must be of %u MiB", IMAGE_SSD_SECTORS / 2048);
	make_base();
	log_skip();
	for (i = seed; i < seed + nr; i++)
		accepted += one(i);
	printf("%llu accepted, %llu refused\n", (unsigned long long)accepted,
	       (unsigned long long)(nr - accepted));
	for (i = 0; i < MAX_TEXTS && texts[i].nr; i++)
		printf("%6u %s\n", texts[i].nr, texts[i].text);
	return 0;
}
