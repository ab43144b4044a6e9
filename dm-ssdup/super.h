/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the superblock.
 */
#ifndef SSDUP_SUPER_H
#define SSDUP_SUPER_H

#include "ssdup.h"

/** ssdup_super_create() - allocate memory, read nothing; context: the constructor */
int ssdup_super_create(struct ssdup *c);
void ssdup_super_destroy(struct ssdup *c);

/**
 * ssdup_super() - the superblock
 *
 * While the device runs, uuid and epoch are constant, and only the writeback thread changes
 * the generations. Context: any.
 */
const struct log_super *ssdup_super(const struct ssdup *c);

/**
 * ssdup_super_read() - read both copies, and let ssdup_log_super_pick() decide
 * @mend: receives whether a copy has to be rewritten
 *
 * Context: process, sleeps.
 * Return: 0 with *s filled in, 1 for a blank SSD, or -errno with *fault set.
 */
int ssdup_super_read(struct ssdup *c, struct log_super *s, bool *mend, enum log_fault *fault);

/** ssdup_super_take() - let @super, which was read or made, be the superblock; in preresume */
void ssdup_super_take(struct ssdup *c, const struct log_super *super);

/**
 * ssdup_begin_epoch() - begin an epoch: metadata pages may be written from here on
 *
 * Raises the epoch once after recovery. A later resume of the same table continues the epoch,
 * because its pages do. Context: each preresume.
 */
int ssdup_begin_epoch(struct ssdup *c);

/**
 * ssdup_free_record() - give @nr halves new generations in the superblock, which frees them
 *
 * Context: the writeback thread.
 * Return: 0, or -errno: the halves are not free.
 */
int ssdup_free_record(struct ssdup *c, struct ssdup_half **halves, u32 nr);

/** ssdup_write_clean() - write that the log is clean, and its page counts; no I/O is in flight */
void ssdup_write_clean(struct ssdup *c);

#endif
