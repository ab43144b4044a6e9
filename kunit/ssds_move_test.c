// SPDX-License-Identifier: GPL-2.0-only
/* invariant: 2 */
/* SSDs come and go, also of ssds.c, which ssds_test.c includes. What a log has stays there. */
#include "codec_cases.h"
#include "prng.h"

#include "core/generation.c"
#include "core/ssds.h"

static const u8 uuid[4][16] = { { 0xa1 }, { 0xa2 }, { 0xa3 }, { 0xa4 } };

static struct log_super *one_ssd(struct kunit *test)
{
	struct log_super *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	struct log_geometry g;

	KUNIT_ASSERT_NOT_NULL(test, s);
	ssdup_log_layout(&g, GIB, 0, 1);
	ssdup_log_super_fresh(s, uuid[2], uuid[3], &g, GIB, GIB);
	s->pool_seq = 1;
	return s;
}

/* What is written of it can be read, and is the same. */
static void survives(struct kunit *test, const struct log_super *s)
{
	struct log_super *out = kunit_kzalloc(test, sizeof(*out), GFP_KERNEL);
	u8 *buf = block_new(test);

	KUNIT_ASSERT_NOT_NULL(test, out);
	ssdup_log_super_encode(s, buf);
	KUNIT_ASSERT_EQ(test, ssdup_log_super_decode(buf, out), LOG_OK);
	KUNIT_EXPECT_EQ(test, memcmp(&s->ssds, &out->ssds, sizeof(s->ssds)), 0);
	ssdup_log_record_encode(s, buf);
	KUNIT_ASSERT_EQ(test, ssdup_log_record_decode(buf, out), LOG_OK);
	KUNIT_EXPECT_EQ(test, memcmp(&s->classes, &out->classes, sizeof(s->classes)), 0);
	KUNIT_EXPECT_EQ(test, memcmp(s->tail, out->tail, sizeof(s->tail)), 0);
}

static void one_is_added(struct kunit *test)
{
	struct log_super *s = one_ssd(test);
	u32 nr = s->g.nr_segments, room = ssdup_log_ssd_room(&s->g, GIB / 2);

	/* The places of several are told from those of one by a bit alone. */
	KUNIT_EXPECT_EQ(test, room, (GIB / 2 - 2 * SSDUP_HOME_SECTORS) / s->g.segment_sectors);
	KUNIT_EXPECT_FALSE(test, ssdup_ssds_add(s, 2, uuid[1], room, uuid[0]));
	KUNIT_EXPECT_FALSE(test, ssdup_ssds_add(s, 0, uuid[1], nr, uuid[0]));
	KUNIT_EXPECT_FALSE(test, ssdup_ssds_add(s, 1, uuid[1], LOG_SSD_LEAST - 1, uuid[0]));
	KUNIT_EXPECT_EQ(test, s->ssds.made, 0);
	KUNIT_ASSERT_TRUE(test, ssdup_ssds_add(s, 1, uuid[1], room, uuid[0]));
	KUNIT_EXPECT_EQ(test, s->ssds.made, 1);
	KUNIT_EXPECT_EQ(test, s->ssds.nr, 2);
	KUNIT_EXPECT_EQ(test, s->ssds.segments[0], nr);
	KUNIT_EXPECT_EQ(test, s->g.nr_segments, nr + room);
	KUNIT_EXPECT_EQ(test, s->ssds.state[1], SSDUP_SSD_UNUSED);
	/* The log of before is on the first one. */
	survives(test, s);
	/* Nor is one added twice. */
	KUNIT_EXPECT_FALSE(test, ssdup_ssds_add(s, 2, uuid[1], room, uuid[0]));
	KUNIT_ASSERT_TRUE(test, ssdup_ssds_set(s, 1, SSDUP_SSD_USED));
	KUNIT_EXPECT_FALSE(test, ssdup_ssds_add(s, 1, uuid[2], room, uuid[0]));
}

