// SPDX-License-Identifier: GPL-2.0-only
#include <unistd.h>

#include "format1_maker.h"

#define STRIDE		8192U
#define META_PAGES	8U
#define OLD_CONTENT	BIT_ULL(40)	/* plus the number of the sector */

u32 f1_below(struct f1_maker *m, u32 n)
{
	u64 x = m->random += 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return (x ^ x >> 31) % n;
}

static void put_hdd(struct f1_maker *m)
{
	static u64 block[SECTOR_BYTES / 8];
	u32 i, j;

	m->hdd = xalloc(F1_HDD_SECTORS * sizeof(*m->hdd));
	for (i = 0; i < F1_HDD_SECTORS; i++) {
		m->hdd[i] = OLD_CONTENT + i;
		for (j = 0; j < SECTOR_BYTES / 8; j++)
			block[j] = m->hdd[i];
		WARN_ON(pwrite(m->b.hdd, block, sizeof(block), i * SECTOR_BYTES) !=
			sizeof(block));
	}
}

void f1_begin(struct f1_maker *m, u64 seed, u32 halves, u32 block_sectors)
{
	u64 ssd = SSDUP_HEAD_SECTORS + (u64)halves * STRIDE;
	u32 i;

	memset(m, 0, sizeof(*m));
	m->random = seed;
	m->f = (struct f1_log){
		.uuid = { 0x5d, 0xd0, 0x0f, 0xf1 }, .seq = 9, .epoch = 4,
		.hdd_sectors = F1_HDD_SECTORS, .ssd_sectors = ssd,
		.half_start = SSDUP_HEAD_SECTORS, .half_stride = STRIDE,
		.meta_pages = META_PAGES, .data_sectors = STRIDE - META_PAGES * 16,
		.block_sectors = block_sectors, .nr_halves = halves,
	};
	for (i = 0; i < halves; i++)
		m->f.generation[i] = 10 + (i + seed) % halves;
	bench_silence();
	bench_open(&m->b, ssd, F1_HDD_SECTORS);
	put_hdd(m);
}

void f1_end(struct f1_maker *m)
{
	bench_close(&m->b);
	free(m->note);
	free(m->hdd);
}

/* --- Encoding --- */

static __le32 crc_of(void *p, size_t len)
{
	return cpu_to_le32(crc32c(~0, p, len));
}

void f1_fix_page(struct f1_page *p)
{
	p->crc = 0;
	p->crc = crc_of(p, sizeof(*p));
}

void f1_fix_super(struct f1_super *s)
{
	s->crc = 0;
	s->crc = crc_of(s, sizeof(*s));
}

static void add_entry(struct f1_maker *m, u32 half, struct f1_page *p, bool counts)
{
	u32 unit = m->f.block_sectors, i = le16_to_cpu(p->nr_entries);
	struct f1_note n = {
		.seq = ++m->seq, .generation = m->f.generation[half],
		.sector = f1_below(m, F1_HDD_SECTORS / unit) * unit,
		.sectors = (1 + f1_below(m, 12)) * unit,
		.kind = f1_below(m, 3) ? SSDUP_KIND_DATA : 1 + f1_below(m, SSDUP_KIND_MAX),
	};
	struct ssdup_entry *e = &p->e[i];

	n.sectors = min(n.sectors, F1_HDD_SECTORS - n.sector);
	if (n.kind == SSDUP_KIND_DATA && m->pos[half] + n.sectors > m->f.data_sectors)
		n.kind = SSDUP_KIND_ZERO;
	*e = (struct ssdup_entry){
		.sector = cpu_to_le64(n.sector), .seq = cpu_to_le64(n.seq),
		.sectors = cpu_to_le32(n.sectors), .kind = n.kind,
	};
	if (n.kind == SSDUP_KIND_DATA) {
		e->pos = cpu_to_le32(m->pos[half]);
		n.pos = f1_data_sector(&m->f, half, m->pos[half]);
		m->pos[half] += n.sectors;
	}
	p->nr_entries = cpu_to_le16(i + 1);
	if (!counts)
		return;
	m->note = xmore(m->note, m->nr, sizeof(*m->note));
	m->note[m->nr++] = n;
}

