// SPDX-License-Identifier: GPL-2.0-only
/* Owns the rules that give new data a class. */
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "base/failure.h"
#include "base/hints.h"
#include "cgroups.h"
#include "log/log.h"
#include "map/map.h"
#include "router.h"
#include "windows.h"

/* Serialises changes of the rules, of all devices. */
static DEFINE_MUTEX(rules_lock);

void ssdup_classes_destroy(struct ssdup_router *router)
{
	kfree(rcu_dereference_protected(router->class_rules, true));
}

/* The lifetime of new data; @sectors is cut to what has one. */
static u32 new_lifetime(struct ssdup_router *router, const struct bio *bio, u64 start, u32 *sectors)
{
	u32 hint = ssdup_write_hint(bio);
	u32 class = hint < SSDUP_HINTS ? router->c->set.classes.hint[hint] : 0;
	const struct class_rules *rules;

	rcu_read_lock();
	rules = rcu_dereference(router->class_rules);
	if (rules) {
		class = ssdup_cgroup_class(rules, bio) ?: class;
		class = ssdup_class_choose(rules, class, start, sectors);
	}
	rcu_read_unlock();
	/* A log that is not empty keeps its number of classes. */
	return class < log_lifetimes(router->log) ? class : 0;
}

/* A bit for each SSD that is not for new data now. */
static u32 full_ssds(const struct ssdup_router *router)
{
	return ssdup_full_ssds(router->log) | router->c->ssds_unused |
	       READ_ONCE(router->c->ssds_leave);
}

/* The class of new data, on the SSD that core/spread.h chooses. */
static u32 class_on_ssd(struct ssdup_router *router, u32 lifetime, u32 sectors)
{
	u32 nr = router->c->nr_ssds, full, i;
	struct spread_ssd ssds[SSDUP_MAX_SSDS];
	struct ssdup_ssd *ssd;
	u64 now;

	if (nr <= 1)
		return lifetime;
	full = full_ssds(router);
	/* It waits, but not for one that takes nothing any more. */
	if (full == BIT(nr) - 1)
		full = ssdup_ssds_shut(router->c);
	now = ssdup_window_now();
	for (i = 0; i < nr; i++) {
		ssd = &router->c->ssd[i];
		ssds[i] = (struct spread_ssd){
			.speed.ns = READ_ONCE(ssd->speed.ns),
			.speed.retry = READ_ONCE(ssd->speed.retry),
			.in_flight = atomic_read(&ssd->in_flight),
			.out = full & BIT(i),
			.apart = !(full & BIT(i)) &&
				 ssdup_spread_apart(&ssd->apart_until,
						    ssdup_load_gain(ssd_load(ssd)), now),
		};
	}
	return lifetime * nr +
	       ssdup_spread(ssds, nr, READ_ONCE(router->turn) + 1, sectors, now);
}

void ssdup_spread_begin(struct ssdup_router *router, struct ssdup_ssd *ssd, u32 sectors)
{
	atomic_add(sectors, &ssd->in_flight);
	WRITE_ONCE(router->turn, ssd - router->c->ssd);
}

void ssdup_spread_end(struct ssdup_ssd *ssd, u32 sectors, u64 ns)
{
	u32 beside = atomic_fetch_sub(sectors, &ssd->in_flight);

	if (ns)
		ssdup_spread_learn(&ssd->speed, ns, beside, ssdup_window_now());
}

void ssdup_class_take(struct ssdup_router *router, const struct bio *bio, struct ssdup_io *io)
{
	struct ssdup_range *r = range_of(router->map, io->start);
	unsigned long flags;
	u32 class;

	class = new_lifetime(router, bio, io->start, &io->sectors);
	class = class_on_ssd(router, class, io->sectors);
	io->own = class;
	if (range_holds(r)) {
		spin_lock_irqsave(&r->lock, flags);
		io->sectors = ssdup_extent_class_span(&r->tree, io->start, io->start + io->sectors,
						      &router->log->classes, &class);
		spin_unlock_irqrestore(&r->lock, flags);
	}
	io->class = class;
}

/*
 * Which generation has to be drained, so that one class holds all of a write? Of one class after
 * the other: what the HDD refuses stays in the log, however often it is drained.
 * @x: the first of the extents, which two classes have
 * @before: what was asked for at the last look, or 0
 */
static u64 torn_by(const struct ssdup_router *router, const struct extent *x, u64 end, u64 before)
{
	u32 asked = log_class(&router->log->classes, before);
	u64 generation, other = 0;

	for (; x && x->start < end; x = ssdup_extent_next(x)) {
		generation = x->seq >> SSDUP_SEQ_BITS;
		if (!before || log_class(&router->log->classes, generation) != asked)
			other = generation;
		else if (generation <= before)
			return before;
	}
	return other;
}

