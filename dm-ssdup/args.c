// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: keys and values: the table line, the message "set" and sysfs.
 */
#include "ssdup.h"

static const char * const policies[] = {
	[SSDUP_POLICY_ADAPTIVE]		= "adaptive",
	[SSDUP_POLICY_WATERMARK]	= "watermark",
	[SSDUP_POLICY_ALL]		= "all",
	[SSDUP_POLICY_NONE]		= "none",
	[SSDUP_POLICY_BALANCE]		= "balance",
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

/*
 * One line a key. A key takes one of @words, or a number from @min to @max. All
 * settings are 32 bits wide, the enums too.
 */
struct ssdup_key {
	const char		*name;
	size_t			offset;
	const char * const	*words;
	u32			min;
	u32			max;
	u32			preset;
	bool			fixed;		/* cannot be set at run time */
	const char		*error;
};

#define KEY(key_name, key_preset, ...) {				\
	.name = #key_name,						\
	.offset = offsetof(struct ssdup_settings, key_name),		\
	.preset = key_preset, __VA_ARGS__				\
}

static const struct ssdup_key keys[] = {
	KEY(policy, SSDUP_POLICY_BALANCE, .words = policies,
	    .error = "policy: not adaptive, watermark, all, none or balance"),
	KEY(stream_length, SSDUP_STREAM_DEFAULT, .min = SSDUP_STREAM_MIN, .max = SSDUP_STREAM_MAX,
	    .error = "stream_length: not a number from 2 to 1024"),
	KEY(to_ssd_above, 45, .max = 100, .error = "to_ssd_above: not a per cent from 0 to 100"),
	KEY(to_hdd_below, 30, .max = 100, .error = "to_hdd_below: not a per cent from 0 to 100"),
	KEY(halves, SSDUP_MIN_HALVES, .min = SSDUP_MIN_HALVES, .max = SSDUP_MAX_HALVES,
	    .fixed = true, .error = "halves: not a number from 2 to 16"),
	KEY(range_mb, 0, .min = 1, .max = 65536, .fixed = true,
	    .error = "range_mb: not a power of two from 1 to 65536"),
	KEY(full, SSDUP_FULL_BLOCK, .words = fulls, .error = "full: not block or bypass"),
	KEY(drain, SSDUP_DRAIN_AUTO, .words = drains, .error = "drain: not auto, eager or manual"),
	KEY(drain_depth, 256, .min = 1, .max = SSDUP_DRAIN_DEPTH_MAX,
	    .error = "drain_depth: not a number from 1 to 1024"),
	KEY(autocommit_ms, 1000, .min = 1, .max = 3600000,
	    .error = "autocommit_ms: not a number from 1 to 3600000"),
	KEY(flush_on_suspend, 0, .max = 1, .error = "flush_on_suspend: not 0 or 1"),
};

/* Every setting is read and written through here. */
static u32 *setting(struct ssdup_settings *set, const struct ssdup_key *key)
{
	BUILD_BUG_ON(sizeof(enum ssdup_policy) != sizeof(u32));
	return (u32 *)((char *)set + key->offset);
}

static const struct ssdup_key *find_key(const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		if (!strcmp(keys[i].name, name))
			return &keys[i];
	return NULL;
}

static int parse_value(const struct ssdup_key *key, const char *text, u32 *value)
{
	int i;

	if (key->words) {
		i = match_string(key->words, -1, text);
		if (i < 0)
			return -EINVAL;
		*value = i;
		return 0;
	}
	if (kstrtou32(text, 10, value) || *value < key->min || *value > key->max)
		return -EINVAL;
	if (key->offset == offsetof(struct ssdup_settings, range_mb) && !is_power_of_2(*value))
		return -EINVAL;
	return 0;
}

static const char *check_marks(const struct ssdup_settings *set)
{
	if (set->to_hdd_below > set->to_ssd_above)
		return "to_hdd_below: must not be above to_ssd_above";
	return NULL;
}

char *ssdup_error(const char *fmt, ...)
{
	static char text[8][160];
	static atomic_t next;
	char *t = text[(u32)atomic_inc_return(&next) % ARRAY_SIZE(text)];
	va_list args;

	va_start(args, fmt);
	vsnprintf(t, sizeof(text[0]), fmt, args);
	va_end(args);
	return t;
}

