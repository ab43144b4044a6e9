/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: which device and which class of data a job gets, and what its tenant was granted. Pure.
 *
 * A tenant is whom a workload manager counts a job for: a user, or a group of users. Both
 * choices are those of BIOS, a burst buffer with a write stream for each user (Algorithms 1 and
 * 2): users have streams there, and jobs have pools of SSDs. Here they have classes and devices.
 * The paper takes a stream back when its user has not written for a while. Here the workload
 * manager says when a job ends, and with its last job a tenant has no class any more.
 */
#ifndef SSDUP_TENANTS_H
#define SSDUP_TENANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CLASS_DEFAULT	"default"

/* None of its words is empty or has a blank. */
struct job {
	char		*id;
	char		*device;
	char		*class;
	char		*tenant;
	uint64_t	bytes;		/* granted */
	bool		runs;		/* it may write; else it waits for its start */
};

/* Jobs of one tenant and class are neighbours, see jobs_read(). */
struct jobs {
	struct job	*job;
	unsigned int	nr;
};

/**
 * tenant_device() - the device for another job of a tenant (Algorithm 2)
 * @devices: at least one
 * @nr: how many
 *
 * Return: one without jobs, else the least used one on which the tenant has no job, else the
 * least used one. The least used one has the fewest jobs. If several have, it is the one with
 * the fewest bytes granted, and then the first.
 */
const char *tenant_device(const struct jobs *jobs, const char *const *devices, unsigned int nr,
			  const char *tenant);

/**
 * tenant_class() - the class for another job of a tenant (Algorithm 1)
 * @device: the job is there
 * @classes: at least one
 * @nr: how many
 *
 * Return: the one that the tenant has on the device, else one that no job has, else the least
 * used one, as above.
 */
const char *tenant_class(const struct jobs *jobs, const char *device, const char *const *classes,
			 unsigned int nr, const char *tenant);

/**
 * tenant_epoch() - the class of new data on a device
 *
 * The device cannot tell which job writes. Return: the class that all running jobs have,
 * CLASS_DEFAULT when they differ or none runs.
 */
const char *tenant_epoch(const struct jobs *jobs, const char *device);

/** tenant_bytes() - what the tenant was granted on all devices */
uint64_t tenant_bytes(const struct jobs *jobs, const char *tenant);

/* A tenant's jobs of one class on one device. */
struct tenant {
	const char	*name;
	const char	*class;
	unsigned int	jobs;
	uint64_t	bytes;
};

/**
 * tenant_next() - the next tenant and class of a device
 * @at: 0 at first
 *
 * Return: false when there is none left.
 */
bool tenant_next(const struct jobs *jobs, const char *device, unsigned int *at, struct tenant *t);

#endif
