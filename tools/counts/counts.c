// SPDX-License-Identifier: GPL-2.0-only
/*
 * counts: a plugin of QEMU's emulation that counts a guest's instructions by place.
 *
 *	qemu-system-x86_64 -plugin counts.so,path=FILE ...
 *
 * A guest marks the end of a part of its work by "xchg %bx, %bx", which does nothing
 * else (burst does so before and after its requests). With mark N, counted from 0,
 * what was executed since the mark before is written to FILE.N, and counting
 * begins anew. A line is
 *
 *	ADDRESS INSTRUCTIONS TIMES
 *
 * for each block of code: where it begins, hexadecimal, how many instructions it is
 * and how often it was entered.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu.h"

/* A block of code. It is translated now and then; its count stays where it is. */
struct block {
	uint64_t	count;
	uint64_t	address;
	size_t		length;
	struct block	*next;
};

#define BUCKETS		65536

static struct block *blocks[BUCKETS];
static const char *path = "counts";
static unsigned int marks;

static struct block *block_at(uint64_t address, size_t length)
{
	struct block **first = &blocks[(address * 0x9e3779b97f4a7c15ULL >> 40) % BUCKETS], *b;

	for (b = *first; b; b = b->next)
		if (b->address == address && b->length == length)
			return b;
	b = calloc(1, sizeof(*b));
	if (!b)
		abort();
	b->address = address;
	b->length = length;
	b->next = *first;
	*first = b;
	return b;
}

static void mark(unsigned int cpu, void *data)
{
	char name[4096];
	struct block *b;
	FILE *f;
	int i;

	(void)cpu;
	(void)data;
	snprintf(name, sizeof(name), "%s.%u", path, marks++);
	f = fopen(name, "w");
	for (i = 0; i < BUCKETS; i++)
		for (b = blocks[i]; b; b = b->next) {
			if (f && b->count)
				fprintf(f, "%llx %zu %llu\n", (unsigned long long)b->address,
					b->length, (unsigned long long)b->count);
			b->count = 0;
		}
	if (!f || fclose(f))
		fprintf(stderr, "counts: cannot write %s\n", name);
}

static void translated(uint64_t id, struct qemu_plugin_tb *tb)
{
	static const unsigned char marker[] = { 0x66, 0x87, 0xdb };
	size_t i, n = qemu_plugin_tb_n_insns(tb);
	struct qemu_plugin_insn *insn;

	(void)id;
	qemu_plugin_register_vcpu_tb_exec_inline(tb, INLINE_ADD,
						 &block_at(qemu_plugin_tb_vaddr(tb), n)->count, 1);
	for (i = 0; i < n; i++) {
		insn = qemu_plugin_tb_get_insn(tb, i);
		if (qemu_plugin_insn_size(insn) == sizeof(marker) &&
		    !memcmp(qemu_plugin_insn_data(insn), marker, sizeof(marker)))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, mark, NO_REGISTERS, NULL);
	}
}

int qemu_plugin_version = 1;

int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
	int i;

	(void)info;
	for (i = 0; i < argc; i++) {
		if (strncmp(argv[i], "path=", 5))
			return -1;
		path = strdup(argv[i] + 5);
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
