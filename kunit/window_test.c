// SPDX-License-Identifier: GPL-2.0-only
/* Which disk gets which write, and when: windows. */
#include <kunit/test.h>

#include "core/window.c"

#define MS	1000000ULL
#define NEVER	U64_MAX

#define RUN		BIT(WINDOW_HDD_RUN)
#define SEQUENTIAL	BIT(WINDOW_SEQUENTIAL)
#define NEAR		BIT(WINDOW_HDD_NEAR)
#define SCATTERED	BIT(WINDOW_SCATTERED)
#define LOGGED_NEAR	BIT(WINDOW_SSD_NEAR)
#define LOGGED_RUN	BIT(WINDOW_SSD_RUN)
#define REWRITE		BIT(WINDOW_REWRITE)

/* --- Which writes are sequential --- */

static struct window_map *map_new(struct kunit *test)
{
	struct window_map *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, m);
	return m;
}

static void a_run_stays_at_its_disk(struct kunit *test)
{
	struct window_map *m = map_new(test);

	ssdup_window_note(m, 512, 512, SSDUP_HDD);
	ssdup_window_note(m, 9 * WINDOW_AREA + 512, 512, SSDUP_SSD);
	KUNIT_EXPECT_EQ(test, ssdup_window_kind(m, 1024, 512), WINDOW_HDD_RUN);
	KUNIT_EXPECT_EQ(test, ssdup_window_kind(m, 9 * WINDOW_AREA + 1024, 512), WINDOW_SSD_RUN);
	/* Where nothing has ended, and where a write goes on already. */
	KUNIT_EXPECT_EQ(test, ssdup_window_kind(m, 2048, 512), WINDOW_HDD_NEAR);
	KUNIT_EXPECT_EQ(test, ssdup_window_kind(m, 1024, 512), WINDOW_HDD_NEAR);
}

static void an_area_is_one_disks(struct kunit *test)
{
	const u64 far = 29ULL * WINDOW_AREA;
	struct window_map *m = map_new(test);

	KUNIT_EXPECT_EQ(test, ssdup_window_kind(m, far + 8, 8), WINDOW_SCATTERED);
	ssdup_window_note(m, far + 8, 8, SSDUP_HDD);
	KUNIT_EXPECT_EQ(test, ssdup_window_kind(m, far + 800, 8), WINDOW_HDD_NEAR);
	KUNIT_EXPECT_EQ(test, ssdup_window_kind(m, far - 8, 8), WINDOW_SCATTERED);
	/* The last write counts, however long ago it was. */
	ssdup_window_note(m, far + 800, 8, SSDUP_SSD);
	ssdup_window_note(m, 0, WINDOW_RECENT, SSDUP_HDD);
	KUNIT_EXPECT_EQ(test, ssdup_window_kind(m, far, 8), WINDOW_SSD_NEAR);
	KUNIT_EXPECT_EQ(test, ssdup_window_kind(m, far + WINDOW_AREA - 8, 8), WINDOW_SSD_NEAR);
	KUNIT_EXPECT_EQ(test, ssdup_window_kind(m, far + WINDOW_AREA, 8), WINDOW_SCATTERED);
}

static void an_area_is_a_new_choice(struct kunit *test)
{
	struct window_map *m = map_new(test);

	ssdup_window_note(m, WINDOW_AREA - 512, 512, SSDUP_SSD);
	KUNIT_EXPECT_EQ(test, ssdup_window_kind(m, WINDOW_AREA, 512), WINDOW_SEQUENTIAL);
	/* No write of the run begins where the area does. */
	ssdup_window_note(m, 2 * WINDOW_AREA - 300, 512, SSDUP_SSD);
	KUNIT_EXPECT_EQ(test, ssdup_window_kind(m, 2 * WINDOW_AREA + 212, 512),
			WINDOW_SEQUENTIAL);
	ssdup_window_note(m, 2 * WINDOW_AREA + 212, 512, SSDUP_HDD);
	KUNIT_EXPECT_EQ(test, ssdup_window_kind(m, 2 * WINDOW_AREA + 724, 512), WINDOW_HDD_RUN);
}

