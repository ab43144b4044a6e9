/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: failure modes.
 */
#ifndef SSDUP_FAILURE_H
#define SSDUP_FAILURE_H

#include "ssdup.h"

/** ssdup_fail() - change to failure mode @mode, unless in it or a worse one; any context */
void ssdup_fail(struct ssdup *c, enum ssdup_mode mode, const char *why);

static inline enum ssdup_mode ssdup_mode(const struct ssdup *c)
{
	return READ_ONCE(c->mode);
}

#endif
