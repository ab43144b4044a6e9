// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>

#include "core/settings.c"

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
	{ "no number", "autocommit_ms", "", false },
	{ "least", "autocommit_ms", "1", true, 1 },
	{ "below", "autocommit_ms", "0", false },
	{ "most", "autocommit_ms", "3600000", true, 3600000 },
	{ "above", "autocommit_ms", "3600001", false },
	{ "wraps 32 bits", "autocommit_ms", "4294967297", false },
	{ "wraps 64 bits", "autocommit_ms", "18446744073709551617", false },
	{ "leading zeros", "autocommit_ms", "007", true, 7 },
	{ "a sign", "autocommit_ms", "-1", false },
	{ "a unit", "autocommit_ms", "1k", false },
	{ "a blank", "autocommit_ms", " 1", false },
	{ "an equal part", "max_mb", "0", true, 0 },
	{ "largest log", "max_mb", "67108864", true, 67108864 },
	{ "too large a log", "max_mb", "67108865", false },
	{ "no budget", "ssd_budget", "0", true, 0 },
	{ "megabytes", "ssd_budget", "200M", true, 200 },
	{ "gigabytes", "ssd_budget", "200G", true, 200 << 10 },
	{ "terabytes", "ssd_budget", "2047T", true, 2047 << 20 },
	{ "too many terabytes", "ssd_budget", "2048T", false },
	{ "bytes without a unit", "ssd_budget", "200", false },
	{ "another unit", "ssd_budget", "200K", false },
	{ "two units", "ssd_budget", "200GB", false },
	{ "only a unit", "ssd_budget", "G", false },
	{ "parts of bytes", "ssd_budget", "0.5G", false },
	{ "drive writes", "ssd_budget", "3dwpd", true, AMOUNT_DRIVE | 3000 },
	{ "parts of drive writes", "ssd_budget", "0.5dwpd", true, AMOUNT_DRIVE | 500 },
	{ "three digits", "ssd_budget", "12.345dwpd", true, AMOUNT_DRIVE | 12345 },
	{ "four digits", "ssd_budget", "0.1234dwpd", false },
	{ "no digit", "ssd_budget", "1.dwpd", false },
	{ "no drive writes", "ssd_budget", "0.0dwpd", true, 0 },
	{ "other writes", "ssd_budget", "1dwp", false },
	{ "more than drive writes", "ssd_budget", "1dwpds", false },
	{ "most drive writes", "ssd_budget", "100dwpd", true, AMOUNT_DRIVE | 100000 },
	{ "too many drive writes", "ssd_budget", "100.001dwpd", false },
	{ "far too many", "ssd_budget", "4294968dwpd", false },
	{ "a negative budget", "ssd_budget", "-1G", false },
	{ "an empty budget", "ssd_budget", "", false },
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
		if (key->kind != SETTINGS_NUMBER)
			continue;
		for (j = 0; key->words && key->words[j]; j++)
			KUNIT_EXPECT_TRUE(test, strstr(key->error, key->words[j]));
		value = *ssdup_settings_of(&set, key);
		if (!key->words && !key->amount)
			KUNIT_EXPECT_TRUE(test, value >= key->min && value <= key->max);
	}
	KUNIT_EXPECT_EQ(test, i, ssdup_settings_nr_keys());
	KUNIT_EXPECT_TRUE(test, !ssdup_settings_find("polic"));
}

