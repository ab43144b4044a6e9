/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: what the disks have to do and how fast they do it, for policy
 * balance. balance.c decides by what is measured here.
 *
 * Everything is statistics: no lock, and what two CPUs lose by writing one field
 * at once is a little truth about the last milliseconds.
 */
#ifndef SSDUP_METER_H
#define SSDUP_METER_H

#include "core/balance.h"
#include "ssdup.h"

/*
 * One disk. Where one request comes after the other, each of them would pay for two
 * looks at the clock: a disk whose prices fit such a load rests, and nothing is learnt
 * until something waits there, or many requests later.
 */
struct disk_meter {
	atomic64_t	queue;		/* ns, expected, of what is in flight */
	atomic64_t	ended;		/* balance_summand()s since the last look */
	u32		look;		/* requests between looks; tells that it rests */
	u32		empty;		/* of them, found the queue empty; not counted at rest */
	u64		looked;		/* ns: time of that look */
	u64		idle_since;	/* ns: when the queue ran empty; not kept at rest */
	u64		idle;		/* ns of idleness since the look; neither is that */
	u64		done;		/* ns: expected, of what had ended until then, ever */
	u64		to_come;	/* ns: balance_to_come() */
	unsigned long	looking;	/* bit 0 */
	bool		strange;	/* a drain's write or its flush is in flight */
	bool		drained;	/* since the look, or still: learn nothing */
	struct balance_cost cost;
} ____cacheline_aligned_in_smp;

struct ssdup_meter {
	struct disk_meter	hdd;
	struct disk_meter	ssd;
	struct balance_map	map;
	/* What every write looks at. */
	u32	small;		/* sectors: no longer ones are looked at, see ssdup_balance() */
	u32	age;		/* ticks: tuning.tick writes each */
	u32	keep;		/* balance_keep() */
	u32	promised_part;	/* promised, of what is left of the log; 1/BALANCE_ONE */
	bool	loose;		/* writes of a run come out of their order */
	u64	flush_price;	/* ns: what a direct write pays for flushes */
	u64	small_wait;	/* ns: ssdup_balance_small_wait(), of the last window */
	/* What that comes from. */
	u32	skipped;	/* @small before the last tick */
	u64	left;		/* sectors of the log, at the last tick */
	u64	promised;	/* sectors: the rest of chunks that the SSD has begun with */
	u32	flushes;	/* of the HDD, ever */
	u32	flushes_seen;	/* at the end of the last window */
	u32	flush_rate;	/* in the last window, or already in this one */
	u64	flush_ns;	/* of a FLUSH of the HDD */
	u64	home_ns;	/* of one that frees a half */
	u64	drain_ns;	/* of BALANCE_UNIT sectors of a drain */
	u64	due;		/* ns: when another half is free; 0: no drain has begun */
};

/** ssdup_meter_create() - costs to begin with, until they are measured; Return: 0 or -ENOMEM */
int ssdup_meter_create(struct ssdup *c);
void ssdup_meter_destroy(struct ssdup *c);

/**
 * ssdup_meter_bypass() - policy balance: the log is full; may the write go to the HDD?
 * @io: ssdup_meter_find() has filled in its place and price
 */
bool ssdup_meter_bypass(struct ssdup *c, const struct ssdup_io *io);

/**
 * ssdup_meter_logged() - a write is sent to the SSD
 * @io: io->place is filled in, and it has its room in the log
 */
void ssdup_meter_logged(struct ssdup *c, struct ssdup_io *io);

/** ssdup_meter_front() - a write that opens a chunk for others is sent to a disk, or others' */
void ssdup_meter_front(struct disk_meter *d, const struct ssdup_io *io);

/** ssdup_meter_turn() - a queue that held @before does not any more, see ssdup_queue_add() */
void ssdup_meter_turn(struct disk_meter *d, u64 before);

/** ssdup_meter_empty() - a queue ran empty */
void ssdup_meter_empty(struct disk_meter *d);

/** ssdup_meter_look() - time to learn from what has ended, or to rest no more */
void ssdup_meter_look(struct disk_meter *d);

/* A drain's write to the HDD, under way. */
struct meter_drain {
	u64	begun;
	u64	price;
	u64	done;		/* ns: what the HDD had done for requests */
	u32	sectors;
};

