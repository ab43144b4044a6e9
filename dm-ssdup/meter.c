// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: the load of the disks, measured while balance chooses.
 *
 * Each request adds its expected price to its disk's queue when it is sent, and takes it off
 * when it ends. Every tuning.look requests, their expected time is compared with the time that
 * the disk was busy.
 */
#include <linux/slab.h>

#include "meta.h"
#include "meter.h"
#include "segments.h"
#include "wake.h"

static struct balance_cost cost_of(const struct disk_meter *d)
{
	return (struct balance_cost){
		.unit_ns = READ_ONCE(d->cost.unit_ns),
		.request_ns = READ_ONCE(d->cost.request_ns),
		.place_ns = READ_ONCE(d->cost.place_ns),
	};
}

/* Has the disk done work of a drain since the last look? Then its busy time teaches nothing. */
static bool take_drained(struct disk_meter *d)
{
	bool drained = READ_ONCE(d->drained);

	/* Work still in flight counts at the next look, too. */
	WRITE_ONCE(d->drained, atomic_read(&d->strange));
	return drained;
}

static void learn(struct disk_meter *d)
{
	struct balance_work w = balance_of_sum(atomic64_xchg(&d->ended, 0));
	u64 done = d->done + balance_price(&d->cost, &w), now, passed, idle;
	bool one_by_one = READ_ONCE(d->empty) > w.requests / 2;
	struct balance_cost cost = d->cost;

	/* Early: since the exchange above, done_ns() is too low. */
	WRITE_ONCE(d->done, done);
	now = ktime_get_ns();
	passed = now - d->looked;
	idle = READ_ONCE(d->idle);
	WRITE_ONCE(d->idle, 0);
	WRITE_ONCE(d->empty, 0);
	d->looked = now;
	if (take_drained(d) || idle >= passed)
		return;
	if (ssdup_balance_learn(&cost, &w, passed - idle) && one_by_one)
		WRITE_ONCE(d->look, tuning.rest);
	WRITE_ONCE(d->cost.unit_ns, cost.unit_ns);
	WRITE_ONCE(d->cost.request_ns, cost.request_ns);
	WRITE_ONCE(d->cost.place_ns, cost.place_ns);
}

/* Begin, or end a disk's rest: restart everything that was not kept meanwhile. */
static void wake(struct disk_meter *d)
{
	u64 now = ktime_get_ns();

	atomic64_set(&d->ended, 0);
	WRITE_ONCE(d->idle, 0);
	WRITE_ONCE(d->empty, 0);
	WRITE_ONCE(d->idle_since, now);
	take_drained(d);
	d->looked = now;
	WRITE_ONCE(d->look, tuning.look);
}

int ssdup_meter_create(struct ssdup *c)
{
	struct ssdup_meter *l = kvzalloc(sizeof(*l), GFP_KERNEL);

	if (!l)
		return -ENOMEM;
	c->meter = l;
	l->hdd.cost = (struct balance_cost){
		tuning.hdd_unit_ns, tuning.hdd_request_ns, tuning.hdd_place_ns,
	};
	l->ssd.cost = (struct balance_cost){ tuning.ssd_unit_ns, tuning.ssd_request_ns, 0 };
	wake(&l->hdd);
	wake(&l->ssd);
	l->keep = balance_keep(0);
	l->left = U32_MAX;
	l->loose = true;
	l->small_wait = ssdup_balance_small_wait(&l->hdd.cost, &l->ssd.cost, l->keep, 0,
						 !l->loose);
	l->flush_ns = tuning.flush_ns;
	l->sync_ns = tuning.sync_ns;
	l->drain_ns = l->hdd.cost.unit_ns;
	/* Until it is measured, scattered writes of BALANCE_UNIT sectors. */
	l->free_ns = l->hdd.cost.unit_ns + l->hdd.cost.place_ns + l->hdd.cost.request_ns;
	l->net_ns = l->free_ns;
	return 0;
}

void ssdup_meter_look(struct disk_meter *d)
{
	if (test_and_set_bit_lock(0, &d->looking))
		return;
	if (ssdup_meter_rests(d))
		wake(d);
	else
		learn(d);
	clear_bit_unlock(0, &d->looking);
}