static void lines_are_taken(struct kunit *test)
{
	struct ssdup_settings set;
	u32 i;

	ssdup_settings_preset(&set);
	KUNIT_EXPECT_EQ(test, ssdup_settings_take(&set, "drain", "manual"), SETTINGS_OK);
	KUNIT_EXPECT_EQ(test, set.drain, SSDUP_DRAIN_MANUAL);
	KUNIT_EXPECT_EQ(test, ssdup_settings_take(&set, "drain", "manual"), SETTINGS_TWICE);
	KUNIT_EXPECT_EQ(test, ssdup_settings_take(&set, "depth", "1"), SETTINGS_UNKNOWN);
	KUNIT_EXPECT_EQ(test, ssdup_settings_take(&set, "autocommit_ms", "0"), SETTINGS_VALUE);
	KUNIT_EXPECT_EQ(test, set.autocommit_ms, 1000);
	KUNIT_EXPECT_EQ(test, ssdup_settings_take(&set, "classes", "a:soon"), SETTINGS_VALUE);
	/* What was refused was not given. */
	KUNIT_EXPECT_EQ(test, ssdup_settings_take(&set, "autocommit_ms", "16"), SETTINGS_OK);
	KUNIT_EXPECT_EQ(test, set.given, ssdup_settings_bit(ssdup_settings_find("drain")) |
			ssdup_settings_bit(ssdup_settings_find("autocommit_ms")));
	KUNIT_EXPECT_EQ(test, ssdup_settings_take(&set, "classes", "a+b:late"), SETTINGS_OK);
	KUNIT_EXPECT_EQ(test, set.classes.nr, 3);
	KUNIT_EXPECT_EQ(test, ssdup_settings_take(&set, "classes", "a"), SETTINGS_TWICE);
	/* Two keys may be given again: with the first SSD, eight in all. */
	KUNIT_EXPECT_EQ(test, ssdup_settings_take(&set, "ssd", ""), SETTINGS_VALUE);
	KUNIT_EXPECT_EQ(test, ssdup_settings_take(&set, "mirror", ""), SETTINGS_VALUE);
	for (i = 0; i < SSDUP_MAX_SSDS - 1; i++)
		KUNIT_EXPECT_EQ(test, ssdup_settings_take(&set, i % 2 ? "ssd" : "mirror",
							  "/dev/sdb"), SETTINGS_OK);
	KUNIT_EXPECT_EQ(test, ssdup_settings_take(&set, "ssd", "/dev/sdb"), SETTINGS_VALUE);
	KUNIT_EXPECT_EQ(test, ssdup_settings_take(&set, "mirror", "-"), SETTINGS_VALUE);
}

static void hosts_are_taken(struct kunit *test)
{
	static const u8 host[SSDUP_HOST_BYTES] = {
		0x00, 0xf1, 0xe2, 0xd3, 0xc4, 0xb5, 0xa6, 0x97,
		0x88, 0x79, 0x6a, 0x5b, 0x4c, 0x3d, 0x2e, 0x1f,
	};
	static const char * const wrong[] = {
		"", "node7", "00000000-0000-0000-0000-000000000000",
		"00f1e2d3c4b5a69788796a5b4c3d2e1f", "00f1e2d3-c4b5-a697-8879-6a5b4c3d2e1",
		"00f1e2d3-c4b5-a697-8879-6a5b4c3d2e1f0", "00f1e2d3-c4b5-a697-88796-a5b4c3d2e1f",
		"00f1e2d3-c4b5-a697-8879-6a5b4c3d2e1g", "00f1e2d3-c4b5-a697-8879-6a5b4c3d2e1f ",
		"00F1e2d3-c4b5-a697-8879-6a5b4c3d2e1f",
	};
	struct ssdup_settings set;
	u32 i;

	ssdup_settings_preset(&set);
	KUNIT_EXPECT_TRUE(test, !memchr_inv(set.host, 0, sizeof(set.host)));
	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		KUNIT_EXPECT_EQ_MSG(test, ssdup_settings_take(&set, "host", wrong[i]),
				    SETTINGS_VALUE, "%s", wrong[i]);
	KUNIT_EXPECT_EQ(test, set.given, 0);
	KUNIT_EXPECT_EQ(test, ssdup_settings_take(&set, "host",
						  "00f1e2d3-c4b5-a697-8879-6a5b4c3d2e1f"),
			SETTINGS_OK);
	KUNIT_EXPECT_TRUE(test, !memcmp(set.host, host, sizeof(host)));
	KUNIT_EXPECT_EQ(test, ssdup_settings_take(&set, "override", "2"), SETTINGS_VALUE);
	KUNIT_EXPECT_EQ(test, ssdup_settings_take(&set, "override", "both"), SETTINGS_OK);
	KUNIT_EXPECT_EQ(test, set.override, SSDUP_OVERRIDE_HOST | SSDUP_OVERRIDE_HDD);
}

