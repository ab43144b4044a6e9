/* SPDX-License-Identifier: GPL-2.0-only */
/* burst: reading back. */
#ifndef BURST_VERIFY_H
#define BURST_VERIFY_H

#include "order.h"

/** count_wrong() - which of @sectors, read from @lba, do not hold what the job wrote */
u64 count_wrong(const struct job *job, const char *buf, u64 lba, u32 sectors);

/**
 * run_verify() - read back what a job wrote
 * @job: the job
 * @path: device
 *
 * Return: sectors that do not hold what the job wrote; their number is printed.
 */
u64 run_verify(const struct job *job, const char *path);

#endif /* BURST_VERIFY_H */
