// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: the load of the disks, measured while balance chooses.
 *
 * Each request adds its expected price to its disk's queue when it is sent, and takes it off
 * when it ends. Every tuning.look requests, their expected time is compared with the time that
 * the disk was busy.
 */
#include <linux/slab.h>

#include "base/wakeups.h"
#include "meter.h"
#include "log/clean.h"

/* Has the disk done work of a drain since the last look? Then its busy time teaches nothing. */
static bool take_drained(struct disk_meter *disk)
{
	bool drained = READ_ONCE(disk->drained);

	/* Work still in flight counts at the next look, too. */
	WRITE_ONCE(disk->drained, atomic_read(&disk->strange));
	return drained;
}

static void learn_costs(struct disk_meter *disk)
{
	struct balance_work w = balance_of_sum(atomic64_xchg(&disk->ended, 0));
	u64 done = disk->done + balance_price(&disk->cost, &w), now, passed, idle;
	bool one_by_one = READ_ONCE(disk->empty) > w.requests / 2;
	struct balance_cost cost = disk->cost;

	/* Early: since the exchange above, done_ns() is too low. */
	WRITE_ONCE(disk->done, done);
	now = ktime_get_ns();
	passed = now - disk->looked;
	idle = READ_ONCE(disk->idle);
	WRITE_ONCE(disk->idle, 0);
	WRITE_ONCE(disk->empty, 0);
	disk->looked = now;
	if (take_drained(disk) || idle >= passed)
		return;
	if (ssdup_balance_learn(&cost, &w, passed - idle) && one_by_one)
		WRITE_ONCE(disk->look, tuning.rest);
	WRITE_ONCE(disk->cost.unit_ns, cost.unit_ns);
	WRITE_ONCE(disk->cost.request_ns, cost.request_ns);
	WRITE_ONCE(disk->cost.place_ns, cost.place_ns);
}

/* Begin, or end a disk's rest: restart everything that was not kept meanwhile. */
static void wake_disk(struct disk_meter *disk)
{
	u64 now = ktime_get_ns();

	atomic64_set(&disk->ended, 0);
	WRITE_ONCE(disk->idle, 0);
	WRITE_ONCE(disk->empty, 0);
	WRITE_ONCE(disk->idle_since, now);
	take_drained(disk);
	disk->looked = now;
	WRITE_ONCE(disk->look, tuning.look);
}

int ssdup_meter_create(struct ssdup_router *router)
{
	struct ssdup_meter *meter = kvzalloc(sizeof(*meter), GFP_KERNEL);

	if (!meter)
		return -ENOMEM;
	router->meter = meter;
	meter->hdd.cost = (struct balance_cost){
		tuning.hdd_unit_ns, tuning.hdd_request_ns, tuning.hdd_place_ns,
	};
	meter->ssd.cost = (struct balance_cost){ tuning.ssd_unit_ns, tuning.ssd_request_ns, 0 };
	wake_disk(&meter->hdd);
	wake_disk(&meter->ssd);
	meter->keep = balance_keep(0);
	meter->left = U32_MAX;
	meter->small_wait = ssdup_balance_small_wait(&meter->hdd.cost, &meter->ssd.cost,
						     meter->keep, 0);
	meter->flush_ns = tuning.flush_ns;
	meter->sync_ns = tuning.sync_ns;
	meter->drain_ns = meter->hdd.cost.unit_ns;
	/* Until it is measured, scattered writes of BALANCE_UNIT sectors. */
	meter->free_ns = balance_price(&meter->hdd.cost, &(struct balance_work){
		.sectors = BALANCE_UNIT, .requests = 1, .placed = 1,
	});
	meter->net_ns = meter->free_ns;
	return 0;
}

void ssdup_meter_look(struct disk_meter *disk)
{
	if (test_and_set_bit_lock(0, &disk->looking))
		return;
	if (ssdup_meter_rests(disk))
		wake_disk(disk);
	else
		learn_costs(disk);
	clear_bit_unlock(0, &disk->looking);
}

