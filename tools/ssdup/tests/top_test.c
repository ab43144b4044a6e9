// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup top: the screen, in a terminal of the usual size, in a small one, and in any.
 */
#include <kunit/test.h>

#include "lib/topview.h"

static struct top_view view;

/* A look at a device that drains segments while another one is open. */
static struct state busy(unsigned int at)
{
	struct state s = {
		.name = xstrdup("fast"),
		.log_uuid = xstrdup("0123"),
		.sectors = 2097152ULL << 10,
		.segment_sectors = 8192,
		.v = {
			.policy = 4, .route = 1, .random_percentage_1e4 = 6234,
			.threshold_1e4 = 4521, .segments = 512, .segments_sealed = 300,
			.open_fill_1e4 = 3400, .dirty_sectors = 2800000, .extents = 12345,
			.drain_state = DRAIN_COPIES, .streams = at,
			.write_sectors_ssd = 400000ULL * at, .write_sectors_hdd = 200000ULL * at,
			.reads_ssd = 25 * at, .reads_hdd = 75 * at,
			.read_sectors_ssd = 2000 * at, .read_sectors_hdd = 6000 * at,
			.drained_sectors = 300000ULL * at,
		},
	};

	return s;
}

static void look_at(struct state s, unsigned int at)
{
	static const char * const what[] = { "HDD", "SSD", "device" };
	static const char * const name[] = { "sda", "nvme0n1", "dm-0" };
	struct disk_counters c[3] = {
		{ 6000ULL * at, 500000ULL * at, 3, 1960ULL * at, 6400ULL * at },
		{ 302000ULL * at, 400000ULL * at, 1, 800ULL * at, 2100ULL * at },
		{ 8000ULL * at, 600000ULL * at, 2, 2000ULL * at, 4000ULL * at },
	};
	unsigned int i;

	for (i = 0; i < 3; i++) {
		view.disk[i].what = what[i];
		snprintf(view.disk[i].name, sizeof(view.disk[i].name), "%s", name[i]);
	}
	snprintf(view.clock, sizeof(view.clock), "12:34:56");
	top_look(&view, 2000ULL * at, &s, c);
}

static void begin(void)
{
	state_free(&view.now);
	memset(&view, 0, sizeof(view));
}

/* The screen as lines without blanks at their ends. */
static char *laid_out(unsigned int rows, unsigned int columns)
{
	char *text = calloc(1, (size_t)rows * (columns + 1) + 1), *p = text;
	struct screen s;
	unsigned int row, len;

	screen_make(&s, rows, columns);
	top_layout(&view, &s);
	for (row = 0; row < s.rows; row++) {
		const char *line = s.cell + row * s.columns;

		for (len = s.columns; len && line[len - 1] == ' '; len--)
			;
		memcpy(p, line, len);
		p += len;
		*p++ = '\n';
	}
	screen_free(&s);
	return text;
}

static void expect_screen(struct kunit *test, unsigned int rows, unsigned int columns,
			  const char *want)
{
	char *got = laid_out(rows, columns);

	KUNIT_EXPECT_TRUE_MSG(test, !strcmp(got, want), "got:\n%s", got);
	free(got);
}

static void look_thrice(struct state (*device)(unsigned int at))
{
	unsigned int i;

	begin();
	for (i = 1; i <= 3; i++)
		look_at(device(i), i);
}

static void the_usual_terminal(struct kunit *test)
{
	look_thrice(busy);
	expect_screen(test, 24, 80,
		      "fast: running, policy balance, 1.0 TiB                                  12:34:56\n"
		      "                            read/s       write/s    queue  busy\n"
		      "HDD       sda               1.5 MB      128.0 MB      3.2   98 % [############-]\n"
		      "SSD       nvme0n1          77.3 MB      102.4 MB      1.0   40 % [#####--------]\n"
		      "device    dm-0              2.0 MB      153.6 MB      2.0  100 % [#############]\n"
		      "\n"
		      "segments  open      [###############-----------------------------] 34 % full\n"
		      "          sealed    [##########################------------------] 300 of 512\n"
		      "dirty     1.3 GiB of 2.0 GiB, 12345 extents\n"
		      "drain     copies to the HDD: 76.8 MB/s, 1.3 GiB left, 19 s\n"
		      "\n"
		      "writes    SSD  66 % (102.4 MB/s), HDD  34 % (51.2 MB/s); stream to the SSD\n"
		      "reads     SSD  25 % (0.5 MB/s), HDD  75 % (1.5 MB/s); 25 % hits\n"
		      "waiting   no write\n"
		      "random %  of the last stream (*) over time, threshold (-): 62 %, 45 %\n"
		      "100 |\n"
		      "    |\n"
		      "    |                                                                         **\n"
		      " 50 |                                                                        ---\n"
		      "    |\n"
		      "    |\n"
		      "  0 |\n"
		      "\n"
		      "q quit   Tab next device   + - faster or slower   Space look now\n");
	begin();
}

/* In 2 s, the first class gets 100 MB, and the second one drains 60 MB. */
static void look_at_two_classes(unsigned int at)
{
	struct class_line k[2] = {
		{ "default", "soon", { 2097152, 195313ULL * at, 0, 0 } },
		{ "scratch", "late", { 8192, 8192, 117188ULL * at, 0 } },
	};

	top_look_at_classes(&view, k, 2);
}

