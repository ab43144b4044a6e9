// SPDX-License-Identifier: GPL-2.0-only
/* invariant: 2 11 */
/*
 * The log's record and the headers of segments, of log.c, which codec_test.c includes.
 */
#include "codec_cases.h"
#include "prng.h"

#define MAX_SECTORS	BIT_ULL(54)
#define EPOCH		9U

static void super_example(struct log_super *s)
{
	static const u8 pool[16] = { 1, 2, 3 }, uuid[16] = { 4, 5, 6 };
	struct log_geometry g;

	ssdup_log_layout(&g, GIB, 0, 2);
	ssdup_log_super_fresh(s, pool, uuid, &g, 5 * GIB + 2, GIB);
	s->epoch = EPOCH;
}

/* --- Record --- */

#define RECORD(f)	offsetof(struct ssdup_record, f)

static const struct field_case record_cases[] = {
	{ "nothing wrong", RECORD(seq), 8, 5, LOG_OK },
	{ "magic", RECORD(magic), 4, SSDUP_RECORD_MAGIC + 1, LOG_NOT_OURS },
	{ "magic of a header", RECORD(magic), 4, SSDUP_HEADER_MAGIC, LOG_NOT_OURS },
	{ "another pool's", RECORD(pool), 1, 2, LOG_NOT_OURS },
	{ "crc", RECORD(seq), 8, 5, LOG_BAD_CRC, .stale_crc = true },
	{ "nil UUID", RECORD(uuid), 16, 0, LOG_NO_UUID },
	{ "another log's place", RECORD(log), 2, 1, LOG_BAD_GEOMETRY },
	{ "no classes", RECORD(nr_classes), 2, 0, LOG_BAD_GEOMETRY },
	{ "two classes, one without a tail", RECORD(nr_classes), 2, 2, LOG_BAD_GENERATION },
	{ "nine classes", RECORD(nr_classes), 2, 9, LOG_BAD_GEOMETRY },
	{ "HDD of 0", RECORD(hdd_sectors), 8, 0, LOG_BAD_GEOMETRY },
	{ "largest HDD", RECORD(hdd_sectors), 8, MAX_SECTORS, LOG_OK },
	{ "HDD too large", RECORD(hdd_sectors), 8, MAX_SECTORS + 1, LOG_BAD_GEOMETRY },
	{ "block size 0", RECORD(block_sectors), 4, 0, LOG_BAD_GEOMETRY },
	{ "block size 3", RECORD(block_sectors), 4, 3, LOG_BAD_GEOMETRY },
	{ "block size 8", RECORD(block_sectors), 4, 8, LOG_OK },
	{ "block size 16", RECORD(block_sectors), 4, 16, LOG_BAD_GEOMETRY },
	{ "no tail", RECORD(tail[0]), 8, 0, LOG_BAD_GENERATION },
	{ "last tail", RECORD(tail[0]), 8, U64_MAX, LOG_BAD_GENERATION },
	{ "tail just right", RECORD(tail[0]), 8, LOG_MAX_GENERATION, LOG_OK },
	{ "tail just wrong", RECORD(tail[0]), 8, LOG_MAX_GENERATION + 1, LOG_BAD_GENERATION },
	{ "no first", RECORD(first), 8, 0, LOG_BAD_GENERATION },
	{ "first just right", RECORD(first), 8, LOG_MAX_GENERATION, LOG_OK },
	{ "first just wrong", RECORD(first), 8, LOG_MAX_GENERATION + 1, LOG_BAD_GENERATION },
	{ "last epoch", RECORD(epoch), 8, U64_MAX, LOG_BAD_GENERATION },
	{ "epoch just right", RECORD(epoch), 8, LOG_MAX_COUNT, LOG_OK },
	{ "epoch just wrong", RECORD(epoch), 8, LOG_MAX_COUNT + 1, LOG_BAD_GENERATION },
	{ "seq just right", RECORD(seq), 8, LOG_MAX_COUNT, LOG_OK },
	{ "seq just wrong", RECORD(seq), 8, LOG_MAX_COUNT + 1, LOG_BAD_GENERATION },
	{ "clean", RECORD(flags), 4, SSDUP_RECORD_CLOSED, LOG_OK },
};

KUNIT_ARRAY_PARAM(record, record_cases, field_case_desc);

