// SPDX-License-Identifier: GPL-2.0-only
/* sim: the strategies that windows are compared with. */
#include "strategy.h"

#define FIXED(_name, _ssd, _hdd, _by_kind, _half)						\
	{ .name = _name, .kind = STRATEGY_FIXED, .ssd = _ssd, .hdd = _hdd, .by_kind = _by_kind,	\
	  .half = _half }
#define ALL	0x40000000U	/* sectors: whatever comes */

const struct strategy strategies[] = {
	{ .name = "hdd", .kind = STRATEGY_BARE },
	FIXED("log", ALL, 0, false, false),
	FIXED("log-half", ALL, 0, false, true),
	FIXED("kinds", 8192, ALL, true, false),
	FIXED("kinds-half", 8192, ALL, true, true),
	FIXED("some", 1024, 1024, false, false),
	FIXED("some-half", 1024, 1024, false, true),
	FIXED("more", 2048, 4096, false, false),
	FIXED("most", 1024, 16384, false, false),
	{ .name = "windows", .kind = STRATEGY_WINDOWS },
};

const u32 nr_strategies = sizeof(strategies) / sizeof(strategies[0]);