static void states_in_order(struct kunit *test)
{
	struct log_super *s = one_ssd(test);

	/* What changes nothing leaves a pool as it was made. */
	KUNIT_EXPECT_TRUE(test, ssdup_ssds_set(s, 0, SSDUP_SSD_USED));
	KUNIT_EXPECT_EQ(test, s->ssds.made, 0);
	/* The last one stays. */
	KUNIT_EXPECT_FALSE(test, ssdup_ssds_set(s, 0, SSDUP_SSD_LEAVES));
	KUNIT_ASSERT_TRUE(test, ssdup_ssds_add(s, 1, uuid[1], 32, uuid[0]));
	KUNIT_EXPECT_FALSE(test, ssdup_ssds_set(s, 0, SSDUP_SSD_LEAVES));
	KUNIT_EXPECT_FALSE(test, ssdup_ssds_set(s, 1, SSDUP_SSD_LEAVES));
	KUNIT_EXPECT_FALSE(test, ssdup_ssds_set(s, 2, SSDUP_SSD_USED));
	KUNIT_EXPECT_FALSE(test, ssdup_ssds_set(s, 1, SSDUP_SSD_STATES));
	KUNIT_EXPECT_TRUE(test, ssdup_ssds_set(s, 1, SSDUP_SSD_USED));
	KUNIT_EXPECT_FALSE(test, ssdup_ssds_set(s, 0, SSDUP_SSD_UNUSED));
	KUNIT_EXPECT_TRUE(test, ssdup_ssds_set(s, 0, SSDUP_SSD_LEAVES));
	KUNIT_EXPECT_TRUE(test, ssdup_ssds_set(s, 0, SSDUP_SSD_LEAVES));
	KUNIT_EXPECT_FALSE(test, ssdup_ssds_set(s, 1, SSDUP_SSD_LEAVES));
	KUNIT_EXPECT_TRUE(test, ssdup_ssds_set(s, 0, SSDUP_SSD_USED));
	KUNIT_EXPECT_TRUE(test, ssdup_ssds_set(s, 0, SSDUP_SSD_LEAVES));
	KUNIT_EXPECT_TRUE(test, ssdup_ssds_set(s, 0, SSDUP_SSD_UNUSED));
	survives(test, s);
	/* Its place is another's, if that has the room. */
	KUNIT_EXPECT_FALSE(test, ssdup_ssds_add(s, 0, uuid[2], s->ssds.segments[0] - 1, uuid[3]));
	KUNIT_EXPECT_FALSE(test, ssdup_ssds_add(s, 0, uuid[1], s->ssds.segments[0], uuid[3]));
	KUNIT_EXPECT_TRUE(test, ssdup_ssds_add(s, 0, uuid[2], s->ssds.segments[0] + 1, uuid[3]));
	KUNIT_EXPECT_EQ(test, memcmp(s->ssds.uuid[0], uuid[2], 16), 0);
	survives(test, s);
}

/* A table names all that are used, each in its place. */
static void what_a_table_names(struct kunit *test)
{
	static struct log_super of[3];
	struct ssd_found found[SSDUP_MAX_SSDS];
	u32 named, state, i, which, nr;
	bool right;

	of[0] = *one_ssd(test);
	KUNIT_ASSERT_TRUE(test, ssdup_ssds_add(&of[0], 1, uuid[1], 40, uuid[0]));
	KUNIT_ASSERT_TRUE(test, ssdup_ssds_add(&of[0], 2, uuid[2], 40, uuid[0]));
	of[0].pool_seq = 7;
	for (state = 0; state < 27; state++) {
		of[0].ssds.state[0] = state % 3;
		of[0].ssds.state[1] = state / 3 % 3;
		of[0].ssds.state[2] = state / 9;
		for (i = 0; i < 3; i++) {
			of[i] = of[0];
			of[i].ssds.index = i;
		}
		for (named = 1; named < 8; named++) {
			right = true;
			for (i = 0; i < 3; i++) {
				found[i].s = &of[i];
				found[i].fault = named & BIT(i) ? LOG_OK : LOG_SSD_MISSING;
				right &= named & BIT(i) || of[0].ssds.state[i] == SSDUP_SSD_UNUSED;
			}
			KUNIT_EXPECT_EQ(test, ssdup_ssds_match(found, 3, &which) == LOG_OK, right);
			/* Those behind the last one need no word. */
			nr = named & 4 ? 3 : named & 2 ? 2 : 1;
			KUNIT_EXPECT_EQ(test, ssdup_ssds_match(found, nr, &which) == LOG_OK, right);
		}
	}
	found[0].fault = LOG_SSD_MISSING;
	found[1].fault = LOG_BLANK;
	KUNIT_EXPECT_EQ(test, ssdup_ssds_match(found, 2, &which), LOG_SSD_MISSING);
}

