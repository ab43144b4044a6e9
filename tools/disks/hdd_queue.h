/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a hard disk does with its commands: the native command queue, the
 * volatile write cache, and which access the arm makes next.
 *
 * The caller owns the clock. It submits operations, starts the arm when it is
 * idle, and comes back when an access has ended; operations that are over wait
 * on a list with the time at which the host is to hear of it. Addresses and
 * lengths are 512-byte sectors, times nanoseconds. Callers serialise.
 */
#ifndef SSDUP_HDD_QUEUE_H
#define SSDUP_HDD_QUEUE_H

#include <linux/types.h>
#include <linux/list.h>
#include "hdd_model.h"
#include "cache_model.h"

enum hdd_op_kind {
	HDD_OP_READ,
	HDD_OP_WRITE,
	/* A write that ends only when it is on the medium. */
	HDD_OP_WRITE_THROUGH,
	HDD_OP_FLUSH,
};

/**
 * struct hdd_op - one command
 * @node: in one of the lists of &struct hdd_queue
 * @kind: what to do
 * @lba: first sector
 * @sectors: length
 * @arrived: when it was submitted
 * @done: when the host hears that it is over
 */
struct hdd_op {
	struct list_head node;
	enum hdd_op_kind kind;
	u64 lba;
	u64 sectors;
	u64 arrived;
	u64 done;
};

/**
 * struct hdd_stats - what the mechanics did
 * @accesses: accesses of the arm
 * @seeks: accesses that moved the arm to another track
 * @busy_ns: time the arm was at work
 * @seek_ns: part of it spent seeking
 * @rotate_ns: part of it spent waiting for the sector
 * @cache_hits: reads served from the write cache
 */
struct hdd_stats {
	u64 accesses;
	u64 seeks;
	u64 busy_ns;
	u64 seek_ns;
	u64 rotate_ns;
	u64 cache_hits;
};

/* Which of the commands at hand the arm serves next. */
enum hdd_order {
	HDD_ORDER_NEAREST,	/* the one with the shortest positioning */
	HDD_ORDER_ELEVATOR,	/* the next one upwards; behind the last, the lowest */
	HDD_ORDER_ARRIVAL,	/* the oldest */
};

/* When the arm writes the cache to the medium, besides for a flush or because it is full. */
enum hdd_destage {
	HDD_DESTAGE_IDLE,	/* when there is no command */
	HDD_DESTAGE_AT_ONCE,	/* also if that is nearer than the next command; see @reads_first */
	HDD_DESTAGE_FULL,	/* not at all */
};

/**
 * struct hdd_queue_params - the disk's electronics
 * @cache_sectors: size of the write cache, 0 for none
 * @window: runs of the cache the arm chooses from, above and below itself
 * @slice_sectors: longest access of a destage
 * @bus_kbps: interface rate in 1000 bytes per second
 * @command_us: time the electronics take for a command
 * @age_ms: a command that waited this long is served next
 * @order: which command is next
 * @destage: when the cache is written
 * @reads_first: reads come before other commands, and before the cache while nobody waits for it
 */
struct hdd_queue_params {
	u64 cache_sectors;
	u32 window;
	u32 slice_sectors;
	u32 bus_kbps;
	u32 command_us;
	u32 age_ms;
	enum hdd_order order;
	enum hdd_destage destage;
	bool reads_first;
};

/**
 * struct hdd_queue - a disk at work
 * @model: its mechanics
 * @p: its electronics
 * @cache: what the write cache holds that no access is carrying to the medium
 * @queue: commands that need the arm, oldest first
 * @waiting: writes that the cache has no room for, oldest first
 * @flushes: flushes, oldest first
 * @done: operations that are over, for the caller to take
 * @active: the command the arm works for; NULL for a destage
 * @active_lba: where the arm works
 * @active_sectors: how much
 * @active_write: the access changes the medium
 * @busy: the arm works
 * @busy_until: when it will have ended
 * @bus_free: when the interface is free
 * @stats: counters
 */
struct hdd_queue {
	struct hdd_model model;
	struct hdd_queue_params p;
	struct cache_model cache;
	struct list_head queue;
	struct list_head waiting;
	struct list_head flushes;
	struct list_head done;
	struct hdd_op *active;
	u64 active_lba;
	u64 active_sectors;
	bool active_write;
	bool busy;
	u64 busy_until;
	u64 bus_free;
	struct hdd_stats stats;
};

/**
 * hdd_queue_init() - an idle disk with an empty cache
 * @q: disk; @q->model and @q->cache are already initialised
 * @p: electronics
 */
void hdd_queue_init(struct hdd_queue *q, const struct hdd_queue_params *p);

/**
 * hdd_queue_submit() - give the disk a command
 * @q: disk
 * @op: command, with kind, lba and sectors set; the disk's until it is on
 *	@q->done
 * @now: time
 */
void hdd_queue_submit(struct hdd_queue *q, struct hdd_op *op, u64 now);

/**
 * hdd_queue_start() - let an idle arm begin its next access
 * @q: disk
 * @now: time
 *
 * Return: true if the arm works now; call hdd_queue_finish() at @q->busy_until.
 */
bool hdd_queue_start(struct hdd_queue *q, u64 now);

/**
 * hdd_queue_finish() - the arm's access has ended
 * @q: disk; @q->active_lba, active_sectors and active_write still say what is
 *	on the medium now
 * @now: time
 */
void hdd_queue_finish(struct hdd_queue *q, u64 now);

/**
 * hdd_queue_reset() - the disk lost its power: forget the cache and the arm's work
 * @q: disk
 *
 * Every operation that is not over ends up on @q->done, for the caller to fail.
 */
void hdd_queue_reset(struct hdd_queue *q);

#endif /* SSDUP_HDD_QUEUE_H */
