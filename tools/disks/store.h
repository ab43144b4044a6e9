/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a modelled disk holds: a sparse array of 4 KiB blocks in memory, which
 * knows for each 512-byte sector whether it is on the medium or would be at the
 * mercy of a power cut, and keeps the medium's old content of the latter.
 */
#ifndef SSDUP_DISKS_STORE_H
#define SSDUP_DISKS_STORE_H

#include <linux/types.h>

#define STORE_BLOCK_SECTORS	8
#define STORE_CHUNK_BLOCKS	128
#define STORE_CHUNK_SECTORS	(STORE_CHUNK_BLOCKS * STORE_BLOCK_SECTORS)

struct store_chunk;
struct store_spares;

/**
 * struct store - the contents of a disk
 * @chunks: parts of 512 KiB, NULL where nothing was ever written
 * @nr_chunks: how many there are
 * @spares: pages for reuse
 * @sectors: size of the disk
 */
struct store {
	struct store_chunk **chunks;
	unsigned long nr_chunks;
	struct store_spares __percpu *spares;
	u64 sectors;
};

/**
 * store_init() - a disk full of zeroes
 * @st: store to fill
 * @sectors: its size
 * @ready: memory for so many is kept ready on the CPU that calls, no more than the disk has
 *
 * May sleep. Return: 0 or -ENOMEM.
 */
int store_init(struct store *st, u64 sectors, u64 ready);

/**
 * store_exit() - free everything
 * @st: store that nobody uses any more
 */
void store_exit(struct store *st);

/**
 * store_write() - change sectors; they are off the medium until store_settle()
 * @st: store
 * @sector: first one
 * @data: what to write
 * @sectors: how many
 *
 * Any context but hard interrupt. Never waits for memory.
 * Return: 0, or -ENOMEM, with part of it written.
 */
int store_write(struct store *st, u64 sector, const void *data, unsigned int sectors);

/**
 * store_zero() - change sectors to zeroes; off the medium until store_settle()
 * @st: store
 * @sector: first one
 * @sectors: how many
 *
 * Any context but hard interrupt. Never waits for memory.
 * Return: 0, or -ENOMEM, with part of it done.
 */
int store_zero(struct store *st, u64 sector, u64 sectors);

/**
 * store_read() - read sectors as they are now, on the medium or not
 * @st: store
 * @sector: first one
 * @data: filled in
 * @sectors: how many
 *
 * Any context but hard interrupt.
 */
void store_read(struct store *st, u64 sector, void *data, unsigned int sectors);

/**
 * store_settle() - sectors have reached the medium
 * @st: store
 * @sector: first one
 * @sectors: how many
 *
 * Any context but hard interrupt.
 */
void store_settle(struct store *st, u64 sector, u64 sectors);

/**
 * store_power_cut() - decide about every sector that is off the medium
 * @st: store, on which no other call is under way
 * @seed: see powercut_survives()
 */
void store_power_cut(struct store *st, u64 seed);

/**
 * store_erase() - zeros everywhere, on the medium
 * @st: store, on which no other call is under way
 */
void store_erase(struct store *st);

#endif /* SSDUP_DISKS_STORE_H */
