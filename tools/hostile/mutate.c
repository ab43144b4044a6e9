// SPDX-License-Identifier: GPL-2.0-only
/*
 * How an image is spoiled. Every choice comes from one seed.
 */
#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "image.h"

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

static unsigned long long state;
static bool forged;

unsigned long long image_random(unsigned long long *s)
{
	unsigned long long x = *s += 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

static unsigned int below(unsigned int n)
{
	return image_random(&state) % n;
}

/* --- Checksums --- */

static uint32_t crc32c_of(const void *p, size_t len, size_t at)
{
	static uint32_t table[256];
	const unsigned char *b = p;
	uint32_t crc = ~0U, v;
	size_t i, j;

	for (i = 0; !table[255] && i < 256; i++) {
		for (j = 0, v = i; j < 8; j++)
			v = v & 1 ? v >> 1 ^ 0x82f63b78 : v >> 1;
		table[i] = v;
	}
	/* The field of the checksum itself counts as zeros. */
	for (i = 0; i < len; i++)
		crc = crc >> 8 ^ table[(crc ^ (i - at < 4 ? 0 : b[i])) & 0xff];
	return crc;
}

void image_repair_super(struct image *im, unsigned int copy)
{
	struct ssdup_super *s = &im->super[copy].s;

	s->crc = htole32(crc32c_of(s, sizeof(*s), offsetof(struct ssdup_super, crc)));
}

void image_repair_page(struct ssdup_page *p)
{
	p->h.crc = htole32(crc32c_of(p, sizeof(*p), offsetof(struct ssdup_page_header, crc)));
}

void image_set_dirty(struct image *im)
{
	unsigned int copy;

	for (copy = 0; copy < SSDUP_SUPER_COPIES; copy++) {
		im->super[copy].s.flags &= htole32(~SSDUP_SUPER_CLEAN);
		image_repair_super(im, copy);
	}
}

/* --- Fields --- */

struct field {
	unsigned short	at;
	unsigned short	bytes;
};

#define FIELD(type, name)	{ offsetof(struct type, name), sizeof(((struct type *)0)->name) }

static const struct field super_fields[] = {
	FIELD(ssdup_super, magic), FIELD(ssdup_super, crc), FIELD(ssdup_super, version),
	FIELD(ssdup_super, compat), FIELD(ssdup_super, ro_compat), FIELD(ssdup_super, incompat),
	FIELD(ssdup_super, seq), FIELD(ssdup_super, epoch), FIELD(ssdup_super, hdd_sectors),
	FIELD(ssdup_super, ssd_sectors), FIELD(ssdup_super, half_start),
	FIELD(ssdup_super, half_stride), FIELD(ssdup_super, meta_pages),
	FIELD(ssdup_super, data_sectors), FIELD(ssdup_super, block_sectors),
	FIELD(ssdup_super, flags), FIELD(ssdup_super, nr_halves), FIELD(ssdup_super, nr_ssds),
	FIELD(ssdup_super, ssd_index), FIELD(ssdup_super, lift_start),
	FIELD(ssdup_super, lift_sectors), FIELD(ssdup_super, half[0].generation),
	FIELD(ssdup_super, half[1].generation), FIELD(ssdup_super, half[0].state),
	FIELD(ssdup_super, half[2].state), FIELD(ssdup_super, half[0].pages),
	FIELD(ssdup_super, half[1].pages), { offsetof(struct ssdup_super, uuid), 8 },
};

static const struct field header_fields[] = {
	FIELD(ssdup_page_header, magic), FIELD(ssdup_page_header, crc),
	FIELD(ssdup_page_header, generation), FIELD(ssdup_page_header, epoch),
	FIELD(ssdup_page_header, rev), FIELD(ssdup_page_header, page),
	FIELD(ssdup_page_header, half), FIELD(ssdup_page_header, nr_entries),
	FIELD(ssdup_page_header, reserved), { offsetof(struct ssdup_page_header, uuid), 8 },
};

static const struct field entry_fields[] = {
	FIELD(ssdup_entry, sector), FIELD(ssdup_entry, seq), FIELD(ssdup_entry, sectors),
	FIELD(ssdup_entry, pos), FIELD(ssdup_entry, data_crc), FIELD(ssdup_entry, kind),
	FIELD(ssdup_entry, flags), FIELD(ssdup_entry, reserved),
};

static const uint64_t edges[] = {
	0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 125, 126, 127, 255, 256, 257, 263, 287, 288, 289,
	2047, 2048, 2049, 8063, 8064, 8065, 8191, 8192, 8193, 18432, 1U << 16, 1U << 24, 1U << 28,
	UINT32_MAX - 7, UINT32_MAX, 1ULL << 32, 1ULL << 54, (1ULL << 54) + 1,
	(1ULL << 62) - (1ULL << 32), (1ULL << 62) - 1, 1ULL << 62, (1ULL << 62) + 1,
	1ULL << 63, UINT64_MAX - 7, UINT64_MAX,
};

/* An edge, a neighbour of what is there, one bit of it, or anything. */
static void set_field(void *base, const struct field *f)
{
	uint64_t v = 0;

	memcpy(&v, (char *)base + f->at, f->bytes);
	v = le64toh(v);
	switch (below(6)) {
	case 0:
		v++;
		break;
	case 1:
		v--;
		break;
	case 2:
		v ^= 1ULL << below(8 * f->bytes);
		break;
	case 3:
		v = image_random(&state);
		break;
	default:
		v = edges[below(COUNT(edges))];
	}
	v = htole64(v);
	memcpy((char *)base + f->at, &v, f->bytes);
}

/* --- Superblock --- */

/* The checksum is right again, mostly. */
static void settle_super(struct image *im, unsigned int copy)
{
	if (!below(4))
		return;
	image_repair_super(im, copy);
	forged = true;
}

static void spoil_super_field(struct image *im)
{
	const struct field *f = &super_fields[below(COUNT(super_fields))];
	unsigned int which = below(3);

	set_field(im->super[which % 2].b, f);
	settle_super(im, which % 2);
	/* Two of three times both copies say the same. */
	if (which != 1)
		im->super[!(which % 2)] = im->super[which % 2];
}

static void spoil_super_bytes(struct image *im)
{
	unsigned int copy = below(2), i;

	for (i = below(8) + 1; i; i--)
		im->super[copy].b[8 + below(sizeof(im->super[0]) - 8)] ^= 1 + below(255);
}

static void zero_super(struct image *im)
{
	memset(&im->super[below(4) != 0], 0, sizeof(im->super[0]));
}

static void swap_supers(struct image *im)
{
	struct ssdup_super s = im->super[0].s;
	unsigned int copy = below(2);

	im->super[0].s = im->super[1].s;
	im->super[1].s = s;
	if (below(2))
		return;
	im->super[copy].s.seq = htole64(le64toh(im->super[copy].s.seq) - 1 - below(3));
	image_repair_super(im, copy);
	forged = true;
}

static void play_generations(struct image *im)
{
	struct ssdup_super_half *h;
	unsigned int copy;

	for (copy = 0; copy < SSDUP_SUPER_COPIES; copy++) {
		h = im->super[copy].s.half;
		switch (below(3)) {
		case 0:
			h[0].generation = h[1].generation;
			break;
		case 1:
			h[0].generation = htole64(le64toh(h[1].generation) + 1);
			break;
		default:
			h[1].generation = h[0].generation;
			h[0].generation = htole64(le64toh(h[0].generation) + 1);
		}
		image_repair_super(im, copy);
	}
	forged = true;
}

/* --- Pages --- */

static struct ssdup_page *any_slot(struct image *im)
{
	struct ssdup_page *p = NULL;
	unsigned int tries;

	/* Rather one that holds something. */
	for (tries = 0; tries < 8; tries++) {
		p = &im->slot[below(IMAGE_HALVES)][below(IMAGE_PAGES)][below(SSDUP_PAGE_SLOTS)];
		if (p->h.magic)
			break;
	}
	return p;
}

static void settle_page(struct ssdup_page *p)
{
	if (!below(4))
		return;
	image_repair_page(p);
	forged = true;
}

static void spoil_header_field(struct image *im)
{
	struct ssdup_page *p = any_slot(im);

	set_field(&p->h, &header_fields[below(COUNT(header_fields))]);
	settle_page(p);
}

static void spoil_entry_field(struct image *im)
{
	struct ssdup_page *p = any_slot(im);
	unsigned int nr = le16toh(p->h.nr_entries);

	set_field(&p->e[below(nr && nr <= SSDUP_PAGE_ENTRIES ? nr : SSDUP_PAGE_ENTRIES)],
		  &entry_fields[below(COUNT(entry_fields))]);
	settle_page(p);
}

static void copy_entry(struct image *im)
{
	struct ssdup_page *p = any_slot(im);

	p->e[below(SSDUP_PAGE_ENTRIES)] = any_slot(im)->e[below(SSDUP_PAGE_ENTRIES)];
	settle_page(p);
}

static void spoil_page_bytes(struct image *im)
{
	unsigned char *b = (unsigned char *)any_slot(im);
	unsigned int i;

	for (i = below(8) + 1; i; i--)
		b[below(SSDUP_PAGE_BYTES)] ^= 1 + below(255);
}

static void zero_slots(struct image *im)
{
	unsigned int half = below(IMAGE_HALVES), page = below(IMAGE_PAGES);
	unsigned int slot = below(3);

	if (slot != 1)
		memset(&im->slot[half][page][0], 0, SSDUP_PAGE_BYTES);
	if (slot != 0)
		memset(&im->slot[half][page][1], 0, SSDUP_PAGE_BYTES);
}

static void cut_off(struct image *im)
{
	unsigned int half = below(IMAGE_HALVES), page = below(IMAGE_PAGES);

	memset(&im->slot[half][page], 0, (IMAGE_PAGES - page) * sizeof(im->slot[0][0]));
}

/* A page where another should be; some of them say that they belong there. */
static void copy_slot(struct image *im)
{
	unsigned int half = below(IMAGE_HALVES), page = below(IMAGE_PAGES);
	struct ssdup_page *p = &im->slot[half][page][below(SSDUP_PAGE_SLOTS)];

	*p = *any_slot(im);
	if (below(2))
		return;
	p->h.half = htole16(half);
	p->h.page = htole32(page);
	p->h.generation = im->super[0].s.half[half].generation;
	settle_page(p);
}

static void swap_slots(struct image *im)
{
	struct ssdup_page *a = any_slot(im), *b = any_slot(im), c = *a;

	*a = *b;
	*b = c;
}

/* Some sectors of another page, as a write that was torn leaves them. */
static void tear_slot(struct image *im)
{
	unsigned char *to = (unsigned char *)any_slot(im), *from = (unsigned char *)any_slot(im);
	unsigned int sectors = below(254) + 1, i;

	for (i = 0; i < SSDUP_PAGE_SECTORS; i++)
		if (sectors & 1U << i)
			memcpy(to + 512 * i, from + 512 * i, 512);
}

static void (*const ways[])(struct image *im) = {
	spoil_super_field, spoil_super_field, spoil_super_bytes, zero_super, swap_supers,
	play_generations, spoil_header_field, spoil_header_field, spoil_entry_field,
	spoil_entry_field, spoil_entry_field, copy_entry, spoil_page_bytes, zero_slots,
	cut_off, copy_slot, swap_slots, tear_slot,
};

int image_mutate(struct image *im, unsigned long long seed)
{
	unsigned int i;

	state = seed;
	forged = false;
	for (i = below(8) ? 1 : 1 + below(4); i; i--)
		ways[below(COUNT(ways))](im);
	return forged;
}
