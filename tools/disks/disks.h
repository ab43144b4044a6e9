/* SPDX-License-Identifier: GPL-2.0-only */
/* Modelled disks as block devices: what the files of the module share. */
#ifndef SSDUP_DISKS_H
#define SSDUP_DISKS_H

#include <linux/blk-mq.h>
#include <linux/hrtimer.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/spinlock.h>
#include "store.h"
#include "ftl_model.h"
#include "hdd_queue.h"
#include "latency.h"
#include "ssd_model.h"

#define DISKS_MAX		8
#define DISK_MAX_RANGES		16

struct disk;

/**
 * struct disk_cmd - the driver's part of a request
 * @op: for the hard disk's queue; @op.done also serves the SSD
 * @timer: ends the request
 * @disk: whose it is
 * @epoch: power cuts that @disk had seen when the request came
 * @stream: WRITE: the write stream that it names, or 0
 * @through: it must be on the medium when it ends
 * @mark: FLUSH: how far the cache's ring is to be emptied
 * @status: how it ends
 */
struct disk_cmd {
	struct hdd_op op;
	struct hrtimer timer;
	struct disk *disk;
	u32 epoch;
	u32 stream;
	bool through;
	u64 mark;
	blk_status_t status;
};

/**
 * struct disk_ops - what differs between the kinds of disk
 * @submit: take a request in hand; called with the disk's lock held
 * @ended: a request's time has come; called with the disk's lock held
 * @map: what a write or a discard changes beside the data, or NULL; called with the
 *	disk's lock held, and only if no time passes
 * @power_cut: everything under way is lost; called with the disk's lock held
 * @renew: the disk is as it was made, or NULL; may sleep; nothing is under way
 * @stats: number of seeks and busy time in ns; called with the disk's lock held
 *
 * Requests that are over at once are added to the list.
 */
struct disk_ops {
	void (*submit)(struct disk *d, struct disk_cmd *cmd, u64 now, struct list_head *over);
	void (*ended)(struct disk *d, struct disk_cmd *cmd);
	void (*map)(struct disk *d, struct disk_cmd *cmd);
	void (*power_cut)(struct disk *d, struct list_head *over);
	void (*renew)(struct disk *d);
	void (*stats)(struct disk *d, u64 *seeks, u64 *busy_ns);
};

/**
 * struct disk_counters - what was asked of a disk, on one CPU
 * @reads: read requests
 * @writes: write, discard and write-zeroes requests
 * @flushes: flushes
 * @bytes_read: by reads
 * @bytes_written: by writes
 * @stream_bytes: of these, by the write stream that a write names; 0: none
 */
struct disk_counters {
	u64 reads;
	u64 writes;
	u64 flushes;
	u64 bytes_read;
	u64 bytes_written;
	u64 stream_bytes[FTL_MAX_STREAMS + 1];
};

/**
 * struct disk_range - sectors that fail
 * @sector: first one
 * @end: the one after the last
 */
struct disk_range {
	u64 sector;
	u64 end;
};

/**
 * struct disk_stream - sectors that are written as a stream
 * @range: the sectors
 * @stream: its number
 */
struct disk_stream {
	struct disk_range range;
	u32 stream;
};

/**
 * struct disk_inject - failures asked for
 * @lock: protects the ranges
 * @nr: number of ranges, for [0] reads and [1] writes
 * @ranges: the ranges
 * @fail_flush: flushes fail
 * @status: what @ranges and @fail_flush fail with, a place in disk_status_names
 * @drop_flush: flushes and FUA are acknowledged and not done
 * @no_zeroes: write-zeroes is refused as unknown, although the limits have it
 * @gone: every request fails
 */
struct disk_inject {
	spinlock_t lock; /* of the ranges */
	unsigned int nr[2];
	struct disk_range ranges[2][DISK_MAX_RANGES];
	bool fail_flush;
	int status;
	bool drop_flush;
	bool no_zeroes;
	bool gone;
	char wwid[64];
};