static void record_faults(struct kunit *test)
{
	const struct field_case *c = test->param_value;
	u8 *buf = block_new(test);
	static struct log_super s;

	super_example(&s);
	ssdup_log_record_encode(&s, buf);
	spoil(buf, c, sizeof(struct ssdup_record), RECORD(crc));
	KUNIT_EXPECT_EQ(test, ssdup_log_record_decode(buf, &s), c->fault);
}

static void record_any_bit(struct kunit *test)
{
	u8 *buf = block_new(test);
	static struct log_super s, t;
	u32 i;

	super_example(&s);
	s.flags = 0;
	memcpy(s.hdd_id, "wwn:naa.5000c500a1b2c3d4", 24);
	memcpy(s.host, "\1 is a machine", 15);
	memcpy(s.host_name, "node7", 5);
	ssdup_log_record_encode(&s, buf);
	for (i = 0; i < 8 * sizeof(struct ssdup_record); i++) {
		bool ours = i >= 32 && (i < 8 * RECORD(pool) || i >= 8 * RECORD(uuid));

		buf[i / 8] ^= 1 << i % 8;
		t = s;
		KUNIT_EXPECT_EQ_MSG(test, ssdup_log_record_decode(buf, &t),
				    ours ? LOG_BAD_CRC : LOG_NOT_OURS, "bit %u", i);
		buf[i / 8] ^= 1 << i % 8;
	}
	/* All of it comes from the record. */
	t = s;
	t.epoch = 0;
	t.hdd_sectors = 0;
	t.first = 0;
	memset(t.tail, 0, sizeof(t.tail));
	memset(t.hdd_id, 0, sizeof(t.hdd_id));
	memset(t.host, 0, sizeof(t.host));
	memset(t.host_name, 0, sizeof(t.host_name));
	KUNIT_EXPECT_EQ(test, ssdup_log_record_decode(buf, &t), LOG_OK);
	KUNIT_EXPECT_TRUE(test, !memcmp(&s, &t, sizeof(s)));
	/* A clean suspend lets go of it. */
	s.flags = SSDUP_RECORD_CLOSED;
	ssdup_log_record_encode(&s, buf);
	KUNIT_EXPECT_EQ(test, ssdup_log_record_decode(buf, &t), LOG_OK);
	KUNIT_EXPECT_TRUE(test, !memchr_inv(t.host, 0, sizeof(t.host)));
	KUNIT_EXPECT_TRUE(test, !memchr_inv(t.host_name, 0, sizeof(t.host_name)));
	KUNIT_EXPECT_TRUE(test, !memcmp(t.hdd_id, s.hdd_id, sizeof(t.hdd_id)));
	memset(buf, 0, SSDUP_BLOCK_BYTES);
	KUNIT_EXPECT_EQ(test, ssdup_log_record_decode(buf, &t), LOG_NOT_OURS);
}

/* A record with a guard is another one for older code, and has the head in a sector of its own. */
static void record_guarded(struct kunit *test)
{
	struct ssdup_record *d = (void *)block_new(test);
	static struct log_super s, t;

	super_example(&s);
	s.guard = GUARD_CLOSED;
	s.guard_epoch = 0x1122334455667788ULL;
	memset(s.head, 0xa5, sizeof(s.head));
	ssdup_log_record_encode(&s, d);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(d->magic), SSDUP_GUARDED_MAGIC);
	t = s;
	t.guard = GUARD_OPEN;
	t.guard_epoch = 0;
	memset(t.head, 0, sizeof(t.head));
	KUNIT_EXPECT_EQ(test, ssdup_log_record_decode(d, &t), LOG_OK);
	KUNIT_EXPECT_TRUE(test, !memcmp(&s, &t, sizeof(s)));
	/* One of the two sectors is old. */
	*(u8 *)(d + 1) ^= 1;
	KUNIT_EXPECT_EQ(test, ssdup_log_record_decode(d, &t), LOG_BAD_CRC);
	s.guard = GUARD_CHANGING;
	ssdup_log_record_encode(&s, d);
	KUNIT_EXPECT_EQ(test, ssdup_log_record_decode(d, &t), LOG_OK);
	KUNIT_EXPECT_EQ(test, t.guard, GUARD_CHANGING);
	/* Without a guard what follows does not count. */
	s.guard = GUARD_OPEN;
	ssdup_log_record_encode(&s, d);
	memset(d + 1, 0xff, sizeof(s.head));
	KUNIT_EXPECT_EQ(test, ssdup_log_record_decode(d, &t), LOG_OK);
	KUNIT_EXPECT_EQ(test, t.guard, GUARD_OPEN);
	KUNIT_EXPECT_TRUE(test, !memchr_inv(t.head, 0, sizeof(t.head)));
}

