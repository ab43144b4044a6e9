// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables, messages and writes to sysfs files that nobody would think of: random
 * bytes, long strings, numbers at every limit, keys given twice, wrong counts. A
 * refused table writes nothing; whatever happens, every setting stays within what the
 * manual says of it, the table that the kernel tells can be loaded, and the device
 * reads right.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "case.h"
#include "dm.h"
#include "hostile.h"
#include "image.h"

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))
#define MAX_TEXT	(24U << 10)
#define MAX_FILES	128

static unsigned long long state;
static char text[MAX_TEXT], folder_file[MAX_FILES][64];
static unsigned int nr_files;

/* Words that mean something somewhere, and numbers where arithmetic goes wrong. */
static const char * const known[] = {
	/* Keys, */
	"policy", "drain", "autocommit_ms", "ssd_budget", "promote", "classes",
	"host", "override", "log", "max_mb",
	/* their words, */
	"adaptive", "watermark", "all", "none", "both", "hdd", "auto", "eager", "manual",
	"default", "a", "a:late+b:hint=short", "a+b:hint=none:late",
	"00f1e2d3-c4b5-a697-8879-6a5b4c3d2e1f", "00000000-0000-0000-0000-000000000000",
	/* messages, */
	"drain", "commit", "start", "pause", "set", "clear_stats", "lost_ranges", "class",
	"log_add", "log_forget", "ssd_add", "ssd_state", "ssd_left",
	/* and others. */
	"ssdup", "policy\tall", "POLICY", "polic",
};

#define KEYS		10U
#define KEY_WORDS	15U
#define MESSAGES	10U

static const char * const numbers[] = {
	"0", "1", "2", "3", "-1", "-0", "+1", "00", "01", "0x10", "0b1", "1e3", "1.5", "16", "17",
	"30", "45", "100", "101", "255", "256", "257", "512", "1023", "1024", "1025", "60000",
	"60001", "3600000", "3600001", "65535", "65536", "65537", "131072", "2147483647",
	"2147483648", "4294967294", "4294967295", "4294967296", "4294967297",
	"9223372036854775807", "9223372036854775808", "18446744073709551615",
	"18446744073709551616", "-9223372036854775808",
	"00000000000000000000000000000000000000002", "1k", "1 ", "%s", "%n%n", "\\", "\"", "''",
};

static unsigned int below(unsigned int n)
{
	return image_random(&state) % n;
}

static char *add_bytes(char *to, size_t len)
{
	while (len--)
		*to++ = 1 + below(255);
	return to;
}

static char *add_word(char *to)
{
	size_t len;

	switch (below(16)) {
	case 0:
		return add_bytes(to, 1 + below(40));
	case 1:
		/* Longer than a page at times. */
		len = below(4) ? 64 + below(200) : 4000 + below(1200);
		memset(to, 'a' + below(26), len);
		return to + len;
	case 2:
		return to + sprintf(to, "%llu", image_random(&state) >> below(64));
	case 3:
	case 4:
	case 5:
	case 6:
	case 7:
	case 8:
		return stpcpy(to, numbers[below(COUNT(numbers))]);
	default:
		return stpcpy(to, known[below(COUNT(known))]);
	}
}

static char *add_words(char *to, unsigned int nr)
{
	while (nr-- && to < text + MAX_TEXT - 6000) {
		*to++ = ' ';
		to = add_word(to);
	}
	*to = '\0';
	return to;
}

/* Pairs of a key and a number or word, some of them twice; the count is right, mostly. */
static void make_table(void)
{
	unsigned int pairs = below(8) ? below(4) : below(16), i;
	char *to = text;

	to += sprintf(to, "%s %s", below(32) ? disks.hdd : disks.ssd,
		      below(32) ? disks.ssd : "/dev/none");
	if (!below(8)) {
		add_words(to, below(200));
		return;
	}
	to += sprintf(to, " %u", below(8) ? 2 * pairs : below(40));
	for (i = 0; i < pairs; i++) {
		to += sprintf(to, " %s ", known[below(KEYS)]);
		to = below(4) ? stpcpy(to, below(2) ? numbers[below(COUNT(numbers))] :
						      known[KEYS + below(KEY_WORDS)]) :
			       add_word(to);
		if (to > text + MAX_TEXT - 6000)
			break;
	}
	*to = '\0';
}

/* --- What has to be true all along --- */

static const struct knob {
	const char	*file;
	const char	*words;		/* or a number: */
	unsigned long	min, max;
} knobs[] = {
	{ "policy", "adaptive watermark all none balance", 0, 0 },
	{ "drain", "auto eager manual", 0, 0 },
	{ "autocommit_ms", NULL, 1, 3600000 },
};

static int open_file(const char *name, int flags)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", dm_folder(), name);
	return open(path, flags | O_CLOEXEC);
}

