/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the steps of whatever must survive a power cut, reported by the tracepoint
 * ssdup_step. They lie before and between writes and flushes. tools/disks can cut the power
 * at a step by its name.
 */
#ifndef SSDUP_STEP_H
#define SSDUP_STEP_H

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

#endif
