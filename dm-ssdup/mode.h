/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: failure modes, a ladder that is climbed one way.
 */
#ifndef SSDUP_MODE_H
#define SSDUP_MODE_H

#include "ssdup.h"

/** ssdup_fail() - climb the ladder of failure modes to @mode; never down. Any context. */
void ssdup_fail(struct ssdup *c, enum ssdup_mode mode, const char *why);

static inline enum ssdup_mode ssdup_mode(const struct ssdup *c)
{
	return READ_ONCE(c->mode);
}

#endif
