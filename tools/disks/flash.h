/* SPDX-License-Identifier: GPL-2.0-only */
/* An SSD's interface and the flash memory behind it, together. Pure. */
#ifndef SSDUP_DISKS_FLASH_H
#define SSDUP_DISKS_FLASH_H

#include <linux/minmax.h>
#include "ftl_model.h"
#include "ssd_model.h"

/**
 * flash_wrote() - what the flash memory does about a write that ssd_write() was told of
 * @m: interface
 * @taken: when the write buffer has taken it, by ftl_write() at @m->written
 * @programmed: when the flash memory has all that it was given
 * @done: when the write ends without flash memory
 *
 * Return: when it ends.
 */
static inline u64 flash_wrote(struct ssd_model *m, u64 taken, u64 programmed, u64 done)
{
	done += taken - m->written;
	m->written = m->p.volatile_cache ? max(taken, programmed) : taken;
	return done;
}

/**
 * flash_read() - when a read ends that ssd_read() was told of
 * @m: interface
 * @f: flash memory
 * @sector: first sector
 * @sectors: length
 * @now: time it has come
 * @done: when it ends without flash memory
 *
 * A latency has the time of an idle die in it, so a read takes longer by what it takes longer
 * than that.
 */
static inline u64 flash_read(const struct ssd_model *m, struct ftl *f, u64 sector, u64 sectors,
			     u64 now, u64 done)
{
	u64 idle = now + ssd_transfer_ns(sectors, m->p.read_kbps) + m->p.read_latency_us * 1000ULL;

	return max(done, idle + ftl_read(f, sector, sectors, now));
}

#endif /* SSDUP_DISKS_FLASH_H */
