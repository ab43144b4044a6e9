// SPDX-License-Identifier: GPL-2.0-only
/* invariant: 2 */
#include "core/codec.c"
#include "codec_cases.h"
#include "prng.h"

#define SUPER_END	sizeof(struct ssdup_super)

static const u8 pool[16] = { 0x5d, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };
static const u8 uuid[16] = { 0x5e, 3 };

/* 255 segments of 4 MiB */
static void super_example(struct log_super *s)
{
	struct log_geometry g;

	ssdup_log_layout(&g, GIB, 0, 2);
	ssdup_log_super_fresh(s, pool, uuid, &g, 5 * GIB + 2, GIB);
}

/* --- Superblock and record together --- */

static void super_round_trip(struct kunit *test)
{
	static struct log_super s, t;
	struct prng r = { 6 };
	u8 *super, *record;
	u32 i, j;

	super = kunit_kzalloc(test, SSDUP_BLOCK_BYTES, GFP_KERNEL);
	record = kunit_kzalloc(test, SSDUP_BLOCK_BYTES, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, super);
	KUNIT_ASSERT_NOT_NULL(test, record);

	for (i = 0; i < 400; i++) {
		u64 ssd = GIB + prng_u64(&r) % (65536 * GIB);
		struct log_geometry g;

		memset(&s, 0, sizeof(s));
		KUNIT_ASSERT_TRUE(test, ssdup_log_layout(&g, ssd, i & 1 ? 2048U << i % 9 : 0,
							 1U << prng_below(&r, 4)));
		ssdup_log_super_fresh(&s, pool, uuid, &g, 1 + prng_u64(&r) % MAX_SECTORS, ssd);
		s.pool_seq = prng_u64(&r) % LOG_MAX_COUNT;
		s.seq = prng_u64(&r) % LOG_MAX_COUNT;
		s.epoch = prng_u64(&r) % LOG_MAX_COUNT;
		s.first = 1 + prng_u64(&r) % LOG_MAX_GENERATION;
		s.classes.nr = 1 + prng_below(&r, SSDUP_MAX_CLASSES);
		for (j = 0; j < s.classes.nr; j++)
			s.tail[j] = 1 + prng_u64(&r) % LOG_MAX_GENERATION;
		s.flags = prng_below(&r, 2) ? SSDUP_RECORD_CLOSED : 0;
		s.live_segments = prng_u64(&r);
		s.live_pages = prng_u64(&r);

		/* Nothing of what was in the buffers stays. */
		memset(super, 0xff, SSDUP_BLOCK_BYTES);
		memset(record, 0xff, SSDUP_BLOCK_BYTES);
		ssdup_log_super_encode(&s, super);
		ssdup_log_record_encode(&s, record);
		KUNIT_ASSERT_TRUE(test, !memchr_inv(super + SUPER_END, 0,
						    SSDUP_BLOCK_BYTES - SUPER_END));
		KUNIT_ASSERT_TRUE(test, !memchr_inv(record + sizeof(struct ssdup_record), 0,
						    SSDUP_BLOCK_BYTES -
						    sizeof(struct ssdup_record)));
		memset(&t, 0xff, sizeof(t));
		KUNIT_ASSERT_EQ(test, ssdup_log_super_decode(super, &t), LOG_OK);
		KUNIT_ASSERT_EQ(test, ssdup_log_record_decode(record, &t), LOG_OK);
		KUNIT_ASSERT_TRUE(test, !memcmp(&s, &t, sizeof(s)));
		KUNIT_ASSERT_EQ(test, LOG_OK, ssdup_log_super_fits(&t, s.hdd_sectors, ssd,
								   g.block_sectors, NULL));
		KUNIT_ASSERT_FALSE(test, ssdup_log_super_spent(&t));
	}
}

