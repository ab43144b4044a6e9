/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: what can be wrong with a log. Each kind has a number and a name that never
 * change, and are listed in Documentation/rescue.rst. E1xx is about the superblock, E2xx
 * about pages, E3xx about entries, E4xx about data, E5xx about the log's record, E6xx about
 * headers of segments. Where the last two digits are 1 to 22, 34 to 39, 41 or 42, they are
 * the number the kernel gives the same fault (enum log_fault).
 */
#ifndef SSDUP_FAULTS_H
#define SSDUP_FAULTS_H

#include "lib/json.h"
#include "lib/super.h"

enum severity {
	SEV_NOTE,		/* no harm */
	SEV_REPAIRABLE,		/* repair mends it, and nothing is lost */
	SEV_REFUSED,		/* nothing need be damaged, but it cannot be used here */
	SEV_LOST,		/* something that was acknowledged is lost */
	NR_SEVERITIES,
};

/* Where the kernel has a number: plus that, an enum log_fault. */
#define FAULT_SUPER		100U
#define FAULT_PAGE		200U
#define FAULT_ENTRY		300U
#define FAULT_RECORD		500U
#define FAULT_HEADER		600U

enum {
#define FINDING_KIND(symbol, number, ...)	FAULT_##symbol = number,
#include "faultlist.h"
};

/* One fault, and where it is; -1 where that means nothing. */
struct finding {
	unsigned int	number;
	enum severity	severity;
	enum ssd_part	part;		/* that @copy is of */
	int		copy;
	int64_t		segment;
	int64_t		page;
	int		slot;
	int		entry;
	uint64_t	start;		/* HDD sectors that it is about */
	uint64_t	sectors;	/* 0: none, or not known which */
	char		text[112];	/* more than its kind says, or "" */
};

struct findings {
	struct finding	*all;
	size_t		nr;
	size_t		more;		/* that were counted only */
	uint64_t	of[NR_SEVERITIES];
};

/* So many are kept; a log made to have faults has no end of them. */
#define MAX_FINDINGS	4096U

/** fault_name() - its stable name, such as "super-crc" */
const char *fault_name(unsigned int number);

/** fault_text() - in a few words */
const char *fault_text(unsigned int number);

/** fault_severity() - what it is unless the finding says otherwise */
enum severity fault_severity(unsigned int number);

const char *severity_name(enum severity severity);

/** finding() - one of that number, nowhere yet */
struct finding finding(unsigned int number);

/** found() - add it */
void found(struct findings *list, const struct finding *f);

void findings_free(struct findings *list);

/** findings_exit() - the exit code that the worst of them asks for */
int findings_exit(const struct findings *list);

/** finding_print() - "E103 super-crc (repairable): superblock copy 1: ...", a line */
void finding_print(FILE *to, const struct finding *f);

/** finding_json() - the same as an object of an array */
void finding_json(struct json *j, const struct finding *f);

#endif
