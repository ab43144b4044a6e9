// SPDX-License-Identifier: GPL-2.0-only
/* Which sectors a disk's volatile write cache holds, and what a cut leaves. */
#include <linux/kernel.h>
#include "cache_model.h"

static struct cache_run *cache_run_of(struct rb_node *node)
{
	return node ? rb_entry(node, struct cache_run, node) : NULL;
}

static void cache_run_free(struct cache_model *c, struct cache_run *run)
{
	run->node.rb_left = c->free ? &c->free->node : NULL;
	c->free = run;
}

void cache_model_init(struct cache_model *c, struct cache_run *runs, u32 nr)
{
	c->runs = RB_ROOT;
	c->free = NULL;
	c->nr_runs = 0;
	c->max_runs = nr;
	c->sectors = 0;
	while (nr--)
		cache_run_free(c, &runs[nr]);
}

struct cache_run *cache_model_next(const struct cache_run *run)
{
	return cache_run_of(rb_next(&run->node));
}

struct cache_run *cache_model_prev(const struct cache_run *run)
{
	return cache_run_of(rb_prev(&run->node));
}

struct cache_run *cache_model_find(const struct cache_model *c, u64 lba)
{
	struct rb_node *node = c->runs.rb_node;
	struct cache_run *best = NULL;

	while (node) {
		struct cache_run *run = cache_run_of(node);

		if (run->end > lba) {
			best = run;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	return best;
}

bool cache_model_covers(const struct cache_model *c, u64 lba, u64 sectors)
{
	struct cache_run *run = cache_model_find(c, lba);

	return run && run->lba <= lba && run->end >= lba + sectors;
}

static void cache_run_link(struct cache_model *c, struct cache_run *new)
{
	struct rb_node **link = &c->runs.rb_node, *parent = NULL;

	while (*link) {
		parent = *link;
		if (new->lba < cache_run_of(parent)->lba)
			link = &parent->rb_left;
		else
			link = &parent->rb_right;
	}
	rb_link_node(&new->node, parent, link);
	rb_insert_color(&new->node, &c->runs);
	c->nr_runs++;
	c->sectors += new->end - new->lba;
}

static void cache_run_unlink(struct cache_model *c, struct cache_run *run)
{
	rb_erase(&run->node, &c->runs);
	c->nr_runs--;
	c->sectors -= run->end - run->lba;
	cache_run_free(c, run);
}

static struct cache_run *cache_run_new(struct cache_model *c, u64 lba, u64 end)
{
	struct cache_run *run = c->free;

	if (!run)
		return NULL;
	c->free = cache_run_of(run->node.rb_left);
	run->lba = lba;
	run->end = end;
	cache_run_link(c, run);
	return run;
}

bool cache_model_insert(struct cache_model *c, u64 lba, u64 sectors)
{
	u64 end = lba + sectors;
	/* From one sector below, so that a run that merely touches is found. */
	struct cache_run *run = cache_model_find(c, lba ? lba - 1 : 0);
	struct cache_run *next;

	if (!run || run->lba > end)
		return cache_run_new(c, lba, end);

	c->sectors -= run->end - run->lba;
	run->lba = min(run->lba, lba);
	run->end = max(run->end, end);
	c->sectors += run->end - run->lba;
	while ((next = cache_model_next(run)) && next->lba <= run->end) {
		u64 joined = max(run->end, next->end);

		cache_run_unlink(c, next);
		c->sectors += joined - run->end;
		run->end = joined;
	}
	return true;
}

void cache_model_remove(struct cache_model *c, u64 lba, u64 sectors)
{
	u64 end = lba + sectors;
	struct cache_run *run = cache_model_find(c, lba), *next;

	for (; run && run->lba < end; run = next) {
		next = cache_model_next(run);
		if (run->lba >= lba && run->end <= end) {
			cache_run_unlink(c, run);
		} else if (run->lba >= lba) {
			c->sectors -= end - run->lba;
			run->lba = end;
		} else if (run->end <= end) {
			c->sectors -= run->end - lba;
			run->end = lba;
		} else if (c->free) {
			u64 tail = run->end;

			c->sectors -= run->end - lba;
			run->end = lba;
			cache_run_new(c, end, tail);
		}
	}
}

bool cache_fifo_full(const struct cache_fifo *f, u64 limit)
{
	return f->head - f->tail == f->size || f->sectors > limit;
}

void cache_fifo_push(struct cache_fifo *f, u64 lba, u64 sectors)
{
	struct cache_fifo_entry *entry = &f->ring[f->head++ & (f->size - 1)];

	entry->lba = lba;
	entry->sectors = sectors;
	f->sectors += sectors;
}

bool cache_fifo_pop(struct cache_fifo *f, struct cache_fifo_entry *entry)
{
	if (f->head == f->tail)
		return false;
	*entry = f->ring[f->tail++ & (f->size - 1)];
	f->sectors -= entry->sectors;
	return true;
}

/* The finaliser of splitmix64: every output bit depends on every input bit. */
static u64 powercut_mix(u64 x)
{
	x += 0x9e3779b97f4a7c15ULL;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

bool powercut_survives(u64 seed, u64 sector)
{
	static const u16 odds[8] = { 0, 32, 96, 128, 128, 160, 224, 256 };
	u64 how = powercut_mix(seed);
	unsigned int shift = 3 * ((how >> 3) & 3);

	if (seed == POWERCUT_LOSES_ALL)
		return false;
	return (powercut_mix(how ^ (sector >> shift)) & 255) < odds[how & 7];
}

u64 powercut_seed(u64 seed, u32 disk)
{
	if (seed == POWERCUT_LOSES_ALL)
		return seed;
	return powercut_mix(seed ^ powercut_mix(disk + 1));
}
