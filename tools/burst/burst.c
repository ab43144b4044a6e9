// SPDX-License-Identifier: GPL-2.0-only
/*
 * burst: writers as IOR, HPIO and MPI-Tile-IO make them in the SSDUP+ paper, and
 * some of what others run: processes that start together and each keep one
 * direct request outstanding. --and begins a second instance with settings of
 * its own that starts at the same time.
 *
 * Every sector begins with its number and a stamp that tells this burst from
 * others, so that a later "burst --verify" finds any sector that is lost, stale
 * or misplaced. The seed decides the random order alone.
 *
 * burst [--pattern NAME] [--procs N] [--request B] [--size B] [--span B]
 *	 [--offset B] [--spacing B] [--tiles-x N] [--theta N] [--seed N] [--stamp N]
 *	 [--reads PERCENT] [--fsync N] [--jitter US] [--ms N]
 *	 [--array B --staged N [--think MS]] [--and ...]
 *	 [--state FILE] [--slice MS] [--verify | --list] DEVICE
 *
 * --state adds the outcome to that of earlier runs and reports the sum; --list
 * prints each process's places in bytes and touches no device. The patterns, and
 * the other settings, are explained in order.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "outcome.h"
#include "verify.h"

#define JOBS_MAX	4

enum mode { WRITE, VERIFY, LIST };

struct settings {
	struct job	jobs[JOBS_MAX];
	u32		nr_jobs;
	const char	*path;
	const char	*state;
	u32		slice_ms;
	enum mode	mode;
};

/* A process at work. */
struct writer {
	const struct settings	*set;
	const struct job	*job;
	u32			proc;
	struct outcome		*out;
	int			fd;
	char			*buf;
	u64			random;
	u64			**orders;	/* places: its own, or of each that it reads from */
	int			(*arrays)[2];	/* pipes: a byte for each array of a process */
};

static void stamp_buffer(const struct job *job, char *buf, u64 at)
{
	u32 i;

	for (i = 0; i < job->request; i += SECTOR) {
		struct head *h = (struct head *)(buf + i);

		h->lba = (at + i) / SECTOR;
		h->stamp = job->stamp;
	}
}

