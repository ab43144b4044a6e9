// SPDX-License-Identifier: GPL-2.0-only
/* invariant: 2 */
/* Which SSDs make a pool. Whatever is swapped, old or missing, none is written to by mistake. */
#include "codec_cases.h"
#include "prng.h"

#include "core/ssds.c"

#define SSDS	3U

static const u8 pool_uuid[16] = { 0xd1, 1 };
static const u8 log_uuid[16] = { 0xd1, 2 };

/* A pool of three SSDs, as each of them has it. */
struct trio {
	struct log_super	s[SSDS];
	struct ssd_found	found[SSDUP_MAX_SSDS];
};

static void trio_make(struct log_super *s, u8 id, u64 seq)
{
	static const u64 sectors[SSDS] = { GIB, 2 * GIB, GIB / 2 };
	struct log_ssds ssds = { .nr = SSDS };
	struct log_geometry g;
	u32 i, k;

	ssdup_log_spread(&g, &ssds, sectors, 0, 1);
	for (i = 0; i < SSDS; i++) {
		ssdup_log_super_fresh(&s[i], pool_uuid, log_uuid, &g, GIB, sectors[i]);
		s[i].pool[2] = id;
		s[i].ssds = ssds;
		s[i].ssds.index = i;
		for (k = 0; k < SSDS; k++)
			s[i].ssds.uuid[k][0] = 16 * id + k + 1;
		s[i].pool_seq = seq;
	}
}

static struct trio *trio_new(struct kunit *test)
{
	struct trio *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, t);
	trio_make(t->s, 1, 7);
	for (i = 0; i < SSDS; i++)
		t->found[i].s = &t->s[i];
	return t;
}

static void expect(struct kunit *test, const struct trio *t, u32 nr, enum log_fault fault,
		   u32 which)
{
	u32 is = 99;

	KUNIT_EXPECT_EQ(test, ssdup_ssds_match(t->found, nr, &is), fault);
	KUNIT_EXPECT_EQ(test, is, which);
}

static void all_of_them(struct kunit *test)
{
	struct trio *t = trio_new(test);

	expect(test, t, SSDS, LOG_OK, 0);
	/* A change was cut: the newest counts, wherever it is. */
	t->s[2].pool_seq = 8;
	expect(test, t, SSDS, LOG_OK, 2);
	t->s[1].pool_seq = 9;
	expect(test, t, SSDS, LOG_OK, 1);
}

static void one_is_missing(struct kunit *test)
{
	struct trio *t = trio_new(test);

	expect(test, t, 2, LOG_SSD_MISSING, 2);
	expect(test, t, 1, LOG_SSD_MISSING, 1);
	t->found[0] = t->found[1];
	t->found[1] = t->found[2];
	expect(test, t, 2, LOG_SSD_MISSING, 0);
	expect(test, t, 1, LOG_SSD_MISSING, 0);
}

static void swapped_or_named_twice(struct kunit *test)
{
	struct trio *t = trio_new(test);

	swap(t->found[1], t->found[2]);
	expect(test, t, SSDS, LOG_SSD_PLACE, 1);
	swap(t->found[1], t->found[2]);
	t->found[2] = t->found[1];
	expect(test, t, SSDS, LOG_SSD_PLACE, 2);
	t->found[2].s = &t->s[2];
	t->found[3] = t->found[0];
	expect(test, t, 4, LOG_SSD_PLACE, 3);
}

static void of_others(struct kunit *test)
{
	static struct log_super other[SSDS];
	struct trio *t = trio_new(test);

	trio_make(other, 2, 3);
	t->found[2].s = &other[2];
	expect(test, t, SSDS, LOG_SSD_FOREIGN, 2);
	/* The newer one is right, and it is refused all the same. */
	other[2].pool_seq = 99;
	expect(test, t, SSDS, LOG_SSD_FOREIGN, 0);
	/* One that has left the pool, and its place is another's. */
	t->found[2].s = &t->s[2];
	t->s[2].pool_seq = 6;
	t->s[2].ssds.uuid[2][0]++;
	expect(test, t, SSDS, LOG_SSD_FOREIGN, 2);
	/* Its own log is on it alone. */
	ssdup_log_super_fresh(&t->s[2], other[0].pool, log_uuid, &t->s[2].g, GIB, GIB);
	expect(test, t, SSDS, LOG_SSD_FOREIGN, 2);
	t->s[1].ssds.segments[1]++;
	t->found[2].s = &t->s[2];
	expect(test, t, 2, LOG_BAD_GEOMETRY, 1);
}

