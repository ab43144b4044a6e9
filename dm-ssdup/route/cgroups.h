/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: whose data a write has, by the cgroups of version 2.
 *
 * A write from the page cache belongs to the cgroup that its memory is charged to, whoever
 * writes it back; any other write, to the cgroup of the task that submits it. The block layer's
 * own association would say the same, but device-mapper does not give it to a target.
 */
#ifndef SSDUP_CGROUPS_H
#define SSDUP_CGROUPS_H

#include <linux/errno.h>

#include "core/class.h"

struct bio;

#ifdef CONFIG_MEMCG
/**
 * ssdup_cgroup_class() - the class of a write's cgroup, or of the nearest above that has one
 *
 * Context: map; rcu_read_lock() is held. Return: 0 when none has.
 */
u32 ssdup_cgroup_class(const struct class_rules *rules, const struct bio *bio);

/**
 * ssdup_cgroup_id() - find a cgroup
 * @name: its path, or its number, which may be that of one that is gone
 *
 * Context: process. Return: 0 or -errno.
 */
int ssdup_cgroup_id(const char *name, u64 *id);
#else
static inline u32 ssdup_cgroup_class(const struct class_rules *rules, const struct bio *bio)
{
	return 0;
}

static inline int ssdup_cgroup_id(const char *name, u64 *id)
{
	return -EOPNOTSUPP;
}
#endif

#endif
