// SPDX-License-Identifier: GPL-2.0-only
/*
 * logwrites: what a log of dm-log-writes says, and what a disk may hold after a
 * power cut at some point of it.
 *
 *	logwrites LOG list			a line for each entry
 *	logwrites LOG replay DISK to=MARK	everything up to a mark
 *	logwrites LOG cut DISK from=MARK to=MARK seed=N
 *						the power goes between the marks
 *
 * LOG and DISK are devices or files; DISK has to hold what it held before the
 * first entry. MARK is what "dmsetup message <device> 0 mark" was given; "start"
 * is the beginning. Numbers of entries will do, too.
 *
 * dm-log-writes logs a write when it cannot be lost any more: a FUA write when it
 * ends; any other together with the first FLUSH that was sent after it had
 * ended, right in front of it. So at an entry that is
 *
 *	a write in front of a FLUSH	the disk holds all before that row of writes,
 *					and any part of the row;
 *	a FUA write			all before it, and any part of it;
 *	a FLUSH with data		all before it, and any part of its data; or
 *					what a cut within the row in front leaves;
 *	a mark, or a plain FLUSH	all before it.
 *
 * What was in the cache at a FUA write and was flushed later counts as lost: the
 * log does not tell when it was written. Parts are drawn by the seed, by 1, 8 or
 * 64 sectors of 512 bytes. Discards are left out: they promise nothing.
 *
 * Exit status: 0 all well, 2 an error.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOG_MAGIC	0x6a736677736872ULL
#define LOG_VERSION	1ULL

#define LOG_FLUSH	1U
#define LOG_FUA		2U
#define LOG_DISCARD	4U
#define LOG_MARK	8U

struct log_super {
	uint64_t magic;
	uint64_t version;
	uint64_t nr_entries;
	uint32_t sector_size;
};

struct log_head {
	uint64_t sector;
	uint64_t nr_sectors;
	uint64_t flags;
	uint64_t data_len;
};

struct entry {
	uint64_t start;		/* byte on the disk */
	uint64_t bytes;		/* of data */
	uint64_t at;		/* byte in the log where the data is */
	uint32_t flags;
	char mark[64];
};

static int log_fd, disk_fd;
static struct entry *entries;
static uint64_t nr_entries;
static uint64_t seed;

static void die(const char *what)
{
	fprintf(stderr, "logwrites: %s: %s\n", what,
		errno ? strerror(errno) : "is not as expected");
	exit(2);
}

static void read_log(void *buf, size_t bytes, uint64_t at)
{
	errno = 0;
	if (pread(log_fd, buf, bytes, at) != (ssize_t)bytes)
		die("reading the log");
}

static void load(const char *path)
{
	uint8_t buf[4096];
	struct log_super super;
	struct log_head head;
	uint64_t i, at, size, len;

	log_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (log_fd < 0)
		die(path);
	read_log(&super, sizeof(super), 0);
	size = le32toh(super.sector_size);
	nr_entries = le64toh(super.nr_entries);
	if (le64toh(super.magic) != LOG_MAGIC || le64toh(super.version) != LOG_VERSION ||
	    size < 512 || size > sizeof(buf))
		die(path);
	entries = calloc(nr_entries + 1, sizeof(*entries));
	if (!entries)
		die("memory");
	for (i = 0, at = size; i < nr_entries; i++) {
		struct entry *e = &entries[i];

		read_log(buf, size, at);
		memcpy(&head, buf, sizeof(head));
		e->flags = le64toh(head.flags);
		e->start = le64toh(head.sector) * size;
		e->bytes = le64toh(head.nr_sectors) * size;
		e->at = at + size;
		if (e->flags & LOG_MARK) {
			len = le64toh(head.data_len);
			if (len >= sizeof(e->mark))
				len = sizeof(e->mark) - 1;
			memcpy(e->mark, buf + sizeof(head), len);
		}
		at += size;
		if (!(e->flags & LOG_DISCARD))
			at += e->bytes;
		else
			e->bytes = 0;
	}
}

/* The entry behind the one that is called so. */
static uint64_t find(const char *mark)
{
	uint64_t i;
	char *end;

	if (!strcmp(mark, "start"))
		return 0;
	for (i = 0; i < nr_entries; i++)
		if (entries[i].flags & LOG_MARK && !strcmp(entries[i].mark, mark))
			return i + 1;
	i = strtoull(mark, &end, 10);
	if (*end || end == mark || i > nr_entries) {
		fprintf(stderr, "logwrites: no mark %s\n", mark);
		exit(2);
	}
	return i;
}

/* --- Chance --- */

static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ULL;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

static uint64_t next_random(void)
{
	seed = mix(seed);
	return seed;
}

