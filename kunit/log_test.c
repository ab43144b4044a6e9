// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>

#include "../dm-ssdup/core/log.c"
#include "prng.h"

#define GIB		(BIT_ULL(30) / 512)
#define MSEC		1000000ULL	/* ns */
#define SUPER_END	sizeof(struct ssdup_super)

static const u8 uuid[16] = { 0x5d, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };

/* --- Layout --- */

static void layout_rules(struct kunit *test, u64 ssd_sectors, u32 nr_halves, u32 block)
{
	struct log_geometry g;
	struct log_limits all, writers;
	u64 end, slot, used, entries;
	u32 half;

	KUNIT_ASSERT_TRUE(test, ssdup_log_layout(&g, ssd_sectors, nr_halves, block));
	KUNIT_EXPECT_EQ(test, g.nr_halves, nr_halves);
	KUNIT_EXPECT_EQ(test, g.block_sectors, block);
	KUNIT_EXPECT_GE(test, g.half_stride, LOG_MIN_STRIDE);

	/* Areas follow each other, on 4 KiB, and end within the SSD. */
	end = SSDUP_HEAD_SECTORS;
	for (half = 0; half < nr_halves; half++) {
		slot = ssdup_log_slot_sector(&g, half, 0, 0);
		KUNIT_EXPECT_GE(test, slot, end);
		KUNIT_EXPECT_EQ(test, slot % SSDUP_PAGE_SECTORS, 0);
		KUNIT_EXPECT_EQ(test, ssdup_log_slot_sector(&g, half, g.meta_pages - 1, 1) +
				SSDUP_PAGE_SECTORS, ssdup_log_data_sector(&g, half, to_log_pos(0)));
		KUNIT_EXPECT_EQ(test, ssdup_log_data_sector(&g, half, to_log_pos(0)) %
				SSDUP_PAGE_SECTORS, 0);
		end = ssdup_log_data_sector(&g, half, to_log_pos(g.data_sectors));
	}
	KUNIT_EXPECT_LE(test, end, ssd_sectors);

	/* A half wastes less than one page's share. */
	used = (u64)g.meta_pages * PAIR_SECTORS + g.data_sectors;
	KUNIT_EXPECT_EQ(test, used, g.half_stride);

	/* 4 KiB writes find an entry for all data; the two spaces end together. */
	all = ssdup_log_limits_all(&g);
	entries = all.entries;
	KUNIT_EXPECT_GE(test, entries * SSDUP_PAGE_SECTORS, all.sectors);
	KUNIT_EXPECT_LT(test, entries * SSDUP_PAGE_SECTORS, all.sectors + 2ULL * PAGE_SHARE);
	KUNIT_EXPECT_LT(test, entries, BIT_ULL(29));

	writers = ssdup_log_limits_writers(&g);
	KUNIT_EXPECT_GE(test, all.entries - writers.entries, SSDUP_PAGE_ENTRIES);
	KUNIT_EXPECT_GE(test, all.sectors - writers.sectors, 256);
	KUNIT_EXPECT_GT(test, writers.entries, 0);
	KUNIT_EXPECT_GT(test, writers.sectors, 0);

	/* Unless the SSD is larger than a half can be, what is left over is small. */
	if (g.meta_pages < MAX_META_PAGES)
		KUNIT_EXPECT_LT(test, ssd_sectors - end, nr_halves * SSDUP_PAGE_SECTORS);
}

static void layout_of_many_sizes(struct kunit *test)
{
	static const u64 sizes[] = { GIB, 220 * GIB, 256 * GIB + 1, 4096 * GIB, 100000 * GIB };
	struct prng r = { 1 };
	u32 i, halves, block;

	for (halves = SSDUP_MIN_HALVES; halves <= SSDUP_MAX_HALVES; halves++) {
		for (block = 1; block <= SSDUP_PAGE_SECTORS; block *= 2) {
			u64 least = SSDUP_HEAD_SECTORS + halves * (u64)LOG_MIN_STRIDE;

			for (i = 0; i < ARRAY_SIZE(sizes); i++)
				layout_rules(test, sizes[i], halves, block);
			for (i = 0; i < 40; i++)
				layout_rules(test, least + (i < 20 ? i : prng_below(&r, 1U << 20)),
					     halves, block);
		}
	}
}

