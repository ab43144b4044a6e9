/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sim: disks on a clock. The models are those of tools/disks; what the block layer does with
 * requests stands before them: a scheduler for the HDD, and nothing for the SSD.
 */
#ifndef SIM_DISKS_H
#define SIM_DISKS_H

#include "clock.h"
#include "tools/disks/params.h"

struct sim_hdd;

/* A request; its owner's until it is sent, and again when it ends. */
struct sim_io {
	struct hdd_op	op;		/* kind, lba and sectors */
	void		(*end)(struct sim_io *io);
	void		*arg;		/* the owner's */
	u64		sent;		/* ns: when it was */
	struct sim_hdd	*disk;		/* where to, if that is the HDD */
	struct sim_io	*next;		/* in a list of the scheduler */
	struct sim_io	*parts;		/* that were joined with this one, which they follow on */
	u64		lba;		/* of @op, before others were joined with it */
	u32		sectors;
};

/*
 * mq-deadline: requests upwards from the last one, in batches of a direction; reads first, but
 * not more than two batches while writes wait; who is past his deadline before others.
 */
struct sim_queue {
	struct sim_io	*sorted[2];	/* reads, writes; by place */
	u64		from[2];	/* place behind the last one that was dispatched */
};

struct sim_hdd {
	struct clock	*clock;
	struct hdd_queue q;
	struct cache_run *runs;
	struct sim_queue sched;
	struct sim_io	*late;		/* who waits for a request of the scheduler, oldest first */
	struct sim_io	**late_end;
	u32		depth;
	u32		used;		/* commands at the disk */
	u32		queued;		/* requests of the scheduler, those at the disk too */
	u32		batch;		/* requests left of the batch */
	u32		starved;	/* batches of reads while writes waited */
	int		dir;		/* of the batch */
	bool		armed;		/* an event will come when the arm's access has ended */
};

struct sim_ssd {
	struct clock	*clock;
	struct ssd_model m;
	struct ftl	ftl;
	void		*memory;	/* of @ftl, NULL: none */
};

void sim_hdd_init(struct sim_hdd *d, struct clock *clock, const struct disks_params *p);
void sim_hdd_exit(struct sim_hdd *d);

/** sim_hdd_send() - send a request to the HDD */
void sim_hdd_send(struct sim_hdd *d, struct sim_io *io);

void sim_ssd_init(struct sim_ssd *d, struct clock *clock, const struct disks_params *p);
void sim_ssd_exit(struct sim_ssd *d);

/** sim_ssd_send() - send a request to the SSD */
void sim_ssd_send(struct sim_ssd *d, struct sim_io *io);

#endif
