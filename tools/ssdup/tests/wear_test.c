// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: wear, from what smartctl 7.1 and 7.3 and nvme-cli 1 and 2 have printed of SSDs. Only rows
 * and numbers that matter are left, in the order in which they stood.
 */
#include <kunit/test.h>

#include "lib/wear.h"

#define TABLE(rows)								\
	"{\"ata_smart_attributes\": {\"revision\": 1, \"table\": [" rows "]},\n"	\
	"\"device\": {\"name\": \"/dev/sda\", \"protocol\": \"ATA\", \"type\": \"sat\"},\n"
#define FLAGS		"{\"flags\": {\"auto_keep\": true, \"string\": \"-O--CK \", \"value\": 50}, "

/* As smartctl prints it itself, and as a program has sorted it. */
static const char dell_s3520[] = TABLE(FLAGS "\"id\": 9,\n"
	"\"name\": \"Power_On_Hours\", \"raw\": {\"string\": \"21213\",\n"
	"\"value\": 21213}, \"thresh\": 0, \"value\": 100, \"when_failed\": \"\", \"worst\": 100},\n"
	FLAGS "\"id\": 201, \"name\": \"Power_Loss_Cap_Test\", \"raw\": {\"string\":\n"
	"\"18900 (310 1222)\", \"value\": 1331519965652}, \"thresh\": 10, \"value\": 100},\n"
	FLAGS "\"id\": 233, \"name\": \"Total_LBAs_Written\", \"raw\": {\"string\": \"129493\",\n"
	"\"value\": 129493}, \"thresh\": 0, \"value\": 100},\n"
	FLAGS "\"id\": 225, \"name\": \"Host_Writes_32MiB\", \"raw\": {\"string\": \"129493\",\n"
	"\"value\": 129493}, \"thresh\": 0, \"value\": 100},\n"
	FLAGS "\"id\": 241, \"name\": \"Total_LBAs_Written\", \"raw\": {\"string\": \"129493\",\n"
	"\"value\": 129493}, \"thresh\": 0, \"value\": 100},\n"
	FLAGS "\"id\": 245, \"name\": \"Percent_Life_Remaining\", \"raw\": {\"string\": \"100\",\n"
	"\"value\": 100}, \"thresh\": 0, \"value\": 100}")
	"\"logical_block_size\": 512, \"model_name\": \"SSDSCKJB240G7R\"}";

static const char samsung_sm863[] = TABLE("{\"id\": 9,\n"
	"\"name\": \"Power_On_Hours\", \"value\": 83, \"worst\": 83, \"thresh\": 0,\n"
	"\"when_failed\": \"\", \"flags\": {\"value\": 50}, \"raw\": {\"value\": 84619}},\n"
	"{\"id\": 177, \"name\": \"Wear_Leveling_Count\", \"value\": 91, \"worst\": 91,\n"
	"\"thresh\": 5, \"flags\": {\"value\": 19}, \"raw\": {\"value\": 1661, \"string\": \"1661\"}},\n"
	"{\"id\": 202, \"name\": \"Exception_Mode_Status\", \"value\": 100, \"raw\": {\"value\": 0}},\n"
	"{\"id\": 241, \"name\": \"Total_LBAs_Written\", \"value\": 99, \"worst\": 99, \"thresh\": 0,\n"
	"\"flags\": {\"value\": 50},\n"
	"\"raw\": {\"value\": 216456537880, \"string\": \"216456537880\"}}")
	"\"logical_block_size\": 512, \"model_name\": \"SAMSUNG MZ7WD240HAFV-00003\"}";

/* The same with the statistics of "-l devstat", which count. */
static const char with_statistics[] = TABLE("{\"id\": 177,\n"
	"\"name\": \"Wear_Leveling_Count\", \"value\": 91, \"raw\": {\"value\": 1661}}")
	"\"ata_device_statistics\": {\"pages\": [{\"number\": 1, \"name\": \"General Statistics\",\n"
	"\"revision\": 1, \"table\": [{\"offset\": 24, \"name\": \"Logical Sectors Written\",\n"
	"\"size\": 6, \"value\": 2048, \"flags\": {\"value\": 192, \"valid\": true}}]},\n"
	"{\"number\": 7, \"name\": \"Solid State Device Statistics\", \"table\": [{\"offset\": 8,\n"
	"\"name\": \"Percentage Used Endurance Indicator\", \"size\": 1, \"value\": 10}]}]},\n"
	"\"logical_block_size\": 4096}";

static const char intel_p4610[] =
	"{\"device\": {\"name\": \"/dev/nvme0\", \"protocol\": \"NVMe\"}, \"json_format_version\":\n"
	"[1, 0], \"nvme_smart_health_information_log\": {\"available_spare\": 100,\n"
	"\"data_units_read\": 24936976, \"data_units_written\": 41911765, \"percentage_used\": 0,\n"
	"\"power_on_hours\": 4643, \"warning_temp_time\": 0},\n"
	"\"power_on_time\": {\"hours\": 4643}}";