/* --- Which copy of the record counts --- */

static const struct pick_case pick_cases[] = {
	{ "both right", { LOG_OK, LOG_OK }, { 5, 5 }, false, LOG_OK, 0, false },
	{ "copy 1 newer", { LOG_OK, LOG_OK }, { 5, 6 }, false, LOG_OK, 1, true },
	{ "copy 0 newer", { LOG_OK, LOG_OK }, { 6, 5 }, false, LOG_OK, 0, true },
	{ "of two logs", { LOG_OK, LOG_OK }, { 6, 5 }, true, LOG_TWO_LOGS },
	{ "copy 0 torn", { LOG_BAD_CRC, LOG_OK }, { 0, 5 }, false, LOG_OK, 1, true },
	{ "copy 1 torn", { LOG_OK, LOG_BAD_CRC }, { 5, 0 }, false, LOG_OK, 0, true },
	{ "copy 0 is none", { LOG_NOT_OURS, LOG_OK }, { 0, 5 }, false, LOG_OK, 1, true },
	{ "copy 1 is none", { LOG_OK, LOG_NOT_OURS }, { 5, 0 }, false, LOG_OK, 0, true },
	{ "both torn", { LOG_BAD_CRC, LOG_BAD_CRC }, {}, false, LOG_NO_RECORD },
	{ "torn, and none", { LOG_BAD_CRC, LOG_NOT_OURS }, {}, false, LOG_NO_RECORD },
	{ "none", { LOG_NOT_OURS, LOG_NOT_OURS }, {}, false, LOG_NO_RECORD },
	{ "copy 0 impossible", { LOG_BAD_GEOMETRY, LOG_OK }, { 0, 5 }, false, LOG_BAD_GEOMETRY },
	{ "copy 1 impossible", { LOG_OK, LOG_BAD_GENERATION }, { 5, 0 }, false,
	  LOG_BAD_GENERATION },
	{ "copy 1 nil", { LOG_BAD_CRC, LOG_NO_UUID }, {}, false, LOG_NO_UUID },
};

KUNIT_ARRAY_PARAM(pick, pick_cases, pick_case_desc);

static void record_copies(struct kunit *test)
{
	const struct pick_case *c = test->param_value;
	struct log_super *copy = copies_new(test);

	copy[0].seq = c->seq[0];
	copy[1].seq = c->seq[1];
	copy[1].uuid[15] = c->other;
	/* What the superblock says does not count here. */
	copy[0].pool_seq = c->seq[1];
	copy[1].pool_seq = c->seq[0];
	expect_pick(test, true, copy);
}

/*
 * A record has two places of its own, and none of them is another's. At the end of the SSD, mkfs
 * wipes 64 KiB, for the marks of others.
 */
static void record_places(struct kunit *test)
{
	static const u64 mib = SSDUP_HOME_SECTORS;
	const u64 sizes[] = { 20 * mib, 20 * mib + 1, 21 * mib - 1, 1024 * GIB + 9 };
	u64 sector, end;
	u32 i, log, copy;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		for (copy = 0; copy < SSDUP_COPIES; copy++) {
			end = log_home(sizes[i], copy) + SSDUP_BLOCK_SECTORS;
			for (log = 0; log < SSDUP_MAX_LOGS; log++) {
				sector = log_record_sector(sizes[i], log, copy);
				KUNIT_EXPECT_GE(test, sector, end);
				end = sector + SSDUP_BLOCK_SECTORS;
			}
			KUNIT_EXPECT_LE(test, end, copy ? sizes[i] - 128 : SSDUP_HOME_SECTORS);
			KUNIT_EXPECT_GE(test, log_home(sizes[i], 1) + 2 * mib, sizes[i]);
		}
}

/* --- Header --- */

#define HEADER(f)	offsetof(struct ssdup_header, f)
#define SEGMENT		70U