/**
 * struct disk_params - a disk to create
 * @name: of the block device
 * @ops: its kind
 * @groups: its files in sysfs
 * @sectors: size
 * @block_size: logical block size in bytes
 * @depth: queue depth
 * @cache_sectors: volatile cache, 0 for none
 * @rotational: as the block layer means it
 * @discard: takes discards and write-zeroes
 * @discard_granularity: what discards are multiples of, in bytes
 * @streams: write streams that it has
 * @ready_sectors: memory for so many is taken before the first write
 */
struct disk_params {
	char name[DISK_NAME_LEN];
	const struct disk_ops *ops;
	const struct attribute_group **groups;
	u64 sectors;
	u32 block_size;
	u32 depth;
	u64 cache_sectors;
	bool rotational;
	bool discard;
	u32 discard_granularity;
	u32 streams;
	u64 ready_sectors;
};

/**
 * struct disk - a modelled disk
 * @p: parameters
 * @number: for the seed of a common power cut
 * @gd: block device
 * @tags: its tag set
 * @store: contents
 * @inject: failures
 * @counters: statistics
 * @lock: protects all below
 * @off: has no power
 * @epoch: power cuts so far
 * @instant: requests take no time
 * @late: data reach the store only when their write ends
 * @fifo: what is in the volatile cache, unless @hdd tells
 * @seeks_base: seeks when the counters were last reset
 * @busy_base: busy time in ns when the counters were last reset
 * @arm: ends the access of the arm
 * @hdd: hard disk's model
 * @runs: nodes of its cache
 * @ssd: SSD's model
 * @ftl: its flash memory, if @ftl_memory
 * @ftl_memory: the maps, NULL for an SSD that is no more than a pipe
 * @age: pages written before its time begins
 * @nr_streams: number of @stream_ranges
 * @stream_ranges: which writes are a stream though they name none
 * @read_latency: reads, by how long they took
 */
struct disk {
	struct disk_params p;
	u32 number;
	struct gendisk *gd;
	struct blk_mq_tag_set tags;
	struct store store;
	struct disk_inject inject;
	struct disk_counters __percpu *counters;

	spinlock_t lock; /* of all below */
	bool off;
	u32 epoch;
	bool instant;
	bool late;
	struct cache_fifo fifo;
	u64 seeks_base;
	u64 busy_base;
	struct hrtimer arm;
	struct hdd_queue hdd;
	struct cache_run *runs;
	struct ssd_model ssd;
	struct ftl ftl;
	void *ftl_memory;
	u64 age;
	unsigned int nr_streams;
	struct disk_stream stream_ranges[DISK_MAX_RANGES];
	u64 read_latency[LATENCY_BUCKETS];
};

#define DISK_STATUSES	4

extern const char * const disk_status_names[DISK_STATUSES];
extern const struct attribute_group *disk_groups[];
extern const struct attribute_group *disk_ftl_groups[];
extern const struct attribute_group disk_ftl_group;
extern const struct disk_ops hdd_ops;
extern const struct disk_ops ssd_ops;

/* While set, no disk acknowledges anything. */
extern bool disks_all_off;

/* Protects the list of all disks. */
extern struct mutex disks_lock;

/**
 * disks_enlist() - add a disk to the list, and number it
 * @d: disk
 *
 * With @disks_lock held. Return: 0, or -ENOSPC after DISKS_MAX of them.
 */
int disks_enlist(struct disk *d);

/**
 * disks_delist() - take the last disk off the list
 *
 * With @disks_lock held. Return: it, or NULL.
 */
struct disk *disks_delist(void);

/**
 * disks_each() - do something with every disk, until it fails
 * @fn: what
 * @arg: given to it
 *
 * With @disks_lock held; may sleep. Return: 0 or the error.
 */
int disks_each(int (*fn)(struct disk *d, u64 arg), u64 arg);

