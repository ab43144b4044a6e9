/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: which disk takes one write, so that neither idles while the other
 * has work to spare (policy balance). Pure.
 *
 * The paper sends whole streams to one disk, and the other idles. Here each write goes
 * to the disk that is expected to end it first, with two corrections. A disk keeps a chunk
 * that it has begun with, unless the other is better by far: so the HDD gets long runs, and
 * the drain finds long runs in the log. And a fuller log makes the SSD dearer, most of all
 * for sequential writes, which the HDD is good at.
 */
#ifndef SSDUP_BALANCE_H
#define SSDUP_BALANCE_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "tuning.h"
#include "types.h"

/* --- What a request costs a disk --- */

#define BALANCE_UNIT	512U	/* sectors; transfers have a price per unit */

/* Learnt from the requests of a busy disk. */
struct balance_cost {
	u32	unit_ns;	/* to transfer BALANCE_UNIT sectors */
	u32	request_ns;	/* for every request */
	u32	place_ns;	/* for a request that is not sequential */
};

/* A sum of requests. */
struct balance_work {
	u32	sectors;
	u32	requests;
	u32	placed;		/* requests that are not sequential */
};

/** balance_price() - time that a disk is expected to spend on some work; ns, at least 1 */
static inline u64 balance_price(const struct balance_cost *cost, const struct balance_work *w)
{
	u64 ns = div_u64((u64)cost->unit_ns * w->sectors, BALANCE_UNIT);

	return ns + (u64)cost->request_ns * w->requests + (u64)cost->place_ns * w->placed + 1;
}

/**
 * ssdup_balance_learn() - correct the costs by the time that some work has really taken
 * @cost: corrected by one normalised least mean squares step, most where most was contributed
 * @w: the work
 * @busy_ns: time it took, without the disk's idle time
 *
 * Return: true when there was next to nothing to correct.
 */
bool ssdup_balance_learn(struct balance_cost *cost, const struct balance_work *w, u64 busy_ns);

/** balance_average() - moving average of the time that a flush takes; ns */
static inline u64 balance_average(u64 average, u64 ns)
{
	return average - average / tuning.flush_step + ns / tuning.flush_step;
}

/* Work in one word, so that one atomic adds it: requests (16 bits), placed (16), sectors (32). */
#define BALANCE_SUM_REQUEST	BIT_ULL(0)
#define BALANCE_SUM_PLACED	BIT_ULL(16)
#define BALANCE_SUM_SECTORS	BIT_ULL(32)
#define BALANCE_SUM_MASK	0xffffU

/** balance_summand() - @times requests of @sectors each, as a word to add */
static inline u64 balance_summand(u32 sectors, bool placed, u32 times)
{
	return (BALANCE_SUM_REQUEST + (placed ? BALANCE_SUM_PLACED : 0) +
		sectors * BALANCE_SUM_SECTORS) * times;
}

/* Requests in a sum; modulo 2^16. */
static inline u32 balance_sum_requests(u64 sum)
{
	return sum & BALANCE_SUM_MASK;
}

/** balance_of_sum() - unpack a sum of fewer than 2^16 requests */
static inline struct balance_work balance_of_sum(u64 sum)
{
	return (struct balance_work){
		.sectors = sum / BALANCE_SUM_SECTORS,
		.requests = balance_sum_requests(sum),
		.placed = sum / BALANCE_SUM_PLACED & BALANCE_SUM_MASK,
	};
}

/** balance_due() - the price of room for @sectors on the SSD; ns. @price: for BALANCE_UNIT */
static inline u64 balance_due(u64 price, u32 sectors)
{
	return price * sectors / BALANCE_UNIT;
}

/* --- Which writes are sequential --- */

#define BALANCE_CHUNK_SHIFT	13U		/* sectors; 4 MiB */
#define BALANCE_CHUNK		((u32)BIT(BALANCE_CHUNK_SHIFT))
#define BALANCE_CHUNKS		4096U
#define BALANCE_AGES		1024U		/* ages are counted modulo this */

/*
 * Where the last write to a chunk of the HDD ended, and which disk took it, in one word: tag 32
 * bits, age 10, end 14, disk 2. There is no lock: a lost update only costs a wrong guess.
 */
struct balance_map {
	u64	chunk[BALANCE_CHUNKS];
};

#define BALANCE_DISKS		(BIT(SSDUP_HDD) | BIT(SSDUP_SSD))
#define BALANCE_END_SHIFT	2
#define BALANCE_AGE_SHIFT	22	/* to the top of a u32: ages need no modulo */
#define BALANCE_TAG_SHIFT	32

struct balance_place {
	u8	last;		/* bit of the disk that took the chunk's last write; 0: unknown */
	bool	follows;	/* sequential: begins where another write ended not long ago */
	bool	front;		/* opens a chunk while others still write the one before */
};

