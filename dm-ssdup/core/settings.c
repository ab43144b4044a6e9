// SPDX-License-Identifier: GPL-2.0-only
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/string.h>

#include "detector.h"
#include "format.h"
#include "settings.h"

static const char * const policies[] = {
#define SSDUP_POLICY(symbol, name, ...)	\
	[SSDUP_POLICY_##symbol] = name,
#include "states.h"
	NULL
};

static const char * const fulls[] = {
	[SSDUP_FULL_BALANCE]	= "balance",
	[SSDUP_FULL_BLOCK]	= "block",
	[SSDUP_FULL_BYPASS]	= "bypass",
	NULL
};

static const char * const drains[] = {
	[SSDUP_DRAIN_AUTO]	= "auto",
	[SSDUP_DRAIN_EAGER]	= "eager",
	[SSDUP_DRAIN_MANUAL]	= "manual",
	NULL
};

static const char * const discards[] = {
	[SSDUP_DISCARD_AUTO]	= "auto",
	[SSDUP_DISCARD_OFF]	= "off",
	NULL
};

#define KEY(key_name, key_preset, array, least, most, takes, ...)	\
	.name = #key_name, .offset = offsetof(struct ssdup_settings, key_name), \
	.preset = key_preset, .words = array, .min = least, .max = most, \
	.error = #key_name ": not " takes

static const struct ssdup_settings_key keys[] = {
#define SSDUP_KEY(name, file_name, ...)					\
	{ KEY(name, __VA_ARGS__), .file = #file_name },
#define SSDUP_FIXED_KEY(name, is_power, ...)				\
	{ KEY(name, __VA_ARGS__), .power = is_power },
#include "keys.h"
};

const struct ssdup_settings_key *ssdup_settings_key(u32 i)
{
	return i < ARRAY_SIZE(keys) ? &keys[i] : NULL;
}

u32 ssdup_settings_nr_keys(void)
{
	return ARRAY_SIZE(keys);
}

const struct ssdup_settings_key *ssdup_settings_find(const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		if (!strcmp(keys[i].name, name))
			return &keys[i];
	return NULL;
}

u32 ssdup_settings_bit(const struct ssdup_settings_key *key)
{
	return BIT(key - keys);
}

u32 *ssdup_settings_of(struct ssdup_settings *set, const struct ssdup_settings_key *key)
{
	return (u32 *)((char *)set + key->offset);
}

void ssdup_settings_preset(struct ssdup_settings *set)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		*ssdup_settings_of(set, &keys[i]) = keys[i].preset;
	set->given = 0;
}

/* Like kstrtou32(), but only digits, at most @max; user space runs this, too. */
static bool number(const char *text, u32 max, u32 *value)
{
	u64 n = 0;

	if (!*text)
		return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return false;
		n = 10 * n + (*text - '0');
		if (n > max)
			return false;
	}
	*value = n;
	return true;
}

bool ssdup_settings_value(const struct ssdup_settings_key *key, const char *text, u32 *value)
{
	u32 i;

	for (i = 0; key->words && key->words[i]; i++)
		if (!strcmp(key->words[i], text)) {
			*value = i;
			return true;
		}
	if (key->words || !number(text, key->max, value) || *value < key->min)
		return false;
	return !key->power || is_power_of_2(*value);
}

enum settings_fault ssdup_settings_take(struct ssdup_settings *set, const char *name,
					const char *text)
{
	const struct ssdup_settings_key *key = ssdup_settings_find(name);
	u32 value;

	if (!key)
		return SETTINGS_UNKNOWN;
	if (set->given & ssdup_settings_bit(key))
		return SETTINGS_TWICE;
	if (!ssdup_settings_value(key, text, &value))
		return SETTINGS_VALUE;
	*ssdup_settings_of(set, key) = value;
	set->given |= ssdup_settings_bit(key);
	return SETTINGS_OK;
}

const char *ssdup_settings_conflict(const struct ssdup_settings *set)
{
	if (set->to_hdd_below > set->to_ssd_above)
		return "to_hdd_below: must not be above to_ssd_above";
	return NULL;
}
