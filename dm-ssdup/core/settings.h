/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the keys of a table and their values. Pure: the kernel and "ssdup tab --check"
 * share it, so that both refuse the same tables.
 */
#ifndef SSDUP_SETTINGS_H
#define SSDUP_SETTINGS_H

#include "class.h"
#include "format.h"

#define SSDUP_CLEAN_MAX		90U	/* per cent */

/* The value of each key. */
struct ssdup_settings {
	u32
#define SSDUP_KEY(name, ...)		name,
#define SSDUP_AMOUNT_KEY(name, ...)	name,
#define SSDUP_FIXED_KEY(name, ...)	name,
#include "keys.h"
		given;		/* one bit for each key that was set */
	struct class_table classes;
	u8 log[16];			/* UUIDs; all zero: not given */
	u8 host[SSDUP_HOST_BYTES];
	u8 ssd;				/* how many were given */
	u8 mirror;			/* the same */
};

enum settings_kind {
	SETTINGS_NUMBER,	/* a u32, whatever its words are */
	SETTINGS_CLASSES,
	SETTINGS_UUID,
	SETTINGS_DEVICE,	/* may be given several times; the caller has the names */
	SETTINGS_MIRROR,	/* the same, of the device before it */
};

/*
 * A key takes one of @words, or a number from @min to @max, or bytes or drive writes, or the names
 * of classes, or a UUID.
 */
struct ssdup_settings_key {
	const char		*name;
	u32			offset;
	const char * const	*words;
	u32			min;
	u32			max;
	u32			preset;
	bool			amount;		/* see ssdup_settings_sectors() */
	u8			kind;		/* enum settings_kind */
	const char		*file;		/* in sysfs; NULL: cannot be set at run time */
	const char		*error;
};

enum settings_fault {
	SETTINGS_OK,
	SETTINGS_UNKNOWN,	/* no such key */
	SETTINGS_TWICE,		/* the key was given before */
	SETTINGS_VALUE,		/* see the key's @error */
};

/** ssdup_settings_key() - key number @i, or NULL behind the last one */
const struct ssdup_settings_key *ssdup_settings_key(u32 i);

/** ssdup_settings_nr_keys() - the number of keys */
u32 ssdup_settings_nr_keys(void);

/** ssdup_settings_find() - the key of that name, or NULL */
const struct ssdup_settings_key *ssdup_settings_find(const char *name);

/** ssdup_settings_bit() - the bit of a key in struct ssdup_settings::given */
u32 ssdup_settings_bit(const struct ssdup_settings_key *key);

/** ssdup_settings_of() - pointer to the value of a key in @set that is a number */
u32 *ssdup_settings_of(struct ssdup_settings *set, const struct ssdup_settings_key *key);

/** ssdup_settings_preset() - set all keys to their defaults */
void ssdup_settings_preset(struct ssdup_settings *set);

/** ssdup_settings_value() - read a value. Return: false when the key does not accept it. */
bool ssdup_settings_value(const struct ssdup_settings_key *key, const char *text, u32 *value);

/** ssdup_settings_text() - print a value as the key takes it. Return: its length. */
int ssdup_settings_text(const struct ssdup_settings_key *key, u32 value, char *buf, size_t len);

/** ssdup_settings_sectors() - an amount that was given, on an SSD of @ssd sectors; sectors */
u64 ssdup_settings_sectors(u32 amount, u64 ssd);

/** ssdup_settings_take() - set a key from the words of a table line */
enum settings_fault ssdup_settings_take(struct ssdup_settings *set, const char *name,
					const char *text);

/** ssdup_settings_conflict() - a text that names values which exclude each other, or NULL */
const char *ssdup_settings_conflict(const struct ssdup_settings *set);

#endif
