/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: what "ssdup top" shows, and how it is laid out on a screen of any size. Pure:
 * the clock and the disks' counters come in as numbers.
 */
#ifndef SSDUP_TOPVIEW_H
#define SSDUP_TOPVIEW_H

#include "classes.h"
#include "progress.h"
#include "screen.h"
#include "state.h"

#define TOP_HISTORY	SCREEN_MAX_COLUMNS
#define TOP_NO_STREAM	UINT16_MAX	/* in the history: no stream ended in this look */

/* Below that there is a message and nothing else. */
#define TOP_LEAST_ROWS		8U
#define TOP_LEAST_COLUMNS	38U

/* Of a block device, as its file "stat" in sysfs has them. */
struct disk_counters {
	uint64_t	read_sectors;
	uint64_t	write_sectors;
	uint64_t	inflight;
	uint64_t	busy_ms;
	uint64_t	queue_ms;	/* requests times the time each was there */
};

struct top_disk {
	const char	*what;		/* "HDD", "SSD", "device" */
	char		name[32];
	struct disk_counters last;
	uint64_t	read_bps;	/* bytes a second since the look before */
	uint64_t	write_bps;
	uint32_t	queue_1e2;	/* requests there at a time, on average */
	uint32_t	busy_1e4;
};

struct top_class {
	struct class_line last;
	uint64_t	written_bps;	/* to the log, since the look before */
	uint64_t	drained_bps;	/* to the HDD */
};

struct top_view {
	char		clock[16];	/* what is in the corner */
	struct state	now;
	struct state_fields before;	/* at the look before */
	uint64_t	ms;		/* between the two; 0 at the first look */
	uint64_t	last_ms;
	struct top_disk	disk[3];	/* HDD, SSD, the device itself */
	struct top_class class[SSDUP_MAX_CLASSES];
	unsigned int	nr_classes;	/* 0: the log has one */
	struct progress	drain;
	unsigned int	history;	/* looks in the following */
	uint16_t	random_1e4[TOP_HISTORY];
	uint16_t	threshold_1e4[TOP_HISTORY];
};

/** disk_parse() - read a line of such a file; false when it is none */
bool disk_parse(struct disk_counters *d, const char *line);

/**
 * top_look() - take a look into the view
 * @ms: the clock
 * @now: the status; taken over, and freed with the view
 * @disks: counters of HDD, SSD and device
 */
void top_look(struct top_view *v, uint64_t ms, struct state *now,
	      const struct disk_counters disks[3]);

/** top_look_at_classes() - take a look at the classes of the log, behind top_look() */
void top_look_at_classes(struct top_view *v, const struct class_line *now, unsigned int nr);

/** top_layout() - fill a blank screen of any size */
void top_layout(const struct top_view *v, struct screen *s);

#endif
