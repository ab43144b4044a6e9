/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: writes JSON, indented by two blanks a level. Keys are given in an object and
 * are NULL in an array.
 */
#ifndef SSDUP_JSON_H
#define SSDUP_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
	FILE		*to;
	unsigned int	depth;
	bool		some;	/* in the innermost object or array */
};

/** json_begin() - open an object ('{') or an array ('[') */
void json_begin(struct json *j, const char *key, char kind);

/** json_end() - close what was opened last ('}' or ']'); a newline after the outermost */
void json_end(struct json *j, char kind);

/** json_text() - a string, escaped; null for NULL. Bytes that are no UTF-8 become \ufffd. */
void json_text(struct json *j, const char *key, const char *value);

void json_number(struct json *j, const char *key, uint64_t value);

void json_bool(struct json *j, const char *key, bool value);

#endif
