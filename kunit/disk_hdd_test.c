// SPDX-License-Identifier: GPL-2.0-only
/* The mechanics of the modelled hard disk. */
#include <kunit/test.h>
#include "prng.h"
#include "../tools/disks/hdd_model.c"

#define MS	1000000ULL
#define SECOND	(1000 * MS)

static const struct hdd_params hdd_7200 = {
	.sectors = 4096ULL << 11,
	.nominal_sectors = 1000000000000ULL / 512,
	.rpm = 7200,
	.rate_kbps = 180000,
	.seek_track_us = 500,
	.seek_avg_us = 8500,
	.seek_full_us = 16000,
	.turn_us = 200,
	.readahead_us = 40000,
};

static const struct hdd_params hdd_10k_spread = {
	.sectors = 1024ULL << 11,
	.nominal_sectors = 300000000000ULL / 512,
	.rpm = 10000,
	.rate_kbps = 120000,
	.seek_track_us = 300,
	.seek_avg_us = 4500,
	.seek_full_us = 9000,
	.spread = true,
};

struct hdd_case {
	const char *name;
	const struct hdd_params *p;
};

static const struct hdd_case hdd_cases[] = {
	{ "7200 rpm, 1 TB, at the outer edge", &hdd_7200 },
	{ "10000 rpm, 300 GB, spread", &hdd_10k_spread },
};

static void hdd_case_desc(const struct hdd_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(hdd, hdd_cases, hdd_case_desc);

static struct hdd_model *hdd_of(struct kunit *test, const struct hdd_params *p)
{
	struct hdd_model *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, m);
	KUNIT_ASSERT_EQ(test, hdd_model_init(m, p), 0);
	return m;
}

static const struct hdd_params *hdd_param(struct kunit *test)
{
	return ((const struct hdd_case *)test->param_value)->p;
}

/* Within @percent of each other. */
static bool near(u64 a, u64 b, u32 percent)
{
	u64 apart = a > b ? a - b : b - a;

	return apart * 100 <= b * percent;
}

static void hdd_seek_grows(struct kunit *test)
{
	struct hdd_model *m = hdd_of(test, hdd_param(test));
	u64 tracks = div64_u64(hdd_param(test)->nominal_sectors, m->spt) + 1;
	u64 d, last = 0;

	KUNIT_EXPECT_EQ(test, hdd_seek_ns(m, 0), 0ULL);
	for (d = 1; d <= tracks; d += 1 + d / 50) {
		u64 ns = hdd_seek_ns(m, d);

		KUNIT_ASSERT_GE(test, ns, last);
		last = ns;
	}
}

static void hdd_seek_figures(struct kunit *test)
{
	const struct hdd_params *p = hdd_param(test);
	struct hdd_model *m = hdd_of(test, p);
	u64 tracks = div64_u64(p->nominal_sectors, m->spt) + 1;
	struct prng r = { .state = 1 };
	u64 sum = 0;
	unsigned int i;

	for (i = 0; i < 20000; i++) {
		u64 a = prng_below(&r, tracks), b = prng_below(&r, tracks);

		sum += hdd_seek_ns(m, a > b ? a - b : b - a);
	}
	KUNIT_EXPECT_TRUE(test, near(div_u64(sum, 20000), p->seek_avg_us * 1000ULL, 2));
	KUNIT_EXPECT_TRUE(test, near(hdd_seek_ns(m, 1), p->seek_track_us * 1000ULL, 5));
	KUNIT_EXPECT_TRUE(test, near(hdd_seek_ns(m, tracks), p->seek_full_us * 1000ULL, 1));
}

