/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: FLUSH: a commit and a flush of the HDD, side by side.
 */
#ifndef SSDUP_FLUSH_H
#define SSDUP_FLUSH_H

#include "ssdup.h"

/** ssdup_flush_work() - end c->flushes after a commit and a flush of the HDD */
void ssdup_flush_work(struct work_struct *work);

#endif
