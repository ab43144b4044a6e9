// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: the rooms are made and freed, from the lowest up.
 */
#include <linux/slab.h>

#include "drain/discard.h"
#include "drain/hdd.h"
#include "drain/writeback.h"
#include "log/commit.h"
#include "log/metadata.h"
#include "log/nodes.h"
#include "log/segments.h"
#include "log/super.h"
#include "map/map.h"
#include "rooms.h"
#include "route/classes.h"
#include "route/meter.h"
#include "route/refusals.h"
#include "route/stream.h"
#include "route/waiters.h"

static struct ssdup_log *log_alloc(struct ssdup *c)
{
	struct ssdup_log *log = kvzalloc(sizeof(*log), GFP_KERNEL);

	if (!log)
		return NULL;
	log->c = c;
	if (!ssdup_super_create(log))
		return log;
	ssdup_super_destroy(log);
	kvfree(log);
	return NULL;
}

static int log_init(struct ssdup_log *log)
{
	log->longest = ssdup_log_longest_write(&log->g);
	log->whole = min(log->longest, EXTENT_WALK);
	return ssdup_segments_create(log) ?: ssdup_meta_create(log) ?: ssdup_nodes_create(log) ?:
	       ssdup_commit_create(log);
}

static void log_free(struct ssdup_log *log)
{
	u32 i;

	if (!log)
		return;
	ssdup_commit_destroy(log);
	ssdup_super_destroy(log);
	kfree(log->meta);
	for (i = 0; log->segment && i < log->g.nr_segments; i++)
		ssdup_free_arrays(log, &log->segment[i]);
	ssdup_segments_destroy(log);
	ssdup_nodes_destroy(log);
	kvfree(log);
}

static struct ssdup_router *router_alloc(struct ssdup *c)
{
	struct ssdup_router *router = kzalloc(sizeof(*router), GFP_KERNEL);

	if (!router)
		return NULL;
	router->c = c;
	router->log = c->log;
	router->map = c->map;
	return router;
}

static int router_init(struct ssdup_router *router)
{
	return ssdup_wait_create(router) ?: ssdup_away_create(router) ?:
	       ssdup_meter_create(router) ?: ssdup_stream_create(router);
}

static void router_free(struct ssdup_router *router)
{
	if (!router)
		return;
	kvfree(router->waiting);
	kvfree(router->stream);
	kfree(router->away);
	kvfree(router->meter);
	ssdup_classes_destroy(router);
	kfree(router);
}

static struct ssdup_drainer *drainer_alloc(struct ssdup *c)
{
	struct ssdup_drainer *drainer = kzalloc(sizeof(*drainer), GFP_KERNEL);

	if (!drainer)
		return NULL;
	drainer->c = c;
	drainer->log = c->log;
	drainer->map = c->map;
	drainer->router = c->router;
	drainer->drain_state = c->read_only ? DRAIN_STOPPED : DRAIN_IDLE;
	return drainer;
}

static int drainer_init(struct ssdup_drainer *drainer)
{
	INIT_DELAYED_WORK(&drainer->c->wake.discard_work, ssdup_discard_work);
	return ssdup_hdd_create(drainer) ?: ssdup_writeback_create(drainer);
}

static void drainer_free(struct ssdup_drainer *drainer)
{
	if (!drainer)
		return;
	ssdup_writeback_destroy(drainer);
	kfree(drainer->hdd_state);
	kfree(drainer);
}

int ssdup_rooms_alloc(struct ssdup *c)
{
	c->log = log_alloc(c);
	c->map = ssdup_map_alloc(c);
	c->router = router_alloc(c);
	c->drainer = drainer_alloc(c);
	return c->log && c->map && c->router && c->drainer ? 0 : -ENOMEM;
}

int ssdup_rooms_init(struct ssdup *c)
{
	c->map->stats = c->stats;
	c->router->stats = c->stats;
	c->drainer->stats = c->stats;
	return log_init(c->log) ?: ssdup_map_init(c->map) ?: router_init(c->router) ?:
	       drainer_init(c->drainer);
}

void ssdup_rooms_free(struct ssdup *c)
{
	drainer_free(c->drainer);
	router_free(c->router);
	ssdup_map_free(c->map);
	log_free(c->log);
}
