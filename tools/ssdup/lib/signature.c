// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: what a device holds, as libblkid sees it.
 */
#include <blkid/blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "dev.h"

static blkid_probe start_probe(const struct dev *dev, int flags, int *fd)
{
	blkid_probe pr = blkid_new_probe();

	*fd = open(dev->path, flags | O_CLOEXEC);
	if (!pr || *fd < 0 || blkid_probe_set_device(pr, *fd, 0, 0)) {
		if (*fd >= 0)
			close(*fd);
		blkid_free_probe(pr);
		return NULL;
	}
	blkid_probe_enable_superblocks(pr, 1);
	blkid_probe_set_superblocks_flags(pr, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_LABEL |
					  BLKID_SUBLKS_MAGIC | BLKID_SUBLKS_BADCSUM);
	blkid_probe_enable_partitions(pr, 1);
	blkid_probe_set_partitions_flags(pr, BLKID_PARTS_MAGIC | BLKID_PARTS_FORCE_GPT);
	return pr;
}

char *dev_signature(const struct dev *dev)
{
	const char *type, *label;
	char *text = NULL;
	blkid_probe pr;
	int fd;

	pr = start_probe(dev, O_RDONLY, &fd);
	if (!pr)
		return NULL;
	if (!blkid_do_probe(pr)) {
		if (!blkid_probe_lookup_value(pr, "PTTYPE", &type, NULL))
			text = xprintf("a %s partition table", type);
		else if (blkid_probe_lookup_value(pr, "TYPE", &type, NULL))
			text = xstrdup("something libblkid knows");
		else if (!blkid_probe_lookup_value(pr, "LABEL", &label, NULL))
			text = xprintf("%s (\"%s\")", type, label);
		else
			text = xstrdup(type);
	}
	blkid_free_probe(pr);
	close(fd);
	return text;
}

int dev_wipe_signatures(const struct dev *dev)
{
	blkid_probe pr;
	int fd, r = 0;

	pr = start_probe(dev, O_RDWR, &fd);
	if (!pr)
		return -EIO;
	while (!r && !blkid_do_probe(pr))
		if (blkid_do_wipe(pr, 0))
			r = -EIO;
	if (!r && fsync(fd))
		r = -errno;
	blkid_free_probe(pr);
	close(fd);
	return r;
}
