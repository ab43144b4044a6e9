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

void image_repair_record(struct image *im, unsigned int copy)
{
	struct ssdup_record *r = &im->record[copy].r;

	r->crc = htole32(crc32c_of(r, sizeof(*r), offsetof(struct ssdup_record, crc)));
}

void image_repair_header(struct image *im, unsigned int segment)
{
	struct ssdup_header *h = &im->header[segment].h;

	h->crc = htole32(crc32c_of(h, sizeof(*h), offsetof(struct ssdup_header, crc)));
}

void image_repair_page(struct ssdup_page *p)
{
	p->h.crc = htole32(crc32c_of(p, sizeof(*p), offsetof(struct ssdup_page_header, crc)));
}

void image_set_dirty(struct image *im)
{
	unsigned int copy;

	for (copy = 0; copy < SSDUP_COPIES; copy++) {
		im->record[copy].r.flags &= htole32(~SSDUP_RECORD_CLOSED);
		image_repair_record(im, copy);
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
	FIELD(ssdup_super, seq), FIELD(ssdup_super, ssd_sectors),
	FIELD(ssdup_super, segment_start), FIELD(ssdup_super, segment_sectors),
	FIELD(ssdup_super, nr_segments), FIELD(ssdup_super, meta_pages),
	FIELD(ssdup_super, nr_ssds), FIELD(ssdup_super, ssd_index),
	FIELD(ssdup_super, made_ssds), { offsetof(struct ssdup_super, ssd_state), 8 },
	{ offsetof(struct ssdup_super, uuid), 8 }, { offsetof(struct ssdup_super, member), 8 },
	{ offsetof(struct ssdup_super, reserved), 8 },
};

static const struct field record_fields[] = {
	FIELD(ssdup_record, magic), FIELD(ssdup_record, crc), FIELD(ssdup_record, log),
	FIELD(ssdup_record, nr_classes), FIELD(ssdup_record, flags), FIELD(ssdup_record, seq),
	FIELD(ssdup_record, epoch), FIELD(ssdup_record, hdd_sectors),
	FIELD(ssdup_record, first), FIELD(ssdup_record, first),
	FIELD(ssdup_record, block_sectors), FIELD(ssdup_record, live_segments),
	FIELD(ssdup_record, live_pages), FIELD(ssdup_record, tail[0]),
	FIELD(ssdup_record, tail[0]), FIELD(ssdup_record, tail[1]), FIELD(ssdup_record, tail[2]),
	FIELD(ssdup_record, nr_ssds), FIELD(ssdup_record, old_ssds), FIELD(ssdup_record, era),
	{ offsetof(struct ssdup_record, pool), 8 }, { offsetof(struct ssdup_record, uuid), 8 },
};

static const struct field header_fields[] = {
	FIELD(ssdup_header, magic), FIELD(ssdup_header, crc), FIELD(ssdup_header, generation),
	FIELD(ssdup_header, generation), FIELD(ssdup_header, epoch), FIELD(ssdup_header, epoch),
	FIELD(ssdup_header, segment), FIELD(ssdup_header, log), FIELD(ssdup_header, class),
	{ offsetof(struct ssdup_header, pool), 8 }, { offsetof(struct ssdup_header, uuid), 8 },
};

static const struct field page_fields[] = {
	FIELD(ssdup_page_header, magic), FIELD(ssdup_page_header, crc),
	FIELD(ssdup_page_header, generation), FIELD(ssdup_page_header, epoch),
	FIELD(ssdup_page_header, rev), FIELD(ssdup_page_header, page),
	FIELD(ssdup_page_header, segment), FIELD(ssdup_page_header, number),
	FIELD(ssdup_page_header, number), FIELD(ssdup_page_header, nr_entries),
	FIELD(ssdup_page_header, reserved), { offsetof(struct ssdup_page_header, uuid), 8 },
};

static const struct field entry_fields[] = {
	FIELD(ssdup_entry, sector), FIELD(ssdup_entry, seq), FIELD(ssdup_entry, sectors),
	FIELD(ssdup_entry, pos), FIELD(ssdup_entry, data_crc), FIELD(ssdup_entry, kind),
	FIELD(ssdup_entry, flags), FIELD(ssdup_entry, reserved),
};

static const uint64_t edges[] = {
	0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 125, 126, 127, 255, 256, 257, 488, 511, 512,
	513, 1024, 2007, 2008, 2009, 2047, 2048, 2049, 4095, 4096, 4097, 8192, 67584, 1U << 16,
	1U << 19, 1U << 20, 1U << 24, 1U << 28, UINT32_MAX - 7, UINT32_MAX, 1ULL << 32,
	1ULL << 36, 1ULL << 39, (1ULL << 39) + 1, 1ULL << 40, 1ULL << 54, (1ULL << 54) + 1,
	1ULL << 56, (1ULL << 56) + 1, 1ULL << 60, 1ULL << 62, 1ULL << 63, UINT64_MAX - 7,
	UINT64_MAX,
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

/* --- Superblock and record --- */

/* The checksum is right again, mostly. */
static void settle(struct image *im, void (*repair)(struct image *im, unsigned int which),
		   unsigned int which)
{
	if (!below(4))
		return;
	repair(im, which);
	forged = true;
}

static void spoil_super_field(struct image *im)
{
	unsigned int which = below(3);

	set_field(im->super[which % 2].b, &super_fields[below(COUNT(super_fields))]);
	settle(im, image_repair_super, which % 2);
	/* Two of three times both copies say the same. */
	if (which != 1)
		im->super[!(which % 2)] = im->super[which % 2];
}

static void spoil_record_field(struct image *im)
{
	unsigned int which = below(3);

	set_field(im->record[which % 2].b, &record_fields[below(COUNT(record_fields))]);
	settle(im, image_repair_record, which % 2);
	if (which != 1)
		im->record[!(which % 2)] = im->record[which % 2];
}

static void spoil_bytes(struct image *im)
{
	unsigned char *b = im->super[below(2)].b;
	unsigned int i, from = 8;

	if (below(2)) {
		b = im->record[below(2)].b;
		from = 4;
	}
	for (i = below(8) + 1; i; i--)
		b[from + below(512 - from)] ^= 1 + below(255);
}

static void zero_copy(struct image *im)
{
	if (below(2))
		memset(&im->super[below(4) != 0], 0, sizeof(im->super[0]));
	else
		memset(&im->record[below(2)], 0, sizeof(im->record[0]));
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

/* Of one of the classes. */
static void move_tail(struct ssdup_record *r, unsigned int most)
{
	unsigned int nr = le16toh(r->nr_classes), class;

	class = below(nr && nr <= SSDUP_MAX_CLASSES ? nr : SSDUP_MAX_CLASSES);
	r->tail[class] = htole64(le64toh(r->tail[class]) + below(2 * most + 1) - most);
}

/* A copy that is older, or newer, than the other one. */
static void age_record(struct image *im)
{
	unsigned int copy = below(2);
	struct ssdup_record *r = &im->record[copy].r;

	r->seq = htole64(le64toh(r->seq) + below(5) - 2);
	if (below(2))
		move_tail(r, 3);
	image_repair_record(im, copy);
	forged = true;
}

/* The superblock of a format that was, or is to come, with what else there is. */
static void other_format(struct image *im)
{
	unsigned int copy, which = 1 + below(3), version = below(2) ? 1 : 3;

	for (copy = 0; copy < SSDUP_COPIES; copy++) {
		if (!(which & 1U << copy))
			continue;
		im->super[copy].s.version = htole32(version);
		image_repair_super(im, copy);
	}
	forged = true;
}

static void nil_uuid(struct image *im)
{
	unsigned int copy, which = below(2);

	for (copy = 0; copy < SSDUP_COPIES; copy++) {
		if (which)
			memset(im->super[copy].s.uuid, 0, sizeof(im->super[copy].s.uuid));
		else
			memset(im->record[copy].r.uuid, 0, sizeof(im->record[copy].r.uuid));
		image_repair_super(im, copy);
		image_repair_record(im, copy);
	}
	forged = true;
}

/* Both copies say it: what is free, where the epoch began, how much there is, and of what. */
static void play_record(struct image *im)
{
	struct ssdup_record *r = &im->record[0].r;
	unsigned int copy, i;

	switch (below(6)) {
	case 0:
		move_tail(r, 4);
		break;
	case 1:
		r->first = htole64(le64toh(r->first) + below(9) - 4);
		break;
	case 2:
		r->epoch = htole64(le64toh(r->epoch) + below(5) - 2);
		break;
	case 3:
		r->flags ^= htole32(SSDUP_RECORD_CLOSED);
		break;
	case 4:
		r->nr_classes = htole16(1 + below(SSDUP_MAX_CLASSES));
		for (i = 0; i < SSDUP_MAX_CLASSES; i++)
			r->tail[i] = r->tail[i] ?: r->tail[0];
		break;
	default:
		r->live_pages = htole64(le64toh(r->live_pages) + below(5) - 2);
		r->live_segments = htole32(le32toh(r->live_segments) + below(3) - 1);
	}
	im->record[1].r = *r;
	for (copy = 0; copy < SSDUP_COPIES; copy++)
		image_repair_record(im, copy);
	forged = true;
}

/* --- Headers --- */

/* Rather one that has a header. */
static unsigned int any_segment(const struct image *im)
{
	unsigned int segment = 0, tries;

	for (tries = 0; tries < 16; tries++) {
		segment = below(IMAGE_SEGMENTS);
		if (im->header[segment].h.magic)
			break;
	}
	return segment;
}

static void spoil_header_field(struct image *im)
{
	unsigned int segment = any_segment(im);

	set_field(im->header[segment].b, &header_fields[below(COUNT(header_fields))]);
	settle(im, image_repair_header, segment);
}

static void zero_header(struct image *im)
{
	memset(&im->header[any_segment(im)], 0, sizeof(im->header[0]));
}

/* A header where another should be; some of them say that they belong there. */
static void copy_header(struct image *im)
{
	unsigned int segment = below(2) ? any_segment(im) : below(IMAGE_SEGMENTS);

	im->header[segment] = im->header[any_segment(im)];
	if (below(2))
		return;
	im->header[segment].h.segment = htole32(segment);
	settle(im, image_repair_header, segment);
}

/* Generations in another order, used twice, or left out, and so perhaps of another class. */
static void play_generations(struct image *im)
{
	unsigned int a = any_segment(im), b = any_segment(im);
	struct ssdup_header *x = &im->header[a].h, *y = &im->header[b].h;
	uint64_t generation = x->generation;

	x->generation = y->generation;
	if (below(2))
		x->class = y->class;
	switch (below(3)) {
	case 0:
		y->generation = generation;
		break;
	case 1:
		x->generation = htole64(le64toh(generation) + below(5) - 2);
		break;
	default:
		break;
	}
	image_repair_header(im, a);
	image_repair_header(im, b);
	forged = true;
}

/* --- Pages --- */

static struct ssdup_page *any_slot(struct image *im)
{
	struct ssdup_page *p = NULL;
	unsigned int tries;

	/* Rather one that holds something. */
	for (tries = 0; tries < 8; tries++) {
		p = &im->slot[any_segment(im)][below(IMAGE_PAGES)][below(SSDUP_PAGE_SLOTS)];
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

static void spoil_page_field(struct image *im)
{
	struct ssdup_page *p = any_slot(im);

	set_field(&p->h, &page_fields[below(COUNT(page_fields))]);
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
	unsigned int segment = any_segment(im), page = below(IMAGE_PAGES);
	unsigned int slot = below(3);

	if (slot != 1)
		memset(&im->slot[segment][page][0], 0, SSDUP_PAGE_BYTES);
	if (slot != 0)
		memset(&im->slot[segment][page][1], 0, SSDUP_PAGE_BYTES);
}

static void cut_off(struct image *im)
{
	unsigned int segment = any_segment(im), page = below(IMAGE_PAGES);

	memset(&im->slot[segment][page], 0, (IMAGE_PAGES - page) * sizeof(im->slot[0][0]));
	/* A few segments behind it, with their headers or without. */
	while (++segment < IMAGE_SEGMENTS && below(3)) {
		memset(&im->slot[segment], 0, sizeof(im->slot[0]));
		if (below(2))
			memset(&im->header[segment], 0, sizeof(im->header[0]));
	}
}

/* A page where another should be; some of them say that they belong there. */
static void copy_slot(struct image *im)
{
	unsigned int segment = any_segment(im), page = below(IMAGE_PAGES);
	struct ssdup_page *p = &im->slot[segment][page][below(SSDUP_PAGE_SLOTS)];

	*p = *any_slot(im);
	if (below(2))
		return;
	p->h.segment = htole32(segment);
	p->h.page = htole32(page);
	p->h.generation = im->header[segment].h.generation;
	p->h.epoch = im->header[segment].h.epoch;
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
	spoil_super_field, spoil_super_field, spoil_record_field, spoil_record_field, spoil_bytes,
	zero_copy, swap_supers, age_record, other_format, nil_uuid, play_record, play_record,
	spoil_header_field, spoil_header_field, zero_header, copy_header, play_generations,
	spoil_page_field, spoil_page_field, spoil_entry_field, spoil_entry_field,
	spoil_entry_field, copy_entry, spoil_page_bytes, zero_slots, cut_off, copy_slot,
	swap_slots, tear_slot,
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
