// SPDX-License-Identifier: GPL-2.0-only
/* Owns the ghosts of blocks that were read from the HDD. */
#include <linux/slab.h>

#include "log/log.h"
#include "router.h"

int ssdup_ghosts_set(struct ssdup_router *router)
{
	struct ssdup_log *log = router->log;
	struct ghosts *ghosts;
	u32 nr;

	if (!READ_ONCE(router->c->set.ghosts)) {
		WRITE_ONCE(router->ghosts, NULL);
		return 0;
	}
	if (!router->ghosts_kept) {
		nr = ssdup_ghosts_nr((u64)log->g.nr_segments * log->g.data_sectors);
		ghosts = kvzalloc(struct_size(ghosts, word, nr), GFP_NOIO);
		if (!ghosts)
			return -ENOMEM;
		ghosts->nr = nr;
		router->ghosts_kept = ghosts;
	}
	/* Pairs with the address dependency of those that read it. */
	smp_store_release(&router->ghosts, router->ghosts_kept);
	return 0;
}

void ssdup_ghosts_destroy(struct ssdup_router *router)
{
	kvfree(router->ghosts_kept);
}

void ssdup_ghosts_end(struct ssdup_router *router, const struct ssdup_io *io, bool meta)
{
	struct ghosts *ghosts = READ_ONCE(router->ghosts);

	if (!ghosts)
		return;
	switch (ssdup_ghosts_read(ghosts, io->start, io->sectors, meta, io->long_run)) {
	case GHOST_HIT:
		stat_inc(router->c, STAT_READS_AGAIN);
		stat_add(router->c, STAT_READ_SECTORS_AGAIN, io->sectors);
		break;
	case GHOST_COPY:
		stat_add(router->c, STAT_PROMOTE_SECTORS, io->sectors);
		break;
	case GHOST_NONE:
	case GHOST_NOTE:
		break;
	}
}
