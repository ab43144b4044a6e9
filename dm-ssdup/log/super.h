/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the pool's superblock, and the record of the log: super.c.
 */
#ifndef SSDUP_LOG_SUPER_H
#define SSDUP_LOG_SUPER_H

#include "groups.h"

/** ssdup_super_create() - allocate memory, read nothing; context: the constructor */
int ssdup_super_create(struct ssdup_log *log);
void ssdup_super_destroy(struct ssdup_log *log);

/** ssdup_super() - superblock and record; UUIDs and epoch are constant while the device runs */
const struct log_super *ssdup_super(const struct ssdup_log *log);

/**
 * ssdup_super_read() - read both copies of superblock and record, and pick one of each
 * @mend: receives whether a copy has to be rewritten
 * @which: receives the number of the SSD that *fault is of; see ssdup_ssds_match()
 *
 * Context: process, sleeps.
 * Return: 0 with *s filled in, 1 for blank SSDs, or -errno with *fault set. *s is the superblock of
 * an SSD if one is missing. Of blank ones it has the UUID of the pool, if a cut left one.
 */
int ssdup_super_read(struct ssdup_log *log, struct log_super *s, bool *mend, enum log_fault *fault,
		     u32 *which);

/** ssdup_record_read() - the record of the log @s->log, by the superblock in @s; sleeps */
enum log_fault ssdup_record_read(struct ssdup_log *log, struct log_super *s);

/** ssdup_super_blank() - one to read into, which is zero; the constructor and preresume */
struct log_super *ssdup_super_blank(struct ssdup_log *log);

/** ssdup_super_found() - the log is that of @s, or is to be; context: the constructor */
void ssdup_super_found(struct ssdup_log *log, const struct log_super *s);

/** ssdup_super_same() - is it the log that the constructor found, if there was one? preresume */
bool ssdup_super_same(const struct ssdup_log *log, const struct log_super *s);

/** ssdup_super_classes() - take its classes. Return: has the constructor made room? preresume */
bool ssdup_super_classes(struct ssdup_log *log, const struct log_super *s);

/** ssdup_super_take() - use @super; @mend: a copy has to be rewritten. Context: preresume */
void ssdup_super_take(struct ssdup_log *log, const struct log_super *super, bool mend);

/**
 * ssdup_begin_epoch() - begin an epoch: metadata pages may be written from here on
 *
 * So a later replay can tell these pages from those that a crash left. A later resume of the
 * same table continues the epoch, because its pages do; it fails with -EBUSY when somebody has
 * written to the log since the suspend. Context: preresume. Return: 0 or -errno.
 */
int ssdup_begin_epoch(struct ssdup_log *log);

/**
 * ssdup_raise_tails() - write the record with a tail behind each part of a group
 *
 * So it frees these segments, and all older ones of their classes. Context: process, sleeps.
 * Return: 0 or -errno.
 */
int ssdup_raise_tails(struct ssdup_log *log, const struct drain_group *g);

/** ssdup_write_closed() - write that the log is closed, and what it holds; no I/O is in flight */
void ssdup_write_closed(struct ssdup_log *log);

#endif