/* The word of a chunk, or 0 when the slot belongs to another one. */
static inline u64 balance_word(const struct balance_map *m, u64 chunk)
{
	u64 w = READ_ONCE(m->chunk[chunk % BALANCE_CHUNKS]);

	return w >> BALANCE_TAG_SHIFT == (u32)chunk ? w : 0;
}

static inline bool balance_within(u64 w, u32 age, u32 ticks)
{
	return w && (age - ((u32)w >> BALANCE_AGE_SHIFT)) % BALANCE_AGES <= ticks;
}

static inline u32 balance_end(u64 w)
{
	return (u32)(w >> BALANCE_END_SHIFT) % (2 * BALANCE_CHUNK);
}

/*
 * Judge a write by the chunk before its own. It follows when the last write there ended at the
 * chunk's end. It is a front when a write not long ago did not fill the chunk.
 */
static inline void balance_find_before(const struct balance_map *m, u64 chunk, u32 at, u32 age,
				       bool fresh, struct balance_place *place)
{
	u64 w = balance_word(m, chunk - 1);
	bool exact = !at && balance_end(w) == BALANCE_CHUNK;

	place->follows = exact && balance_within(w, age, tuning.recent);
	place->front = fresh && !exact && balance_within(w, age, tuning.soon);
}

/**
 * balance_find() - what is known of the place of a write
 * @m: chunks
 * @start: sector of the write
 * @sectors: its length
 * @age: ticks of tuning.tick writes so far, modulo BALANCE_AGES
 *
 * Context: any; lock-free.
 */
static __always_inline struct balance_place
balance_find(const struct balance_map *m, u64 start, u32 sectors, u32 age)
{
	u64 chunk = start >> BALANCE_CHUNK_SHIFT;
	u32 at = start % BALANCE_CHUNK;
	u64 w = balance_word(m, chunk);
	struct balance_place place = { .last = w & BALANCE_DISKS };
	bool fresh = !place.last && sectors > tuning.small;

	if (balance_end(w) == at)
		place.follows = balance_within(w, age, tuning.recent);
	if (!place.follows && chunk && (!at || fresh))
		balance_find_before(m, chunk, at, age, fresh, &place);
	return place;
}

/** balance_note() - remember a write; the arguments are those of balance_find() */
static inline void balance_note(struct balance_map *m, u64 start, u32 sectors, u32 age,
				enum ssdup_disk disk)
{
	u64 last = start + sectors - 1, chunk = last >> BALANCE_CHUNK_SHIFT;
	u32 end = last % BALANCE_CHUNK + 1;

	WRITE_ONCE(m->chunk[chunk % BALANCE_CHUNKS],
		   chunk << BALANCE_TAG_SHIFT | age << BALANCE_AGE_SHIFT |
		   ((end << BALANCE_END_SHIFT) + BIT(disk)));
}

/* --- The work that a front announces --- */

/**
 * balance_to_come() - work that a disk is expected to get in the chunks that fronts opened
 * @to_come: so far, ns of work
 * @front: the write opens another chunk; else it may be part of the expected work
 * @price: of the write, ns
 * @sectors: of the write
 *
 * Writers that share a run (ranks that write a file by stripes) are not abreast, and the first
 * one chooses the disk for all. If it saw only the queues, it would open chunk after chunk on the
 * SSD while the others keep the HDD busy, and the HDD would get its run in pieces. So the work to
 * come counts like work that is queued, until the window ends.
 *
 * Return: ns.
 */
static inline u64 balance_to_come(u64 to_come, bool front, u64 price, u32 sectors)
{
	if (front)
		return to_come + div_u64(price * (BALANCE_CHUNK - min(sectors, BALANCE_CHUNK)),
					 sectors);
	return to_come - min(to_come, price);
}

/* --- The choice --- */

#define BALANCE_ONE	256U	/* fractions below are in units of 1/BALANCE_ONE */

/*
 * A chunk whose first write went to the SSD is expected to go there whole, so log space for its
 * rest is promised. The more of the free log is promised, the more new chunks are steered to the
 * HDD. The HDD keeps a chunk for its sequential writes. Scattered ones gain little there, so the
 * SSD may take them, unless nearly all of the free log is promised.
 */
struct balance_facts {
	struct balance_place place;
	bool	alone;		/* nothing is in flight at either disk */
	u64	hdd;		/* ns: queued work and this write; for a front, work to come, too */
	u64	ssd;		/* the same */
	u64	arm;		/* ns: what this write costs the HDD, without the queue */
	u64	due;		/* ns: the price of its room on the SSD, see thrift.h */
	u32	keep;		/* balance_keep() */
	u32	promised;	/* promised part of the free log, 0..BALANCE_ONE */
};

