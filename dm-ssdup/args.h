/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: keys and values of the table line, of the message "set" and in sysfs.
 */
#ifndef SSDUP_ARGS_H
#define SSDUP_ARGS_H

#include "ssdup.h"

/**
 * ssdup_parse() - read the settings from the arguments behind the two devices
 *
 * Return: 0, or -EINVAL with *error set to a text that names the key.
 */
int ssdup_parse(struct ssdup *c, struct dm_arg_set *as, char **error);

/**
 * ssdup_set() - change one key at run time
 *
 * The change takes effect at once. Keys that the log or the table fixes are refused.
 *
 * Context: process.
 * Return: 0, or -EINVAL with *error set.
 */
int ssdup_set(struct ssdup *c, const char *key, const char *value, const char **error);

/**
 * ssdup_error() - say why a table is refused, if that takes more than a fixed text
 *
 * dm core prints ti->error when the constructor has failed, and the target's memory is gone.
 *
 * Return: ssdup_error_said, for ti->error, which points to what was said.
 */
char *ssdup_error(const struct ssdup *c, const char *fmt, ...) __printf(2, 3);
extern char ssdup_error_said[];

/**
 * ssdup_emit_args() - print the optional arguments of the table line, as given or set since
 *
 * Return: characters written.
 */
unsigned int ssdup_emit_args(struct ssdup *c, char *result, unsigned int maxlen);

/** ssdup_key_value() - print the value of a key. Return: its length. */
int ssdup_key_value(struct ssdup *c, const struct ssdup_settings_key *key, char *buf, size_t len);

#endif
