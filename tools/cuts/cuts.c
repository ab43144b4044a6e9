// SPDX-License-Identifier: GPL-2.0-only
/*
 * cuts: power cuts of a device on the modelled disks, each from one seed.
 *
 *	cuts [KEY=VALUE]... FIRST COUNT
 *
 * Case SEED, of FIRST to FIRST + COUNT - 1: fresh disks, a load with several writers (work.c), the
 * power goes at a random request or step, sometimes again in the recovery; then each sector is
 * judged (journal.c), the load may go on to another cut, and at last all is drained and judged once
 * more on the bare HDD. Everything is chosen from the seed.
 *
 *	steps=1		cut number I is at the I-th step; all steps must be hit
 *	guard=1		the cut is at a step of the HDD's guard
 *	profile=N	which disks; else every 50 seeds others
 *	drop_flush=1	the disks ignore FLUSH and FUA
 *	hook=COMMAND	another device: "COMMAND up", "COMMAND down"; path=/dev/...
 *	align=N		of all writes, sectors
 *	classes=1	new data gets other classes, again and again
 *	ssds=N		the log is on so many SSDs
 *	mirror=1	each of them has a mirror: nothing fails when one dies
 *	dies=1		one of them fails before the power does
 *	budget=1	policy balance with ssd_budget, which changes as well
 *	twice=1		each case twice: are content and journal the same?
 *	verbose=1	a line for each case
 *
 * The last line counts. Status 0: nothing was lost; 1: something was; 2: an error of the test.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../iocheck/stamp.h"
#include "journal.h"
#include "work.h"

#define DISKS		"/sys/module/ssdup_disks/parameters/"
#define MODEL(disk)	"/sys/block/" disk "/model/"
#define CHUNK		2048U
#define HUGE_PAGE	(2U << 20)
#define MAX_STEPS	100
#define GUARD_STEPS	7

static struct {
	unsigned long steps, drop_flush, twice, verbose, profile, align, classes, budget, guard;
	unsigned long ssds, dies, mirror;
	const char *hook, *path;
} arg = { .profile = -1UL, .ssds = 1 };

/* All the case's state. */
static struct {
	uint64_t hash;
	struct rng rng;
	struct plan plan;
	struct device d;
	const char *step;		/* what to cut at, or NULL */
	char plot[400];			/* what was cut, for people */
	unsigned int cuts, bad;
} c;

static char steps[MAX_STEPS][32];
static unsigned int nr_steps, hits[MAX_STEPS + 1], cuts_in_a_row[4];

/* --- Disks --- */

static void set(const char *path, const char *text)
{
	if (!write_file(path, text))
		die(path);
}

static unsigned int nr_disks(void)
{
	return arg.ssds * (1 + arg.mirror);
}

static void setup_disks(unsigned int profile)
{
	static const char *const profiles[] = {
		"ssd_cache_mb=4 hdd_cache_mb=16",
		"ssd_cache_mb=0 hdd_cache_mb=16 hdd_discard=1",
		"ssd_cache_mb=4 hdd_cache_mb=16 late=1",
		"ssd_cache_mb=4 hdd_cache_mb=16 instant=1",
		"ssd_cache_mb=1 hdd_cache_mb=1 hdd_block_size=4096 hdd_discard=1",
		"ssd_cache_mb=4 hdd_cache_mb=16 ssd_ftl=1 ssd_dies=2 ssd_block_kb=64 ssd_spare_percent=28",
	};
	static unsigned int loaded = -1U;
	char command[420];

	profile %= ARRAY_SIZE(profiles);
	c.plan.align = arg.align ? arg.align : strstr(profiles[profile], "4096") ? 8 : 1;
	if (profile == loaded)
		return;
	snprintf(command, sizeof(command),
		 "modprobe -r ssdup-disks; modprobe ssdup-disks ssds=%u %s %s %s %s", nr_disks(),
		 "hdd_size_mb=16 hdd_rpm=60000 hdd_seek_track_us=50 hdd_seek_avg_us=400",
		 "hdd_seek_full_us=800", arg.hook ? "ssd_size_mb=65" : "ssd_size_mb=11",
		 profiles[profile]);
	if (system(command))
		die("modprobe");
	loaded = profile;
}