/** balance_keep() - factor on the SSD's price by the fill of the log (1/10000); 1/BALANCE_ONE */
static inline u32 balance_keep(u32 fill)
{
	return BALANCE_ONE + tuning.fill * BALANCE_ONE * fill / SSDUP_PCT_ONE;
}

/* How much cheaper the SSD must be in a chunk that is not its own; 1/BALANCE_ONE. */
static inline u32 balance_better(const struct balance_facts *f)
{
	u32 square = f->promised * f->promised / BALANCE_ONE;
	u32 fourth = square * square / BALANCE_ONE;

	if (f->place.last != BIT(SSDUP_HDD))
		return BALANCE_ONE + tuning.fresh * square +
		       tuning.roomless * fourth * fourth / BALANCE_ONE;
	if (f->place.follows)
		return tuning.stay * BALANCE_ONE;
	return tuning.has * BALANCE_ONE + tuning.begun * fourth * fourth / BALANCE_ONE;
}

/**
 * balance_spares() - does the SSD save no more than its price? keep and promised need not be set
 *
 * Then the HDD gets the write, however full the log is. The SSD keeps its chunks whatever waits
 * at the HDD, because the HDD would get the rest in pieces.
 */
static inline bool balance_spares(const struct balance_facts *f)
{
	return f->arm < f->due || (f->place.last != BIT(SSDUP_SSD) &&
				   f->hdd <= f->ssd + f->due * tuning.patience);
}

/** balance_choose() - which disk takes the write; sums overflow with queues of ten minutes */
static inline enum ssdup_disk balance_choose(const struct balance_facts *f)
{
	u64 hdd = f->hdd * BALANCE_ONE, ssd = f->ssd * f->keep;

	if (balance_spares(f))
		return SSDUP_HDD;
	/* A sequential write leaves the SSD to others, if there are any. */
	if (f->place.follows && !f->alone)
		ssd *= tuning.run;
	if (f->place.last == BIT(SSDUP_SSD))
		return hdd * tuning.stay <= ssd ? SSDUP_HDD : SSDUP_SSD;
	return hdd * BALANCE_ONE <= ssd * balance_better(f) ? SSDUP_HDD : SSDUP_SSD;
}

/**
 * ssdup_balance_small_wait() - the SSD's queue up to which it takes all small writes; ns of work
 * @hdd: costs
 * @ssd: costs
 * @keep: balance_keep()
 * @price: of the SSD, see thrift.h
 *
 * While the queue is shorter, balance_choose() need not be asked for writes of up to
 * tuning.small sectors with balance_near_ssd(). They are taken for scattered ones: a sequential
 * one may get the HDD when it comes to the next chunk.
 */
u64 ssdup_balance_small_wait(const struct balance_cost *hdd, const struct balance_cost *ssd,
			     u32 keep, u64 price);

/** balance_near_ssd() - did the last write near this place go to the SSD? */
static inline bool balance_near_ssd(const struct balance_map *m, u64 start)
{
	return balance_word(m, start >> BALANCE_CHUNK_SHIFT) & BIT(SSDUP_SSD);
}

/**
 * balance_stands_for() - how many small writes one that is looked at stands for
 * @others: log writes in flight beside it
 * @skipped: the writes before it were not looked at
 *
 * While the write is in flight, the SSD ends it and about @others more; but only one write in
 * tuning.tick is looked at. When those before it were, they have prices of their own.
 */
static inline u32 balance_stands_for(u32 others, bool skipped)
{
	return skipped ? min(others + 1, tuning.tick) : 1;
}

/**
 * balance_drain_cost() - time that the HDD spent on a drain's write
 * @took: from its begin to its end, ns
 * @passed: ns until the drain noticed the end; at least @took
 * @others: time the HDD is expected to have spent on requests in @passed, ns; a guess
 *
 * Return: ns.
 */
static inline u64 balance_drain_cost(u64 took, u64 passed, u64 others)
{
	u64 meanwhile = mul_u64_u64_div_u64(others, took, passed);

	return max(took - min(took, meanwhile), took / tuning.drain_least);
}

/**
 * balance_drain_learn() - correct the expected cost of drains by that of one write
 * @unit_ns: expected for BALANCE_UNIT sectors
 * @cost: of the write, ns
 * @sectors: of the write, at least 1; less than a chunk counts for less
 *
 * Return: ns, for BALANCE_UNIT sectors.
 */
static inline u64 balance_drain_learn(u64 unit_ns, u64 cost, u64 sectors)
{
	u64 unit = div64_u64(cost * BALANCE_UNIT, sectors);
	u32 part = min_t(u64, sectors, BALANCE_CHUNK);

	return unit_ns - div_u64(unit_ns * part, tuning.drain_step * BALANCE_CHUNK) +
	       div_u64(unit * part, tuning.drain_step * BALANCE_CHUNK);
}

#endif
