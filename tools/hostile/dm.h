/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A device-mapper device without dmsetup: thousands of tables in the time that as
 * many processes would take to start. All functions return 0 or -errno.
 */
#ifndef HOSTILE_DM_H
#define HOSTILE_DM_H

#include <stddef.h>

/** dm_open() - a new device of that name; ends the process on an error */
void dm_open(const char *name);

/** dm_node() - path of the device's node */
const char *dm_node(void);

/** dm_folder() - path of the target's folder in sysfs */
const char *dm_folder(void);

/** dm_load() - load a table of one target; it takes effect with the next dm_resume() */
int dm_load(const char *type, unsigned long long sectors, const char *params);

/** dm_clear() - forget a table that was loaded */
int dm_clear(void);

int dm_suspend(void);
int dm_resume(void);

/** dm_message() - @len bytes with no zero among them */
int dm_message(const char *text, size_t len);

/** dm_table() - the target's parameters as the kernel tells them */
int dm_table(char *params, size_t max);

/** dm_idle() - let go of the target that is active, whatever state it is in */
void dm_idle(unsigned long long sectors);

/** dm_close() - remove the device */
void dm_close(void);

#endif
