/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: device mapper devices, through libdevmapper. Its own complaints are kept
 * back: whoever calls has a better one.
 */
#ifndef SSDUP_DMDEV_H
#define SSDUP_DMDEV_H

#include <sys/types.h>

#include "tool.h"

/* A device made by this tool has this and the UUID of its log as its own UUID. */
#define DM_UUID_PREFIX	"SSDUP-"

struct dmdev {
	char		*name;
	char		*uuid;		/* "" for none */
	dev_t		rdev;
	bool		suspended, read_only;
	int		open_count;
	unsigned int	nr_targets;	/* of the live table; 0: none */
	uint64_t	start;		/* of the first target, as all below */
	uint64_t	length;
	char		*target;	/* "ssdup"; NULL without a live table */
	char		*params;	/* its status or its table */
};

/** dmdev_prepare() - once, before anything else here */
void dmdev_prepare(void);

/** dmdev_dont_wait() - from now on not for udev to be done with a device either */
void dmdev_dont_wait(void);

/**
 * dmdev_status() - what the device says of itself, as "dmsetup status"
 * @d: filled in when 0 is returned; dmdev_free() it
 *
 * Return: 0, -ENXIO when there is no such device, or -errno.
 */
int dmdev_status(const char *name, struct dmdev *d);

/** dmdev_table() - the same with the table's parameters */
int dmdev_table(const char *name, struct dmdev *d);

void dmdev_free(struct dmdev *d);

/** dmdev_is_ssdup() - one live target, and it is ours */
bool dmdev_is_ssdup(const struct dmdev *d);

/**
 * dmdev_names() - the names of all device mapper devices, NULL behind the last
 * @names: free() each, and the array
 *
 * Return: 0 or -errno.
 */
int dmdev_names(char ***names);

/**
 * dmdev_create() - a device without a table
 *
 * Return: 0, -EEXIST (or -EBUSY) when name or UUID are taken, or -errno.
 */
int dmdev_create(const char *name, const char *uuid);

/** dmdev_load() - a table of one target, beside the live one; nothing changes yet */
int dmdev_load(const char *name, uint64_t sectors, const char *target, const char *params);

/**
 * dmdev_load_pinned() - the same, with all of the program kept in memory until munlockall()
 *
 * The device may be the one that / lies on. After an error nothing is loaded or kept.
 */
int dmdev_load_pinned(const char *name, uint64_t sectors, const char *target, const char *params);

/** dmdev_clear() - forget what dmdev_load() has loaded */
int dmdev_clear(const char *name);

/**
 * dmdev_suspend() - hold I/O up
 * @nolock: a file system on it is not frozen
 * @noflush: what is in flight may be handed to the next table
 */
int dmdev_suspend(const char *name, bool nolock, bool noflush);

/** dmdev_resume() - with the table that was loaded, if any */
int dmdev_resume(const char *name);

/**
 * dmdev_swap() - suspend, take the table that was loaded, and resume, in one call to the kernel
 *
 * A file system on it is not frozen. When the new table cannot be resumed, it is left suspended.
 */
int dmdev_swap(const char *name);

/**
 * dmdev_reload() - another table of dm-ssdup, while the device is in use
 * @old: the one that it has, of @old_sectors; that goes on if the new one cannot take over
 *
 * Return: 0, -EUCLEAN when the device is left suspended, or -errno.
 */
int dmdev_reload(const char *name, uint64_t sectors, const char *params, uint64_t old_sectors,
		 const char *old);

/** dmdev_remove() - tried again for some seconds while it is open for a moment only */
int dmdev_remove(const char *name);

/** dmdev_remove_later() - when the last one closes it, or at once */
int dmdev_remove_later(const char *name);

/** dmdev_message() - may take as long as what it asks for; 0 or -errno (-EINTR) */
int dmdev_message(const char *name, const char *text);

/**
 * dmdev_ask() - a message that is answered
 * @answer: set when 0 is returned; free() it
 */
int dmdev_ask(const char *name, const char *text, char **answer);

/* --- What the kernel says of a refusal --- */

/** reason_mark() - the kernel log up to here is not looked at */
void reason_mark(void);

/**
 * reason_read() - what dm-ssdup has complained about since then
 * @rdev: of the device
 *
 * Return: its words without the prefix, free() them, or NULL.
 */
char *reason_read(dev_t rdev);

#endif
