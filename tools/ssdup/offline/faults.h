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
	FAULT_SUPER_BLANK	= 101,
	FAULT_SUPER_FOREIGN	= 102,
	FAULT_SUPER_CRC		= 103,
	FAULT_SUPER_VERSION	= 104,
	FAULT_SUPER_INCOMPAT	= 105,
	FAULT_SUPER_RO_COMPAT	= 106,
	FAULT_SUPER_GEOMETRY	= 107,
	FAULT_SUPER_GENERATION	= 108,
	FAULT_HDD_SIZE		= 109,
	FAULT_SSD_SIZE		= 110,
	FAULT_BLOCK_SIZE	= 111,
	FAULT_TWO_LOGS		= 121,
	FAULT_SUPER_UUID	= 122,
	FAULT_SUPER_UNREADABLE	= 130,
	FAULT_SUPER_BEHIND	= 131,
	FAULT_SUPER_UNLIKE	= 132,
	FAULT_SUPER_COMPAT	= 133,
	FAULT_HDD_OTHER		= 140,
	FAULT_SUPER_LOGS	= 142,
	FAULT_PAGE_TORN		= 203,
	FAULT_PAGE_COUNT	= 213,
	FAULT_PAGES_MISSING	= 220,
	FAULT_PAGE_NUMBER	= 229,
	FAULT_PAGE_UNREADABLE	= 230,
	FAULT_PAGE_DAMAGED	= 231,
	FAULT_PAGES_BEHIND	= 232,
	FAULT_PAGES_MORE	= 233,
	FAULT_PAGES_GAP		= 234,
	FAULT_ENTRY_KIND	= 314,
	FAULT_ENTRY_EMPTY	= 315,
	FAULT_ENTRY_HDD		= 316,
	FAULT_ENTRY_LOG		= 317,
	FAULT_ENTRY_UNALIGNED	= 318,
	FAULT_ENTRY_SHARED	= 330,
	FAULT_RANGE_LOST	= 331,
	FAULT_DATA_UNREADABLE	= 401,
	FAULT_RECORD_FOREIGN	= 502,
	FAULT_RECORD_CRC	= 503,
	FAULT_RECORD_GEOMETRY	= 507,
	FAULT_RECORD_GENERATION	= 508,
	FAULT_RECORD_TWO_LOGS	= 521,
	FAULT_RECORD_UUID	= 522,
	FAULT_RECORD_UNREADABLE	= 530,
	FAULT_RECORD_BEHIND	= 531,
	FAULT_RECORD_UNLIKE	= 532,
	FAULT_RECORD_MISSING	= 536,
	FAULT_HOST_OTHER	= 541,
	FAULT_HEADER_GENERATION	= 608,
	FAULT_HEADER_EPOCH	= 619,
	FAULT_HEADER_UNREADABLE	= 630,
	FAULT_HEADER_DAMAGED	= 631,
	FAULT_SEGMENT_GAP	= 637,
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
