// SPDX-License-Identifier: GPL-2.0-only
/* invariant: 2 */
/*
 * Whose the segments of an SSD are. Whatever is damaged, none that is live is free, or another's.
 */
#include "codec_cases.h"
#include "prng.h"

#include "core/lease.c"

#define LOGS		3U
#define SEGMENTS	64U
#define TAIL		20U	/* of each log and class */
#define EPOCH		5U

static const u8 pool_uuid[16] = { 0xd0, 1 };

/* What the SSD holds, as it was written. */
struct truth {
	struct pool_log	log[SSDUP_MAX_LOGS];
	u64		there;
	u8		head[SEGMENTS][LOG_HEAD_BYTES];
	u32		owner[SEGMENTS];	/* of a live segment, or POOL_FREE */
};

static struct truth *truth_new(struct kunit *test)
{
	struct truth *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	struct log_geometry g;
	u8 uuid[16] = { 0xd0 };
	u32 i, k;

	KUNIT_ASSERT_NOT_NULL(test, t);
	ssdup_log_layout(&g, GIB, 0, 1);
	for (i = 0; i < LOGS; i++) {
		uuid[1] = i;
		ssdup_log_super_fresh(&t->log[i].s, pool_uuid, uuid, &g, GIB, GIB);
		t->log[i].s.log = i;
		t->log[i].s.logs = BIT_ULL(LOGS) - 1;
		t->log[i].s.epoch = EPOCH;
		t->log[i].s.classes.nr = i + 1;
		for (k = 0; k <= i; k++)
			t->log[i].s.tail[k] = TAIL;
	}
	t->there = BIT_ULL(LOGS) - 1;
	for (i = 0; i < SEGMENTS; i++)
		t->owner[i] = POOL_FREE;
	return t;
}

/* A log opens a segment, and perhaps writes its first page. */
static void open_it(struct truth *t, u32 log, u32 segment, u64 generation, bool page)
{
	struct log_header h = { .generation = generation, .epoch = EPOCH, .segment = segment };
	struct log_page_id id = {
		.generation = generation, .epoch = EPOCH, .rev = 1, .segment = segment,
	};
	struct log_entry e = {
		.kind = SSDUP_KIND_ZERO, .sectors = 8, .seq = generation << SSDUP_SEQ_BITS,
	};
	struct ssdup_page *p = (void *)(t->head[segment] + SSDUP_BLOCK_BYTES);

	ssdup_log_header_encode(&t->log[log].s, &h, t->head[segment]);
	t->owner[segment] = log_live(&t->log[log].s, generation) ? log : POOL_FREE;
	if (!page)
		return;
	memcpy(id.uuid, t->log[log].s.uuid, sizeof(id.uuid));
	ssdup_log_page_begin(p, &id);
	ssdup_log_page_add(p, &e);
	ssdup_log_page_finish(p);
}

static u32 owner(const struct truth *t, u32 segment)
{
	return ssdup_pool_owner(pool_uuid, t->log, t->there, segment, t->head[segment]);
}

static void headers_say_whose(struct kunit *test)
{
	struct truth *t = truth_new(test);

	open_it(t, 0, 1, TAIL, true);
	open_it(t, 1, 2, TAIL, false);
	open_it(t, 2, 3, TAIL - 1, true);
	open_it(t, 1, 4, TAIL - 1, true);
	open_it(t, 2, 4, TAIL + 7, false);
	KUNIT_EXPECT_EQ(test, owner(t, 0), POOL_FREE);
	KUNIT_EXPECT_EQ(test, owner(t, 1), 0);
	KUNIT_EXPECT_EQ(test, owner(t, 2), 1);
	KUNIT_EXPECT_EQ(test, owner(t, 3), POOL_FREE);
	/* What log 1 had in it, and has freed, does not count. */
	KUNIT_EXPECT_EQ(test, owner(t, 4), 2);
	/* A log that was forgotten has nothing. */
	t->there = BIT_ULL(0) | BIT_ULL(2);
	KUNIT_EXPECT_EQ(test, owner(t, 2), POOL_FREE);
	KUNIT_EXPECT_EQ(test, owner(t, 4), 2);
}

static void damaged_headers_are_held(struct kunit *test)
{
	struct truth *t = truth_new(test);

	open_it(t, 1, 5, TAIL, true);
	open_it(t, 1, 6, TAIL + 2, false);
	t->head[5][offsetof(struct ssdup_header, epoch)] ^= 1;
	t->head[6][offsetof(struct ssdup_header, epoch)] ^= 1;
	KUNIT_EXPECT_EQ(test, owner(t, 5), 1);
	/* It was torn: nothing can have been written behind it. */
	KUNIT_EXPECT_EQ(test, owner(t, 6), POOL_FREE);
	/* Of an epoch to come: its log's replay says so. */
	t->log[1].s.epoch = EPOCH - 1;
	open_it(t, 0, 7, TAIL, true);
	open_it(t, 1, 8, TAIL + 4, true);
	KUNIT_EXPECT_EQ(test, owner(t, 7), 0);
	KUNIT_EXPECT_EQ(test, owner(t, 8), 1);
}

