// SPDX-License-Identifier: GPL-2.0-only
/* invariant: 2 */
/* Two SSDs that hold the same: whichever fails, one that lacks something never counts. */
#include <kunit/test.h>

#include "prng.h"

#include "core/twins.c"

static const struct twin_block pair[] = {
	{ .member = { { 1 }, { 2 } }, .index = 0, .seq = 7 },
	{ .member = { { 1 }, { 2 } }, .index = 1, .seq = 7 },
};

static struct twin_found there(const struct twin_block *b)
{
	return (struct twin_found){ TWIN_THERE, *b };
}

static void expect(struct kunit *test, struct twin_found a, struct twin_found b, u32 in, bool mark,
		   bool mend)
{
	const struct twin_found both[] = { a, b }, swapped[] = { b, a };
	struct twins t;

	KUNIT_EXPECT_EQ(test, ssdup_twins_match(both, &t), TWINS_OK);
	KUNIT_EXPECT_EQ(test, t.in, in);
	KUNIT_EXPECT_EQ(test, t.mark, mark);
	KUNIT_EXPECT_EQ(test, t.mend, mend);
	KUNIT_EXPECT_EQ(test, t.block.index, 0);
	/* It does not matter which one the table names first. */
	KUNIT_EXPECT_EQ(test, ssdup_twins_match(swapped, &t), TWINS_OK);
	KUNIT_EXPECT_EQ(test, t.in, in);
	KUNIT_EXPECT_EQ(test, t.block.index, 1);
}

static void refused(struct kunit *test, struct twin_found a, struct twin_found b,
		    enum twins_fault fault)
{
	const struct twin_found both[] = { a, b }, swapped[] = { b, a };
	struct twins t;

	KUNIT_EXPECT_EQ(test, ssdup_twins_match(both, &t), fault);
	KUNIT_EXPECT_EQ(test, ssdup_twins_match(swapped, &t), fault);
}

static void both_are_there(struct kunit *test)
{
	struct twin_block a = pair[0], b = pair[1];

	expect(test, there(&a), there(&b), 3, false, false);
	/* A change was cut. */
	b.seq = 8;
	expect(test, there(&a), there(&b), 3, false, true);
	b.out = BIT(0);
	expect(test, there(&a), there(&b), BIT(1), false, false);
	/* Whatever the one that is out says. */
	a.seq = 9;
	expect(test, there(&a), there(&b), BIT(1), false, false);
	a.out = BIT(1);
	refused(test, there(&a), there(&b), TWINS_APART);
}

static void one_is_there(struct kunit *test)
{
	const struct twin_found absent = { TWIN_ABSENT }, blank = { TWIN_BLANK };
	const struct twin_found damaged = { TWIN_DAMAGED };
	struct twin_block b = pair[1];

	expect(test, absent, there(&b), BIT(1), true, false);
	refused(test, blank, there(&b), TWINS_BLANK);
	refused(test, damaged, there(&b), TWINS_DAMAGED);
	b.out = BIT(0);
	expect(test, absent, there(&b), BIT(1), false, false);
	expect(test, blank, there(&b), BIT(1), false, false);
	expect(test, damaged, there(&b), BIT(1), false, false);
}

static struct twin_block part(void)
{
	struct twin_block b = pair[1];

	b.member[1][0] = 9;
	b.out = BIT(1);
	b.seq = 99;
	return b;
}

/* One that is to be filled never counts without the word of the other one. */
static void a_part_never_counts(struct kunit *test)
{
	const struct twin_found absent = { TWIN_ABSENT };
	struct twin_block a = pair[0], new = part();

	refused(test, there(&new), absent, TWINS_PART);
	refused(test, there(&new), there(&new), TWINS_OTHER);
	/* The other one does not call out whose place it is. */
	refused(test, there(&a), there(&new), TWINS_OTHER);
	a.out = BIT(1);
	expect(test, there(&a), there(&new), BIT(0), false, false);
	/* Of a third one. */
	new.member[0][0] = 3;
	refused(test, there(&a), there(&new), TWINS_OTHER);
}

static void only_a_part_is_filled(struct kunit *test)
{
	struct twin_block a = pair[0], new = part(), old = pair[1];
	struct twin_found both[SSDUP_TWINS];
	struct twins t;

	a.out = BIT(1);
	both[0] = there(&new);
	both[1] = there(&a);
	KUNIT_EXPECT_EQ(test, ssdup_twins_match(both, &t), TWINS_OK);
	KUNIT_EXPECT_TRUE(test, t.fills);
	KUNIT_EXPECT_EQ(test, t.block.out, BIT(1));
	KUNIT_EXPECT_EQ(test, t.block.member[1][0], 9);
	both[0] = there(&old);
	KUNIT_EXPECT_EQ(test, ssdup_twins_match(both, &t), TWINS_OK);
	KUNIT_EXPECT_FALSE(test, t.fills);
}

/* The other one names it, and the cut came before its own block. */
static void a_part_that_is_named_is_whole(struct kunit *test)
{
	struct twin_block a = pair[0], new = part(), old = pair[1];

	a.member[1][0] = 9;
	expect(test, there(&a), there(&new), 3, false, true);
	refused(test, there(&a), there(&old), TWINS_OTHER);
	new.member[0][0] = 3;
	refused(test, there(&a), there(&new), TWINS_OTHER);
}

static void of_others(struct kunit *test)
{
	struct twin_block a = pair[0], b = pair[1];

	refused(test, there(&a), there(&a), TWINS_OTHER);
	b.member[0][3]++;
	refused(test, there(&a), there(&b), TWINS_OTHER);
	b.out = BIT(0);
	refused(test, there(&a), there(&b), TWINS_OTHER);
}