/* One that was away while others came has not heard of them. */
static void an_older_superblock(struct kunit *test)
{
	static struct log_super of[3];
	struct ssd_found found[3] = { { .s = &of[0] }, { .s = &of[1] }, { .s = &of[2] } };
	u32 which;

	of[0] = *one_ssd(test);
	KUNIT_ASSERT_TRUE(test, ssdup_ssds_add(&of[0], 1, uuid[1], 40, uuid[0]));
	of[0].pool_seq = 2;
	of[1] = of[0];
	of[1].ssds.index = 1;
	KUNIT_ASSERT_TRUE(test, ssdup_ssds_add(&of[0], 2, uuid[2], 40, uuid[0]));
	of[0].pool_seq = 3;
	of[2] = of[0];
	of[2].ssds.index = 2;
	of[2].pool_seq = 2;
	KUNIT_EXPECT_EQ(test, ssdup_ssds_match(found, 3, &which), LOG_OK);
	KUNIT_EXPECT_EQ(test, which, 0);
	/* It is not of the pool until the others say so. */
	found[0].s = &of[1];
	of[1].ssds.index = 0;
	KUNIT_EXPECT_EQ(test, ssdup_ssds_match(found, 1, &which), LOG_OK);
	found[1] = found[2];
	of[1].ssds.state[1] = SSDUP_SSD_UNUSED;
	of[2].pool_seq = 1;
	KUNIT_EXPECT_EQ(test, ssdup_ssds_match(found, 2, &which), LOG_SSD_FOREIGN);
}

/* Each class goes on where it was, on its SSD; and a generation has one class. */
static void classes_go_on(struct kunit *test)
{
	struct log_super *s = one_ssd(test);
	struct log_classes was;
	u64 g, from, next, era;
	u32 lifetimes, class;

	for (lifetimes = 1; lifetimes <= 2; lifetimes++)
		for (era = 20; era < 28; era++) {
			*s = *one_ssd(test);
			ssdup_log_classes(s, lifetimes, 5);
			was = s->classes;
			KUNIT_ASSERT_TRUE(test, ssdup_ssds_add(s, 1, uuid[1], 40, uuid[0]));
			s->tail[0] = 9;
			s->first = era;
			KUNIT_ASSERT_TRUE(test, ssdup_ssds_renumber(s, era));
			survives(test, s);
			KUNIT_EXPECT_EQ(test, s->tail[0], 9);
			KUNIT_EXPECT_EQ(test, s->tail[1], era);
			for (g = 5; g < 60; g++) {
				class = log_class(&s->classes, g);
				KUNIT_ASSERT_LT(test, class, 2 * lifetimes);
				KUNIT_EXPECT_EQ(test, log_class_lifetime(2, class),
						g < era ? log_class(&was, g) :
							  g % (2 * lifetimes) / 2);
				KUNIT_EXPECT_EQ(test, log_class_ssd(2, class),
						g < era ? 0 : g % 2);
			}
			for (class = 0; class < 2 * lifetimes; class++)
				for (from = 5; from < 40; from++) {
					next = ssdup_log_class_from(&s->classes, class, from);
					KUNIT_EXPECT_GE(test, next, from);
					KUNIT_EXPECT_EQ(test, log_class(&s->classes, next), class);
					for (g = from; g < next; g++)
						KUNIT_EXPECT_NE(test, log_class(&s->classes, g),
								class);
				}
		}
	/* There is room for no more. */
	ssdup_log_classes(s, 4, 5);
	KUNIT_ASSERT_TRUE(test, ssdup_ssds_add(s, 2, uuid[2], 40, uuid[0]));
	was = s->classes;
	KUNIT_EXPECT_FALSE(test, ssdup_ssds_renumber(s, 30));
	KUNIT_EXPECT_EQ(test, s->classes.nr, was.nr);
}

