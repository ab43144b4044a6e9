// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: the tracepoints, which show what the rooms have.
 */
#include "log/log.h"

#define CREATE_TRACE_POINTS
#include "base/trace.h"