static void sleep_until(u64 ns)
{
	struct timespec t = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static void wait_jitter(struct writer *w)
{
	double u = ((next_random(&w->random) >> 11) + 1) / 9007199254740993.0;

	sleep_until(now_ns() - log(u) * w->job->jitter_us * 1000);
}

/* One request, number @i of this process. */
static int do_request(struct writer *w, u64 at, u32 i)
{
	const struct job *job = w->job;
	bool read = job->reads && next_random(&w->random) % 100 < job->reads;
	u64 begin;
	ssize_t n;

	if (job->jitter_us)
		wait_jitter(w);
	if (read)
		at = job->offset + next_random(&w->random) % (job->span / job->request) *
		     job->request;
	else
		stamp_buffer(job, w->buf, at);
	begin = now_ns();
	n = read ? pread(w->fd, w->buf, job->request, at) :
		   pwrite(w->fd, w->buf, job->request, at);
	if (n != (ssize_t)job->request)
		return errno ?: EIO;
	if (!read && job->fsync && i % job->fsync == job->fsync - 1 && fdatasync(w->fd))
		return errno;
	outcome_add(w->out, read, job->request, begin, now_ns(), w->set->slice_ms * 1000000ULL);
	return 0;
}

/* Ready; waits for the pipe @go to close. */
static int start(struct writer *w, int ready, int go)
{
	const struct job *job = w->job;
	char byte = 0;
	int r = 0;

	w->buf = alloc(job->request);
	memset(w->buf, 'a' + w->proc % 26, job->request);
	w->random = random_start(job, w->proc) ^ 0x5bd1e995;
	w->fd = open(w->set->path, O_RDWR | O_DIRECT);
	if (w->fd < 0)
		r = errno;
	/* Also when there is nothing to write to: the parent counts everybody. */
	if (write(ready, &byte, 1) != 1 || read(go, &byte, 1) < 0)
		return errno;
	return r;
}

static int write_all(struct writer *w)
{
	const struct job *job = w->job;
	u64 *order = w->orders[0];
	u32 i, n = requests_each(job), each = job->array / job->request;
	int r = 0;

	for (i = 0; !r && (i < n || job->ms); i++) {
		if (job->ms && now_ns() - w->out->run_ns >= job->ms * 1000000ULL)
			break;
		if (job->think_ms && i % each == 0)
			sleep_until(now_ns() + job->think_ms * 1000000ULL);
		r = do_request(w, order[i % n], i);
		if (!r && each && i % each == each - 1 && write(w->arrays[w->proc][1], "", 1) != 1)
			r = errno;
	}
	return r;
}

/* Array number @array of a process with these places, as soon as it is there. */
static int read_array(struct writer *w, u32 proc, const u64 *order, u32 array)
{
	const struct job *job = w->job;
	u64 at, begin;
	u32 each = job->array / job->request, i;
	char byte;
	int r = 0;

	if (read(w->arrays[proc][0], &byte, 1) != 1)
		r = EPIPE;
	for (i = array * each; !r && i < (array + 1) * each; i++) {
		at = order[i];
		begin = now_ns();
		if (pread(w->fd, w->buf, job->request, at) != (ssize_t)job->request)
			r = errno ?: EIO;
		else if (count_wrong(job, w->buf, at / SECTOR, job->request / SECTOR))
			r = EILSEQ;
		else
			outcome_add(w->out, true, job->request, begin, now_ns(),
				    w->set->slice_ms * 1000000ULL);
	}
	return r;
}

/* The readers come after the writers, by their numbers. */
static bool is_reader(const struct writer *w)
{
	return w->proc >= w->job->procs;
}

/* The processes that it reads from, or itself. */
static u32 first_of(const struct writer *w)
{
	return is_reader(w) ? (w->proc - w->job->procs) * w->job->staged : w->proc;
}

static u32 nr_of(const struct writer *w)
{
	u32 left = w->job->procs - first_of(w);

	if (!is_reader(w))
		return 1;
	return left < w->job->staged ? left : w->job->staged;
}

static int read_all(struct writer *w)
{
	const struct job *job = w->job;
	u32 arrays = job->size / job->procs / job->array, i, n;
	int r = 0;

	for (i = 0; i < arrays; i++)
		for (n = 0; !r && n < nr_of(w); n++)
			r = read_array(w, first_of(w) + n, w->orders[n], i);
	return r;
}

static int work(struct writer *w, int ready, int go)
{
	u32 proc, i;
	int r;

	w->orders = alloc(nr_of(w) * sizeof(*w->orders));
	for (i = 0; i < nr_of(w); i++)
		w->orders[i] = make_order(w->job, first_of(w) + i);
	/* When one has died, no other waits for it. */
	signal(SIGPIPE, SIG_IGN);
	for (proc = 0; w->arrays && proc < w->job->procs; proc++) {
		if (proc != w->proc)
			close(w->arrays[proc][1]);
		if (proc < first_of(w) || proc >= first_of(w) + nr_of(w) || !is_reader(w))
			close(w->arrays[proc][0]);
	}
	r = start(w, ready, go);
	if (r)
		return r;
	return is_reader(w) ? read_all(w) : write_all(w);
}

static void open_arrays(struct writer *w)
{
	u32 proc;

	w->arrays = NULL;
	if (!w->job->array)
		return;
	w->arrays = alloc(w->job->procs * sizeof(*w->arrays));
	for (proc = 0; proc < w->job->procs; proc++)
		if (pipe(w->arrays[proc]))
			die(strerror(errno), "pipe");
}

static void close_arrays(const struct writer *w)
{
	u32 proc;

	for (proc = 0; w->arrays && proc < w->job->procs; proc++) {
		close(w->arrays[proc][0]);
		close(w->arrays[proc][1]);
	}
}

static void start_writers(const struct settings *set, struct outcome *out,
			  int ready[2], int go[2])
{
	struct writer w = { .set = set, .out = out };
	u32 j;
	int r;

	for (j = 0; j < set->nr_jobs; j++) {
		w.job = &set->jobs[j];
		open_arrays(&w);
		for (w.proc = 0; w.proc < w.job->procs + nr_readers(w.job); w.proc++) {
			pid_t pid = fork();

			if (pid < 0)
				die(strerror(errno), "fork");
			if (pid)
				continue;
			close(ready[0]);
			close(go[1]);
			r = work(&w, ready[1], go[0]);
			/* The first one: others follow from it. */
			if (r && !out->error)
				out->error = r;
			_exit(0);
		}
		close_arrays(&w);
	}
	close(ready[1]);
	close(go[0]);
}

static void add_state(struct outcome *out, const char *path, bool save)
{
	int fd = open(path, save ? O_WRONLY | O_CREAT | O_TRUNC : O_RDONLY, 0600);

	if (fd < 0 && !save && errno == ENOENT)
		return;
	if (fd < 0 || (save ? write(fd, out, sizeof(*out)) : read(fd, out, sizeof(*out))) !=
	    sizeof(*out))
		die(strerror(errno ?: EIO), path);
	close(fd);
}

static int run_writers(const struct settings *set)
{
	struct outcome *out = mmap(NULL, sizeof(*out), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int ready[2], go[2];
	u32 i, procs = 0;
	char byte;

	if (out == MAP_FAILED || pipe(ready) || pipe(go))
		die(strerror(errno), "start");
	if (set->state)
		add_state(out, set->state, false);
	start_writers(set, out, ready, go);
	for (i = 0; i < set->nr_jobs; i++)
		procs += set->jobs[i].procs + nr_readers(&set->jobs[i]);
	for (i = 0; i < procs; i++)
		if (read(ready[0], &byte, 1) != 1)
			break;
	out->run_ns = now_ns();
	out->end_ns = out->run_ns;
	if (!out->runs++)
		out->start_ns = out->run_ns;
	close(go[1]);
	for (i = 0; i < procs; i++)
		if (wait(NULL) < 0)
			die(strerror(errno), "wait");
	if (out->error)
		die(strerror(out->error), set->path);
	out->ns += out->end_ns - out->run_ns;
	if (set->state)
		add_state(out, set->state, true);
	outcome_report(out, &set->jobs[0], set->slice_ms);
	return 0;
}

static int run_list(const struct settings *set)
{
	u32 j, proc, i;

	for (j = 0; j < set->nr_jobs; j++)
		for (proc = 0; proc < set->jobs[j].procs; proc++) {
			u64 *order = make_order(&set->jobs[j], proc);

			for (i = 0; i < requests_each(&set->jobs[j]); i++)
				printf("%s%llu", i ? " " : "", order[i]);
			printf("\n");
			free(order);
		}
	return 0;
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

static enum pattern parse_pattern(const char *text)
{
	u32 i;

	for (i = 0; i < PATTERNS; i++)
		if (!strcmp(text, pattern_names[i]))
			return i;
	die("no such pattern", text);
}

/* An option that is a number: where it is kept in a job. */
struct number {
	const char	*name;
	size_t		offset;
	size_t		size;
};

#define NUMBER(option, member)	\
	{ option, offsetof(struct job, member), sizeof(((struct job *)0)->member) }

static const struct number numbers[] = {
	NUMBER("procs", procs), NUMBER("request", request), NUMBER("size", size),
	NUMBER("span", span), NUMBER("offset", offset), NUMBER("spacing", spacing),
	NUMBER("tiles-x", tiles_x), NUMBER("theta", theta), NUMBER("seed", seed),
	NUMBER("stamp", stamp), NUMBER("reads", reads), NUMBER("fsync", fsync),
	NUMBER("jitter", jitter_us), NUMBER("ms", ms),
	NUMBER("array", array), NUMBER("staged", staged), NUMBER("think", think_ms),
};

#define NR_NUMBERS	(sizeof(numbers) / sizeof(numbers[0]))

static void set_number(struct job *job, const struct number *what, const char *text)
{
	u64 value = parse_number(text, what->name);
	char *to = (char *)job + what->offset;

	if (what->size == sizeof(u64))
		*(u64 *)to = value;
	else
		*(u32 *)to = value;
}

static const struct job defaults = {
	.procs = 16,
	.request = 256 << 10,
	.size = 512 << 20,
	.tiles_x = 1,
	.theta = 99,
	.seed = 1,
	.stamp = 1,
};

static struct job *next_job(struct settings *set)
{
	if (set->nr_jobs == JOBS_MAX)
		die("too many instances", "--and");
	set->jobs[set->nr_jobs] = defaults;
	return &set->jobs[set->nr_jobs++];
}

static void parse(struct settings *set, int argc, char **argv)
{
	struct option options[NR_NUMBERS + 7] = {
		[NR_NUMBERS] = { "pattern", required_argument, NULL, 'p' },
		{ "state", required_argument, NULL, 's' },
		{ "slice", required_argument, NULL, 'c' },
		{ "and", no_argument, NULL, 'a' },
		{ "verify", no_argument, NULL, 'v' },
		{ "list", no_argument, NULL, 'l' },
	};
	struct job *job = next_job(set);
	u32 i;
	int c;

	for (i = 0; i < NR_NUMBERS; i++)
		options[i] = (struct option){ numbers[i].name, required_argument, NULL, 256 + i };
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c >= 256)
			set_number(job, &numbers[c - 256], optarg);
		else if (c == 'p')
			job->pattern = parse_pattern(optarg);
		else if (c == 's')
			set->state = optarg;
		else if (c == 'c')
			set->slice_ms = parse_number(optarg, "slice");
		else if (c == 'a')
			job = next_job(set);
		else if (c == 'v' || c == 'l')
			set->mode = c == 'v' ? VERIFY : LIST;
		else
			exit(2);
	}
	if (optind + !!(set->mode - LIST) != argc)
		die("one device is wanted", "arguments");
	set->path = argv[optind];
	for (i = 0; i < set->nr_jobs; i++) {
		if (job_fault(&set->jobs[i]))
			die(job_fault(&set->jobs[i]), "arguments");
		if (set->jobs[i].array && set->nr_jobs > 1)
			die("array goes with no other instance", "--and");
	}
}

int main(int argc, char **argv)
{
	static struct settings set;
	u64 wrong = 0;
	u32 i;

	parse(&set, argc, argv);
	if (set.mode == LIST)
		return run_list(&set);
	if (set.mode == WRITE)
		return run_writers(&set);
	for (i = 0; i < set.nr_jobs; i++)
		wrong += run_verify(&set.jobs[i], set.path);
	return wrong != 0;
}
