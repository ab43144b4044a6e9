// SPDX-License-Identifier: GPL-2.0-only
/*
 * Images as inputs of a fuzzer, and back.
 */
#include "fuzz.h"

void fuzz_unpack(const u8 *data, size_t size, struct image *im)
{
	size_t n = min(size, sizeof(im->super));

	memset(im, 0, sizeof(*im));
	memcpy(im->super, data, n);
	for (data += n, size -= n; size >= 6; data += n, size -= n) {
		struct ssdup_page *p = &im->slot[data[0] % IMAGE_HALVES][data[1] % IMAGE_PAGES]
						[data[2] % SSDUP_PAGE_SLOTS];

		n = data[4] | data[5] << 8;
		data += 6;
		size -= 6;
		n = min3(n, size, sizeof(*p));
		memcpy(p, data, n);
	}
}

size_t fuzz_pack(const struct image *im, u8 *data, size_t max)
{
	u8 *to = data;
	u32 i, len;

	if (max < sizeof(im->super))
		return 0;
	memcpy(to, im->super, sizeof(im->super));
	to += sizeof(im->super);
	for (i = 0; i < IMAGE_HALVES * IMAGE_PAGES * SSDUP_PAGE_SLOTS; i++) {
		const u8 *p = (const u8 *)((const struct ssdup_page *)im->slot + i);

		for (len = SSDUP_PAGE_BYTES; len && !p[len - 1]; len--)
			;
		if (!len)
			continue;
		if (data + max - to < 6 + len)
			return 0;
		*to++ = i / (IMAGE_PAGES * SSDUP_PAGE_SLOTS);
		*to++ = i / SSDUP_PAGE_SLOTS % IMAGE_PAGES;
		*to++ = i % SSDUP_PAGE_SLOTS;
		*to++ = 0;
		*to++ = len;
		*to++ = len >> 8;
		memcpy(to, p, len);
		to += len;
	}
	return to - data;
}
