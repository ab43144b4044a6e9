/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: reads JSON. Pure.
 */
#ifndef SSDUP_JSONREAD_H
#define SSDUP_JSONREAD_H

#include <stdbool.h>

/*
 * Told of each value. @path: "a.b[].c", @value: its text without quotes, NULL at the end of an
 * object or array.
 */
typedef void (*json_fn)(void *arg, const char *path, const char *value);

/**
 * json_read() - tell @fn of all that @text holds, in its order
 *
 * Names and texts are cut off after some hundred bytes, and escaped characters become "?".
 *
 * Return: false for what is no JSON, with @fn called of what stood before that.
 */
bool json_read(const char *text, json_fn fn, void *arg);

#endif
