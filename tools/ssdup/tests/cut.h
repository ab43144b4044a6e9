/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Power cuts for files in memory: the test is linked so that pwrite(), fsync() and fallocate()
 * come here first. Each file is a disk with a cache of its own.
 */
#ifndef SSDUP_CUT_H
#define SSDUP_CUT_H

#include <sys/types.h>

#include "tools/lib/shim.h"

/** cut_after() - let so many writes and flushes through from now on; later ones fail */
void cut_after(u32 requests);

/**
 * cut_done() - the end of it: what was not flushed is there, or not, or is torn
 * @seed: says what
 *
 * Return: whether the power was cut.
 */
bool cut_done(u64 seed);

/* As the linker names them. */
ssize_t __real_pwrite(int fd, const void *buf, size_t len, off_t at);
ssize_t __wrap_pwrite(int fd, const void *buf, size_t len, off_t at);
int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __real_fallocate(int fd, int mode, off_t at, off_t len);
int __wrap_fallocate(int fd, int mode, off_t at, off_t len);

#endif