/* The first sector of the device goes on with nothing, and old ends are no runs. */
static void what_is_no_run(struct kunit *test)
{
	struct window_map *m = map_new(test);

	KUNIT_EXPECT_EQ(test, ssdup_window_kind(m, 0, 8), WINDOW_SCATTERED);
	ssdup_window_note(m, 0, 8, SSDUP_HDD);
	ssdup_window_note(m, 1ULL << 40, WINDOW_RECENT, SSDUP_HDD);
	KUNIT_EXPECT_EQ(test, ssdup_window_kind(m, 8, 8), WINDOW_HDD_RUN);
	ssdup_window_note(m, 0, 8, SSDUP_HDD);
	ssdup_window_note(m, 1ULL << 40, WINDOW_RECENT + 1, SSDUP_HDD);
	KUNIT_EXPECT_EQ(test, ssdup_window_kind(m, 8, 8), WINDOW_HDD_NEAR);
}

/* --- What was learnt --- */

static void speeds_are_learnt(struct kunit *test)
{
	struct window_speed s = { };
	int i;

	ssdup_window_ended(&s, SSDUP_SSD, WINDOW_HDD_RUN, 4 * MS, WINDOW_UNIT, 4 * WINDOW_UNIT,
			   100);
	KUNIT_EXPECT_EQ(test, s.ns[WINDOW_USE_SSD], 1 * MS);
	KUNIT_EXPECT_EQ(test, s.retry[WINDOW_USE_SSD], 100 + 4 * MS * WINDOW_RETRY);
	for (i = 0; i < 100; i++)
		ssdup_window_ended(&s, SSDUP_SSD, WINDOW_SCATTERED, 2 * MS, WINDOW_UNIT,
				   WINDOW_UNIT, 0);
	KUNIT_EXPECT_GE(test, s.ns[WINDOW_USE_SSD], 19 * MS / 10);
	KUNIT_EXPECT_LE(test, s.ns[WINDOW_USE_SSD], 2 * MS);

	ssdup_window_ended(&s, SSDUP_HDD, WINDOW_SCATTERED, 3 * MS, WINDOW_UNIT, WINDOW_UNIT, 0);
	ssdup_window_ended(&s, SSDUP_HDD, WINDOW_SSD_RUN, 5 * MS, WINDOW_UNIT, WINDOW_UNIT, 0);
	KUNIT_EXPECT_EQ(test, s.ns[WINDOW_USE_SCATTERED], 3 * MS);
	KUNIT_EXPECT_EQ(test, s.ns[WINDOW_USE_RUNS], 5 * MS);
}

/* How many writes of 256 KiB an SSD is given: @way and @each are us. */
static u32 writes_at_ssd(u32 way, u32 each)
{
	struct window_speed s = { };
	u32 i, nr, window = 1;

	for (i = 0; i < 1000; i++) {
		nr = i % 100 ? window : 1;
		/* With many of them in flight, the disk is busy all the time. */
		ssdup_window_ended(&s, SSDUP_SSD, WINDOW_SCATTERED,
				   max(way + each, nr * each) * 1000ULL, WINDOW_UNIT,
				   nr * WINDOW_UNIT, 0);
		window = DIV_ROUND_UP(max(s.window, WINDOW_SSD), WINDOW_UNIT);
	}
	return window;
}

static void write_alone(struct window_speed *s, u32 us)
{
	ssdup_window_ended(s, SSDUP_SSD, WINDOW_SCATTERED, us * 1000ULL, WINDOW_UNIT, WINDOW_UNIT,
			   0);
}

/* What a write takes alone is the least of them: others met reads, or an SSD that slept. */
static void a_slow_write_alone_says_little(struct kunit *test)
{
	struct window_speed s = { };
	u32 i;

	write_alone(&s, 5000);
	write_alone(&s, 100);
	KUNIT_EXPECT_EQ(test, s.alone, 100 * 1000);
	write_alone(&s, 5000);
	KUNIT_EXPECT_LE(test, s.alone, 120 * 1000);
	/* One that has become slower is believed in the end. */
	for (i = 0; i < 100; i++)
		write_alone(&s, 300);
	KUNIT_EXPECT_GE(test, s.alone, 290 * 1000);
}

