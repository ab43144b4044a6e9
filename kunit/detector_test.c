// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>
#include <linux/minmax.h>

#include "core/detector.c"
#include "prng.h"

#define WINDOW		SSDUP_STREAM
#define MOST		1024U
#define REQUEST		512U		/* 256 KiB, the paper's request */
#define PROCESSES	128U		/* at most */

/* --- Single streams --- */

struct stream_case {
	const char *name;
	u32 nr;
	struct stream_sample s[8];
	u32 percentage;
};

static const struct stream_case stream_cases[] = {
	{ "two, neighbours", 2, { { 0, 8 }, { 8, 8 } }, 0 },
	{ "two, neighbours, other order", 2, { { 8, 8 }, { 0, 8 } }, 0 },
	{ "two, a gap", 2, { { 0, 8 }, { 9, 8 } }, 10000 },
	{ "two, overlap", 2, { { 0, 8 }, { 7, 8 } }, 10000 },
	{ "the same twice", 2, { { 4, 8 }, { 4, 8 } }, 10000 },
	{ "mixed lengths, one run", 4, { { 8, 1 }, { 0, 8 }, { 9, 55 }, { 64, 8 } }, 0 },
	{ "mixed lengths, the length before counts", 3, { { 0, 16 }, { 8, 8 }, { 24, 8 } }, 10000 },
	{ "one of three", 4, { { 0, 8 }, { 8, 8 }, { 16, 8 }, { 32, 8 } }, 3333 },
	{ "two of three", 4, { { 0, 8 }, { 8, 8 }, { 24, 8 }, { 40, 8 } }, 6667 },
	{ "equal offsets, the longer is last and continues", 3,
	  { { 0, 16 }, { 0, 8 }, { 16, 8 } }, 5000 },
	{ "end of the address space", 3,
	  { { U64_MAX - 7, 8 }, { U64_MAX - 15, 8 }, { 0, 8 } }, 5000 },
	{ "no run around the end", 2, { { U64_MAX - 7, 8 }, { 0, 8 } }, 10000 },
};