static void layout_too_small(struct kunit *test)
{
	struct log_geometry g;
	u64 least = SSDUP_HEAD_SECTORS + 2 * LOG_MIN_STRIDE;

	KUNIT_EXPECT_TRUE(test, ssdup_log_layout(&g, least, 2, 1));
	KUNIT_EXPECT_EQ(test, g.half_stride, LOG_MIN_STRIDE);
	KUNIT_EXPECT_EQ(test, g.meta_pages, 8);
	KUNIT_EXPECT_FALSE(test, ssdup_log_layout(&g, least - 1, 2, 1));
	KUNIT_EXPECT_FALSE(test, ssdup_log_layout(&g, least, 3, 1));
	KUNIT_EXPECT_FALSE(test, ssdup_log_layout(&g, 0, 2, 1));
	KUNIT_EXPECT_FALSE(test, ssdup_log_layout(&g, GIB, SSDUP_MIN_HALVES - 1, 1));
	KUNIT_EXPECT_FALSE(test, ssdup_log_layout(&g, GIB, SSDUP_MAX_HALVES + 1, 1));
}

/* 1.6 per cent of the SSD, as the design says. */
static void layout_metadata_share(struct kunit *test)
{
	struct log_geometry g;

	KUNIT_ASSERT_TRUE(test, ssdup_log_layout(&g, 220 * GIB, 2, 8));
	KUNIT_EXPECT_EQ(test, (u64)g.meta_pages * PAIR_SECTORS * 10000 / g.half_stride, 156);
}

/* --- Space --- */

/* The last half: what is rationed lasts until the time that was told, whatever the steps. */
static void ration_lasts(struct kunit *test)
{
	static const u64 steps[] = { MSEC / 5, 4 * MSEC, 70 * MSEC };
	static const struct log_limits all = { .entries = 32000, .sectors = 500000 };
	const struct log_limits free = ssdup_log_limits_free(&all);
	const u64 due = 2000 * MSEC;
	struct log_limits now;
	u64 at, since;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		now = free;
		since = 0;
		for (at = steps[i]; at < due; at += steps[i]) {
			since += ssdup_log_ration(&now, &all, at - since, due - since);
			/* In proportion to the time, but for one step and what is rounded off. */
			KUNIT_ASSERT_LE(test, (now.sectors - free.sectors) * due, 125000 * at);
			KUNIT_ASSERT_GE(test, (now.sectors - free.sectors + 2500) * due,
					125000 * (at - steps[i]));
			KUNIT_ASSERT_LE(test, (now.entries - free.entries) * due, 8000 * at);
			KUNIT_ASSERT_GE(test, (now.entries - free.entries + 10) * due,
					8000 * (at - steps[i]));
		}
		/* Overdue: all of it. */
		ssdup_log_ration(&now, &all, 0, 0);
		KUNIT_EXPECT_TRUE(test, !memcmp(&now, &all, sizeof(all)));
	}
}

static void reserve_limits(struct kunit *test)
{
	static const struct log_limits limits = { .entries = 3, .sectors = 100 };
	u64 word = 0, next = 0;

	KUNIT_EXPECT_FALSE(test, log_word_reserve(word, &limits, 101, &next));
	KUNIT_EXPECT_TRUE(test, log_word_reserve(word, &limits, 100, &next));
	KUNIT_EXPECT_EQ(test, next, log_word(1, 100));

	/* Data is full, an entry without data fits. */
	word = next;
	KUNIT_EXPECT_FALSE(test, log_word_reserve(word, &limits, 1, &next));
	KUNIT_EXPECT_TRUE(test, log_word_reserve(word, &limits, 0, &next));
	word = next;
	KUNIT_EXPECT_TRUE(test, log_word_reserve(word, &limits, 0, &next));
	KUNIT_EXPECT_EQ(test, next, log_word(3, 100));

	/* Entries are full. */
	word = log_word(3, 0);
	KUNIT_EXPECT_FALSE(test, log_word_reserve(word, &limits, 0, &next));

	/* Sealed: nothing, and it reads as before. */
	word = log_word(1, 7) | LOG_WORD_SEALED;
	KUNIT_EXPECT_FALSE(test, log_word_reserve(word, &limits, 0, &next));
	KUNIT_EXPECT_EQ(test, log_word_entries(word), 1);
	KUNIT_EXPECT_EQ(test, log_word_sectors(word), 7);

	/* A drain went beyond what writers may. */
	word = log_word(2, 120);
	KUNIT_EXPECT_FALSE(test, log_word_reserve(word, &limits, 0, &next));
}

