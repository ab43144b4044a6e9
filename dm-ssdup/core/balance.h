/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: which disk takes one write, so that neither idles while the other
 * has work to spare (policy balance). Pure.
 *
 * The paper sends whole streams one way, and one disk watches the other. Here
 * each write goes where it is expected to end first, given what waits there
 * already, with two corrections. A chunk of the HDD that a disk has begun with stays
 * with it unless the other is better by far, so that the HDD gets long runs, and so does
 * the drain of what the SSD got. And the more of the log is in use, the dearer it is, and
 * dearest for what the HDD is good at.
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

#define BALANCE_UNIT	512U	/* sectors; what a cost per sector is counted by */

/* Learnt from the requests of a busy disk. */
struct balance_cost {
	u32	unit_ns;	/* to transfer BALANCE_UNIT sectors */
	u32	request_ns;	/* of every request */
	u32	place_ns;	/* of one that does not go on where another ended */
};

/* A sum of requests. */
struct balance_work {
	u32	sectors;
	u32	requests;
	u32	placed;		/* of them, not going on where another ended */
};

/**
 * balance_price() - time that a disk is expected to spend on some work
 *
 * Return: ns, at least 1.
 */
static inline u64 balance_price(const struct balance_cost *cost, const struct balance_work *w)
{
	u64 ns = div_u64((u64)cost->unit_ns * w->sectors, BALANCE_UNIT);

	return ns + (u64)cost->request_ns * w->requests + (u64)cost->place_ns * w->placed + 1;
}

/**
 * ssdup_balance_learn() - correct the costs by what some work has really taken
 * @cost: to be corrected: a normalised least mean squares step
 * @w: the work
 * @busy_ns: time it took, without that in which the disk had nothing to do
 *
 * What all work has in common goes to the part that the most of it was made of;
 * loads that differ tell the parts from each other.
 *
 * Return: whether there was next to nothing to correct.
 */
bool ssdup_balance_learn(struct balance_cost *cost, const struct balance_work *w, u64 busy_ns);

/** balance_average() - of what a flush has taken until now, and what another one took; ns */
static inline u64 balance_average(u64 average, u64 ns)
{
	return average - average / tuning.flush_step + ns / tuning.flush_step;
}

/* Work as one number, which sums are made of: requests 16 bits, those placed 16, sectors. */
#define BALANCE_SUM_REQUEST	BIT_ULL(0)
#define BALANCE_SUM_PLACED	BIT_ULL(16)
#define BALANCE_SUM_SECTORS	BIT_ULL(32)
#define BALANCE_SUM_MASK	0xffffU

/** balance_summand() - @times requests of @sectors, and @placed, that have ended */
static inline u64 balance_summand(u32 sectors, bool placed, u32 times)
{
	return (BALANCE_SUM_REQUEST + (placed ? BALANCE_SUM_PLACED : 0) +
		sectors * BALANCE_SUM_SECTORS) * times;
}

/* How many requests a sum has, while they fit. */
static inline u32 balance_sum_requests(u64 sum)
{
	return sum & BALANCE_SUM_MASK;
}

/** balance_of_sum() - the work of a sum of less than 2^16 requests */
static inline struct balance_work balance_of_sum(u64 sum)
{
	return (struct balance_work){
		.sectors = sum / BALANCE_SUM_SECTORS,
		.requests = balance_sum_requests(sum),
		.placed = sum / BALANCE_SUM_PLACED & BALANCE_SUM_MASK,
	};
}

/* --- Who goes on where another ended --- */

#define BALANCE_CHUNK_SHIFT	13U		/* sectors; 4 MiB */
#define BALANCE_CHUNK		((u32)BIT(BALANCE_CHUNK_SHIFT))
#define BALANCE_CHUNKS		4096U
#define BALANCE_AGES		1024U		/* ages are counted modulo this */

/*
 * For chunks of the HDD: where the last write there ended, and which disk
 * took it. A word each, read and written without a lock; a lost update costs a guess.
 * Tag 32 bits, age 10, end in the chunk 14, disk 2.
 */
struct balance_map {
	u64	chunk[BALANCE_CHUNKS];
};

#define BALANCE_DISKS		(BIT(SSDUP_HDD) | BIT(SSDUP_SSD))
#define BALANCE_END_SHIFT	2
#define BALANCE_AGE_SHIFT	22	/* to the top of a u32: ages need no modulo */
#define BALANCE_TAG_SHIFT	32

