// SPDX-License-Identifier: GPL-2.0-only
/* sim: the models of tools/disks, run by a clock instead of timers. */
#include <linux/kernel.h>
#include "disks.h"
#include "tools/disks/flash.h"

/* As mq-deadline and the block layer have them. */
#define FIFO_BATCH	16U
#define STARVED_MOST	2U
#define READ_EXPIRE	500000000ULL	/* ns */
#define WRITE_EXPIRE	5000000000ULL
#define REQUEST_MOST	2560U		/* sectors; of the modelled disks */
#define QUEUED_MOST	256U

static struct sim_io *io_of(struct hdd_op *op)
{
	return container_of(op, struct sim_io, op);
}

static void io_ended(void *arg)
{
	struct sim_io *io = arg;

	io->end(io);
}

/* --- The scheduler --- */

/* The first one from a place on. */
static struct sim_io **find_from(struct sim_hdd *d, int dir, u64 lba)
{
	struct sim_io **at = &d->sched.sorted[dir];

	while (*at && (*at)->op.lba < lba)
		at = &(*at)->next;
	return at;
}

static struct sim_io **find_oldest(struct sim_hdd *d, int dir)
{
	struct sim_io **at = &d->sched.sorted[dir], **oldest = at;

	for (; *at; at = &(*at)->next)
		if ((*at)->sent < (*oldest)->sent)
			oldest = at;
	return oldest;
}

/* Join a request with one that it goes on with, or that goes on with it. */
static bool join(struct sim_hdd *d, struct sim_io *io)
{
	struct sim_io *with, *part;
	bool behind;

	for (with = d->sched.sorted[1]; with; with = with->next) {
		behind = with->op.lba + with->op.sectors == io->op.lba;
		if (!behind && io->op.lba + io->op.sectors != with->op.lba)
			continue;
		if (with->op.sectors + io->op.sectors > REQUEST_MOST)
			continue;
		with->op.sectors += io->op.sectors;
		if (!behind)
			with->op.lba = io->op.lba;
		for (part = with; part->parts; part = part->parts)
			;
		part->parts = io;
		return true;
	}
	return false;
}

/* Choose the direction of a new batch, and who is first. Return: where he is in the list. */
static struct sim_io **new_batch(struct sim_hdd *d)
{
	const u64 expire[] = { READ_EXPIRE, WRITE_EXPIRE };
	struct sim_io **at, **oldest;

	if (d->sched.sorted[0] && !(d->sched.sorted[1] && d->starved >= STARVED_MOST)) {
		if (d->sched.sorted[1])
			d->starved++;
		d->dir = 0;
	} else {
		d->starved = 0;
		d->dir = 1;
	}
	d->batch = FIFO_BATCH;
	at = find_from(d, d->dir, d->sched.from[d->dir]);
	oldest = find_oldest(d, d->dir);
	return !*at || d->clock->now - (*oldest)->sent > expire[d->dir] ? oldest : at;
}

static struct sim_io *dispatch(struct sim_hdd *d)
{
	struct sim_io **at, *io;

	if (!d->sched.sorted[0] && !d->sched.sorted[1])
		return NULL;
	at = d->batch ? find_from(d, d->dir, d->sched.from[d->dir]) : NULL;
	if (!at || !*at)
		at = new_batch(d);
	io = *at;
	*at = io->next;
	d->batch--;
	d->sched.from[d->dir] = io->op.lba + io->op.sectors;
	return io;
}

/* --- The HDD --- */

static void hdd_run(struct sim_hdd *d);

static void hdd_ended(void *arg)
{
	struct sim_io *io = arg, *next;
	struct sim_hdd *d = io->disk;

	d->used--;
	d->queued--;
	for (; io; io = next) {
		next = io->parts;
		io->op.lba = io->lba;
		io->op.sectors = io->sectors;
		io->end(io);
	}
	hdd_run(d);
}

static void arm_ended(void *arg)
{
	struct sim_hdd *d = arg;

	d->armed = false;
	hdd_queue_finish(&d->q, d->q.busy_until);
	hdd_run(d);
}

/* A request of the scheduler for each that waits, as far as there are any. */
static void enqueue(struct sim_hdd *d, struct sim_io *io)
{
	int dir = io->op.kind != HDD_OP_READ;
	struct sim_io **at;

	at = find_from(d, dir, io->op.lba);
	io->next = *at;
	*at = io;
	d->queued++;
}

