// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: JSON of other programs. Pure.
 */
#include <string.h>

#include "jsonread.h"

#define MAX_DEPTH	32
#define MAX_TEXT	256

struct reader {
	const char	*at;
	char		path[1024];
	unsigned int	depth;
	json_fn		fn;
	void		*arg;
};

static char next(struct reader *r)
{
	r->at += strspn(r->at, " \t\r\n");
	return *r->at;
}

static bool take(struct reader *r, char c)
{
	if (next(r) != c)
		return false;
	r->at++;
	return true;
}

static bool read_text(struct reader *r, char to[MAX_TEXT])
{
	size_t len = 0;
	char c;

	if (!take(r, '"'))
		return false;
	while ((c = *r->at) && c != '"') {
		r->at++;
		if (c == '\\') {
			if (!*r->at)
				return false;
			r->at++;
			c = '?';
		}
		if (len + 1 < MAX_TEXT)
			to[len++] = c;
	}
	to[len] = '\0';
	return take(r, '"');
}

/* A number, true, false or null. */
static bool read_word(struct reader *r, char to[MAX_TEXT])
{
	size_t len = strspn(r->at, "+-.0123456789abcdefghijklmnopqrstuvwxyzE");

	if (!len || len >= MAX_TEXT)
		return false;
	memcpy(to, r->at, len);
	to[len] = '\0';
	r->at += len;
	return true;
}

/* Put it behind the path; the length before that. A path that is too long ends early. */
static size_t go_down(struct reader *r, const char *dot, const char *name)
{
	size_t len = strlen(r->path);

	strncat(r->path, dot, sizeof(r->path) - strlen(r->path) - 1);
	strncat(r->path, name, sizeof(r->path) - strlen(r->path) - 1);
	return len;
}

static bool read_value(struct reader *r);

static bool read_members(struct reader *r, char end)
{
	char name[MAX_TEXT];
	size_t len;

	if (++r->depth > MAX_DEPTH)
		return false;
	if (!take(r, end)) {
		do {
			if (end == '}' && (!read_text(r, name) || !take(r, ':')))
				return false;
			len = end == '}' ? go_down(r, *r->path ? "." : "", name) :
			      go_down(r, "[]", "");
			if (!read_value(r))
				return false;
			r->path[len] = '\0';
		} while (take(r, ','));
		if (!take(r, end))
			return false;
	}
	r->depth--;
	r->fn(r->arg, r->path, NULL);
	return true;
}

static bool read_value(struct reader *r)
{
	char text[MAX_TEXT];

	if (take(r, '{'))
		return read_members(r, '}');
	if (take(r, '['))
		return read_members(r, ']');
	if (!(*r->at == '"' ? read_text(r, text) : read_word(r, text)))
		return false;
	r->fn(r->arg, r->path, text);
	return true;
}

bool json_read(const char *text, json_fn fn, void *arg)
{
	struct reader r = { .at = text, .fn = fn, .arg = arg };

	return read_value(&r) && !next(&r);
}
