// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup job: which device and class a job gets, and what is counted for its tenant.
 */
#include <stdio.h>
#include <stdlib.h>

#include <kunit/test.h>

#include "lib/jobs.h"

#define MANY	128

/* Words of the cases are not freed. */
static struct job of(const char *tenant, const char *device, const char *class, uint64_t bytes)
{
	return (struct job){ .id = "1", .device = (char *)device, .class = (char *)class,
			     .tenant = (char *)tenant, .bytes = bytes, .runs = true };
}

#define JOB(tenant, device, class, bytes)	\
	{ "1", device, class, tenant, bytes, true }

static struct jobs count(struct job *job)
{
	struct jobs jobs = { .job = job };

	while (job[jobs.nr].id)
		jobs.nr++;
	return jobs;
}

static const char *const devices[] = { "p0", "p1", "p2" };

static const struct device_case {
	const char	*name;
	struct job	job[6];
	const char	*tenant;
	const char	*device;
} device_cases[] = {
	{ "no job", { }, "a", "p0" },
	{ "an idle one", { JOB("b", "p0", "x", 0), JOB("c", "p2", "x", 0) }, "a", "p1" },
	{ "an idle one, though the tenant has others",
	  { JOB("a", "p0", "x", 0), JOB("a", "p1", "x", 0) }, "a", "p2" },
	{ "none idle: one without the tenant, though others are used less",
	  { JOB("a", "p0", "x", 0), JOB("b", "p1", "x", 0), JOB("c", "p1", "x", 0),
	    JOB("a", "p2", "x", 0) }, "a", "p1" },
	{ "the least used of those without the tenant",
	  { JOB("a", "p0", "x", 0), JOB("b", "p1", "x", 0), JOB("c", "p1", "x", 0),
	    JOB("b", "p2", "x", 9) }, "a", "p2" },
	{ "the tenant on all: the least used",
	  { JOB("a", "p0", "x", 0), JOB("b", "p0", "x", 0), JOB("a", "p1", "x", 0),
	    JOB("a", "p2", "x", 0), JOB("b", "p2", "x", 0) }, "a", "p1" },
	{ "as many jobs: the fewest bytes",
	  { JOB("b", "p0", "x", 7), JOB("b", "p1", "x", 6), JOB("c", "p2", "x", 7) }, "a", "p1" },
	{ "jobs on other devices",
	  { JOB("a", "q0", "x", 0), JOB("a", "q0", "x", 0) }, "a", "p0" },
};

static void a_job_gets_a_device(struct kunit *test)
{
	const struct device_case *c;
	const char *device;
	struct jobs jobs;

	for (c = device_cases; c < device_cases + sizeof(device_cases) / sizeof(*c); c++) {
		jobs = count((struct job *)c->job);
		device = tenant_device(&jobs, devices, 3, c->tenant);
		KUNIT_EXPECT_EQ_MSG(test, strcmp(device, c->device), 0, "%s: %s", c->name, device);
	}
}

static const char *const classes[] = { "x", "y", "z" };

static const struct class_case {
	const char	*name;
	struct job	job[6];
	const char	*tenant;
	const char	*class;
} class_cases[] = {
	{ "no job", { }, "a", "x" },
	{ "the one that the tenant has, though others are idle",
	  { JOB("a", "p0", "y", 0), JOB("b", "p0", "y", 0) }, "a", "y" },
	{ "an idle one", { JOB("b", "p0", "x", 0), JOB("c", "p0", "z", 0) }, "a", "y" },
	{ "none idle: the least used",
	  { JOB("b", "p0", "x", 0), JOB("c", "p0", "x", 0), JOB("d", "p0", "y", 9),
	    JOB("e", "p0", "z", 0), JOB("f", "p0", "z", 0) }, "a", "y" },
	{ "as many jobs: the fewest bytes",
	  { JOB("b", "p0", "x", 7), JOB("c", "p0", "y", 7), JOB("d", "p0", "z", 6) }, "a", "z" },
	{ "what the tenant has on another device",
	  { JOB("a", "p1", "z", 0), JOB("b", "p0", "x", 0) }, "a", "y" },
};

static void a_job_gets_a_class(struct kunit *test)
{
	const struct class_case *c;
	const char *class;
	struct jobs jobs;

	for (c = class_cases; c < class_cases + sizeof(class_cases) / sizeof(*c); c++) {
		jobs = count((struct job *)c->job);
		class = tenant_class(&jobs, "p0", classes, 3, c->tenant);
		KUNIT_EXPECT_EQ_MSG(test, strcmp(class, c->class), 0, "%s: %s", c->name, class);
	}
}

/*
 * Put @nr jobs on @pools devices with eight classes each. Return: how many jobs share a class at
 * most.
 */
static unsigned int spread(unsigned int nr, unsigned int pools, const char *const *tenants)
{
	static const char *const pool[] = { "p0", "p1", "p2", "p3" };
	static const char *const stream[] = { "0", "1", "2", "3", "4", "5", "6", "7" };
	struct job job[MANY];
	struct jobs jobs = { .job = job };
	unsigned int i, k, n, most = 0;
	const char *device, *class;

	for (i = 0; i < nr; i++) {
		device = tenant_device(&jobs, pool, pools, tenants[i]);
		class = tenant_class(&jobs, device, stream, 8, tenants[i]);
		job[i] = of(tenants[i], device, class, 1);
		jobs.nr++;
	}
	for (i = 0; i < nr; i++) {
		for (n = k = 0; k < nr; k++)
			n += !strcmp(job[k].device, job[i].device) &&
			     !strcmp(job[k].class, job[i].class);
		most = n > most ? n : most;
	}
	return most;
}

