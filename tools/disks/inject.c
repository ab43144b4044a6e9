// SPDX-License-Identifier: GPL-2.0-only
/* Requests that fail by order. */
#include "disks.h"

const char * const disk_status_names[DISK_STATUSES] = {
	"medium", "resource", "timeout", "transport"
};

/* What a request fails with by order. A bad sector is none of a flush. */
static const struct {
	blk_status_t	status;
	blk_status_t	flush;
} disk_statuses[DISK_STATUSES] = {
	{ BLK_STS_MEDIUM, BLK_STS_IOERR },
	{ BLK_STS_RESOURCE, BLK_STS_RESOURCE },
	{ BLK_STS_TIMEOUT, BLK_STS_TIMEOUT },
	{ BLK_STS_TRANSPORT, BLK_STS_TRANSPORT },
};

static bool disk_in_range(struct disk *d, int dir, struct request *rq)
{
	struct disk_inject *in = &d->inject;
	u64 sector = blk_rq_pos(rq), end = sector + blk_rq_sectors(rq);
	bool hit = false;
	unsigned int i;

	if (likely(!READ_ONCE(in->nr[dir])))
		return false;
	spin_lock_bh(&in->lock);
	for (i = 0; i < in->nr[dir]; i++)
		if (sector < in->ranges[dir][i].end && end > in->ranges[dir][i].sector)
			hit = true;
	spin_unlock_bh(&in->lock);
	return hit;
}

blk_status_t disk_inject_check(struct disk *d, struct request *rq)
{
	int i = READ_ONCE(d->inject.status);

	if (unlikely(READ_ONCE(d->inject.gone)))
		return BLK_STS_IOERR;
	if (req_op(rq) == REQ_OP_FLUSH)
		return READ_ONCE(d->inject.fail_flush) ? disk_statuses[i].flush : BLK_STS_OK;
	if (req_op(rq) == REQ_OP_WRITE_ZEROES && READ_ONCE(d->inject.no_zeroes))
		return BLK_STS_NOTSUPP;
	if (disk_in_range(d, op_is_write(req_op(rq)), rq))
		return disk_statuses[i].status;
	return BLK_STS_OK;
}
