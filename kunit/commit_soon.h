/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SSDUP_KUNIT_COMMIT_SOON_H
#define SSDUP_KUNIT_COMMIT_SOON_H

#include "ssdup.h"

/* Called by the stub of ssdup_commit_soon() in segments_test.c, while a test wants that. */
extern void (*on_commit_soon)(struct ssdup *c);

#endif