static void begin_page(const struct f1_maker *m, struct f1_page *p, u32 half, u32 page, u64 rev)
{
	memset(p, 0, sizeof(*p));
	p->magic = cpu_to_le32(SSDUP_PAGE_MAGIC);
	memcpy(p->uuid, m->f.uuid, sizeof(p->uuid));
	p->generation = cpu_to_le64(m->f.generation[half]);
	p->epoch = cpu_to_le64(m->f.epoch);
	p->rev = cpu_to_le64(rev);
	p->page = cpu_to_le32(page);
	p->half = cpu_to_le16(half);
}

static void put_page(struct f1_maker *m, struct f1_page *p)
{
	f1_fix_page(p);
	bench_write(&m->b, p, f1_slot_sector(&m->f, le16_to_cpu(p->half), le32_to_cpu(p->page),
					     le64_to_cpu(p->rev) & 1), SSDUP_PAGE_SECTORS);
}

void f1_page(struct f1_maker *m, u32 half, u32 page, u64 rev, u32 nr, bool counts)
{
	struct f1_page p;

	begin_page(m, &p, half, page, rev);
	while (nr--)
		add_entry(m, half, &p, counts);
	put_page(m, &p);
	if (counts)
		m->count[half] = max(m->count[half], page + 1);
}

void f1_supers(struct f1_maker *m, bool clean)
{
	static u8 block[SSDUP_BLOCK_BYTES];
	struct f1_super *s = (struct f1_super *)block;
	u32 i;

	memset(block, 0, sizeof(block));
	s->magic = cpu_to_le64(SSDUP_SUPER_MAGIC);
	s->version = cpu_to_le32(F1_VERSION);
	s->compat = cpu_to_le64(F1_COMPAT_PAGES);
	memcpy(s->uuid, m->f.uuid, sizeof(s->uuid));
	s->seq = cpu_to_le64(m->f.seq);
	s->epoch = cpu_to_le64(m->f.epoch);
	s->hdd_sectors = cpu_to_le64(m->f.hdd_sectors);
	s->ssd_sectors = cpu_to_le64(m->f.ssd_sectors);
	s->half_start = cpu_to_le64(m->f.half_start);
	s->half_stride = cpu_to_le64(m->f.half_stride);
	s->meta_pages = cpu_to_le32(m->f.meta_pages);
	s->data_sectors = cpu_to_le32(m->f.data_sectors);
	s->block_sectors = cpu_to_le32(m->f.block_sectors);
	s->flags = cpu_to_le32(clean ? F1_CLEAN : 0);
	s->nr_halves = cpu_to_le16(m->f.nr_halves);
	s->nr_ssds = cpu_to_le16(1);
	for (i = 0; i < m->f.nr_halves; i++) {
		s->half[i].generation = cpu_to_le64(m->f.generation[i]);
		s->half[i].state = cpu_to_le32(1);
		s->half[i].pages = cpu_to_le32(clean ? m->count[i] : 0);
	}
	f1_fix_super(s);
	for (i = 0; i < SSDUP_COPIES; i++)
		bench_write(&m->b, block, SSDUP_SUPER_SECTOR(i), SSDUP_BLOCK_SECTORS);
}

/* --- Any log --- */

/* Some of the entries of an older half once more, with their seqs, as a bad block moves. */
static void move_some(struct f1_maker *m, u32 half, u32 page)
{
	size_t i, nr = m->nr;
	struct f1_page p;
	struct f1_note n;

	begin_page(m, &p, half, page, 1);
	for (i = 0; i < nr && le16_to_cpu(p.nr_entries) < 20; i++) {
		n = m->note[i];
		if (n.kind != SSDUP_KIND_DATA || n.generation >= m->f.generation[half] ||
		    f1_below(m, 3) || m->pos[half] + n.sectors > m->f.data_sectors)
			continue;
		p.e[le16_to_cpu(p.nr_entries)] = (struct ssdup_entry){
			.sector = cpu_to_le64(n.sector), .seq = cpu_to_le64(n.seq),
			.sectors = cpu_to_le32(n.sectors), .kind = n.kind,
			.pos = cpu_to_le32(m->pos[half]),
		};
		p.nr_entries = cpu_to_le16(le16_to_cpu(p.nr_entries) + 1);
		n.generation = m->f.generation[half];
		n.pos = f1_data_sector(&m->f, half, m->pos[half]);
		m->pos[half] += n.sectors;
		m->note = xmore(m->note, m->nr, sizeof(*m->note));
		m->note[m->nr++] = n;
	}
	put_page(m, &p);
	m->count[half] = max(m->count[half], page + 1);
}

