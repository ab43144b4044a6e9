// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: keys and their values, before the kernel sees them. What is wrong with them is said in the
 * kernel's words.
 */
#include <stdlib.h>
#include <string.h>

#include "keys.h"
#include "tool.h"

char *key_fault(struct ssdup_settings *set, const char *key, const char *value)
{
	switch (ssdup_settings_take(set, key, value)) {
	case SETTINGS_OK:
		if (ssdup_settings_find(key)->kind == SETTINGS_MIRROR)
			return xprintf("%s: --mirror names that of a new log", key);
		if (ssdup_settings_find(key)->kind == SETTINGS_DEVICE)
			return xprintf("%s: --ssd names each SSD of a new log", key);
		break;
	case SETTINGS_UNKNOWN:
		return xprintf("%s: unknown key; if an earlier version had it, take it out", key);
	case SETTINGS_TWICE:
		return xprintf("%s: given twice", key);
	case SETTINGS_VALUE:
		return xprintf("%s: %s", ssdup_settings_find(key)->error, value);
	}
	return NULL;
}

char *keys_fault(const char *args)
{
	char *copy = xstrdup(args), *save = NULL, *key, *fault = NULL;
	struct ssdup_settings set;
	const char *why;

	ssdup_settings_preset(&set);
	for (key = strtok_r(copy, " ", &save); key && !fault; key = strtok_r(NULL, " ", &save))
		fault = key_fault(&set, key, strtok_r(NULL, " ", &save) ?: "");
	why = fault ? NULL : ssdup_settings_conflict(&set);
	free(copy);
	return why ? xstrdup(why) : fault;
}

char *key_fault_running(const char *key, const char *value)
{
	const struct ssdup_settings_key *k = ssdup_settings_find(key);
	struct ssdup_settings set;

	if (k && !k->file)
		return xprintf("%s: fixed while the device runs", key);
	ssdup_settings_preset(&set);
	return key_fault(&set, key, value);
}
