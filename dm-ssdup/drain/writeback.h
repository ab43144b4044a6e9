/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the writeback thread.
 */
#ifndef SSDUP_WRITEBACK_H
#define SSDUP_WRITEBACK_H

#include "drainer.h"

/** ssdup_writeback_create() - make no thread yet; destroy after -ENOMEM too */
int ssdup_writeback_create(struct ssdup_drainer *drainer);
void ssdup_writeback_destroy(struct ssdup_drainer *drainer);

/** ssdup_writeback_prepare() - make the thread, still asleep; context: preresume */
int ssdup_writeback_prepare(struct ssdup_drainer *drainer);

/** ssdup_writeback_start() - start the thread, if there is one; context: resume */
void ssdup_writeback_start(struct ssdup_drainer *drainer);

/** ssdup_writeback_stop() - stop the thread, if there is one, after its batch; sleeps */
void ssdup_writeback_stop(struct ssdup_drainer *drainer);

#endif
