/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SSDUP_FUZZ_H
#define SSDUP_FUZZ_H

#include "tools/lib/shim.h"
#include "../../tools/hostile/image.h"

/*
 * An input is an image without its zeros: both superblocks and both records, 512 bytes each, then
 * for each header or slot that holds something: segment, page (IMAGE_PAGES: the header), slot and
 * 0 in a byte each, the length in two, and so many bytes. What is missing at the end is zeros.
 */
#define FUZZ_PART	6U	/* bytes in front of each */
#define FUZZ_MAX_INPUT	(offsetof(struct image, header) + IMAGE_SEGMENTS * \
			 (FUZZ_PART + sizeof(struct ssdup_header) + \
			  IMAGE_PAGES * SSDUP_PAGE_SLOTS * (FUZZ_PART + SSDUP_PAGE_BYTES)))

/** fuzz_unpack() - an image from an input of any length */
void fuzz_unpack(const u8 *data, size_t size, struct image *im);

/** fuzz_pack() - the input of an image. Return: its length; 0 when it is beyond @max */
size_t fuzz_pack(const struct image *im, u8 *data, size_t max);

/**
 * fuzz_image() - load an image as the kernel would; a violated rule ends the process
 *
 * Return: was it accepted?
 */
bool fuzz_image(const struct image *im);

/** fuzz_seed() - an image made by the encoders, number @nr. Return: false beyond the last */
bool fuzz_seed(u32 nr, struct image *im);

/* Under the names that libFuzzer calls, and is called by. */
int fuzz_one(const u8 *data, size_t size) __asm__("LLVMFuzzerTestOneInput");
size_t fuzz_mutate(u8 *data, size_t size, size_t max, unsigned int seed)
	__asm__("LLVMFuzzerCustomMutator");
size_t fuzz_mutate_bytes(u8 *data, size_t size, size_t max) __asm__("LLVMFuzzerMutate");

#endif
