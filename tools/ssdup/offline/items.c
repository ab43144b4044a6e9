// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: from the entries of a log to the map of what is dirty.
 *
 * The map is the kernel's, and what it holds in the end does not depend on the order
 * of inserts. Oldest first, none of them meets a newer one, so that a log made to
 * cover the HDD over and over takes no longer than its entries.
 */
#include <stdlib.h>

#include "logfile.h"

#define BLOCK_NODES	1024U

void log_item_add(struct log_file *l, const struct log_item *item)
{
	l->items = xmore(l->items, l->nr_items, sizeof(*item));
	l->items[l->nr_items++] = *item;
}

static int compare(u64 a, u64 b)
{
	return a < b ? -1 : a > b;
}

/* Of equal numbers the younger half's counts, and in a half, what comes later. */
static int by_age(const void *a, const void *b)
{
	const struct log_item *x = a, *y = b;

	return compare(x->seq, y->seq) ?: compare(x->age, y->age) ?: compare(x->order, y->order);
}

static int by_place(const void *a, const void *b)
{
	const struct log_item *x = a, *y = b;

	return compare(x->half, y->half) ?: compare(x->pos, y->pos) ?: by_age(a, b);
}

/* Two that have one place: at least one of them has the data of the other. */
static void find_shared(struct log_file *l)
{
	const struct log_item *last = NULL, *x;
	struct finding f;
	size_t i;

	qsort(l->items, l->nr_items, sizeof(*l->items), by_place);
	for (i = 0; i < l->nr_items; i++) {
		x = &l->items[i];
		if (x->kind != SSDUP_KIND_DATA)
			continue;
		if (last && last->half == x->half && x->pos - last->pos < last->sectors) {
			f = finding(FAULT_ENTRY_SHARED);
			f.half = x->half;
			f.start = x->sector;
			f.sectors = x->sectors;
			snprintf(f.text, sizeof(f.text), "place %u, seq %llu and %llu",
				 x->pos, last->seq, x->seq);
			found(&l->findings, &f);
		}
		if (!last || last->half != x->half ||
		    (u64)x->pos + x->sectors > (u64)last->pos + last->sectors)
			last = x;
	}
}

static struct extent *new_node(struct log_file *l)
{
	struct extent *nodes;
	u32 i;

	if (!l->spare.head) {
		l->blocks = xmore(l->blocks, l->nr_blocks, sizeof(*l->blocks));
		nodes = xalloc(BLOCK_NODES * sizeof(*nodes));
		l->blocks[l->nr_blocks++] = nodes;
		for (i = 0; i < BLOCK_NODES; i++)
			extent_push(&l->spare, &nodes[i]);
	}
	return extent_pop(&l->spare);
}

static void insert(struct log_file *l, const struct log_item *item)
{
	struct extent_list spares = {}, unused = {};
	struct extent *e = new_node(l);
	u32 need;

	*e = (struct extent){
		.start = item->sector, .seq = item->seq, .sectors = item->sectors,
		.pos = to_log_pos(item->pos), .half = item->half, .kind = item->kind,
	};
	for (need = ssdup_extent_spares(&l->map, e); need; need--)
		extent_push(&spares, new_node(l));
	ssdup_extent_insert(&l->map, e, &spares, &unused);
	while ((e = extent_pop(&spares)) || (e = extent_pop(&unused)))
		extent_push(&l->spare, e);
}

void log_map(struct log_file *l)
{
	size_t i;

	if (!l->nr_items)
		return;
	find_shared(l);
	qsort(l->items, l->nr_items, sizeof(*l->items), by_age);
	for (i = 0; i < l->nr_items; i++)
		insert(l, &l->items[i]);
	free(l->items);
	l->items = NULL;
	l->nr_items = 0;
}