void ssdup_meter_turn(struct disk_meter *d, u64 before)
{
	if (before) {
		ssdup_meter_look(d);
		return;
	}
	WRITE_ONCE(d->idle, READ_ONCE(d->idle) + ktime_get_ns() - READ_ONCE(d->idle_since));
	WRITE_ONCE(d->empty, READ_ONCE(d->empty) + 1);
}

void ssdup_meter_empty(struct disk_meter *d)
{
	WRITE_ONCE(d->idle_since, ktime_get_ns());
}

static void promise(struct ssdup_meter *l, u64 sectors)
{
	u64 part = div64_u64(sectors * BALANCE_ONE, READ_ONCE(l->left) + 1);

	WRITE_ONCE(l->promised, sectors);
	WRITE_ONCE(l->promised_part, min(part, BALANCE_ONE));
}

/*
 * A write that begins a chunk on the SSD promises room for the rest; later ones use it up.
 * @times: number of writes that this one stands for
 */
static void promise_rest(struct ssdup_meter *l, const struct ssdup_io *io, u32 times)
{
	u64 promised = READ_ONCE(l->promised), sectors = (u64)io->sectors * times;

	if (io->place.last == BIT(SSDUP_SSD))
		promise(l, promised - min(promised, sectors));
	else
		promise(l, promised + BALANCE_CHUNK - min(io->sectors, BALANCE_CHUNK));
}

bool ssdup_meter_bypass(struct ssdup *c, const struct ssdup_io *io)
{
	const struct ssdup_meter *l = c->meter;

	return ssdup_meter_arm(l, io) <=
	       div_u64(READ_ONCE(l->net_ns) * io->sectors, BALANCE_UNIT);
}

void ssdup_meter_front(struct disk_meter *d, const struct ssdup_io *io)
{
	WRITE_ONCE(d->to_come, balance_to_come(READ_ONCE(d->to_come), io->place.front, io->price,
					       io->sectors));
}

/* May the SSD take the next small writes unseen? @others: log writes in flight beside @io */
static bool only_small(const struct ssdup_meter *l, const struct ssdup_io *io, u32 others)
{
	/* Writes that were not looked at are missing in the queue: assume the dearest. */
	u64 waits = atomic64_read(&l->ssd.queue) +
		    others * ssdup_price(&l->ssd, tuning.small, false);

	return io->place.last == BIT(SSDUP_SSD) && io->sectors <= tuning.small &&
	       waits < READ_ONCE(l->small_wait);
}

void ssdup_meter_logged(struct ssdup *c, struct ssdup_io *io)
{
	u32 others = atomic_read(&io->segment->writes) - 1;
	struct ssdup_meter *l = c->meter;

	if (only_small(l, io, others)) {
		WRITE_ONCE(l->small, tuning.small);
		promise_rest(l, io, tuning.tick);
		io->times = balance_stands_for(others, READ_ONCE(l->skipped));
	} else {
		promise_rest(l, io, 1);
	}
	io->price = ssdup_price(&l->ssd, io->sectors, false) * io->times;
	ssdup_meter_begin(&l->ssd, io);
}

bool ssdup_meter_quiet(const struct ssdup *c)
{
	const struct ssdup_meter *l = c->meter;

	/* Other policies need every stream, and no request ends a disk's rest there. */
	if (!ssdup_balances(c))
		return false;
	return READ_ONCE(l->small) ||
	       (ssdup_meter_rests(&l->hdd) && !atomic64_read(&l->ssd.queue));
}

/* The HDD begins work that is no request, so nothing can be learnt until it ends. */
static void strange_begin(struct ssdup_meter *l, struct meter_drain *b, u64 price)
{
	b->price = price + 1;
	b->begun = ktime_get_ns();
	atomic_inc(&l->hdd.strange);
	WRITE_ONCE(l->hdd.drained, true);
	ssdup_queue_add(&l->hdd, b->price);
}