void ssdup_meter_turn(struct disk_meter *disk, u64 before)
{
	if (before) {
		ssdup_meter_look(disk);
		return;
	}
	WRITE_ONCE(disk->idle,
		   READ_ONCE(disk->idle) + ktime_get_ns() - READ_ONCE(disk->idle_since));
	WRITE_ONCE(disk->empty, READ_ONCE(disk->empty) + 1);
}

void ssdup_meter_empty(struct disk_meter *disk)
{
	WRITE_ONCE(disk->idle_since, ktime_get_ns());
}

static void promise_sectors(struct ssdup_meter *meter, u64 sectors)
{
	u64 part = div64_u64(sectors * BALANCE_ONE, READ_ONCE(meter->left) + 1);

	WRITE_ONCE(meter->promised, sectors);
	WRITE_ONCE(meter->promised_part, min(part, BALANCE_ONE));
}

/*
 * A write that begins a chunk on the SSD promises room for the rest; later ones use it up.
 * @times: number of writes that this one stands for
 */
static void promise_rest(struct ssdup_meter *meter, const struct ssdup_io *io, u32 times)
{
	u64 promised = READ_ONCE(meter->promised), sectors = (u64)io->sectors * times;

	if (io->place.last == BIT(SSDUP_SSD))
		promise_sectors(meter, promised - min(promised, sectors));
	else
		promise_sectors(meter, promised + BALANCE_CHUNK - min(io->sectors, BALANCE_CHUNK));
}

void ssdup_meter_front(struct disk_meter *disk, const struct ssdup_io *io)
{
	u64 to_come = READ_ONCE(disk->to_come);

	WRITE_ONCE(disk->to_come,
		   balance_to_come(to_come, io->place.front, io->price, io->sectors));
}

/* May the SSD take the next small writes unseen? @others: log writes in flight beside @io */
static bool only_small(const struct ssdup_meter *meter, const struct ssdup_io *io, u32 others)
{
	/* Writes that were not looked at are missing in the queue: assume the dearest. */
	u64 waits = atomic64_read(&meter->ssd.queue) +
		    others * ssdup_price(&meter->ssd, tuning.small, false);

	return io->place.last == BIT(SSDUP_SSD) && io->sectors <= tuning.small &&
	       waits < READ_ONCE(meter->small_wait);
}

void ssdup_meter_logged(struct ssdup_router *router, struct ssdup_io *io)
{
	u32 others = atomic_read(&io->segment->writes) - 1;
	struct ssdup_meter *meter = router->meter;

	if (only_small(meter, io, others)) {
		WRITE_ONCE(meter->small, tuning.small);
		promise_rest(meter, io, tuning.tick);
		io->times = balance_stands_for(others, READ_ONCE(meter->skipped));
	} else {
		promise_rest(meter, io, 1);
	}
	io->price = ssdup_price(&meter->ssd, io->sectors, false) * io->times;
	ssdup_meter_begin(&meter->ssd, io);
}

bool ssdup_meter_quiet(const struct ssdup_router *router)
{
	const struct ssdup_meter *meter = router->meter;

	/* Other policies need every stream, and no request ends a disk's rest there. */
	if (!ssdup_balances(router->c))
		return false;
	return READ_ONCE(meter->small) ||
	       (ssdup_meter_rests(&meter->hdd) && !atomic64_read(&meter->ssd.queue));
}

/* The HDD begins work that is no request, so nothing can be learnt until it ends. */
static void strange_begin(struct ssdup_meter *meter, struct meter_drain *b, u64 price)
{
	b->price = price + 1;
	b->begun = ktime_get_ns();
	atomic_inc(&meter->hdd.strange);
	WRITE_ONCE(meter->hdd.drained, true);
	ssdup_queue_add(&meter->hdd, b->price);
}

/* Return: how long it took, ns. */
static u64 strange_end(struct ssdup_meter *meter, const struct meter_drain *b)
{
	u64 passed = ktime_get_ns() - b->begun;

	if (!atomic64_sub_return(b->price, &meter->hdd.queue))
		ssdup_meter_empty(&meter->hdd);
	atomic_dec(&meter->hdd.strange);
	WRITE_ONCE(meter->hdd.drained, true);
	return passed;
}