static const char nvme_cli_1[] =
	"{\n  \"critical_warning\" : 0,\n  \"temperature\" : 328,\n  \"avail_spare\" : 100,\n"
	"  \"spare_thresh\" : 10,\n  \"percent_used\" : 2,\n  \"data_units_read\" : 21331123,\n"
	"  \"data_units_written\" : 129415397,\n  \"host_write_commands\" : 2576184016\n}\n";

static const char nvme_cli_2[] =
	"{\"critical_warning\":0,\"temperature\":303,\"avail_spare\":100,\"spare_thresh\":10,\n"
	"\"percent_used\":0,\n\"data_units_read\":\"2,752,848\",\"data_units_written\":\"6,226,522\",\n"
	"\"power_on_hours\":\"20\",\"unsafe_shutdowns\":\"119\"}";

static const char sas[] =
	"{\"device\": {\"protocol\": \"SCSI\"}, \"scsi_percentage_used_endurance_indicator\": 3,\n"
	"\"scsi_error_counter_log\": {\"read\": {\"gigabytes_processed\": \"123.5\"},\n"
	"\"write\": {\"gigabytes_processed\": \"45.250\", \"total_uncorrected_errors\": 0}}}";

static const struct wear_case {
	const char	*name;
	const char	*json;
	struct wear	wear;
} wear_cases[] = {
	{ "SATA, 32 MiB in disguise", dell_s3520, { true, 0, true, 129493 * 33554432ULL } },
	{ "SATA", samsung_sm863, { true, 9, true, 216456537880 * 512 } },
	{ "SATA with statistics", with_statistics, { true, 10, true, 2048 * 4096 } },
	{ "NVMe by smartctl", intel_p4610, { true, 0, true, 41911765 * 512000ULL } },
	{ "NVMe by nvme-cli 1", nvme_cli_1, { true, 2, true, 129415397 * 512000ULL } },
	{ "NVMe by nvme-cli 2", nvme_cli_2, { true, 0, true, 6226522 * 512000ULL } },
	{ "SAS", sas, { true, 3, true, 45000000000ULL } },
	{ "escapes", "{\"percent\\u005fused\": 7, \"a\": \"\\\"\\ud83d\\ude00\"}", { true, 7 } },
	{ "beyond its life", "{\"percent_used\": 117}", { true, 117 } },
};

static void known(struct kunit *test)
{
	const struct wear_case *c;
	struct wear w;
	size_t i;

	for (i = 0; i < sizeof(wear_cases) / sizeof(wear_cases[0]); i++) {
		c = &wear_cases[i];
		KUNIT_EXPECT_TRUE_MSG(test, wear_parse(&w, c->json), "%s", c->name);
		KUNIT_EXPECT_EQ_MSG(test, w.has_used, c->wear.has_used, "%s", c->name);
		KUNIT_EXPECT_EQ_MSG(test, w.used, c->wear.used, "%s", c->name);
		KUNIT_EXPECT_EQ_MSG(test, w.has_written, c->wear.has_written, "%s", c->name);
		KUNIT_EXPECT_EQ_MSG(test, w.written, c->wear.written, "%s", c->name);
	}
}

/* Nothing is known of these, and nothing breaks. */
static void unknown(struct kunit *test)
{
	static const char *const json[] = {
		"", " ", "{", "{}", "[]", "{\"percent_used\"", "{\"percent_used\":",
		"{\"percent_used\": 5", "{\"percent_used\": 5} x", "{\"percent_used\": 5,}",
		"{\"percent_used\": 256}", "{\"a\": {\"percent_used\": 5}}",
		"{\"percent_used\": {\"x\": 5}}", "{\"percent_used\": [5]}", "{\"a\": \"\\", "\"",
		TABLE("{\"name\": \"Wear_Leveling_Count\"}, {\"name\": \"Total_LBAs_Written\"}")
			"\"a\": 1}",
		"{\"json_format_version\": [1, 0], \"smartctl\": {\"messages\": [{\"string\":\n"
		"\"Smartctl open device: /dev/sda failed: Permission denied\", \"severity\":\n"
		"\"error\"}], \"exit_status\": 2}}",
		"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
	};
	struct wear w;
	size_t i;

	for (i = 0; i < sizeof(json) / sizeof(json[0]); i++)
		KUNIT_EXPECT_FALSE_MSG(test, wear_parse(&w, json[i]), "%s", json[i]);
}

/* Each beginning of a real output is read without harm; only the whole of it counts. */
static void cut_off(struct kunit *test)
{
	char part[sizeof(dell_s3520)];
	struct wear w;
	size_t i;

	for (i = 0; i < sizeof(dell_s3520) - 1; i++) {
		memcpy(part, dell_s3520, i);
		part[i] = '\0';
		KUNIT_EXPECT_FALSE_MSG(test, wear_parse(&w, part), "%zu bytes", i);
	}
}

static struct kunit_case wear_test_cases[] = {
	KUNIT_CASE(known),
	KUNIT_CASE(unknown),
	KUNIT_CASE(cut_off),
	{}
};

static struct kunit_suite wear_suite = {
	.name = "wear",
	.test_cases = wear_test_cases,
};

kunit_test_suite(wear_suite);
