// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which of an SSD and its mirror is used, and what the tool writes to both.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/super.h"
#include "lib/twins.h"

#include <kunit/test.h>

#define SECTORS	(2 * SSDUP_HOME_SECTORS + 64 * SSDUP_MIN_SEGMENT_SECTORS)

static struct twin_found found(enum twin_there there, u32 index, u32 out, u64 seq)
{
	struct twin_found f = { .there = there };

	f.block.index = index;
	f.block.out = out;
	f.block.seq = seq;
	f.block.member[0][0] = 1;
	f.block.member[1][0] = 2;
	return f;
}

/* Return: which one, or TWINS_NONE and the like */
static int choose(struct twin_found a, struct twin_found b, u32 named, bool lost)
{
	struct twin_found both[SSDUP_TWINS] = { a, b };
	int which;
	char *why = twins_choose(both, named, lost, &which);

	if (why && which >= TWINS_BOTH)
		abort();
	free(why);
	return which;
}

static void whoever_has_everything_is_used(struct kunit *test)
{
	struct twin_found a = found(TWIN_THERE, 0, 0, 5), b = found(TWIN_THERE, 1, 0, 5);
	struct twin_found alone = found(TWIN_THERE, 0, BIT(1), 6);
	struct twin_found gone = { .there = TWIN_ABSENT }, other = b;
	bool lost;

	for (lost = false; ; lost = true) {
		KUNIT_EXPECT_EQ(test, choose(a, b, 1, lost), TWINS_BOTH);
		KUNIT_EXPECT_EQ(test, choose(alone, b, 2, lost), 0);
		KUNIT_EXPECT_EQ(test, choose(alone, gone, 1, lost), 0);
		/* One that is called out does not know, and its word is not enough. */
		KUNIT_EXPECT_EQ(test, choose(gone, b, 2, lost), lost ? 1 : TWINS_NONE);
		KUNIT_EXPECT_EQ(test, choose(a, gone, 1, lost), lost ? 0 : TWINS_NONE);
		other.block.member[0][0] = 3;
		KUNIT_EXPECT_EQ(test, choose(a, other, 1, lost), TWINS_NONE);
		if (lost)
			break;
	}
}

static void two_that_ran_apart_want_a_word_and_a_name(struct kunit *test)
{
	struct twin_found a = found(TWIN_THERE, 0, BIT(1), 6), b = found(TWIN_THERE, 1, BIT(0), 9);

	KUNIT_EXPECT_EQ(test, choose(a, b, 1, false), TWINS_RAN_APART);
	KUNIT_EXPECT_EQ(test, choose(a, b, 3, true), TWINS_RAN_APART);
	KUNIT_EXPECT_EQ(test, choose(a, b, 0, true), TWINS_RAN_APART);
	KUNIT_EXPECT_EQ(test, choose(a, b, 1, true), 0);
	KUNIT_EXPECT_EQ(test, choose(a, b, 2, true), 1);
}

static void one_that_is_being_made_is_not_used_alone(struct kunit *test)
{
	struct twin_found a = found(TWIN_THERE, 0, 0, TWINS_BEING_MADE);
	struct twin_found b = found(TWIN_THERE, 1, 0, TWINS_BEING_MADE);
	struct twin_found gone = { .there = TWIN_ABSENT };

	KUNIT_EXPECT_EQ(test, choose(a, b, 1, false), TWINS_BOTH);
	KUNIT_EXPECT_EQ(test, choose(a, gone, 1, true), TWINS_NONE);
}

static void one_that_is_to_be_filled_is_never_used_alone(struct kunit *test)
{
	struct twin_found a = found(TWIN_THERE, 0, BIT(1), 6), b = found(TWIN_THERE, 1, BIT(1), 9);
	struct twin_found gone = { .there = TWIN_ABSENT };

	b.block.member[1][0] = 3;
	KUNIT_EXPECT_TRUE(test, twin_is_part(&b));
	KUNIT_EXPECT_FALSE(test, twin_is_part(&a));
	KUNIT_EXPECT_EQ(test, choose(gone, b, 2, true), TWINS_NONE);
	KUNIT_EXPECT_EQ(test, choose(a, b, 2, true), 0);
}