/* Nobody knows what is live of a log without a record. */
static void damaged_records_hold(struct kunit *test)
{
	struct truth *t = truth_new(test);

	open_it(t, 1, 1, TAIL - 1, true);
	open_it(t, 0, 2, TAIL - 1, true);
	open_it(t, 0, 3, TAIL, true);
	open_it(t, 1, 4, TAIL, true);
	t->head[4][offsetof(struct ssdup_header, epoch)] ^= 1;
	t->log[1].fault = LOG_BAD_CRC;
	memset(&t->log[1].s, 0xff, sizeof(t->log[1].s));
	KUNIT_EXPECT_EQ(test, owner(t, 0), POOL_FREE);
	KUNIT_EXPECT_EQ(test, owner(t, 1), 1);
	KUNIT_EXPECT_EQ(test, owner(t, 2), POOL_FREE);
	KUNIT_EXPECT_EQ(test, owner(t, 3), 0);
	KUNIT_EXPECT_EQ(test, owner(t, 4), POOL_UNCLEAR);
	/* Without that log, all is clear. */
	t->there = BIT_ULL(0);
	KUNIT_EXPECT_EQ(test, owner(t, 4), POOL_FREE);
	KUNIT_EXPECT_EQ(test, owner(t, 1), POOL_FREE);
}

/* Each segment is opened several times, by one log after the other: the last one may be live. */
static void write_any(struct truth *t, struct prng *r)
{
	u32 i, k, log;
	u64 next[LOGS] = { 1, 1, 1 };

	for (i = 0; i < SEGMENTS; i++) {
		memset(t->head[i], 0, sizeof(t->head[i]));
		t->owner[i] = POOL_FREE;
		for (k = prng_below(r, 4); k; k--) {
			/* Who had it before has freed it: its generation is below the tail. */
			log = prng_below(r, LOGS);
			next[log] = next[log] % (TAIL - 1) + 1;
			open_it(t, log, i, next[log], prng_below(r, 4));
		}
		if (prng_below(r, 2)) {
			log = prng_below(r, LOGS);
			open_it(t, log, i, TAIL + i, prng_below(r, 4));
		}
	}
}

/* Does the segment hold anything that its log has reserved? */
static bool has_page(const struct truth *t, u32 segment)
{
	const struct ssdup_page *p = (const void *)(t->head[segment] + SSDUP_BLOCK_BYTES);

	return le64_to_cpu(p->h.generation) >= TAIL;
}

static void nothing_live_is_given_away(struct kunit *test)
{
	struct truth *t = truth_new(test);
	struct pool_log *log = kunit_kzalloc(test, sizeof(t->log), GFP_KERNEL);
	struct prng r = { 39 };
	u32 round, i, is;

	KUNIT_ASSERT_NOT_NULL(test, log);
	memcpy(log, t->log, sizeof(t->log));
	for (round = 0; round < 300; round++) {
		memcpy(t->log, log, sizeof(t->log));
		write_any(t, &r);
		for (i = 0; i < LOGS; i++)
			if (!prng_below(&r, 4)) {
				t->log[i].fault = LOG_NO_RECORD;
				memset(&t->log[i].s, 0x5a, sizeof(t->log[i].s));
			}
		for (i = 0; i < SEGMENTS; i++) {
			if (!prng_below(&r, 4))
				t->head[i][prng_below(&r, sizeof(struct ssdup_header))] ^=
					1 << prng_below(&r, 8);
			is = owner(t, i);
			if (t->owner[i] == POOL_FREE || is == t->owner[i])
				continue;
			/* Without a page, a header that is damaged was torn. */
			KUNIT_EXPECT_TRUE_MSG(test, is == POOL_UNCLEAR ||
					      (!has_page(t, i) && is == POOL_FREE) ||
					      (is < LOGS && t->log[is].fault != LOG_OK),
					      "round %u, segment %u of log %u: %u", round, i,
					      t->owner[i], is);
		}
	}
}

static void leases_keep_promises(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, lease_least(1), 3);
	KUNIT_EXPECT_EQ(test, lease_least(8), 10);
	KUNIT_EXPECT_EQ(test, lease_least(0), 3);
	KUNIT_EXPECT_EQ(test, pool_share(100, 3), 33);
	KUNIT_EXPECT_EQ(test, pool_share(100, 0), 100);
	/* As many as it wants, with those that it has. */
	KUNIT_EXPECT_EQ(test, ssdup_pool_grant(100, 0, 0, 40, 3), 40);
	KUNIT_EXPECT_EQ(test, ssdup_pool_grant(100, 0, 15, 40, 3), 25);
	/* No more than there are. */
	KUNIT_EXPECT_EQ(test, ssdup_pool_grant(100, 0, 0, 200, 3), 100);
	KUNIT_EXPECT_EQ(test, ssdup_pool_grant(100, 70, 0, 40, 3), 30);
	KUNIT_EXPECT_EQ(test, ssdup_pool_grant(3, 3, 0, 40, 3), 0);
	KUNIT_EXPECT_EQ(test, ssdup_pool_grant(2, 3, 0, 40, 3), 0);
	/* One that holds more than it is to have can still be emptied. */
	KUNIT_EXPECT_EQ(test, ssdup_pool_grant(100, 6, 50, 40, 3), 3);
	KUNIT_EXPECT_EQ(test, ssdup_pool_grant(100, 6, 38, 40, 3), 3);
}

static struct kunit_case pool_cases[] = {
	KUNIT_CASE(headers_say_whose),
	KUNIT_CASE(damaged_headers_are_held),
	KUNIT_CASE(damaged_records_hold),
	KUNIT_CASE(nothing_live_is_given_away),
	KUNIT_CASE(leases_keep_promises),
	{}
};

static struct kunit_suite pool_suite = {
	.name = "ssdup-lease",
	.test_cases = pool_cases,
};

kunit_test_suite(pool_suite);