static void blank_ones(struct kunit *test)
{
	struct trio *t = trio_new(test);
	u32 i;

	t->found[1].fault = LOG_BLANK;
	expect(test, t, SSDS, LOG_SSD_BLANK, 1);
	t->found[0].fault = LOG_BLANK;
	expect(test, t, SSDS, LOG_SSD_BLANK, 0);
	for (i = 0; i < SSDS; i++)
		t->found[i].fault = LOG_BLANK;
	expect(test, t, SSDS, LOG_BLANK, 0);
	t->found[1].fault = LOG_NOT_OURS;
	expect(test, t, SSDS, LOG_NOT_OURS, 1);
	/* A disk of somebody else is told before a blank one. */
	t->found[0].fault = LOG_OK;
	t->found[1].fault = LOG_BLANK;
	t->found[2].fault = LOG_BAD_CRC;
	expect(test, t, SSDS, LOG_BAD_CRC, 2);
}

/* Each cut while a pool is made: none of them holds anything until all were written once. */
static void a_pool_that_is_made(struct kunit *test)
{
	static struct log_super before[SSDS];
	struct trio *t = trio_new(test);
	u32 i, written;

	trio_make(before, 2, SSDS_BEING_MADE);
	for (written = 0; written <= SSDS; written++) {
		for (i = 0; i < SSDS; i++) {
			t->s[i].pool_seq = SSDS_BEING_MADE;
			t->found[i].fault = i < written ? LOG_OK : LOG_BLANK;
		}
		expect(test, t, SSDS, LOG_BLANK, 0);
		/* Another try was cut before. */
		for (i = written; i < SSDS; i++) {
			t->found[i].fault = LOG_OK;
			t->found[i].s = &before[i];
		}
		expect(test, t, SSDS, LOG_BLANK, 0);
		for (i = 0; i < SSDS; i++)
			t->found[i].s = &t->s[i];
	}
	for (written = 1; written <= SSDS; written++) {
		for (i = 0; i < SSDS; i++)
			t->s[i].pool_seq = SSDS_BEING_MADE + (i < written);
		expect(test, t, SSDS, LOG_OK, 0);
		/* It may hold data by then: no SSD of it is taken for another pool. */
		t->found[1].fault = LOG_BLANK;
		expect(test, t, SSDS, LOG_SSD_BLANK, 1);
		t->found[1].fault = LOG_OK;
	}
}

/* What was left of making a pool lets nobody take another log for nothing. */
static void a_log_beside_what_was_left(struct kunit *test)
{
	static struct log_super one;
	struct trio *t = trio_new(test);
	struct log_geometry g;

	ssdup_log_layout(&g, GIB, 0, 1);
	ssdup_log_super_fresh(&one, log_uuid, log_uuid, &g, GIB, GIB);
	one.pool_seq = 1;
	t->s[0].pool_seq = SSDS_BEING_MADE;
	t->s[1].pool_seq = SSDS_BEING_MADE;
	t->found[1].s = &one;
	expect(test, t, 2, LOG_SSD_FOREIGN, 0);
	t->found[1].s = &t->s[1];
	t->found[0].s = &one;
	expect(test, t, 2, LOG_SSD_FOREIGN, 1);
	/* Not even of the same UUID: that of a new pool is kept when it is made anew. */
	memcpy(one.pool, t->s[0].pool, sizeof(one.pool));
	expect(test, t, 2, LOG_SSD_FOREIGN, 1);
}

/* A log on one SSD was never made in two steps. */
static void one_ssd(struct kunit *test)
{
	static struct log_super s;
	struct ssd_found found = { .s = &s };
	struct log_geometry g;
	u32 which;

	ssdup_log_layout(&g, GIB, 0, 1);
	ssdup_log_super_fresh(&s, pool_uuid, log_uuid, &g, GIB, GIB);
	s.pool_seq = 1;
	KUNIT_EXPECT_EQ(test, ssdup_ssds_match(&found, 1, &which), LOG_OK);
	KUNIT_EXPECT_EQ(test, which, 0);
	found.fault = LOG_BLANK;
	KUNIT_EXPECT_EQ(test, ssdup_ssds_match(&found, 1, &which), LOG_BLANK);
	found.fault = LOG_OVERWRITTEN;
	KUNIT_EXPECT_EQ(test, ssdup_ssds_match(&found, 1, &which), LOG_OVERWRITTEN);
}

/* Of the SSDs of two pools, in any number and order: only each pool itself is accepted. */
static void none_but_the_pool(struct kunit *test)
{
	static struct log_super of[2][SSDS];
	struct trio *t = trio_new(test);
	u32 i, k, nr, which, accepted = 0;
	struct prng r = { 3 };
	bool right;

	trio_make(of[0], 1, 7);
	trio_make(of[1], 2, 9);
	for (i = 0; i < 20000; i++) {
		nr = 1 + prng_below(&r, 4);
		right = nr == SSDS;
		for (k = 0; k < nr; k++) {
			u32 pool = prng_below(&r, 2), index = prng_below(&r, SSDS);

			t->found[k].fault = prng_below(&r, 8) ? LOG_OK : LOG_BLANK;
			t->found[k].s = &of[pool][index];
			right &= t->found[k].fault == LOG_OK && index == k &&
				 t->found[k].s->pool[2] == t->found[0].s->pool[2];
		}
		accepted += right;
		KUNIT_ASSERT_EQ(test, ssdup_ssds_match(t->found, nr, &which) == LOG_OK, right);
	}
	KUNIT_EXPECT_GT(test, accepted, 0);
}

