// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: is this the log of this table? Else blank SSDs get a new one.
 *
 * The check runs in the constructor and writes nothing.
 */
#include <linux/uuid.h>

#include "args.h"
#include "base/step.h"
#include "checks.h"
#include "log/super.h"

static char *other_host(const struct ssdup *c, const struct log_super *s)
{
	return ssdup_error(c, "ssd: log %s: %*pE; see override (fault %d)",
			   ssdup_log_fault_text(LOG_OTHER_HOST),
			   (int)strnlen((char *)s->host_name, sizeof(s->host_name)), s->host_name,
			   LOG_OTHER_HOST);
}

/* What is wrong with SSD number @which of the table; or that one of the log is not there. */
static char *ssd_error(const struct ssdup *c, const struct log_super *s, enum log_fault fault,
		       u32 which)
{
	const char *text = ssdup_log_fault_text(fault);

	if (fault == LOG_SSD_MISSING)
		return ssdup_error(c, "ssd: log %s: number %u, %pUb (fault %d)", text, which,
				   s->ssds.uuid[which], fault);
	if (c->nr_ssds > 1)
		return ssdup_error(c, "ssd %s: log %s (fault %d)", ssd_name(&c->ssd[which]), text,
				   fault);
	return ssdup_error(c, "ssd: log %s (fault %d)", text, fault);
}

/* Return: 0 for a log that fits the disks, 1 for blank SSDs, or -errno with *error set */
static int read_super(struct ssdup *c, struct log_super *s, bool *mend, char **error)
{
	enum log_fault fault = LOG_OK;
	u32 which = 0;
	int r = ssdup_super_read(c->log, s, mend, &fault, &which);

	if (r > 0 && c->read_only) {
		*error = "ssd: no log, and a read-only table makes none";
		return -EROFS;
	}
	which = r ? which : 0;
	if (!r)
		fault = ssdup_log_super_fits(s, bdev_nr_sectors(c->hdd->bdev),
					     bdev_nr_sectors(first_ssd(c)->dev->bdev),
					     c->block_sectors,
					     c->set.override & SSDUP_OVERRIDE_HOST ?
					     NULL : c->set.host);
	if (r < 0 && r != -EINVAL) {
		*error = "ssd: cannot read the superblock";
	} else if (!r && fault == LOG_OTHER_HOST) {
		*error = other_host(c, s);
		r = -EINVAL;
	} else if (fault == LOG_SEVERAL || fault == LOG_ABSENT) {
		*error = ssdup_error(c, "log: %s (fault %d)", ssdup_log_fault_text(fault), fault);
		r = -EINVAL;
	} else if (r > 0 && memchr_inv(c->set.log, 0, sizeof(c->set.log))) {
		*error = "log: not on the SSD, which is blank";
		r = -EINVAL;
	} else if (r <= 0 && fault != LOG_OK) {
		*error = ssd_error(c, s, fault, which);
		r = -EINVAL;
	}
	return r;
}

/* The parts of the log, one for each SSD. Return: is there room? */
static bool lay_out(struct ssdup *c, struct log_super *s)
{
	u64 sectors[SSDUP_MAX_SSDS];
	u32 i;

	for (i = 0; i < c->nr_ssds; i++) {
		c->ssd[i].sectors = bdev_nr_sectors(c->ssd[i].dev->bdev);
		sectors[i] = c->ssd[i].sectors;
	}
	s->ssds.nr = c->nr_ssds;
	s->ssds.mirrors = ssds_mirrored(c);
	return ssdup_log_spread(&s->g, &s->ssds, sectors, 0, c->block_sectors);
}

int ssdup_check_super(struct ssdup *c, char **error)
{
	struct log_super *s = ssdup_super_blank(c->log);
	u32 i, lifetimes = 1;
	bool mend;
	int r;

	r = read_super(c, s, &mend, error);
	if (r < 0)
		return r;
	/* What the log has keeps its classes, see ssdup_ssds_renumber(). */
	if (!r)
		lifetimes = s->classes.nr / s->classes.nr_ssds;
	lifetimes = max(lifetimes, c->set.classes.nr);
	if (lifetimes * c->nr_ssds > SSDUP_MAX_CLASSES) {
		*error = ssdup_error(c, "classes: at most %u on %u SSDs, with the default one",
				     SSDUP_MAX_CLASSES / c->nr_ssds, c->nr_ssds);
		return -EINVAL;
	}
	if (r && !lay_out(c, s)) {
		*error = c->nr_ssds > 1 ? "ssd: one of them is too small beside the others" :
			 ssdup_error(c, "ssd: too small for %u segments", SSDUP_MIN_SEGMENTS);
		return -ENOSPC;
	}
	c->log->classes.nr = lifetimes * c->nr_ssds;
	ssdup_super_found(c->log, s);
	for (i = 0; i < c->nr_ssds; i++)
		c->ssd[i].before = log_ssd_before(&s->ssds, &s->g, i);
	return 0;
}

static void format_log(struct ssdup *c, struct log_super *s)
{
	u8 pool[16], uuid[16];
	u32 i;

	memcpy(pool, s->pool, sizeof(pool));
	if (!memchr_inv(pool, 0, sizeof(pool)))
		generate_random_uuid(pool);
	generate_random_uuid(uuid);
	ssdup_log_super_fresh(s, pool, uuid, &c->log->g, bdev_nr_sectors(c->hdd->bdev),
			      c->ssd[0].sectors);
	s->ssds = c->log->ssds;
	ssdup_log_classes(s, 1, s->first);
	for (i = 0; i < c->nr_ssds && c->nr_ssds > 1; i++)
		generate_random_uuid(s->ssds.uuid[i]);
	DMINFO("%s: formatting the SSD: %u segments of %u KiB", c->name,
	       c->log->g.nr_segments, c->log->g.segment_sectors / 2);
}

int ssdup_load_super(struct ssdup *c, struct log_super *s, bool *mend)
{
	char *error = "the log has changed since the table was loaded";
	int r = read_super(c, s, mend, &error);

	if (!r && !ssdup_super_same(c->log, s))
		r = -EINVAL;
	if (r < 0) {
		if (error != ssdup_error_said)
			DMERR("%s: %s", c->name, error);
		return r;
	}
	if (r)
		format_log(c, s);
	ssdup_step(c, STEP_LOAD_SUPER);
	if (*mend)
		DMWARN("%s: a copy of the superblock or of the record is bad or old%s", c->name,
		       c->read_only ? "" : ", mending it");
	if (*mend && !c->read_only)
		ssdup_step(c, STEP_MEND);
	return 0;
}

int ssdup_check_size(struct ssdup *c, struct log_super *s, bool same_hdd)
{
	u64 size = bdev_nr_sectors(c->hdd->bdev), len = c->ti->len;

	if (len > s->hdd_sectors && !same_hdd) {
		DMERR("%s: the log, of a device of %llu sectors, must be drained before it grows",
		      c->name, s->hdd_sectors);
		return -EINVAL;
	}
	if (len > s->hdd_sectors)
		DMINFO("%s: the device grows from %llu sectors to %llu", c->name, s->hdd_sectors,
		       len);
	else if (size > s->hdd_sectors)
		DMWARN("%s: the HDD has grown by %llu sectors, and the device has not", c->name,
		       size - s->hdd_sectors);
	s->hdd_sectors = max(s->hdd_sectors, len);
	return 0;
}
