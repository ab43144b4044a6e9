// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: sizes, times, progress, JSON, the status line.
 */
#include <kunit/test.h>

#include "lib/json.h"
#include "lib/progress.h"
#include "lib/state.h"

static const struct size_case {
	const char	*text;
	int		r;
	uint64_t	bytes;
} size_cases[] = {
	{ "0", 0, 0 },
	{ "4096", 0, 4096 },
	{ "512s", 0, 262144 },
	{ "10M", 0, 10485760 },
	{ "10m", 0, 10485760 },
	{ "10MiB", 0, 10485760 },
	{ "10MB", 0, 10000000 },
	{ "1.5G", 0, 1610612736 },
	{ "0.5KiB", 0, 512 },
	{ "2T", 0, 2199023255552 },
	{ "15E", 0, 15ULL << 60 },
	{ "16E", -ERANGE, 0 },
	{ "18446744073709551615", 0, UINT64_MAX },
	{ "18446744073709551616", -ERANGE, 0 },
	{ "", -EINVAL, 0 },
	{ "M", -EINVAL, 0 },
	{ "-1", -EINVAL, 0 },
	{ "+1", -EINVAL, 0 },
	{ " 1", -EINVAL, 0 },
	{ "1 M", -EINVAL, 0 },
	{ "10Mb2", -EINVAL, 0 },
	{ "10MiBs", -EINVAL, 0 },
	{ "10Q", -EINVAL, 0 },
	{ "1.", -EINVAL, 0 },
	{ "1.5", -EINVAL, 0 },
	{ "0x10", -EINVAL, 0 },
	{ "1e3", -EINVAL, 0 },
};

static void sizes_are_read(struct kunit *test)
{
	uint64_t bytes;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(size_cases); i++) {
		const struct size_case *c = &size_cases[i];
		int r = parse_size(c->text, &bytes);

		KUNIT_EXPECT_EQ_MSG(test, r, c->r, "%s", c->text);
		if (!r)
			KUNIT_EXPECT_EQ_MSG(test, bytes, c->bytes, "%s", c->text);
	}
}

static const struct text_case {
	uint64_t	value;
	const char	*text;
} written[] = {
	{ 0, "0 B" },
	{ 1023, "1023 B" },
	{ 1024, "1.0 KiB" },
	{ 1536, "1.5 KiB" },
	{ 1048575, "1.0 MiB" },
	{ 1073741823, "1.0 GiB" },
	{ 1072693248, "1023.0 MiB" },
	{ 4398046511104, "4.0 TiB" },
	{ UINT64_MAX, "16.0 EiB" },
}, lasting[] = {
	{ 0, "0 s" },
	{ 59, "59 s" },
	{ 247, "4 min 07 s" },
	{ 3720, "1 h 02 min" },
	{ 359999, "99 h 59 min" },
	{ UINT64_MAX, "over 4 days" },
};

static void sizes_and_times_are_written(struct kunit *test)
{
	char text[SIZE_TEXT];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(written); i++)
		KUNIT_EXPECT_STREQ(test, format_size(text, written[i].value), written[i].text);
	for (i = 0; i < ARRAY_SIZE(lasting); i++)
		KUNIT_EXPECT_STREQ(test, format_time(text, lasting[i].value), lasting[i].text);
}

static void rates_look_back_some_seconds(struct kunit *test)
{
	struct rate r = { };
	uint64_t ms;

	KUNIT_EXPECT_EQ(test, rate_now(&r), 0);
	/* Fast at first, then 100 a second, seen every 200 ms. */
	for (ms = 0; ms < 10000; ms += 200)
		rate_add(&r, ms, ms * 10);
	for (; ms <= 30000; ms += 200)
		rate_add(&r, ms, 100000 + (ms - 10000) / 10);
	KUNIT_EXPECT_EQ(test, rate_now(&r), 100);
	/* Rare looks count too, and a counter that was cleared begins anew. */
	rate_add(&r, 90000, 108000);
	KUNIT_EXPECT_EQ(test, rate_now(&r), 100);
	rate_add(&r, 91000, 5);
	KUNIT_EXPECT_EQ(test, rate_now(&r), 0);
	rate_add(&r, 93000, 25);
	KUNIT_EXPECT_EQ(test, rate_now(&r), 10);
}

static void progress_fits_the_line(struct kunit *test)
{
	struct progress p = { };
	unsigned int columns;
	char text[256];

	progress_update(&p, 0, 400 << 20, 0);
	progress_update(&p, 2000, 300 << 20, 100 << 20);
	KUNIT_EXPECT_STREQ(test, progress_line(text, sizeof(text), 79, &p),
			   "[#######----------------------]  25 %  300.0 MiB left, 50.0 MiB/s, 6 s");
	KUNIT_EXPECT_STREQ(test, progress_line(text, sizeof(text), 40, &p),
			   " 25 %  300.0 MiB left, 50.0 MiB/s, 6 s");
	KUNIT_EXPECT_STREQ(test, progress_line(text, sizeof(text), 25, &p),
			   " 25 %  300.0 MiB left");
	for (columns = 0; columns < 200; columns++) {
		progress_line(text, sizeof(text), columns, &p);
		KUNIT_EXPECT_LE(test, strlen(text), columns);
	}
	/* More comes in than goes out, and then all is done. */
	progress_update(&p, 4000, 500 << 20, 150 << 20);
	KUNIT_EXPECT_TRUE(test, strstr(progress_line(text, sizeof(text), 40, &p), "  0 %"));
	progress_update(&p, 6000, 1, 200 << 20);
	KUNIT_EXPECT_TRUE(test, strstr(progress_line(text, sizeof(text), 40, &p), " 99 %"));
	progress_update(&p, 8000, 0, 300 << 20);
	KUNIT_EXPECT_TRUE(test, strstr(progress_line(text, sizeof(text), 40, &p), "100 %"));
}

