/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: an HDD and its SSDs that are to become, or are, one device.
 */
#ifndef SSDUP_PAIR_H
#define SSDUP_PAIR_H

#include "identity.h"
#include "pool.h"
#include "ssds.h"

struct pair {
	struct dev	hdd;
	struct ssd_set	ssds;		/* open for writing */
	struct dev	ssd;		/* the first of them */
	u8		hdd_id[SSDUP_HDD_ID_BYTES];
	u8		host[SSDUP_HOST_BYTES];	/* that is to have the log: this one */
	int		lock[SSD_DISKS];	/* nobody else makes a device with the SSDs */
	u32		nr_locks;
	bool		shared;		/* devices with logs on the SSD use it, and nobody else */
	struct members	members;	/* those of them that are not just being made */
	struct ssd_log	log;		/* what the SSDs hold */
};

/* What the user gives up. */
struct give_up {
	bool	unsaved;	/* a log, with what may not be on its HDD yet: --discard-unsaved */
	bool	other;		/* an empty log, a file system, unknown contents: --force */
	bool	hdd;		/* the HDD that the log is for: --other-hdd */
	bool	memory;		/* what is on the SSD, when the power goes: --volatile-ssd */
	bool	written;	/* what somebody wrote to the HDD: --hdd-was-written */
	bool	host;		/* the host that has it active: --take-over */
};

/**
 * pair_open() - find all and refuse what is in use, is one disk, or no device
 * @name: of the log; NULL for the one of UUID=, of that HDD, or the only one
 * @offline: no device is made: files may stand for disks, and the HDD may be in use, for
 * only its size matters
 *
 * Devices of which each has a log on the SSD may use it, unless @offline: p->shared.
 * Reads the superblock, and writes nothing. pair_close() it, whatever is returned.
 *
 * Return: EXIT_OK, or an exit code with the complaint made.
 */
int pair_open(const struct ssdup_ctx *ctx, struct pair *p, const char *hdd,
	      const struct ssd_names *ssds, const char *name, bool offline,
	      const struct give_up *g);

void pair_close(struct pair *p);

/** pair_unlock() - another device may be made with the SSD: the kernel knows of this one */
void pair_unlock(struct pair *p);

/** pair_block() - the largest logical block of the disks, in bytes */
unsigned int pair_block(const struct pair *p);

/** pair_faulty() - the path of the SSD that p->log.fault is of */
const char *pair_faulty(const struct pair *p);

/** pair_signature() - what an SSD holds that is no log: see dev_signature() */
char *pair_signature(const struct pair *p, const char **path);

/** pair_refuse_hdd() - refuse an HDD that holds a log: it is taken for the SSD */
int pair_refuse_hdd(const struct ssdup_ctx *ctx, const struct pair *p, const struct give_up *g);

/** pair_refuse_contents() - refuse to format an SSD that holds anything but what is given up */
int pair_refuse_contents(const struct ssdup_ctx *ctx, const struct pair *p,
			 const struct give_up *g);

/**
 * pair_refuse_other_hdd() - refuse an HDD of which it is known that the log is for another one
 *
 * Warns where that is not known. There is a log, and it is valid.
 */
int pair_refuse_other_hdd(const struct ssdup_ctx *ctx, const struct pair *p,
			  const struct give_up *g);

/** pair_refuse_other_host() - refuse a valid log that another host has active */
int pair_refuse_other_host(const struct ssdup_ctx *ctx, const struct pair *p,
			   const struct give_up *g);

/**
 * pair_bind_log() - note in the log for which HDD it is, if that is known and new
 *
 * Nobody else can use the SSD any more. Return: 0, or -EBUSY when somebody has since it was read,
 * or another -errno.
 */
int pair_bind_log(struct pair *p);

struct log_options {
	unsigned int	block;		/* in bytes; 0: the larger of the disks' */
	bool		old_uuid;	/* a log may have had it: its pages must not count */
	bool		no_discard;	/* of what the SSD holds */
	u8		uuid[16];
};

/** log_new_uuid() - a random one */
void log_new_uuid(u8 uuid[16]);

/**
 * pair_add() - one more log on the SSD, for the HDD; p->log is that one then
 *
 * Refused where one is for that HDD already. What would be refused afterwards is refused before.
 *
 * Return: EXIT_OK, or an exit code with the complaint made and nothing added.
 */
int pair_add(const struct ssdup_ctx *ctx, struct pair *p, const struct give_up *g);

/** pair_undo_add() - forget that log; the lock is still held */
void pair_undo_add(const struct ssdup_ctx *ctx, struct pair *p);

/**
 * pair_format() - make the SSD an empty log for the HDD
 *
 * What would be refused afterwards is refused before anything is written.
 * What stands in its homes afterwards is what the kernel would have written to a
 * blank SSD. All other contents are gone. p->log is what is there now.
 *
 * Return: EXIT_OK, or an exit code with the complaint made.
 */
int pair_format(const struct ssdup_ctx *ctx, struct pair *p, const struct log_options *o);

#endif
