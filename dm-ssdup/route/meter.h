/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the load and the speed of the disks, on which core/balance.h decides.
 *
 * All of this is statistics without a lock. When two CPUs write a field at once, the loss is a
 * little accuracy about the last milliseconds.
 */
#ifndef SSDUP_METER_H
#define SSDUP_METER_H

#include "core/balance.h"
#include "core/thrift.h"
#include "router.h"

/*
 * One disk. With one request at a time, two clock reads per request cost too much. Once the
 * prices fit such a load, the disk rests: nothing is measured until requests queue, or until
 * tuning.rest requests have ended.
 */
struct disk_meter {
	atomic64_t	queue;		/* ns: expected time of the work in flight */
	atomic64_t	ended;		/* balance_summand()s since the last look */
	u32		look;		/* requests between looks, see ssdup_meter_rests() */
	u32		empty;		/* requests that found the queue empty; not kept at rest */
	u64		looked;		/* ns: time of the last look */
	u64		idle_since;	/* ns: when the queue ran empty; not kept at rest */
	u64		idle;		/* ns: idle time since the last look; not kept at rest */
	u64		done;		/* ns: expected time of all requests ended by that look */
	u64		to_come;	/* ns: balance_to_come() */
	unsigned long	looking;	/* bit 0 */
	atomic_t	strange;	/* writes and flushes of drains in flight */
	bool		drained;	/* such work since the last look: learn nothing */
	struct balance_cost cost;
} ____cacheline_aligned_in_smp;

struct ssdup_meter {
	struct disk_meter	hdd;
	struct disk_meter	ssd;
	struct balance_map	map;
	/* Read by every write. */
	u32	small;		/* sectors: writes up to this go unseen, see ssdup_balance() */
	u32	age;		/* ticks: tuning.tick writes each */
	u32	keep;		/* balance_keep() */
	u64	price;		/* of BALANCE_UNIT sectors on the SSD, see core/thrift.h; ns */
	u32	promised_part;	/* promised part of the free log; 1/BALANCE_ONE */
	u64	flush_price;	/* ns: what flushes add to the price of a direct write */
	u64	small_wait;	/* ns: ssdup_balance_small_wait(), of the last window */
	/* The sources of the above. */
	u32	skipped;	/* @small before the last tick */
	u64	left;		/* sectors: free log at the last tick */
	u64	promised;	/* sectors: the rest of chunks that were begun on the SSD */
	u32	flushes;	/* of the HDD, ever */
	u32	flushes_seen;	/* at the end of the last window */
	u32	flush_rate;	/* flushes in the last window, or in this one if more */
	u64	flush_ns;	/* of a FLUSH of the HDD */
	u64	sync_ns;	/* of a flush that frees segments */
	u64	drain_ns;	/* of BALANCE_UNIT sectors of a drain */
	u64	free_ns;	/* the same, until they are free */
	u64	net_ns;		/* the same, without what else the HDD does meanwhile */
	struct thrift_account account;
	unsigned long	settling;	/* bit 0 is a lock for the account */
};

/** ssdup_meter_create() - start with assumed costs. Return: 0 or -ENOMEM. */
int ssdup_meter_create(struct ssdup_router *router);

/** ssdup_meter_logged() - a write, with its space in the log and its place, is sent to the SSD */
void ssdup_meter_logged(struct ssdup_router *router, struct ssdup_io *io);

/** ssdup_meter_front() - update the work to come: a front, or a write it announced, is sent */
void ssdup_meter_front(struct disk_meter *disk, const struct ssdup_io *io);

/** ssdup_meter_turn() - a queue that held @before got work, see ssdup_queue_add() */
void ssdup_meter_turn(struct disk_meter *disk, u64 before);

/** ssdup_meter_empty() - a queue ran empty */
void ssdup_meter_empty(struct disk_meter *disk);

/** ssdup_meter_look() - learn from the requests that have ended, or end the disk's rest */
void ssdup_meter_look(struct disk_meter *disk);

/* A drain's write to the HDD, or a flush of it that frees segments, in flight. */
struct meter_drain {
	u64	begun;
	u64	price;
	u64	done;		/* ns: done_ns() of the HDD at the beginning; of a write */
	u32	sectors;	/* of a write */
};

/** ssdup_meter_drain_begin() - the drain will write @sectors to the HDD now; fills in @b */
void ssdup_meter_drain_begin(struct ssdup_router *router, struct meter_drain *b, u32 sectors);

/** ssdup_meter_drain_end() - that write ended at @ended (ns); context: the drain's thread */
void ssdup_meter_drain_end(struct ssdup_router *router, const struct meter_drain *b, u64 ended);

/** ssdup_meter_flush() - count a flush of the device; process context, one at a time */
void ssdup_meter_flush(struct ssdup_router *router);

/* A moment, and what the HDD has done for others than drains by then. */
struct meter_mark {
	u64	ns;
	u64	done;		/* ns: expected time of the requests that have ended */
};

/** ssdup_meter_mark() - this moment; any context */
struct meter_mark ssdup_meter_mark(const struct ssdup_router *router);

/** ssdup_meter_freed() - a group of @sectors was copied and freed between two moments */
void ssdup_meter_freed(struct ssdup_router *router, u64 sectors, struct meter_mark since,
		       struct meter_mark now);

/** ssdup_meter_free_ns() - expected time until @sectors more are drained and free; any context */
u64 ssdup_meter_free_ns(const struct ssdup_router *router, u32 sectors);

/** ssdup_meter_flushed() - a FLUSH of the HDD took @ns; one at a time */
void ssdup_meter_flushed(struct ssdup_router *router, u64 ns);

/**
 * ssdup_meter_sync_begin() - the HDD will be flushed now to free segments; fills in @f
 *
 * The flush may take a second, so its price is queued. Context: process, one at a time.
 */
void ssdup_meter_sync_begin(struct ssdup_router *router, struct meter_drain *f);

/** ssdup_meter_sync_end() - that flush has ended; context: as above */
void ssdup_meter_sync_end(struct ssdup_router *router, const struct meter_drain *f);

/** ssdup_meter_tick() - called about every tuning.tick writes, by a write that is then measured */
void ssdup_meter_tick(struct ssdup_router *router);

/**
 * ssdup_meter_settle() - bring the account of the SSD's budget up to date, and set the price
 *
 * Context: any. Return: sectors that are left, 0 without a budget.
 */
u64 ssdup_meter_settle(struct ssdup_router *router);

/** ssdup_meter_budget() - sectors that the key ssd_budget allows in a day, 0: no limit */
u64 ssdup_meter_budget(const struct ssdup_router *router);

/** ssdup_meter_written() - sectors written to the SSD since the table was loaded; any context */
u64 ssdup_meter_written(struct ssdup_router *router);

/** ssdup_meter_inherit() - take over the account of an earlier table, or NULL; context: process */
void ssdup_meter_inherit(struct ssdup_router *router, struct ssdup_router *from);

/** ssdup_meter_quiet() - policy balance has little to choose from; a hint */
bool ssdup_meter_quiet(const struct ssdup_router *router);

/* --- The fast path of every request, inline; scripts/bench/where counts it --- */

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

#endif
