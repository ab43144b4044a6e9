/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the fast path of every request through the meter; inline, and scripts/bench/where
 * counts it.
 */
#ifndef SSDUP_METER_H
#define SSDUP_METER_H

#include "router.h"

/**
 * ssdup_balances() - does balance choose the disk of a write, and is the load measured?
 *
 * With its own policy, and by the key full with any policy, from the time that a write finds
 * the log full until less than a part of it is in use. Context: any; a hint.
 */
static inline bool ssdup_balances(const struct ssdup *c)
{
	u32 policy = READ_ONCE(c->set.policy);

	return policy == SSDUP_POLICY_BALANCE ||
	       (policy != SSDUP_POLICY_WINDOWS && READ_ONCE(c->scarce) &&
		READ_ONCE(c->set.full) == SSDUP_FULL_BALANCE);
}

/** ssdup_meter_cost() - what is learnt so far of the prices of a disk; any context */
static inline struct balance_cost ssdup_meter_cost(const struct disk_meter *disk)
{
	return (struct balance_cost){
		.unit_ns = READ_ONCE(disk->cost.unit_ns),
		.request_ns = READ_ONCE(disk->cost.request_ns),
		.place_ns = READ_ONCE(disk->cost.place_ns),
	};
}

static inline bool ssdup_meter_rests(const struct disk_meter *disk)
{
	return READ_ONCE(disk->look) != tuning.look;
}

/* Expected time of a request, ns. */
static __always_inline u64 ssdup_price(const struct disk_meter *disk, u32 sectors, bool placed)
{
	/* Without @placed, a place_ns of 0 saves the multiplication. */
	const struct balance_work w = { .sectors = sectors, .requests = 1, .placed = 1 };
	const struct balance_cost cost = {
		.unit_ns = READ_ONCE(disk->cost.unit_ns),
		.request_ns = READ_ONCE(disk->cost.request_ns),
		.place_ns = placed ? READ_ONCE(disk->cost.place_ns) : 0,
	};

	return balance_price(&cost, &w);
}

static __always_inline void ssdup_queue_add(struct disk_meter *disk, u64 price)
{
	u64 before = atomic64_fetch_add(price, &disk->queue);
	bool empty = !before;

	/* Not at rest: the disk's idle time ends. At rest: a queue forms and ends the rest. */
	if (empty != ssdup_meter_rests(disk))
		ssdup_meter_turn(disk, before);
}

/* A write joins a disk's queue. */
static __always_inline void ssdup_meter_begin(struct disk_meter *disk, const struct ssdup_io *io)
{
	if (unlikely(READ_ONCE(disk->to_come) || io->place.front))
		ssdup_meter_front(disk, io);
	ssdup_queue_add(disk, io->price);
}

/** ssdup_meter_write() - a write is sent to a disk; it joins the queue if it has a price */
static __always_inline void ssdup_meter_write(struct ssdup_router *router, struct ssdup_io *io,
					      enum ssdup_disk route)
{
	struct ssdup_meter *meter = router->meter;

	if (!io->price)
		return;
	if (route == SSDUP_HDD)
		ssdup_meter_begin(&meter->hdd, io);
	else
		ssdup_meter_logged(router, io);
	balance_note(&meter->map, io->start, io->sectors, READ_ONCE(meter->age), route);
}

/*
 * Does a read begin where one of the last ended, of this processor? Another one may run on by now,
 * and a read of it may come in between: then some reader counts as one that does not go on.
 */
static __always_inline bool ssdup_read_follows(struct ssdup_router *router, struct ssdup_io *io)
{
	struct ssdup_stats *s = raw_cpu_ptr(router->stats);
	u32 i, at;

	for (i = 0; i < ARRAY_SIZE(s->read_end); i++) {
		if (READ_ONCE(s->read_end[i]) != io->start)
			continue;
		WRITE_ONCE(s->read_end[i], io->start + io->sectors);
		io->long_run = READ_ONCE(s->read_run[i]) >= GHOST_RUN;
		WRITE_ONCE(s->read_run[i], READ_ONCE(s->read_run[i]) + io->sectors);
		return true;
	}
	at = READ_ONCE(s->read_at);
	WRITE_ONCE(s->read_at, at + 1);
	at %= ARRAY_SIZE(s->read_end);
	WRITE_ONCE(s->read_end[at], io->start + io->sectors);
	WRITE_ONCE(s->read_run[at], io->sectors);
	return false;
}

/** ssdup_meter_copy() - a copy of what was read is sent to the SSD; as ssdup_meter_read() */
static inline void ssdup_meter_copy(struct ssdup_router *router, struct ssdup_io *io)
{
	if (!ssdup_balances(router->c))
		return;
	io->price = ssdup_price(&router->meter->ssd, io->sectors, false);
	ssdup_queue_add(&router->meter->ssd, io->price);
}

/** ssdup_meter_read() - a read is sent to a disk; it gets a price if balance chooses */
static __always_inline void ssdup_meter_read(struct ssdup_router *router, struct ssdup_io *io,
					     enum ssdup_disk route)
{
	bool hdd = route == SSDUP_HDD;
	struct disk_meter *disk = hdd ? &router->meter->hdd : &router->meter->ssd;

	io->long_run = false;
	if (!ssdup_balances(router->c) && !READ_ONCE(router->ghosts))
		return;
	/* With a read cache, parts of a run come from the SSD. */
	io->place.follows = (hdd || READ_ONCE(router->ghosts)) &&
			    ssdup_read_follows(router, io) && hdd;
	if (!ssdup_balances(router->c))
		return;
	io->price = ssdup_price(disk, io->sectors, hdd && !io->place.follows);
	ssdup_queue_add(disk, io->price);
}

/**
 * ssdup_meter_end() - a request to a disk has ended, with or without a price
 * @arm: the disk has an arm, which must move for requests that do not follow
 */
static __always_inline void ssdup_meter_end(struct disk_meter *disk, struct ssdup_io *io, bool arm)
{
	u64 work, ended;

	if (!io->price)
		return;
	if (ssdup_meter_rests(disk)) {
		atomic64_sub(io->price, &disk->queue);
		work = BALANCE_SUM_REQUEST;
	} else {
		if (!atomic64_sub_return(io->price, &disk->queue))
			ssdup_meter_empty(disk);
		work = balance_summand(io->sectors, arm && !io->place.follows, io->times);
	}
	ended = atomic64_add_return(work, &disk->ended);
	if (unlikely(balance_sum_requests(ended) >= READ_ONCE(disk->look)))
		ssdup_meter_look(disk);
}

#endif