/* A header of before is read as one of its class, and no other one is. */
static void headers_of_before(struct kunit *test)
{
	struct log_super *s = one_ssd(test), *before = one_ssd(test);
	struct log_header h, out;
	u8 *buf = block_new(test);
	u32 i, class, more = before->g.nr_segments;

	ssdup_log_classes(before, 2, 5);
	*s = *before;
	KUNIT_ASSERT_TRUE(test, ssdup_ssds_add(s, 1, uuid[1], 40, uuid[0]));
	s->first = 21;
	s->epoch = 2;
	KUNIT_ASSERT_TRUE(test, ssdup_ssds_renumber(s, 21));
	for (h.generation = 5; h.generation < 40; h.generation++)
		for (i = 0; i < 2; i++) {
			h.segment = i * more;
			h.epoch = h.generation < 21 ? 1 : 2;
			ssdup_log_header_encode(h.generation < 21 ? before : s, &h, buf);
			class = log_class(&s->classes, h.generation);
			KUNIT_EXPECT_EQ(test, ssdup_log_header_decode(buf, s, h.segment, &out),
					log_class_ssd(2, class) == i ? LOG_OK : LOG_BAD_GENERATION);
		}
	/* One that says another class. */
	h = (struct log_header){ .generation = 20, .epoch = 1 };
	ssdup_log_header_encode(s, &h, buf);
	class = log_class(&s->classes, 20);
	KUNIT_EXPECT_EQ(test, class, 0);
	h.generation = 19;
	ssdup_log_header_encode(s, &h, buf);
	KUNIT_EXPECT_EQ(test, ssdup_log_header_decode(buf, s, 0, &out), LOG_BAD_GENERATION);
}

/* The second time, what was free before the first one stays free, whatever its class was then. */
static void headers_of_long_ago(struct kunit *test)
{
	struct log_super *s = one_ssd(test), *at[2];
	struct log_header h, out;
	u8 *buf = block_new(test);
	u32 i, segment;

	KUNIT_ASSERT_TRUE(test, ssdup_ssds_add(s, 1, uuid[1], 40, uuid[0]));
	ssdup_log_classes(s, 1, 1);
	/* One class got further than the other. */
	s->tail[0] = 61;
	s->tail[1] = 100;
	s->epoch = 9;
	for (i = 0; i < 2; i++) {
		at[i] = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, at[i]);
		*at[i] = *s;
		KUNIT_ASSERT_TRUE(test, ssdup_ssds_add(s, 2 + i, uuid[2 + i], 40, uuid[0]));
		s->first = 100 + 10 * i;
		KUNIT_ASSERT_TRUE(test, ssdup_ssds_renumber(s, s->first));
		survives(test, s);
	}
	/* No header that was written by the first numbers, on its SSD, is live or damage now. */
	for (h.generation = 1; h.generation < 100; h.generation++) {
		segment = h.generation % 2 ? at[0]->ssds.segments[0] + 3 : 3;
		h.segment = segment;
		h.epoch = 1;
		ssdup_log_header_encode(at[0], &h, buf);
		KUNIT_EXPECT_EQ(test, ssdup_log_header_decode(buf, s, segment, &out), LOG_OK);
		KUNIT_EXPECT_FALSE(test, log_live(s, h.generation));
	}
	/* Those in between are live, on theirs. */
	for (h.generation = 100; h.generation < 110; h.generation++) {
		segment = log_ssd_before(&s->ssds, &s->g, h.generation % 3) / s->g.segment_sectors;
		h.segment = segment;
		ssdup_log_header_encode(at[1], &h, buf);
		KUNIT_EXPECT_EQ(test, ssdup_log_header_decode(buf, s, segment, &out), LOG_OK);
		KUNIT_EXPECT_TRUE(test, log_live(s, h.generation));
	}
}

static struct kunit_case ssds_move_cases[] = {
	KUNIT_CASE(one_is_added),
	KUNIT_CASE(states_in_order),
	KUNIT_CASE(what_a_table_names),
	KUNIT_CASE(an_older_superblock),
	KUNIT_CASE(classes_go_on),
	KUNIT_CASE(headers_of_before),
	KUNIT_CASE(headers_of_long_ago),
	{}
};

static struct kunit_suite ssds_move_suite = {
	.name = "ssdup-ssds-move",
	.test_cases = ssds_move_cases,
};

kunit_test_suite(ssds_move_suite);
