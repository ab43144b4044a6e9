// SPDX-License-Identifier: GPL-2.0-only
/*
 * cuts: the load. Several writers at once, each a thread with a stream of random
 * numbers of its own, and a controller that turns knobs and changes tables.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../iocheck/stamp.h"
#include "journal.h"
#include "work.h"

#define MAX_WRITERS	8
#define BATCH		16U
#define MAX_SECTORS	128U
#define HANG_SECONDS	400
#define WAIT_SECONDS	30	/* until writers that wait with the power off get errors */

enum { DO_RANDOM, DO_SEQ, DO_HOT, DO_FUA, DO_FLUSH, DO_ZERO, DO_DISCARD, DO_READ };

struct writer {
	const struct plan *p;
	const struct device *d;
	pthread_t thread;
	struct rng rng;
	unsigned int number;
	int fd;
	aio_context_t aio;
	char *buf;
	struct iocb cb[BATCH];
	uint32_t entry[BATCH];
	unsigned int nr;		/* of a batch */
};

unsigned int work_errors;

static bool stopped, ssd_failed;

bool power_is_off(void)
{
	char text[64];

	if (!read_file("/sys/module/ssdup_disks/parameters/cut_at", text, sizeof(text)))
		return false;
	return !strncmp(text, "done", 4) || !strncmp(text, "cutting", 7);
}

/* Something failed: for the power, or else it should not have. */
static void trouble(const char *what, int error)
{
	bool off = power_is_off();

	/* What only that SSD has can be neither read nor written over. */
	if (!off && ssd_failed && error == EIO)
		return;
	stopped = true;
	if (off)
		return;
	__atomic_add_fetch(&work_errors, 1, __ATOMIC_RELAXED);
	printf("  %s fails with the power on: %s\n", what, strerror(error));
}

/* --- Writers --- */

static void add(struct writer *w, uint64_t start, uint32_t sectors, bool fua)
{
	unsigned int i = w->nr++;
	char *buf = w->buf + i * MAX_SECTORS * SECTOR;

	w->entry[i] = journal_begin(KIND_WRITE, w->number, start, sectors, fua);
	journal_stamp(buf, w->entry[i], start, sectors);
	w->cb[i] = (struct iocb){
		.aio_data = i,
		.aio_lio_opcode = IOCB_CMD_PWRITE,
		.aio_fildes = w->fd,
		.aio_buf = (uintptr_t)buf,
		.aio_nbytes = sectors * SECTOR,
		.aio_offset = start * SECTOR,
		/* Asynchronous: FUA on the write, and no flush after it. */
		.aio_rw_flags = fua ? RWF_DSYNC : 0,
	};
}

/* Send what was added, and wait for the end of all of it. */
static void send(struct writer *w)
{
	struct io_event ev[BATCH];
	struct iocb *cb[BATCH];
	unsigned int i, left = w->nr;
	long n;

	for (i = 0; i < w->nr; i++)
		cb[i] = &w->cb[i];
	for (i = 0; i < w->nr; i += n) {
		n = syscall(SYS_io_submit, w->aio, w->nr - i, cb + i);
		if (n < 0)
			die("io_submit");
	}
	while (left) {
		n = syscall(SYS_io_getevents, w->aio, 1, left, ev, NULL);
		if (n < 0 && errno != EINTR)
			die("io_getevents");
		for (i = 0; (long)i < n; i++) {
			unsigned int k = ev[i].data;
			bool ok = ev[i].res == (int64_t)w->cb[k].aio_nbytes;

			journal_end(w->entry[k], ok);
			if (!ok)
				trouble("a write", -ev[i].res);
			left--;
		}
	}
	w->nr = 0;
}

static uint32_t size(struct writer *w)
{
	return (1 + rng_below(&w->rng, w->p->max / w->p->align)) * w->p->align;
}

static uint64_t place(struct writer *w, uint64_t span, uint32_t sectors)
{
	return rng_below(&w->rng, (span - sectors) / w->p->align + 1) * w->p->align;
}

static void writes(struct writer *w, uint64_t span, bool fua)
{
	unsigned int n = 1 + rng_below(&w->rng, fua ? 3 : BATCH);
	uint32_t sectors;

	while (n--) {
		sectors = size(w);
		add(w, place(w, span, sectors), sectors, fua);
	}
	send(w);
}

static void sequence(struct writer *w)
{
	unsigned int n = 4 + rng_below(&w->rng, BATCH - 3);
	uint64_t at = place(w, w->p->span, n * MAX_SECTORS);

	for (; n; n--, at += MAX_SECTORS)
		add(w, at, MAX_SECTORS, false);
	send(w);
}

static void flush(struct writer *w)
{
	uint32_t entry = journal_begin(KIND_FLUSH, w->number, 0, 0, false);
	bool ok = !fsync(w->fd);
	int error = errno;

	journal_end(entry, ok);
	/* With the power off meanwhile it may have failed for that. */
	if (!ok && ssd_failed)
		journal_unsure(entry);
	if (!ok)
		trouble("FLUSH", error);
}

