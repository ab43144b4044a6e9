// SPDX-License-Identifier: GPL-2.0-only
/* sim: the clock; a binary heap of events. */
#include <linux/kernel.h>
#include "clock.h"

static bool sooner(const struct clock_event *a, const struct clock_event *b)
{
	return a->when != b->when ? a->when < b->when : a->nr < b->nr;
}

void clock_at(struct clock *c, u64 when, void (*run)(void *arg), void *arg)
{
	struct clock_event e = { max(when, c->now), c->made++, run, arg };
	u32 i = c->nr++;

	if (i == c->room) {
		c->room = max(2 * c->room, 1024U);
		c->heap = realloc(c->heap, c->room * sizeof(*c->heap));
		if (!c->heap)
			abort();
	}
	for (; i && sooner(&e, &c->heap[(i - 1) / 2]); i = (i - 1) / 2)
		c->heap[i] = c->heap[(i - 1) / 2];
	c->heap[i] = e;
}

bool clock_step(struct clock *c)
{
	struct clock_event first, last;
	u32 i = 0, child;

	if (!c->nr)
		return false;
	first = c->heap[0];
	last = c->heap[--c->nr];
	while ((child = 2 * i + 1) < c->nr) {
		if (child + 1 < c->nr && sooner(&c->heap[child + 1], &c->heap[child]))
			child++;
		if (!sooner(&c->heap[child], &last))
			break;
		c->heap[i] = c->heap[child];
		i = child;
	}
	c->heap[i] = last;
	c->now = first.when;
	first.run(first.arg);
	return true;
}

void clock_free(struct clock *c)
{
	free(c->heap);
	*c = (struct clock){ 0 };
}
