// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: sizes and times as people write and read them. Pure.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tool.h"

#define MAX_FRACTION	1000000000ULL

/* Digits at *text, which they leave behind. */
static int digits(const char **text, uint64_t *value)
{
	const char *p = *text;

	if (!isdigit((unsigned char)*p))
		return -EINVAL;
	for (*value = 0; isdigit((unsigned char)*p); p++)
		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, *p - '0', value))
			return -ERANGE;
	*text = p;
	return 0;
}

/* The digits behind a point, as a part of MAX_FRACTION; further ones do not count. */
static int fraction(const char **text, uint64_t *value)
{
	uint64_t unit = MAX_FRACTION / 10;
	const char *p = *text;

	*value = 0;
	if (*p != '.')
		return 0;
	if (!isdigit((unsigned char)*++p))
		return -EINVAL;
	for (; isdigit((unsigned char)*p); p++, unit /= 10)
		*value += (*p - '0') * unit;
	*text = p;
	return 0;
}

/* What a suffix multiplies by; 0 for an unknown one. */
static uint64_t suffix(const char *text)
{
	static const char letters[] = "kmgtpe";
	const char *at;
	uint64_t unit = 1;
	unsigned int base;

	if (!*text || !strcasecmp(text, "b"))
		return 1;
	if (!strcmp(text, "s"))
		return SECTOR_BYTES;
	at = strchr(letters, tolower((unsigned char)*text));
	if (!at || !*at)
		return 0;
	if (!text[1] || !strcasecmp(text + 1, "ib"))
		base = 1024;
	else if (!strcasecmp(text + 1, "b"))
		base = 1000;
	else
		return 0;
	for (; at >= letters; at--)
		unit *= base;
	return unit;
}

int parse_size(const char *text, uint64_t *bytes)
{
	uint64_t whole, part, unit;
	int r;

	r = digits(&text, &whole) ?: fraction(&text, &part);
	if (r)
		return r;
	unit = suffix(text);
	if (!unit)
		return -EINVAL;
	if (part && unit == 1)
		return -EINVAL;
	part = (__uint128_t)part * unit / MAX_FRACTION;
	if (__builtin_mul_overflow(whole, unit, bytes) ||
	    __builtin_add_overflow(*bytes, part, bytes))
		return -ERANGE;
	return 0;
}

int parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
	int r = digits(&text, value);

	if (r)
		return r;
	if (*text)
		return -EINVAL;
	return *value < min || *value > max ? -ERANGE : 0;
}

const char *format_size(char text[SIZE_TEXT], uint64_t bytes)
{
	static const char letters[] = "KMGTPE";
	uint64_t tenths = bytes;
	unsigned int i = 0;

	if (bytes < 1024) {
		snprintf(text, SIZE_TEXT, "%llu B", (unsigned long long)bytes);
		return text;
	}
	/* Rounded in the unit shown, so that 1023.96 MiB becomes a GiB. */
	for (;; i++) {
		unsigned int shift = 10 * (i + 1);

		tenths = ((__uint128_t)bytes * 10 + (1ULL << (shift - 1))) >> shift;
		if (tenths < 10240 || !letters[i + 1])
			break;
	}
	snprintf(text, SIZE_TEXT, "%llu.%u %ciB", (unsigned long long)tenths / 10,
		 (unsigned int)(tenths % 10), letters[i]);
	return text;
}

const char *format_time(char text[SIZE_TEXT], uint64_t seconds)
{
	if (seconds < 60)
		snprintf(text, SIZE_TEXT, "%u s", (unsigned int)seconds);
	else if (seconds < 3600)
		snprintf(text, SIZE_TEXT, "%u min %02u s", (unsigned int)seconds / 60,
			 (unsigned int)seconds % 60);
	else if (seconds < 100 * 3600)
		snprintf(text, SIZE_TEXT, "%u h %02u min", (unsigned int)seconds / 3600,
			 (unsigned int)seconds / 60 % 60);
	else
		snprintf(text, SIZE_TEXT, "over 4 days");
	return text;
}