/* Each SSD of several has a superblock of its own, and one that is alone has no word of others. */
static void super_of_several(struct kunit *test)
{
	static struct log_super s, t;
	struct log_geometry g;
	struct prng r = { 7 };
	u64 sectors[SSDUP_MAX_SSDS];
	u8 *buf = block_new(test);
	u32 i, k;

	for (i = 0; i < 400; i++) {
		struct log_ssds ssds = { .nr = 1 + prng_below(&r, SSDUP_MAX_SSDS) };

		for (k = 0; k < ssds.nr; k++)
			sectors[k] = GIB + prng_u64(&r) % (1024 * GIB);
		KUNIT_ASSERT_TRUE(test, ssdup_log_spread(&g, &ssds, sectors, 0, 1));
		for (k = 0; k < ssds.nr && ssds.nr > 1; k++)
			ssds.uuid[k][k] = 1 + i % 255;
		for (k = 0; k < ssds.nr; k++) {
			ssdup_log_super_fresh(&s, pool, uuid, &g, 0, sectors[k]);
			s.ssds = ssds;
			s.ssds.index = k;
			ssdup_log_super_encode(&s, buf);
			KUNIT_ASSERT_EQ(test, ssdup_log_super_decode(buf, &t), LOG_OK);
			KUNIT_ASSERT_TRUE(test, !memcmp(&s.ssds, &t.ssds, sizeof(s.ssds)));
			KUNIT_ASSERT_EQ(test, t.ssd_sectors, sectors[k]);
			KUNIT_ASSERT_EQ(test, t.g.nr_segments, g.nr_segments);
			KUNIT_ASSERT_EQ(test, le64_to_cpu(((struct ssdup_super *)buf)->incompat),
					ssds.nr > 1 ? SSDUP_INCOMPAT_SSDS : 0);
		}
	}
	super_example(&s);
	ssdup_log_super_encode(&s, buf);
	KUNIT_EXPECT_TRUE(test, !memchr_inv(buf + offsetof(struct ssdup_super, member), 0,
					    SUPER_END - offsetof(struct ssdup_super, member)));
}

static void super_fresh(struct kunit *test)
{
	static struct log_super s;

	super_example(&s);
	KUNIT_EXPECT_EQ(test, s.pool_seq, 0);
	KUNIT_EXPECT_EQ(test, s.seq, 0);
	KUNIT_EXPECT_EQ(test, s.epoch, 0);
	KUNIT_EXPECT_EQ(test, s.first, 1);
	KUNIT_EXPECT_EQ(test, s.tail[0], 1);
	KUNIT_EXPECT_EQ(test, s.flags, 0);
	KUNIT_EXPECT_TRUE(test, !memcmp(s.pool, pool, sizeof(pool)));
	KUNIT_EXPECT_TRUE(test, !memcmp(s.uuid, uuid, sizeof(uuid)));
}

static void super_is_spent(struct kunit *test)
{
	static struct log_super s, t;
	u64 *counts[] = { &t.seq, &t.epoch, &t.first, &t.tail[0] };
	u32 i;

	super_example(&s);
	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		t = s;
		*counts[i] = i < 2 ? LOG_MAX_COUNT : LOG_MAX_GENERATION;
		KUNIT_EXPECT_FALSE(test, ssdup_log_super_spent(&t));
		++*counts[i];
		KUNIT_EXPECT_TRUE(test, ssdup_log_super_spent(&t));
	}
	/* A seq has room for the last generation. */
	KUNIT_EXPECT_LT(test, LOG_MAX_GENERATION, BIT_ULL(60 - SSDUP_SEQ_BITS));
}

/* --- Superblock --- */

