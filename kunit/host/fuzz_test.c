// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fuzzer's target over inputs that are the same in every run, for where
 * there is no libFuzzer.
 */
#include "../prng.h"
#include "fuzz.h"
#include "kunit.h"

#define INPUTS	20000U

/* Numbers at the edges, where arithmetic goes wrong. */
static const u64 edges[] = {
	0, 1, 2, 3, 7, 8, 126, 127, 255, 256, 2047, 2048, 8191, 8192, U16_MAX, U32_MAX - 1,
	U32_MAX, BIT_ULL(32), BIT_ULL(54), BIT_ULL(62) + 1, BIT_ULL(63), U64_MAX - 7, U64_MAX,
};

/* One patch: an edge or random bytes, mostly on a field's border. Returns its length. */
static size_t make_patch(struct prng *r, u8 *to)
{
	u32 len = 1U << prng_below(r, 4), i;
	u32 at = prng_below(r, 4) ? prng_below(r, 512) : prng_below(r, 4096);
	u64 value = prng_below(r, 3) ? edges[prng_below(r, ARRAY_SIZE(edges))] : prng_u64(r);

	to[0] = prng_below(r, 3) ? prng_below(r, 32) : 0xff;
	to[1] = prng_below(r, 8) != 0;
	at -= at % len;
	to[2] = at;
	to[3] = at >> 8;
	to[4] = len;
	for (i = 0; i < len; i++)
		to[5 + i] = value >> 8 * i;
	return 5 + len;
}

static void images_patched_at_random(struct kunit *test)
{
	struct prng r = { 14 };
	u8 input[16 * 13];
	u32 i, j, patches;
	size_t len;

	for (i = 0; i < INPUTS; i++) {
		patches = prng_between(&r, 0, 16);
		for (j = 0, len = 0; j < patches; j++)
			len += make_patch(&r, input + len);
		fuzz_one(input, len);
	}
}

static struct kunit_case fuzz_cases[] = {
	KUNIT_CASE(images_patched_at_random),
	{}
};

static struct kunit_suite fuzz_suite = {
	.name = "fuzz",
	.test_cases = fuzz_cases,
};

kunit_test_suite(fuzz_suite);
