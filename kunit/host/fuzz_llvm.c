// SPDX-License-Identifier: GPL-2.0-only
/*
 * What libFuzzer calls: the target, and a mutator that spoils an image in its own
 * terms, or lets libFuzzer have a go at the bytes and makes the checksums right.
 */
#include "fuzz.h"

static struct image im;

static void repair(u32 seed)
{
	struct ssdup_page *p = (struct ssdup_page *)im.slot;
	u32 i;

	for (i = 0; i < SSDUP_COPIES; i++) {
		if (im.super[i].s.magic && seed >> i & 3)
			image_repair_super(&im, i);
		if (im.record[i].r.magic && seed >> (2 + i) & 3)
			image_repair_record(&im, i);
	}
	for (i = 0; i < IMAGE_SEGMENTS; i++)
		if (im.header[i].h.magic && (seed >> 5 ^ i) & 7)
			image_repair_header(&im, i);
	for (i = 0; i < IMAGE_SEGMENTS * IMAGE_PAGES * SSDUP_PAGE_SLOTS; i++)
		if (p[i].h.magic && (seed >> 4 ^ i) & 7)
			image_repair_page(&p[i]);
}

size_t fuzz_mutate(u8 *data, size_t size, size_t max, unsigned int seed)
{
	static u8 out[FUZZ_MAX_INPUT];
	size_t len;

	if (seed & 1) {
		fuzz_unpack(data, size, &im);
		image_mutate(&im, seed);
	} else {
		size = fuzz_mutate_bytes(data, size, max);
		fuzz_unpack(data, size, &im);
		repair(seed >> 1);
	}
	len = fuzz_pack(&im, out, min(max, sizeof(out)));
	if (!len)
		return size;
	memcpy(data, out, len);
	return len;
}

int fuzz_one(const u8 *data, size_t size)
{
	fuzz_unpack(data, size, &im);
	fuzz_image(&im);
	return 0;
}