/* Any bit that flips is noticed. */
static void super_any_bit(struct kunit *test)
{
	u8 *buf = block_new(test);
	static struct log_super s, t;
	u32 i;

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

#define FIELD(f)	offsetof(struct ssdup_super, f)

static const struct field_case super_cases[] = {
	{ "nothing wrong", FIELD(seq), 8, 5, LOG_OK },
	{ "magic", FIELD(magic), 8, SSDUP_SUPER_MAGIC + 1, LOG_NOT_OURS },
	{ "crc", FIELD(seq), 8, 5, LOG_BAD_CRC, .stale_crc = true },
	{ "version", FIELD(version), 4, SSDUP_VERSION + 1, LOG_UNKNOWN_VERSION },
	{ "version 0", FIELD(version), 4, 0, LOG_UNKNOWN_VERSION },
	{ "version 1", FIELD(version), 4, 1, LOG_UNKNOWN_VERSION },
	{ "version 257", FIELD(version), 4, 257, LOG_UNKNOWN_VERSION },
	{ "incompat", FIELD(incompat), 8, BIT_ULL(63), LOG_UNKNOWN_INCOMPAT },
	{ "ro_compat", FIELD(ro_compat), 8, 1, LOG_UNKNOWN_RO_COMPAT },
	{ "compat", FIELD(compat), 8, U64_MAX, LOG_OK },
	{ "SSD too large", FIELD(ssd_sectors), 8, U64_MAX, LOG_BAD_GEOMETRY },
	{ "SSD just too large", FIELD(ssd_sectors), 8, MAX_SECTORS + 1, LOG_BAD_GEOMETRY },
	{ "larger than is used", FIELD(ssd_sectors), 8, MAX_SECTORS, LOG_OK },
	{ "SSD smaller than its segments", FIELD(ssd_sectors), 8, GIB / 2, LOG_BAD_GEOMETRY },
	{ "SSD of all segments", FIELD(ssd_sectors), 8, 4096 + 255 * 8192, LOG_OK },
	{ "SSD a sector too small", FIELD(ssd_sectors), 8, 4095 + 255 * 8192, LOG_BAD_GEOMETRY },
	{ "SSD of 0", FIELD(ssd_sectors), 8, 0, LOG_BAD_GEOMETRY },
	{ "first segment in the head", FIELD(segment_start), 8, 2040, LOG_BAD_GEOMETRY },
	{ "first segment moved", FIELD(segment_start), 8, 2056, LOG_OK },
	{ "first segment beyond the end", FIELD(segment_start), 8, GIB + 8, LOG_BAD_GEOMETRY },
	{ "first segment wraps", FIELD(segment_start), 8, U64_MAX - 7, LOG_BAD_GEOMETRY },
	{ "first segment unaligned", FIELD(segment_start), 8, 2049, LOG_BAD_GEOMETRY },
	{ "segments of 0", FIELD(segment_sectors), 4, 0, LOG_BAD_GEOMETRY },
	{ "segments of 1", FIELD(segment_sectors), 4, 1, LOG_BAD_GEOMETRY },
	{ "segments too large for it", FIELD(segment_sectors), 4, 16384, LOG_BAD_GEOMETRY },
	{ "segments not a power of two", FIELD(segment_sectors), 4, 8191, LOG_BAD_GEOMETRY },
	{ "most of a segment", FIELD(segment_sectors), 4, U32_MAX, LOG_BAD_GEOMETRY },
	{ "no segments", FIELD(nr_segments), 4, 0, LOG_BAD_GEOMETRY },
	{ "least segments", FIELD(nr_segments), 4, 32, LOG_OK },
	{ "too few segments", FIELD(nr_segments), 4, 31, LOG_BAD_GEOMETRY },
	{ "a segment less", FIELD(nr_segments), 4, 254, LOG_OK },
	{ "a segment more", FIELD(nr_segments), 4, 256, LOG_BAD_GEOMETRY },
	{ "most segments", FIELD(nr_segments), 4, U32_MAX, LOG_BAD_GEOMETRY },
	{ "no pages", FIELD(meta_pages), 4, 0, LOG_BAD_GEOMETRY },
	{ "a page less", FIELD(meta_pages), 4, 7, LOG_BAD_GEOMETRY },
	{ "a page more", FIELD(meta_pages), 4, 9, LOG_BAD_GEOMETRY },
	{ "most pages", FIELD(meta_pages), 4, U32_MAX, LOG_BAD_GEOMETRY },
	{ "no SSD", FIELD(nr_ssds), 2, 0, LOG_BAD_GEOMETRY },
	{ "two SSDs", FIELD(nr_ssds), 2, 2, LOG_BAD_GEOMETRY },
	{ "another SSD of the pool", FIELD(ssd_index), 2, 1, LOG_BAD_GEOMETRY },
	{ "last seq", FIELD(seq), 8, U64_MAX, LOG_BAD_GENERATION },
	{ "seq just right", FIELD(seq), 8, LOG_MAX_COUNT, LOG_OK },
	{ "seq just wrong", FIELD(seq), 8, LOG_MAX_COUNT + 1, LOG_BAD_GENERATION },
	{ "nil UUID", FIELD(uuid), 16, 0, LOG_NO_UUID },
};

KUNIT_ARRAY_PARAM(super, super_cases, field_case_desc);

static void super_faults(struct kunit *test)
{
	const struct field_case *c = test->param_value;
	u8 *buf = block_new(test);
	static struct log_super s, t;

	super_example(&s);
	ssdup_log_super_encode(&s, buf);
	spoil(buf, c, sizeof(struct ssdup_super), FIELD(crc));
	KUNIT_EXPECT_EQ(test, ssdup_log_super_decode(buf, &t), c->fault);

	/* Reading is allowed, so what was read is there. */
	if (c->fault == LOG_UNKNOWN_RO_COMPAT) {
		KUNIT_EXPECT_TRUE(test, !memcmp(s.pool, t.pool, sizeof(s.pool)));
		t.g.block_sectors = s.g.block_sectors;
		KUNIT_EXPECT_TRUE(test, !memcmp(&s.g, &t.g, sizeof(s.g)));
	}
}

/* Three SSDs, of which this is the second: 255, 511 and 127 segments of 4 MiB, or so. */
static const struct field_case several_cases[] = {
	{ "nothing wrong", FIELD(seq), 8, 5, LOG_OK },
	{ "without the bit", FIELD(incompat), 8, 0, LOG_BAD_GEOMETRY },
	{ "with one more bit", FIELD(incompat), 8, SSDUP_INCOMPAT_SSDS | 16, LOG_UNKNOWN_INCOMPAT },
	{ "moved, from nothing", FIELD(incompat), 8, SSDUP_INCOMPAT_SSDS | SSDUP_INCOMPAT_MOVES,
	  LOG_BAD_GEOMETRY },
	{ "mirrored, and none is", FIELD(incompat), 8,
	  SSDUP_INCOMPAT_SSDS | SSDUP_INCOMPAT_MIRRORS, LOG_BAD_GEOMETRY },
	{ "one SSD", FIELD(nr_ssds), 2, 1, LOG_BAD_GEOMETRY },
	{ "an SSD less", FIELD(nr_ssds), 2, 2, LOG_BAD_GEOMETRY },
	{ "an SSD more", FIELD(nr_ssds), 2, 4, LOG_BAD_GEOMETRY },
	{ "nine SSDs", FIELD(nr_ssds), 2, SSDUP_MAX_SSDS + 1, LOG_BAD_GEOMETRY },
	{ "most SSDs", FIELD(nr_ssds), 2, U16_MAX, LOG_BAD_GEOMETRY },
	/* Which one it is, its UUID says: see ssds_test.c. */
	{ "another one of them", FIELD(ssd_index), 2, 0, LOG_OK },
	{ "none of them", FIELD(ssd_index), 2, 3, LOG_BAD_GEOMETRY },
	{ "no UUID", FIELD(member[2]), 16, 0, LOG_BAD_GEOMETRY },
	{ "a UUID of none", FIELD(member[3]), 16, 1, LOG_BAD_GEOMETRY },
	{ "no segments there", FIELD(ssd_segments[0]), 4, 0, LOG_BAD_GEOMETRY },
	{ "segments of none", FIELD(ssd_segments[7]), 4, 1, LOG_BAD_GEOMETRY },
	{ "more than there are", FIELD(nr_segments), 4, SSDUP_MAX_SEGMENTS, LOG_BAD_GEOMETRY },
	{ "sum wraps", FIELD(ssd_segments[0]), 4, U32_MAX, LOG_BAD_GEOMETRY },
	{ "too small for its own", FIELD(ssd_sectors), 8, GIB, LOG_BAD_GEOMETRY },
};

KUNIT_ARRAY_PARAM(several, several_cases, field_case_desc);

static void several_faults(struct kunit *test)
{
	static const u64 sectors[] = { 2 * GIB, 4 * GIB, GIB };
	const struct field_case *c = test->param_value;
	struct log_ssds ssds = { .nr = 3 };
	u8 *buf = block_new(test);
	static struct log_super s, t;
	struct log_geometry g;
	u32 i;

	KUNIT_ASSERT_TRUE(test, ssdup_log_spread(&g, &ssds, sectors, 8192, 1));
	ssdup_log_super_fresh(&s, pool, uuid, &g, GIB, sectors[1]);
	s.ssds = ssds;
	s.ssds.index = 1;
	for (i = 0; i < 3; i++)
		s.ssds.uuid[i][0] = i + 1;
	ssdup_log_super_encode(&s, buf);
	spoil(buf, c, sizeof(struct ssdup_super), FIELD(crc));
	KUNIT_EXPECT_EQ(test, ssdup_log_super_decode(buf, &t), c->fault);
}

/* Geometries that are wrong in one respect only, so that one check finds them. */
static void super_geometries(struct kunit *test)
{
	static const struct {
		const char *name;
		u64 start;
		u32 sectors, nr;
		enum log_fault fault;
	} rows[] = {
		{ "smallest", 2048, 512, 32, LOG_OK },
		{ "small segments", 2048, 256, 32, LOG_BAD_GEOMETRY },
		{ "largest segments", 2048, 1U << 19, 131071, LOG_OK },
		{ "large segments", 2048, 1U << 20, 32, LOG_BAD_GEOMETRY },
		{ "not a power of two", 2048, 520, 32, LOG_BAD_GEOMETRY },
		{ "many", 2048, 512, SSDUP_MAX_SEGMENTS, LOG_OK },
		{ "too many", 2048, 512, SSDUP_MAX_SEGMENTS + 1, LOG_BAD_GEOMETRY },
		{ "as far as an extent reaches", 2048, 1U << 16, SSDUP_MAX_SEGMENTS - 1, LOG_OK },
		{ "farther", 2048, 1U << 16, SSDUP_MAX_SEGMENTS, LOG_BAD_GEOMETRY },
		{ "begins there", BIT_ULL(36), 512, 32, LOG_BAD_GEOMETRY },
		{ "begins behind", BIT_ULL(36) + 8, 512, 32, LOG_BAD_GEOMETRY },
		{ "ends there", BIT_ULL(36) - 32 * 512, 512, 32, LOG_OK },
	};
	static struct log_super s, t;
	struct ssdup_super *d;
	u32 i;

	d = kunit_kzalloc(test, SSDUP_BLOCK_BYTES, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, d);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct log_geometry g = {
			.segment_start = rows[i].start, .segment_sectors = rows[i].sectors,
			.nr_segments = rows[i].nr, .block_sectors = 1,
		};

		divide_segment(&g);
		ssdup_log_super_fresh(&s, pool, uuid, &g, GIB, BIT_ULL(42));
		ssdup_log_super_encode(&s, d);
		KUNIT_EXPECT_EQ_MSG(test, ssdup_log_super_decode(d, &t), rows[i].fault, "%s",
				    rows[i].name);
	}
}

