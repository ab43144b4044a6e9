/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the disk of a write that may go to either: policy balance. It asks core/balance.h about
 * what the meter knows. Inline, because every write comes here; scripts/bench/where counts it.
 */
#ifndef SSDUP_CHOICE_H
#define SSDUP_CHOICE_H

#include "meter.h"

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
