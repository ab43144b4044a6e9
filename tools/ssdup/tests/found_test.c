// SPDX-License-Identifier: GPL-2.0-only
/*
 * A log that has lost both homes is found by the headers of its segments, and nothing else is.
 */
#include <stdlib.h>

#include "judge.h"

/* Both homes, or what they hold but the records. */
static void lose_homes(struct maker *m, bool records)
{
	u32 part, copy;

	for (copy = 0; copy < SSDUP_COPIES; copy++)
		for (part = 0; part < (records ? NR_PARTS : 1); part++)
			maker_blank(m, part_sector(m->s.ssd_sectors, m->s.log, part, copy),
				    SSDUP_BLOCK_SECTORS);
}

/* find() - what there is to be found; free logs.all */
static struct found_logs find(struct maker *m)
{
	struct found_logs logs;
	struct log_file l;

	bench_log(&m->b, &l, NO_COPY);
	find_logs(&l, NULL, &logs);
	log_close(&l);
	return logs;
}

static void expect_same(struct kunit *test, const struct log_super *a, const struct log_super *b)
{
	KUNIT_EXPECT_TRUE(test, !memcmp(&a->g, &b->g, sizeof(a->g)));
	KUNIT_EXPECT_TRUE(test, !memcmp(a->pool, b->pool, sizeof(a->pool)));
	KUNIT_EXPECT_TRUE(test, !memcmp(a->uuid, b->uuid, sizeof(a->uuid)));
	KUNIT_EXPECT_TRUE(test, !memcmp(a->tail, b->tail, sizeof(a->tail)));
	KUNIT_EXPECT_TRUE(test, !memcmp(a->hdd_id, b->hdd_id, sizeof(a->hdd_id)));
	KUNIT_EXPECT_EQ(test, a->hdd_sectors, b->hdd_sectors);
	KUNIT_EXPECT_EQ(test, a->ssd_sectors, b->ssd_sectors);
	KUNIT_EXPECT_EQ(test, a->classes.nr, b->classes.nr);
	KUNIT_EXPECT_EQ(test, a->first, b->first);
	KUNIT_EXPECT_EQ(test, a->epoch, b->epoch);
}

static void headers_say_it_all(struct kunit *test)
{
	static const u32 sectors[] = { SSDUP_MIN_SEGMENT_SECTORS, MAKER_SECTORS, 8192 };
	struct found_logs logs;
	struct maker m;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(sectors); i++) {
		maker_begin(&m, sectors[i], 2);
		memcpy(m.s.hdd_id, "wwn:a", 6);
		m.s.classes.nr = 2;
		m.s.tail[0] = 6;
		m.s.tail[1] = 7;
		maker_open(&m, MAKER_SEGMENTS - 1, 8, 0);
		/* Of two headers of an epoch the later one knows more. */
		m.s.tail[1] = 9;
		maker_open(&m, 3, 9, 0);
		maker_supers(&m, false);
		lose_homes(&m, true);
		logs = find(&m);
		KUNIT_EXPECT_EQ(test, logs.nr, 1);
		KUNIT_EXPECT_EQ(test, logs.all->segments, 2);
		KUNIT_EXPECT_EQ(test, logs.all->last.segment, 3);
		KUNIT_EXPECT_FALSE(test, logs.all->recorded);
		expect_same(test, &logs.all->s, &m.s);
		free(logs.all);
		maker_end(&m);
	}
}

/* What stands in headers of earlier epochs is older, wherever they are. */
static void the_latest_epoch_counts(struct kunit *test)
{
	struct found_logs logs;
	struct maker m;

	maker_begin(&m, MAKER_SECTORS, 1);
	m.s.epoch = 4;
	m.s.first = 12;
	m.s.tail[0] = 11;
	maker_open(&m, 2, 12, 0);
	m.s.epoch = 3;
	m.s.first = MAKER_FIRST;
	m.s.tail[0] = MAKER_FIRST;
	maker_open(&m, 1, 11, 0);
	maker_open(&m, 4, 10, 0);
	logs = find(&m);
	KUNIT_EXPECT_EQ(test, logs.nr, 1);
	KUNIT_EXPECT_EQ(test, logs.all->last.generation, 12);
	m.s.epoch = 4;
	m.s.first = 12;
	m.s.tail[0] = 11;
	expect_same(test, &logs.all->s, &m.s);
	free(logs.all);
	maker_end(&m);
}

