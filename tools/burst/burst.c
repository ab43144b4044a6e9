// SPDX-License-Identifier: GPL-2.0-only
/*
 * burst: the writers of the SSDUP+ paper, as IOR makes them: processes that
 * start together and each keep one direct write outstanding, in a segmented
 * contiguous, strided, segmented random or mixed order (paper, section 2.1).
 *
 * Every sector begins with its number and a stamp that tells this burst from
 * others, so that a later "burst --verify" finds any sector that is lost, stale
 * or misplaced. The seed decides the random order alone.
 *
 * burst [--pattern contiguous|strided|random|mixed] [--procs N] [--request B]
 *	 [--size B] [--offset B] [--seed N] [--stamp N] [--verify] DEVICE
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef unsigned int u32;
typedef unsigned long long u64;

#define SECTOR		512
#define VERIFY_BYTES	1048576

enum pattern {
	CONTIGUOUS,	/* a segment each, in order */
	STRIDED,	/* all processes in turn, through the whole area */
	RANDOM,		/* a segment each, every request once in random order */
	MIXED,		/* first half of the processes contiguous, the others random */
};

static const char * const pattern_names[] = { "contiguous", "strided", "random", "mixed" };

struct job {
	const char	*path;
	enum pattern	pattern;
	unsigned int	procs;
	u32		request;	/* bytes */
	u64		size;		/* bytes of all processes together */
	u64		offset;		/* bytes; where the area begins */
	u64		seed;
	u64		stamp;
	bool		verify;
};

/* The head of every sector. */
struct head {
	u64	lba;
	u64	stamp;
};

/* What a process tells the parent. */
struct outcome {
	u64	end_ns;
	u64	longest_ns;
	int		error;
};

static u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* xorshift64*: any generator would do, as long as a seed repeats it. */
static u64 next_random(u64 *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 2685821657736338717ULL;
}

static void die(const char *what, const char *which)
{
	fprintf(stderr, "burst: %s: %s\n", which, what);
	exit(1);
}

static void *alloc(size_t bytes)
{
	void *p = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);

	if (!p)
		die(strerror(ENOMEM), "buffer");
	memset(p, 0, bytes);
	return p;
}

static u32 requests_each(const struct job *job)
{
	return job->size / job->procs / job->request;
}

/* Which requests of the area process @proc writes, in its order. */
static u64 *make_order(const struct job *job, unsigned int proc)
{
	u64 state = (job->seed + 1) * 0x9e3779b97f4a7c15ULL + proc, swap;
	u32 n = requests_each(job), i, j;
	u64 *order = alloc(n * sizeof(*order));
	bool shuffle = job->pattern == RANDOM ||
		       (job->pattern == MIXED && proc >= job->procs / 2);

	for (i = 0; i < n; i++)
		order[i] = job->pattern == STRIDED ? (u64)i * job->procs + proc :
						     (u64)proc * n + i;
	for (i = n - 1; shuffle && i > 0; i--) {
		j = next_random(&state) % (i + 1);
		swap = order[i];
		order[i] = order[j];
		order[j] = swap;
	}
	return order;
}

static void stamp_buffer(const struct job *job, char *buf, u64 at)
{
	u32 i;

	for (i = 0; i < job->request; i += SECTOR) {
		struct head *h = (struct head *)(buf + i);

		h->lba = (at + i) / SECTOR;
		h->stamp = job->stamp;
	}
}

/* One writer: ready, waits for the pipe @go to close, writes. */
static int write_all(const struct job *job, unsigned int proc, int ready, int go,
		     struct outcome *out)
{
	u64 *order = make_order(job, proc), at, begin;
	char *buf = alloc(job->request), byte = 0;
	int fd = open(job->path, O_WRONLY | O_DIRECT);
	u32 i, n = requests_each(job);
	int error = fd < 0 ? errno : 0;

	memset(buf, 'a' + proc % 26, job->request);
	/* Also when there is nothing to write to: the parent counts everybody. */
	if (write(ready, &byte, 1) != 1 || read(go, &byte, 1) < 0)
		return errno;
	if (error)
		return error;
	for (i = 0; i < n; i++) {
		at = job->offset + order[i] * job->request;
		stamp_buffer(job, buf, at);
		begin = now_ns();
		if (pwrite(fd, buf, job->request, at) != (ssize_t)job->request)
			return errno ?: EIO;
		out->end_ns = now_ns();
		if (out->end_ns - begin > out->longest_ns)
			out->longest_ns = out->end_ns - begin;
	}
	return 0;
}

static void start_writers(const struct job *job, struct outcome *out, int ready[2], int go[2])
{
	unsigned int i;
	pid_t pid;

	for (i = 0; i < job->procs; i++) {
		pid = fork();
		if (pid < 0)
			die(strerror(errno), "fork");
		if (pid)
			continue;
		close(ready[0]);
		close(go[1]);
		out[i].error = write_all(job, i, ready[1], go[0], &out[i]);
		_exit(0);
	}
	close(ready[1]);
	close(go[0]);
}