static void the_window_fits_the_ssd(struct kunit *test)
{
	/* SATA: a second write at once gains next to nothing. */
	KUNIT_EXPECT_EQ(test, writes_at_ssd(60, 570), 1);
	/* A hard disk, or an SSD that collects garbage. */
	KUNIT_EXPECT_EQ(test, writes_at_ssd(5000, 1500), 1);
	/* With one at once these are idle most of the time: 3 and 6.7 GB/s. */
	KUNIT_EXPECT_EQ(test, writes_at_ssd(142, 86), 4);
	KUNIT_EXPECT_EQ(test, writes_at_ssd(80, 39), 4);
	/* However long the way is, nobody waits for more than half a millisecond of work. */
	KUNIT_EXPECT_EQ(test, writes_at_ssd(400, 60), 9);
	KUNIT_EXPECT_EQ(test, writes_at_ssd(2000, 39), 1);
}

/* --- The choice --- */

/* An HDD that takes so many times 100 us, and an SSD. */
#define SPEEDS(_runs, _scattered, _ssd) {					\
	.ns = { (_runs) * MS / 10, (_scattered) * MS / 10, (_ssd) * MS / 10 },	\
	.retry = { NEVER, NEVER, NEVER } }

static const struct window_speed usual = SPEEDS(30, 40, 10);
static const struct window_speed array = SPEEDS(5, 5, 10);
static const struct window_speed hopeless = SPEEDS(330, 330, 10);
static const struct window_speed slow_ssd = SPEEDS(10, 10, 330);
static const struct window_speed due = { .ns = { 33 * MS, 33 * MS, MS } };
static const struct window_speed new_disks;
static const struct window_first waited_4ms[WINDOW_KINDS] = {
	[0 ... WINDOW_KINDS - 1] = { .waited = 4 } };
/* What is scattered has the lowest place, and the SSD's run the earliest turn. */
static const struct window_first places[WINDOW_KINDS] = {
	[WINDOW_HDD_RUN]	= { { 2 * WINDOW_TURN, 0, 800 } },
	[WINDOW_SEQUENTIAL]	= { { 2 * WINDOW_TURN, 0, 700 } },
	[WINDOW_HDD_NEAR]	= { { 2 * WINDOW_TURN, 0, 600 } },
	[WINDOW_SCATTERED]	= { { WINDOW_TURN, 0, 100 } },
	[WINDOW_SSD_NEAR]	= { { WINDOW_TURN, 0, 400 } },
	[WINDOW_SSD_RUN]	= { { 0, 0, 500 } },
	[WINDOW_REWRITE]	= { { 0, 0, 0 } },
};

/* The later their turn the longer they have waited. */
static const struct window_first late_ones[WINDOW_KINDS] = {
	[WINDOW_HDD_RUN]	= { { 0, 0, 0 }, 250 },
	[WINDOW_SCATTERED]	= { { WINDOW_TURN, 0, 0 }, 251 },
	[WINDOW_REWRITE]	= { { 2 * WINDOW_TURN, 0, 0 }, 252 },
	[WINDOW_SSD_RUN]	= { { 3 * WINDOW_TURN, 0, 0 }, 249 },
};