/* The largest half there is: no field runs into its neighbour. */
static void reserve_in_largest_half(struct kunit *test)
{
	struct log_geometry g;
	struct log_limits all;
	u64 word, next;

	KUNIT_ASSERT_TRUE(test, ssdup_log_layout(&g, 100000 * GIB, 2, 8));
	all = ssdup_log_limits_all(&g);
	KUNIT_EXPECT_EQ(test, all.entries, MAX_META_PAGES * SSDUP_PAGE_ENTRIES);

	word = log_word(all.entries - 1, all.sectors - 8);
	KUNIT_EXPECT_FALSE(test, log_word_reserve(word, &all, 9, &next));
	KUNIT_EXPECT_FALSE(test, log_word_reserve(word, &all, U32_MAX, &next));
	KUNIT_ASSERT_TRUE(test, log_word_reserve(word, &all, 8, &next));
	KUNIT_EXPECT_EQ(test, log_word_entries(next), all.entries);
	KUNIT_EXPECT_EQ(test, log_word_sectors(next), all.sectors);
	KUNIT_EXPECT_FALSE(test, next & LOG_WORD_SEALED);
	KUNIT_EXPECT_FALSE(test, log_word_reserve(next, &all, 0, &next));
	KUNIT_EXPECT_EQ(test, ssdup_log_word_fill(next, &all), SSDUP_PCT_ONE);
}

static void reserve_never_overlaps(struct kunit *test)
{
	struct prng r = { 4 };
	struct log_geometry g;
	struct log_limits limits;
	u32 round, sectors, entry, end, refused;
	u64 word, next;

	KUNIT_ASSERT_TRUE(test, ssdup_log_layout(&g, SSDUP_HEAD_SECTORS + 2 * LOG_MIN_STRIDE, 2,
						 1));
	for (round = 0; round < 100; round++) {
		limits = round % 2 ? ssdup_log_limits_all(&g) : ssdup_log_limits_writers(&g);
		word = 0;
		entry = 0;
		end = 0;
		for (refused = 0; refused < 50;) {
			sectors = prng_below(&r, round % 3 ? 256 : 9);
			if (!log_word_reserve(word, &limits, sectors, &next)) {
				KUNIT_ASSERT_TRUE(test, entry == limits.entries ||
						  end + sectors > limits.sectors);
				refused++;
				continue;
			}
			/* The place begins where the one before ended. */
			KUNIT_ASSERT_EQ(test, log_word_entries(word), entry);
			KUNIT_ASSERT_EQ(test, log_word_sectors(word), end);
			entry++;
			end += sectors;
			KUNIT_ASSERT_EQ(test, next, log_word(entry, end));
			KUNIT_ASSERT_LE(test, entry, limits.entries);
			KUNIT_ASSERT_LE(test, end, limits.sectors);
			word = next;
		}
	}
}

static void fill_is_the_fuller_of_two(struct kunit *test)
{
	static const struct log_limits limits = { .entries = 1000, .sectors = 8000 };
	static const struct log_limits none = { 0, 0 };

	KUNIT_EXPECT_EQ(test, ssdup_log_word_fill(0, &limits), 0);
	KUNIT_EXPECT_EQ(test, ssdup_log_word_fill(log_word(500, 1), &limits), 5000);
	KUNIT_EXPECT_EQ(test, ssdup_log_word_fill(log_word(1, 6000), &limits), 7500);
	KUNIT_EXPECT_EQ(test, ssdup_log_word_fill(log_word(1, 6000) | LOG_WORD_SEALED, &limits),
			7500);
	KUNIT_EXPECT_EQ(test, ssdup_log_word_fill(log_word(1000, 0), &limits), 10000);
	KUNIT_EXPECT_EQ(test, ssdup_log_word_fill(log_word(1, 9000), &limits), 10000);
	KUNIT_EXPECT_EQ(test, ssdup_log_word_fill(0, &none), 10000);
}

/* --- Superblock --- */

static void super_example(struct log_super *s)
{
	struct log_geometry g;

	ssdup_log_layout(&g, GIB, 3, 2);
	ssdup_log_super_fresh(s, uuid, &g, 5 * GIB + 2, GIB);
}