int ssdup_parse(struct ssdup *c, struct dm_arg_set *as, char **error)
{
	static const struct dm_arg count[] = {
		{ 0, 2 * ARRAY_SIZE(keys), "#args: not the number of keys and values that follow" },
	};
	const struct ssdup_key *key;
	unsigned int argc;
	const char *text;
	u32 i, value;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		*setting(&c->set, &keys[i]) = keys[i].preset;
	if (!as->argc)
		return 0;
	if (dm_read_arg_group(count, as, &argc, error))
		return -EINVAL;
	if (argc & 1 || argc != as->argc) {
		*error = count[0].error;
		return -EINVAL;
	}

	while (as->argc) {
		text = dm_shift_arg(as);
		key = find_key(text);
		if (!key) {
			*error = ssdup_error("%.64s: unknown key", text);
			return -EINVAL;
		}
		if (c->set.given & BIT(key - keys)) {
			*error = ssdup_error("%s: given twice", key->name);
			return -EINVAL;
		}
		text = dm_shift_arg(as);
		if (parse_value(key, text, &value)) {
			*error = (char *)key->error;
			return -EINVAL;
		}
		*setting(&c->set, key) = value;
		c->set.given |= BIT(key - keys);
	}
	*error = (char *)check_marks(&c->set);
	return *error ? -EINVAL : 0;
}

bool ssdup_given(struct ssdup *c, const char *name)
{
	return c->set.given & BIT(find_key(name) - keys);
}

int ssdup_set(struct ssdup *c, const char *name, const char *text, const char **error)
{
	const struct ssdup_key *key = find_key(name);
	/* A percentage of 0 against marks of 0 moves nothing: only all and none decide. */
	const struct redirector_marks marks = { };
	struct ssdup_settings set;
	u32 value;
	int r = 0;

	if (!key) {
		*error = "unknown key";
		return -EINVAL;
	}
	if (key->fixed) {
		*error = "fixed while the table is loaded";
		return -EINVAL;
	}
	if (parse_value(key, text, &value)) {
		*error = key->error;
		return -EINVAL;
	}
	/* Two marks that fit each with the old other one may not fit together. */
	mutex_lock(&c->set_lock);
	set = c->set;
	*setting(&set, key) = value;
	*error = check_marks(&set);
	if (*error) {
		r = -EINVAL;
		goto out;
	}
	/* Readers take no lock, but each setting once, with READ_ONCE. */
	WRITE_ONCE(*setting(&c->set, key), value);
	WRITE_ONCE(c->set.given, c->set.given | BIT(key - keys));
	if (key->offset == offsetof(struct ssdup_settings, policy)) {
		/* Pairs with the one in stream_evaluate(). */
		smp_mb();
		WRITE_ONCE(c->route, redirector_next(value, READ_ONCE(c->route), 0, 0, &marks));
	}
out:
	mutex_unlock(&c->set_lock);
	if (r)
		return r;
	ssdup_kick_waiting(c);
	ssdup_kick_writeback(c);
	return 0;
}

static int print_value(struct ssdup *c, const struct ssdup_key *key, char *buf, size_t len)
{
	u32 value = READ_ONCE(*setting(&c->set, key));

	if (key->words)
		return scnprintf(buf, len, "%s", key->words[value]);
	return scnprintf(buf, len, "%u", value);
}

int ssdup_key_value(struct ssdup *c, const char *name, char *buf, size_t len)
{
	return print_value(c, find_key(name), buf, len);
}

unsigned int ssdup_emit_args(struct ssdup *c, char *result, unsigned int maxlen)
{
	u32 given = READ_ONCE(c->set.given), i;
	unsigned int sz = 0;
	char value[16];

	if (given)
		DMEMIT(" %u", 2 * hweight32(given));
	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		if (!(given & BIT(i)))
			continue;
		print_value(c, &keys[i], value, sizeof(value));
		DMEMIT(" %s %s", keys[i].name, value);
	}
	return sz;
}
