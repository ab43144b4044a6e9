/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: how much of an SSD's life is used.
 */
#ifndef SSDUP_WEAR_H
#define SSDUP_WEAR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct wear {
	bool		has_used;
	unsigned int	used;		/* per cent of the rated life; may be more than 100 */
	bool		has_written;
	uint64_t	written;	/* bytes that the host has written in its whole life */
};

/**
 * wear_parse() - what smartctl -j, or nvme smart-log -o json, has printed. Pure.
 *
 * Return: true when it says either.
 */
bool wear_parse(struct wear *w, const char *json);

/**
 * wear_read() - ask smartctl, or else nvme-cli, for the wear of a disk
 * @name: as in /sys/block
 *
 * Return: false when neither is installed, or neither knows, or we may not ask.
 */
bool wear_read(struct wear *w, const char *name);

/** wear_each() - call @fn for each disk that @ssd lies on, and that tells its wear */
void wear_each(dev_t ssd, void (*fn)(void *arg, const char *disk, const struct wear *w),
	       void *arg);

#endif