static void super_round_trip(struct kunit *test)
{
	struct log_super s, t;
	struct prng r = { 6 };
	u32 i, j;
	u8 *buf;

	buf = kunit_kzalloc(test, SSDUP_SUPER_BYTES, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, buf);

	for (i = 0; i < 200; i++) {
		u32 halves = prng_between(&r, SSDUP_MIN_HALVES, SSDUP_MAX_HALVES);
		u64 ssd = GIB + prng_u64(&r) % (4096 * GIB);
		struct log_geometry g;

		memset(&s, 0, sizeof(s));
		KUNIT_ASSERT_TRUE(test, ssdup_log_layout(&g, ssd, halves, 1U << prng_below(&r, 4)));
		ssdup_log_super_fresh(&s, uuid, &g, 1 + prng_u64(&r) % MAX_SECTORS, ssd);
		s.seq = prng_u64(&r) % LOG_MAX_COUNT;
		s.epoch = prng_u64(&r) % LOG_MAX_COUNT;
		s.flags = prng_below(&r, 2) ? SSDUP_SUPER_CLEAN : 0;
		for (j = 0; j < halves; j++)
			s.generation[j] = ssdup_log_next_generation(&s) + prng_below(&r, 1000);
		for (j = 0; j < halves; j++)
			s.pages[j] = prng_u64(&r);

		/* Nothing of what was in the buffer stays. */
		memset(buf, 0xff, SSDUP_SUPER_BYTES);
		ssdup_log_super_encode(&s, buf);
		KUNIT_ASSERT_TRUE(test, !memchr_inv(buf + SUPER_END, 0,
						    SSDUP_SUPER_BYTES - SUPER_END));
		KUNIT_ASSERT_EQ(test, ssdup_log_super_decode(buf, &t), LOG_OK);
		KUNIT_ASSERT_TRUE(test, !memcmp(&s, &t, sizeof(s)));
		KUNIT_ASSERT_EQ(test, ssdup_log_super_fits(&t, s.hdd_sectors, ssd, g.block_sectors),
				LOG_OK);
	}
}

static void super_fresh(struct kunit *test)
{
	struct log_super s;
	u32 i;

	super_example(&s);
	KUNIT_EXPECT_EQ(test, s.seq, 0);
	KUNIT_EXPECT_EQ(test, s.epoch, 0);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, s.generation[i], i + 1);
	KUNIT_EXPECT_EQ(test, ssdup_log_next_generation(&s), 4);
	s.generation[0] = 9;
	KUNIT_EXPECT_EQ(test, ssdup_log_next_generation(&s), 10);
}

/* Any bit that flips is noticed. */
static void super_any_bit(struct kunit *test)
{
	struct log_super s, t;
	u32 i;
	u8 *buf;

	buf = kunit_kzalloc(test, SSDUP_SUPER_BYTES, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, buf);
	super_example(&s);
	ssdup_log_super_encode(&s, buf);
	for (i = 0; i < 8 * sizeof(struct ssdup_super); i++) {
		buf[i / 8] ^= 1 << i % 8;
		KUNIT_EXPECT_EQ_MSG(test, ssdup_log_super_decode(buf, &t),
				    i < 64 ? LOG_NOT_OURS : LOG_BAD_CRC, "bit %u", i);
		buf[i / 8] ^= 1 << i % 8;
	}
	KUNIT_EXPECT_EQ(test, ssdup_log_super_decode(buf, &t), LOG_OK);
}

/* One field of a valid superblock set to something; then a right crc, or not. */
struct super_case {
	const char *name;
	u16 at;
	u16 bytes;
	u64 value;
	enum log_fault fault;
	bool stale_crc;
};

#define FIELD(f)	offsetof(struct ssdup_super, f)

