// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: the load of the disks, measured for policy balance.
 *
 * Each request adds its expected price to its disk's queue when it is sent, and
 * takes it off when it ends. Every LOOK requests the time the disk was busy is
 * compared with what they were expected to take.
 */
#include "ssdup.h"

#define LOOK		32U
#define PROMISE_AGES	128U	/* windows: what was promised so long ago is not wanted any more */

/* disk_load.ended: requests 12 bits, those placed 12 bits, sectors the rest. */
#define ENDED_REQUEST	BIT_ULL(0)
#define ENDED_PLACED	BIT_ULL(12)
#define ENDED_SECTORS	24
#define ENDED_MASK	0xfffU

void ssdup_load_init(struct ssdup_load *l)
{
	u64 now = ktime_get_ns();

	/* A hard disk of 170 MB/s and an SSD of 450, for the first requests. */
	l->hdd.cost = (struct balance_cost){ 1500000, 20000, 1000000 };
	l->ssd.cost = (struct balance_cost){ 580000, 10000, 0 };
	l->hdd.looked = now;
	l->hdd.idle_since = now;
	l->ssd.looked = now;
	l->ssd.idle_since = now;
	l->flush_ns = 10 * NSEC_PER_MSEC;
	l->drain_ns = l->hdd.cost.unit_ns;
}

static void learn(struct disk_load *d)
{
	u64 ended = atomic64_xchg(&d->ended, 0), now = ktime_get_ns();
	struct balance_work w = {
		.requests = ended & ENDED_MASK,
		.placed = ended / ENDED_PLACED & ENDED_MASK,
		.sectors = ended >> ENDED_SECTORS,
	};
	u64 passed = now - d->looked, idle = READ_ONCE(d->idle);
	struct balance_cost cost = d->cost;

	WRITE_ONCE(d->idle, 0);
	d->looked = now;
	if (READ_ONCE(d->drained) || idle >= passed) {
		WRITE_ONCE(d->drained, false);
		return;
	}
	balance_learn(&cost, &w, passed - idle);
	WRITE_ONCE(d->cost.unit_ns, cost.unit_ns);
	WRITE_ONCE(d->cost.request_ns, cost.request_ns);
	WRITE_ONCE(d->cost.place_ns, cost.place_ns);
}

static u64 price_of(struct disk_load *d, u32 sectors, bool placed)
{
	const struct balance_work w = { .sectors = sectors, .requests = 1, .placed = placed };
	const struct balance_cost cost = {
		.unit_ns = READ_ONCE(d->cost.unit_ns),
		.request_ns = READ_ONCE(d->cost.request_ns),
		.place_ns = READ_ONCE(d->cost.place_ns),
	};

	return balance_price(&cost, &w);
}

static void queue_add(struct disk_load *d, u64 price)
{
	if (atomic64_add_return(price, &d->queue) == price)
		WRITE_ONCE(d->idle, READ_ONCE(d->idle) + ktime_get_ns() -
				    READ_ONCE(d->idle_since));
}

static void queue_sub(struct disk_load *d, u64 price)
{
	if (!atomic64_sub_return(price, &d->queue))
		WRITE_ONCE(d->idle_since, ktime_get_ns());
}

static struct balance_place place_of(struct ssdup *c, const struct ssdup_io *io)
{
	const struct ssdup_load *l = &c->load;

	return balance_find(&l->map, io->start, io->sectors, READ_ONCE(l->age),
			    READ_ONCE(c->percentage) < SSDUP_PCT_ONE / 2);
}

/* A chunk that the SSD begins with is promised the rest of it; each write takes its part. */
static void promise(struct ssdup_load *l, const struct ssdup_io *io,
		    const struct balance_place *place)
{
	const u32 chunk = BIT(BALANCE_CHUNK_SHIFT);
	u64 promised = READ_ONCE(l->promised);

	if (place->last == BALANCE_SSD)
		promised -= min_t(u64, promised, io->sectors);
	else
		promised += chunk - min(io->sectors, chunk);
	WRITE_ONCE(l->promised, promised);
}

/* Against what is left of the log, 1/10000; a small write does not make a chunk whole. */
static u32 promised(struct ssdup *c, u32 sectors, u32 fill)
{
	u64 all = (u64)c->limits.sectors * c->g.nr_halves;
	u64 left = div_u64(all * (SSDUP_PCT_ONE - min(fill, SSDUP_PCT_ONE)), SSDUP_PCT_ONE);
	u64 part = div64_u64(READ_ONCE(c->load.promised) * SSDUP_PCT_ONE, left + 1);

	return min(part, SSDUP_PCT_ONE) * min(sectors, BALANCE_UNIT) / BALANCE_UNIT;
}

enum ssdup_route ssdup_load_route(struct ssdup *c, const struct ssdup_io *io)
{
	struct ssdup_load *l = &c->load;
	struct balance_facts f = {
		.place = place_of(c, io),
		.hdd_queue = atomic64_read(&l->hdd.queue),
		.ssd_queue = atomic64_read(&l->ssd.queue),
		.fill = READ_ONCE(l->fill),
	};

