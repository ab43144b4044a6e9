// SPDX-License-Identifier: GPL-2.0-only
/*
 * Images that the encoders of log.c make: what the fuzzer starts from. As a
 * program: writes each of them as an input into the folder that is named.
 */
#include "../../dm-ssdup/core/codec.h"
#include "fuzz.h"

#define HDD_SECTORS	32768U

struct maker {
	struct image		*im;
	struct log_super	s;
	u64			generation;	/* of the open segment */
	u32			segment;
	u32			class;		/* of both */
	u64			next[SSDUP_MAX_CLASSES];	/* generations */
	u32			number[SSDUP_MAX_CLASSES];	/* of the epoch's next page */
	u32			count;		/* of entries in the segment */
	u32			pos;
	u32			at;		/* changes with each entry */
};

static void record_to(struct maker *m, u32 copy)
{
	static u8 block[SSDUP_BLOCK_BYTES];

	m->s.seq++;
	ssdup_log_record_encode(&m->s, block);
	memcpy(m->im->record[copy].b, block, sizeof(m->im->record[copy]));
}

static void records(struct maker *m)
{
	record_to(m, 1);
	m->s.seq--;
	record_to(m, 0);
}

static void supers(struct maker *m)
{
	static u8 block[SSDUP_BLOCK_BYTES];
	u32 copy;

	ssdup_log_super_encode(&m->s, block);
	for (copy = 0; copy < SSDUP_COPIES; copy++)
		memcpy(m->im->super[copy].b, block, sizeof(m->im->super[copy]));
}

/* The next epoch, and so the first one, begins behind all generations. */
static void begin_epoch(struct maker *m)
{
	u32 i;

	m->s.epoch++;
	for (i = 0; i < m->s.classes.nr; i++)
		m->s.first = max(m->s.first, m->next[i] - min(m->next[i], m->s.classes.nr - 1ULL));
	for (i = 0; i < m->s.classes.nr; i++) {
		m->next[i] = ssdup_log_class_from(&m->s.classes, i, m->s.first);
		m->number[i] = 0;
	}
}

static void open_segment(struct maker *m, u32 segment)
{
	static u8 block[SSDUP_BLOCK_BYTES];
	struct log_header h = { m->next[m->class], m->s.epoch, segment };

	m->next[m->class] += m->s.classes.nr;
	m->generation = h.generation;
	m->segment = segment;
	m->count = 0;
	m->pos = 0;
	ssdup_log_header_encode(&m->s, &h, block);
	memcpy(m->im->header[segment].b, block, sizeof(m->im->header[segment]));
}

/* A page of @nr entries, those of the version before it included. */
static void page(struct maker *m, u32 page, u64 rev, u32 nr, u32 kinds)
{
	struct ssdup_page *p = &m->im->slot[m->segment][page][rev & 1];
	struct log_page_id id = {
		.generation = m->generation, .epoch = m->s.epoch, .rev = rev,
		.page = page, .segment = m->segment, .number = m->number[m->class],
	};
	/* No two classes hold the same sector. */
	u32 share = HDD_SECTORS / m->s.classes.nr / 8 * 8, i;

	memcpy(id.uuid, m->s.uuid, sizeof(id.uuid));
	ssdup_log_page_begin(p, &id);
	for (i = 0; i < nr; i++, m->at++) {
		struct log_entry e = {
			.sector = m->class * share + (m->at * 56 + i * 24) % (share - 64),
			.seq = m->generation << SSDUP_SEQ_BITS | m->count++,
			.sectors = 8 + i % 3 * 8, .kind = 1 + i % kinds,
		};

		if (e.kind == SSDUP_KIND_DATA) {
			e.pos = to_log_pos(m->pos % (m->s.g.data_sectors - 64) / 8 * 8);
			m->pos += e.sectors;
		}
		ssdup_log_page_add(p, &e);
	}
	ssdup_log_page_finish(p);
}

static void full_segment(struct maker *m, u32 segment)
{
	u32 i;

	open_segment(m, segment);
	for (i = 0; i < IMAGE_PAGES; i++, m->number[m->class]++)
		page(m, i, 1 + i % 2, i ? 100 : SSDUP_PAGE_ENTRIES, 1);
}

/* From the start on. */
static void set_classes(struct maker *m, u32 nr)
{
	m->s.epoch = 0;
	m->s.classes.nr = nr;
	while (nr--)
		m->s.tail[nr] = 1;
	begin_epoch(m);
}

static void make_classes(struct maker *m, u32 nr)
{
	u32 i;

	switch (nr) {
	case 10:		/* three in turn, with a tail each; the last one is used again */
		set_classes(m, 3);
		for (i = 0; i < 9; i++) {
			m->class = i % 3;
			full_segment(m, i * 5 % IMAGE_SEGMENTS);
		}
		m->s.tail[1] = 4;
		m->s.tail[2] = m->generation;
		full_segment(m, 10);
		break;
	case 11:		/* a power cut left a gap in one of two, and the next epoch */
		set_classes(m, 2);
		full_segment(m, 3);
		m->class = 1;
		open_segment(m, 7);
		m->number[1]++;
		page(m, 1, 1, 30, 2);
		begin_epoch(m);
		full_segment(m, 1);
		m->class = 0;
		open_segment(m, 2);
		page(m, 0, 1, 9, SSDUP_KIND_MAX);
		break;
	default:		/* as many as there are, suspended cleanly; one has no segment */
		set_classes(m, SSDUP_MAX_CLASSES);
		for (m->class = 1; m->class < SSDUP_MAX_CLASSES; m->class++)
			full_segment(m, 4 * m->class);
		m->s.live_segments = SSDUP_MAX_CLASSES - 1;
		m->s.live_pages = m->s.live_segments * IMAGE_PAGES;
		m->s.flags = SSDUP_RECORD_CLOSED;
	}
}