/* A page that a FLUSH had closed early is written again, with what came later. */
static void page_again(struct f1_maker *m, u32 half, u32 page)
{
	size_t from = m->nr;
	u32 pos = m->pos[half];
	u64 random = m->random, seq = m->seq;

	f1_page(m, half, page, 1, 5, true);
	m->nr = from;
	m->pos[half] = pos;
	m->random = random;
	m->seq = seq;
	f1_page(m, half, page, 2, 5 + f1_below(m, 20), true);
}

/* What an earlier epoch has left, behind a gap that is filled by now: it counts no more. */
static void leftover(struct f1_maker *m, u32 half, u32 page, u64 rev)
{
	m->f.epoch--;
	f1_page(m, half, page, rev, 9, false);
	m->f.epoch++;
}

static u32 youngest_below(const struct f1_maker *m, u64 generation)
{
	u32 i, best = 0;
	u64 found = 0;

	for (i = 0; i < m->f.nr_halves; i++)
		if (m->f.generation[i] < generation && m->f.generation[i] > found) {
			found = m->f.generation[i];
			best = i;
		}
	return best;
}

static void any_half(struct f1_maker *m, u32 half)
{
	u32 page, nr = f1_below(m, META_PAGES);
	u64 generation = m->f.generation[half];

	/* A former life, which is void. */
	if (!f1_below(m, 3)) {
		m->f.generation[half] = 3;
		f1_page(m, half, f1_below(m, META_PAGES), 1, 30, false);
		m->f.generation[half] = generation;
	}
	for (page = 0; page < nr; page++)
		switch (f1_below(m, 5)) {
		case 2:
			leftover(m, half, page, 5);
			f1_page(m, half, page, 2, 1 + f1_below(m, 60), true);
			break;
		case 0:
			page_again(m, half, page);
			break;
		case 1:
			move_some(m, half, page);
			break;
		default:
			f1_page(m, half, page, 1, 1 + f1_below(m, 60), true);
		}
	if (page && f1_below(m, 2))
		leftover(m, half, page, 1 + f1_below(m, 3));
}

void f1_random(struct f1_maker *m)
{
	bool clean = f1_below(m, 2);
	u64 generation = U64_MAX;
	u32 order[F1_MAX_HALVES], i;

	for (i = m->f.nr_halves; i-- > 0;) {
		order[i] = youngest_below(m, generation);
		generation = m->f.generation[order[i]];
	}
	for (i = 0; i < m->f.nr_halves; i++) {
		any_half(m, order[i]);
		/* What a power cut leaves behind a gap was promised to nobody. */
		if (!clean && m->count[order[i]] + 1 < META_PAGES && f1_below(m, 2))
			f1_page(m, order[i], m->count[order[i]] + 1, 1, 9, false);
		/* The epoch that follows has written less than the one before it. */
		m->f.epoch += f1_below(m, 2);
	}
	f1_supers(m, clean);
}

/* --- What comes of it --- */

static int by_age(const void *a, const void *b)
{
	const struct f1_note *x = a, *y = b;

	if (x->seq != y->seq)
		return x->seq < y->seq ? -1 : 1;
	return x->generation < y->generation ? -1 : x->generation > y->generation;
}

void f1_expect(struct f1_maker *m)
{
	u8 *lost = xalloc(F1_HDD_SECTORS);
	const struct f1_note *n;
	u32 i;

	qsort(m->note, m->nr, sizeof(*m->note), by_age);
	for (n = m->note; n < m->note + m->nr; n++)
		for (i = 0; i < n->sectors; i++) {
			lost[n->sector + i] = n->kind == SSDUP_KIND_LOST;
			m->hdd[n->sector + i] = n->kind == SSDUP_KIND_DATA ? n->pos + i : 0;
		}
	/* The HDD keeps what it has. */
	for (i = 0; i < F1_HDD_SECTORS; i++)
		if (lost[i])
			m->hdd[i] = OLD_CONTENT + i;
	free(lost);
}

bool f1_drained(struct f1_maker *m)
{
	u64 block[SECTOR_BYTES / 8];
	u32 i, j;

	for (i = 0; i < F1_HDD_SECTORS; i++) {
		WARN_ON(pread(m->b.hdd, block, sizeof(block), i * SECTOR_BYTES) != sizeof(block));
		for (j = 0; j < SECTOR_BYTES / 8; j++)
			if (block[j] != m->hdd[i])
				return false;
	}
	return true;
}
