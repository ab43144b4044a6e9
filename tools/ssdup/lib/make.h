/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: making a device.
 */
#ifndef SSDUP_MAKE_H
#define SSDUP_MAKE_H

#include "dmdev.h"
#include "pair.h"

struct new_device {
	const char	*name;
	const char	*hdd;
	struct ssd_names ssds;		/* one of a log that is there will do */
	char		*ssd_text;	/* to be freed, if it is UUID= */
	char		*args;		/* "KEY VALUE KEY VALUE ..." */
	unsigned int	nr_args;
	char		*log;		/* what the key "log" says, or NULL */
	bool		format;
	bool		add;		/* one more log on the SSD */
	struct give_up	give_up;
	bool		save;		/* the line of ssduptab */
	bool		tab;		/* from ssduptab: that it exists already is fine */
	bool		shared;		/* which has more lines with this SSD */
};

/** new_device_key() - add a key and its value; NULL, or what is wrong with them */
const char *new_device_key(struct new_device *new, const char *key, const char *value);

/**
 * make() - make the device; nothing is left behind when that fails
 *
 * Return: EXIT_OK, or an exit code with the complaint made.
 */
int make(const struct ssdup_ctx *ctx, struct new_device *new);

#endif