static const struct super_case super_cases[] = {
	{ "nothing wrong", FIELD(seq), 8, 5, LOG_OK },
	{ "magic", FIELD(magic), 8, SSDUP_SUPER_MAGIC + 1, LOG_NOT_OURS },
	{ "crc", FIELD(seq), 8, 5, LOG_BAD_CRC, .stale_crc = true },
	{ "version", FIELD(version), 4, SSDUP_VERSION + 1, LOG_NEWER_VERSION },
	{ "version 0", FIELD(version), 4, 0, LOG_NEWER_VERSION },
	{ "incompat", FIELD(incompat), 8, BIT_ULL(63), LOG_UNKNOWN_INCOMPAT },
	{ "ro_compat", FIELD(ro_compat), 8, 1, LOG_UNKNOWN_RO_COMPAT },
	{ "compat", FIELD(compat), 8, U64_MAX, LOG_OK },
	{ "HDD of 0", FIELD(hdd_sectors), 8, 0, LOG_BAD_GEOMETRY },
	{ "HDD too large", FIELD(hdd_sectors), 8, MAX_SECTORS + 1, LOG_BAD_GEOMETRY },
	{ "SSD too large", FIELD(ssd_sectors), 8, U64_MAX, LOG_BAD_GEOMETRY },
	{ "SSD smaller than its halves", FIELD(ssd_sectors), 8, GIB / 2, LOG_BAD_GEOMETRY },
	{ "SSD of 0", FIELD(ssd_sectors), 8, 0, LOG_BAD_GEOMETRY },
	{ "first half in the head", FIELD(half_start), 8, 2040, LOG_BAD_GEOMETRY },
	{ "first half beyond the end", FIELD(half_start), 8, GIB + 8, LOG_BAD_GEOMETRY },
	{ "first half wraps", FIELD(half_start), 8, U64_MAX - 7, LOG_BAD_GEOMETRY },
	{ "first half unaligned", FIELD(half_start), 8, SSDUP_HEAD_SECTORS + 1, LOG_BAD_GEOMETRY },
	{ "stride too small", FIELD(half_stride), 8, LOG_MIN_STRIDE - 8, LOG_BAD_GEOMETRY },
	{ "stride too large", FIELD(half_stride), 8, GIB / 3, LOG_BAD_GEOMETRY },
	{ "stride wraps", FIELD(half_stride), 8, BIT_ULL(63) + 8192, LOG_BAD_GEOMETRY },
	{ "stride 0", FIELD(half_stride), 8, 0, LOG_BAD_GEOMETRY },
	{ "no pages", FIELD(meta_pages), 4, 0, LOG_BAD_GEOMETRY },
	{ "one page, all of it reserve", FIELD(meta_pages), 4, 1, LOG_BAD_GEOMETRY },
	{ "pages and data beyond the stride", FIELD(meta_pages), 4, 4000, LOG_BAD_GEOMETRY },
	{ "pages wrap", FIELD(meta_pages), 4, BIT_ULL(28), LOG_BAD_GEOMETRY },
	{ "most pages", FIELD(meta_pages), 4, U32_MAX, LOG_BAD_GEOMETRY },
	{ "no data", FIELD(data_sectors), 4, 0, LOG_BAD_GEOMETRY },
	{ "data, all of it reserve", FIELD(data_sectors), 4, 256, LOG_BAD_GEOMETRY },
	{ "data, too little for a write", FIELD(data_sectors), 4, 256 + 31, LOG_BAD_GEOMETRY },
	{ "data, just enough", FIELD(data_sectors), 4, 256 + 32, LOG_OK },
	{ "data beyond the stride", FIELD(data_sectors), 4, GIB / 3, LOG_BAD_GEOMETRY },
	{ "most data", FIELD(data_sectors), 4, U32_MAX, LOG_BAD_GEOMETRY },
	{ "block size 0", FIELD(block_sectors), 4, 0, LOG_BAD_GEOMETRY },
	{ "block size 3", FIELD(block_sectors), 4, 3, LOG_BAD_GEOMETRY },
	{ "block size 16", FIELD(block_sectors), 4, 16, LOG_BAD_GEOMETRY },
	{ "no halves", FIELD(nr_halves), 2, 0, LOG_BAD_GEOMETRY },
	{ "one half", FIELD(nr_halves), 2, 1, LOG_BAD_GEOMETRY },
	{ "too many halves", FIELD(nr_halves), 2, SSDUP_MAX_HALVES + 1, LOG_BAD_GEOMETRY },
	{ "most halves", FIELD(nr_halves), 2, U16_MAX, LOG_BAD_GEOMETRY },
	{ "a half more than in use", FIELD(nr_halves), 2, 4, LOG_BAD_GEOMETRY },
	{ "a half fewer than in use", FIELD(nr_halves), 2, 2, LOG_BAD_GEOMETRY },
	{ "no SSD", FIELD(nr_ssds), 2, 0, LOG_BAD_GEOMETRY },
	{ "two SSDs", FIELD(nr_ssds), 2, 2, LOG_BAD_GEOMETRY },
	{ "another SSD of the set", FIELD(ssd_index), 2, 1, LOG_BAD_GEOMETRY },
	{ "state unknown", FIELD(half[0].state), 4, 2, LOG_BAD_GEOMETRY },
	{ "half not in use", FIELD(half[2].state), 4, SSDUP_HALF_UNUSED, LOG_BAD_GEOMETRY },
	{ "generation 0", FIELD(half[1].generation), 8, 0, LOG_BAD_GENERATION },
	{ "generation twice", FIELD(half[1].generation), 8, 3, LOG_BAD_GENERATION },
	{ "last generation", FIELD(half[1].generation), 8, U64_MAX, LOG_BAD_GENERATION },
	{ "last epoch", FIELD(epoch), 8, U64_MAX, LOG_BAD_GENERATION },
	{ "last seq", FIELD(seq), 8, U64_MAX, LOG_BAD_GENERATION },
	{ "epoch just right", FIELD(epoch), 8, LOG_MAX_COUNT, LOG_OK },
	{ "epoch just wrong", FIELD(epoch), 8, LOG_MAX_COUNT + 1, LOG_BAD_GENERATION },
	{ "gen. just wrong", FIELD(half[1].generation), 8, LOG_MAX_COUNT + 1, LOG_BAD_GENERATION },
	{ "nil UUID", FIELD(uuid), 16, 0, LOG_NO_UUID },
};