static void check_knobs(void)
{
	char value[128], *end;
	unsigned long number;
	unsigned int i;
	ssize_t n;
	int fd;

	for (i = 0; i < COUNT(knobs); i++) {
		fd = open_file(knobs[i].file, O_RDONLY);
		n = read(fd, value, sizeof(value) - 1);
		close(fd);
		if (n < 2 || value[n - 1] != '\n')
			fail("%s cannot be read", knobs[i].file);
		value[n - 1] = '\0';
		number = strtoul(value, &end, 10);
		if (knobs[i].words ? !strstr(knobs[i].words, value) :
		    *end || number < knobs[i].min || number > knobs[i].max)
			fail("%s is %s", knobs[i].file, value);
	}
}

static void check_device(void)
{
	static char *b;
	uint64_t at;
	size_t i;
	int fd = device_open();

	if (!b && posix_memalign((void **)&b, 4096, 1 << 20))
		fail("memory");
	write_some(fd, image_random(&state), 4, 16);
	at = below(disks.hdd_sectors / 256) * 256ULL;
	if (pread(fd, b, 256 * SECTOR, at * SECTOR) != 256 * SECTOR)
		fail("a read failed: %s", strerror(errno));
	for (i = 0; i < 256; i++)
		if (!stamped(b + i * SECTOR, at + i))
			fail("sector %llu is no version of itself", (unsigned long long)at + i);
	close(fd);
}

/* The table as the kernel tells it is one that it takes. */
static void check_table(void)
{
	int r = dm_table(text, sizeof(text));

	if (r || dm_load("ssdup", disks.hdd_sectors, text))
		fail("the table is told as '%.200s', and not taken back", text);
	dm_clear();
}

static void check_all(void)
{
	char refusal[256];

	check_knobs();
	check_device();
	check_table();
	log_read(refusal, sizeof(refusal));
}

/* --- Cases --- */

/*
 * Load the table. One that is refused writes nothing; but the device in use may
 * commit or drain just then, and is given time to be done with it.
 */
static int load_table(void)
{
	int r, tries = 20;
	uint64_t before;

	do {
		before = ssd_written();
		r = dm_load("ssdup", disks.hdd_sectors, text);
		if (!r || ssd_written() == before)
			return r;
		sleep(1);
	} while (--tries);
	fail("table '%.200s' was refused, and something was written", text);
}

static bool table_case(uint64_t nr)
{
	int r;

	make_table();
	r = load_table();
	/* One that was taken becomes the device's now and then. */
	if (!r && nr % 16 == 0 && dm_resume())
		fail("table '%.200s' was taken, and cannot be resumed", text);
	if (!r && nr % 16)
		dm_clear();
	return !r;
}

static bool message_case(void)
{
	char *end = text;

	switch (below(8)) {
	case 0:
		end = add_bytes(text, 1 + below(300));
		break;
	case 1:
		end = add_words(text, below(100));
		break;
	case 2:
		end = add_words(stpcpy(text, known[KEYS + KEY_WORDS + below(MESSAGES)]), below(4));
		break;
	default:
		end = text + sprintf(text, "set %s ", known[below(KEYS)]);
		end = below(2) ? stpcpy(end, below(2) ? numbers[below(COUNT(numbers))] :
							known[KEYS + below(KEY_WORDS)]) :
				 add_word(end);
	}
	return !dm_message(text, end - text);
}

static bool file_case(void)
{
	const char *name = below(4) ? knobs[below(COUNT(knobs))].file :
				      folder_file[below(nr_files)];
	int fd = open_file(name, O_WRONLY);
	char *end = add_word(text);
	bool taken;

	/* Root may open what nobody may write; then the write has to fail. */
	if (fd < 0)
		return false;
	taken = write(fd, text, end - text) > 0;
	close(fd);
	return taken;
}

static void list_files(void)
{
	DIR *dir = opendir(dm_folder());
	struct dirent *d;

	if (!dir)
		fail("no folder %s", dm_folder());
	while ((d = readdir(dir)))
		if (d->d_name[0] != '.' && nr_files < MAX_FILES)
			snprintf(folder_file[nr_files++], sizeof(folder_file[0]), "%.63s",
				 d->d_name);
	closedir(dir);
}

int words(uint64_t nr, uint64_t seed)
{
	unsigned int tables = 0, messages = 0, files = 0;
	uint64_t i;

	fill_disks();
	if (dm_load("ssdup", disks.hdd_sectors, disks.table) || dm_resume())
		fail("no device");
	list_files();
	log_skip();
	for (i = seed; i < seed + nr; i++) {
		begin_case(i);
		state = i;
		tables += table_case(i);
		messages += message_case();
		files += file_case();
		if (i % 8 == 0)
			check_all();
	}
	check_all();
	printf("of %llu each: %u tables, %u messages, %u writes to files were taken\n",
	       (unsigned long long)nr, tables, messages, files);
	dm_idle(disks.hdd_sectors);
	return 0;
}