static int memory(void)
{
	int fd = memfd_create("ssd", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, SECTORS * SECTOR_BYTES))
		abort();
	return fd;
}

/* The same bytes, but for the block of each. */
static bool alike(int a, int b)
{
	size_t bytes = SSDUP_HOME_SECTORS * SECTOR_BYTES;
	char *x = xpages(bytes), *y = xpages(bytes);
	bool same = true;
	u32 copy;

	for (copy = 0; copy < SSDUP_COPIES; copy++) {
		u64 at = log_home(SECTORS, copy) * SECTOR_BYTES;

		same &= !read_all(a, x, bytes, at) && !read_all(b, y, bytes, at) &&
			memchr_inv(x, 0, bytes);
		memset(x + SSDUP_TWIN_PLACE * SECTOR_BYTES, 0, SSDUP_BLOCK_BYTES);
		memset(y + SSDUP_TWIN_PLACE * SECTOR_BYTES, 0, SSDUP_BLOCK_BYTES);
		same &= !memcmp(x, y, bytes);
	}
	free(x);
	free(y);
	return same;
}

static void what_is_written_is_on_both(struct kunit *test)
{
	static const u8 pool[16] = { 1 }, uuid[16] = { 2 };
	struct ssds ssds = { .nr = 1, .mirrors = BIT(0) };
	struct log_ssds on = { .nr = 1, .mirrors = BIT(0) };
	struct twin_block b = { .member = { { 1 }, { 2 } }, .seq = 2 }, got;
	u64 sectors[] = { SECTORS };
	struct log_geometry g;
	struct log_super s;
	struct ssd_log log;
	u32 i;

	ssds.fd[0] = memory();
	ssds.fd[ssd_mirror(0)] = memory();
	ssds.sectors[0] = SECTORS;
	if (!ssdup_log_spread(&g, &on, sectors, SSDUP_MIN_SEGMENT_SECTORS, 1))
		abort();
	ssdup_log_super_fresh(&s, pool, uuid, &g, 1000, SECTORS);
	s.ssds = on;
	ssdup_log_classes(&s, 1, 1);
	s.pool_seq = 1;
	s.seq = 1;
	s.epoch = 1;
	KUNIT_EXPECT_EQ(test, ssd_log_write(&ssds, &s), 0);
	KUNIT_EXPECT_EQ(test, ssd_twins_write(&ssds, 0, &b), 0);
	KUNIT_EXPECT_TRUE(test, alike(ssds.fd[0], ssds.fd[ssd_mirror(0)]));
	for (i = 0; i < SSDUP_TWINS; i++) {
		struct ssds one = ssds_some(ssds.fd[i ? ssd_mirror(0) : 0]);
		struct twin_found f = { TWIN_THERE };

		KUNIT_EXPECT_EQ(test, ssd_log_read(&one, &log, NULL), 0);
		KUNIT_EXPECT_EQ(test, log.fault, LOG_OK);
		KUNIT_EXPECT_EQ(test, ssd_twin_read(one.fd[0], SECTORS, &got), TWIN_THERE);
		KUNIT_EXPECT_EQ(test, got.index, i);
		KUNIT_EXPECT_EQ(test, got.seq, 2);
		f.block = got;
		KUNIT_EXPECT_EQ(test, ssd_place(ssd_super(&log), &f), i ? ssd_mirror(0) : 0);
		close(one.fd[0]);
	}
}

static struct kunit_case twins_cases[] = {
	KUNIT_CASE(whoever_has_everything_is_used),
	KUNIT_CASE(two_that_ran_apart_want_a_word_and_a_name),
	KUNIT_CASE(one_that_is_being_made_is_not_used_alone),
	KUNIT_CASE(one_that_is_to_be_filled_is_never_used_alone),
	KUNIT_CASE(what_is_written_is_on_both),
	{}
};

static struct kunit_suite twins_suite = { .name = "mirrors", .test_cases = twins_cases };

kunit_test_suite(twins_suite);