/* Expected time of all requests that a disk has ended so far; ns. */
static u64 done_ns(const struct disk_meter *disk)
{
	const struct balance_work w = balance_of_sum(atomic64_read(&disk->ended));
	const struct balance_cost cost = ssdup_meter_cost(disk);

	/* At rest, @ended counts requests without their work. */
	if (ssdup_meter_rests(disk))
		return READ_ONCE(disk->done);
	return READ_ONCE(disk->done) + balance_price(&cost, &w);
}

void ssdup_meter_drain_begin(struct ssdup_router *router, struct meter_drain *b, u32 sectors)
{
	struct ssdup_meter *meter = router->meter;

	b->sectors = sectors;
	b->done = done_ns(&meter->hdd);
	strange_begin(meter, b, div_u64(meter->drain_ns * sectors, BALANCE_UNIT));
}

void ssdup_meter_drain_end(struct ssdup_router *router, const struct meter_drain *b, u64 ended)
{
	struct ssdup_meter *meter = router->meter;
	u64 passed = strange_end(meter, b), cost;
	s64 others;

	/* There was nothing left to write. */
	if (!b->sectors || ended <= b->begun)
		return;
	others = max_t(s64, done_ns(&meter->hdd) - b->done, 0);
	cost = balance_drain_cost(ended - b->begun, passed, others);
	WRITE_ONCE(meter->drain_ns, balance_drain_learn(meter->drain_ns, cost, b->sectors));
	/* The HDD may be cheap now for writes that preferred to wait for space. */
	if (ssdup_balances(router->c))
		ssdup_kick_waiting(router->c);
}

struct meter_mark ssdup_meter_mark(const struct ssdup_router *router)
{
	return (struct meter_mark){ ktime_get_ns(), done_ns(&router->meter->hdd) };
}

void ssdup_meter_freed(struct ssdup_router *router, u64 sectors, struct meter_mark since,
		       struct meter_mark now)
{
	s64 ns = now.ns - since.ns, others = max_t(s64, now.done - since.done, 0);
	struct ssdup_meter *meter = router->meter;
	u64 net;

	/* When the drain was held off after the group before was free, that is not known. */
	if (!sectors || ns <= 0)
		return;
	WRITE_ONCE(meter->free_ns, balance_drain_learn(meter->free_ns, ns, sectors));
	/* A disk at rest does not count what it does. */
	if (ssdup_meter_rests(&meter->hdd))
		return;
	net = balance_drain_cost(ns, ns, others);
	WRITE_ONCE(meter->net_ns, balance_drain_learn(meter->net_ns, net, sectors));
}

u64 ssdup_meter_free_ns(const struct ssdup_router *router, u32 sectors)
{
	return div_u64(READ_ONCE(router->meter->free_ns) * sectors, BALANCE_UNIT);
}

/* Frequent flushes make direct writes dearer, since each flush must bring them to the disk. */
static void price_flushes(struct ssdup_meter *meter)
{
	WRITE_ONCE(meter->flush_price,
		   READ_ONCE(meter->flush_ns) * READ_ONCE(meter->flush_rate) / tuning.flush_share);
}

void ssdup_meter_flush(struct ssdup_router *router)
{
	struct ssdup_meter *meter = router->meter;
	u32 flushes = READ_ONCE(meter->flushes) + 1;
	u32 rate = flushes - READ_ONCE(meter->flushes_seen);

	WRITE_ONCE(meter->flushes, flushes);
	/* This window already has more than the last one. */
	if (rate > READ_ONCE(meter->flush_rate)) {
		WRITE_ONCE(meter->flush_rate, rate);
		price_flushes(meter);
	}
}

void ssdup_meter_flushed(struct ssdup_router *router, u64 ns)
{
	struct ssdup_meter *meter = router->meter;

	WRITE_ONCE(meter->flush_ns, balance_average(meter->flush_ns, ns));
	price_flushes(meter);
}

void ssdup_meter_sync_begin(struct ssdup_router *router, struct meter_drain *f)
{
	strange_begin(router->meter, f, router->meter->sync_ns);
}

