// SPDX-License-Identifier: GPL-2.0-only
/* A solid state disk's timing. */
#include <linux/kernel.h>
#include <linux/errno.h>
#include <linux/math64.h>
#include "ssd_model.h"

int ssd_model_init(struct ssd_model *m, const struct ssd_params *p)
{
	if (!p->read_kbps || !p->write_kbps)
		return -EINVAL;
	m->p = *p;
	m->pipe_free = 0;
	m->written = 0;
	m->busy_ns = 0;
	return 0;
}

u64 ssd_transfer_ns(u64 sectors, u32 kbps)
{
	return div_u64(sectors * 512 * 1000 * 1000, kbps);
}

static u64 ssd_pipe(struct ssd_model *m, u64 sectors, u32 kbps, u64 now)
{
	u64 transfer = ssd_transfer_ns(sectors, kbps);

	m->pipe_free = max(m->pipe_free, now) + transfer;
	m->busy_ns += transfer;
	return m->pipe_free;
}

u64 ssd_read(struct ssd_model *m, u64 sectors, u64 now)
{
	return ssd_pipe(m, sectors, m->p.read_kbps, now) + m->p.read_latency_us * 1000ULL;
}

u64 ssd_write(struct ssd_model *m, u64 sectors, bool through, u64 now)
{
	u64 done;

	m->written = ssd_pipe(m, sectors, m->p.write_kbps, now);
	done = m->written + m->p.write_latency_us * 1000ULL;
	if (through && m->p.volatile_cache)
		done += m->p.flush_us * 1000ULL;
	return done;
}

u64 ssd_flush(struct ssd_model *m, u64 now)
{
	u64 start = m->p.volatile_cache ? max(m->written, now) : now;

	return start + m->p.flush_us * 1000ULL;
}
