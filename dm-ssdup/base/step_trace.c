// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: the steps of a build for tests.
 */
#include "trace.h"

void ssdup_step(struct ssdup *c, enum ssdup_step step)
{
	trace_ssdup_step(c, step);
}
