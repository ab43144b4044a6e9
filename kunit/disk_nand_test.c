// SPDX-License-Identifier: GPL-2.0-only
/* The dies of the modelled SSD, and their write buffer. */
#include <kunit/test.h>
#include "../tools/disks/nand_model.c"

#define US	1000ULL

static const struct nand_params nand_two_dies = {
	.dies = 2,
	.buffer_units = 3,
	.read_us = 50,
	.program_us = 500,
	.erase_us = 2000,
};

static void make_nand(struct kunit *test, struct nand_model *n)
{
	void *memory = kunit_kzalloc(test, nand_size(&nand_two_dies), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, memory);
	nand_init(n, &nand_two_dies, memory);
}

static void nand_dies_work_side_by_side(struct kunit *test)
{
	struct nand_model n;

	make_nand(test, &n);
	KUNIT_EXPECT_EQ(test, nand_read(&n, 0, 100 * US), 150 * US);
	KUNIT_EXPECT_EQ(test, nand_read(&n, 1, 100 * US), 150 * US);
	KUNIT_EXPECT_EQ(test, nand_read(&n, 2, 100 * US), 200 * US);
	KUNIT_EXPECT_EQ(test, nand_read(&n, 3, 120 * US), 200 * US);
	KUNIT_EXPECT_EQ(test, nand_read(&n, 0, 900 * US), 950 * US);
}

static void nand_reads_wait_for_programs_and_erases(struct kunit *test)
{
	struct nand_model n;

	make_nand(test, &n);
	nand_program(&n, 4, US);
	KUNIT_EXPECT_EQ(test, nand_read(&n, 0, US), 551 * US);
	KUNIT_EXPECT_EQ(test, nand_read(&n, 1, US), 51 * US);
	nand_erase(&n, 2 * US);
	KUNIT_EXPECT_EQ(test, nand_read(&n, 0, 3 * US), 2601 * US);
	KUNIT_EXPECT_EQ(test, nand_read(&n, 1, 3 * US), 2101 * US);
}

static void nand_buffer_takes_what_it_has_room_for(struct kunit *test)
{
	struct nand_model n;

	make_nand(test, &n);
	nand_write(&n, 0, US);
	nand_write(&n, 1, US);
	nand_write(&n, 2, US);
	KUNIT_EXPECT_EQ(test, n.taken, US);
	KUNIT_EXPECT_EQ(test, n.programmed, 1001 * US);
	/* the place of unit 0, then that of unit 1 */
	nand_write(&n, 3, US);
	KUNIT_EXPECT_EQ(test, n.taken, 501 * US);
	nand_write(&n, 4, US);
	KUNIT_EXPECT_EQ(test, n.taken, 501 * US);
	KUNIT_EXPECT_EQ(test, n.programmed, 1501 * US);
	/* what the disk does for itself holds writers up, and takes no place */
	nand_program(&n, 6, US);
	nand_write(&n, 8, US);
	KUNIT_EXPECT_EQ(test, n.taken, 1001 * US);
	KUNIT_EXPECT_EQ(test, n.programmed, 2501 * US);
	nand_write(&n, 9, 9000 * US);
	KUNIT_EXPECT_EQ(test, n.taken, 9000 * US);
}

/* Nothing overtakes what waits for room, though a place that is taken later is free before. */
static void nand_buffer_keeps_the_order(struct kunit *test)
{
	struct nand_model n;

	make_nand(test, &n);
	nand_write(&n, 0, US);
	nand_write(&n, 2, US);
	nand_write(&n, 1, US);
	nand_write(&n, 3, US);
	nand_write(&n, 5, US);
	KUNIT_EXPECT_EQ(test, n.taken, 1001 * US);
	nand_write(&n, 7, US);
	KUNIT_EXPECT_EQ(test, n.taken, 1001 * US);
}

static void nand_buffer_answers_reads(struct kunit *test)
{
	struct nand_model n;

	make_nand(test, &n);
	nand_write(&n, 0, US);
	KUNIT_EXPECT_EQ(test, nand_read(&n, 0, 2 * US), 2 * US);
	KUNIT_EXPECT_EQ(test, nand_read(&n, 2, 2 * US), 551 * US);
	KUNIT_EXPECT_EQ(test, nand_read(&n, 0, 501 * US), 601 * US);
}

static void nand_reset_forgets(struct kunit *test)
{
	struct nand_model n;

	make_nand(test, &n);
	nand_write(&n, 0, US);
	nand_erase(&n, US);
	nand_reset(&n);
	KUNIT_EXPECT_EQ(test, nand_read(&n, 0, 2 * US), 52 * US);
	KUNIT_EXPECT_EQ(test, n.programmed, 0ULL);
	KUNIT_EXPECT_EQ(test, n.taken, 0ULL);
}

static struct kunit_case disk_nand_cases[] = {
	KUNIT_CASE(nand_dies_work_side_by_side),
	KUNIT_CASE(nand_reads_wait_for_programs_and_erases),
	KUNIT_CASE(nand_buffer_takes_what_it_has_room_for),
	KUNIT_CASE(nand_buffer_keeps_the_order),
	KUNIT_CASE(nand_buffer_answers_reads),
	KUNIT_CASE(nand_reset_forgets),
	{}
};

static struct kunit_suite disk_nand_suite = {
	.name = "disk_nand",
	.test_cases = disk_nand_cases,
};

kunit_test_suite(disk_nand_suite);