static void super_blank(struct kunit *test)
{
	static struct log_super s;
	u8 *buf;

	buf = kunit_kzalloc(test, SSDUP_BLOCK_BYTES, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, buf);
	KUNIT_EXPECT_EQ(test, ssdup_log_super_decode(buf, &s), LOG_BLANK);

	/* One byte of something else, and it is not ours to overwrite. */
	buf[SSDUP_BLOCK_BYTES - 1] = 1;
	KUNIT_EXPECT_EQ(test, ssdup_log_super_decode(buf, &s), LOG_NOT_OURS);
}

static void super_on_other_disks(struct kunit *test)
{
	static struct log_super s;
	u64 hdd, ssd;

	super_example(&s);
	hdd = s.hdd_sectors;
	ssd = s.ssd_sectors;
	KUNIT_EXPECT_EQ(test, ssdup_log_super_fits(&s, hdd, ssd, 2, NULL), LOG_OK);
	KUNIT_EXPECT_EQ(test, ssdup_log_super_fits(&s, hdd, ssd + 1, 1, NULL), LOG_OK);
	KUNIT_EXPECT_EQ(test, ssdup_log_super_fits(&s, hdd + 1, ssd, 2, NULL), LOG_OK);
	KUNIT_EXPECT_EQ(test, ssdup_log_super_fits(&s, hdd - 1, ssd, 2, NULL), LOG_OTHER_HDD_SIZE);
	KUNIT_EXPECT_EQ(test, ssdup_log_super_fits(&s, hdd, ssd - 1, 2, NULL), LOG_OTHER_SSD_SIZE);
	KUNIT_EXPECT_EQ(test, ssdup_log_super_fits(&s, hdd, ssd, 8, NULL), LOG_BLOCK_SIZE);
}

