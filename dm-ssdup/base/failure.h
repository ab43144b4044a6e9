/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: failure modes.
 */
#ifndef SSDUP_FAILURE_H
#define SSDUP_FAILURE_H

#include "ssdup.h"

/** ssdup_fail() - change to failure mode @mode, unless in it or a worse one; any context */
void ssdup_fail(struct ssdup *c, enum ssdup_mode mode, const char *why);

/**
 * ssdup_ssd_fail() - stop writes to an SSD; after the last SSD the log is read-only
 *
 * Its data is read and drained as in a read-only log, and the other SSDs go on. Context: any.
 */
void ssdup_ssd_fail(struct ssdup *c, struct ssdup_ssd *ssd, const char *why);

static inline enum ssdup_mode ssdup_mode(const struct ssdup *c)
{
	return READ_ONCE(c->mode);
}

/** ssdup_ssds_out() - a bit for each SSD that takes no writes any more; any context, a hint */
static inline u32 ssdup_ssds_out(const struct ssdup *c)
{
	return READ_ONCE(c->ssds_out);
}

/** ssdup_ssds_shut() - the same, with those that are not used */
static inline u32 ssdup_ssds_shut(const struct ssdup *c)
{
	return ssdup_ssds_out(c) | c->ssds_unused;
}

/** ssdup_whole() - does all of the log take writes? any context, a hint */
static inline bool ssdup_whole(const struct ssdup *c)
{
	return ssdup_mode(c) == MODE_RUNNING && !ssdup_ssds_out(c);
}

#endif
