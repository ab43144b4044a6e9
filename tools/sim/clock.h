/* SPDX-License-Identifier: GPL-2.0-only */
/* sim: a clock that jumps from event to event; those of the same time run as they came. */
#ifndef SIM_CLOCK_H
#define SIM_CLOCK_H

#include <linux/types.h>

struct clock_event {
	u64	when;		/* ns */
	u64	nr;
	void	(*run)(void *arg);
	void	*arg;
};

struct clock {
	struct clock_event *heap;
	u32	nr;
	u32	room;
	u64	made;		/* events so far */
	u64	now;		/* ns */
};

/** clock_at() - call a function at a time, or now if that has passed */
void clock_at(struct clock *c, u64 when, void (*run)(void *arg), void *arg);

/** clock_in() - call a function in some time, ns */
static inline void clock_in(struct clock *c, u64 ns, void (*run)(void *arg), void *arg)
{
	clock_at(c, c->now + ns, run, arg);
}

/** clock_step() - go to the next event and run it. Return: false: there is none */
bool clock_step(struct clock *c);

void clock_free(struct clock *c);

#endif
