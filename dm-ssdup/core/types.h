/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The types of the two address spaces, and the words both the deciding
 * and the doing files use.
 *
 * A place on the HDD is a sector_t-like u64 counted from the start of the HDD.
 * A place in the log is a log_pos_t, sectors from the start of the data area
 * of a half; sparse keeps the two apart.
 */
#ifndef SSDUP_TYPES_H
#define SSDUP_TYPES_H

#include <linux/types.h>

#include "format.h"

typedef u32 __bitwise log_pos_t;

static inline log_pos_t to_log_pos(u32 sectors)
{
	return (__force log_pos_t)sectors;
}

static inline u32 from_log_pos(log_pos_t pos)
{
	return (__force u32)pos;
}

static inline log_pos_t log_pos_add(log_pos_t pos, u32 sectors)
{
	return to_log_pos(from_log_pos(pos) + sectors);
}

/* Which disk; the status line prints these numbers, and balance remembers bits of them. */
enum ssdup_disk {
	SSDUP_HDD,
	SSDUP_SSD,
};

/* In the order of the numbers that the status line prints; only ever appended to. */
enum ssdup_policy {
	SSDUP_POLICY_ADAPTIVE,
	SSDUP_POLICY_WATERMARK,
	SSDUP_POLICY_ALL,
	SSDUP_POLICY_NONE,
	SSDUP_POLICY_BALANCE,
	SSDUP_NR_POLICIES,
};

enum ssdup_full {
	SSDUP_FULL_BLOCK,
	SSDUP_FULL_BYPASS,
};

enum ssdup_drain {
	SSDUP_DRAIN_AUTO,
	SSDUP_DRAIN_EAGER,
	SSDUP_DRAIN_MANUAL,
};

/* Random percentages and thresholds are in units of 1/10000. */
#define SSDUP_PCT_ONE	10000U

#endif