struct balance_place {
	u8	last;		/* bit of the disk that took the chunk's last write; 0: not known */
	bool	follows;	/* where one ended not long ago, also in the chunk before */
	bool	front;		/* begins a chunk, not small, with others at the one before */
};

/* What is known of a chunk; 0: nothing. */
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
 * What the chunk before tells: does one go on where a write there ended, or was one there not
 * long ago and has left some of it to others? Then it is a front, @loose or not: one that runs
 * ahead makes streams look random, and would hide behind that.
 */
static inline void balance_find_before(const struct balance_map *m, u64 chunk, u32 at, u32 age,
				       bool loose, bool fresh, struct balance_place *place)
{
	u64 w = balance_word(m, chunk - 1);
	bool exact = !at && balance_end(w) == BALANCE_CHUNK;
	bool soon = balance_within(w, age, tuning.soon);

	place->follows = (exact && balance_within(w, age, tuning.recent)) || (loose && soon);
	place->front = fresh && soon && !exact;
}

/**
 * balance_find() - what is known of the place of a write
 * @m: chunks
 * @start: sector of the write
 * @sectors: its length
 * @age: ticks of tuning.tick writes so far, modulo BALANCE_AGES
 * @loose: writes of a run come out of their order: near its end will do, soon after it
 *
 * Context: any; lock-free.
 */
static __always_inline struct balance_place
balance_find(const struct balance_map *m, u64 start, u32 sectors, u32 age, bool loose)
{
	u64 chunk = start >> BALANCE_CHUNK_SHIFT;
	u32 at = start % BALANCE_CHUNK;
	u64 w = balance_word(m, chunk);
	struct balance_place place = { .last = w & BALANCE_DISKS };
	bool fresh = !place.last && sectors > tuning.small;
	u32 end = balance_end(w);

	if (end == at)
		place.follows = balance_within(w, age, tuning.recent);
	else if (loose && (end > at ? end - at : at - end) <= tuning.near * sectors)
		place.follows = balance_within(w, age, tuning.soon);
	if (!place.follows && chunk && (loose || !at || fresh))
		balance_find_before(m, chunk, at, age, loose, fresh, &place);
	return place;
}

/** balance_note() - remember a write; arguments as of balance_find() */
static inline void balance_note(struct balance_map *m, u64 start, u32 sectors, u32 age,
				enum ssdup_disk disk)
{
	u64 last = start + sectors - 1, chunk = last >> BALANCE_CHUNK_SHIFT;
	u32 end = last % BALANCE_CHUNK + 1;

	WRITE_ONCE(m->chunk[chunk % BALANCE_CHUNKS],
		   chunk << BALANCE_TAG_SHIFT | age << BALANCE_AGE_SHIFT |
		   ((end << BALANCE_END_SHIFT) + BIT(disk)));
}

/* --- What comes after a front --- */

/**
 * balance_to_come() - what a disk will get of the chunks that fronts began with there
 * @to_come: so far, ns of work
 * @front: a front begins with another one; else the write is perhaps one of those expected
 * @price: of the write, ns
 * @sectors: of the write
 *
 * Writers that share a run, like the ranks that write a file by stripes, are not abreast, and
 * the first of them chooses for all. It would see but what waits now: as long as the others
 * are at the HDD it would begin one chunk after the other on the SSD, and get so far ahead that
 * the HDD gets the rest of its run in pieces. So what is to come waits, too.
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

/** balance_keep_coming() - of balance_to_come(), what is still expected a window later */
static inline u64 balance_keep_coming(u64 to_come)
{
	return div_u64(to_come * (tuning.come - 1), tuning.come);
}

/* --- The choice --- */

#define BALANCE_ONE	256U	/* of the parts below: the whole */

/*
 * A chunk whose first write went to the SSD is expected to go there whole: then
 * the drain finds long runs, and so does the HDD in what is left to it. So the
 * room for the rest of such chunks is promised. The more is promised of what is left of
 * the log, the rather other chunks are for the HDD.
 *
 * The HDD keeps a chunk for those that go on in it. From the neighbours of scattered writes it
 * has little; but when nearly all that is left of the log is promised to others, there is no
 * room for the rest of its chunk.
 */
struct balance_facts {
	struct balance_place place;
	bool	alone;		/* nothing is in flight at either disk */
	u64	hdd;		/* ns of work there: what waits, of fronts what comes, this write */
	u64	ssd;
	u32	keep;		/* balance_keep() */
	u32	promised;	/* of what is left of the log, 1/BALANCE_ONE; at most all */
};

