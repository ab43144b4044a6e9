/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: in which order writes get the space that drains make. Pure.
 *
 * Who costs the HDD little does not wait behind all others: by self-clocked fair queueing
 * (Golestani, INFOCOM 1994) flows get as much of the HDD's time in turn, since it is drains that
 * writes wait for. A write that goes on where its flow's last one ended is charged its part of a
 * run, and another one a request and the arm's way of its own. Its turn is where its flow gets to
 * by it: from where that has got to, or from the turn of the write that was served last, if that is
 * later. So who was away has saved nothing up. The earliest turn is served first. Only writes that
 * wait are seen here: after one that did not, the next one is no part of a run.
 */
#ifndef SSDUP_TURNS_H
#define SSDUP_TURNS_H

#include <linux/minmax.h>
#include <linux/types.h>

#include "balance.h"

#define TURN_FLOW_BITS	6	/* tasks that happen to share a flow share turns, and tear runs */
#define TURN_FLOWS	BIT(TURN_FLOW_BITS)

/* All zero: nobody was served. */
struct turns {
	u64	now;			/* ns: latest turn that was served */
	u64	last[TURN_FLOWS];	/* ns: turn of the last write of each flow */
	u64	end[TURN_FLOWS];	/* sector behind it */
};

/* What a write costs the HDD; ns, and more for a longer one whatever was learnt. */
static inline u64 turns_cost(u32 sectors, bool follows, const struct balance_cost *hdd)
{
	u32 run = follows ? BALANCE_CHUNK : sectors;
	const struct balance_work w = { .sectors = run, .requests = 1, .placed = 1 };

	return div_u64(balance_price(hdd, &w) * sectors, run) + sectors;
}

/**
 * turns_take() - the turn of a flow's next write; ns
 * @t: turns
 * @flow: below TURN_FLOWS
 * @start: sector of the write
 * @sectors: its length
 * @hdd: what requests cost the HDD
 */
static inline u64 turns_take(struct turns *t, u32 flow, u64 start, u32 sectors,
			     const struct balance_cost *hdd)
{
	bool follows = start == t->end[flow];

	t->last[flow] = max(t->now, t->last[flow]) + turns_cost(sectors, follows, hdd);
	t->end[flow] = start + sectors;
	return t->last[flow];
}

/** turns_served() - the write of that turn has got its place */
static inline void turns_served(struct turns *t, u64 turn)
{
	t->now = max(t->now, turn);
}

#endif