static void a_record_says_more(struct kunit *test)
{
	struct found_logs logs;
	struct maker m;

	maker_begin(&m, MAKER_SECTORS, 1);
	maker_open(&m, 0, MAKER_FIRST, 0);
	maker_open(&m, 1, MAKER_FIRST + 1, 0);
	m.s.tail[0] = MAKER_FIRST + 1;
	m.s.epoch++;
	maker_supers(&m, false);
	lose_homes(&m, false);
	/* One copy is enough. */
	maker_spoil(&m, log_record_sector(m.s.ssd_sectors, 0, 0) * SECTOR_BYTES + 0x60);
	logs = find(&m);
	KUNIT_EXPECT_EQ(test, logs.nr, 1);
	KUNIT_EXPECT_TRUE(test, logs.all->recorded);
	expect_same(test, &logs.all->s, &m.s);
	KUNIT_EXPECT_EQ(test, logs.all->s.seq, m.s.seq);
	free(logs.all);
	/* That of a log of which there is no header is no help. */
	maker_blank(&m, log_segment_sector(&m.s.g, 0), 1);
	maker_blank(&m, log_segment_sector(&m.s.g, 1), 1);
	KUNIT_EXPECT_EQ(test, find(&m).nr, 0);
	maker_end(&m);
}

static void logs_are_told_apart(struct kunit *test)
{
	struct found_logs logs;
	struct maker m;

	maker_begin(&m, MAKER_SECTORS, 1);
	maker_open(&m, 5, MAKER_FIRST + 5, 0);
	maker_open(&m, 6, MAKER_FIRST + 6, 0);
	m.s.uuid[0]++;
	maker_open(&m, 6, MAKER_FIRST, 0);
	logs = find(&m);
	KUNIT_EXPECT_EQ(test, logs.nr, 2);
	KUNIT_EXPECT_EQ(test, logs.all[0].segments, 1);
	KUNIT_EXPECT_EQ(test, logs.all[0].last.generation, MAKER_FIRST + 5);
	expect_same(test, &logs.all[1].s, &m.s);
	free(logs.all);
	maker_end(&m);
}

/* Of one SSD at one time, and each with the number that it had. */
static void each_of_several_is_found(struct kunit *test)
{
	struct found_logs logs;
	struct maker m;

	maker_begin(&m, MAKER_SECTORS, 1);
	maker_open(&m, 3, MAKER_FIRST, 0);
	m.s.log = 7;
	m.s.uuid[0]++;
	maker_open(&m, 4, MAKER_FIRST + 1, 0);
	maker_open(&m, 5, MAKER_FIRST + 2, 0);
	logs = find(&m);
	KUNIT_EXPECT_EQ(test, logs.nr, 2);
	KUNIT_EXPECT_EQ(test, logs.all[0].s.log, 0);
	KUNIT_EXPECT_EQ(test, logs.all[1].s.log, 7);
	KUNIT_EXPECT_EQ(test, logs.all[1].s.logs, BIT_ULL(7));
	KUNIT_EXPECT_EQ(test, logs.all[1].segments, 2);
	expect_same(test, &logs.all[1].s, &m.s);
	free(logs.all);
	maker_end(&m);
}