/* --- Writing to the disk --- */

static void write_disk(const void *buf, size_t bytes, uint64_t at)
{
	errno = 0;
	if (pwrite(disk_fd, buf, bytes, at) != (ssize_t)bytes)
		die("writing the disk");
}

static void *data_of(const struct entry *e)
{
	void *buf = malloc(e->bytes);

	if (!buf)
		die("memory");
	read_log(buf, e->bytes, e->at);
	return buf;
}

static void apply(const struct entry *e)
{
	void *buf;

	if (!e->bytes)
		return;
	buf = data_of(e);
	write_disk(buf, e->bytes, e->start);
	free(buf);
}

static void apply_all(uint64_t from, uint64_t to)
{
	for (; from < to; from++)
		apply(&entries[from]);
}

/* Some of its sectors, @odds of 8. */
static void apply_part(const struct entry *e, unsigned int odds, unsigned int unit)
{
	uint64_t at, len;
	uint8_t *buf;

	if (!e->bytes)
		return;
	buf = data_of(e);
	for (at = 0; at < e->bytes; at += len) {
		len = unit * 512 - (e->start + at) % (unit * 512);
		if (len > e->bytes - at)
			len = e->bytes - at;
		if (next_random() % 8 < odds)
			write_disk(buf + at, len, e->start + at);
	}
	free(buf);
}

/* --- The power goes --- */

static bool plain_write(const struct entry *e)
{
	return !(e->flags & (LOG_FLUSH | LOG_FUA | LOG_MARK));
}

static void cut(uint64_t from, uint64_t to)
{
	static const unsigned int units[] = { 1, 1, 8, 64 };
	unsigned int unit = units[next_random() % 4];
	unsigned int odds = next_random() % 9;
	uint64_t at, row, i;

	at = from < to ? from + next_random() % (to - from + 1) : to;
	/* A row of writes begins where the last entry of another kind ends. */
	for (row = at; row > from && plain_write(&entries[row - 1]); row--)
		;
	if (at < to && plain_write(&entries[at]))
		while (at < to && plain_write(&entries[at]))
			at++;
	if (at == to) {
		/* What ends this row, if it is one, was not logged yet. */
		apply_all(0, row);
		printf("%llu of %llu\n", (unsigned long long)row, (unsigned long long)to);
		return;
	}
	if (entries[at].flags & LOG_FLUSH && row < at && next_random() % 2) {
		apply_all(0, row);
		for (i = row; i < at; i++)
			apply_part(&entries[i], odds, unit);
		printf("%llu and %u/8 by %u of the %llu to the flush at %llu\n",
		       (unsigned long long)row, odds, unit, (unsigned long long)(at - row),
		       (unsigned long long)at);
		return;
	}
	apply_all(0, at);
	apply_part(&entries[at], odds, unit);
	printf("%llu and %u/8 by %u of the next\n", (unsigned long long)at, odds, unit);
}

static void list(void)
{
	uint64_t i;

	for (i = 0; i < nr_entries; i++) {
		const struct entry *e = &entries[i];

		printf("%llu %llu + %llu%s%s%s%s%s\n", (unsigned long long)i,
		       (unsigned long long)e->start / 512, (unsigned long long)e->bytes / 512,
		       e->flags & LOG_FLUSH ? " flush" : "", e->flags & LOG_FUA ? " fua" : "",
		       e->flags & LOG_DISCARD ? " discard" : "",
		       e->flags & LOG_MARK ? " mark " : "", e->mark);
	}
}

static const char *argument(char **argv, const char *key, const char *preset)
{
	size_t n = strlen(key);

	for (; *argv; argv++)
		if (!strncmp(*argv, key, n) && (*argv)[n] == '=')
			return *argv + n + 1;
	if (preset)
		return preset;
	fprintf(stderr, "logwrites: no %s=\n", key);
	exit(2);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[2], "list")) {
		load(argv[1]);
		list();
		return 0;
	}
	if (argc < 5 || (strcmp(argv[2], "replay") && strcmp(argv[2], "cut"))) {
		fprintf(stderr, "usage: logwrites LOG list|replay|cut [DISK KEY=VALUE...]\n");
		return 2;
	}
	load(argv[1]);
	disk_fd = open(argv[3], O_WRONLY | O_CLOEXEC);
	if (disk_fd < 0)
		die(argv[3]);
	argv += 4;
	if (!strcmp(argv[-2], "replay")) {
		apply_all(0, find(argument(argv, "to", NULL)));
	} else {
		seed = strtoull(argument(argv, "seed", "1"), NULL, 0);
		cut(find(argument(argv, "from", "start")), find(argument(argv, "to", NULL)));
	}
	return close(disk_fd) ? 2 : 0;
}
