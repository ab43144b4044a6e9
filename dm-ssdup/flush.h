/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: FLUSH, FUA, and flushes of the HDD.
 */
#ifndef SSDUP_FLUSH_H
#define SSDUP_FLUSH_H

#include "ssdup.h"

/** ssdup_flush_init() - nothing waits, nothing is owed; context: the constructor */
void ssdup_flush_init(struct ssdup *c);

/** ssdup_queue_flush() - a FLUSH: it is done after the next commit and a flush of the HDD */
void ssdup_queue_flush(struct ssdup *c, struct bio *bio);

/** ssdup_queue_fua() - a FUA write whose extent is published: it is done after the next commit */
void ssdup_queue_fua(struct ssdup *c, struct bio *bio);

/** ssdup_take_fuas() - those that the commit about to begin covers; process context */
struct bio_list ssdup_take_fuas(struct ssdup *c);

/** ssdup_end_fuas() - that commit has ended, with @error or 0; process context, no lock held */
void ssdup_end_fuas(struct ssdup *c, struct bio_list *bios, int error);

/** ssdup_owe() - a flush failed that somebody relied on, and who did was not told; any context */
void ssdup_owe(struct ssdup *c);

/** ssdup_pay_fua() - does a FUA write that comes now have to fail? any context */
bool ssdup_pay_fua(struct ssdup *c);

/** ssdup_unpay_fua() - part of a FUA write goes to the next table, which may undo its error */
void ssdup_unpay_fua(struct ssdup *c);

/** ssdup_inherit_owed() - what @from, of an earlier table, owes is @c's now; context: preresume */
void ssdup_inherit_owed(struct ssdup *c, struct ssdup *from);

/**
 * ssdup_hdd_dropped() - a flush of the HDD failed, and may have dropped what was in its cache
 *
 * To be called before the request that failed ends: a later flush, which finds nothing to do
 * any more and succeeds, is not sent before that.
 *
 * Context: any.
 */
void ssdup_hdd_dropped(struct ssdup *c);

/** ssdup_flush_hdd() - flush the HDD if direct writes ended since the last flush */
int ssdup_flush_hdd(struct ssdup *c);

/** ssdup_flush_drained() - flush the HDD for what a drain wrote there, beside other flushes */
int ssdup_flush_drained(struct ssdup *c);

#endif