static void read_steps(void)
{
	char text[4096], *line, *save;

	if (nr_steps)
		return;
	read_file(DISKS "steps", text, sizeof(text));
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		*strchr(line, ' ') = 0;
		/* Of several logs, and of SSDs that come and go: power/several-logs, ssd-moves. */
		if (!strncmp(line, "add_", 4) || !strncmp(line, "logs_", 5) ||
		    !strncmp(line, "forget_", 7) || !strncmp(line, "member_", 7) ||
		    (arg.ssds == 1 && !strcmp(line, "ssds_between")))
			continue;
		snprintf(steps[nr_steps++], sizeof(steps[0]), "%s", line);
	}
	nr_steps--;		/* the last one is "request" */
}

static void poison_ssd(unsigned int number, const struct stamp *poison)
{
	char path[64];
	uint64_t at;
	int fd;

	snprintf(path, sizeof(path), MODEL("mssd%u") "drop_flush", number);
	set(path, arg.drop_flush ? "1" : "0");
	snprintf(path, sizeof(path), "/dev/mssd%u", number);
	fd = open(path, O_WRONLY | O_DIRECT | O_CLOEXEC);
	for (at = CHUNK; fd >= 0 && at < 10 * 2048; at += CHUNK)
		if (pwrite(fd, poison, CHUNK * SECTOR, at * SECTOR) != CHUNK * SECTOR)
			die(path);
	if (fd < 0 || fsync(fd) || close(fd))
		die(path);
}

/* New disks; the SSDs are full of what they must never show. */
static void fresh_disks(void)
{
	static struct stamp *poison;
	void *buf;
	unsigned int i;

	set(DISKS "cut_at", "off");
	set(DISKS "erase_all", "1");
	set(MODEL("mhdd0") "fail_write", "clear");
	set(MODEL("mhdd0") "drop_flush", arg.drop_flush ? "1" : "0");
	if (arg.hook) {
		set(MODEL("mssd0") "drop_flush", arg.drop_flush ? "1" : "0");
		return;
	}
	if (!poison) {
		if (posix_memalign(&buf, HUGE_PAGE, HUGE_PAGE))
			die("memory");
		poison = buf;
		for (i = 0; i < CHUNK; i++)
			stamp_make(&poison[i], i, 1, 0xdead);
	}
	for (i = 0; i < nr_disks(); i++)
		poison_ssd(i, poison);
}

/* --- Cuts --- */

static unsigned int step_number(const char *name)
{
	unsigned int i;

	for (i = 0; i < nr_steps && strcmp(steps[i], name); i++)
		;
	return i;
}

static void arm(const char *what, unsigned int count)
{
	char text[80];

	snprintf(text, sizeof(text), "%s %u %llu", what, count,
		 (unsigned long long)rng_next(&c.rng) >> 1);
	set(DISKS "cut_at", text);
	snprintf(text, sizeof(text), " %s:%u", what, count);
	strncat(c.plot, text, sizeof(c.plot) - strlen(c.plot) - 1);
}

/* Was there a cut? Then it is counted, and the disks have decided. */
static bool cut_happened(void)
{
	char text[64];

	while (read_file(DISKS "cut_at", text, sizeof(text)) && !strncmp(text, "cutting", 7))
		usleep(1000);
	if (strncmp(text, "done", 4))
		return false;
	text[strcspn(text, "\n")] = 0;
	hits[step_number(text + 5)]++;
	c.cuts++;
	strcat(c.plot, "!");
	set(DISKS "cut_at", "off");
	return true;
}

static void cut_now(void)
{
	char text[32];

	set(DISKS "cut_at", "off");
	snprintf(text, sizeof(text), "%llu", (unsigned long long)rng_next(&c.rng) >> 1);
	set(DISKS "power_cut_all", text);
	strncat(c.plot, " end!", sizeof(c.plot) - strlen(c.plot) - 1);
	c.cuts++;
}

static void mend_ssds(void)
{
	char path[64];
	unsigned int i;

	for (i = 0; arg.dies && i < 2 * nr_disks(); i++) {
		snprintf(path, sizeof(path), MODEL("mssd%u") "%s", i / 2,
			 i % 2 ? "gone" : "fail_flush");
		set(path, "0");
	}
}

static void back(void)
{
	if (!device_down(&c.d))
		die("the device does not go");
	mend_ssds();
	set(DISKS "power_on_all", "1");
}

static bool is_step(const char *prefix)
{
	return c.step && !strncmp(c.step, prefix, strlen(prefix));
}

static bool of_recovery(void)
{
	return is_step("load") || is_step("replay") || is_step("mend") || is_step("epoch");
}

/* --- The content --- */

