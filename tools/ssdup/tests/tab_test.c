// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: ssduptab with good lines, with bad ones, and with anything at all; options.
 */
#include <fcntl.h>
#include <getopt.h>
#include <unistd.h>

#include <kunit/test.h>
#include "kunit/prng.h"

#include "lib/tab.h"

struct faults {
	unsigned int	nr;
	unsigned int	last;
	const char	*why;
};

static void take_fault(void *arg, unsigned int line, const char *why)
{
	struct faults *f = arg;

	f->nr++;
	f->last = line;
	f->why = why;
}

static void good_lines_are_taken(struct kunit *test)
{
	static const char text[] =
		"# a comment\n"
		"\n"
		"  \t\n"
		"fast  /dev/disk/by-id/ata-A  UUID=0123  policy=balance,drain=auto,noauto\n"
		"b-2\tWWN=0x5000\tID=nvme-B\r\n"
		"c /dev/with\\040blank /dev/y - # and why\n"
		"d x y defaults,nofail,x-systemd.device-timeout=5,drain=eager";
	struct faults f = { };
	struct tab tab;

	tab_parse(&tab, text, sizeof(text) - 1, take_fault, &f);
	KUNIT_EXPECT_EQ_MSG(test, f.nr, 0, "line %u: %s", f.last, f.why ?: "");
	KUNIT_ASSERT_EQ(test, tab.nr, 4);
	KUNIT_EXPECT_STREQ(test, tab.entry[0].name, "fast");
	KUNIT_EXPECT_STREQ(test, tab.entry[0].hdd, "/dev/disk/by-id/ata-A");
	KUNIT_EXPECT_STREQ(test, tab.entry[0].ssd, "UUID=0123");
	KUNIT_EXPECT_STREQ(test, tab.entry[0].args, "policy balance drain auto");
	KUNIT_EXPECT_EQ(test, tab.entry[0].nr_args, 4);
	KUNIT_EXPECT_TRUE(test, tab.entry[0].noauto);
	KUNIT_EXPECT_FALSE(test, tab.entry[0].nofail);
	KUNIT_EXPECT_EQ(test, tab.entry[0].line, 4);
	KUNIT_EXPECT_STREQ(test, tab.entry[1].ssd, "ID=nvme-B");
	KUNIT_EXPECT_STREQ(test, tab.entry[2].hdd, "/dev/with blank");
	KUNIT_EXPECT_EQ(test, tab.entry[2].nr_args, 0);
	KUNIT_EXPECT_STREQ(test, tab.entry[3].args, "drain eager");
	KUNIT_EXPECT_TRUE(test, tab.entry[3].nofail);
	KUNIT_EXPECT_PTR_EQ(test, tab_find(&tab, "d"), &tab.entry[3]);
	KUNIT_EXPECT_PTR_EQ(test, tab_find(&tab, "e"), NULL);
	tab_free(&tab);
}

static const char * const bad_lines[] = {
	"name hdd",
	"name hdd ssd policy=all, drain=manual",
	"name hdd ssd - more",
	"a/b hdd ssd",
	"-a hdd ssd",
	".. hdd ssd",
	"control hdd ssd",
	"a hdd hdd",
	"ok hdd ssd",			/* the name of the line in front */
	"a hdd ssd policy",
	"a hdd ssd policy=",
	"a hdd ssd =balance",
	"a hdd ssd policy=a,",
	"a hdd ssd policy=a,,drain=b",
	"a hdd ssd policy=a\\040b",	/* would be two words of the table */
	"a hdd ssd policy=\\\\",
	"a\\012 hdd ssd",
	"a hdd s\\033[2J",
};

/* Of these there is not even an HDD to hide. */
static const char * const no_hdd_lines[] = {
	"name",
	"a h\\000dd ssd",
	"a h\\033[2J ssd",
};

/* @hdd: of the line, NULL for none. */
static void expect_left_out(struct kunit *test, const char *line, const char *hdd)
{
	struct faults f = { };
	struct tab tab;
	char text[256];

	snprintf(text, sizeof(text), "ok first ssd\n%s\nlast hdd ssd\n", line);
	tab_parse(&tab, text, strlen(text), take_fault, &f);
	KUNIT_EXPECT_EQ_MSG(test, f.nr, 1, "%s", line);
	KUNIT_EXPECT_EQ_MSG(test, f.last, 2, "%s", line);
	KUNIT_EXPECT_EQ_MSG(test, tab.nr, 2, "%s", line);
	KUNIT_ASSERT_EQ(test, tab.faults, 1);
	KUNIT_EXPECT_EQ(test, tab.fault[0].line, 2);
	KUNIT_EXPECT_STREQ(test, tab.fault[0].hdd ?: "none", hdd ?: "none");
	tab_free(&tab);
}

static void bad_lines_are_left_out(struct kunit *test)
{
	struct tab tab;
	char text[256];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad_lines); i++)
		expect_left_out(test, bad_lines[i], "hdd");
	for (i = 0; i < ARRAY_SIZE(no_hdd_lines); i++)
		expect_left_out(test, no_hdd_lines[i], NULL);
	memset(text, 'a', 128);
	memcpy(text + 128, " hdd ssd", 9);
	tab_parse(&tab, text, strlen(text), NULL, NULL);
	KUNIT_EXPECT_EQ(test, tab.nr, 0);
	tab_free(&tab);
}