/**
 * balance_keep() - how much dearer the SSD is, for its log is to last
 * @fill: of the whole log, 1/10000
 *
 * Return: 1/BALANCE_ONE.
 */
static inline u32 balance_keep(u32 fill)
{
	return BALANCE_ONE + tuning.fill * BALANCE_ONE * fill / SSDUP_PCT_ONE;
}

/** balance_plain() - is it the HDD's, whatever is promised or kept? */
static inline bool balance_plain(const struct balance_facts *f)
{
	return f->place.last != BIT(SSDUP_SSD) && f->hdd <= f->ssd;
}

/* How much better the SSD must be where it did not get the last write; 1/BALANCE_ONE. */
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
 * balance_choose() - which disk takes the write
 *
 * Of two writes to chunks that are alike the one that the HDD likes better goes there. Nothing
 * overflows while queues are below ten minutes.
 */
static inline enum ssdup_disk balance_choose(const struct balance_facts *f)
{
	u64 hdd = f->hdd * BALANCE_ONE, ssd = f->ssd * f->keep;

	/* A single writer has no others to leave the SSD to. */
	if (f->place.follows && !f->alone)
		ssd *= tuning.run;
	if (f->place.last == BIT(SSDUP_SSD))
		return hdd * tuning.stay <= ssd ? SSDUP_HDD : SSDUP_SSD;
	return hdd * BALANCE_ONE <= ssd * balance_better(f) ? SSDUP_HDD : SSDUP_SSD;
}

/**
 * ssdup_balance_small_wait() - how much may wait at the SSD before a small write is the HDD's
 * @hdd: costs
 * @ssd: costs
 * @fill: of the whole log, 1/10000
 * @placed: writes do not go on where others ended
 *
 * Of up to tuning.small sectors, wherever balance_near_ssd(). While less waits at the SSD
 * there is nothing to choose among such writes.
 *
 * Return: ns of work there.
 */
u64 ssdup_balance_small_wait(const struct balance_cost *hdd, const struct balance_cost *ssd,
			     u32 fill,
			     bool placed);

/** balance_near_ssd() - did the last write near this place go to the SSD? */
static inline bool balance_near_ssd(const struct balance_map *m, u64 start)
{
	return balance_word(m, start >> BALANCE_CHUNK_SHIFT) & BIT(SSDUP_SSD);
}

/**
 * balance_stands_for() - how many small writes has the SSD to end for one that was looked at?
 * @others: log writes in flight beside it
 * @skipped: the last ones were not looked at
 *
 * While it is in flight the SSD ends as many as there are beside it, and itself; of more than
 * tuning.tick another one is looked at. When the last ones were looked at, too, they count
 * for themselves.
 */
static inline u32 balance_stands_for(u32 others, bool skipped)
{
	return skipped ? min(others + 1, tuning.tick) : 1;
}

/**
 * balance_drain_cost() - what the HDD did for a drain
 * @took: by the clock, ns
 * @passed: ns until that was seen, for the drain had something else to do; at least @took
 * @others: what the HDD is expected to have done for requests until then, ns
 *
 * That is a guess, and may be more than there was time for.
 *
 * Return: ns.
 */
static inline u64 balance_drain_cost(u64 took, u64 passed, u64 others)
{
	u64 meanwhile = mul_u64_u64_div_u64(others, took, passed);

	return max(took - min(took, meanwhile), took / tuning.drain_least);
}

/**
 * balance_drain_learn() - correct what a drain is expected to cost by what one did
 * @unit_ns: expected of BALANCE_UNIT sectors
 * @cost: of this one, ns
 * @sectors: of this one, at least 1; a short one counts for less
 *
 * Return: ns, of BALANCE_UNIT sectors.
 */
static inline u64 balance_drain_learn(u64 unit_ns, u64 cost, u32 sectors)
{
	u64 unit = div_u64(cost * BALANCE_UNIT, sectors);
	u32 part = min(sectors, tuning.drain_full);

	return unit_ns - div_u64(unit_ns * part, tuning.drain_step * tuning.drain_full) +
	       div_u64(unit * part, tuning.drain_step * tuning.drain_full);
}

/**
 * balance_bypass() - with the log full: rather the HDD now than the log later?
 * @hdd_price: of the write, ns
 * @drain_price: what the HDD spent on as much data of the last drains, ns
 *
 * Small random writes cost the HDD many times what a drain, which sorts them,
 * would: they wait for space, and the drain gets the HDD.
 */
static inline bool balance_bypass(u64 hdd_price, u64 drain_price)
{
	return hdd_price <= tuning.bypass * drain_price;
}

#endif
