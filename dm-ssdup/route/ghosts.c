// SPDX-License-Identifier: GPL-2.0-only
/* Owns the ghosts of blocks that were read from the HDD. */
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "log/log.h"
#include "router.h"

static struct ghosts *ghosts_new(const struct ssdup_log *log)
{
	u32 nr = ssdup_ghosts_nr((u64)log->nr_leased * log->g.data_sectors);
	/* A resume, or a message that holds the table, must not wait for I/O. */
	unsigned int noio = memalloc_noio_save();
	struct ghosts *ghosts;

	ghosts = kvzalloc(struct_size(ghosts, word, nr), GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
	memalloc_noio_restore(noio);
	if (ghosts)
		ghosts->nr = nr;
	return ghosts;
}

int ssdup_ghosts_set(struct ssdup_router *router, bool on)
{
	if (on && !router->ghosts_kept) {
		router->ghosts_kept = ghosts_new(router->log);
		if (!router->ghosts_kept)
			return -ENOMEM;
	}
	/* Pairs with the address dependency of those that read it. */
	smp_store_release(&router->ghosts, on ? router->ghosts_kept : NULL);
	return 0;
}

void ssdup_ghosts_destroy(struct ssdup_router *router)
{
	kvfree(router->ghosts_kept);
}

/*
 * Does a read begin where one of the last ended, of this processor? Another one may run on by now,
 * and a read of it may come in between: then some reader counts as one that does not go on.
 */
void ssdup_ghosts_begin(struct ssdup_router *router, struct ssdup_io *io)
{
	struct ssdup_stats *s = raw_cpu_ptr(router->stats);
	u32 i, at;

	for (i = 0; i < ARRAY_SIZE(s->read_end); i++) {
		if (READ_ONCE(s->read_end[i]) != io->start)
			continue;
		WRITE_ONCE(s->read_end[i], io->start + io->sectors);
		io->long_run = READ_ONCE(s->read_run[i]) >= GHOST_RUN;
		WRITE_ONCE(s->read_run[i], READ_ONCE(s->read_run[i]) + io->sectors);
		return;
	}
	at = READ_ONCE(s->read_at);
	WRITE_ONCE(s->read_at, at + 1);
	at %= ARRAY_SIZE(s->read_end);
	WRITE_ONCE(s->read_end[at], io->start + io->sectors);
	WRITE_ONCE(s->read_run[at], io->sectors);
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
		stat_add(router->c, STAT_PROMOTE_SECTORS,
			 ghosts_copied(io->start, io->sectors));
		break;
	case GHOST_NONE:
	case GHOST_NOTE:
		break;
	}
}
