// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: from a log of format 1 to one of the present format, by way of the HDD.
 */
#include <errno.h>

#include "offline.h"

/* An extent has 36 bits for a place on the SSD. */
#define MAX_SSD_SECTORS	BIT_ULL(36)

int upgrade_read(struct log_file *l, struct f1_log *old, struct f1_fault *fault)
{
	int r;

	*fault = (struct f1_fault){ .fault = f1_read(&l->ssd, old) };
	if (fault->fault != LOG_OK)
		return -EINVAL;
	if (f1_slot_sector(old, old->nr_halves, 0, 0) > MAX_SSD_SECTORS)
		return -EFBIG;
	r = f1_replay(l, old, fault);
	if (!r)
		log_map(l, true);
	return r;
}

int upgrade_drain(struct log_file *l, struct disk *hdd, struct export_result *res)
{
	int r = export_log(l, hdd, res);

	return r ?: res->lost ? -EBADMSG : 0;
}

/* What format 1 does not use of the sectors in front of the first half. */
static int clear_head(struct disk *ssd)
{
	u32 end = SSDUP_SUPER_SECTOR(0) + SSDUP_BLOCK_SECTORS;
	u32 behind = SSDUP_SUPER_SECTOR(1) + SSDUP_BLOCK_SECTORS;

	return disk_zero(ssd, end, SSDUP_SUPER_SECTOR(1) - end) ?:
	       disk_zero(ssd, behind, SSDUP_HEAD_SECTORS - behind);
}

/*
 * The record comes first, as it stands where format 1 has nothing. The old superblock is given
 * up before the new one is written, so that no copy is ever of another format than the other.
 */
int upgrade_format(struct log_file *l, const struct log_super *s)
{
	struct disk *ssd = &l->ssd;

	return clear_head(ssd) ?: disk_sync(ssd) ?:
	       ssd_part_write(ssd->fd, PART_RECORD, s) ?:
	       disk_zero(ssd, SSDUP_SUPER_SECTOR(0), SSDUP_BLOCK_SECTORS) ?: disk_sync(ssd) ?:
	       ssd_part_write(ssd->fd, PART_SUPER, s);
}
