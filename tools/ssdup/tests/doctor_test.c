// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup doctor: what is made of the facts.
 */
#include <stdlib.h>
#include <string.h>

#include <kunit/test.h>

#include "lib/doctor.h"

/* All is well with these; a case changes some. */
#define WELL	.release = "6.12.1", .loaded = true, .installed = true, .headers = true,	\
		.udev = true, .rules = true, .lines = 1, .hook = true, .initramfs = true
#define SIGNED	.enforced = true, .enforced_by = "Secure Boot"

static const struct machine_case {
	const char	*name;
	struct finding	(*judge)(const struct doctor_facts *f);
	struct doctor_facts facts;
	enum verdict	verdict;
	const char	*text;		/* a part of what is said */
} machine_cases[] = {
	{ "module", doctor_module, { WELL }, VERDICT_OK, "loaded, and installed for 6.12.1" },
	{ "module not loaded", doctor_module, { .release = "6.12.1", .installed = true },
	  VERDICT_OK, "built for 6.12.1" },
	{ "no module", doctor_module, { .release = "6.12.1" }, VERDICT_WRONG,
	  "not built for 6.12.1: install dm-ssdup-dkms" },
	{ "module removed", doctor_module, { .release = "6.12.1", .loaded = true },
	  VERDICT_ADVICE, "after a boot it is missing" },
	{ "module upgraded", doctor_module, { WELL, .other = true }, VERDICT_ADVICE,
	  "from the next boot on" },
	{ "no signature needed", doctor_signature, { WELL }, VERDICT_OK, "not needed" },
	{ "signature taken", doctor_signature, { WELL, SIGNED }, VERDICT_OK,
	  "Secure Boot asks for one, and the kernel has taken the module" },
	{ "not signed", doctor_signature, { SIGNED, .installed = true }, VERDICT_WRONG,
	  "the module has none" },
	{ "not built yet", doctor_signature, { SIGNED }, VERDICT_ADVICE, "before you build" },
	{ "key not known", doctor_signature, { SIGNED, .installed = true, .signer = "DKMS key" },
	  VERDICT_ADVICE, "that of \"DKMS key\"" },
	{ "kernels", doctor_kernel, { WELL }, VERDICT_OK, "each other kernel has the module" },
	{ "kernel without a module", doctor_kernel, { WELL, .without = "6.12.2" },
	  VERDICT_ADVICE, "no module for 6.12.2" },
	{ "no headers", doctor_kernel, { .release = "6.12.1" }, VERDICT_ADVICE,
	  "6.12.1 has no headers" },
	{ "udev", doctor_udev, { WELL }, VERDICT_OK, "it runs" },
	{ "no rules", doctor_udev, { .udev = true }, VERDICT_ADVICE, "install the package ssdup" },
	{ "no udev", doctor_udev, { .rules = true }, VERDICT_ADVICE, "it does not run" },
	{ "initramfs", doctor_initramfs, { WELL }, VERDICT_OK, "after the last change" },
	{ "initramfs too old", doctor_initramfs, { WELL, .outdated = true }, VERDICT_ADVICE,
	  "update-initramfs -u" },
	{ "initramfs without ours", doctor_initramfs, { .lines = 1, .initramfs = true },
	  VERDICT_ADVICE, "install the package ssdup" },
	{ "no initramfs", doctor_initramfs, { .release = "6.12.1", .lines = 1 }, VERDICT_OK,
	  "there is none for 6.12.1" },
	{ "nothing for the initramfs", doctor_initramfs,
	  { .release = "6.12.1", .initramfs = true, .outdated = true }, VERDICT_OK, "no lines" },
	{ "ssduptab", doctor_tab, { WELL }, VERDICT_OK, "1 devices" },
	{ "ssduptab with an error", doctor_tab, { WELL, .errors = 1, .warnings = 2 },
	  VERDICT_WRONG, "1 errors, 2 warnings: see \"ssdup tab --check\"" },
	{ "ssduptab with a warning", doctor_tab, { WELL, .warnings = 2 }, VERDICT_ADVICE,
	  "2 warnings" },
};

static void check(struct kunit *test, const char *name, struct finding f, enum verdict wanted,
		  const char *text)
{
	KUNIT_EXPECT_EQ_MSG(test, f.verdict, wanted, "%s: %s", name, f.text);
	KUNIT_EXPECT_TRUE_MSG(test, strstr(f.text, text), "%s: %s", name, f.text);
	free(f.text);
}

static void machines(struct kunit *test)
{
	const struct machine_case *c;
	size_t i;

	for (i = 0; i < sizeof(machine_cases) / sizeof(machine_cases[0]); i++) {
		c = &machine_cases[i];
		check(test, c->name, c->judge(&c->facts), c->verdict, c->text);
	}
}

