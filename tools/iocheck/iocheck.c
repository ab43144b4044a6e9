// SPDX-License-Identifier: GPL-2.0-only
/*
 * iocheck: write stamped sectors to a block device and tell what may be there.
 *
 * Every sector of 512 bytes is stamped with its place and a sequence number. A
 * model file says of each sector what was written last, and what a power cut
 * may have left of it: any version since the last completed flush, nothing
 * else. The model outlives the process; several processes may share it as long
 * as each has sectors of its own. A flush counts for the sectors it is told of:
 * those that nobody else is writing.
 *
 *	iocheck MODEL DEVICE COMMAND [KEY=VALUE]...
 *
 * Commands; places and lengths are in sectors, of the device unless said:
 *	write		start=0 len=8 bs=8 [step=bs] sequential or strided writes
 *	random		start=0 len=.. bs=8 nr=1 seed=1 writes at random places
 *	mixed		start=0 len=.. max=64 nr=1 seed=1 random places and sizes
 *	race		start=0 len=.. bs=8 nr=1 seed=1 two writes to each place at once
 *	zero, discard	start=0 len=..
 *	flush		start=0 len=all
 *	verify		start=0 len=all [bs=2048 step=bs] each sector is what was written last
 *	recover		the same after a power cut; what is found is the model from then on
 *	fails		start=0 len=8 bs=.. errno=5 each read of bs sectors ends with that error
 *	watch		start=0 len=.. bs=.. seconds=10 verify while another process writes;
 *			ends before that, and well, when it gets SIGTERM
 *	stress		start=0 len=.. max=64 seconds=10 seed=1 all of them in turn
 * For those that write: depth=16 align=1 fua=0 fsync=0, errors=0 (1: an error ends
 * it quietly, and what failed to be written may be there or not), hint=0 (of the file that
 * the device's node is, see F_SET_RW_HINT; it stays).
 *
 * Exit status: 0 all well, 1 wrong content, 2 an error.
 */
#define _GNU_SOURCE
#include <linux/aio_abi.h>
#include <linux/fs.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>

#include "model.h"

#define CHUNK		2048U		/* sectors read at once */
#define MAX_DEPTH	256
#define MAX_BS		16384U		/* sectors */
#define MAX_REPORTS	8
#define HUGE_PAGE	(2U << 20)

struct args {
	uint64_t start, len, bs, step, nr, seed, max, depth, align, fua, fsync, errors, seconds,
		 error, hint;
};

static struct args arg;
static int fd;
static aio_context_t aio;
static uint64_t rng;
static unsigned int reports;
static bool stopped;
static volatile sig_atomic_t told_to_end;

static void on_sigterm(int signal)
{
	told_to_end = signal;
}

static uint64_t next_random(void)
{
	rng += 0x9e3779b97f4a7c15ULL;
	return mix(rng);
}

/* --- Writing --- */

struct slot {
	struct iocb cb;
	void *buf;
	uint64_t start, sectors;
	uint32_t seq;
	bool busy;
};

static struct slot slots[MAX_DEPTH];
static unsigned int in_flight;

static void slot_ended(struct slot *s, int64_t result)
{
	bool failed = result != (int64_t)(s->sectors * SECTOR);

	model_end(s->start, s->sectors, s->seq, failed, arg.fua);
	s->busy = false;
	in_flight--;
	if (failed && !arg.errors) {
		fprintf(stderr, "iocheck: write of %llu + %llu: %s\n",
			(unsigned long long)s->start, (unsigned long long)s->sectors,
			strerror(-result));
		exit(2);
	}
	stopped |= failed;
}

static void reap(bool all)
{
	struct io_event ev[MAX_DEPTH];
	long n, i;

	while (in_flight) {
		n = syscall(SYS_io_getevents, aio, all ? in_flight : 1, MAX_DEPTH, ev, NULL);
		if (n < 0 && errno != EINTR)
			die("io_getevents");
		for (i = 0; i < n; i++)
			slot_ended((struct slot *)(uintptr_t)ev[i].data, ev[i].res);
		if (!all)
			return;
	}
}

static struct slot *free_slot(uint64_t sectors)
{
	struct slot *s;
	unsigned int i;

	while (in_flight >= arg.depth)
		reap(false);
	for (i = 0; slots[i].busy; i++)
		;
	s = &slots[i];
	if (!s->buf && posix_memalign(&s->buf, 4096, MAX_BS * SECTOR))
		die("memory");
	s->busy = true;
	s->sectors = sectors;
	return s;
}