static void super_case_desc(const struct super_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(super, super_cases, super_case_desc);

static void super_faults(struct kunit *test)
{
	const struct super_case *c = test->param_value;
	struct ssdup_super *d;
	struct log_super s, t;
	u32 i;

	d = kunit_kzalloc(test, SSDUP_SUPER_BYTES, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, d);
	super_example(&s);
	ssdup_log_super_encode(&s, d);

	for (i = 0; i < c->bytes; i++)
		((u8 *)d)[c->at + i] = i < 8 ? c->value >> 8 * i : 0;
	if (!c->stale_crc)
		d->crc = super_crc(d);

	KUNIT_EXPECT_EQ(test, ssdup_log_super_decode(d, &t), c->fault);

	/* Reading is allowed, so what was read is there. */
	if (c->fault == LOG_UNKNOWN_RO_COMPAT)
		KUNIT_EXPECT_TRUE(test, !memcmp(&s, &t, sizeof(s)));
}

/* Geometries that are wrong in one respect only, so that one check finds them. */
static void super_geometries(struct kunit *test)
{
	static const struct {
		const char *name;
		struct log_geometry g;
		enum log_fault fault;
	} rows[] = {
		{ "smallest", { 2048, 8192, 8, 8064, 1, 2 }, LOG_OK },
		{ "not all used", { 4096, 16384, 4, 1000, 1, 2 }, LOG_OK },
		{ "small stride", { 2048, 8184, 7, 8000, 1, 2 }, LOG_BAD_GEOMETRY },
		{ "stride unaligned", { 2048, 8193, 8, 8064, 1, 2 }, LOG_BAD_GEOMETRY },
		{ "start unaligned", { 2049, 8192, 8, 8064, 1, 2 }, LOG_BAD_GEOMETRY },
		{ "one sector too many", { 2048, 8192, 8, 8065, 1, 2 }, LOG_BAD_GEOMETRY },
		{ "largest", { 2048, BIT_ULL(40), MAX_META_PAGES, U32_MAX, 1, 2 }, LOG_OK },
		{ "too many pages", { 2048, BIT_ULL(40), MAX_META_PAGES + 1, 8192, 1, 2 },
		  LOG_BAD_GEOMETRY },
	};
	struct log_super s, t;
	u32 i;
	u8 *buf;

	buf = kunit_kzalloc(test, SSDUP_SUPER_BYTES, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, buf);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		ssdup_log_super_fresh(&s, uuid, &rows[i].g, GIB, BIT_ULL(42));
		ssdup_log_super_encode(&s, buf);
		KUNIT_EXPECT_EQ_MSG(test, ssdup_log_super_decode(buf, &t), rows[i].fault, "%s",
				    rows[i].name);
	}
}

