/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: what its files call of each other. Included by ssdup.h, which has
 * the structures, and the locks in whose terms the contexts are given.
 */
#ifndef SSDUP_CALLS_H
#define SSDUP_CALLS_H

#include "ssdup.h"

/* --- writeback.c, drain.c --- */

/** ssdup_hdd_inflight() - requests at the HDD but for the drain's; any context, a hint */
u32 ssdup_hdd_inflight(struct ssdup *c);

/** ssdup_writeback_create() - the thread, still asleep; context: preresume */
int ssdup_writeback_create(struct ssdup *c);

/** ssdup_writeback_start() - context: resume, when no target can fail any more */
void ssdup_writeback_start(struct ssdup *c);

/** ssdup_writeback_stop() - ends at the next border of a batch */
void ssdup_writeback_stop(struct ssdup *c);

/**
 * ssdup_ask() - drain whatever the log holds now
 *
 * Context: any. Return: all generations up to this one are to be drained.
 */
u64 ssdup_ask(struct ssdup *c);

/**
 * ssdup_drain_all() - commit and drain everything written so far
 * @leaving: called by a suspend; else a suspend that begins meanwhile ends the wait
 *
 * Context: process, sleeps, interruptible.
 * Return: 0, -EINTR, -EAGAIN for a suspend, -ECANCELED for a pause, or the error
 * that keeps the log from being drained, of a try that began after the call; -EIO when
 * part of it had to stay.
 */
int ssdup_drain_all(struct ssdup *c, bool leaving);

/** ssdup_drainer_create() - buffers and arrays of the drain */
int ssdup_drainer_create(struct ssdup *c);
void ssdup_drainer_destroy(struct ssdup *c);

/**
 * ssdup_drain_turn() - drain one batch of the oldest sealed half; frees it after the last
 *
 * With @how->urgent a batch of other halves is read beside the flush that frees it, and written
 * then.
 *
 * Return: 0, or an error after which the half is tried again from its start.
 */
int ssdup_drain_turn(struct ssdup *c, const struct pacing_out *how);

/** ssdup_drain_drop() - forget the half being drained, and what was already read of it */
void ssdup_drain_drop(struct ssdup *c);

/* --- free.c --- */

/**
 * ssdup_flush_home() - make what was written of a half durable on the HDD
 *
 * Context: the writeback thread. One that failed for somebody else since the first
 * of the half was written counts too.
 * Return: 0, or -errno: all of the half has to be written again.
 */
int ssdup_flush_home(struct ssdup *c, struct ssdup_half *h);

/** ssdup_forget_home() - nothing of @h is on the HDD for sure; context: as above */
void ssdup_forget_home(struct ssdup *c, struct ssdup_half *h);

/**
 * ssdup_free_half() - make the oldest sealed half reusable; all it held is on the HDD or moved
 *
 * Context: the writeback thread. See ssdup.h for the order of things.
 * Return: 0, or -errno: it is tried again, from its start unless half->drained.
 */
int ssdup_free_half(struct ssdup *c, struct ssdup_half *h);

/**
 * ssdup_free_record() - make durable that @halves are free; context: the writeback thread
 *
 * Return: 0, or -errno: they are not free.
 */
int ssdup_free_record(struct ssdup *c, struct ssdup_half **halves, u32 nr);

/**
 * ssdup_free_end() - @halves are free by record: they can be opened when their reads have ended
 *
 * In a log that is read-only the open half may be among them; it stays, sealed and empty.
 * Context: the writeback thread; sleeps.
 */
void ssdup_free_end(struct ssdup *c, struct ssdup_half **halves, u32 nr);

/** ssdup_drop_extents() - take what @h holds out of the map; context: as above */
void ssdup_drop_extents(struct ssdup *c, struct ssdup_half *h);

/* --- salvage.c --- */

/**
 * ssdup_salvage_next() - the half to bring home next, when the log is read-only
 *
 * Context: the writeback thread. The open half is sealed for good. All
 * halves are tried again when a flush has asked since the try began.
 * Return: NULL when each was tried: call ssdup_salvage_end().
 */
struct ssdup_half *ssdup_salvage_next(struct ssdup *c);

/**
 * ssdup_salvage_home() - what can be of @h has been written to the HDD: flush it
 * @left: blocks that were refused by the HDD, or could not be read
 * @lost: it holds extents that are lost
 *
 * Return: 0, or -errno: the half is to be written again.
 */
int ssdup_salvage_home(struct ssdup *c, struct ssdup_half *h, u32 left, bool lost);

/**
 * ssdup_salvage_end() - free what is home, if the SSD takes the record
 *
 * Return: 0 when the log is empty, -EROFS when something has to stay in it.
 */
int ssdup_salvage_end(struct ssdup *c);

/* --- relocate.c --- */

/**
 * ssdup_relocate() - move a piece to the open half
 * @p: the piece; when its kind is to be DATA, at most a page long
 * @from: the half that is being drained
 * @kind: DATA with its content in @page, or what the piece has become
 *
 * Context: the writeback thread.
 * Return: 0, or -errno when the half cannot be freed for now.
 */
int ssdup_relocate(struct ssdup *c, const struct drain_piece *p, u8 from, u8 kind,
		   struct page *page);

#endif
