// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's library functions that the pure files call.
 */
#include "shim.h"

void *memchr_inv(const void *p, int c, size_t len)
{
	const u8 *b = p;

	for (; len; b++, len--)
		if (*b != (u8)c)
			return (void *)b;
	return NULL;
}

/* The polynomial of Castagnoli, reflected; no inversion, as in the kernel. */
u32 crc32c(u32 crc, const void *p, size_t len)
{
	static u32 table[256];
	const u8 *b = p;

	if (!table[1]) {
		u32 i, j;

		for (i = 0; i < 256; i++) {
			u32 v = i;

			for (j = 0; j < 8; j++)
				v = v & 1 ? v >> 1 ^ 0x82f63b78 : v >> 1;
			table[i] = v;
		}
	}

	while (len--)
		crc = crc >> 8 ^ table[(crc ^ *b++) & 0xff];
	return crc;
}

/* A heap sort, as in the kernel: not stable, and no memory of its own. */
void sort(void *base, size_t nr, size_t size, int (*cmp)(const void *, const void *),
	  void (*swap_func)(void *, void *, int))
{
	char tmp[64], *b = base;
	size_t n = nr, i, parent, child;

	WARN_ON(size > sizeof(tmp) || swap_func);

	for (i = nr / 2; n > 1;) {
		if (i) {
			i--;
		} else {
			n--;
			memcpy(tmp, b, size);
			memcpy(b, b + n * size, size);
			memcpy(b + n * size, tmp, size);
		}

		for (parent = i; (child = 2 * parent + 1) < n; parent = child) {
			if (child + 1 < n && cmp(b + child * size, b + (child + 1) * size) < 0)
				child++;
			if (cmp(b + parent * size, b + child * size) >= 0)
				break;
			memcpy(tmp, b + parent * size, size);
			memcpy(b + parent * size, b + child * size, size);
			memcpy(b + child * size, tmp, size);
		}
	}
}