/* What the device or the HDD has up to @end. */
static void check(const char *path, uint64_t end, uint64_t since, const char *where)
{
	static struct stamp *buf;
	unsigned int i;
	void *memory;
	uint64_t at;
	int fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);

	/* a huge page if there are any: a large read is one segment then */
	if (!buf && !posix_memalign(&memory, HUGE_PAGE, HUGE_PAGE))
		buf = memory;
	if (fd < 0 || !buf)
		die(path);
	for (at = 0; at < end; at += CHUNK) {
		if (pread(fd, buf, CHUNK * SECTOR, at * SECTOR) != CHUNK * SECTOR) {
			printf("  %s: cannot read at %llu: %s\n", where, (unsigned long long)at,
			       strerror(errno));
			c.bad++;
			continue;
		}
		c.bad += journal_check(buf, at, CHUNK, since, where);
		for (i = 0; i < CHUNK; i++)
			c.hash = mix(c.hash + buf[i].seq);
	}
	close(fd);
}

/* Write all of it back; unwritable sectors can be written again. */
static void drain(void)
{
	int i;

	set(MODEL("mhdd0") "fail_write", "clear");
	for (i = 0; i < 3; i++)
		if (device_message(&c.d, "drain"))
			return;
	printf("  it cannot be drained: %s\n", strerror(errno));
	c.bad++;
}

/* --- A case --- */

static void choose_table(void)
{
	static const char *const policies[] = { "all", "all", "adaptive", "watermark", "none",
		"balance", "balance" };
	static const char *const drains[] = { "auto", "eager", "manual" };
	static const unsigned int commits[] = { 1, 20, 1000 };
	static const unsigned int cleans[] = { 0, 50, 90 };
	static const char *const budgets[] = { "1M", "64M", "100G", "0.5dwpd" };
	struct rng r = rng_split(seed_of_case, 2);
	unsigned int policy = rng_below(&r, ARRAY_SIZE(policies));
	unsigned int args = 10, i;
	size_t len;
	char more[256] = "";

	/* Of little else, so that each case comes to it more than once. */
	if (is_step("guard"))
		c.plan.span = 4096;
	if (is_step("copy")) {
		policy = 4;
		strcat(more, " promote 1000T");
		args += 2;
	} else if (c.step || c.plan.unwritable) {
		policy = 0;
	} else if (arg.budget) {
		policy = ARRAY_SIZE(policies) - 1;
		snprintf(more, sizeof(more), " ssd_budget %s",
			 budgets[rng_below(&r, ARRAY_SIZE(budgets))]);
		args += 2;
	}
	if (arg.classes) {
		strcat(more, " classes a:late+b");
		args += 2;
	}
	for (i = 0; i < arg.ssds; i++) {
		if (i)
			sprintf(strchr(more, 0), " ssd /dev/mssd%u", i);
		if (arg.mirror)
			sprintf(strchr(more, 0), " mirror /dev/mssd%lu", arg.ssds + i);
	}
	args += 2 * (nr_disks() - 1);
	snprintf(c.d.table, sizeof(c.d.table),
		 "%s %u%s policy %s drain %s autocommit_ms %u",
		 HDD " " SSD, args, more,
		 policies[policy],
		 drains[rng_below(&r, ARRAY_SIZE(drains))],
		 commits[rng_below(&r, ARRAY_SIZE(commits))]);
	len = strlen(c.d.table);
	snprintf(c.d.table + len, sizeof(c.d.table) - len, " guard 1 clean %u",
		 is_step("copy") ? 90 : cleans[rng_below(&r, ARRAY_SIZE(cleans))]);
}

static void choose(uint64_t seed)
{
	memset(&c, 0, sizeof(c));
	seed_of_case = seed;
	c.rng = rng_split(seed, 3);
	work_plan(&c.plan, seed);
	c.plan.classes = arg.classes;
	c.plan.budget = arg.budget;
	if (arg.classes || arg.budget)
		c.plan.controls += 24;
	c.plan.dies = arg.dies ? nr_disks() : 0;
	c.plan.mirror = arg.mirror;
	c.plan.victim = seed % nr_disks();
	setup_disks(arg.profile != -1UL ? arg.profile : seed / 50);
	read_steps();
	if (arg.steps)
		c.step = steps[seed % nr_steps];
	if (arg.guard)
		c.step = steps[step_number("guard_begin") + seed % GUARD_STEPS];
	c.plan.unwritable = is_step("relocate") || is_step("rewrite") ||
			(!c.step && !arg.hook && !arg.dies && !rng_below(&c.rng, 8));
	if (is_step("tombstone")) {
		c.plan.weight[5] = 8;
		c.plan.weight[6] = 8;
	}
	if (is_step("copy")) {
		/* What is read again. */
		c.plan.weight[7] = 24;
		c.plan.span = 4096;
	}
	if (c.plan.unwritable) {
		c.plan.suspends = false;
		c.plan.weight[5] = 0;
		c.plan.weight[6] = 0;
	}
	c.d.subject = arg.hook ? SUBJECT_HOOK : SUBJECT_SSDUP;
	if (arg.hook) {
		c.d.hook = arg.hook;
		snprintf(c.d.path, sizeof(c.d.path), "%s", arg.path);
		c.plan.controls = 0;
		if (c.plan.span == HDD_SECTORS)
			c.plan.span /= 2;
		c.plan.weight[6] = 0;
	}
	choose_table();
}