static void make_image(struct maker *m, u32 nr)
{
	u32 i;

	switch (nr) {
	case 0:			/* fresh */
		break;
	case 1:			/* all kinds, rewritten as FLUSHes come */
		open_segment(m, 0);
		page(m, 0, 1, 3, SSDUP_KIND_MAX);
		page(m, 0, 2, 9, SSDUP_KIND_MAX);
		page(m, 0, 3, 20, SSDUP_KIND_MAX);
		break;
	case 2:			/* several segments, anywhere; overlapping writes */
		for (i = 0; i < 4; i++)
			full_segment(m, i * 11 % IMAGE_SEGMENTS);
		open_segment(m, 5);
		page(m, 0, 1, 60, 2);
		m->number[m->class]++;
		page(m, 1, 1, 5, 1);
		break;
	case 3:			/* all full */
		for (i = 0; i < IMAGE_SEGMENTS; i++)
			full_segment(m, i);
		break;
	case 4:			/* a gap that a power cut left, and the next epoch */
		full_segment(m, 0);
		open_segment(m, 1);
		m->number[m->class]++;
		page(m, 1, 1, 30, 2);
		open_segment(m, 2);
		begin_epoch(m);
		full_segment(m, 3);
		open_segment(m, 4);
		page(m, 0, 1, 10, 3);
		break;
	case 5:			/* segments that were freed, one of them used again */
		for (i = 0; i < 5; i++)
			full_segment(m, i);
		m->s.tail[0] = m->generation - 1;
		open_segment(m, 1);
		page(m, 0, 2, 7, SSDUP_KIND_MAX);
		break;
	case 6:			/* suspended cleanly */
		full_segment(m, 0);
		open_segment(m, 1);
		page(m, 0, 1, 0, 1);
		m->number[m->class]++;
		page(m, 1, 1, 12, SSDUP_KIND_MAX);
		m->s.live_segments = 2;
		m->s.live_pages = IMAGE_PAGES + 2;
		m->s.flags = SSDUP_RECORD_CLOSED;
		break;
	case 7:			/* one copy is behind */
		full_segment(m, 0);
		full_segment(m, 1);
		record_to(m, 0);
		m->s.tail[0] = 2;
		record_to(m, 1);
		break;
	case 8:			/* a power cut took all pages of a segment, but not of the next */
		full_segment(m, 0);
		open_segment(m, 1);
		m->number[m->class] += IMAGE_PAGES;
		open_segment(m, 2);
		page(m, 0, 1, 9, 1);
		begin_epoch(m);
		break;
	case 9:			/* epochs, each longer than a round */
		for (i = 0; i < 27; i++) {
			if (i && i % 9 == 0)
				begin_epoch(m);
			full_segment(m, (i * 7 + 3) % IMAGE_SEGMENTS);
		}
		m->s.tail[0] = 4;
		break;
	default:
		make_classes(m, nr);
	}
}

#define SEEDS	13U

bool fuzz_seed(u32 nr, struct image *im)
{
	static const u8 pool[16] = { 0x5d, 0xd0 }, uuid[16] = { 0x5d, 0xd0, 0x0f };
	struct maker m = { .im = im };
	struct log_geometry g;

	memset(im, 0, sizeof(*im));
	WARN_ON(!ssdup_log_layout(&g, IMAGE_SSD_SECTORS, 0, 1));
	WARN_ON(g.meta_pages != IMAGE_PAGES || g.segment_sectors != IMAGE_SEGMENT_SECTORS ||
		g.nr_segments != IMAGE_SEGMENTS);
	ssdup_log_super_fresh(&m.s, pool, uuid, &g, HDD_SECTORS, IMAGE_SSD_SECTORS);
	if (nr >= SEEDS)
		return false;
	begin_epoch(&m);
	make_image(&m, nr);
	supers(&m);
	if (!im->record[0].r.magic)
		records(&m);
	return true;
}

#ifdef FUZZ_SEEDS_MAIN
int main(int argc, char **argv)
{
	static u8 data[FUZZ_MAX_INPUT];
	static struct image im;
	char path[4096];
	size_t size;
	FILE *f;
	u32 i;

	for (i = 0; argc == 2 && fuzz_seed(i, &im); i++) {
		snprintf(path, sizeof(path), "%s/seed-%u", argv[1], i);
		size = fuzz_pack(&im, data, sizeof(data));
		f = fopen(path, "w");
		if (!f || fwrite(data, 1, size, f) != size || fclose(f)) {
			perror(path);
			return 1;
		}
	}
	return argc != 2;
}
#endif
