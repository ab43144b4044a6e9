/* SPDX-License-Identifier: GPL-2.0-only */
/* burst: time, memory, and the end after an error. */
#ifndef BURST_UTIL_H
#define BURST_UTIL_H

#include <stdbool.h>
#include <stddef.h>

typedef unsigned int u32;
typedef unsigned long long u64;

#define SECTOR		512

u64 now_ns(void);

/** alloc() - zeroed memory for direct I/O; without memory the process ends */
void *alloc(size_t bytes);

/** die() - print an error, and which argument or file it is about; status 1 */
void die(const char *what, const char *which) __attribute__((noreturn));

#endif /* BURST_UTIL_H */