static void erase(struct writer *w, bool zero)
{
	uint32_t sectors = size(w);
	uint64_t start = place(w, w->p->span, sectors);
	uint64_t range[2] = { start * SECTOR, (uint64_t)sectors * SECTOR };
	uint32_t entry = journal_begin(zero ? KIND_ZERO : KIND_DISCARD, w->number, start, sectors,
				       false);
	bool ok = !ioctl(w->fd, zero ? BLKZEROOUT : BLKDISCARD, range);
	int error = errno;

	journal_end(entry, ok);
	if (!ok)
		trouble(zero ? "zeroing" : "a discard", error);
}

static void read_back(struct writer *w)
{
	uint32_t sectors = size(w);
	uint64_t start = place(w, w->p->span, sectors), since = journal_time();
	ssize_t n = pread(w->fd, w->buf, sectors * SECTOR, start * SECTOR);

	if (n != (ssize_t)(sectors * SECTOR))
		trouble("a read", errno);
	else
		work_errors += journal_check(w->buf, start, sectors, since, "at work");
}

static void work_step(struct writer *w)
{
	unsigned int i, sum = 0, what;

	for (i = 0; i < ARRAY_SIZE(w->p->weight); i++)
		sum += w->p->weight[i];
	what = rng_below(&w->rng, sum);
	for (i = 0; what >= w->p->weight[i]; i++)
		what -= w->p->weight[i];
	switch (i) {
	case DO_RANDOM:
		writes(w, w->p->span, false);
		break;
	case DO_SEQ:
		sequence(w);
		break;
	case DO_HOT:
		writes(w, 512, false);
		break;
	case DO_FUA:
		writes(w, w->p->span, true);
		break;
	case DO_FLUSH:
		flush(w);
		break;
	case DO_ZERO:
	case DO_DISCARD:
		erase(w, i == DO_ZERO);
		break;
	case DO_READ:
		read_back(w);
	}
}

static void *writer_thread(void *arg)
{
	struct writer *w = arg;
	unsigned int i;

	for (i = 0; i < w->p->ops && !stopped; i++)
		work_step(w);
	return NULL;
}

static void writer_init(struct writer *w, const struct plan *p, const struct device *d,
			unsigned int number, unsigned int round)
{
	void *buf;

	memset(w, 0, sizeof(*w));
	w->p = p;
	w->d = d;
	w->number = number;
	w->rng = rng_split(p->seed, 100 * (round + 1) + number);
	w->fd = open(d->path, O_RDWR | O_DIRECT | O_CLOEXEC);
	if (w->fd < 0 || syscall(SYS_io_setup, BATCH, &w->aio))
		die(d->path);
	if (posix_memalign(&buf, 4096, BATCH * MAX_SECTORS * SECTOR))
		die("memory");
	w->buf = buf;
}

static void writer_exit(struct writer *w)
{
	syscall(SYS_io_destroy, w->aio);
	close(w->fd);
	free(w->buf);
}

/* --- The controller --- */

struct controller {
	const struct plan *p;
	struct device *d;
	struct rng rng;
};

static const char *pick(struct rng *r, const char *words)
{
	static char word[32];
	unsigned int n = 1;
	const char *at;

	for (at = words; *at; at++)
		n += *at == ' ';
	for (n = rng_below(r, n), at = words; n; at++)
		n -= *at == ' ';
	snprintf(word, sizeof(word), "%.*s", (int)strcspn(at, " "), at);
	return word;
}

static void turn(struct controller *c)
{
	static const struct {
		const char *knob, *values;
	} knobs[] = {
		{ "drain", "auto eager manual" },
		{ "autocommit_ms", "1 20 1000" },
		{ "clean_percent", "0 50 90" },
		/* Refused without clean data. */
		{ "promote", "0 1000T 1000T" },
		/* The last one not when some sectors must not be written directly. */
		{ "policy", "all none adaptive watermark balance all" },
	};
	unsigned int i = rng_below(&c->rng, c->p->unwritable ? 4 : ARRAY_SIZE(knobs));

	device_knob(c->d, knobs[i].knob, pick(&c->rng, knobs[i].values));
}

/* New data, or new data somewhere, gets another class. */
static void change_class(struct controller *c)
{
	const char *name = pick(&c->rng, "default a b a b");
	unsigned int len = (1 + rng_below(&c->rng, c->p->span / 32)) * 8;
	unsigned int start = rng_below(&c->rng, c->p->span - len) / 8 * 8;
	char message[80];

	if (rng_below(&c->rng, 2))
		snprintf(message, sizeof(message), "class %s", name);
	else
		snprintf(message, sizeof(message), "class %s %u %u", name, start, len);
	device_message(c->d, message);
}

/* Space on the SSD gets dearer or cheaper; the kernel refuses it beside some policies. */
static void change_price(struct controller *c)
{
	device_knob(c->d, "ssd_budget", pick(&c->rng, "1M 64M 100G 0 0.5dwpd"));
}

