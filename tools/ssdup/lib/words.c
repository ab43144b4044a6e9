// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: a status line to numbers, and numbers to words. Pure.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "state.h"

const struct field fields[] = {
#define SSDUP_FIELD(symbol, name, unit, text)	{ #name, text, unit },
#define SSDUP_STAT(symbol, name, unit, text)	{ #name, text, unit },
#include "dm-ssdup/core/fields.h"
};

#define NR(array)	(sizeof(array) / sizeof((array)[0]))
#define FIRST_FIELDS	40	/* those that the first version had */

uint64_t state_field(const struct state *s, enum ssdup_field field)
{
	return ((const uint64_t *)&s->v)[field];
}

bool state_parse(struct state *s, const char *line)
{
	uint64_t *v = (uint64_t *)&s->v;
	const char *p = line;
	char *end;

	memset(&s->v, 0, sizeof(s->v));
	for (s->nr = 0; s->nr < SSDUP_NR_FIELDS; s->nr++, p = end) {
		p += strspn(p, " ");
		if (!*p)
			break;
		if (*p < '0' || *p > '9')
			return false;
		errno = 0;
		v[s->nr] = strtoull(p, &end, 10);
		if (errno || (*end && *end != ' '))
			return false;
	}
	return s->nr >= FIRST_FIELDS;
}

static const char *word(const char * const words[], size_t nr, uint64_t i)
{
	return i < nr && *words[i] ? words[i] : "?";
}

const char *policy_word(uint64_t policy)
{
	static const char * const words[] = {
#define SSDUP_POLICY(symbol, name, ...)		name,
#include "dm-ssdup/core/states.h"
	};

	return word(words, NR(words), policy);
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

const char *state_degraded(const struct state *s)
{
	if (s->v.mode == MODE_LOG_FAILED)
		return "the log has failed: the SSD does not answer";
	if (s->v.mode == MODE_LOG_READ_ONLY)
		return "the log is read-only: the SSD has refused a write";
	if (s->v.mode)
		return "it is in a mode that this tool does not know";
	if (s->ssd_gone)
		return "the SSD is gone";
	if (s->hdd_gone)
		return "the HDD is gone";
	if (s->lost)
		return "the SSD would not give back some of the log: ranges are lost";
	if (s->v.drain_errno)
		return "the last drain failed";
	return NULL;
}