static void send_write(uint64_t start, uint64_t sectors)
{
	struct slot *s = free_slot(sectors);
	struct iocb *cb = &s->cb;
	uint64_t i;

	s->start = start;
	s->seq = new_seq();
	for (i = 0; i < sectors; i++)
		stamp_make(s->buf + i * SECTOR, start + i, s->seq, 0);
	model_begin(start, sectors, s->seq);
	memset(cb, 0, sizeof(*cb));
	cb->aio_data = (uintptr_t)s;
	cb->aio_lio_opcode = IOCB_CMD_PWRITE;
	cb->aio_fildes = fd;
	cb->aio_buf = (uintptr_t)s->buf;
	cb->aio_nbytes = sectors * SECTOR;
	cb->aio_offset = start * SECTOR;
	/* Asynchronous: FUA on the write, and no flush after it. */
	cb->aio_rw_flags = arg.fua ? RWF_DSYNC : 0;
	in_flight++;
	if (syscall(SYS_io_submit, aio, 1, &cb) != 1)
		die("io_submit");
}

static void do_flush(void)
{
	if (!fsync(fd))
		model_flushed(arg.start, arg.len);
	else if (!arg.errors)
		die("fsync");
	else
		stopped = true;
}

static void do_write(void)
{
	uint64_t at;

	for (at = 0; at < arg.len && !stopped; at += arg.step)
		send_write(arg.start + at, arg.bs < arg.len - at ? arg.bs : arg.len - at);
	reap(true);
}

/* Writes of one process do not overlap while in flight: their order would be unknown. */
static void avoid_overlap(uint64_t start, uint64_t sectors)
{
	unsigned int i;

	for (i = 0; i < MAX_DEPTH && in_flight; i++)
		if (slots[i].busy && start < slots[i].start + slots[i].sectors &&
		    slots[i].start < start + sectors) {
			reap(true);
			return;
		}
}

static void send_random(uint64_t sectors, uint64_t align)
{
	uint64_t start = arg.start + next_random() % ((arg.len - sectors) / align + 1) * align;

	avoid_overlap(start, sectors);
	send_write(start, sectors);
}

static uint64_t random_size(void)
{
	return (next_random() % (arg.max / arg.align) + 1) * arg.align;
}

static void do_random(bool mixed)
{
	uint64_t i;

	for (i = 0; i < arg.nr && !stopped; i++) {
		if (mixed)
			send_random(random_size(), arg.align);
		else
			send_random(arg.bs, arg.bs);
	}
	reap(true);
}

static bool read_sectors(void *buf, uint64_t start, uint64_t sectors)
{
	ssize_t n = pread(fd, buf, sectors * SECTOR, start * SECTOR);

	if (n == (ssize_t)(sectors * SECTOR))
		return true;
	if (arg.errors && n < 0 && (errno == EIO || errno == ENODATA))
		return false;
	fprintf(stderr, "iocheck: read of %llu + %llu: %s\n", (unsigned long long)start,
		(unsigned long long)sectors, strerror(errno));
	exit(2);
}

/*
 * Two writes to one place in flight at once: either may win, but who has won
 * has won for good.
 */
static void do_race(void)
{
	uint64_t i, j, start;
	int64_t found;
	uint64_t writer;
	void *buf;

	if (posix_memalign(&buf, 4096, MAX_BS * SECTOR))
		die("memory");
	for (i = 0; i < arg.nr; i++) {
		start = arg.start + next_random() % (arg.len / arg.bs) * arg.bs;
		send_write(start, arg.bs);
		send_write(start, arg.bs);
		reap(true);
		read_sectors(buf, start, arg.bs);
		for (j = 0; j < arg.bs; j++) {
			found = stamp_read(buf + j * SECTOR, start + j, &writer);
			if (found + 1 < model->s[start + j].high) {
				fprintf(stderr, "iocheck: %llu: neither of two writes\n",
					(unsigned long long)(start + j));
				exit(1);
			}
			model->s[start + j].now = found;
		}
	}
	free(buf);
}

static void do_erase(unsigned long request, uint64_t start, uint64_t len)
{
	uint64_t range[2] = { start * SECTOR, len * SECTOR };
	bool failed;

	model_begin(start, len, 0);
	failed = ioctl(fd, request, range);
	if (failed && !arg.errors)
		die(request == BLKDISCARD ? "BLKDISCARD" : "BLKZEROOUT");
	/* A discard that the log does not hold promises nothing. */
	model_end(start, len, 0, failed, false);
	stopped |= failed;
}

/* --- Reading --- */