/* Return: how long it took, ns. */
static u64 strange_end(struct ssdup_meter *l, const struct meter_drain *b)
{
	u64 passed = ktime_get_ns() - b->begun;

	if (!atomic64_sub_return(b->price, &l->hdd.queue))
		ssdup_meter_empty(&l->hdd);
	atomic_dec(&l->hdd.strange);
	WRITE_ONCE(l->hdd.drained, true);
	return passed;
}

/* Expected time of all requests that a disk has ended so far; ns. */
static u64 done_ns(const struct disk_meter *d)
{
	const struct balance_work w = balance_of_sum(atomic64_read(&d->ended));
	const struct balance_cost cost = cost_of(d);

	/* At rest, @ended counts requests without their work. */
	if (ssdup_meter_rests(d))
		return READ_ONCE(d->done);
	return READ_ONCE(d->done) + balance_price(&cost, &w);
}

void ssdup_meter_drain_begin(struct ssdup *c, struct meter_drain *b, u32 sectors)
{
	struct ssdup_meter *l = c->meter;

	b->sectors = sectors;
	b->done = done_ns(&l->hdd);
	strange_begin(l, b, div_u64(l->drain_ns * sectors, BALANCE_UNIT));
}

void ssdup_meter_drain_end(struct ssdup *c, const struct meter_drain *b, u64 ended)
{
	struct ssdup_meter *l = c->meter;
	u64 passed = strange_end(l, b), cost;
	s64 others;

	/* There was nothing left to write. */
	if (!b->sectors || ended <= b->begun)
		return;
	others = max_t(s64, done_ns(&l->hdd) - b->done, 0);
	cost = balance_drain_cost(ended - b->begun, passed, others);
	WRITE_ONCE(l->drain_ns, balance_drain_learn(l->drain_ns, cost, b->sectors));
	/* The HDD may be cheap now for writes that preferred to wait for space. */
	if (ssdup_balances(c))
		ssdup_kick_waiting(c);
}

struct meter_mark ssdup_meter_mark(const struct ssdup *c)
{
	return (struct meter_mark){ ktime_get_ns(), done_ns(&c->meter->hdd) };
}

void ssdup_meter_freed(struct ssdup *c, u64 sectors, struct meter_mark since,
		       struct meter_mark now)
{
	s64 ns = now.ns - since.ns, others = max_t(s64, now.done - since.done, 0);
	struct ssdup_meter *l = c->meter;
	u64 net;

	/* When the drain was held off after the group before was free, that is not known. */
	if (!sectors || ns <= 0)
		return;
	WRITE_ONCE(l->free_ns, balance_drain_learn(l->free_ns, ns, sectors));
	/* A disk at rest does not count what it does. */
	if (ssdup_meter_rests(&l->hdd))
		return;
	net = balance_drain_cost(ns, ns, others);
	WRITE_ONCE(l->net_ns, balance_drain_learn(l->net_ns, net, sectors));
}

u64 ssdup_meter_free_ns(const struct ssdup *c, u32 sectors)
{
	return div_u64(READ_ONCE(c->meter->free_ns) * sectors, BALANCE_UNIT);
}

/* Frequent flushes make direct writes dearer, since each flush must bring them to the disk. */
static void price_flushes(struct ssdup_meter *l)
{
	WRITE_ONCE(l->flush_price,
		   READ_ONCE(l->flush_ns) * READ_ONCE(l->flush_rate) / tuning.flush_share);
}

void ssdup_meter_flush(struct ssdup *c)
{
	struct ssdup_meter *l = c->meter;
	u32 flushes = READ_ONCE(l->flushes) + 1, rate = flushes - READ_ONCE(l->flushes_seen);

	WRITE_ONCE(l->flushes, flushes);
	/* This window already has more than the last one. */
	if (rate > READ_ONCE(l->flush_rate)) {
		WRITE_ONCE(l->flush_rate, rate);
		price_flushes(l);
	}
}

void ssdup_meter_flushed(struct ssdup *c, u64 ns)
{
	struct ssdup_meter *l = c->meter;

	WRITE_ONCE(l->flush_ns, balance_average(l->flush_ns, ns));
	price_flushes(l);
}

void ssdup_meter_sync_begin(struct ssdup *c, struct meter_drain *f)
{
	strange_begin(c->meter, f, c->meter->sync_ns);
}