/* Random sectors of a track wait half a revolution, and each wait is as likely. */
static void hdd_rotation_is_half(struct kunit *test)
{
	struct hdd_model *m = hdd_of(test, hdd_param(test));
	struct prng r = { .state = 2 };
	u64 sum = 0, longest = 0;
	unsigned int i;

	for (i = 0; i < 20000; i++) {
		struct hdd_cost cost;
		u64 lba = prng_u64(&r) % hdd_param(test)->sectors;

		hdd_position(m, lba, true, SECOND + prng_below(&r, 1 << 30), &cost);
		KUNIT_ASSERT_LE(test, cost.rotate, m->rev_ns);
		sum += cost.rotate;
		longest = max(longest, cost.rotate);
	}
	KUNIT_EXPECT_TRUE(test, near(div_u64(sum, 20000), m->rev_ns / 2, 2));
	KUNIT_EXPECT_GT(test, longest, m->rev_ns * 99 / 100);
}

struct seq_case {
	const char *name;
	u32 sectors;
	u32 pause_us;
	bool read;
	/* Per cent of the track's rate, at least and at most. */
	u32 least;
	u32 most;
};

static const struct seq_case seq_cases[] = {
	{ "writes of 256 KB back to back", 512, 0, false, 93, 97 },
	{ "writes of 4 KB back to back", 8, 0, false, 93, 97 },
	{ "writes of one sector back to back", 1, 0, false, 93, 97 },
	{ "reads of 256 KB back to back", 512, 0, true, 93, 97 },
	{ "reads of 256 KB with pauses the read-ahead hides", 512, 300, true, 93, 97 },
	{ "writes of 256 KB that come too late for their sector", 512, 300, false, 10, 20 },
};