static void classes_are_shown(struct kunit *test)
{
	static const char two_classes[] =
		"classes   default         soon: 1.0 GiB, 50.0 MB/s written, 0.0 MB/s drained\n"
		"          scratch         late: 4.0 MiB, 0.0 MB/s written, 30.0 MB/s drained\n";
	char *text;

	begin();
	look_at(busy(1), 1);
	look_at_two_classes(1);
	text = laid_out(24, 80);
	KUNIT_EXPECT_TRUE_MSG(test, strstr(text, "default         soon: 1.0 GiB, 0.0 MB/s written"),
			      "got:\n%s", text);
	free(text);
	look_at(busy(2), 2);
	look_at_two_classes(2);
	text = laid_out(24, 80);
	KUNIT_EXPECT_TRUE_MSG(test, strstr(text, two_classes), "got:\n%s", text);
	free(text);
	text = laid_out(24, 40);
	KUNIT_EXPECT_TRUE_MSG(test, strstr(text, "classes   default: 1.0 GiB\n"
						 "          scratch: 4.0 MiB\n"), "got:\n%s", text);
	free(text);
	/* Drained, and activated anew with one. */
	top_look_at_classes(&view, NULL, 0);
	text = laid_out(24, 80);
	KUNIT_EXPECT_FALSE(test, strstr(text, "classes"));
	free(text);
	begin();
}

static void a_small_terminal(struct kunit *test)
{
	look_thrice(busy);
	expect_screen(test, 10, 40,
		      "fast: running, policy balance   12:34:56\n"
		      "HDD           1.5 MB   128.0 MB    3.2\n"
		      "SSD          77.3 MB   102.4 MB    1.0\n"
		      "device        2.0 MB   153.6 MB    2.0\n"
		      "segments  open      [#---] 34 % full\n"
		      "          sealed    [##--] 300 of 512\n"
		      "dirty     1.3 GiB of 2.0 GiB\n"
		      "drain     copies to the HDD: 76.8 MB/s\n"
		      "writes    SSD 66 %, HDD 34 %; SSD now\n"
		      "waiting   no write\n");
	expect_screen(test, 5, 40, "40x5 is too small,\n38x8 will do\n\n\n\n");
	begin();
}

/* Every line that says something, at once. */
static struct state troubled(unsigned int at)
{
	struct state s = busy(at);

	s.v.segments = 16;
	s.v.segments_sealed = 9;
	s.v.segments_free = 6;
	s.v.mode = MODE_LOG_READ_ONLY;
	s.v.ssd_errors = 3;
	s.v.lost_extents = 2;
	s.v.waiting_writes = 17;
	s.v.wait_cause = 1;
	s.v.waiting_flushes = 2;
	return s;
}

static void troubles_are_shown(struct kunit *test)
{
	char *text;

	look_thrice(troubled);
	text = laid_out(24, 80);
	KUNIT_EXPECT_TRUE_MSG(test, strstr(text, "the log is read-only: the SSD has refused"),
			      "got:\n%s", text);
	KUNIT_EXPECT_TRUE(test, strstr(text, "17 writes for a free segment; 2 flushes"));
	KUNIT_EXPECT_TRUE(test, strstr(text, "SSD 3, HDD 0; HDD has refused 0 blocks, 2 lost"));
	KUNIT_EXPECT_TRUE(test, strstr(text, "9 of 16"));
	free(text);
	text = laid_out(8, 38);
	KUNIT_EXPECT_TRUE_MSG(test, strstr(text, "the log is read-only"), "got:\n%s", text);
	KUNIT_EXPECT_TRUE(test, strstr(text, "17 writes for a free segment"));
	free(text);
	begin();
}

/* ASan looks on: nothing is written beside the screen, whatever its size. */
static void any_terminal(struct kunit *test)
{
	unsigned int i, rows, columns;

	begin();
	for (i = 1; i <= TOP_HISTORY + 50; i++) {
		look_at(i & 1 ? troubled(i) : busy(i), i);
		look_at_two_classes(i);
	}
	for (rows = 0; rows < 60; rows++)
		for (columns = 0; columns < 200; columns += columns < 90 ? 1 : 13)
			free(laid_out(rows, columns));
	free(laid_out(100000, 3));
	/* Numbers that cannot be, of a module that is not ours. */
	memset(&view.now.v, 0xff, sizeof(view.now.v));
	free(laid_out(24, 80));
	begin();
}

static void counters_may_go_back(struct kunit *test)
{
	begin();
	look_at(busy(5), 5);
	look_at(busy(1), 6);
	KUNIT_EXPECT_EQ(test, view.disk[0].write_bps, 500000ULL * 512 / 2);
	view.disk[0].last.write_sectors = UINT64_MAX;
	look_at(busy(2), 7);
	KUNIT_EXPECT_EQ(test, view.disk[0].write_bps, 0);
	begin();
}

static void disk_files_are_read(struct kunit *test)
{
	struct disk_counters c;

	KUNIT_EXPECT_TRUE(test, disk_parse(&c, "  10 1 20 3   40 5 60 7   8 9 100 11 12 13 14"));
	KUNIT_EXPECT_EQ(test, c.read_sectors, 20);
	KUNIT_EXPECT_EQ(test, c.write_sectors, 60);
	KUNIT_EXPECT_EQ(test, c.inflight, 8);
	KUNIT_EXPECT_EQ(test, c.busy_ms, 9);
	KUNIT_EXPECT_EQ(test, c.queue_ms, 100);
	KUNIT_EXPECT_FALSE(test, disk_parse(&c, "1 2 3"));
}

static struct kunit_case top_cases[] = {
	KUNIT_CASE(the_usual_terminal),
	KUNIT_CASE(classes_are_shown),
	KUNIT_CASE(a_small_terminal),
	KUNIT_CASE(troubles_are_shown),
	KUNIT_CASE(any_terminal),
	KUNIT_CASE(counters_may_go_back),
	KUNIT_CASE(disk_files_are_read),
	{}
};

static struct kunit_suite top_suite = {
	.name = "top",
	.test_cases = top_cases,
};

kunit_test_suite(top_suite);
