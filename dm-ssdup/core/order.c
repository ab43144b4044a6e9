// SPDX-License-Identifier: GPL-2.0-only
/* Decides the order in which the extents of a drain group go to the HDD. */
#include <linux/compiler.h>

#include "order.h"

/* The lowest extent of an array from @base on, or NULL. */
static struct extent *lowest(struct extent_array *a, u64 base, u64 *start)
{
	struct extent *found = NULL;
	u64 at;
	u32 i;

	for (i = 0; i < a->nr; i++) {
		/* Writers change both; the caller looks again under the lock. */
		if (!data_race(extent_mapped(&a->e[i])))
			continue;
		/* The same. */
		at = data_race(READ_ONCE(a->e[i].start));
		if (at < base || (found && at >= *start))
			continue;
		found = &a->e[i];
		*start = at;
	}
	return found;
}

static bool comes_before(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct extent_array, turn)->first <
	       rb_entry(b, struct extent_array, turn)->first;
}

void ssdup_order_begin(struct extent_order *o)
{
	o->arrays = RB_ROOT_CACHED;
	o->base = 0;
	o->from = 0;
}

void ssdup_order_add(struct extent_order *o, struct extent_array *a)
{
	u64 start = 0;

	if (!lowest(a, o->base, &start))
		return;
	a->first = start;
	rb_add_cached(&a->turn, &o->arrays, comes_before);
}

struct extent *ssdup_order_next(struct extent_order *o, u64 *start)
{
	struct extent_array *a;
	struct rb_node *node;
	struct extent *e;

	while ((node = rb_first_cached(&o->arrays))) {
		a = rb_entry(node, struct extent_array, turn);
		e = lowest(a, o->base, start);
		if (e && *start == a->first)
			return e;
		rb_erase_cached(node, &o->arrays);
		if (e) {
			a->first = *start;
			rb_add_cached(&a->turn, &o->arrays, comes_before);
		}
	}
	return NULL;
}
