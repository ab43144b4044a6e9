/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the fast path of every request through the router; inline, and scripts/bench/where
 * counts it.
 */
#ifndef SSDUP_CHOICE_H
#define SSDUP_CHOICE_H

#include "router.h"

/* --- The sampling of writes --- */

/**
 * ssdup_stream_note() - sample one write, unless the sampling rests
 *
 * Context: map, on any number of CPUs at once. The writer that completes a window evaluates it.
 * Return: the route of the current stream, to which this write belongs.
 */
static inline enum ssdup_disk ssdup_stream_note(struct ssdup_router *router, u64 start, u32 sectors)
{
	struct stream_window *w = READ_ONCE(router->window_now);
	enum ssdup_disk route = READ_ONCE(router->route);
	u32 i;

	if (unlikely(this_cpu_inc_return(router->stats->writes) % tuning.tick == 1))
		ssdup_meter_tick(router);
	if (!w) {
		if (unlikely(time_after_eq(jiffies, READ_ONCE(router->stream_due))))
			ssdup_stream_go_on(router);
		return route;
	}
	i = atomic_fetch_inc(&w->next);
	/*
	 * A writer that came too late for the window and is delayed here until the window
	 * is used again may find a greater length, and count a sample too many. Then one
	 * stream is judged with one older sample.
	 */
	if (unlikely(i >= READ_ONCE(w->length)))
		return route;
	WRITE_ONCE(w->s[i].start, start);
	WRITE_ONCE(w->s[i].sectors, sectors);
	/* Fully ordered, so the evaluator sees every sample that was counted. */
	if (unlikely(atomic_inc_return(&w->filled) == READ_ONCE(w->length)))
		ssdup_stream_full(router, w);
	return route;
}

/* --- What requests are expected to cost --- */

/**
 * ssdup_balances() - does balance choose the disk of a write, and is the load measured?
 *
 * With its own policy, and by the key full with any policy, from the time that a write finds
 * the log full until less than a part of it is in use. Context: any; a hint.
 */
static inline bool ssdup_balances(const struct ssdup *c)
{
	return READ_ONCE(c->set.policy) == SSDUP_POLICY_BALANCE ||
	       (READ_ONCE(c->scarce) && READ_ONCE(c->set.full) == SSDUP_FULL_BALANCE);
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

/** ssdup_meter_read() - a read is sent to a disk; it gets a price if balance chooses */
static __always_inline void ssdup_meter_read(struct ssdup_router *router, struct ssdup_io *io,
					     enum ssdup_disk route)
{
	bool hdd = route == SSDUP_HDD;
	struct disk_meter *disk = hdd ? &router->meter->hdd : &router->meter->ssd;

	if (!ssdup_balances(router->c))
		return;
	io->place.follows = false;
	io->price = ssdup_price(disk, io->sectors, hdd);
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

/* --- The disk of a write that may go to either: policy balance --- */

/** ssdup_balance_find() - fill in the place of a write and its price at the HDD */
static __always_inline void ssdup_balance_find(struct ssdup_router *router, struct ssdup_io *io)
{
	const struct ssdup_meter *meter = router->meter;

	io->place = balance_find(&meter->map, io->start, io->sectors, READ_ONCE(meter->age));
	io->price = ssdup_price(&meter->hdd, io->sectors, !io->place.follows);
}

/** ssdup_balance_arm() - time that a write costs the HDD, with its share of the flushes; ns */
static __always_inline u64 ssdup_balance_arm(const struct ssdup_meter *meter,
					     const struct ssdup_io *io)
{
	u64 ns = io->price + READ_ONCE(meter->flush_price);

	return unlikely(io->opf & REQ_FUA) ? ns + READ_ONCE(meter->flush_ns) : ns;
}

/**
 * ssdup_balance() - the disk for a write that may go to either
 * @io: place and price are filled in, unless the write goes unseen
 *
 * While the SSD's queue is short it takes all small writes. Only one in tuning.tick is looked
 * at and stands for the others, which have no price and leave no note in the map of chunks.
 *
 * Return: the disk that is expected to end it first.
 */
static __always_inline enum ssdup_disk ssdup_balance(struct ssdup_router *router,
						     struct ssdup_io *io)
{
	const struct ssdup_meter *meter = router->meter;
	struct balance_facts f;
	u64 hdd, ssd;

	if (io->sectors <= READ_ONCE(meter->small) && balance_near_ssd(&meter->map, io->start))
		return SSDUP_SSD;
	hdd = atomic64_read(&meter->hdd.queue);
	ssd = atomic64_read(&meter->ssd.queue);
	ssdup_balance_find(router, io);
	f.place = io->place;
	f.alone = !(hdd | ssd);
	f.ssd = ssdup_price(&meter->ssd, io->sectors, false) + ssd;
	f.arm = ssdup_balance_arm(meter, io);
	f.hdd = f.arm + hdd;
	if (unlikely(io->place.front) && !f.alone) {
		f.hdd += READ_ONCE(meter->hdd.to_come);
		f.ssd += READ_ONCE(meter->ssd.to_come);
	}
	f.due = balance_due(READ_ONCE(meter->price), io->sectors);
	if (balance_spares(&f))
		return SSDUP_HDD;
	f.keep = READ_ONCE(meter->keep);
	/* A small write uses little of its chunk's room, so promises matter less to it. */
	f.promised = READ_ONCE(meter->promised_part) * min(io->sectors, tuning.whole) /
		     tuning.whole;
	return balance_choose(&f);
}

/**
 * ssdup_balance_bypass() - with the log full: should the write go to the HDD?
 * @io: place and price are filled in by ssdup_balance_find()
 */
static inline bool ssdup_balance_bypass(struct ssdup_router *router, const struct ssdup_io *io)
{
	const struct ssdup_meter *meter = router->meter;

	return ssdup_balance_arm(meter, io) <=
	       div_u64(READ_ONCE(meter->net_ns) * io->sectors, BALANCE_UNIT);
}

#endif
