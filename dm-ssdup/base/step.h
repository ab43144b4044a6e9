/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the steps of whatever must survive a power cut. They lie before and between writes
 * and flushes. A build for tests, with SSDUP_STEPS, reports them by the tracepoint ssdup_step,
 * and tests cut the power at a step by its name. In any other build they are nothing.
 */
#ifndef SSDUP_STEP_H
#define SSDUP_STEP_H

struct ssdup;

enum ssdup_step {
#define SSDUP_STEP(symbol, ...)	STEP_##symbol,
#include "../core/steps.h"
	STEP_NR
};

/** ssdup_step_name() - the name that the tracepoint prints; @step is below STEP_NR */
static inline const char *ssdup_step_name(unsigned int step)
{
	static const char * const names[] = {
#define SSDUP_STEP(symbol, name, ...)	\
		[STEP_##symbol] = name,
#include "../core/steps.h"
	};

	return names[step];
}

#ifdef SSDUP_STEPS
/** ssdup_step() - it is at this step; any context */
void ssdup_step(struct ssdup *c, enum ssdup_step step);
#else
static inline void ssdup_step(struct ssdup *c, enum ssdup_step step)
{
}
#endif

#endif
