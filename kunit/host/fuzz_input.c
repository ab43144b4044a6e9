// SPDX-License-Identifier: GPL-2.0-only
/*
 * Images as inputs of a fuzzer, and back.
 */
#include "fuzz.h"

#define COPIES	offsetof(struct image, header)	/* superblocks and records */

/* A header or a slot. Return: its size in bytes. */
static size_t part_of(const struct image *im, u32 segment, u32 page, u32 slot, const u8 **part)
{
	if (page == IMAGE_PAGES) {
		*part = im->header[segment].b;
		return sizeof(im->header[segment]);
	}
	*part = (const u8 *)&im->slot[segment][page][slot];
	return SSDUP_PAGE_BYTES;
}

void fuzz_unpack(const u8 *data, size_t size, struct image *im)
{
	size_t n = min(size, COPIES), most;
	const u8 *part;

	memset(im, 0, sizeof(*im));
	memcpy(im, data, n);
	for (data += n, size -= n; size >= FUZZ_PART; data += n, size -= n) {
		most = part_of(im, data[0] % IMAGE_SEGMENTS, data[1] % (IMAGE_PAGES + 1),
			       data[2] % SSDUP_PAGE_SLOTS, &part);
		n = data[4] | data[5] << 8;
		data += FUZZ_PART;
		size -= FUZZ_PART;
		n = min3(n, size, most);
		memcpy((u8 *)part, data, n);
	}
}

/* Return: what is behind it, or NULL when there is no room. */
static u8 *pack_part(const struct image *im, u32 segment, u32 page, u32 slot, u8 *to, const u8 *end)
{
	const u8 *part;
	size_t len = part_of(im, segment, page, slot, &part);

	while (len && !part[len - 1])
		len--;
	if (!len)
		return to;
	if ((size_t)(end - to) < FUZZ_PART + len)
		return NULL;
	*to++ = segment;
	*to++ = page;
	*to++ = slot;
	*to++ = 0;
	*to++ = len;
	*to++ = len >> 8;
	memcpy(to, part, len);
	return to + len;
}

size_t fuzz_pack(const struct image *im, u8 *data, size_t max)
{
	u32 segment, i;
	u8 *to = data + COPIES;

	if (max < COPIES)
		return 0;
	memcpy(data, im, COPIES);
	for (segment = 0; segment < IMAGE_SEGMENTS; segment++) {
		to = pack_part(im, segment, IMAGE_PAGES, 0, to, data + max);
		for (i = 0; to && i < IMAGE_PAGES * SSDUP_PAGE_SLOTS; i++)
			to = pack_part(im, segment, i / SSDUP_PAGE_SLOTS, i % SSDUP_PAGE_SLOTS, to,
				       data + max);
		if (!to)
			return 0;
	}
	return to - data;
}
