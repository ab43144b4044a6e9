/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SSDUP_FUZZ_H
#define SSDUP_FUZZ_H

#include "tools/lib/shim.h"
#include "../../tools/hostile/image.h"

/*
 * An input is an image without its zeros: both superblocks, 512 bytes each, then
 * for each slot that holds something: half, page, slot and 0 in a byte each, the
 * length in two, and so many bytes. What is missing at the end is zeros.
 */
#define FUZZ_MAX_INPUT	(SSDUP_SUPER_COPIES * sizeof(struct ssdup_super) + \
			 IMAGE_HALVES * IMAGE_PAGES * SSDUP_PAGE_SLOTS * (6 + SSDUP_PAGE_BYTES))

/** fuzz_unpack() - an image from an input of any length */
void fuzz_unpack(const u8 *data, size_t size, struct image *im);

/** fuzz_pack() - the input of an image. Return: its length; 0 when it is beyond @max */
size_t fuzz_pack(const struct image *im, u8 *data, size_t max);

/** fuzz_image() - load an image as the kernel would; a violated rule ends the process */
void fuzz_image(const struct image *im);

/** fuzz_seed() - an image made by the encoders, number @nr. Return: false beyond the last */
bool fuzz_seed(u32 nr, struct image *im);

/* Under the names that libFuzzer calls, and is called by. */
int fuzz_one(const u8 *data, size_t size) __asm__("LLVMFuzzerTestOneInput");
size_t fuzz_mutate(u8 *data, size_t size, size_t max, unsigned int seed)
	__asm__("LLVMFuzzerCustomMutator");
size_t fuzz_mutate_bytes(u8 *data, size_t size, size_t max) __asm__("LLVMFuzzerMutate");

#endif
