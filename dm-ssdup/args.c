// SPDX-License-Identifier: GPL-2.0-only
/* Owns the change of a setting, from a table line, a message or sysfs: one at a time. */
#include "args.h"
#include "base/wakeups.h"
#include "disks.h"
#include "promote.h"
#include "route/router.h"

/* Serialises changes of settings, of all devices. */
static DEFINE_MUTEX(set_lock);

char ssdup_error_said[] = "refused, see above";

char *ssdup_error(const struct ssdup *c, const char *fmt, ...)
{
	struct va_format said = { .fmt = fmt };
	va_list args;

	va_start(args, fmt);
	said.va = &args;
	DMERR("%s: %pV", c->name, &said);
	va_end(args);
	return ssdup_error_said;
}

int ssdup_parse(struct ssdup *c, struct dm_arg_set *as, char **error)
{
	const struct dm_arg count = {
		0, 2 * (ssdup_settings_nr_keys() + 2 * (SSDUP_MAX_SSDS - 2)),
		"#args: not the number of keys and values that follow"
	};
	enum settings_kind kind;
	const char *key, *value;
	unsigned int argc;
	int r;

	ssdup_settings_preset(&c->set);
	if (!as->argc)
		return 0;
	if (dm_read_arg_group(&count, as, &argc, error))
		return -EINVAL;
	if (argc & 1 || argc != as->argc) {
		*error = count.error;
		return -EINVAL;
	}

	while (as->argc) {
		key = dm_shift_arg(as);
		value = dm_shift_arg(as);
		switch (ssdup_settings_take(&c->set, key, value)) {
		case SETTINGS_OK:
			kind = ssdup_settings_find(key)->kind;
			if (kind != SETTINGS_DEVICE && kind != SETTINGS_MIRROR)
				continue;
			r = kind == SETTINGS_DEVICE ? ssdup_table_ssd(c, value, error) :
						      ssdup_table_mirror(c, value, error);
			if (r)
				return r;
			continue;
		case SETTINGS_UNKNOWN:
			*error = ssdup_error(c, "%.64s: unknown key", key);
			return -EINVAL;
		case SETTINGS_TWICE:
			*error = ssdup_error(c, "%s: given twice", key);
			return -EINVAL;
		case SETTINGS_VALUE:
			*error = (char *)ssdup_settings_find(key)->error;
			return -EINVAL;
		}
	}
	*error = (char *)ssdup_settings_conflict(&c->set);
	return *error ? -EINVAL : 0;
}

int ssdup_set(struct ssdup *c, const char *name, const char *text, const char **error)
{
	const struct ssdup_settings_key *key = ssdup_settings_find(name);
	struct ssdup_settings set;
	u32 value;

	if (!key) {
		*error = "unknown key";
		return -EINVAL;
	}
	if (!key->file) {
		*error = "fixed while the table is loaded";
		return -EINVAL;
	}
	if (!ssdup_settings_value(key, text, &value)) {
		*error = key->error;
		return -EINVAL;
	}
	/* Two concurrent changes may each fit the old settings, but not each other. */
	mutex_lock(&set_lock);
	set = c->set;
	*ssdup_settings_of(&set, key) = value;
	*error = ssdup_settings_conflict(&set);
	if (*error) {
		mutex_unlock(&set_lock);
		return -EINVAL;
	}
	if (key->offset == offsetof(struct ssdup_settings, promote) && value &&
	    ssdup_promote_prepare(c)) {
		mutex_unlock(&set_lock);
		*error = "out of memory";
		return -ENOMEM;
	}
	/* Readers take no lock; they read each setting once, with READ_ONCE(). */
	WRITE_ONCE(*ssdup_settings_of(&c->set, key), value);
	WRITE_ONCE(c->set.given, c->set.given | ssdup_settings_bit(key));
	if (key->offset == offsetof(struct ssdup_settings, policy))
		ssdup_stream_policy(c->router, value);
	mutex_unlock(&set_lock);
	/* The accounts begin, or end. Pairs with the one in ssdup_budget_settle(). */
	smp_mb();
	ssdup_budget_settle(c->router);
	ssdup_promote_settle(c);
	ssdup_kick_waiting(c);
	ssdup_kick_clean(c);
	ssdup_kick_writeback(c);
	return 0;
}

int ssdup_key_value(struct ssdup *c, const struct ssdup_settings_key *key, char *buf, size_t len)
{
	u32 value;

	if (key->kind == SETTINGS_CLASSES)
		return ssdup_classes_text(&c->set.classes, buf, len);
	if (key->kind == SETTINGS_UUID)
		return scnprintf(buf, len, "%pUb", (u8 *)&c->set + key->offset);
	value = READ_ONCE(*ssdup_settings_of(&c->set, key));

	return ssdup_settings_text(key, value, buf, len);
}

unsigned int ssdup_emit_args(struct ssdup *c, char *result, unsigned int maxlen)
{
	u32 given = READ_ONCE(c->set.given), nr = 0, i;
	const struct ssdup_settings_key *key;
	unsigned int sz = 0;
	const struct ssdup_ssd *ssd;
	char value[(SSDUP_MAX_CLASSES - 1) * (SSDUP_CLASS_NAME + sizeof(":late:hint=extreme"))];

	for (i = 0; i < ssdup_settings_nr_keys(); i++) {
		key = ssdup_settings_key(i);
		if (key->kind != SETTINGS_DEVICE && key->kind != SETTINGS_MIRROR)
			nr += !!(given & ssdup_settings_bit(key));
	}
	if (given)
		DMEMIT(" %u", 2 * (nr + max(c->nr_named, 1U) - 1 + hweight32(ssds_mirrored(c))));
	/* Each mirror behind its SSD. */
	for (ssd = c->ssd; ssd < c->ssd + c->nr_named; ssd++) {
		if (ssd > c->ssd)
			DMEMIT(" ssd %s", ssd_name(ssd));
		if (ssd->mirrored)
			DMEMIT(" mirror %s", ssd->twin ? ssd->twin->name : "-");
	}
	for (i = 0; i < ssdup_settings_nr_keys(); i++) {
		key = ssdup_settings_key(i);
		if (!(given & ssdup_settings_bit(key)) || key->kind == SETTINGS_DEVICE ||
		    key->kind == SETTINGS_MIRROR)
			continue;
		ssdup_key_value(c, key, value, sizeof(value));
		DMEMIT(" %s %s", key->name, value);
	}
	return sz;
}
