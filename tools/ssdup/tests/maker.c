// SPDX-License-Identifier: GPL-2.0-only
#include <unistd.h>

#include "maker.h"
#include "tools/hostile/image.h"

#define HDD_SECTORS	65536U

void maker_begin(struct maker *m, u32 halves, u32 block_sectors, u64 stride)
{
	static const u8 uuid[16] = { 0x5d, 0xd0, 0x0f, 1 };
	u64 ssd = SSDUP_HEAD_SECTORS + halves * stride;
	struct log_geometry g;

	memset(m, 0, sizeof(*m));
	WARN_ON(!ssdup_log_layout(&g, ssd, halves, block_sectors));
	ssdup_log_super_fresh(&m->s, uuid, &g, HDD_SECTORS, ssd);
	m->s.epoch = 3;
	m->s.seq = 7;
	bench_silence();
	bench_open(&m->b, ssd, HDD_SECTORS);
}

void maker_page(struct maker *m, u32 half, u32 page, u64 rev, u32 nr, u32 kinds)
{
	struct log_page_id id = {
		.generation = m->s.generation[half], .epoch = m->s.epoch, .rev = rev,
		.page = page, .half = half,
	};
	u32 i, unit = m->s.g.block_sectors;
	struct ssdup_page p;

	memcpy(id.uuid, m->s.uuid, sizeof(id.uuid));
	ssdup_log_page_begin(&p, &id);
	for (i = 0; i < nr; i++) {
		struct log_entry e = {
			.sector = ++m->seq * 40 * unit % (m->s.hdd_sectors - 64), .seq = m->seq,
			.sectors = (1 + i % 3) * unit, .kind = 1 + i % kinds,
		};

		e.sector -= e.sector % unit;
		if (e.kind == SSDUP_KIND_DATA) {
			e.pos = to_log_pos(m->pos[half]);
			m->pos[half] += e.sectors;
		}
		ssdup_log_page_add(&p, &e);
	}
	ssdup_log_page_finish(&p);
	bench_write(&m->b, &p, ssdup_log_slot_sector(&m->s.g, half, page, rev & 1),
		    SSDUP_PAGE_SECTORS);
	m->count[half] = max(m->count[half], page + 1);
}

void maker_supers(struct maker *m, bool clean)
{
	static u8 block[SSDUP_SUPER_BYTES];
	u32 i;

	m->s.flags = clean ? SSDUP_SUPER_CLEAN : 0;
	for (i = 0; i < m->s.g.nr_halves; i++)
		m->s.pages[i] = clean ? m->count[i] : 0;
	ssdup_log_super_encode(&m->s, block);
	for (i = 0; i < SSDUP_SUPER_COPIES; i++)
		bench_write(&m->b, block, SSDUP_SUPER_SECTOR(i), SSDUP_SUPER_BYTES / 512);
}

void maker_usual(struct maker *m, u32 halves, u32 block_sectors)
{
	u32 pos;

	maker_begin(m, halves, block_sectors, LOG_MIN_STRIDE);
	maker_page(m, 0, 0, 1, SSDUP_PAGE_ENTRIES, 3);
	maker_page(m, 0, 1, 1, SSDUP_PAGE_ENTRIES, 1);
	pos = m->pos[0];
	maker_page(m, 0, 2, 1, 10, 1);
	m->seq -= 10;
	m->pos[0] = pos;
	maker_page(m, 0, 2, 2, 30, 1);
	maker_page(m, 1, 0, 1, 5, 1);
	maker_supers(m, true);
}

void maker_end(struct maker *m)
{
	bench_close(&m->b);
}

void maker_slot(struct maker *m, u32 half, u32 page, u32 slot, struct ssdup_page *p)
{
	bench_read(&m->b, p, ssdup_log_slot_sector(&m->s.g, half, page, slot), SSDUP_PAGE_SECTORS);
}

void maker_put_slot(struct maker *m, u32 half, u32 page, u32 slot, struct ssdup_page *p)
{
	image_repair_page(p);
	bench_write(&m->b, p, ssdup_log_slot_sector(&m->s.g, half, page, slot), SSDUP_PAGE_SECTORS);
}

void maker_spoil(struct maker *m, u64 byte)
{
	u8 sector[SECTOR_BYTES];

	bench_read(&m->b, sector, byte / SECTOR_BYTES, 1);
	sector[byte % SECTOR_BYTES] ^= 0x5a;
	bench_write(&m->b, sector, byte / SECTOR_BYTES, 1);
}

void maker_forge(struct maker *m, u32 copies, size_t at, u32 bytes, u64 value)
{
	static struct image im;
	u32 i;

	for (i = 0; i < SSDUP_SUPER_COPIES; i++) {
		if (!(copies & 1U << i))
			continue;
		bench_read(&m->b, im.super[i].b, SSDUP_SUPER_SECTOR(i), 1);
		memcpy(im.super[i].b + at, &value, bytes);
		image_repair_super(&im, i);
		bench_write(&m->b, im.super[i].b, SSDUP_SUPER_SECTOR(i), 1);
	}
}