static void being_made(struct kunit *test)
{
	const struct twin_found absent = { TWIN_ABSENT }, blank = { TWIN_BLANK };
	struct twin_block a = pair[0], b = pair[1];

	refused(test, blank, blank, TWINS_NEW);
	refused(test, blank, absent, TWINS_ALONE);
	a.seq = TWINS_BEING_MADE;
	b.seq = TWINS_BEING_MADE;
	refused(test, there(&a), blank, TWINS_NEW);
	refused(test, there(&a), there(&b), TWINS_NEW);
	refused(test, there(&a), absent, TWINS_ALONE);
	b.seq++;
	expect(test, there(&a), there(&b), 3, false, true);
}

static void blocks_are_checked(struct kunit *test)
{
	u8 *buf = kunit_kzalloc(test, SSDUP_BLOCK_BYTES, GFP_KERNEL);
	struct twin_block a = pair[1], b;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, buf);
	KUNIT_EXPECT_EQ(test, ssdup_twin_decode(buf, &b), TWIN_BLANK);
	a.out = BIT(0);
	ssdup_twin_encode(&a, buf);
	KUNIT_EXPECT_EQ(test, ssdup_twin_decode(buf, &b), TWIN_THERE);
	KUNIT_EXPECT_EQ(test, memcmp(a.member, b.member, sizeof(a.member)), 0);
	KUNIT_EXPECT_EQ(test, b.index, 1);
	KUNIT_EXPECT_EQ(test, b.out, BIT(0));
	KUNIT_EXPECT_EQ(test, b.seq, 7);
	for (i = 0; i < sizeof(struct ssdup_twin); i++) {
		buf[i] ^= 0x10;
		KUNIT_EXPECT_EQ(test, ssdup_twin_decode(buf, &b), TWIN_DAMAGED);
		buf[i] ^= 0x10;
	}
	/* One that calls both out, or a third one. */
	for (a.out = 3; a.out < 9; a.out++) {
		ssdup_twin_encode(&a, buf);
		KUNIT_EXPECT_EQ(test, ssdup_twin_decode(buf, &b), TWIN_DAMAGED);
	}
}

/* --- Lives of a pair --- */

struct member {
	struct twin_block	block;
	u32			has;	/* writes; of those that were acknowledged */
};

/*
 * They run until the power goes. A write counts when those that are in have it, or when what failed
 * it was called out. Return: how many count
 */
static u32 run(struct member *m, u32 in, u32 written, struct prng *rnd)
{
	u32 left = prng_below(rnd, 5), i;

	while (left--) {
		if (in != 3 || prng_below(rnd, 3)) {
			written++;
			for (i = 0; i < SSDUP_TWINS; i++)
				if (in & BIT(i))
					m[i].has = written;
			continue;
		}
		i = prng_below(rnd, 2);
		m[!i].has = written + 1;
		if (!prng_below(rnd, 3))
			break;
		m[!i].block.out = BIT(i);
		m[!i].block.seq++;
		in = BIT(!i);
		written++;
	}
	return written;
}

/* One may be named alone. Return: do they start? */
static bool start(struct member *m, struct prng *rnd, struct twins *t)
{
	struct twin_found found[] = { there(&m[0].block), there(&m[1].block) };
	u32 i = prng_below(rnd, 8);

	if (i < SSDUP_TWINS)
		found[i].there = TWIN_ABSENT;
	if (ssdup_twins_match(found, t) != TWINS_OK)
		return false;
	for (i = 0; i < SSDUP_TWINS && (t->mark || t->mend); i++) {
		if (!(t->in & BIT(i)))
			continue;
		m[i].block.seq = t->block.seq + t->mark;
		m[i].block.out = t->mark ? BIT(!i) : t->block.out;
	}
	return true;
}

static void what_lacks_something_never_counts(struct kunit *test)
{
	u32 life, step, i, written;
	struct prng rnd = { 5 };
	struct member m[2];
	struct twins t;
	bool word;

	for (life = 0; life < 3000; life++) {
		word = false;
		written = 0;
		for (i = 0; i < SSDUP_TWINS; i++)
			m[i] = (struct member){ pair[i] };
		for (step = 0; step < 8; step++) {
			if (!start(m, &rnd, &t)) {
				/* They run apart only by a word of the table. */
				KUNIT_EXPECT_TRUE(test, word);
				break;
			}
			word |= t.mark;
			for (i = 0; i < SSDUP_TWINS && !word; i++)
				if (t.in & BIT(i))
					KUNIT_EXPECT_GE(test, m[i].has, written);
			/* What did not count is the same on both from now on. */
			for (i = 0; i < SSDUP_TWINS; i++)
				if (t.in & BIT(i))
					m[i].has = written;
			written = run(m, t.in, written, &rnd);
		}
	}
}

static struct kunit_case twins_cases[] = {
	KUNIT_CASE(both_are_there),
	KUNIT_CASE(one_is_there),
	KUNIT_CASE(a_part_never_counts),
	KUNIT_CASE(only_a_part_is_filled),
	KUNIT_CASE(a_part_that_is_named_is_whole),
	KUNIT_CASE(of_others),
	KUNIT_CASE(being_made),
	KUNIT_CASE(blocks_are_checked),
	KUNIT_CASE(what_lacks_something_never_counts),
	{}
};

static struct kunit_suite twins_suite = {
	.name = "ssdup-twins",
	.test_cases = twins_cases,
};

kunit_test_suite(twins_suite);
