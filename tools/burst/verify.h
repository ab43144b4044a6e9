/* SPDX-License-Identifier: GPL-2.0-only */
/* burst: reading back. */
#ifndef BURST_VERIFY_H
#define BURST_VERIFY_H

#include "order.h"

/**
 * run_verify() - read back what a job wrote
 * @job: the job
 * @path: device
 *
 * Return: sectors that do not hold what the job wrote; their number is printed.
 */
u64 run_verify(const struct job *job, const char *path);

#endif /* BURST_VERIFY_H */
