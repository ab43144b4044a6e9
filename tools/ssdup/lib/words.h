/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: the status of a device as numbers, and in words. Pure.
 */
#ifndef SSDUP_WORDS_H
#define SSDUP_WORDS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "dm-ssdup/core/types.h"

#include "tool.h"

/* All of one type and nothing between them: they are also an array. */
struct state_fields {
#define SSDUP_FIELD(symbol, name, ...)	uint64_t name;
#define SSDUP_STAT(symbol, name, ...)	uint64_t name;
#include "dm-ssdup/core/fields.h"
};

/* What core/fields.h says of a field. */
struct field {
	const char	*name, *text;
	enum { PLAIN, SECTORS, PER_10000, MILLISECONDS } unit;
};

extern const struct field fields[SSDUP_NR_FIELDS];

struct state {
	char		*name;
	char		*log_uuid, *policy;	/* NULL before the first resume */
	dev_t		rdev;
	dev_t		hdd, ssd;	/* 0: unknown */
	dev_t		ssds[2 * SSDUP_MAX_SSDS];	/* with mirrors; the first is @ssd */
	unsigned int	nr_ssds;
	bool		hdd_gone, ssd_gone;	/* pulled: the system does not know it any more */
	uint64_t	sectors;	/* of the device */
	uint64_t	segment_sectors; /* of a segment; 0: likewise */
	bool		suspended, read_only;
	bool		lost;		/* see state_read_lost() */
	int		open_count;	/* -1: unknown */
	struct state_fields v;
};

/** state_field() - the value of a field */
uint64_t state_field(const struct state *s, enum ssdup_field field);

/**
 * state_parse() - read a status line
 * @s: v is filled in; a field that the module does not have is 0
 *
 * Return: false when it is none: it has no field that is known, or one is no number.
 */
bool state_parse(struct state *s, const char *line);

/** state_dirty_bytes() - what the log holds and the HDD has not */
static inline uint64_t state_dirty_bytes(const struct state *s)
{
	return s->v.dirty_sectors * SECTOR_BYTES;
}

/** state_log_bytes() - the size of the log; 0: unknown */
static inline uint64_t state_log_bytes(const struct state *s)
{
	return s->segment_sectors * s->v.segments * SECTOR_BYTES;
}

/** state_policy() - its policy; "?" before the first resume */
static inline const char *state_policy(const struct state *s)
{
	return s->policy ? s->policy : "?";
}

/* In words; "?" for a number beyond what this tool knows. */
const char *mode_words(uint64_t mode);
const char *drain_words(uint64_t drain_state);
const char *wait_words(uint64_t wait_cause);

/* Why a device is not as it should be. */
struct trouble {
	const char	*brief;		/* some words */
	const char	*text;		/* a sentence */
};

/** state_trouble() - the worst that is wrong with the device, or NULL */
const struct trouble *state_trouble(const struct state *s);

/** state_degraded() - why the device is not as it should be, or NULL */
const char *state_degraded(const struct state *s);

#endif