static bool may_queue(const struct sim_hdd *d)
{
	return d->queued < min(2 * d->depth, QUEUED_MOST);
}

static void hdd_run(struct sim_hdd *d)
{
	struct hdd_op *op, *next;
	struct sim_io *io;

	while (d->late && may_queue(d)) {
		io = d->late;
		d->late = io->next;
		if (!d->late)
			d->late_end = &d->late;
		enqueue(d, io);
	}
	while (d->used < d->depth && (io = dispatch(d))) {
		d->used++;
		hdd_queue_submit(&d->q, &io->op, d->clock->now);
	}
	if (!d->armed && hdd_queue_start(&d->q, d->clock->now)) {
		d->armed = true;
		clock_at(d->clock, d->q.busy_until, arm_ended, d);
	}
	list_for_each_entry_safe(op, next, &d->q.done, node) {
		list_del(&op->node);
		io = io_of(op);
		clock_at(d->clock, op->done, op->kind == HDD_OP_FLUSH ? io_ended : hdd_ended, io);
	}
}

void sim_hdd_send(struct sim_hdd *d, struct sim_io *io)
{
	io->sent = d->clock->now;
	io->lba = io->op.lba;
	io->sectors = io->op.sectors;
	io->parts = NULL;
	io->next = NULL;
	io->disk = d;
	if (io->op.kind == HDD_OP_FLUSH) {
		hdd_queue_submit(&d->q, &io->op, d->clock->now);
	} else if (io->op.kind == HDD_OP_READ || !join(d, io)) {
		if (d->late || !may_queue(d)) {
			*d->late_end = io;
			d->late_end = &io->next;
		} else {
			enqueue(d, io);
		}
	}
	hdd_run(d);
}

void sim_hdd_init(struct sim_hdd *d, struct clock *clock, const struct disks_params *p)
{
	const struct hdd_params mechanics = disks_mechanics(p);
	const struct hdd_queue_params electronics = disks_electronics(p);

	*d = (struct sim_hdd){ .clock = clock, .depth = p->hdd_depth, .late_end = &d->late };
	d->runs = calloc(p->hdd_cache_runs, sizeof(*d->runs));
	if (!d->runs || hdd_model_init(&d->q.model, &mechanics))
		abort();
	cache_model_init(&d->q.cache, d->runs, p->hdd_cache_runs);
	hdd_queue_init(&d->q, &electronics);
}

void sim_hdd_exit(struct sim_hdd *d)
{
	free(d->runs);
}

/* --- The SSD --- */

void sim_ssd_send(struct sim_ssd *d, struct sim_io *io)
{
	u64 now = d->clock->now, done, taken;

	io->sent = now;
	switch (io->op.kind) {
	case HDD_OP_FLUSH:
		done = ssd_flush(&d->m, now);
		break;
	case HDD_OP_READ:
		done = ssd_read(&d->m, io->op.sectors, now);
		if (d->memory)
			done = flash_read(&d->m, &d->ftl, io->op.lba, io->op.sectors, now, done);
		break;
	default:
		done = ssd_write(&d->m, io->op.sectors, false, now);
		if (d->memory) {
			taken = ftl_write(&d->ftl, io->op.lba, io->op.sectors, 0, d->m.written);
			done = flash_wrote(&d->m, taken, d->ftl.nand.programmed, done);
		}
	}
	clock_at(d->clock, done, io_ended, io);
}

void sim_ssd_init(struct sim_ssd *d, struct clock *clock, const struct disks_params *p)
{
	const struct ssd_params interface = disks_interface(p);
	const struct ftl_params flash = disks_flash(p);

	*d = (struct sim_ssd){ .clock = clock };
	if (ssd_model_init(&d->m, &interface))
		abort();
	if (!p->ssd_ftl)
		return;
	d->memory = calloc(1, ftl_size(&flash));
	if (!d->memory)
		abort();
	ftl_init(&d->ftl, &flash, d->memory);
	ftl_age(&d->ftl, 0, disks_age(p));
	ftl_rest(&d->ftl);
}

void sim_ssd_exit(struct sim_ssd *d)
{
	free(d->memory);
}