/** ssdup_meter_drain_begin() - the drain is about to write @sectors to the HDD; fills @b in */
void ssdup_meter_drain_begin(struct ssdup *c, struct meter_drain *b, u32 sectors);

/** ssdup_meter_drain_end() - that write has ended, at @ended (ns); process, the one drain */
void ssdup_meter_drain_end(struct ssdup *c, const struct meter_drain *b, u64 ended);

/** ssdup_meter_flush() - the device is flushed; process context, one at a time */
void ssdup_meter_flush(struct ssdup *c);

/** ssdup_meter_due() - the drain has @sectors of a half left to write; process, the drain */
void ssdup_meter_due(struct ssdup *c, u64 sectors);

/** ssdup_meter_nothing_due() - a half was freed; any context */
void ssdup_meter_nothing_due(struct ssdup *c);

/** ssdup_meter_left() - until another half is free; ns, 0 when overdue; any context; a guess */
u64 ssdup_meter_left(const struct ssdup *c);

/** ssdup_meter_flushed() - a FLUSH of the HDD took so long; ns, one at a time */
void ssdup_meter_flushed(struct ssdup *c, u64 ns);

/* A flush of the HDD that frees a half, under way. */
struct meter_home {
	u64	begun;
	u64	price;
};

/**
 * ssdup_meter_home_begin() - the HDD is about to be flushed to free a half; fills @f in
 *
 * That takes a second perhaps, in which the HDD does nothing else: its price waits in the
 * queue like others do.
 *
 * Context: process, the one drain.
 */
void ssdup_meter_home_begin(struct ssdup *c, struct meter_home *f);

/** ssdup_meter_home_end() - that flush has ended; process context, the one drain */
void ssdup_meter_home_end(struct ssdup *c, const struct meter_home *f);

/**
 * ssdup_meter_tick() - another tuning.tick writes have come, more or less; any context
 *
 * The write that brings it is looked at, whatever its length.
 */
void ssdup_meter_tick(struct ssdup *c);

/** ssdup_meter_stream() - a stream was evaluated; one at a time */
void ssdup_meter_stream(struct ssdup *c, u32 percentage);

/** ssdup_meter_quiet() - policy balance, and there is little to choose from; a hint */
bool ssdup_meter_quiet(const struct ssdup *c);

/* --- What every request does, inline: its instructions are counted, see costs.rst --- */

static inline bool ssdup_meter_rests(const struct disk_meter *d)
{
	return READ_ONCE(d->look) != tuning.look;
}

/* What a disk is expected to spend on a request, ns. */
static __always_inline u64 ssdup_price(const struct disk_meter *d, u32 sectors, bool placed)
{
	/* One that is not placed has it for nothing, which saves a multiplication. */
	const struct balance_work w = { .sectors = sectors, .requests = 1, .placed = 1 };
	const struct balance_cost cost = {
		.unit_ns = READ_ONCE(d->cost.unit_ns),
		.request_ns = READ_ONCE(d->cost.request_ns),
		.place_ns = placed ? READ_ONCE(d->cost.place_ns) : 0,
	};

	return balance_price(&cost, &w);
}

static __always_inline void ssdup_queue_add(struct disk_meter *d, u64 price)
{
	u64 before = atomic64_fetch_add(price, &d->queue);
	bool empty = !before;

	/* An empty one: a time of idleness ends, unless nobody keeps it; else a rest ends. */
	if (empty != ssdup_meter_rests(d))
		ssdup_meter_turn(d, before);
}

/* A write joins a disk's queue. */
static __always_inline void ssdup_meter_begin(struct disk_meter *d, const struct ssdup_io *io)
{
	if (unlikely(READ_ONCE(d->to_come) || io->place.front))
		ssdup_meter_front(d, io);
	ssdup_queue_add(d, io->price);
}

/** ssdup_meter_find() - fill in what is known of the place of a write, and its price at the HDD */
static __always_inline void ssdup_meter_find(struct ssdup *c, struct ssdup_io *io)
{
	const struct ssdup_meter *l = c->meter;

	io->place = balance_find(&l->map, io->start, io->sectors, READ_ONCE(l->age),
				 READ_ONCE(l->loose));
	io->price = ssdup_price(&l->hdd, io->sectors, !io->place.follows);
}

