// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which disk it is: by a folder that stands for sysfs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <kunit/test.h>

#include "lib/host.h"
#include "lib/identity.h"
#include "lib/super.h"

#define FOLDER	"/tmp/ssdup-identity-XXXXXX"

static char folder[sizeof(FOLDER)];

static void put(const char *file, const char *text)
{
	char *path = xprintf("%s/dev/block/%s", folder, file), *at;
	FILE *f;

	for (at = path + strlen(folder) + 1; (at = strchr(at, '/')); *at++ = '/') {
		*at = '\0';
		mkdir(path, 0700);
	}
	f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f))
		abort();
	free(path);
}

static int identity_init(struct kunit *test)
{
	snprintf(folder, sizeof(folder), FOLDER);
	if (!mkdtemp(folder))
		return -ENOMEM;
	dev_sysfs_at(folder);
	return 0;
}

static void identity_exit(struct kunit *test)
{
	char *command = xprintf("rm -rf %s", folder);

	dev_sysfs_at("/sys");
	if (system(command))
		abort();
	free(command);
}

static void expect(struct kunit *test, unsigned int minor, const char *text)
{
	struct dev dev = { .path = "/dev/null", .rdev = makedev(8, minor) };
	u8 id[SSDUP_HDD_ID_BYTES];
	char is[IDENTITY_TEXT];

	dev_identity(&dev, id);
	KUNIT_EXPECT_STREQ(test, identity_text(is, id), text);
}

static void disks_say_who_they_are(struct kunit *test)
{
	put("8:0/device/wwid", "naa.5000c500a1b2c3d4\n");
	put("8:1/device/wwid", "t10.ATA     ST4000NM0033                            Z1Z00001\n");
	put("8:2/wwid", "eui.0025385971b0a1c2\n");
	put("8:3/serial", "  ssdup-7");
	put("8:4/wwid", "\n");
	put("8:4/device/serial", "S4EVNF0M\n");
	put("8:5/size", "1000\n");
	expect(test, 0, "wwn:naa.5000c500a1b2c3d4");
	expect(test, 1, "wwn:t10.ATA_ST4000NM0033_Z1Z00001");
	expect(test, 2, "wwn:eui.0025385971b0a1c2");
	expect(test, 3, "serial:ssdup-7");
	expect(test, 4, "serial:S4EVNF0M");
	expect(test, 5, "unknown");
	expect(test, 6, "unknown");
}

/* Else two disks whose names begin alike would be one. */
static void too_long_a_name_is_none(struct kunit *test)
{
	char wwid[130];

	memset(wwid, 'a', sizeof(wwid));
	wwid[SSDUP_HDD_ID_BYTES - 4] = '\0';
	put("8:0/wwid", wwid);
	put("8:0/device/serial", "BTLJ906404MR1P0FGN\n");
	put("8:1/wwid", wwid);
	put("8:2/wwid",
	    "nvme.8086-42544c4a3930363430344d5231503046474e-494e54454c2053534450454b-00000001\n");
	expect(test, 0, "serial:BTLJ906404MR1P0FGN");
	expect(test, 1, "unknown");
	expect(test, 2,
	       "wwn:nvme.8086-42544c4a3930363430344d5231503046474e-494e54454c2053534450454b-00000001");
}

#define LV "LVM-rSVZ9ZgUmh2hvj3KBCf4nkKh4hZCqCkY0m3vTUZ3yQhGQvW2Jc5XgqZ0b1N8sTdL"

static void what_is_mapped_has_a_name_too(struct kunit *test)
{
	put("8:0/dm/uuid", LV "\n");
	put("8:1/dm/uuid", "mpath-35000c500a1b2c3d4\n");
	put("8:1/slaves/sda/dev", "8:2\n");
	put("8:2/device/wwid", "naa.5000c500a1b2c3d4\n");
	put("8:3/dm/uuid", "\n");
	put("8:4/md/uuid", "8a3c6f1e-0000-4000-8000-000000000000\n");
	put("8:5/md/uuid", "00000000-0000-0000-0000-000000000000\n");
	put("8:6/dm/uuid", "CRYPT-LUKS2-0f1e2d3c4b5a69788796a5b4c3d2e1f0-my-data\n");
	expect(test, 0, "dm:" LV);
	expect(test, 1, "wwn:naa.5000c500a1b2c3d4");
	expect(test, 3, "unknown");
	expect(test, 4, "md:8a3c6f1e-0000-4000-8000-000000000000");
	expect(test, 5, "unknown");
	expect(test, 6, "dm:CRYPT-LUKS2-0f1e2d3c4b5a69788796a5b4c3d2e1f0");
}

