/* SPDX-License-Identifier: GPL-2.0-only */
/* sim: who decides about writes, and what came of it. */
#ifndef SIM_STRATEGY_H
#define SIM_STRATEGY_H

#include "core/window.h"
#include "disks.h"
#include "load.h"

enum strategy_kind { STRATEGY_BARE, STRATEGY_FIXED, STRATEGY_WINDOWS };

/*
 * Who decides. A fixed strategy gives each disk a window of its own, whatever the disks are, and
 * lets the HDD have what is sequential, or whatever there is.
 */
struct strategy {
	const char	*name;
	enum strategy_kind kind;
	u32		hdd;		/* FIXED: sectors that the HDD is given at once */
	u32		ssd;		/* the same */
	bool		by_kind;	/* FIXED: the HDD gets only what is sequential */
	bool		half;		/* FIXED: the log is drained when it is half full */
};

extern const struct strategy strategies[];
extern const u32 nr_strategies;		/* the bare HDD is the first, windows the last */

/* How it went. */
struct outcome {
	u64	ran;			/* 0: this was not asked for */
	double	speed;			/* MB/s that writers saw; or commits a second */
	double	beside;			/* MB/s that readers, or other writers, saw */
	double	drained;		/* seconds until all was on the HDD; 0 for a part of time */
	double	p99;			/* ms; of writes */
	double	longest;
	double	logged;			/* part of the bytes that the SSD got */
};

/* Of the log. They are equal, but the first one may be quicker. */
struct sim_ssds {
	u32	nr;
	u32	slower;			/* so many times slower are the others */
	bool	apart;			/* may one be left to its readers? */
};

/** simulate() - what becomes of a load; the same whenever it is called */
struct outcome simulate(const struct disks_params *disks, const struct sim_ssds *ssds,
			const struct load *load, const struct strategy *strategy);

#endif