/**
 * ssdup_meter_route() - policy balance: the way of a write that may take either
 * @io: its place and price will be filled in
 *
 * Return: the disk that is expected to end it first.
 */
static __always_inline enum ssdup_disk ssdup_meter_route(struct ssdup *c, struct ssdup_io *io)
{
	const struct ssdup_meter *l = c->meter;
	u64 hdd = atomic64_read(&l->hdd.queue), ssd = atomic64_read(&l->ssd.queue);
	struct balance_facts f;

	ssdup_meter_find(c, io);
	f.place = io->place;
	f.alone = !(hdd | ssd);
	f.ssd = ssdup_price(&l->ssd, io->sectors, false) + ssd;
	f.hdd = io->price + hdd + READ_ONCE(l->flush_price);
	if (unlikely(io->opf & REQ_FUA))
		f.hdd += READ_ONCE(l->flush_ns);
	if (unlikely(io->place.front) && !f.alone) {
		f.hdd += READ_ONCE(l->hdd.to_come);
		f.ssd += READ_ONCE(l->ssd.to_come);
	}
	if (balance_plain(&f))
		return SSDUP_HDD;
	f.keep = READ_ONCE(l->keep);
	/* A small write does not make a chunk whole. */
	f.promised = READ_ONCE(l->promised_part) * min(io->sectors, tuning.whole) / tuning.whole;
	return balance_choose(&f);
}

/**
 * ssdup_balance() - policy balance: the same, with less effort for small writes
 *
 * As long as little waits at the SSD it takes all small writes, and only one in
 * tuning.tick is looked at, which speaks for the others: they have no price, and are
 * not noted.
 */
static __always_inline enum ssdup_disk ssdup_balance(struct ssdup *c, struct ssdup_io *io)
{
	const struct ssdup_meter *l = c->meter;

	if (io->sectors <= READ_ONCE(l->small) && balance_near_ssd(&l->map, io->start))
		return SSDUP_SSD;
	return ssdup_meter_route(c, io);
}

/** ssdup_meter_write() - a write is sent to a disk; if it was looked at it joins the queue there */
static __always_inline void ssdup_meter_write(struct ssdup *c, struct ssdup_io *io,
					      enum ssdup_disk route)
{
	struct ssdup_meter *l = c->meter;

	if (!io->price)
		return;
	if (route == SSDUP_HDD)
		ssdup_meter_begin(&l->hdd, io);
	else
		ssdup_meter_logged(c, io);
	balance_note(&l->map, io->start, io->sectors, READ_ONCE(l->age), route);
}

/** ssdup_meter_read() - a read is sent to a disk; under policy balance it gets a price */
static __always_inline void ssdup_meter_read(struct ssdup *c, struct ssdup_io *io,
					     enum ssdup_disk route)
{
	bool hdd = route == SSDUP_HDD;
	struct disk_meter *d = hdd ? &c->meter->hdd : &c->meter->ssd;

	if (READ_ONCE(c->set.policy) != SSDUP_POLICY_BALANCE)
		return;
	io->place.follows = false;
	io->price = ssdup_price(d, io->sectors, hdd);
	ssdup_queue_add(d, io->price);
}

/**
 * ssdup_meter_end() - a request to a disk has ended; for any, also those without a price
 * @arm: the disk has one, to be placed for what does not follow
 */
static __always_inline void ssdup_meter_end(struct disk_meter *d, struct ssdup_io *io, bool arm)
{
	u64 work, ended;

	if (!io->price)
		return;
	if (ssdup_meter_rests(d)) {
		atomic64_sub(io->price, &d->queue);
		work = BALANCE_SUM_REQUEST;
	} else {
		if (!atomic64_sub_return(io->price, &d->queue))
			ssdup_meter_empty(d);
		work = balance_summand(io->sectors, arm && !io->place.follows, io->times);
	}
	ended = atomic64_add_return(work, &d->ended);
	if (unlikely(balance_sum_requests(ended) >= READ_ONCE(d->look)))
		ssdup_meter_look(d);
}

#endif