void ssdup_meter_sync_end(struct ssdup *c, const struct meter_drain *f)
{
	struct ssdup_meter *l = c->meter;

	WRITE_ONCE(l->sync_ns, balance_average(l->sync_ns, strange_end(l, f)));
}

u64 ssdup_meter_budget(const struct ssdup *c)
{
	return ssdup_settings_sectors(READ_ONCE(c->set.ssd_budget),
				      bdev_nr_sectors(c->ssd->bdev));
}

u64 ssdup_meter_written(struct ssdup *c)
{
	return ssdup_log_written(c) + ssdup_meta_written(c);
}

u64 ssdup_meter_settle(struct ssdup *c)
{
	u32 budget = READ_ONCE(c->set.ssd_budget), thrift = READ_ONCE(c->set.thrift);
	struct ssdup_meter *l = c->meter;
	u64 day = 0;
	s64 left;

	if (budget || READ_ONCE(l->account.then)) {
		day = ssdup_meter_budget(c);
		if (!test_and_set_bit_lock(0, &l->settling)) {
			ssdup_thrift_update(&l->account, day, ktime_get_boottime_ns(),
					    ssdup_meter_written(c));
			clear_bit_unlock(0, &l->settling);
		}
	}
	left = READ_ONCE(l->account.left);
	WRITE_ONCE(l->price, ssdup_thrift_price(thrift, day, left,
						READ_ONCE(l->hdd.cost.unit_ns)));
	return max(left, 0LL);
}

void ssdup_meter_inherit(struct ssdup *c, struct ssdup *from)
{
	struct ssdup_meter *l = c->meter;

	/* One of them may still be under construction, and this one may go on with its own. */
	if (!l || !from->meter || c->recovered || !from->meter->account.then)
		return;
	ssdup_meter_settle(from);
	l->account = from->meter->account;
	l->account.used = ssdup_meter_written(c);
}

static noinline void window(struct ssdup_meter *l, u32 fill)
{
	const struct balance_cost hdd = cost_of(&l->hdd), ssd = cost_of(&l->ssd);
	u32 flushes = READ_ONCE(l->flushes);
	u64 promised = READ_ONCE(l->promised);

	WRITE_ONCE(l->flush_rate, flushes - READ_ONCE(l->flushes_seen));
	WRITE_ONCE(l->flushes_seen, flushes);
	price_flushes(l);
	WRITE_ONCE(l->small_wait, ssdup_balance_small_wait(&hdd, &ssd, READ_ONCE(l->keep),
							   READ_ONCE(l->price),
							   !READ_ONCE(l->loose)));
	WRITE_ONCE(l->hdd.to_come, balance_keep_coming(READ_ONCE(l->hdd.to_come)));
	WRITE_ONCE(l->ssd.to_come, balance_keep_coming(READ_ONCE(l->ssd.to_come)));
	/* A part of each promise is never used; and an empty log needs none. */
	promise(l, fill ? promised - promised / tuning.forget : 0);
}

void ssdup_meter_tick(struct ssdup *c)
{
	u64 all = (u64)c->g.data_sectors * (c->g.nr_segments - ssdup_spare(c));
	struct ssdup_meter *l = c->meter;
	u32 age = READ_ONCE(l->age) + 1, fill;

	WRITE_ONCE(l->age, age);
	WRITE_ONCE(l->skipped, READ_ONCE(l->small));
	WRITE_ONCE(l->small, 0);
	if (!ssdup_balances(c)) {
		WRITE_ONCE(l->flushes_seen, READ_ONCE(l->flushes));
		return;
	}
	fill = min(ssdup_log_fill(c), SSDUP_PCT_ONE);
	WRITE_ONCE(l->keep, balance_keep(fill));
	ssdup_meter_settle(c);
	WRITE_ONCE(l->left, div_u64(all * (SSDUP_PCT_ONE - fill), SSDUP_PCT_ONE));
	if (age % tuning.window)
		promise(l, READ_ONCE(l->promised));
	else
		window(l, fill);
}

void ssdup_meter_stream(struct ssdup *c, u32 percentage)
{
	WRITE_ONCE(c->meter->loose, percentage < tuning.loose);
}
