/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: which disk takes one write, so that neither idles while the other
 * has work to spare (policy balance). Pure.
 *
 * The paper sends whole streams one way, and one disk watches the other. Here
 * each write goes where it is expected to end first, given what waits there
 * already, with two corrections. A write that goes on where another ended stays
 * with that one's disk unless the other is better by far, so that the HDD gets
 * long runs, and so does the drain of what the SSD got. And the more of the log is
 * in use, the more of it is kept for what the HDD is bad at.
 */
#ifndef SSDUP_BALANCE_H
#define SSDUP_BALANCE_H

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
u64 balance_price(const struct balance_cost *cost, const struct balance_work *w);

/**
 * balance_learn() - correct the costs by what some work has really taken
 * @cost: to be corrected: a normalised least mean squares step
 * @w: the work
 * @busy_ns: time it took, without that in which the disk had nothing to do
 *
 * What all work has in common goes to the part that the most of it was made of;
 * loads that differ tell the parts from each other.
 */
void balance_learn(struct balance_cost *cost, const struct balance_work *w, u64 busy_ns);

/* --- Who goes on where another ended --- */

#define BALANCE_CHUNK_SHIFT	13U		/* sectors; 4 MiB */
#define BALANCE_CHUNKS		4096U
#define BALANCE_AGES		1024U		/* ages are counted modulo this */
#define BALANCE_TICK		16U		/* writes: the age's unit */

/*
 * For chunks of the HDD: where the last write there ended, and which way it
 * went. A word each, read and written without a lock; a lost update costs a guess.
 */
struct balance_map {
	u64	chunk[BALANCE_CHUNKS];
};

enum balance_last {
	BALANCE_NOWHERE,	/* nothing is known */
	BALANCE_HDD,
	BALANCE_SSD,
};

struct balance_place {
	enum balance_last last;	/* which way the last write near this one went */
	bool	follows;	/* this one goes on where that one ended, not long ago */
};

/**
 * balance_find() - what is known of the place of a write
 * @m: chunks
 * @start: sector of the write
 * @sectors: its length
 * @age: ticks of BALANCE_TICK writes so far, modulo BALANCE_AGES
 * @loose: writes of a run come out of their order: near its end will do, soon after it
 *
 * Context: any; lock-free.
 */
struct balance_place balance_find(const struct balance_map *m, u64 start, u32 sectors, u32 age,
				  bool loose);

/** balance_note() - remember a write; arguments as of balance_find() */
void balance_note(struct balance_map *m, u64 start, u32 sectors, u32 age,
		  enum ssdup_route route);

/* --- The choice --- */

/* So many times better must the other disk be: with nothing promised, and at most. */
#define BALANCE_STAY	4U
#define BALANCE_STAY_MAX 32U
#define BALANCE_SPARE	16U	/* weight of promises against chunks that nobody wrote to yet */
#define BALANCE_KEEP	3U	/* weight of the log's fill against sequential writes */

/*
 * A chunk whose first write went to the SSD is expected to go there whole: then
 * the drain finds long runs, and so does the HDD in what is left to it. So the
 * room for the rest of such chunks is promised. Where the promises exceed what is
 * left of the log, other chunks are for the HDD.
 */
struct balance_facts {
	struct balance_place place;
	u64	hdd_queue;	/* ns of work that waits there */
	u64	ssd_queue;
	u64	hdd_price;	/* of this write, ns */
	u64	ssd_price;
	u32	fill;		/* of the whole log, 1/10000 */
	u32	promised;	/* of what is left of it, 1/10000; above that, the same */
};

/** balance_choose() - which disk takes the write */
enum ssdup_route balance_choose(const struct balance_facts *f);

#define BALANCE_BYPASS	2U	/* times what a drain of it costs may a direct write cost */

/**
 * balance_bypass() - with the log full: rather the HDD now than the log later?
 * @hdd_price: of the write, ns
 * @drain_price: what the HDD spends on as much data of a drain, ns
 *
 * Small random writes cost the HDD many times what a drain, which sorts them,
 * would: they wait for space, and the drain gets the HDD.
 */
static inline bool balance_bypass(u64 hdd_price, u64 drain_price)
{
	return hdd_price <= BALANCE_BYPASS * drain_price;
}

#endif
