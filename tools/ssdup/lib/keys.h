/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: keys and their values, before the kernel sees them.
 */
#ifndef SSDUP_TOOL_KEYS_H
#define SSDUP_TOOL_KEYS_H

#include "dm-ssdup/core/settings.h"

/**
 * key_fault() - take a key of a table line, as the kernel would
 * @set: preset, with the keys in front of it
 *
 * Return: NULL, or what is wrong with it; free() it.
 */
char *key_fault(struct ssdup_settings *set, const char *key, const char *value);

/** keys_fault() - the first thing wrong with "KEY VALUE KEY VALUE ...", or NULL; free() it */
char *keys_fault(const char *args);

/** key_fault_running() - the same of one key that is to be changed while the device runs */
char *key_fault_running(const char *key, const char *value);

#endif
