/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: the classes of a log, as the device's folder in sysfs tells them.
 */
#ifndef SSDUP_TOOL_CLASSES_H
#define SSDUP_TOOL_CLASSES_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

enum { CLASS_HELD, CLASS_WRITTEN, CLASS_DRAINED, CLASS_REPLACED, CLASS_NUMBERS };

struct class_line {
	char			name[32];
	char			late[8];		/* or "soon" */
	unsigned long long	sectors[CLASS_NUMBERS];
};

/** classes_open() - the file of the device whose folder that is, or NULL; fclose() it */
FILE *classes_open(const char *folder);

/** classes_of() - the same of a device */
FILE *classes_of(dev_t rdev);

/** classes_next() - the next class. Return: false when there is none, as with one class */
bool classes_next(FILE *f, struct class_line *k);

#endif