/* What may change while the table is loaded has a file; what a format fixes has none. */
static void keys_with_files(struct kunit *test)
{
	static const struct {
		const char *name;
		bool file;
		u32 preset;
	} rows[] = {
		{ "autocommit_ms", true, 1000 },
		{ "max_mb", false, 0 },
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
}

/* What a key prints it takes, with the same value. */
static void values_are_printed(struct kunit *test)
{
	static const struct { const char *key, *text, *printed; } rows[] = {
		{ "policy", "none", "none" }, { "autocommit_ms", "7", "7" },
		{ "ssd_budget", "0", "0" },
		{ "ssd_budget", "1M", "1M" }, { "ssd_budget", "1025M", "1025M" },
		{ "ssd_budget", "2048M", "2G" }, { "ssd_budget", "1024G", "1T" },
		{ "ssd_budget", "0.25dwpd", "0.250dwpd" }, { "ssd_budget", "30dwpd", "30.000dwpd" },
	};
	u32 i, value, again;
	char text[16];

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct ssdup_settings_key *key = ssdup_settings_find(rows[i].key);

		KUNIT_ASSERT_TRUE(test, ssdup_settings_value(key, rows[i].text, &value));
		KUNIT_EXPECT_EQ(test, ssdup_settings_text(key, value, text, sizeof(text)),
				strlen(rows[i].printed));
		KUNIT_EXPECT_STREQ(test, text, rows[i].printed);
		KUNIT_ASSERT_TRUE(test, ssdup_settings_value(key, text, &again));
		KUNIT_EXPECT_EQ(test, value, again);
	}
}

static void amounts_are_sectors(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ssdup_settings_sectors(0, 1000), 0);
	KUNIT_EXPECT_EQ(test, ssdup_settings_sectors(3, 1000), 3 * 2048);
	KUNIT_EXPECT_EQ(test, ssdup_settings_sectors(AMOUNT_MAX, 1000), (u64)AMOUNT_MAX * 2048);
	KUNIT_EXPECT_EQ(test, ssdup_settings_sectors(AMOUNT_DRIVE | 500, 6000), 3000);
	/* Some budget is no lack of one; and the product has more than 64 bits. */
	KUNIT_EXPECT_EQ(test, ssdup_settings_sectors(AMOUNT_DRIVE | 1, 10), 1);
	KUNIT_EXPECT_EQ(test, ssdup_settings_sectors(AMOUNT_DRIVE | 100000, 1ULL << 54),
			100 * (1ULL << 54));
}

/* Only balance asks what the SSD costs; with none there is nothing to ask. */
static void budget_needs_balance(struct kunit *test)
{
	struct ssdup_settings set;
	enum ssdup_policy policy;

	ssdup_settings_preset(&set);
	for (policy = 0; policies[policy]; policy++) {
		set.policy = policy;
		KUNIT_EXPECT_TRUE(test, !ssdup_settings_conflict(&set));
		set.ssd_budget = 1;
		KUNIT_EXPECT_EQ(test, !ssdup_settings_conflict(&set),
				policy == SSDUP_POLICY_BALANCE || policy == SSDUP_POLICY_NONE);
		set.ssd_budget = 0;
	}
}

static struct kunit_case settings_cases[] = {
	KUNIT_CASE_PARAM(values, value_gen_params),
	KUNIT_CASE(keys_are_sound),
	KUNIT_CASE(lines_are_taken),
	KUNIT_CASE(hosts_are_taken),
	KUNIT_CASE(keys_with_files),
	KUNIT_CASE(values_are_printed),
	KUNIT_CASE(amounts_are_sectors),
	KUNIT_CASE(budget_needs_balance),
	{}
};

static struct kunit_suite settings_suite = {
	.name = "ssdup-settings",
	.test_cases = settings_cases,
};

kunit_test_suite(settings_suite);