	f.promised = promised(c, io->sectors, f.fill);
	f.hdd_price = price_of(&l->hdd, io->sectors, !f.place.follows);
	f.ssd_price = price_of(&l->ssd, io->sectors, false);
	/* Who flushes often pays for every flush that finds the HDD with something to do. */
	f.hdd_price += READ_ONCE(l->flush_ns) * READ_ONCE(l->flush_rate) / 32;
	if (io->opf & REQ_FUA)
		f.hdd_price += READ_ONCE(l->flush_ns);
	return balance_choose(&f);
}

bool ssdup_load_bypass(struct ssdup *c, const struct ssdup_io *io)
{
	struct ssdup_load *l = &c->load;
	u64 hdd = price_of(&l->hdd, io->sectors, !place_of(c, io).follows);

	return balance_bypass(hdd, div_u64(READ_ONCE(l->drain_ns) * io->sectors, BALANCE_UNIT));
}

void ssdup_load_begin(struct ssdup *c, struct ssdup_io *io, bool ssd, bool write)
{
	struct ssdup_load *l = &c->load;
	struct disk_load *d = ssd ? &l->ssd : &l->hdd;
	struct balance_place place = { };

	io->price = 0;
	if (READ_ONCE(c->set.policy) != SSDUP_POLICY_BALANCE)
		return;
	if (write)
		place = place_of(c, io);
	io->placed = !ssd && !place.follows;
	io->price = min_t(u64, price_of(d, io->sectors, io->placed), U32_MAX);
	queue_add(d, io->price);
	if (!write)
		return;
	if (ssd)
		promise(l, io, &place);
	balance_note(&l->map, io->start, io->sectors, READ_ONCE(l->age),
		     ssd ? SSDUP_ROUTE_SSD : SSDUP_ROUTE_HDD);
}

void ssdup_load_end(struct ssdup *c, struct ssdup_io *io, bool ssd)
{
	struct disk_load *d = ssd ? &c->load.ssd : &c->load.hdd;
	u64 ended;

	if (!io->price)
		return;
	queue_sub(d, io->price);
	/* A bio that waits for a commit, or is routed again, ends once more. */
	io->price = 0;
	ended = atomic64_add_return(ENDED_REQUEST + (io->placed ? ENDED_PLACED : 0) +
				    ((u64)io->sectors << ENDED_SECTORS), &d->ended);
	if ((ended & ENDED_MASK) >= LOOK && !test_and_set_bit_lock(0, &d->looking)) {
		learn(d);
		WRITE_ONCE(c->load.fill, ssdup_log_fill(c));
		clear_bit_unlock(0, &d->looking);
	}
}

void ssdup_load_drain_begin(struct ssdup *c, struct load_drain *b, u32 sectors)
{
	struct ssdup_load *l = &c->load;

	b->sectors = sectors;
	b->alone = !atomic64_read(&l->hdd.queue);
	b->price = div_u64(l->drain_ns * sectors, BALANCE_UNIT) + 1;
	b->begun = ktime_get_ns();
	WRITE_ONCE(l->hdd.drained, true);
	queue_add(&l->hdd, b->price);
}

void ssdup_load_drain_end(struct ssdup *c, const struct load_drain *b)
{
	struct ssdup_load *l = &c->load;
	u64 unit;

	queue_sub(&l->hdd, b->price);
	WRITE_ONCE(l->hdd.drained, true);
	/* Beside others it took longer than it costs. */
	if (!b->alone || !b->sectors)
		return;
	unit = div_u64((ktime_get_ns() - b->begun) * BALANCE_UNIT, b->sectors);
	WRITE_ONCE(l->drain_ns, l->drain_ns - l->drain_ns / 4 + unit / 4);
}

void ssdup_load_flush(struct ssdup *c)
{
	WRITE_ONCE(c->load.flushes, c->load.flushes + 1);
}

void ssdup_load_flushed(struct ssdup *c, u64 ns)
{
	struct ssdup_load *l = &c->load;

	WRITE_ONCE(l->flush_ns, l->flush_ns - l->flush_ns / 4 + ns / 4);
}

void ssdup_load_window(struct ssdup *c)
{
	struct ssdup_load *l = &c->load;
	u32 flushes = READ_ONCE(l->flushes);
	u64 promised = READ_ONCE(l->promised);

	WRITE_ONCE(l->flush_rate, flushes - l->flushes_seen);
	l->flushes_seen = flushes;
	/* Nobody has come back for it; and an empty log owes nothing. */
	WRITE_ONCE(l->promised, READ_ONCE(l->fill) ? promised - promised / PROMISE_AGES : 0);
}

void ssdup_load_tick(struct ssdup *c)
{
	WRITE_ONCE(c->load.age, READ_ONCE(c->load.age) + 1);
}
