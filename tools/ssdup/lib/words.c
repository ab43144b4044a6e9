// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: a status line to numbers, and numbers to words. Pure.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dm-ssdup/core/codec.h"
#include "words.h"

const struct field fields[] = {
#define SSDUP_FIELD(symbol, name, unit, text)	{ #name, text, unit },
#define SSDUP_STAT(symbol, name, unit, text)	{ #name, text, unit },
#include "dm-ssdup/core/fields.h"
};

#define NR(array)	(sizeof(array) / sizeof((array)[0]))

uint64_t state_field(const struct state *s, enum ssdup_field field)
{
	return ((const uint64_t *)&s->v)[field];
}

bool state_parse(struct state *s, const char *line)
{
	uint64_t *v = (uint64_t *)&s->v, value;
	unsigned int i, known = 0;
	char name[64], *end;
	int len;

	memset(&s->v, 0, sizeof(s->v));
	for (; sscanf(line, " %63[a-z0-9_]%n", name, &len) == 1; line = end) {
		line += len;
		if (*line != ' ' || line[1] < '0' || line[1] > '9')
			return false;
		errno = 0;
		value = strtoull(line, &end, 10);
		if (errno || (*end && *end != ' '))
			return false;
		for (i = 0; i < SSDUP_NR_FIELDS; i++)
			if (!strcmp(fields[i].name, name)) {
				v[i] = value;
				known++;
			}
	}
	return known && !line[strspn(line, " ")];
}

static const char *word(const char * const words[], size_t nr, uint64_t i)
{
	return i < nr && *words[i] ? words[i] : "?";
}

const char *mode_words(uint64_t mode)
{
	static const char * const words[] = {
#define SSDUP_MODE(symbol, name)		name,
#include "dm-ssdup/core/states.h"
	};

	return word(words, NR(words), mode);
}

const char *drain_words(uint64_t drain_state)
{
	static const char * const words[] = {
#define SSDUP_DRAIN_STATE(symbol, name, ...)	name,
#include "dm-ssdup/core/states.h"
	};

	return word(words, NR(words), drain_state);
}

const char *wait_words(uint64_t wait_cause)
{
	static const char * const words[] = {
#define SSDUP_WAIT_CAUSE(symbol, name, ...)	name,
#include "dm-ssdup/core/states.h"
	};

	return word(words, NR(words), wait_cause);
}

const struct trouble *state_trouble(const struct state *s)
{
	static const struct trouble
		failed = { "log failed", "the log has failed: the SSD does not answer" },
		read_only = { "log read-only",
			      "the log is read-only: the SSD has refused a write" },
		unknown = { "?", "it is in a mode that this tool does not know" },
		ssd_gone = { "SSD gone", "the SSD is gone" },
		some_gone = { "SSD gone", "one of its SSDs is gone" },
		mirror_out = { "mirror out",
			       "an SSD or its mirror has failed: what it holds has one copy" },
		ssd_out = { "SSD out", "one of its SSDs has failed, and the others go on" },
		hdd_gone = { "HDD gone", "the HDD is gone" },
		lost = { "ranges lost",
			 "the SSD would not give back some of the log: ranges are lost" },
		no_room = { "no room",
			    "the log has too few segments to take writes; see max_mb in ssdup(8)" },
		drain = { "drain failed", "the last drain failed" };

	/* The mode is what follows of that. */
	if (s->ssd_gone)
		return s->nr_ssds > 1 ? &some_gone : &ssd_gone;
	if (s->hdd_gone)
		return &hdd_gone;
	if (s->v.mode)
		return s->v.mode == MODE_LOG_FAILED ? &failed :
		       s->v.mode == MODE_LOG_READ_ONLY ? &read_only : &unknown;
	if (s->lost)
		return &lost;
	if (s->v.ssds_out)
		return &ssd_out;
	if (s->v.mirrors_out)
		return &mirror_out;
	if (s->v.segments && s->v.segments <= LOG_DRAIN_SEGMENTS)
		return &no_room;
	return s->v.drain_errno ? &drain : NULL;
}

const char *state_degraded(const struct state *s)
{
	const struct trouble *trouble = state_trouble(s);

	return trouble ? trouble->text : NULL;
}
