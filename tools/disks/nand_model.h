/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The flash memory of a solid state disk: dies that work side by side, each at
 * one thing after the other, behind a write buffer.
 *
 * A unit is what one die programs at once. Units are numbered through, and lie
 * on the dies in turn. What a die is given waits for what it was given before:
 * a read waits behind programs and erases, and nothing is put off or broken off.
 * A write is over when the buffer has taken it. A full buffer takes more when
 * the dies have programmed something of what it holds.
 *
 * Times are nanoseconds. Callers serialise.
 */
#ifndef SSDUP_NAND_MODEL_H
#define SSDUP_NAND_MODEL_H

#include <linux/types.h>

/**
 * struct nand_params - the dies and the buffer
 * @dies: how many dies
 * @buffer_units: units that the write buffer holds
 * @read_us: a die reads a unit, or a part of it
 * @program_us: it programs a unit
 * @erase_us: it erases a block
 */
struct nand_params {
	u32 dies;
	u32 buffer_units;
	u32 read_us;
	u32 program_us;
	u32 erase_us;
};

/**
 * struct nand_slot - a unit in the write buffer
 * @unit: its number
 * @done: when it is programmed, and the slot free
 */
struct nand_slot {
	u32 unit;
	u64 done;
};

/**
 * struct nand_model - flash memory at work
 * @p: parameters
 * @busy_until: for each die, when it has done all it was given
 * @buffer: a ring of @p.buffer_units slots
 * @next: the slot that is taken next, and so the oldest one
 * @taken: when the buffer has taken all it was given
 * @programmed: when the dies have programmed all it was given
 */
struct nand_model {
	struct nand_params p;
	u64 *busy_until;
	struct nand_slot *buffer;
	u32 next;
	u64 taken;
	u64 programmed;
};

/**
 * nand_size() - memory for a model
 * @p: parameters
 *
 * Return: bytes.
 */
size_t nand_size(const struct nand_params *p);

/**
 * nand_init() - idle dies and an empty buffer
 * @n: model to fill
 * @p: parameters
 * @memory: nand_size() bytes, to live as long as @n
 */
void nand_init(struct nand_model *n, const struct nand_params *p, void *memory);

/**
 * nand_reset() - the dies are idle and the buffer is empty, whatever they were given
 * @n: model
 */
void nand_reset(struct nand_model *n);

/**
 * nand_read() - a die reads a unit, unless that is in the buffer still
 * @n: model
 * @unit: its number
 * @now: time
 *
 * Return: when it is read.
 */
u64 nand_read(struct nand_model *n, u32 unit, u64 now);

/**
 * nand_program() - a unit that the disk has of its own, such as one it copies
 * @n: model
 * @unit: its number
 * @now: time
 */
void nand_program(struct nand_model *n, u32 unit, u64 now);

/**
 * nand_write() - a unit comes through the buffer
 * @n: model
 * @unit: its number
 * @now: time; n->taken tells when the buffer takes it
 */
void nand_write(struct nand_model *n, u32 unit, u64 now);

/**
 * nand_erase() - every die erases a block
 * @n: model
 * @now: time
 */
void nand_erase(struct nand_model *n, u64 now);

#endif /* SSDUP_NAND_MODEL_H */
