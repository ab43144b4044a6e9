/* SPDX-License-Identifier: GPL-2.0-only */
/* cuts: the device under test. */
#ifndef CUTS_DEVICE_H
#define CUTS_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

enum subject { SUBJECT_SSDUP, SUBJECT_HOOK };

struct device {
	enum subject subject;
	const char *hook;		/* a command: up, down */
	char table[600];		/* keys of ssdup's table line */
	char path[64];
	int minor;
};

/* device_up() - it is there; errors are no surprise when the power goes meanwhile */
bool device_up(struct device *d);
bool device_down(struct device *d);

/* device_fail() - whoever waits for it gets an error, as by dmsetup remove --force */
void device_fail(struct device *d);

/* device_reload() - suspend, another table, resume */
bool device_reload(struct device *d, bool noflush);
bool device_message(struct device *d, const char *message);

/* device_knob() - a file of its folder in sysfs */
bool device_knob(struct device *d, const char *file, const char *value);

/* kernel_complained() - with a WARNING, or worse */
bool kernel_complained(void);

bool write_file(const char *path, const char *text);
bool read_file(const char *path, char *text, size_t size);

#endif
