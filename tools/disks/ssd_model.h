/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A solid state disk's timing: all data pass one pipe, one after the other, and
 * each command has a latency on top that overlaps with the others'.
 *
 * The time comes in as nanoseconds, lengths are 512-byte sectors. Callers
 * serialise.
 */
#ifndef SSDUP_SSD_MODEL_H
#define SSDUP_SSD_MODEL_H

#include <linux/types.h>

/**
 * struct ssd_params - what a data sheet says about it
 * @read_kbps: read bandwidth in 1000 bytes per second
 * @write_kbps: write bandwidth in 1000 bytes per second
 * @read_latency_us: latency of a read beside its transfer
 * @write_latency_us: latency of a write beside its transfer
 * @flush_us: time of a flush
 * @volatile_cache: without power-loss protection: a flush waits for what is
 *	being written, and a write that must be durable costs a flush
 */
struct ssd_params {
	u32 read_kbps;
	u32 write_kbps;
	u32 read_latency_us;
	u32 write_latency_us;
	u32 flush_us;
	bool volatile_cache;
};

/**
 * struct ssd_model - a disk at work
 * @p: parameters
 * @pipe_free: when the pipe has moved all it was given
 * @written: when the last write has left the pipe
 * @busy_ns: time the pipe was at work
 */
struct ssd_model {
	struct ssd_params p;
	u64 pipe_free;
	u64 written;
	u64 busy_ns;
};

/**
 * ssd_model_init() - an idle disk
 * @m: model to fill
 * @p: parameters
 *
 * Return: 0, or -EINVAL for a disk without bandwidth.
 */
int ssd_model_init(struct ssd_model *m, const struct ssd_params *p);

/**
 * ssd_transfer_ns() - how long the pipe moves something
 * @sectors: length
 * @kbps: bandwidth in 1000 bytes per second
 *
 * Return: nanoseconds.
 */
u64 ssd_transfer_ns(u64 sectors, u32 kbps);

/**
 * ssd_read() - a read
 * @m: model
 * @sectors: length
 * @now: time it arrives
 *
 * Return: time it ends.
 */
u64 ssd_read(struct ssd_model *m, u64 sectors, u64 now);

/**
 * ssd_write() - a write
 * @m: model
 * @sectors: length, 0 for a command without data such as a discard
 * @through: it is to be durable when it ends
 * @now: time it arrives
 *
 * Return: time it ends.
 */
u64 ssd_write(struct ssd_model *m, u64 sectors, bool through, u64 now);

/**
 * ssd_flush() - a flush
 * @m: model
 * @now: time it arrives
 *
 * Return: time it ends.
 */
u64 ssd_flush(struct ssd_model *m, u64 now);

#endif /* SSDUP_SSD_MODEL_H */
