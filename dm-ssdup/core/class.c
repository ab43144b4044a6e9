// SPDX-License-Identifier: GPL-2.0-only
/* Decides the class of new data, by names, ranges, cgroups and hints. */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "class.h"

static const char * const hints[SSDUP_HINTS] = {
	NULL, "none", "short", "medium", "long", "extreme"
};

void ssdup_classes_preset(struct class_table *t)
{
	memset(t, 0, sizeof(*t));
	t->nr = 1;
	memcpy(t->name[0], "default", sizeof("default"));
}

static bool fits_a_name(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') ||
	       byte == '_' || byte == '-';
}

/* Read a name, and move @text behind it. Return: false when it is none, or is there already. */
static bool take_name(struct class_table *t, const char **text)
{
	char name[SSDUP_CLASS_NAME] = { };
	u32 len, class;

	for (len = 0; fits_a_name((*text)[len]); len++) {
		if (len == SSDUP_CLASS_NAME - 1)
			return false;
		name[len] = (*text)[len];
	}
	if (!len || t->nr == SSDUP_MAX_CLASSES || ssdup_class_find(t, name, &class))
		return false;
	memcpy(t->name[t->nr++], name, sizeof(name));
	*text += len;
	return true;
}

/* Does @text begin with @word? Then move behind it. */
static bool take_word(const char **text, const char *word)
{
	u32 len = strlen(word);

	if (strncmp(*text, word, len))
		return false;
	*text += len;
	return true;
}

static bool take_hint(struct class_table *t, const char **text)
{
	u32 i;

	for (i = 1; i < SSDUP_HINTS; i++)
		if (take_word(text, hints[i])) {
			if (t->hint[i])
				return false;
			t->hint[i] = t->nr - 1;
			return true;
		}
	return false;
}

bool ssdup_classes_parse(struct class_table *t, const char *text)
{
	ssdup_classes_preset(t);
	while (take_name(t, &text)) {
		if (take_word(&text, ":late"))
			t->late |= BIT(t->nr - 1);
		if (take_word(&text, ":hint=") && !take_hint(t, &text))
			return false;
		if (!*text)
			return true;
		if (*text++ != '+')
			return false;
	}
	return false;
}

bool ssdup_class_find(const struct class_table *t, const char *name, u32 *class)
{
	for (*class = 0; *class < t->nr; ++*class)
		if (!strcmp(t->name[*class], name))
			return true;
	return false;
}

int ssdup_classes_text(const struct class_table *t, char *buf, size_t len)
{
	u32 i, hint;
	int at = 0;

	for (i = 1; i < t->nr; i++) {
		at += scnprintf(buf + at, len - at, "%s%s%s", i > 1 ? "+" : "", t->name[i],
				class_is_late(t, i) ? ":late" : "");
		for (hint = 1; hint < SSDUP_HINTS; hint++)
			if (t->hint[hint] == i)
				at += scnprintf(buf + at, len - at, ":hint=%s", hints[hint]);
	}
	return at;
}

static bool put_range(struct class_rules *r, u64 start, u64 end, u32 class)
{
	if (start >= end)
		return true;
	if (r->nr == SSDUP_CLASS_RANGES)
		return false;
	r->range[r->nr++] = (struct class_range){ start, end, class };
	return true;
}

bool ssdup_class_set_range(struct class_rules *r, const struct class_rules *old, u64 start, u64 end,
			   u32 class)
{
	const struct class_range *o;

	*r = *old;
	r->nr = 0;
	for (o = old->range; o < old->range + old->nr; o++)
		if (!put_range(r, o->start, min(o->end, start), o->class) ||
		    !put_range(r, max(o->start, end), o->end, o->class))
			return false;
	return !class || put_range(r, start, end, class);
}

bool ssdup_class_set_cgroup(struct class_rules *r, const struct class_rules *old, u64 id,
			    u32 class)
{
	u32 i;

	*r = *old;
	r->nr_cgroups = 0;
	for (i = 0; i < old->nr_cgroups; i++)
		if (old->cgroup[i].id != id)
			r->cgroup[r->nr_cgroups++] = old->cgroup[i];
	if (!class)
		return true;
	if (r->nr_cgroups == SSDUP_CLASS_CGROUPS)
		return false;
	r->cgroup[r->nr_cgroups++] = (struct class_cgroup){ id, class };
	return true;
}

u32 ssdup_class_of_cgroup(const struct class_rules *r, u64 id)
{
	u32 i;

	for (i = 0; i < r->nr_cgroups; i++)
		if (r->cgroup[i].id == id)
			return r->cgroup[i].class;
	return 0;
}

u32 ssdup_class_choose(const struct class_rules *r, u32 asked, u64 start, u32 *sectors)
{
	const struct class_range *x;
	u64 end = start + *sectors;
	u32 class = asked ?: r->epoch;

	for (x = r->range; x < r->range + r->nr; x++) {
		if (x->end <= start || x->start >= end)
			continue;
		if (x->start <= start)
			class = x->class;
		end = x->start <= start ? min(end, x->end) : x->start;
	}
	*sectors = end - start;
	return class;
}