static const struct choose_case {
	const char		*name;
	struct window_facts	facts;
	int			disk;		/* -1: nothing is sent */
	enum window_kind	kind;
} choose_cases[] = {
	{ "nothing waits", { &usual, .room = true }, -1 },
	{ "an idle SSD takes what is scattered", { &usual, .waiting = SCATTERED, .room = true },
	  SSDUP_SSD, WINDOW_SCATTERED },
	{ "an idle SSD takes the HDD's run", { &usual, .waiting = RUN, .room = true },
	  SSDUP_SSD, WINDOW_HDD_RUN },
	{ "but not before its own, and what is scattered: of these the lowest place",
	  { &usual, .waiting = RUN | SEQUENTIAL | SCATTERED | LOGGED_RUN, .room = true },
	  SSDUP_SSD, WINDOW_SCATTERED },
	{ "of its own, too", { &usual, .waiting = RUN | LOGGED_NEAR | LOGGED_RUN, .room = true },
	  SSDUP_SSD, WINDOW_SSD_NEAR },
	{ "the HDD goes on with its run beside a busy SSD",
	  { &usual, .waiting = RUN | SCATTERED, .ssd = 8, .room = true },
	  SSDUP_HDD, WINDOW_HDD_RUN },
	{ "the SSD's window first", { &usual, .waiting = SCATTERED | SEQUENTIAL,
				      .ssd = WINDOW_SSD - 1, .room = true },
	  SSDUP_SSD, WINDOW_SCATTERED },
	{ "the HDD takes what does not fit", { &usual, .waiting = SCATTERED | SEQUENTIAL,
					       .ssd = WINDOW_SSD, .room = true },
	  SSDUP_HDD, WINDOW_SEQUENTIAL },
	{ "near its own writes first", { &usual, .waiting = SCATTERED | NEAR,
					 .ssd = WINDOW_SSD, .room = true },
	  SSDUP_HDD, WINDOW_HDD_NEAR },
	{ "the SSD goes by place", { &usual, .waiting = SCATTERED | NEAR, .room = true },
	  SSDUP_SSD, WINDOW_SCATTERED },
	{ "and what is scattered", { &usual, .waiting = SCATTERED | LOGGED_RUN,
				     .ssd = WINDOW_SSD, .room = true },
	  SSDUP_HDD, WINDOW_SCATTERED },
	{ "no disk takes the other's run", { &usual, .waiting = LOGGED_RUN, .ssd = WINDOW_SSD,
					     .room = true }, -1 },
	{ "both windows are full", { &usual, .waiting = RUN | SEQUENTIAL | SCATTERED | LOGGED_RUN,
				     .ssd = WINDOW_SSD, .hdd = WINDOW_HDD, .room = true }, -1 },
	{ "a quicker HDD comes first", { &array, .waiting = SCATTERED, .room = true },
	  SSDUP_HDD, WINDOW_SCATTERED },
	{ "with one write at a time", { &array, .waiting = SCATTERED, .hdd = 8, .room = true },
	  SSDUP_SSD, WINDOW_SCATTERED },
	{ "and takes the SSD's run", { &array, .waiting = LOGGED_RUN, .room = true },
	  SSDUP_HDD, WINDOW_SSD_RUN },
	{ "an HDD that adds nothing gets nothing",
	  { &hopeless, .waiting = SEQUENTIAL | SCATTERED, .ssd = WINDOW_SSD, .room = true }, -1 },
	{ "until it is due", { &due, .now = 1, .waiting = SCATTERED, .ssd = WINDOW_SSD,
			       .room = true }, SSDUP_HDD, WINDOW_SCATTERED },
	{ "with one write", { &due, .now = 1, .waiting = SCATTERED, .ssd = WINDOW_SSD, .hdd = 8,
			      .room = true }, -1 },
	{ "an SSD that adds nothing gets nothing",
	  { &slow_ssd, .waiting = LOGGED_RUN, .hdd = WINDOW_HDD, .room = true }, -1 },
	{ "the HDD has its run then", { &slow_ssd, .waiting = LOGGED_RUN, .hdd = 8, .room = true },
	  SSDUP_HDD, WINDOW_SSD_RUN },
	{ "new disks: the SSD", { &new_disks, .waiting = SCATTERED, .room = true },
	  SSDUP_SSD, WINDOW_SCATTERED },
	{ "new disks: what does not fit", { &new_disks, .waiting = SCATTERED, .ssd = WINDOW_SSD,
					    .room = true }, SSDUP_HDD, WINDOW_SCATTERED },
	{ "nothing direct beside a reader", { &array, .waiting = RUN | SCATTERED, .kept = true,
					      .ssd = WINDOW_SSD, .room = true },
	  SSDUP_SSD, WINDOW_SCATTERED },
	{ "but with a full log", { &usual, .waiting = RUN, .hdd = 8, .kept = true, .cached = true },
	  SSDUP_HDD, WINDOW_HDD_RUN },
	{ "and there is no window then", { &usual, .waiting = RUN, .hdd = WINDOW_HDD, .kept = true,
					   .cached = true }, SSDUP_HDD, WINDOW_HDD_RUN },
	{ "nothing direct beside a pass", { &usual, .waiting = SCATTERED, .pass = true,
					    .ssd = WINDOW_SSD, .room = true }, -1 },
	{ "the SSD goes on meanwhile", { &array, .waiting = SCATTERED, .pass = true,
					 .room = true }, SSDUP_SSD, WINDOW_SCATTERED },
	{ "a full log: all have their turns", { &hopeless, .waiting = SCATTERED | LOGGED_RUN,
						.hdd = WINDOW_HDD - 1, .cached = true },
	  SSDUP_HDD, WINDOW_SSD_RUN },
	{ "a full log: the window", { &usual, .waiting = SCATTERED, .hdd = WINDOW_HDD,
				      .cached = true }, -1 },
	{ "a full log: an HDD without a cache", { &usual, .waiting = SCATTERED }, -1 },
	{ "a full log: nothing is known of it", { &new_disks, .waiting = SCATTERED }, -1 },
	{ "a full log: it is quicker", { &array, .waiting = SCATTERED, .hdd = 8 },
	  SSDUP_HDD, WINDOW_SCATTERED },
	{ "a rewrite needs no window", { &array, .waiting = REWRITE, .ssd = WINDOW_SSD,
					 .room = true }, SSDUP_SSD, WINDOW_REWRITE },
	{ "nor an SSD that is quick", { &slow_ssd, .waiting = REWRITE, .ssd = 8, .room = true },
	  SSDUP_SSD, WINDOW_REWRITE },
	{ "nor does the HDD take it", { &array, .waiting = REWRITE, .cached = true }, -1 },
	{ "a full log: writes wait, since somebody flushes",
	  { &array, .waiting = SCATTERED, .cached = true, .flushes = true }, -1 },
	{ "a pass and an SSD that adds nothing: there is no other",
	  { &slow_ssd, .waiting = SCATTERED, .pass = true, .ssd = 8, .room = true },
	  SSDUP_SSD, WINDOW_SCATTERED },
	{ "a price: the HDD first", { &usual, .waiting = SCATTERED | SEQUENTIAL, .price = 9 * MS,
				      .room = true }, SSDUP_HDD, WINDOW_SEQUENTIAL },
	{ "a price: a write waits", { &usual, .waiting = SEQUENTIAL, .price = 40 * MS,
				      .hdd = WINDOW_HDD, .first = waited_4ms, .room = true }, -1 },
	{ "a price: it has waited", { &usual, .waiting = SEQUENTIAL, .price = 36 * MS,
				      .hdd = WINDOW_HDD, .first = waited_4ms, .room = true },
	  SSDUP_SSD, WINDOW_SEQUENTIAL },
	{ "a price: dearer for the HDD", { &usual, .waiting = SCATTERED, .price = 40 * MS,
					   .hdd = WINDOW_HDD, .first = waited_4ms, .room = true },
	  SSDUP_SSD, WINDOW_SCATTERED },
	{ "a price: too dear for the HDD", { &usual, .waiting = SCATTERED, .price = 9 * MS,
					     .room = true }, SSDUP_SSD, WINDOW_SCATTERED },
	{ "a price: but not beside a reader", { &usual, .waiting = SEQUENTIAL, .price = 5 * MS,
						.kept = true, .room = true },
	  SSDUP_SSD, WINDOW_SEQUENTIAL },
	{ "no budget", { &usual, .waiting = SCATTERED, .price = PRICE_NEVER, .hdd = WINDOW_HDD,
			 .first = waited_4ms, .room = true }, -1 },
	{ "no budget: not beside a reader", { &usual, .waiting = SCATTERED, .price = PRICE_NEVER,
					      .kept = true, .room = true },
	  SSDUP_HDD, WINDOW_SCATTERED },
	{ "no budget: rewrites", { &usual, .waiting = REWRITE, .price = PRICE_NEVER,
				   .room = true }, SSDUP_SSD, WINDOW_REWRITE },
	{ "who has waited too long has no window",
	  { &usual, .waiting = RUN | SCATTERED | LOGGED_RUN, .hdd = WINDOW_HDD, .ssd = WINDOW_SSD,
	    .first = late_ones, .room = true }, SSDUP_SSD, WINDOW_SCATTERED },
	{ "but a price without end", { &usual, .waiting = SCATTERED, .hdd = WINDOW_HDD,
				       .first = late_ones, .price = PRICE_NEVER, .room = true },
	  -1 },
	{ "with the log full, it comes first at the HDD",
	  { &usual, .waiting = RUN | SCATTERED | REWRITE, .first = late_ones, .cached = true },
	  SSDUP_HDD, WINDOW_SCATTERED },
	{ "but not beyond its window",
	  { &usual, .waiting = RUN | SCATTERED | REWRITE, .hdd = WINDOW_HDD, .first = late_ones,
	    .cached = true }, -1 },
	{ "who waits for less comes in turn",
	  { &usual, .waiting = RUN | LOGGED_RUN, .first = late_ones, .cached = true },
	  SSDUP_HDD, WINDOW_HDD_RUN },
};