static void seq_case_desc(const struct seq_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(seq, seq_cases, seq_case_desc);

static void hdd_sequential_rate(struct kunit *test)
{
	const struct seq_case *c = test->param_value;
	struct hdd_model *m = hdd_of(test, &hdd_7200);
	u64 start = SECOND, now = start, lba = 1 << 20, rate;
	struct hdd_cost cost;

	/* The first access positions; it does not count. */
	now = hdd_access(m, lba, c->sectors, c->read, now, &cost);
	lba += c->sectors;
	start = now;
	while (lba < (1 << 20) + (1 << 17)) {
		now += c->pause_us * 1000ULL;
		now = hdd_access(m, lba, c->sectors, c->read, now, &cost);
		lba += c->sectors;
	}
	/* Bytes in a nanosecond are 10^6 kB in a second. */
	rate = div64_u64((lba - (1 << 20) - c->sectors) * 512 * 1000000, now - start);
	KUNIT_EXPECT_GE(test, rate * 100, (u64)hdd_7200.rate_kbps * c->least);
	KUNIT_EXPECT_LE(test, rate * 100, (u64)hdd_7200.rate_kbps * c->most);
}

/* A long transfer takes as long in one piece as in many. */
static void hdd_pieces_add_up(struct kunit *test)
{
	struct hdd_model *one = hdd_of(test, hdd_param(test));
	struct hdd_model *many = hdd_of(test, hdd_param(test));
	struct prng r = { .state = 3 };
	u64 lba = 12345, end = lba + 100000, whole, now = SECOND;
	u32 pieces = 0;
	struct hdd_cost cost;

	whole = hdd_access(one, lba, end - lba, false, now, &cost);
	while (lba < end) {
		u64 n = min_t(u64, prng_between(&r, 1, 3000), end - lba);

		now = hdd_access(many, lba, n, false, now, &cost);
		KUNIT_ASSERT_EQ(test, cost.contiguous, pieces != 0);
		lba += n;
		pieces++;
	}
	/* Each piece rounds down by less than a nanosecond. */
	KUNIT_EXPECT_LE(test, now, whole);
	KUNIT_EXPECT_LE(test, whole - now, (u64)pieces);
}

/* The skew gives the arm just the time to reach the next track. */
static void hdd_skew_hides_track_change(struct kunit *test)
{
	struct hdd_model *m = hdd_of(test, hdd_param(test));
	u64 track;

	for (track = 1; track < 50; track++) {
		u64 end = hdd_angle_ns(m, track * m->spt - 1) + div64_u64(m->rev_ns, m->spt);
		u64 next = hdd_angle_ns(m, track * m->spt);
		u64 gap;

		div64_u64_rem(next + m->rev_ns - end, m->rev_ns, &gap);
		KUNIT_EXPECT_LE(test, m->skew_ns, gap + 4);
		KUNIT_EXPECT_LE(test, gap, m->skew_ns + 4);
	}
}

static void hdd_components_add_up(struct kunit *test)
{
	struct hdd_model *m = hdd_of(test, hdd_param(test));
	struct prng r = { .state = 4 };
	u64 now = SECOND;
	unsigned int i;

	for (i = 0; i < 5000; i++) {
		u64 lba = prng_u64(&r) % (hdd_param(test)->sectors - 2048);
		u64 n = prng_between(&r, 1, 2048), angle, done;
		struct hdd_cost cost;

		now += prng_below(&r, 20 * MS);
		done = hdd_access(m, lba, n, false, now, &cost);
		KUNIT_ASSERT_EQ(test, done, now + cost.seek + cost.rotate + cost.transfer);
		/* The transfer begins when the sector is under the head. */
		div64_u64_rem(now + cost.seek + cost.rotate, m->rev_ns, &angle);
		KUNIT_ASSERT_EQ(test, angle, hdd_angle_ns(m, lba));
		now = done;
	}
}

struct bad_case {
	const char *name;
	struct hdd_params p;
};

static const struct bad_case bad_cases[] = {
	{ "does not turn", { .sectors = 8, .nominal_sectors = 8, .rate_kbps = 1000,
		.seek_track_us = 1, .seek_avg_us = 5, .seek_full_us = 8 } },
	{ "moves no data", { .sectors = 8, .nominal_sectors = 8, .rpm = 7200,
		.seek_track_us = 1, .seek_avg_us = 5, .seek_full_us = 8 } },
	{ "larger than what it stands for", { .sectors = 9, .nominal_sectors = 8, .rpm = 7200,
		.rate_kbps = 1000, .seek_track_us = 1, .seek_avg_us = 5, .seek_full_us = 8 } },
	{ "mean seek longer than the longest", { .sectors = 8, .nominal_sectors = 8, .rpm = 7200,
		.rate_kbps = 1000, .seek_track_us = 1, .seek_avg_us = 9, .seek_full_us = 8 } },
	{ "mean seek a track's", { .sectors = 8, .nominal_sectors = 8, .rpm = 7200,
		.rate_kbps = 1000, .seek_track_us = 1, .seek_avg_us = 1, .seek_full_us = 8 } },
};

static void bad_case_desc(const struct bad_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(bad, bad_cases, bad_case_desc);

static void hdd_refuses(struct kunit *test)
{
	const struct bad_case *c = test->param_value;
	struct hdd_model *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, m);
	KUNIT_EXPECT_EQ(test, hdd_model_init(m, &c->p), -EINVAL);
}

static struct kunit_case disk_hdd_cases[] = {
	KUNIT_CASE_PARAM(hdd_seek_grows, hdd_gen_params),
	KUNIT_CASE_PARAM(hdd_seek_figures, hdd_gen_params),
	KUNIT_CASE_PARAM(hdd_rotation_is_half, hdd_gen_params),
	KUNIT_CASE_PARAM(hdd_sequential_rate, seq_gen_params),
	KUNIT_CASE_PARAM(hdd_pieces_add_up, hdd_gen_params),
	KUNIT_CASE_PARAM(hdd_skew_hides_track_change, hdd_gen_params),
	KUNIT_CASE_PARAM(hdd_components_add_up, hdd_gen_params),
	KUNIT_CASE_PARAM(hdd_refuses, bad_gen_params),
	{}
};

static struct kunit_suite disk_hdd_suite = {
	.name = "disk_hdd",
	.test_cases = disk_hdd_cases,
};

kunit_test_suite(disk_hdd_suite);