static const struct field_case header_cases[] = {
	{ "nothing wrong", HEADER(generation), 8, 5, LOG_OK },
	{ "magic", HEADER(magic), 4, SSDUP_HEADER_MAGIC + 1, LOG_HEADER_STALE },
	{ "magic of a record", HEADER(magic), 4, SSDUP_RECORD_MAGIC, LOG_HEADER_STALE },
	{ "another pool's", HEADER(pool), 1, 2, LOG_HEADER_STALE },
	{ "another log's", HEADER(uuid), 1, 2, LOG_HEADER_STALE },
	{ "another segment's", HEADER(segment), 4, SEGMENT + 1, LOG_HEADER_STALE },
	{ "another log's number", HEADER(log), 2, 1, LOG_HEADER_STALE },
	{ "crc", HEADER(generation), 8, 5, LOG_BAD_CRC, .stale_crc = true },
	{ "no generation", HEADER(generation), 8, 0, LOG_BAD_GENERATION },
	{ "generation just right", HEADER(generation), 8, LOG_MAX_GENERATION, LOG_OK },
	{ "generation just wrong", HEADER(generation), 8, LOG_MAX_GENERATION + 1,
	  LOG_BAD_GENERATION },
	{ "last generation", HEADER(generation), 8, U64_MAX, LOG_BAD_GENERATION },
	{ "another class", HEADER(class), 2, 1, LOG_BAD_GENERATION },
	{ "present epoch", HEADER(epoch), 8, EPOCH, LOG_OK },
	{ "epoch 0", HEADER(epoch), 8, 0, LOG_OK },
	{ "epoch to come", HEADER(epoch), 8, EPOCH + 1, LOG_EPOCH },
	{ "last epoch", HEADER(epoch), 8, U64_MAX, LOG_EPOCH },
};

KUNIT_ARRAY_PARAM(header, header_cases, field_case_desc);

static void header_faults(struct kunit *test)
{
	const struct field_case *c = test->param_value;
	struct log_header h = { 3, EPOCH - 1, SEGMENT };
	u8 *buf = block_new(test);
	static struct log_super s;

	super_example(&s);
	ssdup_log_header_encode(&s, &h, buf);
	spoil(buf, c, sizeof(struct ssdup_header), HEADER(crc));
	KUNIT_EXPECT_EQ(test, ssdup_log_header_decode(buf, &s, SEGMENT, &h), c->fault);
}

static void header_round_trip(struct kunit *test)
{
	u8 *buf = block_new(test);
	struct prng r = { 11 };
	static struct log_super s;
	u32 i;

	super_example(&s);
	s.epoch = LOG_MAX_COUNT;
	for (i = 0; i < 200; i++) {
		struct log_header out, h = {
			.generation = 1 + prng_u64(&r) % LOG_MAX_GENERATION,
			.epoch = prng_u64(&r) % LOG_MAX_COUNT,
			.segment = prng_below(&r, SSDUP_MAX_SEGMENTS),
		};

		memset(buf, 0xff, SSDUP_BLOCK_BYTES);
		ssdup_log_header_encode(&s, &h, buf);
		KUNIT_ASSERT_TRUE(test, !memchr_inv(buf + HEADER(reserved), 0,
						    SSDUP_BLOCK_BYTES - HEADER(reserved)));
		KUNIT_ASSERT_EQ(test, ssdup_log_header_decode(buf, &s, h.segment, &out), LOG_OK);
		KUNIT_EXPECT_EQ(test, out.generation, h.generation);
		KUNIT_EXPECT_EQ(test, out.epoch, h.epoch);
		KUNIT_EXPECT_EQ(test, out.segment, h.segment);
		KUNIT_EXPECT_EQ(test, ssdup_log_header_decode(buf, &s, h.segment + 1, &out),
				LOG_HEADER_STALE);
	}
	memset(buf, 0, SSDUP_BLOCK_BYTES);
	KUNIT_EXPECT_EQ(test, ssdup_log_header_decode(buf, &s, 0, &(struct log_header){}),
			LOG_HEADER_STALE);
}

/* No bit flips into a header that is valid. */
static void header_any_bit(struct kunit *test)
{
	struct log_header out, h = { 3, EPOCH, SEGMENT };
	u8 *buf = block_new(test);
	static struct log_super s;
	enum log_fault fault;
	u32 i;

	super_example(&s);
	ssdup_log_header_encode(&s, &h, buf);
	for (i = 0; i < 8 * sizeof(struct ssdup_header); i++) {
		u32 at = i / 8;
		bool stale = at < HEADER(crc) || (at >= HEADER(pool) && at < HEADER(generation)) ||
			     (at >= HEADER(segment) && at < HEADER(class));

		buf[at] ^= 1 << i % 8;
		fault = ssdup_log_header_decode(buf, &s, SEGMENT, &out);
		KUNIT_EXPECT_EQ_MSG(test, fault, stale ? LOG_HEADER_STALE : LOG_BAD_CRC, "bit %u",
				    i);
		buf[at] ^= 1 << i % 8;
	}
	KUNIT_EXPECT_EQ(test, ssdup_log_header_decode(buf, &s, SEGMENT, &out), LOG_OK);
}

