/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SSDUP_KUNIT_COMMIT_SOON_H
#define SSDUP_KUNIT_COMMIT_SOON_H

#include "ssdup.h"

/* What ssdup_commit_soon() of segments_test.c calls, if a test has set it */
extern void (*on_commit_soon)(struct ssdup *c);

/* How often the work that forgets clean segments was asked for, counted there */
extern u32 clean_kicks;

#endif
