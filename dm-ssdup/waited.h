/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: writes that have waited.
 */
#ifndef SSDUP_WAITED_H
#define SSDUP_WAITED_H

#include <linux/workqueue.h>

/** ssdup_wait_work() - try them again */
void ssdup_wait_work(struct work_struct *work);

#endif