static void make_unwritable(void)
{
	char text[40];
	unsigned int i;

	for (i = 0; i < 4; i++) {
		snprintf(text, sizeof(text), "%u 8",
			 (unsigned int)rng_below(&c.rng, i < 2 ? 64 : c.plan.span / 8) * 8);
		set(MODEL("mhdd0") "fail_write", text);
	}
}

static void arm_for_work(void)
{
	unsigned int step;

	if (c.step && !of_recovery() && !is_step("format")) {
		/* Each step once for sure; then later passings, should there be any. */
		arm(c.step, seed_of_case < nr_steps ? 1 : 1 + rng_below(&c.rng, 4));
	} else if (is_step("mend")) {
		arm("suspend_between", 1);
	} else if (arg.hook || rng_below(&c.rng, 2)) {
		arm("request", 1 + rng_below(&c.rng, 50 << rng_below(&c.rng, 6)));
	} else {
		step = step_number("commit_flush");
		step += rng_below(&c.rng, nr_steps - step);
		arm(steps[step], 1 + rng_below(&c.rng, 1 << rng_below(&c.rng, 4)));
	}
}

/* What may still be reached when the load is over. */
static bool reach(void)
{
	if (cut_happened())
		return true;
	if (arg.hook)
		return false;
	if (!is_step("suspend")) {
		device_message(&c.d, "drain");
		if (cut_happened())
			return true;
	}
	if (!arg.dies && (c.step || rng_below(&c.rng, 2))) {
		device_reload(&c.d, false);
		if (cut_happened())
			return true;
	}
	return false;
}

/* The device is made again, with more cuts meanwhile; it is there afterwards. */
static void recover(void)
{
	unsigned int more = c.step ? of_recovery() : rng_below(&c.rng, 3), begun = c.cuts, row;
	unsigned int first = step_number("load_super"), last = step_number("epoch_done");
	const char *what;

	for (; more && !arg.hook; more--) {
		what = of_recovery() ? c.step :
		       rng_below(&c.rng, 3) ? steps[first +
						    rng_below(&c.rng, last - first + 1)] :
		       "request";
		arm(what, strcmp(what, "request") ? 1 : 1 + rng_below(&c.rng, 30));
		device_up(&c.d);
		if (!cut_happened()) {
			set(DISKS "cut_at", "off");
			device_down(&c.d);
			continue;
		}
		back();
	}
	row = c.cuts - begun;
	cuts_in_a_row[row > 3 ? 3 : row]++;
	if (!device_up(&c.d)) {
		printf("  the device does not come back: %s\n", strerror(errno));
		c.bad++;
	}
}

static bool round_of(unsigned int round)
{
	bool cut;

	arm_for_work();
	if (c.plan.unwritable)
		make_unwritable();
	if (!work_run(&c.plan, &c.d, round)) {
		printf("FAIL seed %llu: hangs;%s\n", (unsigned long long)seed_of_case, c.plot);
		fflush(stdout);
		_exit(1);
	}
	cut = reach();
	if (!cut)
		cut_now();
	back();
	recover();
	if (!c.bad)
		check(c.d.path, c.plan.span, 0, "after a cut");
	return !c.bad;
}

static void run_case(uint64_t seed)
{
	unsigned int rounds, round;

	choose(seed);
	fresh_disks();
	journal_reset(seed);
	work_errors = 0;
	if (is_step("format"))
		arm(c.step, 1);
	if (!device_up(&c.d) && !is_step("format"))
		die("no device");
	if (is_step("format") && cut_happened()) {
		back();
		if (!device_up(&c.d))
			die("no device");
		check(c.d.path, c.plan.span, 0, "after a cut");
	}
	rounds = c.step || arg.hook ? 1 : 1 + rng_below(&c.rng, 2);
	for (round = 0; round < rounds && round_of(round); round++)
		;
	if (!c.bad && !arg.hook) {
		drain();
		check(c.d.path, c.plan.span, NOW, "after a drain");
	}
	if (!device_down(&c.d))
		die("the device does not go");
	/* What was written where nobody writes would be there, too. */
	if (!c.bad && !arg.hook)
		check(HDD, HDD_SECTORS, NOW, "on the HDD");
	c.bad += work_errors;
	c.hash = mix(c.hash + journal_entries());
}

