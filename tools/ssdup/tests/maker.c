// SPDX-License-Identifier: GPL-2.0-only
#include <unistd.h>

#include "maker.h"

#define HDD_SECTORS	65536U

void maker_begin(struct maker *m, u32 segment_sectors, u32 block_sectors)
{
	static const u8 pool[16] = { 0x5d, 0xd0, 0x0f, 2 }, uuid[16] = { 0x5d, 0xd0, 0x0f, 1 };
	u64 end = SSDUP_HOME_SECTORS + (u64)MAKER_SEGMENTS * segment_sectors;
	u64 ssd = round_up(end, SSDUP_HOME_SECTORS) + SSDUP_HOME_SECTORS;
	struct log_geometry g;

	memset(m, 0, sizeof(*m));
	WARN_ON(!ssdup_log_layout(&g, ssd, segment_sectors, block_sectors));
	ssdup_log_super_fresh(&m->s, pool, uuid, &g, HDD_SECTORS, ssd);
	m->s.epoch = 3;
	m->s.seq = 7;
	m->s.pool_seq = 2;
	m->s.first = MAKER_FIRST;
	m->s.tail[0] = MAKER_FIRST;
	bench_silence();
	bench_open(&m->b, ssd, HDD_SECTORS);
}

void maker_open(struct maker *m, u32 segment, u64 generation, u32 base)
{
	struct maker_segment *x = &m->segment[segment];
	static u8 block[SSDUP_BLOCK_BYTES];

	*x = (struct maker_segment){
		.h = { .generation = generation, .epoch = m->s.epoch, .segment = segment },
		.base = base,
	};
	ssdup_log_header_encode(&m->s, &x->h, block);
	bench_write(&m->b, block, log_segment_sector(&m->s.g, segment), SSDUP_BLOCK_SECTORS);
}

void maker_page(struct maker *m, u32 segment, u32 page, u64 rev, u32 nr, u32 kinds)
{
	struct maker_segment *x = &m->segment[segment];
	struct log_page_id id = {
		.generation = x->h.generation, .epoch = x->h.epoch, .rev = rev,
		.page = page, .segment = segment, .number = x->base + page,
	};
	u32 i, unit = m->s.g.block_sectors;
	struct ssdup_page p;

	memcpy(id.uuid, m->s.uuid, sizeof(id.uuid));
	ssdup_log_page_begin(&p, &id);
	for (i = 0; i < nr; i++) {
		struct log_entry e = {
			.sector = ++m->nr * 40 * unit % (m->s.hdd_sectors - 64),
			.seq = x->h.generation << SSDUP_SEQ_BITS | ++x->seq,
			.sectors = (1 + i % 3) * unit, .kind = 1 + i % kinds,
		};

		e.sector -= e.sector % unit;
		if (e.kind == SSDUP_KIND_DATA) {
			e.pos = to_log_pos(x->pos);
			x->pos += e.sectors;
		}
		ssdup_log_page_add(&p, &e);
	}
	ssdup_log_page_finish(&p);
	bench_write(&m->b, &p, ssdup_log_slot_sector(&m->s.g, segment, page, rev & 1),
		    SSDUP_PAGE_SECTORS);
	x->count = max(x->count, page + 1);
}

void maker_supers(struct maker *m, bool clean)
{
	static u8 block[SSDUP_BLOCK_BYTES];
	u32 i, part;

	m->s.flags = clean ? SSDUP_RECORD_CLOSED : 0;
	m->s.live_segments = 0;
	m->s.live_pages = 0;
	for (i = 0; i < MAKER_SEGMENTS && clean; i++) {
		m->s.live_segments += !!m->segment[i].count;
		m->s.live_pages += m->segment[i].count;
	}
	for (part = 0; part < NR_PARTS; part++) {
		if (part == PART_SUPER)
			ssdup_log_super_encode(&m->s, block);
		else
			ssdup_log_record_encode(&m->s, block);
		for (i = 0; i < SSDUP_COPIES; i++)
			bench_write(&m->b, block, part_sector(m->s.ssd_sectors, m->s.log, part, i),
				    SSDUP_BLOCK_SECTORS);
	}
}

void maker_usual(struct maker *m, u32 segment_sectors, u32 block_sectors)
{
	struct maker_segment *x = &m->segment[0];
	struct maker_segment before;

	maker_begin(m, segment_sectors, block_sectors);
	maker_open(m, 0, MAKER_FIRST, 0);
	maker_page(m, 0, 0, 1, SSDUP_PAGE_ENTRIES, 3);
	maker_page(m, 0, 1, 1, SSDUP_PAGE_ENTRIES, 1);
	before = *x;
	maker_page(m, 0, 2, 1, 10, 1);
	m->nr -= 10;
	*x = before;
	maker_page(m, 0, 2, 2, 30, 1);
	maker_open(m, 1, MAKER_FIRST + 1, 3);
	maker_page(m, 1, 0, 1, 5, 1);
	maker_supers(m, true);
}

void maker_end(struct maker *m)
{
	bench_close(&m->b);
}

/* --- Spoiling it --- */

static void fix_crc(void *block, size_t len, size_t at)
{
	__le32 crc = 0;

	memcpy((char *)block + at, &crc, sizeof(crc));
	crc = cpu_to_le32(crc32c(~0, block, len));
	memcpy((char *)block + at, &crc, sizeof(crc));
}

void maker_slot(struct maker *m, u32 segment, u32 page, u32 slot, struct ssdup_page *p)
{
	bench_read(&m->b, p, ssdup_log_slot_sector(&m->s.g, segment, page, slot),
		   SSDUP_PAGE_SECTORS);
}

void maker_put_slot(struct maker *m, u32 segment, u32 page, u32 slot, struct ssdup_page *p)
{
	fix_crc(p, sizeof(*p), offsetof(struct ssdup_page, h.crc));
	bench_write(&m->b, p, ssdup_log_slot_sector(&m->s.g, segment, page, slot),
		    SSDUP_PAGE_SECTORS);
}

void maker_blank(struct maker *m, u64 sector, u32 sectors)
{
	static const u8 zeros[SECTOR_BYTES];

	for (; sectors; sectors--, sector++)
		bench_write(&m->b, zeros, sector, 1);
}

void maker_spoil(struct maker *m, u64 byte)
{
	u8 sector[SECTOR_BYTES];

	bench_read(&m->b, sector, byte / SECTOR_BYTES, 1);
	sector[byte % SECTOR_BYTES] ^= 0x5a;
	bench_write(&m->b, sector, byte / SECTOR_BYTES, 1);
}

static void forge(struct maker *m, u64 sector, size_t crc, size_t at, u32 bytes, u64 value)
{
	u8 block[SECTOR_BYTES];

	bench_read(&m->b, block, sector, 1);
	memcpy(block + at, &value, bytes);
	fix_crc(block, sizeof(block), crc);
	bench_write(&m->b, block, sector, 1);
}

void maker_forge(struct maker *m, enum ssd_part part, u32 copies, size_t at, u32 bytes, u64 value)
{
	u32 i;

	for (i = 0; i < SSDUP_COPIES; i++)
		if (copies & 1U << i)
			forge(m, part_sector(m->s.ssd_sectors, m->s.log, part, i),
			      part == PART_SUPER ?
			      offsetof(struct ssdup_super, crc) :
			      offsetof(struct ssdup_record, crc), at, bytes, value);
}

void maker_forge_header(struct maker *m, u32 segment, size_t at, u32 bytes, u64 value)
{
	forge(m, log_segment_sector(&m->s.g, segment), offsetof(struct ssdup_header, crc), at,
	      bytes, value);
}
