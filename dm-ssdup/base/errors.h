/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: errors that decide what follows have numbers of their own, above those of errno and
 * below MAX_ERRNO. So none of them is mistaken for an error of a disk. Users see the errno.
 */
#ifndef SSDUP_ERRORS_H
#define SSDUP_ERRORS_H

#include <linux/errno.h>

enum ssdup_error {
	SSDUP_ERR_NO_SEGMENT = 2048,	/* none is free, or may be opened now */
	SSDUP_ERR_RING_FULL,		/* the first page in the ring is not complete */
	SSDUP_ERR_NO_NODE,		/* no memory for an extent */
	SSDUP_ERR_UNALIGNED,		/* to the logical block */
	SSDUP_ERR_LOG_CLOSED,		/* the log takes nothing any more */
	SSDUP_ERR_KEPT,			/* a read-only log keeps what the HDD does not take */
	SSDUP_ERR_SPENT,		/* the log's counters are used up */
	SSDUP_ERR_DOUBT,		/* the HDD may have lost what a group has written */
};

/** ssdup_errno() - what users are told of @error, which is 0 or negative */
static inline int ssdup_errno(int error)
{
	switch (-error) {
	case SSDUP_ERR_NO_SEGMENT:
		return -ENOSPC;
	case SSDUP_ERR_RING_FULL:
		return -EAGAIN;
	case SSDUP_ERR_NO_NODE:
		return -ENOMEM;
	case SSDUP_ERR_UNALIGNED:
		return -EINVAL;
	case SSDUP_ERR_LOG_CLOSED:
	case SSDUP_ERR_KEPT:
	case SSDUP_ERR_SPENT:
		return -EROFS;
	case SSDUP_ERR_DOUBT:
		return -EIO;
	default:
		return error;
	}
}

#endif