/* --- All cases --- */

static void parse(const char *word)
{
	const struct {
		const char *name;
		unsigned long *number;
		const char **text;
	} keys[] = {
		{ "steps=", &arg.steps, NULL }, { "profile=", &arg.profile, NULL },
		{ "guard=", &arg.guard, NULL }, { "mirror=", &arg.mirror, NULL },
		{ "drop_flush=", &arg.drop_flush, NULL }, { "twice=", &arg.twice, NULL },
		{ "verbose=", &arg.verbose, NULL }, { "align=", &arg.align, NULL },
		{ "classes=", &arg.classes, NULL }, { "budget=", &arg.budget, NULL },
		{ "dies=", &arg.dies, NULL }, { "ssds=", &arg.ssds, NULL },
		{ "hook=", NULL, &arg.hook }, { "path=", NULL, &arg.path }
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		size_t n = strlen(keys[i].name);

		if (strncmp(word, keys[i].name, n))
			continue;
		if (keys[i].number)
			*keys[i].number = strtoul(word + n, NULL, 0);
		else
			*keys[i].text = word + n;
		return;
	}
	fprintf(stderr, "cuts: what is %s?\n", word);
	exit(2);
}

/* The command that runs this case once more. */
static void again_by(void)
{
	const struct {
		const char *key;
		unsigned long on;
	} flags[] = {
		{ "steps", arg.steps }, { "guard", arg.guard }, { "drop_flush", arg.drop_flush },
		{ "classes", arg.classes }, { "dies", arg.dies }, { "mirror", arg.mirror },
		{ "budget", arg.budget },
	};
	unsigned int i;

	printf("  again: scripts/soak cuts");
	for (i = 0; i < ARRAY_SIZE(flags); i++)
		if (flags[i].on)
			printf(" %s=1", flags[i].key);
	printf(" ssds=%lu", arg.ssds);
	if (arg.profile != -1UL)
		printf(" profile=%lu", arg.profile);
	printf(" %llu 1\n", (unsigned long long)seed_of_case);
}

static bool again(uint64_t seed)
{
	uint64_t hash = c.hash;
	uint32_t entries = journal_entries();

	run_case(seed);
	if (c.hash == hash && journal_entries() == entries)
		return true;
	printf("seed %llu: %u entries, then %u;%s\n", (unsigned long long)seed, entries,
	       journal_entries(), c.plot);
	return false;
}

int main(int argc, char **argv)
{
	unsigned int failed = 0, cuts = 0, missed = 0, differ = 0, i;
	uint64_t seed, first, count;

	if (argc < 3) {
		fprintf(stderr, "usage: cuts [KEY=VALUE]... FIRST COUNT\n");
		return 2;
	}
	for (i = 1; i < (unsigned int)argc - 2; i++)
		parse(argv[i]);
	first = strtoull(argv[argc - 2], NULL, 0);
	count = strtoull(argv[argc - 1], NULL, 0);
	for (seed = first; seed < first + count; seed++) {
		run_case(seed);
		cuts += c.cuts;
		if (arg.verbose)
			printf("seed %llu: %u entries, hash %016llx;%s\n",
			       (unsigned long long)seed, journal_entries(),
			       (unsigned long long)c.hash, c.plot);
		if (c.bad) {
			failed++;
			printf("FAIL seed %llu: %u wrong;%s; %s\n", (unsigned long long)seed,
			       c.bad, c.plot, c.d.table);
			again_by();
		} else if (arg.twice) {
			differ += !again(seed);
		}
		/* What becomes of another device when its disks are gone is not our business. */
		if (!arg.hook && kernel_complained()) {
			printf("FAIL seed %llu: the kernel complained\n", (unsigned long long)seed);
			failed++;
			break;
		}
		fflush(stdout);
	}
	for (i = 0; arg.steps && i < nr_steps; i++)
		if (!hits[i]) {
			printf("no cut at %s\n", steps[i]);
			missed++;
		}
	printf("%llu cases, %u cuts, %u twice and %u thrice in a row, %u failed",
	       (unsigned long long)count, cuts, cuts_in_a_row[1],
	       cuts_in_a_row[2] + cuts_in_a_row[3], failed);
	printf(arg.twice ? ", %u differ\n" : "\n", differ);
	return failed || missed;
}