/* --- The first page behind a header --- */

#define TAIL		20U
#define FIRST		40U
#define SEGMENTS	255U
#define WELL		U32_MAX

struct head_case {
	const char	*name;
	u64		generation;	/* of the page */
	u64		epoch;
	u32		at;		/* the byte of the header that is damaged, or WELL */
	u32		slot;
	enum log_fault	fault;
};

static const struct head_case head_cases[] = {
	{ "its page", FIRST, EPOCH, HEADER(reserved), 0, LOG_SEGMENT_GAP },
	{ "the other slot", FIRST, EPOCH, HEADER(reserved), 1, LOG_SEGMENT_GAP },
	{ "no magic", FIRST, EPOCH, HEADER(magic), 0, LOG_SEGMENT_GAP },
	{ "header is well", FIRST + 1, EPOCH, WELL, 0, LOG_OK },
	{ "older epoch", FIRST - 1, EPOCH - 1, HEADER(crc), 0, LOG_SEGMENT_GAP },
	{ "tail", TAIL, EPOCH - 1, HEADER(crc), 0, LOG_SEGMENT_GAP },
	{ "below the tail", TAIL - 1, EPOCH - 1, HEADER(crc), 0, LOG_BAD_CRC },
	{ "last that there can be", FIRST + SEGMENTS - 1, EPOCH, HEADER(crc), 0, LOG_SEGMENT_GAP },
	{ "one more", FIRST + SEGMENTS, EPOCH, HEADER(crc), 0, LOG_BAD_CRC },
	{ "epoch to come", FIRST, EPOCH + 1, HEADER(magic), 0, LOG_HEADER_STALE },
};

static void head_case_desc(const struct head_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(head, head_cases, head_case_desc);

/* A page of a live segment shows that the header in front of it is damaged. */
static void head_by_its_page(struct kunit *test)
{
	const struct head_case *c = test->param_value;
	struct log_header h = { FIRST, EPOCH, SEGMENT };
	struct log_page_id id = {
		.generation = c->generation, .epoch = c->epoch, .rev = 1, .segment = SEGMENT,
	};
	u8 *buf = kunit_kzalloc(test, LOG_HEAD_BYTES, GFP_KERNEL);
	struct ssdup_page *slot;
	static struct log_super s;

	KUNIT_ASSERT_NOT_NULL(test, buf);
	super_example(&s);
	KUNIT_ASSERT_EQ(test, s.g.nr_segments, SEGMENTS);
	s.tail[0] = TAIL;
	s.first = FIRST;
	ssdup_log_header_encode(&s, &h, buf);
	if (c->at != WELL)
		buf[c->at] ^= 1;
	slot = (void *)buf + SSDUP_BLOCK_BYTES;
	slot += c->slot;
	memcpy(id.uuid, s.uuid, sizeof(id.uuid));
	ssdup_log_page_begin(slot, &id);
	ssdup_log_page_finish(slot);
	KUNIT_EXPECT_EQ(test, ssdup_log_head_decode(buf, &s, SEGMENT, &h), c->fault);
	/* A page that is torn, or of another place, shows nothing. */
	if (c->fault != LOG_SEGMENT_GAP)
		return;
	KUNIT_EXPECT_NE(test, ssdup_log_head_decode(buf, &s, SEGMENT + 1, &h), c->fault);
	slot->h.nr_entries = cpu_to_le16(le16_to_cpu(slot->h.nr_entries) + 1);
	KUNIT_EXPECT_NE(test, ssdup_log_head_decode(buf, &s, SEGMENT, &h), c->fault);
}

static struct kunit_case log_record_cases[] = {
	KUNIT_CASE_PARAM(record_faults, record_gen_params),
	KUNIT_CASE(record_any_bit),
	KUNIT_CASE(record_guarded),
	KUNIT_CASE_PARAM(record_copies, pick_gen_params),
	KUNIT_CASE(record_places),
	KUNIT_CASE_PARAM(header_faults, header_gen_params),
	KUNIT_CASE(header_round_trip),
	KUNIT_CASE(header_any_bit),
	KUNIT_CASE_PARAM(head_by_its_page, head_gen_params),
	{}
};

static struct kunit_suite log_record_suite = {
	.name = "ssdup-codec-record",
	.test_cases = log_record_cases,
};

kunit_test_suite(log_record_suite);
