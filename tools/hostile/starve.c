// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables that are loaded and resumed while one of the module's allocations fails: the
 * first, then a later one each time, until there are none left to fail. The kernel counts
 * them for the task that asks for it, in the functions that the test has named to it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "case.h"
#include "dm.h"
#include "hostile.h"

extern char **environ;

static int fail_nth = -1;

/* of this task's allocations, the nth from now fails; 0 for none */
static void fail_at(unsigned int nth)
{
	char digits[16];
	int len = snprintf(digits, sizeof(digits), "%u", nth);

	if (pwrite(fail_nth, digits, len, 0) != len)
		fail("fail-nth: %s", strerror(errno));
}

/* fail_none() - no more of them; has the one failed that was to? */
static bool fail_none(void)
{
	char digits[16] = "";

	if (pread(fail_nth, digits, sizeof(digits) - 1, 0) <= 0)
		fail("fail-nth: %s", strerror(errno));
	fail_at(0);
	return !strtoul(digits, NULL, 10);
}

/* worked() - it did, or there was no memory for it; all else is wrong */
static bool worked(int r, const char *what)
{
	if (r && r != -ENOMEM)
		fail("%s: %s", what, strerror(-r));
	return !r;
}

/* The device is written to, or verified, by the one who knows what is on it. */
static void run_iocheck(char *model, char *command, unsigned int nr)
{
	char seed[32];
	char *argv[8] = {
		"iocheck", model, (char *)dm_node(), command, "max=64", "nr=10", seed, NULL
	};
	int status;
	pid_t pid;

	snprintf(seed, sizeof(seed), "seed=%u", nr);
	if (posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ) ||
	    waitpid(pid, &status, 0) != pid || status)
		fail("status of iocheck %s", command);
}

static int load(void)
{
	return dm_load("ssdup", disks.hdd_sectors, disks.table);
}

static unsigned int next(unsigned int nth)
{
	return nth + 1 + nth / 4;
}

/* A device is made, and removed again. */
static void make_tables(void)
{
	unsigned int nth, refused = 0, tables = 0;
	bool failed = true;

	for (nth = 1; failed; nth = next(nth), tables++) {
		begin_case(nth);
		fail_at(nth);
		if (!worked(load(), "load") || !worked(dm_resume(), "resume"))
			refused++;
		failed = fail_none();
		dm_close();
		dm_open("hostile");
	}
	printf("%u tables %u refused\n", tables, refused);
}

/* A device has another table, or goes on with the one that it has. */
static void change_tables(char *model)
{
	unsigned int nth, refused = 0, tables = 0;
	bool failed = true, loaded;
	int r;

	for (nth = 1; failed; nth = next(nth), tables++) {
		begin_case(nth);
		fail_at(nth);
		loaded = worked(load(), "reload");
		failed = fail_none();
		refused += !loaded;
		run_iocheck(model, "mixed", nth);
		r = dm_suspend();
		if (r)
			fail("suspend: %s", strerror(-r));
		fail_at(1);
		loaded = worked(dm_resume(), "resume");
		fail_none();
		r = loaded ? 0 : dm_resume();
		if (r)
			fail("second resume: %s", strerror(-r));
	}
	printf("%u reloads %u refused\n", tables, refused);
}

int starve(char *model)
{
	fail_nth = open("/proc/self/fail-nth", O_RDWR | O_CLOEXEC);
	if (fail_nth < 0)
		fail("fail-nth: %s", strerror(errno));
	make_tables();
	if (load() || dm_resume())
		fail("a table without want of memory");
	run_iocheck(model, "verify", 0);
	change_tables(model);
	return 0;
}