static enum log_fault fits_host(const struct log_super *s, const u8 *host)
{
	return ssdup_log_super_fits(s, s->hdd_sectors, s->ssd_sectors, 2, host);
}

static void super_of_other_hosts(struct kunit *test)
{
	static const u8 a[SSDUP_HOST_BYTES] = { 1 }, b[SSDUP_HOST_BYTES] = { [15] = 1 };
	static const u8 none[SSDUP_HOST_BYTES];
	static struct log_super s;

	super_example(&s);
	KUNIT_EXPECT_EQ(test, fits_host(&s, a), LOG_OK);
	KUNIT_EXPECT_EQ(test, fits_host(&s, none), LOG_OK);
	memcpy(s.host, a, sizeof(a));
	KUNIT_EXPECT_EQ(test, fits_host(&s, a), LOG_OK);
	KUNIT_EXPECT_EQ(test, fits_host(&s, b), LOG_OTHER_HOST);
	/* Who does not say which host it is may be any. */
	KUNIT_EXPECT_EQ(test, fits_host(&s, none), LOG_OTHER_HOST);
	KUNIT_EXPECT_EQ(test, fits_host(&s, NULL), LOG_OK);
}

/* --- Which copy counts --- */

static const struct pick_case pick_cases[] = {
	{ "both right", { LOG_OK, LOG_OK }, { 5, 5 }, false, LOG_OK, 0, false },
	{ "copy 1 newer", { LOG_OK, LOG_OK }, { 5, 6 }, false, LOG_OK, 1, true },
	{ "copy 0 newer", { LOG_OK, LOG_OK }, { 6, 5 }, false, LOG_OK, 0, true },
	{ "of two pools", { LOG_OK, LOG_OK }, { 6, 5 }, true, LOG_TWO_LOGS },
	{ "copy 0 torn", { LOG_BAD_CRC, LOG_OK }, { 0, 5 }, false, LOG_OK, 1, true },
	{ "copy 1 torn", { LOG_OK, LOG_BAD_CRC }, { 5, 0 }, false, LOG_OK, 0, true },
	{ "copy 1 blank", { LOG_OK, LOG_BLANK }, { 5, 0 }, false, LOG_OK, 0, true },
	{ "copy 1 overwritten", { LOG_OK, LOG_NOT_OURS }, { 5, 0 }, false, LOG_OK, 0, true },
	{ "both torn", { LOG_BAD_CRC, LOG_BAD_CRC }, {}, false, LOG_BAD_CRC },
	{ "torn and blank", { LOG_BAD_CRC, LOG_BLANK }, {}, false, LOG_BAD_CRC },
	{ "blank", { LOG_BLANK, LOG_BLANK }, {}, false, LOG_BLANK },
	{ "blank, and data of old", { LOG_BLANK, LOG_NOT_OURS }, {}, false, LOG_BLANK },
	{ "zeroed, and torn or not readable", { LOG_BLANK, LOG_BAD_CRC }, {}, false,
	  LOG_OVERWRITTEN },
	{ "zeroed", { LOG_BLANK, LOG_OK }, { 0, 5 }, false, LOG_OVERWRITTEN },
	{ "zeroed, of another format", { LOG_BLANK, LOG_UNKNOWN_VERSION }, {}, false,
	  LOG_OVERWRITTEN },
	{ "somebody else's", { LOG_NOT_OURS, LOG_NOT_OURS }, {}, false, LOG_NOT_OURS },
	{ "overwritten", { LOG_NOT_OURS, LOG_OK }, { 0, 5 }, false, LOG_OVERWRITTEN },
	{ "copy 0 of another format", { LOG_UNKNOWN_VERSION, LOG_OK }, { 0, 5 }, false,
	  LOG_UNKNOWN_VERSION },
	{ "copy 1 of another format", { LOG_OK, LOG_UNKNOWN_VERSION }, { 5, 0 }, false,
	  LOG_UNKNOWN_VERSION },
	{ "copy 0 torn, copy 1 of another format", { LOG_BAD_CRC, LOG_UNKNOWN_VERSION }, {}, false,
	  LOG_UNKNOWN_VERSION },
	{ "copy 1 with a feature", { LOG_OK, LOG_UNKNOWN_INCOMPAT }, { 5, 0 }, false,
	  LOG_UNKNOWN_INCOMPAT },
	{ "copy 1 torn, copy 0 impossible", { LOG_BAD_GEOMETRY, LOG_BAD_CRC }, {}, false,
	  LOG_BAD_GEOMETRY },
};

