// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "data.h"

/* Sectors that were lost one behind the other are told of at once. */
struct gap {
	u64	start;
	u64	sectors;
};

static void tell_gap(const struct data_sink *sink, struct gap *gap)
{
	if (gap->sectors)
		sink->lost(sink->arg, gap->start, gap->sectors, false);
	gap->sectors = 0;
}

static int walk_small(struct log_file *l, const struct data_sink *sink, u64 at, u64 start,
		      u64 sectors, char *buf, struct gap *gap)
{
	u64 done, n, unit = log_block(l);
	int r = 0;

	for (done = 0; done < sectors && !r; done += n) {
		n = min(sectors - done, unit - (at + done) % unit);
		if (sink->stop(sink->arg))
			return -EINTR;
		if (log_read(l, buf, at + done, n)) {
			if (!gap->sectors)
				gap->start = start + done;
			gap->sectors += n;
			continue;
		}
		tell_gap(sink, gap);
		r = sink->data(sink->arg, start + done, n, buf);
	}
	return r;
}

static int walk_data(struct log_file *l, const struct data_sink *sink, const struct extent *e,
		     char *buf)
{
	u64 at = e->pos, done, n;
	struct gap gap = {};
	int r = 0;

	for (done = 0; done < e->sectors && !r; done += n) {
		n = min(e->sectors - done, (u64)DATA_SECTORS);
		if (sink->stop(sink->arg))
			return -EINTR;
		if (log_read(l, buf, at + done, n)) {
			r = walk_small(l, sink, at + done, e->start + done, n, buf, &gap);
			continue;
		}
		tell_gap(sink, &gap);
		r = sink->data(sink->arg, e->start + done, n, buf);
	}
	if (!r)
		tell_gap(sink, &gap);
	return r;
}

int data_walk(struct log_file *l, const struct data_sink *sink)
{
	char *buf = xpages(DATA_SECTORS * SECTOR_BYTES);
	const struct extent *e;
	int r = 0;

	for (e = ssdup_extent_first(&l->map, 0, U64_MAX); e && !r; e = ssdup_extent_next(e)) {
		if (sink->stop(sink->arg)) {
			r = -EINTR;
			break;
		}
		switch (e->kind) {
		case SSDUP_KIND_DATA:
			r = walk_data(l, sink, e, buf);
			break;
		case SSDUP_KIND_LOST:
			sink->lost(sink->arg, e->start, e->sectors, true);
			break;
		default:
			r = sink->zeros(sink->arg, e->start, e->sectors);
		}
	}
	free(buf);
	return r;
}