/* Whatever is taken from anything at all can be given to the kernel. */
static void anything_is_survived(struct kunit *test)
{
	static const char bytes[] = "ab/=,#\\01247 \t\n\n-x\r\0\x7f\x80";
	struct prng rnd = { 5 };
	unsigned int round, i, j;
	struct tab tab;
	char text[200];
	size_t len;

	for (round = 0; round < 20000; round++) {
		len = prng_below(&rnd, sizeof(text));
		for (i = 0; i < len; i++)
			text[i] = round & 1 ? prng_below(&rnd, 256) :
				  bytes[prng_below(&rnd, sizeof(bytes))];
		tab_parse(&tab, text, len, NULL, NULL);
		for (i = 0; i < tab.nr; i++) {
			KUNIT_EXPECT_FALSE(test, name_fault(tab.entry[i].name));
			for (j = 0; tab.entry[i].args[j]; j++)
				KUNIT_EXPECT_TRUE(test, tab.entry[i].args[j] >= ' ');
		}
		tab_free(&tab);
	}
}

/* --- Options --- */

static const struct option_spec specs[] = {
	{ 256, "hdd", "DEV", "the HDD" },
	{ 257, "hollow", NULL, "another with an h" },
	{ 'q', "quiet", NULL, "silence" },
	{ 'd', NULL, "SECONDS", "a letter alone" },
	{ }
};

static const struct usage usage = { "NAME", "About.", specs, NULL };

static const struct option_case {
	const char	*argv[8];
	int		val;		/* of the first option */
	const char	*arg;
	int		left;		/* operands afterwards; -1: refused */
} option_cases[] = {
	{ { "x", "--hdd", "sda", "a" }, 256, "sda", 1 },
	{ { "x", "a", "--hdd=sda", "b" }, 256, "sda", 2 },
	{ { "x", "--hd", "sda" }, OPT_STOP, NULL, -1 },
	{ { "x", "--hd=sda" }, OPT_STOP, NULL, -1 },
	{ { "x", "-d5" }, 'd', "5", 0 },
	{ { "x", "-q", "--", "-q" }, 'q', NULL, 1 },
	{ { "x", "a", "b" }, OPT_END, NULL, 2 },
	{ { "x", "--h", "sda" }, OPT_STOP, NULL, -1 },
	{ { "x", "--none" }, OPT_STOP, NULL, -1 },
	{ { "x", "-z" }, OPT_STOP, NULL, -1 },
	{ { "x", "--hdd" }, OPT_STOP, NULL, -1 },
	{ { "x", "-d" }, OPT_STOP, NULL, -1 },
	{ { "x", "--quiet=yes" }, OPT_STOP, NULL, -1 },
};

/* Complaints are not what is looked at here. */
static int silence(void)
{
	int old = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY);

	fflush(stderr);
	dup2(null, STDERR_FILENO);
	close(null);
	return old;
}

static void speak_again(int old)
{
	fflush(stderr);
	dup2(old, STDERR_FILENO);
	close(old);
}

static void options_are_read(struct kunit *test)
{
	struct ssdup_ctx ctx = { .command = "x", .usage = &usage };
	int old = silence(), argc, r;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(option_cases); i++) {
		const struct option_case *c = &option_cases[i];
		char *argv[8];

		memcpy(argv, c->argv, sizeof(argv));
		for (argc = 0; argv[argc]; argc++)
			;
		optind = 0;
		r = next_option(&ctx, argc, argv);
		KUNIT_EXPECT_EQ_MSG(test, r, c->val, "case %zu", i);
		if (c->left < 0) {
			KUNIT_EXPECT_EQ_MSG(test, ctx.exit, EXIT_USAGE, "case %zu", i);
			continue;
		}
		if (c->arg)
			KUNIT_EXPECT_STREQ(test, optarg, c->arg);
		while (r != OPT_END)
			r = next_option(&ctx, argc, argv);
		KUNIT_EXPECT_EQ_MSG(test, argc - optind, c->left, "case %zu", i);
		KUNIT_EXPECT_FALSE(test, operands(&ctx, argc, argv, c->left + 1, -1));
		KUNIT_EXPECT_TRUE(test, operands(&ctx, argc, argv, c->left, c->left));
		if (c->left)
			KUNIT_EXPECT_FALSE(test, operands(&ctx, argc, argv, 0, c->left - 1));
	}
	speak_again(old);
}

static struct kunit_case tab_cases[] = {
	KUNIT_CASE(good_lines_are_taken),
	KUNIT_CASE(bad_lines_are_left_out),
	KUNIT_CASE(anything_is_survived),
	KUNIT_CASE(options_are_read),
	{}
};

static struct kunit_suite tab_suite = {
	.name = "tab",
	.test_cases = tab_cases,
};

kunit_test_suite(tab_suite);
