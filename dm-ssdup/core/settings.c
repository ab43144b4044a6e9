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

#define KEY(key_name, key_preset, ...) {				\
	.name = #key_name,						\
	.offset = offsetof(struct ssdup_settings, key_name),		\
	.preset = key_preset, __VA_ARGS__				\
}

/* One line a key. */
static const struct ssdup_settings_key keys[] = {
	KEY(policy, SSDUP_POLICY_BALANCE, .words = policies,
	    .error = "policy: not adaptive, watermark, all, none or balance"),
	KEY(stream_length, SSDUP_STREAM_DEFAULT, .min = SSDUP_STREAM_MIN, .max = SSDUP_STREAM_MAX,
	    .error = "stream_length: not a number from 2 to 1024"),
	KEY(to_ssd_above, 45, .max = 100, .error = "to_ssd_above: not a per cent from 0 to 100"),
	KEY(to_hdd_below, 30, .max = 100, .error = "to_hdd_below: not a per cent from 0 to 100"),
	KEY(halves, SSDUP_MIN_HALVES, .min = SSDUP_MIN_HALVES, .max = SSDUP_MAX_HALVES,
	    .fixed = true, .error = "halves: not a number from 2 to 16"),
	KEY(range_mb, 0, .min = 1, .max = 65536, .power = true, .fixed = true,
	    .error = "range_mb: not a power of two from 1 to 65536"),
	KEY(full, SSDUP_FULL_BLOCK, .words = fulls, .error = "full: not block or bypass"),
	KEY(drain, SSDUP_DRAIN_AUTO, .words = drains, .error = "drain: not auto, eager or manual"),
	KEY(drain_depth, 256, .min = 1, .max = SSDUP_DRAIN_DEPTH_MAX,
	    .error = "drain_depth: not a number from 1 to 1024"),
	KEY(autocommit_ms, 1000, .min = 1, .max = 3600000,
	    .error = "autocommit_ms: not a number from 1 to 3600000"),
	KEY(flush_on_suspend, 0, .max = 1, .error = "flush_on_suspend: not 0 or 1"),
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
	static_assert(sizeof(enum ssdup_policy) == sizeof(u32), "all settings have one width");
	return (u32 *)((char *)set + key->offset);
}

void ssdup_settings_preset(struct ssdup_settings *set)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		*ssdup_settings_of(set, &keys[i]) = keys[i].preset;
	set->given = 0;
}

/* Digits alone, as kstrtou32() takes them; what is too large for @max is too large for all. */
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