static const struct disk_case {
	struct finding	(*judge)(const struct doctor_disk *d);
	struct doctor_disk disk;
	enum verdict	verdict;
	const char	*text;
} disk_cases[] = {
	{ doctor_disk, { "sda", .hdd = true, .rotates = true }, VERDICT_OK, "sda, below an HDD" },
	{ doctor_disk, { "nvme0n1" }, VERDICT_OK, "nvme0n1, below an SSD" },
	{ doctor_disk, { "sdb", .rotates = true }, VERDICT_ADVICE, "swapped?" },
	/* all flash */
	{ doctor_disk, { "sdb", .hdd = true }, VERDICT_OK, "sdb" },
	{ doctor_disk, { "sdb", .gone = true }, VERDICT_WRONG, "sdb is gone" },
	{ doctor_cache, { "sda", .hdd = true, .rotates = true, .ata = true, .cache = "write back" },
	  VERDICT_OK, "sda: write back" },
	{ doctor_cache, { "sda", .hdd = true, .rotates = true, .ata = true,
			  .cache = "write through" },
	  VERDICT_ADVICE, "hdparm -W 1 /dev/sda" },
	/* a RAID controller has a cache of its own */
	{ doctor_cache, { "sda", .hdd = true, .rotates = true, .cache = "write through" },
	  VERDICT_OK, "sda: write through" },
	{ doctor_cache, { "nvme0n1", .cache = "write through" }, VERDICT_OK, "write through" },
	{ doctor_cache, { "sda", .hdd = true, .rotates = true, .ata = true, .array = true,
			  .cache = "write back" },
	  VERDICT_ADVICE, "hdparm -W 0 /dev/sda" },
	{ doctor_cache, { "sda", .hdd = true, .rotates = true, .ata = true, .array = true,
			  .cache = "write through" },
	  VERDICT_OK, "sda" },
	{ doctor_cache, { "sda", .hdd = true }, VERDICT_OK, "not known" },
	{ doctor_scheduler, { "sda", .hdd = true, .rotates = true,
			      .scheduler = "none [mq-deadline] bfq" }, VERDICT_OK, "sda" },
	{ doctor_scheduler, { "sda", .hdd = true, .rotates = true,
			      .scheduler = "[none] mq-deadline" },
	  VERDICT_ADVICE, "echo mq-deadline >/sys/block/sda/queue/scheduler" },
	{ doctor_scheduler, { "nvme0n1", .scheduler = "[none] mq-deadline" }, VERDICT_OK, "nvme" },
	{ doctor_scheduler, { "sdb", .scheduler = "none mq-deadline [bfq]" }, VERDICT_ADVICE,
	  "echo none" },
	{ doctor_scheduler, { "sdb" }, VERDICT_OK, "sdb: none of its own" },
};

static void disks(struct kunit *test)
{
	const struct disk_case *c;
	size_t i;

	for (i = 0; i < sizeof(disk_cases) / sizeof(disk_cases[0]); i++) {
		c = &disk_cases[i];
		check(test, c->disk.name, c->judge(&c->disk), c->verdict, c->text);
	}
}

static void hdds(struct kunit *test)
{
	static const u8 a[SSDUP_HDD_ID_BYTES] = "wwn:a", b[SSDUP_HDD_ID_BYTES] = "wwn:b";
	static const u8 none[SSDUP_HDD_ID_BYTES];

	check(test, "its own", doctor_hdd("d", a, a), VERDICT_OK, "wwn:a");
	check(test, "another", doctor_hdd("d", a, b), VERDICT_WRONG,
	      "its HDD is wwn:b, and its log is for wwn:a");
	check(test, "not noted", doctor_hdd("d", none, b), VERDICT_ADVICE, "notes that");
	check(test, "no identity", doctor_hdd("d", a, none), VERDICT_OK, "unknown");
}

static void read_ahead(struct kunit *test)
{
	check(test, "smaller", doctor_read_ahead("b", 128, 4096), VERDICT_ADVICE,
	      "blockdev --setra 8192 /dev/mapper/b");
	check(test, "equal", doctor_read_ahead("b", 128, 128), VERDICT_OK, "b: 128 KiB");
}

static void sizes(struct kunit *test)
{
	check(test, "grown", doctor_size("b", 2048, 6144), VERDICT_ADVICE,
	      "b: its HDD has 2.0 MiB more: \"ssdup resize b\"");
	check(test, "less", doctor_size("b", 2048, 2040), VERDICT_WRONG, "has 4.0 KiB less");
	check(test, "equal", doctor_size("b", 8, 8), VERDICT_OK, "the same size");
}

static void lines(struct kunit *test)
{
	struct finding f = doctor_line("burst", "/etc/ssduptab", true);

	KUNIT_EXPECT_EQ(test, f.verdict, VERDICT_OK);
	free(f.text);
	f = doctor_line("burst", "/etc/ssduptab", false);
	KUNIT_EXPECT_EQ(test, f.verdict, VERDICT_ADVICE);
	KUNIT_EXPECT_NOT_NULL(test, strstr(f.text, "burst: no line in /etc/ssduptab"));
	free(f.text);
}

static struct kunit_case doctor_cases[] = {
	KUNIT_CASE(machines),
	KUNIT_CASE(disks),
	KUNIT_CASE(hdds),
	KUNIT_CASE(read_ahead),
	KUNIT_CASE(sizes),
	KUNIT_CASE(lines),
	{}
};

static struct kunit_suite doctor_suite = {
	.name = "doctor",
	.test_cases = doctor_cases,
};

kunit_test_suite(doctor_suite);
