// SPDX-License-Identifier: GPL-2.0-only
/* The timing of flash memory. */
#include <linux/kernel.h>
#include <linux/string.h>
#include "nand_model.h"

size_t nand_size(const struct nand_params *p)
{
	return p->dies * sizeof(u64) + p->buffer_units * sizeof(struct nand_slot);
}

void nand_init(struct nand_model *n, const struct nand_params *p, void *memory)
{
	n->p = *p;
	n->busy_until = memory;
	n->buffer = memory + p->dies * sizeof(u64);
	nand_reset(n);
}

void nand_reset(struct nand_model *n)
{
	memset(n->busy_until, 0, n->p.dies * sizeof(u64));
	memset(n->buffer, 0, n->p.buffer_units * sizeof(struct nand_slot));
	n->next = 0;
	n->taken = 0;
	n->programmed = 0;
}

/* Return: when the die has done it. */
static u64 nand_work(struct nand_model *n, u32 die, u64 now, u32 us)
{
	u64 *busy_until = &n->busy_until[die];

	*busy_until = max(*busy_until, now) + us * 1000ULL;
	return *busy_until;
}

static bool nand_in_buffer(const struct nand_model *n, u32 unit, u64 now)
{
	u32 i;

	for (i = 0; i < n->p.buffer_units; i++)
		if (n->buffer[i].unit == unit && n->buffer[i].done > now)
			return true;
	return false;
}

u64 nand_read(struct nand_model *n, u32 unit, u64 now)
{
	u32 die = unit % n->p.dies;

	if (n->busy_until[die] > now && nand_in_buffer(n, unit, now))
		return now;
	return nand_work(n, die, now, n->p.read_us);
}

void nand_program(struct nand_model *n, u32 unit, u64 now)
{
	nand_work(n, unit % n->p.dies, now, n->p.program_us);
}

void nand_write(struct nand_model *n, u32 unit, u64 now)
{
	struct nand_slot *slot = &n->buffer[n->next];

	n->taken = max3(n->taken, slot->done, now);
	slot->unit = unit;
	slot->done = nand_work(n, unit % n->p.dies, n->taken, n->p.program_us);
	n->programmed = max(n->programmed, slot->done);
	n->next = (n->next + 1) % n->p.buffer_units;
}

void nand_erase(struct nand_model *n, u64 now)
{
	u32 die;

	for (die = 0; die < n->p.dies; die++)
		nand_work(n, die, now, n->p.erase_us);
}
