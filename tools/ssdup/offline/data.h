/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SSDUP_DATA_H
#define SSDUP_DATA_H

#include "logfile.h"

/* What is told of the map, in the order of the HDD. Places are HDD sectors. */
struct data_sink {
	/* Data; at most DATA_SECTORS at once. 0 or -errno, which ends the walk. */
	int	(*data)(void *arg, u64 start, u64 sectors, const void *buf);
	/* Reads as zeros: was discarded, or written with zeros. */
	int	(*zeros)(void *arg, u64 start, u64 sectors);
	/* The SSD cannot read it, or (@known) it has been given up before. */
	void	(*lost)(void *arg, u64 start, u64 sectors, bool known);
	/* Called now and then; true ends the walk with -EINTR. */
	bool	(*stop)(void *arg);
	void	*arg;
};

#define DATA_SECTORS	512U

/**
 * data_walk() - read all that is dirty
 * @l: log_map() was called
 *
 * What the SSD refuses is read again block by block, so that no more of it is lost
 * than has to be.
 *
 * Return: 0, or the error of a callback.
 */
int data_walk(struct log_file *l, const struct data_sink *sink);

#endif
