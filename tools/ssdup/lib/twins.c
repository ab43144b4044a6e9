// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: an SSD and its mirror.
 */
#include <stdlib.h>

#include "super.h"
#include "twins.h"

/* --- The block of each --- */

static u64 twin_sector(u64 ssd_sectors, u32 copy)
{
	return log_home(ssd_sectors, copy) + SSDUP_TWIN_PLACE;
}

enum twin_there ssd_twin_read(int fd, u64 sectors, struct twin_block *b)
{
	enum twin_there there = TWIN_BLANK, one;
	void *buf = xpages(SSDUP_BLOCK_BYTES);
	struct twin_block found;
	u32 copy;

	for (copy = 0; copy < SSDUP_COPIES; copy++) {
		one = read_all(fd, buf, SSDUP_BLOCK_BYTES,
			       twin_sector(sectors, copy) * SECTOR_BYTES) ?
		      TWIN_DAMAGED : ssdup_twin_decode(buf, &found);
		if (one == TWIN_THERE && (there != TWIN_THERE || found.seq > b->seq))
			*b = found;
		if (one == TWIN_THERE || there == TWIN_BLANK)
			there = one;
	}
	free(buf);
	return there;
}

u32 ssd_place(const struct log_super *s, const struct twin_found *twin)
{
	if (!(s->ssds.mirrors & BIT(s->ssds.index)))
		return s->ssds.index;
	if (twin->there != TWIN_THERE)
		return SSD_DISKS;
	return twin->block.index ? ssd_mirror(s->ssds.index) : s->ssds.index;
}

int ssd_twin_write(int fd, u64 sectors, const struct twin_block *b)
{
	struct ssds one = ssds_one(fd);
	void *buf = xpages(SSDUP_BLOCK_BYTES);
	u32 copy;
	int r = 0;

	ssdup_twin_encode(b, buf);
	for (copy = SSDUP_COPIES; copy-- > 0 && !r; )
		r = ssds_write_block(&one, 0, buf, twin_sector(sectors, copy));
	free(buf);
	return r;
}

int ssd_twins_write(const struct ssds *ssds, u32 ssd, struct twin_block *b)
{
	u32 nr;
	int fd[2], r = 0;

	nr = ssds_fds(ssds, ssd, fd);
	/* In the kernel's order. */
	for (b->index = 0; b->index < nr && !r; b->index++)
		r = ssd_twin_write(fd[b->index], ssds->sectors[ssd], b);
	return r;
}

/* --- Which of them is used --- */

static const char alone[] =
	"has a mirror that is not there, and may have run alone; if it is lost, say --lost-ssd";
static const char part[] = "was to be filled from an SSD that is not there, and lacks something";
static const char apart[] =
	"and its mirror ran apart: see \"ssdup check\"; name the right one, with --lost-ssd";

/* Return: its index, or that of both */
static int there(const struct twin_found *found)
{
	return found[0].there == TWIN_ABSENT ? 1 : found[1].there == TWIN_ABSENT ? 0 : TWINS_BOTH;
}

char *twins_choose(const struct twin_found found[SSDUP_TWINS], u32 named, bool lost, int *which)
{
	struct twins t;

	*which = TWINS_NONE;
	switch (ssdup_twins_match(found, &t)) {
	case TWINS_OK:
		if (t.mark && !lost)
			return xstrdup(alone);
		*which = t.in == BIT(0) ? 0 : t.in == BIT(1) ? 1 : TWINS_BOTH;
		return NULL;
	case TWINS_NEW:
		*which = TWINS_BOTH;
		return NULL;
	case TWINS_ALONE:
		return xstrdup("is to become a log with a mirror, which is not there");
	case TWINS_PART:
		return xstrdup(part);
	case TWINS_APART:
		if (lost && (named == BIT(0) || named == BIT(1))) {
			*which = named == BIT(1);
			return NULL;
		}
		*which = TWINS_RAN_APART;
		return xstrdup(apart);
	default:
		if (!lost || there(found) == TWINS_BOTH)
			return xstrdup("and its mirror are not of each other");
		*which = there(found);
		return NULL;
	}
}