static void super_blank(struct kunit *test)
{
	struct log_super s;
	u8 *buf;

	buf = kunit_kzalloc(test, SSDUP_SUPER_BYTES, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, buf);
	KUNIT_EXPECT_EQ(test, ssdup_log_super_decode(buf, &s), LOG_BLANK);

	/* One byte of something else, and it is not ours to overwrite. */
	buf[SSDUP_SUPER_BYTES - 1] = 1;
	KUNIT_EXPECT_EQ(test, ssdup_log_super_decode(buf, &s), LOG_NOT_OURS);
}

static void super_on_other_disks(struct kunit *test)
{
	struct log_super s;
	u64 hdd, ssd;

	super_example(&s);
	hdd = s.hdd_sectors;
	ssd = s.ssd_sectors;
	KUNIT_EXPECT_EQ(test, ssdup_log_super_fits(&s, hdd, ssd, 2), LOG_OK);
	KUNIT_EXPECT_EQ(test, ssdup_log_super_fits(&s, hdd, ssd + 1, 1), LOG_OK);
	KUNIT_EXPECT_EQ(test, ssdup_log_super_fits(&s, hdd + 1, ssd, 2), LOG_OTHER_HDD_SIZE);
	KUNIT_EXPECT_EQ(test, ssdup_log_super_fits(&s, hdd - 1, ssd, 2), LOG_OTHER_HDD_SIZE);
	KUNIT_EXPECT_EQ(test, ssdup_log_super_fits(&s, hdd, ssd - 1, 2), LOG_OTHER_SSD_SIZE);
	KUNIT_EXPECT_EQ(test, ssdup_log_super_fits(&s, hdd, ssd, 8), LOG_BLOCK_SIZE);
}

/* Who does not count pages cannot tell that a suspend was clean. */
static void super_clean_without_pages(struct kunit *test)
{
	struct ssdup_super *d;
	struct log_super s;

	d = kunit_kzalloc(test, SSDUP_SUPER_BYTES, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, d);
	super_example(&s);
	s.flags = SSDUP_SUPER_CLEAN;
	ssdup_log_super_encode(&s, d);
	KUNIT_ASSERT_EQ(test, ssdup_log_super_decode(d, &s), LOG_OK);
	KUNIT_EXPECT_EQ(test, s.flags, SSDUP_SUPER_CLEAN);
	d->compat = 0;
	d->crc = super_crc(d);
	KUNIT_ASSERT_EQ(test, ssdup_log_super_decode(d, &s), LOG_OK);
	KUNIT_EXPECT_EQ(test, s.flags, 0);
}

static void super_longest_write(struct kunit *test)
{
	struct log_geometry g = { .meta_pages = 8, .nr_halves = 2 };
	u32 sectors, longest;

	for (sectors = 256 + 32; sectors < 100000; sectors += 97) {
		g.data_sectors = sectors;
		longest = ssdup_log_longest_write(&g);
		KUNIT_ASSERT_GE(test, longest, SSDUP_PAGE_SECTORS);
		KUNIT_ASSERT_LE(test, longest, ssdup_log_limits_writers(&g).sectors / 4);
		KUNIT_ASSERT_TRUE(test, is_power_of_2(longest));
	}
}

/* --- Which copy counts --- */

struct pick_case {
	const char *name;
	enum log_fault fault[2];
	u64 seq[2];
	bool other_log;
	enum log_fault verdict;
	u32 best;
	bool mend;
};