/* The line that is the result; times are of CLOCK_MONOTONIC. */
static int report(const struct job *job, const struct outcome *out, u64 start)
{
	u64 bytes = (u64)requests_each(job) * job->procs * job->request;
	u64 end = start + 1, longest = 0;
	unsigned int i;

	for (i = 0; i < job->procs; i++) {
		if (out[i].error)
			die(strerror(out[i].error), job->path);
		if (out[i].end_ns > end)
			end = out[i].end_ns;
		if (out[i].longest_ns > longest)
			longest = out[i].longest_ns;
	}
	printf("{\"pattern\":\"%s\",\"procs\":%u,\"request\":%u,\"bytes\":%llu,",
	       pattern_names[job->pattern], job->procs, job->request, bytes);
	printf("\"start_ms\":%llu,\"ms\":%llu,\"longest_ms\":%llu,\"mb_s\":%.1f}\n",
	       start / 1000000, (end - start) / 1000000, longest / 1000000,
	       bytes * 1e3 / (end - start));
	return 0;
}

static int run_burst(const struct job *job)
{
	struct outcome *out = mmap(NULL, job->procs * sizeof(*out), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int ready[2], go[2];
	u64 start;
	unsigned int i;
	char byte;

	if (out == MAP_FAILED || pipe(ready) || pipe(go))
		die(strerror(errno), "start");
	start_writers(job, out, ready, go);
	for (i = 0; i < job->procs; i++)
		if (read(ready[0], &byte, 1) != 1)
			break;
	start = now_ns();
	close(go[1]);
	for (i = 0; i < job->procs; i++)
		if (wait(NULL) < 0)
			die(strerror(errno), "wait");
	return report(job, out, start);
}

static u64 count_wrong(const struct job *job, const char *buf, u64 at, u32 bytes)
{
	u64 wrong = 0;
	u32 i;

	for (i = 0; i < bytes; i += SECTOR) {
		const struct head *h = (const struct head *)(buf + i);

		if (h->lba != (at + i) / SECTOR || h->stamp != job->stamp)
			wrong++;
	}
	return wrong;
}

static int run_verify(const struct job *job)
{
	u64 bytes = (u64)requests_each(job) * job->procs * job->request;
	u64 at = job->offset, end = at + bytes, wrong = 0;
	char *buf = alloc(VERIFY_BYTES);
	int fd = open(job->path, O_RDONLY | O_DIRECT);
	u32 len;

	if (fd < 0)
		die(strerror(errno), job->path);
	for (; at < end; at += len) {
		len = end - at < VERIFY_BYTES ? end - at : VERIFY_BYTES;
		if (pread(fd, buf, len, at) != (ssize_t)len)
			die(strerror(errno ?: EIO), job->path);
		wrong += count_wrong(job, buf, at, len);
	}
	printf("{\"verified\":%llu,\"wrong_sectors\":%llu}\n", bytes, wrong);
	return wrong != 0;
}

static u64 parse_number(const char *text, const char *name)
{
	char *end;
	u64 n = strtoull(text, &end, 0);

	if (*end == 'k')
		n <<= 10;
	else if (*end == 'm')
		n <<= 20;
	else if (*end == 'g')
		n <<= 30;
	if (end == text || (*end && end[1]))
		die("not a value (k, m, g may follow)", name);
	return n;
}

static void parse_pattern(struct job *job, const char *text)
{
	unsigned int i;

	for (i = CONTIGUOUS; i <= MIXED; i++)
		if (!strcmp(text, pattern_names[i])) {
			job->pattern = i;
			return;
		}
	die("not contiguous, strided, random or mixed", text);
}

static void parse(struct job *job, int argc, char **argv)
{
	static const struct option options[] = {
		{ "pattern", required_argument, NULL, 'p' },
		{ "procs", required_argument, NULL, 'n' },
		{ "request", required_argument, NULL, 'r' },
		{ "size", required_argument, NULL, 's' },
		{ "offset", required_argument, NULL, 'o' },
		{ "seed", required_argument, NULL, 'x' },
		{ "stamp", required_argument, NULL, 't' },
		{ "verify", no_argument, NULL, 'v' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 'p')
			parse_pattern(job, optarg);
		else if (c == 'n')
			job->procs = parse_number(optarg, "procs");
		else if (c == 'r')
			job->request = parse_number(optarg, "request");
		else if (c == 's')
			job->size = parse_number(optarg, "size");
		else if (c == 'o')
			job->offset = parse_number(optarg, "offset");
		else if (c == 'x')
			job->seed = parse_number(optarg, "seed");
		else if (c == 't')
			job->stamp = parse_number(optarg, "stamp");
		else if (c == 'v')
			job->verify = true;
		else
			exit(2);
	}
	if (optind + 1 != argc)
		die("one device is wanted", "arguments");
	job->path = argv[optind];
	if (!job->procs || !job->request || job->request % SECTOR || job->offset % SECTOR ||
	    !requests_each(job))
		die("procs, request (sectors) and size do not fit together", "arguments");
}

int main(int argc, char **argv)
{
	struct job job = {
		.procs = 16,
		.request = 256 << 10,
		.size = 512 << 20,
		.seed = 1,
		.stamp = 1,
	};

	parse(&job, argc, argv);
	return job.verify ? run_verify(&job) : run_burst(&job);
}