/* A class is on one SSD. A header elsewhere is damage, unless it is of an earlier log. */
static void a_class_is_on_one_ssd(struct kunit *test)
{
	struct trio *t = trio_new(test);
	struct log_super *s = &t->s[0];
	u8 *buf = kunit_kzalloc(test, SSDUP_BLOCK_BYTES, GFP_KERNEL);
	struct log_header h, out;
	u32 ssd, first;

	KUNIT_ASSERT_NOT_NULL(test, buf);
	ssdup_log_classes(s, 2, 7);
	KUNIT_EXPECT_EQ(test, s->classes.nr, 2 * SSDS);
	KUNIT_EXPECT_EQ(test, s->tail[2 * SSDS - 1], 7);
	for (ssd = 0; ssd < SSDS; ssd++)
		for (h.generation = 7; h.generation < 30; h.generation++) {
			h.segment = log_ssd_before(&s->ssds, &s->g, ssd) / s->g.segment_sectors;
			h.epoch = 0;
			ssdup_log_header_encode(s, &h, buf);
			KUNIT_EXPECT_EQ(test, ssdup_log_ssd_of(&s->ssds, h.segment, &first), ssd);
			KUNIT_EXPECT_EQ(test, ssdup_log_header_decode(buf, s, h.segment, &out),
					h.generation % SSDS == ssd ? LOG_OK :
								     LOG_BAD_GENERATION);
			s->tail[h.generation % (2 * SSDS)] = 100;
			KUNIT_EXPECT_EQ(test, ssdup_log_header_decode(buf, s, h.segment, &out),
					LOG_OK);
			s->tail[h.generation % (2 * SSDS)] = 7;
		}
	/* Each SSD has as many. */
	ssdup_log_record_encode(s, buf);
	KUNIT_EXPECT_EQ(test, ssdup_log_record_decode(buf, s), LOG_OK);
	s->classes.nr = 2 * SSDS - 1;
	ssdup_log_record_encode(s, buf);
	KUNIT_EXPECT_EQ(test, ssdup_log_record_decode(buf, s), LOG_BAD_GEOMETRY);
}

/* From behind the youngest of each SSD on, all segments once, one SSD after the other. */
static void all_segments_once(struct kunit *test)
{
	static const struct log_header live[] = {
		{ .segment = 1 }, { .segment = 6 }, { .segment = 0 }, { .segment = 9 },
	};
	static const u32 order[] = { 1, 2, 3, 0, 4, 5, 6, 7, 8, 9 };
	static const struct log_ssds ssds = { .nr = 3, .segments = { 4, 3, 3 } }, one = { .nr = 1 };
	const struct log_geometry g = { .nr_segments = 10 };
	struct ssds_walk w = ssdup_ssds_walk(&ssds, &g, live, 4);
	u32 i, segment, first;

	for (i = 0; i < 10; i++) {
		KUNIT_ASSERT_TRUE(test, ssdup_ssds_next(&w, &segment));
		KUNIT_EXPECT_EQ(test, segment, order[i]);
	}
	KUNIT_EXPECT_FALSE(test, ssdup_ssds_next(&w, &segment));
	/* One SSD, as ever. */
	w = ssdup_ssds_walk(&one, &g, live, 2);
	for (i = 0; i < 10; i++) {
		KUNIT_ASSERT_TRUE(test, ssdup_ssds_next(&w, &segment));
		KUNIT_EXPECT_EQ(test, segment, (7 + i) % 10);
	}
	KUNIT_EXPECT_FALSE(test, ssdup_ssds_next(&w, &segment));
	for (i = 0; i < 10; i++) {
		KUNIT_EXPECT_EQ(test, ssdup_log_ssd_of(&ssds, i, &first),
				i < 4 ? 0 : i < 7 ? 1 : 2);
		KUNIT_EXPECT_EQ(test, first, i < 4 ? 0 : i < 7 ? 4 : 7);
		KUNIT_EXPECT_EQ(test, ssdup_log_ssd_of(&one, i, &first), 0);
	}
}

static struct kunit_case ssds_cases[] = {
	KUNIT_CASE(all_of_them),
	KUNIT_CASE(one_is_missing),
	KUNIT_CASE(swapped_or_named_twice),
	KUNIT_CASE(of_others),
	KUNIT_CASE(blank_ones),
	KUNIT_CASE(a_pool_that_is_made),
	KUNIT_CASE(a_log_beside_what_was_left),
	KUNIT_CASE(one_ssd),
	KUNIT_CASE(none_but_the_pool),
	KUNIT_CASE(a_class_is_on_one_ssd),
	KUNIT_CASE(all_segments_once),
	{}
};

static struct kunit_suite ssds_suite = {
	.name = "ssdup-ssds",
	.test_cases = ssds_cases,
};

kunit_test_suite(ssds_suite);
