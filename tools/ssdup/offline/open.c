// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: the disks of a log that is read without the module.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "logfile.h"

static void close_disks(struct log_file *l)
{
	struct disk *d;

	while (l->ssds.nr) {
		d = log_ssd(l, --l->ssds.nr);
		if (d->mirror)
			disk_close(d->mirror);
		disk_close(d);
	}
}

static int open_mirror(const struct ssdup_ctx *ctx, struct log_file *l, u32 ssd, const char *path,
		       enum disk_use use)
{
	int r;

	if (!path)
		return EXIT_OK;
	r = disk_open(ctx, &l->mirror[ssd], path, use);
	if (!r)
		log_ssd(l, ssd)->mirror = &l->mirror[ssd];
	return r;
}

static int open_disks(const struct ssdup_ctx *ctx, struct log_file *l,
		      const struct ssd_names *ssds, enum disk_use use)
{
	struct ssd_set set;
	const char *path;
	struct disk *d;
	u32 nr = 1;
	int r;

	l->ssds.some = use == DISK_PROBE;
	r = l->ssds.some ? EXIT_OK : ssd_set_find(ctx, &set, ssds);
	if (!l->ssds.some)
		nr = set.io.nr;
	for (; l->ssds.nr < nr && !r; l->ssds.nr += !r) {
		d = log_ssd(l, l->ssds.nr);
		path = use == DISK_PROBE ? ssds->of[0] : set.dev[l->ssds.nr].path;
		*d = (struct disk){ .path = ssds->of[0], .fd = -1 };
		r = path ? disk_open(ctx, d, path, use) : EXIT_OK;
		if (!r && use != DISK_PROBE)
			r = open_mirror(ctx, l, l->ssds.nr, set.dev[ssd_mirror(l->ssds.nr)].path,
					use);
		if (r && d->fd >= 0)
			disk_close(d);
	}
	if (use != DISK_PROBE) {
		l->ssds.some = set.io.some;
		ssd_set_close(&set);
	}
	if (r)
		close_disks(l);
	return r;
}

int log_open(const struct ssdup_ctx *ctx, struct log_file *l, const struct ssd_names *ssds,
	     const char *name, enum disk_use use, int asked)
{
	int r;

	memset(l, 0, sizeof(*l));
	r = open_disks(ctx, l, ssds, use);
	if (r == EXIT_OK)
		log_attach(ctx, l, name ?: spec_uuid(ssds->of[0]), asked);
	return r;
}

struct disk *log_disk(struct log_file *l, u64 place, u64 *sector)
{
	const struct log_super *s = &l->s;
	u32 first, i = ssdup_log_ssd_of(&s->ssds, log_segment_of(&s->g, place), &first);

	*sector = place - log_ssd_before(&s->ssds, &s->g, i);
	if (l->ssds.nr == log_nr_ssds(&s->ssds))
		return l->ssds.fd[i] < 0 ? NULL : log_ssd(l, i);
	return i == s->ssds.index ? &l->ssd : NULL;
}

int log_read(struct log_file *l, void *buf, u64 place, u64 sectors)
{
	struct disk *d;
	u64 sector;

	d = log_disk(l, place, &sector);
	return d ? disk_read(d, buf, sector, sectors) : -ENXIO;
}

int log_write(struct log_file *l, const void *buf, u64 place, u64 sectors)
{
	struct disk *d;
	u64 sector;

	d = log_disk(l, place, &sector);
	return d ? disk_write(d, buf, sector, sectors) : -ENXIO;
}

void log_close(struct log_file *l)
{
	u32 part, i;

	for (part = 0; part < NR_PARTS; part++)
		for (i = 0; i < SSDUP_COPIES; i++)
			free(l->raw[part][i]);
	while (l->nr_blocks)
		free(l->blocks[--l->nr_blocks]);
	free(l->blocks);
	free(l->items);
	free(l->header);
	free(l->segment);
	free(l->gaps);
	findings_free(&l->findings);
	close_disks(l);
}

int log_given(struct log_file *l, const char *hdd)
{
	struct disk d;
	int r = disk_open(l->ctx, &d, hdd, DISK_PROBE);
	u32 i;

	if (r != EXIT_OK)
		return r;
	for (i = 0; i < l->ssds.nr && !r; i++)
		if (disk_same(&d, log_ssd(l, i)))
			r = fail(l->ctx, EXIT_REFUSED, hdd, "the same as the SSD");
	l->hdd_sectors = d.sectors;
	l->hdd_block_sectors = d.block_sectors;
	dev_identity(&d.dev, l->hdd_id);
	disk_close(&d);
	return r;
}
