// SPDX-License-Identifier: GPL-2.0-only
/* All disks of the module. */
#include "disks.h"

static struct disk *disks[DISKS_MAX];
static unsigned int nr_disks;
DEFINE_MUTEX(disks_lock);	/* protects both */

int disks_enlist(struct disk *d)
{
	if (nr_disks == DISKS_MAX)
		return -ENOSPC;
	d->number = nr_disks;
	disks[nr_disks++] = d;
	return 0;
}

struct disk *disks_delist(void)
{
	return nr_disks ? disks[--nr_disks] : NULL;
}

int disks_each(int (*fn)(struct disk *d, u64 arg), u64 arg)
{
	unsigned int i;
	int r = 0;

	lockdep_assert_held(&disks_lock);
	for (i = 0; i < nr_disks && !r; i++)
		r = fn(disks[i], arg);
	return r;
}
