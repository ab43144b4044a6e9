/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: keys and values: the table line, the message "set" and sysfs.
 */
#ifndef SSDUP_ARGS_H
#define SSDUP_ARGS_H

#include "ssdup.h"

/**
 * ssdup_parse() - settings from the arguments behind the two devices
 *
 * Return: 0, or -EINVAL with *error set to a text that names the key.
 */
int ssdup_parse(struct ssdup *c, struct dm_arg_set *as, char **error);

/**
 * ssdup_set() - one key at run time
 *
 * Context: process. Takes effect at once; keys that are fixed by the log or
 * the table are refused.
 * Return: 0, -EINVAL with *error set.
 */
int ssdup_set(struct ssdup *c, const char *key, const char *value, const char **error);

/**
 * ssdup_error() - a text for ti->error that is made up at run time
 *
 * Return: one of a few static buffers, in turn; it outlives the constructor.
 */
char *ssdup_error(const char *fmt, ...) __printf(1, 2);

/** ssdup_given() - was a key part of the table line, or set since? */
bool ssdup_given(struct ssdup *c, const char *name);

/**
 * ssdup_emit_args() - the optional arguments of a table line, as given or set since
 *
 * Return: characters written.
 */
unsigned int ssdup_emit_args(struct ssdup *c, char *result, unsigned int maxlen);

/** ssdup_key_value() - the value of a key that exists as text. Return: its length. */
int ssdup_key_value(struct ssdup *c, const char *key, char *buf, size_t len);

#endif
