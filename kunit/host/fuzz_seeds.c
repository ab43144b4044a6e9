// SPDX-License-Identifier: GPL-2.0-only
/*
 * Images that the encoders of log.c make: what the fuzzer starts from. As a
 * program: writes each of them as an input into the folder that is named.
 */
#include "../../dm-ssdup/core/log.h"
#include "fuzz.h"

#define HDD_SECTORS	32768U
#define SSD_SECTORS	(SSDUP_HEAD_SECTORS + IMAGE_HALVES * IMAGE_STRIDE)

struct maker {
	struct image		*im;
	struct log_super	s;
	u64			seq;
	u32			pos;
};

static void super_to(struct maker *m, u32 copy)
{
	static u8 block[SSDUP_SUPER_BYTES];

	m->s.seq++;
	ssdup_log_super_encode(&m->s, block);
	memcpy(m->im->super[copy].b, block, sizeof(m->im->super[copy]));
}

static void supers(struct maker *m)
{
	super_to(m, 1);
	m->s.seq--;
	super_to(m, 0);
}

/* A page of @nr entries, those of the version before it included. */
static void page(struct maker *m, u32 half, u32 number, u64 rev, u32 nr, u32 kinds)
{
	struct ssdup_page *p = &m->im->slot[half][number][rev & 1];
	struct log_page_id id = {
		.generation = m->s.generation[half], .epoch = m->s.epoch, .rev = rev,
		.page = number, .half = half,
	};
	u32 i;

	memcpy(id.uuid, m->s.uuid, sizeof(id.uuid));
	ssdup_log_page_begin(p, &id);
	for (i = 0; i < nr; i++) {
		struct log_entry e = {
			.sector = (m->seq * 56 + i * 24) % (HDD_SECTORS - 64),
			.seq = ++m->seq, .sectors = 8 + i % 3 * 8, .kind = 1 + i % kinds,
		};

		if (e.kind == SSDUP_KIND_DATA) {
			e.pos = to_log_pos(m->pos % (m->s.g.data_sectors - 64));
			m->pos += e.sectors;
		}
		ssdup_log_page_add(p, &e);
	}
	ssdup_log_page_finish(p);
}

static void full_half(struct maker *m, u32 half)
{
	u32 i;

	m->pos = 0;
	for (i = 0; i < IMAGE_PAGES; i++)
		page(m, half, i, 1 + i % 2, SSDUP_PAGE_ENTRIES, 1);
}

bool fuzz_seed(u32 nr, struct image *im)
{
	static const u8 uuid[16] = { 0x5d, 0xd0, 0x0f };
	struct maker m = { .im = im };
	struct log_geometry g;

	memset(im, 0, sizeof(*im));
	WARN_ON(!ssdup_log_layout(&g, SSD_SECTORS, IMAGE_HALVES, 1));
	WARN_ON(g.meta_pages != IMAGE_PAGES || g.half_stride != IMAGE_STRIDE);
	ssdup_log_super_fresh(&m.s, uuid, &g, HDD_SECTORS, SSD_SECTORS);
	m.s.epoch = 1;
	switch (nr) {
	case 0:			/* fresh */
		break;
	case 1:			/* all kinds, rewritten as FLUSHes come */
		page(&m, 0, 0, 1, 3, SSDUP_KIND_MAX);
		page(&m, 0, 0, 2, 9, SSDUP_KIND_MAX);
		page(&m, 0, 0, 3, 20, SSDUP_KIND_MAX);
		break;
	case 2:			/* both halves in use */
		full_half(&m, 0);
		page(&m, 1, 0, 1, 60, 2);
		page(&m, 1, 1, 1, 5, 1);
		break;
	case 3:			/* both full */
		full_half(&m, 0);
		full_half(&m, 1);
		break;
	case 4:			/* a gap that a power cut left, filled in a later epoch */
		page(&m, 0, 0, 1, 30, 2);
		page(&m, 0, 2, 1, 30, 2);
		m.s.epoch++;
		page(&m, 0, 1, 1, 10, 3);
		break;
	case 5:			/* a half that was freed, pages of its former life left */
		full_half(&m, 0);
		m.s.generation[0] = ssdup_log_next_generation(&m.s);
		page(&m, 1, 0, 1, 40, 4);
		page(&m, 0, 0, 2, 7, 1);
		break;
	case 6:			/* suspended cleanly */
		page(&m, 0, 0, 1, 126, 1);
		page(&m, 0, 1, 1, 0, 1);
		page(&m, 0, 2, 1, 12, 4);
		m.s.pages[0] = 3;
		m.s.flags = SSDUP_SUPER_CLEAN;
		break;
	case 7:			/* one copy is behind */
		super_to(&m, 0);
		page(&m, 1, 0, 1, 12, 4);
		m.s.epoch++;
		super_to(&m, 1);
		return true;
	default:
		return false;
	}
	supers(&m);
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
