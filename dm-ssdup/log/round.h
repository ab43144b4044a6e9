/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: a round of a commit: the pages that are written at once, behind one flush.
 *
 * The order of a round: data was written, its SSD is flushed with the headers beside that or behind
 * it, and then come the pages that refer to both. An SSD that fails a part of it gets no more
 * commits, see ssdup_meta_failed(); the caller makes another round without that one.
 */
#ifndef SSDUP_LOG_ROUND_H
#define SSDUP_LOG_ROUND_H

#include "log_internal.h"

/* A write of a round. */
struct commit_write {
	struct bio		*bio;
	u64			sector;
	struct ssdup_ssd	*ssd;
	struct page		*buf;		/* constant */
	struct commit_batch	*batch;		/* constant */
	struct ssdup_segment	*segment;
	struct ring_page	*p;		/* of a page */
	u32			resolved;
	bool			written;
};

/* Pages or headers, which are written together. */
struct commit_batch {
	struct commit_write	write[LOG_COMMIT_PAGES];
	u32			nr;
	atomic_t		pending;
	struct completion	done;
};

struct commit_round {
	struct commit_batch	headers;
	struct commit_batch	pages;
	struct ssdup_segment	*segment[SSDUP_RING_SEGMENTS];	/* of a class, in its ring */
};

/* Only who holds committer->lock calls these, but for create and destroy. All may sleep. */

/** ssdup_round_create() - allocate a zeroed round's pages; destroy frees them even after -ENOMEM */
int ssdup_round_create(struct commit_round *round);
void ssdup_round_destroy(struct commit_round *round);

/** ssdup_round_begin() - a round that has no page yet */
void ssdup_round_begin(struct commit_round *round);

/**
 * ssdup_round_add() - add a page as it is now, and the header of its segment if that has none
 * @resolved: so many of its entries were, before
 *
 * Return: false when the round is full.
 */
bool ssdup_round_add(struct ssdup_log *log, struct commit_round *round, struct ssdup_segment *seg,
		     u32 page, u32 resolved);

/**
 * ssdup_round_write() - make it durable
 *
 * Return: 0, or -EIO: an SSD has failed, and another round has to write what this one has not.
 */
int ssdup_round_write(struct ssdup_log *log, struct commit_round *round);

/** ssdup_round_flush() - make the data of what has ended durable, without pages */
void ssdup_round_flush(struct ssdup_log *log, struct commit_round *round);

#endif