/* On one path, and on several. */
static void a_partition_is_of_its_disk(struct kunit *test)
{
	put("8:2/device/wwid", "naa.5000c500a1b2c3d4\n");
	put("8:2/dev", "8:2\n");
	put("8:8/dm/uuid", "part3-mpath-35000c500a1b2c3d4\n");
	put("8:8/slaves/dm-1/dev", "8:9\n");
	put("8:9/slaves/sda/dev", "8:2\n");
	expect(test, 8, "wwn:naa.5000c500a1b2c3d4-part3");
}

static void unknown_is_not_another(struct kunit *test)
{
	static const u8 a[SSDUP_HDD_ID_BYTES] = "wwn:a", b[SSDUP_HDD_ID_BYTES] = "wwn:ab";
	static const u8 none[SSDUP_HDD_ID_BYTES];

	KUNIT_EXPECT_TRUE(test, identity_other(a, b));
	KUNIT_EXPECT_TRUE(test, identity_other(b, a));
	KUNIT_EXPECT_FALSE(test, identity_other(a, a));
	KUNIT_EXPECT_FALSE(test, identity_other(a, none));
	KUNIT_EXPECT_FALSE(test, identity_other(none, a));
	KUNIT_EXPECT_FALSE(test, identity_other(none, none));
}

/* A forged record is printed to the terminal of root. */
static void no_terminal_is_told_what_to_do(struct kunit *test)
{
	u8 id[SSDUP_HDD_ID_BYTES] = "wwn:\033[2J\xff";
	char text[IDENTITY_TEXT];

	KUNIT_EXPECT_STREQ(test, identity_text(text, id), "wwn:?[2J?");
	memset(id, 'x', sizeof(id));
	KUNIT_EXPECT_EQ(test, strlen(identity_text(text, id)), sizeof(id));
}

/* uuidgen --sha1 --namespace 01234567-89ab-cdef-0123-456789abcdef --name dm-ssdup */
static void a_host_has_a_uuid(struct kunit *test)
{
	static const char * const none[] = {
		"", "uninitialized", "0123456789abcdef0123456789abcde",
		"0123456789abcdef0123456789abcdef0", "0123456789ABCDEF0123456789ABCDEF",
	};
	u8 host[SSDUP_HOST_BYTES], other[SSDUP_HOST_BYTES];
	char text[UUID_TEXT];
	size_t i;

	KUNIT_EXPECT_TRUE(test, host_of("0123456789abcdef0123456789abcdef\n", host));
	KUNIT_EXPECT_STREQ(test, uuid_text(text, host),
			   "19a616be-05f4-5a57-bc15-3dfd449d2f27");
	KUNIT_EXPECT_TRUE(test, host_of("0123456789abcdef0123456789abcdee", other));
	KUNIT_EXPECT_TRUE(test, memcmp(host, other, sizeof(host)));
	for (i = 0; i < ARRAY_SIZE(none); i++) {
		KUNIT_EXPECT_FALSE(test, host_of(none[i], host));
		KUNIT_EXPECT_FALSE(test, host_known(host));
	}
}

static void a_host_may_have_any_name(struct kunit *test)
{
	u8 name[SSDUP_HOST_NAME_BYTES] = "n\033\xff";
	char text[HOST_TEXT];

	KUNIT_EXPECT_STREQ(test, host_text(text, name), "n??");
	memset(name, 'x', sizeof(name));
	KUNIT_EXPECT_EQ(test, strlen(host_text(text, name)), sizeof(name));
	memset(name, 0, sizeof(name));
	KUNIT_EXPECT_STREQ(test, host_text(text, name), "a host without a name");
}

static struct kunit_case identity_cases[] = {
	KUNIT_CASE(disks_say_who_they_are),
	KUNIT_CASE(too_long_a_name_is_none),
	KUNIT_CASE(what_is_mapped_has_a_name_too),
	KUNIT_CASE(a_partition_is_of_its_disk),
	KUNIT_CASE(unknown_is_not_another),
	KUNIT_CASE(no_terminal_is_told_what_to_do),
	KUNIT_CASE(a_host_has_a_uuid),
	KUNIT_CASE(a_host_may_have_any_name),
	{ }
};

static struct kunit_suite identity_suite = {
	.name = "identity",
	.init = identity_init,
	.exit = identity_exit,
	.test_cases = identity_cases,
};

kunit_test_suite(identity_suite);
