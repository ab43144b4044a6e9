/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: what is done with a log without the module, for commands, tests and the fuzzer.
 */
#ifndef SSDUP_OFFLINE_H
#define SSDUP_OFFLINE_H

#include "logfile.h"

/* --- check.c --- */

/**
 * check_log() - find all faults, and make the map
 * @all: look at all pages of segments without a header, see log_scan()
 * @data: read the dirty data too
 *
 * Return: what log_accepts() says.
 */
int check_log(struct log_file *l, bool all, bool data);

/* --- apart.c --- */

/**
 * check_apart() - an SSD and its mirror ran apart: say what each has that the other one has not
 * @path: of each
 * @name: of the log, or NULL
 *
 * Return: EXIT_REFUSED, or another exit code with the complaint made.
 */
int check_apart(const struct ssdup_ctx *ctx, char *path[SSDUP_TWINS], const char *name);

/* --- dump.c --- */

enum dump_parts {
	DUMP_SUPER	= 1,
	DUMP_PAGES	= 2,
	DUMP_EXTENTS	= 4,
	DUMP_ENTRIES	= 8,	/* with the pages */
	DUMP_HEADERS	= 16,
	DUMP_FULL	= 32,	/* pages of segments without a header too, see log_scan() */
	DUMP_ALL	= DUMP_SUPER | DUMP_HEADERS | DUMP_PAGES | DUMP_EXTENTS,
};

/** dump_log() - print it, @parts of it, as text or JSON */
void dump_log(struct log_file *l, FILE *to, unsigned int parts, bool json);

/* --- export.c --- */

struct export_result {
	u64	sectors;	/* written */
	u64	lost;		/* sectors that could not be read */
	u64	known;		/* that had been given up before */
};

struct member;

/**
 * export_log() - write all that is dirty to @to, and make it durable
 * @member: its guarded range, made plain, which stays behind the member block. NULL: it has none
 *
 * Lost ranges are printed, unless the context is quiet.
 *
 * Return: 0 or -errno; -EINTR when it was interrupted.
 */
int export_log(struct log_file *l, struct disk *to, struct member *member,
	       struct export_result *res);

/** export_opens() - the HDD is about to be released: the record says so. As export_clear() */
int export_opens(struct log_file *l);

/** export_clear() - make the log empty. Return: 0, -errno; -ERANGE with counters used up */
int export_clear(struct log_file *l);

/* --- found.c --- */

struct found_log {
	struct log_super	s;		/* to be written */
	bool			recorded;	/* a copy of its record is left, with all tails */
	u32			segments;	/* that have a header of it, live or free */
	struct log_header	last;		/* of the one that was opened last */
	bool			taken;		/* it is to be on the SSD again */
};

struct found_logs {
	struct found_log	*all;		/* free() it */
	size_t			nr;
};

/**
 * find_logs() - find logs whose superblocks or records are gone, by the headers of their segments
 *
 * @named: a superblock that is left, or NULL
 *
 * Where no record is left either, its tails are those of when the last segment was opened: lower
 * bounds. What cannot be read is passed over. It takes a time by the size of the SSD.
 */
void find_logs(struct log_file *l, const struct log_super *named, struct found_logs *logs);

/* --- plan.c --- */

enum repair_what {
	REPAIR_SLOT_VOID,	/* zero a slot of a page */
	REPAIR_PAGE,		/* write a page, of the entries that are well */
	REPAIR_HEADER_VOID,	/* zero the header and the pages of a segment */
	REPAIR_HEADER,		/* write it */
	REPAIR_COPY,		/* write a copy of superblock or record as the other one is */
	REPAIR_PART,		/* of several SSDs: write both on each as the newest is */
	REPAIR_RECORD,		/* write both copies, of a log that was not suspended cleanly */
};

struct repair {
	enum repair_what	what;
	struct log_header	h;		/* of the segment; its number, or all of it */
	u32			page;
	u32			slot;
	enum ssd_part		part;
	u32			copy;
	u32			kept;		/* entries of the page that is written */
	u32			marked;		/* entries that become a lost range */
	u32			dropped;	/* entries that are gone */
	struct ssdup_page	*new;
};

struct plan {
	struct repair	*all;
	size_t		nr;
	struct log_file	*l;
	u8		*owner;		/* see pool_owners(); NULL: it is the only log */
};

/**
 * plan_make() - what to write so that the kernel accepts the log
 * @l: opened and not yet scanned; its findings are filled in, as by check_log()
 *
 * Return: EXIT_OK, also when there is nothing to do, or an exit code with the complaint
 * made. Free with plan_free().
 */
int plan_make(struct log_file *l, struct plan *plan);

/** plan_print() - a line for each step */
void plan_print(FILE *to, const struct plan *plan);

/** plan_apply() - do it: pages first, then headers and the record. Return: 0 or -errno */
int plan_apply(struct plan *plan);

void plan_free(struct plan *plan);

#endif
