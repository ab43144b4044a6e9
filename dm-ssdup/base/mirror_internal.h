/* SPDX-License-Identifier: GPL-2.0-only */
/* dm-ssdup: two SSDs that hold the same, for the two files that own them. */
#ifndef SSDUP_MIRROR_INTERNAL_H
#define SSDUP_MIRROR_INTERNAL_H

#include <linux/blkdev.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "core/twins.h"
#include "mirror.h"

#define MIRROR_ALL	(BIT(SSDUP_TWINS) - 1)

struct mirror_member {
	struct drive_user	user;	/* bdev: NULL if it is not there */
	struct ssdup_mirror	*mirror;
};

struct ssdup_mirror {
	struct list_head	list;		/* by mirrors_lock */
	u32			refs;		/* the same */
	struct list_head	users;		/* by queue_lock */
	struct mutex		lock;		/* a change of the block, also on the SSDs */
	struct twin_block	block;		/* that counts; by lock */
	u32			in;		/* a bit for each that has everything; a hint */
	unsigned long		lost;		/* the same: its cache was lost, for another one */
	u32			fill;		/* the same: is written, too; by queue_lock */
	u32			fillings;	/* so far; by lock */
	bool			fills;		/* one may be filled */
	bool			dead;		/* nothing that is written counts: for good */
	bool			started;	/* a log may write; by lock */
	bool			fresh;		/* both are to be made */
	bool			mend;		/* a block is old */
	bool			mark;		/* the one that is not named is to be out */
	struct mirror_member	member[SSDUP_TWINS];	/* by index */
	u64			sectors;
	struct page		*page;		/* by lock */
	struct bio_set		bs;
	struct workqueue_struct	*wq;
	struct work_struct	work;
	struct delayed_work	late_work;
	spinlock_t		queue_lock;	/* protects the two below, and users */
	struct list_head	failed;		/* requests that one of them has failed */
	struct bio_list		late;		/* that found no memory */
};

/** ssdup_mirror_read() - what says the newest block on one of them? @m is not used yet */
struct twin_found ssdup_mirror_read(struct ssdup_mirror *m, u32 index);

/**
 * ssdup_mirror_call_out() - from now on one of them gets nothing
 *
 * Context: m->lock is held. Return: does the other one say so?
 */
bool ssdup_mirror_call_out(struct ssdup_mirror *m, u32 index, const char *why);

/**
 * ssdup_mirror_mend() - write again what one of them cannot read and the other one can
 *
 * Nobody writes there meanwhile. It is tried, no more. Context: m->lock is held.
 */
void ssdup_mirror_mend(struct ssdup_mirror *m, u32 index, u64 sector, u32 bytes);

/** ssdup_mirror_fails() - one that is filled has failed; any context. Return: was it filled? */
bool ssdup_mirror_fails(struct ssdup_mirror *m, u32 index);

/** ssdup_mirror_tell() - tell all users; @why: see mirror.h; any context */
void ssdup_mirror_tell(struct ssdup_mirror *m, const char *why);

#endif