static void json_is_json(struct kunit *test)
{
	char *text = NULL;
	size_t size;
	struct json j = { .to = open_memstream(&text, &size) };

	json_begin(&j, NULL, '{');
	json_begin(&j, "none", '[');
	json_end(&j, ']');
	json_begin(&j, "some", '[');
	json_text(&j, NULL, "a\"b\\c\n\x01\xc3\xa4\xff\xc0\x80\xed\xa0\x80");
	json_text(&j, NULL, NULL);
	json_number(&j, NULL, UINT64_MAX);
	json_end(&j, ']');
	json_bool(&j, "yes", true);
	json_end(&j, '}');
	fclose(j.to);
	KUNIT_EXPECT_STREQ(test, text, "{\n  \"none\": [],\n  \"some\": [\n"
			   "    \"a\\\"b\\\\c\\u000a\\u0001\xc3\xa4"
			   "\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\",\n    null,\n"
			   "    18446744073709551615\n  ],\n  \"yes\": true\n}\n");
	free(text);
}

static void status_lines_are_read(struct kunit *test)
{
	char line[4096] = "";
	struct state s;
	unsigned int i;

	for (i = 0; i < SSDUP_NR_FIELDS; i++)
		sprintf(line + strlen(line), "%s%s %u", i ? " " : "", fields[i].name, i + 1);
	KUNIT_EXPECT_TRUE(test, state_parse(&s, line));
	for (i = 0; i < SSDUP_NR_FIELDS; i++)
		KUNIT_EXPECT_EQ(test, state_field(&s, i), i + 1);
	/* A newer module has fields that we do not know, an older one lacks some. */
	strcat(line, " colour 99");
	KUNIT_EXPECT_TRUE(test, state_parse(&s, line));
	KUNIT_EXPECT_TRUE(test, state_parse(&s, "mode 2 colour 4"));
	KUNIT_EXPECT_EQ(test, s.v.mode, 2);
	KUNIT_EXPECT_EQ(test, s.v.dirty_sectors, 0);
	KUNIT_EXPECT_FALSE(test, state_parse(&s, "colour 4"));
	KUNIT_EXPECT_FALSE(test, state_parse(&s, "Fail"));
	KUNIT_EXPECT_FALSE(test, state_parse(&s, ""));
	KUNIT_EXPECT_FALSE(test, state_parse(&s, "mode"));
	KUNIT_EXPECT_FALSE(test, state_parse(&s, "mode 2 dirty_sectors -1"));
	KUNIT_EXPECT_FALSE(test, state_parse(&s, "mode 2 dirty_sectors 1x"));
	KUNIT_EXPECT_STREQ(test, drain_words(99), "?");
}

static void a_disk_that_is_gone_is_told(struct kunit *test)
{
	struct state s = { .v.mode = MODE_RUNNING };

	KUNIT_EXPECT_NULL(test, state_degraded(&s));
	s.hdd_gone = true;
	KUNIT_EXPECT_STREQ(test, state_degraded(&s), "the HDD is gone");
	s.hdd_gone = false;
	s.ssd_gone = true;
	KUNIT_EXPECT_STREQ(test, state_degraded(&s), "the SSD is gone");
	s.v.mode = MODE_LOG_READ_ONLY;
	KUNIT_EXPECT_STREQ(test, state_degraded(&s), "the SSD is gone");
}

/* Nothing of what takes a moment; then a line that changes, or lines that do not flood. */
static void progress_is_not_said_at_once(struct kunit *test)
{
	struct ticker bar = { .begin = 100, .terminal = true }, lines = { .begin = 100 };

	KUNIT_EXPECT_FALSE(test, ticker_due(&bar, 100));
	KUNIT_EXPECT_FALSE(test, ticker_due(&bar, 2099));
	KUNIT_EXPECT_TRUE(test, ticker_due(&bar, 2100));
	KUNIT_EXPECT_FALSE(test, ticker_due(&bar, 2399));
	KUNIT_EXPECT_TRUE(test, ticker_due(&bar, 2400));
	KUNIT_EXPECT_TRUE(test, ticker_due(&lines, 2100));
	KUNIT_EXPECT_FALSE(test, ticker_due(&lines, 12099));
	KUNIT_EXPECT_TRUE(test, ticker_due(&lines, 12100));
}

static struct kunit_case size_cases_list[] = {
	KUNIT_CASE(sizes_are_read),
	KUNIT_CASE(sizes_and_times_are_written),
	KUNIT_CASE(rates_look_back_some_seconds),
	KUNIT_CASE(progress_fits_the_line),
	KUNIT_CASE(progress_is_not_said_at_once),
	KUNIT_CASE(json_is_json),
	KUNIT_CASE(status_lines_are_read),
	KUNIT_CASE(a_disk_that_is_gone_is_told),
	{}
};

static struct kunit_suite size_suite = {
	.name = "words",
	.test_cases = size_cases_list,
};

kunit_test_suite(size_suite);
