/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the types of the two address spaces, and the enums that core/ and the files
 * around it share.
 *
 * A place on the HDD is a u64, in sectors from its start. A place in the log is a log_pos_t,
 * in sectors from the start of a segment's data area. sparse keeps the two apart.
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

/* The status line prints these numbers, and struct window_map stores them as bits. */
enum ssdup_disk {
	SSDUP_HDD,
	SSDUP_SSD,
};

enum ssdup_policy {
#define SSDUP_POLICY(symbol, ...)	SSDUP_POLICY_##symbol,
#include "states.h"
};

/* Mode of the device. Only ssdup_fail() raises it. */
enum ssdup_mode {
#define SSDUP_MODE(symbol, ...)		MODE_##symbol,
#include "states.h"
};

/* Only for the status line. */
enum drain_state {
#define SSDUP_DRAIN_STATE(symbol, ...)	DRAIN_##symbol,
#include "states.h"
};

enum wait_cause {
#define SSDUP_WAIT_CAUSE(symbol, ...)	WAIT_##symbol,
#include "states.h"
};

/* Fields of the status line. */
enum ssdup_field {
#define SSDUP_FIELD(symbol, ...)	FIELD_##symbol,
#define SSDUP_STAT(symbol, ...)		FIELD_##symbol,
#include "fields.h"
	SSDUP_NR_FIELDS
};

enum ssdup_stat {
#define SSDUP_STAT(symbol, ...)		STAT_##symbol,
#include "fields.h"
	STAT_NR
};

enum ssdup_drain {
	SSDUP_DRAIN_AUTO,
	SSDUP_DRAIN_EAGER,
	SSDUP_DRAIN_MANUAL,
};

/* Bits of the key override. */
#define SSDUP_OVERRIDE_HOST	1U
#define SSDUP_OVERRIDE_HDD	2U

/* Random percentages and thresholds are in units of 1/10000. */
#define SSDUP_PCT_ONE	10000U

#endif
