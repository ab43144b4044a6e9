/* SPDX-License-Identifier: GPL-2.0-only */
/* cuts: the load. */
#ifndef CUTS_WORK_H
#define CUTS_WORK_H

#include "device.h"
#include "util.h"

struct plan {
	uint64_t seed;
	unsigned int writers, ops, align, max, span;
	unsigned int weight[8];		/* of each kind of thing that writers do */
	unsigned int controls;		/* things that the controller does */
	bool unwritable;		/* some sectors of the HDD refuse writes */
	bool suspends;			/* reloads are among the controls */
	bool classes;			/* the classes of new data are, too */
	bool budget;			/* and what space on the SSD costs */
	unsigned int dies;		/* so many SSDs, of which one fails; 0: none does */
	bool mirror;			/* another one has the same: nothing fails, and */
	unsigned int victim;		/* it is always this one */
};

extern unsigned int work_errors;	/* things that went wrong before the power did */

/* work_plan() - what a seed says */
void work_plan(struct plan *p, uint64_t seed);

/* work_run() - until all is done or the power is gone. Return: false when it hangs */
bool work_run(const struct plan *p, struct device *d, unsigned int round);

/* power_is_off() - or was told to go */
bool power_is_off(void);

#endif
