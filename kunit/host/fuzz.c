// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is read from an SSD may be anything. An input is a list of patches to a
 * valid log; those of the superblock are decoded, then the halves are replayed
 * into an extent map. Checksums are made right again where a patch says so, or
 * nothing would get past them.
 *
 * Each patch: where (1 byte: 0xff the superblock, else half, page and slot),
 * flags (1 byte, bit 0: repair the checksum), offset (2 bytes), length (1 byte),
 * the bytes.
 */
#include "../../dm-ssdup/extent_map.h"
#include "../../dm-ssdup/replay.h"
#include "fuzz.h"

#define HALVES		2U
#define PAGES		8U
#define HDD_SECTORS	((u32)BIT(20))
#define SSD_SECTORS	(SSDUP_HEAD_SECTORS + HALVES * LOG_MIN_STRIDE)
#define NODES		(4U * HALVES * PAGES * SSDUP_PAGE_ENTRIES)

/* A violated rule ends the run, so that the fuzzer keeps the input. */
#define EXPECT(cond)	((void)WARN_ON(!(cond)))

static struct {
	u8			super[SSDUP_SUPER_BYTES];
	struct ssdup_page	slot[HALVES][PAGES][SSDUP_PAGE_SLOTS];
	struct log_super	s;
	struct extent_tree	tree;
	struct extent_list	pool;
	struct extent		nodes[NODES];
} im;

static void make_image(void)
{
	static const u8 uuid[16] = { 1 };
	struct log_geometry g;
	u32 half, page, i;

	EXPECT(log_layout(&g, SSD_SECTORS, HALVES, 1));
	EXPECT(g.meta_pages == PAGES);
	log_super_fresh(&im.s, uuid, &g, HDD_SECTORS, SSD_SECTORS);
	im.s.epoch = 1;
	log_super_encode(&im.s, im.super);

	memset(im.slot, 0, sizeof(im.slot));
	for (half = 0; half < HALVES; half++)
		for (page = 0; page < PAGES / 2; page++) {
			struct log_page_id id = {
				.generation = half + 1, .epoch = 1, .rev = page,
				.page = page, .half = half,
			};
			struct ssdup_page *p = &im.slot[half][page][page % 2];

			memcpy(id.uuid, uuid, sizeof(uuid));
			log_page_begin(p, &id);
			for (i = 0; i < 10; i++) {
				struct log_entry e = {
					.sector = i * 64, .sectors = 8 + page,
					.seq = 1 + page * 10 + i, .pos = to_log_pos(i * 8),
					.kind = 1 + i % SSDUP_KIND_MAX,
				};

				if (e.kind != SSDUP_KIND_DATA)
					e.pos = to_log_pos(0);
				log_page_add(p, &e);
			}
			log_page_finish(p);
		}
}

static void repair_super(void)
{
	struct ssdup_super *d = (void *)im.super;

	d->crc = 0;
	d->crc = cpu_to_le32(crc32c(~0, d, sizeof(*d)));
}

static void patch_image(const u8 *data, size_t size)
{
	while (size >= 5) {
		u8 where = data[0], flags = data[1];
		u32 at = data[2] | data[3] << 8, len = data[4];
		struct ssdup_page *p = &im.slot[where & 1][(where >> 1) % PAGES][(where >> 4) & 1];
		u8 *to = where == 0xff ? im.super : (u8 *)p;

		data += 5;
		size -= 5;
		at %= SSDUP_PAGE_BYTES;
		len = min3(len, (u32)size, SSDUP_PAGE_BYTES - at);
		memcpy(to + at, data, len);
		data += len;
		size -= len;
		if (!(flags & 1))
			continue;
		if (where == 0xff)
			repair_super();
		else
			log_page_finish(p);
	}
}

