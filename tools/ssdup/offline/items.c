// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: from the entries of a log to the map of what is dirty.
 *
 * The map is the kernel's. Oldest first, no entry meets a newer one, as an insert demands; and
 * a log made to cover the HDD over and over takes no longer than its entries.
 */
#include <stdlib.h>

#include "logfile.h"

#define BLOCK_EXTENTS	1024U

void log_item_add(struct log_file *l, const struct log_item *item)
{
	l->items = xmore(l->items, l->nr_items, sizeof(*item));
	l->items[l->nr_items] = *item;
	l->items[l->nr_items].order = l->nr_items;
	l->nr_items++;
}

static int compare(u64 a, u64 b)
{
	return a < b ? -1 : a > b;
}

/* Equal numbers are of a log that is wrong: what comes later counts. */
static int by_age(const void *a, const void *b)
{
	const struct log_item *x = a, *y = b;

	return compare(x->seq, y->seq) ?: compare(x->order, y->order);
}

static int by_place(const void *a, const void *b)
{
	const struct log_item *x = a, *y = b;

	return compare(x->pos, y->pos) ?: by_age(a, b);
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
		if (last && x->pos - last->pos < last->sectors) {
			f = finding(FAULT_ENTRY_SHARED);
			f.segment = log_segment_of(&l->s.g, x->pos);
			f.start = x->sector;
			f.sectors = x->sectors;
			snprintf(f.text, sizeof(f.text), "SSD sector %llu, seq %llu and %llu",
				 x->pos, last->seq, x->seq);
			found(&l->findings, &f);
		}
		if (!last || x->pos + x->sectors > last->pos + last->sectors)
			last = x;
	}
}

static struct extent *new_extent(struct log_file *l)
{
	if (!l->nr_blocks || l->nr_extents == BLOCK_EXTENTS) {
		l->blocks = xmore(l->blocks, l->nr_blocks, sizeof(*l->blocks));
		l->blocks[l->nr_blocks++] = xalloc(BLOCK_EXTENTS * sizeof(**l->blocks));
		l->nr_extents = 0;
	}
	return &l->blocks[l->nr_blocks - 1][l->nr_extents++];
}

/* An entry that was made to be longer than any range becomes more than one extent. */
static void insert(struct log_file *l, const struct log_item *item)
{
	struct extent *e;
	u32 at, len;

	for (at = 0; at < item->sectors; at += len) {
		len = min(item->sectors - at, EXTENT_MAX_SECTORS);
		e = new_extent(l);
		*e = (struct extent){
			.start = item->sector + at, .seq = item->seq, .sectors = len,
			.kind = item->kind,
			.pos = item->pos + (item->kind == SSDUP_KIND_DATA ? at : 0),
		};
		ssdup_extent_insert(&l->map, e,
				    ssdup_extent_splits(&l->map, e) ? new_extent(l) : NULL);
	}
}

void log_map(struct log_file *l)
{
	const struct extent *e;
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
	for (e = ssdup_extent_first(&l->map, 0, U64_MAX); e; e = ssdup_extent_next(e))
		l->sectors += e->sectors;
}