/*
 * The paper's testbed has four SSDs with 8 streams each. Its 8 users of a node have a stream
 * each. If data is striped over all SSDs, 32 users are 4 to a stream. In 4 pools each of them is
 * alone on its stream, and so is each of four jobs of one user.
 */
static void users_of_the_paper(struct kunit *test)
{
	const char *tenants[32];
	char name[32][8];
	unsigned int i;

	for (i = 0; i < 32; i++) {
		snprintf(name[i], sizeof(name[i]), "u%u", i);
		tenants[i] = name[i];
	}
	KUNIT_EXPECT_EQ(test, spread(8, 1, tenants), 1);
	KUNIT_EXPECT_EQ(test, spread(32, 1, tenants), 4);
	KUNIT_EXPECT_EQ(test, spread(32, 4, tenants), 1);
	for (i = 0; i < 4; i++)
		tenants[i] = name[0];
	KUNIT_EXPECT_EQ(test, spread(4, 1, tenants), 4);
	KUNIT_EXPECT_EQ(test, spread(4, 4, tenants), 1);
}

static void new_data_has_the_class_of_all_that_run(struct kunit *test)
{
	struct job job[] = {
		of("a", "p0", "x", 0), of("b", "p0", "x", 0), of("c", "p0", "y", 0),
		of("c", "p1", "z", 0),
	};
	struct jobs jobs = { job, 4 };

	job[2].runs = false;
	KUNIT_EXPECT_STREQ(test, tenant_epoch(&jobs, "p0"), "x");
	KUNIT_EXPECT_STREQ(test, tenant_epoch(&jobs, "p1"), "z");
	KUNIT_EXPECT_STREQ(test, tenant_epoch(&jobs, "p2"), CLASS_DEFAULT);
	job[2].runs = true;
	KUNIT_EXPECT_STREQ(test, tenant_epoch(&jobs, "p0"), CLASS_DEFAULT);
	job[0].runs = false;
	job[1].runs = false;
	KUNIT_EXPECT_STREQ(test, tenant_epoch(&jobs, "p0"), "y");
}

static void tenants_are_summed_up(struct kunit *test)
{
	struct job job[] = {
		of("a", "p0", "x", 1), of("a", "p1", "x", 2), of("a", "p0", "x", 4),
		of("a", "p0", "y", 8), of("b", "p0", "y", 16),
	};
	struct jobs jobs = { job, 5 };
	static const struct tenant want[] = {
		{ "a", "x", 2, 5 }, { "a", "y", 1, 8 }, { "b", "y", 1, 16 },
	};
	unsigned int i, at = 0;
	struct tenant t;

	for (i = 0; i < 3; i++) {
		KUNIT_ASSERT_TRUE(test, tenant_next(&jobs, "p0", &at, &t));
		KUNIT_EXPECT_STREQ(test, t.name, want[i].name);
		KUNIT_EXPECT_STREQ(test, t.class, want[i].class);
		KUNIT_EXPECT_EQ(test, t.jobs, want[i].jobs);
		KUNIT_EXPECT_EQ(test, t.bytes, want[i].bytes);
	}
	KUNIT_EXPECT_FALSE(test, tenant_next(&jobs, "p0", &at, &t));
	KUNIT_EXPECT_EQ(test, tenant_bytes(&jobs, "a"), 15);
	KUNIT_EXPECT_EQ(test, tenant_bytes(&jobs, "c"), 0);
}

static void lines_of_jobs_are_read(struct kunit *test)
{
	static const char *const bad[] = {
		"", "p0", "p0 x 1 runs", "p0 x one runs a", "p0 x 1 runs a b", "p0 x 1 neverever a",
		"p0 x 1 runs a/b", "p0 \033x 1 runs a",
	};
	struct job job;
	size_t i;

	KUNIT_ASSERT_TRUE(test, job_parse(&job, "7", "p0 x 4096 waits a"));
	KUNIT_EXPECT_STREQ(test, job.id, "7");
	KUNIT_EXPECT_STREQ(test, job.device, "p0");
	KUNIT_EXPECT_STREQ(test, job.class, "x");
	KUNIT_EXPECT_STREQ(test, job.tenant, "a");
	KUNIT_EXPECT_EQ(test, job.bytes, 4096);
	KUNIT_EXPECT_FALSE(test, job.runs);
	jobs_free(&(struct jobs){ memcpy(xalloc(sizeof(job)), &job, sizeof(job)), 1 });
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		KUNIT_EXPECT_FALSE_MSG(test, job_parse(&job, "7", bad[i]), "%s", bad[i]);
}

static struct kunit_case tenants_cases[] = {
	KUNIT_CASE(a_job_gets_a_device),
	KUNIT_CASE(a_job_gets_a_class),
	KUNIT_CASE(users_of_the_paper),
	KUNIT_CASE(new_data_has_the_class_of_all_that_run),
	KUNIT_CASE(tenants_are_summed_up),
	KUNIT_CASE(lines_of_jobs_are_read),
	{}
};

static struct kunit_suite tenants_suite = {
	.name = "tenants",
	.test_cases = tenants_cases,
};

kunit_test_suite(tenants_suite);
