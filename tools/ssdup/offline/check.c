// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: all faults of a log, and its map. Nothing is written.
 */
#include "lib/wait.h"

#include "data.h"
#include "offline.h"

struct reading {
	struct log_file	*l;
	u64		sectors;
};

static int data_is_read(void *arg, u64 start, u64 sectors, const void *buf)
{
	struct reading *x = arg;
	char done[SIZE_TEXT], all[SIZE_TEXT];

	x->sectors += sectors;
	ticker_show(x->l->ctx, &x->l->ticker, x->l->ssd.path, "%s of %s of data read",
		    format_size(done, x->sectors * SECTOR_BYTES),
		    format_size(all, x->l->sectors * SECTOR_BYTES));
	return 0;
}

static int zeros_are_there(void *arg, u64 start, u64 sectors)
{
	return 0;
}

static void data_lost(void *arg, u64 start, u64 sectors, bool known)
{
	struct finding f = finding(FAULT_DATA_UNREADABLE);
	struct reading *x = arg;

	f.start = start;
	f.sectors = sectors;
	/* What was given up before has a note of its own. */
	if (!known)
		found(&x->l->findings, &f);
}

static bool never(void *arg)
{
	return false;
}

static void read_data(struct log_file *l)
{
	struct reading x = { .l = l };
	struct data_sink sink = {
		.data = data_is_read, .zeros = zeros_are_there, .lost = data_lost,
		.stop = never, .arg = &x,
	};

	ticker_begin(&l->ticker);
	data_walk(l, &sink);
	ticker_end(&l->ticker);
}

int check_log(struct log_file *l, bool all, bool data)
{
	super_findings(l);
	if (!l->known)
		return LOG_OK;
	log_scan(l, all);
	log_map(l);
	if (data)
		read_data(l);
	return log_accepts(l);
}