bool ssdup_class_keep(struct ssdup_router *router, struct ssdup_io *io)
{
	struct ssdup_range *r = range_of(router->map, io->start);
	u64 end = io->start + io->sectors, before = io->torn;
	const struct extent *x;
	const struct ssdup_class *own = &router->log->class[io->own];
	unsigned long flags;
	u32 class;

	if (io->refused || full_ssds(router) & BIT(own->ssd))
		io->own = class_on_ssd(router, own->lifetime, io->sectors);
	class = io->own;
	io->torn = 0;
	spin_lock_irqsave(&r->lock, flags);
	x = ssdup_extent_first(&r->tree, io->start, end);
	if (x) {
		/* No other disk takes it. */
		io->kind = WINDOW_REWRITE;
		/* New sectors of the write go with those that the log has. */
		class = extent_class(x, &router->log->classes);
		if (ssdup_extent_class_span(&r->tree, io->start, end, &router->log->classes,
					    &class) !=
		    io->sectors)
			io->torn = torn_by(router, x, end, before);
	}
	spin_unlock_irqrestore(&r->lock, flags);
	io->class = class;
	if (io->torn)
		ssdup_ask_drain(router->log, &router->log->class[log_class(&router->log->classes,
									   io->torn)], io->torn);
	return !io->torn;
}

bool ssdup_class_other(struct ssdup_router *router, struct ssdup_io *io)
{
	u32 full = ssdup_full_ssds(router->log), class = io->class;

	return class == io->own && full & BIT(router->log->class[class].ssd) &&
	       !ssdup_segments_full(router->log) && ssdup_class_keep(router, io) &&
	       io->class != class;
}

/* --- Rules for new data --- */

struct class_change {
	u64	cgroup;		/* 0: none */
	u64	start;
	u64	len;		/* 0: for all data that has no rule of its own */
	u32	class;
};

static bool make_rules(struct class_rules *rules, const struct class_rules *old,
		       const struct class_change *x)
{
	if (x->cgroup)
		return ssdup_class_set_cgroup(rules, old, x->cgroup, x->class);
	if (x->len)
		return ssdup_class_set_range(rules, old, x->start, x->start + x->len, x->class);
	*rules = *old;
	rules->epoch = x->class;
	return true;
}

static int change_rules(struct ssdup_router *router, const struct class_change *x,
			const char **error)
{
	static const struct class_rules none;
	struct class_rules *rules, *old;
	bool done;

	rules = kzalloc(sizeof(*rules), GFP_KERNEL);
	if (!rules) {
		*error = "out of memory";
		return -ENOMEM;
	}
	mutex_lock(&rules_lock);
	old = rcu_dereference_protected(router->class_rules, lockdep_is_held(&rules_lock));
	done = make_rules(rules, old ?: &none, x);
	if (done)
		rcu_assign_pointer(router->class_rules, rules);
	mutex_unlock(&rules_lock);
	if (!done) {
		kfree(rules);
		*error = x->cgroup ? "too many cgroups" : "too many ranges";
		return -ENOSPC;
	}
	synchronize_rcu();
	kfree(old);
	return 0;
}

static int find_class(struct ssdup_router *router, const char *name, u32 *class, const char **error)
{
	if (!ssdup_class_find(&router->c->set.classes, name, class)) {
		*error = "no such class";
		return -EINVAL;
	}
	if (*class >= log_lifetimes(router->log)) {
		*error = "the log has fewer classes until it is empty and activated anew";
		return -EBUSY;
	}
	return 0;
}

static int parse_range(const struct ssdup_router *router, const char *start, const char *len,
		       struct class_change *x, const char **error)
{
	if (kstrtou64(start, 10, &x->start) || kstrtou64(len, 10, &x->len) || !x->len ||
	    x->start >= router->c->ti->len || x->len > router->c->ti->len - x->start) {
		*error = "not a start and a length in sectors within the device";
		return -EINVAL;
	}
	/* Writes are cut where a range begins and ends. */
	if (!log_aligned(&router->log->g, x->start | x->len)) {
		*error = "start or length is not a multiple of the logical block size";
		return -EINVAL;
	}
	return 0;
}

int ssdup_class_message(struct ssdup_router *router, const char *name, const char *start,
			const char *len, const char **error)
{
	struct class_change x = { };
	int r = find_class(router, name, &x.class, error);

	if (!r && start)
		r = parse_range(router, start, len, &x, error);
	return r ?: change_rules(router, &x, error);
}

/* @words: changed */
static int set_cgroup(struct ssdup_router *router, char *words, const char **error)
{
	char *name = strrchr(words, ' ');
	struct class_change x = { };
	int r;

	if (!name) {
		*error = "not a cgroup and a class";
		return -EINVAL;
	}
	*name++ = '\0';
	r = find_class(router, name, &x.class, error);
	if (r)
		return r;
	r = ssdup_cgroup_id(strim(words), &x.cgroup);
	if (r) {
		*error = "no such cgroup";
		return r;
	}
	return change_rules(router, &x, error);
}

int ssdup_class_cgroup(struct ssdup_router *router, const char *text, const char **error)
{
	char *words = kstrdup(text, GFP_KERNEL);
	int r;

	if (!words) {
		*error = "out of memory";
		return -ENOMEM;
	}
	r = set_cgroup(router, strim(words), error);
	kfree(words);
	return r;
}

ssize_t ssdup_class_cgroups(struct ssdup_router *router, char *buf)
{
	const struct class_rules *rules;
	const struct class_cgroup *x;
	int len = 0;

	rcu_read_lock();
	rules = rcu_dereference(router->class_rules);
	for (x = rules ? rules->cgroup : NULL; rules && x < rules->cgroup + rules->nr_cgroups; x++)
		len += sysfs_emit_at(buf, len, "%llu %s\n", x->id,
				     router->c->set.classes.name[x->class]);
	rcu_read_unlock();
	return len ?: sysfs_emit(buf, "none\n");
}