/* It is gone, or its flushes fail. */
static void fail_ssd(struct controller *c)
{
	static const char *const how[] = { "gone", "fail_flush", "fail_flush" };
	unsigned int which = rng_below(&c->rng, c->p->dies);
	char path[64];

	snprintf(path, sizeof(path), "/sys/block/mssd%u/model/%s",
		 c->p->mirror ? c->p->victim : which, how[rng_below(&c->rng, 3)]);
	if (!c->p->mirror)
		__atomic_store_n(&ssd_failed, true, __ATOMIC_SEQ_CST);
	if (!write_file(path, "1"))
		die(path);
}

static void *controller_thread(void *arg)
{
	struct controller *c = arg;
	unsigned int nr = c->p->controls + (c->p->dies ? 3 : 0), i;
	unsigned int fails = c->p->dies ? rng_below(&c->rng, nr) : 0;

	for (i = 0; i < nr && !stopped; i++) {
		usleep(rng_below(&c->rng, 30000));
		if (c->p->dies && i == fails)
			fail_ssd(c);
		if (c->p->classes && rng_below(&c->rng, 4)) {
			change_class(c);
			continue;
		}
		if (c->p->budget && rng_below(&c->rng, 2)) {
			change_price(c);
			continue;
		}
		switch (rng_below(&c->rng, 6)) {
		case 0:
			device_message(c->d, "drain");
			break;
		case 1:
			device_message(c->d, pick(&c->rng, "commit drain"));
			break;
		case 2:
			/* Without the SSD that fails the next table is refused. */
			if (c->p->suspends && !c->p->dies &&
			    !device_reload(c->d, rng_below(&c->rng, 2)))
				trouble("a reload", errno);
			break;
		default:
			turn(c);
		}
	}
	return NULL;
}

/* --- All of it --- */

void work_plan(struct plan *p, uint64_t seed)
{
	/* random seq hot fua flush zero discard read */
	static const uint8_t weights[][8] = {
		{ 8, 1, 2, 1, 1, 1, 1, 2 },
		{ 4, 4, 1, 0, 1, 0, 0, 1 },		/* both routes */
		{ 1, 0, 8, 1, 2, 1, 1, 2 },		/* rewrites */
		{ 3, 0, 1, 6, 6, 0, 0, 1 },		/* storms */
		{ 12, 2, 1, 0, 1, 0, 0, 0 },		/* a full log */
		{ 4, 1, 2, 1, 2, 4, 4, 2 },		/* tombstones */
	};
	static const unsigned int spans[] = { 4096, 8192, 16384, HDD_SECTORS };
	struct rng r = rng_split(seed, 1);
	unsigned int mix = rng_below(&r, ARRAY_SIZE(weights)), i;

	memset(p, 0, sizeof(*p));
	p->seed = seed;
	for (i = 0; i < 8; i++)
		p->weight[i] = weights[mix][i];
	p->writers = 2 + rng_below(&r, 4);
	p->ops = (mix == 4 ? 200 : 40 + rng_below(&r, 120)) / p->writers + 4;
	p->max = mix == 3 ? 16 : 8 << rng_below(&r, 4);
	p->span = spans[rng_below(&r, ARRAY_SIZE(spans))];
	p->align = 1;
	p->controls = rng_below(&r, 3) ? rng_below(&r, 12) : 0;
	p->suspends = rng_below(&r, 2);
}

/*
 * Wait for a writer until @end. With the power off, one that waits for space waits for an HDD
 * that never answers again: give it its error.
 */
static bool joined(pthread_t writer, struct device *d, const struct timespec *end)
{
	struct timespec soon;

	do {
		clock_gettime(CLOCK_REALTIME, &soon);
		if (soon.tv_sec >= end->tv_sec)
			return false;
		soon.tv_sec += WAIT_SECONDS;
		if (!pthread_timedjoin_np(writer, NULL, &soon))
			return true;
		if (power_is_off())
			device_fail(d);
	} while (true);
}

bool work_run(const struct plan *p, struct device *d, unsigned int round)
{
	static struct writer w[MAX_WRITERS];
	struct controller c = { p, d, rng_split(p->seed, 50 + round) };
	struct timespec end;
	pthread_t controller;
	unsigned int i;

	stopped = false;
	ssd_failed = false;
	for (i = 0; i < p->writers; i++)
		writer_init(&w[i], p, d, i, round);
	pthread_create(&controller, NULL, controller_thread, &c);
	for (i = 0; i < p->writers; i++)
		pthread_create(&w[i].thread, NULL, writer_thread, &w[i]);
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += HANG_SECONDS;
	for (i = 0; i < p->writers; i++)
		if (!joined(w[i].thread, d, &end))
			return false;
	if (pthread_timedjoin_np(controller, NULL, &end))
		return false;
	for (i = 0; i < p->writers; i++)
		writer_exit(&w[i]);
	return true;
}
