// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: JSON.
 */
#include "json.h"

/* Bytes of the UTF-8 sequence at @s; 0 when it is none. */
static unsigned int sequence(const unsigned char *s)
{
	unsigned int len, i;

	if (*s < 0x80)
		return 1;
	len = *s >= 0xf0 && *s < 0xf5 ? 4 : *s >= 0xe0 ? 3 : *s >= 0xc2 ? 2 : 0;
	if (*s >= 0xf5)
		return 0;
	for (i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	/* No overlong forms, no surrogates, nothing beyond U+10FFFF. */
	if ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] > 0x9f) ||
	    (*s == 0xf0 && s[1] < 0x90) || (*s == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}

static void put_text(struct json *j, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	unsigned int len;

	fputc('"', j->to);
	while (*s) {
		len = sequence(s);
		if (*s == '"' || *s == '\\')
			fprintf(j->to, "\\%c", *s);
		else if (*s < 0x20 || *s == 0x7f)
			fprintf(j->to, "\\u%04x", *s);
		else if (len)
			fwrite(s, 1, len, j->to);
		else
			fputs("\\ufffd", j->to);
		s += len ? len : 1;
	}
	fputc('"', j->to);
}

static void indent(struct json *j)
{
	fprintf(j->to, "\n%*s", 2 * (int)j->depth, "");
}

static void begin_value(struct json *j, const char *key)
{
	if (j->some)
		fputc(',', j->to);
	if (j->depth)
		indent(j);
	j->some = true;
	if (!key)
		return;
	put_text(j, key);
	fputs(": ", j->to);
}

void json_begin(struct json *j, const char *key, char kind)
{
	begin_value(j, key);
	fputc(kind, j->to);
	j->depth++;
	j->some = false;
}

void json_end(struct json *j, char kind)
{
	j->depth--;
	if (j->some)
		indent(j);
	fputc(kind, j->to);
	j->some = true;
	if (j->depth)
		return;
	fputc('\n', j->to);
	j->some = false;
}

void json_text(struct json *j, const char *key, const char *value)
{
	begin_value(j, key);
	if (value)
		put_text(j, value);
	else
		fputs("null", j->to);
}

void json_number(struct json *j, const char *key, uint64_t value)
{
	begin_value(j, key);
	fprintf(j->to, "%llu", (unsigned long long)value);
}

void json_bool(struct json *j, const char *key, bool value)
{
	begin_value(j, key);
	fputs(value ? "true" : "false", j->to);
}
