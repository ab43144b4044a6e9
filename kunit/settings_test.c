// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>

#include "../dm-ssdup/core/settings.c"

struct value_case {
	const char *name;
	const char *key;
	const char *text;
	bool good;
	u32 value;
};

static const struct value_case value_cases[] = {
	{ "a word", "policy", "none", true, SSDUP_POLICY_NONE },
	{ "no word", "policy", "fast", false },
	{ "part of a word", "policy", "balanc", false },
	{ "a word's number", "policy", "1", false },
	{ "nothing", "policy", "", false },
	{ "no number", "drain_depth", "", false },
	{ "least", "drain_depth", "1", true, 1 },
	{ "below", "drain_depth", "0", false },
	{ "most", "drain_depth", "1024", true, 1024 },
	{ "above", "drain_depth", "1025", false },
	{ "wraps 32 bits", "drain_depth", "4294967297", false },
	{ "wraps 64 bits", "drain_depth", "18446744073709551617", false },
	{ "leading zeros", "drain_depth", "007", true, 7 },
	{ "a sign", "drain_depth", "-1", false },
	{ "a unit", "drain_depth", "1k", false },
	{ "a blank", "drain_depth", " 1", false },
	{ "a power of two", "range_mb", "64", true, 64 },
	{ "no power of two", "range_mb", "63", false },
	{ "zero of a range", "range_mb", "0", false },
	{ "least segment", "segment_mb", "1", true, 1 },
	{ "largest segment", "segment_mb", "256", true, 256 },
	{ "no power of two", "segment_mb", "6", false },
	{ "zero of a segment", "segment_mb", "0", false },
	{ "too large a segment", "segment_mb", "512", false },
	{ "shortest wait", "max_wait_ms", "1", true, 1 },
	{ "longest wait", "max_wait_ms", "60000", true, 60000 },
	{ "no wait", "max_wait_ms", "0", false },
	{ "too long a wait", "max_wait_ms", "60001", false },
	{ "fewest halves", "halves", "2", true, 2 },
	{ "most halves", "halves", "16", true, 16 },
	{ "one half", "halves", "1", false },
};

static void value_desc(const struct value_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(value, value_cases, value_desc);

static void values(struct kunit *test)
{
	const struct value_case *c = test->param_value;
	u32 value = U32_MAX;

	KUNIT_EXPECT_EQ(test, ssdup_settings_value(ssdup_settings_find(c->key), c->text, &value),
			c->good);
	if (c->good)
		KUNIT_EXPECT_EQ(test, value, c->value);
}

/* A message names its key and all its words, and what is preset could have been given. */
static void keys_are_sound(struct kunit *test)
{
	const struct ssdup_settings_key *key;
	struct ssdup_settings set;
	u32 i, j, value, seen = 0;

	ssdup_settings_preset(&set);
	KUNIT_EXPECT_EQ(test, set.given, 0);
	KUNIT_EXPECT_TRUE(test, !ssdup_settings_conflict(&set));
	for (i = 0; (key = ssdup_settings_key(i)); i++) {
		KUNIT_EXPECT_TRUE(test, ssdup_settings_find(key->name) == key);
		KUNIT_EXPECT_EQ(test, seen & ssdup_settings_bit(key), 0);
		seen |= ssdup_settings_bit(key);
		KUNIT_EXPECT_TRUE(test, !strncmp(key->error, key->name, strlen(key->name)));
		for (j = 0; key->words && key->words[j]; j++)
			KUNIT_EXPECT_TRUE(test, strstr(key->error, key->words[j]));
		value = *ssdup_settings_of(&set, key);
		if (!key->words && !key->power)
			KUNIT_EXPECT_TRUE(test, value >= key->min && value <= key->max);
	}
	KUNIT_EXPECT_EQ(test, i, ssdup_settings_nr_keys());
	KUNIT_EXPECT_TRUE(test, !ssdup_settings_find("polic"));
}

static void lines_are_taken(struct kunit *test)
{
	struct ssdup_settings set;

	ssdup_settings_preset(&set);
	KUNIT_EXPECT_EQ(test, ssdup_settings_take(&set, "full", "bypass"), SETTINGS_OK);
	KUNIT_EXPECT_EQ(test, set.full, SSDUP_FULL_BYPASS);
	KUNIT_EXPECT_EQ(test, ssdup_settings_take(&set, "full", "bypass"), SETTINGS_TWICE);
	KUNIT_EXPECT_EQ(test, ssdup_settings_take(&set, "depth", "1"), SETTINGS_UNKNOWN);
	KUNIT_EXPECT_EQ(test, ssdup_settings_take(&set, "halves", "17"), SETTINGS_VALUE);
	KUNIT_EXPECT_EQ(test, set.halves, 2);
	/* What was refused was not given. */
	KUNIT_EXPECT_EQ(test, ssdup_settings_take(&set, "halves", "16"), SETTINGS_OK);
	KUNIT_EXPECT_EQ(test, set.given, ssdup_settings_bit(ssdup_settings_find("full")) |
			ssdup_settings_bit(ssdup_settings_find("halves")));
}

/* What may change while the table is loaded has a file; what a format fixes has none. */
static void keys_with_files(struct kunit *test)
{
	static const struct {
		const char *name;
		bool file;
		u32 preset;
	} rows[] = {
		{ "halves", true, 2 }, { "max_wait_ms", true, 250 },
		{ "segment_mb", false, SSDUP_BY_SIZE }, { "range_mb", false, SSDUP_BY_SIZE },
	};
	const struct ssdup_settings_key *key;
	struct ssdup_settings set;
	u32 i;

	ssdup_settings_preset(&set);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		key = ssdup_settings_find(rows[i].name);
		KUNIT_ASSERT_NOT_NULL(test, key);
		KUNIT_EXPECT_EQ(test, !!key->file, rows[i].file);
		KUNIT_EXPECT_EQ(test, *ssdup_settings_of(&set, key), rows[i].preset);
	}
	/* The sizes that the key takes are those that the format takes. */
	key = ssdup_settings_find("segment_mb");
	KUNIT_EXPECT_EQ(test, key->max * 2048, SSDUP_MAX_SEGMENT_SECTORS);
	KUNIT_EXPECT_GE(test, key->min * 2048, SSDUP_MIN_SEGMENT_SECTORS);
}

static void marks_do_not_cross(struct kunit *test)
{
	struct ssdup_settings set;

	ssdup_settings_preset(&set);
	KUNIT_EXPECT_EQ(test, ssdup_settings_take(&set, "to_hdd_below", "45"), SETTINGS_OK);
	KUNIT_EXPECT_TRUE(test, !ssdup_settings_conflict(&set));
	KUNIT_EXPECT_EQ(test, ssdup_settings_take(&set, "to_ssd_above", "44"), SETTINGS_OK);
	KUNIT_EXPECT_TRUE(test, ssdup_settings_conflict(&set));
}

static struct kunit_case settings_cases[] = {
	KUNIT_CASE_PARAM(values, value_gen_params),
	KUNIT_CASE(keys_are_sound),
	KUNIT_CASE(lines_are_taken),
	KUNIT_CASE(keys_with_files),
	KUNIT_CASE(marks_do_not_cross),
	{}
};

static struct kunit_suite settings_suite = {
	.name = "ssdup-settings",
	.test_cases = settings_cases,
};

kunit_test_suite(settings_suite);
