// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fuzzer's target over a fixed corpus, for every run and for where there is no
 * libFuzzer: what the encoders made, then each of these spoiled in many ways, once
 * and over again.
 */
#include "fuzz.h"
#include <kunit/test.h>

#ifndef ROUNDS
#define ROUNDS	1000U
#endif
#ifndef FUZZ_SUITE
#define FUZZ_SUITE "fuzz"
#endif

static struct image im, seed;

static void images_of_the_encoders(struct kunit *test)
{
	static u8 data[FUZZ_MAX_INPUT];
	static struct image again;
	size_t size;
	u32 i;

	for (i = 0; fuzz_seed(i, &im); i++) {
		KUNIT_EXPECT_TRUE_MSG(test, fuzz_image(&im), "seed %u", i);
		size = fuzz_pack(&im, data, sizeof(data));
		fuzz_unpack(data, size, &again);
		KUNIT_EXPECT_TRUE(test, !memcmp(&im, &again, sizeof(im)));
	}
	KUNIT_EXPECT_GE(test, i, 8);
}

static void images_spoiled(struct kunit *test)
{
	u32 i, round, forged = 0;

	for (i = 0; fuzz_seed(i, &seed); i++)
		for (round = 0; round < ROUNDS; round++) {
			im = seed;
			forged += image_mutate(&im, (u64)i << 32 | round);
			fuzz_image(&im);
		}
	KUNIT_EXPECT_GT(test, forged, ROUNDS);
}

/* Spoiled time and again until nothing is left of it. */
static void images_spoiled_over_again(struct kunit *test)
{
	u32 i, round;

	for (i = 0; fuzz_seed(i, &im); i++)
		for (round = 0; round < ROUNDS / 8; round++) {
			if (round % 16 == 0)
				fuzz_seed(i, &im);
			image_mutate(&im, (u64)i << 40 | round);
			fuzz_image(&im);
		}
}

/* Not even an image: bytes. */
static void inputs_cut_off(struct kunit *test)
{
	static u8 data[FUZZ_MAX_INPUT];
	size_t size, len;

	fuzz_seed(1, &seed);
	size = fuzz_pack(&seed, data, sizeof(data));
	for (len = 0; len < size; len += 7) {
		fuzz_unpack(data, len, &im);
		fuzz_image(&im);
	}
}

static struct kunit_case fuzz_cases[] = {
	KUNIT_CASE(images_of_the_encoders),
	KUNIT_CASE(images_spoiled),
	KUNIT_CASE(images_spoiled_over_again),
	KUNIT_CASE(inputs_cut_off),
	{}
};

static struct kunit_suite fuzz_suite = {
	.name = FUZZ_SUITE,
	.test_cases = fuzz_cases,
};

kunit_test_suite(fuzz_suite);