static void report(uint64_t sector, const struct state *s, int64_t found)
{
	if (reports++ >= MAX_REPORTS)
		return;
	fprintf(stderr, "iocheck: sector %llu: found ", (unsigned long long)sector);
	if (found < 0)
		fprintf(stderr, "what was never written there");
	else
		fprintf(stderr, "version %lld", (long long)found);
	fprintf(stderr, ", last %u, durable %u to %u%s%s\n", s->now, s->low, s->high,
		s->flags & ZERO_MAY_BE ? " or zeros" : "",
		s->flags & NOW_UNSURE ? ", last is unsure" : "");
}

/*
 * Read what another process is writing: each sector is what had been written
 * when the read began, or something that was sent since.
 */
static void do_watch(void)
{
	time_t end = time(NULL) + arg.seconds;
	uint64_t at, i, reads = 0;
	uint32_t *before;
	int64_t found;
	uint64_t writer;
	void *buf;

	before = calloc(arg.bs, sizeof(*before));
	if (!before || posix_memalign(&buf, 4096, arg.bs * SECTOR))
		die("memory");
	signal(SIGTERM, on_sigterm);
	do {
		at = arg.start + next_random() % (arg.len / arg.bs) * arg.bs;
		for (i = 0; i < arg.bs; i++)
			before[i] = __atomic_load_n(&model->s[at + i].now, __ATOMIC_ACQUIRE);
		read_sectors(buf, at, arg.bs);
		for (i = 0; i < arg.bs; i++) {
			found = stamp_read(buf + i * SECTOR, at + i, &writer);
			if (found < before[i] ||
			    found > __atomic_load_n(&model->s[at + i].high, __ATOMIC_ACQUIRE))
				report(at + i, &model->s[at + i], found);
		}
		reads++;
	} while (!reports && !told_to_end && time(NULL) < end);
	printf("%llu reads\n", (unsigned long long)reads);
	if (reports)
		exit(1);
}

static void check(uint64_t start, uint64_t len, uint64_t bs, uint64_t step, bool recover)
{
	uint64_t at, n, i;
	int64_t found;
	uint64_t writer;
	struct state *s;
	void *buf;

	/* a huge page if there are any: a large read is a few segments then */
	if (posix_memalign(&buf, HUGE_PAGE, (bs * SECTOR | (HUGE_PAGE - 1)) + 1))
		die("memory");
	for (at = start; at < start + len; at += step) {
		n = start + len - at < bs ? start + len - at : bs;
		if (!read_sectors(buf, at, n)) {
			stopped = true;
			break;
		}
		for (i = 0; i < n; i++) {
			s = &model->s[at + i];
			found = stamp_read(buf + i * SECTOR, at + i, &writer);
			if (!allowed(s, found, recover)) {
				report(at + i, s, found);
			} else if (recover) {
				s->now = found;
				s->flags &= ~NOW_UNSURE;
				model_durable(s);
			}
		}
	}
	free(buf);
	if (reports) {
		fprintf(stderr, "iocheck: %u sectors are wrong\n", reports);
		exit(1);
	}
}

static void do_fails(void)
{
	uint64_t at;
	void *buf;

	if (posix_memalign(&buf, 4096, MAX_BS * SECTOR))
		die("memory");
	for (at = 0; at < arg.len; at += arg.bs) {
		ssize_t n = pread(fd, buf, arg.bs * SECTOR, (arg.start + at) * SECTOR);

		if (n >= 0 || errno != (int)arg.error) {
			fprintf(stderr, "iocheck: a read of %llu + %llu: %s\n",
				(unsigned long long)(arg.start + at), (unsigned long long)arg.bs,
				n < 0 ? strerror(errno) : "no error");
			exit(1);
		}
	}
	free(buf);
}

/* --- All in turn --- */

static void stress_erase(unsigned long request)
{
	uint64_t sectors = random_size();
	uint64_t start = arg.start +
			 next_random() % ((arg.len - sectors) / arg.align + 1) * arg.align;

	do_erase(request, start, sectors);
	if (request == BLKZEROOUT)
		return;
	/* A discard that went past the log leaves old or zeros: write it again. */
	send_write(start, sectors);
	reap(true);
}

static void do_stress(void)
{
	time_t end = time(NULL) + arg.seconds;
	uint64_t seq, i;

	do {
		switch (next_random() % 10) {
		case 0:
			stress_erase(BLKDISCARD);
			break;
		case 1:
			stress_erase(BLKZEROOUT);
			break;
		case 2:
			do_flush();
			break;
		case 3:
		case 4:
			seq = next_random() % (arg.len / 2);
			for (i = 0; i < 64 && (i + 1) * arg.max <= arg.len / 2; i++)
				send_write(arg.start + seq / arg.align * arg.align + i * arg.max,
					   arg.max);
			reap(true);
			break;
		default:
			for (i = 0; i < 100; i++)
				send_random(random_size(), arg.align);
			reap(true);
		}
		if (next_random() % 4 == 0)
			check(arg.start, arg.len, CHUNK, CHUNK, false);
	} while (!stopped && time(NULL) < end);
	check(arg.start, arg.len, CHUNK, CHUNK, false);
}

