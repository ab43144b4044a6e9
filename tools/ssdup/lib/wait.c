// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: waiting for a drain. The kernel's message "drain" returns when all is done,
 * and tells what went wrong; a child sends it, while we look how far it is.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "dev.h"
#include "wait.h"

#define LOOK_MS		200

static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
	stop = 1;
}

void catch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	/* Without SA_RESTART: what waits is to wake up. */
	struct sigaction action = { .sa_handler = on_signal };
	unsigned int i;

	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
}

bool interrupted(void)
{
	return stop;
}

uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ULL + t.tv_nsec / 1000000;
}

/* --- The child --- */

struct child {
	pid_t	pid;
	int	fd;		/* it writes its errno there */
};

static int start_drain(const char *name, struct child *c)
{
	int fds[2], r;

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	fflush(stdout);
	c->pid = fork();
	if (!c->pid) {
		/* A ^C is the parent's to hear; it ends us by SIGKILL. */
		signal(SIGINT, SIG_IGN);
		r = dmdev_message(name, "drain");
		_exit(write(fds[1], &r, sizeof(r)) != sizeof(r));
	}
	close(fds[1]);
	c->fd = fds[0];
	if (c->pid > 0)
		return 0;
	close(c->fd);
	return -errno;
}

static void stop_drain(struct child *c)
{
	kill(c->pid, SIGKILL);
	close(c->fd);
	while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* Has it ended? Waits for that a little; true with its errno in *@r. */
static bool flush_ended(const struct child *c, int *r)
{
	struct pollfd p = { .fd = c->fd, .events = POLLIN };

	if (poll(&p, 1, LOOK_MS) <= 0)
		return false;
	if (read(c->fd, r, sizeof(*r)) != sizeof(*r))
		*r = -EINTR;
	return true;
}

/* --- The bar --- */

static unsigned int columns(void)
{
	struct winsize w;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) || !w.ws_col ? 80 : w.ws_col;
}

void bar_show(const struct progress *p)
{
	char line[256];

	fprintf(stderr, "\r%s\033[K", progress_line(line, sizeof(line), columns() - 1, p));
	fflush(stderr);
}

void bar_clear(void)
{
	fprintf(stderr, "\r\033[K");
	fflush(stderr);
}

void ticker_begin(struct ticker *t)
{
	*t = (struct ticker){ .begin = now_ms(), .terminal = isatty(STDERR_FILENO) };
}

void ticker_show(const struct ssdup_ctx *ctx, struct ticker *t, const char *path,
		 const char *fmt, ...)
{
	va_list args;

	if (ctx->quiet || !ticker_due(t, now_ms()))
		return;
	fprintf(stderr, "%sssdup %s: %s: ", t->terminal ? "\r" : "", ctx->command, path);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputs(t->terminal ? "\033[K" : "\n", stderr);
	fflush(stderr);
}

void ticker_end(struct ticker *t)
{
	if (t->terminal && t->shown)
		bar_clear();
	t->shown = 0;
}

/* --- All of it --- */

static int explain(const struct ssdup_ctx *ctx, const struct state *s, int r)
{
	int code = state_degraded(s) ? EXIT_DEGRADED : EXIT_FAILED;
	char size[SIZE_TEXT];

	format_size(size, s->v.dirty_sectors * SECTOR_BYTES);
	switch (r) {
	case 0:
		return EXIT_OK;
	case -EINTR:
		return EXIT_INTERRUPTED;
	case -EAGAIN:
	case -EBUSY:
		return fail(ctx, EXIT_FAILED, s->name, "the device is suspended; resume it first");
	case -ECANCELED:
		return fail(ctx, EXIT_FAILED, s->name,
			    "drains were paused meanwhile; \"dmsetup message %s 0 drain start\"",
			    s->name);
	case -EIO:
	case -EROFS:
		return fail(ctx, EXIT_DEGRADED, s->name,
			    "%s stay in the log: a disk fails; see \"ssdup status %s\" and \"dmesg\"",
			    size, s->name);
	default:
		return fail(ctx, code, s->name, "the drain failed, %s stay in the log: %s", size,
			    error_text(-r));
	}
}

static bool enough(const struct state *s, uint64_t below)
{
	return below && s->v.dirty_sectors * SECTOR_BYTES <= below;
}

/* One flush: what was written before it is on the HDD when it ends. */
static int flush_once(const struct ssdup_ctx *ctx, struct state *s, uint64_t below,
		      struct progress *p)
{
	bool bar = !ctx->quiet && isatty(STDERR_FILENO), ended = false;
	struct child c = { };
	int r, gone = 0;

	r = start_drain(s->name, &c);
	if (r)
		return fail(ctx, EXIT_FAILED, NULL, "%s", error_text(-r));
	while (!stop && !ended && !gone && !enough(s, below)) {
		progress_update(p, now_ms(), state_dirty_bytes(s),
				s->v.drained_sectors * SECTOR_BYTES);
		if (bar)
			bar_show(p);
		ended = flush_ended(&c, &r);
		gone = state_again(s);
	}
	stop_drain(&c);
	if (bar)
		bar_clear();
	if (stop)
		return EXIT_INTERRUPTED;
	if (gone && (!ended || below))
		return state_complain(ctx, s->name, gone);
	free(state_read_lost(s));
	return explain(ctx, s, ended ? r : 0);
}

int drain_and_wait(const struct ssdup_ctx *ctx, struct state *s, uint64_t below)
{
	struct progress p = { };
	int r = EXIT_OK;

	/* What is written meanwhile is not of the flush under way. */
	if (!below)
		return flush_once(ctx, s, 0, &p);
	while (!r && !enough(s, below))
		r = flush_once(ctx, s, below, &p);
	return r;
}

/* --- Page cache --- */

struct synced {
	bool	reached;	/* the file system on the device, at one place or more */
	int	r;
};

/* Another mount may lie over this one. */
static bool is_mount(int fd, uint64_t id)
{
	struct statx st;

	return !statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &st) &&
	       st.stx_mask & STATX_MNT_ID && st.stx_mnt_id == id;
}

/* A mount may be of a file; opening a special one must neither wait nor do anything. */
static int sync_mount(void *arg, const char *mount, uint64_t id)
{
	int fd = open(mount, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct synced *done = arg;

	if (fd < 0)
		return 0;
	if (is_mount(fd, id)) {
		done->reached = true;
		if (syncfs(fd))
			done->r = -errno;
	}
	close(fd);
	return done->r;
}

int sync_device(const struct state *s)
{
	char *path = xprintf("/dev/mapper/%s", s->name);
	struct synced done = { };
	int r, fd;

	dev_each_mount(s->rdev, sync_mount, &done);
	r = done.r;
	if (r)
		goto out;
	/*
	 * Somebody else has it open: a volume, an array or a partition on it, with a file
	 * system of its own, or one that is mounted where we do not see it.
	 */
	if (s->open_count != done.reached)
		sync();
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fsync(fd))
		r = -errno;
	if (fd >= 0)
		close(fd);
out:
	free(path);
	return r;
}
