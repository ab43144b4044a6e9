// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: the rooms are made and freed, from the lowest up.
 */
#include <linux/slab.h>

#include "drain/drainer.h"
#include "log/guard.h"
#include "log/log.h"
#include "log/nodes.h"
#include "log/super.h"
#include "map/map.h"
#include "rooms.h"
#include "route/router.h"
#include "restage.h"

struct rooms {
	struct ssdup_log	log;
	struct ssdup_map	map;
	struct ssdup_router	router;
	struct ssdup_drainer	drainer;
};

int ssdup_rooms_alloc(struct ssdup *c)
{
	struct rooms *rooms = kvzalloc(sizeof(*rooms), GFP_KERNEL);

	if (!rooms)
		return -ENOMEM;
	c->log = &rooms->log;
	c->map = &rooms->map;
	c->router = &rooms->router;
	c->drainer = &rooms->drainer;
	c->log->c = c;
	c->map->c = c;
	c->map->log = c->log;
	c->router->c = c;
	c->router->log = c->log;
	c->router->map = c->map;
	c->drainer->c = c;
	c->drainer->log = c->log;
	c->drainer->map = c->map;
	c->drainer->router = c->router;
	mutex_init(&c->drainer->clean.lock);
	c->drainer->drain_state = c->read_only ? DRAIN_STOPPED : DRAIN_IDLE;
	return ssdup_super_create(c->log);
}

static int log_init(struct ssdup_log *log)
{
	log->longest = log_longest_write(&log->g);
	log->whole = min(log->longest, EXTENT_WALK);
	return ssdup_segments_create(log) ?: ssdup_nodes_create(log) ?: ssdup_commit_create(log) ?:
	       ssdup_stage_create(log, ssdup_restage) ?: ssdup_guard_create(log);
}

int ssdup_rooms_init(struct ssdup *c)
{
	c->map->stats = c->stats;
	c->router->stats = c->stats;
	c->drainer->stats = c->stats;
	INIT_DELAYED_WORK(&c->wake.discard_work, ssdup_discard_work);
	INIT_WORK(&c->wake.clean_work, ssdup_clean_work);
	return log_init(c->log) ?: ssdup_map_init(c->map) ?: ssdup_wait_create(c->router) ?:
	       ssdup_away_create(c->router) ?: ssdup_window_create(c->router) ?:
	       ssdup_stream_create(c->router) ?: ssdup_hdd_create(c->drainer) ?:
	       ssdup_writeback_create(c->drainer);
}

static void log_free(struct ssdup_log *log)
{
	u32 i;

	ssdup_pool_put(log);
	ssdup_guard_destroy(log);
	ssdup_stage_destroy(log);
	ssdup_commit_destroy(log);
	ssdup_super_destroy(log);
	for (i = 0; log->segment && i < log->g.nr_segments; i++)
		ssdup_free_arrays(log, &log->segment[i]);
	ssdup_segments_destroy(log);
	ssdup_nodes_destroy(log);
}

static void router_free(struct ssdup_router *router)
{
	kvfree(router->waiting);
	kvfree(router->stream);
	kfree(router->away);
	kvfree(router->windows);
	ssdup_classes_destroy(router);
}

void ssdup_rooms_free(struct ssdup *c)
{
	if (!c->log)
		return;
	ssdup_writeback_destroy(c->drainer);
	kfree(c->drainer->hdd_state);
	router_free(c->router);
	kvfree(c->map->ranges);
	log_free(c->log);
	kvfree(container_of(c->log, struct rooms, log));
}
