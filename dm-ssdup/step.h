/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the steps of everything that must survive a power cut, as the
 * tracepoint ssdup_step tells them. Each stands before or between writes and
 * flushes, so that a test can cut the power there: tools/disks does, by name.
 */
#ifndef SSDUP_STEP_H
#define SSDUP_STEP_H

enum ssdup_step {
#define SSDUP_STEP(symbol, ...)	STEP_##symbol,
#include "core/steps.h"
	STEP_NR
};

/** ssdup_step_name() - a step as the tracepoint prints it; @step is below STEP_NR */
static inline const char *ssdup_step_name(unsigned int step)
{
	static const char * const names[] = {
#define SSDUP_STEP(symbol, name, ...)	\
		[STEP_##symbol] = name,
#include "core/steps.h"
	};

	return names[step];
}

#endif