static void choose_case_name(const struct choose_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(choose, choose_cases, choose_case_name);

static void who_is_sent_where(struct kunit *test)
{
	const struct choose_case *c = test->param_value;
	struct window_choice choice;
	struct window_facts f = c->facts;
	bool any;

	f.first = f.first ?: places;
	any = ssdup_window_choose(&f, &choice);

	KUNIT_ASSERT_EQ(test, any, c->disk >= 0);
	if (!any)
		return;
	KUNIT_EXPECT_EQ(test, choice.disk, c->disk);
	KUNIT_EXPECT_EQ(test, choice.kind, c->kind);
}

/* Turns that are nearly the same go by place, but a low one does not keep others waiting. */
static void who_comes_first(struct kunit *test)
{
	const struct window_turn low = { WINDOW_TURN - 1, WINDOW_AGE - 1, 8 };
	const struct window_turn high = { 0, 0, 4096 }, late = { WINDOW_TURN, 0, 0 };
	const struct window_turn young = { 0, WINDOW_AGE, 0 };

	KUNIT_EXPECT_TRUE(test, ssdup_window_before(low, high));
	KUNIT_EXPECT_FALSE(test, ssdup_window_before(high, low));
	KUNIT_EXPECT_FALSE(test, ssdup_window_before(low, low));
	KUNIT_EXPECT_TRUE(test, ssdup_window_before(high, late));
	KUNIT_EXPECT_FALSE(test, ssdup_window_before(late, low));
	KUNIT_EXPECT_TRUE(test, ssdup_window_before(high, young));
	KUNIT_EXPECT_FALSE(test, ssdup_window_before(young, low));
	KUNIT_EXPECT_TRUE(test, ssdup_window_before(young, late));
}

static void the_earliest_of_all(struct kunit *test)
{
	struct window_facts f = { &usual, .first = places };

	f.waiting = RUN | SEQUENTIAL | SCATTERED;
	KUNIT_EXPECT_EQ(test, ssdup_window_earliest(&f), WINDOW_SCATTERED);
	f.waiting = WINDOW_ALL;
	KUNIT_EXPECT_EQ(test, ssdup_window_earliest(&f), WINDOW_REWRITE);
}

/* What is timed: all but small ones at the SSD, some of these wherever they are, who tries it. */
static void which_are_timed(struct kunit *test)
{
	static const struct window_speed later = { .retry = { NEVER, NEVER, 100 } };
	u32 stride, start, nr;

	for (stride = 8; stride <= 2048; stride *= 4) {
		for (nr = 0, start = 8; start < 8192 * stride; start += stride) {
			KUNIT_EXPECT_TRUE(test,
					  ssdup_window_times(&later, SSDUP_HDD, start, 8, 99));
			nr += ssdup_window_times(&later, SSDUP_SSD, start, 8, 99);
		}
		KUNIT_EXPECT_GT(test, nr, 900);
		KUNIT_EXPECT_LT(test, nr, 1150);
	}
	for (start = 0; start < 64; start += 8) {
		KUNIT_EXPECT_TRUE(test, ssdup_window_times(&later, SSDUP_SSD, start, 64, 99));
		KUNIT_EXPECT_TRUE(test, ssdup_window_times(&later, SSDUP_SSD, start, 8, 100));
	}
}

static void a_full_log_is_drained(struct kunit *test)
{
	struct window_facts f = { &usual, .waiting = SCATTERED };

	KUNIT_EXPECT_TRUE(test, ssdup_window_drains(&f));
	/* What goes to the HDD needs no drain, and nobody neither. */
	f.cached = true;
	KUNIT_EXPECT_FALSE(test, ssdup_window_drains(&f));
	f = (struct window_facts){ &array, .waiting = SCATTERED };
	KUNIT_EXPECT_FALSE(test, ssdup_window_drains(&f));
	f = (struct window_facts){ &usual };
	KUNIT_EXPECT_FALSE(test, ssdup_window_drains(&f));
	f = (struct window_facts){ &array, .waiting = SCATTERED, .cached = true, .flushes = true };
	KUNIT_EXPECT_TRUE(test, ssdup_window_drains(&f));
	/* A rewrite needs one, whatever the HDD is. */
	f = (struct window_facts){ &array, .waiting = REWRITE, .cached = true };
	KUNIT_EXPECT_TRUE(test, ssdup_window_drains(&f));
}

/* Whatever was learnt: with nothing in flight, a write is sent or a pass is due. */
static void no_write_is_stuck(struct kunit *test)
{
	static const u64 times[] = { 0, 1, MS, 17 * MS, 1000 * MS };
	struct window_speed s = { };
	struct window_facts f = { &s, .first = places };
	struct window_choice c;
	u32 i, kind;

	for (i = 0; i < 5 * 5 * 32; i++) {
		s.ns[WINDOW_USE_RUNS] = times[i % 5];
		s.ns[WINDOW_USE_SCATTERED] = times[i % 5];
		s.ns[WINDOW_USE_SSD] = times[i / 5 % 5];
		s.retry[WINDOW_USE_RUNS] = i / 25 & 1 ? NEVER : 0;
		s.retry[WINDOW_USE_SCATTERED] = s.retry[WINDOW_USE_RUNS];
		s.retry[WINDOW_USE_SSD] = i / 25 & 2 ? NEVER : 0;
		f.kept = i / 25 & 4;
		f.room = i / 25 & 8;
		f.cached = i / 25 & 16;
		for (kind = 0; kind < WINDOW_KINDS; kind++) {
			f.waiting = BIT(kind);
			KUNIT_EXPECT_TRUE(test, ssdup_window_choose(&f, &c) ||
					  (!f.room && ssdup_window_drains(&f)));
		}
	}
}

static struct kunit_case window_cases[] = {
	KUNIT_CASE(a_run_stays_at_its_disk),
	KUNIT_CASE(an_area_is_a_new_choice),
	KUNIT_CASE(an_area_is_one_disks),
	KUNIT_CASE(what_is_no_run),
	KUNIT_CASE(speeds_are_learnt),
	KUNIT_CASE(a_slow_write_alone_says_little),
	KUNIT_CASE(the_window_fits_the_ssd),
	KUNIT_CASE_PARAM(who_is_sent_where, choose_gen_params),
	KUNIT_CASE(who_comes_first),
	KUNIT_CASE(the_earliest_of_all),
	KUNIT_CASE(which_are_timed),
	KUNIT_CASE(a_full_log_is_drained),
	KUNIT_CASE(no_write_is_stuck),
	{}
};

static struct kunit_suite window_suite = {
	.name = "ssdup-window",
	.test_cases = window_cases,
};

kunit_test_suite(window_suite);
