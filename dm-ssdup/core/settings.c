// SPDX-License-Identifier: GPL-2.0-only
/* Decides what each key of a table may be. */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/string.h>

#include "format.h"
#include "settings.h"

static const char * const policies[] = {
#define SSDUP_POLICY(symbol, name, ...)	\
	[SSDUP_POLICY_##symbol] = name,
#include "states.h"
	NULL
};

static const char * const drains[] = {
	[SSDUP_DRAIN_AUTO]	= "auto",
	[SSDUP_DRAIN_EAGER]	= "eager",
	[SSDUP_DRAIN_MANUAL]	= "manual",
	NULL
};

static const char * const overrides[] = {
	[0]						= "none",
	[SSDUP_OVERRIDE_HOST]				= "host",
	[SSDUP_OVERRIDE_HDD]				= "hdd",
	[SSDUP_OVERRIDE_HOST | SSDUP_OVERRIDE_HDD]	= "both",
	NULL
};

/* An amount is given in MiB, or with this bit in thousandths of the SSD (drive writes). */
#define AMOUNT_DRIVE	BIT(31)
#define AMOUNT_MAX	(AMOUNT_DRIVE - 1)
#define DRIVE		1000U
#define DRIVE_MAX	(100 * DRIVE)
#define DRIVE_WORD	"dwpd"

#define KEY(key_name, key_preset, array, least, most, takes, ...)	\
	.name = #key_name, .offset = offsetof(struct ssdup_settings, key_name), \
	.preset = key_preset, .words = array, .min = least, .max = most, \
	.error = #key_name ": not " takes

static const struct ssdup_settings_key keys[] = {
#define SSDUP_KEY(name, file_name, ...)					\
	{ KEY(name, __VA_ARGS__), .file = #file_name },
#define SSDUP_AMOUNT_KEY(name, file_name, ...)				\
	{ KEY(name, __VA_ARGS__), .file = #file_name, .amount = true },
#define SSDUP_FIXED_KEY(name, ...)	{ KEY(name, __VA_ARGS__) },
#define SSDUP_TEXT_KEY(key_name, of, takes, ...)			\
	{ .name = #key_name, .kind = SETTINGS_##of, .error = #key_name ": not " takes, \
	  .offset = offsetof(struct ssdup_settings, key_name) },
#include "keys.h"
};

/* One bit for each in struct ssdup_settings::given. */
static_assert(ARRAY_SIZE(keys) <= 32);

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
		if (keys[i].kind == SETTINGS_NUMBER)
			*ssdup_settings_of(set, &keys[i]) = keys[i].preset;
	ssdup_classes_preset(&set->classes);
	memset(set->log, 0, sizeof(set->log));
	memset(set->host, 0, sizeof(set->host));
	set->ssd = 0;
	set->mirror = 0;
	set->given = 0;
}

/* Take digits off a text. Return: false when there are none, or they are more than @max. */
static bool digits(const char **text, u32 max, u64 *value)
{
	const char *from = *text;

	for (*value = 0; **text >= '0' && **text <= '9'; (*text)++) {
		*value = 10 * *value + (**text - '0');
		if (*value > max)
			return false;
	}
	return *text != from;
}

/* Like kstrtou32(), but only digits, at most @max; user space runs this, too. */
static bool number(const char *text, u32 max, u32 *value)
{
	u64 n;

	if (!digits(&text, max, &n) || *text)
		return false;
	*value = n;
	return true;
}

/* "0", "200G" (or M, T), or "0.5dwpd" with up to three digits behind the point. */
static bool amount(const char *text, u32 *value)
{
	static const char units[] = "MGT";
	u32 unit, scale = DRIVE;
	const char *at;
	u64 n;

	if (!digits(&text, AMOUNT_MAX, &n))
		return false;
	if (*text && !text[1]) {
		at = strchr(units, *text);
		for (unit = at ? at - units : 0; unit && n <= AMOUNT_MAX; unit--)
			n *= 1024;
		*value = n;
		return at && n <= AMOUNT_MAX;
	}
	n *= DRIVE;
	if (*text == '.') {
		text++;
		for (; *text >= '0' && *text <= '9' && scale > 1; text++) {
			scale /= 10;
			n += (*text - '0') * scale;
		}
		if (scale == DRIVE)
			return false;
	}
	*value = n | (n ? AMOUNT_DRIVE : 0);
	return n <= DRIVE_MAX && (!strcmp(text, DRIVE_WORD) || (!n && !*text));
}

bool ssdup_settings_value(const struct ssdup_settings_key *key, const char *text, u32 *value)
{
	u32 i;

	if (key->kind != SETTINGS_NUMBER)
		return false;
	for (i = 0; key->words && key->words[i]; i++)
		if (!strcmp(key->words[i], text)) {
			*value = i;
			return true;
		}
	if (key->amount)
		return amount(text, value);
	return !key->words && number(text, key->max, value) && *value >= key->min;
}

/* Hexadecimal digits, by 8-4-4-4-12, and not all of them 0. */
static bool uuid_value(const char *text, u8 uuid[16])
{
	static const char digits[] = "0123456789abcdef";
	u32 i, nibble = 0;
	const char *at;

	memset(uuid, 0, 16);
	for (i = 0; i < 36; i++, text++) {
		if (i == 8 || i == 13 || i == 18 || i == 23) {
			if (*text != '-')
				return false;
			continue;
		}
		at = memchr(digits, *text, strlen(digits));
		if (!at)
			return false;
		uuid[nibble / 2] |= (at - digits) << (nibble % 2 ? 0 : 4);
		nibble++;
	}
	return !*text && memchr_inv(uuid, 0, 16);
}

int ssdup_settings_text(const struct ssdup_settings_key *key, u32 value, char *buf, size_t len)
{
	u32 drive = value & AMOUNT_MAX;

	if (key->words)
		return scnprintf(buf, len, "%s", key->words[value]);
	if (!key->amount || !value)
		return scnprintf(buf, len, "%u", value);
	if (value & AMOUNT_DRIVE)
		return scnprintf(buf, len, "%u.%03u" DRIVE_WORD, drive / DRIVE, drive % DRIVE);
	if (value % 1024)
		return scnprintf(buf, len, "%uM", value);
	if (value % (1024 * 1024))
		return scnprintf(buf, len, "%uG", value / 1024);
	return scnprintf(buf, len, "%uT", value / (1024 * 1024));
}

u64 ssdup_settings_sectors(u32 amount, u64 ssd)
{
	if (amount & AMOUNT_DRIVE)
		return max(mul_u64_u64_div_u64(ssd, amount & AMOUNT_MAX, DRIVE), 1ULL);
	return (u64)amount << (20 - 9);
}

enum settings_fault ssdup_settings_take(struct ssdup_settings *set, const char *name,
					const char *text)
{
	const struct ssdup_settings_key *key = ssdup_settings_find(name);
	u32 value;

	if (!key)
		return SETTINGS_UNKNOWN;
	if (set->given & ssdup_settings_bit(key) && key->kind != SETTINGS_DEVICE &&
	    key->kind != SETTINGS_MIRROR)
		return SETTINGS_TWICE;
	switch (key->kind) {
	case SETTINGS_CLASSES:
		if (!ssdup_classes_parse(&set->classes, text))
			return SETTINGS_VALUE;
		break;
	case SETTINGS_UUID:
		if (!uuid_value(text, (u8 *)set + key->offset))
			return SETTINGS_VALUE;
		break;
	case SETTINGS_DEVICE:
	case SETTINGS_MIRROR:
		/* All drives are locked together, see log/metadata.c. */
		if (!*text || set->ssd + set->mirror == SSDUP_MAX_SSDS - 1)
			return SETTINGS_VALUE;
		++*((u8 *)set + key->offset);
		break;
	default:
		if (!ssdup_settings_value(key, text, &value))
			return SETTINGS_VALUE;
		*ssdup_settings_of(set, key) = value;
	}
	set->given |= ssdup_settings_bit(key);
	return SETTINGS_OK;
}

const char *ssdup_settings_conflict(const struct ssdup_settings *set)
{
	if (set->ssd_budget && set->policy != SSDUP_POLICY_BALANCE &&
	    set->policy != SSDUP_POLICY_NONE)
		return "ssd_budget: only with policy balance or none";
	if (set->promote && !set->clean)
		return "promote: only with clean above 0";
	return NULL;
}
