/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SSDUP_FUZZ_H
#define SSDUP_FUZZ_H

#include "shim.h"

/* Ends the process on a violated rule. Linked under the name that libFuzzer calls. */
int fuzz_one(const u8 *data, size_t size) __asm__("LLVMFuzzerTestOneInput");

#endif
