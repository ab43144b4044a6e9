// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "tenants.h"

/* Who uses a device, or a class on it. */
struct use {
	unsigned int	jobs;
	uint64_t	bytes;
	bool		own;	/* the tenant too */
};

/* @class: NULL for any */
static struct use use_of(const struct jobs *jobs, const char *device, const char *class,
			 const char *tenant)
{
	struct use use = { };
	const struct job *j;

	for (j = jobs->job; j < jobs->job + jobs->nr; j++) {
		if (strcmp(j->device, device) || (class && strcmp(j->class, class)))
			continue;
		use.jobs++;
		use.bytes += j->bytes;
		use.own |= !strcmp(j->tenant, tenant);
	}
	return use;
}

static bool used_less(const struct use *a, const struct use *b)
{
	return a->jobs != b->jobs ? a->jobs < b->jobs : a->bytes < b->bytes;
}

const char *tenant_device(const struct jobs *jobs, const char *const *devices, unsigned int nr,
			  const char *tenant)
{
	struct use use, least = use_of(jobs, devices[0], NULL, tenant);
	const char *best = devices[0];
	unsigned int i;

	for (i = 1; i < nr; i++) {
		use = use_of(jobs, devices[i], NULL, tenant);
		if (use.own != least.own ? least.own : used_less(&use, &least)) {
			least = use;
			best = devices[i];
		}
	}
	return best;
}

const char *tenant_class(const struct jobs *jobs, const char *device, const char *const *classes,
			 unsigned int nr, const char *tenant)
{
	struct use use, least = { };
	const char *best = NULL;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		use = use_of(jobs, device, classes[i], tenant);
		if (use.own)
			return classes[i];
		if (!best || used_less(&use, &least)) {
			least = use;
			best = classes[i];
		}
	}
	return best;
}

const char *tenant_epoch(const struct jobs *jobs, const char *device)
{
	const char *class = NULL;
	const struct job *j;

	for (j = jobs->job; j < jobs->job + jobs->nr; j++) {
		if (!j->runs || strcmp(j->device, device))
			continue;
		if (class && strcmp(class, j->class))
			return CLASS_DEFAULT;
		class = j->class;
	}
	return class ?: CLASS_DEFAULT;
}

uint64_t tenant_bytes(const struct jobs *jobs, const char *tenant)
{
	const struct job *j;
	uint64_t bytes = 0;

	for (j = jobs->job; j < jobs->job + jobs->nr; j++)
		if (!strcmp(j->tenant, tenant))
			bytes += j->bytes;
	return bytes;
}

bool tenant_next(const struct jobs *jobs, const char *device, unsigned int *at, struct tenant *t)
{
	const struct job *j;

	*t = (struct tenant){ };
	for (; *at < jobs->nr; (*at)++) {
		j = &jobs->job[*at];
		if (strcmp(j->device, device))
			continue;
		if (t->name && (strcmp(j->tenant, t->name) || strcmp(j->class, t->class)))
			break;
		t->name = j->tenant;
		t->class = j->class;
		t->jobs++;
		t->bytes += j->bytes;
	}
	return t->name;
}