void ssdup_meter_sync_end(struct ssdup_router *router, const struct meter_drain *f)
{
	struct ssdup_meter *meter = router->meter;

	WRITE_ONCE(meter->sync_ns, balance_average(meter->sync_ns, strange_end(meter, f)));
}

u64 ssdup_meter_budget(const struct ssdup_router *router)
{
	return ssdup_settings_sectors(READ_ONCE(router->c->set.ssd_budget),
				      bdev_nr_sectors(router->c->ssd->bdev));
}

u64 ssdup_meter_written(struct ssdup_router *router)
{
	return ssdup_log_written(router->log) + ssdup_meta_written(router->log) +
	       ssdup_copied(router->log);
}

u64 ssdup_meter_settle(struct ssdup_router *router)
{
	u32 budget = READ_ONCE(router->c->set.ssd_budget),
		     thrift = READ_ONCE(router->c->set.thrift);
	struct ssdup_meter *meter = router->meter;
	u64 day = 0;
	s64 left;

	if (budget || READ_ONCE(meter->account.then)) {
		day = ssdup_meter_budget(router);
		if (!test_and_set_bit_lock(0, &meter->settling)) {
			ssdup_thrift_update(&meter->account, day, ktime_get_boottime_ns(),
					    ssdup_meter_written(router));
			clear_bit_unlock(0, &meter->settling);
		}
	}
	left = READ_ONCE(meter->account.left);
	WRITE_ONCE(meter->price, ssdup_thrift_price(thrift, day, left,
						    READ_ONCE(meter->hdd.cost.unit_ns)));
	return max(left, 0LL);
}

void ssdup_meter_inherit(struct ssdup_router *router, struct ssdup_router *from)
{
	struct ssdup_meter *meter = router->meter;

	/* One of them may still be under construction, and this one may go on with its own. */
	if (!meter || !from || !from->meter || router->c->recovered || !from->meter->account.then)
		return;
	ssdup_meter_settle(from);
	meter->account = from->meter->account;
	meter->account.used = ssdup_meter_written(router);
}

static noinline void end_window(struct ssdup_meter *meter, u32 fill)
{
	const struct balance_cost hdd = ssdup_meter_cost(&meter->hdd);
	const struct balance_cost ssd = ssdup_meter_cost(&meter->ssd);
	u32 flushes = READ_ONCE(meter->flushes);
	u64 promised = READ_ONCE(meter->promised);

	WRITE_ONCE(meter->flush_rate, flushes - READ_ONCE(meter->flushes_seen));
	WRITE_ONCE(meter->flushes_seen, flushes);
	price_flushes(meter);
	WRITE_ONCE(meter->small_wait, ssdup_balance_small_wait(&hdd, &ssd, READ_ONCE(meter->keep),
							       READ_ONCE(meter->price)));
	WRITE_ONCE(meter->hdd.to_come, 0);
	WRITE_ONCE(meter->ssd.to_come, 0);
	/* A part of each promise is never used; and an empty log needs none. */
	promise_sectors(meter, fill ? promised - promised / tuning.forget : 0);
}

void ssdup_meter_tick(struct ssdup_router *router)
{
	u64 all = (u64)router->log->g.data_sectors * ssdup_for_writers(router->log);
	struct ssdup_meter *meter = router->meter;
	u32 age = READ_ONCE(meter->age) + 1, fill;

	WRITE_ONCE(meter->age, age);
	WRITE_ONCE(meter->skipped, READ_ONCE(meter->small));
	WRITE_ONCE(meter->small, 0);
	if (!ssdup_balances(router->c)) {
		WRITE_ONCE(meter->flushes_seen, READ_ONCE(meter->flushes));
		return;
	}
	fill = min(ssdup_log_fill(router->log), SSDUP_PCT_ONE);
	WRITE_ONCE(meter->keep, balance_keep(fill));
	ssdup_meter_settle(router);
	WRITE_ONCE(meter->left, div_u64(all * (SSDUP_PCT_ONE - fill), SSDUP_PCT_ONE));
	if (age % tuning.window)
		promise_sectors(meter, READ_ONCE(meter->promised));
	else
		end_window(meter, fill);
}