/* --- Command line --- */

static void parse(char **argv)
{
	static const struct {
		const char *name;
		uint64_t *value;
	} keys[] = {
		{ "start", &arg.start }, { "len", &arg.len }, { "bs", &arg.bs },
		{ "step", &arg.step }, { "nr", &arg.nr }, { "seed", &arg.seed },
		{ "max", &arg.max }, { "depth", &arg.depth }, { "align", &arg.align },
		{ "fua", &arg.fua }, { "fsync", &arg.fsync }, { "errors", &arg.errors },
		{ "seconds", &arg.seconds }, { "errno", &arg.error },
		{ "hint", &arg.hint }, { NULL, NULL }
	};
	size_t i, n;

	for (; *argv; argv++) {
		for (i = 0; keys[i].name; i++) {
			n = strlen(keys[i].name);
			if (!strncmp(*argv, keys[i].name, n) && (*argv)[n] == '=')
				break;
		}
		if (!keys[i].name) {
			fprintf(stderr, "iocheck: what is %s?\n", *argv);
			exit(2);
		}
		*keys[i].value = strtoull(*argv + n + 1, NULL, 0);
	}
}

static void defaults(void)
{
	if (arg.len > model->sectors - arg.start)
		arg.len = model->sectors - arg.start;
	if (!arg.step)
		arg.step = arg.bs;
	if (arg.bs > MAX_BS || arg.max > MAX_BS || arg.depth > MAX_DEPTH || !arg.bs || !arg.depth ||
	    arg.start >= model->sectors) {
		fprintf(stderr, "iocheck: out of bounds\n");
		exit(2);
	}
	rng = mix(arg.seed);
}

static void do_mixed(void)
{
	do_random(true);
}

static void do_even(void)
{
	do_random(false);
}

static void do_zero(void)
{
	do_erase(BLKZEROOUT, arg.start, arg.len);
}

static void do_discard(void)
{
	do_erase(BLKDISCARD, arg.start, arg.len);
}

static void do_verify(void)
{
	check(arg.start, arg.len, arg.bs, arg.step, false);
}

static void do_recover(void)
{
	check(arg.start, arg.len, arg.bs, arg.step, true);
}

static const struct command {
	const char *name;
	void (*run)(void);
	bool reads;
} commands[] = {
	{ "write", do_write, false },
	{ "random", do_even, false },
	{ "mixed", do_mixed, false },
	{ "race", do_race, false },
	{ "zero", do_zero, false },
	{ "discard", do_discard, false },
	{ "flush", do_flush, false },
	{ "stress", do_stress, false },
	{ "verify", do_verify, true },
	{ "recover", do_recover, true },
	{ "watch", do_watch, true },
	{ "fails", do_fails, true },
	{ NULL, NULL, false }
};

int main(int argc, char **argv)
{
	const struct command *c = commands;
	uint64_t bytes;

	if (argc < 4) {
		fprintf(stderr, "usage: iocheck MODEL DEVICE COMMAND [KEY=VALUE]...\n");
		return 2;
	}
	while (c->name && strcmp(c->name, argv[3]))
		c++;
	if (!c->name) {
		fprintf(stderr, "iocheck: no command %s\n", argv[3]);
		return 2;
	}
	arg = (struct args){
		.len = UINT64_MAX, .bs = c->reads ? CHUNK : 8, .nr = 1, .seed = 1, .max = 64,
		.depth = 16, .align = 1, .seconds = 10, .error = EIO
	};
	parse(argv + 4);
	fd = open(argv[2], (c->reads ? O_RDONLY : O_RDWR) | O_DIRECT | O_CLOEXEC);
	if (fd < 0 || ioctl(fd, BLKGETSIZE64, &bytes))
		die(argv[2]);
	if (arg.hint && fcntl(fd, F_SET_RW_HINT, &arg.hint))
		die("F_SET_RW_HINT");
	open_model(argv[1], bytes / SECTOR);
	defaults();
	if (!c->reads && syscall(SYS_io_setup, MAX_DEPTH, &aio))
		die("io_setup");
	c->run();
	if (arg.fsync && !stopped)
		do_flush();
	return 0;
}
