/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: classes of data by expected lifetime: their names, and which one a write gets. Pure.
 *
 * Class 0, "default", is that of all data which nobody has named. What the log holds already
 * keeps its class: ssdup_extent_class_span() in extent_map.h comes before what is here.
 */
#ifndef SSDUP_CLASS_H
#define SSDUP_CLASS_H

#include "types.h"

#define SSDUP_CLASS_NAME	16U	/* bytes, with the zero behind it */
#define SSDUP_CLASS_RANGES	32U
#define SSDUP_CLASS_CGROUPS	32U
#define SSDUP_HINTS		6U	/* RWH_WRITE_LIFE_ of <linux/fcntl.h>; 0: not set */

/* The classes that a table names. */
struct class_table {
	u32	nr;		/* with class 0 */
	u32	late;		/* a bit for each that is drained late */
	u8	hint[SSDUP_HINTS];	/* class of data that comes with this hint; 0: no other */
	char	name[SSDUP_MAX_CLASSES][SSDUP_CLASS_NAME];
};

/** ssdup_classes_preset() - class 0 only */
void ssdup_classes_preset(struct class_table *t);

/**
 * ssdup_classes_parse() - read "NAME[:late][:hint=HINT][+NAME...]...", the classes from 1 on
 *
 * A name has small letters, digits, "_" and "-". Return: false for anything else.
 */
bool ssdup_classes_parse(struct class_table *t, const char *text);

/** ssdup_class_find() - the class of that name. Return: false when there is none. */
bool ssdup_class_find(const struct class_table *t, const char *name, u32 *class);

/** ssdup_classes_text() - print what ssdup_classes_parse() reads. Return: its length. */
int ssdup_classes_text(const struct class_table *t, char *buf, size_t len);

static inline bool class_is_late(const struct class_table *t, u32 class)
{
	return t->late >> class & 1;
}

/* Which class new data gets, as messages have set it. */
struct class_rules {
	u32	epoch;		/* class of all else */
	u32	nr;		/* of ranges, which do not overlap */
	struct class_range {
		u64	start;		/* sectors of the device */
		u64	end;
		u32	class;
	} range[SSDUP_CLASS_RANGES];
	u32	nr_cgroups;
	struct class_cgroup {
		u64	id;
		u32	class;
	} cgroup[SSDUP_CLASS_CGROUPS];
};

/**
 * ssdup_class_set_range() - let sectors have a class of their own
 * @r: receives the rules
 * @old: those of before
 * @class: 0: forget what was set for them
 *
 * Return: false when there would be more than SSDUP_CLASS_RANGES; then @r is of no use.
 */
bool ssdup_class_set_range(struct class_rules *r, const struct class_rules *old, u64 start, u64 end,
			   u32 class);

/**
 * ssdup_class_set_cgroup() - let the data of a cgroup have a class
 *
 * As ssdup_class_set_range(). Return: false when there would be more than SSDUP_CLASS_CGROUPS.
 */
bool ssdup_class_set_cgroup(struct class_rules *r, const struct class_rules *old, u64 id,
			    u32 class);

/** ssdup_class_of_cgroup() - the class that was set for it, or 0 */
u32 ssdup_class_of_cgroup(const struct class_rules *r, u64 id);

/**
 * ssdup_class_choose() - the class of new data
 * @asked: class that the write's cgroup asks for, or else its hint, or 0
 * @sectors: of the write; shortened to the first part, which has one class
 */
u32 ssdup_class_choose(const struct class_rules *r, u32 asked, u64 start, u32 *sectors);

#endif