static void stream_case_desc(const struct stream_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(stream, stream_cases, stream_case_desc);

static void stream_percentage(struct kunit *test)
{
	const struct stream_case *c = test->param_value;
	struct stream_sample s[ARRAY_SIZE(c->s)];

	memcpy(s, c->s, sizeof(s));
	KUNIT_EXPECT_EQ(test, ssdup_detector_random_percentage(s, c->nr), c->percentage);
}

/* --- The order of arrival does not count --- */

static void shuffle(struct prng *r, struct stream_sample *s, u32 nr)
{
	while (nr > 1) {
		u32 i = prng_below(r, nr--);

		swap(s[i], s[nr]);
	}
}

static void order_does_not_count(struct kunit *test)
{
	struct stream_sample *s, *t;
	struct prng r = { 2 };
	u32 round, i, nr, percentage;

	s = kunit_kcalloc(test, 2 * MOST, sizeof(*s), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, s);
	t = s + MOST;

	for (round = 0; round < 100; round++) {
		nr = round ? prng_between(&r, 2, 200) : MOST;

		/* A small space: equal offsets, overlaps and neighbours abound. */
		for (i = 0; i < nr; i++) {
			s[i].start = prng_below(&r, 2 * nr);
			s[i].sectors = prng_between(&r, 1, 4);
		}
		memcpy(t, s, nr * sizeof(*s));
		percentage = ssdup_detector_random_percentage(t, nr);

		for (i = 0; i < 8; i++) {
			memcpy(t, s, nr * sizeof(*s));
			shuffle(&r, t, nr);
			KUNIT_ASSERT_EQ(test, ssdup_detector_random_percentage(t, nr), percentage);
		}
	}
}

static void comparison_is_an_order(struct kunit *test)
{
	static const u64 starts[] = { 0, 1, 11, 12, BIT_ULL(32), BIT_ULL(63), U64_MAX };
	static const u32 lengths[] = { 1, 3, U32_MAX };
	struct stream_sample s[ARRAY_SIZE(starts) * ARRAY_SIZE(lengths)];
	u32 i, j, k, nr = 0;

	for (i = 0; i < ARRAY_SIZE(starts); i++)
		for (j = 0; j < ARRAY_SIZE(lengths); j++)
			s[nr++] = (struct stream_sample){ starts[i], lengths[j] };

	/* In the order they stand in: total, so equal only to itself. */
	for (i = 0; i < nr; i++)
		for (j = 0; j < nr; j++) {
			KUNIT_EXPECT_EQ(test, below(&s[i], &s[j]), i < j);
			for (k = 0; k < nr; k++)
				if (below(&s[i], &s[j]) && below(&s[j], &s[k]))
					KUNIT_EXPECT_TRUE(test, below(&s[i], &s[k]));
		}
}

/* --- However the offsets are spread, it is what the sorted stream says --- */

static u32 by_definition(struct stream_sample *s, u32 nr)
{
	u32 i, j, sum = 0;

	for (i = 1; i < nr; i++)
		for (j = i; j && below(&s[j], &s[j - 1]); j--)
			swap(s[j], s[j - 1]);
	for (i = 1; i < nr; i++)
		sum += s[i].start - s[i - 1].start != s[i - 1].sectors;
	return (sum * 2ULL * SSDUP_PCT_ONE + nr - 1) / (2 * (nr - 1));
}

static void spread_does_not_count(struct kunit *test)
{
	struct stream_sample *s, *t;
	struct prng r = { 3 };
	u32 round, i, nr;

	s = kunit_kcalloc(test, 2 * MOST, sizeof(*s), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, s);
	t = s + MOST;

	for (round = 0; round < 64 * 8; round++) {
		nr = prng_between(&r, 2, round % 8 ? 130 : MOST);
		for (i = 0; i < nr; i++) {
			/* Clusters, whose distance grows to all of the address space. */
			s[i].start = ((u64)prng_below(&r, 4) << (round / 8)) +
				     prng_below(&r, round % 3 ? nr : 3);
			s[i].sectors = prng_between(&r, 1, 3);
		}
		memcpy(t, s, nr * sizeof(*s));
		KUNIT_ASSERT_EQ(test, ssdup_detector_random_percentage(s, nr),
				by_definition(t, nr));
	}
}

/* --- The patterns of the paper --- */

/*
 * A parallel program as its storage sees it. Whose request comes next is a
 * matter of chance, but a process is never more than @drift requests ahead of
 * the slowest.
 */
struct program {
	struct prng	r;
	u32		processes;
	u32		drift;
	u32		done[PROCESSES];
	struct stream_sample window[WINDOW];
};

static u32 program_next(struct program *p)
{
	u32 i, slowest = U32_MAX;

	for (i = 0; i < p->processes; i++)
		slowest = min(slowest, p->done[i]);
	do
		i = prng_below(&p->r, p->processes);
	while (p->done[i] - slowest > p->drift);

	p->done[i]++;
	return i;
}

/* Segments are far larger than what any test here writes to them. */
#define SEGMENT		((u64)REQUEST << 24)

static struct stream_sample contiguous(struct program *p)
{
	u32 i = program_next(p);

	return (struct stream_sample){ i * SEGMENT + (u64)p->done[i] * REQUEST, REQUEST };
}

static struct stream_sample strided(struct program *p)
{
	u32 i = program_next(p);

	return (struct stream_sample){
		((u64)p->done[i] * p->processes + i) * REQUEST, REQUEST
	};
}

/* Who is ahead of whom does not show. */
static struct stream_sample randomly(struct program *p)
{
	u32 i = prng_below(&p->r, p->processes);

	return (struct stream_sample){
		i * SEGMENT + (u64)prng_below(&p->r, 1U << 24) * REQUEST, REQUEST
	};
}

/* A contiguous and a random program at once, in different files. */
static struct stream_sample mixed(struct program *p)
{
	/*
	 * The paper's 91 of 127 says how many of a stream were random: 15 are
	 * between the 16 segments, so 76 of 128, three in five.
	 */
	if (prng_below(&p->r, 5) < 3) {
		struct stream_sample s = randomly(p);

		s.start += PROCESSES * SEGMENT;
		return s;
	}
	return contiguous(p);
}

struct pattern_case {
	const char *name;
	struct stream_sample (*next)(struct program *p);
	u32 processes;
	u32 drift;
	u32 mean;		/* of many streams, in 1/10000 */
	u32 within;
	u32 least, most;	/* of any stream */
};

static const struct pattern_case pattern_cases[] = {
	/* Figure 5, 16 processes. */
	{ "contiguous", contiguous, 16, 12, 1181, 0, 1181, 1181 },
	{ "contiguous, in step", contiguous, 16, 0, 1181, 0, 1181, 1181 },
	{ "strided", strided, 16, 12, 4488, 150, 1500, 7500 },
	{ "random", randomly, 16, 12, 10000, 0, 10000, 10000 },
	{ "contiguous x random", mixed, 16, 12, 7165, 200, 5500, 9000 },

	/* In step, a strided program is as good as a sequential one. */
	{ "strided, in step", strided, 16, 0, 0, 0, 0, 0 },

	/*
	 * Figure 6, another run of the paper: 7, 15, 28, 46 and 71 per cent,
	 * which a drift of three has but for the last.
	 */
	{ "strided, 8 processes", strided, 8, 3, 700, 300, 0, 2000 },
	{ "strided, 16 processes", strided, 16, 3, 1500, 300, 0, 3000 },
	{ "strided, 32 processes", strided, 32, 3, 2800, 300, 0, 5000 },
	{ "strided, 64 processes", strided, 64, 3, 4600, 300, 0, 7000 },
	{ "strided, 128 processes", strided, 128, 3, 7100, 1000, 0, 9000 },
};

static void pattern_case_desc(const struct pattern_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(pattern, pattern_cases, pattern_case_desc);

static void pattern_percentage(struct kunit *test)
{
	const struct pattern_case *c = test->param_value;
	const u32 streams = 200;
	struct program *p;
	u32 i, j, percentage, mean, sum = 0;

	p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, p);
	p->r.state = 5;
	p->processes = c->processes;
	p->drift = c->drift;

	for (i = 0; i < streams; i++) {
		for (j = 0; j < WINDOW; j++)
			p->window[j] = c->next(p);
		percentage = ssdup_detector_random_percentage(p->window, WINDOW);
		KUNIT_EXPECT_GE(test, percentage, c->least);
		KUNIT_EXPECT_LE(test, percentage, c->most);
		sum += percentage;
	}

	mean = sum / streams;
	KUNIT_EXPECT_GE(test, mean + c->within, c->mean);
	KUNIT_EXPECT_LE(test, mean, c->mean + c->within);
}

static struct kunit_case detector_cases[] = {
	KUNIT_CASE_PARAM(stream_percentage, stream_gen_params),
	KUNIT_CASE(order_does_not_count),
	KUNIT_CASE(comparison_is_an_order),
	KUNIT_CASE(spread_does_not_count),
	KUNIT_CASE_PARAM(pattern_percentage, pattern_gen_params),
	{}
};

static struct kunit_suite detector_suite = {
	.name = "ssdup-detector",
	.test_cases = detector_cases,
};

kunit_test_suite(detector_suite);
