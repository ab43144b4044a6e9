// SPDX-License-Identifier: GPL-2.0-only
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "classes.h"
#include "map.h"
#include "segments.h"

/* Serialises changes of the rules, of all devices. */
static DEFINE_MUTEX(rules_lock);

void ssdup_classes_destroy(struct ssdup *c)
{
	kfree(rcu_dereference_protected(c->class_rules, true));
}

/* The class of new data; @sectors is cut to what has one class. */
static u32 new_class(struct ssdup *c, u32 hint, u64 start, u32 *sectors)
{
	u32 class = hint < SSDUP_HINTS ? c->set.classes.hint[hint] : 0;
	const struct class_rules *rules;

	rcu_read_lock();
	rules = rcu_dereference(c->class_rules);
	if (rules)
		class = ssdup_class_choose(rules, class, start, sectors);
	rcu_read_unlock();
	/* A log that is not empty keeps its number of classes. */
	return class < c->nr_classes ? class : 0;
}

void ssdup_class_take(struct ssdup *c, const struct bio *bio, struct ssdup_io *io)
{
	struct ssdup_range *r = range_of(c, io->start);
	u32 class = new_class(c, ssdup_write_hint(bio), io->start, &io->sectors);
	unsigned long flags;

	io->own = class;
	if (range_holds(r)) {
		spin_lock_irqsave(&r->lock, flags);
		io->sectors = ssdup_extent_class_span(&r->tree, io->start, io->start + io->sectors,
						      c->nr_classes, &class);
		spin_unlock_irqrestore(&r->lock, flags);
	}
	io->class = class;
}

bool ssdup_class_keep(struct ssdup *c, struct ssdup_io *io)
{
	struct ssdup_range *r = range_of(c, io->start);
	u64 end = io->start + io->sectors, generation = 0;
	const struct extent *x;
	u32 class = io->own;
	unsigned long flags;
	bool one = true;

	spin_lock_irqsave(&r->lock, flags);
	x = ssdup_extent_first(&r->tree, io->start, end);
	if (x) {
		/* New sectors of the write go with those that the log has. */
		class = extent_class(x, c->nr_classes);
		generation = x->seq >> SSDUP_SEQ_BITS;
		one = ssdup_extent_class_span(&r->tree, io->start, end, c->nr_classes, &class) ==
		      io->sectors;
	}
	spin_unlock_irqrestore(&r->lock, flags);
	io->class = class;
	io->torn = !one;
	if (!one)
		ssdup_ask_drain(c, &c->class[class], generation);
	return one;
}

/* --- Messages --- */

/* Change the rules from @old to @rules. Without a length, for all data that no range has. */
static bool change(struct class_rules *rules, const struct class_rules *old, u32 class, u64 start,
		   u64 len)
{
	if (len)
		return ssdup_class_set_range(rules, old, start, start + len, class);
	*rules = *old;
	rules->epoch = class;
	return true;
}

int ssdup_class_message(struct ssdup *c, const char *name, const char *start, const char *len,
			const char **error)
{
	static const struct class_rules none;
	struct class_rules *rules, *old;
	u64 from = 0, sectors = 0;
	bool done;
	u32 class;

	if (!ssdup_class_find(&c->set.classes, name, &class)) {
		*error = "no such class";
		return -EINVAL;
	}
	if (class >= c->nr_classes) {
		*error = "the log has fewer classes until it is empty and activated anew";
		return -EBUSY;
	}
	if (start && (kstrtou64(start, 10, &from) || kstrtou64(len, 10, &sectors) || !sectors ||
		      from >= c->ti->len || sectors > c->ti->len - from)) {
		*error = "not a start and a length in sectors within the device";
		return -EINVAL;
	}
	rules = kzalloc(sizeof(*rules), GFP_KERNEL);
	if (!rules) {
		*error = "out of memory";
		return -ENOMEM;
	}
	mutex_lock(&rules_lock);
	old = rcu_dereference_protected(c->class_rules, lockdep_is_held(&rules_lock));
	done = change(rules, old ?: &none, class, from, sectors);
	if (done)
		rcu_assign_pointer(c->class_rules, rules);
	mutex_unlock(&rules_lock);
	if (!done) {
		kfree(rules);
		*error = "too many ranges";
		return -ENOSPC;
	}
	synchronize_rcu();
	kfree(old);
	return 0;
}