/* A superblock that was accepted: nothing in it can lead astray. */
static void check_super(void)
{
	static u8 again[SSDUP_SUPER_BYTES];
	enum log_fault fault;
	struct log_limits all, writers;
	struct log_super s, t;
	u32 half;

	fault = log_super_decode(im.super, &s);
	EXPECT(fault < LOG_NR_FAULTS && log_fault_text(fault));
	if (fault != LOG_OK)
		return;

	for (half = 0; half < s.g.nr_halves; half++) {
		u64 start = log_slot_sector(&s.g, half, 0, 0);
		u64 data = log_data_sector(&s.g, half, to_log_pos(0));
		u64 end = log_data_sector(&s.g, half, to_log_pos(s.g.data_sectors));

		EXPECT(start >= SSDUP_HEAD_SECTORS);
		EXPECT(start < data && data < end && end <= s.ssd_sectors);
		EXPECT(end <= start + s.g.half_stride);
	}

	all = log_limits_all(&s.g);
	writers = log_limits_writers(&s.g);
	EXPECT(all.entries < BIT_ULL(29) && all.entries / SSDUP_PAGE_ENTRIES == s.g.meta_pages);
	EXPECT(writers.entries && writers.entries < all.entries);
	EXPECT(writers.sectors && writers.sectors < all.sectors);
	EXPECT(log_next_generation(&s) > 1);

	log_super_encode(&s, again);
	EXPECT(log_super_decode(again, &t) == LOG_OK);
	EXPECT(!memcmp(&s, &t, sizeof(s)));
}

static int read_page(void *ctx, u32 half, u32 page, const struct ssdup_page **slots)
{
	EXPECT(half < HALVES && page < PAGES);
	*slots = im.slot[half][page];
	return 0;
}

static int take_entry(void *ctx, u32 half, const struct log_entry *e)
{
	struct extent_list spares = {}, unused = {};
	struct extent *x = extent_pop(&im.pool);
	u32 i, nr;

	EXPECT(e->kind > SSDUP_KIND_NONE && e->kind <= SSDUP_KIND_MAX);
	EXPECT(e->sectors && e->sector < HDD_SECTORS && e->sectors <= HDD_SECTORS - e->sector);
	EXPECT(e->seq && e->seq + 1);
	EXPECT((u64)from_log_pos(e->pos) + (e->kind == SSDUP_KIND_DATA ? e->sectors : 0) <=
	       im.s.g.data_sectors);

	EXPECT(x);
	*x = (struct extent){
		.start = e->sector, .sectors = e->sectors, .seq = e->seq,
		.pos = e->pos, .half = half, .kind = e->kind,
	};
	nr = extent_spares(&im.tree, x);
	for (i = 0; i < nr; i++) {
		struct extent *spare = extent_pop(&im.pool);

		EXPECT(spare);
		extent_push(&spares, spare);
	}
	extent_insert(&im.tree, x, &spares, &unused);
	while ((x = extent_pop(&spares)) || (x = extent_pop(&unused)))
		extent_push(&im.pool, x);
	return 0;
}

static void check_map(void)
{
	const struct extent *x;
	u64 at = 0, sectors = 0;
	u32 nr = 0;

	for (x = extent_first(&im.tree, 0, U64_MAX); x; x = extent_next(x)) {
		EXPECT(x->sectors && x->start >= at);
		at = extent_end(x);
		EXPECT(at <= HDD_SECTORS);
		sectors += x->sectors;
		nr++;
	}
	EXPECT(nr == im.tree.nr && sectors == im.tree.sectors);
}

static void check_replay(void)
{
	static const struct replay_ops ops = { .read_page = read_page, .entry = take_entry };
	struct replay_half found[HALVES];
	struct replay_roles roles;
	struct replay_fault fault;
	u32 half, i;

	extent_tree_init(&im.tree);
	im.pool.head = NULL;
	for (i = 0; i < NODES; i++)
		extent_push(&im.pool, &im.nodes[i]);

	for (half = 0; half < HALVES; half++) {
		int ret = replay_half(&im.s, half, &ops, NULL, &found[half], &fault);

		EXPECT(ret == 0 || ret == -EINVAL);
		if (ret) {
			EXPECT(fault.fault > LOG_OK && fault.fault < LOG_NR_FAULTS);
			EXPECT(fault.half == half && fault.page < PAGES);
			return;
		}
		EXPECT(found[half].pages <= PAGES);
		EXPECT(found[half].data_end <= im.s.g.data_sectors);
	}
	check_map();

	replay_roles(&im.s, found, &roles);
	EXPECT(roles.nr_sealed + 1 + roles.nr_free == HALVES);
}

int fuzz_one(const u8 *data, size_t size)
{
	make_image();
	patch_image(data, size);
	check_super();
	check_replay();
	return 0;
}