KUNIT_ARRAY_PARAM(pick, pick_cases, pick_case_desc);

static void super_copies(struct kunit *test)
{
	const struct pick_case *c = test->param_value;
	struct log_super *copy = copies_new(test);

	copy[0].pool_seq = c->seq[0];
	copy[1].pool_seq = c->seq[1];
	copy[1].pool[15] = c->other;
	/* What the record says does not count here. */
	copy[0].seq = c->seq[1];
	copy[1].seq = c->seq[0];
	copy[1].uuid[15] = 1;
	expect_pick(test, false, copy);
}

/* --- Faults --- */

static void fault_texts(struct kunit *test)
{
	u32 i, j;

	for (i = 0; i < LOG_NR_FAULTS; i++) {
		const char *text = ssdup_log_fault_text(i);

		KUNIT_ASSERT_TRUE(test, text && *text);
		/* Numbers of the tool, of which the kernel knows nothing; 35 was format 1. */
		if ((i > LOG_NO_UUID && i < LOG_PAGES_GAP) || i == 35 || i == 40) {
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

static struct kunit_case codec_cases[] = {
	KUNIT_CASE(super_round_trip),
	KUNIT_CASE(super_of_several),
	KUNIT_CASE(super_fresh),
	KUNIT_CASE(super_is_spent),
	KUNIT_CASE(super_any_bit),
	KUNIT_CASE_PARAM(super_faults, super_gen_params),
	KUNIT_CASE_PARAM(several_faults, several_gen_params),
	KUNIT_CASE(super_geometries),
	KUNIT_CASE(super_blank),
	KUNIT_CASE(super_on_other_disks),
	KUNIT_CASE(super_of_other_hosts),
	KUNIT_CASE_PARAM(super_copies, pick_gen_params),
	KUNIT_CASE(fault_texts),
	{}
};

static struct kunit_suite log_suite = {
	.name = "ssdup-codec",
	.test_cases = codec_cases,
};

kunit_test_suite(log_suite);
