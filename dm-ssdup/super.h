/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the superblock.
 */
#ifndef SSDUP_SUPER_H
#define SSDUP_SUPER_H

#include "ssdup.h"

/** ssdup_super_create() - of a table that has read none; context: the constructor */
int ssdup_super_create(struct ssdup *c);
void ssdup_super_destroy(struct ssdup *c);

/**
 * ssdup_super() - the superblock
 *
 * Its uuid and epoch stand still while the device runs; its generations are changed by the
 * writeback thread alone. Context: any.
 */
const struct log_super *ssdup_super(const struct ssdup *c);

/**
 * ssdup_super_read() - read both copies, and let ssdup_log_super_pick() decide
 *
 * Context: process, sleeps.
 * Return: 0 with *s filled in and *mend set when a copy has to be rewritten,
 * 1 for a blank SSD, -errno with *fault set.
 */
int ssdup_super_read(struct ssdup *c, struct log_super *s, bool *mend, enum log_fault *fault);

/** ssdup_super_take() - it is @super, as read or new; context: preresume */
void ssdup_super_take(struct ssdup *c, const struct log_super *super);

/**
 * ssdup_begin_epoch() - from here on pages may be written
 *
 * The epoch is raised once after recovery. A later resume of the same table goes on
 * in the same epoch, for its pages do.
 * Context: preresume, each time.
 */
int ssdup_begin_epoch(struct ssdup *c);

/**
 * ssdup_free_record() - write that @nr halves are free, each with a new generation
 *
 * Context: the writeback thread.
 * Return: 0, or -errno: the halves keep what they hold.
 */
int ssdup_free_record(struct ssdup *c, struct ssdup_half **halves, u32 nr);

/** ssdup_write_clean() - write that nothing has to be looked for; context: nothing runs */
void ssdup_write_clean(struct ssdup *c);

#endif
