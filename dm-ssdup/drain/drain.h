/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the drain of a group of segments. Only the writeback thread drains.
 */
#ifndef SSDUP_DRAIN_H
#define SSDUP_DRAIN_H

#include "drainer.h"
#include "route/meter.h"

/** ssdup_drainer_create() - allocate the drain's buffers and arrays */
int ssdup_drainer_create(struct ssdup_drainer *drainer);
void ssdup_drainer_destroy(struct ssdup_drainer *drainer);

/**
 * ssdup_drain_turn() - choose a group, drain one batch of it, or let it be freed
 * @how: for the batch
 * @size: for the next group
 * @class: of the next group
 * @empty: the next group is of segments of which nothing has to be written
 *
 * Return: 0, or an error after which the oldest group is tried again from its start. Also 0
 * after an error if a drain was requested since the try began.
 */
int ssdup_drain_turn(struct ssdup_drainer *drainer, const struct pacing_out *how,
		     const struct pacing_group *size, struct ssdup_class *class, bool empty);

/** ssdup_drain_class() - the class of the group being copied, or NULL; the writeback thread */
struct ssdup_class *ssdup_drain_class(struct ssdup_drainer *drainer);

/** ssdup_drain_freeing() - segments of the group that is being freed; the writeback thread */
u32 ssdup_drain_freeing(const struct ssdup_drainer *drainer);

/** ssdup_drain_held() - do not count the thread's rest since @since as the group's time */
void ssdup_drain_held(struct ssdup_drainer *drainer, struct meter_mark since);

/** ssdup_drain_drop() - forget the group being drained, and wait for the one being freed */
void ssdup_drain_drop(struct ssdup_drainer *drainer);

/** ssdup_drain_failed() - could a group not be freed? The next turn returns the error */
bool ssdup_drain_failed(struct ssdup_drainer *drainer);

/** ssdup_drain_anew() - forget the last error; later ones come from tries that begin after this */
void ssdup_drain_anew(struct ssdup_drainer *drainer);

#endif