/* A log without segments counts by its record, beside headers of one that was forgotten. */
static void a_record_is_enough(struct kunit *test)
{
	struct found_logs logs;
	struct maker m, old;

	maker_begin(&m, MAKER_SECTORS, 1);
	maker_open(&m, 3, MAKER_FIRST, 0);
	maker_supers(&m, false);
	old = m;
	old.s.log = 1;
	old.s.uuid[0]++;
	maker_open(&old, 4, MAKER_FIRST, 0);
	m.s.log = 1;
	m.s.uuid[0] += 2;
	m.s.logs = BIT_ULL(0) | BIT_ULL(1);
	maker_supers(&m, true);
	m.s.log = 0;
	lose_homes(&m, false);
	logs = find(&m);
	KUNIT_EXPECT_EQ(test, logs.nr, 3);
	KUNIT_EXPECT_TRUE(test, logs.all[0].recorded);
	KUNIT_EXPECT_FALSE(test, logs.all[1].recorded);
	KUNIT_EXPECT_TRUE(test, logs.all[2].recorded);
	KUNIT_EXPECT_EQ(test, logs.all[2].segments, 0);
	KUNIT_EXPECT_EQ(test, logs.all[2].s.log, 1);
	KUNIT_EXPECT_EQ(test, logs.all[2].s.uuid[0], m.s.uuid[0]);
	free(logs.all);
	maker_end(&m);
}

/* Under a right checksum: nobody has written them, and nothing is made of them. */
static void forged_headers_say_nothing(struct kunit *test)
{
	static const struct {
		size_t	at;
		u32	bytes;
		u64	value;
	} forged[] = {
		{ OF(header, generation), 0 }, { OF(header, generation), U64_MAX },
		{ OF(header, epoch), U64_MAX }, { OF(header, segment), 4 },
		{ OF(header, segment), MAKER_SEGMENTS }, { OF(header, segment), U32_MAX },
		{ OF(header, log), SSDUP_MAX_LOGS }, { OF(header, log), U16_MAX },
		{ OF(header, class), 1 },
		{ OF(header, hdd_sectors), 0 }, { OF(header, hdd_sectors), U64_MAX },
		{ OF(header, first), 0 }, { OF(header, first), U64_MAX },
		{ OF(header, segment_sectors), 0 }, { OF(header, segment_sectors), 4095 },
		{ OF(header, segment_sectors), 2048 }, { OF(header, segment_sectors), U32_MAX },
		{ OF(header, nr_segments), 0 }, { OF(header, nr_segments), U32_MAX },
		{ OF(header, nr_segments), MAKER_SEGMENTS + 1 },
		{ OF(header, block_sectors), 0 }, { OF(header, block_sectors), 3 },
		{ OF(header, block_sectors), U32_MAX },
		{ OF(header, nr_classes), 0 }, { OF(header, nr_classes), 9 },
		{ OF(header, nr_classes), U16_MAX },
		{ offsetof(struct ssdup_header, tail), 8, 0 },
		{ offsetof(struct ssdup_header, tail), 8, U64_MAX },
	};
	struct found_logs logs;
	struct maker m;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(forged); i++) {
		maker_begin(&m, MAKER_SECTORS, 1);
		maker_open(&m, 3, MAKER_FIRST, 0);
		maker_forge_header(&m, 3, forged[i].at, forged[i].bytes, forged[i].value);
		logs = find(&m);
		KUNIT_EXPECT_EQ_MSG(test, logs.nr, 0, "field at 0x%zx", forged[i].at);
		free(logs.all);
		maker_end(&m);
	}
}

static void torn_headers_say_nothing(struct kunit *test)
{
	struct maker m;

	maker_begin(&m, MAKER_SECTORS, 1);
	maker_open(&m, 3, MAKER_FIRST, 0);
	maker_spoil(&m, log_segment_sector(&m.s.g, 3) * SECTOR_BYTES +
		    offsetof(struct ssdup_header, hdd_id));
	KUNIT_EXPECT_EQ(test, find(&m).nr, 0);
	maker_end(&m);
}

static struct kunit_case found_cases[] = {
	KUNIT_CASE(headers_say_it_all),
	KUNIT_CASE(the_latest_epoch_counts),
	KUNIT_CASE(a_record_says_more),
	KUNIT_CASE(logs_are_told_apart),
	KUNIT_CASE(each_of_several_is_found),
	KUNIT_CASE(a_record_is_enough),
	KUNIT_CASE(forged_headers_say_nothing),
	KUNIT_CASE(torn_headers_say_nothing),
	{ }
};

static struct kunit_suite found_suite = {
	.name = "found",
	.test_cases = found_cases,
};

kunit_test_suite(found_suite);