/**
 * disks_passings_init() - listen to dm-ssdup's steps
 * @cut: cuts the power of all disks by a seed; may sleep
 *
 * May sleep. Return: 0 or an error.
 */
int disks_passings_init(void (*cut)(u64 seed));

/**
 * disks_passings_exit() - undo disks_passings_init(); the disks are there still
 *
 * May sleep.
 */
void disks_passings_exit(void);

/**
 * disks_pass_request() - a request has come, and its data may be on the way
 *
 * Any context. The power may go here.
 */
void disks_pass_request(void);

/**
 * disks_cut() - cut the power of all disks
 * @seed: decides about their volatile data
 *
 * May sleep.
 */
void disks_cut(u64 seed);

/**
 * disk_has_no_power() - is a disk, or are all of them, switched off
 * @d: disk
 *
 * Return: true if nothing may be acknowledged.
 */
static inline bool disk_has_no_power(const struct disk *d)
{
	return READ_ONCE(d->off) || READ_ONCE(disks_all_off);
}

/**
 * hdd_create() - make a hard disk's model
 * @d: disk
 * @p: its mechanics
 * @q: its electronics
 * @runs: how many separate runs its cache can hold
 *
 * May sleep. Return: 0 or an error.
 */
int hdd_create(struct disk *d, const struct hdd_params *p,
	       const struct hdd_queue_params *q, u32 runs);

/**
 * ssd_create() - make an SSD's model
 * @d: disk
 * @p: its interface
 * @f: its flash memory, for which ftl_size() is not 0, or NULL for none
 * @age: pages that were written to it before, 0 for a new one
 *
 * May sleep. Return: 0 or an error.
 */
int ssd_create(struct disk *d, const struct ssd_params *p, const struct ftl_params *f, u64 age);

/**
 * disk_add() - make the block device of a disk whose model is ready
 * @d: disk, zeroed but for @p, the models, @instant and @late
 *
 * May sleep. Return: 0 or an error; disk_remove() is due in either case.
 */
int disk_add(struct disk *d);

/**
 * disk_remove() - undo disk_add() and the model's creation, as far as they came
 * @d: disk
 *
 * May sleep.
 */
void disk_remove(struct disk *d);

/**
 * disk_end() - end requests whose status is set
 * @over: list of &disk_cmd.op, emptied
 *
 * Without the disk's lock; any context but hard interrupt.
 */
void disk_end(struct list_head *over);

/**
 * disk_end_at() - end a request at its time
 * @cmd: request, with @cmd->op.done set
 */
void disk_end_at(struct disk_cmd *cmd);

/**
 * disk_cache_write() - a write is in the volatile cache, or durable if there is none
 * @d: disk, its lock held
 * @cmd: the write
 */
void disk_cache_write(struct disk *d, struct disk_cmd *cmd);

/**
 * disk_cache_flush() - what came into the cache before a flush is durable
 * @d: disk, its lock held
 * @cmd: the flush
 */
void disk_cache_flush(struct disk *d, struct disk_cmd *cmd);

/**
 * disk_power_cut() - switch a disk off and decide about its volatile data
 * @d: disk
 * @seed: of the cut; the disk's number makes another one of it
 *
 * May sleep. Return: 0, for disks_each().
 */
int disk_power_cut(struct disk *d, u64 seed);

/**
 * disk_power_on() - switch a disk on again
 * @d: disk
 * @unused: for disks_each()
 *
 * Return: 0.
 */
int disk_power_on(struct disk *d, u64 unused);

/**
 * disk_erase() - what a disk holds is zeros, and it is on
 * @d: disk
 * @unused: for disks_each()
 *
 * May sleep. What is under way fails. Return: 0.
 */
int disk_erase(struct disk *d, u64 unused);

/**
 * disk_inject_check() - does a request fail by order
 * @d: disk
 * @rq: request
 *
 * Return: the status it fails with, or BLK_STS_OK.
 */
blk_status_t disk_inject_check(struct disk *d, struct request *rq);

#endif /* SSDUP_DISKS_H */