static const struct pick_case pick_cases[] = {
	{ "both right", { LOG_OK, LOG_OK }, { 5, 5 }, false, LOG_OK, 0, false },
	{ "copy 1 newer", { LOG_OK, LOG_OK }, { 5, 6 }, false, LOG_OK, 1, true },
	{ "copy 0 newer", { LOG_OK, LOG_OK }, { 6, 5 }, false, LOG_OK, 0, true },
	{ "of two logs", { LOG_OK, LOG_OK }, { 6, 5 }, true, LOG_TWO_LOGS },
	{ "copy 0 torn", { LOG_BAD_CRC, LOG_OK }, { 0, 5 }, false, LOG_OK, 1, true },
	{ "copy 1 torn", { LOG_OK, LOG_BAD_CRC }, { 5, 0 }, false, LOG_OK, 0, true },
	{ "copy 1 blank", { LOG_OK, LOG_BLANK }, { 5, 0 }, false, LOG_OK, 0, true },
	{ "copy 1 overwritten", { LOG_OK, LOG_NOT_OURS }, { 5, 0 }, false, LOG_OK, 0, true },
	{ "both torn", { LOG_BAD_CRC, LOG_BAD_CRC }, {}, false, LOG_BAD_CRC },
	{ "torn and blank", { LOG_BAD_CRC, LOG_BLANK }, {}, false, LOG_BAD_CRC },
	{ "given up", { LOG_BLANK, LOG_OK }, { 0, 5 }, false, LOG_BLANK },
	{ "somebody else's", { LOG_NOT_OURS, LOG_OK }, { 0, 5 }, false, LOG_NOT_OURS },
	{ "copy 0 of a newer format", { LOG_NEWER_VERSION, LOG_OK }, { 0, 5 }, false,
	  LOG_NEWER_VERSION },
	{ "copy 1 of a newer format", { LOG_OK, LOG_NEWER_VERSION }, { 5, 0 }, false,
	  LOG_NEWER_VERSION },
	{ "copy 1 with a feature", { LOG_OK, LOG_UNKNOWN_INCOMPAT }, { 5, 0 }, false,
	  LOG_UNKNOWN_INCOMPAT },
	{ "copy 1 torn, copy 0 impossible", { LOG_BAD_GEOMETRY, LOG_BAD_CRC }, {}, false,
	  LOG_BAD_GEOMETRY },
};

static void pick_case_desc(const struct pick_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(pick, pick_cases, pick_case_desc);

static void super_copies(struct kunit *test)
{
	const struct pick_case *c = test->param_value;
	struct log_super *copy;
	bool mend;
	u32 best;

	copy = kunit_kcalloc(test, SSDUP_SUPER_COPIES, sizeof(*copy), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, copy);
	copy[0].seq = c->seq[0];
	copy[1].seq = c->seq[1];
	copy[1].uuid[15] = c->other_log;
	KUNIT_EXPECT_EQ(test, ssdup_log_super_pick(c->fault, copy, &best, &mend), c->verdict);
	if (c->verdict != LOG_OK)
		return;
	KUNIT_EXPECT_EQ(test, best, c->best);
	KUNIT_EXPECT_EQ(test, mend, c->mend);
}

/* --- Faults --- */

static void fault_texts(struct kunit *test)
{
	u32 i, j;

	for (i = 0; i < LOG_NR_FAULTS; i++) {
		const char *text = ssdup_log_fault_text(i);

		KUNIT_ASSERT_TRUE(test, text && *text);
		/* Numbers of the tool, of which the kernel knows nothing. */
		if (i > LOG_NO_UUID && i < LOG_PAGES_GAP) {
			KUNIT_EXPECT_STREQ(test, text, ssdup_log_fault_text(LOG_NR_FAULTS));
			continue;
		}
		KUNIT_EXPECT_NE(test, text[strlen(text) - 1], '.');
		for (j = 0; j < i; j++)
			KUNIT_EXPECT_TRUE(test, strcmp(text, ssdup_log_fault_text(j)));
	}
	KUNIT_EXPECT_TRUE(test, ssdup_log_fault_text(LOG_NR_FAULTS));
	KUNIT_EXPECT_TRUE(test, ssdup_log_fault_text(-1));
}

static struct kunit_case log_cases[] = {
	KUNIT_CASE(layout_of_many_sizes),
	KUNIT_CASE(layout_too_small),
	KUNIT_CASE(layout_metadata_share),
	KUNIT_CASE(ration_lasts),
	KUNIT_CASE(reserve_limits),
	KUNIT_CASE(reserve_in_largest_half),
	KUNIT_CASE(reserve_never_overlaps),
	KUNIT_CASE(fill_is_the_fuller_of_two),
	KUNIT_CASE(super_round_trip),
	KUNIT_CASE(super_fresh),
	KUNIT_CASE(super_any_bit),
	KUNIT_CASE_PARAM(super_faults, super_gen_params),
	KUNIT_CASE(super_geometries),
	KUNIT_CASE(super_blank),
	KUNIT_CASE(super_on_other_disks),
	KUNIT_CASE(super_clean_without_pages),
	KUNIT_CASE(super_longest_write),
	KUNIT_CASE_PARAM(super_copies, pick_gen_params),
	KUNIT_CASE(fault_texts),
	{}
};

static struct kunit_suite log_suite = {
	.name = "ssdup-log",
	.test_cases = log_cases,
};

kunit_test_suite(log_suite);
