/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: waiting until everything is on the HDD, with a progress bar, and until
 * somebody has had enough of it.
 */
#ifndef SSDUP_WAIT_H
#define SSDUP_WAIT_H

#include "progress.h"
#include "state.h"

/** catch_signals() - from now on SIGINT, SIGTERM and SIGHUP only set a flag */
void catch_signals(void);

/** interrupted() - one of them has come */
bool interrupted(void);

/** now_ms() - a clock that only goes forward */
uint64_t now_ms(void);

/** bar_show() - draw it over the last one, on the terminal at stderr */
void bar_show(const struct progress *p);

/** bar_clear() - take it away again */
void bar_clear(void);

/** ticker_begin() - from now on, on stderr */
void ticker_begin(struct ticker *t);

/** ticker_show() - say how far it is with @path, if that is due; not if quiet */
void ticker_show(const struct ssdup_ctx *ctx, struct ticker *t, const char *path,
		 const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/** ticker_end() - take it away again */
void ticker_end(struct ticker *t);

/**
 * sync_device() - write back the page cache of the device and of what is mounted on it
 *
 * When somebody else has the device open, such as a volume on it, that of all file systems.
 *
 * Return: 0 or -errno. The device's log may hold all of it afterwards.
 */
int sync_device(const struct state *s);

/**
 * drain_and_wait() - drain, and wait until what was written up to now is on the HDD
 * @s: read again all the time; as of the end on return
 * @below: return as soon as no more than so many bytes are dirty, without a drain where
 * that is so already, and drain again what was written meanwhile; 0: none
 *
 * With a terminal at stderr, and not quiet, a bar shows how far it is. Interrupted,
 * the drain goes on without us.
 *
 * Return: EXIT_OK, EXIT_INTERRUPTED (not complained about), or an exit code with the
 * complaint made.
 */
int drain_and_wait(const struct ssdup_ctx *ctx, struct state *s, uint64_t below);

#endif
